//===- Exp.h - exponentials and what is made of them ------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_LIB_MATH_KERNELS_EXP_H
#define NXV_LIB_MATH_KERNELS_EXP_H

#include "Basics.h"

namespace nxv::math::kernels {

/// x = k ln 2 + r + low, |r| <= ln 2 / 2.
template <typename F>
struct ExpArgument {
  F r, low;
  typename F::Int k;
};

template <typename F>
ExpArgument<F> reduceExp(F x) {
  using L = Format<F>;
  F t = x * 0x1.71547652b82fep+0 + L::kRound;
  F k = t - L::kRound;
  // The upper part of ln 2 is short enough for k times it to be exact.
  F hi = x - k * num<F>(0x1.62e4p-1, 0x1.62e42feep-1);
  F lo = k * num<F>(0x1.7f7d1cp-20, 0x1.a39ef35793c76p-33);
  F r = hi - lo;
  return {r, (hi - r) - lo, bitsOf(t) - L::kRoundBits};
}

/// Adds `low`, which may exceed r's last place, to the argument.
template <typename F>
ExpArgument<F> addLow(const ExpArgument<F> &a, F low) {
  Pair<F> sum = fastTwoSum(a.r, a.low + low);
  return {sum.hi, sum.lo, a.k};
}

/// e^r - 1 - r.
template <typename F>
F expTail(F r) {
  return (r * r) * poly(r, kExp32, kExp64);
}

/// Bounds beyond which exp is certain to overflow or to vanish.
template <typename F>
F clampExp(F x) {
  return max(min(x, num<F>(89, 710)), num<F>(-104, -746));
}

template <typename F>
F exp(F x) {
  ExpArgument<F> a = reduceExp(clampExp(x));
  return scale(1.0 + (a.r + expTail(a.r)), a.k);
}

/// e^(x.hi + x.lo), as exact as the two words allow.
template <typename F>
F expPair(Pair<F> x) {
  F clamped = clampExp(x.hi);
  ExpArgument<F> a = reduceExp(clamped);
  a = addLow(a, select(clamped == x.hi, x.lo, 0.0));
  return scale(1.0 + (a.r + (expTail(a.r) + a.low)), a.k);
}

template <typename F>
F exp2(F x) {
  using L = Format<F>;
  F clamped = max(min(x, num<F>(129, 1025)), num<F>(-151, -1076));
  F t = clamped + L::kRound;
  F f = clamped - (t - L::kRound);
  Pair<F> ln2 = {f.constant(num<F>(0x1.62e43p-1, 0x1.62e42fefa39efp-1)),
                 f.constant(num<F>(-0x1.05c61p-29, 0x1.abc9e3b39803fp-56))};
  F r = f * ln2.hi;
  F e = r + (expTail(r) + f * ln2.lo);
  return scale(1.0 + e, bitsOf(t) - L::kRoundBits);
}

/// 2^-k - 1 is added to r before the scaling by 2^k, which loses nothing.
template <typename F>
F expm1Sum(const ExpArgument<F> &a, typename F::Int k, F low) {
  F shift = 1.0 - powerOfTwo<F>(0 - k);
  return (a.r + shift) + (expTail(a.r) + low);
}

template <typename F>
F expm1(F x) {
  F clamped = max(min(x, num<F>(89, 710)), num<F>(-40, -60));
  ExpArgument<F> a = reduceExp(clamped);
  // 1 - 2^-k is 1 from here on, and 2^-k would leave the normal range.
  auto capped = select(a.k > 60, a.k.constant(60), a.k);
  F sum = expm1Sum(a, capped, a.low);
  F result = (sum + sum) * powerOfTwo<F>(a.k - 1);
  return select(x == 0.0, x, result);
}

/// 1 / (1 + t) = y + y * residual for t in [0, 1], y being an estimate.
template <typename F>
struct InverseOfOnePlus {
  F y, residual;

