//===- NxvFolders.cpp - folders of the nxv operations -----------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
// What is folded here keeps every bit of every float, signs of zeros included.
// Literals are folded only if they are splats: nothing grows at compile time.

#include "nxv/Dialect/Nxv/IR/Nxv.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace nxv;
using llvm::APFloat;
using llvm::APInt;
using llvm::APSInt;

using Ints = llvm::SmallVector<int64_t>;

//===----------------------------------------------------------------------===//
// Literals
//===----------------------------------------------------------------------===//

static RankedTensorType tensorOf(Value value) {
  return llvm::cast<RankedTensorType>(value.getType());
}

/// A literal whose elements are all the same.
static DenseElementsAttr asSplat(Attribute attr) {
  auto literal = llvm::dyn_cast_or_null<DenseElementsAttr>(attr);
  return literal && literal.isSplat() ? literal : DenseElementsAttr();
}

static Type elementOf(DenseElementsAttr literal) {
  return literal.getElementType();
}

static bool isInteger(DenseElementsAttr literal) {
  return llvm::isa<IntegerType>(elementOf(literal));
}
static bool isFloat(DenseElementsAttr literal) {
  return llvm::isa<FloatType>(elementOf(literal));
}

static bool isUnsignedElement(Type element) {
  return element.isUnsignedInteger() || element.isInteger(1);
}

/// A splat; for no elements, no value at all.
template <typename T>
static DenseElementsAttr splatOf(Type type, const T &value) {
  auto shaped = llvm::cast<ShapedType>(type);
  llvm::ArrayRef<T> values(value);
  return DenseElementsAttr::get(
      shaped, shaped.getNumElements() == 0 ? values.drop_front() : values);
}

static DenseElementsAttr predSplat(Type type, bool value) {
  return splatOf(type, APInt(1, value));
}

/// The same splat in another shape of as many or more elements.
static DenseElementsAttr resized(DenseElementsAttr splat, Type type) {
  auto shaped = llvm::cast<ShapedType>(type);
  if (shaped.getNumElements() == 0)
    return DenseElementsAttr::getFromRawBuffer(shaped, {});
  return splat.resizeSplat(shaped);
}

static bool isIntegerSplat(Attribute attr, uint64_t value) {
  DenseElementsAttr splat = asSplat(attr);
  return splat && isInteger(splat) && splat.getSplatValue<APInt>() == value;
}

static bool isFloatSplat(Attribute attr, double value) {
  DenseElementsAttr splat = asSplat(attr);
  if (!splat || !isFloat(splat))
    return false;
  auto element = splat.getSplatValue<APFloat>();
  APFloat expected(value);
  bool loses;
  expected.convert(element.getSemantics(), APFloat::rmNearestTiesToEven,
                   &loses);
  return element.bitwiseIsEqual(expected);
}

using IntegerFn = llvm::function_ref<APInt(const APInt &, const APInt &)>;
using FloatFn = llvm::function_ref<void(APFloat &, const APFloat &)>;

