//===- ExportDocument.cpp - the outer part of a graph
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "ElementType.h"
#include "Exporter.h"
#include "nxv/Graph/Export.h"

using namespace mlir;
using namespace nxv;
using namespace nxv::graph;

static std::string dump(const OrderedJson &json) {
  return json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

OrderedJson Exporter::typeOf(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  OrderedJson json;
  json["type"] = elementTypeName(tensor.getElementType()).str();
  json["shape"] = OrderedJson::array();
  for (int64_t size : tensor.getShape())
    json["shape"].push_back(size);
  return json;
}

static bool isGraphType(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() &&
         !elementTypeName(tensor.getElementType()).empty();
}

/// The attributes that the import put on an argument or a result.
static void addSpecAttrs(OrderedJson &json, DictionaryAttr attrs) {
  if (!attrs)
    return;
  if (auto name = attrs.getAs<StringAttr>("nxv.name"))
    json["name"] = name.str();
  if (attrs.contains("nxv.donatable"))
    json["donatable"] = true;
  if (auto names = attrs.getAs<ArrayAttr>("nxv.vectorized"))
    for (auto name : names.getAsRange<StringAttr>())
      json["vectorized"].push_back(name.str());
}

LogicalResult Exporter::exportSignature(func::FuncOp func, OrderedJson &inputs,
                                        OrderedJson &outputs) {
  for (Type type :
       llvm::concat<const Type>(func.getArgumentTypes(), func.getResultTypes()))
    if (!isGraphType(type))
      return func.emitError() << "a graph cannot hold values of type " << type;
  for (unsigned i = 0; i < func.getNumArguments(); ++i) {
    OrderedJson spec = typeOf(func.getArgumentTypes()[i]);
    addSpecAttrs(spec, func.getArgAttrDict(i));
    inputs.push_back(std::move(spec));
  }
  auto tree = exportTree(func);
  if (failed(tree))
    return failure();
  outputs = std::move(*tree);
  return success();
}

/// The tree that was imported, or else a tuple of the results.
FailureOr<OrderedJson> Exporter::exportTree(func::FuncOp func) {
  if (auto text = func->getAttrOfType<StringAttr>("nxv.output_tree")) {
    OrderedJson tree =
        OrderedJson::parse(text.getValue().begin(), text.getValue().end(),
                           nullptr, /*allow_exceptions=*/false);
    if (tree.is_discarded())
      return func.emitError("'nxv.output_tree' is not valid JSON");
    return tree;
  }
  OrderedJson tree;
  tree["tuple"] = OrderedJson::array();
  for (unsigned i = 0; i < func.getNumResults(); ++i) {
    OrderedJson leaf;
    leaf["leaf"] = typeOf(func.getResultTypes()[i]);
    addSpecAttrs(leaf["leaf"], func.getResultAttrDict(i));
    tree["tuple"].push_back(std::move(leaf));
  }
  return tree;
}

static OrderedJson exportHeader(ModuleOp module) {
  OrderedJson header;
  header["format"] = "nxv-graph";
  header["version"] = 1;
  if (auto producer = module->getAttrOfType<DictionaryAttr>("nxv.producer")) {
    header["producer"] = OrderedJson::object();
    for (StringRef key : {"name", "version"})
      if (auto text = producer.getAs<StringAttr>(key))
        header["producer"][key.str()] = text.str();
  }
  if (auto name = module->getAttrOfType<StringAttr>("nxv.graph_name"))
    header["name"] = name.str();
  return header;
}

LogicalResult Exporter::run(ModuleOp module, llvm::raw_ostream &os) {
  auto func = module.lookupSymbol<func::FuncOp>("main");
  if (!func || !func.getBody().hasOneBlock())
    return module.emitError("needs a function 'main' of one block");
  OrderedJson header = exportHeader(module);
  // Adding a member moves the others: both are made before they are filled.
  OrderedJson inputs = OrderedJson::array(), outputs;
  if (failed(exportSignature(func, inputs, outputs)))
    return failure();
  header["inputs"] = std::move(inputs);
  header["outputs"] = std::move(outputs);
  auto scope = exportScope(func.front());
  if (failed(scope))
    return failure();
  // A node a line.
  std::string text = dump(header);
  os << StringRef(text).drop_back()
     << ",\"graph\":{\"params\":" << dump((*scope)["params"]) << ",\"nodes\":[";
  llvm::interleave((*scope)["nodes"], os,
                   [&](const OrderedJson &node) { os << "\n"
                                                     << dump(node); },
                   ",");
  os << "],\"results\":" << dump((*scope)["results"]) << "}}\n";
  return success();
}

LogicalResult nxv::exportGraph(ModuleOp module, llvm::raw_ostream &os) {
  return Exporter().run(module, os);
}
