//===- ScalarComplex.cpp - element-wise operations on complex ---*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
// Everything is written on the two parts, so that of the complex dialect only
// create, re, im and constant remain. Inverse functions follow W. Kahan,
// "Branch Cuts for Complex Elementary Functions".

#include "Payload.h"

#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace nxv;
using namespace nxv::tolinalg;
using FP = arith::CmpFPredicate;

static constexpr double kLog4 = 1.3862943611198906;
static constexpr double kHalfPi = 1.5707963267948966;

namespace {
struct Cx {
  Value re, im;
};

/// Complex arithmetic on pairs of values.
class ComplexEmitter {
public:
  ComplexEmitter(PayloadBuilder &b, Type part) : b(b), part(part) {}

  Cx split(Value v) {
    return {complex::ReOp::create(b, v), complex::ImOp::create(b, v)};
  }
  Value join(Cx z) {
    return complex::CreateOp::create(b, ComplexType::get(part), z.re, z.im);
  }
  Cx select(Value c, Cx x, Cx y) {
    return {b.select(c, x.re, y.re), b.select(c, x.im, y.im)};
  }

  Value num(double v) { return b.floatConst(part, v); }
  Cx real(double v) { return {num(v), num(0.0)}; }
  /// z + r and 1 - z keep the sign of a zero imaginary part: it chooses the
  /// side of a branch cut.
  Cx plusReal(Cx z, double r) { return {b.addf(z.re, num(r)), z.im}; }
  Cx oneMinus(Cx z) { return {b.subf(num(1), z.re), b.negf(z.im)}; }
  Value isZero(Cx z) {
    return b.andi(b.cmp(FP::OEQ, z.re, num(0)), b.cmp(FP::OEQ, z.im, num(0)));
  }

  Cx add(Cx x, Cx y) { return {b.addf(x.re, y.re), b.addf(x.im, y.im)}; }
  Cx sub(Cx x, Cx y) { return {b.subf(x.re, y.re), b.subf(x.im, y.im)}; }
  Cx neg(Cx x) { return {b.negf(x.re), b.negf(x.im)}; }
  Cx conj(Cx x) { return {x.re, b.negf(x.im)}; }
  Cx mul(Cx x, Cx y) {
    return {b.subf(b.mulf(x.re, y.re), b.mulf(x.im, y.im)),
            b.addf(b.mulf(x.re, y.im), b.mulf(x.im, y.re))};
  }
  /// Is a part so large that 1 beside it does not matter? Then functions go on
  /// with a part of the number: its modulus may be too large to be a number.
  Value isHuge(Cx z) {
    Value big = arith::MaximumFOp::create(b, b.absf(z.re), b.absf(z.im));
    return b.cmp(FP::OGT, big, num(0x1p64));
  }
  Cx scale(Cx z, Value by) { return {b.mulf(z.re, by), b.mulf(z.im, by)}; }
  Cx div(Cx x, Cx y);
  Value abs(Cx z);
  Value logAbs(Cx z);
  Cx exp(Cx z);
  Cx expm1(Cx z);
  Cx log(Cx z) { return {logAbs(z), atan2(z.im, z.re)}; }
  Cx log1p(Cx z);
  Cx sigmoid(Cx z) { return div(real(1), add(real(1), exp(neg(z)))); }
  Cx sqrt(Cx z);
  Cx cbrt(Cx z);
  Cx pow(Cx x, Cx y, Value rawExponent);
  Cx sign(Cx z);
  Cx sin(Cx z);
  Cx cos(Cx z);
  Cx sinh(Cx z);
  Cx cosh(Cx z);
  Cx tanh(Cx z);
  Value asinhOfPart(Value v, Value huge);
  Cx asin(Cx z);
  Cx acos(Cx z);
  Cx acosh(Cx z);
  Cx atanh(Cx z);
  /// f(i z) / i and the like: sin and tan from sinh and tanh.
  Cx timesI(Cx z) { return {b.negf(z.im), z.re}; }
  Cx overI(Cx z) { return {z.im, b.negf(z.re)}; }

private:
  Value atan2(Value y, Value x) { return math::Atan2Op::create(b, y, x); }
  Value copysign(Value magnitude, Value sign) {
    return math::CopySignOp::create(b, magnitude, sign);
  }
  Cx fixDivision(Cx x, Cx y, Cx q);

