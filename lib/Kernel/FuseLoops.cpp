//===- FuseLoops.cpp - one kernel for a loop and its surroundings -*- C++
//-*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "BatchPlan.h"
#include "BlockEmitter.h"
#include "BoundLoops.h"
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
/// What a workgroup does in less time than it takes to start a kernel.
static constexpr int64_t tinyWork = 1 << 10;
/// The elements with which a workgroup of several is busy.
static constexpr int64_t enoughLanes = 128;
/// Threads of a workgroup at most.
static constexpr int64_t mostThreads = 256;
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

int64_t nxv::getMovedElements(nxv::WhileOp loop, int64_t batch) {
  int64_t most = 0;
  for (OpResult result : loop->getResults()) {
    unsigned number = result.getResultNumber();
    if (!isMovedState(loop, number) || isInvariantState(loop, number))
      continue;
    int64_t count = cast<RankedTensorType>(result.getType()).getNumElements();
    most = std::max(most, isBatched(loop, number) ? count / batch : count);
  }
  return most;
}

int64_t nxv::getBatch(program::GroupOp group) {
  auto batch = group->getAttrOfType<IntegerAttr>(batchAttrName);
  return batch ? batch.getInt() : 1;
}

int64_t nxv::getWork(program::GroupOp group, int64_t batch) {
  int64_t work = 1;
  llvm::SmallPtrSet<Operation *, 4> windows;
  bool batched = batch > 1 && group->getNumResults() > 0;
  for (unsigned i = 0; i < group->getNumResults(); ++i) {
    Value result = group->getResult(i);
    batched &= isBatched(group, i);
    if (auto window = getWrittenWindow(group, i)) {
      windows.insert(window->op);
      work = std::max(work, window->getNumElements());
      continue;
    }
    work = std::max(work,
                    cast<RankedTensorType>(result.getType()).getNumElements());
  }
  group.getBody().walk([&](linalg::GenericOp op) {
    if (windows.contains(op))
      return;
    int64_t points = 1;
    for (int64_t size : op.getStaticLoopRanges())
      points *= size;
    work = std::max(work, points);
  });
  if (batched)
    work = llvm::divideCeil(work, batch);
  // A thread of a scatter goes over all updates.
  group.getBody().walk([&](nxv::ScatterOp op) {
    work = std::max(
        work,
        cast<RankedTensorType>(op.getIndices().getType()).getNumElements() *
            256);
  });
  return work;
}

/// The threads that suit the groups among and inside of `ops`.
static int64_t threadsFor(ArrayRef<Operation *> ops, int64_t batch) {
  int64_t work = 1;
  for (Operation *op : ops)
    op->walk([&](Operation *inner) {
      if (auto group = dyn_cast<program::GroupOp>(inner))
        work = std::max(work, getWork(group, batch));
      else if (auto loop = dyn_cast<nxv::WhileOp>(inner))
        work = std::max(work, getMovedElements(loop, batch));
    });
  // Two elements for each lane: as much work for fewer barriers' waiting, and
  // independent operations to go on with.
  return std::clamp<int64_t>(llvm::PowerOf2Ceil(work) / 2, 32, mostThreads);
}

int64_t nxv::getLoopThreads(program::GroupOp group) {
  SmallVector<Operation *> ops;
  for (Operation &op : group.getBody().front())
    ops.push_back(&op);
  return threadsFor(ops, getBatch(group));
}

bool nxv::takesOver(nxv::WhileOp loop, unsigned state) {
  Value operand = loop->getOperand(state);
  return isa_and_nonnull<program::GroupOp, nxv::CaseOp>(
             operand.getDefiningOp()) &&
         operand.getParentBlock() == loop->getBlock() && operand.hasOneUse() &&
         !isInvariantState(loop, state);
}

/// What a result becomes: itself, or a loop's state that lies where it does.
static Value becomes(OpResult result) {
  if (!result.hasOneUse())
    return result;
  OpOperand &use = *result.use_begin();
  auto loop = dyn_cast<nxv::WhileOp>(use.getOwner());
  if (!loop || !takesOver(loop, use.getOperandNumber()))
    return result;
  return loop->getResult(use.getOperandNumber());
}

static bool isNeutral(Operation *op) {
  return isa<arith::ConstantOp, tensor::EmptyOp, tensor::ExpandShapeOp,
             tensor::CollapseShapeOp>(op);
}

