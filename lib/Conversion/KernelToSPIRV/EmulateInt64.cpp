//===- EmulateInt64.cpp - 64 bits in two words ------------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
// A value of 64 bits is two values of 32, the low half first; a vector is two
// vectors. Memory is words, with the halves of an element side by side; memory
// of vectors has a vector of low halves and then one of high ones.
//===----------------------------------------------------------------------===//

#include "Kernel.h"

#include "nxv/Conversion/KernelToSPIRV/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/DialectConversion.h"

namespace nxv {
#define GEN_PASS_DEF_NXVEMULATEINT64
#include "nxv/Conversion/KernelToSPIRV/Passes.h.inc"
} // namespace nxv

using namespace mlir;
using Predicate = arith::CmpIPredicate;

namespace {

bool isWide(Type type) {
  return !isa<MemRefType>(type) && getElementTypeOrSelf(type).isInteger(64);
}

/// The type of a half of a wide value, or of a value like `type` of 32 bits.
Type halfOf(Type type) {
  Type i32 = IntegerType::get(type.getContext(), 32);
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.clone(i32);
  return i32;
}

MemRefType convertMemory(MemRefType type) {
  Type element = type.getElementType();
  if (!isWide(element))
    return type;
  SmallVector<int64_t> shape(type.getShape());
  if (!shape.empty() && !ShapedType::isDynamic(shape.back()))
    shape.back() *= 2;
  return MemRefType::get(shape, halfOf(element), MemRefLayoutAttrInterface(),
                         type.getMemorySpace());
}

struct Halver : TypeConverter {
  Halver() {
    addConversion([](Type type) { return type; });
    addConversion([](MemRefType type) { return convertMemory(type); });
    addConversion(
        [](Type type,
           SmallVectorImpl<Type> &types) -> std::optional<LogicalResult> {
          if (!isWide(type))
            return std::nullopt;
          types.append(2, halfOf(type));
          return success();
        });
  }
};

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

struct Wide {
  Wide() = default;
  Wide(Value low, Value high) : low(low), high(high) {}
  explicit Wide(ValueRange halves) : low(halves[0]), high(halves[1]) {}
  Value low, high;
};

/// Arithmetic on pairs of words, scalars or vectors of the shape of `like`.
class WideArithmetic {
public:
  WideArithmetic(OpBuilder &b, Location loc, Type like)
      : b(b), loc(loc), i32(halfOf(like)) {}

  Value num(uint32_t value) {
    TypedAttr attr = b.getIntegerAttr(b.getI32Type(), APInt(32, value));
    if (auto vector = dyn_cast<VectorType>(i32))
      attr = DenseElementsAttr::get(vector, Attribute(attr));
    return arith::ConstantOp::create(b, loc, attr);
  }
  Wide constant(uint64_t value) {
    return {num(uint32_t(value)), num(uint32_t(value >> 32))};
  }
  template <typename Op>
  Value op(Value x, Value y) {
    return Op::create(b, loc, x, y);
  }
  Value compare(Predicate predicate, Value x, Value y) {
    return arith::CmpIOp::create(b, loc, predicate, x, y);
  }
  Value select(Value c, Value x, Value y) {
    return arith::SelectOp::create(b, loc, c, x, y);
  }
  Wide select(Value c, Wide x, Wide y) {
    return {select(c, x.low, y.low), select(c, x.high, y.high)};
  }
  template <typename Op>
  Wide each(Wide x, Wide y) {
    return {op<Op>(x.low, y.low), op<Op>(x.high, y.high)};
  }

