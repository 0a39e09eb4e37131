//===- Convolution.cpp - convolutions ---------------------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
// The padding and the dilation of the input become an explicit pad, so that the
// convolution itself reads in range without a condition; a kernel inlines the
// pad as a producer.

#include "Support.h"

using namespace mlir;
using namespace nxv;
using namespace nxv::tolinalg;

namespace {
/// One operand on its way to its indexing map: axes get split into groups, and
/// each axis is labelled with the expression that reads it.
struct LabelledOperand {
  Value tensor;
  /// Parallel to the tensor's axes: which axis of the operation, and which part
  /// of it (0 the group, 1 the rest) when it has been split.
  struct Label {
    int64_t axis, part;
  };
  SmallVector<Label> labels;

  explicit LabelledOperand(const ViewedOperand &view) : tensor(view.tensor) {
    labels.resize(view.axisOf.size());
    for (auto [axis, physical] : llvm::enumerate(view.axisOf))
      labels[physical] = {static_cast<int64_t>(axis), 1};
  }

  /// Splits an axis into [groups, size / groups].
  void split(OpBuilder &b, Location loc, int64_t axis, int64_t groups) {
    SmallVector<int64_t> shape;
    SmallVector<Label> next;
    for (auto [label, size] :
         llvm::zip(labels, tensorType(tensor).getShape())) {
      if (label.axis == axis) {
        shape.push_back(groups);
        next.push_back({axis, 0});
      }
      shape.push_back(label.axis == axis ? size / groups : size);
      next.push_back(label);
    }
    SmallVector<ReassociationIndices> groupsOfAxes;
    int64_t position = 0;
    for (Label label : labels) {
      groupsOfAxes.push_back({position++});
      if (label.axis == axis)
        groupsOfAxes.back().push_back(position++);
    }
    tensor = tensor::ExpandShapeOp::create(
        b, loc, tensorType(tensor).clone(shape), tensor, groupsOfAxes);
    labels = next;
  }

  AffineMap map(int64_t loops, MLIRContext *ctx,
                function_ref<AffineExpr(Label)> exprOf) const {
    SmallVector<AffineExpr> exprs;
    for (Label label : labels)
      exprs.push_back(exprOf(label));
    return AffineMap::get(loops, 0, exprs, ctx);
  }
};

/// Loops: batch, [group], output channel, space...; input channel, kernel
/// space...
struct ConvLoops {
  int64_t spatial, grouped;

  int64_t batch() const { return 0; }
  int64_t group() const { return 1; }
  int64_t outChannel() const { return 1 + grouped; }
  int64_t space(int64_t i) const { return 2 + grouped + i; }
  int64_t parallel() const { return 2 + grouped + spatial; }
  int64_t inChannel() const { return parallel(); }
  int64_t window(int64_t i) const { return parallel() + 1 + i; }
  int64_t count() const { return parallel() + 1 + spatial; }
};

struct ConvolutionLowering : OpConversionPattern<ConvolutionOp> {
  using OpConversionPattern::OpConversionPattern;

  /// The input padded, cropped and dilated in the layout it has.
  static Value padInput(OpBuilder &b, ConvolutionOp op,
                        const ViewedOperand &view) {
    int64_t rank = view.axisOf.size();
    SmallVector<int64_t> low(rank, 0), high(rank, 0), interior(rank, 0);
    for (int64_t i = 0; i < rank - 2; ++i) {
      int64_t axis = view.axisOf[i + 2];
      low[axis] = op.getLow()[i];
      high[axis] = op.getHigh()[i];
      interior[axis] = op.getInputDilation()[i] - 1;
    }
    Type element = tensorType(view.tensor).getElementType();
    auto zero = [&](PayloadBuilder &p) -> Value {
      DenseElementsAttr splat = neutralSplat(
          ReduceKind::add, RankedTensorType::get({}, element), false);
      return p.constant(splat.getSplatValue<Attribute>(), element);
    };
    return createPad(b, op.getLoc(), view.tensor, zero, low, high, interior);
  }

