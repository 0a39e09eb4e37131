//===- ScalarOps.cpp - element-wise operations on real scalars --*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Payload.h"

#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace nxv;
using namespace nxv::tolinalg;
using FP = arith::CmpFPredicate;
using IP = arith::CmpIPredicate;

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

namespace {
/// Operands of a division made safe, and the cases that were not.
struct SafeDivision {
  Value byZero, divisor;
};
} // namespace

/// Replaces a divisor of 0, and of -1 under the lowest value, by 1.
static SafeDivision makeSafe(PayloadBuilder &b, Value lhs, Value rhs,
                             bool isUnsigned) {
  Type type = lhs.getType();
  Value byZero = b.cmp(IP::eq, rhs, b.intConst(type, 0));
  Value bad = byZero;
  if (!isUnsigned) {
    APInt low = APInt::getSignedMinValue(type.getIntOrFloatBitWidth());
    Value lowest = b.cmp(IP::eq, lhs, b.intConst(type, low));
    Value minusOne = b.cmp(IP::eq, rhs, b.intConst(type, -1));
    bad = b.ori(byZero, b.andi(lowest, minusOne));
  }
  return {byZero, b.select(bad, b.intConst(type, 1), rhs)};
}

static Value emitQuotient(PayloadBuilder &b, Value lhs, Value rhs,
                          bool isUnsigned) {
  SafeDivision safe = makeSafe(b, lhs, rhs, isUnsigned);
  Value q = isUnsigned
                ? arith::DivUIOp::create(b, lhs, safe.divisor).getResult()
                : arith::DivSIOp::create(b, lhs, safe.divisor).getResult();
  return b.select(safe.byZero, b.intConst(lhs.getType(), -1), q);
}

static Value emitIntRemainder(PayloadBuilder &b, Value lhs, Value rhs,
                              bool isUnsigned) {
  SafeDivision safe = makeSafe(b, lhs, rhs, isUnsigned);
  Value r = isUnsigned
                ? arith::RemUIOp::create(b, lhs, safe.divisor).getResult()
                : arith::RemSIOp::create(b, lhs, safe.divisor).getResult();
  return b.select(safe.byZero, lhs, r);
}

/// Square and multiply over the bits of a constant exponent.
static Value emitConstantPow(PayloadBuilder &b, Value base, APInt exponent) {
  Value result;
  while (!exponent.isZero()) {
    if (exponent[0])
      result =
          result ? arith::MulIOp::create(b, result, base).getResult() : base;
    exponent = exponent.lshr(1);
    if (!exponent.isZero())
      base = arith::MulIOp::create(b, base, base);
  }
  return result ? result : b.intConst(base.getType(), 1);
}

static Value emitIntPow(PayloadBuilder &b, Value base, Value exponent,
                        bool isUnsigned) {
  Type type = base.getType();
  APInt known;
  if (matchPattern(exponent, m_ConstantInt(&known)) &&
      (isUnsigned || known.isNonNegative()))
    return emitConstantPow(b, base, known);
  Value one = b.intConst(type, 1), zero = b.intConst(type, 0);
  int64_t width = type.getIntOrFloatBitWidth();
  auto loop = scf::ForOp::create(
      b, b.index(0), b.index(width), b.index(1),
      ValueRange{one, base, exponent},
      [&](OpBuilder &nested, Location loc, Value, ValueRange state) {
        PayloadBuilder p(nested, loc);
        Value bit = p.andi(state[2], one);
        Value product = arith::MulIOp::create(p, state[0], state[1]);
        Value taken = p.cmp(IP::ne, bit, zero);
        Value result = p.select(taken, product, state[0]);
        Value square = arith::MulIOp::create(p, state[1], state[1]);
        Value rest = arith::ShRUIOp::create(p, state[2], one);
        scf::YieldOp::create(p, ValueRange{result, square, rest});
      });
  Value result = loop.getResult(0);
  if (isUnsigned)
    return result;
  // A negative exponent: 1 for base 1, +-1 by parity for base -1, 0 otherwise.
  Value odd = b.cmp(IP::ne, b.andi(exponent, one), zero);
  Value minusOne = b.intConst(type, -1);
  Value alternating = b.select(odd, minusOne, one);
  Value inverse = b.select(b.cmp(IP::eq, base, minusOne), alternating, zero);
  inverse = b.select(b.cmp(IP::eq, base, one), one, inverse);
  return b.select(b.cmp(IP::slt, exponent, zero), inverse, result);
}