  Wide add(Wide x, Wide y);
  Wide subtract(Wide x, Wide y);
  Wide negate(Wide x) { return subtract(constant(0), x); }
  Wide multiply(Wide x, Wide y);
  Wide shiftLeft(Wide x, Value by);
  Wide shiftRight(Wide x, Value by, bool isSigned);
  Value compare(Predicate predicate, Wide x, Wide y);
  Value isNegative(Wide x) { return compare(Predicate::slt, x.high, num(0)); }
  Wide absolute(Wide x) { return select(isNegative(x), negate(x), x); }
  /// Quotient and remainder.
  std::pair<Wide, Wide> divide(Wide x, Wide y, bool isSigned);
  Value countLeadingZeros(Wide x);
  Wide signExtended(Value low) {
    return {low, op<arith::ShRSIOp>(low, num(31))};
  }

private:
  std::pair<Wide, Wide> divideUnsigned(Wide x, Wide y);

  OpBuilder &b;
  Location loc;
  Type i32;
};

Wide WideArithmetic::add(Wide x, Wide y) {
  Value low = op<arith::AddIOp>(x.low, y.low);
  Value carries = compare(Predicate::ult, low, y.low);
  Value carry = arith::ExtUIOp::create(b, loc, i32, carries);
  Value high = op<arith::AddIOp>(x.high, y.high);
  return {low, op<arith::AddIOp>(high, carry)};
}

Wide WideArithmetic::subtract(Wide x, Wide y) {
  Value low = op<arith::SubIOp>(x.low, y.low);
  Value borrows = compare(Predicate::ult, x.low, y.low);
  Value borrow = arith::ExtUIOp::create(b, loc, i32, borrows);
  Value high = op<arith::SubIOp>(x.high, y.high);
  return {low, op<arith::SubIOp>(high, borrow)};
}

Wide WideArithmetic::multiply(Wide x, Wide y) {
  auto product = arith::MulUIExtendedOp::create(b, loc, x.low, y.low);
  Value high =
      op<arith::AddIOp>(product.getHigh(), op<arith::MulIOp>(x.low, y.high));
  high = op<arith::AddIOp>(high, op<arith::MulIOp>(x.high, y.low));
  return {product.getLow(), high};
}

/// Shifts of a word by 32 and more are undefined: what crosses the halves is
/// shifted by one and then by the rest.
Wide WideArithmetic::shiftLeft(Wide x, Value by) {
  Value within = op<arith::AndIOp>(by, num(31));
  Value rest = op<arith::SubIOp>(num(31), within);
  Value low = op<arith::ShLIOp>(x.low, within);
  Value crossing = op<arith::ShRUIOp>(op<arith::ShRUIOp>(x.low, num(1)), rest);
  Value high = op<arith::OrIOp>(op<arith::ShLIOp>(x.high, within), crossing);
  Value far = compare(Predicate::uge, by, num(32));
  return {select(far, num(0), low), select(far, low, high)};
}

Wide WideArithmetic::shiftRight(Wide x, Value by, bool isSigned) {
  auto shift = [&](Value value, Value amount) {
    return isSigned ? op<arith::ShRSIOp>(value, amount)
                    : op<arith::ShRUIOp>(value, amount);
  };
  Value within = op<arith::AndIOp>(by, num(31));
  Value rest = op<arith::SubIOp>(num(31), within);
  Value high = shift(x.high, within);
  Value crossing = op<arith::ShLIOp>(op<arith::ShLIOp>(x.high, num(1)), rest);
  Value low = op<arith::OrIOp>(op<arith::ShRUIOp>(x.low, within), crossing);
  Value far = compare(Predicate::uge, by, num(32));
  Value filled = isSigned ? shift(x.high, num(31)) : num(0);
  return {select(far, high, low), select(far, filled, high)};
}

Value WideArithmetic::compare(Predicate predicate, Wide x, Wide y) {
  Value same = compare(Predicate::eq, x.high, y.high);
  if (predicate == Predicate::eq || predicate == Predicate::ne) {
    Value equal = op<arith::AndIOp>(same, compare(Predicate::eq, x.low, y.low));
    if (predicate == Predicate::eq)
      return equal;
    Value different = compare(Predicate::ne, x.low, y.low);
    return op<arith::OrIOp>(compare(Predicate::ne, x.high, y.high), different);
  }
  // The high halves decide by the strict order; equal ones leave it to the low.
  Predicate strict = predicate, low = predicate;
  switch (predicate) {
  case Predicate::slt:
  case Predicate::sle:
    strict = Predicate::slt;
    low = predicate == Predicate::slt ? Predicate::ult : Predicate::ule;
    break;
  case Predicate::sgt:
  case Predicate::sge:
    strict = Predicate::sgt;
    low = predicate == Predicate::sgt ? Predicate::ugt : Predicate::uge;
    break;
  case Predicate::ule:
    strict = Predicate::ult;
    break;
  case Predicate::uge:
    strict = Predicate::ugt;
    break;
  default:
    break;
  }
  return op<arith::OrIOp>(compare(strict, x.high, y.high),
                          op<arith::AndIOp>(same, compare(low, x.low, y.low)));
}

/// Bit by bit: shifts the dividend into the remainder, and the bits of the
/// quotient into the dividend.
std::pair<Wide, Wide> WideArithmetic::divideUnsigned(Wide x, Wide y) {
  auto index = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  Wide zero = constant(0);
  auto loop = scf::ForOp::create(
      b, loc, index(0), index(64), index(1),
      ValueRange{x.low, x.high, zero.low, zero.high},
      [&](OpBuilder &, Location, Value, ValueRange state) {
        // The builder stands in the body now.
        Wide rest(state.take_front(2)), remainder(state.drop_front(2));
        Value top = op<arith::ShRUIOp>(rest.high, num(31));
        // A remainder of 64 bits that would lose its top bit is the larger one.
        Value overflows = isNegative(remainder);
        remainder = shiftLeft(remainder, num(1));
        remainder.low = op<arith::OrIOp>(remainder.low, top);
        Value fits =
            op<arith::OrIOp>(overflows, compare(Predicate::uge, remainder, y));
        remainder = select(fits, subtract(remainder, y), remainder);
        rest = shiftLeft(rest, num(1));
        Value bit = arith::ExtUIOp::create(b, loc, i32, fits);
        rest.low = op<arith::OrIOp>(rest.low, bit);
        scf::YieldOp::create(
            b, loc,
            ValueRange{rest.low, rest.high, remainder.low, remainder.high});
      });
  return {Wide(loop.getResults().take_front(2)),
          Wide(loop.getResults().drop_front(2))};
}

std::pair<Wide, Wide> WideArithmetic::divide(Wide x, Wide y, bool isSigned) {
  if (!isSigned)
    return divideUnsigned(x, y);
  auto [quotient, remainder] = divideUnsigned(absolute(x), absolute(y));
  Value signs = op<arith::XOrIOp>(x.high, y.high);
  Value negative = compare(Predicate::slt, signs, num(0));
  return {select(negative, negate(quotient), quotient),
          select(isNegative(x), negate(remainder), remainder)};
}

Value WideArithmetic::countLeadingZeros(Wide x) {
  Value ofHigh = math::CountLeadingZerosOp::create(b, loc, x.high);
  Value ofLow = math::CountLeadingZerosOp::create(b, loc, x.low);
  Value none = compare(Predicate::eq, x.high, num(0));
  return select(none, op<arith::AddIOp>(ofLow, num(32)), ofHigh);
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

class WideFloats {
public:
  WideFloats(OpBuilder &b, Location loc, Type integer)
      : b(b), loc(loc), i32(halfOf(integer)), wide(b, loc, integer) {}

  Value toFloat(Wide x, Type type, bool isSigned);
  Wide fromFloat(Value x, bool isSigned);

private:
  Value real(Type type, double value) {
    TypedAttr attr = b.getFloatAttr(getElementTypeOrSelf(type), value);
    if (auto vector = dyn_cast<VectorType>(type))
      attr = DenseElementsAttr::get(vector, Attribute(attr));
    return arith::ConstantOp::create(b, loc, attr);
  }
  Value toF32(Wide x, Type type);

  OpBuilder &b;
  Location loc;
  Type i32;
  WideArithmetic wide;
};

/// The first 32 bits, the last of which says whether more follow, are rounded
/// as all of them; the scale is a power of two.
Value WideFloats::toF32(Wide x, Type type) {
  Value zeros = wide.countLeadingZeros(x);
  // All bits of 0 are zeros, and there is nothing to shift.
  Value by = wide.op<arith::MinUIOp>(zeros, wide.num(63));
  Wide first = wide.shiftLeft(x, by);
  Value more = wide.compare(Predicate::ne, first.low, wide.num(0));
  Value sticky = arith::ExtUIOp::create(b, loc, i32, more);
  Value bits = wide.op<arith::OrIOp>(first.high, sticky);
  Value number = arith::UIToFPOp::create(b, loc, type, bits);
  Value exponent = wide.op<arith::SubIOp>(wide.num(127 + 32), by);
  Value scale = wide.op<arith::ShLIOp>(exponent, wide.num(23));
  Value factor = arith::BitcastOp::create(b, loc, type, scale);
  return arith::MulFOp::create(b, loc, number, factor);
}

Value WideFloats::toFloat(Wide x, Type type, bool isSigned) {
  Value negative = isSigned ? wide.isNegative(x) : Value();
  if (isSigned)
    x = wide.absolute(x);
  Value result;
  if (getElementTypeOrSelf(type).isF32()) {
    result = toF32(x, type);
  } else {
    // Both halves are exact in f64.
    Value high = arith::UIToFPOp::create(b, loc, type, x.high);
    Value low = arith::UIToFPOp::create(b, loc, type, x.low);
    high = arith::MulFOp::create(b, loc, high, real(type, 4294967296.0));
    result = arith::AddFOp::create(b, loc, high, low);
  }
  if (!isSigned)
    return result;
  Value negated = arith::NegFOp::create(b, loc, result);
  return arith::SelectOp::create(b, loc, negative, negated, result);
}

/// All steps are exact for numbers in range.
Wide WideFloats::fromFloat(Value x, bool isSigned) {
  Type type = x.getType();
  Value magnitude = math::AbsFOp::create(b, loc, x);
  Value scaled =
      arith::MulFOp::create(b, loc, magnitude, real(type, 1.0 / 4294967296.0));
  Value high = arith::FPToUIOp::create(b, loc, i32, scaled);
  Value whole = arith::UIToFPOp::create(b, loc, type, high);
  whole = arith::MulFOp::create(b, loc, whole, real(type, 4294967296.0));
  Value rest = arith::SubFOp::create(b, loc, magnitude, whole);
  Wide result(arith::FPToUIOp::create(b, loc, i32, rest), high);
  if (!isSigned)
    return result;
  Value negative = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, x,
                                         real(type, 0));
  return wide.select(negative, wide.negate(result), result);
}

//===----------------------------------------------------------------------===//
// Patterns of values
//===----------------------------------------------------------------------===//

using Operands = ArrayRef<ValueRange>;

struct ConstantPattern : OpConversionPattern<arith::ConstantOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(arith::ConstantOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!isWide(op.getType()))
      return rewriter.notifyMatchFailure(op, "has a legal type");
    SmallVector<Value> halves;
    for (unsigned shift : {0u, 32u}) {
      auto cut = [&](const APInt &value) -> APInt {
        return value.extractBits(32, shift);
      };
      TypedAttr attr;
      if (auto dense = dyn_cast<DenseElementsAttr>(op.getValue()))
        attr = cast<DenseIntElementsAttr>(dense).mapValues(
            rewriter.getI32Type(), cut);
      else
        attr = rewriter.getIntegerAttr(
            rewriter.getI32Type(),
            cut(cast<IntegerAttr>(op.getValue()).getValue()));
      halves.push_back(arith::ConstantOp::create(rewriter, op.getLoc(), attr));
    }
    rewriter.replaceOpWithMultiple(op, {halves});
    return success();
  }
};

