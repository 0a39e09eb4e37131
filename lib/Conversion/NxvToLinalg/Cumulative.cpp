//===- Cumulative.cpp - running combinations of complex numbers -*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
// Those of other numbers stay nxv operations, which kernels are made for.

#include "Support.h"

#include "mlir/Dialect/Complex/IR/Complex.h"

using namespace mlir;
using namespace nxv;
using namespace nxv::tolinalg;

namespace {
struct ComplexCumulativeLowering : OpConversionPattern<CumulativeOp> {
  ComplexCumulativeLowering(TypeConverter &converter, MLIRContext *ctx)
      : OpConversionPattern(converter, ctx, /*benefit=*/2) {}

  /// The sums of the two parts.
  static Value createSums(OpBuilder &b, CumulativeOp op, Value operand) {
    Location loc = op.getLoc();
    RankedTensorType type = tensorType(operand);
    Type part = cast<ComplexType>(type.getElementType()).getElementType();
    auto sumOf = [&](PayloadFn payload) -> Value {
      Value parts =
          createElementwise(b, loc, type.clone(part), operand, payload);
      return CumulativeOp::create(b, loc, parts.getType(), op.getKind(), parts,
                                  op.getAxis(), op.getReverse());
    };
    Value re = sumOf([](PayloadBuilder &p, ValueRange v) -> Value {
      return complex::ReOp::create(p, v[0]);
    });
    Value im = sumOf([](PayloadBuilder &p, ValueRange v) -> Value {
      return complex::ImOp::create(p, v[0]);
    });
    return createElementwise(b, loc, type, {re, im},
                             [&](PayloadBuilder &p, ValueRange v) -> Value {
                               return complex::CreateOp::create(
                                   p, type.getElementType(), v[0], v[1]);
                             });
  }

  /// Each element times the one `distance` before it, if there is one.
  static Value createStep(OpBuilder &b, CumulativeOp op, Value operand,
                          int64_t distance) {
    RankedTensorType type = tensorType(operand);
    int64_t axis = op.getAxis(), last = type.getDimSize(axis) - 1;
    AffineExpr at = b.getAffineDimExpr(0);
    AffineExpr before = op.getReverse() ? at + distance : at - distance;
    return createFromIndices(
        b, op.getLoc(), type,
        [&](PayloadBuilder &p, ValueRange indices) -> Value {
          Value own = tensor::ExtractOp::create(p, operand, indices);
          Value from = applyAffine(p, before, indices[axis]);
          Value edge = p.index(op.getReverse() ? last : 0);
          Value exists = p.cmp(op.getReverse() ? arith::CmpIPredicate::sle
                                               : arith::CmpIPredicate::sge,
                               from, edge);
          SmallVector<Value> place(indices);
          place[axis] = p.select(exists, from, edge);
          Value other = tensor::ExtractOp::create(p, operand, place);
          return p.select(exists, emitMul(p, other, own), own);
        });
  }

  LogicalResult
  matchAndRewrite(CumulativeOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value value = adaptor.getOperand();
    RankedTensorType type = tensorType(value);
    if (!isa<ComplexType>(type.getElementType()))
      return rewriter.notifyMatchFailure(op, "not of complex numbers");
    if (op.getKind() == ReduceKind::add) {
      rewriter.replaceOp(op, createSums(rewriter, op, value));
      return success();
    }
    // After the step of distance d an element has the 2 d up to it.
    for (int64_t d = 1; d < type.getDimSize(op.getAxis()); d *= 2)
      value = createStep(rewriter, op, value, d);
    rewriter.replaceOp(op, value);
    return success();
  }
};
} // namespace

void tolinalg::populateCumulativePatterns(TypeConverter &converter,
                                          RewritePatternSet &patterns) {
  patterns.add<ComplexCumulativeLowering>(converter, patterns.getContext());
}
