//===- Points.h - where functions are measured ------------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
// Arguments are never uploaded: a chunk is a few numbers that the device makes
// bit patterns of. Patterns of one sign are in the order of their numbers, so
// equal steps between them are dense near zero and even within a power of two.

#ifndef NXV_BENCH_ULP_POINTS_H
#define NXV_BENCH_ULP_POINTS_H

#include "Formats.h"
#include "Functions.h"

#include <array>

namespace nxv::ulp {

/// The patterns of an operand, for i from 0 on: base + (i * factor) % span,
/// where a span of 0 does nothing. All is unsigned and wraps, in 64 bits for
/// f64 and in 32 bits for all others, of which narrow types take the low bits.
struct Sequence {
  uint64_t base = 0, factor = 0, span = 0;

  uint64_t at(uint64_t i, uint64_t mask) const {
    uint64_t step = (i * factor) & mask;
    return (base + (span ? step % span : step)) & mask;
  }
};

/// One run of a pack. A unary function has one operand, and no span.
struct Chunk {
  std::array<Sequence, 2> operands;
};

/// Every pattern.
std::vector<Chunk> everyPattern(const Format &format, uint64_t chunkSize);

/// Sweeps over the ranges and over all patterns, about `points` in all, and the
/// surroundings of every spot: the next patterns, and all distances.
std::vector<Chunk> unaryPoints(const Format &format, const Function &function,
                               uint64_t chunkSize, uint64_t points,
                               uint64_t seed);

/// Around an argument that was bad: the next patterns, and wider ones.
std::vector<Chunk> around(const Format &format, double x, uint64_t chunkSize);

/// All pairs of a format of 8 bits; of others boxes that suit the function, any
/// pairs, and the surroundings of every pair of special numbers.
std::vector<Chunk> binaryPoints(const Format &format, const Function &function,
                                uint64_t chunkSize, uint64_t points,
                                uint64_t seed);

} // namespace nxv::ulp

#endif // NXV_BENCH_ULP_POINTS_H
