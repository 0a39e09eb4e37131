//===- ImportMovement.cpp - creation and data movement of a graph
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Base64.h"
#include "Importer.h"
#include "Literals.h"

using namespace mlir;
using namespace nxv;
using namespace nxv::graph;

//===----------------------------------------------------------------------===//
// Creation
//===----------------------------------------------------------------------===//

LogicalResult Importer::importConstant(Node &node) {
  const Json *value = attr(node, "value");
  if (!value || !node.type)
    return fail(node.loc, "needs the attribute 'value'");
  std::string error;
  DenseElementsAttr literal = splatLiteral(*value, node.type, error);
  if (!literal)
    return fail(node.loc, error);
  return define(node, make<ConstantOp>(node, literal));
}

LogicalResult Importer::importTensor(Node &node) {
  const Json *data = attr(node, "data"), *file = attr(node, "file");
  const Json *tensor = attr(node, "tensor");
  if (!node.type || !data == !file || !file != !tensor)
    return fail(node.loc, "needs 'data', or 'file' and 'tensor'");
  std::string error;
  DenseElementsAttr literal;
  if (data) {
    auto text = asString(data);
    if (!text)
      return fail(node.loc, "attribute 'data' must be a string");
    if (auto bytes = decodeBase64(*text, error))
      literal = denseLiteral(*bytes, node.type, error);
  } else {
    auto name = asString(file), entry = asString(tensor);
    if (!name || !entry)
      return fail(node.loc, "attributes 'file' and 'tensor' must be strings");
    if (auto bytes = sideFiles.find(*name, *entry, node.type, error))
      literal = denseLiteral(*bytes, node.type, error);
  }
  if (!literal)
    return fail(node.loc, error);
  return define(node, make<ConstantOp>(node, literal));
}

LogicalResult Importer::importIota(Node &node) {
  auto axis = optionalInt(node, "axis");
  if (failed(axis) || !node.type)
    return failed(axis) ? failure() : fail(node.loc, "is not a tuple");
  if (*axis)
    return define(node,
                  make<IotaOp>(node, node.type, b.getI64IntegerAttr(**axis)));
  // Flat: one axis of all elements, in another shape.
  auto flat =
      RankedTensorType::get({node.type.getNumElements()}, node.element());
  Value value = make<IotaOp>(node, flat, b.getI64IntegerAttr(0));
  return value ? define(node, reshape(node, value, node.shape())) : failure();
}

LogicalResult Importer::importEye(Node &node) {
  if (!node.type || node.type.getRank() < 2)
    return fail(node.loc, "needs a rank of at least 2");
  int64_t rank = node.type.getRank();
  RankedTensorType index = node.type.clone(b.getI64Type());
  Value row = make<IotaOp>(node, index, b.getI64IntegerAttr(rank - 2));
  Value column = make<IotaOp>(node, index, b.getI64IntegerAttr(rank - 1));
  Value equal = make<CompareOp>(node, predType(node.shape()), Comparison::eq,
                                row, column);
  return define(node, convert(node, equal, node.element()));
}

//===----------------------------------------------------------------------===//
// Shape: predicates stay predicates
//===----------------------------------------------------------------------===//

/// What the result of moving `value` has for a type.
static RankedTensorType movedType(Node &node, Value value) {
  return node.type.clone(getElementTypeOrSelf(value.getType()));
}

LogicalResult Importer::importReshape(Node &node) {
  if (!node.type)
    return fail(node.loc, "is not a tuple");
  return define(node, reshape(node, raw(node, 0), node.shape()));
}

