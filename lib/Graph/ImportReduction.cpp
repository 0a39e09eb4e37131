//===- ImportReduction.cpp - reductions, windows and contractions of a graph
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Importer.h"

using namespace mlir;
using namespace nxv;
using namespace nxv::graph;

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// The reduced axes in increasing order; all without 'axes'.
FailureOr<Ints> Importer::reducedAxes(Node &node, size_t rank) {
  auto axes = optionalInts(node, "axes");
  if (failed(axes))
    return failure();
  if (!*axes)
    return llvm::to_vector(llvm::seq<int64_t>(0, rank));
  llvm::sort(**axes);
  for (int64_t axis : **axes)
    if (axis < 0 || axis >= static_cast<int64_t>(rank))
      return fail(node.loc, "axis " + llvm::Twine(axis) +
                                " is not an axis of a rank-" +
                                llvm::Twine(rank) + " tensor");
  return std::move(**axes);
}

static Ints dropAxes(llvm::ArrayRef<int64_t> shape,
                     llvm::ArrayRef<int64_t> axes) {
  Ints kept;
  for (auto [axis, size] : llvm::enumerate(shape))
    if (!llvm::is_contained(axes, static_cast<int64_t>(axis)))
      kept.push_back(size);
  return kept;
}

Value Importer::keepAxes(Node &node, Value value, bool keep,
                         llvm::ArrayRef<int64_t> axes,
                         llvm::ArrayRef<int64_t> shape) {
  if (!keep || !value)
    return value;
  Ints kept(shape);
  for (int64_t axis : axes)
    kept[axis] = 1;
  return reshape(node, value, kept);
}

LogicalResult Importer::importReduce(Node &node) {
  auto keep = boolAttr(node, "keep_axes", false);
  if (failed(keep) || !node.type)
    return failed(keep) ? failure() : fail(node.loc, "is not a tuple");
  Value operand = promoted(node, 0);
  if (!operand)
    return failure();
  llvm::ArrayRef<int64_t> shape = graphType(operand).getShape();
  auto axes = reducedAxes(node, shape.size());
  if (failed(axes))
    return failure();
  auto type = RankedTensorType::get(dropAxes(shape, *axes), node.element());
  Value value = make<ReduceOp>(node, type, *symbolizeReduceKind(node.target),
                               operand, array(*axes));
  return define(node, keepAxes(node, value, *keep, *axes, shape));
}

LogicalResult Importer::importAllAny(Node &node) {
  auto keep = boolAttr(node, "keep_axes", false);
  if (failed(keep))
    return failure();
  Value operand = predicate(node, raw(node, 0));
  llvm::ArrayRef<int64_t> shape = graphType(operand).getShape();
  auto axes = reducedAxes(node, shape.size());
  if (failed(axes))
    return failure();
  Value value =
      make<ReduceOp>(node, predType(dropAxes(shape, *axes)),
                     *symbolizeReduceKind(node.target), operand, array(*axes));
  return define(node, keepAxes(node, value, *keep, *axes, shape));
}

LogicalResult Importer::importArgReduce(Node &node) {
  auto axis = optionalInt(node, "axis");
  if (failed(axis))
    return failure();
  auto keep = boolAttr(node, "keep_axis", false);
  if (failed(keep) || !node.type)
    return failed(keep) ? failure() : fail(node.loc, "is not a tuple");
  llvm::StringRef tie = asString(attr(node, "tie_break")).value_or("low");
  if (tie != "low" && tie != "high")
    return fail(node.loc, "attribute 'tie_break' must be \"low\" or \"high\"");
  Value operand = number(node, 0);
  if (!*axis)
    operand = reshape(node, operand, {graphType(operand).getNumElements()});
  llvm::ArrayRef<int64_t> shape = graphType(operand).getShape();
  int64_t along = axis->value_or(0);
  OperationState state(node.loc, node.target);
  state.addOperands(operand);
  state.addTypes(
      RankedTensorType::get(dropAxes(shape, {along}), node.element()));
  state.addAttribute("axis", b.getI64IntegerAttr(along));
  if (tie == "high")
    state.addAttribute("tieHigh", b.getUnitAttr());
  Value value = checked(b.create(state));
  return define(node, keepAxes(node, value, *keep && *axis, {along}, shape));
}

