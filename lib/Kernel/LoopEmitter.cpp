//===- LoopEmitter.cpp - the loop family ------------------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
// Loops, branches and the groups in and around them in one workgroup. Every
// group is laid out over the workgroup's lanes in turn; what it computes goes
// to workgroup memory, or to a buffer where it is large, and barriers stand
// only where a group reads or overwrites what another has written. With a batch
// each workgroup does so for its own slice.
//===----------------------------------------------------------------------===//

#include "BatchPlan.h"
#include "BlockEmitter.h"
#include "LoopPlan.h"

#include "nxv/Dialect/Nxv/IR/Nxv.h"
#include "nxv/Kernel/Storage.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace nxv;
using Values = ElementEmitter::Values;

namespace {
class LoopEmitter {
public:
  LoopEmitter(program::GroupOp loop, KernelBuilder &kernel, int64_t threads)
      : loop(loop), kernel(kernel), emitter(kernel.getEmitter()),
        space(kernel.getSpace()), threads(threads), batch(getBatch(loop)),
        exchange(loop.getOperation(), threads) {}
  LogicalResult emit();

private:
  LogicalResult emitOps(Block &block);
  LogicalResult emitGroup(program::GroupOp group);
  LogicalResult emitWhile(nxv::WhileOp op);
  LogicalResult emitCase(nxv::CaseOp op, unsigned branch);
  LogicalResult emitBranch(nxv::CaseOp op, unsigned number);
  Place memoryOf(Value tensor);
  bool isSliced(Value tensor);
  int64_t elementsOf(Value tensor);
  Place allocateShared(Value tensor);
  Place placeOf(Operation *op, unsigned number, Value tensor);
  Place allocate(Operation *op, unsigned result);
  void copy(Place from, Place to, Value tensor, Value condition = {});
  Value loadPredicate(Value tensor);
  void touch(ValueRange read, ValueRange written);
  void barrier();

  program::GroupOp loop;
  KernelBuilder &kernel;
  ElementEmitter &emitter;
  IndexSpace &space;
  int64_t threads;
  int64_t batch;
  ExchangeMemory exchange;
  DenseMap<Value, Place> memory;
  DenseMap<Value, Place> destinations;
  llvm::DenseSet<Value> sliced;
  llvm::DenseSet<Value> readSince, writtenSince;
};
} // namespace

void LoopEmitter::barrier() {
  kernel.barrier(/*deviceMemory=*/true);
  readSince.clear();
  writtenSince.clear();
}

/// Waits if the next step reads what was written, or writes what was read or
/// written, since the last barrier.
void LoopEmitter::touch(ValueRange read, ValueRange written) {
  bool hazard = llvm::any_of(
      read, [&](Value value) { return writtenSince.contains(value); });
  for (Value value : written)
    hazard |= writtenSince.contains(value) || readSince.contains(value);
  if (hazard)
    barrier();
  readSince.insert(read.begin(), read.end());
  writtenSince.insert(written.begin(), written.end());
}

/// Does each workgroup have its own slice of `tensor`?
bool LoopEmitter::isSliced(Value tensor) {
  return sliced.contains(stripReshapes(tensor));
}

/// The elements of `tensor` that a workgroup deals with.
int64_t LoopEmitter::elementsOf(Value tensor) {
  int64_t count = cast<RankedTensorType>(tensor.getType()).getNumElements();
  return isSliced(tensor) ? count / batch : count;
}

Place LoopEmitter::allocateShared(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  int64_t count = elementsOf(tensor);
  Place place;
  place.buffer =
      kernel.allocateShared(type.getElementType(), std::max<int64_t>(1, count));
  if (isSliced(tensor))
    place.base = space.simplify(kernel.getWorkgroupId() * count);
  return place;
}

/// Memory as the plan gives it under `number`, for values like `tensor`:
/// workgroup memory, or a result of the kernel.
Place LoopEmitter::placeOf(Operation *op, unsigned number, Value tensor) {
  int64_t where = getPlannedMemory(op, number);
  if (where >= 0)
    return {kernel.getOutputBuffer(where), {}};
  return allocateShared(tensor);
}

Place LoopEmitter::allocate(Operation *op, unsigned result) {
  if (isBatched(op, result))
    sliced.insert(op->getResult(result));
  return placeOf(op, result, op->getResult(result));
}

Place LoopEmitter::memoryOf(Value tensor) {
  tensor = stripReshapes(tensor);
  if (auto known = memory.find(tensor); known != memory.end())
    return known->second;
  // A literal inside is an operand of the kernel.
  if (auto cst = tensor.getDefiningOp<arith::ConstantOp>())
    if (auto number = cst->getAttrOfType<IntegerAttr>(loopInputAttrName))
      return memory.lookup(loop.getBody().getArgument(number.getInt()));
  return {};
}

