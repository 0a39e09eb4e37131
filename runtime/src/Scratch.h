//===- Scratch.h - memory that grows with a recording --------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_RUNTIME_SCRATCH_H
#define NXV_RUNTIME_SCRATCH_H

#include "Device.h"

namespace nxv::runtime {

/// A place in device memory.
struct Location {
  const Allocation *allocation = nullptr;
  uint64_t offset = 0;

  VkBuffer buffer() const { return allocation->buffer(); }
  uint64_t bufferOffset() const { return allocation->offset() + offset; }
  uint64_t address() const { return allocation->address() + offset; }
  const uint8_t *host() const { return allocation->host() + offset; }
  bool operator==(const Location &other) const {
    return allocation == other.allocation && offset == other.offset;
  }
};

/// Pieces of memory whose number is known only in the end.
class Scratch {
public:
  Scratch(Device &device, MemoryKind kind) : device(device), kind(kind) {}

  /// Room for `bytes` bytes at a multiple of 16.
  Location take(uint64_t bytes);
  /// Sets what `upload` writes there.
  void set(const Location &where, const void *data, uint64_t bytes);
  void upload();

private:
  struct Chunk {
    std::unique_ptr<Allocation> memory;
    std::vector<uint8_t> data; // device memory only
    uint64_t end = 0;
  };

  Device &device;
  MemoryKind kind;
  std::vector<Chunk> chunks;
};

} // namespace nxv::runtime

#endif // NXV_RUNTIME_SCRATCH_H
