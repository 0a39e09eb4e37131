//===- SortExpansion.cpp - sorts as chains of kernels -----------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "nxv/Dialect/Nxv/IR/Nxv.h"
#include "nxv/Kernel/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <limits>

namespace nxv {
#define GEN_PASS_DEF_EXPANDSORT
#include "nxv/Kernel/Passes.h.inc"
} // namespace nxv

using namespace mlir;
using namespace nxv;

/// The longest axis that one kernel sorts in workgroup memory.
static constexpr int64_t longestTile = 2048;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

namespace {
/// A sort, an argsort, or both of one operand, as steps of one kernel each.
class SortExpander {
public:
  SortExpander(nxv::SortOp sort, nxv::ArgSortOp argSort, OpBuilder &builder);
  void run();

private:
  struct Step {
    Value values, indices;
  };
  void setAttributes(Operation *op);
  Step sortTiles(Value operand, int64_t axis, Type values, Type indices);
  Step mergeRuns(Step runs, int64_t length, Type values, Type indices);
  Step sortRows(Value rows);
  Value transpose(Value value, ArrayRef<int64_t> axes);
  Value toRows(Value value);
  Value fromRows(Value rows);
  Type indexElement();

  nxv::SortOp sort;
  nxv::ArgSortOp argSort;
  OpBuilder &builder;
  Operation *any;
  Value operand;
  int64_t axis;
  bool descending;
  int64_t size;
  SmallVector<int64_t> forward, backward, moved;
};
} // namespace

SortExpander::SortExpander(nxv::SortOp sort, nxv::ArgSortOp argSort,
                           OpBuilder &builder)
    : sort(sort), argSort(argSort), builder(builder),
      any(sort ? sort.getOperation() : argSort.getOperation()),
      operand(any->getOperand(0)),
      axis(sort ? sort.getAxis() : argSort.getAxis()),
      descending(sort ? sort.getDescending() : argSort.getDescending()) {
  ArrayRef<int64_t> shape = typeOf(operand).getShape();
  size = shape[axis];
  // The axis goes last.
  for (int64_t i = 0; i < int64_t(shape.size()); ++i)
    if (i != axis)
      forward.push_back(i);
  forward.push_back(axis);
  backward.resize(forward.size());
  for (auto [to, from] : llvm::enumerate(forward)) {
    backward[from] = to;
    moved.push_back(shape[from]);
  }
}

void SortExpander::setAttributes(Operation *op) {
  if (any->hasAttr("nxv.unsigned"))
    op->setAttr("nxv.unsigned", builder.getUnitAttr());
}

Type SortExpander::indexElement() {
  return argSort ? typeOf(argSort.getResult()).getElementType() : Type();
}

SortExpander::Step SortExpander::sortTiles(Value from, int64_t along,
                                           Type values, Type indices) {
  auto op = nxv::SortTilesOp::create(builder, any->getLoc(), values, indices,
                                     from, along, longestTile, descending);
  setAttributes(op);
  return {op.getValues(), op.getIndices()};
}

SortExpander::Step SortExpander::mergeRuns(Step runs, int64_t length,
                                           Type values, Type indices) {
  auto op =
      nxv::MergeRunsOp::create(builder, any->getLoc(), values, indices,
                               runs.values, runs.indices, length, descending);
  setAttributes(op);
  return {op.getValues(), op.getIndices()};
}

/// `value` with its axis i being the old axis `axes[i]`.
Value SortExpander::transpose(Value value, ArrayRef<int64_t> axes) {
  if (llvm::is_sorted(axes))
    return value;
  auto type = typeOf(value);
  SmallVector<int64_t> shape;
  SmallVector<AffineExpr> exprs(axes.size());
  for (auto [to, from] : llvm::enumerate(axes)) {
    shape.push_back(type.getDimSize(from));
    exprs[from] = builder.getAffineDimExpr(to);
  }
  Location loc = any->getLoc();
  Value empty =
      tensor::EmptyOp::create(builder, loc, shape, type.getElementType());
  SmallVector<AffineMap> maps{
      AffineMap::get(axes.size(), 0, exprs, builder.getContext()),
      builder.getMultiDimIdentityMap(axes.size())};
  SmallVector<utils::IteratorType> iterators(axes.size(),
                                             utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      builder, loc, TypeRange{empty.getType()}, value, empty, maps, iterators,
      [](OpBuilder &b, Location at, ValueRange arguments) {
        linalg::YieldOp::create(b, at, arguments.front());
      });
  return generic.getResult(0);
}