/// Combines two splats of integers or floats.
static Attribute combine(Attribute lhs, Attribute rhs, Type type,
                         IntegerFn onIntegers, FloatFn onFloats) {
  DenseElementsAttr a = asSplat(lhs), b = asSplat(rhs);
  if (!a || !b)
    return {};
  if (isInteger(a) && onIntegers)
    return splatOf(
        type, onIntegers(a.getSplatValue<APInt>(), b.getSplatValue<APInt>()));
  if (!isFloat(a))
    return {};
  auto value = a.getSplatValue<APFloat>();
  onFloats(value, b.getSplatValue<APFloat>());
  // Which NaN comes out is the target's affair.
  return value.isNaN() ? DenseElementsAttr() : splatOf(type, value);
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

OpFoldResult ConstantOp::fold(FoldAdaptor adaptor) { return getValue(); }

OpFoldResult AddOp::fold(FoldAdaptor adaptor) {
  // x + 0.0 is not x for x = -0.0, but x + -0.0 is.
  if (isIntegerSplat(adaptor.getRhs(), 0) ||
      isFloatSplat(adaptor.getRhs(), -0.0))
    return getLhs();
  return combine(
      adaptor.getLhs(), adaptor.getRhs(), getType(),
      [](const APInt &a, const APInt &b) { return a + b; },
      [](APFloat &a, const APFloat &b) {
        a.add(b, APFloat::rmNearestTiesToEven);
      });
}

OpFoldResult SubtractOp::fold(FoldAdaptor adaptor) {
  if (isIntegerSplat(adaptor.getRhs(), 0) ||
      isFloatSplat(adaptor.getRhs(), 0.0))
    return getLhs();
  if (auto integer =
          llvm::dyn_cast<IntegerType>(getElementTypeOrSelf(getType())))
    if (getLhs() == getRhs())
      return splatOf(getType(), APInt::getZero(integer.getWidth()));
  return combine(
      adaptor.getLhs(), adaptor.getRhs(), getType(),
      [](const APInt &a, const APInt &b) { return a - b; },
      [](APFloat &a, const APFloat &b) {
        a.subtract(b, APFloat::rmNearestTiesToEven);
      });
}

OpFoldResult MultiplyOp::fold(FoldAdaptor adaptor) {
  if (isIntegerSplat(adaptor.getRhs(), 1) ||
      isFloatSplat(adaptor.getRhs(), 1.0))
    return getLhs();
  // Only for integers is 0 absorbing.
  if (isIntegerSplat(adaptor.getRhs(), 0))
    return adaptor.getRhs();
  return combine(
      adaptor.getLhs(), adaptor.getRhs(), getType(),
      [](const APInt &a, const APInt &b) { return a * b; },
      [](APFloat &a, const APFloat &b) {
        a.multiply(b, APFloat::rmNearestTiesToEven);
      });
}

OpFoldResult DivideOp::fold(FoldAdaptor adaptor) {
  if (isFloatSplat(adaptor.getRhs(), 1.0))
    return getLhs();
  return combine(adaptor.getLhs(), adaptor.getRhs(), getType(), nullptr,
                 [](APFloat &a, const APFloat &b) {
                   a.divide(b, APFloat::rmNearestTiesToEven);
                 });
}

//===----------------------------------------------------------------------===//
// Comparison and selection
//===----------------------------------------------------------------------===//

/// The truth of a comparison, given the order of its operands.
static bool holds(Comparison comparison, int order) {
  switch (comparison) {
  case Comparison::eq:
    return order == 0;
  case Comparison::ne:
    return order != 0;
  case Comparison::lt:
    return order < 0;
  case Comparison::le:
    return order <= 0;
  case Comparison::gt:
    return order > 0;
  case Comparison::ge:
    return order >= 0;
  }
  llvm_unreachable("unknown comparison");
}

static bool compareIntegers(Comparison comparison, DenseElementsAttr a,
                            DenseElementsAttr b) {
  bool isUnsigned = isUnsignedElement(elementOf(a));
  APSInt lhs(a.getSplatValue<APInt>(), isUnsigned);
  APSInt rhs(b.getSplatValue<APInt>(), isUnsigned);
  return holds(comparison, lhs < rhs ? -1 : lhs > rhs);
}

static bool compareFloats(Comparison comparison, DenseElementsAttr a,
                          DenseElementsAttr b) {
  APFloat::cmpResult order =
      a.getSplatValue<APFloat>().compare(b.getSplatValue<APFloat>());
  if (order == APFloat::cmpUnordered)
    return comparison == Comparison::ne;
  return holds(comparison, order == APFloat::cmpLessThan
                               ? -1
                               : order == APFloat::cmpGreaterThan);
}

OpFoldResult CompareOp::fold(FoldAdaptor adaptor) {
  // A float may be NaN, which differs from itself.
  bool isInt = llvm::isa<IntegerType>(tensorOf(getLhs()).getElementType());
  if (isInt && getLhs() == getRhs())
    return predSplat(getType(), holds(getComparison(), 0));
  DenseElementsAttr a = asSplat(adaptor.getLhs());
  DenseElementsAttr b = asSplat(adaptor.getRhs());
  if (!a || !b)
    return {};
  if (isInteger(a))
    return predSplat(getType(), compareIntegers(getComparison(), a, b));
  if (isFloat(a))
    return predSplat(getType(), compareFloats(getComparison(), a, b));
  return {};
}

static bool isZeroSplat(Value value) {
  auto constant = value.getDefiningOp<ConstantOp>();
  DenseElementsAttr splat = constant ? asSplat(constant.getValue()) : nullptr;
  if (!splat)
    return false;
  if (isInteger(splat))
    return splat.getSplatValue<APInt>().isZero();
  if (isFloat(splat))
    return splat.getSplatValue<APFloat>().isZero();
  auto complex = splat.getSplatValue<std::complex<APFloat>>();
  return complex.real().isZero() && complex.imag().isZero();
}

namespace {
/// `x != 0` is the conversion to a predicate, `p == false` is `not p`.
struct CompareWithZero : OpRewritePattern<CompareOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(CompareOp op,
                                PatternRewriter &rewriter) const override {
    if (!isZeroSplat(op.getRhs()))
      return failure();
    Value lhs = op.getLhs();
    bool isPred = tensorOf(lhs).getElementType().isInteger(1);
    if (op.getComparison() == Comparison::ne) {
      rewriter.replaceOpWithNewOp<ConvertOp>(op, op.getType(), lhs);
      return success();
    }
    if (op.getComparison() != Comparison::eq || !isPred)
      return failure();
    rewriter.replaceOpWithNewOp<NotOp>(op, lhs);
    return success();
  }
};
} // namespace

