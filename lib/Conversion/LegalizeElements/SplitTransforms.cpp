//===- SplitTransforms.cpp - transforms of split numbers --------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Rebuild.h"

#include "nxv/Dialect/Nxv/IR/Nxv.h"
#include "nxv/Math/Roots.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace nxv;

/// The parts of the powers of the root of unity of order `length`.
static Value createRoots(OpBuilder &b, Location loc, Type part, int64_t length,
                         bool inverse) {
  auto type = RankedTensorType::get({length, 2}, part);
  SmallVector<Attribute> values;
  for (int64_t k = 0; k < length; ++k) {
    WideComplex root = rootOfUnity(k, length, inverse);
    values.push_back(b.getFloatAttr(part, double(root.real())));
    values.push_back(b.getFloatAttr(part, double(root.imag())));
  }
  return arith::ConstantOp::create(b, loc,
                                   DenseElementsAttr::get(type, values));
}

namespace {
struct FftPattern : OpConversionPattern<FftOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(FftOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (op.getOperand().getType() != op.getType())
      return rewriter.notifyMatchFailure(op, "cuts or fills its operand");
    ValueRange parts = adaptor.getOperand();
    Value roots = createRoots(rewriter, op.getLoc(),
                              getElementTypeOrSelf(parts[0].getType()),
                              op.getLength(), op.getInverse());
    auto split = FftPartsOp::create(
        rewriter, op.getLoc(), parts[0].getType(), parts[0].getType(), parts[0],
        parts[1], roots, op.getAxisAttr(), op.getInverseAttr());
    SmallVector<SmallVector<Value>> results{
        {split.getResultRe(), split.getResultIm()}};
    rewriter.replaceOpWithMultiple(op, std::move(results));
    return success();
  }
};

struct SolvePattern : OpConversionPattern<TriangularSolveOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(TriangularSolveOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ValueRange a = adaptor.getA(), b = adaptor.getB();
    if (!op.getLower() || !op.getLeftSide() ||
        op.getTransformA() != TransformA::none)
      return rewriter.notifyMatchFailure(op, "is not solved forward");
    auto split = SolvePartsOp::create(rewriter, op.getLoc(), b[0].getType(),
                                      b[0].getType(), a[0], a[1], b[0], b[1]);
    SmallVector<SmallVector<Value>> results{
        {split.getResultRe(), split.getResultIm()}};
    rewriter.replaceOpWithMultiple(op, std::move(results));
    return success();
  }
};
} // namespace

void legalize::populateSplitTransformPatterns(TypeConverter &converter,
                                              RewritePatternSet &patterns) {
  patterns.add<FftPattern, SolvePattern>(converter, patterns.getContext());
}
