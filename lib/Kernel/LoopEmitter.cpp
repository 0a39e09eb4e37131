//===- LoopEmitter.cpp - the loop family ------------------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
// Loops, branches and the groups in and around them in one workgroup. Every
// group is laid out over the workgroup's lanes in turn; what it computes goes
// to workgroup memory, or to a buffer where it is large, and barriers stand
// only where a group reads or overwrites what another has written.
//===----------------------------------------------------------------------===//

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
        space(kernel.getSpace()), threads(threads) {}
  LogicalResult emit();

private:
  LogicalResult emitOps(Block &block);
  LogicalResult emitGroup(program::GroupOp group);
  LogicalResult emitWhile(nxv::WhileOp op);
  LogicalResult emitCase(nxv::CaseOp op, unsigned branch);
  LogicalResult emitBranch(nxv::CaseOp op, unsigned number);
  Value memoryOf(Value tensor);
  Value allocate(Operation *op, unsigned result, Type tensor);
  void copy(Value from, Value to, Type tensor);
  Value loadPredicate(Value tensor);
  void touch(ValueRange read, ValueRange written);
  void barrier();

  program::GroupOp loop;
  KernelBuilder &kernel;
  ElementEmitter &emitter;
  IndexSpace &space;
  int64_t threads;
  ExchangeMemory exchange;
  DenseMap<Value, Value> memory;
  DenseMap<Value, Value> destinations;
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

/// Memory for a result: workgroup memory, or the kernel's own result that the
/// plan gives it.
Value LoopEmitter::allocate(Operation *op, unsigned result, Type tensor) {
  int64_t where = getPlannedMemory(op, result);
  if (where >= 0)
    return kernel.getOutputBuffer(where);
  auto type = cast<RankedTensorType>(tensor);
  return kernel.allocateShared(type.getElementType(),
                               std::max<int64_t>(1, type.getNumElements()));
}

Value LoopEmitter::memoryOf(Value tensor) {
  tensor = stripReshapes(tensor);
  if (Value known = memory.lookup(tensor))
    return known;
  // A literal inside is an operand of the kernel.
  if (auto cst = tensor.getDefiningOp<arith::ConstantOp>())
    if (auto number = cst->getAttrOfType<IntegerAttr>(loopInputAttrName))
      return memory.lookup(loop.getBody().getArgument(number.getInt()));
  return {};
}

void LoopEmitter::copy(Value from, Value to, Type tensor) {
  auto type = cast<RankedTensorType>(tensor);
  int64_t count = type.getNumElements();
  if (from == to || count == 0)
    return;
  touch({from}, {to});
  emitter.pushScope();
  emitter.setLane(1);
  auto body = [&](AffineExpr turn, ValueRange) -> Values {
    AffineExpr position = space.simplify(turn * threads + kernel.getThreadId());
    emitter.guarded(emitter.lessThan(position, count), [&] {
      Type element = type.getElementType();
      emitter.store(to, element, position,
                    emitter.load(from, element, position));
    });
    return {};
  };
  int64_t turns = llvm::divideCeil(count, threads);
  if (turns == 1)
    body(space.constant(0), {});
  else
    emitter.loop(0, turns, 1, {}, body);
  emitter.popScope();
}

LogicalResult LoopEmitter::emitGroup(program::GroupOp group) {
  bool scatter = group.getFamily() == program::Family::scatter;
  BlockEmitter block(group, threads);
  if (!scatter && failed(block.analyze()))
    return failure();
  Block &body = group.getBody().front();
  SmallVector<Value> reads, writes;
  int64_t bytes = 0;
  for (auto [argument, input] :
       llvm::zip(body.getArguments(), group.getInputs())) {
    reads.push_back(memoryOf(input));
    emitter.bindBuffer(argument, reads.back());
  }
  for (auto [i, result] : llvm::enumerate(group->getResults())) {
    Value &buffer = memory[result];
    buffer = destinations.lookup(result);
    if (!buffer)
      buffer = allocate(group, i, result.getType());
    writes.push_back(buffer);
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
    block.emit(kernel, exchange, space.constant(0), writes);
  } else {
    emitter.loop(0, grid, 1, {}, [&](AffineExpr place, ValueRange) -> Values {
      block.emit(kernel, exchange, place, writes);
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
  Value buffer = memoryOf(tensor);
  barrier();
  readSince.insert(buffer);
  emitter.setLane(1);
  return emitter.load(buffer, kernel.getBuilder().getI1Type(),
                      space.constant(0));
}

LogicalResult LoopEmitter::emitWhile(nxv::WhileOp op) {
  OpBuilder &builder = kernel.getBuilder();
  SmallVector<Value> states;
  for (auto [i, operand] : llvm::enumerate(op.getOperands())) {
    states.push_back(allocate(op, i, operand.getType()));
    copy(memoryOf(operand), states.back(), operand.getType());
  }
  Block &condition = op.getCondition().front();
  Block &body = op.getBody().front();
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
  SmallVector<Value> sources;
  for (auto [i, operand] : llvm::enumerate(yields)) {
    Value from = memoryOf(operand);
    if (from != states[i] && llvm::is_contained(states, from)) {
      auto type = cast<RankedTensorType>(operand.getType());
      Value held = allocate(op, op.getNumResults() + i, type);
      copy(from, held, type);
      from = held;
    }
    sources.push_back(from);
  }
  for (auto [i, operand] : llvm::enumerate(yields))
    copy(sources[i], states[i], operand.getType());
  scf::YieldOp::create(builder, op.getLoc());
  emitter.popScope();
  readSince.clear();
  writtenSince.clear();
  writtenSince.insert(states.begin(), states.end());
  return success();
}

LogicalResult LoopEmitter::emitBranch(nxv::CaseOp op, unsigned number) {
  Block &block = op.getBranches()[number].front();
  auto yields = block.getTerminator()->getOperands();
  for (auto [operand, result] : llvm::zip(yields, op.getResults())) {
    Value value = stripReshapes(operand);
    auto group = value.getDefiningOp<program::GroupOp>();
    if (group && group->getBlock() == &block)
      destinations.try_emplace(value, memory[result]);
  }
  emitter.pushScope();
  LogicalResult emitted = emitOps(block);
  if (succeeded(emitted))
    for (auto [operand, result] : llvm::zip(yields, op.getResults()))
      copy(memoryOf(operand), memory[result], operand.getType());
  barrier();
  emitter.popScope();
  return emitted;
}

LogicalResult LoopEmitter::emitCase(nxv::CaseOp op, unsigned branch) {
  if (branch == 0)
    for (Value result : op.getResults())
      memory[result] = allocate(op, cast<OpResult>(result).getResultNumber(),
                                result.getType());
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
  for (Value argument : body.getArguments())
    memory[argument] = emitter.getBuffer(argument);
  if (failed(emitOps(body)))
    return failure();
  for (auto [i, value] : llvm::enumerate(getYields(loop)))
    if (Value from = memoryOf(value))
      copy(from, kernel.getOutputBuffer(i), value.getType());
  return success();
}

FailureOr<gpu::GPUFuncOp> nxv::emitLoop(program::GroupOp group, ModuleOp module,
                                        StringRef name) {
  int64_t threads = getLoopThreads(group);
  KernelBuilder kernel(module, name, group, threads, 1);
  if (failed(LoopEmitter(group, kernel, threads).emit()))
    return failure();
  return kernel.finish();
}
