//===- AccessWalker.cpp - which elements an element needs -------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "nxv/Kernel/AccessWalker.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <limits>

using namespace mlir;
using namespace nxv;

struct AccessWalker::Environment {
  SmallVector<AffineExpr> loops;
  DenseMap<Value, AffineExpr> indices;
};

int64_t nxv::scalarCost(Operation *op) {
  if (isa<math::PowFOp>(op))
    return 80;
  if (isa<math::MathDialect>(op->getDialect()) &&
      !isa<math::AbsFOp, math::FloorOp, math::CeilOp, math::FmaOp>(op))
    return 30;
  if (op->getDialect() && op->getDialect()->getNamespace() == "nxv")
    return 30;
  if (isa<arith::DivFOp, arith::DivSIOp, arith::DivUIOp, arith::RemSIOp,
          arith::RemUIOp>(op))
    return 8;
  if (isa<arith::ConstantOp>(op) ||
      isa<linalg::LinalgDialect>(op->getDialect()) ||
      isa<tensor::TensorDialect>(op->getDialect()) ||
      op->hasTrait<OpTrait::IsTerminator>())
    return 0;
  return 1;
}

AffineExpr AccessWalker::fresh() {
  return space.addDim({std::numeric_limits<int32_t>::min(),
                       std::numeric_limits<int32_t>::max()});
}

AffineExpr AccessWalker::indexOf(Value value, Environment &env) {
  if (AffineExpr known = env.indices.lookup(value))
    return known;
  AffineExpr result;
  Operation *op = value.getDefiningOp();
  auto in = [&](unsigned i) { return indexOf(op->getOperand(i), env); };
  if (auto position = dyn_cast_or_null<linalg::IndexOp>(op)) {
    result = env.loops[position.getDim()];
  } else if (auto apply = dyn_cast_or_null<affine::AffineApplyOp>(op)) {
    SmallVector<AffineExpr> dims, symbols;
    AffineMap map = apply.getAffineMap();
    for (unsigned i = 0; i < map.getNumInputs(); ++i)
      (i < map.getNumDims() ? dims : symbols).push_back(in(i));
    result = map.getResult(0).replaceDimsAndSymbols(dims, symbols);
  } else if (auto cst = dyn_cast_or_null<arith::ConstantOp>(op)) {
    result = space.constant(cast<IntegerAttr>(cst.getValue()).getInt());
  } else if (isa_and_nonnull<arith::AddIOp>(op)) {
    result = in(0) + in(1);
  } else if (isa_and_nonnull<arith::SubIOp>(op)) {
    result = in(0) - in(1);
  } else if (isa_and_nonnull<arith::MulIOp>(op)) {
    AffineExpr a = in(0), b = in(1);
    if (isa<AffineConstantExpr>(a) || isa<AffineConstantExpr>(b))
      result = a * b;
  } else if (isa_and_nonnull<arith::MaxSIOp, arith::MinSIOp>(op)) {
    // A clamp that changes nothing is no obstacle.
    AffineExpr a = space.simplify(in(0)), b = space.simplify(in(1));
    if (isa<AffineConstantExpr>(a))
      std::swap(a, b);
    if (auto bound = dyn_cast<AffineConstantExpr>(b)) {
      IndexRange range = space.rangeOf(a);
      if (isa<arith::MinSIOp>(op) ? range.high <= bound.getValue()
                                  : range.low >= bound.getValue())
        result = a;
    }
  }
  result = result ? space.simplify(result) : fresh();
  env.indices[value] = result;
  return result;
}

void AccessWalker::walk(Value tensor, Indices indices) {
  if (exceededLimit())
    return;
  SmallVector<AffineExpr> simple;
  for (AffineExpr expr : indices)
    simple.push_back(space.simplify(expr));
  AffineMap at = AffineMap::get(1 << 20, 0, simple, space.getContext());
  if (!visited.insert({tensor.getAsOpaquePointer(), at}).second)
    return;
  if (isLeaf(tensor))
    return onLeaf(tensor, simple);
  auto type = cast<RankedTensorType>(tensor.getType());
  Operation *op = tensor.getDefiningOp();
  if (isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op)) {
    Value source = op->getOperand(0);
    return walk(
        source,
        reshapeIndices(space, simple, type.getShape(),
                       cast<RankedTensorType>(source.getType()).getShape()));
  }
  auto generic = dyn_cast_or_null<linalg::GenericOp>(op);
  if (!generic)
    return;
  unsigned number = cast<OpResult>(tensor).getResultNumber();
  AffineMap map =
      generic.getMatchingIndexingMap(generic.getDpsInitOperand(number));
  SmallVector<int64_t> sizes = generic.getStaticLoopRanges();
  SmallVector<AffineExpr> loops(sizes.size());
  for (auto [result, index] : llvm::zip(map.getResults(), simple))
    loops[cast<AffineDimExpr>(result).getPosition()] = index;
  int64_t saved = repeats;
  for (auto [index, extent] : llvm::zip(loops, sizes))
    if (!index) {
      index = space.addDim(extent);
      repeats *= std::max<int64_t>(extent, 1);
    }
  if (visited
          .insert({op, AffineMap::get(1 << 20, 0, loops, space.getContext())})
          .second)
    walkPayload(generic, loops);
  repeats = saved;
}

void AccessWalker::walkPayload(linalg::GenericOp op, Indices loops,
                               KnownIndices known) {
  Environment env;
  env.indices.insert(known.begin(), known.end());
  env.loops.assign(loops.begin(), loops.end());
  for (OpOperand *input : op.getDpsInputOperands()) {
    if (op.getMatchingBlockArgument(input).use_empty())
      continue;
    SmallVector<AffineExpr> at;
    for (AffineExpr expr : op.getMatchingIndexingMap(input).getResults())
      at.push_back(space.simplify(expr.replaceDims(loops)));
    walk(input->get(), at);
  }
  walkBlock(*op.getBody(), env, repeats);
}

void AccessWalker::walkBlock(Block &block, Environment &env, int64_t times) {
  for (Operation &op : block.without_terminator()) {
    ++size;
    cost += scalarCost(&op) * times;
    if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
      SmallVector<AffineExpr> at;
      for (Value index : extract.getIndices())
        at.push_back(indexOf(index, env));
      walk(extract.getTensor(), at);
    }
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        walkBlock(inner, env, times);
  }
}
