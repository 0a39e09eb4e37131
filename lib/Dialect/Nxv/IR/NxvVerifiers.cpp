//===- NxvVerifiers.cpp - verifiers of the nxv operations -------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
// Attributes may hold any 64-bit integer, so all arithmetic here is checked.

#include "nxv/Dialect/Nxv/IR/Nxv.h"

#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace nxv;

using Shape = llvm::ArrayRef<int64_t>;

static RankedTensorType tensorOf(Value value) {
  return llvm::cast<RankedTensorType>(value.getType());
}
static Shape shapeOf(Value value) { return tensorOf(value).getShape(); }
static Type elementOf(Value value) { return tensorOf(value).getElementType(); }

//===----------------------------------------------------------------------===//
// Shared checks
//===----------------------------------------------------------------------===//

static LogicalResult verifyAxis(Operation *op, int64_t axis, int64_t rank) {
  if (axis < 0 || axis >= rank)
    return op->emitOpError() << "axis " << axis << " is not an axis of a rank-"
                             << rank << " tensor";
  return success();
}

/// Axes of a tensor, none twice.
static LogicalResult verifyAxes(Operation *op, Shape axes, int64_t rank,
                                llvm::StringRef name) {
  llvm::SmallDenseSet<int64_t> seen;
  for (int64_t axis : axes) {
    if (failed(verifyAxis(op, axis, rank)))
      return failure();
    if (!seen.insert(axis).second)
      return op->emitOpError() << name << " names axis " << axis << " twice";
  }
  return success();
}

static LogicalResult verifyIncreasing(Operation *op, Shape axes, int64_t rank,
                                      llvm::StringRef name) {
  if (failed(verifyAxes(op, axes, rank, name)))
    return failure();
  if (!llvm::is_sorted(axes))
    return op->emitOpError() << name << " must increase";
  return success();
}

static LogicalResult verifySize(Operation *op, Shape values, size_t size,
                                llvm::StringRef name) {
  if (values.size() != size)
    return op->emitOpError()
           << name << " needs " << size << " entries, has " << values.size();
  return success();
}

static LogicalResult verifyAtLeast(Operation *op, Shape values, size_t size,
                                   int64_t least, llvm::StringRef name) {
  if (failed(verifySize(op, values, size, name)))
    return failure();
  for (int64_t value : values)
    if (value < least)
      return op->emitOpError() << name << " entries must be at least " << least
                               << ", got " << value;
  return success();
}

static LogicalResult verifyElement(Operation *op, Value value, Type element,
                                   llvm::StringRef name) {
  if (elementOf(value) != element)
    return op->emitOpError() << name << " has element type " << elementOf(value)
                             << ", expected " << element;
  return success();
}

static LogicalResult verifyShape(Operation *op, Value value, Shape expected,
                                 llvm::StringRef name) {
  if (shapeOf(value) == expected)
    return success();
  InFlightDiagnostic diag = op->emitOpError() << name << " has shape [";
  llvm::interleaveComma(shapeOf(value), diag);
  diag << "], expected [";
  llvm::interleaveComma(expected, diag);
  return diag << "]";
}

static LogicalResult verifyScalar(Operation *op, Value value,
                                  llvm::StringRef name) {
  if (!shapeOf(value).empty())
    return op->emitOpError() << name << " must be a scalar tensor";
  return success();
}

/// Same rank as `shape`, and the same sizes but along `except`.
static LogicalResult verifySameBut(Operation *op, Value value, Shape shape,
                                   int64_t except, llvm::StringRef name) {
  llvm::SmallVector<int64_t> expected(shape);
  if (shapeOf(value).size() == shape.size())
    expected[except] = shapeOf(value)[except];
  return verifyShape(op, value, expected, name);
}

static llvm::SmallVector<int64_t> without(Shape shape, Shape axes) {
  llvm::SmallVector<int64_t> kept;
  for (auto [axis, size] : llvm::enumerate(shape))
    if (!llvm::is_contained(axes, static_cast<int64_t>(axis)))
      kept.push_back(size);
  return kept;
}

