//===- BatchPlan.cpp - loops over independent slices ----------------------===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
// Every value whose first axis has the size of the batch is taken to be sliced
// until an access shows that it is not: an element of a sliced result may read
// sliced values only at its own slice, and an element of another result may not
// read any. What contradicts is marked as whole, and everything is checked
// again until nothing changes.
//===----------------------------------------------------------------------===//

#include "BatchPlan.h"
#include "UpdateWindow.h"

#include "nxv/Kernel/AccessWalker.h"
#include "nxv/Kernel/KernelBuilder.h"
#include "nxv/Kernel/Storage.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace nxv;
using program::Family;

bool nxv::isBatched(Operation *op, unsigned result) {
  auto flags = op->getAttrOfType<DenseBoolArrayAttr>(batchedAttrName);
  return flags && flags[result];
}

bool BatchPlan::isSliced(Value value) const {
  value = stripReshapes(value);
  auto type = cast<RankedTensorType>(value.getType());
  return size > 1 && type.getRank() > 0 && type.getDimSize(0) == size &&
         type.getNumElements() > 0 && !whole.contains(value);
}

void BatchPlan::forbid(Value value) {
  changed |= isSliced(value);
  whole.insert(stripReshapes(value));
}

/// Either all of them are sliced, or none is.
void BatchPlan::equate(ArrayRef<Value> values) {
  auto sliced = [&](Value value) {
    // A reshape of a sliced value has to begin with the slices itself.
    auto type = cast<RankedTensorType>(value.getType());
    return isSliced(value) && type.getRank() > 0 && type.getDimSize(0) == size;
  };
  if (!llvm::all_of(values, sliced))
    for (Value value : values)
      forbid(value);
}

namespace {
/// Follows the accesses of one group.
class GroupCheck {
public:
  using Slicing = std::function<bool(Value)>;
  GroupCheck(program::GroupOp group, int64_t size, Slicing isSliced)
      : group(group), size(size), isSliced(std::move(isSliced)),
        space(group.getContext()) {}

  /// What may not be sliced; empty if all is well.
  SmallVector<Value> run();
  DenseMap<Operation *, int64_t> loops;

private:
  void checkRoot(linalg::GenericOp root);
  void inferRoots(ArrayRef<linalg::GenericOp> roots);
  void checkResult(unsigned number);
  AffineExpr sliceOf(Value leaf, ArrayRef<AffineExpr> at);

  program::GroupOp group;
  int64_t size;
  Slicing isSliced;
  IndexSpace space;
  SmallVector<Value> offenders;
};
} // namespace

/// The slice in which an element that is read lies; null for what has none.
AffineExpr GroupCheck::sliceOf(Value leaf, ArrayRef<AffineExpr> at) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(leaf.getType()).getShape();
  if (auto argument = dyn_cast<BlockArgument>(leaf)) {
    if (!isSliced(group.getInputs()[argument.getArgNumber()]))
      return {};
    int64_t count = cast<RankedTensorType>(leaf.getType()).getNumElements();
    return space.simplify(space.flatten(at, shape).floorDiv(count / size));
  }
  auto found = loops.find(leaf.getDefiningOp());
  if (found == loops.end())
    return {};
  auto root = cast<linalg::GenericOp>(leaf.getDefiningOp());
  AffineMap map = root.getMatchingIndexingMap(root.getDpsInitOperand(0));
  for (auto [axis, expr] : llvm::enumerate(map.getResults()))
    if (cast<AffineDimExpr>(expr).getPosition() == found->second)
      return at[axis];
  return {};
}

static bool isRoot(Value value) {
  return value.getDefiningOp() && value.getDefiningOp()->hasAttr(rootAttrName);
}

