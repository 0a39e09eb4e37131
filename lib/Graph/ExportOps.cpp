//===- ExportOps.cpp - nxv operations as nodes of a graph
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "ElementType.h"
#include "Exporter.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace nxv;
using namespace nxv::graph;

static bool isPred(Type type) {
  return getElementTypeOrSelf(type).isInteger(1);
}

static OrderedJson list(llvm::ArrayRef<int64_t> values) {
  OrderedJson json = OrderedJson::array();
  for (int64_t value : values)
    json.push_back(value);
  return json;
}

/// Rows of a list each of two or three lists of equal length.
static OrderedJson rows(llvm::ArrayRef<llvm::ArrayRef<int64_t>> columns) {
  OrderedJson json = OrderedJson::array();
  for (size_t i = 0; i < columns.front().size(); ++i) {
    OrderedJson row = OrderedJson::array();
    for (llvm::ArrayRef<int64_t> column : columns)
      row.push_back(column[i]);
    json.push_back(std::move(row));
  }
  return json;
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

/// "file.ex:12" if the node came with one.
static std::string sourceOf(Location loc) {
  if (auto name = dyn_cast<NameLoc>(loc))
    loc = name.getChildLoc();
  auto file = dyn_cast<FileLineColLoc>(loc);
  if (!file || file.getLine() == 0)
    return "";
  return file.getFilename().str() + ":" + std::to_string(file.getLine());
}

llvm::SmallVector<int64_t> Exporter::idsOf(ValueRange values) {
  llvm::SmallVector<int64_t> result;
  for (Value value : values)
    result.push_back(ids.lookup(value));
  return result;
}

OrderedJson Exporter::makeNode(int64_t id, llvm::StringRef name,
                               llvm::ArrayRef<int64_t> args, OrderedJson attrs,
                               Location loc) {
  OrderedJson node;
  node["id"] = id;
  node["op"] = name.str();
  node["args"] = list(args);
  if (!attrs.is_null())
    node["attrs"] = std::move(attrs);
  if (std::string source = sourceOf(loc); !source.empty())
    node["loc"] = source;
  return node;
}

int64_t Exporter::append(llvm::StringRef name, llvm::ArrayRef<int64_t> args,
                         Type type, OrderedJson attrs, Location loc) {
  int64_t id = nextId++;
  OrderedJson node = makeNode(id, name, args, std::move(attrs), loc);
  node.update(typeOf(type));
  nodes->push_back(std::move(node));
  return id;
}

void Exporter::define(Operation *op, int64_t id, llvm::StringRef name,
                      llvm::ArrayRef<int64_t> args, OrderedJson attrs) {
  OrderedJson node = makeNode(id, name, args, std::move(attrs), op->getLoc());
  if (op->getNumResults() == 1) {
    node.update(typeOf(op->getResult(0).getType()));
    nodes->push_back(std::move(node));
    ids[op->getResult(0)] = id;
    return;
  }
  node["type"] = "tuple";
  node["arity"] = op->getNumResults();
  nodes->push_back(std::move(node));
  for (OpResult result : op->getResults()) {
    if (result.use_empty())
      continue;
    OrderedJson index;
    index["index"] = result.getResultNumber();
    ids[result] =
        append("elem", {id}, result.getType(), std::move(index), op->getLoc());
  }
}

FailureOr<OrderedJson> Exporter::exportScope(Block &block) {
  OrderedJson scope;
  scope["params"] = OrderedJson::array();
  scope["nodes"] = OrderedJson::array();
  OrderedJson *outer = std::exchange(nodes, &scope["nodes"]);
  for (BlockArgument argument : block.getArguments()) {
    scope["params"].push_back(typeOf(argument.getType()));
    if (argument.use_empty())
      continue;
    OrderedJson attrs;
    attrs["index"] = argument.getArgNumber();
    // Growing the scope moved its members.
    nodes = &scope["nodes"];
    ids[argument] =
        append("parameter", {}, argument.getType(), std::move(attrs),
               UnknownLoc::get(argument.getContext()));
  }
  for (Operation &op : block.without_terminator())
    if (failed(exportOp(&op)))
      return failure();
  nodes = outer;
  scope["results"] = list(idsOf(block.getTerminator()->getOperands()));
  return scope;
}

LogicalResult Exporter::unsupported(Operation *op) {
  return op->emitOpError("has no counterpart in the graph format");
}

/// Element-wise operations whose names differ, or that change for predicates.
static std::string elementwiseName(Operation *op) {
  llvm::StringRef name = op->getName().stripDialect();
  if (isPred(op->getResult(0).getType()) && isa<AndOp, OrOp, XorOp>(op))
    return "logical_" + name.str();
  return llvm::StringSwitch<llvm::StringRef>(name)
      .Case("and", "bitwise_and")
      .Case("or", "bitwise_or")
      .Case("xor", "bitwise_xor")
      .Case("not", "bitwise_not")
      .Case("shift_left", "left_shift")
      .Case("shift_right", "right_shift")
      .Default(name)
      .str();
}

static llvm::StringRef comparisonName(Comparison comparison) {
  switch (comparison) {
  case Comparison::eq:
    return "equal";
  case Comparison::ne:
    return "not_equal";
  case Comparison::lt:
    return "less";
  case Comparison::le:
    return "less_equal";
  case Comparison::gt:
    return "greater";
  case Comparison::ge:
    return "greater_equal";
  }
  return "";
}

LogicalResult Exporter::exportOp(Operation *op) {
  if (op->getDialect() != op->getContext()->getLoadedDialect<NxvDialect>())
    return unsupported(op);
  for (Type type : op->getResultTypes())
    if (elementTypeName(getElementTypeOrSelf(type)).empty() ||
        !isa<RankedTensorType>(type))
      return unsupported(op);
  if (auto convert = dyn_cast<ConvertOp>(op))
    return exportConvert(convert);
  if (auto constant = dyn_cast<ConstantOp>(op))
    return exportConstant(constant);
  if (auto negation = dyn_cast<NotOp>(op);
      negation && isPred(negation.getType()))
    return exportNot(negation);
  if (auto update = dyn_cast<DynamicUpdateSliceOp>(op))
    return exportUpdateSlice(update);
  if (auto solve = dyn_cast<TriangularSolveOp>(op))
    return exportTriangularSolve(solve);
  std::string name;
  OrderedJson attrs;
  if (auto fold = dyn_cast<ReduceFnOp>(op)) {
    attrs["axes"] = list(fold.getAxes());
    attrs["keep_axes"] = false;
    return exportFold(op, fold.getBody(), "reduce", std::move(attrs));
  }
  if (auto fold = dyn_cast<WindowReduceFnOp>(op)) {
    if (failed(describeReduction(op, name, attrs)))
      return failure();
    return exportFold(op, fold.getBody(), "window_reduce", std::move(attrs));
  }
  // An operation's id precedes those of its scopes.
  int64_t id = nextId++;
  if (failed(describe(op, name, attrs)))
    return failure();
  define(op, id, name, idsOf(op->getOperands()), std::move(attrs));
  return success();
}

LogicalResult Exporter::describe(Operation *op, std::string &name,
                                 OrderedJson &attrs) {
  if (auto compare = dyn_cast<CompareOp>(op)) {
    name = comparisonName(compare.getComparison());
    return success();
  }
  if (isa<SelectOp, BitcastOp>(op) || op->hasTrait<OpTrait::Elementwise>()) {
    name = elementwiseName(op);
    return success();
  }
  if (isa<WhileOp, CaseOp, BlockOp, TapOp>(op))
    return describeControl(op, name, attrs);
  if (isa<DotGeneralOp, ConvolutionOp, FftOp>(op))
    return describeContraction(op, name, attrs);
  if (isa<ReduceOp, ArgMaxOp, ArgMinOp, WindowReduceOp, SelectAndScatterOp,
          SortOp, ArgSortOp>(op))
    return describeReduction(op, name, attrs);
  return describeMove(op, name, attrs);
}

//===----------------------------------------------------------------------===//
// Predicates, literals
//===----------------------------------------------------------------------===//

LogicalResult Exporter::exportConvert(ConvertOp op) {
  Value operand = op.getOperand();
  Type to = op.getType();
  if (isPred(operand.getType()) &&
      getElementTypeOrSelf(to).isUnsignedInteger(8)) {
    ids[op.getResult()] = ids.lookup(operand);
    return success();
  }
  if (!isPred(to)) {
    define(op, nextId++, "as_type", idsOf(operand), nullptr);
    return success();
  }
  OrderedJson zero;
  zero["value"] = 0;
  int64_t zeroId =
      append("constant", {},
             RankedTensorType::get({}, getElementTypeOrSelf(operand.getType())),
             std::move(zero), op.getLoc());
  define(op, nextId++, "not_equal", {ids.lookup(operand), zeroId}, nullptr);
  return success();
}

LogicalResult Exporter::exportNot(NotOp op) {
  OrderedJson zero;
  zero["value"] = 0;
  int64_t zeroId =
      append("constant", {},
             RankedTensorType::get({}, IntegerType::get(op.getContext(), 1)),
             std::move(zero), op.getLoc());
  define(op, nextId++, "equal", {ids.lookup(op.getOperand()), zeroId}, nullptr);
  return success();
}

LogicalResult Exporter::exportConstant(ConstantOp op) {
  auto literal = dyn_cast<DenseElementsAttr>(op.getValue());
  std::string name;
  OrderedJson attrs;
  if (!literal || !describeLiteral(literal, name, attrs))
    return unsupported(op);
  define(op, nextId++, name, {}, std::move(attrs));
  return success();
}

//===----------------------------------------------------------------------===//
// Movement
//===----------------------------------------------------------------------===//

LogicalResult Exporter::exportUpdateSlice(DynamicUpdateSliceOp op) {
  define(op, nextId++, "put_slice", idsOf(op->getOperands()), nullptr);
  return success();
}

static void describeSlice(SliceOp op, OrderedJson &attrs) {
  attrs["starts"] = list(op.getStarts());
  attrs["lengths"] = list(op.getLengths());
  attrs["strides"] = list(op.getStrides());
}

static void describeDynamicSlice(DynamicSliceOp op, OrderedJson &attrs) {
  attrs["starts"] = OrderedJson::array();
  for (size_t i = 0; i < op.getStarts().size(); ++i)
    attrs["starts"].push_back(nullptr);
  attrs["lengths"] = list(op.getLengths());
  attrs["strides"] = list(op.getStrides());
}

LogicalResult Exporter::describeMove(Operation *operation, std::string &name,
                                     OrderedJson &attrs) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(operation)
      .Case([&](IotaOp op) {
        name = "iota";
        attrs["axis"] = op.getAxis();
        return success();
      })
      .Case([&](ReshapeOp) {
        name = "reshape";
        return success();
      })
      .Case([&](BroadcastInDimOp op) {
        name = "broadcast";
        attrs["shape"] = list(cast<RankedTensorType>(op.getType()).getShape());
        attrs["axes"] = list(op.getAxes());
        return success();
      })
      .Case([&](TransposeOp op) {
        name = "transpose";
        attrs["axes"] = list(op.getPermutation());
        return success();
      })
      .Case([&](ReverseOp op) {
        name = "reverse";
        attrs["axes"] = list(op.getAxes());
        return success();
      })
      .Case([&](PadOp op) {
        name = "pad";
        attrs["config"] = rows({op.getLow(), op.getHigh(), op.getInterior()});
        return success();
      })
      .Case([&](ConcatenateOp op) {
        name = "concatenate";
        attrs["axis"] = op.getAxis();
        return success();
      })
      .Case([&](SliceOp op) {
        name = "slice";
        describeSlice(op, attrs);
        return success();
      })
      .Case([&](DynamicSliceOp op) {
        name = "slice";
        describeDynamicSlice(op, attrs);
        return success();
      })
      .Case([&](GatherOp op) {
        name = "gather";
        attrs["axes"] = list(op.getAxes());
        return success();
      })
      .Case([&](ScatterOp op) {
        name = op.getKind() == ScatterKind::add ? "indexed_add" : "indexed_put";
        attrs["axes"] = list(op.getAxes());
        return success();
      })
      .Default([&](Operation *op) { return unsupported(op); });
}

