//===- Window.cpp - sliding windows -----------------------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
// A generic over (result axes, window axes) on an explicitly padded operand.
// The window axes get their sizes from an input of the window's shape that is
// never read.

#include "Support.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace nxv;
using namespace nxv::tolinalg;
using IP = arith::CmpIPredicate;

namespace {
/// The loops of a window operation: `rank` parallel, then `rank` reductions.
struct WindowSpace {
  AffineMap operand, window, result;
  SmallVector<utils::IteratorType> iterators;

  WindowSpace(MLIRContext *ctx, ArrayRef<int64_t> strides,
              ArrayRef<int64_t> dilations) {
    int64_t rank = strides.size();
    SmallVector<AffineExpr> reads, outer, inner;
    for (int64_t i = 0; i < rank; ++i) {
      outer.push_back(getAffineDimExpr(i, ctx));
      inner.push_back(getAffineDimExpr(rank + i, ctx));
      reads.push_back(outer[i] * strides[i] +
                      inner[i] * (dilations.empty() ? 1 : dilations[i]));
    }
    operand = AffineMap::get(2 * rank, 0, reads, ctx);
    window = AffineMap::get(2 * rank, 0, inner, ctx);
    result = AffineMap::get(2 * rank, 0, outer, ctx);
    iterators.assign(rank, utils::IteratorType::parallel);
    iterators.resize(2 * rank, utils::IteratorType::reduction);
  }
};

Value createWindowShape(OpBuilder &b, Location loc, ArrayRef<int64_t> window,
                        Type element) {
  return createEmpty(b, loc, RankedTensorType::get(window, element));
}

/// A constant scalar for a pad: the neutral element of `kind`.
Value emitNeutral(PayloadBuilder &b, ReduceKind kind, Type element,
                  bool isUnsigned) {
  DenseElementsAttr splat =
      neutralSplat(kind, RankedTensorType::get({}, element), isUnsigned);
  return b.constant(splat.getSplatValue<Attribute>(), element);
}

struct WindowReduceLowering : OpConversionPattern<WindowReduceOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(WindowReduceOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    ReduceKind kind = op.getKind();
    Type element = tensorType(op.getOperand()).getElementType();
    Type result = tensorType(op.getResult()).getElementType();
    bool isUnsigned = isUnsignedElement(element);
    Type wide = accumulatorType(kind, element);
    Type signedWide = isa<IntegerType>(wide) ? element : wide;
    Value operand =
        createConvert(rewriter, loc, adaptor.getOperand(), element, signedWide);
    operand = createPad(rewriter, loc, operand,
                        [&](PayloadBuilder &b) {
                          return emitNeutral(b, kind, wide, isUnsigned);
                        },
                        op.getLow(), op.getHigh(), {});
    RankedTensorType type = signlessType(op.getResult()).clone(wide);
    Value init = arith::ConstantOp::create(
        rewriter, loc, neutralSplat(kind, type, isUnsigned));
    Value window = createWindowShape(rewriter, loc, op.getWindow(), wide);
    WindowSpace space(getContext(), op.getStrides(), op.getDilations());
    auto generic = linalg::GenericOp::create(
        rewriter, loc, TypeRange{type}, ValueRange{operand, window}, init,
        ArrayRef<AffineMap>{space.operand, space.window, space.result},
        space.iterators, [&](OpBuilder &nested, Location at, ValueRange v) {
          PayloadBuilder b(nested, at);
          linalg::YieldOp::create(b,
                                  emitCombine(b, kind, v[0], v[2], isUnsigned));
        });
    rewriter.replaceOp(op, createConvert(rewriter, loc, generic.getResult(0),
                                         signedWide, result));
    return success();
  }
};

struct WindowReduceFnLowering : OpConversionPattern<WindowReduceFnOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(WindowReduceFnOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RankedTensorType type = signlessType(op.getResult());
    Attribute known = splatElement(op.getInit());
    auto padding = [&](PayloadBuilder &b) -> Value {
      if (known)
        return b.constant(known, type.getElementType());
      return tensor::ExtractOp::create(b, adaptor.getInit(), ValueRange{});
    };
    Value operand = createPad(rewriter, loc, adaptor.getOperand(), padding,
                              op.getLow(), op.getHigh(), {});
    Value init = createFill(rewriter, loc, type, adaptor.getInit());
    Value window =
        createWindowShape(rewriter, loc, op.getWindow(), type.getElementType());
    WindowSpace space(getContext(), op.getStrides(), op.getDilations());
    auto generic = linalg::GenericOp::create(
        rewriter, loc, TypeRange{type}, ValueRange{operand, window}, init,
        ArrayRef<AffineMap>{space.operand, space.window, space.result},
        space.iterators, [&](OpBuilder &nested, Location at, ValueRange v) {
          PayloadBuilder b(nested, at);
          linalg::YieldOp::create(b, emitRegion(b, op.getBody(), {v[0], v[2]}));
        });
    generic->setAttr(kOrdered, rewriter.getUnitAttr());
    rewriter.replaceOp(op, generic.getResults());
    return success();
  }
};

