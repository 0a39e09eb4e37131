//===- Trig.h - circular functions and their inverses -----------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_LIB_MATH_KERNELS_TRIG_H
#define NXV_LIB_MATH_KERNELS_TRIG_H

#include "Basics.h"

namespace nxv::math::kernels {

//===----------------------------------------------------------------------===//
// Reduction by pi / 2
//===----------------------------------------------------------------------===//

/// |x| = quadrant pi/2 + hi + lo (mod 2 pi), |hi| <= pi/4.
template <typename F>
struct TrigArgument {
  typename F::Int quadrant;
  F hi, lo;
};

/// Up to here pi/2 in four words serves: multiples of the first three are
/// exact.
template <typename F>
constexpr double kTrigFast = F::kIsDouble ? 0x1p20 : 0x1p12;

/// Cody and Waite's reduction, for x in [0, kTrigFast].
template <typename F>
TrigArgument<F> reduceTrigFast(F x) {
  using L = Format<F>;
  F t = x * 0x1.45f306dc9c883p-1 + L::kRound;
  F k = t - L::kRound;
  F a = x - k * num<F>(0x1.92p+0, 0x1.921fb544p+0);
  F second = k * num<F>(0x1.fb4p-12, 0x1.0b4611a6p-34);
  F third = k * num<F>(0x1.444p-24, 0x1.3198a2ep-69);
  F last = k * num<F>(0x1.68c234p-39, 0x1.b839a252049c1p-104);
  Pair<F> b;
  if constexpr (L::kDouble)
    b = twoSum(a, -second);
  else
    b = {a - second, a.constant(0)}; // exact
  Pair<F> c = twoSum(b.hi, -third);
  F low = L::kDouble ? (c.lo + b.lo) - last : c.lo - last;
  Pair<F> r = fastTwoSum(c.hi, low);
  return {bitsOf(t) - L::kRoundBits, r.hi, r.lo};
}

/// The words of 2 / pi after a few zero bits, from bit `skip` on.
template <typename I, size_t N>
void selectWords(I skip, int shift, const uint64_t (&table)[N], I (&out)[3]) {
  constexpr size_t kMax = 24;
  static_assert(N <= kMax);
  // Halves the table by the index's bits, from the top; four words remain.
  I words[kMax] = {skip, skip, skip, skip, skip, skip, skip, skip,
                   skip, skip, skip, skip, skip, skip, skip, skip,
                   skip, skip, skip, skip, skip, skip, skip, skip};
  for (size_t i = 0; i < N; ++i)
    words[i] = skip.constant(static_cast<int64_t>(table[i]));
  size_t count = N;
  I index = shr(skip, shift);
  for (int64_t step = 16; step > 0; step /= 2) {
    if (static_cast<size_t>(step) + 4 > N)
      continue;
    auto taken = (index & step) != 0;
    size_t left = static_cast<size_t>(step) + 3;
    left = count < left ? count : left;
    for (size_t i = 0; i < left; ++i)
      if (i + static_cast<size_t>(step) < count)
        words[i] =
            select(taken, words[i + static_cast<size_t>(step)], words[i]);
    count = left;
  }
  I offset = skip & ((int64_t(1) << shift) - 1);
  I back = ((int64_t(1) << shift) - 1) - offset;
  for (int i = 0; i < 3; ++i)
    out[i] = shl(words[i], offset) | shr(shr(words[i + 1], 1), back);
}

inline constexpr uint64_t kTwoOverPi32[] = {0,          0xa2f9836e, 0x4e441529,
                                            0xfc2757d1, 0xf534ddc0, 0xdb629599,
                                            0x3c439041, 0xfe5163ab};

inline constexpr uint64_t kTwoOverPi64[] = {0,
                                            0xa2f9836e4e441529,
                                            0xfc2757d1f534ddc0,
                                            0xdb6295993c439041,
                                            0xfe5163abdebbc561,
                                            0xb7246e3a424dd2e0,
                                            0x06492eea09d1921c,
                                            0xfe1deb1cb129a73e,
                                            0xe88235f52ebb4484,
                                            0xe99c7026b45f7e41,
                                            0x3991d639835339f4,
                                            0x9c845f8bbdf9283b,
                                            0x1ff897ffde05980f,
                                            0xef2f118b5a0a6d1f,
                                            0x6d367ecf27cb09b7,
                                            0x4f463f669e5fea2d,
                                            0x7527bac7ebe5f17b,
                                            0x3d0739f78a5292ea,
                                            0x6bfb5fb11f8d5d08,
                                            0x56033046fc7b6bab};

/// Payne and Hanek's reduction, for finite x >= kTrigFast / 2. The bits of
/// 2 / pi that contribute multiples of 2 pi are skipped; three words of the
/// rest are enough.
template <typename F>
TrigArgument<F> reduceTrigSlow(F x) {
  using L = Format<F>;
  using I = typename F::Int;
  constexpr int W = L::kWidth;
  auto bits = bitsOf(x);
  I mantissa = (bits & L::kMantissaMask) | (int64_t(1) << L::kMantissa);
  // x = mantissa * 2^e; the table has W zero bits in front.
  I e = shr(bits, L::kMantissa) - (L::kBias + L::kMantissa);
  I skip = e + (W - 2);
  I w[3] = {e, e, e};
  if constexpr (L::kDouble)
    selectWords(skip, 6, kTwoOverPi64, w);
  else
    selectWords(skip, 5, kTwoOverPi32, w);
  I middle = mantissa * w[1];
  I low = middle + mulHigh(mantissa, w[2]);
  auto carry = unsignedLess(low, middle);
  I high = mantissa * w[0] + mulHigh(mantissa, w[1]);
  high = high + select(carry, e.constant(1), e.constant(0));
  // (high, low) is |x| / (pi/2) mod 4, with two bits before the point.
  I quadrant = shr(high + (int64_t(1) << (W - 3)), W - 2);
  I top = shl(high, 2) | shr(low, W - 2);
  I rest = shl(low, 2);
  auto negative = top < 0;
  I flip = select(negative, e.constant(-1), e.constant(0));
  // One's complement: the missing unit is far below the last place.
  top = top ^ flip;
  rest = rest ^ flip;
  constexpr int H = W / 2;
  constexpr int64_t mask = (int64_t(1) << H) - 1;
  constexpr double unit = L::kDouble ? 0x1p-32 : 0x1p-16;
  F a0 = toFloat(shr(top, H)) * unit;
  F a1 = toFloat(top & mask) * (unit * unit);
  F a2 = toFloat(shr(rest, H)) * (unit * unit * unit);
  F a3 = toFloat(rest & mask) * (unit * unit * unit * unit);
  Pair<F> sum = fastTwoSum(a0, a1);
  sum = fastTwoSum(sum.hi, sum.lo + (a2 + a3));
  Pair<F> halfPi = {x.constant(num<F>(0x1.921fb6p+0, 0x1.921fb54442d18p+0)),
                    x.constant(num<F>(-0x1.777a5cp-25, 0x1.1a62633145c07p-54))};
  Pair<F> r = mulPair(sum, halfPi);
  I sign = flip & L::kSign;
  F nan = select(x < kInfinity, 0.0, x.constant(kNaN));
  return {quadrant, flipSign(r.hi, sign) + nan, flipSign(r.lo, sign)};
}

/// For x >= 0.
template <typename F>
TrigArgument<F> reduceTrig(F x) {
  TrigArgument<F> fast = reduceTrigFast(x);
  auto rare = x > kTrigFast<F>;
  return whenAny(rare, fast, [&] {
    TrigArgument<F> slow = reduceTrigSlow(select(rare, x, 0x1p21));
    return TrigArgument<F>{select(rare, slow.quadrant, fast.quadrant),
                           select(rare, slow.hi, fast.hi),
                           select(rare, slow.lo, fast.lo)};
  });
}

//===----------------------------------------------------------------------===//
// sin, cos and tan
//===----------------------------------------------------------------------===//

/// sin and cos of a reduced argument, each in two words.
template <typename F>
struct SinCos {
  Pair<F> sin, cos;
};

template <typename F>
SinCos<F> sinCos(const TrigArgument<F> &a) {
  F z = a.hi * a.hi;
  F halfSquare = 0.5 * z;
  F c = 1.0 - halfSquare;
  F sinLow = z * a.hi * poly(z, kSin32, kSin64) + a.lo * c;
  F cosLow = z * z * poly(z, kCos32, kCos64) - a.hi * a.lo;
  return {{a.hi, sinLow}, {c, ((1.0 - c) - halfSquare) + cosLow}};
}

/// sin(|x| + shift pi/2), the sign of which `sign` flips.
template <typename F>
F sinShifted(F x, int64_t shift, typename F::Int sign) {
  TrigArgument<F> a = reduceTrig(abs(x));
  SinCos<F> sc = sinCos(a);
  auto q = a.quadrant + shift;
  auto odd = (q & 1) != 0;
  F value =
      select(odd, sc.cos.hi, sc.sin.hi) + select(odd, sc.cos.lo, sc.sin.lo);
  // The quadrant's second bit becomes the sign.
  auto flip = shl(q & 2, Format<F>::kWidth - 2);
  return flipSign(value, flip ^ sign);
}

template <typename F>
F sin(F x) {
  return keepTiny(sinShifted(x, 0, signBit(x)), x);
}

template <typename F>
F cos(F x) {
  return sinShifted(x, 1, x.intConstant(0));
}

template <typename F>
F tan(F x) {
  TrigArgument<F> a = reduceTrig(abs(x));
  SinCos<F> sc = sinCos(a);
  Pair<F> s = fastTwoSum(sc.sin.hi, sc.sin.lo);
  Pair<F> c = fastTwoSum(sc.cos.hi, sc.cos.lo);
  auto odd = (a.quadrant & 1) != 0;
  Pair<F> n = {select(odd, c.hi, s.hi), select(odd, c.lo, s.lo)};
  Pair<F> d = {select(odd, s.hi, c.hi), select(odd, s.lo, c.lo)};
  Pair<F> q = divPair(n, d);
  auto flip = shl(a.quadrant & 1, Format<F>::kWidth - 1);
  return keepTiny(flipSign(q.hi, flip ^ signBit(x)), x);
}

//===----------------------------------------------------------------------===//
// asin, acos, atan
//===----------------------------------------------------------------------===//

template <typename F>
Pair<F> halfPi(F x) {
  return {x.constant(num<F>(0x1.921fb6p+0, 0x1.921fb54442d18p+0)),
          x.constant(num<F>(-0x1.777a5cp-25, 0x1.1a62633145c07p-54))};
}

/// asin of the smaller leg: of |x| up to a half, else of sqrt((1 - |x|) / 2).
template <typename F>
struct AsinParts {
  typename F::Mask small;
  Pair<F> root; // |x| or the square root
  F tail;       // asin(root) - root
};

template <typename F>
AsinParts<F> asinParts(F x) {
  F a = abs(x);
  auto small = a <= 0.5;
  F z = select(small, a * a, 0.5 * (1.0 - a));
  Pair<F> root = sqrtPair(Pair<F>{select(small, 0.25, z), x.constant(0)});
  root.hi = select(small, a, root.hi);
  root.lo = select(small, 0.0, root.lo);
  return {small, root, root.hi * z * poly(z, kAsin32, kAsin64)};
}

template <typename F>
F asin(F x) {
  AsinParts<F> p = asinParts(x);
  Pair<F> right = halfPi(x);
  F small = p.root.hi + p.tail;
  Pair<F> main = fastTwoSum(right.hi, p.root.hi * -2.0);
  F large = main.hi + ((main.lo + right.lo) - 2.0 * (p.tail + p.root.lo));
  F r = keepTiny(withSign(select(p.small, small, large), x), x);
  return select(abs(x) <= 1.0, r, kNaN);
}

template <typename F>
F acos(F x) {
  AsinParts<F> p = asinParts(x);
  Pair<F> right = halfPi(x);
  F hi = flipSign(p.root.hi, signBit(x)), tail = flipSign(p.tail, signBit(x));
  Pair<F> main = fastTwoSum(right.hi, -hi);
  F small = main.hi + ((main.lo + right.lo) - tail);
  // 2 asin(root), or pi less that where x is negative.
  F low = p.tail + p.root.lo;
  F twice = 2.0 * (p.root.hi + low);
  Pair<F> rest = fastTwoSum(right.hi * 2.0, p.root.hi * -2.0);
  F obtuse = rest.hi + ((rest.lo + 2.0 * right.lo) - 2.0 * low);
  F r = select(p.small, small, select(x < 0.0, obtuse, twice));
  return select(abs(x) <= 1.0, r, kNaN);
}

/// An angle of the first quadrant: base + t + tail.
template <typename F>
struct AtanParts {
  Pair<F> base, t;
  F tail;
};

/// atan(y / x) for y, x >= 0 whose sum does not overflow, not both zero.
template <typename F>
AtanParts<F> atanParts(F y, F x) {
  auto low = y <= x * 0x1.a8279ap-2;
  auto high = y > x * 0x1.3504f4p+1;
  Pair<F> sum = twoSum(y, x), difference = twoSum(y, -x);
  Pair<F> n = {select(low, y, select(high, -x, difference.hi)),
               select(low | high, 0.0, difference.lo)};
  Pair<F> d = {select(low, x, select(high, y, sum.hi)),
               select(low | high, 0.0, sum.lo)};
  // The residual of a small quotient might be flushed, so it is scaled up.
  auto tiny = abs(n.hi) < 0x1p-60;
  F up = select(tiny, 0x1p64, x.constant(1));
  F down = select(tiny, 0x1p-64, x.constant(1));
  Pair<F> t = divPair(Pair<F>{n.hi * up, n.lo * up}, d);
  t = {t.hi * down, t.lo * down};
  Pair<F> right = halfPi(x);
  F factor = select(low, 0.0, select(high, 1.0, x.constant(0.5)));
  F z = t.hi * t.hi;
  return {{right.hi * factor, right.lo * factor},
          t,
          z * t.hi * poly(z, kAtan32, kAtan64)};
}

template <typename F>
F atan(F x) {
  F a = abs(x);
  // Beyond, the quotient only rounds; the bound keeps it normal.
  F bounded = select(a > 0x1p60, 0x1p60, a);
  AtanParts<F> p = atanParts(bounded, x.constant(1));
  Pair<F> main = fastTwoSum(p.base.hi, p.t.hi);
  F r = main.hi + (main.lo + (p.base.lo + (p.t.lo + p.tail)));
  return keepTiny(withSign(r, x), x);
}

template <typename F>
F atan2(F y, F x) {
  using L = Format<F>;
  F ay = abs(y), ax = abs(x);
  // The larger is scaled to [1, 2); a smaller one that vanishes was too small.
  F larger = select(ay > ax, ay, ax);
  auto exponent = shr(bitsOf(larger), L::kMantissa) - L::kBias;
  auto half = sar(exponent, 1);
  F s1 = powerOfTwo<F>(0 - half), s2 = powerOfTwo<F>(half - exponent);
  F sy = ay * s1 * s2, sx = ax * s1 * s2;
  auto infinite = larger == kInfinity;
  sy = select(infinite, select(ay == kInfinity, 1.0, x.constant(0)), sy);
  sx = select(infinite, select(ax == kInfinity, 1.0, x.constant(0)), sx);
  sx = select(larger == 0.0, 1.0, sx);
  AtanParts<F> p = atanParts(sy, sx);
  // In the left half plane the angle is taken from pi.
  auto left = signBit(x);
  auto isLeft = left != 0;
  Pair<F> right = halfPi(x);
  Pair<F> base = {select(isLeft, 2.0 * right.hi - p.base.hi, p.base.hi),
                  select(isLeft, 2.0 * right.lo - p.base.lo, p.base.lo)};
  Pair<F> main = twoSum(base.hi, flipSign(p.t.hi, left));
  F low = flipSign(p.t.lo + p.tail, left);
  F r = main.hi + (main.lo + (base.lo + low));
  r = withSign(abs(r), y);
  return select(isNaN(x), x, select(isNaN(y), y, r));
}

} // namespace nxv::math::kernels

#endif // NXV_LIB_MATH_KERNELS_TRIG_H
