//===- AddReductions.cpp - random reductions and windows ------------------===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "GraphBuilder.h"

#include <algorithm>
#include <numeric>

using namespace mlir;
using namespace nxv;
using namespace nxv::fuzz;

static bool isAny(Type) { return true; }
static bool isReal(Type type) { return !isComplex(type); }

/// What one invocation of a kernel may go through one after another: some
/// drivers stop a loop after 2^16 turns.
static constexpr int64_t kMaxTerms = 16384;

ReduceKind GraphBuilder::pickReduceKind(Type element) {
  if (isPred(element))
    return random.oneIn(2) ? ReduceKind::and_ : ReduceKind::or_;
  const ReduceKind kinds[] = {ReduceKind::add, ReduceKind::add, ReduceKind::mul,
                              ReduceKind::max, ReduceKind::min};
  return kinds[random.between(0, isComplex(element) ? 2 : 4)];
}

static Shape pickAxes(ArrayRef<int64_t> shape, Random &random) {
  Shape axes;
  int64_t terms = 1;
  bool all = random.oneIn(5);
  for (auto [axis, size] : llvm::enumerate(shape))
    if ((all || random.oneIn(2)) && terms * size <= kMaxTerms) {
      axes.push_back(axis);
      terms *= size;
    }
  return axes;
}

static Shape without(ArrayRef<int64_t> shape, ArrayRef<int64_t> axes) {
  Shape rest;
  for (auto [axis, size] : llvm::enumerate(shape))
    if (!llvm::is_contained(axes, int64_t(axis)))
      rest.push_back(size);
  return rest;
}

Value GraphBuilder::reduceOf(Value operand, ReduceKind value,
                             ArrayRef<int64_t> places) {
  return make("reduce", operand,
              typeOf(operand).clone(without(shapeOf(operand), places)),
              {kind(value), axes("axes", places)});
}

/// One reduction, or several over one operand and the same axes.
Value GraphBuilder::addReduce() {
  Value operand = need(isAny, 1);
  if (!operand)
    return nullptr;
  Shape places = pickAxes(shapeOf(operand), random);
  Value result = reduceOf(operand, pickReduceKind(elementOf(operand)), places);
  while (random.oneIn(3)) {
    remember(result);
    Value again = random.oneIn(2) ? unaryOf(operand) : operand;
    result = reduceOf(again, pickReduceKind(elementOf(again)), places);
  }
  return result;
}

/// As in softmax and normalisations: an operand, less its reduction.
Value GraphBuilder::addNormalization() {
  Value operand = need(isFloat, 1);
  if (!operand)
    return nullptr;
  Shape places = pickAxes(shapeOf(operand), random);
  Shape kept;
  for (int64_t axis = 0; axis < typeOf(operand).getRank(); ++axis)
    if (!llvm::is_contained(places, axis))
      kept.push_back(axis);
  auto spread = [&](Value value) {
    return broadcastTo(value, shapeOf(operand), kept);
  };
  bool softmax = random.oneIn(2);
  Value centre =
      reduceOf(operand, softmax ? ReduceKind::max : ReduceKind::add, places);
  Value shifted = make("subtract", {operand, spread(centre)}, typeOf(operand));
  Value weighed = softmax
                      ? make("exp", shifted, typeOf(operand))
                      : make("multiply", {shifted, shifted}, typeOf(operand));
  Value total = reduceOf(weighed, ReduceKind::add, places);
  if (!softmax)
    total = make("rsqrt", total, typeOf(total));
  return make(softmax ? "divide" : "multiply",
              {softmax ? weighed : shifted, spread(total)}, typeOf(operand));
}

Value GraphBuilder::addArgReduce() {
  Value operand = need(isReal, 1);
  if (!operand)
    return nullptr;
  int64_t axis = random.between(0, typeOf(operand).getRank() - 1);
  int64_t size = shapeOf(operand)[axis];
  if (size == 0 || size > kMaxTerms)
    return nullptr;
  SmallVector<NamedAttribute> attrs = {number("axis", axis)};
  if (random.oneIn(2))
    attrs.push_back(flag("tieHigh"));
  Type element = random.oneIn(2) ? builder.getI32Type()
                                 : IntegerType::get(builder.getContext(), 64,
                                                    IntegerType::Unsigned);
  return make(random.oneIn(2) ? "argmax" : "argmin", operand,
              tensor(without(shapeOf(operand), {axis}), element), attrs);
}

/// One of two values, or of what comes of both.
Value GraphBuilder::addFoldBranch(Value value, Value accumulator) {
  OpBuilder::InsertionGuard guard(builder);
  TensorType scalar = typeOf(value);
  auto comparison = ComparisonAttr::get(
      builder.getContext(),
      random.oneIn(2) || isComplex(scalar.getElementType()) ? Comparison::eq
                                                            : Comparison::lt);
  Value pred =
      make("compare", {value, accumulator}, scalar.clone(builder.getI1Type()),
           builder.getNamedAttr("comparison", comparison));
  Operation *op = build("case", pred, scalar, {}, 2);
  for (Region &region : op->getRegions()) {
    builder.createBlock(&region);
    Value result = random.oneIn(2) ? binaryOf(value, accumulator) : value;
    YieldOp::create(builder, loc, ValueRange{result});
  }
  return op->getResult(0);
}