void CompareOp::getCanonicalizationPatterns(RewritePatternSet &results,
                                            MLIRContext *context) {
  results.add<CompareWithZero>(context);
}

OpFoldResult SelectOp::fold(FoldAdaptor adaptor) {
  if (getOnTrue() == getOnFalse())
    return getOnTrue();
  if (DenseElementsAttr pred = asSplat(adaptor.getPred()))
    return pred.getSplatValue<bool>() ? getOnTrue() : getOnFalse();
  return {};
}

//===----------------------------------------------------------------------===//
// Conversion
//===----------------------------------------------------------------------===//

/// Bits that an integer's magnitude takes.
static unsigned magnitudeBits(IntegerType type) {
  return isUnsignedElement(type) ? type.getWidth() : type.getWidth() - 1;
}

/// Whether a float type holds every value of another.
static bool holdsFloat(FloatType to, FloatType from) {
  const llvm::fltSemantics &wide = to.getFloatSemantics();
  const llvm::fltSemantics &narrow = from.getFloatSemantics();
  // Subnormals count: the least exponent is that of the last bit.
  auto least = [](const llvm::fltSemantics &s) {
    return APFloat::semanticsMinExponent(s) -
           static_cast<int>(APFloat::semanticsPrecision(s));
  };
  return APFloat::semanticsPrecision(wide) >=
             APFloat::semanticsPrecision(narrow) &&
         APFloat::semanticsMaxExponent(wide) >=
             APFloat::semanticsMaxExponent(narrow) &&
         least(wide) <= least(narrow) &&
         APFloat::semanticsHasInf(wide) >= APFloat::semanticsHasInf(narrow);
}

/// Whether a type holds every value of another; no for complex types.
static bool holdsAll(Type to, Type from) {
  auto fromInt = llvm::dyn_cast<IntegerType>(from);
  auto fromFloat = llvm::dyn_cast<FloatType>(from);
  if (auto toInt = llvm::dyn_cast<IntegerType>(to)) {
    if (!fromInt || (isUnsignedElement(to) && !isUnsignedElement(from)))
      return false;
    return magnitudeBits(toInt) >= magnitudeBits(fromInt);
  }
  auto toFloat = llvm::dyn_cast<FloatType>(to);
  if (!toFloat)
    return false;
  if (fromFloat)
    return holdsFloat(toFloat, fromFloat);
  return fromInt && APFloat::semanticsPrecision(toFloat.getFloatSemantics()) >=
                        magnitudeBits(fromInt);
}

/// Whether converting `from` to `middle` to `to` is converting `from` to `to`.
static bool chainIsDirect(Type from, Type middle, Type to) {
  if (!holdsAll(middle, from) || llvm::isa<ComplexType>(to))
    return false;
  // An integer wraps on its way to a narrower one, a float saturates.
  bool becomesFloat =
      llvm::isa<IntegerType>(from) && llvm::isa<FloatType>(middle);
  return !becomesFloat || !llvm::isa<IntegerType>(to) || to.isInteger(1) ||
         holdsAll(to, from);
}

static APFloat roundTo(APFloat value, FloatType type) {
  bool loses;
  value.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven, &loses);
  return value;
}

/// Out-of-range floats saturate, NaN gives 0.
static APInt truncate(const APFloat &value, IntegerType type) {
  APSInt result(type.getWidth(), isUnsignedElement(type));
  bool isExact;
  if (value.isNaN())
    return APInt::getZero(type.getWidth());
  value.convertToInteger(result, APFloat::rmTowardZero, &isExact);
  return result;
}