  PayloadBuilder &b;
  Type part;
};
} // namespace

/// Smith's algorithm: divides through by the larger part of the divisor.
Cx ComplexEmitter::div(Cx x, Cx y) {
  Value wide = b.cmp(FP::OGE, b.absf(y.re), b.absf(y.im));
  Value big = b.select(wide, y.re, y.im);
  Value small = b.select(wide, y.im, y.re);
  Value ratio = b.divf(small, big);
  Value scale = b.addf(big, b.mulf(small, ratio));
  // re: (a + b r) / s or (a r + b) / s; im: (b - a r) / s or (b r - a) / s.
  Value first = b.select(wide, x.re, x.im);
  Value second = b.select(wide, x.im, x.re);
  Value re = b.divf(b.addf(first, b.mulf(second, ratio)), scale);
  Value difference = b.subf(second, b.mulf(first, ratio));
  Value im = b.divf(b.select(wide, difference, b.negf(difference)), scale);
  return fixDivision(x, y, {re, im});
}

/// Quotients that came out as NaN although one operand is 0 or infinite, by
/// annex G of C99.
Cx ComplexEmitter::fixDivision(Cx x, Cx y, Cx q) {
  auto both = [&](Value p, Value r) { return b.andi(p, r); };
  auto either = [&](Value p, Value r) { return b.ori(p, r); };
  auto finite = [&](Value v) {
    return b.cmp(FP::OLT, b.absf(v), b.infinity(part));
  };
  auto unit = [&](Value v) {
    return copysign(b.select(b.isInf(v), num(1), num(0)), v);
  };
  Value nan = both(b.isNan(q.re), b.isNan(q.im));
  // x / 0
  Value someNumber =
      either(b.cmp(FP::ORD, x.re, x.re), b.cmp(FP::ORD, x.im, x.im));
  Value infinite = copysign(b.infinity(part), y.re);
  Cx byZero{b.mulf(infinite, x.re), b.mulf(infinite, x.im)};
  Cx result = select(both(nan, both(isZero(y), someNumber)), byZero, q);
  // infinite / finite
  Value xInf = either(b.isInf(x.re), b.isInf(x.im));
  Value yFinite = both(finite(y.re), finite(y.im));
  Cx ux{unit(x.re), unit(x.im)};
  Value up = b.addf(b.mulf(ux.re, y.re), b.mulf(ux.im, y.im));
  Value across = b.subf(b.mulf(ux.im, y.re), b.mulf(ux.re, y.im));
  Value inf = b.infinity(part);
  Cx grown{b.mulf(inf, up), b.mulf(inf, across)};
  Value grows = both(
      nan, both(both(xInf, yFinite),
                b.cmp(FP::UNE, b.addf(b.absf(y.re), b.absf(y.im)), num(0))));
  result = select(grows, grown, result);
  // finite / infinite
  Value yInf = either(b.isInf(y.re), b.isInf(y.im));
  Value xFinite = both(finite(x.re), finite(x.im));
  Cx uy{unit(y.re), unit(y.im)};
  Value down = b.addf(b.mulf(x.re, uy.re), b.mulf(x.im, uy.im));
  Value turned = b.subf(b.mulf(x.im, uy.re), b.mulf(x.re, uy.im));
  Cx gone{b.mulf(num(0), down), b.mulf(num(0), turned)};
  return select(both(nan, both(yInf, xFinite)), gone, result);
}

Value ComplexEmitter::abs(Cx z) {
  Value x = b.absf(z.re), y = b.absf(z.im);
  Value big = arith::MaximumFOp::create(b, x, y);
  Value small = arith::MinimumFOp::create(b, x, y);
  Value ratio = b.divf(small, big);
  Value root = math::SqrtOp::create(b, b.addf(num(1), b.mulf(ratio, ratio)));
  Value result = b.mulf(big, root);
  result = b.select(b.cmp(FP::OEQ, big, num(0)), num(0), result);
  Value infinite = b.ori(b.isInf(z.re), b.isInf(z.im));
  return b.select(infinite, b.infinity(part), result);
}

