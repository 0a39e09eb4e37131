//===- ImportDocument.cpp - the outer part of a graph
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Importer.h"
#include "nxv/Graph/Import.h"

#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace nxv;
using namespace nxv::graph;

Importer::Importer(llvm::StringRef path, MLIRContext *context)
    : path(path), b(context), fileLoc(FileLineColLoc::get(context, path, 0, 0)),
      sideFiles(path) {}

OwningOpRef<ModuleOp> Importer::import(llvm::StringRef text) {
  std::string error;
  std::optional<Json> document = parseJson(text, error);
  if (!document) {
    (void)fail(fileLoc, error);
    return {};
  }
  OwningOpRef<ModuleOp> module = ModuleOp::create(fileLoc);
  if (failed(importDocument(*document, *module)))
    return {};
  IRRewriter rewriter(module->getContext());
  DominanceInfo dominance;
  eliminateCommonSubExpressions(rewriter, dominance, *module);
  // That erased what nothing uses, but not what only this used.
  (void)runRegionDCE(rewriter, (*module)->getRegions());
  if (failed(verify(*module)))
    return {};
  return module;
}

LogicalResult Importer::importDocument(const Json &document, ModuleOp module) {
  if (failed(checkHeader(document)) || failed(setModuleAttrs(document, module)))
    return failure();
  auto inputs =
      readSpecs(member(document, "inputs"), fileLoc, "input", /*isInput=*/true);
  if (failed(inputs))
    return failure();
  const Json *tree = member(document, "outputs");
  llvm::SmallVector<TensorSpec> outputs;
  if (!tree)
    return fail(fileLoc, "has no \"outputs\"");
  if (failed(readTree(*tree, outputs)))
    return failure();
  const Json *graph = member(document, "graph");
  if (!graph)
    return fail(fileLoc, "has no \"graph\"");
  b.setInsertionPointToEnd(module.getBody());
  return importMain(*graph, *tree, *inputs, outputs);
}

LogicalResult Importer::checkHeader(const Json &document) {
  if (!document.is_object())
    return fail(fileLoc, "is not a JSON object");
  if (asString(member(document, "format")) != "nxv-graph")
    return fail(fileLoc, "is not a graph: \"format\" must be \"nxv-graph\"");
  const Json *version = member(document, "version");
  if (asInteger(version) != 1)
    return fail(fileLoc,
                "has version " +
                    (version ? version->dump(-1, ' ', true,
                                             Json::error_handler_t::replace)
                             : std::string("null")) +
                    "; this compiler reads version 1");
  if (auto key = unknownKey(document, {"format", "version", "producer", "name",
                                       "inputs", "outputs", "graph"}))
    return fail(fileLoc, "unknown key '" + *key + "'");
  return success();
}

LogicalResult Importer::setModuleAttrs(const Json &document, ModuleOp module) {
  if (const Json *name = member(document, "name")) {
    auto text = asString(name);
    if (!text)
      return fail(fileLoc, "\"name\" must be a string");
    module->setAttr("nxv.graph_name", b.getStringAttr(*text));
  }
  const Json *producer = member(document, "producer");
  if (!producer)
    return success();
  llvm::SmallVector<NamedAttribute> attrs;
  for (llvm::StringRef key : {"name", "version"})
    if (const Json *value = member(*producer, key)) {
      auto text = asString(value);
      if (!text)
        return fail(fileLoc, "\"producer\" must hold strings");
      attrs.push_back(b.getNamedAttr(key, b.getStringAttr(*text)));
    }
  if (!producer->is_object())
    return fail(fileLoc, "\"producer\" must be an object");
  if (auto key = unknownKey(*producer, {"name", "version"}))
    return fail(fileLoc, "unknown key '" + *key + "' in \"producer\"");
  module->setAttr("nxv.producer", b.getDictionaryAttr(attrs));
  return success();
}

//===----------------------------------------------------------------------===//
// Types of tensors
//===----------------------------------------------------------------------===//

