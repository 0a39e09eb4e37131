//===- FuseLoops.cpp - one kernel for a loop and its surroundings -*- C++
//-*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "BlockEmitter.h"
#include "LoopPlan.h"

#include "nxv/Dialect/Nxv/IR/Nxv.h"
#include "nxv/Kernel/Passes.h"
#include "nxv/Kernel/Storage.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

namespace nxv {
#define GEN_PASS_DEF_FUSELOOPS
#include "nxv/Kernel/Passes.h.inc"
} // namespace nxv

using namespace mlir;
using namespace nxv;
using program::Family;

/// What one workgroup may do in a group inside a loop, and in one around it.
static constexpr int64_t loopWork = 1 << 17, straightWork = 1 << 13;
/// Groups and loops of one kernel: they are all compiled into it.
static constexpr int64_t mostSteps = 160;
/// Workgroup memory that every device should have, with some left, and what
/// values may take of it at most.
static constexpr int64_t sharedMemory = 30 * 1024, mostShared = 20 * 1024;
/// Values that are larger lie in buffers.
static constexpr int64_t largestShared = 4 * 1024;
/// Operands and results of one kernel.
static constexpr int64_t mostBuffers = 64;

int64_t nxv::getPlannedMemory(Operation *op, unsigned result) {
  auto where = op->getAttrOfType<DenseI64ArrayAttr>(loopMemoryAttrName);
  return where ? where[result] : -1;
}

bool nxv::isMovedState(nxv::WhileOp op, unsigned state) {
  Block &body = op.getBody().front();
  auto yields = body.getTerminator()->getOperands();
  Value value = stripReshapes(yields[state]);
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getArgNumber() != state;
  return llvm::count_if(yields, [&](Value other) {
           return stripReshapes(other) == value;
         }) > 1;
}

int64_t nxv::getWork(program::GroupOp group) {
  int64_t work = 1;
  for (Value result : group->getResults())
    work = std::max(work,
                    cast<RankedTensorType>(result.getType()).getNumElements());
  group.getBody().walk([&](linalg::GenericOp op) {
    int64_t points = 1;
    for (int64_t size : op.getStaticLoopRanges())
      points *= size;
    work = std::max(work, points);
  });
  // A thread of a scatter goes over all updates.
  group.getBody().walk([&](nxv::ScatterOp op) {
    work = std::max(
        work,
        cast<RankedTensorType>(op.getIndices().getType()).getNumElements() *
            256);
  });
  return work;
}

int64_t nxv::getLoopThreads(program::GroupOp group) {
  int64_t work = 1;
  group.getBody().walk([&](program::GroupOp inner) {
    if (inner != group)
      work = std::max(work, getWork(inner));
  });
  return std::clamp<int64_t>(llvm::PowerOf2Ceil(work), 32, 256);
}

static bool isNeutral(Operation *op) {
  return isa<arith::ConstantOp, tensor::EmptyOp, tensor::ExpandShapeOp,
             tensor::CollapseShapeOp>(op);
}

static bool suitsWorkgroup(program::GroupOp group, int64_t limit) {
  switch (group.getFamily()) {
  case Family::map:
  case Family::transpose:
  case Family::reduce:
  case Family::contract:
  case Family::conv:
    break;
  case Family::scatter:
    return getWork(group) <= limit;
  default:
    return false;
  }
  return getWork(group) <= limit &&
         succeeded(BlockEmitter(group, 256).analyze(/*quiet=*/true));
}

/// Counts the steps inside, or gives nothing if one does not suit.
static std::optional<int64_t> countSteps(Operation *op, int64_t limit) {
  if (isNeutral(op) || op->hasTrait<OpTrait::IsTerminator>())
    return 0;
  if (auto group = dyn_cast<program::GroupOp>(op))
    return suitsWorkgroup(group, limit) ? std::optional<int64_t>(1)
                                        : std::nullopt;
  if (!isa<nxv::WhileOp, nxv::CaseOp>(op))
    return std::nullopt;
  int64_t steps = 1;
  for (Region &region : op->getRegions())
    for (Operation &inner : region.front()) {
      std::optional<int64_t> count = countSteps(&inner, loopWork);
      if (!count)
        return std::nullopt;
      steps += *count;
    }
  return steps;
}

