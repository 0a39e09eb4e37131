//===- Formats.cpp - the number formats that are measured -----------------===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Formats.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace nxv::ulp {

static const Format kFormats[] = {
    {"f64", 64, 53, -1022, 1023, true}, {"f32", 32, 24, -126, 127, true},
    {"f16", 16, 11, -14, 15, true},     {"bf16", 16, 8, -126, 127, true},
    {"f8_e5m2", 8, 3, -14, 15, true},   {"f8_e4m3fn", 8, 4, -6, 8, false},
};

const Format *findFormat(const std::string &name) {
  for (const Format &format : kFormats)
    if (name == format.name)
      return &format;
  return nullptr;
}

double Format::leastNormal() const { return std::ldexp(1.0, minExponent); }

/// The significand of all ones is a NaN where there is no infinity.
double Format::largest() const {
  double ulp = std::ldexp(1.0, 1 - digits);
  return std::ldexp(2 - ulp * (hasInfinity ? 1 : 2), maxExponent);
}

double Format::decode(uint64_t pattern) const {
  if (bits == 64) {
    double number;
    std::memcpy(&number, &pattern, sizeof(number));
    return number;
  }
  int stored = digits - 1;
  uint64_t magnitude = pattern & ((uint64_t(1) << (bits - 1)) - 1);
  uint64_t fraction = magnitude & ((uint64_t(1) << stored) - 1);
  int field = static_cast<int>(magnitude >> stored);
  int top = (1 << (bits - digits)) - 1;
  double number;
  if (hasInfinity && field == top)
    number = fraction ? std::numeric_limits<double>::quiet_NaN()
                      : std::numeric_limits<double>::infinity();
  else if (!hasInfinity && magnitude == (uint64_t(1) << (bits - 1)) - 1)
    number = std::numeric_limits<double>::quiet_NaN();
  else if (field == 0)
    number = std::ldexp(static_cast<double>(fraction), minExponent - stored);
  else
    number = std::ldexp(static_cast<double>(fraction | (uint64_t(1) << stored)),
                        field - 1 + minExponent - stored);
  return pattern >> (bits - 1) & 1 ? -number : number;
}

uint64_t Format::encode(double number) const {
  if (bits == 64) {
    uint64_t pattern;
    std::memcpy(&pattern, &number, sizeof(pattern));
    return pattern;
  }
  // Patterns of one sign are in the order of their numbers.
  uint64_t low = 0, high = (uint64_t(1) << (bits - 1)) - 1;
  double magnitude = std::fabs(number);
  while (low < high) {
    uint64_t middle = (low + high + 1) / 2;
    if (decode(middle) <= magnitude)
      low = middle;
    else
      high = middle - 1;
  }
  return low | (std::signbit(number) ? uint64_t(1) << (bits - 1) : 0);
}

std::vector<double> decodeAll(const Format &format) {
  std::vector<double> numbers(size_t(1) << format.bits);
  for (size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = format.decode(i);
  return numbers;
}

} // namespace nxv::ulp