  /// What an axis of the input is read at.
  static AffineExpr inputExpr(ConvolutionOp op, ConvLoops loops,
                              LabelledOperand::Label label) {
    auto dim = [&](int64_t i) { return getAffineDimExpr(i, op.getContext()); };
    if (label.part == 0)
      return dim(loops.group());
    if (label.axis < 2)
      return dim(label.axis == 0 ? loops.batch() : loops.inChannel());
    int64_t i = label.axis - 2;
    return dim(loops.space(i)) * op.getStrides()[i] +
           dim(loops.window(i)) * op.getKernelDilation()[i];
  }

  /// What an axis of the kernel is read at.
  static AffineExpr kernelExpr(MLIRContext *ctx, ConvLoops loops,
                               LabelledOperand::Label label) {
    int64_t loop = loops.group();
    if (label.part != 0 && label.axis < 2)
      loop = label.axis == 0 ? loops.outChannel() : loops.inChannel();
    else if (label.part != 0)
      loop = loops.window(label.axis - 2);
    return getAffineDimExpr(loop, ctx);
  }

  LogicalResult
  matchAndRewrite(ConvolutionOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    MLIRContext *ctx = getContext();
    RankedTensorType type = signlessType(op.getResult());
    Type element = type.getElementType();
    Type accElement = accumulatorType(ReduceKind::add, element);
    int64_t features = op.getFeatureGroups(), batches = op.getBatchGroups();
    int64_t groups = features * batches;
    ConvLoops loops{type.getRank() - 2, groups > 1};

    ViewedOperand inputView =
        viewThroughTransposes(op.getInput(), adaptor.getInput(), rewriter);
    inputView.tensor = padInput(rewriter, op, inputView);
    LabelledOperand input(inputView);
    LabelledOperand kernel(
        viewThroughTransposes(op.getKernel(), adaptor.getKernel(), rewriter));
    SmallVector<int64_t> shape(type.getShape());
    if (groups > 1) {
      input.split(rewriter, loc, features > 1 ? 1 : 0, groups);
      kernel.split(rewriter, loc, 0, groups);
      shape[1] /= groups;
      shape.insert(shape.begin() + 1, groups);
    }

    AffineMap inputMap =
        input.map(loops.count(), ctx, [&](LabelledOperand::Label label) {
          return inputExpr(op, loops, label);
        });
    AffineMap kernelMap =
        kernel.map(loops.count(), ctx, [&](LabelledOperand::Label label) {
          return kernelExpr(ctx, loops, label);
        });
    AffineMap parallel =
        AffineMap::getMultiDimIdentityMap(loops.parallel(), ctx);
    AffineMap outMap =
        AffineMap::get(loops.count(), 0, parallel.getResults(), ctx);

    auto accType = RankedTensorType::get(shape, accElement);
    Value acc = createZeroSplat(rewriter, loc, accType);
    if (tensorType(input.tensor).getNumElements() != 0 &&
        tensorType(kernel.tensor).getNumElements() != 0) {
      SmallVector<utils::IteratorType> iterators(loops.parallel(),
                                                 utils::IteratorType::parallel);
      iterators.resize(loops.count(), utils::IteratorType::reduction);
      auto generic = linalg::GenericOp::create(
          rewriter, loc, TypeRange{accType},
          ValueRange{input.tensor, kernel.tensor}, acc,
          ArrayRef<AffineMap>{inputMap, kernelMap, outMap}, iterators,
          [&](OpBuilder &nested, Location at, ValueRange v) {
            PayloadBuilder b(nested, at);
            Value product = emitMul(b, b.widen(v[0], /*half=*/true),
                                    b.widen(v[1], /*half=*/true));
            linalg::YieldOp::create(b, emitAdd(b, product, v[2]));
          });
      generic->setAttr(kConv, rewriter.getUnitAttr());
      acc = generic.getResult(0);
    }
    acc = createReshape(rewriter, loc, acc, type.getShape());
    rewriter.replaceOp(op,
                       createConvert(rewriter, loc, acc, accElement, element));
    return success();
  }
};
} // namespace

void tolinalg::populateConvolutionPatterns(TypeConverter &converter,
                                           RewritePatternSet &patterns) {
  patterns.add<ConvolutionLowering>(converter, patterns.getContext());
}
