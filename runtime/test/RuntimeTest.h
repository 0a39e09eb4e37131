//===- RuntimeTest.h - helpers of the runtime tests -------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_RUNTIME_TEST_RUNTIMETEST_H
#define NXV_RUNTIME_TEST_RUNTIMETEST_H

#include "TestPacks.h"
#include "nxv/runtime.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

#define NXV_ASSERT_OK(CALL) ASSERT_EQ(CALL, NXV_OK) << nxv_last_error()

namespace nxv::test {

/// A structure with its size set.
template <typename T>
T sized() {
  T value = {};
  value.struct_size = sizeof(T);
  return value;
}

inline bool mentions(const char *text) {
  bool found = std::strstr(nxv_last_error(), text) != nullptr;
  if (!found)
    ADD_FAILURE() << "'" << text << "' not in: " << nxv_last_error();
  return found;
}

/// Sets a variable for a scope.
class Environment {
public:
  Environment(const char *name, const char *value) : name(name) {
    if (const char *old = std::getenv(name))
      before = old;
    had = std::getenv(name) != nullptr;
    setenv(name, value, 1);
  }
  ~Environment() {
    if (had)
      setenv(name, before.c_str(), 1);
    else
      unsetenv(name);
  }

private:
  const char *name;
  std::string before;
  bool had;
};

/// An open device.
class Device {
public:
  Device() {
    if (nxv_device_open(nullptr, &handle) != NXV_OK)
      ADD_FAILURE() << nxv_last_error();
  }
  ~Device() { nxv_device_close(handle); }
  operator nxv_device *() const { return handle; }
  uint64_t liveBytes() const {
    nxv_memory_info info = sized<nxv_memory_info>();
    nxv_device_get_memory(handle, &info);
    return info.live_bytes;
  }

private:
  nxv_device *handle = nullptr;
};

/// A loaded pack; null if it cannot be loaded.
class Program {
public:
  Program(nxv_device *device, const pack::Pack &pack) {
    std::vector<uint8_t> file = pack::serialize(pack);
    status = nxv_program_load(device, file.data(), file.size(), &handle);
  }
  ~Program() { nxv_program_destroy(handle); }
  operator nxv_program *() const { return handle; }
  nxv_status status;

private:
  nxv_program *handle = nullptr;
};

inline std::vector<float> ramp(size_t count, float first, float step) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = first + step * float(i);
  return values;
}

} // namespace nxv::test

#endif // NXV_RUNTIME_TEST_RUNTIMETEST_H
