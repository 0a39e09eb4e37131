//===- Formats.h - the number formats that are measured ---------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_BENCH_ULP_FORMATS_H
#define NXV_BENCH_ULP_FORMATS_H

#include <cstdint>
#include <string>
#include <vector>

namespace nxv::ulp {

/// A binary floating-point format; all its numbers are numbers of f64.
struct Format {
  const char *name;
  int bits;
  int digits; ///< of the significand, the implicit one included
  int minExponent, maxExponent;
  bool hasInfinity;

  double leastNormal() const;
  double largest() const;
  /// The number of a bit pattern.
  double decode(uint64_t pattern) const;
  /// The pattern of a number that the format has.
  uint64_t encode(double number) const;
};

/// Null where there is no format of that name.
const Format *findFormat(const std::string &name);

/// decode() of every pattern of a format of up to 16 bits.
std::vector<double> decodeAll(const Format &format);

} // namespace nxv::ulp

#endif // NXV_BENCH_ULP_FORMATS_H
