//===- Movement.cpp - broadcasts, reshapes, slices, gathers -----*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
// A tensor moved by index is captured and read with tensor.extract, so that a
// kernel can inline its producer at the computed index.

#include "Support.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace nxv;
using namespace nxv::tolinalg;
using IP = arith::CmpIPredicate;

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

/// The coarsest reassociations of both shapes into groups of equal size.
static void groupShapes(ArrayRef<int64_t> from, ArrayRef<int64_t> to,
                        SmallVector<ReassociationIndices> &fromGroups,
                        SmallVector<ReassociationIndices> &toGroups) {
  size_t i = 0, j = 0;
  while (i < from.size() && j < to.size()) {
    ReassociationIndices a{static_cast<int64_t>(i)};
    ReassociationIndices b{static_cast<int64_t>(j)};
    int64_t left = from[i++], right = to[j++];
    while (left != right) {
      if (left < right) {
        left *= from[i];
        a.push_back(i++);
      } else {
        right *= to[j];
        b.push_back(j++);
      }
    }
    fromGroups.push_back(a);
    toGroups.push_back(b);
  }
  // Trailing axes of size 1.
  for (; i < from.size(); ++i)
    fromGroups.back().push_back(i);
  for (; j < to.size(); ++j)
    toGroups.back().push_back(j);
}

Value tolinalg::createReshape(OpBuilder &b, Location loc, Value operand,
                              ArrayRef<int64_t> shape) {
  RankedTensorType from = tensorType(operand);
  RankedTensorType to = from.clone(shape);
  if (from == to)
    return operand;
  SmallVector<ReassociationIndices> fromGroups, toGroups;
  if (from.getRank() == 0)
    return tensor::ExpandShapeOp::create(b, loc, to, operand, fromGroups);
  if (to.getRank() == 0)
    return tensor::CollapseShapeOp::create(b, loc, to, operand, fromGroups);
  groupShapes(from.getShape(), shape, fromGroups, toGroups);
  auto groups = static_cast<int64_t>(fromGroups.size());
  if (groups != from.getRank()) {
    SmallVector<int64_t> middle;
    for (const ReassociationIndices &group : fromGroups) {
      int64_t size = 1;
      for (int64_t dim : group)
        size *= from.getDimSize(dim);
      middle.push_back(size);
    }
    operand = tensor::CollapseShapeOp::create(b, loc, from.clone(middle),
                                              operand, fromGroups);
  }
  if (groups != to.getRank())
    operand = tensor::ExpandShapeOp::create(b, loc, to, operand, toGroups);
  return operand;
}

/// A lazy choice between two values.
static Value createIf(PayloadBuilder &b, Value condition,
                      function_ref<Value(PayloadBuilder &)> onTrue,
                      function_ref<Value(PayloadBuilder &)> onFalse) {
  auto branch = [](function_ref<Value(PayloadBuilder &)> emit) {
    return [emit](OpBuilder &nested, Location loc) {
      PayloadBuilder p(nested, loc);
      scf::YieldOp::create(p, emit(p));
    };
  };
  return scf::IfOp::create(b, condition, branch(onTrue), branch(onFalse))
      .getResult(0);
}

namespace {
struct ReshapeLowering : OpConversionPattern<ReshapeOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ReshapeOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ArrayRef<int64_t> shape = tensorType(op.getResult()).getShape();
    rewriter.replaceOp(
        op, createReshape(rewriter, op.getLoc(), adaptor.getOperand(), shape));
    return success();
  }
};

Value yieldElement(PayloadBuilder &, ValueRange v) { return v[0]; }

struct BroadcastLowering : OpConversionPattern<BroadcastInDimOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(BroadcastInDimOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    RankedTensorType type = signlessType(op.getResult());
    RankedTensorType from = tensorType(adaptor.getOperand());
    // The axes increase: an equal type means that nothing moves.
    if (from == type) {
      rewriter.replaceOp(op, adaptor.getOperand());
      return success();
    }
    SmallVector<AffineExpr> exprs;
    for (auto [dim, axis] : llvm::enumerate(op.getAxes())) {
      bool stretched = from.getDimSize(dim) == 1 && type.getDimSize(axis) != 1;
      exprs.push_back(stretched ? rewriter.getAffineConstantExpr(0)
                                : rewriter.getAffineDimExpr(axis));
    }
    AffineMap map =
        AffineMap::get(type.getRank(), 0, exprs, rewriter.getContext());
    rewriter.replaceOp(op,
                       createParallel(rewriter, op.getLoc(), type,
                                      adaptor.getOperand(), map, yieldElement));
    return success();
  }
};

