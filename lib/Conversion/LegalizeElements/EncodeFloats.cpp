//===- EncodeFloats.cpp - the pass nxv-encode-floats ------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Rebuild.h"

#include "nxv/Conversion/LegalizeElements/FloatBits.h"
#include "nxv/Conversion/LegalizeElements/Passes.h"
#include "nxv/Dialect/Nxv/IR/Nxv.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Func/Transforms/FuncConversions.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

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

/// The bits of the nearest number of `element`.
Value encodeTo(OpBuilder &b, Location loc, Value number, FloatType element) {
  Value bits = FloatCoder(b, loc).encode(number, FloatFormat(element));
  return arith::TruncIOp::create(b, loc, encode(element), bits);
}

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
    FloatCoder coder(rewriter, op->getLoc());
    SmallVector<Value> numbers;
    for (auto [was, is] : llvm::zip(op->getOperands(), operands)) {
      FloatType element = encodedElement(was.getType());
      numbers.push_back(element ? coder.decode(is, FloatFormat(element)) : is);
    }
    Type type = op->getResult(0).getType();
    FloatType element = encodedElement(type);
    if (element)
      type = rewriter.getF32Type();
    Value result = compute(op, numbers, type, rewriter);
    if (!result)
      return rewriter.notifyMatchFailure(op, "would round twice");
    if (element)
      result = encodeTo(rewriter, op->getLoc(), result, element);
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
                            return SmallVector<Value>{
                                read ? FloatCoder(nested, loc)
                                           .decode(v[0], FloatFormat(element))
                                     : encodeTo(nested, loc, v[0], element)};
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
    patterns
        .add<ConstantPattern, BitcastPattern, ComputePattern, TensorPattern>(
            converter, &getContext());
    if (failed(convertElements(module, converter, std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
