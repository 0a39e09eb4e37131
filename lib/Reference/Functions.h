//===- Functions.h - mathematical functions ---------------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
// Those that the C++ library lacks, for float, double and long double.

#ifndef NXV_LIB_REFERENCE_FUNCTIONS_H
#define NXV_LIB_REFERENCE_FUNCTIONS_H

#include <cmath>
#include <complex>
#include <limits>

namespace nxv::reference {

/// Written so that exp never overflows into an inaccurate quotient.
template <typename T>
T sigmoid(T x) {
  if (x >= 0)
    return T(1) / (T(1) + std::exp(-x));
  T e = std::exp(x);
  return e / (T(1) + e);
}

template <typename T>
std::complex<T> sigmoid(std::complex<T> z) {
  return T(1) / (T(1) + std::exp(-z));
}

template <typename T>
T rsqrt(T x) {
  return T(1) / std::sqrt(x);
}

template <typename T>
std::complex<T> rsqrt(std::complex<T> z) {
  return T(1) / std::sqrt(z);
}

/// The principal root.
template <typename T>
std::complex<T> cbrt(std::complex<T> z) {
  if (z == T(0))
    return z;
  return std::polar(std::cbrt(std::abs(z)), std::arg(z) / T(3));
}

/// e^(x+iy) - 1 = (expm1(x) cos y - 2 sin^2(y/2)) + i e^x sin y.
template <typename T>
std::complex<T> expm1(std::complex<T> z) {
  T half = std::sin(z.imag() / 2);
  return {std::expm1(z.real()) * std::cos(z.imag()) - 2 * half * half,
          std::exp(z.real()) * std::sin(z.imag())};
}

/// log|1+z| = log1p(x(2+x) + y^2) / 2, unless the square would overflow.
template <typename T>
std::complex<T> log1p(std::complex<T> z) {
  T x = z.real(), y = z.imag();
  if (std::abs(z) > T(0.5))
    return std::log(T(1) + z);
  return {std::log1p(x * (2 + x) + y * y) / 2, std::atan2(y, 1 + x)};
}

template <typename T>
std::complex<T> pow(std::complex<T> base, std::complex<T> exponent) {
  if (exponent == T(0))
    return T(1);
  if (base == T(0) && exponent.real() > 0)
    return T(0);
  return std::pow(base, exponent);
}

/// Newton's method on erfc, where the tail is exact: erf(x) = y.
template <typename T>
T erfInv(T y) {
  if (!(std::fabs(y) < 1))
    return std::fabs(y) == 1
               ? std::copysign(std::numeric_limits<T>::infinity(), y)
               : std::numeric_limits<T>::quiet_NaN();
  if (y == 0)
    return y;
  const T halfSqrtPi = std::sqrt(std::acos(T(-1))) / 2;
  T target = 1 - std::fabs(y);
  // Winitzki's approximation is within 1 % everywhere.
  T l = std::log(target * (1 + std::fabs(y))), a = T(0.147);
  T b = 1 / (halfSqrtPi * halfSqrtPi * 2 * a) + l / 2;
  T x = std::sqrt(std::sqrt(b * b - l / a) - b);
  for (int step = 0; step < 8; ++step) {
    T error = std::fabs(y) < T(0.5) ? std::erf(x) - std::fabs(y)
                                    : target - std::erfc(x);
    T ratio = error * halfSqrtPi * std::exp(x * x);
    x -= ratio / (1 + x * ratio); // Halley's correction
  }
  return std::copysign(x, y);
}

} // namespace nxv::reference

#endif // NXV_LIB_REFERENCE_FUNCTIONS_H
