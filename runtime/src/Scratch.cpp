//===- Scratch.cpp - memory that grows with a recording -------------------===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Scratch.h"

#include <algorithm>
#include <cstring>

using namespace nxv::runtime;

static constexpr uint64_t kChunkBytes = 4096;
static constexpr uint64_t kPieceAlignment = 16;

Location Scratch::take(uint64_t bytes) {
  // An empty piece has a place of its own too.
  bytes = std::max<uint64_t>(bytes, 1);
  bytes = (bytes + kPieceAlignment - 1) / kPieceAlignment * kPieceAlignment;
  if (chunks.empty() ||
      bytes > chunks.back().memory->bytes() - chunks.back().end) {
    Chunk chunk;
    chunk.memory = device.memory().allocate(kind, std::max(kChunkBytes, bytes));
    if (kind == MemoryKind::Device)
      chunk.data.resize(chunk.memory->bytes());
    chunks.push_back(std::move(chunk));
  }
  Chunk &chunk = chunks.back();
  Location location{chunk.memory.get(), chunk.end};
  chunk.end += bytes;
  return location;
}

void Scratch::set(const Location &where, const void *data, uint64_t bytes) {
  for (Chunk &chunk : chunks)
    if (chunk.memory.get() == where.allocation && bytes != 0)
      std::memcpy(chunk.data.data() + where.offset, data, bytes);
}

void Scratch::upload() {
  for (const Chunk &chunk : chunks)
    device.write(*chunk.memory, 0, chunk.data.data(), chunk.end);
}
