//===- Points.cpp - where functions are measured --------------------------===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Points.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace nxv::ulp {
namespace {

uint64_t maskOf(const Format &format) {
  return format.bits == 64 ? ~uint64_t(0) : (uint64_t(1) << format.bits) - 1;
}

Chunk unary(uint64_t base, uint64_t stride) {
  return Chunk{{Sequence{base, stride, 0}, Sequence{}}};
}

/// Adds the unary chunks of one function.
class UnaryPlan {
public:
  UnaryPlan(const Format &format, uint64_t chunkSize, uint64_t seed)
      : format(format), size(chunkSize), random(seed) {}

  /// `count` chunks of equal steps over patterns [low, high], which have equal
  /// shares of the chunks.
  void sweep(uint64_t low, uint64_t high, uint64_t count) {
    uint64_t share = std::max<uint64_t>((high - low) / count, 1);
    uint64_t stride = std::max<uint64_t>(share / size, 1);
    for (uint64_t i = 0; i < count; ++i)
      chunks.push_back(unary(low + i * share + random() % stride, stride));
  }

  /// The patterns next to that of `x`, and chunks from it away on both sides,
  /// each of which goes four times as far as the one before.
  void spot(double x) {
    uint64_t pattern = format.encode(x);
    chunks.push_back(unary(pattern - size / 2, 1));
    uint64_t far = uint64_t(1) << (format.digits - 1);
    for (uint64_t begin = size / 2; begin < far; begin *= 4) {
      uint64_t stride = std::max<uint64_t>(3 * begin / size, 1);
      uint64_t phase = random() % stride;
      chunks.push_back(unary(pattern + begin + phase, stride));
      chunks.push_back(unary(pattern - 4 * begin - phase, stride));
    }
  }

  const Format &format;
  uint64_t size;
  std::mt19937_64 random;
  std::vector<Chunk> chunks;
};

} // namespace

std::vector<Chunk> everyPattern(const Format &format, uint64_t chunkSize) {
  std::vector<Chunk> chunks;
  for (uint64_t base = 0; base <= maskOf(format); base += chunkSize)
    chunks.push_back(unary(base, 1));
  return chunks;
}

std::vector<Chunk> unaryPoints(const Format &format, const Function &function,
                               uint64_t chunkSize, uint64_t points,
                               uint64_t seed) {
  UnaryPlan plan(format, chunkSize, seed);
  uint64_t count = std::max<uint64_t>(points / chunkSize, 8);
  std::vector<double> signs = {1.0};
  if (function.isMirrored)
    signs.push_back(-1.0);
  // A quarter goes to all patterns.
  uint64_t share = count - count / 4;
  share =
      std::max<uint64_t>(share / (function.ranges.size() * signs.size()), 1);
  plan.sweep(0, maskOf(format), std::max<uint64_t>(count / 4, 1));
  for (double sign : signs) {
    for (const Range &range : function.ranges) {
      uint64_t a = format.encode(sign * range.low);
      uint64_t b = format.encode(sign * range.high);
      plan.sweep(std::min(a, b), std::max(a, b), share);
    }
    for (double spot : function.spots)
      plan.spot(sign * spot);
  }
  return plan.chunks;
}

std::vector<Chunk> around(const Format &format, double x, uint64_t chunkSize) {
  uint64_t pattern = format.encode(x);
  std::vector<Chunk> chunks;
  for (uint64_t stride : {1, 37, 1009}) {
    uint64_t half = chunkSize / 2 * stride;
    chunks.push_back(unary(pattern - half, stride));
  }
  return chunks;
}

//===----------------------------------------------------------------------===//
// Pairs
//===----------------------------------------------------------------------===//

namespace {

/// Adds the chunks of one function of two operands.
class BinaryPlan {
public:
  BinaryPlan(const Format &format, uint64_t chunkSize, uint64_t seed)
      : format(format), size(chunkSize), random(seed) {}

  /// Patterns of [low, high], in an order without a pattern.
  Sequence between(double low, double high) {
    uint64_t a = format.encode(low), b = format.encode(high);
    uint64_t base = std::min(a, b), span = std::max(a, b) - base + 1;
    return {base, random() | 1, span};
  }
  Sequence anything() { return {random() & maskOf(format), random() | 1, 0}; }
  /// The integers of [2^e, 2^(e+1)), with a sign.
  Sequence integers(double sign, int e) {
    int stored = format.digits - 1;
    uint64_t unit = uint64_t(1) << (stored - e);
    return {format.encode(std::ldexp(sign, e)), unit, uint64_t(1) << stored};
  }
  /// `span` patterns around x.
  Sequence near(double x, uint64_t span) {
    return {format.encode(x) - span / 2, 1, span};
  }
  void add(Sequence x, Sequence y) { chunks.push_back(Chunk{{x, y}}); }