void GroupCheck::checkRoot(linalg::GenericOp root) {
  SmallVector<AffineExpr> dims;
  SmallVector<int64_t> extents = root.getStaticLoopRanges();
  for (int64_t extent : extents)
    dims.push_back(space.addDim(extent));
  SmallVector<Value> read;
  AffineExpr slice;
  bool consistent = true;
  auto isLeaf = [&](Value value) {
    return isa<BlockArgument>(value) ||
           (isRoot(value) && value.getDefiningOp() != root);
  };
  auto onLeaf = [&](Value leaf, ArrayRef<AffineExpr> at) {
    AffineExpr here = sliceOf(leaf, at);
    if (!here)
      return;
    read.push_back(leaf);
    consistent &= !slice || slice == here;
    slice = here;
  };
  AccessWalker walker(space, isLeaf, onLeaf);
  walker.walkPayload(root, dims);
  AffineMap map = root.getMatchingIndexingMap(root.getDpsInitOperand(0));
  SmallVector<AffineExpr> place;
  for (AffineExpr expr : map.getResults())
    place.push_back(dims[cast<AffineDimExpr>(expr).getPosition()]);
  for (Value init : root.getDpsInits())
    walker.walk(init, place);
  if (!slice)
    return;
  for (auto [loop, dim] : llvm::enumerate(dims))
    if (consistent && dim == slice && extents[loop] == size &&
        llvm::is_contained(place, dim)) {
      loops[root] = loop;
      return;
    }
  for (Value leaf : read)
    offenders.push_back(leaf);
}

/// Reductions of whole values may still be done by slices, where the results
/// say so.
void GroupCheck::inferRoots(ArrayRef<linalg::GenericOp> roots) {
  DenseMap<Operation *, int64_t> found;
  bool consistent = true;
  for (Value result : group->getResults()) {
    if (!isSliced(result))
      return;
    SmallVector<AffineExpr> dims;
    for (int64_t extent : cast<RankedTensorType>(result.getType()).getShape())
      dims.push_back(space.addDim(extent));
    auto onLeaf = [&](Value leaf, ArrayRef<AffineExpr> at) {
      auto root = leaf.getDefiningOp<linalg::GenericOp>();
      if (!root)
        return;
      AffineMap map = root.getMatchingIndexingMap(root.getDpsInitOperand(0));
      int64_t loop = -1;
      for (auto [axis, expr] : llvm::enumerate(map.getResults()))
        if (at[axis] == dims.front() &&
            cast<RankedTensorType>(leaf.getType()).getDimSize(axis) == size)
          loop = cast<AffineDimExpr>(expr).getPosition();
      auto [place, isNew] = found.try_emplace(root, loop);
      consistent &= loop >= 0 && place->second == loop;
    };
    AccessWalker(
        space, [](Value v) { return isa<BlockArgument>(v) || isRoot(v); },
        onLeaf)
        .walk(getYields(group)[cast<OpResult>(result).getResultNumber()], dims);
  }
  if (consistent && found.size() == roots.size())
    loops = std::move(found);
}

void GroupCheck::checkResult(unsigned number) {
  bool sliced = isSliced(group->getResult(number));
  Value yield = getYields(group)[number];
  std::optional<UpdateWindow> window = matchUpdateWindow(yield);
  SmallVector<AffineExpr> indices;
  for (auto [axis, extent] :
       llvm::enumerate(cast<RankedTensorType>(yield.getType()).getShape()))
    indices.push_back(space.addDim(window ? window->sizes[axis] : extent));
  KnownStarts starts;
  if (window)
    starts = placeWindow(*window, space, indices);
  // A row that is written at a time is no slice.
  if (window && window->starts.front())
    offenders.push_back(window->old);
  AccessWalker walker(
      space, [](Value v) { return isa<BlockArgument>(v) || isRoot(v); },
      [&](Value leaf, ArrayRef<AffineExpr> at) {
        AffineExpr slice = sliceOf(leaf, at);
        if (slice && !(sliced && slice == indices.front()))
          offenders.push_back(leaf);
      });
  if (window)
    walker.walkPayload(window->op, indices, starts);
  else
    walker.walk(yield, indices);
}

SmallVector<Value> GroupCheck::run() {
  SmallVector<linalg::GenericOp> roots = getRoots(group);
  for (linalg::GenericOp root : roots)
    checkRoot(root);
  if (loops.empty())
    inferRoots(roots);
  // Reductions of a group share their points.
  if (!loops.empty() && loops.size() != roots.size())
    for (linalg::GenericOp root : roots)
      llvm::append_range(offenders, root->getResults());
  for (unsigned i = 0; i < group->getNumResults(); ++i)
    checkResult(i);
  return offenders;
}