static Value emitShift(PayloadBuilder &b, Operation *op, Value v, Value amount,
                       bool isUnsigned) {
  Type type = v.getType();
  int64_t width = type.getIntOrFloatBitWidth();
  Value last = b.intConst(type, width - 1);
  Value clamped = arith::MinUIOp::create(b, amount, last);
  if (isa<ShiftRightOp>(op) && !isUnsigned)
    return arith::ShRSIOp::create(b, v, clamped);
  Value shifted = isa<ShiftLeftOp>(op)
                      ? arith::ShLIOp::create(b, v, clamped).getResult()
                      : arith::ShRUIOp::create(b, v, clamped).getResult();
  Value over = b.cmp(IP::ugt, amount, last);
  return b.select(over, b.intConst(type, 0), shifted);
}

static Value emitIntSign(PayloadBuilder &b, Value v, bool isUnsigned) {
  Type type = v.getType();
  Value zero = b.intConst(type, 0), one = b.intConst(type, 1);
  if (isUnsigned)
    return b.select(b.cmp(IP::ne, v, zero), one, zero);
  Value below = b.select(b.cmp(IP::slt, v, zero), b.intConst(type, -1), zero);
  return b.select(b.cmp(IP::sgt, v, zero), one, below);
}

static IP intPredicate(Comparison comparison, bool isUnsigned) {
  switch (comparison) {
  case Comparison::eq:
    return IP::eq;
  case Comparison::ne:
    return IP::ne;
  case Comparison::lt:
    return isUnsigned ? IP::ult : IP::slt;
  case Comparison::le:
    return isUnsigned ? IP::ule : IP::sle;
  case Comparison::gt:
    return isUnsigned ? IP::ugt : IP::sgt;
  case Comparison::ge:
    return isUnsigned ? IP::uge : IP::sge;
  }
  llvm_unreachable("a comparison has one of six kinds");
}

template <typename Signed, typename Unsigned>
static Value bySign(PayloadBuilder &b, bool isUnsigned, Value x, Value y) {
  return isUnsigned ? Unsigned::create(b, x, y).getResult()
                    : Signed::create(b, x, y).getResult();
}

static Value emitInteger(PayloadBuilder &b, Operation *op, ValueRange v,
                         bool isUnsigned) {
  Type type = v[0].getType();
  return TypeSwitch<Operation *, Value>(op)
      .Case<AddOp>([&](auto) { return arith::AddIOp::create(b, v[0], v[1]); })
      .Case<SubtractOp>(
          [&](auto) { return arith::SubIOp::create(b, v[0], v[1]); })
      .Case<MultiplyOp>(
          [&](auto) { return arith::MulIOp::create(b, v[0], v[1]); })
      .Case<QuotientOp>(
          [&](auto) { return emitQuotient(b, v[0], v[1], isUnsigned); })
      .Case<RemainderOp>(
          [&](auto) { return emitIntRemainder(b, v[0], v[1], isUnsigned); })
      .Case<PowOp>([&](auto) { return emitIntPow(b, v[0], v[1], isUnsigned); })
      .Case<MaxOp>([&](auto) {
        return bySign<arith::MaxSIOp, arith::MaxUIOp>(b, isUnsigned, v[0],
                                                      v[1]);
      })
      .Case<MinOp>([&](auto) {
        return bySign<arith::MinSIOp, arith::MinUIOp>(b, isUnsigned, v[0],
                                                      v[1]);
      })
      .Case<AndOp>([&](auto) { return b.andi(v[0], v[1]); })
      .Case<OrOp>([&](auto) { return b.ori(v[0], v[1]); })
      .Case<XorOp>([&](auto) { return arith::XOrIOp::create(b, v[0], v[1]); })
      .Case<ShiftLeftOp, ShiftRightOp>(
          [&](auto) { return emitShift(b, op, v[0], v[1], isUnsigned); })
      .Case<CompareOp>([&](CompareOp compare) {
        return b.cmp(intPredicate(compare.getComparison(), isUnsigned), v[0],
                     v[1]);
      })
      .Case<NegateOp>([&](auto) {
        return arith::SubIOp::create(b, b.intConst(type, 0), v[0]);
      })
      .Case<AbsOp>([&](auto) -> Value {
        if (isUnsigned)
          return v[0];
        Value zero = b.intConst(type, 0);
        Value negated = arith::SubIOp::create(b, zero, v[0]);
        return b.select(b.cmp(IP::slt, v[0], zero), negated, v[0]);
      })
      .Case<SignOp>([&](auto) { return emitIntSign(b, v[0], isUnsigned); })
      .Case<NotOp>([&](auto) {
        return arith::XOrIOp::create(b, v[0], b.intConst(type, -1));
      })
      .Case<PopulationCountOp>(
          [&](auto) { return math::CtPopOp::create(b, v[0]); })
      .Case<CountLeadingZerosOp>(
          [&](auto) { return math::CountLeadingZerosOp::create(b, v[0]); })
      .Default([](Operation *) { return Value(); });
}