/// Could one workgroup do everything, were it little enough?
static bool isFusable(Operation *op) {
  if (isNeutral(op) || op->hasTrait<OpTrait::IsTerminator>())
    return true;
  if (auto group = dyn_cast<program::GroupOp>(op))
    return llvm::is_contained({Family::map, Family::transpose, Family::reduce,
                               Family::contract, Family::conv, Family::scatter},
                              group.getFamily());
  if (!isa<nxv::WhileOp, nxv::CaseOp>(op))
    return false;
  return llvm::all_of(op->getRegions(), [](Region &region) {
    return llvm::all_of(region.front(),
                        [](Operation &inner) { return isFusable(&inner); });
  });
}

static bool suitsWorkgroup(program::GroupOp group, int64_t limit,
                           int64_t batch) {
  if (getWork(group, batch) > limit)
    return false;
  return group.getFamily() == Family::scatter ||
         succeeded(BlockEmitter(group, 256, batch).analyze(/*quiet=*/true));
}

/// Counts the steps inside of something fusable, or gives nothing if one is too
/// much for a workgroup.
static std::optional<int64_t> countSteps(Operation *op, int64_t limit,
                                         int64_t batch) {
  if (auto group = dyn_cast<program::GroupOp>(op))
    return suitsWorkgroup(group, limit, batch) ? std::optional<int64_t>(1)
                                               : std::nullopt;
  if (!isa<nxv::WhileOp, nxv::CaseOp>(op))
    return 0;
  int64_t steps = 1;
  auto loop = dyn_cast<nxv::WhileOp>(op);
  if (loop && getMovedElements(loop, batch) > limit)
    return std::nullopt;
  for (Region &region : op->getRegions())
    for (Operation &inner : region.front()) {
      std::optional<int64_t> count = countSteps(&inner, loopWork, batch);
      if (!count)
        return std::nullopt;
      steps += *count;
    }
  return steps;
}

static bool isControl(Operation *op) {
  return isa<nxv::WhileOp, nxv::CaseOp>(op);
}

/// Is there a loop inside that has been limited to what a kernel may do?
static bool isLimited(Operation *op) {
  return op
      ->walk([](nxv::WhileOp loop) {
        return loop->hasAttr(mostTurnsAttrName) ? WalkResult::interrupt()
                                                : WalkResult::advance();
      })
      .wasInterrupted();
}

namespace {
using Run = SmallVector<Operation *>;

/// Makes kernels of the operations of one block.
class LoopFuser {
public:
  explicit LoopFuser(Block &block) : block(block) {}
  void run();

private:
  void fuse(Run &segment);
  void findBatch(ArrayRef<Operation *> segment);
  SmallVector<Run> divide(ArrayRef<Operation *> segment);
  void make(ArrayRef<Operation *> run);
  void joinTiny(ArrayRef<Operation *> ops);
  int64_t turnsOf(nxv::WhileOp loop, int64_t threads, int64_t iterations) const;
  void wrap(ArrayRef<Operation *> ops);
  bool plan(ArrayRef<Operation *> ops);
  bool planOp(Operation *op);
  void findDirect(Operation *op);
  int64_t bytesOf(Value result) const;
  bool fitsShared(Value result) const;
  int64_t placeInside(Value result);
  void planSaves(nxv::WhileOp loop, SmallVectorImpl<int64_t> &where);

  Block &block;
  BatchPlan batch;
  llvm::SetVector<Value> inputs, outputs;
  SmallVector<Type> scratch;
  SmallVector<std::pair<Operation *, SmallVector<int64_t>>> places;
  SmallVector<arith::ConstantOp> literals;
  llvm::DenseSet<Value> direct;
  int64_t sharedBytes = 0;
  int64_t sharedBudget = 0;
};
} // namespace

/// Bytes of workgroup memory that a result would take.
int64_t LoopFuser::bytesOf(Value result) const {
  int64_t bytes = sharedByteSize(result.getType());
  if (batch.isSliced(result))
    bytes = llvm::divideCeil(bytes, batch.getGroups());
  return llvm::alignTo(bytes, 16);
}

bool LoopFuser::fitsShared(Value result) const {
  int64_t bytes = bytesOf(result);
  return bytes <= largestShared && sharedBytes + bytes <= sharedBudget;
}

/// A place that only this kernel knows.
int64_t LoopFuser::placeInside(Value result) {
  if (fitsShared(result)) {
    sharedBytes += bytesOf(result);
    return -1;
  }
  scratch.push_back(result.getType());
  return outputs.size() + scratch.size() - 1;
}

void LoopFuser::planSaves(nxv::WhileOp loop, SmallVectorImpl<int64_t> &where) {
  SmallVector<int64_t> saves;
  bool any = false;
  for (OpResult result : loop->getResults()) {
    bool moves = isMovedState(loop, result.getResultNumber());
    saves.push_back(moves ? placeInside(result) : -1);
    any |= moves;
  }
  if (any)
    where.append(saves);
}