struct ArithmeticPattern : ConversionPattern {
  ArithmeticPattern(TypeConverter &converter, MLIRContext *context)
      : ConversionPattern(converter, MatchAnyOpTypeTag(), 1, context) {}

  LogicalResult
  matchAndRewrite(Operation *op, Operands operands,
                  ConversionPatternRewriter &rewriter) const override {
    if (!isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) ||
        op->getNumResults() != 1 || operands.empty())
      return rewriter.notifyMatchFailure(op, "not arithmetic of one result");
    Type like = isWide(op->getResult(0).getType())
                    ? op->getResult(0).getType()
                    : op->getOperand(0).getType();
    WideArithmetic wide(rewriter, op->getLoc(), like);
    if (Value narrow = toNarrow(op, operands, wide, rewriter)) {
      rewriter.replaceOp(op, narrow);
      return success();
    }
    Wide result = toWide(op, operands, wide, rewriter);
    if (!result.low)
      return rewriter.notifyMatchFailure(op, "has no form in halves");
    rewriter.replaceOpWithMultiple(
        op, {SmallVector<Value>{result.low, result.high}});
    return success();
  }

private:
  /// Operations on wide values whose result is none; or null.
  static Value toNarrow(Operation *op, Operands in, WideArithmetic &wide,
                        OpBuilder &b) {
    Location loc = op->getLoc();
    Type from = op->getOperand(0).getType(), to = op->getResult(0).getType();
    if (!isWide(from) || isWide(to))
      return {};
    Wide x(in[0]);
    if (auto compare = dyn_cast<arith::CmpIOp>(op))
      return wide.compare(compare.getPredicate(), x, Wide(in[1]));
    if (isa<arith::TruncIOp>(op))
      return x.low.getType() == to
                 ? x.low
                 : Value(arith::TruncIOp::create(b, loc, to, x.low));
    if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(op))
      return arith::IndexCastOp::create(b, loc, to, x.low);
    if (isa<arith::SIToFPOp, arith::UIToFPOp>(op))
      return WideFloats(b, loc, from).toFloat(x, to, isa<arith::SIToFPOp>(op));
    if (isa<arith::BitcastOp>(op))
      return joinBits(x, to, loc, b);
    return {};
  }

  /// Operations whose result is wide; or none.
  static Wide toWide(Operation *op, Operands in, WideArithmetic &wide,
                     OpBuilder &b) {
    Location loc = op->getLoc();
    Type to = op->getResult(0).getType(), i32 = halfOf(to);
    if (!isWide(to))
      return {};
    if (isa<arith::SelectOp>(op))
      return wide.select(in[0].front(), Wide(in[1]), Wide(in[2]));
    if (!isWide(op->getOperand(0).getType()))
      return widen(op, in[0].front(), i32, wide, b);
    Wide x(in[0]);
    if (isa<math::CtPopOp>(op)) {
      Value low = math::CtPopOp::create(b, loc, x.low);
      Value high = math::CtPopOp::create(b, loc, x.high);
      return {wide.op<arith::AddIOp>(low, high), wide.num(0)};
    }
    if (isa<math::CountLeadingZerosOp>(op))
      return {wide.countLeadingZeros(x), wide.num(0)};
    if (isa<math::CountTrailingZerosOp>(op)) {
      // The zeros below the lowest bit, which is the highest of x & -x.
      Wide lowest = wide.each<arith::AndIOp>(x, wide.negate(x));
      Value zeros = wide.countLeadingZeros(lowest);
      Value none = wide.compare(Predicate::eq, zeros, wide.num(64));
      Value count = wide.op<arith::SubIOp>(wide.num(63), zeros);
      return {wide.select(none, zeros, count), wide.num(0)};
    }
    if (isa<math::AbsIOp>(op))
      return wide.absolute(x);
    if (op->getNumOperands() != 2)
      return {};
    return binary(op, x, Wide(in[1]), wide);
  }

  static Wide binary(Operation *op, Wide x, Wide y, WideArithmetic &wide) {
    if (isa<arith::AddIOp>(op))
      return wide.add(x, y);
    if (isa<arith::SubIOp>(op))
      return wide.subtract(x, y);
    if (isa<arith::MulIOp>(op))
      return wide.multiply(x, y);
    if (isa<arith::AndIOp>(op))
      return wide.each<arith::AndIOp>(x, y);
    if (isa<arith::OrIOp>(op))
      return wide.each<arith::OrIOp>(x, y);
    if (isa<arith::XOrIOp>(op))
      return wide.each<arith::XOrIOp>(x, y);
    if (isa<arith::ShLIOp>(op))
      return wide.shiftLeft(x, y.low);
    if (isa<arith::ShRUIOp, arith::ShRSIOp>(op))
      return wide.shiftRight(x, y.low, isa<arith::ShRSIOp>(op));
    if (isa<arith::DivSIOp, arith::DivUIOp>(op))
      return wide.divide(x, y, isa<arith::DivSIOp>(op)).first;
    if (isa<arith::RemSIOp, arith::RemUIOp>(op))
      return wide.divide(x, y, isa<arith::RemSIOp>(op)).second;
    if (isa<arith::MaxSIOp>(op))
      return wide.select(wide.compare(Predicate::sgt, x, y), x, y);
    if (isa<arith::MinSIOp>(op))
      return wide.select(wide.compare(Predicate::slt, x, y), x, y);
    if (isa<arith::MaxUIOp>(op))
      return wide.select(wide.compare(Predicate::ugt, x, y), x, y);
    if (isa<arith::MinUIOp>(op))
      return wide.select(wide.compare(Predicate::ult, x, y), x, y);
    return {};
  }

  /// Conversions from other types.
  static Wide widen(Operation *op, Value in, Type i32, WideArithmetic &wide,
                    OpBuilder &b) {
    Location loc = op->getLoc();
    bool fits = in.getType() == i32;
    if (isa<arith::ExtSIOp>(op))
      return wide.signExtended(
          fits ? in : Value(arith::ExtSIOp::create(b, loc, i32, in)));
    if (isa<arith::ExtUIOp>(op))
      return {fits ? in : Value(arith::ExtUIOp::create(b, loc, i32, in)),
              wide.num(0)};
    if (isa<arith::IndexCastOp>(op))
      return wide.signExtended(arith::IndexCastOp::create(b, loc, i32, in));
    if (isa<arith::IndexCastUIOp>(op))
      return {arith::IndexCastOp::create(b, loc, i32, in), wide.num(0)};
    if (isa<arith::FPToSIOp, arith::FPToUIOp>(op))
      return WideFloats(b, loc, op->getResult(0).getType())
          .fromFloat(in, isa<arith::FPToSIOp>(op));
    if (isa<arith::BitcastOp>(op))
      return splitBits(in, loc, b);
    return {};
  }

  /// The f64 with the bits of `x`, lane by lane.
  static Value joinBits(Wide x, Type type, Location loc, OpBuilder &b) {
    auto pair = VectorType::get({2}, b.getI32Type());
    auto one = VectorType::get({1}, getElementTypeOrSelf(type));
    auto join = [&](Value low, Value high) -> Value {
      Value words =
          vector::FromElementsOp::create(b, loc, pair, ValueRange{low, high});
      Value bits = vector::BitCastOp::create(b, loc, one, words);
      return vector::ExtractOp::create(b, loc, bits, 0);
    };
    auto vector = dyn_cast<VectorType>(type);
    if (!vector)
      return join(x.low, x.high);
    SmallVector<Value> lanes;
    for (int64_t i = 0; i < vector.getNumElements(); ++i)
      lanes.push_back(join(vector::ExtractOp::create(b, loc, x.low, i),
                           vector::ExtractOp::create(b, loc, x.high, i)));
    return vector::FromElementsOp::create(b, loc, vector, lanes);
  }

  static Wide splitBits(Value number, Location loc, OpBuilder &b) {
    auto pair = VectorType::get({2}, b.getI32Type());
    auto one = VectorType::get({1}, getElementTypeOrSelf(number.getType()));
    auto split = [&](Value scalar) -> Wide {
      Value bits = vector::FromElementsOp::create(b, loc, one, scalar);
      Value words = vector::BitCastOp::create(b, loc, pair, bits);
      return {vector::ExtractOp::create(b, loc, words, 0),
              vector::ExtractOp::create(b, loc, words, 1)};
    };
    auto vector = dyn_cast<VectorType>(number.getType());
    if (!vector)
      return split(number);
    SmallVector<Value> low, high;
    for (int64_t i = 0; i < vector.getNumElements(); ++i) {
      Wide lane = split(vector::ExtractOp::create(b, loc, number, i));
      low.push_back(lane.low);
      high.push_back(lane.high);
    }
    Type half = halfOf(vector);
    return {vector::FromElementsOp::create(b, loc, half, low),
            vector::FromElementsOp::create(b, loc, half, high)};
  }
};