/// The body of a fold: the region takes and yields the result's element type,
/// whatever the function's own types are.
LogicalResult Importer::importFold(Node &node, const Json &fun,
                                   Region &region) {
  RankedTensorType scalar = RankedTensorType::get({}, node.element());
  OpBuilder::InsertionGuard guard(b);
  b.createBlock(&region, {}, {scalar, scalar}, {node.loc, node.loc});
  auto specs =
      readSpecs(member(fun, "params"), node.loc, "parameter", /*isInput=*/true);
  if (failed(specs))
    return failure();
  Scope scope;
  llvm::SmallVector<Type> types;
  for (auto [i, spec] : llvm::enumerate(*specs)) {
    if (i > 1 || spec.type.getRank() != 0)
      return fail(node.loc, "its function must take two scalars");
    scope.params.push_back(
        convert(node, region.getArgument(i), spec.type.getElementType()));
    types.push_back(spec.type);
  }
  if (types.size() != 2)
    return fail(node.loc, "its function must take two scalars");
  bool wasRepeating = isRepeating;
  isRepeating = wasRepeating || !importedFuns.insert(&fun).second;
  llvm::SmallVector<Value> results;
  LogicalResult imported =
      importScope(fun, scope, node.loc, "its function", types, results);
  isRepeating = wasRepeating;
  if (failed(imported))
    return failure();
  if (results.size() != 1 || graphType(results[0]).getRank() != 0)
    return fail(node.loc, "its function must give one scalar");
  YieldOp::create(b, node.loc,
                  ValueRange{convert(node, results[0], node.element())});
  return success();
}

