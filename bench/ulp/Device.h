//===- Device.h - packs of functions on a device ----------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_BENCH_ULP_DEVICE_H
#define NXV_BENCH_ULP_DEVICE_H

#include "Points.h"

#include "nxv/runtime.h"

#include <memory>
#include <string>

namespace nxv::ulp {

struct CloseDevice {
  void operator()(nxv_device *device) const { nxv_device_close(device); }
};
using Device = std::unique_ptr<nxv_device, CloseDevice>;

/// Prints the runtime's message and ends the program, unless all is well.
void check(nxv_status status, const std::string &what);

/// A pack whose inputs are the numbers of a chunk's sequences, as unsigned
/// scalars, and whose output is a vector of results.
class Pack {
public:
  Pack(nxv_device *device, const std::string &path);
  ~Pack();
  Pack(const Pack &) = delete;

  uint64_t outputBytes() const { return bytes; }
  void run(const Chunk &chunk, void *results);

private:
  nxv_program *program = nullptr;
  nxv_invocation *invocation = nullptr;
  nxv_buffer *input = nullptr, *output = nullptr;
  size_t numInputs = 0;
  size_t width = 0; // of an input, in bytes
  uint64_t bytes = 0;
};

} // namespace nxv::ulp

#endif // NXV_BENCH_ULP_DEVICE_H
