//===- Basics.h - building blocks of the kernels ----------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
// The kernels are templates over a value type F: a host number (Native.h) or
// MLIR operations to build (Emit.h). F has the arithmetic operators, the
// comparisons (which give an F::Mask), `select`, `bitsOf` and `floatOf`, and
// F::Int has those of integers of the same width.
//
// A device may compute a fused multiply-add as two roundings, and its division
// may be off by 2.5 units in the last place. So exact products come from split
// factors, and a quotient that matters is corrected by its residual.

#ifndef NXV_LIB_MATH_KERNELS_BASICS_H
#define NXV_LIB_MATH_KERNELS_BASICS_H

#include <cstddef>
#include <cstdint>
#include <limits>

namespace nxv::math::kernels {

#include "Coefficients.inc"

//===----------------------------------------------------------------------===//
// Operators with a constant on one side
//===----------------------------------------------------------------------===//

template <typename F, typename = typename F::Mask>
F operator+(F a, double b) {
  return a + a.constant(b);
}
template <typename F, typename = typename F::Mask>
F operator-(F a, double b) {
  return a - a.constant(b);
}
template <typename F, typename = typename F::Mask>
F operator*(F a, double b) {
  return a * a.constant(b);
}
template <typename F, typename = typename F::Mask>
F operator+(double a, F b) {
  return b.constant(a) + b;
}
template <typename F, typename = typename F::Mask>
F operator-(double a, F b) {
  return b.constant(a) - b;
}
template <typename F, typename = typename F::Mask>
F operator*(double a, F b) {
  return b.constant(a) * b;
}
template <typename F, typename = typename F::Mask>
F operator/(double a, F b) {
  return b.constant(a) / b;
}
template <typename F, typename M = typename F::Mask>
M operator<(F a, double b) {
  return a < a.constant(b);
}
template <typename F, typename M = typename F::Mask>
M operator>(F a, double b) {
  return a > a.constant(b);
}
template <typename F, typename M = typename F::Mask>
M operator<=(F a, double b) {
  return a <= a.constant(b);
}
template <typename F, typename M = typename F::Mask>
M operator>=(F a, double b) {
  return a >= a.constant(b);
}
template <typename F, typename M = typename F::Mask>
M operator==(F a, double b) {
  return a == a.constant(b);
}
template <typename M, typename F, typename = typename F::Mask>
F select(M mask, double a, F b) {
  return select(mask, b.constant(a), b);
}
template <typename M, typename F, typename = typename F::Mask>
F select(M mask, F a, double b) {
  return select(mask, a, a.constant(b));
}

template <typename I, typename = typename I::Float>
I operator+(I a, int64_t b) {
  return a + a.constant(b);
}
template <typename I, typename = typename I::Float>
I operator-(I a, int64_t b) {
  return a - a.constant(b);
}
template <typename I, typename = typename I::Float>
I operator-(int64_t a, I b) {
  return b.constant(a) - b;
}
template <typename I, typename = typename I::Float>
I operator*(I a, int64_t b) {
  return a * a.constant(b);
}
template <typename I, typename = typename I::Float>
I operator&(I a, int64_t b) {
  return a & a.constant(b);
}
template <typename I, typename = typename I::Float>
I operator|(I a, int64_t b) {
  return a | a.constant(b);
}
template <typename I, typename = typename I::Float>
I operator^(I a, int64_t b) {
  return a ^ a.constant(b);
}
template <typename I, typename = typename I::Float>
I shl(I a, int64_t b) {
  return shl(a, a.constant(b));
}
template <typename I, typename = typename I::Float>
I sar(I a, int64_t b) {
  return sar(a, a.constant(b));
}
template <typename I, typename = typename I::Float>
I shr(I a, int64_t b) {
  return shr(a, a.constant(b));
}
template <typename I, typename = typename I::Float>
auto operator==(I a, int64_t b) {
  return a == a.constant(b);
}
template <typename I, typename = typename I::Float>
auto operator!=(I a, int64_t b) {
  return a != a.constant(b);
}
template <typename I, typename = typename I::Float>
auto operator<(I a, int64_t b) {
  return a < a.constant(b);
}
template <typename I, typename = typename I::Float>
auto operator>(I a, int64_t b) {
  return a > a.constant(b);
}

//===----------------------------------------------------------------------===//
// Formats
//===----------------------------------------------------------------------===//

/// The format's numbers, as the kernels need them.
template <typename F>
struct Format {
  static constexpr bool kDouble = F::kIsDouble;
  static constexpr int kMantissa = kDouble ? 52 : 23;
  static constexpr int kWidth = kDouble ? 64 : 32;
  static constexpr int kBias = kDouble ? 1023 : 127;
  static constexpr int64_t kSign =
      kDouble ? std::numeric_limits<int64_t>::min() : -(int64_t(1) << 31);
  static constexpr int64_t kMantissaMask = (int64_t(1) << kMantissa) - 1;
  static constexpr int64_t kOne = int64_t(kBias) << kMantissa;
  static constexpr int64_t kInf = int64_t(2 * kBias + 1) << kMantissa;
  /// Subnormal numbers are brought to the normal range by this power of two: a
  /// multiple of six, for roots.
  static constexpr int kLift = kDouble ? 1020 : 126;
  /// Adding it rounds to an integer, which the low mantissa bits then hold.
  static constexpr double kRound = kDouble ? 0x1.8p52 : 0x1.8p23;
  static constexpr int64_t kRoundBits =
      (int64_t(kBias + kMantissa) << kMantissa) |
      (int64_t(1) << (kMantissa - 1));
};

/// The constant for F's type.
template <typename F>
constexpr double num(double single, double twice) {
  return F::kIsDouble ? twice : single;
}

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

//===----------------------------------------------------------------------===//
// Polynomials
//===----------------------------------------------------------------------===//

/// Horner's rule over coefficients `c[skip...]`.
template <typename F, size_t N>
F horner(F x, const double (&c)[N], size_t skip = 0) {
  F sum = x.constant(c[N - 1]);
  for (size_t i = N - 1; i-- > skip;)
    sum = sum * x + c[i];
  return sum;
}

template <typename F, size_t N, size_t M>
F poly(F x, const double (&c32)[N], const double (&c64)[M], size_t skip = 0) {
  if constexpr (F::kIsDouble)
    return horner(x, c64, skip);
  else
    return horner(x, c32, skip);
}

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

/// 2^k for an integer k of the normal range.
template <typename F>
F powerOfTwo(typename F::Int k) {
  using L = Format<F>;
  return floatOf(shl(k + L::kBias, L::kMantissa));
}

/// p * 2^k, where k may leave the normal range by as much again.
template <typename F>
F scale(F p, typename F::Int k) {
  auto half = sar(k, 1);
  return p * powerOfTwo<F>(half) * powerOfTwo<F>(k - half);
}

template <typename F>
typename F::Int signBit(F x) {
  return bitsOf(x) & Format<F>::kSign;
}

/// `magnitude`, which is not negative, with the sign of `x`.
template <typename F>
F withSign(F magnitude, F x) {
  return floatOf(bitsOf(magnitude) | signBit(x));
}

/// The sign of `x` is changed where `sign` has its top bit.
template <typename F>
F flipSign(F x, typename F::Int sign) {
  return floatOf(bitsOf(x) ^ sign);
}

template <typename F>
auto isNaN(F x) {
  return x != x;
}

// Comparisons of a device that flushes subnormal numbers take them for zeros;
// those of bits do not.

template <typename F>
auto isZero(F x) {
  return (bitsOf(x) & ~Format<F>::kSign) == 0;
}

/// Of -0 and NaNs with a sign too.
template <typename F>
auto hasSign(F x) {
  return bitsOf(x) < 0;
}

/// Whether x is a finite number above zero.
template <typename F>
auto isPositive(F x) {
  auto bits = bitsOf(x);
  return (bits > 0) & (bits < Format<F>::kInf);
}

/// A positive number as a normal one; `isLifted` where that is 2^kLift x.
template <typename F>
struct Lifted {
  F x;
  typename F::Mask isLifted;
};

/// No product can do this where subnormal operands are flushed: the bits become
/// the fraction of a number, the leading bit of which is taken away again.
template <typename F>
Lifted<F> lift(F x) {
  using L = Format<F>;
  constexpr int64_t leading = int64_t(L::kLift + 1) << L::kMantissa;
  auto bits = bitsOf(x);
  auto tiny = bits < (int64_t(1) << L::kMantissa);
  F fraction = floatOf(bits | leading) - floatOf(x.intConstant(leading));
  return {select(tiny, fraction, x), tiny};
}

/// `power`, and `lifted` less where x was lifted.
template <typename F>
typename F::Int unlift(const Lifted<F> &x, typename F::Int power,
                       int64_t lifted) {
  return power - select(x.isLifted, power.constant(lifted), power.constant(0));
}

/// `r`, which is f(x) of an odd f of slope one, or x itself where it is too
/// small to tell the two apart: arithmetic might flush it.
template <typename F>
F keepTiny(F r, F x) {
  return select(abs(x) < num<F>(0x1p-13, 0x1p-28), x, r);
}

template <typename F>
F min(F x, double bound) {
  return select(x > bound, bound, x);
}

template <typename F>
F max(F x, double bound) {
  return select(x < bound, bound, x);
}

//===----------------------------------------------------------------------===//
// Unevaluated sums
//===----------------------------------------------------------------------===//

/// hi + lo, where lo is at most about half a unit in the last place of hi.
template <typename F>
struct Pair {
  F hi, lo;
};

template <typename M, typename F>
Pair<F> select(M mask, Pair<F> a, Pair<F> b) {
  return {select(mask, a.hi, b.hi), select(mask, a.lo, b.lo)};
}

/// Needs |a| >= |b| or a == 0.
template <typename F>
Pair<F> fastTwoSum(F a, F b) {
  F s = a + b;
  return {s, b - (s - a)};
}

template <typename F>
Pair<F> twoSum(F a, F b) {
  F s = a + b;
  F t = s - a;
  return {s, (a - (s - t)) + (b - t)};
}

/// The upper half of the mantissa and the rest.
template <typename F>
Pair<F> split(F a) {
  F hi = floatOf(bitsOf(a) &
                 (F::kIsDouble ? ~int64_t(0x7ffffff) : ~int64_t(0xfff)));
  return {hi, a - hi};
}

template <typename F>
Pair<F> twoProduct(F a, F b) {
  Pair<F> x = split(a), y = split(b);
  F p = a * b;
  F e = ((x.hi * y.hi - p) + x.hi * y.lo + x.lo * y.hi) + x.lo * y.lo;
  return {p, e};
}

template <typename F>
Pair<F> twoSquare(F a) {
  Pair<F> x = split(a);
  F p = a * a;
  F cross = x.hi * x.lo;
  return {p, ((x.hi * x.hi - p) + (cross + cross)) + x.lo * x.lo};
}

template <typename F>
Pair<F> addPair(Pair<F> a, Pair<F> b) {
  Pair<F> s = twoSum(a.hi, b.hi);
  return fastTwoSum(s.hi, s.lo + (a.lo + b.lo));
}

template <typename F>
Pair<F> mulPair(Pair<F> a, Pair<F> b) {
  Pair<F> p = twoProduct(a.hi, b.hi);
  return fastTwoSum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

template <typename F>
Pair<F> mulPair(Pair<F> a, F b) {
  Pair<F> p = twoProduct(a.hi, b);
  return fastTwoSum(p.hi, p.lo + a.lo * b);
}

/// n / d; the device's division only estimates.
template <typename F>
Pair<F> divPair(Pair<F> n, Pair<F> d) {
  F inverse = 1.0 / d.hi;
  F q = n.hi * inverse;
  Pair<F> p = twoProduct(q, d.hi);
  F residual = (((n.hi - p.hi) - p.lo) + n.lo) - q * d.lo;
  return fastTwoSum(q, residual * inverse);
}

/// sqrt(a) for hi in [2^-100, 2^100] or zero.
template <typename F>
Pair<F> sqrtPair(Pair<F> a) {
  F y = rsqrtEstimate(a.hi);
  if constexpr (F::kIsDouble)
    y = y * (1.5 - (0.5 * a.hi) * y * y);
  y = select(a.hi == 0.0, 0.0, y);
  F s = a.hi * y;
  Pair<F> p = twoSquare(s);
  F residual = ((a.hi - p.hi) - p.lo) + a.lo;
  return fastTwoSum(s, residual * (0.5 * y));
}

} // namespace nxv::math::kernels

#endif // NXV_LIB_MATH_KERNELS_BASICS_H