/// log |z|; near 1 through log1p(|z|^2 - 1), which does not cancel.
Value ComplexEmitter::logAbs(Cx z) {
  Value x = b.absf(z.re), y = b.absf(z.im);
  Value big = arith::MaximumFOp::create(b, x, y);
  Value small = arith::MinimumFOp::create(b, x, y);
  Value excess = b.addf(b.mulf(b.subf(big, num(1)), b.addf(big, num(1))),
                        b.mulf(small, small));
  Value close = b.mulf(num(0.5), math::Log1pOp::create(b, excess));
  Value huge = isHuge(z);
  Value far =
      math::LogOp::create(b, abs(scale(z, b.select(huge, num(0.25), num(1)))));
  far = b.addf(far, b.select(huge, num(kLog4), num(0)));
  Value isClose =
      b.andi(b.cmp(FP::OGT, big, num(0.5)), b.cmp(FP::OLT, big, num(2)));
  return b.select(isClose, close, far);
}

Cx ComplexEmitter::exp(Cx z) {
  Value e = math::ExpOp::create(b, z.re);
  Value c = math::CosOp::create(b, z.im), s = math::SinOp::create(b, z.im);
  Cx result{b.mulf(e, c), b.mulf(e, s)};
  // e^inf is infinite whatever the angle: its inverse is 0.
  Value grows = b.cmp(FP::OEQ, z.re, b.infinity(part));
  Value noAngle = b.ori(b.isNan(z.im), b.isInf(z.im));
  result.re = b.select(b.andi(grows, noAngle), z.re, result.re);
  // e^-inf is 0 whatever the angle; a zero angle stays a zero.
  Value gone = b.cmp(FP::OEQ, z.re, b.infinity(part, /*negative=*/true));
  result = select(gone, {num(0), num(0)}, result);
  Value onAxis = b.cmp(FP::OEQ, z.im, num(0));
  return select(onAxis, {e, z.im}, result);
}

Cx ComplexEmitter::expm1(Cx z) {
  Value m = math::ExpM1Op::create(b, z.re);
  Value half = math::SinOp::create(b, b.mulf(num(0.5), z.im));
  Value c = math::CosOp::create(b, z.im);
  Value versine = b.mulf(num(2), b.mulf(half, half));
  Value re = b.subf(b.mulf(m, c), versine);
  Value onAxis = b.cmp(FP::OEQ, z.im, num(0));
  return {b.select(onAxis, m, re), exp(z).im};
}

Cx ComplexEmitter::log1p(Cx z) {
  Cx w{b.addf(num(1), z.re), z.im};
  Value norm = b.addf(b.mulf(z.re, b.addf(z.re, num(2))), b.mulf(z.im, z.im));
  Value close = b.mulf(num(0.5), math::Log1pOp::create(b, norm));
  Value isClose = b.andi(b.cmp(FP::OLT, b.absf(z.re), num(0.5)),
                         b.cmp(FP::OLT, b.absf(z.im), num(0.5)));
  return {b.select(isClose, close, logAbs(w)), atan2(w.im, w.re)};
}

Cx ComplexEmitter::sqrt(Cx z) {
  Value huge = isHuge(z);
  Cx half = scale(z, b.select(huge, num(0.125), num(0.5)));
  Value w = math::SqrtOp::create(b, b.addf(b.absf(half.re), abs(half)));
  w = b.mulf(w, b.select(huge, num(2), num(1)));
  Value other = b.divf(b.mulf(num(0.5), z.im), w);
  Value right = b.cmp(FP::OGE, z.re, num(0));
  Cx result = select(right, {w, other}, {b.absf(other), copysign(w, z.im)});
  result = select(isZero(z), {num(0), z.im}, result);
  Value inf = b.infinity(part);
  return select(b.isInf(z.im), {inf, z.im}, result);
}