struct TransposeLowering : OpConversionPattern<TransposeOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(TransposeOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    RankedTensorType type = signlessType(op.getResult());
    SmallVector<AffineExpr> exprs(type.getRank());
    for (auto [dim, from] : llvm::enumerate(op.getPermutation()))
      exprs[from] = rewriter.getAffineDimExpr(dim);
    AffineMap map =
        AffineMap::get(type.getRank(), 0, exprs, rewriter.getContext());
    rewriter.replaceOp(op,
                       createParallel(rewriter, op.getLoc(), type,
                                      adaptor.getOperand(), map, yieldElement));
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Constant positions
//===----------------------------------------------------------------------===//

struct SliceLowering : OpConversionPattern<SliceOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(SliceOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    RankedTensorType type = signlessType(op.getResult());
    if (adaptor.getOperand().getType() == type) {
      rewriter.replaceOp(op, adaptor.getOperand());
      return success();
    }
    AffineExpr d0 = rewriter.getAffineDimExpr(0);
    auto payload = [&](PayloadBuilder &b, ValueRange indices) -> Value {
      SmallVector<Value> source;
      for (auto [index, start, stride] :
           llvm::zip(indices, op.getStarts(), op.getStrides()))
        source.push_back(applyAffine(b, d0 * stride + start, index));
      return tensor::ExtractOp::create(b, adaptor.getOperand(), source);
    };
    rewriter.replaceOp(op,
                       createFromIndices(rewriter, op.getLoc(), type, payload));
    return success();
  }
};

struct ReverseLowering : OpConversionPattern<ReverseOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ReverseOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    RankedTensorType type = signlessType(op.getResult());
    AffineExpr d0 = rewriter.getAffineDimExpr(0);
    auto payload = [&](PayloadBuilder &b, ValueRange indices) -> Value {
      SmallVector<Value> source(indices);
      for (int64_t axis : op.getAxes())
        source[axis] =
            applyAffine(b, type.getDimSize(axis) - 1 - d0, indices[axis]);
      return tensor::ExtractOp::create(b, adaptor.getOperand(), source);
    };
    rewriter.replaceOp(op,
                       createFromIndices(rewriter, op.getLoc(), type, payload));
    return success();
  }
};

struct PadLowering : OpConversionPattern<PadOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(PadOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Attribute splat = splatElement(op.getValue());
    auto value = [&](PayloadBuilder &b) -> Value {
      Type element = tensorType(adaptor.getValue()).getElementType();
      if (splat)
        return b.constant(splat, element);
      return tensor::ExtractOp::create(b, adaptor.getValue(), ValueRange{});
    };
    rewriter.replaceOp(op, createPad(rewriter, op.getLoc(),
                                     adaptor.getOperand(), value, op.getLow(),
                                     op.getHigh(), op.getInterior()));
    return success();
  }
};

struct ConcatenateLowering : OpConversionPattern<ConcatenateOp> {
  using OpConversionPattern::OpConversionPattern;

  /// The element at `indices` of the concatenation of `inputs`, whose first one
  /// starts at `offset`.
  static Value emitChain(PayloadBuilder &b, ArrayRef<Value> inputs,
                         int64_t axis, int64_t offset, ValueRange indices) {
    Value first = inputs.front();
    int64_t end = offset + tensorType(first).getDimSize(axis);
    auto extract = [&](PayloadBuilder &p) -> Value {
      SmallVector<Value> source(indices);
      AffineExpr d0 = p.getAffineDimExpr(0);
      source[axis] = applyAffine(p, d0 - offset, indices[axis]);
      return tensor::ExtractOp::create(p, first, source);
    };
    if (inputs.size() == 1)
      return extract(b);
    Value within = b.cmp(IP::slt, indices[axis], b.index(end));
    auto rest = [&](PayloadBuilder &p) {
      return emitChain(p, inputs.drop_front(), axis, end, indices);
    };
    return createIf(b, within, extract, rest);
  }

  LogicalResult
  matchAndRewrite(ConcatenateOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> inputs;
    for (Value input : adaptor.getInputs())
      if (tensorType(input).getNumElements() != 0)
        inputs.push_back(input);
    if (inputs.size() == 1) {
      rewriter.replaceOp(op, inputs[0]);
      return success();
    }
    auto payload = [&](PayloadBuilder &b, ValueRange indices) {
      return emitChain(b, inputs, op.getAxis(), /*offset=*/0, indices);
    };
    rewriter.replaceOp(op, createFromIndices(rewriter, op.getLoc(),
                                             signlessType(op.getResult()),
                                             payload));
    return success();
  }
};
} // namespace

