//===- ImportControl.cpp - parameters, loops, branches and blocks of a graph
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Importer.h"

using namespace mlir;
using namespace nxv;
using namespace nxv::graph;

LogicalResult Importer::importParameter(Node &node) {
  auto index = intAttr(node, "index");
  if (failed(index))
    return failure();
  size_t count = node.scope->params.size();
  if (*index < 0 || *index >= static_cast<int64_t>(count))
    return fail(node.loc, "parameter " + llvm::Twine(*index) +
                              " of a scope that has " + llvm::Twine(count));
  return define(node, node.scope->params[*index]);
}

LogicalResult Importer::importElem(Node &node) {
  auto index = intAttr(node, "index");
  if (failed(index))
    return failure();
  const Entry *tuple = node.args[0];
  if (!tuple->isTuple)
    return fail(node.loc, "operand 0 is not a tuple");
  if (*index < 0 || *index >= static_cast<int64_t>(tuple->values.size()))
    return fail(node.loc, "value " + llvm::Twine(*index) +
                              " of a tuple that has " +
                              llvm::Twine(tuple->values.size()));
  return define(node, tuple->values[*index]);
}

LogicalResult Importer::importFun(Node &node) {
  const Json *params = attr(node, "params"), *body = attr(node, "body");
  if (!body || !params || !node.type)
    return fail(node.loc, "needs the attributes 'params' and 'body'");
  if (!member(*body, "params") || *params != *member(*body, "params"))
    return fail(node.loc, "attribute 'params' differs from the body's");
  Entry entry;
  entry.fun = body;
  node.scope->entries[node.id] = std::move(entry);
  return success();
}

FailureOr<llvm::SmallVector<Value>> Importer::operandsAsNumbers(Node &node) {
  llvm::SmallVector<Value> operands;
  for (size_t i = 0; i < node.args.size(); ++i)
    operands.push_back(number(node, i));
  return operands;
}

LogicalResult Importer::importRegion(Node &node, const Json &json,
                                     const llvm::Twine &what, Region &region,
                                     llvm::ArrayRef<Type> params,
                                     const Scope *parent,
                                     llvm::ArrayRef<Type> expected,
                                     bool asPredicate) {
  OpBuilder::InsertionGuard guard(b);
  llvm::SmallVector<Location> locs(params.size(), node.loc);
  Block *block = b.createBlock(&region, {}, params, locs);
  Scope scope;
  scope.parent = parent;
  scope.params.assign(block->args_begin(), block->args_end());
  llvm::SmallVector<Value> results;
  if (failed(importScope(json, scope, node.loc, what, params, results)))
    return failure();
  if (results.size() != expected.size())
    return fail(node.loc, what + " has " + llvm::Twine(results.size()) +
                              " results, expected " +
                              llvm::Twine(expected.size()));
  for (auto [i, result] : llvm::enumerate(results)) {
    if (asPredicate) {
      if (graphType(result).getRank() != 0)
        return fail(node.loc, what + " must give a scalar");
      result = predicate(node, result);
      continue;
    }
    if (graphType(result) != expected[i])
      return fail(node.loc, "result " + llvm::Twine(i) + " of " + what +
                                " is " + formatType(result.getType()) +
                                ", expected " + formatType(expected[i]));
    result = convert(node, result, getElementTypeOrSelf(expected[i]));
  }
  YieldOp::create(b, node.loc, results);
  return success();
}

LogicalResult Importer::importWhile(Node &node) {
  const Json *condition = attr(node, "cond"), *body = attr(node, "body");
  if (!condition || !body)
    return fail(node.loc, "needs the attributes 'cond' and 'body'");
  auto operands = operandsAsNumbers(node);
  if (failed(operands))
    return failure();
  llvm::SmallVector<Type> types(ValueRange(*operands).getTypes());
  auto op = WhileOp::create(b, node.loc, types, *operands);
  Type pred = predType({});
  if (failed(importRegion(node, *condition, "the condition", op.getCondition(),
                          types, nullptr, {pred},
                          /*asPredicate=*/true)) ||
      failed(importRegion(node, *body, "the body", op.getBody(), types, nullptr,
                          types, /*asPredicate=*/false)))
    return failure();
  return defineAll(node, op.getResults());
}

/// The types of the results of a scope, which stand in its nodes.
FailureOr<llvm::SmallVector<Type>>
Importer::resultTypes(Node &node, const Json &scope, const llvm::Twine &what) {
  llvm::SmallVector<Type> types;
  auto ids = asIntegers(member(scope, "results"));
  if (!ids)
    return fail(node.loc,
                what + " needs a list of results, which are node ids");
  std::unordered_map<int64_t, const Json *> nodes;
  if (const Json *list = member(scope, "nodes"); list && list->is_array())
    for (const Json &json : *list)
      if (auto id = asInteger(member(json, "id")))
        nodes[*id] = &json;
  for (int64_t id : *ids) {
    auto found = nodes.find(id);
    if (found != nodes.end()) {
      auto type = readType(*found->second, node.loc,
                           "result " + llvm::Twine(id) + " of " + what);
      if (failed(type))
        return failure();
      types.push_back(*type);
      continue;
    }
    const Entry *entry = node.scope->find(id);
    if (!entry || entry->isTuple || entry->fun)
      return fail(node.loc, "result " + llvm::Twine(id) + " of " + what +
                                " is not a tensor in scope");
    types.push_back(graphType(entry->values.front()));
  }
  return types;
}

