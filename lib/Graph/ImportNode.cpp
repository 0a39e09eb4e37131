//===- ImportNode.cpp - scopes and nodes of a graph
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Importer.h"

using namespace mlir;
using namespace nxv;
using namespace nxv::graph;

std::string nxv::graph::formatShape(llvm::ArrayRef<int64_t> shape) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "[";
  llvm::interleaveComma(shape, os);
  os << "]";
  return text;
}

std::string nxv::graph::formatType(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return elementTypeName(tensor.getElementType()).str() +
         formatShape(tensor.getShape());
}

RankedTensorType nxv::graph::graphType(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  if (!type.getElementType().isInteger(1))
    return type;
  return type.clone(
      IntegerType::get(type.getContext(), 8, IntegerType::Unsigned));
}

const Entry *Scope::find(int64_t id) const {
  for (const Scope *scope = this; scope; scope = scope->parent) {
    auto found = scope->entries.find(id);
    if (found != scope->entries.end())
      return &found->second;
  }
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Scopes
//===----------------------------------------------------------------------===//

LogicalResult Importer::checkParams(const Json &json, Location loc,
                                    const llvm::Twine &what,
                                    llvm::ArrayRef<Type> params) {
  auto specs = readSpecs(member(json, "params"), loc, "parameter",
                         /*isInput=*/true);
  if (failed(specs))
    return failure();
  if (specs->size() != params.size())
    return fail(loc, what + " has " + llvm::Twine(specs->size()) +
                         " parameters, expected " + llvm::Twine(params.size()));
  for (auto [i, spec] : llvm::enumerate(*specs))
    if (spec.type != params[i])
      return fail(loc, "parameter " + llvm::Twine(i) + " of " + what + " is " +
                           formatType(spec.type) + ", expected " +
                           formatType(params[i]));
  return success();
}

LogicalResult Importer::importScope(const Json &json, Scope &scope,
                                    Location loc, const llvm::Twine &what,
                                    llvm::ArrayRef<Type> params,
                                    llvm::SmallVectorImpl<Value> &results) {
  if (!json.is_object())
    return fail(loc, what + " must be an object");
  if (auto key = unknownKey(json, {"params", "nodes", "results"}))
    return fail(loc, "unknown key '" + *key + "' in " + what);
  if (failed(checkParams(json, loc, what, params)))
    return failure();
  const Json *nodes = member(json, "nodes");
  if (!nodes || !nodes->is_array())
    return fail(loc, what + " needs a list of nodes");
  for (const Json &node : *nodes)
    if (failed(importNode(node, scope)))
      return failure();
  auto ids = asIntegers(member(json, "results"));
  if (!ids)
    return fail(loc, what + " needs a list of results, which are node ids");
  for (int64_t id : *ids) {
    const Entry *entry = scope.find(id);
    if (!entry)
      return fail(loc, "result " + llvm::Twine(id) + " of " + what +
                           " is not a node in scope");
    if (entry->isTuple || entry->fun)
      return fail(loc, "result " + llvm::Twine(id) + " of " + what +
                           " is not a tensor");
    results.push_back(entry->values.front());
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

/// `node 17 (conv)` at "file.ex:12", or at the graph's file.
Location Importer::nodeLocation(const Json &json, int64_t id,
                                llvm::StringRef op) {
  Location file = fileLoc;
  if (auto text = asString(member(json, "loc"))) {
    auto [name, line] = text->rsplit(':');
    unsigned number;
    if (line.empty() || line.getAsInteger(10, number))
      file = FileLineColLoc::get(b.getContext(), *text, 0, 0);
    else
      file = FileLineColLoc::get(b.getContext(), name, number, 0);
  }
  std::string label = "node " + std::to_string(id);
  if (!op.empty())
    label += " (" + op.str() + ")";
  return NameLoc::get(b.getStringAttr(label), file);
}

LogicalResult Importer::readResult(const Json &json, Node &node) {
  const Json *arity = member(json, "arity");
  if (asString(member(json, "type")) != "tuple") {
    if (arity)
      return fail(node.loc, "only a node of type \"tuple\" has an \"arity\"");
    auto type = readType(json, node.loc, "the node");
    if (failed(type))
      return failure();
    node.type = *type;
    return success();
  }
  auto count = asInteger(arity);
  if (!count || *count < 0)
    return fail(node.loc, "a tuple needs an \"arity\", its number of values");
  if (member(json, "shape"))
    return fail(node.loc, "a tuple has no \"shape\"");
  node.arity = *count;
  return success();
}

LogicalResult Importer::readArgs(const Json &json, Node &node) {
  auto args = asIntegers(member(json, "args"));
  if (!args)
    return fail(node.loc, "needs \"args\", a list of node ids");
  for (int64_t id : *args) {
    if (id >= node.id)
      return fail(node.loc,
                  "operand " + llvm::Twine(id) + " does not precede the node");
    const Entry *entry = node.scope->find(id);
    if (!entry)
      return fail(node.loc,
                  "operand " + llvm::Twine(id) + " is not a node in scope");
    node.args.push_back(entry);
  }
  return success();
}

FailureOr<Node> Importer::readNode(const Json &json, Scope &scope) {
  if (!json.is_object())
    return fail(fileLoc, "a node must be an object");
  auto id = asInteger(member(json, "id"));
  if (!id || *id < 0)
    return fail(fileLoc, "a node needs an \"id\", a non-negative integer");
  auto op = asString(member(json, "op"));
  Node node(nodeLocation(json, *id, op.value_or("")));
  if (!op)
    return fail(node.loc, "needs an \"op\"");
  if (auto key = unknownKey(
          json, {"id", "op", "args", "type", "shape", "attrs", "loc", "arity"}))
    return fail(node.loc, "unknown key '" + *key + "'");
  if (const Json *loc = member(json, "loc"); loc && !loc->is_string())
    return fail(node.loc, "\"loc\" must be a string");
  if (!ids.insert(*id).second && !isRepeating)
    return fail(node.loc, "id " + llvm::Twine(*id) + " is used twice");
  node.id = *id;
  node.op = *op;
  node.scope = &scope;
  node.attrs = member(json, "attrs");
  if (node.attrs && !node.attrs->is_object())
    return fail(node.loc, "\"attrs\" must be an object");
  return node;
}

LogicalResult Importer::importNode(const Json &json, Scope &scope) {
  auto node = readNode(json, scope);
  if (failed(node))
    return failure();
  auto found = opTable().find(node->op);
  if (found == opTable().end())
    return fail(node->loc, "unknown op '" + node->op + "'");
  const OpInfo &info = found->second;
  node->target = info.target;
  if (failed(readResult(json, *node)) || failed(readArgs(json, *node)))
    return failure();
  int count = node->args.size();
  if (count < info.minArgs || (info.maxArgs >= 0 && count > info.maxArgs))
    return fail(node->loc, "has " + llvm::Twine(count) +
                               " operands, expected " +
                               llvm::Twine(info.minArgs) +
                               (info.maxArgs < 0 ? " or more" : ""));
  // Whatever takes a function or a tuple checks for it itself.
  for (auto [i, arg] : llvm::enumerate(node->args)) {
    bool takesFun =
        (node->op == "reduce" || node->op == "window_reduce") && i == 2;
    bool takesTuple = node->op == "elem";
    if ((arg->fun && !takesFun) || (arg->isTuple && !takesTuple))
      return fail(node->loc, "operand " + llvm::Twine(i) + " is not a tensor");
  }
  if (failed((this->*info.handler)(*node)))
    return failure();
  if (node->attrs)
    if (auto key = unknownKey(*node->attrs, node->known))
      return fail(node->loc, "unknown attribute '" + *key + "'");
  return success();
}

LogicalResult Importer::define(Node &node, Value value) {
  if (!value)
    return failure();
  return defineAll(node, value);
}

LogicalResult Importer::defineAll(Node &node, ValueRange values) {
  Entry entry;
  entry.isTuple = !node.type;
  entry.values.assign(values.begin(), values.end());
  if (entry.isTuple ? static_cast<size_t>(node.arity) != values.size()
                    : values.size() != 1)
    return fail(node.loc, "declares " +
                              llvm::Twine(node.type ? 1 : node.arity) +
                              " values, has " + llvm::Twine(values.size()));
  if (node.type && graphType(values[0]) != node.type)
    return fail(node.loc, "declares " + formatType(node.type) +
                              ", but computes " +
                              formatType(values[0].getType()));
  node.scope->entries[node.id] = std::move(entry);
  return success();
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

const Json *Importer::attr(Node &node, llvm::StringRef name) {
  node.known.push_back(name);
  const Json *value = node.attrs ? member(*node.attrs, name) : nullptr;
  return value && !value->is_null() ? value : nullptr;
}

static std::string needs(llvm::StringRef name, llvm::StringRef what) {
  return ("attribute '" + name + "' must be " + what).str();
}

FailureOr<int64_t> Importer::intAttr(Node &node, llvm::StringRef name) {
  auto value = asInteger(attr(node, name));
  if (!value)
    return fail(node.loc, needs(name, "an integer"));
  return *value;
}

FailureOr<std::optional<int64_t>> Importer::optionalInt(Node &node,
                                                        llvm::StringRef name) {
  if (!attr(node, name))
    return std::optional<int64_t>();
  auto value = intAttr(node, name);
  if (failed(value))
    return failure();
  return std::optional<int64_t>(*value);
}

FailureOr<Ints> Importer::intsAttr(Node &node, llvm::StringRef name) {
  auto values = asIntegers(attr(node, name));
  if (!values)
    return fail(node.loc, needs(name, "a list of integers"));
  return std::move(*values);
}

FailureOr<std::optional<Ints>> Importer::optionalInts(Node &node,
                                                      llvm::StringRef name) {
  if (!attr(node, name))
    return std::optional<Ints>();
  auto values = intsAttr(node, name);
  if (failed(values))
    return failure();
  return std::optional<Ints>(std::move(*values));
}

FailureOr<bool> Importer::boolAttr(Node &node, llvm::StringRef name,
                                   bool otherwise) {
  const Json *json = attr(node, name);
  if (!json)
    return otherwise;
  auto value = asBool(json);
  if (!value)
    return fail(node.loc, needs(name, "a boolean"));
  return *value;
}

FailureOr<llvm::StringRef> Importer::stringAttr(Node &node,
                                                llvm::StringRef name) {
  auto value = asString(attr(node, name));
  if (!value)
    return fail(node.loc, needs(name, "a string"));
  return *value;
}

FailureOr<llvm::SmallVector<Ints>>
Importer::tuplesAttr(Node &node, llvm::StringRef name, size_t width) {
  const Json *list = attr(node, name);
  llvm::SmallVector<Ints> columns(width);
  bool fits = list && list->is_array();
  if (fits)
    for (const Json &entry : *list) {
      auto row = asIntegers(&entry);
      fits = row && row->size() == width;
      if (!fits)
        break;
      for (size_t i = 0; i < width; ++i)
        columns[i].push_back((*row)[i]);
    }
  if (!fits)
    return fail(node.loc, needs(name, "a list of " + std::to_string(width) +
                                          " integers an axis"));
  return columns;
}

FailureOr<Window> Importer::windowAttrs(Node &node, bool hasDilations) {
  auto size = intsAttr(node, "window_dimensions");
  if (failed(size))
    return failure();
  auto strides = intsAttr(node, "strides");
  if (failed(strides))
    return failure();
  auto padding = tuplesAttr(node, "padding", 2);
  if (failed(padding))
    return failure();
  Window window{*size, *strides, Ints(size->size(), 1), (*padding)[0],
                (*padding)[1]};
  if (hasDilations) {
    auto dilations = intsAttr(node, "window_dilations");
    if (failed(dilations))
      return failure();
    window.dilations = *dilations;
  }
  return window;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

RankedTensorType Importer::typeLike(Value value, Type element) {
  return cast<RankedTensorType>(value.getType()).clone(element);
}

RankedTensorType Importer::predType(llvm::ArrayRef<int64_t> shape) {
  return RankedTensorType::get(shape, b.getI1Type());
}

Value Importer::convert(Node &node, Value value, Type element) {
  if (getElementTypeOrSelf(value) == element)
    return value;
  return ConvertOp::create(b, node.loc, typeLike(value, element), value);
}

Value Importer::number(Node &node, size_t i) {
  Value value = raw(node, i);
  return convert(node, value, graphType(value).getElementType());
}

Value Importer::predicate(Node &node, Value value) {
  // A predicate that was stored as a number is a predicate still.
  if (auto op = value.getDefiningOp<ConvertOp>())
    if (getElementTypeOrSelf(op.getOperand()).isInteger(1))
      return op.getOperand();
  return convert(node, value, b.getI1Type());
}

Value Importer::promoted(Node &node, size_t i, Type element) {
  Value value = raw(node, i);
  Type from = graphType(value).getElementType();
  if (kindRank(from) > kindRank(element))
    return failValue(node, "operand " + llvm::Twine(i) + " of type " +
                               elementTypeName(from) + " does not convert to " +
                               elementTypeName(element));
  return convert(node, value, element);
}

Value Importer::promoted(Node &node, size_t i) {
  return promoted(node, i, node.element());
}

Value Importer::aligned(Node &node, size_t i, Type element) {
  if (graphType(raw(node, i)).getElementType() == element)
    return broadcast(node, raw(node, i), node.shape());
  Value value = promoted(node, i, element);
  return value ? broadcast(node, value, node.shape()) : Value();
}

Value Importer::scalar(Node &node, size_t i) {
  if (graphType(raw(node, i)).getRank() != 0)
    return failValue(node, "operand " + llvm::Twine(i) + " must be a scalar");
  return promoted(node, i);
}

Value Importer::broadcast(Node &node, Value value,
                          llvm::ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getShape() == shape)
    return value;
  int64_t offset = static_cast<int64_t>(shape.size()) - type.getRank();
  bool fits = offset >= 0;
  Ints axes;
  for (int64_t i = 0; fits && i < type.getRank(); ++i) {
    axes.push_back(offset + i);
    fits = type.getDimSize(i) == 1 || type.getDimSize(i) == shape[offset + i];
  }
  if (!fits)
    return failValue(node, "shape " + formatShape(type.getShape()) +
                               " does not broadcast to " + formatShape(shape));
  return make<BroadcastInDimOp>(node, type.clone(shape), value, array(axes));
}

Value Importer::reshape(Node &node, Value value,
                        llvm::ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getShape() == shape)
    return value;
  return make<ReshapeOp>(node, type.clone(shape), value);
}

Value Importer::transpose(Node &node, Value value,
                          llvm::ArrayRef<int64_t> axes) {
  auto type = cast<RankedTensorType>(value.getType());
  bool isIdentity = llvm::equal(axes, llvm::seq<int64_t>(0, type.getRank()));
  if (isIdentity)
    return value;
  Ints shape;
  for (int64_t axis : axes) {
    if (axis < 0 || axis >= type.getRank())
      return failValue(node, "axis " + llvm::Twine(axis) +
                                 " is not an axis of a rank-" +
                                 llvm::Twine(type.getRank()) + " tensor");
    shape.push_back(type.getDimSize(axis));
  }
  return make<TransposeOp>(node, type.clone(shape), value, array(axes));
}
