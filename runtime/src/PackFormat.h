//===- PackFormat.h - what the reader and the writer share ------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_RUNTIME_PACKFORMAT_H
#define NXV_RUNTIME_PACKFORMAT_H

#include "Pack.h"

#define XXH_INLINE_ALL
#include <nlohmann/json.hpp>
#include <xxhash.h>

namespace nxv::pack {

constexpr char kMagic[8] = {'N', 'X', 'V', 'P', 'A', 'C', 'K', 0};
constexpr uint32_t kVersion = 1;
constexpr uint64_t kFixedHeaderBytes = 32;
constexpr uint64_t kBlobAlignment = 64;

inline uint64_t alignTo(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

inline uint64_t hashBytes(const void *data, size_t size) {
  return XXH3_64bits(data, size);
}

inline std::string hashText(uint64_t hash) {
  static const char digits[] = "0123456789abcdef";
  std::string text(16, '0');
  for (int i = 15; i >= 0; --i, hash >>= 4)
    text[i] = digits[hash & 15];
  return text;
}

inline const char *bufferKindName(BufferKind kind) {
  static const char *const names[] = {"input", "output", "constant", "arena"};
  return names[unsigned(kind)];
}

inline const char *opKindName(OpKind kind) {
  static const char *const names[] = {"dispatch", "barrier", "copy", "fill",
                                      "while",    "repeat",  "if",   "tap"};
  static_assert(sizeof(names) / sizeof(names[0]) == kNumOpKinds, "a name each");
  return names[unsigned(kind)];
}

} // namespace nxv::pack

#endif // NXV_RUNTIME_PACKFORMAT_H
