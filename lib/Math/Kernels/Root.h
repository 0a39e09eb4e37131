//===- Root.h - roots, error functions, inverse hyperbolics -----*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_LIB_MATH_KERNELS_ROOT_H
#define NXV_LIB_MATH_KERNELS_ROOT_H

#include "Log.h"

namespace nxv::math::kernels {

//===----------------------------------------------------------------------===//
// Roots
//===----------------------------------------------------------------------===//

/// x = 4^half m, m in [1, 4).
template <typename F>
struct RootArgument {
  F m;
  typename F::Int shift; // half, at the exponent's place
};

/// For positive x.
template <typename F>
RootArgument<F> reduceRoot(F x) {
  using L = Format<F>;
  Lifted<F> lifted = lift(x);
  auto i = bitsOf(lifted.x);
  auto half = sar(sar(i, L::kMantissa) - L::kBias, 1);
  F m = floatOf(i - shl(half, L::kMantissa + 1));
  return {m, shl(unlift(lifted, half, L::kLift / 2), L::kMantissa)};
}

/// 1 / sqrt(m), m in [1, 4), to 20 bits of f32 or 40 bits of f64.
template <typename F>
F rsqrtStart(F m) {
  F y = rsqrtEstimate(m);
  if constexpr (F::kIsDouble)
    y = y * (1.5 - (0.5 * m) * y * y);
  return y;
}

template <typename F>
F sqrt(F x) {
  RootArgument<F> a = reduceRoot(x);
  F y = rsqrtStart(a.m);
  F s = a.m * y;
  Pair<F> p = twoSquare(s);
  F residual = (a.m - p.hi) - p.lo;
  F r = floatOf(bitsOf(s + residual * (0.5 * y)) + a.shift);
  r = select(isPositive(x), r, x);
  return select(hasSign(x) & !isZero(x), kNaN, r);
}

template <typename F>
F rsqrt(F x) {
  RootArgument<F> a = reduceRoot(x);
  F y = rsqrtStart(a.m);
  F residual = 1.0 - (a.m * y) * y;
  F r = floatOf(bitsOf(y + residual * (0.5 * y)) - a.shift);
  r = select(isPositive(x), r, kNaN);
  r = select(x == kInfinity, 0.0, r);
  return select(isZero(x), floatOf(signBit(x) | Format<F>::kInf), r);
}

template <typename F>
F cbrt(F x) {
  using L = Format<F>;
  F a = abs(x);
  Lifted<F> lifted = lift(a);
  auto i = bitsOf(lifted.x);
  // floor(e / 3) by a multiplication, for e + 3072 in [0, 5000).
  auto e = shr(i, L::kMantissa) - L::kBias;
  auto third = shr((e + 3072) * 43691, 17) - 1024;
  auto rest = e - third * 3;
  F m = floatOf((i & L::kMantissaMask) | L::kOne);
  F y = horner(m, F::kIsDouble ? kCbrt64 : kCbrt32);
  y = y * select(rest == 0, 1.0,
                 select(rest == 1, 0x1.965feap-1,
                        x.constant(0x1.428a2f98d728bp-1)));
  F n = floatOf(bitsOf(m) + shl(rest, L::kMantissa));
  for (int step = 0; step < (L::kDouble ? 2 : 1); ++step) {
    F error = 1.0 - n * y * y * y;
    y = y + y * error * (0x1.5555555555555p-2 + 0x1.c71c71c71c71cp-3 * error);
  }
  F square = y * y;
  F c = n * square;
  Pair<F> cube = mulPair(twoSquare(c), c);
  F residual = (n - cube.hi) - cube.lo;
  F root = c + residual * (square * 0x1.5555555555555p-2);
  auto power = unlift(lifted, third, L::kLift / 3);
  F r = floatOf(bitsOf(root) + shl(power, L::kMantissa));
  return select(isPositive(a), withSign(r, x), x);
}

//===----------------------------------------------------------------------===//
// Error functions
//===----------------------------------------------------------------------===//

template <typename F>
F erf(F x) {
  F a = abs(x);
  // No sum of products: a small one may be flushed where x is not.
  F small = x * (1.0 + poly(x * x, kErf32, kErf64));
  F bounded = min(a, num<F>(4, 6));
  F q;
  if constexpr (F::kIsDouble)
    q = bounded * horner(bounded, kLogErfc64);
  else
    q = bounded * horner(bounded, kLogErfc32);
  ExpArgument<F> e = reduceExp(q);
  F tail = (1.0 + (e.r + expTail(e.r))) * powerOfTwo<F>(e.k);
  F large = withSign(1.0 - tail, x);
  return select(a < num<F>(0.9, 0.9475), small, large);
}

/// Horner's rule whose last `Steps` steps keep a second word.
template <size_t Steps = 2, typename F, size_t N>
Pair<F> hornerPair(F x, const double (&c)[N]) {
  Pair<F> s = twoSum(x.constant(c[Steps - 1]), x * horner(x, c, Steps));
  for (size_t i = Steps - 1; i-- > 0;) {
    Pair<F> product = twoProduct(x, s.hi);
    Pair<F> sum = twoSum(x.constant(c[i]), product.hi);
    s = {sum.hi, sum.lo + (product.lo + x * s.lo)};
  }
  return s;
}

/// erfc for x in [0.46875, 28].
template <typename F>
F erfcTail(F x) {
  constexpr double pivot = F::kIsDouble ? 4 : 2;
  Pair<F> square = twoSquare(x);
  ExpArgument<F> a = addLow(reduceExp(-square.hi), -square.lo);
  Pair<F> e = fastTwoSum(x.constant(1), a.r);
  e.lo = e.lo + (expTail(a.r) + a.low);
  Pair<F> one = {x.constant(1), x.constant(0)};
  Pair<F> u = divPair(one, twoSum(x, x.constant(pivot)));
  F t = (1.0 - (2 * pivot) * u.hi) - (2 * pivot) * u.lo;
  Pair<F> p;
  if constexpr (F::kIsDouble)
    p = hornerPair<3>(t, kErfcx64);
  else
    p = hornerPair(t, kErfcx32);
  Pair<F> r = mulPair(mulPair(e, u), p);
  return scale(r.hi + r.lo, a.k);
}

template <typename F>
F erfc(F x) {
  F a = abs(x);
  F ratio = poly(x * x, kErf32, kErf64);
  Pair<F> near = twoSum(x.constant(1), -x);
  F small = near.hi + (near.lo - x * ratio);
  F tail = erfcTail(max(min(a, num<F>(10.2, 27.3)), 0.46875));
  F large = select(x < 0.0, 2.0 - tail, tail);
  F r = select(a < 0.5, small, large);
  return select(isNaN(x), x, r);
}

template <typename F>
F erfInv(F x) {
  F a = abs(x);
  F safe = select(a < 1.0, a, 0.5);
  Pair<F> square = twoSquare(safe);
  Pair<F> log = log1pWords(Pair<F>{-square.hi, -square.lo});
  Pair<F> w = {-log.hi, -log.lo};
  F one = x.constant(1);
  auto near = w.hi < one;
  Pair<F> root =
      sqrtPair(Pair<F>{select(near, one, w.hi), select(near, 0.0, w.lo)});
  Pair<F> ratio;
  if constexpr (F::kIsDouble) {
    Pair<F> central = hornerPair((w.hi - 3.125) + w.lo, kErfInvA64);
    Pair<F> middle = hornerPair((root.hi - 3.25) + root.lo, kErfInvB64);
    Pair<F> far = hornerPair((root.hi - 5.0) + root.lo, kErfInvC64);
    ratio = select(w.hi < 6.25, central, select(root.hi < 4.0, middle, far));
  } else {
    Pair<F> central = hornerPair((w.hi - 2.0) + w.lo, kErfInvA32);
    Pair<F> tail = hornerPair((root.hi - 3.0) + root.lo, kErfInvB32);
    ratio = select(w.hi < 4.0, central, tail);
  }
  Pair<F> product = twoProduct(safe, ratio.hi);
  F r = withSign(product.hi + (product.lo + safe * ratio.lo), x);
  // The words of a small product may be flushed where x is not.
  r = select(a < 0x1p-60, x * 0x1.c5bf891b4ef6bp-1, r);
  r = select(a == 1.0, floatOf(signBit(x) | Format<F>::kInf), r);
  return select(a <= 1.0, r, kNaN);
}

//===----------------------------------------------------------------------===//
// Inverse hyperbolic functions
//===----------------------------------------------------------------------===//

/// Above this the square under the root no longer feels the one.
template <typename F>
constexpr double kHyperbolicLarge = F::kIsDouble ? 0x1p28 : 0x1p14;

/// log(2a) for a large a.
template <typename F>
F logTwice(F a) {
  LogArgument<F> l = reduceLog(a);
  Pair<F> sum = logSum(l.f, l.k + 1.0, a.constant(0));
  return sum.hi + sum.lo;
}

template <typename F>
F asinh(F x) {
  F a = abs(x);
  auto large = a > kHyperbolicLarge<F>;
  F bounded = select(large, 1.0, a);
  Pair<F> square = twoSquare(bounded);
  Pair<F> one = twoSum(x.constant(1), square.hi);
  Pair<F> under = fastTwoSum(one.hi, one.lo + square.lo);
  Pair<F> root = sqrtPair(under);
  // a + sqrt(1 + a^2) - 1
  Pair<F> sum = twoSum(root.hi - 1.0, bounded);
  F middle = log1pPair(fastTwoSum(sum.hi, sum.lo + root.lo));
  F z = a * a;
  F small = a + a * z * poly(z, kAsinh32, kAsinh64);
  F r = select(large, logTwice(a), select(a < 0.5, small, middle));
  r = select(a < kInfinity, r, a);
  return keepTiny(withSign(r, x), x);
}

template <typename F>
F acosh(F x) {
  auto large = x > kHyperbolicLarge<F>;
  F bounded = select(large, 2.0, x);
  F t = bounded - 1.0;
  // t + sqrt(t (t + 2))
  Pair<F> under = mulPair(twoSum(t, x.constant(2)), t);
  Pair<F> root = sqrtPair(under);
  Pair<F> sum = fastTwoSum(root.hi, t);
  F near = log1pPair(fastTwoSum(sum.hi, sum.lo + root.lo));
  F r = select(large, logTwice(x), near);
  r = select(x < kInfinity, r, x);
  return select(x < 1.0, kNaN, r);
}

template <typename F>
F atanh(F x) {
  F a = abs(x);
  F bounded = select(a < 1.0, a, 0.5);
  Pair<F> n = {bounded + bounded, x.constant(0)};
  Pair<F> q = divPair(n, twoSum(x.constant(1), -bounded));
  F r = 0.5 * log1pPair(q);
  r = select(a == 1.0, kInfinity, r);
  r = keepTiny(withSign(r, x), x);
  return select(a <= 1.0, r, kNaN);
}

} // namespace nxv::math::kernels

#endif // NXV_LIB_MATH_KERNELS_ROOT_H
