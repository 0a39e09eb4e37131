//===- FloatBits.cpp - narrow floats as integers ----------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "nxv/Conversion/LegalizeElements/FloatBits.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <cmath>

using namespace mlir;
using namespace nxv;

FloatFormat::FloatFormat(FloatType type) : type(type) {
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  width = type.getWidth();
  fraction = APFloat::semanticsPrecision(semantics) - 1;
  bias = 1 - APFloat::semanticsMinExponent(semantics);
  infinities = APFloat::semanticsHasInf(semantics);
}

double FloatFormat::leastNormal() const { return std::ldexp(1.0, 1 - bias); }

double FloatFormat::unit() const {
  return std::ldexp(1.0, 1 - bias - int(fraction));
}

Value FloatCoder::decode(Value bits, FloatFormat format) {
  useShapeOf(bits);
  Value x = bits.getType() == i32
                ? bits
                : Value(arith::ExtUIOp::create(b, loc, i32, bits));
  if (format.type.isBF16())
    return toFloat(shl(x, 16));
  Value magnitude = andi(x, num(format.magnitude()));
  // Exponents differ by the biases; those of subnormal numbers do not exist.
  Value shifted = shl(magnitude, format.dropped());
  Value normal = add(shifted, num(uint32_t(127 - format.bias) << 23));
  Value whole = arith::UIToFPOp::create(b, loc, f32, magnitude);
  Value small = arith::MulFOp::create(b, loc, whole, real(format.unit()));
  Value result =
      select(less(magnitude, 1u << format.fraction), toBits(small), normal);
  Value special =
      format.infinities
          ? add(shl(andi(magnitude, num((1u << format.fraction) - 1)),
                    format.dropped()),
                num(0x7f800000))
          : num(0x7fc00000);
  result = select(less(magnitude, format.leastSpecial()), result, special);
  Value sign = shl(shr(x, format.width - 1), 31);
  return toFloat(ori(result, sign));
}

Value FloatCoder::encode(Value number, FloatFormat format) {
  useShapeOf(number);
  Value x = toBits(number);
  Value magnitude = andi(x, num(0x7fffffff));
  Value odd = andi(shr(magnitude, format.dropped()), num(1));
  Value rounding = add(odd, num((1u << (format.dropped() - 1)) - 1));
  Value rounded = shr(add(magnitude, rounding), format.dropped());
  Value result = rounded;
  if (!format.type.isBF16()) {
    result = arith::SubIOp::create(
        b, loc, rounded, num(uint32_t(127 - format.bias) << format.fraction));
    // Adding a number whose last place is the unit rounds to the unit.
    Value absolute = toFloat(magnitude);
    double anchor = std::ldexp(format.unit(), 23);
    Value sum = arith::AddFOp::create(b, loc, absolute, real(anchor));
    Value small =
        arith::SubIOp::create(b, loc, toBits(sum), toBits(real(anchor)));
    Value isSmall = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT,
                                          absolute, real(format.leastNormal()));
    result = select(isSmall, small, result);
    Value most = num(format.leastSpecial());
    result = arith::MinUIOp::create(b, loc, result, most);
  }
  Value quiet = num(format.exponentBits() | 1u << (format.fraction - 1) |
                    (format.infinities ? 0 : format.magnitude()));
  Value isNan = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ugt,
                                      magnitude, num(0x7f800000));
  result = select(isNan, quiet, result);
  Value sign = shl(shr(x, 31), format.width - 1);
  return ori(result, sign);
}

void FloatCoder::useShapeOf(Value value) {
  i32 = b.getI32Type();
  f32 = b.getF32Type();
  if (auto vector = dyn_cast<VectorType>(value.getType())) {
    i32 = vector.clone(i32);
    f32 = vector.clone(f32);
  }
}

Value FloatCoder::num(uint32_t value) {
  TypedAttr attr = b.getIntegerAttr(b.getI32Type(), APInt(32, value));
  if (auto vector = dyn_cast<VectorType>(i32))
    attr = DenseElementsAttr::get(vector, Attribute(attr));
  return arith::ConstantOp::create(b, loc, attr);
}

Value FloatCoder::real(double value) {
  TypedAttr attr = b.getFloatAttr(b.getF32Type(), value);
  if (auto vector = dyn_cast<VectorType>(f32))
    attr = DenseElementsAttr::get(vector, Attribute(attr));
  return arith::ConstantOp::create(b, loc, attr);
}

Value FloatCoder::toFloat(Value bits) {
  return arith::BitcastOp::create(b, loc, f32, bits);
}

Value FloatCoder::toBits(Value number) {
  return arith::BitcastOp::create(b, loc, i32, number);
}

Value FloatCoder::shl(Value x, uint32_t n) {
  return arith::ShLIOp::create(b, loc, x, num(n));
}

Value FloatCoder::shr(Value x, uint32_t n) {
  return arith::ShRUIOp::create(b, loc, x, num(n));
}

Value FloatCoder::add(Value x, Value y) {
  return arith::AddIOp::create(b, loc, x, y);
}

Value FloatCoder::andi(Value x, Value y) {
  return arith::AndIOp::create(b, loc, x, y);
}

Value FloatCoder::ori(Value x, Value y) {
  return arith::OrIOp::create(b, loc, x, y);
}

Value FloatCoder::less(Value x, uint32_t bound) {
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, x,
                               num(bound));
}

Value FloatCoder::select(Value c, Value x, Value y) {
  return arith::SelectOp::create(b, loc, c, x, y);
}