Cx ComplexEmitter::cbrt(Cx z) {
  Value huge = isHuge(z);
  Value modulus = abs(scale(z, b.select(huge, num(0.125), num(1))));
  Value root = math::CbrtOp::create(b, modulus);
  root = b.mulf(root, b.select(huge, num(2), num(1)));
  Value angle = b.mulf(num(1.0 / 3.0), atan2(z.im, z.re));
  Cx turn{math::CosOp::create(b, angle), math::SinOp::create(b, angle)};
  return select(isZero(z), z, scale(turn, root));
}

Cx ComplexEmitter::pow(Cx x, Cx y, Value rawExponent) {
  ArrayAttr parts;
  if (matchPattern(rawExponent, m_Constant(&parts))) {
    auto re = cast<FloatAttr>(parts[0]).getValueAsDouble();
    if (cast<FloatAttr>(parts[1]).getValueAsDouble() == 0.0) {
      if (re == 1.0)
        return x;
      if (re == 2.0)
        return mul(x, x);
    }
  }
  Cx result = exp(mul(y, log(x)));
  // 0^y is 0 where the real part of y is positive; x^0 is 1.
  Value vanishes = b.andi(isZero(x), b.cmp(FP::OGT, y.re, num(0)));
  result = select(vanishes, real(0), result);
  return select(isZero(y), real(1), result);
}

Cx ComplexEmitter::sign(Cx z) {
  Cx scaled = scale(z, b.select(isHuge(z), num(0.25), num(1)));
  Value modulus = abs(scaled);
  Cx result{b.divf(scaled.re, modulus), b.divf(scaled.im, modulus)};
  return select(isZero(z), real(0), result);
}

Cx ComplexEmitter::sin(Cx z) { return overI(sinh(timesI(z))); }
Cx ComplexEmitter::cos(Cx z) { return cosh(timesI(z)); }

Cx ComplexEmitter::sinh(Cx z) {
  Value re =
      b.mulf(math::SinhOp::create(b, z.re), math::CosOp::create(b, z.im));
  Value im =
      b.mulf(math::CoshOp::create(b, z.re), math::SinOp::create(b, z.im));
  // A zero part stays a zero beside an infinite factor.
  re = b.select(b.cmp(FP::OEQ, z.re, num(0)), z.re, re);
  im = b.select(b.cmp(FP::OEQ, z.im, num(0)), z.im, im);
  return {re, im};
}

Cx ComplexEmitter::cosh(Cx z) {
  Value re =
      b.mulf(math::CoshOp::create(b, z.re), math::CosOp::create(b, z.im));
  Value im =
      b.mulf(math::SinhOp::create(b, z.re), math::SinOp::create(b, z.im));
  Value flat =
      b.ori(b.cmp(FP::OEQ, z.re, num(0)), b.cmp(FP::OEQ, z.im, num(0)));
  Value zero =
      copysign(num(0), b.mulf(copysign(num(1), z.re), copysign(num(1), z.im)));
  return {re, b.select(flat, zero, im)};
}

Cx ComplexEmitter::tanh(Cx z) {
  Value t = math::TanOp::create(b, z.im);
  Value beta = b.addf(num(1), b.mulf(t, t));
  Value s = math::SinhOp::create(b, z.re);
  Value rho = math::SqrtOp::create(b, b.addf(num(1), b.mulf(s, s)));
  Value den = b.addf(num(1), b.mulf(beta, b.mulf(s, s)));
  Cx near{b.divf(b.mulf(b.mulf(beta, rho), s), den), b.divf(t, den)};
  // Far from the axis sinh^2 overflows; tanh is +-1 there.
  Value magnitude = b.absf(z.re);
  Value decay = math::ExpOp::create(b, b.mulf(num(-2), magnitude));
  Value waves =
      b.mulf(math::SinOp::create(b, z.im), math::CosOp::create(b, z.im));
  Value im = b.mulf(b.mulf(num(4), waves), decay);
  im = b.select(b.isInf(z.re), copysign(num(0), z.im), im);
  Cx far{copysign(num(1), z.re), im};
  double limit = part.isF64() ? 22.0 : 11.0;
  return select(b.cmp(FP::OGT, magnitude, num(limit)), far, near);
}