/// Copies what the workgroup has of `tensor`, where `condition` holds.
void LoopEmitter::copy(Place from, Place to, Value tensor, Value condition) {
  auto type = cast<RankedTensorType>(tensor.getType());
  int64_t count = elementsOf(tensor);
  if (from.buffer == to.buffer || count == 0)
    return;
  touch({from.buffer}, {to.buffer});
  AffineExpr first = isSliced(tensor)
                         ? space.simplify(kernel.getWorkgroupId() * count)
                         : space.constant(0);
  auto within = [&](const Place &place, AffineExpr position) {
    AffineExpr base = place.base ? place.base : space.constant(0);
    return space.simplify(first + position - base);
  };
  emitter.pushScope();
  emitter.setLane(1);
  auto body = [&](AffineExpr turn, ValueRange) -> Values {
    AffineExpr position = space.simplify(turn * threads + kernel.getThreadId());
    emitter.guarded(emitter.lessThan(position, count), [&] {
      Type element = type.getElementType();
      emitter.store(to.buffer, element, within(to, position),
                    emitter.load(from.buffer, element, within(from, position)));
    });
    return {};
  };
  emitter.guarded(condition, [&] {
    int64_t turns = llvm::divideCeil(count, threads);
    if (turns == 1)
      body(space.constant(0), {});
    else
      emitter.loop(0, turns, 1, {}, body);
  });
  emitter.popScope();
}

LogicalResult LoopEmitter::emitGroup(program::GroupOp group) {
  bool scatter = group.getFamily() == program::Family::scatter;
  BlockEmitter block(group, threads, batch);
  if (!scatter && failed(block.analyze()))
    return failure();
  Block &body = group.getBody().front();
  SmallVector<Value> reads, writes;
  SmallVector<Place> results;
  int64_t bytes = 0;
  for (auto [argument, input] :
       llvm::zip(body.getArguments(), group.getInputs())) {
    Place place = memoryOf(input);
    reads.push_back(place.buffer);
    emitter.bindBuffer(argument, place.buffer, place.base);
  }
  for (auto [i, result] : llvm::enumerate(group->getResults())) {
    if (auto place = destinations.find(result); place != destinations.end()) {
      results.push_back(place->second);
      if (isBatched(group, i))
        sliced.insert(result);
    } else {
      results.push_back(allocate(group, i));
    }
    memory[result] = results.back();
    writes.push_back(results.back().buffer);
    bytes += byteSize(result.getType());
  }
  if (bytes == 0)
    return success();
  touch(reads, writes);
  // What was loaded before a barrier is not what lies there after it.
  emitter.pushScope();
  int64_t grid = scatter ? 1 : block.getGrid();
  if (scatter) {
    emitScatterInto(group, kernel, threads, writes.front());
  } else if (grid == 1) {
    block.emit(kernel, exchange, space.constant(0), results,
               kernel.getWorkgroupId());
  } else {
    emitter.loop(0, grid, 1, {}, [&](AffineExpr place, ValueRange) -> Values {
      block.emit(kernel, exchange, place, results, kernel.getWorkgroupId());
      // The exchange memory is used again in the next turn.
      if (!getRoots(group).empty())
        kernel.barrier(/*deviceMemory=*/true);
      return {};
    });
  }
  emitter.popScope();
  return success();
}

Value LoopEmitter::loadPredicate(Value tensor) {
  Value buffer = memoryOf(tensor).buffer;
  barrier();
  readSince.insert(buffer);
  emitter.setLane(1);
  return emitter.load(buffer, kernel.getBuilder().getI1Type(),
                      space.constant(0));
}

