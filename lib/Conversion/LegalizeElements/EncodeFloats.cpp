//===- EncodeFloats.cpp - the pass nxv-encode-floats ------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Rebuild.h"

#include "nxv/Conversion/LegalizeElements/Passes.h"
#include "nxv/Dialect/Nxv/IR/Nxv.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Func/Transforms/FuncConversions.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <cmath>

namespace nxv {
#define GEN_PASS_DEF_ENCODEFLOATS
#include "nxv/Conversion/LegalizeElements/Passes.h.inc"
} // namespace nxv

using namespace mlir;
using namespace nxv;
using namespace nxv::legalize;

/// The element of `type` if it is held as an integer, else null.
static FloatType encodedElement(Type type) {
  auto element = dyn_cast<FloatType>(getElementTypeOrSelf(type));
  bool encoded = element && (element.isBF16() || element.getWidth() == 8);
  return encoded ? element : FloatType();
}

static Type encode(Type type) {
  FloatType element = encodedElement(type);
  if (!element)
    return type;
  Type bits = IntegerType::get(type.getContext(), element.getWidth());
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return tensor.clone(bits);
  return bits;
}

namespace {
struct FloatEncoder : TypeConverter {
  FloatEncoder() {
    addConversion([](Type type) { return encode(type); });
  }
};

//===----------------------------------------------------------------------===//
// Bits and numbers
//===----------------------------------------------------------------------===//

/// A binary format whose numbers f32 holds exactly.
struct Format {
  explicit Format(FloatType type) : type(type) {
    const llvm::fltSemantics &semantics = type.getFloatSemantics();
    width = type.getWidth();
    fraction = APFloat::semanticsPrecision(semantics) - 1;
    bias = 1 - APFloat::semanticsMinExponent(semantics);
    infinities = APFloat::semanticsHasInf(semantics);
  }
  FloatType type;
  unsigned width, fraction;
  int bias;
  bool infinities;
  unsigned dropped() const { return 23 - fraction; }
  uint32_t magnitude() const { return (1u << (width - 1)) - 1; }
  /// The least normal number, as f32.
  double leastNormal() const { return std::ldexp(1.0, 1 - bias); }
  /// Distance of the subnormal numbers.
  double unit() const { return std::ldexp(1.0, 1 - bias - int(fraction)); }
  uint32_t exponentBits() const { return magnitude() >> fraction << fraction; }
  /// The least magnitude that is no number.
  uint32_t leastSpecial() const {
    return infinities ? exponentBits() : magnitude();
  }
};

/// Integer arithmetic on scalars.
class Coder {
public:
  Coder(OpBuilder &b, Location loc)
      : b(b), loc(loc), i32(b.getI32Type()), f32(b.getF32Type()) {}

  Value decode(Value bits, Format format) {
    Value x = arith::ExtUIOp::create(b, loc, i32, bits);
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

  /// Rounds to the nearest, ties to even.
  Value encode(Value number, Format format) {
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
      Value isSmall =
          arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, absolute,
                                real(format.leastNormal()));
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
    return arith::TruncIOp::create(b, loc, b.getIntegerType(format.width),
                                   ori(result, sign));
  }

private:
  Value num(uint32_t value) {
    return arith::ConstantOp::create(b, loc,
                                     b.getIntegerAttr(i32, APInt(32, value)));
  }
  Value real(double value) {
    return arith::ConstantOp::create(b, loc, b.getFloatAttr(f32, value));
  }
  Value toFloat(Value bits) {
    return arith::BitcastOp::create(b, loc, f32, bits);
  }
  Value toBits(Value number) {
    return arith::BitcastOp::create(b, loc, i32, number);
  }
  Value shl(Value x, uint32_t n) {
    return arith::ShLIOp::create(b, loc, x, num(n));
  }
  Value shr(Value x, uint32_t n) {
    return arith::ShRUIOp::create(b, loc, x, num(n));
  }
  Value add(Value x, Value y) { return arith::AddIOp::create(b, loc, x, y); }
  Value andi(Value x, Value y) { return arith::AndIOp::create(b, loc, x, y); }
  Value ori(Value x, Value y) { return arith::OrIOp::create(b, loc, x, y); }
  Value less(Value x, uint32_t bound) {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, x,
                                 num(bound));
  }
  Value select(Value c, Value x, Value y) {
    return arith::SelectOp::create(b, loc, c, x, y);
  }