/// asinh of `v`, a part of a product for `z` or, if `huge`, for a quarter of
/// it.
Value ComplexEmitter::asinhOfPart(Value v, Value huge) {
  Value more = copysign(b.select(huge, num(kLog4), num(0)), v);
  return b.addf(math::AsinhOp::create(b, v), more);
}

Cx ComplexEmitter::asin(Cx z) {
  Value huge = isHuge(z);
  z = scale(z, b.select(huge, num(0.25), num(1)));
  Cx minus = sqrt(oneMinus(z)), plus = sqrt(plusReal(z, 1));
  Value product = mul(minus, plus).re;
  return {atan2(z.re, product), asinhOfPart(mul(conj(minus), plus).im, huge)};
}

Cx ComplexEmitter::acos(Cx z) {
  Value huge = isHuge(z);
  z = scale(z, b.select(huge, num(0.25), num(1)));
  Cx minus = sqrt(oneMinus(z)), plus = sqrt(plusReal(z, 1));
  Value re = b.mulf(num(2), atan2(minus.re, plus.re));
  return {re, asinhOfPart(mul(conj(plus), minus).im, huge)};
}

Cx ComplexEmitter::acosh(Cx z) {
  Value huge = isHuge(z);
  z = scale(z, b.select(huge, num(0.25), num(1)));
  Cx minus = sqrt(plusReal(z, -1)), plus = sqrt(plusReal(z, 1));
  Value re = asinhOfPart(mul(conj(minus), plus).re, huge);
  return {re, b.mulf(num(2), atan2(minus.im, plus.re))};
}

/// On |re z|: next to -1 log1p would cancel. Squares of huge numbers are taken
/// of what they are scaled to.
Cx ComplexEmitter::atanh(Cx z) {
  double small = part.isF64() ? 0x1p-520 : 0x1p-66;
  Value s = b.select(isHuge(z), num(small), num(1));
  Value x = b.absf(z.re), y = b.mulf(z.im, s);
  Value away = b.mulf(b.subf(num(1), x), s);
  Value toward = b.mulf(b.addf(num(1), x), s);
  Value y2 = b.mulf(y, y);
  Value ratio =
      b.divf(b.mulf(num(4), b.mulf(x, s)), b.addf(b.mulf(away, away), y2));
  Value re = b.mulf(num(0.25), math::Log1pOp::create(b, b.mulf(ratio, s)));
  // Next to the pole the ratio is too large to be a number.
  Value distance = abs({away, y});
  Value isClose =
      b.cmp(FP::OLT, distance, num(part.isF64() ? 0x1p-500 : 0x1p-60));
  Value close = b.mulf(
      num(0.5), b.subf(num(kLog4 / 2), math::LogOp::create(b, distance)));
  re = b.select(isClose, close, re);
  Value cosine = b.subf(b.mulf(away, toward), y2);
  Value sine = b.mulf(num(2), b.mulf(y, s));
  Value im = b.mulf(num(0.5), atan2(sine, cosine));
  // A quarter turn at every infinity.
  Value infinite = b.ori(b.isInf(z.re), b.isInf(z.im));
  re = b.select(infinite, num(0), re);
  infinite = b.andi(infinite, b.cmp(FP::ORD, z.im, z.im));
  im = b.select(infinite, copysign(num(kHalfPi), z.im), im);
  return {copysign(re, z.re), im};
}

//===----------------------------------------------------------------------===//
// Dispatch
//===----------------------------------------------------------------------===//