/// No traced program comes near; verifiers and printers are quadratic in it.
static constexpr size_t kMaxRank = 64;

FailureOr<RankedTensorType> Importer::readType(const Json &object, Location loc,
                                               const llvm::Twine &what) {
  auto name = asString(member(object, "type"));
  if (!name)
    return fail(loc, what + " needs a \"type\"");
  Type element = parseElementType(*name, b.getContext());
  if (!element)
    return fail(loc, "unknown type '" + *name + "'");
  const Json *list = member(object, "shape");
  auto shape = asIntegers(list);
  if (!shape)
    return fail(loc, what + " needs a \"shape\", a list of integers");
  if (shape->size() > kMaxRank)
    return fail(loc, "rank " + llvm::Twine(shape->size()) + " exceeds " +
                         llvm::Twine(kMaxRank));
  for (int64_t size : *shape)
    if (size < 0)
      return fail(loc, "negative size in shape " + formatShape(*shape));
  if (!countElements(*shape, element))
    return fail(loc, "shape " + formatShape(*shape) + " is too large");
  return RankedTensorType::get(*shape, element);
}

FailureOr<llvm::SmallVector<Importer::TensorSpec>>
Importer::readSpecs(const Json *list, Location loc, const llvm::Twine &what,
                    bool isInput) {
  if (!list || !list->is_array())
    return fail(loc, "needs a list of " + what + "s");
  llvm::SmallVector<TensorSpec> specs;
  for (const Json &json : *list) {
    auto spec =
        readSpec(json, loc, what + " " + llvm::Twine(specs.size()), isInput);
    if (failed(spec))
      return failure();
    specs.push_back(std::move(*spec));
  }
  return specs;
}

FailureOr<Importer::TensorSpec> Importer::readSpec(const Json &spec,
                                                   Location loc,
                                                   const llvm::Twine &what,
                                                   bool isInput) {
  if (!spec.is_object())
    return fail(loc, what + " must be an object");
  if (auto key = unknownKey(
          spec, {"type", "shape", "name", "donatable", "vectorized"}))
    return fail(loc, "unknown key '" + *key + "' in " + what);
  auto type = readType(spec, loc, what);
  if (failed(type))
    return failure();
  TensorSpec result{*type, {}};
  result.attrs.push_back(b.getNamedAttr(
      "nxv.element", b.getStringAttr(elementTypeName(type->getElementType()))));
  if (const Json *name = member(spec, "name")) {
    auto text = asString(name);
    if (!text)
      return fail(loc, "\"name\" of " + what + " must be a string");
    result.attrs.push_back(b.getNamedAttr("nxv.name", b.getStringAttr(*text)));
  }
  if (const Json *donatable = member(spec, "donatable")) {
    auto flag = asBool(donatable);
    if (!flag)
      return fail(loc, "\"donatable\" of " + what + " must be a boolean");
    if (*flag && isInput)
      result.attrs.push_back(b.getNamedAttr("nxv.donatable", b.getUnitAttr()));
  }
  if (failed(readVectorized(spec, result, loc, what)))
    return failure();
  return result;
}

LogicalResult Importer::readVectorized(const Json &spec, TensorSpec &result,
                                       Location loc, const llvm::Twine &what) {
  const Json *list = member(spec, "vectorized");
  if (!list)
    return success();
  llvm::SmallVector<llvm::StringRef> names;
  if (list->is_array())
    for (const Json &name : *list)
      if (auto text = asString(&name))
        names.push_back(*text);
  if (!list->is_array() || names.size() != list->size() ||
      names.size() > static_cast<size_t>(result.type.getRank()))
    return fail(loc, "\"vectorized\" of " + what +
                         " must name leading axes with strings");
  result.attrs.push_back(
      b.getNamedAttr("nxv.vectorized", b.getStrArrayAttr(names)));
  return success();
}

//===----------------------------------------------------------------------===//
// The tree of outputs
//===----------------------------------------------------------------------===//