LogicalResult Importer::importCond(Node &node) {
  const Json *branches = attr(node, "branches");
  const Json *otherwise = attr(node, "default");
  if (!branches || !branches->is_array() || !otherwise)
    return fail(node.loc, "needs the attributes 'branches' and 'default'");
  if (branches->size() != node.args.size())
    return fail(node.loc, "has " + llvm::Twine(node.args.size()) +
                              " predicates for " +
                              llvm::Twine(branches->size()) + " branches");
  llvm::SmallVector<Value> predicates;
  for (size_t i = 0; i < node.args.size(); ++i) {
    if (graphType(raw(node, i)).getRank() != 0)
      return fail(node.loc,
                  "predicate " + llvm::Twine(i) + " must be a scalar");
    predicates.push_back(predicate(node, raw(node, i)));
  }
  auto types = resultTypes(node, *otherwise, "the default");
  if (failed(types))
    return failure();
  auto op =
      CaseOp::create(b, node.loc, *types, predicates, branches->size() + 1);
  for (size_t i = 0; i < branches->size(); ++i)
    if (failed(importRegion(node, (*branches)[i], "branch " + llvm::Twine(i),
                            op.getBranches()[i], {}, node.scope, *types,
                            /*asPredicate=*/false)))
      return failure();
  if (failed(importRegion(node, *otherwise, "the default",
                          op.getBranches().back(), {}, node.scope, *types,
                          /*asPredicate=*/false)))
    return failure();
  return defineAll(node, op.getResults());
}

/// Options are for whoever knows the block: any JSON value.
Attribute Importer::optionToAttr(const Json &value) {
  if (value.is_boolean())
    return b.getBoolAttr(value == true);
  if (auto integer = asInteger(&value))
    return b.getI64IntegerAttr(*integer);
  if (value.is_number_unsigned())
    return b.getIntegerAttr(b.getIntegerType(64, /*isSigned=*/false),
                            APInt(64, *value.get_ptr<const uint64_t *>()));
  if (value.is_number_float())
    return b.getF64FloatAttr(*value.get_ptr<const double *>());
  if (auto text = asString(&value))
    return b.getStringAttr(*text);
  if (value.is_array()) {
    llvm::SmallVector<Attribute> items;
    for (const Json &item : value)
      items.push_back(optionToAttr(item));
    return b.getArrayAttr(items);
  }
  if (!value.is_object())
    return b.getUnitAttr();
  llvm::SmallVector<NamedAttribute> members;
  for (auto entry = value.begin(); entry != value.end(); ++entry)
    if (!entry.key().empty())
      members.push_back(
          b.getNamedAttr(entry.key(), optionToAttr(entry.value())));
  return b.getDictionaryAttr(members);
}

LogicalResult Importer::importBlock(Node &node) {
  auto name = stringAttr(node, "name");
  if (failed(name))
    return failure();
  const Json *options = attr(node, "options"), *body = attr(node, "default");
  if (!body)
    return fail(node.loc, "needs the attribute 'default'");
  if (options && (!options->is_object() || options->contains("")))
    return fail(node.loc, "attribute 'options' must be an object of named "
                          "options");
  auto operands = operandsAsNumbers(node);
  if (failed(operands))
    return failure();
  auto types = resultTypes(node, *body, "the default");
  if (failed(types))
    return failure();
  DictionaryAttr dictionary;
  if (options && !options->empty())
    dictionary = cast<DictionaryAttr>(optionToAttr(*options));
  auto op = BlockOp::create(b, node.loc, *types, b.getStringAttr(*name),
                            dictionary, *operands);
  llvm::SmallVector<Type> params(ValueRange(*operands).getTypes());
  if (failed(importRegion(node, *body, "the default", op.getBody(), params,
                          nullptr, *types, /*asPredicate=*/false)))
    return failure();
  return defineAll(node, op.getResults());
}

LogicalResult Importer::importIoCall(Node &node) {
  auto name = stringAttr(node, "name");
  if (failed(name))
    return failure();
  auto operands = operandsAsNumbers(node);
  if (failed(operands))
    return failure();
  auto op = TapOp::create(b, node.loc, ValueRange(*operands).getTypes(), *name,
                          *operands);
  return defineAll(node, op.getResults());
}

LogicalResult Importer::importRuntimeCall(Node &node) {
  return fail(node.loc, "calls back into the host, which a compiled program "
                        "cannot do");
}
