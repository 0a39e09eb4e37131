//===- AddContractions.cpp - random contractions, sorts, transforms -------===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "GraphBuilder.h"

#include <algorithm>
#include <numeric>

using namespace mlir;
using namespace nxv;
using namespace nxv::fuzz;

static bool isNumber(Type type) { return !isPred(type); }
static bool isFloatOrComplex(Type type) {
  return isFloat(type) || isComplex(type);
}

/// The most products that one graph may ask for.
static constexpr int64_t kMaxProducts = 4 << 20;

Value GraphBuilder::addDot() {
  Value lhs = need(isNumber, 0, 5);
  if (!lhs)
    return nullptr;
  Shape batch[2], contract[2], rhs, free, result;
  // The roles of the operand's axes, then the other's axes to go with them.
  for (auto [axis, size] : llvm::enumerate(shapeOf(lhs))) {
    int64_t role = random.between(0, 5);
    if (role == 0 && batch[0].size() < 2)
      batch[0].push_back(axis);
    else if (role < 3)
      contract[0].push_back(axis);
    else
      free.push_back(size);
  }
  struct Axis {
    int64_t size, role;
  };
  SmallVector<Axis> others;
  for (auto [place, axis] : llvm::enumerate(batch[0]))
    others.push_back({shapeOf(lhs)[axis], int64_t(place)});
  for (auto [place, axis] : llvm::enumerate(contract[0]))
    others.push_back({shapeOf(lhs)[axis], 10 + int64_t(place)});
  for (int64_t count = random.between(0, 2); count > 0; --count)
    others.push_back({pickSize(), 100});
  for (size_t i = others.size(); i > 1; --i)
    std::swap(others[i - 1], others[random.between(0, int64_t(i) - 1)]);
  batch[1].resize(batch[0].size());
  contract[1].resize(contract[0].size());
  Shape otherFree;
  for (auto [axis, other] : llvm::enumerate(others)) {
    rhs.push_back(other.size);
    if (other.role < 10)
      batch[1][other.role] = axis;
    else if (other.role < 100)
      contract[1][other.role - 10] = axis;
    else
      otherFree.push_back(other.size);
  }
  for (int64_t axis : batch[0])
    result.push_back(shapeOf(lhs)[axis]);
  result.append(free);
  result.append(otherFree);
  int64_t products = typeOf(lhs).getNumElements();
  for (int64_t size : otherFree)
    products *= size;
  if (result.size() > 6 || products > kMaxProducts ||
      products > 64 * theme.maxElements)
    return nullptr;
  int64_t elements = 1, depth = 1;
  for (int64_t size : result)
    elements *= size;
  for (int64_t axis : contract[0])
    depth *= shapeOf(lhs)[axis];
  if (elements > 4 * theme.maxElements || depth > 16384 || rhs.size() > 6)
    return nullptr;
  work += products / 8;
  Type element = elementOf(lhs);
  Value other = valueOf(tensor(rhs, element));
  return make("dot_general", {lhs, other}, tensor(result, element),
              {axes("lhsBatch", batch[0]), axes("lhsContract", contract[0]),
               axes("rhsBatch", batch[1]), axes("rhsContract", contract[1])});
}

/// A product with a bias and an activation.
Value GraphBuilder::addLayer() {
  Value product = addDot();
  if (!product || shapeOf(product).empty() || !isFloat(elementOf(product)))
    return product;
  remember(product);
  int64_t last = typeOf(product).getRank() - 1;
  Value bias = valueOf(tensor({shapeOf(product)[last]}, elementOf(product)));
  Value sum =
      make("add", {product, broadcastTo(bias, shapeOf(product), {last})},
           typeOf(product));
  return random.oneIn(2) ? unaryOf(sum) : sum;
}

Value GraphBuilder::addConvolution() {
  Type element = pickElement();
  if (!isFloatOrComplex(element))
    return nullptr;
  int64_t spatial =
      random.oneIn(6) ? random.between(0, 3) : random.between(1, 2);
  int64_t groups = random.oneIn(3) ? random.between(2, 3) : 1;
  bool groupsBatch = groups > 1 && random.oneIn(3);
  int64_t features = groupsBatch ? 1 : groups,
          batches = groupsBatch ? groups : 1;
  int64_t channels = random.between(1, 5);
  Shape input = {random.between(1, 3) * batches, channels * features};
  Shape kernel = {random.between(1, 6) * groups, channels};
  Shape strides, low, high, inputDilation, kernelDilation;
  Shape result = {input[0] / batches, kernel[0]};
  for (int64_t i = 0; i < spatial; ++i) {
    int64_t size = spatial == 1 ? random.between(1, 40) : random.between(1, 12);
    int64_t window = random.between(1, 4);
    int64_t stride = random.oneIn(2) ? random.between(1, 3) : 1;
    int64_t dilate = random.oneIn(5) ? random.between(2, 3) : 1;
    int64_t spread = random.oneIn(5) ? random.between(2, 3) : 1;
    int64_t before = random.oneIn(2) ? random.between(-1, 3) : 0;
    int64_t after = random.oneIn(2) ? random.between(-1, 3) : 0;
    int64_t room =
        (size - 1) * dilate + 1 + before + after - ((window - 1) * spread + 1);
    input.push_back(size);
    kernel.push_back(window);
    strides.push_back(stride);
    low.push_back(before);
    high.push_back(after);
    inputDilation.push_back(dilate);
    kernelDilation.push_back(spread);
    result.push_back(room < 0 ? 0 : room / stride + 1);
  }
  Value image = valueOf(tensor(input, element));
  Value filter = valueOf(tensor(kernel, element));
  return make("convolution", {image, filter}, tensor(result, element),
              {axes("strides", strides), axes("low", low), axes("high", high),
               axes("inputDilation", inputDilation),
               axes("kernelDilation", kernelDilation),
               number("featureGroups", features),
               number("batchGroups", batches)});
}