LogicalResult Importer::importSqueeze(Node &node) {
  auto axes = intsAttr(node, "axes");
  if (failed(axes) || !node.type)
    return failed(axes) ? failure() : fail(node.loc, "is not a tuple");
  Value operand = raw(node, 0);
  RankedTensorType type = graphType(operand);
  llvm::SmallDenseSet<int64_t> dropped;
  for (int64_t axis : *axes) {
    if (axis < 0 || axis >= type.getRank() || type.getDimSize(axis) != 1)
      return fail(node.loc, "axis " + llvm::Twine(axis) + " of shape " +
                                formatShape(type.getShape()) +
                                " is not an axis of size 1");
    if (!dropped.insert(axis).second)
      return fail(node.loc, "drops axis " + llvm::Twine(axis) + " twice");
  }
  Ints shape;
  for (int64_t i = 0; i < type.getRank(); ++i)
    if (!dropped.contains(i))
      shape.push_back(type.getDimSize(i));
  return define(node, reshape(node, operand, shape));
}

LogicalResult Importer::importBroadcast(Node &node) {
  auto shape = intsAttr(node, "shape");
  if (failed(shape))
    return failure();
  auto axes = intsAttr(node, "axes");
  if (failed(axes))
    return failure();
  if (!node.type || node.shape() != llvm::ArrayRef<int64_t>(*shape))
    return fail(node.loc, "attribute 'shape' differs from the node's shape");
  Value operand = raw(node, 0);
  if (graphType(operand) == node.type &&
      llvm::equal(*axes, llvm::seq<int64_t>(0, node.type.getRank())))
    return define(node, operand);
  return define(node, make<BroadcastInDimOp>(node, movedType(node, operand),
                                             operand, array(*axes)));
}

LogicalResult Importer::importTranspose(Node &node) {
  auto axes = intsAttr(node, "axes");
  if (failed(axes))
    return failure();
  Value operand = raw(node, 0);
  if (axes->size() != static_cast<size_t>(graphType(operand).getRank()))
    return fail(node.loc, "attribute 'axes' must name every axis");
  return define(node, transpose(node, operand, *axes));
}

//===----------------------------------------------------------------------===//
// Data movement
//===----------------------------------------------------------------------===//

LogicalResult Importer::importReverse(Node &node) {
  auto axes = intsAttr(node, "axes");
  if (failed(axes) || !node.type)
    return failed(axes) ? failure() : fail(node.loc, "is not a tuple");
  return define(
      node, make<ReverseOp>(node, node.type, number(node, 0), array(*axes)));
}

LogicalResult Importer::importPad(Node &node) {
  auto config = tuplesAttr(node, "config", 3);
  if (failed(config) || !node.type)
    return failed(config) ? failure() : fail(node.loc, "is not a tuple");
  Value operand = promoted(node, 0);
  Value value = operand ? scalar(node, 1) : Value();
  if (!value)
    return failure();
  return define(node, make<PadOp>(node, node.type, operand, value,
                                  array((*config)[0]), array((*config)[1]),
                                  array((*config)[2])));
}

LogicalResult Importer::importConcatenate(Node &node) {
  auto axis = intAttr(node, "axis");
  if (failed(axis) || !node.type)
    return failed(axis) ? failure() : fail(node.loc, "is not a tuple");
  llvm::SmallVector<Value> inputs;
  for (size_t i = 0; i < node.args.size(); ++i) {
    Value input = promoted(node, i);
    if (!input)
      return failure();
    inputs.push_back(input);
  }
  return define(node, make<ConcatenateOp>(node, node.type, inputs,
                                          b.getI64IntegerAttr(*axis)));
}

LogicalResult Importer::importStack(Node &node) {
  auto axis = intAttr(node, "axis");
  if (failed(axis))
    return failure();
  if (!node.type || *axis < 0 || *axis >= node.type.getRank())
    return fail(node.loc, "attribute 'axis' is not an axis of the result");
  Ints shape(node.shape());
  shape[*axis] = 1;
  llvm::SmallVector<Value> inputs;
  for (size_t i = 0; i < node.args.size(); ++i) {
    Value input = promoted(node, i);
    Ints expected(node.shape());
    expected.erase(expected.begin() + *axis);
    if (input && graphType(input).getShape() != llvm::ArrayRef(expected))
      return fail(node.loc, "operand " + llvm::Twine(i) + " has shape " +
                                formatShape(graphType(input).getShape()) +
                                ", expected " + formatShape(expected));
    Value reshaped = input ? reshape(node, input, shape) : Value();
    if (!reshaped)
      return failure();
    inputs.push_back(reshaped);
  }
  return define(node, make<ConcatenateOp>(node, node.type, inputs,
                                          b.getI64IntegerAttr(*axis)));
}