static LogicalResult verifyReduceKind(Operation *op, ReduceKind kind,
                                      Type element) {
  bool isPred = element.isInteger(1);
  bool isInt = llvm::isa<IntegerType>(element);
  bool fits = true;
  switch (kind) {
  case ReduceKind::add:
  case ReduceKind::mul:
    fits = !isPred;
    break;
  case ReduceKind::max:
  case ReduceKind::min:
    fits = !llvm::isa<ComplexType>(element);
    break;
  case ReduceKind::and_:
  case ReduceKind::or_:
    fits = isInt;
    break;
  }
  if (!fits)
    return op->emitOpError() << "cannot combine elements of type " << element
                             << " with '" << stringifyReduceKind(kind) << "'";
  return success();
}

/// The block of a region: its arguments' types and the types it yields.
static LogicalResult verifyRegion(Operation *op, Region &region,
                                  TypeRange arguments, TypeRange results,
                                  llvm::StringRef name) {
  Block &block = region.front();
  if (block.getArgumentTypes() != arguments)
    return op->emitOpError() << name << " must take (" << arguments
                             << "), takes (" << block.getArgumentTypes() << ")";
  YieldOp yield;
  if (!block.empty())
    yield = llvm::dyn_cast<YieldOp>(block.back());
  if (!yield)
    return op->emitOpError() << name << " must end with 'nxv.yield'";
  if (yield.getOperandTypes() != results)
    return op->emitOpError() << name << " must yield (" << results
                             << "), yields (" << yield.getOperandTypes() << ")";
  return success();
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

namespace {
/// One axis of a window or a convolution.
struct WindowAxis {
  int64_t size, window, stride, low, high, sizeDilation, windowDilation;
};
} // namespace

static std::optional<int64_t> dilate(int64_t size, int64_t dilation) {
  if (size == 0)
    return 0;
  return llvm::checkedMulAdd<int64_t>(size - 1, dilation, 1);
}

/// The number of windows along an axis; nothing when it overflows.
static std::optional<int64_t> countWindows(const WindowAxis &axis) {
  auto size = dilate(axis.size, axis.sizeDilation);
  auto window = dilate(axis.window, axis.windowDilation);
  if (!size || !window)
    return std::nullopt;
  auto padded = llvm::checkedAdd(*size, axis.low);
  if (padded)
    padded = llvm::checkedAdd(*padded, axis.high);
  if (!padded)
    return std::nullopt;
  auto room = llvm::checkedSub(*padded, *window);
  if (!room)
    return std::nullopt;
  return *room < 0 ? 0 : *room / axis.stride + 1;
}

static FailureOr<llvm::SmallVector<int64_t>>
windowShape(Operation *op, llvm::ArrayRef<WindowAxis> axes) {
  llvm::SmallVector<int64_t> shape;
  for (const WindowAxis &axis : axes) {
    std::optional<int64_t> count = countWindows(axis);
    if (!count)
      return op->emitOpError("window arithmetic overflows"), failure();
    shape.push_back(*count);
  }
  return shape;
}

static FailureOr<llvm::SmallVector<int64_t>>
inferWindows(Operation *op, Shape operand, Shape window, Shape strides,
             Shape dilations, Shape low, Shape high) {
  size_t rank = operand.size();
  if (failed(verifyAtLeast(op, window, rank, 1, "window")) ||
      failed(verifyAtLeast(op, strides, rank, 1, "strides")) ||
      failed(verifyAtLeast(op, dilations, rank, 1, "dilations")) ||
      failed(verifySize(op, low, rank, "low")) ||
      failed(verifySize(op, high, rank, "high")))
    return failure();
  llvm::SmallVector<WindowAxis> axes;
  for (size_t i = 0; i < rank; ++i)
    axes.push_back(
        {operand[i], window[i], strides[i], low[i], high[i], 1, dilations[i]});
  return windowShape(op, axes);
}

/// The region of a fold: takes an element and the accumulator.
static LogicalResult verifyFold(Operation *op, Value operand, Value init,
                                Value result, Region &body) {
  Type element = elementOf(result);
  if (failed(verifyScalar(op, init, "init")) ||
      failed(verifyElement(op, init, element, "init")) ||
      failed(verifyElement(op, operand, element, "operand")))
    return failure();
  Type scalar = RankedTensorType::get({}, element);
  return verifyRegion(op, body, {scalar, scalar}, {scalar}, "body");
}

//===----------------------------------------------------------------------===//
// Element-wise operations
//===----------------------------------------------------------------------===//

static LogicalResult verifyRealPart(Operation *op, Value operand,
                                    Value result) {
  Type element = elementOf(operand);
  if (auto complex = llvm::dyn_cast<ComplexType>(element))
    element = complex.getElementType();
  return verifyElement(op, result, element, "result");
}

LogicalResult AbsOp::verify() {
  return verifyRealPart(*this, getOperand(), getResult());
}
LogicalResult RealOp::verify() {
  return verifyRealPart(*this, getOperand(), getResult());
}
LogicalResult ImagOp::verify() {
  return verifyRealPart(*this, getOperand(), getResult());
}

LogicalResult BitcastOp::verify() {
  Type from = elementOf(getOperand()), to = elementOf(getResult());
  if (llvm::isa<ComplexType>(from) || llvm::isa<ComplexType>(to))
    return emitOpError("does not take complex elements");
  if (from.getIntOrFloatBitWidth() != to.getIntOrFloatBitWidth())
    return emitOpError() << "element types " << from << " and " << to
                         << " differ in width";
  return success();
}

LogicalResult CompareOp::verify() {
  bool ordered =
      getComparison() != Comparison::eq && getComparison() != Comparison::ne;
  if (ordered && llvm::isa<ComplexType>(elementOf(getLhs())))
    return emitOpError("orders complex numbers");
  return success();
}

//===----------------------------------------------------------------------===//
// Creation, shape and data movement
//===----------------------------------------------------------------------===//

LogicalResult IotaOp::verify() {
  return verifyAxis(*this, getAxis(), tensorOf(getResult()).getRank());
}

LogicalResult ReshapeOp::verify() {
  RankedTensorType from = tensorOf(getOperand()), to = tensorOf(getResult());
  if (from.getNumElements() != to.getNumElements())
    return emitOpError() << "operand has " << from.getNumElements()
                         << " elements, result " << to.getNumElements();
  return verifyElement(*this, getResult(), from.getElementType(), "result");
}

LogicalResult BroadcastInDimOp::verify() {
  Shape from = shapeOf(getOperand()), to = shapeOf(getResult());
  if (failed(verifySize(*this, getAxes(), from.size(), "axes")) ||
      failed(verifyIncreasing(*this, getAxes(), to.size(), "axes")))
    return failure();
  for (auto [size, axis] : llvm::zip(from, getAxes()))
    if (size != 1 && size != to[axis])
      return emitOpError() << "cannot stretch size " << size << " to "
                           << to[axis] << " along result axis " << axis;
  return verifyElement(*this, getResult(), elementOf(getOperand()), "result");
}

LogicalResult TransposeOp::verify() {
  Shape from = shapeOf(getOperand());
  if (failed(verifySize(*this, getPermutation(), from.size(), "permutation")) ||
      failed(verifyAxes(*this, getPermutation(), from.size(), "permutation")))
    return failure();
  llvm::SmallVector<int64_t> expected;
  for (int64_t axis : getPermutation())
    expected.push_back(from[axis]);
  if (failed(verifyShape(*this, getResult(), expected, "result")))
    return failure();
  return verifyElement(*this, getResult(), elementOf(getOperand()), "result");
}

LogicalResult ReverseOp::verify() {
  return verifyAxes(*this, getAxes(), shapeOf(getOperand()).size(), "axes");
}

/// The size of a padded axis; nothing when it overflows or is negative.
static std::optional<int64_t> padSize(int64_t size, int64_t low, int64_t high,
                                      int64_t interior) {
  auto step = llvm::checkedAdd<int64_t>(interior, 1);
  auto total = step ? dilate(size, *step) : std::nullopt;
  if (total)
    total = llvm::checkedAdd(*total, low);
  if (total)
    total = llvm::checkedAdd(*total, high);
  return total && *total >= 0 ? total : std::nullopt;
}

LogicalResult PadOp::verify() {
  Shape from = shapeOf(getOperand());
  if (failed(verifySize(*this, getLow(), from.size(), "low")) ||
      failed(verifySize(*this, getHigh(), from.size(), "high")) ||
      failed(verifyAtLeast(*this, getInterior(), from.size(), 0, "interior")) ||
      failed(verifyScalar(*this, getValue(), "value")))
    return failure();
  llvm::SmallVector<int64_t> expected;
  for (size_t i = 0; i < from.size(); ++i) {
    auto size = padSize(from[i], getLow()[i], getHigh()[i], getInterior()[i]);
    if (!size)
      return emitOpError() << "padding axis " << i << " gives no valid size";
    expected.push_back(*size);
  }
  Type element = elementOf(getOperand());
  if (failed(verifyElement(*this, getValue(), element, "value")) ||
      failed(verifyElement(*this, getResult(), element, "result")))
    return failure();
  return verifyShape(*this, getResult(), expected, "result");
}

LogicalResult ConcatenateOp::verify() {
  if (getInputs().empty())
    return emitOpError("needs an operand");
  Shape shape = shapeOf(getResult());
  if (failed(verifyAxis(*this, getAxis(), shape.size())))
    return failure();
  int64_t total = 0;
  for (Value input : getInputs()) {
    if (failed(verifyElement(*this, input, elementOf(getResult()), "input")) ||
        failed(verifySameBut(*this, input, shape, getAxis(), "input")))
      return failure();
    auto sum = llvm::checkedAdd(total, shapeOf(input)[getAxis()]);
    if (!sum)
      return emitOpError("the sizes' sum overflows");
    total = *sum;
  }
  if (total != shape[getAxis()])
    return emitOpError() << "the inputs' sizes along axis " << getAxis()
                         << " sum to " << total << ", the result's is "
                         << shape[getAxis()];
  return success();
}

/// Lengths and strides of a slice, and the result they give.
static LogicalResult verifyBox(Operation *op, Value operand, Value result,
                               Shape lengths, Shape strides) {
  Shape from = shapeOf(operand);
  if (failed(verifyAtLeast(op, lengths, from.size(), 0, "lengths")) ||
      failed(verifyAtLeast(op, strides, from.size(), 1, "strides")))
    return failure();
  llvm::SmallVector<int64_t> expected;
  for (size_t i = 0; i < from.size(); ++i) {
    if (lengths[i] > from[i])
      return op->emitOpError() << "length " << lengths[i] << " along axis " << i
                               << " exceeds size " << from[i];
    expected.push_back(lengths[i] == 0 ? 0 : (lengths[i] - 1) / strides[i] + 1);
  }
  if (failed(verifyShape(op, result, expected, "result")))
    return failure();
  return verifyElement(op, result, elementOf(operand), "result");
}

LogicalResult SliceOp::verify() {
  Shape from = shapeOf(getOperand());
  if (failed(verifyAtLeast(*this, getStarts(), from.size(), 0, "starts")) ||
      failed(verifyBox(*this, getOperand(), getResult(), getLengths(),
                       getStrides())))
    return failure();
  for (size_t i = 0; i < from.size(); ++i)
    if (getStarts()[i] > from[i] - getLengths()[i])
      return emitOpError() << "start " << getStarts()[i] << " and length "
                           << getLengths()[i] << " leave axis " << i
                           << " of size " << from[i];
  return success();
}

static LogicalResult verifyStarts(Operation *op, OperandRange starts,
                                  Value operand) {
  size_t rank = shapeOf(operand).size();
  if (starts.size() != rank)
    return op->emitOpError()
           << "needs " << rank << " starts, has " << starts.size();
  for (Value start : starts)
    if (failed(verifyScalar(op, start, "start")))
      return failure();
  return success();
}

LogicalResult DynamicSliceOp::verify() {
  if (failed(verifyStarts(*this, getStarts(), getOperand())))
    return failure();
  return verifyBox(*this, getOperand(), getResult(), getLengths(),
                   getStrides());
}

LogicalResult DynamicUpdateSliceOp::verify() {
  Shape shape = shapeOf(getOperand()), update = shapeOf(getUpdate());
  if (failed(verifyStarts(*this, getStarts(), getOperand())) ||
      failed(
          verifyElement(*this, getUpdate(), elementOf(getOperand()), "update")))
    return failure();
  if (update.size() != shape.size())
    return emitOpError() << "update has rank " << update.size()
                         << ", operand has rank " << shape.size();
  for (size_t i = 0; i < shape.size(); ++i)
    if (update[i] > shape[i])
      return emitOpError() << "update size " << update[i] << " along axis " << i
                           << " exceeds size " << shape[i];
  return success();
}

LogicalResult GatherOp::verify() {
  Shape from = shapeOf(getOperand()), indices = shapeOf(getIndices());
  if (failed(verifyIncreasing(*this, getAxes(), from.size(), "axes")))
    return failure();
  if (indices.empty() ||
      indices.back() != static_cast<int64_t>(getAxes().size()))
    return emitOpError() << "the last axis of the indices must have size "
                         << getAxes().size();
  llvm::SmallVector<int64_t> expected(indices.drop_back());
  llvm::append_range(expected, without(from, getAxes()));
  if (failed(verifyShape(*this, getResult(), expected, "result")))
    return failure();
  return verifyElement(*this, getResult(), elementOf(getOperand()), "result");
}

LogicalResult ScatterOp::verify() {
  Shape shape = shapeOf(getOperand()), indices = shapeOf(getIndices());
  Shape updates = shapeOf(getUpdates());
  if (failed(verifyIncreasing(*this, getAxes(), shape.size(), "axes")) ||
      failed(verifyElement(*this, getUpdates(), elementOf(getOperand()),
                           "updates")))
    return failure();
  int64_t count = getAxes().size();
  if (indices.size() != 2 || indices[1] != count)
    return emitOpError() << "indices must have shape [n, " << count << "]";
  llvm::SmallVector<int64_t> rest = without(shape, getAxes());
  if (updates.size() != rest.size() + 1 || updates[0] != indices[0])
    return emitOpError() << "updates must have rank " << rest.size() + 1
                         << " and " << indices[0] << " rows";
  for (size_t i = 0; i < rest.size(); ++i)
    if (updates[i + 1] > rest[i])
      return emitOpError() << "updates' axis " << i + 1 << " of size "
                           << updates[i + 1] << " exceeds size " << rest[i];
  return success();
}

//===----------------------------------------------------------------------===//
// Reductions and windows
//===----------------------------------------------------------------------===//

LogicalResult ReduceOp::verify() {
  Shape from = shapeOf(getOperand());
  Type element = elementOf(getOperand());
  if (failed(verifyIncreasing(*this, getAxes(), from.size(), "axes")) ||
      failed(verifyReduceKind(*this, getKind(), element)) ||
      failed(verifyElement(*this, getResult(), element, "result")))
    return failure();
  return verifyShape(*this, getResult(), without(from, getAxes()), "result");
}

LogicalResult ReduceFnOp::verify() {
  Shape from = shapeOf(getOperand());
  if (failed(verifyIncreasing(*this, getAxes(), from.size(), "axes")) ||
      failed(
          verifyFold(*this, getOperand(), getInit(), getResult(), getBody())))
    return failure();
  return verifyShape(*this, getResult(), without(from, getAxes()), "result");
}

static LogicalResult verifyArgReduce(Operation *op, Value operand, Value result,
                                     int64_t axis) {
  Shape from = shapeOf(operand);
  if (failed(verifyAxis(op, axis, from.size())))
    return failure();
  if (from[axis] == 0)
    return op->emitOpError() << "axis " << axis << " has no elements";
  return verifyShape(op, result, without(from, {axis}), "result");
}
LogicalResult ArgMaxOp::verify() {
  return verifyArgReduce(*this, getOperand(), getResult(), getAxis());
}
LogicalResult ArgMinOp::verify() {
  return verifyArgReduce(*this, getOperand(), getResult(), getAxis());
}

LogicalResult WindowReduceOp::verify() {
  auto shape = inferWindows(*this, shapeOf(getOperand()), getWindow(),
                            getStrides(), getDilations(), getLow(), getHigh());
  Type element = elementOf(getOperand());
  if (failed(shape) || failed(verifyReduceKind(*this, getKind(), element)) ||
      failed(verifyElement(*this, getResult(), element, "result")))
    return failure();
  return verifyShape(*this, getResult(), *shape, "result");
}

LogicalResult WindowReduceFnOp::verify() {
  auto shape = inferWindows(*this, shapeOf(getOperand()), getWindow(),
                            getStrides(), getDilations(), getLow(), getHigh());
  if (failed(shape) || failed(verifyFold(*this, getOperand(), getInit(),
                                         getResult(), getBody())))
    return failure();
  return verifyShape(*this, getResult(), *shape, "result");
}

LogicalResult SelectAndScatterOp::verify() {
  if (getKind() != ReduceKind::max && getKind() != ReduceKind::min)
    return emitOpError("kind must be 'max' or 'min'");
  llvm::SmallVector<int64_t> ones(shapeOf(getOperand()).size(), 1);
  auto shape = inferWindows(*this, shapeOf(getOperand()), getWindow(),
                            getStrides(), ones, getLow(), getHigh());
  Type element = elementOf(getOperand());
  if (failed(shape) || failed(verifyScalar(*this, getInit(), "init")) ||
      failed(verifyElement(*this, getInit(), element, "init")) ||
      failed(verifyElement(*this, getSource(), element, "source")))
    return failure();
  return verifyShape(*this, getSource(), *shape, "source");
}

LogicalResult CumulativeOp::verify() {
  if (failed(verifyReduceKind(*this, getKind(), elementOf(getOperand()))))
    return failure();
  return verifyAxis(*this, getAxis(), shapeOf(getOperand()).size());
}

LogicalResult ScanChunksOp::verify() {
  if (failed(verifyReduceKind(*this, getKind(), elementOf(getOperand()))) ||
      failed(verifyAxis(*this, getAxis(), shapeOf(getOperand()).size())))
    return failure();
  if (int64_t(getChunk()) < 1)
    return emitOpError("chunk must be at least 1");
  Type from = elementOf(getOperand()), to = elementOf(getResult());
  if (from != to && !(from.isF16() && to.isF32()))
    return emitOpError() << "cannot give elements of type " << to << " for "
                         << from;
  return verifyShape(*this, getResult(), shapeOf(getOperand()), "result");
}

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

/// Pairs of axes, one of each side, of equal size.
static LogicalResult verifyPairs(Operation *op, Shape lhs, Shape rhs,
                                 Shape lhsAxes, Shape rhsAxes,
                                 llvm::StringRef name) {
  if (lhsAxes.size() != rhsAxes.size())
    return op->emitOpError()
           << name << " axes differ in number: " << lhsAxes.size() << " and "
           << rhsAxes.size();
  for (auto [l, r] : llvm::zip(lhsAxes, rhsAxes))
    if (lhs[l] != rhs[r])
      return op->emitOpError() << name << " axes " << l << " and " << r
                               << " have sizes " << lhs[l] << " and " << rhs[r];
  return success();
}

LogicalResult DotGeneralOp::verify() {
  Shape lhs = shapeOf(getLhs()), rhs = shapeOf(getRhs());
  auto lhsUsed = llvm::to_vector(
      llvm::concat<const int64_t>(getLhsBatch(), getLhsContract()));
  auto rhsUsed = llvm::to_vector(
      llvm::concat<const int64_t>(getRhsBatch(), getRhsContract()));
  Type element = elementOf(getResult());
  if (failed(verifyAxes(*this, lhsUsed, lhs.size(), "lhs")) ||
      failed(verifyAxes(*this, rhsUsed, rhs.size(), "rhs")) ||
      failed(verifyPairs(*this, lhs, rhs, getLhsBatch(), getRhsBatch(),
                         "batch")) ||
      failed(verifyPairs(*this, lhs, rhs, getLhsContract(), getRhsContract(),
                         "contracted")) ||
      failed(verifyElement(*this, getLhs(), element, "lhs")) ||
      failed(verifyElement(*this, getRhs(), element, "rhs")))
    return failure();
  llvm::SmallVector<int64_t> expected;
  for (int64_t axis : getLhsBatch())
    expected.push_back(lhs[axis]);
  llvm::append_range(expected, without(lhs, lhsUsed));
  llvm::append_range(expected, without(rhs, rhsUsed));
  return verifyShape(*this, getResult(), expected, "result");
}

/// The group counts of a convolution and the sizes they divide.
static LogicalResult verifyGroups(ConvolutionOp op, Shape input, Shape kernel) {
  int64_t features = op.getFeatureGroups(), batches = op.getBatchGroups();
  if (features < 1 || batches < 1)
    return op.emitOpError("group counts must be at least 1");
  if (features > 1 && batches > 1)
    return op.emitOpError("groups either features or the batch, not both");
  if (input[0] % batches != 0)
    return op.emitOpError() << "batch size " << input[0]
                            << " does not divide into " << batches << " groups";
  if (kernel[0] % features != 0 || kernel[0] % batches != 0)
    return op.emitOpError()
           << kernel[0] << " output channels do not divide into "
           << std::max(features, batches) << " groups";
  if (input[1] % features != 0 || input[1] / features != kernel[1])
    return op.emitOpError()
           << "input has " << input[1] << " channels in " << features
           << " groups, the kernel takes " << kernel[1];
  return success();
}

static LogicalResult verifyConvolutionAttrs(ConvolutionOp op, size_t spatial) {
  return failure(
      failed(verifyAtLeast(op, op.getStrides(), spatial, 1, "strides")) ||
      failed(verifySize(op, op.getLow(), spatial, "low")) ||
      failed(verifySize(op, op.getHigh(), spatial, "high")) ||
      failed(verifyAtLeast(op, op.getInputDilation(), spatial, 1,
                           "inputDilation")) ||
      failed(verifyAtLeast(op, op.getKernelDilation(), spatial, 1,
                           "kernelDilation")));
}

LogicalResult ConvolutionOp::verify() {
  Shape input = shapeOf(getInput()), kernel = shapeOf(getKernel());
  if (input.size() < 2 || input.size() != kernel.size())
    return emitOpError() << "input and kernel need the same rank, at least 2; "
                         << "they have " << input.size() << " and "
                         << kernel.size();
  Type element = elementOf(getResult());
  if (failed(verifyElement(*this, getInput(), element, "input")) ||
      failed(verifyElement(*this, getKernel(), element, "kernel")) ||
      failed(verifyConvolutionAttrs(*this, input.size() - 2)) ||
      failed(verifyGroups(*this, input, kernel)))
    return failure();
  llvm::SmallVector<WindowAxis> axes;
  for (size_t i = 0; i + 2 < input.size(); ++i)
    axes.push_back({input[i + 2], kernel[i + 2], getStrides()[i], getLow()[i],
                    getHigh()[i], getInputDilation()[i],
                    getKernelDilation()[i]});
  auto spatial = windowShape(*this, axes);
  if (failed(spatial))
    return failure();
  llvm::SmallVector<int64_t> expected{
      input[0] / static_cast<int64_t>(getBatchGroups()), kernel[0]};
  llvm::append_range(expected, *spatial);
  return verifyShape(*this, getResult(), expected, "result");
}

LogicalResult TriangularSolveOp::verify() {
  Shape a = shapeOf(getA()), b = shapeOf(getB());
  if (a.size() < 2 || a[a.size() - 1] != a[a.size() - 2])
    return emitOpError("a must be square in its last two axes");
  if (b.size() != a.size() || b.drop_back(2) != a.drop_back(2))
    return emitOpError("a and b need the same rank and batch axes");
  int64_t rows = b[b.size() - (getLeftSide() ? 2 : 1)];
  if (rows != a.back())
    return emitOpError() << "b has " << rows << " "
                         << (getLeftSide() ? "rows" : "columns")
                         << " for a system of size " << a.back();
  return verifyElement(*this, getB(), elementOf(getA()), "b");
}

//===----------------------------------------------------------------------===//
// Order and transforms
//===----------------------------------------------------------------------===//

LogicalResult SortOp::verify() {
  return verifyAxis(*this, getAxis(), shapeOf(getOperand()).size());
}
LogicalResult ArgSortOp::verify() {
  return verifyAxis(*this, getAxis(), shapeOf(getOperand()).size());
}

/// The results of a step of a sort: at least one, as the operand is.
template <typename Op>
static LogicalResult verifySortStep(Op op) {
  if (!op.getValues() && !op.getIndices())
    return op.emitOpError("gives neither values nor indices");
  if (op.getValues() && op.getValues().getType() != op.getOperand().getType())
    return op.emitOpError("values must have the operand's type");
  if (op.getIndices())
    return verifyShape(op, op.getIndices(), shapeOf(op.getOperand()),
                       "indices");
  return success();
}

LogicalResult SortTilesOp::verify() {
  if (int64_t(getTile()) < 1)
    return emitOpError("tile must be at least 1");
  if (failed(verifyAxis(*this, getAxis(), shapeOf(getOperand()).size())))
    return failure();
  return verifySortStep(*this);
}

LogicalResult MergeRunsOp::verify() {
  if (int64_t(getRun()) < 1)
    return emitOpError("run must be at least 1");
  if (shapeOf(getOperand()).size() != 2)
    return emitOpError("expected rows of runs, a tensor of rank 2");
  if (getIndices() && !getOperandIndices())
    return emitOpError("indices come from an operand with indices");
  if (getOperandIndices() &&
      failed(verifyShape(*this, getOperandIndices(), shapeOf(getOperand()),
                         "operand indices")))
    return failure();
  return verifySortStep(*this);
}

LogicalResult FftOp::verify() {
  Shape from = shapeOf(getOperand());
  if (failed(verifyAxis(*this, getAxis(), from.size())) ||
      failed(
          verifyElement(*this, getResult(), elementOf(getOperand()), "result")))
    return failure();
  int64_t length = getLength();
  if (length < 1)
    return emitOpError("length must be at least 1");
  llvm::SmallVector<int64_t> expected(from);
  expected[getAxis()] = length;
  return verifyShape(*this, getResult(), expected, "result");
}

LogicalResult FftPartsOp::verify() {
  Shape shape = shapeOf(getRe());
  if (failed(verifyAxis(*this, getAxis(), shape.size())) ||
      failed(verifyElement(*this, getRoots(), elementOf(getRe()), "roots")))
    return failure();
  return verifyShape(*this, getRoots(), {shape[getAxis()], int64_t(2)},
                     "roots");
}

LogicalResult SolvePartsOp::verify() {
  Shape a = shapeOf(getARe()), b = shapeOf(getBRe());
  if (a.size() < 2 || a[a.size() - 1] != a[a.size() - 2])
    return emitOpError("a must be square in its last two axes");
  if (b.size() != a.size() || b.drop_back(1) != a.drop_back(1))
    return emitOpError("a and b need the same batch axes and rows");
  return verifyElement(*this, getBRe(), elementOf(getARe()), "b");
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

LogicalResult WhileOp::verify() {
  TypeRange state = getOperandTypes();
  Type pred = RankedTensorType::get({}, IntegerType::get(getContext(), 1));
  if (failed(verifyRegion(*this, getCondition(), state, {pred}, "condition")))
    return failure();
  return verifyRegion(*this, getBody(), state, state, "body");
}

LogicalResult CaseOp::verify() {
  if (getPredicates().empty())
    return emitOpError("needs a predicate");
  for (Value predicate : getPredicates())
    if (failed(verifyScalar(*this, predicate, "predicate")))
      return failure();
  if (getBranches().size() != getPredicates().size() + 1)
    return emitOpError() << "needs " << getPredicates().size() + 1
                         << " branches, has " << getBranches().size();
  for (Region &branch : getBranches())
    if (failed(verifyRegion(*this, branch, {}, getResultTypes(), "branch")))
      return failure();
  return success();
}

LogicalResult BlockOp::verify() {
  return verifyRegion(*this, getBody(), getOperandTypes(), getResultTypes(),
                      "body");
}
