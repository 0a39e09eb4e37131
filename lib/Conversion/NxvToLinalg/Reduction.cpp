//===- Reduction.cpp - reductions along axes --------------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Support.h"

using namespace mlir;
using namespace nxv;
using namespace nxv::tolinalg;

namespace {
/// The loops of a reduction over the operand's space.
struct ReductionSpace {
  AffineMap input, output;
  SmallVector<utils::IteratorType> iterators;

  ReductionSpace(Builder &b, int64_t rank, ArrayRef<int64_t> axes)
      : input(b.getMultiDimIdentityMap(rank)),
        iterators(rank, utils::IteratorType::parallel) {
    SmallVector<AffineExpr> kept;
    for (int64_t axis : axes)
      iterators[axis] = utils::IteratorType::reduction;
    for (int64_t dim = 0; dim < rank; ++dim)
      if (iterators[dim] == utils::IteratorType::parallel)
        kept.push_back(b.getAffineDimExpr(dim));
    output = AffineMap::get(rank, 0, kept, b.getContext());
  }
};

struct ReduceLowering : OpConversionPattern<ReduceOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ReduceOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    ReduceKind kind = op.getKind();
    Type element = tensorType(op.getOperand()).getElementType();
    Type result = tensorType(op.getResult()).getElementType();
    RankedTensorType type = signlessType(op.getResult());
    bool isUnsigned = isUnsignedElement(element);
    Type wide = accumulatorType(kind, element);
    RankedTensorType accType = type.clone(wide);
    Value neutral = arith::ConstantOp::create(
        rewriter, loc, neutralSplat(kind, accType, isUnsigned));
    RankedTensorType from = tensorType(adaptor.getOperand());
    Type signedWide = isa<IntegerType>(wide) ? element : wide;
    Value reduced;
    if (from.getNumElements() == 0) {
      reduced = neutral;
    } else if (op.getAxes().empty()) {
      rewriter.replaceOp(op, adaptor.getOperand());
      return success();
    } else {
      Value operand = createConvert(rewriter, loc, adaptor.getOperand(),
                                    element, signedWide);
      ReductionSpace space(rewriter, from.getRank(), op.getAxes());
      auto generic = linalg::GenericOp::create(
          rewriter, loc, TypeRange{accType}, operand, neutral,
          ArrayRef<AffineMap>{space.input, space.output}, space.iterators,
          [&](OpBuilder &nested, Location at, ValueRange v) {
            PayloadBuilder b(nested, at);
            linalg::YieldOp::create(
                b, emitCombine(b, kind, v[0], v[1], isUnsigned));
          });
      reduced = generic.getResult(0);
    }
    rewriter.replaceOp(
        op, createConvert(rewriter, loc, reduced, signedWide, result));
    return success();
  }
};

/// The steps run in order: the function need not be associative.
struct ReduceFnLowering : OpConversionPattern<ReduceFnOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ReduceFnOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RankedTensorType type = signlessType(op.getResult());
    RankedTensorType from = tensorType(adaptor.getOperand());
    Value init = createFill(rewriter, loc, type, adaptor.getInit());
    if (from.getNumElements() == 0) {
      rewriter.replaceOp(op, init);
      return success();
    }
    if (op.getAxes().empty()) {
      // One step for each element.
      rewriter.replaceOp(
          op,
          createElementwise(rewriter, loc, type, {adaptor.getOperand(), init},
                            [&](PayloadBuilder &b, ValueRange v) {
                              return emitRegion(b, op.getBody(), v);
                            }));
      return success();
    }
    ReductionSpace space(rewriter, from.getRank(), op.getAxes());
    auto generic = linalg::GenericOp::create(
        rewriter, loc, TypeRange{type}, adaptor.getOperand(), init,
        ArrayRef<AffineMap>{space.input, space.output}, space.iterators,
        [&](OpBuilder &nested, Location at, ValueRange v) {
          PayloadBuilder b(nested, at);
          linalg::YieldOp::create(b, emitRegion(b, op.getBody(), v));
        });
    generic->setAttr(kOrdered, rewriter.getUnitAttr());
    rewriter.replaceOp(op, generic.getResults());
    return success();
  }
};

template <typename Op, bool isMax>
struct ArgReduceLowering : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;

  LogicalResult
  matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    ReduceKind kind = isMax ? ReduceKind::max : ReduceKind::min;
    int64_t axis = op.getAxis();
    bool tieHigh = op.getTieHigh();
    Type element = tensorType(op.getOperand()).getElementType();
    Type result = tensorType(op.getResult()).getElementType();
    bool isUnsigned = isUnsignedElement(element);
    Type wide = accumulatorType(kind, element);
    Value operand = createConvert(rewriter, loc, adaptor.getOperand(), element,
                                  isa<IntegerType>(wide) ? element : wide);
    RankedTensorType from = tensorType(operand);
    Type indexType =
        result.getIntOrFloatBitWidth() == 64
            ? signlessElement(result)
            : indexElementType(this->getContext(), from.getDimSize(axis));
    ReductionSpace space(rewriter, from.getRank(), axis);
    SmallVector<int64_t> shape(from.getShape());
    shape.erase(shape.begin() + axis);
    auto valueType = RankedTensorType::get(shape, wide);
    auto indicesType = RankedTensorType::get(shape, indexType);
    unsigned width = indexType.getIntOrFloatBitWidth();
    APInt none =
        tieHigh ? APInt::getAllOnes(width) : APInt::getSignedMaxValue(width);
    Value values = arith::ConstantOp::create(
        rewriter, loc, neutralSplat(kind, valueType, isUnsigned));
    Value indices = arith::ConstantOp::create(
        rewriter, loc, DenseElementsAttr::get(indicesType, none));
    auto generic = linalg::GenericOp::create(
        rewriter, loc, TypeRange{valueType, indicesType}, operand,
        ValueRange{values, indices},
        ArrayRef<AffineMap>{space.input, space.output, space.output},
        space.iterators, [&](OpBuilder &nested, Location at, ValueRange v) {
          PayloadBuilder b(nested, at);
          Value position = linalg::IndexOp::create(b, axis);
          Value index = arith::IndexCastOp::create(b, indexType, position);
          auto [value, chosen] = emitArgCombine(b, isMax, tieHigh, isUnsigned,
                                                v[0], index, v[1], v[2]);
          linalg::YieldOp::create(b, ValueRange{value, chosen});
        });
    generic->setAttr(kArgReduce, rewriter.getStringAttr(isMax ? "max" : "min"));
    if (tieHigh)
      generic->setAttr(kTieHigh, rewriter.getUnitAttr());
    if (isUnsigned)
      generic->setAttr(kUnsigned, rewriter.getUnitAttr());
    Value chosen =
        createConvert(rewriter, loc, generic.getResult(1), indexType, result);
    rewriter.replaceOp(op,
                       createReshape(rewriter, loc, chosen,
                                     tensorType(op.getResult()).getShape()));
    return success();
  }
};
} // namespace

void tolinalg::populateReductionPatterns(TypeConverter &converter,
                                         RewritePatternSet &patterns) {
  patterns
      .add<ReduceLowering, ReduceFnLowering, ArgReduceLowering<ArgMaxOp, true>,
           ArgReduceLowering<ArgMinOp, false>>(converter,
                                               patterns.getContext());
}