static Attribute convertInteger(DenseElementsAttr splat, Type type) {
  auto value = splat.getSplatValue<APInt>();
  bool isUnsigned = isUnsignedElement(elementOf(splat));
  Type to = getElementTypeOrSelf(type);
  if (to.isInteger(1))
    return predSplat(type, !value.isZero());
  if (auto integer = llvm::dyn_cast<IntegerType>(to))
    return splatOf(type, isUnsigned ? value.zextOrTrunc(integer.getWidth())
                                    : value.sextOrTrunc(integer.getWidth()));
  auto floating = llvm::dyn_cast<FloatType>(to);
  // E4M3FN saturates, which APFloat does not.
  if (!floating || llvm::isa<Float8E4M3FNType>(floating))
    return {};
  APFloat result(floating.getFloatSemantics());
  result.convertFromAPInt(value, !isUnsigned, APFloat::rmNearestTiesToEven);
  return splatOf(type, result);
}

static Attribute convertFloat(DenseElementsAttr splat, Type type) {
  auto value = splat.getSplatValue<APFloat>();
  Type to = getElementTypeOrSelf(type);
  if (to.isInteger(1))
    return predSplat(type, !value.isZero());
  if (auto integer = llvm::dyn_cast<IntegerType>(to))
    return splatOf(type, truncate(value, integer));
  auto floating = llvm::dyn_cast<FloatType>(to);
  if (!floating || value.isNaN() || llvm::isa<Float8E4M3FNType>(floating))
    return {};
  return splatOf(type, roundTo(value, floating));
}

OpFoldResult ConvertOp::fold(FoldAdaptor adaptor) {
  if (getOperand().getType() == getType())
    return getOperand();
  if (auto inner = getOperand().getDefiningOp<ConvertOp>()) {
    Type from = getElementTypeOrSelf(inner.getOperand().getType());
    Type middle = getElementTypeOrSelf(inner.getType());
    if (inner.getOperand().getType() == getType() && holdsAll(middle, from))
      return inner.getOperand();
  }
  DenseElementsAttr splat = asSplat(adaptor.getOperand());
  if (!splat)
    return {};
  if (isInteger(splat))
    return convertInteger(splat, getType());
  return isFloat(splat) ? convertFloat(splat, getType()) : Attribute();
}

namespace {
/// Converts past a type that holds all values of the first.
struct ShortenConvertChain : OpRewritePattern<ConvertOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ConvertOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getOperand().getDefiningOp<ConvertOp>();
    if (!inner ||
        !chainIsDirect(getElementTypeOrSelf(inner.getOperand().getType()),
                       getElementTypeOrSelf(inner.getType()),
                       getElementTypeOrSelf(op.getType())))
      return failure();
    rewriter.replaceOpWithNewOp<ConvertOp>(op, op.getType(),
                                           inner.getOperand());
    return success();
  }
};
} // namespace

void ConvertOp::getCanonicalizationPatterns(RewritePatternSet &results,
                                            MLIRContext *context) {
  results.add<ShortenConvertChain>(context);
}

OpFoldResult BitcastOp::fold(FoldAdaptor adaptor) {
  if (getOperand().getType() == getType())
    return getOperand();
  if (auto inner = getOperand().getDefiningOp<BitcastOp>()) {
    getOperandMutable().assign(inner.getOperand());
    return getResult();
  }
  DenseElementsAttr splat = asSplat(adaptor.getOperand());
  if (!splat || (!isInteger(splat) && !isFloat(splat)))
    return {};
  APInt bits = isInteger(splat)
                   ? splat.getSplatValue<APInt>()
                   : splat.getSplatValue<APFloat>().bitcastToAPInt();
  Type to = getElementTypeOrSelf(getType());
  if (auto floating = llvm::dyn_cast<FloatType>(to))
    return splatOf(getType(), APFloat(floating.getFloatSemantics(), bits));
  return splatOf(getType(), bits);
}

//===----------------------------------------------------------------------===//
// Shape
//===----------------------------------------------------------------------===//

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (getOperand().getType() == getType())
    return getOperand();
  if (auto literal =
          llvm::dyn_cast_or_null<DenseElementsAttr>(adaptor.getOperand()))
    return literal.reshape(llvm::cast<ShapedType>(getType()));
  if (auto inner = getOperand().getDefiningOp<ReshapeOp>()) {
    getOperandMutable().assign(inner.getOperand());
    return getResult();
  }
  return {};
}

/// The axes of `to` that the axes of `from` become when a reshape only inserts
/// axes of size 1; nothing for another reshape.
static std::optional<Ints> insertedUnitAxes(llvm::ArrayRef<int64_t> from,
                                            llvm::ArrayRef<int64_t> to) {
  Ints axes;
  for (auto [axis, size] : llvm::enumerate(to)) {
    if (axes.size() < from.size() && from[axes.size()] == size)
      axes.push_back(axis);
    else if (size != 1)
      return std::nullopt;
  }
  if (axes.size() != from.size())
    return std::nullopt;
  return axes;
}