  /// For chunks of 2^16 points: as 256 and 255 have no common divisor, all
  /// pairs of a pattern and of another but the last, and then but the first.
  void everyPair() {
    for (uint64_t first : {0, 1})
      add(Sequence{0, 1, 256}, Sequence{first, 1, 255});
  }

  /// The surroundings of every pair of special numbers.
  void specials();
  void pow();
  void atan2();
  void quotients();

  const Format &format;
  uint64_t size;
  std::mt19937_64 random;
  std::vector<Chunk> chunks;
};

} // namespace

/// Squares of patterns: of two sides that differ by one, all pairs come up.
void BinaryPlan::specials() {
  uint64_t side = 2;
  while (4 * side * side <= size)
    side *= 2;
  int top = format.maxExponent;
  std::vector<double> numbers = {0,
                                 0.5,
                                 1,
                                 2,
                                 3,
                                 std::ldexp(1.0, format.digits - 1),
                                 std::ldexp(1.0, format.digits),
                                 format.leastNormal(),
                                 std::ldexp(1.0, top),
                                 std::numeric_limits<double>::infinity()};
  for (size_t i = 0, count = numbers.size(); i < count; ++i)
    numbers.push_back(-numbers[i]);
  for (double x : numbers)
    for (double y : numbers)
      add(near(x, side), near(y, side - 1));
}

/// Bases at every distance from one, with exponents that bring the result to
/// the ends of the format; any bases with moderate exponents; negative bases.
void BinaryPlan::pow() {
  int digits = format.digits, top = format.maxExponent;
  double least = format.leastNormal(), largest = std::ldexp(1.0, top);
  for (double sign : {1.0, -1.0}) {
    for (int k = 1; k < digits; ++k) {
      double low = std::ldexp(1.0, -k), high = 2 * low;
      double most = std::min(std::ldexp(1.5 * (top + digits), k), largest);
      Sequence y = between(sign * std::ldexp(1.0, k - 3), sign * most);
      add(between(1 + low, 1 + high), y);
      if (high < 1)
        add(between(1 - high, 1 - low), y);
    }
    Sequence moderate = between(sign * std::ldexp(1.0, -digits), sign * top);
    for (int i = 0; i < 8; ++i) {
      add(between(least, largest), moderate);
      add(between(0.25, 4.0), between(sign, sign * top));
      add(between(0.5, 2.0), between(sign * top / 2, sign * 2 * top));
    }
    for (int e = 0; e < digits - 1; ++e)
      add(between(-largest, -least), integers(sign, e));
    add(between(sign * std::ldexp(1.0, -1), sign * 2), anything());
    add(anything(), between(sign * 0.25, sign * 64));
  }
  add(anything(), anything());
}

/// All ratios, and those where the expansion changes its method.
void BinaryPlan::atan2() {
  int digits = format.digits;
  for (double sx : {1.0, -1.0})
    for (double sy : {1.0, -1.0}) {
      for (int k = -digits - 2; k <= digits + 2; ++k)
        add(between(sy * std::ldexp(1.0, -k), sy * std::ldexp(2.0, -k)),
            between(sx, sx * 2));
      for (double ratio : {0.41421354, 1.0, 2.4142137})
        for (double width : {0x1p-3, 0x1p-8, 0x1p-16})
          add(between(sy * ratio * (1 - width), sy * ratio * (1 + width)),
              between(sx * (1 - width), sx * (1 + width)));
    }
  for (int i = 0; i < 8; ++i)
    add(anything(), anything());
}

/// Quotients of every size.
void BinaryPlan::quotients() {
  int digits = format.digits;
  for (double sign : {1.0, -1.0})
    for (int k = -digits - 2; k <= digits + 2; ++k)
      add(between(std::ldexp(1.0, k), std::ldexp(2.0, k)),
          between(sign, sign * 2));
  for (int i = 0; i < 16; ++i)
    add(anything(), anything());
}

std::vector<Chunk> binaryPoints(const Format &format, const Function &function,
                                uint64_t chunkSize, uint64_t points,
                                uint64_t seed) {
  BinaryPlan plan(format, chunkSize, seed);
  std::string name = function.name;
  if (format.bits == 8) {
    plan.everyPair();
    return plan.chunks;
  }
  plan.specials();
  size_t fixed = plan.chunks.size();
  do {
    if (name == "pow")
      plan.pow();
    else if (name == "atan2")
      plan.atan2();
    else
      plan.quotients();
  } while ((plan.chunks.size() - fixed) * chunkSize < points);
  return plan.chunks;
}

} // namespace nxv::ulp