//===----------------------------------------------------------------------===//
// Reductions, windows and order
//===----------------------------------------------------------------------===//

/// The operation that combines with a kind; empty for none.
static std::string kindName(ReduceKind kind, llvm::StringRef prefix,
                            Type type) {
  switch (kind) {
  case ReduceKind::add:
    return (prefix + "sum").str();
  case ReduceKind::mul:
    return (prefix + "product").str();
  case ReduceKind::max:
    return (prefix.empty() ? "reduce_max" : prefix + "max").str();
  case ReduceKind::min:
    return (prefix.empty() ? "reduce_min" : prefix + "min").str();
  case ReduceKind::and_:
    return prefix.empty() && isPred(type) ? "all" : "";
  case ReduceKind::or_:
    return prefix.empty() && isPred(type) ? "any" : "";
  }
  return "";
}

template <typename Op>
static void describeWindow(Op op, OrderedJson &attrs) {
  attrs["padding"] = rows({op.getLow(), op.getHigh()});
  attrs["strides"] = list(op.getStrides());
  attrs["window_dimensions"] = list(op.getWindow());
  if constexpr (!std::is_same_v<Op, SelectAndScatterOp>)
    attrs["window_dilations"] = list(op.getDilations());
}

template <typename Op>
static void describeArgReduce(Op op, OrderedJson &attrs) {
  attrs["axis"] = op.getAxis();
  attrs["keep_axis"] = false;
  attrs["tie_break"] = op.getTieHigh() ? "high" : "low";
}