LogicalResult LoopEmitter::emitWhile(nxv::WhileOp op) {
  OpBuilder &builder = kernel.getBuilder();
  Block &condition = op.getCondition().front();
  Block &body = op.getBody().front();
  SmallVector<Place> states;
  for (auto [i, operand] : llvm::enumerate(op.getOperands())) {
    if (isBatched(op, i))
      for (Value value :
           {Value(op->getResult(i)), Value(condition.getArgument(i)),
            Value(body.getArgument(i))})
        sliced.insert(value);
    // What no turn changes stays where it is.
    if (isInvariantState(op, i) || takesOver(op, i)) {
      states.push_back(memoryOf(operand));
      continue;
    }
    states.push_back(allocate(op, i));
    copy(memoryOf(operand), states.back(), op->getResult(i));
  }
  for (Block *block : {&condition, &body})
    for (auto [argument, state] : llvm::zip(block->getArguments(), states))
      memory[argument] = state;
  for (auto [result, state] : llvm::zip(op.getResults(), states))
    memory[result] = state;

  auto loopOp =
      scf::WhileOp::create(builder, op.getLoc(), TypeRange{}, ValueRange{});
  OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&loopOp.getBefore());
  emitter.pushScope();
  // The predicate of the turn before has been read by all.
  barrier();
  if (failed(emitOps(condition)))
    return failure();
  Value predicate = loadPredicate(condition.getTerminator()->getOperand(0));
  scf::ConditionOp::create(builder, op.getLoc(), predicate, ValueRange{});
  emitter.popScope();

  builder.createBlock(&loopOp.getAfter());
  emitter.pushScope();
  for (auto [value, i] : getDirectStates(body))
    destinations.try_emplace(value, states[i]);
  if (failed(emitOps(body)))
    return failure();
  auto yields = body.getTerminator()->getOperands();
  // Old states that move to another place are saved before any is overwritten.
  SmallVector<Place> sources;
  for (auto [i, operand] : llvm::enumerate(yields)) {
    Place from = memoryOf(operand);
    auto isFrom = [&](const Place &state) {
      return state.buffer == from.buffer;
    };
    if (!isFrom(states[i]) && llvm::any_of(states, isFrom)) {
      Place held = placeOf(op, op.getNumResults() + i, op->getResult(i));
      copy(from, held, op->getResult(i));
      from = held;
    }
    sources.push_back(from);
  }
  for (unsigned i = 0; i < sources.size(); ++i)
    copy(sources[i], states[i], op->getResult(i));
  scf::YieldOp::create(builder, op.getLoc());
  emitter.popScope();
  readSince.clear();
  writtenSince.clear();
  for (const Place &state : states)
    writtenSince.insert(state.buffer);
  return success();
}

LogicalResult LoopEmitter::emitBranch(nxv::CaseOp op, unsigned number) {
  Block &block = op.getBranches()[number].front();
  auto yields = block.getTerminator()->getOperands();
  for (auto [value, result] :
       llvm::zip(getDirectResults(block), op.getResults()))
    if (value)
      destinations.try_emplace(value, memory[result]);
  emitter.pushScope();
  LogicalResult emitted = emitOps(block);
  if (succeeded(emitted))
    for (auto [operand, result] : llvm::zip(yields, op.getResults()))
      copy(memoryOf(operand), memory[result], result);
  barrier();
  emitter.popScope();
  return emitted;
}

LogicalResult LoopEmitter::emitCase(nxv::CaseOp op, unsigned branch) {
  if (branch == 0)
    for (Value result : op.getResults())
      memory[result] = allocate(op, cast<OpResult>(result).getResultNumber());
  if (branch == op.getPredicates().size())
    return emitBranch(op, branch);
  OpBuilder &builder = kernel.getBuilder();
  Value predicate = loadPredicate(op.getPredicates()[branch]);
  auto ifOp = scf::IfOp::create(builder, op.getLoc(), predicate, true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&ifOp.getThenRegion().front());
  if (failed(emitBranch(op, branch)))
    return failure();
  builder.setInsertionPointToStart(&ifOp.getElseRegion().front());
  emitter.pushScope();
  LogicalResult rest = emitCase(op, branch + 1);
  emitter.popScope();
  return rest;
}

LogicalResult LoopEmitter::emitOps(Block &block) {
  for (Operation &op : block.without_terminator()) {
    LogicalResult emitted = success();
    if (auto group = dyn_cast<program::GroupOp>(op))
      emitted = emitGroup(group);
    else if (auto inner = dyn_cast<nxv::WhileOp>(op))
      emitted = emitWhile(inner);
    else if (auto branch = dyn_cast<nxv::CaseOp>(op))
      emitted = emitCase(branch, 0);
    if (failed(emitted))
      return failure();
  }
  return success();
}

LogicalResult LoopEmitter::emit() {
  Block &body = loop.getBody().front();
  auto inputs = loop->getAttrOfType<DenseBoolArrayAttr>(batchedInputsAttrName);
  for (auto [i, argument] : llvm::enumerate(body.getArguments())) {
    memory[argument] = {emitter.getBuffer(argument), {}};
    if (inputs && inputs[i])
      sliced.insert(argument);
  }
  if (failed(emitOps(body)))
    return failure();
  for (auto [i, value] : llvm::enumerate(getYields(loop))) {
    Place from = memoryOf(value);
    if (!from.buffer)
      continue;
    // What all workgroups have alike is written by one.
    Value condition;
    if (!isSliced(value))
      condition = emitter.lessThan(kernel.getWorkgroupId(), 1);
    copy(from, {kernel.getOutputBuffer(i), {}}, value, condition);
  }
  return success();
}

FailureOr<gpu::GPUFuncOp> nxv::emitLoop(program::GroupOp group, ModuleOp module,
                                        StringRef name) {
  int64_t threads = getLoopThreads(group);
  KernelBuilder kernel(module, name, group, threads, getBatch(group));
  if (failed(LoopEmitter(group, kernel, threads).emit()))
    return failure();
  return kernel.finish();
}