void BatchPlan::checkGroup(program::GroupOp group) {
  auto isSlicedValue = [&](Value value) { return isSliced(value); };
  GroupCheck check(group, size, isSlicedValue);
  bool known =
      llvm::is_contained({Family::map, Family::reduce, Family::transpose,
                          Family::contract, Family::conv},
                         group.getFamily());
  if (!known) {
    for (Value value : group->getOperands())
      forbid(value);
    for (Value value : group->getResults())
      forbid(value);
    return;
  }
  SmallVector<Value> offenders = check.run();
  for (Operation &op : group.getBody().front())
    batchLoops.erase(&op);
  batchLoops.insert(check.loops.begin(), check.loops.end());
  for (Value leaf : offenders) {
    if (auto argument = dyn_cast<BlockArgument>(leaf)) {
      forbid(group.getInputs()[argument.getArgNumber()]);
      continue;
    }
    // A reduction over slices: what it reads may have none.
    for (Value input : group.getInputs())
      forbid(input);
  }
}

void BatchPlan::checkWhile(nxv::WhileOp loop) {
  auto *condition = &loop.getCondition().front();
  auto *body = &loop.getBody().front();
  for (unsigned i = 0; i < loop->getNumOperands(); ++i)
    equate({loop->getOperand(i), condition->getArgument(i),
            body->getArgument(i), body->getTerminator()->getOperand(i),
            loop->getResult(i)});
  for (Block *block : {condition, body})
    for (Operation &op : block->without_terminator())
      check(&op);
}

void BatchPlan::checkCase(nxv::CaseOp op) {
  for (unsigned i = 0; i < op->getNumResults(); ++i) {
    SmallVector<Value> values{op->getResult(i)};
    for (Region &branch : op.getBranches())
      values.push_back(branch.front().getTerminator()->getOperand(i));
    equate(values);
  }
  for (Region &branch : op.getBranches())
    for (Operation &inner : branch.front().without_terminator())
      check(&inner);
}

void BatchPlan::check(Operation *op) {
  if (auto group = dyn_cast<program::GroupOp>(op))
    checkGroup(group);
  else if (auto loop = dyn_cast<nxv::WhileOp>(op))
    checkWhile(loop);
  else if (auto branch = dyn_cast<nxv::CaseOp>(op))
    checkCase(branch);
}

/// Is anything left to slice once nothing contradicts?
bool BatchPlan::settle(ArrayRef<Operation *> ops) {
  do {
    changed = false;
    for (Operation *op : ops)
      check(op);
  } while (changed);
  return llvm::any_of(ops, [&](Operation *op) {
    return isa<nxv::WhileOp>(op) &&
           llvm::any_of(op->getOperands(),
                        [&](Value value) { return isSliced(value); });
  });
}

BatchPlan BatchPlan::find(ArrayRef<Operation *> ops) {
  llvm::MapVector<int64_t, int> sizes;
  for (Operation *op : ops)
    if (isa<nxv::WhileOp>(op))
      for (Type type : op->getOperandTypes()) {
        auto tensor = cast<RankedTensorType>(type);
        if (tensor.getRank() > 0 && tensor.getDimSize(0) > 1)
          ++sizes[tensor.getDimSize(0)];
      }
  auto candidates = sizes.takeVector();
  llvm::stable_sort(candidates, [](const auto &a, const auto &b) {
    return a.second > b.second;
  });
  for (auto &[size, count] : candidates) {
    BatchPlan plan;
    plan.size = size;
    plan.groups = size;
    if (plan.settle(ops))
      return plan;
  }
  return {};
}

void BatchPlan::divide(int64_t work, int64_t lanes) {
  int64_t each = 1;
  while (each < size && (size % each != 0 || each * work < lanes))
    ++each;
  groups = size / each;
  if (groups == 1)
    size = 1;
}

void BatchPlan::annotate(ArrayRef<Operation *> ops) const {
  if (size == 1)
    return;
  for (Operation *top : ops)
    top->walk([&](Operation *op) {
      Builder builder(op->getContext());
      if (auto found = batchLoops.find(op); found != batchLoops.end())
        op->setAttr(batchLoopAttrName,
                    builder.getI64IntegerAttr(found->second));
      if (!isa<program::GroupOp, nxv::WhileOp, nxv::CaseOp>(op))
        return;
      SmallVector<bool> flags;
      for (Value result : op->getResults())
        flags.push_back(isSliced(result));
      op->setAttr(batchedAttrName, builder.getDenseBoolArrayAttr(flags));
    });
}

void BatchPlan::clear(ArrayRef<Operation *> ops) {
  for (Operation *top : ops)
    top->walk([&](Operation *op) {
      op->removeAttr(batchLoopAttrName);
      op->removeAttr(batchedAttrName);
    });
}