  OpBuilder &b;
  Location loc;
  Type i32, f32;
};

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

struct ConstantPattern : OpConversionPattern<arith::ConstantOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(arith::ConstantOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    FloatType element = encodedElement(op.getType());
    if (!element)
      return rewriter.notifyMatchFailure(op, "has a legal type");
    Type bits = rewriter.getIntegerType(element.getWidth());
    TypedAttr value;
    if (auto number = dyn_cast<FloatAttr>(op.getValue()))
      value = rewriter.getIntegerAttr(bits, number.getValue().bitcastToAPInt());
    else if (auto dense = dyn_cast<DenseElementsAttr>(op.getValue()))
      value = dense.bitcast(bits);
    if (!value)
      return rewriter.notifyMatchFailure(op, "not a literal");
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, value);
    return success();
  }
};

struct BitcastPattern : OpConversionPattern<arith::BitcastOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(arith::BitcastOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Type type = encode(op.getType());
    Value in = adaptor.getIn();
    if (in.getType() != type)
      in = arith::BitcastOp::create(rewriter, op.getLoc(), type, in);
    rewriter.replaceOp(op, in);
    return success();
  }
};

/// Any scalar operation: computes on the numbers in f32.
struct ComputePattern : ConversionPattern {
  ComputePattern(TypeConverter &converter, MLIRContext *context)
      : ConversionPattern(converter, MatchAnyOpTypeTag(), 1, context) {}

  LogicalResult
  matchAndRewrite(Operation *op, ArrayRef<Value> operands,
                  ConversionPatternRewriter &rewriter) const override {
    if (!isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) ||
        isa<arith::SelectOp, arith::ConstantOp>(op) ||
        op->getNumResults() != 1 || isa<ShapedType>(op->getResult(0).getType()))
      return rewriter.notifyMatchFailure(op, "not scalar arithmetic");
    Coder coder(rewriter, op->getLoc());
    SmallVector<Value> numbers;
    for (auto [was, is] : llvm::zip(op->getOperands(), operands)) {
      FloatType element = encodedElement(was.getType());
      numbers.push_back(element ? coder.decode(is, Format(element)) : is);
    }
    Type type = op->getResult(0).getType();
    FloatType element = encodedElement(type);
    if (element)
      type = rewriter.getF32Type();
    Value result = compute(op, numbers, type, rewriter);
    if (!result)
      return rewriter.notifyMatchFailure(op, "would round twice");
    if (element)
      result = coder.encode(result, Format(element));
    rewriter.replaceOp(op, result);
    return success();
  }

private:
  static Value compute(Operation *op, ArrayRef<Value> numbers, Type type,
                       OpBuilder &b) {
    if (isa<arith::ExtFOp, arith::TruncFOp>(op)) {
      Type from = numbers.front().getType();
      if (from == type)
        return numbers.front();
      if (from.getIntOrFloatBitWidth() > type.getIntOrFloatBitWidth())
        return {};
      return arith::ExtFOp::create(b, op->getLoc(), type, numbers.front());
    }
    OperationState state(op->getLoc(), op->getName(), numbers, type,
                         op->getAttrs());
    return b.create(state)->getResult(0);
  }
};

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

/// Operations on whole tensors that compare or add elements: on f32.
struct TensorPattern : ConversionPattern {
  TensorPattern(TypeConverter &converter, MLIRContext *context)
      : ConversionPattern(converter, MatchAnyOpTypeTag(), 2, context) {}

