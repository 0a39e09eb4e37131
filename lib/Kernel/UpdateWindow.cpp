//===- UpdateWindow.cpp - results that differ in a window -----------------===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "UpdateWindow.h"

#include "nxv/Kernel/KernelBuilder.h"
#include "nxv/Kernel/Storage.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace nxv;

namespace {
/// What is known of one axis.
struct Bounds {
  Value start; // null: not shifted
  bool low = false, high = false;
  int64_t size = 0;
};
} // namespace

int64_t UpdateWindow::getNumElements() const {
  int64_t count = 1;
  for (int64_t size : sizes)
    count *= size;
  return count;
}

/// Does `value` depend on the place in the iteration space?
static bool dependsOnPlace(Value value, Block &block) {
  if (value.getParentBlock() != &block)
    return false;
  Operation *op = value.getDefiningOp();
  if (!op)
    return true;
  if (isa<linalg::IndexOp>(op) || op->getNumRegions() != 0)
    return true;
  return llvm::any_of(op->getOperands(), [&](Value operand) {
    return dependsOnPlace(operand, block);
  });
}

/// Is `start` clamped to [0, most]?
static bool isLimited(Value start, int64_t most) {
  while (isa_and_nonnull<arith::IndexCastOp, arith::IndexCastUIOp>(
      start.getDefiningOp()))
    start = start.getDefiningOp()->getOperand(0);
  auto bound = [](Value value, auto kind) -> std::optional<int64_t> {
    auto op = value.getDefiningOp<decltype(kind)>();
    APInt limit;
    if (!op || !matchPattern(op.getRhs(), m_ConstantInt(&limit)))
      return std::nullopt;
    return limit.getSExtValue();
  };
  if (auto high = bound(start, arith::MinUIOp()))
    return *high >= 0 && *high <= most;
  auto high = bound(start, arith::MinSIOp());
  if (!high || *high < 0 || *high > most)
    return false;
  auto low = bound(start.getDefiningOp()->getOperand(0), arith::MaxSIOp());
  return low && *low >= 0;
}

/// Reads `index - start < size` or `>= 0` into the bounds of its axis.
static bool addBound(arith::CmpIOp compare, Block &block,
                     MutableArrayRef<Bounds> bounds) {
  Value index = compare.getLhs(), start;
  if (auto shifted = index.getDefiningOp<arith::SubIOp>()) {
    index = shifted.getLhs();
    start = shifted.getRhs();
  }
  auto position = index.getDefiningOp<linalg::IndexOp>();
  APInt limit;
  if (!position || !matchPattern(compare.getRhs(), m_ConstantInt(&limit)) ||
      (start && dependsOnPlace(start, block)))
    return false;
  Bounds &axis = bounds[position.getDim()];
  if ((axis.low || axis.high) && axis.start != start)
    return false;
  axis.start = start;
  switch (compare.getPredicate()) {
  case arith::CmpIPredicate::sge:
    if (axis.low || !limit.isZero())
      return false;
    axis.low = true;
    return true;
  case arith::CmpIPredicate::slt:
    if (axis.high)
      return false;
    axis.high = true;
    axis.size = limit.getSExtValue();
    return true;
  default:
    return false;
  }
}

static bool addBounds(Value condition, Block &block,
                      MutableArrayRef<Bounds> bounds) {
  if (auto both = condition.getDefiningOp<arith::AndIOp>())
    return addBounds(both.getLhs(), block, bounds) &&
           addBounds(both.getRhs(), block, bounds);
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  return compare && addBound(compare, block, bounds);
}

/// The tensor that a branch reads at the place of the element.
static Value readInPlace(Region &branch) {
  Block &block = branch.front();
  auto extract =
      block.getTerminator()->getOperand(0).getDefiningOp<tensor::ExtractOp>();
  if (!extract)
    return {};
  for (auto [axis, index] : llvm::enumerate(extract.getIndices())) {
    auto position = index.getDefiningOp<linalg::IndexOp>();
    if (!position || position.getDim() != axis)
      return {};
  }
  return extract.getTensor();
}

std::optional<UpdateWindow> nxv::matchUpdateWindow(Value tensor) {
  auto op = tensor.getDefiningOp<linalg::GenericOp>();
  if (!op || op.getNumResults() != 1 || op.getNumReductionLoops() != 0 ||
      !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity())
    return std::nullopt;
  Block &body = *op.getBody();
  auto choice = body.getTerminator()->getOperand(0).getDefiningOp<scf::IfOp>();
  if (!choice || choice->getBlock() != &body || choice.getNumResults() != 1)
    return std::nullopt;
  SmallVector<int64_t> shape = op.getStaticLoopRanges();
  SmallVector<Bounds> bounds(shape.size());
  UpdateWindow window;
  window.op = op;
  window.old = readInPlace(choice.getElseRegion());
  if (!window.old || window.old.getType() != tensor.getType() ||
      !addBounds(choice.getCondition(), body, bounds))
    return std::nullopt;
  for (auto [axis, extent] : llvm::zip(bounds, shape)) {
    // Without a lower bound an axis must begin at 0.
    if (axis.high && !axis.low && axis.start)
      return std::nullopt;
    if (axis.low && !axis.high)
      return std::nullopt;
    if (axis.start && !isLimited(axis.start, extent - axis.size))
      return std::nullopt;
    window.starts.push_back(axis.start);
    window.sizes.push_back(axis.high ? axis.size : extent);
  }
  return window;
}

KnownStarts nxv::placeWindow(const UpdateWindow &window, IndexSpace &space,
                             MutableArrayRef<AffineExpr> indices) {
  KnownStarts starts;
  auto op = window.op;
  SmallVector<int64_t> shape = op.getStaticLoopRanges();
  for (auto [axis, start] : llvm::enumerate(window.starts)) {
    if (!start)
      continue;
    AffineExpr first = space.addDim(shape[axis] - window.sizes[axis] + 1);
    starts.push_back({start, first});
    indices[axis] = space.simplify(indices[axis] + first);
  }
  return starts;
}

std::optional<UpdateWindow> nxv::getWrittenWindow(program::GroupOp group,
                                                  unsigned result) {
  std::optional<unsigned> input = getAliasedInput(group, result);
  if (!input)
    return std::nullopt;
  std::optional<UpdateWindow> window =
      matchUpdateWindow(getYields(group)[result]);
  if (!window || window->old != group.getBody().getArgument(*input))
    return std::nullopt;
  return window;
}