template <typename Op>
static void describeSort(Op op, OrderedJson &attrs) {
  attrs["axis"] = op.getAxis();
  attrs["direction"] = op.getDescending() ? "desc" : "asc";
  attrs["stable"] = true;
}

LogicalResult Exporter::describeReduction(Operation *operation,
                                          std::string &name,
                                          OrderedJson &attrs) {
  llvm::TypeSwitch<Operation *>(operation)
      .Case([&](ReduceOp op) {
        name = kindName(op.getKind(), "", op.getType());
        attrs["axes"] = list(op.getAxes());
        attrs["keep_axes"] = false;
      })
      .Case([&](ArgMaxOp op) {
        name = "argmax";
        describeArgReduce(op, attrs);
      })
      .Case([&](ArgMinOp op) {
        name = "argmin";
        describeArgReduce(op, attrs);
      })
      .Case([&](WindowReduceOp op) {
        name = kindName(op.getKind(), "window_", op.getType());
        describeWindow(op, attrs);
      })
      .Case([&](WindowReduceFnOp op) {
        name = "window_reduce";
        describeWindow(op, attrs);
      })
      .Case([&](SelectAndScatterOp op) {
        name = op.getKind() == ReduceKind::max ? "window_scatter_max"
                                               : "window_scatter_min";
        describeWindow(op, attrs);
      })
      .Case([&](SortOp op) {
        name = "sort";
        describeSort(op, attrs);
      })
      .Case([&](ArgSortOp op) {
        name = "argsort";
        describeSort(op, attrs);
      });
  return name.empty() ? unsupported(operation) : success();
}