namespace {
/// Where along one axis an element of a padded tensor comes from.
struct PadAxis {
  int64_t size, low, high, interior;

  bool isTrivial() const { return low == 0 && high == 0 && interior == 0; }
  int64_t dilatedSize() const {
    return size == 0 ? 0 : size + (size - 1) * interior;
  }
  int64_t paddedSize() const { return dilatedSize() + low + high; }
  /// Whether `index` holds an element; null if every index does.
  Value condition(PayloadBuilder &b, Value index) const;
  Value source(PayloadBuilder &b, Value index) const {
    AffineExpr d0 = b.getAffineDimExpr(0);
    return applyAffine(b, (d0 - low).floorDiv(interior + 1), index);
  }
};
} // namespace

static Value conjunction(PayloadBuilder &b, Value x, Value y) {
  return x && y ? b.andi(x, y) : x ? x : y;
}

Value PadAxis::condition(PayloadBuilder &b, Value index) const {
  Value result;
  if (low > 0)
    result = b.cmp(IP::sge, index, b.index(low));
  if (high > 0)
    result = conjunction(b, result,
                         b.cmp(IP::slt, index, b.index(low + dilatedSize())));
  if (interior > 0) {
    // A multiple of the spacing is added so that the operand of mod is
    // positive.
    int64_t spacing = interior + 1;
    int64_t lift = low > 0 ? llvm::divideCeil(low, spacing) * spacing : 0;
    AffineExpr d0 = b.getAffineDimExpr(0);
    Value phase = applyAffine(b, (d0 + (lift - low)) % spacing, index);
    result = conjunction(b, result, b.cmp(IP::eq, phase, b.index(0)));
  }
  return result;
}

Value tolinalg::createPad(OpBuilder &b, Location loc, Value operand,
                          function_ref<Value(PayloadBuilder &)> value,
                          ArrayRef<int64_t> low, ArrayRef<int64_t> high,
                          ArrayRef<int64_t> interior) {
  RankedTensorType from = tensorType(operand);
  SmallVector<PadAxis> axes;
  SmallVector<int64_t> shape;
  for (int64_t dim = 0; dim < from.getRank(); ++dim) {
    axes.push_back({from.getDimSize(dim), low[dim], high[dim],
                    interior.empty() ? 0 : interior[dim]});
    shape.push_back(axes.back().paddedSize());
  }
  if (llvm::all_of(axes, [](const PadAxis &a) { return a.isTrivial(); }))
    return operand;
  bool noElements = from.getNumElements() == 0;
  auto payload = [&](PayloadBuilder &p, ValueRange indices) -> Value {
    if (noElements)
      return value(p);
    auto extract = [&](PayloadBuilder &q) -> Value {
      SmallVector<Value> source;
      for (auto [axis, index] : llvm::zip(axes, indices))
        source.push_back(axis.source(q, index));
      return tensor::ExtractOp::create(q, operand, source);
    };
    Value inside;
    for (auto [axis, index] : llvm::zip(axes, indices))
      inside = conjunction(p, inside, axis.condition(p, index));
    if (!inside)
      return extract(p);
    return createIf(p, inside, extract, value);
  };
  return createFromIndices(b, loc, from.clone(shape), payload);
}

//===----------------------------------------------------------------------===//
// Run-time positions
//===----------------------------------------------------------------------===//

/// An integer clamped to [0, limit] as an index. The clamp comes before the
/// cast: an index may be narrower than the integer.
static Value clampToIndex(PayloadBuilder &b, Value v, bool isUnsigned,
                          int64_t limit) {
  Type type = v.getType();
  unsigned width = type.getIntOrFloatBitWidth();
  if (!isUnsigned)
    v = arith::MaxSIOp::create(b, v, b.intConst(type, 0));
  unsigned bits = isUnsigned ? width : width - 1;
  bool canExceed = bits >= 63 || limit < (int64_t(1) << bits) - 1;
  if (canExceed) {
    Value most = b.intConst(type, limit);
    v = isUnsigned ? arith::MinUIOp::create(b, v, most).getResult()
                   : arith::MinSIOp::create(b, v, most).getResult();
  }
  if (isUnsigned)
    return arith::IndexCastUIOp::create(b, b.getIndexType(), v);
  return arith::IndexCastOp::create(b, b.getIndexType(), v);
}

/// The clamped start along an axis; null where only 0 is possible.
static Value emitStart(PayloadBuilder &b, Value start, bool isUnsigned,
                       int64_t limit) {
  if (limit == 0)
    return {};
  Value scalar = tensor::ExtractOp::create(b, start, ValueRange{});
  return clampToIndex(b, scalar, isUnsigned, limit);
}

