//===- Log.h - logarithms and powers ----------------------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_LIB_MATH_KERNELS_LOG_H
#define NXV_LIB_MATH_KERNELS_LOG_H

#include "Exp.h"

namespace nxv::math::kernels {

/// x = 2^k (1 + f), 1 + f in [sqrt(1/2), sqrt(2)].
template <typename F>
struct LogArgument {
  F f, k;
  typename F::Int exponent;
};

/// For normal, positive x.
template <typename F>
LogArgument<F> reduceLog(F x) {
  using L = Format<F>;
  constexpr int64_t root =
      L::kDouble ? 0x3fe6a09e667f3bcd : int64_t(0x3f3504f3);
  auto i = bitsOf(x) + (L::kOne - root);
  auto k = sar(i, L::kMantissa) - L::kBias;
  F m = floatOf((i & L::kMantissaMask) + root);
  return {m - 1.0, toFloat(k), k};
}

/// The same for any positive x.
template <typename F>
LogArgument<F> reduceLogAny(F x) {
  constexpr int up = Format<F>::kLift;
  Lifted<F> lifted = lift(x);
  LogArgument<F> a = reduceLog(lifted.x);
  a.k = a.k - select(lifted.isLifted, up, a.k.constant(0));
  return a;
}

/// log(1 + f) = f - (half f^2 - tail).
template <typename F>
F logTail(F f, F halfSquare) {
  if constexpr (F::kIsDouble) {
    F s = f / (2.0 + f);
    F z = s * s;
    return s * (halfSquare + z * horner(z, kAtanh));
  } else {
    return (f * f * f) * horner(f, kLog);
  }
}

/// k ln 2 + log(1 + f) + low.
template <typename F>
Pair<F> logSum(F f, F k, F low) {
  F halfSquare = (0.5 * f) * f;
  F tail = logTail(f, halfSquare);
  F lo = k * num<F>(0x1.7f7d1cp-20, 0x1.a39ef35793c76p-33) + low;
  F hi = k * num<F>(0x1.62e4p-1, 0x1.62e42feep-1);
  return {hi, f - (halfSquare - (tail + lo))};
}

/// Puts in the logarithm's special values: x is its argument.
template <typename F>
F finishLog(F result, F x) {
  F r = select(x < kInfinity, result, x);
  r = select(hasSign(x), kNaN, r);
  return select(isZero(x), -kInfinity, r);
}

template <typename F>
F log(F x) {
  LogArgument<F> a = reduceLogAny(x);
  Pair<F> sum = logSum(a.f, a.k, x.constant(0));
  return finishLog(sum.hi + sum.lo, x);
}

/// log(1 + x.hi + x.lo) for a sum within the normal range.
template <typename F>
Pair<F> log1pWords(Pair<F> x) {
  F one = x.hi.constant(1);
  Pair<F> sum = twoSum(one, x.hi);
  Pair<F> u = fastTwoSum(sum.hi, sum.lo + x.lo);
  LogArgument<F> a = reduceLog(u.hi);
  // The scaled rounding error of 1 + x: tiny, and none where x is huge.
  auto shift = select(a.exponent > 60, a.exponent.constant(60), a.exponent);
  F inverse = 1.0 / (1.0 + a.f);
  F low = (u.lo * powerOfTwo<F>(0 - shift)) * (1.0 - a.f * inverse);
  Pair<F> log = logSum(a.f, a.k, low);
  return fastTwoSum(log.hi, log.lo);
}

template <typename F>
F log1pPair(Pair<F> x) {
  return log1pWords(x).hi;
}

template <typename F>
F log1p(F x) {
  F r = log1pPair(Pair<F>{x, x.constant(0)});
  r = select(abs(x) < num<F>(0x1p-30, 0x1p-60), x, r);
  r = select(x < kInfinity, r, x);
  r = select(x == -1.0, -kInfinity, r);
  return select(x < -1.0, kNaN, r);
}

/// log(1 + f) in two words, f as from reduceLog.
template <typename F>
Pair<F> logPairOf(F f) {
  F halfSquare = (0.5 * f) * f;
  Pair<F> main = fastTwoSum(f, -halfSquare);
  return fastTwoSum(main.hi, main.lo + logTail(f, halfSquare));
}

template <typename F>
F log2(F x) {
  LogArgument<F> a = reduceLogAny(x);
  Pair<F> scaleBy = {x.constant(num<F>(0x1.715476p+0, 0x1.71547652b82fep+0)),
                     x.constant(num<F>(0x1.4ae0cp-26, 0x1.777d0ffda0d24p-56))};
  Pair<F> p = mulPair(logPairOf(a.f), scaleBy);
  Pair<F> sum = fastTwoSum(a.k, p.hi);
  return finishLog(sum.hi + (sum.lo + p.lo), x);
}

template <typename F>
F log10(F x) {
  LogArgument<F> a = reduceLogAny(x);
  Pair<F> scaleBy = {
      x.constant(num<F>(0x1.bcb7b2p-2, 0x1.bcb7b1526e50ep-2)),
      x.constant(num<F>(-0x1.5b235ep-27, 0x1.95355baaafad3p-57))};
  Pair<F> log2Of10 = {
      x.constant(num<F>(0x1.344136p-2, 0x1.34413509f79ffp-2)),
      x.constant(num<F>(-0x1.ec10cp-27, -0x1.9dc1da994fd21p-59))};
  Pair<F> sum =
      addPair(mulPair(log2Of10, a.k), mulPair(logPairOf(a.f), scaleBy));
  return finishLog(sum.hi + sum.lo, x);
}

//===----------------------------------------------------------------------===//
// Powers
//===----------------------------------------------------------------------===//

/// log x for normal or subnormal x > 0, with about ten bits to spare.
template <typename F>
Pair<F> logPair(F x) {
  LogArgument<F> a = reduceLogAny(x);
  Pair<F> f = {a.f, x.constant(0)};
  Pair<F> s = divPair(f, fastTwoSum(x.constant(2), a.f));
  Pair<F> z = mulPair(s, s);
  Pair<F> third = {x.constant(num<F>(0x1.555556p-2, 0x1.5555555555555p-2)),
                   x.constant(num<F>(-0x1.555556p-27, 0x1.5555555555555p-56))};
  Pair<F> t = mulPair(z, third);
  F tail = z.hi * z.hi * poly(z.hi, kPow32, kPow64);
  Pair<F> p = mulPair(s, fastTwoSum(t.hi, t.lo + tail));
  Pair<F> sum = fastTwoSum(s.hi, p.hi);
  F low = sum.lo + (s.lo + p.lo);
  Pair<F> k = {a.k * num<F>(0x1.62e4p-1, 0x1.62e42feep-1),
               a.k * num<F>(0x1.7f7d1cp-20, 0x1.a39ef35793c76p-33)};
  return addPair(k, Pair<F>{sum.hi + sum.hi, low + low});
}

/// |x|^y, but for a NaN x.
template <typename F>
F powMagnitude(F ax, F y) {
  constexpr double bound = F::kIsDouble ? 0x1p70 : 0x1p40;
  F exponent = max(min(y, bound), -bound);
  F result = expPair(mulPair(logPair(ax), exponent));
  F zero = y.constant(0), infinity = y.constant(kInfinity);
  auto negative = hasSign(y);
  result = select(isZero(ax), select(negative, infinity, zero), result);
  F atInfinity = select(negative, zero, infinity);
  return select(ax == kInfinity, select(isNaN(y), y, atInfinity), result);
}

template <typename F>
F pow(F x, F y) {
  F result = powMagnitude(abs(x), y);
  result = select(isNaN(x), x, select(isNaN(y), y, result));
  F half = floor(y * 0.5);
  auto integer = floor(y) == y;
  auto odd = integer & ((half + half) != y);
  result = select(odd, flipSign(result, signBit(x)), result);
  auto negative = hasSign(x) & isPositive(abs(x));
  result = select(negative & ((!integer) & (y == y)), kNaN, result);
  return select((x == 1.0) | isZero(y), 1.0, result);
}

} // namespace nxv::math::kernels

#endif // NXV_LIB_MATH_KERNELS_LOG_H
