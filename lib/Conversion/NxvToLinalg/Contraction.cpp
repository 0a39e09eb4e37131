//===- Contraction.cpp - dot_general ----------------------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Support.h"

using namespace mlir;
using namespace nxv;
using namespace nxv::tolinalg;

namespace {
struct DotGeneralLowering : OpConversionPattern<DotGeneralOp> {
  using OpConversionPattern::OpConversionPattern;

  /// Assigns loop `next`, `next + 1`, ... to the axes that are neither batch
  /// nor contracted.
  static void assignFree(SmallVector<int64_t> &loopOf, int64_t &next) {
    for (int64_t &loop : loopOf)
      if (loop < 0)
        loop = next++;
  }

  static AffineMap mapOf(Builder &b, const ViewedOperand &view,
                         ArrayRef<int64_t> loopOf, int64_t loops) {
    SmallVector<AffineExpr> exprs(loopOf.size());
    for (auto [axis, loop] : llvm::enumerate(loopOf))
      exprs[view.axisOf[axis]] = b.getAffineDimExpr(loop);
    return AffineMap::get(loops, 0, exprs, b.getContext());
  }

  LogicalResult
  matchAndRewrite(DotGeneralOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RankedTensorType type = signlessType(op.getResult());
    Type element = tensorType(op.getLhs()).getElementType();
    Type accElement = accumulatorType(ReduceKind::add, element);
    int64_t lhsRank = tensorType(op.getLhs()).getRank();
    int64_t rhsRank = tensorType(op.getRhs()).getRank();
    int64_t batches = op.getLhsBatch().size();
    int64_t contracted = op.getLhsContract().size();
    int64_t parallel = lhsRank + rhsRank - batches - 2 * contracted;

    SmallVector<int64_t> lhsLoop(lhsRank, -1), rhsLoop(rhsRank, -1);
    for (int64_t i = 0; i < batches; ++i)
      lhsLoop[op.getLhsBatch()[i]] = rhsLoop[op.getRhsBatch()[i]] = i;
    for (int64_t i = 0; i < contracted; ++i)
      lhsLoop[op.getLhsContract()[i]] = rhsLoop[op.getRhsContract()[i]] =
          parallel + i;
    int64_t next = batches;
    assignFree(lhsLoop, next);
    assignFree(rhsLoop, next);

    ViewedOperand lhs =
        viewThroughTransposes(op.getLhs(), adaptor.getLhs(), rewriter);
    ViewedOperand rhs =
        viewThroughTransposes(op.getRhs(), adaptor.getRhs(), rewriter);
    int64_t loops = parallel + contracted;
    AffineMap lhsMap = mapOf(rewriter, lhs, lhsLoop, loops);
    AffineMap rhsMap = mapOf(rewriter, rhs, rhsLoop, loops);
    Type resultElement = tensorType(op.getResult()).getElementType();

    auto product = [&](PayloadBuilder &b, ValueRange v) {
      return emitMul(b, b.widen(v[0], /*half=*/true),
                     b.widen(v[1], /*half=*/true));
    };
    if (contracted == 0) {
      Value outer = createParallel(
          rewriter, loc, type, {lhs.tensor, rhs.tensor}, {lhsMap, rhsMap},
          [&](PayloadBuilder &b, ValueRange v) -> Value {
            Value result = product(b, v);
            return isa<FloatType>(element) ? b.narrow(result, resultElement)
                                           : result;
          });
      rewriter.replaceOp(op, outer);
      return success();
    }
    RankedTensorType accType = type.clone(accElement);
    Value acc = createZeroSplat(rewriter, loc, accType);
    if (tensorType(lhs.tensor).getNumElements() != 0 &&
        tensorType(rhs.tensor).getNumElements() != 0) {
      SmallVector<utils::IteratorType> iterators(parallel,
                                                 utils::IteratorType::parallel);
      iterators.append(contracted, utils::IteratorType::reduction);
      SmallVector<AffineExpr> kept;
      for (int64_t i = 0; i < parallel; ++i)
        kept.push_back(rewriter.getAffineDimExpr(i));
      AffineMap outMap = AffineMap::get(loops, 0, kept, rewriter.getContext());
      auto generic = linalg::GenericOp::create(
          rewriter, loc, TypeRange{accType}, ValueRange{lhs.tensor, rhs.tensor},
          acc, ArrayRef<AffineMap>{lhsMap, rhsMap, outMap}, iterators,
          [&](OpBuilder &nested, Location at, ValueRange v) {
            PayloadBuilder b(nested, at);
            linalg::YieldOp::create(b, emitAdd(b, product(b, v), v[2]));
          });
      acc = generic.getResult(0);
    }
    Type from = isa<FloatType>(accElement) ? accElement : resultElement;
    rewriter.replaceOp(op,
                       createConvert(rewriter, loc, acc, from, resultElement));
    return success();
  }
};
} // namespace

void tolinalg::populateContractionPatterns(TypeConverter &converter,
                                           RewritePatternSet &patterns) {
  patterns.add<DotGeneralLowering>(converter, patterns.getContext());
}
