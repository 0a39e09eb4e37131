//===- AddControl.cpp - random loops, branches and blocks -----------------===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "GraphBuilder.h"

#include <algorithm>
#include <numeric>

using namespace mlir;
using namespace nxv;
using namespace nxv::fuzz;

using Region = mlir::Region;

/// Fills a region with a few operations on its arguments, and on the values
/// around it unless it is isolated. With `counts` the first argument is a
/// counter, which the region yields plus one.
void GraphBuilder::fillRegion(Region &region, TypeRange arguments,
                              TypeRange results, bool isolated, bool counts) {
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Location> locs(arguments.size(), loc);
  Block *block = builder.createBlock(&region, {}, arguments, locs);
  Scope inner;
  if (!isolated)
    inner.values = scope->values;
  inner.isolated = isolated || scope->isolated;
  inner.depth = scope->depth + 1;
  for (BlockArgument argument : block->getArguments().drop_front(counts))
    inner.values.push_back(argument);
  Scope *outer = std::exchange(scope, &inner);
  for (int64_t count = random.between(1, 4); count > 0; --count)
    addOperation();
  SmallVector<Value> yielded;
  for (auto [index, type] : llvm::enumerate(results)) {
    if (counts && index == 0) {
      Value counter = block->getArgument(0);
      TensorType scalar = typeOf(counter);
      Value one = ConstantOp::create(
          builder, loc, scalar,
          makeLiteral(scalar, randomIntegers(scalar, 1, 1, random)));
      yielded.push_back(make("add", {counter, one}, scalar));
      continue;
    }
    yielded.push_back(valueOf(cast<TensorType>(type)));
  }
  YieldOp::create(builder, loc, yielded);
  scope = outer;
}

/// Whether all or any elements of a value are numbers, or false.
Value GraphBuilder::somePredicate(ValueRange values) {
  Value value = values[random.between(0, int64_t(values.size()) - 1)];
  if (isPred(elementOf(value)))
    value = make("not", value, typeOf(value));
  else
    value = make("compare", {value, value},
                 typeOf(value).clone(builder.getI1Type()),
                 builder.getNamedAttr(
                     "comparison",
                     ComparisonAttr::get(builder.getContext(),
                                         random.oneIn(4) ? Comparison::ne
                                                         : Comparison::eq)));
  Shape places;
  for (int64_t axis = 0; axis < typeOf(value).getRank(); ++axis)
    places.push_back(axis);
  return reduceOf(value, random.oneIn(2) ? ReduceKind::and_ : ReduceKind::or_,
                  places);
}

/// At most six turns, each of a few operations.
Value GraphBuilder::addWhile() {
  TensorType scalar =
      tensor({}, random.oneIn(2) ? builder.getI32Type() : builder.getI64Type());
  SmallVector<Value> state = {ConstantOp::create(
      builder, loc, scalar,
      makeLiteral(scalar, randomIntegers(scalar, -2, 2, random)))};
  // Most fit the kernel that a loop may become, some do not.
  int64_t most = random.oneIn(2) ? 1 << 20 : 4096;
  for (int64_t count = random.between(1, 3); count > 0; --count)
    if (Value value = pickValue(
            [&](TensorType type) { return type.getNumElements() <= most; }))
      state.push_back(value);
  Operation *op = build("while", state, ValueRange(state).getTypes(), {}, 2);
  TypeRange types = op->getResultTypes();
  {
    OpBuilder::InsertionGuard guard(builder);
    SmallVector<Location> locs(types.size(), loc);
    Block *block = builder.createBlock(&op->getRegion(0), {}, types, locs);
    Value limit = ConstantOp::create(
        builder, loc, scalar,
        makeLiteral(scalar, randomIntegers(scalar, 0, 4, random)));
    Value goesOn =
        make("compare", {block->getArgument(0), limit},
             tensor({}, builder.getI1Type()),
             builder.getNamedAttr(
                 "comparison",
                 ComparisonAttr::get(builder.getContext(), Comparison::lt)));
    if (random.oneIn(3))
      goesOn = make("and", {goesOn, somePredicate(block->getArguments())},
                    typeOf(goesOn));
    YieldOp::create(builder, loc, ValueRange{goesOn});
  }
  fillRegion(op->getRegion(1), types, types, true, true);
  for (Value result : op->getResults().drop_back())
    remember(result);
  return op->getResults().back();
}

