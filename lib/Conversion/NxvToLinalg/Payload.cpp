//===- Payload.cpp - short names and conversions of scalars -----*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Payload.h"

#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace nxv;
using namespace nxv::tolinalg;
using FP = arith::CmpFPredicate;
using IP = arith::CmpIPredicate;

Type tolinalg::signlessElement(Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer || integer.isSignless())
    return type;
  return IntegerType::get(type.getContext(), integer.getWidth());
}

bool tolinalg::isUnsignedElement(Type type) {
  return type.isUnsignedInteger() || type.isInteger(1);
}

//===----------------------------------------------------------------------===//
// Constants and short names
//===----------------------------------------------------------------------===//

Value PayloadBuilder::floatConst(Type type, double value) {
  return arith::ConstantOp::create(*this, getFloatAttr(type, value));
}

Value PayloadBuilder::infinity(Type type, bool negative) {
  const llvm::fltSemantics &semantics =
      cast<FloatType>(type).getFloatSemantics();
  return arith::ConstantOp::create(
      *this, FloatAttr::get(type, APFloat::getInf(semantics, negative)));
}

Value PayloadBuilder::intConst(Type type, const APInt &value) {
  return arith::ConstantOp::create(*this, IntegerAttr::get(type, value));
}

Value PayloadBuilder::intConst(Type type, int64_t value) {
  return intConst(type, APInt(type.getIntOrFloatBitWidth(), value,
                              /*isSigned=*/true, /*implicitTrunc=*/true));
}

Value PayloadBuilder::index(int64_t value) {
  return arith::ConstantOp::create(*this, getIndexAttr(value));
}

Value PayloadBuilder::constant(Attribute element, Type signlessType) {
  if (auto parts = dyn_cast<ArrayAttr>(element))
    return complex::ConstantOp::create(*this, signlessType, parts);
  if (auto integer = dyn_cast<IntegerAttr>(element))
    return intConst(signlessType, integer.getValue());
  return arith::ConstantOp::create(*this, cast<FloatAttr>(element));
}