LogicalResult Importer::importReduceFn(Node &node) {
  auto keep = boolAttr(node, "keep_axes", false);
  if (failed(keep) || !node.type || !node.args[2]->fun)
    return failed(keep) ? failure()
                        : fail(node.loc, "needs a function as operand 2");
  Value operand = promoted(node, 0);
  Value init = operand ? scalar(node, 1) : Value();
  if (!init)
    return failure();
  llvm::ArrayRef<int64_t> shape = graphType(operand).getShape();
  auto axes = reducedAxes(node, shape.size());
  if (failed(axes))
    return failure();
  auto type = RankedTensorType::get(dropAxes(shape, *axes), node.element());
  auto op = ReduceFnOp::create(b, node.loc, type, operand, init, array(*axes));
  if (failed(importFold(node, *node.args[2]->fun, op.getBody())))
    return failure();
  return define(node, keepAxes(node, checked(op), *keep, *axes, shape));
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

LogicalResult Importer::importWindowReduce(Node &node) {
  auto window = windowAttrs(node, /*hasDilations=*/true);
  if (failed(window) || !node.type)
    return failed(window) ? failure() : fail(node.loc, "is not a tuple");
  Value operand = promoted(node, 0);
  if (!operand)
    return failure();
  return define(node, make<WindowReduceOp>(
                          node, node.type, *symbolizeReduceKind(node.target),
                          operand, array(window->size), array(window->strides),
                          array(window->dilations), array(window->low),
                          array(window->high)));
}

LogicalResult Importer::importWindowReduceFn(Node &node) {
  auto window = windowAttrs(node, /*hasDilations=*/true);
  if (failed(window) || !node.type || !node.args[2]->fun)
    return failed(window) ? failure()
                          : fail(node.loc, "needs a function as operand 2");
  Value operand = promoted(node, 0);
  Value init = operand ? scalar(node, 1) : Value();
  if (!init)
    return failure();
  auto op = WindowReduceFnOp::create(
      b, node.loc, node.type, operand, init, array(window->size),
      array(window->strides), array(window->dilations), array(window->low),
      array(window->high));
  if (failed(importFold(node, *node.args[2]->fun, op.getBody())))
    return failure();
  return define(node, checked(op));
}

LogicalResult Importer::importWindowScatter(Node &node) {
  auto window = windowAttrs(node, /*hasDilations=*/false);
  if (failed(window) || !node.type)
    return failed(window) ? failure() : fail(node.loc, "is not a tuple");
  Value operand = promoted(node, 0);
  Value source = operand ? promoted(node, 1) : Value();
  Value init = source ? scalar(node, 2) : Value();
  if (!init)
    return failure();
  return define(node,
                make<SelectAndScatterOp>(
                    node, node.type, *symbolizeReduceKind(node.target), operand,
                    source, init, array(window->size), array(window->strides),
                    array(window->low), array(window->high)));
}

//===----------------------------------------------------------------------===//
// Order and transforms
//===----------------------------------------------------------------------===//

LogicalResult Importer::importSort(Node &node) {
  auto axis = intAttr(node, "axis");
  if (failed(axis))
    return failure();
  // Sorting is always stable.
  auto stable = boolAttr(node, "stable", true);
  llvm::StringRef direction = asString(attr(node, "direction")).value_or("");
  if (failed(stable) || !node.type)
    return failed(stable) ? failure() : fail(node.loc, "is not a tuple");
  if (direction != "asc" && direction != "desc")
    return fail(node.loc, "attribute 'direction' must be \"asc\" or \"desc\"");
  OperationState state(node.loc, node.target);
  state.addOperands(number(node, 0));
  state.addTypes(node.type);
  state.addAttribute("axis", b.getI64IntegerAttr(*axis));
  if (direction == "desc")
    state.addAttribute("descending", b.getUnitAttr());
  return define(node, checked(b.create(state)));
}

LogicalResult Importer::importFft(Node &node) {
  auto length = intAttr(node, "length");
  if (failed(length))
    return failure();
  auto axis = intAttr(node, "axis");
  // The tolerance below which parts become 0 is not applied, as in XLA.
  const Json *eps = attr(node, "eps");
  if (failed(axis) || !node.type)
    return failed(axis) ? failure() : fail(node.loc, "is not a tuple");
  if (eps && !eps->is_number())
    return fail(node.loc, "attribute 'eps' must be a number");
  Value operand = promoted(node, 0);
  if (!operand)
    return failure();
  return define(
      node,
      make<FftOp>(node, node.type, operand, b.getI64IntegerAttr(*length),
                  b.getI64IntegerAttr(*axis),
                  node.target == "inverse" ? b.getUnitAttr() : UnitAttr()));
}

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

/// A pair of lists of axes.
static std::optional<std::pair<Ints, Ints>> axisPair(const Json *json) {
  if (!json || !json->is_array() || json->size() != 2)
    return std::nullopt;
  auto lhs = asIntegers(&(*json)[0]), rhs = asIntegers(&(*json)[1]);
  if (!lhs || !rhs)
    return std::nullopt;
  return std::make_pair(std::move(*lhs), std::move(*rhs));
}

LogicalResult Importer::importDot(Node &node) {
  auto batch = axisPair(attr(node, "batch"));
  auto contract = axisPair(attr(node, "contract"));
  if (!batch || !contract || !node.type)
    return fail(node.loc, "attributes 'batch' and 'contract' must be pairs of "
                          "lists of axes");
  Value lhs = promoted(node, 0);
  Value rhs = lhs ? promoted(node, 1) : Value();
  if (!rhs)
    return failure();
  return define(
      node, make<DotGeneralOp>(node, node.type, lhs, rhs, array(batch->first),
                               array(contract->first), array(batch->second),
                               array(contract->second)));
}

/// Such that transposing by the result undoes transposing by `axes`.
static Ints inversePermutation(llvm::ArrayRef<int64_t> axes) {
  Ints inverse(axes.size());
  for (auto [i, axis] : llvm::enumerate(axes))
    inverse[axis] = i;
  return inverse;
}

static bool isPermutation(llvm::ArrayRef<int64_t> axes, int64_t rank) {
  Ints sorted(axes);
  llvm::sort(sorted);
  return llvm::equal(sorted, llvm::seq<int64_t>(0, rank));
}

LogicalResult Importer::importConv(Node &node) {
  if (!node.type)
    return fail(node.loc, "is not a tuple");
  Ints permutations[3];
  llvm::StringRef names[] = {"input_permutation", "kernel_permutation",
                             "output_permutation"};
  int64_t ranks[] = {graphType(raw(node, 0)).getRank(),
                     graphType(raw(node, 1)).getRank(), node.type.getRank()};
  for (int i = 0; i < 3; ++i) {
    auto axes = intsAttr(node, names[i]);
    if (failed(axes))
      return failure();
    if (!isPermutation(*axes, ranks[i]))
      return fail(node.loc, "attribute '" + names[i] +
                                "' must be a permutation of the axes");
    permutations[i] = *axes;
  }
  Ints lists[3];
  llvm::StringRef listNames[] = {"strides", "input_dilation",
                                 "kernel_dilation"};
  for (int i = 0; i < 3; ++i) {
    auto list = intsAttr(node, listNames[i]);
    if (failed(list))
      return failure();
    lists[i] = *list;
  }
  auto padding = tuplesAttr(node, "padding", 2);
  if (failed(padding))
    return failure();
  auto features = intAttr(node, "feature_group_size");
  if (failed(features))
    return failure();
  auto batches = intAttr(node, "batch_group_size");
  if (failed(batches))
    return failure();

  Value input = promoted(node, 0);
  Value kernel = input ? promoted(node, 1) : Value();
  input = kernel ? transpose(node, input, permutations[0]) : Value();
  kernel = input ? transpose(node, kernel, permutations[1]) : Value();
  if (!kernel)
    return failure();
  // The permutation takes the node's result to [batch, channel, spatial...].
  Ints shape;
  for (int64_t axis : permutations[2])
    shape.push_back(node.type.getDimSize(axis));
  Value result = make<ConvolutionOp>(
      node, node.type.clone(shape), input, kernel, array(lists[0]),
      array((*padding)[0]), array((*padding)[1]), array(lists[1]),
      array(lists[2]), b.getI64IntegerAttr(*features),
      b.getI64IntegerAttr(*batches));
  return result ? define(node, transpose(node, result,
                                         inversePermutation(permutations[2])))
                : failure();
}

LogicalResult Importer::importTriangularSolve(Node &node) {
  auto lower = boolAttr(node, "lower", true);
  if (failed(lower))
    return failure();
  auto left = boolAttr(node, "left_side", true);
  if (failed(left))
    return failure();
  auto transform =
      symbolizeTransformA(asString(attr(node, "transform_a")).value_or("none"));
  if (!transform || !node.type)
    return fail(node.loc, "attribute 'transform_a' must be \"none\", "
                          "\"transpose\" or \"conjugate\"");
  Value a = promoted(node, 0);
  Value rhs = a ? promoted(node, 1) : Value();
  if (!rhs)
    return failure();
  // A vector is a matrix of one column, or of one row on the right side.
  Ints shape(graphType(rhs).getShape());
  if (graphType(rhs).getRank() + 1 == graphType(a).getRank() && !shape.empty())
    shape.insert(shape.end() - (*left ? 0 : 1), 1);
  rhs = reshape(node, rhs, shape);
  // Nx conjugates without transposing.
  if (*transform == TransformA::conjugate) {
    if (isa<ComplexType>(graphType(a).getElementType()))
      a = make<ConjugateOp>(node, a.getType(), a);
    transform = TransformA::none;
  }
  Value result = make<TriangularSolveOp>(
      node, rhs.getType(), a, rhs, b.getBoolAttr(*lower), b.getBoolAttr(*left),
      TransformAAttr::get(b.getContext(), *transform));
  return result ? define(node, reshape(node, result, node.shape())) : failure();
}