/// In two generics: which element each window chooses, then, for each element,
/// the sum over the windows that can cover it of the sources that chose it.
struct SelectAndScatterLowering : OpConversionPattern<SelectAndScatterOp> {
  using OpConversionPattern::OpConversionPattern;

  /// The row-major position in the operand of what window loop `d0..` reads;
  /// and whether it lies in the operand at all (null: always).
  static std::pair<Value, Value>
  emitPosition(PayloadBuilder &b, SelectAndScatterOp op, Type indexType) {
    RankedTensorType type = tensorType(op.getOperand());
    int64_t rank = type.getRank();
    AffineExpr d0 = b.getAffineDimExpr(0), d1 = b.getAffineDimExpr(1);
    Value flat, valid;
    auto also = [&](Value condition) {
      valid = valid ? b.andi(valid, condition) : condition;
    };
    for (int64_t i = 0; i < rank; ++i) {
      Value outer = linalg::IndexOp::create(b, i);
      Value inner = linalg::IndexOp::create(b, rank + i);
      int64_t low = op.getLow()[i], size = type.getDimSize(i);
      Value at =
          applyAffine(b, d0 * op.getStrides()[i] + d1 - low, {outer, inner});
      if (low > 0)
        also(b.cmp(IP::sge, at, b.index(0)));
      if (op.getHigh()[i] > 0)
        also(b.cmp(IP::slt, at, b.index(size)));
      flat = flat ? applyAffine(b, d0 * size + d1, {flat, at}) : at;
    }
    if (!flat)
      flat = b.index(0);
    return {arith::IndexCastOp::create(b, indexType, flat), valid};
  }

  /// The row-major position chosen by each window, -1 for none.
  static Value createChoice(OpBuilder &rewriter, SelectAndScatterOp op,
                            Value operand, Type indexType) {
    Location loc = op.getLoc();
    MLIRContext *ctx = rewriter.getContext();
    ReduceKind kind = op.getKind();
    bool isMax = kind == ReduceKind::max;
    Type element = tensorType(op.getOperand()).getElementType();
    bool isUnsigned = isUnsignedElement(element);
    Type wide = accumulatorType(kind, element);
    operand = createConvert(rewriter, loc, operand, element,
                            isa<IntegerType>(wide) ? element : wide);
    auto neutral = [&](PayloadBuilder &b) {
      return emitNeutral(b, kind, wide, isUnsigned);
    };
    operand = createPad(rewriter, loc, operand, neutral, op.getLow(),
                        op.getHigh(), {});
    ArrayRef<int64_t> shape = tensorType(op.getSource()).getShape();
    auto valueType = RankedTensorType::get(shape, wide);
    auto choiceType = RankedTensorType::get(shape, indexType);
    APInt none = APInt::getAllOnes(indexType.getIntOrFloatBitWidth());
    Value values = arith::ConstantOp::create(
        rewriter, loc, neutralSplat(kind, valueType, isUnsigned));
    Value choices = arith::ConstantOp::create(
        rewriter, loc, DenseElementsAttr::get(choiceType, none));
    Value window = createWindowShape(rewriter, loc, op.getWindow(), wide);
    WindowSpace space(ctx, op.getStrides(), {});
    auto generic = linalg::GenericOp::create(
        rewriter, loc, TypeRange{valueType, choiceType},
        ValueRange{operand, window}, ValueRange{values, choices},
        ArrayRef<AffineMap>{space.operand, space.window, space.result,
                            space.result},
        space.iterators, [&](OpBuilder &nested, Location at, ValueRange v) {
          PayloadBuilder b(nested, at);
          auto [position, valid] = emitPosition(b, op, indexType);
          if (valid)
            position = b.select(valid, position, b.intConst(indexType, none));
          auto [value, chosen] =
              emitArgCombine(b, isMax, /*tieHigh=*/true, isUnsigned, v[0],
                             position, v[2], v[3]);
          linalg::YieldOp::create(b, ValueRange{value, chosen});
        });
    generic->setAttr(kArgReduce, rewriter.getStringAttr(isMax ? "max" : "min"));
    generic->setAttr(kTieHigh, rewriter.getUnitAttr());
    if (isUnsigned)
      generic->setAttr(kUnsigned, rewriter.getUnitAttr());
    return generic.getResult(1);
  }