Value PayloadBuilder::cmp(FP p, Value a, Value b) {
  return arith::CmpFOp::create(*this, p, a, b);
}
Value PayloadBuilder::cmp(IP p, Value a, Value b) {
  return arith::CmpIOp::create(*this, p, a, b);
}
Value PayloadBuilder::select(Value c, Value a, Value b) {
  return arith::SelectOp::create(*this, c, a, b);
}
Value PayloadBuilder::andi(Value a, Value b) {
  return arith::AndIOp::create(*this, a, b);
}
Value PayloadBuilder::ori(Value a, Value b) {
  return arith::OrIOp::create(*this, a, b);
}
Value PayloadBuilder::addf(Value a, Value b) {
  return arith::AddFOp::create(*this, a, b);
}
Value PayloadBuilder::subf(Value a, Value b) {
  return arith::SubFOp::create(*this, a, b);
}
Value PayloadBuilder::mulf(Value a, Value b) {
  return arith::MulFOp::create(*this, a, b);
}
Value PayloadBuilder::divf(Value a, Value b) {
  return arith::DivFOp::create(*this, a, b);
}
Value PayloadBuilder::negf(Value a) { return arith::NegFOp::create(*this, a); }
Value PayloadBuilder::absf(Value a) { return math::AbsFOp::create(*this, a); }
Value PayloadBuilder::isNan(Value a) { return cmp(FP::UNO, a, a); }
Value PayloadBuilder::isInf(Value a) {
  return cmp(FP::OEQ, absf(a), infinity(a.getType()));
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

Value PayloadBuilder::widen(Value v, bool half) {
  auto type = dyn_cast<FloatType>(v.getType());
  bool narrow =
      type && (type.getWidth() == 8 || type.isBF16() || (half && type.isF16()));
  return narrow ? arith::ExtFOp::create(*this, getF32Type(), v).getResult() : v;
}

Value PayloadBuilder::narrow(Value v, Type type) {
  return v.getType() == type ? v : floatToFloat(v, cast<FloatType>(type));
}

/// f64 to f32 with the last bit set when inexact: a later rounding to a
/// narrower type then rounds as if directly from f64.
static Value roundToOdd(PayloadBuilder &b, Value v) {
  Type f32 = b.getF32Type(), i32 = b.getI32Type();
  Value near = arith::TruncFOp::create(b, f32, v);
  Value back = arith::ExtFOp::create(b, v.getType(), near);
  Value inexact = b.cmp(FP::ONE, back, v);
  Value above = b.cmp(FP::OGT, b.absf(back), b.absf(v));
  Value bits = arith::BitcastOp::create(b, i32, near);
  Value toward =
      b.select(above, arith::SubIOp::create(b, bits, b.intConst(i32, 1)), bits);
  Value odd = b.ori(toward, b.intConst(i32, 1));
  return arith::BitcastOp::create(b, f32, b.select(inexact, odd, bits));
}

Value PayloadBuilder::floatToFloat(Value v, FloatType to) {
  auto from = cast<FloatType>(v.getType());
  if (from == to)
    return v;
  bool toTiny = to.getWidth() == 8 || to.isBF16();
  bool fromTiny = from.getWidth() == 8 || from.isBF16();
  if (from.getWidth() == 64 && toTiny)
    v = roundToOdd(*this, v);
  else if ((fromTiny || (from.isF16() && toTiny)) && !to.isF32())
    v = arith::ExtFOp::create(*this, getF32Type(), v);
  auto now = cast<FloatType>(v.getType());
  if (now == to)
    return v;
  if (now.getWidth() < to.getWidth())
    return arith::ExtFOp::create(*this, to, v);
  if (isa<Float8E4M3FNType>(to)) {
    v = arith::MinimumFOp::create(*this, v, floatConst(now, 448.0));
    v = arith::MaximumFOp::create(*this, v, floatConst(now, -448.0));
  }
  return arith::TruncFOp::create(*this, to, v);
}

/// An integer to one that f32 holds exactly and that rounds to the same bf16:
/// low bits that cannot matter are merged into one sticky bit.
static Value stickyForBf16(PayloadBuilder &b, Value v, bool isUnsigned) {
  Type type = v.getType();
  unsigned width = type.getIntOrFloatBitWidth();
  Value zero = b.intConst(type, 0), original = v;
  Value magnitude = v;
  if (!isUnsigned)
    magnitude =
        b.select(b.cmp(IP::slt, v, zero), arith::SubIOp::create(b, zero, v), v);
  for (unsigned bit = 24; bit < width; bit += 8) {
    APInt sticky = APInt::getOneBitSet(width, bit - 16);
    Value low = b.andi(original, b.intConst(type, sticky - 1));
    Value high = b.andi(original, b.intConst(type, ~(sticky - 1)));
    Value merged = b.select(b.cmp(IP::ne, low, zero),
                            b.ori(high, b.intConst(type, sticky)), high);
    Value large = b.cmp(IP::uge, magnitude,
                        b.intConst(type, APInt::getOneBitSet(width, bit)));
    v = b.select(large, merged, v);
  }
  return v;
}

Value PayloadBuilder::fromInt(Value v, bool isUnsigned, FloatType to) {
  if (v.getType().isInteger(1)) {
    Value one = floatConst(to, 1.0);
    return select(v, one, floatConst(to, 0.0));
  }
  // Below 2^24 f32 is exact; above it f16 and f8 overflow all the same.
  FloatType via = to;
  if (to.getWidth() < 32) {
    via = getF32Type();
    if (to.isBF16())
      v = stickyForBf16(*this, v, isUnsigned);
  }
  // SPIR-V converts from 8 bits only with an optional capability in places;
  // 32 is always there.
  if (v.getType().getIntOrFloatBitWidth() < 32)
    v = isUnsigned ? arith::ExtUIOp::create(*this, getI32Type(), v).getResult()
                   : arith::ExtSIOp::create(*this, getI32Type(), v).getResult();
  Value f = isUnsigned ? arith::UIToFPOp::create(*this, via, v).getResult()
                       : arith::SIToFPOp::create(*this, via, v).getResult();
  return floatToFloat(f, to);
}

/// Truncates toward zero and saturates; NaN gives 0.
Value PayloadBuilder::toInt(Value v, Type to) {
  v = widen(v, /*half=*/true);
  Type f = v.getType();
  Type target = signlessElement(to);
  unsigned width = target.getIntOrFloatBitWidth();
  bool isUnsigned = to.isUnsignedInteger();
  APInt least = isUnsigned ? APInt(width, 0) : APInt::getSignedMinValue(width);
  APInt most =
      isUnsigned ? APInt::getMaxValue(width) : APInt::getSignedMaxValue(width);
  // Both bounds are powers of two, so exact: v <= low and v >= high saturate.
  double high = std::ldexp(1.0, isUnsigned ? width : width - 1);
  double low = isUnsigned ? 0.0 : -high;
  Value under = cmp(FP::OLE, v, floatConst(f, low));
  Value over = cmp(FP::OGE, v, floatConst(f, high));
  Value nan = isNan(v);
  Value safe = select(ori(ori(under, over), nan), floatConst(f, 0.0), v);
  Type wide = width > 32 ? getI64Type() : getI32Type();
  Value whole = isUnsigned
                    ? arith::FPToUIOp::create(*this, wide, safe).getResult()
                    : arith::FPToSIOp::create(*this, wide, safe).getResult();
  if (wide != target)
    whole = arith::TruncIOp::create(*this, target, whole);
  Value result = select(under, intConst(target, least), whole);
  return select(over, intConst(target, most), result);
}

Value PayloadBuilder::toPred(Value v) {
  Type type = v.getType();
  if (isa<ComplexType>(type)) {
    Value re = toPred(complex::ReOp::create(*this, v));
    return ori(re, toPred(complex::ImOp::create(*this, v)));
  }
  if (isa<IntegerType>(type))
    return cmp(IP::ne, v, intConst(type, 0));
  v = widen(v, /*half=*/false);
  return cmp(FP::UNE, v, floatConst(v.getType(), 0.0));
}

Value PayloadBuilder::convert(Value v, Type from, Type to) {
  Type target = signlessElement(to);
  if (v.getType() == target)
    return v;
  if (to.isInteger(1))
    return toPred(v);
  if (auto complex = dyn_cast<ComplexType>(to)) {
    Type part = complex.getElementType();
    Value re, im;
    if (auto source = dyn_cast<ComplexType>(from)) {
      Type old = source.getElementType();
      re = convert(complex::ReOp::create(*this, v), old, part);
      im = convert(complex::ImOp::create(*this, v), old, part);
    } else {
      re = convert(v, from, part);
      im = floatConst(part, 0.0);
    }
    return complex::CreateOp::create(*this, to, re, im);
  }
  if (auto complex = dyn_cast<ComplexType>(from))
    return convert(complex::ReOp::create(*this, v), complex.getElementType(),
                   to);
  bool isUnsigned = isUnsignedElement(from);
  if (auto f = dyn_cast<FloatType>(to))
    return isa<FloatType>(from) ? floatToFloat(v, f)
                                : fromInt(v, isUnsigned, f);
  if (isa<FloatType>(from))
    return toInt(v, to);
  if (target.getIntOrFloatBitWidth() < v.getType().getIntOrFloatBitWidth())
    return arith::TruncIOp::create(*this, target, v);
  return isUnsigned ? arith::ExtUIOp::create(*this, target, v).getResult()
                    : arith::ExtSIOp::create(*this, target, v).getResult();
}