  LogicalResult
  matchAndRewrite(Operation *op, ArrayRef<Value> operands,
                  ConversionPatternRewriter &rewriter) const override {
    auto scatter = dyn_cast<nxv::ScatterOp>(op);
    if (!isa<nxv::SortOp, nxv::ArgSortOp, nxv::CumulativeOp,
             nxv::TriangularSolveOp>(op) &&
        !(scatter && scatter.getKind() == ScatterKind::add))
      return rewriter.notifyMatchFailure(op, "does not look at its elements");
    OperationState state(op->getLoc(), op->getName());
    for (auto [was, is] : llvm::zip(op->getOperands(), operands)) {
      FloatType element = encodedElement(was.getType());
      state.operands.push_back(
          element ? recode(rewriter, is, element, /*read=*/true) : is);
    }
    for (Type type : op->getResultTypes())
      state.types.push_back(
          encodedElement(type)
              ? cast<RankedTensorType>(type).clone(rewriter.getF32Type())
              : type);
    state.addAttributes(op->getAttrs());
    Operation *wide = rewriter.create(state);
    SmallVector<Value> results;
    for (auto [was, is] : llvm::zip(op->getResults(), wide->getResults())) {
      FloatType element = encodedElement(was.getType());
      results.push_back(element ? recode(rewriter, is, element, /*read=*/false)
                                : is);
    }
    rewriter.replaceOp(op, results);
    return success();
  }

private:
  static Value recode(OpBuilder &b, Value tensor, FloatType element,
                      bool read) {
    auto from = cast<RankedTensorType>(tensor.getType());
    Type to = read ? Type(b.getF32Type()) : encode(element);
    AffineMap map = b.getMultiDimIdentityMap(from.getRank());
    return createParallel(b, tensor.getLoc(), from.clone(to), tensor, map,
                          [&](OpBuilder &nested, Location loc, ValueRange v) {
                            Coder coder(nested, loc);
                            Format format(element);
                            return SmallVector<Value>{
                                read ? coder.decode(v[0], format)
                                     : coder.encode(v[0], format)};
                          })
        .getResult(0);
  }
};

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

StringRef nameOf(FloatType element) {
  if (element.isBF16())
    return "bf16";
  return isa<Float8E5M2Type>(element) ? "f8_e5m2" : "f8_e4m3fn";
}

/// The bits keep the name of what they encode.
void nameElements(func::FuncOp function) {
  Builder b(function.getContext());
  for (auto [number, type] : llvm::enumerate(function.getArgumentTypes()))
    if (FloatType element = encodedElement(type))
      function.setArgAttr(number, "nxv.element",
                          b.getStringAttr(nameOf(element)));
  for (auto [number, type] : llvm::enumerate(function.getResultTypes()))
    if (FloatType element = encodedElement(type))
      function.setResultAttr(number, "nxv.element",
                             b.getStringAttr(nameOf(element)));
}

struct EncodeFloats : nxv::impl::EncodeFloatsBase<EncodeFloats> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    for (auto function : module.getOps<func::FuncOp>())
      nameElements(function);
    FloatEncoder converter;
    RewritePatternSet patterns(&getContext());
    populateRebuildPatterns(converter, patterns);
    populateFunctionOpInterfaceTypeConversionPattern<func::FuncOp>(patterns,
                                                                   converter);
    patterns
        .add<ConstantPattern, BitcastPattern, ComputePattern, TensorPattern>(
            converter, &getContext());
    ConversionTarget target(getContext());
    target.markUnknownOpDynamicallyLegal(
        [&](Operation *op) { return isLegal(op, converter); });
    target.addDynamicallyLegalOp<func::FuncOp>([&](func::FuncOp op) {
      return converter.isSignatureLegal(op.getFunctionType()) &&
             converter.isLegal(&op.getBody());
    });
    if (failed(applyPartialConversion(module, target, std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