  /// `source[w]` if window `w`, the k-th before the last that can cover the
  /// element at `indices`, chose that element; else 0.
  static Value emitShare(PayloadBuilder &b, SelectAndScatterOp op, Value choice,
                         Value source, Type wide) {
    RankedTensorType type = tensorType(op.getOperand());
    Type indexType = tensorType(choice).getElementType();
    int64_t rank = type.getRank();
    AffineExpr d0 = b.getAffineDimExpr(0), d1 = b.getAffineDimExpr(1);
    SmallVector<Value> at;
    Value flat, inside;
    for (int64_t i = 0; i < rank; ++i) {
      Value index = linalg::IndexOp::create(b, i);
      Value k = linalg::IndexOp::create(b, rank + i);
      AffineExpr last = (d0 + op.getLow()[i]).floorDiv(op.getStrides()[i]);
      Value w = applyAffine(b, last - d1, {index, k});
      int64_t windows = tensorType(op.getSource()).getDimSize(i);
      Value fits = b.andi(b.cmp(IP::sge, w, b.index(0)),
                          b.cmp(IP::slt, w, b.index(windows)));
      inside = inside ? b.andi(inside, fits) : fits;
      flat = flat ? applyAffine(b, d0 * type.getDimSize(i) + d1, {flat, index})
                  : index;
      at.push_back(w);
    }
    Value zero = emitNeutral(b, ReduceKind::add, wide, false);
    auto share = [&](PayloadBuilder &p) {
      Value chosen = tensor::ExtractOp::create(p, choice, at);
      Value position = flat ? arith::IndexCastOp::create(p, indexType, flat)
                            : p.intConst(indexType, 0);
      Value element = tensor::ExtractOp::create(p, source, at);
      return p.select(p.cmp(IP::eq, chosen, position), element, zero);
    };
    if (!inside)
      return share(b);
    auto choose = scf::IfOp::create(
        b, inside,
        [&](OpBuilder &nested, Location loc) {
          PayloadBuilder p(nested, loc);
          scf::YieldOp::create(p, share(p));
        },
        [&](OpBuilder &nested, Location loc) {
          scf::YieldOp::create(nested, loc, zero);
        });
    return choose.getResult(0);
  }

  /// For each element the sum of the sources of the windows that chose it.
  static Value createShares(OpBuilder &rewriter, SelectAndScatterOp op,
                            Value choice, Value source, RankedTensorType type) {
    Location loc = op.getLoc();
    Type wide = type.getElementType();
    SmallVector<int64_t> covering;
    for (auto [size, stride] : llvm::zip(op.getWindow(), op.getStrides()))
      covering.push_back(llvm::divideCeil(size, stride));
    Value shape = createWindowShape(rewriter, loc, covering, wide);
    Value zero = createZeroSplat(rewriter, loc, type);
    SmallVector<int64_t> unit(type.getRank(), 1);
    WindowSpace space(rewriter.getContext(), unit, {});
    auto generic = linalg::GenericOp::create(
        rewriter, loc, TypeRange{type}, shape, zero,
        ArrayRef<AffineMap>{space.window, space.result}, space.iterators,
        [&](OpBuilder &nested, Location at, ValueRange v) {
          PayloadBuilder b(nested, at);
          Value share = emitShare(b, op, choice, source, wide);
          linalg::YieldOp::create(b, emitAdd(b, share, v[1]));
        });
    return generic.getResult(0);
  }

  LogicalResult
  matchAndRewrite(SelectAndScatterOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RankedTensorType type = signlessType(op.getResult());
    Type element = tensorType(op.getSource()).getElementType();
    Type wide = accumulatorType(ReduceKind::add, element);
    Type signedWide = isa<IntegerType>(wide) ? element : wide;
    RankedTensorType accType = type.clone(wide);
    Value init =
        createConvert(rewriter, loc, adaptor.getInit(), element, signedWide);
    Value acc = createFill(rewriter, loc, accType, init);
    if (tensorType(op.getSource()).getNumElements() != 0) {
      Type indexType = indexElementType(getContext(), type.getNumElements());
      Value choice =
          createChoice(rewriter, op, adaptor.getOperand(), indexType);
      Value source = createConvert(rewriter, loc, adaptor.getSource(), element,
                                   signedWide);
      Value shares = createShares(rewriter, op, choice, source, accType);
      bool fromZero = matchPattern(op.getInit(), m_Zero()) ||
                      matchPattern(op.getInit(), m_AnyZeroFloat());
      // Lanes share the work of a reduction, so that it starts from 0.
      acc = fromZero ? shares
                     : createElementwise(rewriter, loc, accType, {shares, acc},
                                         [](PayloadBuilder &b, ValueRange v) {
                                           return emitAdd(b, v[0], v[1]);
                                         });
    }
    rewriter.replaceOp(op,
                       createConvert(rewriter, loc, acc, signedWide, element));
    return success();
  }
};
} // namespace

void tolinalg::populateWindowPatterns(TypeConverter &converter,
                                      RewritePatternSet &patterns) {
  patterns.add<WindowReduceLowering, WindowReduceFnLowering,
               SelectAndScatterLowering>(converter, patterns.getContext());
}
