//===- Support.h - failures, log and environment ----------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_RUNTIME_SUPPORT_H
#define NXV_RUNTIME_SUPPORT_H

#include "nxv/runtime.h"

#include <sstream>
#include <string>
#include <vector>

namespace nxv::runtime {

/// Thrown inside the library, turned into a status at its boundary.
struct Failure {
  nxv_status status;
  std::string message;
};

template <typename... Parts>
std::string cat(const Parts &...parts) {
  std::ostringstream out;
  (out << ... << parts);
  return out.str();
}

template <typename... Parts>
[[noreturn]] void fail(nxv_status status, const Parts &...parts) {
  throw Failure{status, cat(parts...)};
}

void logMessage(nxv_log_level level, const std::string &message);
bool logEnabled(nxv_log_level level);

template <typename... Parts>
void log(nxv_log_level level, const Parts &...parts) {
  if (logEnabled(level))
    logMessage(level, cat(parts...));
}

void setLastError(const std::string &message);
void setLogCallback(nxv_log_fn log, void *user);
void setLogLevel(nxv_log_level level);
const char *lastError();

/// The variable's value, empty if it is not set.
std::string environment(const char *name);
/// True if it is set and neither empty nor "0".
bool environmentFlag(const char *name);
/// A number of bytes with an optional suffix K, M, G or T; 0 if it is not set.
uint64_t environmentBytes(const char *name);

std::vector<std::string> splitList(const std::string &text);
std::string lowerCase(std::string text);

/// Runs `body` at the boundary: no exception leaves it.
template <typename Body>
nxv_status guarded(Body body) noexcept {
  try {
    try {
      body();
      return NXV_OK;
    } catch (const Failure &failure) {
      setLastError(failure.message);
      return failure.status;
    } catch (const std::bad_alloc &) {
      setLastError("out of host memory");
      return NXV_ERROR_OUT_OF_MEMORY;
    } catch (const std::exception &error) {
      setLastError(error.what());
      return NXV_ERROR_INTERNAL;
    } catch (...) {
      setLastError("unknown exception");
      return NXV_ERROR_INTERNAL;
    }
  } catch (...) {
    // Not even the message could be stored.
    return NXV_ERROR_INTERNAL;
  }
}

} // namespace nxv::runtime

#endif // NXV_RUNTIME_SUPPORT_H