static bool hasUnsignedElement(Value v) {
  return isUnsignedElement(tensorType(v).getElementType());
}

namespace {
struct DynamicSliceLowering : OpConversionPattern<DynamicSliceOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(DynamicSliceOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    RankedTensorType from = tensorType(adaptor.getOperand());
    AffineExpr d0 = rewriter.getAffineDimExpr(0);
    auto payload = [&](PayloadBuilder &b, ValueRange indices) -> Value {
      SmallVector<Value> source;
      for (auto [dim, index] : llvm::enumerate(indices)) {
        int64_t limit = from.getDimSize(dim) - op.getLengths()[dim];
        Value at = applyAffine(b, d0 * op.getStrides()[dim], index);
        Value start = emitStart(b, adaptor.getStarts()[dim],
                                hasUnsignedElement(op.getStarts()[dim]), limit);
        if (start)
          at = arith::AddIOp::create(b, start, at);
        source.push_back(at);
      }
      return tensor::ExtractOp::create(b, adaptor.getOperand(), source);
    };
    rewriter.replaceOp(op, createFromIndices(rewriter, op.getLoc(),
                                             signlessType(op.getResult()),
                                             payload));
    return success();
  }
};

struct DynamicUpdateSliceLowering : OpConversionPattern<DynamicUpdateSliceOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(DynamicUpdateSliceOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    RankedTensorType type = signlessType(op.getResult());
    RankedTensorType box = tensorType(adaptor.getUpdate());
    Value operand = adaptor.getOperand(), update = adaptor.getUpdate();
    if (box == type || box.getNumElements() == 0) {
      rewriter.replaceOp(op, box == type ? update : operand);
      return success();
    }
    auto payload = [&](PayloadBuilder &b, ValueRange indices) -> Value {
      SmallVector<Value> source(indices);
      Value inside;
      for (auto [dim, index] : llvm::enumerate(indices)) {
        int64_t limit = type.getDimSize(dim) - box.getDimSize(dim);
        Value start = emitStart(b, adaptor.getStarts()[dim],
                                hasUnsignedElement(op.getStarts()[dim]), limit);
        if (!start)
          continue;
        source[dim] = arith::SubIOp::create(b, index, start);
        Value size = b.index(box.getDimSize(dim));
        inside =
            conjunction(b, inside, b.cmp(IP::sge, source[dim], b.index(0)));
        inside = b.andi(inside, b.cmp(IP::slt, source[dim], size));
      }
      return createIf(
          b, inside,
          [&](PayloadBuilder &p) -> Value {
            return tensor::ExtractOp::create(p, update, source);
          },
          [&](PayloadBuilder &p) -> Value {
            return tensor::ExtractOp::create(p, operand, indices);
          });
    };
    rewriter.replaceOp(op,
                       createFromIndices(rewriter, op.getLoc(), type, payload));
    return success();
  }
};

struct GatherLowering : OpConversionPattern<GatherOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(GatherOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    RankedTensorType from = tensorType(adaptor.getOperand());
    int64_t batchRank = tensorType(op.getIndices()).getRank() - 1;
    bool isUnsigned = hasUnsignedElement(op.getIndices());
    auto payload = [&](PayloadBuilder &b, ValueRange indices) -> Value {
      SmallVector<Value> row(indices.take_front(batchRank));
      ValueRange rest = indices.drop_front(batchRank);
      SmallVector<Value> source(from.getRank());
      for (auto [k, axis] : llvm::enumerate(op.getAxes())) {
        row.push_back(b.index(k));
        Value at = tensor::ExtractOp::create(b, adaptor.getIndices(), row);
        row.pop_back();
        int64_t limit = from.getDimSize(axis) - 1;
        source[axis] = clampToIndex(b, at, isUnsigned, limit);
      }
      for (Value &index : source) {
        if (index)
          continue;
        index = rest.front();
        rest = rest.drop_front();
      }
      return tensor::ExtractOp::create(b, adaptor.getOperand(), source);
    };
    rewriter.replaceOp(op, createFromIndices(rewriter, op.getLoc(),
                                             signlessType(op.getResult()),
                                             payload));
    return success();
  }
};
} // namespace

void tolinalg::populateMovementPatterns(TypeConverter &converter,
                                        RewritePatternSet &patterns) {
  patterns
      .add<ReshapeLowering, BroadcastLowering, TransposeLowering, SliceLowering,
           ReverseLowering, PadLowering, ConcatenateLowering,
           DynamicSliceLowering, DynamicUpdateSliceLowering, GatherLowering>(
          converter, patterns.getContext());
}
