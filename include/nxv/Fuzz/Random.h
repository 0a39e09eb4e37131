//===- Random.h - numbers that a seed determines ----------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_FUZZ_RANDOM_H
#define NXV_FUZZ_RANDOM_H

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>

namespace nxv::fuzz {

/// SplitMix64: the same numbers everywhere.
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}

  uint64_t next() {
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  /// From `low` to `high`, both included.
  int64_t between(int64_t low, int64_t high) {
    return low + int64_t(next() % uint64_t(high - low + 1));
  }
  /// True once in `n` times.
  bool oneIn(uint64_t n) { return next() % n == 0; }
  bool chance(double probability) { return unit() < probability; }
  /// From 0 to 1, 1 excluded.
  double unit() { return double(next() >> 11) * 0x1p-53; }
  template <typename T>
  const T &pick(llvm::ArrayRef<T> values) {
    return values[next() % values.size()];
  }
  /// An index by its weight.
  size_t weighted(llvm::ArrayRef<double> weights);

private:
  uint64_t state;
};

} // namespace nxv::fuzz

#endif // NXV_FUZZ_RANDOM_H