namespace {
/// A run of operations of one block that becomes a kernel.
class LoopFuser {
public:
  explicit LoopFuser(Block &block) : block(block) {}
  void run();

private:
  void wrap(ArrayRef<Operation *> ops);
  bool plan(ArrayRef<Operation *> ops);
  void planOp(Operation *op);
  bool fitsShared(Type type) const;
  int64_t placeInside(Type type);
  void planSaves(nxv::WhileOp loop, SmallVectorImpl<int64_t> &where);

  Block &block;
  llvm::SetVector<Value> inputs, outputs;
  SmallVector<Type> scratch;
  SmallVector<std::pair<Operation *, SmallVector<int64_t>>> places;
  SmallVector<arith::ConstantOp> literals;
  int64_t sharedBytes = 0;
  int64_t sharedBudget = 0;
};
} // namespace

/// Bytes through which lanes exchange what their reductions hold: two sets of
/// two levels for each kind of accumulator, an entry a thread.
static int64_t exchangeBytes(ArrayRef<Operation *> ops) {
  llvm::SetVector<std::pair<unsigned, Type>> kinds;
  for (Operation *op : ops)
    op->walk([&](linalg::GenericOp root) {
      if (root->hasAttr(rootAttrName))
        for (auto [i, type] : llvm::enumerate(root.getResultTypes()))
          kinds.insert({unsigned(i), getElementTypeOrSelf(type)});
    });
  constexpr int64_t sets = 2, levels = 2, threads = 256;
  int64_t bytes = 0;
  for (auto &[i, type] : kinds)
    bytes += llvm::divideCeil(
        sharedElement(type, threads).getIntOrFloatBitWidth(), 8);
  return sets * levels * threads * bytes;
}

static int64_t alignedBytes(Type type) {
  return llvm::alignTo(sharedByteSize(type), 16);
}

bool LoopFuser::fitsShared(Type type) const {
  int64_t bytes = alignedBytes(type);
  return bytes <= largestShared && sharedBytes + bytes <= sharedBudget;
}

/// A place that only this kernel knows.
int64_t LoopFuser::placeInside(Type type) {
  if (fitsShared(type)) {
    sharedBytes += alignedBytes(type);
    return -1;
  }
  scratch.push_back(type);
  return outputs.size() + scratch.size() - 1;
}

void LoopFuser::planSaves(nxv::WhileOp loop, SmallVectorImpl<int64_t> &where) {
  SmallVector<int64_t> saves;
  bool any = false;
  for (auto [i, type] : llvm::enumerate(loop.getResultTypes())) {
    bool moves = isMovedState(loop, i);
    saves.push_back(moves ? placeInside(type) : -1);
    any |= moves;
  }
  if (any)
    where.append(saves);
}

/// Gives each result of `op`, and of what is inside, a place.
void LoopFuser::planOp(Operation *op) {
  op->walk<WalkOrder::PreOrder>([&](Operation *inner) {
    if (auto cst = dyn_cast<arith::ConstantOp>(inner))
      if (isa<RankedTensorType>(cst.getType()) &&
          !cst->getParentOfType<program::GroupOp>())
        literals.push_back(cst);
    if (isNeutral(inner) || inner->hasTrait<OpTrait::IsTerminator>())
      return WalkResult::skip();
    SmallVector<int64_t> where;
    for (Value result : inner->getResults()) {
      auto *found = llvm::find(outputs, result);
      bool whole = isa<program::GroupOp>(inner);
      if (found != outputs.end() && (whole || !fitsShared(result.getType())))
        where.push_back(found - outputs.begin());
      else
        where.push_back(placeInside(result.getType()));
    }
    if (auto loop = dyn_cast<nxv::WhileOp>(inner))
      planSaves(loop, where);
    places.push_back({inner, where});
    return isa<program::GroupOp>(inner) ? WalkResult::skip()
                                        : WalkResult::advance();
  });
}

