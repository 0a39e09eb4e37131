//===- Roots.h - roots of unity ---------------------------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_MATH_ROOTS_H
#define NXV_MATH_ROOTS_H

#include <cmath>
#include <complex>
#include <cstdint>

namespace nxv {

using WideComplex = std::complex<long double>;

/// e^(2 pi i k / n), or its conjugate for a forward transform. The angle is
/// taken from the nearest quarter turn, so that those are exact.
inline WideComplex rootOfUnity(int64_t k, int64_t n, bool inverse) {
  k = (k % n + n) % n;
  int64_t quarter = (8 * k + n) / (2 * n);
  long double angle = std::acos(-1.0L) / 2 * (4 * k - quarter * n) /
                      static_cast<long double>(n);
  WideComplex root(std::cos(angle), std::sin(angle));
  for (int64_t i = 0; i < quarter; ++i)
    root = WideComplex(-root.imag(), root.real());
  return inverse ? root : std::conj(root);
}

} // namespace nxv

#endif // NXV_MATH_ROOTS_H