  explicit InverseOfOnePlus(F t)
      : y(1.0 / (1.0 + t)), residual((1.0 - y) - t * y) {}
};

/// With t = e^-|x|: 1 / (1 + t), times t for a negative x.
template <typename F>
F sigmoid(F x) {
  // Subnormal results are kept scaled up until the last multiplication.
  constexpr int shift = F::kIsDouble ? 54 : 25;
  constexpr double down = F::kIsDouble ? 0x1p-54 : 0x1p-25;
  F magnitude = min(abs(x), num<F>(104, 746));
  ExpArgument<F> a = reduceExp(-magnitude);
  Pair<F> power = fastTwoSum(x.constant(1), a.r + (expTail(a.r) + a.low));
  F scaled = power.hi * powerOfTwo<F>(a.k + shift);
  InverseOfOnePlus<F> inverse(scaled * down);
  auto positive = x >= 0.0;
  // What t lost by rounding: low / hi, nearly.
  F lost = select(positive, 0.0, power.lo * (2.0 - power.hi));
  F q = inverse.y + inverse.y * (inverse.residual + lost);
  return select(positive, q, (scaled * q) * down);
}

/// An odd polynomial near zero, then 1 - 2t / (1 + t) with t = e^-2|x|: there
/// the quotient is below a half, and so is the weight of its error.
template <typename F>
F tanh(F x) {
  F a = abs(x);
  F z = a * a;
  F small = a + a * z * poly(z, kTanh32, kTanh64);
  ExpArgument<F> e = reduceExp(min(a, num<F>(10, 22)) * -2.0);
  F t = (1.0 + (e.r + expTail(e.r))) * powerOfTwo<F>(e.k);
  InverseOfOnePlus<F> inverse(t);
  F q = inverse.y + inverse.y * inverse.residual;
  F large = 1.0 - (t + t) * q;
  return keepTiny(withSign(select(a < 0.625, small, large), x), x);
}

//===----------------------------------------------------------------------===//
// sinh and cosh
//===----------------------------------------------------------------------===//

/// With |x| = k ln 2 + r: sinh and cosh of r, and a quarter of 2^k and 2^-k.
template <typename F>
struct HyperbolicParts {
  F sinhHigh, sinhLow, coshTail, up, down;
};

template <typename F>
HyperbolicParts<F> hyperbolicParts(F x) {
  F z = min(abs(x), num<F>(89.5, 710.6));
  ExpArgument<F> a = reduceExp(z);
  F r2 = a.r * a.r;
  F sinhLow = a.r * r2 * poly(r2, kSinh32, kSinh64) + a.low;
  F coshTail = (0.5 * r2 + r2 * r2 * poly(r2, kCosh32, kCosh64)) + a.r * a.low;
  auto capped = select(a.k > 60, a.k.constant(60), a.k);
  F down = powerOfTwo<F>(-2 - capped);
  return {a.r, sinhLow, coshTail, powerOfTwo<F>(a.k - 2), down};
}

template <typename F>
F sinh(F x) {
  HyperbolicParts<F> p = hyperbolicParts(x);
  F sum = p.up + p.down, difference = p.up - p.down;
  Pair<F> main = fastTwoSum(difference, p.sinhHigh * sum);
  // For k = 0 the difference is zero, and the sum is a half.
  F rest = p.sinhLow * sum + p.coshTail * difference;
  F half = main.hi + (main.lo + rest);
  return keepTiny(withSign(half + half, x), x);
}

template <typename F>
F cosh(F x) {
  HyperbolicParts<F> p = hyperbolicParts(x);
  F sum = p.up + p.down, difference = p.up - p.down;
  Pair<F> main = fastTwoSum(sum, p.sinhHigh * difference);
  F rest = p.sinhLow * difference + p.coshTail * sum;
  F half = main.hi + (main.lo + rest);
  return half + half;
}

} // namespace nxv::math::kernels

#endif // NXV_LIB_MATH_KERNELS_EXP_H