LogicalResult Exporter::exportFold(Operation *op, Region &body,
                                   llvm::StringRef name, OrderedJson attrs) {
  int64_t funId = nextId++;
  auto scope = exportScope(body.front());
  if (failed(scope))
    return failure();
  OrderedJson funAttrs;
  funAttrs["params"] = (*scope)["params"];
  funAttrs["body"] = std::move(*scope);
  OrderedJson fun =
      makeNode(funId, "fun", {}, std::move(funAttrs), op->getLoc());
  fun.update(typeOf(body.getArgument(0).getType()));
  nodes->push_back(std::move(fun));
  llvm::SmallVector<int64_t> args = idsOf(op->getOperands());
  args.push_back(funId);
  define(op, nextId++, name, args, std::move(attrs));
  return success();
}

//===----------------------------------------------------------------------===//
// Contractions and transforms
//===----------------------------------------------------------------------===//

static void describeConvolution(ConvolutionOp op, OrderedJson &attrs) {
  attrs["batch_group_size"] = op.getBatchGroups();
  attrs["feature_group_size"] = op.getFeatureGroups();
  attrs["input_dilation"] = list(op.getInputDilation());
  attrs["kernel_dilation"] = list(op.getKernelDilation());
  int64_t rank = cast<RankedTensorType>(op.getType()).getRank();
  OrderedJson identity = list(llvm::to_vector(llvm::seq<int64_t>(0, rank)));
  for (const char *key :
       {"input_permutation", "kernel_permutation", "output_permutation"})
    attrs[key] = identity;
  attrs["padding"] = rows({op.getLow(), op.getHigh()});
  attrs["strides"] = list(op.getStrides());
}

