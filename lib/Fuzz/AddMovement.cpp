//===- AddMovement.cpp - random movement ----------------------------------===//
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

static Shape countUp(int64_t count) {
  Shape values(count);
  std::iota(values.begin(), values.end(), 0);
  return values;
}

static int64_t productOf(ArrayRef<int64_t> sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t(1),
                         std::multiplies<int64_t>());
}

static Shape shuffled(Shape values, Random &random) {
  for (size_t i = values.size(); i > 1; --i)
    std::swap(values[i - 1], values[random.between(0, int64_t(i) - 1)]);
  return values;
}

/// Some of the axes of a rank, increasing.
static Shape someAxes(int64_t rank, int64_t least, Random &random) {
  Shape axes = shuffled(countUp(rank), random);
  axes.resize(random.between(std::min(least, rank), rank));
  llvm::sort(axes);
  return axes;
}

Value GraphBuilder::addIota() {
  Type element = pickElement();
  Shape shape = pickShape(1, 4);
  if (shape.empty())
    return nullptr;
  return make("iota", {}, tensor(shape, element),
              number("axis", random.between(0, int64_t(shape.size()) - 1)));
}

/// Splits or joins axes, or adds or drops those of size 1.
Value GraphBuilder::addReshape() {
  Value operand = need(isAny);
  if (!operand)
    return nullptr;
  Shape shape(shapeOf(operand));
  for (int64_t step = random.between(1, 3); step > 0; --step) {
    int64_t rank = shape.size();
    int64_t axis = rank ? random.between(0, rank - 1) : 0;
    if (random.oneIn(3) && rank < 6) {
      shape.insert(shape.begin() + random.between(0, rank), 1);
    } else if (random.oneIn(2) && rank > 1 && axis + 1 < rank) {
      shape[axis] *= shape[axis + 1];
      shape.erase(shape.begin() + axis + 1);
    } else if (rank > 0 && rank < 6) {
      const int64_t factors[] = {2, 3, 4, 5, 7, 8};
      int64_t factor = random.pick(ArrayRef(factors));
      if (shape[axis] % factor == 0 && shape[axis] > 0) {
        shape[axis] /= factor;
        shape.insert(shape.begin() + axis + random.between(0, 1), factor);
      }
    }
  }
  return make("reshape", operand, typeOf(operand).clone(shape));
}

Value GraphBuilder::broadcastTo(Value value, ArrayRef<int64_t> shape,
                                ArrayRef<int64_t> places) {
  return make("broadcast_in_dim", value, typeOf(value).clone(shape),
              axes("axes", places));
}

Value GraphBuilder::addBroadcast() {
  Value operand = need(isAny, 0, 4);
  if (!operand)
    return nullptr;
  Shape shape(shapeOf(operand)), places = countUp(shape.size());
  int64_t elements = typeOf(operand).getNumElements();
  for (int64_t &size : shape)
    if (size == 1 && random.oneIn(2)) {
      int64_t other = pickSize();
      if (elements * other <= theme.maxElements) {
        size = other;
        elements *= other;
      }
    }
  for (int64_t count = random.between(0, 2); count > 0; --count) {
    int64_t size = pickSize();
    if (shape.size() >= 6 || elements * size > theme.maxElements)
      continue;
    elements *= size;
    int64_t at = random.between(0, shape.size());
    shape.insert(shape.begin() + at, size);
    for (int64_t &place : places)
      place += place >= at;
  }
  return broadcastTo(operand, shape, places);
}

Value GraphBuilder::addTranspose() {
  Value operand = need(isAny, 2);
  if (!operand)
    return nullptr;
  Shape order = shuffled(countUp(typeOf(operand).getRank()), random);
  Shape shape;
  for (int64_t axis : order)
    shape.push_back(shapeOf(operand)[axis]);
  return make("transpose", operand, typeOf(operand).clone(shape),
              axes("permutation", order));
}

Value GraphBuilder::addReverse() {
  Value operand = need(isAny, 1);
  if (!operand)
    return nullptr;
  return make("reverse", operand, typeOf(operand),
              axes("axes", someAxes(typeOf(operand).getRank(), 1, random)));
}

Value GraphBuilder::addPad() {
  Value operand = need(isAny, 1);
  if (!operand)
    return nullptr;
  Shape shape, low, high, interior;
  for (int64_t size : shapeOf(operand)) {
    bool changes = !random.oneIn(3);
    interior.push_back(changes && random.oneIn(4) ? random.between(1, 2) : 0);
    int64_t dilated = size ? (size - 1) * (interior.back() + 1) + 1 : 0;
    low.push_back(changes ? random.between(-2, 3) : 0);
    high.push_back(changes ? random.between(-2, 3) : 0);
    if (dilated + low.back() + high.back() < 0)
      low.back() = high.back() = 0;
    shape.push_back(dilated + low.back() + high.back());
  }
  if (productOf(shape) > 2 * theme.maxElements)
    return nullptr;
  Value value = valueOf(tensor({}, elementOf(operand)));
  return make(
      "pad", {operand, value}, typeOf(operand).clone(shape),
      {axes("low", low), axes("high", high), axes("interior", interior)});
}