Value Importer::staticSlice(Node &node, llvm::ArrayRef<int64_t> starts,
                            const Ints &lengths, const Ints &strides) {
  Value operand = number(node, 0);
  llvm::ArrayRef<int64_t> sizes = graphType(operand).getShape();
  if (node.args.size() != 1)
    return failValue(node, "has operands for starts that are integers");
  // Starts are clamped, whether known or not.
  Ints clamped(starts);
  if (starts.size() == sizes.size() && lengths.size() == sizes.size())
    for (size_t i = 0; i < sizes.size(); ++i)
      if (lengths[i] >= 0 && lengths[i] <= sizes[i])
        clamped[i] = std::clamp<int64_t>(starts[i], 0, sizes[i] - lengths[i]);
  return make<SliceOp>(node, node.type, operand, array(clamped), array(lengths),
                       array(strides));
}

Value Importer::dynamicSlice(Node &node, const Json &starts,
                             const Ints &lengths, const Ints &strides) {
  llvm::SmallVector<Value> values;
  size_t next = 1;
  for (const Json &start : starts) {
    if (start.is_null()) {
      if (next == node.args.size())
        return failValue(node, "has fewer operands than null starts");
      values.push_back(number(node, next++));
      continue;
    }
    auto integer = asInteger(&start);
    if (!integer)
      return failValue(node, "a start must be an integer or null");
    auto scalar = RankedTensorType::get({}, b.getI64Type());
    values.push_back(
        make<ConstantOp>(node, DenseElementsAttr::get(scalar, *integer)));
  }
  if (next != node.args.size())
    return failValue(node, "has more operands than null starts");
  return make<DynamicSliceOp>(node, node.type, number(node, 0), values,
                              array(lengths), array(strides));
}

LogicalResult Importer::importSlice(Node &node) {
  auto lengths = intsAttr(node, "lengths");
  if (failed(lengths))
    return failure();
  auto strides = intsAttr(node, "strides");
  const Json *starts = attr(node, "starts");
  if (failed(strides))
    return failure();
  if (!starts || !starts->is_array() || !node.type)
    return fail(node.loc, "attribute 'starts' must be a list");
  if (auto integers = asIntegers(starts))
    return define(node, staticSlice(node, *integers, *lengths, *strides));
  return define(node, dynamicSlice(node, *starts, *lengths, *strides));
}

LogicalResult Importer::importPutSlice(Node &node) {
  if (!node.type)
    return fail(node.loc, "is not a tuple");
  Value operand = promoted(node, 0);
  Value update = operand ? promoted(node, 1) : Value();
  if (!update)
    return failure();
  llvm::SmallVector<Value> starts;
  for (size_t i = 2; i < node.args.size(); ++i)
    starts.push_back(number(node, i));
  return define(node, make<DynamicUpdateSliceOp>(node, node.type, operand,
                                                 update, starts));
}

LogicalResult Importer::importGather(Node &node) {
  auto axes = intsAttr(node, "axes");
  if (failed(axes) || !node.type)
    return failed(axes) ? failure() : fail(node.loc, "is not a tuple");
  return define(node, make<GatherOp>(node, node.type, number(node, 0),
                                     number(node, 1), array(*axes)));
}

LogicalResult Importer::importScatter(Node &node) {
  auto axes = intsAttr(node, "axes");
  if (failed(axes) || !node.type)
    return failed(axes) ? failure() : fail(node.loc, "is not a tuple");
  Value operand = promoted(node, 0);
  Value updates = operand ? promoted(node, 2) : Value();
  if (!updates)
    return failure();
  return define(
      node, make<ScatterOp>(node, node.type, *symbolizeScatterKind(node.target),
                            operand, number(node, 1), updates, array(*axes)));
}