LogicalResult Importer::readTree(const Json &tree,
                                 llvm::SmallVectorImpl<TensorSpec> &leaves) {
  if (auto key = unknownKey(tree, {"leaf", "tuple", "map", "struct", "fields"}))
    return fail(fileLoc, "unknown key '" + *key + "' in \"outputs\"");
  if (const Json *leaf = member(tree, "leaf")) {
    auto spec = readSpec(*leaf, fileLoc, "output " + llvm::Twine(leaves.size()),
                         /*isInput=*/false);
    if (failed(spec))
      return failure();
    leaves.push_back(std::move(*spec));
    return success();
  }
  if (const Json *tuple = member(tree, "tuple")) {
    if (!tuple->is_array())
      return fail(fileLoc, "\"tuple\" in \"outputs\" must be a list");
    for (const Json &part : *tuple)
      if (failed(readTree(part, leaves)))
        return failure();
    return success();
  }
  if (const Json *map = member(tree, "map"))
    return readFields(*map, leaves);
  const Json *fields = member(tree, "fields");
  if (!fields || !asString(member(tree, "struct")))
    return fail(fileLoc, "\"outputs\" must hold leaves, tuples, maps and "
                         "structs");
  return readFields(*fields, leaves);
}

LogicalResult Importer::readFields(const Json &fields,
                                   llvm::SmallVectorImpl<TensorSpec> &leaves) {
  if (!fields.is_array())
    return fail(fileLoc, "the fields of \"outputs\" must be a list");
  for (const Json &field : fields) {
    if (!field.is_array() || field.size() != 2)
      return fail(fileLoc, "a field of \"outputs\" must be [key, tree]");
    if (failed(readTree(field[1], leaves)))
      return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// The entry
//===----------------------------------------------------------------------===//

LogicalResult Importer::importMain(const Json &graph, const Json &tree,
                                   llvm::ArrayRef<TensorSpec> inputs,
                                   llvm::ArrayRef<TensorSpec> outputs) {
  llvm::SmallVector<Type> inputTypes, outputTypes;
  llvm::SmallVector<DictionaryAttr> argAttrs, resultAttrs;
  for (const TensorSpec &input : inputs) {
    inputTypes.push_back(input.type);
    argAttrs.push_back(b.getDictionaryAttr(input.attrs));
  }
  for (const TensorSpec &output : outputs) {
    outputTypes.push_back(output.type);
    resultAttrs.push_back(b.getDictionaryAttr(output.attrs));
  }
  auto func = func::FuncOp::create(b, fileLoc, "main",
                                   b.getFunctionType(inputTypes, outputTypes));
  func.setAllArgAttrs(argAttrs);
  func.setAllResultAttrs(resultAttrs);
  func->setAttr("nxv.output_tree",
                b.getStringAttr(
                    tree.dump(-1, ' ', false, Json::error_handler_t::replace)));
  b.setInsertionPointToStart(func.addEntryBlock());

  Scope scope;
  scope.params.assign(func.getArguments().begin(), func.getArguments().end());
  llvm::SmallVector<Value> results;
  if (failed(
          importScope(graph, scope, fileLoc, "the graph", inputTypes, results)))
    return failure();
  if (results.size() != outputs.size())
    return fail(fileLoc, "the graph has " + llvm::Twine(results.size()) +
                             " results, \"outputs\" has " +
                             llvm::Twine(outputs.size()) + " leaves");
  for (auto [i, result] : llvm::enumerate(results)) {
    if (graphType(result) != outputs[i].type)
      return fail(fileLoc, "result " + llvm::Twine(i) + " is " +
                               formatType(result.getType()) + ", its leaf " +
                               formatType(outputs[i].type));
    Node node(fileLoc);
    result = convert(node, result, outputs[i].type.getElementType());
  }
  func::ReturnOp::create(b, fileLoc, results);
  return success();
}

OwningOpRef<ModuleOp> nxv::importGraph(llvm::StringRef path,
                                       llvm::StringRef text,
                                       MLIRContext *context) {
  context->loadDialect<NxvDialect, func::FuncDialect>();
  return Importer(path, context).import(text);
}