LogicalResult Exporter::describeContraction(Operation *operation,
                                            std::string &name,
                                            OrderedJson &attrs) {
  llvm::TypeSwitch<Operation *>(operation)
      .Case([&](DotGeneralOp op) {
        name = "dot";
        attrs["batch"] = OrderedJson::array(
            {list(op.getLhsBatch()), list(op.getRhsBatch())});
        attrs["contract"] = OrderedJson::array(
            {list(op.getLhsContract()), list(op.getRhsContract())});
      })
      .Case([&](ConvolutionOp op) {
        name = "conv";
        describeConvolution(op, attrs);
      })
      .Case([&](FftOp op) {
        name = op.getInverse() ? "ifft" : "fft";
        attrs["axis"] = op.getAxis();
        attrs["length"] = op.getLength();
      });
  return success();
}

/// "conjugate" of the graph format does not transpose, so a conjugate transpose
/// is written as the transpose of a conjugate.
LogicalResult Exporter::exportTriangularSolve(TriangularSolveOp op) {
  llvm::SmallVector<int64_t> args = idsOf(op->getOperands());
  bool isAdjoint = op.getTransformA() == TransformA::conjugate;
  if (isAdjoint && isa<ComplexType>(getElementTypeOrSelf(op.getA().getType())))
    args[0] =
        append("conjugate", args[0], op.getA().getType(), nullptr, op.getLoc());
  OrderedJson attrs;
  attrs["left_side"] = op.getLeftSide();
  attrs["lower"] = op.getLower();
  attrs["transform_a"] =
      op.getTransformA() == TransformA::none ? "none" : "transpose";
  define(op, nextId++, "triangular_solve", args, std::move(attrs));
  return success();
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

static OrderedJson optionToJson(Attribute attr) {
  if (auto flag = dyn_cast<BoolAttr>(attr))
    return flag.getValue();
  if (auto integer = dyn_cast<IntegerAttr>(attr))
    return integer.getType().isUnsignedInteger()
               ? OrderedJson(integer.getValue().getZExtValue())
               : OrderedJson(integer.getValue().getSExtValue());
  if (auto number = dyn_cast<FloatAttr>(attr))
    return number.getValueAsDouble();
  if (auto text = dyn_cast<StringAttr>(attr))
    return text.str();
  if (auto items = dyn_cast<ArrayAttr>(attr)) {
    OrderedJson json = OrderedJson::array();
    for (Attribute item : items)
      json.push_back(optionToJson(item));
    return json;
  }
  OrderedJson json;
  if (auto members = dyn_cast<DictionaryAttr>(attr)) {
    json = OrderedJson::object();
    for (NamedAttribute entry : members)
      json[entry.getName().str()] = optionToJson(entry.getValue());
  }
  return json;
}

LogicalResult Exporter::describeControl(Operation *operation, std::string &name,
                                        OrderedJson &attrs) {
  llvm::SmallVector<OrderedJson> scopes;
  for (Region &region : operation->getRegions()) {
    auto scope = exportScope(region.front());
    if (failed(scope))
      return failure();
    scopes.push_back(std::move(*scope));
  }
  if (isa<WhileOp>(operation)) {
    name = "while";
    attrs["cond"] = std::move(scopes[0]);
    attrs["body"] = std::move(scopes[1]);
  } else if (isa<CaseOp>(operation)) {
    name = "cond";
    attrs["branches"] = OrderedJson::array();
    for (OrderedJson &scope : llvm::MutableArrayRef(scopes).drop_back())
      attrs["branches"].push_back(std::move(scope));
    attrs["default"] = std::move(scopes.back());
  } else if (auto block = dyn_cast<BlockOp>(operation)) {
    name = "block";
    attrs["name"] = block.getName().str();
    attrs["options"] = OrderedJson::object();
    if (DictionaryAttr options = block.getOptionsAttr())
      attrs["options"] = optionToJson(options);
    attrs["default"] = std::move(scopes[0]);
  } else {
    name = "io_call";
    attrs["name"] = cast<TapOp>(operation).getName().str();
  }
  return success();
}