bool LoopFuser::plan(ArrayRef<Operation *> ops) {
  llvm::SmallPtrSet<Operation *, 32> inside(ops.begin(), ops.end());
  auto isInside = [&](Operation *op) {
    Operation *here = block.findAncestorOpInBlock(*op);
    return here && inside.contains(here);
  };
  inputs.clear();
  outputs.clear();
  scratch.clear();
  places.clear();
  literals.clear();
  sharedBytes = 0;
  sharedBudget = std::min(mostShared, sharedMemory - exchangeBytes(ops));
  if (sharedBudget < 0)
    return false;
  for (Operation *op : ops) {
    llvm::SetVector<Value> used(op->operand_begin(), op->operand_end());
    getUsedValuesDefinedAbove(op->getRegions(), used);
    for (Value value : used)
      if (!value.getDefiningOp() || !isInside(value.getDefiningOp()))
        inputs.insert(value);
    for (Value result : op->getResults())
      if (!isa<tensor::EmptyOp, arith::ConstantOp>(op) &&
          llvm::any_of(result.getUsers(),
                       [&](Operation *user) { return !isInside(user); }))
        outputs.insert(result);
  }
  for (Operation *op : ops)
    planOp(op);
  return int64_t(inputs.size() + outputs.size() + scratch.size() +
                 literals.size()) <= mostBuffers;
}

/// Moves `ops` into a group of the family loop.
void LoopFuser::wrap(ArrayRef<Operation *> ops) {
  OpBuilder builder(ops.back());
  builder.setInsertionPointAfter(ops.back());
  Location loc = ops.back()->getLoc();
  for (Operation *op : ops)
    if (isa<nxv::WhileOp>(op))
      loc = op->getLoc();
  for (auto &[op, where] : places)
    op->setAttr(loopMemoryAttrName, builder.getDenseI64ArrayAttr(where));
  // Literals inside become operands: a kernel has no constant memory.
  for (arith::ConstantOp literal : literals) {
    OpBuilder before(ops.front());
    Value outside = before.clone(*literal)->getResult(0);
    inputs.insert(outside);
    literal->setAttr(loopInputAttrName,
                     builder.getI64IntegerAttr(inputs.size() - 1));
  }
  SmallVector<Type> types;
  for (Value output : outputs)
    types.push_back(output.getType());
  llvm::append_range(types, scratch);
  auto group = program::GroupOp::create(
      builder, loc, types,
      program::FamilyAttr::get(builder.getContext(), Family::loop),
      inputs.getArrayRef());
  Block *body = &group.getBody().emplaceBlock();
  for (Operation *op : ops)
    op->moveBefore(body, body->end());
  for (Value input : inputs) {
    Value argument = body->addArgument(input.getType(), input.getLoc());
    replaceAllUsesInRegionWith(input, argument, group.getBody());
  }
  OpBuilder inner = OpBuilder::atBlockEnd(body);
  SmallVector<Value> yields(outputs.begin(), outputs.end());
  for (Type type : scratch) {
    auto tensor = cast<RankedTensorType>(type);
    yields.push_back(tensor::EmptyOp::create(inner, loc, tensor.getShape(),
                                             tensor.getElementType()));
  }
  program::YieldOp::create(inner, loc, yields);
  for (auto [i, result] : llvm::enumerate(group->getResults())) {
    if (i == outputs.size())
      break;
    Value output = outputs[i];
    output.replaceUsesWithIf(result, [&](OpOperand &use) {
      return !group->isProperAncestor(use.getOwner());
    });
  }
}

void LoopFuser::run() {
  SmallVector<SmallVector<Operation *>> runs(1);
  SmallVector<Operation *> outer;
  int64_t steps = 0;
  for (Operation &op : block.without_terminator()) {
    std::optional<int64_t> count = countSteps(&op, straightWork);
    if (count && steps + *count <= mostSteps) {
      runs.back().push_back(&op);
      steps += *count;
      continue;
    }
    if (isa<nxv::WhileOp, nxv::CaseOp>(op))
      outer.push_back(&op);
    runs.emplace_back();
    steps = 0;
  }
  for (SmallVector<Operation *> &ops : runs) {
    // Constants stay outside: they are operands where they are read.
    llvm::erase_if(ops, [](Operation *op) {
      return isa<arith::ConstantOp, tensor::EmptyOp>(op);
    });
    bool loops = llvm::any_of(
        ops, [](Operation *op) { return isa<nxv::WhileOp, nxv::CaseOp>(op); });
    if (loops && plan(ops))
      wrap(ops);
  }
  // What does not suit as a whole may hold something that does.
  for (Operation *op : outer)
    for (Region &region : op->getRegions())
      LoopFuser(region.front()).run();
}

namespace {
struct FuseLoops : nxv::impl::FuseLoopsBase<FuseLoops> {
  void runOnOperation() override {
    if (!getOperation().isExternal())
      LoopFuser(getOperation().getBody().front()).run();
  }
};
} // namespace