Value GraphBuilder::addConcatenate() {
  Value first = need(isAny, 1);
  if (!first)
    return nullptr;
  int64_t axis = random.between(0, typeOf(first).getRank() - 1);
  SmallVector<Value> inputs = {first};
  int64_t total = shapeOf(first)[axis];
  for (int64_t count = random.between(0, 3); count > 0; --count) {
    Shape shape(shapeOf(first));
    if (random.oneIn(2))
      shape[axis] = random.between(0, 5);
    total += shape[axis];
    inputs.push_back(valueOf(tensor(shape, elementOf(first))));
  }
  if (random.oneIn(2))
    std::reverse(inputs.begin(), inputs.end());
  Shape shape(shapeOf(first));
  shape[axis] = total;
  return make("concatenate", inputs, tensor(shape, elementOf(first)),
              number("axis", axis));
}

namespace {
struct Box {
  Shape starts, lengths, strides, result;
};
} // namespace

static Box pickBox(ArrayRef<int64_t> shape, Random &random) {
  Box box;
  for (int64_t size : shape) {
    bool whole = random.oneIn(3);
    int64_t length = whole ? size : random.between(size > 0 ? 1 : 0, size);
    if (random.oneIn(30))
      length = 0;
    int64_t stride = random.oneIn(3) ? random.between(1, 3) : 1;
    box.starts.push_back(random.between(0, size - length));
    box.lengths.push_back(length);
    box.strides.push_back(stride);
    box.result.push_back(length == 0 ? 0 : (length - 1) / stride + 1);
  }
  return box;
}

Value GraphBuilder::addSlice() {
  Value operand = need(isAny, 1);
  if (!operand)
    return nullptr;
  Box box = pickBox(shapeOf(operand), random);
  return make("slice", operand, typeOf(operand).clone(box.result),
              {axes("starts", box.starts), axes("lengths", box.lengths),
               axes("strides", box.strides)});
}

Value GraphBuilder::addDynamicSlice() {
  Value operand = need(isAny, 1);
  if (!operand)
    return nullptr;
  Box box = pickBox(shapeOf(operand), random);
  SmallVector<Value> operands = {operand};
  for (int64_t size : shapeOf(operand))
    operands.push_back(scalarIndex(size));
  return make("dynamic_slice", operands, typeOf(operand).clone(box.result),
              {axes("lengths", box.lengths), axes("strides", box.strides)});
}

Value GraphBuilder::addDynamicUpdateSlice() {
  Value operand = need(isAny, 1);
  if (!operand)
    return nullptr;
  Shape lengths = pickBox(shapeOf(operand), random).lengths;
  SmallVector<Value> operands = {operand,
                                 valueOf(tensor(lengths, elementOf(operand)))};
  for (int64_t size : shapeOf(operand))
    operands.push_back(scalarIndex(size));
  return make("dynamic_update_slice", operands, typeOf(operand));
}

static Shape without(ArrayRef<int64_t> shape, ArrayRef<int64_t> axes) {
  Shape rest;
  for (auto [axis, size] : llvm::enumerate(shape))
    if (!llvm::is_contained(axes, int64_t(axis)))
      rest.push_back(size);
  return rest;
}

Value GraphBuilder::addGather() {
  Value operand = need(isAny, 1);
  if (!operand)
    return nullptr;
  Shape places = someAxes(typeOf(operand).getRank(), 1, random);
  int64_t largest = 1;
  for (int64_t axis : places) {
    // Nothing can be gathered from no elements.
    if (shapeOf(operand)[axis] == 0)
      return nullptr;
    largest = std::max(largest, shapeOf(operand)[axis]);
  }
  Shape rest = without(shapeOf(operand), places);
  Shape rows = pickShape(0, std::min<int64_t>(2, 6 - int64_t(rest.size())));
  Shape result = rows;
  result.append(rest.begin(), rest.end());
  if (productOf(result) > 2 * theme.maxElements || result.size() > 6)
    return nullptr;
  rows.push_back(places.size());
  Value indices = indexValue(rows, largest);
  return make("gather", {operand, indices}, typeOf(operand).clone(result),
              axes("axes", places));
}

Value GraphBuilder::addScatter() {
  bool adds = random.oneIn(2);
  Value operand = need([&](Type type) { return !adds || !isPred(type); }, 1);
  if (!operand)
    return nullptr;
  Shape places = someAxes(typeOf(operand).getRank(), 1, random);
  int64_t largest = 1;
  for (int64_t axis : places)
    largest = std::max(largest, shapeOf(operand)[axis]);
  Shape updates = {random.between(0, 12)};
  for (int64_t size : without(shapeOf(operand), places))
    updates.push_back(random.oneIn(4) ? random.between(0, size) : size);
  if (productOf(updates) > 2 * theme.maxElements)
    return nullptr;
  Value indices = indexValue({updates[0], int64_t(places.size())}, largest);
  auto kind = ScatterKindAttr::get(builder.getContext(),
                                   adds ? ScatterKind::add : ScatterKind::put);
  return make("scatter",
              {operand, indices, valueOf(tensor(updates, elementOf(operand)))},
              typeOf(operand),
              {builder.getNamedAttr("kind", kind), axes("axes", places)});
}