/// body(element, accumulator): the accumulator with a few operations on both.
void GraphBuilder::addFoldBody(Region &region, Type element) {
  OpBuilder::InsertionGuard guard(builder);
  TensorType scalar = tensor({}, element);
  Block *body = builder.createBlock(&region, {}, {scalar, scalar}, {loc, loc});
  Value value = body->getArgument(0), accumulator = body->getArgument(1);
  if (random.oneIn(3))
    value = binaryOf(value, value);
  if (random.oneIn(4) && !isComplex(element))
    value = make("max", {value, accumulator}, scalar);
  if (random.oneIn(4))
    value = unaryOf(value);
  if (random.oneIn(4))
    value = binaryOf(value, literal(scalar));
  if (random.oneIn(4))
    value = addFoldBranch(value, accumulator);
  Value next = binaryOf(accumulator, value);
  YieldOp::create(builder, loc, ValueRange{next});
}

Value GraphBuilder::addReduceFn() {
  Value operand = need(isAny, 1, 3);
  if (!operand || typeOf(operand).getNumElements() > 2048)
    return nullptr;
  Shape places = pickAxes(shapeOf(operand), random);
  Type element = elementOf(operand);
  Value init = valueOf(tensor({}, element));
  Operation *op = build("reduce_fn", {operand, init},
                        tensor(without(shapeOf(operand), places), element),
                        axes("axes", places), 1);
  addFoldBody(op->getRegion(0), element);
  return op->getResult(0);
}

GraphBuilder::Window GraphBuilder::pickWindow(ArrayRef<int64_t> shape,
                                              bool dilates) {
  Window result;
  int64_t terms = 1;
  for (int64_t size : shape) {
    bool slides = random.oneIn(2);
    int64_t window = slides ? random.between(1, 4) : 1;
    if (terms * window > 64)
      window = 1;
    terms *= window;
    int64_t dilation = dilates && random.oneIn(4) ? random.between(1, 3) : 1;
    int64_t stride = random.oneIn(2) ? random.between(1, 3) : 1;
    int64_t low = slides && random.oneIn(2) ? random.between(0, window) : 0;
    int64_t high = slides && random.oneIn(2) ? random.between(0, window) : 0;
    int64_t room = size + low + high - ((window - 1) * dilation + 1);
    result.window.push_back(window);
    result.strides.push_back(stride);
    result.dilations.push_back(dilation);
    result.low.push_back(low);
    result.high.push_back(high);
    result.result.push_back(room < 0 ? 0 : room / stride + 1);
  }
  return result;
}

Value GraphBuilder::addWindowReduce() {
  Value operand = need([](Type type) { return !isPred(type); }, 1);
  if (!operand)
    return nullptr;
  Window window = pickWindow(shapeOf(operand), true);
  return make("window_reduce", operand, typeOf(operand).clone(window.result),
              {kind(pickReduceKind(elementOf(operand))),
               axes("window", window.window), axes("strides", window.strides),
               axes("dilations", window.dilations), axes("low", window.low),
               axes("high", window.high)});
}

Value GraphBuilder::addWindowReduceFn() {
  Value operand = need(isAny, 1, 3);
  if (!operand || typeOf(operand).getNumElements() > 1024)
    return nullptr;
  Window window = pickWindow(shapeOf(operand), true);
  Type element = elementOf(operand);
  Operation *op =
      build("window_reduce_fn", {operand, valueOf(tensor({}, element))},
            tensor(window.result, element),
            {axes("window", window.window), axes("strides", window.strides),
             axes("dilations", window.dilations), axes("low", window.low),
             axes("high", window.high)},
            1);
  addFoldBody(op->getRegion(0), element);
  return op->getResult(0);
}

Value GraphBuilder::addSelectAndScatter() {
  Value operand =
      need([](Type type) { return isReal(type) && !isPred(type); }, 1);
  if (!operand)
    return nullptr;
  Window window = pickWindow(shapeOf(operand), false);
  Type element = elementOf(operand);
  // A window of padding alone selects nothing.
  for (auto [size, low, high] :
       llvm::zip(window.window, window.low, window.high))
    if (low >= size || high >= size)
      return nullptr;
  return make("select_and_scatter",
              {operand, valueOf(tensor(window.result, element)),
               valueOf(tensor({}, element))},
              typeOf(operand),
              {kind(random.oneIn(2) ? ReduceKind::max : ReduceKind::min),
               axes("window", window.window), axes("strides", window.strides),
               axes("low", window.low), axes("high", window.high)});
}

Value GraphBuilder::addCumulative() {
  Value operand = need(isAny, 1);
  if (!operand)
    return nullptr;
  int64_t axis = random.between(0, typeOf(operand).getRank() - 1);
  SmallVector<NamedAttribute> attrs = {kind(pickReduceKind(elementOf(operand))),
                                       number("axis", axis)};
  if (random.oneIn(2))
    attrs.push_back(flag("reverse"));
  return make("cumulative", operand, typeOf(operand), attrs);
}
