//===- Helpers.cpp - expansions of the smaller operations ---------------===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Helpers.h"

#include "Kernels/Emit.h"
#include "nxv/Math/Expand.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace nxv::math {
namespace {

//===----------------------------------------------------------------------===//
// A little language of integers and floats
//===----------------------------------------------------------------------===//

/// Builds operations on values of any width, scalar or vector.
struct Build {
  OpBuilder &b;
  Location loc;

  template <typename Op, typename... Args>
  Value make(Args &&...args) {
    return Op::create(b, loc, std::forward<Args>(args)...);
  }
  static Type withElement(Type shape, Type element) {
    if (auto vector = dyn_cast<VectorType>(shape))
      return vector.clone(element);
    return element;
  }
  static unsigned width(Type type) {
    return getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  }
  Value constant(Type type, TypedAttr element) {
    if (auto vector = dyn_cast<VectorType>(type))
      element = DenseElementsAttr::get(vector, element);
    return make<arith::ConstantOp>(element);
  }
  Value integer(Type type, const APInt &value) {
    return constant(type, IntegerAttr::get(getElementTypeOrSelf(type), value));
  }
  Value integer(Type type, int64_t value) {
    return integer(type,
                   APInt(64, static_cast<uint64_t>(value)).trunc(width(type)));
  }
  Value real(Type type, double value) {
    return constant(type, b.getFloatAttr(getElementTypeOrSelf(type), value));
  }
  Value bits(Value x) {
    Type type = x.getType();
    return make<arith::BitcastOp>(
        withElement(type, b.getIntegerType(width(type))), x);
  }
  Value asFloat(Type type, Value bits) {
    return make<arith::BitcastOp>(type, bits);
  }
  Value add(Value x, Value y) { return make<arith::AddIOp>(x, y); }
  Value sub(Value x, Value y) { return make<arith::SubIOp>(x, y); }
  Value mul(Value x, Value y) { return make<arith::MulIOp>(x, y); }
  Value bitAnd(Value x, Value y) { return make<arith::AndIOp>(x, y); }
  Value bitOr(Value x, Value y) { return make<arith::OrIOp>(x, y); }
  Value bitXor(Value x, Value y) { return make<arith::XOrIOp>(x, y); }
  Value shr(Value x, int64_t by) {
    return make<arith::ShRUIOp>(x, integer(x.getType(), by));
  }
  Value shl(Value x, int64_t by) {
    return make<arith::ShLIOp>(x, integer(x.getType(), by));
  }
  Value cmp(arith::CmpIPredicate p, Value x, Value y) {
    return make<arith::CmpIOp>(p, x, y);
  }
  Value cmp(arith::CmpFPredicate p, Value x, Value y) {
    return make<arith::CmpFOp>(p, x, y);
  }
  Value select(Value m, Value x, Value y) {
    return make<arith::SelectOp>(m, x, y);
  }
};

using IPred = arith::CmpIPredicate;
using FPred = arith::CmpFPredicate;

/// Sign, infinity's bits (which are the exponent's mask), of a float type.
struct FloatLayout {
  APInt sign, infinity;
  explicit FloatLayout(Type type) {
    auto element = cast<FloatType>(getElementTypeOrSelf(type));
    const llvm::fltSemantics &semantics = element.getFloatSemantics();
    sign = APInt::getSignMask(element.getWidth());
    infinity = APFloat::getInf(semantics).bitcastToAPInt();
  }
};

//===----------------------------------------------------------------------===//
// Classification and signs
//===----------------------------------------------------------------------===//

Value classify(Build b, Operation *op) {
  Value x = op->getOperand(0);
  FloatLayout layout(x.getType());
  Value bits = b.bits(x);
  Type type = bits.getType();
  Value magnitude = b.bitAnd(bits, b.integer(type, ~layout.sign));
  Value infinity = b.integer(type, layout.infinity);
  if (isa<mlir::math::IsNaNOp>(op))
    return b.cmp(IPred::ugt, magnitude, infinity);
  if (isa<mlir::math::IsInfOp>(op))
    return b.cmp(IPred::eq, magnitude, infinity);
  Value finite = b.cmp(IPred::ult, magnitude, infinity);
  if (isa<mlir::math::IsFiniteOp>(op))
    return finite;
  // isnormal: the exponent is neither all zeros nor all ones.
  Value exponent = b.bitAnd(bits, infinity);
  Value zero = b.integer(type, 0);
  return b.bitAnd(finite, b.cmp(IPred::ne, exponent, zero));
}

Value copySign(Build b, Value magnitude, Value sign) {
  Type type = magnitude.getType();
  FloatLayout layout(type);
  Value m = b.bits(magnitude), s = b.bits(sign);
  m = b.bitAnd(m, b.integer(m.getType(), ~layout.sign));
  s = b.bitAnd(s, b.integer(s.getType(), layout.sign));
  return b.asFloat(type, b.bitOr(m, s));
}

Value withSignOf(Build b, Value positive, Value sign) {
  FloatLayout layout(sign.getType());
  Value s = b.bits(sign);
  s = b.bitAnd(s, b.integer(s.getType(), layout.sign));
  return b.asFloat(sign.getType(), b.bitOr(b.bits(positive), s));
}

Value trunc(Build b, Value x) {
  Value down = b.make<mlir::math::FloorOp>(b.make<mlir::math::AbsFOp>(x));
  return withSignOf(b, down, x);
}

/// Halves go away from zero.
Value round(Build b, Value x) {
  Type type = x.getType();
  Value magnitude = b.make<mlir::math::AbsFOp>(x);
  Value down = b.make<mlir::math::FloorOp>(magnitude);
  Value rest = b.make<arith::SubFOp>(magnitude, down);
  Value isUp = b.cmp(FPred::OGE, rest, b.real(type, 0.5));
  Value up = b.make<arith::AddFOp>(down, b.real(type, 1));
  return withSignOf(b, b.select(isUp, up, down), x);
}

/// A NaN operand is the result; -0 counts as less than +0.
Value extremum(Build b, Value x, Value y, bool isMax) {
  Type type = x.getType();
  Value first = b.cmp(isMax ? FPred::OGT : FPred::OLT, x, y);
  first = b.bitOr(first, b.cmp(FPred::UNE, x, x));
  Value chosen = b.select(first, x, y);
  // Equal operands differ in a zero's sign at most.
  Value xs = b.bits(x), ys = b.bits(y);
  Value both = b.asFloat(type, isMax ? b.bitAnd(xs, ys) : b.bitOr(xs, ys));
  return b.select(b.cmp(FPred::OEQ, x, y), both, chosen);
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

/// Set bits, for a width of 32 or 64.
Value countOnes(Build b, Value x) {
  Type type = x.getType();
  unsigned width = Build::width(type);
  auto splat = [&](uint64_t byte) {
    return b.integer(type, APInt::getSplat(width, APInt(8, byte)));
  };
  Value pairs = b.sub(x, b.bitAnd(b.shr(x, 1), splat(0x55)));
  Value nibbles = b.add(b.bitAnd(pairs, splat(0x33)),
                        b.bitAnd(b.shr(pairs, 2), splat(0x33)));
  Value bytes = b.bitAnd(b.add(nibbles, b.shr(nibbles, 4)), splat(0x0f));
  return b.shr(b.mul(bytes, splat(0x01)), width - 8);
}

/// Leading zeros of an i32, which the device counts.
Value leadingZeros32(Build b, Value x) {
  Value count = b.make<mlir::math::CountLeadingZerosOp>(x);
  count.getDefiningOp()->setAttr(kernels::kNativeAttr, b.b.getUnitAttr());
  return count;
}

Value leadingZeros64(Build b, Value x) {
  Type type = x.getType();
  Type half = Build::withElement(type, b.b.getI32Type());
  Value high = b.make<arith::TruncIOp>(half, b.shr(x, 32));
  Value low = b.make<arith::TruncIOp>(half, x);
  Value lowCount = b.add(leadingZeros32(b, low), b.integer(half, 32));
  Value isLow = b.cmp(IPred::eq, high, b.integer(half, 0));
  Value count = b.select(isLow, lowCount, leadingZeros32(b, high));
  return b.make<arith::ExtUIOp>(type, count);
}

/// Counts as in 32 or 64 bits, and corrects for the width.
Value countBits(Build b, Operation *op) {
  Value x = op->getOperand(0);
  Type type = x.getType();
  unsigned width = Build::width(type);
  Type wide = Build::withElement(type, b.b.getI32Type());
  bool extended = width < 32;
  if (extended)
    x = b.make<arith::ExtUIOp>(wide, x);
  Value count;
  if (isa<mlir::math::CtPopOp>(op)) {
    count = countOnes(b, x);
  } else if (isa<mlir::math::CountTrailingZerosOp>(op)) {
    // A bit above the narrow type bounds the count by its width.
    if (extended)
      x = b.bitOr(x, b.integer(wide, int64_t(1) << width));
    Value one = b.integer(x.getType(), 1), zero = b.integer(x.getType(), 0);
    count = countOnes(b, b.sub(b.bitAnd(x, b.sub(zero, x)), one));
  } else {
    count = width == 64 ? leadingZeros64(b, x) : leadingZeros32(b, x);
    if (extended)
      count = b.sub(count, b.integer(wide, 32 - int64_t(width)));
  }
  return extended ? b.make<arith::TruncIOp>(type, count) : count;
}

/// The quotient rounded down, or up.
Value roundedDivision(Build b, Value x, Value y, bool up) {
  Type type = x.getType();
  Value zero = b.integer(type, 0), one = b.integer(type, 1);
  Value q = b.make<arith::DivSIOp>(x, y);
  Value rest = b.sub(x, b.mul(q, y));
  Value inexact = b.cmp(IPred::ne, rest, zero);
  // The remainder has the dividend's sign, so the xor has the quotient's.
  Value side = b.cmp(up ? IPred::sge : IPred::slt, b.bitXor(rest, y), zero);
  Value next = up ? b.add(q, one) : b.sub(q, one);
  return b.select(b.bitAnd(inexact, side), next, q);
}

Value ceilDivUnsigned(Build b, Value x, Value y) {
  Type type = x.getType();
  Value zero = b.integer(type, 0), one = b.integer(type, 1);
  Value q = b.add(b.make<arith::DivUIOp>(b.sub(x, one), y), one);
  return b.select(b.cmp(IPred::eq, x, zero), zero, q);
}

//===----------------------------------------------------------------------===//
// Loops: one lane at a time
//===----------------------------------------------------------------------===//

/// Applies `scalar` to each lane of the operands.
Value forEachLane(Build b, ValueRange operands, Type resultType,
                  llvm::function_ref<Value(ValueRange)> scalar) {
  auto vector = dyn_cast<VectorType>(resultType);
  if (!vector)
    return scalar(operands);
  SmallVector<Value> lanes;
  SmallVector<int64_t> strides = computeSuffixProduct(vector.getShape());
  for (int64_t i = 0, n = vector.getNumElements(); i < n; ++i) {
    SmallVector<int64_t> position = delinearize(i, strides);
    SmallVector<Value> arguments;
    for (Value operand : operands)
      arguments.push_back(b.make<vector::ExtractOp>(operand, position));
    lanes.push_back(scalar(arguments));
  }
  return b.make<vector::FromElementsOp>(vector, lanes);
}

/// while (condition) state = step(state)
ValueRange whileLoop(Build b, ValueRange initial,
                     llvm::function_ref<Value(ValueRange)> condition,
                     llvm::function_ref<SmallVector<Value>(ValueRange)> step) {
  auto loop = scf::WhileOp::create(
      b.b, b.loc, initial.getTypes(), initial,
      [&](OpBuilder &, Location, ValueRange state) {
        Value more = condition(state);
        scf::ConditionOp::create(b.b, b.loc, more, state);
      },
      [&](OpBuilder &, Location, ValueRange state) {
        scf::YieldOp::create(b.b, b.loc, step(state));
      });
  return loop.getResults();
}

/// base^exponent for a constant exponent > 0.
Value constantPower(Build b, Value base, uint64_t exponent) {
  Value result;
  for (Value square = base;;) {
    if (exponent & 1)
      result = result ? b.mul(result, square) : square;
    exponent >>= 1;
    if (!exponent)
      return result;
    square = b.mul(square, square);
  }
}

/// Wraps; a negative exponent gives 0 unless the base is 1 or -1.
Value integerPower(Build b, Value base, Value exponent) {
  Type type = base.getType();
  Value zero = b.integer(type, 0), one = b.integer(type, 1);
  Value minusOne = b.integer(type, -1);
  Value negative = b.cmp(IPred::slt, exponent, zero);
  Value count = b.select(negative, zero, exponent);
  auto more = [&](ValueRange s) { return b.cmp(IPred::ne, s[2], zero); };
  auto step = [&](ValueRange s) -> SmallVector<Value> {
    Value odd = b.cmp(IPred::ne, b.bitAnd(s[2], one), zero);
    Value product = b.select(odd, b.mul(s[0], s[1]), s[0]);
    return {product, b.mul(s[1], s[1]), b.shr(s[2], 1)};
  };
  Value power = whileLoop(b, {one, base, count}, more, step)[0];
  Value odd = b.cmp(IPred::ne, b.bitAnd(exponent, one), zero);
  Value isOne = b.cmp(IPred::eq, base, one);
  Value isMinusOne = b.cmp(IPred::eq, base, minusOne);
  Value unit = b.select(isOne, one, zero);
  unit = b.select(isMinusOne, b.select(odd, minusOne, one), unit);
  return b.select(negative, unit, power);
}

Value ipowi(Build b, Operation *op) {
  Value base = op->getOperand(0), exponent = op->getOperand(1);
  APInt constant;
  if (matchPattern(exponent, m_ConstantInt(&constant)) &&
      constant.isStrictlyPositive())
    return constantPower(b, base, constant.getZExtValue());
  return forEachLane(b, {base, exponent}, base.getType(),
                     [&](ValueRange v) { return integerPower(b, v[0], v[1]); });
}

/// The remainder of x / y with x's sign, exactly, by long division of the
/// mantissas as integers. Scalars of f32 or f64.
Value exactRemainder(Build b, Value x, Value y) {
  Type type = x.getType();
  bool isDouble = Build::width(type) == 64;
  int64_t mantissa = isDouble ? 52 : 23, width = isDouble ? 64 : 32;
  int64_t bias = isDouble ? 1023 : 127;
  FloatLayout layout(type);
  Value xBits = b.bits(x), yBits = b.bits(y);
  Type itype = xBits.getType();
  Value zero = b.integer(itype, 0), one = b.integer(itype, 1);
  Value mask = b.integer(itype, (int64_t(1) << mantissa) - 1);
  Value implicit = b.integer(itype, int64_t(1) << mantissa);
  Value infinity = b.integer(itype, layout.infinity);
  Value magnitudeMask = b.integer(itype, ~layout.sign);
  // A subnormal number has the exponent one and no implicit bit.
  auto unpack = [&](Value bits, Value &m, Value &e) {
    Value magnitude = b.bitAnd(bits, magnitudeMask);
    Value field = b.shr(magnitude, mantissa);
    Value subnormal = b.cmp(IPred::eq, field, zero);
    m = b.bitOr(b.bitAnd(bits, mask), b.select(subnormal, zero, implicit));
    e = b.select(subnormal, one, field);
    return magnitude;
  };
  Value mx, ex, my, ey;
  Value xMagnitude = unpack(xBits, mx, ex), yMagnitude = unpack(yBits, my, ey);
  Value divisor = b.select(b.cmp(IPred::eq, my, zero), one, my);
  Value count = b.sub(ex, ey);
  Value stride = b.integer(itype, width - mantissa - 1);
  Value first = b.make<arith::RemUIOp>(mx, divisor);
  auto more = [&](ValueRange s) { return b.cmp(IPred::sgt, s[1], zero); };
  auto step = [&](ValueRange s) -> SmallVector<Value> {
    Value isLast = b.cmp(IPred::slt, s[1], stride);
    Value by = b.select(isLast, s[1], stride);
    Value shifted = b.make<arith::ShLIOp>(s[0], by);
    return {b.make<arith::RemUIOp>(shifted, divisor), b.sub(s[1], by)};
  };
  Value rest = whileLoop(b, {first, count}, more, step)[0];
  // rest * 2^(ey - bias - mantissa), in two steps within the normal range.
  Value scale = b.sub(ey, b.integer(itype, bias + mantissa));
  Value half = b.make<arith::ShRSIOp>(scale, one);
  auto power = [&](Value k) {
    Value field = b.shl(b.add(k, b.integer(itype, bias)), mantissa);
    return b.asFloat(type, field);
  };
  Value r = b.make<arith::SIToFPOp>(type, rest);
  r = b.make<arith::MulFOp>(r, power(half));
  r = b.make<arith::MulFOp>(r, power(b.sub(scale, half)));
  r = withSignOf(b, r, x);
  r = b.select(b.cmp(IPred::slt, count, zero), x, r);
  Value invalid = b.bitOr(b.bitOr(b.cmp(IPred::uge, xMagnitude, infinity),
                                  b.cmp(IPred::ugt, yMagnitude, infinity)),
                          b.cmp(IPred::eq, yMagnitude, zero));
  Value nan = b.real(type, std::numeric_limits<double>::quiet_NaN());
  return b.select(invalid, nan, r);
}

Value remainder(Build b, Value x, Value y) {
  Type type = x.getType();
  bool narrow = Build::width(type) < 32;
  // The remainder of narrow operands is one of their type's numbers.
  if (narrow) {
    Type wide = Build::withElement(type, b.b.getF32Type());
    x = b.make<arith::ExtFOp>(wide, x);
    y = b.make<arith::ExtFOp>(wide, y);
  }
  Value r = forEachLane(b, {x, y}, x.getType(), [&](ValueRange v) {
    return exactRemainder(b, v[0], v[1]);
  });
  return narrow ? b.make<arith::TruncFOp>(type, r) : r;
}

/// The exponent as a float loses bits only where the power is 0, 1 or infinite;
/// the sign comes from the integer.
Value fpowi(Build b, Value x, Value n) {
  Type type = x.getType();
  Value magnitude = b.make<mlir::math::AbsFOp>(x);
  Value y = b.make<arith::SIToFPOp>(type, n);
  Value r = expand(b.b, b.loc, Function::Pow, {magnitude, y});
  Value one = b.integer(n.getType(), 1), zero = b.integer(n.getType(), 0);
  Value odd = b.cmp(IPred::ne, b.bitAnd(n, one), zero);
  return b.select(odd, copySign(b, r, x), r);
}

/// Some drivers take a product with a literal 0 for 0, which loses NaN and the
/// sign. They do not know -0.
Value productWithZero(Build b, arith::MulFOp op) {
  bool isRight = matchPattern(op.getRhs(), m_PosZeroFloat());
  Value x = isRight ? op.getLhs() : op.getRhs();
  Value zero = isRight ? op.getRhs() : op.getLhs();
  auto value = FloatAttr::get(getElementTypeOrSelf(op.getType()), -0.0);
  Value negativeZero = b.make<arith::ConstantOp>(
      zero.getType(), isa<VectorType>(zero.getType())
                          ? TypedAttr(DenseElementsAttr::get(
                                cast<VectorType>(zero.getType()), value))
                          : TypedAttr(value));
  return b.make<arith::MulFOp>(b.make<arith::NegFOp>(x), negativeZero);
}

//===----------------------------------------------------------------------===//
// Dispatch
//===----------------------------------------------------------------------===//

Value expandOne(Build b, Operation *op) {
  namespace m = mlir::math;
  return TypeSwitch<Operation *, Value>(op)
      .Case<m::IsNaNOp, m::IsInfOp, m::IsFiniteOp, m::IsNormalOp>(
          [&](auto o) { return classify(b, o); })
      .Case<m::CtPopOp, m::CountLeadingZerosOp, m::CountTrailingZerosOp>(
          [&](auto o) { return countBits(b, o); })
      .Case(
          [&](m::CopySignOp o) { return copySign(b, o.getLhs(), o.getRhs()); })
      .Case([&](m::TruncOp o) { return trunc(b, o.getOperand()); })
      .Case([&](m::RoundOp o) { return round(b, o.getOperand()); })
      .Case([&](m::IPowIOp o) { return ipowi(b, o); })
      .Case([&](m::FPowIOp o) { return fpowi(b, o.getLhs(), o.getRhs()); })
      .Case([&](arith::MulFOp o) { return productWithZero(b, o); })
      .Case([&](arith::MaximumFOp o) {
        return extremum(b, o.getLhs(), o.getRhs(), true);
      })
      .Case([&](arith::MinimumFOp o) {
        return extremum(b, o.getLhs(), o.getRhs(), false);
      })
      .Case([&](arith::FloorDivSIOp o) {
        return roundedDivision(b, o.getLhs(), o.getRhs(), false);
      })
      .Case([&](arith::CeilDivSIOp o) {
        return roundedDivision(b, o.getLhs(), o.getRhs(), true);
      })
      .Case([&](arith::CeilDivUIOp o) {
        return ceilDivUnsigned(b, o.getLhs(), o.getRhs());
      })
      .Case(
          [&](arith::RemFOp o) { return remainder(b, o.getLhs(), o.getRhs()); })
      .Default([](Operation *) { return Value(); });
}

/// Integers of up to 64 bits or index, floats as for functions.
bool isSupported(Type type, bool allowIndex) {
  auto vector = dyn_cast<VectorType>(type);
  if (vector && vector.isScalable())
    return false;
  Type element = vector ? vector.getElementType() : type;
  if (isa<FloatType>(element))
    return canExpand(type);
  if (element.isIndex())
    return allowIndex;
  unsigned width = element.isInteger() ? element.getIntOrFloatBitWidth() : 0;
  return width == 64 || (width > 0 && width <= 32);
}

} // namespace

bool isHelper(Operation *op) {
  namespace m = mlir::math;
  if (auto product = dyn_cast<arith::MulFOp>(op))
    return matchPattern(product.getLhs(), m_PosZeroFloat()) ||
           matchPattern(product.getRhs(), m_PosZeroFloat());
  return isa<m::IsNaNOp, m::IsInfOp, m::IsFiniteOp, m::IsNormalOp, m::CtPopOp,
             m::CountLeadingZerosOp, m::CountTrailingZerosOp, m::CopySignOp,
             m::TruncOp, m::RoundOp, m::IPowIOp, m::FPowIOp, arith::MaximumFOp,
             arith::MinimumFOp, arith::FloorDivSIOp, arith::CeilDivSIOp,
             arith::CeilDivUIOp, arith::RemFOp>(op);
}

LogicalResult expandHelper(OpBuilder &builder, Operation *op) {
  bool isDivision =
      isa<arith::FloorDivSIOp, arith::CeilDivSIOp, arith::CeilDivUIOp>(op);
  for (Type type : op->getOperandTypes())
    if (!isSupported(type, isDivision))
      return op->emitOpError("cannot be expanded for type ") << type;
  Value result = expandOne({builder, op->getLoc()}, op);
  op->replaceAllUsesWith(ValueRange{result});
  op->erase();
  return success();
}

} // namespace nxv::math
