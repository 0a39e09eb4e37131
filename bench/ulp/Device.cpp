//===- Device.cpp - packs of functions on a device ------------------------===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Device.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace nxv::ulp {

/// Inputs are bound at multiples of this.
static constexpr size_t kAlignment = 256;

void check(nxv_status status, const std::string &what) {
  if (status == NXV_OK)
    return;
  std::fprintf(stderr, "error: %s: %s\n", what.c_str(), nxv_last_error());
  std::exit(1);
}

Pack::Pack(nxv_device *device, const std::string &path) {
  check(nxv_program_load_file(device, path.c_str(), &program), path);
  nxv_program_info info = {};
  info.struct_size = sizeof(info);
  check(nxv_program_get_info(program, &info), path);
  nxv_tensor_info tensor = {};
  tensor.struct_size = sizeof(tensor);
  numInputs = info.num_inputs;
  check(nxv_program_get_input(program, 0, &tensor), path);
  width = tensor.bytes;
  check(nxv_program_get_output(program, 0, &tensor), path);
  bytes = tensor.bytes;
  check(nxv_buffer_create(device, numInputs * kAlignment, &input), path);
  check(nxv_buffer_create(device, bytes, &output), path);
  check(nxv_invocation_create(program, &invocation), path);
  for (size_t i = 0; i < numInputs; ++i)
    check(nxv_invocation_bind_input(invocation, i, input, i * kAlignment),
          path);
  check(nxv_invocation_bind_output(invocation, 0, output, 0), path);
}

Pack::~Pack() {
  nxv_invocation_destroy(invocation);
  nxv_buffer_destroy(input);
  nxv_buffer_destroy(output);
  nxv_program_destroy(program);
}

void Pack::run(const Chunk &chunk, void *results) {
  const auto &[x, y] = chunk.operands;
  // A pack of a unary function takes the first two only.
  uint64_t numbers[] = {x.base, x.factor, x.span, y.base, y.factor, y.span};
  std::vector<char> image(numInputs * kAlignment);
  for (size_t i = 0; i < numInputs; ++i)
    std::memcpy(&image[i * kAlignment], &numbers[i], width);
  check(nxv_buffer_write(input, 0, image.data(), image.size()), "write");
  check(nxv_invocation_run(invocation), "run");
  check(nxv_buffer_read(output, 0, results, bytes), "read");
}

} // namespace nxv::ulp
