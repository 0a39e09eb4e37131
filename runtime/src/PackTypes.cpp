//===- PackTypes.cpp - sizes of element types and tensors -----------------===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Pack.h"

using namespace nxv::pack;

uint64_t nxv::pack::elementBytes(std::string_view type) {
  struct Entry {
    std::string_view name;
    uint64_t bytes;
  };
  static constexpr Entry table[] = {
      {"s2", 1},        {"s4", 1},  {"s8", 1},  {"s16", 2},     {"s32", 4},
      {"s64", 8},       {"u2", 1},  {"u4", 1},  {"u8", 1},      {"u16", 2},
      {"u32", 4},       {"u64", 8}, {"f8", 1},  {"f8_e5m2", 1}, {"bf16", 2},
      {"f8_e4m3fn", 1}, {"f16", 2}, {"f32", 4}, {"f64", 8},     {"c64", 8},
      {"c128", 16}};
  for (const Entry &entry : table)
    if (entry.name == type)
      return entry.bytes;
  return 0;
}

bool nxv::pack::tensorBytes(std::string_view type,
                            const std::vector<int64_t> &shape,
                            uint64_t &bytes) {
  uint64_t total = elementBytes(type);
  if (total == 0)
    return false;
  bool empty = false;
  bool overflow = false;
  for (int64_t size : shape) {
    if (size < 0)
      return false;
    empty |= size == 0;
    if (size != 0)
      overflow |= __builtin_mul_overflow(total, uint64_t(size), &total);
    overflow |= total > uint64_t(INT64_MAX);
    // An empty tensor may have any other sizes.
    if (overflow)
      total = 1;
  }
  bytes = empty ? 0 : total;
  return empty || !overflow;
}