/// Operations on predicates that integers of one bit would get wrong.
static Value emitPredicate(PayloadBuilder &b, Operation *op, ValueRange v) {
  if (isa<MaxOp>(op))
    return b.ori(v[0], v[1]);
  if (isa<MinOp>(op))
    return b.andi(v[0], v[1]);
  return emitInteger(b, op, v, /*isUnsigned=*/true);
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

static FP floatPredicate(Comparison comparison) {
  switch (comparison) {
  case Comparison::eq:
    return FP::OEQ;
  case Comparison::ne:
    return FP::UNE;
  case Comparison::lt:
    return FP::OLT;
  case Comparison::le:
    return FP::OLE;
  case Comparison::gt:
    return FP::OGT;
  case Comparison::ge:
    return FP::OGE;
  }
  llvm_unreachable("a comparison has one of six kinds");
}

/// pow; a few constant exponents are exact enough without it.
static Value emitFloatPow(PayloadBuilder &b, Value x, Value y) {
  Type type = x.getType();
  FloatAttr exponent;
  if (!matchPattern(y, m_Constant(&exponent)))
    return math::PowFOp::create(b, x, y);
  double e = exponent.getValueAsDouble();
  if (e == 0.0)
    return b.floatConst(type, 1.0);
  if (e == 1.0)
    return x;
  if (e == -1.0)
    return b.divf(b.floatConst(type, 1.0), x);
  if (e == 0.5) {
    // Unlike sqrt, pow gives +0 for -0 and inf for -inf.
    Value root = math::SqrtOp::create(b, b.addf(x, b.floatConst(type, 0.0)));
    Value lowest = b.cmp(FP::OEQ, x, b.infinity(type, /*negative=*/true));
    return b.select(lowest, b.infinity(type), root);
  }
  Value square = b.mulf(x, x);
  if (e == 2.0)
    return square;
  if (e == 3.0)
    return b.mulf(square, x);
  if (e == 4.0)
    return b.mulf(square, square);
  return math::PowFOp::create(b, x, y);
}

static Value emitFloatSign(PayloadBuilder &b, Value x) {
  Type type = x.getType();
  Value zero = b.floatConst(type, 0.0);
  Value negative =
      b.select(b.cmp(FP::OLT, x, zero), b.floatConst(type, -1.0), x);
  return b.select(b.cmp(FP::OGT, x, zero), b.floatConst(type, 1.0), negative);
}

/// Operations that f16 itself rounds well.
static bool isNativeInHalf(Operation *op) {
  return isa<AddOp, SubtractOp, MultiplyOp, MaxOp, MinOp, NegateOp, AbsOp,
             SignOp, FloorOp, CeilOp, RoundOp, CompareOp, IsNanOp, IsInfOp>(op);
}

static Value emitFloatArith(PayloadBuilder &b, Operation *op, ValueRange v) {
  return TypeSwitch<Operation *, Value>(op)
      .Case<AddOp>([&](auto) { return b.addf(v[0], v[1]); })
      .Case<SubtractOp>([&](auto) { return b.subf(v[0], v[1]); })
      .Case<MultiplyOp>([&](auto) { return b.mulf(v[0], v[1]); })
      .Case<DivideOp>([&](auto) { return b.divf(v[0], v[1]); })
      .Case<RemainderOp>(
          [&](auto) { return arith::RemFOp::create(b, v[0], v[1]); })
      .Case<PowOp>([&](auto) { return emitFloatPow(b, v[0], v[1]); })
      .Case<Atan2Op>([&](auto) { return math::Atan2Op::create(b, v[0], v[1]); })
      .Case<MaxOp>(
          [&](auto) { return arith::MaximumFOp::create(b, v[0], v[1]); })
      .Case<MinOp>(
          [&](auto) { return arith::MinimumFOp::create(b, v[0], v[1]); })
      .Case<CompareOp>([&](CompareOp compare) {
        return b.cmp(floatPredicate(compare.getComparison()), v[0], v[1]);
      })
      .Case<NegateOp>([&](auto) { return b.negf(v[0]); })
      .Case<AbsOp>([&](auto) { return b.absf(v[0]); })
      .Case<SignOp>([&](auto) { return emitFloatSign(b, v[0]); })
      .Case<FloorOp>([&](auto) { return math::FloorOp::create(b, v[0]); })
      .Case<CeilOp>([&](auto) { return math::CeilOp::create(b, v[0]); })
      .Case<RoundOp>([&](auto) { return math::RoundOp::create(b, v[0]); })
      .Case<IsNanOp>([&](auto) { return b.isNan(v[0]); })
      .Case<IsInfOp>([&](auto) { return b.isInf(v[0]); })
      .Default([](Operation *) { return Value(); });
}

static Value emitFloatMath(PayloadBuilder &b, Operation *op, Value x) {
  Type type = x.getType();
  return TypeSwitch<Operation *, Value>(op)
      .Case<ExpOp>([&](auto) { return math::ExpOp::create(b, x); })
      .Case<Expm1Op>([&](auto) { return math::ExpM1Op::create(b, x); })
      .Case<LogOp>([&](auto) { return math::LogOp::create(b, x); })
      .Case<Log1pOp>([&](auto) { return math::Log1pOp::create(b, x); })
      .Case<SigmoidOp>([&](auto) { return SigmoidOp::create(b, type, x); })
      .Case<SinOp>([&](auto) { return math::SinOp::create(b, x); })
      .Case<CosOp>([&](auto) { return math::CosOp::create(b, x); })
      .Case<TanOp>([&](auto) { return math::TanOp::create(b, x); })
      .Case<SinhOp>([&](auto) { return math::SinhOp::create(b, x); })
      .Case<CoshOp>([&](auto) { return math::CoshOp::create(b, x); })
      .Case<TanhOp>([&](auto) { return math::TanhOp::create(b, x); })
      .Case<AsinOp>([&](auto) { return math::AsinOp::create(b, x); })
      .Case<AcosOp>([&](auto) { return math::AcosOp::create(b, x); })
      .Case<AtanOp>([&](auto) { return math::AtanOp::create(b, x); })
      .Case<AsinhOp>([&](auto) { return math::AsinhOp::create(b, x); })
      .Case<AcoshOp>([&](auto) { return math::AcoshOp::create(b, x); })
      .Case<AtanhOp>([&](auto) { return math::AtanhOp::create(b, x); })
      .Case<SqrtOp>([&](auto) { return math::SqrtOp::create(b, x); })
      .Case<RsqrtOp>([&](auto) { return math::RsqrtOp::create(b, x); })
      .Case<CbrtOp>([&](auto) { return math::CbrtOp::create(b, x); })
      .Case<ErfOp>([&](auto) { return math::ErfOp::create(b, x); })
      .Case<ErfcOp>([&](auto) { return math::ErfcOp::create(b, x); })
      .Case<ErfInvOp>([&](auto) { return ErfInvOp::create(b, type, x); })
      .Default([](Operation *) { return Value(); });
}

static Value emitFloat(PayloadBuilder &b, Operation *op, ValueRange operands,
                       Type resultElement) {
  SmallVector<Value> v;
  for (Value operand : operands)
    v.push_back(b.widen(operand, /*half=*/!isNativeInHalf(op)));
  Value result = emitFloatArith(b, op, v);
  if (!result)
    result = emitFloatMath(b, op, v[0]);
  if (!result || !isa<FloatType>(resultElement))
    return result;
  return b.narrow(result, resultElement);
}

//===----------------------------------------------------------------------===//
// Any type
//===----------------------------------------------------------------------===//

static Type elementOf(Value v) { return getElementTypeOrSelf(v.getType()); }

static bool isRankZeroRename(Operation *op) {
  if (!isa<ReshapeOp, BroadcastInDimOp, TransposeOp>(op))
    return false;
  auto rank = [](Value v) { return cast<ShapedType>(v.getType()).getRank(); };
  return rank(op->getOperand(0)) == 0 && rank(op->getResult(0)) == 0;
}

bool tolinalg::isScalarOp(Operation *op) {
  if (!isa_and_nonnull<NxvDialect>(op->getDialect()))
    return false;
  if (op->hasTrait<OpTrait::Elementwise>() || isRankZeroRename(op))
    return true;
  return isa<ConstantOp>(op) &&
         cast<ElementsAttr>(cast<ConstantOp>(op).getValue()).isSplat();
}

StringRef tolinalg::whyNotScalar(Operation *op) {
  bool complex = llvm::any_of(op->getOperands(), [](Value v) {
    return isa<ComplexType>(elementOf(v));
  });
  if (complex && isa<ErfOp, ErfcOp, ErfInvOp>(op))
    return "it is not defined on complex numbers";
  if (auto compare = dyn_cast<CompareOp>(op);
      compare && complex && compare.getComparison() != Comparison::eq &&
      compare.getComparison() != Comparison::ne)
    return "complex numbers have no order";
  if (complex && isa<AbsOp>(op) &&
      isa<ComplexType>(elementOf(op->getResult(0))))
    return "the absolute value of a complex number is real";
  if (isa<RemainderOp, PowOp>(op) && elementOf(op->getOperand(0)).isInteger(1))
    return "it is not defined on predicates";
  if (auto bitcast = dyn_cast<BitcastOp>(op)) {
    Type from = elementOf(bitcast.getOperand());
    Type to = elementOf(bitcast.getResult());
    if (isa<ComplexType>(from) || isa<ComplexType>(to))
      return "the bits of complex numbers cannot be cast";
    if (from.getIntOrFloatBitWidth() != to.getIntOrFloatBitWidth())
      return "the element types differ in width";
  }
  return "";
}

static Value emitBitcast(PayloadBuilder &b, Value v, Type to) {
  if (v.getType() == to)
    return v;
  return arith::BitcastOp::create(b, to, v);
}

Value tolinalg::emitScalar(PayloadBuilder &b, Operation *op, ValueRange v) {
  Type result = elementOf(op->getResult(0));
  if (auto constant = dyn_cast<ConstantOp>(op))
    return b.constant(
        cast<DenseElementsAttr>(constant.getValue()).getSplatValue<Attribute>(),
        signlessElement(result));
  if (isRankZeroRename(op))
    return v[0];
  if (isa<SelectOp>(op))
    return b.select(v[0], v[1], v[2]);
  Type operand = elementOf(op->getOperand(0));
  if (isa<ConvertOp>(op))
    return b.convert(v[0], operand, result);
  if (isa<BitcastOp>(op))
    return emitBitcast(b, v[0], signlessElement(result));
  if (isa<ComplexType>(operand))
    return emitComplex(b, op, v);
  if (operand.isInteger(1))
    return emitPredicate(b, op, v);
  if (isa<IntegerType>(operand))
    return emitInteger(b, op, v, isUnsignedElement(operand));
  return emitFloat(b, op, v, result);
}