OpFoldResult BroadcastInDimOp::fold(FoldAdaptor adaptor) {
  if (getOperand().getType() == getType())
    return getOperand();
  if (DenseElementsAttr splat = asSplat(adaptor.getOperand()))
    return resized(splat, getType());
  // Whatever only inserts or stretches axes before is part of this one.
  std::optional<Ints> inner;
  Operation *producer = getOperand().getDefiningOp();
  if (auto broadcast = llvm::dyn_cast_or_null<BroadcastInDimOp>(producer))
    inner = Ints(broadcast.getAxes());
  if (auto reshape = llvm::dyn_cast_or_null<ReshapeOp>(producer))
    inner = insertedUnitAxes(tensorOf(reshape.getOperand()).getShape(),
                             tensorOf(reshape.getResult()).getShape());
  if (!inner)
    return {};
  for (int64_t &axis : *inner)
    axis = getAxes()[axis];
  setAxes(*inner);
  getOperandMutable().assign(producer->getOperand(0));
  return getResult();
}

OpFoldResult TransposeOp::fold(FoldAdaptor adaptor) {
  llvm::ArrayRef<int64_t> axes = getPermutation();
  if (llvm::equal(axes, llvm::seq<int64_t>(0, axes.size())))
    return getOperand();
  if (DenseElementsAttr splat = asSplat(adaptor.getOperand()))
    return resized(splat, getType());
  auto inner = getOperand().getDefiningOp<TransposeOp>();
  if (!inner)
    return {};
  Ints composed;
  for (int64_t axis : axes)
    composed.push_back(inner.getPermutation()[axis]);
  setPermutation(composed);
  getOperandMutable().assign(inner.getOperand());
  return getResult();
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

/// A slice of a slice is a slice.
static bool foldSliceOfSlice(SliceOp op) {
  auto inner = op.getOperand().getDefiningOp<SliceOp>();
  if (!inner)
    return false;
  Ints starts, lengths, strides;
  for (auto [i, size] : llvm::enumerate(tensorOf(op.getResult()).getShape())) {
    starts.push_back(inner.getStarts()[i] +
                     op.getStarts()[i] * inner.getStrides()[i]);
    // A stride beyond the axis is not used: it must not overflow.
    strides.push_back(size <= 1 ? 1
                                : op.getStrides()[i] * inner.getStrides()[i]);
    lengths.push_back(size == 0 ? 0 : (size - 1) * strides[i] + 1);
    // No element, so no matter where; the inner box may end right here.
    if (size == 0)
      starts[i] = 0;
  }
  op.setStarts(starts);
  op.setLengths(lengths);
  op.setStrides(strides);
  op.getOperandMutable().assign(inner.getOperand());
  return true;
}

/// A slice that lies within one operand of a concatenation.
static bool foldSliceOfConcatenate(SliceOp op) {
  auto concatenate = op.getOperand().getDefiningOp<ConcatenateOp>();
  if (!concatenate)
    return false;
  int64_t axis = concatenate.getAxis();
  int64_t start = op.getStarts()[axis], length = op.getLengths()[axis];
  for (Value input : concatenate.getInputs()) {
    int64_t size = tensorOf(input).getDimSize(axis);
    if (start >= 0 && start < size && start + length <= size) {
      Ints starts(op.getStarts());
      starts[axis] = start;
      op.setStarts(starts);
      op.getOperandMutable().assign(input);
      return true;
    }
    start -= size;
  }
  return false;
}

OpFoldResult SliceOp::fold(FoldAdaptor adaptor) {
  // With as many elements as before, nothing is left out.
  if (getOperand().getType() == getType())
    return getOperand();
  if (DenseElementsAttr splat = asSplat(adaptor.getOperand()))
    return resized(splat, getType());
  if (foldSliceOfSlice(*this) || foldSliceOfConcatenate(*this))
    return getResult();
  return {};
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

OpFoldResult ReduceOp::fold(FoldAdaptor adaptor) {
  if (getAxes().empty())
    return getOperand();
  // Combining equal elements gives the same one, if there is any.
  bool isIdempotent =
      getKind() != ReduceKind::add && getKind() != ReduceKind::mul;
  DenseElementsAttr splat = asSplat(adaptor.getOperand());
  if (splat && isIdempotent)
    return resized(splat, getType());
  return {};
}