/// Finds the values that are written where a loop or a branch has its results.
void LoopFuser::findDirect(Operation *op) {
  if (auto loop = dyn_cast<nxv::WhileOp>(op))
    for (auto [value, state] : getDirectStates(loop.getBody().front()))
      direct.insert(value);
  if (auto branches = dyn_cast<nxv::CaseOp>(op))
    for (Region &branch : branches.getBranches())
      for (Value value : getDirectResults(branch.front()))
        direct.insert(value);
}

/// Gives each result of `op`, and of what is inside, a place. Fails where the
/// workgroups of a batch would share a buffer that all of them write.
bool LoopFuser::planOp(Operation *op) {
  bool possible = true;
  op->walk<WalkOrder::PreOrder>([&](Operation *inner) {
    if (auto cst = dyn_cast<arith::ConstantOp>(inner))
      if (isa<RankedTensorType>(cst.getType()) &&
          !cst->getParentOfType<program::GroupOp>())
        literals.push_back(cst);
    if (isNeutral(inner) || inner->hasTrait<OpTrait::IsTerminator>())
      return WalkResult::skip();
    findDirect(inner);
    SmallVector<int64_t> where;
    for (OpResult result : inner->getResults()) {
      auto loop = dyn_cast<nxv::WhileOp>(inner);
      unsigned number = result.getResultNumber();
      // A kernel cannot take over the memory of what another one gives it.
      bool begins = loop && takesOver(loop, number) &&
                    !inputs.contains(loop->getOperand(number));
      if (direct.contains(result) || begins ||
          (loop && isInvariantState(loop, number))) {
        where.push_back(-1);
        continue;
      }
      bool alone = batch.getSize() == 1 || batch.isSliced(result);
      bool large = !fitsShared(result);
      possible &= alone || !large;
      auto *found = llvm::find(outputs, becomes(result));
      bool whole =
          isa<program::GroupOp>(inner) && alone && becomes(result) == result;
      if (found != outputs.end() && (whole || large))
        where.push_back(found - outputs.begin());
      else
        where.push_back(placeInside(result));
    }
    if (auto loop = dyn_cast<nxv::WhileOp>(inner))
      planSaves(loop, where);
    places.push_back({inner, where});
    return isa<program::GroupOp>(inner) ? WalkResult::skip()
                                        : WalkResult::advance();
  });
  return possible;
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
  direct.clear();
  sharedBytes = 0;
  sharedBudget = std::min(
      mostShared, sharedMemory - ExchangeMemory(ops, mostThreads).getBytes());
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
    if (!planOp(op))
      return false;
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
  if (batch.getSize() > 1) {
    SmallVector<bool> slicedInputs;
    for (Value input : inputs)
      slicedInputs.push_back(batch.isSliced(input));
    group->setAttr(batchAttrName, builder.getI64IntegerAttr(batch.getGroups()));
    group->setAttr(batchedInputsAttrName,
                   builder.getDenseBoolArrayAttr(slicedInputs));
  }
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

/// Runs of operations that are little enough for a workgroup.
SmallVector<Run> LoopFuser::divide(ArrayRef<Operation *> segment) {
  SmallVector<Run> runs(1);
  int64_t steps = 0;
  for (Operation *op : segment) {
    std::optional<int64_t> count =
        countSteps(op, straightWork, batch.getGroups());
    if (!count || steps + *count > mostSteps) {
      runs.emplace_back();
      steps = 0;
    }
    if (!count || *count > mostSteps)
      continue;
    runs.back().push_back(op);
    steps += *count;
  }
  return runs;
}

/// Divides the loops' slices, if there are any, among workgroups.
void LoopFuser::findBatch(ArrayRef<Operation *> segment) {
  batch = BatchPlan::find(segment);
  if (batch.getSize() == 1)
    return;
  batch.annotate(segment);
  // What is whole is done by every workgroup: it may not be the larger part.
  int64_t sliced = 1, whole = 1;
  for (Operation *op : segment)
    if (isControl(op))
      op->walk([&](program::GroupOp group) {
        int64_t &work = isBatched(group, 0) ? sliced : whole;
        work = std::max(work, getWork(group, batch.getGroups()));
      });
  batch.divide(sliced, std::max(enoughLanes, whole));
  if (batch.getSize() == 1) {
    BatchPlan::clear(segment);
    batch = BatchPlan();
  }
}

/// Makes kernels of a run of fusable operations, each slice of a batch with a
/// workgroup of its own where that can be.
void LoopFuser::fuse(Run &segment) {
  // Constants stay outside: they are operands where they are read.
  llvm::erase_if(segment, [](Operation *op) {
    return isa<arith::ConstantOp, tensor::EmptyOp>(op);
  });
  if (llvm::none_of(segment, isControl))
    return joinTiny(segment);
  findBatch(segment);
  SmallVector<Run> runs = divide(segment);
  auto isRefused = [&](Run &run) {
    return llvm::any_of(run, isControl) && !plan(run);
  };
  auto isLeftOut = [&](Operation *op) {
    return isControl(op) && llvm::none_of(runs, [&](Run &run) {
             return llvm::is_contained(run, op);
           });
  };
  if (batch.getSize() > 1 &&
      (llvm::any_of(runs, isRefused) || llvm::any_of(segment, isLeftOut))) {
    BatchPlan::clear(segment);
    batch = BatchPlan();
    runs = divide(segment);
  }
  for (Run &run : runs)
    make(run);
}

/// Makes kernels of groups that follow one another and are so small that
/// starting a kernel takes longer than doing its work.
void LoopFuser::joinTiny(ArrayRef<Operation *> ops) {
  Run run;
  auto end = [&] {
    if (llvm::count_if(
            run, [](Operation *op) { return isa<program::GroupOp>(op); }) > 1 &&
        plan(run))
      wrap(run);
    run.clear();
  };
  for (Operation *op : ops) {
    std::optional<int64_t> steps = countSteps(op, tinyWork, batch.getGroups());
    if (!steps || int64_t(run.size()) == mostSteps)
      end();
    if (steps)
      run.push_back(op);
  }
  end();
}

/// Makes a kernel of a run: with loops whose turns are not known to be few, one
/// that the host starts until they are done.
void LoopFuser::make(ArrayRef<Operation *> run) {
  if (llvm::none_of(run, isControl))
    return joinTiny(run);
  if (!plan(run))
    return;
  int64_t threads = threadsFor(run, batch.getGroups()), iterations = 0;
  nxv::WhileOp endless;
  for (auto [i, op] : llvm::enumerate(run)) {
    std::optional<int64_t> count =
        countIterations(op, threads, batch.getGroups());
    if (count && (iterations + *count <= mostIterations || isLimited(op))) {
      iterations += *count;
      continue;
    }
    auto loop = dyn_cast<nxv::WhileOp>(op);
    if (loop && !endless && turnsOf(loop, threads, iterations) > 0) {
      endless = loop;
      continue;
    }
    // What the host has to do itself divides the run; another long loop begins
    // one of its own.
    bool begins = loop && endless;
    make(run.take_front(i));
    make(run.drop_front(begins ? i : i + 1));
    return;
  }
  if (!endless)
    return wrap(run);
  int64_t turns = turnsOf(endless, threads, iterations);
  BatchPlan::clear(run);
  nxv::WhileOp host = boundLoop(run, endless, turns);
  LoopFuser(host.getBody().front()).run();
}

/// The turns of a loop that a kernel may make which does `iterations` besides;
/// 0 if not even one.
int64_t LoopFuser::turnsOf(nxv::WhileOp loop, int64_t threads,
                           int64_t iterations) const {
  std::optional<int64_t> each =
      countTurnIterations(loop, threads, batch.getGroups());
  return each ? std::max<int64_t>(0, mostIterations - iterations) / *each : 0;
}

void LoopFuser::run() {
  SmallVector<Run> segments(1);
  for (Operation &op : block.without_terminator()) {
    // What updates a state of the host's loop in its memory stays a kernel of
    // its own: of another one the result would lie elsewhere.
    if (isFusable(&op) && !op.hasAttr(aliasedAttrName))
      segments.back().push_back(&op);
    else
      segments.emplace_back();
  }
  for (Run &segment : segments)
    fuse(segment);
  // What does not suit as a whole may hold something that does.
  for (Operation &op : block) {
    if (!isControl(&op) || op.hasAttr(postTestAttrName))
      continue;
    BatchPlan::clear(&op);
    for (Region &region : op.getRegions())
      LoopFuser(region.front()).run();
  }
}

namespace {
struct FuseLoops : nxv::impl::FuseLoopsBase<FuseLoops> {
  void runOnOperation() override {
    if (getOperation().isExternal())
      return;
    getOperation().walk([](nxv::WhileOp loop) { markAliases(loop); });
    LoopFuser(getOperation().getBody().front()).run();
  }
};
} // namespace