/// A well-conditioned system: the diagonal is large.
Value GraphBuilder::addTriangularSolve() {
  Type element = pickElement();
  if (!isFloatOrComplex(element))
    return nullptr;
  int64_t size = random.between(1, random.oneIn(6) ? 80 : 9);
  int64_t columns = random.between(1, random.oneIn(6) ? 40 : 5);
  bool left = random.oneIn(2);
  Shape batch = random.oneIn(3) ? Shape{random.between(1, 3)} : Shape{};
  Shape a = batch, b = batch;
  a.append({size, size});
  b.append({left ? size : columns, left ? columns : size});
  TensorType type = tensor(a, element);
  Value raw = fresh(type);
  Value row = make("iota", {}, tensor(a, builder.getI32Type()),
                   number("axis", int64_t(a.size()) - 1));
  Value column = make("iota", {}, tensor(a, builder.getI32Type()),
                      number("axis", int64_t(a.size()) - 2));
  Value diagonal =
      make("compare", {row, column}, tensor(a, builder.getI1Type()),
           builder.getNamedAttr(
               "comparison",
               ComparisonAttr::get(builder.getContext(), Comparison::eq)));
  Value large = convertTo(
      ConstantOp::create(builder, loc, tensor(a, builder.getI32Type()),
                         DenseElementsAttr::get(tensor(a, builder.getI32Type()),
                                                builder.getI32IntegerAttr(16))),
      element);
  Value matrix = make("select", {diagonal, large, raw}, type);
  const TransformA transforms[] = {TransformA::none, TransformA::transpose,
                                   TransformA::conjugate};
  return make(
      "triangular_solve", {matrix, valueOf(tensor(b, element))},
      tensor(b, element),
      {builder.getNamedAttr("lower", builder.getBoolAttr(random.oneIn(2))),
       builder.getNamedAttr("leftSide", builder.getBoolAttr(left)),
       builder.getNamedAttr(
           "transformA",
           TransformAAttr::get(builder.getContext(),
                               random.pick(ArrayRef(transforms))))});
}

Value GraphBuilder::addSort() {
  Value operand = need([](Type type) { return !isComplex(type); }, 1);
  if (!operand)
    return nullptr;
  SmallVector<NamedAttribute> attrs = {
      number("axis", random.between(0, typeOf(operand).getRank() - 1))};
  if (random.oneIn(2))
    attrs.push_back(flag("descending"));
  return make("sort", operand, typeOf(operand), attrs);
}

Value GraphBuilder::addArgSort() {
  Value operand = need([](Type type) { return !isComplex(type); }, 1);
  if (!operand)
    return nullptr;
  SmallVector<NamedAttribute> attrs = {
      number("axis", random.between(0, typeOf(operand).getRank() - 1))};
  if (random.oneIn(2))
    attrs.push_back(flag("descending"));
  return make("argsort", operand, typeOf(operand).clone(builder.getI32Type()),
              attrs);
}

Value GraphBuilder::addFft() {
  Value operand = need(isComplex, 1);
  if (!operand)
    return nullptr;
  int64_t axis = random.between(0, typeOf(operand).getRank() - 1);
  int64_t length = random.oneIn(3)
                       ? random.between(1, random.oneIn(5) ? 3000 : 20)
                       : shapeOf(operand)[axis];
  if (length < 1 || length > 4096)
    return nullptr;
  Shape shape(shapeOf(operand));
  shape[axis] = length;
  TensorType type = typeOf(operand).clone(shape);
  if (type.getNumElements() > std::max<int64_t>(theme.maxElements, 4096))
    return nullptr;
  SmallVector<NamedAttribute> attrs = {number("length", length),
                                       number("axis", axis)};
  if (random.oneIn(2))
    attrs.push_back(flag("inverse"));
  return make("fft", operand, type, attrs);
}
