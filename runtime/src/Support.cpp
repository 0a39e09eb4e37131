//===- Support.cpp - failures, log and environment ------------------------===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Support.h"

#include <atomic>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <mutex>

using namespace nxv::runtime;

namespace {

struct Log {
  std::mutex mutex;
  nxv_log_fn callback = nullptr;
  void *user = nullptr;
};

Log &theLog() {
  static Log log;
  return log;
}

nxv_log_level initialLevel() {
  std::string text = lowerCase(environment("NXV_LOG"));
  static const char *const names[] = {"off", "error", "warning", "info",
                                      "debug"};
  for (int i = 0; i < 5; ++i)
    if (text == names[i] || text == std::to_string(i))
      return nxv_log_level(i);
  if (!text.empty())
    std::fprintf(stderr,
                 "nxv: warning: NXV_LOG is '%s', not one of off, error, "
                 "warning, info, debug\n",
                 text.c_str());
  return NXV_LOG_WARNING;
}

std::atomic<int> &level() {
  static std::atomic<int> value(initialLevel());
  return value;
}

thread_local std::string lastErrorText;

} // namespace

void nxv::runtime::setLogCallback(nxv_log_fn log, void *user) {
  std::lock_guard<std::mutex> lock(theLog().mutex);
  theLog().callback = log;
  theLog().user = user;
}

void nxv::runtime::setLogLevel(nxv_log_level value) { level() = value; }

bool nxv::runtime::logEnabled(nxv_log_level value) { return value <= level(); }

void nxv::runtime::logMessage(nxv_log_level value, const std::string &message) {
  nxv_log_fn callback;
  void *user;
  {
    std::lock_guard<std::mutex> lock(theLog().mutex);
    callback = theLog().callback;
    user = theLog().user;
  }
  if (callback)
    return callback(user, value, message.c_str());
  static const char *const names[] = {"", "error", "warning", "info", "debug"};
  std::fprintf(stderr, "nxv: %s: %s\n", names[value], message.c_str());
}

void nxv::runtime::setLastError(const std::string &message) {
  lastErrorText = message;
}

const char *nxv::runtime::lastError() { return lastErrorText.c_str(); }

std::string nxv::runtime::environment(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

bool nxv::runtime::environmentFlag(const char *name) {
  std::string value = environment(name);
  return !value.empty() && value != "0";
}

uint64_t nxv::runtime::environmentBytes(const char *name) {
  std::string value = environment(name);
  if (value.empty())
    return 0;
  uint64_t number = 0;
  size_t i = 0;
  bool ok = std::isdigit((unsigned char)value[0]);
  for (; i < value.size() && std::isdigit((unsigned char)value[i]); ++i)
    ok &= !__builtin_mul_overflow(number, uint64_t(10), &number) &&
          !__builtin_add_overflow(number, uint64_t(value[i] - '0'), &number);
  std::string suffix = lowerCase(value.substr(i));
  static const char *const suffixes[] = {"", "k", "m", "g", "t"};
  for (int k = 0; k < 5; ++k)
    if (suffix == suffixes[k]) {
      ok &= number <= (UINT64_MAX >> (10 * k));
      if (ok)
        return number << (10 * k);
    }
  fail(NXV_ERROR_INVALID_ARGUMENT, name, " is '", value,
       "', not a number of bytes");
}

std::vector<std::string> nxv::runtime::splitList(const std::string &text) {
  std::vector<std::string> parts;
  std::string part;
  for (char c : text + ",") {
    if (c == ',') {
      if (!part.empty())
        parts.push_back(part);
      part.clear();
    } else if (c != ' ' || !part.empty()) {
      part += c;
    }
  }
  return parts;
}

std::string nxv::runtime::lowerCase(std::string text) {
  for (char &c : text)
    c = char(std::tolower((unsigned char)c));
  return text;
}