Value GraphBuilder::addCase() {
  SmallVector<Type> types;
  int64_t most = random.oneIn(2) ? 1 << 20 : 4096;
  for (int64_t count = random.between(1, 2); count > 0; --count)
    if (Value value = pickValue(
            [&](TensorType type) { return type.getNumElements() <= most; }))
      types.push_back(value.getType());
  if (types.empty())
    return nullptr;
  SmallVector<Value> predicates;
  for (int64_t count = random.between(1, 2); count > 0; --count)
    predicates.push_back(valueOf(tensor({}, builder.getI1Type())));
  Operation *op =
      build("case", predicates, types, {}, unsigned(predicates.size()) + 1);
  for (Region &region : op->getRegions())
    fillRegion(region, {}, types, false, false);
  for (Value result : op->getResults().drop_back())
    remember(result);
  return op->getResults().back();
}

Value GraphBuilder::addBlock() {
  SmallVector<Value> operands;
  for (int64_t count = random.between(1, 3); count > 0; --count)
    if (Value value = pickValue([](TensorType) { return true; }))
      operands.push_back(value);
  if (operands.empty())
    return nullptr;
  Type type = operands.front().getType();
  Operation *op = build(
      "block", operands, type,
      builder.getNamedAttr("name", builder.getStringAttr("fuzz.block")), 1);
  fillRegion(op->getRegion(0), ValueRange(operands).getTypes(), type, true,
             false);
  return op->getResult(0);
}

Value GraphBuilder::addTap() {
  Value operand =
      pickValue([](TensorType type) { return !isPred(type.getElementType()); });
  if (!operand)
    return nullptr;
  return make("tap", operand, typeOf(operand),
              builder.getNamedAttr("name", builder.getStringAttr("fuzz.tap")));
}

ArrayRef<GraphBuilder::Family> GraphBuilder::getFamilies() {
  using B = GraphBuilder;
  static const Family families[] = {
      {"elementwise", 8, &B::addUnary},
      {"elementwise", 9, &B::addBinary},
      {"elementwise", 2, &B::addCompare},
      {"elementwise", 2, &B::addSelect},
      {"elementwise", 0.6, &B::addClassify},
      {"elementwise", 2, &B::addConvert},
      {"elementwise", 0.5, &B::addBitcast},
      {"elementwise", 1, &B::addComplexPart},
      {"movement", 0.5, &B::addIota},
      {"movement", 3, &B::addReshape},
      {"movement", 3, &B::addBroadcast},
      {"movement", 3, &B::addTranspose},
      {"movement", 1, &B::addReverse},
      {"movement", 2, &B::addPad},
      {"movement", 2, &B::addConcatenate},
      {"movement", 3, &B::addSlice},
      {"indexing", 2, &B::addDynamicSlice},
      {"indexing", 2, &B::addDynamicUpdateSlice},
      {"indexing", 3, &B::addGather},
      {"indexing", 3, &B::addScatter},
      {"reduction", 8, &B::addReduce},
      {"reduction", 2, &B::addArgReduce},
      {"reduction", 2, &B::addNormalization},
      {"reduction", 0.7, &B::addReduceFn},
      {"window", 2, &B::addWindowReduce},
      {"window", 0.5, &B::addWindowReduceFn},
      {"window", 1, &B::addSelectAndScatter},
      {"contraction", 3, &B::addDot},
      {"contraction", 2, &B::addLayer},
      {"contraction", 3, &B::addConvolution},
      {"solve", 1, &B::addTriangularSolve},
      {"solve", 1, &B::addFft},
      {"order", 1, &B::addSort},
      {"order", 1, &B::addArgSort},
      {"rare", 0.5, &B::addCumulative},
      {"rare", 0.5, &B::addTap},
      {"control", 2, &B::addWhile},
      {"control", 2, &B::addCase},
      {"control", 1, &B::addBlock},
  };
  return families;
}