/// The axis last, the others in one.
Value SortExpander::toRows(Value value) {
  value = transpose(value, forward);
  int64_t rank = moved.size();
  auto type =
      RankedTensorType::get({typeOf(value).getNumElements() / size, size},
                            typeOf(value).getElementType());
  if (rank == 2)
    return value;
  if (rank == 1)
    return tensor::ExpandShapeOp::create(
        builder, any->getLoc(), type, value,
        SmallVector<ReassociationIndices>{{0, 1}});
  SmallVector<ReassociationIndices> groups(2);
  for (int64_t i = 0; i + 1 < rank; ++i)
    groups[0].push_back(i);
  groups[1].push_back(rank - 1);
  return tensor::CollapseShapeOp::create(builder, any->getLoc(), type, value,
                                         groups);
}

Value SortExpander::fromRows(Value rows) {
  int64_t rank = moved.size();
  auto type = RankedTensorType::get(moved, typeOf(rows).getElementType());
  Value value = rows;
  if (rank == 1) {
    value = tensor::CollapseShapeOp::create(
        builder, any->getLoc(), type, rows,
        SmallVector<ReassociationIndices>{{0, 1}});
  } else if (rank > 2) {
    SmallVector<ReassociationIndices> groups(2);
    for (int64_t i = 0; i + 1 < rank; ++i)
      groups[0].push_back(i);
    groups[1].push_back(rank - 1);
    value = tensor::ExpandShapeOp::create(builder, any->getLoc(), type, rows,
                                          groups);
  }
  return transpose(value, backward);
}

/// Tiles, then merges that double the length of what is sorted. Places on the
/// way have 32 bits; the last step gives them their own type.
SortExpander::Step SortExpander::sortRows(Value rows) {
  RankedTensorType type = typeOf(rows);
  Type places = argSort ? Type(type.clone(builder.getI32Type())) : Type();
  Step step = sortTiles(rows, 1, type, places);
  for (int64_t length = longestTile; length < size; length *= 2) {
    bool last = length * 2 >= size;
    step =
        mergeRuns(step, length, last && !sort ? Type() : Type(type),
                  last && argSort ? Type(type.clone(indexElement())) : places);
  }
  return step;
}

void SortExpander::run() {
  builder.setInsertionPoint(any);
  if (sort && argSort && argSort->isBeforeInBlock(sort))
    builder.setInsertionPoint(argSort);
  Step result;
  if (size <= longestTile) {
    result = sortTiles(operand, axis, sort ? sort.getType() : Type(),
                       argSort ? argSort.getType() : Type());
  } else {
    result = sortRows(toRows(operand));
    if (sort)
      result.values = fromRows(result.values);
    if (argSort)
      result.indices = fromRows(result.indices);
  }
  if (sort) {
    sort.replaceAllUsesWith(result.values);
    sort.erase();
  }
  if (argSort) {
    argSort.replaceAllUsesWith(result.indices);
    argSort.erase();
  }
}

/// The argsort that gives the places of what `sort` gives.
static nxv::ArgSortOp partnerOf(nxv::SortOp sort) {
  for (Operation *user : sort.getOperand().getUsers()) {
    auto argSort = dyn_cast<nxv::ArgSortOp>(user);
    if (argSort && argSort->getBlock() == sort->getBlock() &&
        argSort.getAxis() == sort.getAxis() &&
        argSort.getDescending() == sort.getDescending() &&
        argSort->hasAttr("nxv.unsigned") == sort->hasAttr("nxv.unsigned"))
      return argSort;
  }
  return {};
}

/// Places along an axis have 32 bits.
static LogicalResult checkSize(Operation *op, int64_t axis) {
  int64_t size = typeOf(op->getOperand(0)).getDimSize(axis);
  if (size > std::numeric_limits<int32_t>::max())
    return op->emitError("cannot sort an axis of ") << size << " elements";
  return success();
}

namespace {
struct ExpandSort : nxv::impl::ExpandSortBase<ExpandSort> {
  void runOnOperation() override {
    SmallVector<nxv::SortOp> sorts;
    SmallVector<nxv::ArgSortOp> argSorts;
    WalkResult checked = getOperation().walk([&](Operation *op) {
      LogicalResult fits = success();
      if (auto sort = dyn_cast<nxv::SortOp>(op)) {
        sorts.push_back(sort);
        fits = checkSize(op, sort.getAxis());
      } else if (auto argSort = dyn_cast<nxv::ArgSortOp>(op)) {
        argSorts.push_back(argSort);
        fits = checkSize(op, argSort.getAxis());
      }
      return failed(fits) ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (checked.wasInterrupted())
      return signalPassFailure();
    OpBuilder builder(&getContext());
    for (nxv::SortOp sort : sorts) {
      nxv::ArgSortOp partner = partnerOf(sort);
      llvm::erase(argSorts, partner);
      SortExpander(sort, partner, builder).run();
    }
    for (nxv::ArgSortOp argSort : argSorts)
      SortExpander({}, argSort, builder).run();
  }
};
} // namespace