/// What moves values without looking at them moves both halves.
struct MovePattern : ConversionPattern {
  MovePattern(TypeConverter &converter, MLIRContext *context)
      : ConversionPattern(converter, MatchAnyOpTypeTag(), 1, context) {}

  LogicalResult
  matchAndRewrite(Operation *op, Operands operands,
                  ConversionPatternRewriter &rewriter) const override {
    if (!isa<vector::BroadcastOp, vector::ExtractOp, vector::InsertOp,
             vector::FromElementsOp, vector::ShuffleOp, ub::PoisonOp>(op))
      return rewriter.notifyMatchFailure(op, "may look at values");
    SmallVector<Value> halves;
    for (unsigned half : {0u, 1u}) {
      SmallVector<Value> in;
      for (ValueRange operand : operands)
        in.push_back(operand.size() == 2 ? operand[half] : operand.front());
      OperationState state(op->getLoc(), op->getName(), in,
                           halfOf(op->getResult(0).getType()), op->getAttrs());
      halves.push_back(rewriter.create(state)->getResult(0));
    }
    rewriter.replaceOpWithMultiple(op, {halves});
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

struct AllocPattern : ConversionPattern {
  AllocPattern(TypeConverter &converter, MLIRContext *context)
      : ConversionPattern(converter, MatchAnyOpTypeTag(), 1, context) {}

  LogicalResult
  matchAndRewrite(Operation *op, Operands,
                  ConversionPatternRewriter &rewriter) const override {
    if (!isa<memref::AllocOp, memref::AllocaOp>(op))
      return rewriter.notifyMatchFailure(op, "does not allocate");
    auto type = cast<MemRefType>(op->getResult(0).getType());
    OperationState state(op->getLoc(), op->getName(), ValueRange{},
                         convertMemory(type), op->getAttrs());
    rewriter.replaceOp(op, rewriter.create(state));
    return success();
  }
};

bool isDeviceMemory(MemRefType type) {
  auto storage =
      dyn_cast_or_null<spirv::StorageClassAttr>(type.getMemorySpace());
  return storage &&
         storage.getValue() == spirv::StorageClass::PhysicalStorageBuffer;
}

/// Words of memory by the number of a 64-bit element.
class Words {
public:
  Words(OpBuilder &b, Location loc, Value memory, Value index)
      : b(b), loc(loc), memory(memory),
        first(arith::ShLIOp::create(b, loc, index, position(1))) {}

  Value at(int64_t offset) {
    return arith::AddIOp::create(b, loc, first, position(offset));
  }
  Value load(int64_t offset) {
    return memref::LoadOp::create(b, loc, memory, at(offset));
  }
  void store(Value value, int64_t offset) {
    memref::StoreOp::create(b, loc, value, memory, at(offset));
  }
  /// A pair of words, at once where the memory allows it.
  Wide loadPair(int64_t offset, bool inDevice) {
    if (!inDevice)
      return {load(offset), load(offset + 1)};
    auto pair = VectorType::get({2}, b.getI32Type());
    Value both = vector::LoadOp::create(b, loc, pair, memory, at(offset));
    return {vector::ExtractOp::create(b, loc, both, 0),
            vector::ExtractOp::create(b, loc, both, 1)};
  }
  void storePair(Wide value, int64_t offset, bool inDevice) {
    if (!inDevice) {
      store(value.low, offset);
      store(value.high, offset + 1);
      return;
    }
    auto pair = VectorType::get({2}, b.getI32Type());
    Value both = vector::FromElementsOp::create(
        b, loc, pair, ValueRange{value.low, value.high});
    vector::StoreOp::create(b, loc, both, memory, at(offset));
  }

private:
  Value position(int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }

  OpBuilder &b;
  Location loc;
  Value memory, first;
};

template <typename Op>
struct LoadPattern : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;
  LogicalResult
  matchAndRewrite(Op op,
                  typename OpConversionPattern<Op>::OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto memory = cast<MemRefType>(op->getOperand(0).getType());
    Type type = op.getResult().getType();
    if (!isWide(type) || op.getIndices().size() != 1)
      return rewriter.notifyMatchFailure(op,
                                         "no wide element of one dimension");
    Words words(rewriter, loc, adaptor.getOperands()[0].front(),
                adaptor.getOperands()[1].front());
    bool inDevice = isDeviceMemory(memory);
    auto vector = dyn_cast<VectorType>(type);
    Wide result;
    if (!vector) {
      result = words.loadPair(0, inDevice);
    } else if (type == memory.getElementType()) {
      result = {words.load(0), words.load(1)};
    } else {
      SmallVector<Value> low, high;
      for (int64_t i = 0; i < vector.getNumElements(); ++i) {
        Wide lane = words.loadPair(2 * i, inDevice);
        low.push_back(lane.low);
        high.push_back(lane.high);
      }
      Type half = halfOf(vector);
      result = {vector::FromElementsOp::create(rewriter, loc, half, low),
                vector::FromElementsOp::create(rewriter, loc, half, high)};
    }
    rewriter.replaceOpWithMultiple(
        op, {SmallVector<Value>{result.low, result.high}});
    return success();
  }
};

template <typename Op>
struct StorePattern : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;
  LogicalResult
  matchAndRewrite(Op op,
                  typename OpConversionPattern<Op>::OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto memory = cast<MemRefType>(op->getOperand(1).getType());
    Type type = op->getOperand(0).getType();
    if (!isWide(type) || op.getIndices().size() != 1)
      return rewriter.notifyMatchFailure(op,
                                         "no wide element of one dimension");
    Wide value(adaptor.getOperands()[0]);
    Words words(rewriter, loc, adaptor.getOperands()[1].front(),
                adaptor.getOperands()[2].front());
    bool inDevice = isDeviceMemory(memory);
    auto vector = dyn_cast<VectorType>(type);
    if (!vector) {
      words.storePair(value, 0, inDevice);
    } else if (type == memory.getElementType()) {
      words.store(value.low, 0);
      words.store(value.high, 1);
    } else {
      for (int64_t i = 0; i < vector.getNumElements(); ++i)
        words.storePair(
            {vector::ExtractOp::create(rewriter, loc, value.low, i),
             vector::ExtractOp::create(rewriter, loc, value.high, i)},
            2 * i, inDevice);
    }
    rewriter.eraseOp(op);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

struct EmulateInt64 : nxv::impl::NxvEmulateInt64Base<EmulateInt64> {
  void runOnOperation() override {
    if (!getOperation()->hasAttr(nxv::kWithoutInt64Attr))
      return;
    Halver converter;
    RewritePatternSet patterns(&getContext());
    patterns.add<ConstantPattern, LoadPattern<memref::LoadOp>,
                 LoadPattern<vector::LoadOp>, StorePattern<memref::StoreOp>,
                 StorePattern<vector::StoreOp>>(converter, &getContext());
    patterns.add<ArithmeticPattern, MovePattern, AllocPattern>(converter,
                                                               &getContext());
    if (failed(
            nxv::convertTypes(getOperation(), converter, std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