/// Operations with a complex result; {} if `op` is none of them.
static Cx emitToComplex(ComplexEmitter &e, Operation *op, Cx x, Cx y,
                        ValueRange v) {
  return TypeSwitch<Operation *, Cx>(op)
      .Case<AddOp>([&](auto) { return e.add(x, y); })
      .Case<SubtractOp>([&](auto) { return e.sub(x, y); })
      .Case<MultiplyOp>([&](auto) { return e.mul(x, y); })
      .Case<DivideOp>([&](auto) { return e.div(x, y); })
      .Case<PowOp>([&](auto) { return e.pow(x, y, v[1]); })
      .Case<NegateOp>([&](auto) { return e.neg(x); })
      .Case<SignOp>([&](auto) { return e.sign(x); })
      .Case<ConjugateOp>([&](auto) { return e.conj(x); })
      .Case<ExpOp>([&](auto) { return e.exp(x); })
      .Case<Expm1Op>([&](auto) { return e.expm1(x); })
      .Case<LogOp>([&](auto) { return e.log(x); })
      .Case<Log1pOp>([&](auto) { return e.log1p(x); })
      .Case<SigmoidOp>([&](auto) { return e.sigmoid(x); })
      .Case<SqrtOp>([&](auto) { return e.sqrt(x); })
      .Case<RsqrtOp>([&](auto) { return e.div(e.real(1), e.sqrt(x)); })
      .Case<CbrtOp>([&](auto) { return e.cbrt(x); })
      .Case<SinOp>([&](auto) { return e.sin(x); })
      .Case<CosOp>([&](auto) { return e.cos(x); })
      .Case<TanOp>([&](auto) { return e.overI(e.tanh(e.timesI(x))); })
      .Case<SinhOp>([&](auto) { return e.sinh(x); })
      .Case<CoshOp>([&](auto) { return e.cosh(x); })
      .Case<TanhOp>([&](auto) { return e.tanh(x); })
      .Case<AsinOp>([&](auto) { return e.asin(x); })
      .Case<AcosOp>([&](auto) { return e.acos(x); })
      .Case<AtanOp>([&](auto) { return e.overI(e.atanh(e.timesI(x))); })
      .Case<AsinhOp>([&](auto) { return e.overI(e.asin(e.timesI(x))); })
      .Case<AcoshOp>([&](auto) { return e.acosh(x); })
      .Case<AtanhOp>([&](auto) { return e.atanh(x); })
      .Default([](Operation *) { return Cx{}; });
}

static Value emitComparison(PayloadBuilder &b, Comparison comparison, Cx x,
                            Cx y) {
  if (comparison == Comparison::eq)
    return b.andi(b.cmp(FP::OEQ, x.re, y.re), b.cmp(FP::OEQ, x.im, y.im));
  return b.ori(b.cmp(FP::UNE, x.re, y.re), b.cmp(FP::UNE, x.im, y.im));
}

Value tolinalg::emitComplex(PayloadBuilder &b, Operation *op, ValueRange v) {
  Type part = cast<ComplexType>(v[0].getType()).getElementType();
  ComplexEmitter e(b, part);
  Cx x = e.split(v[0]);
  Cx y = v.size() > 1 ? e.split(v[1]) : Cx{};
  if (isa<RealOp>(op))
    return x.re;
  if (isa<ImagOp>(op))
    return x.im;
  if (isa<AbsOp>(op))
    return e.abs(x);
  if (isa<IsNanOp>(op))
    return b.ori(b.isNan(x.re), b.isNan(x.im));
  if (isa<IsInfOp>(op))
    return b.ori(b.isInf(x.re), b.isInf(x.im));
  if (auto compare = dyn_cast<CompareOp>(op))
    return emitComparison(b, compare.getComparison(), x, y);
  Cx result = emitToComplex(e, op, x, y, v);
  return result.re ? e.join(result) : Value();
}

Value tolinalg::emitMul(PayloadBuilder &b, Value x, Value y) {
  if (auto type = dyn_cast<ComplexType>(x.getType())) {
    ComplexEmitter e(b, type.getElementType());
    return e.join(e.mul(e.split(x), e.split(y)));
  }
  if (isa<IntegerType>(x.getType()))
    return arith::MulIOp::create(b, x, y);
  return b.mulf(x, y);
}

Value tolinalg::emitAdd(PayloadBuilder &b, Value x, Value y) {
  if (auto type = dyn_cast<ComplexType>(x.getType())) {
    ComplexEmitter e(b, type.getElementType());
    return e.join(e.add(e.split(x), e.split(y)));
  }
  if (isa<IntegerType>(x.getType()))
    return arith::AddIOp::create(b, x, y);
  return b.addf(x, y);
}
