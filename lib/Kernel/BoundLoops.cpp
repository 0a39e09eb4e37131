//===- BoundLoops.cpp - loops that no kernel may run to their end ---------===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
// The host's loop has as its states those of the loop (undefined at first), the
// values that are used after it, and whether there are turns left. What stands
// ahead of the loop and behind it is computed in each turn of the host's loop:
// it is little, and there are rarely two.
//===----------------------------------------------------------------------===//

#include "BoundLoops.h"
#include "LoopPlan.h"

#include "nxv/Kernel/Storage.h"
#include "nxv/Kernel/TripCount.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace nxv;

//===----------------------------------------------------------------------===//
// Iterations
//===----------------------------------------------------------------------===//

static std::optional<int64_t> countRegions(Operation *op, int64_t threads,
                                           int64_t batch) {
  int64_t sum = 0;
  for (Region &region : op->getRegions())
    for (Operation &inner : region.front().without_terminator()) {
      std::optional<int64_t> count = countIterations(&inner, threads, batch);
      if (!count)
        return std::nullopt;
      sum += *count;
    }
  return sum;
}

std::optional<int64_t>
nxv::countTurnIterations(nxv::WhileOp loop, int64_t threads, int64_t batch) {
  std::optional<int64_t> inside = countRegions(loop, threads, batch);
  if (!inside)
    return std::nullopt;
  // States that change places are copied twice.
  int64_t moved = getMovedElements(loop, batch);
  int64_t copies = moved <= threads ? 0 : llvm::divideCeil(moved, threads);
  return 1 + *inside + 2 * int64_t(loop->getNumOperands()) * copies;
}

/// Threads own rows of columns, copy them and go over all updates.
static int64_t countScatter(program::GroupOp group, int64_t threads) {
  int64_t count = 0;
  for (auto op : group.getBody().getOps<nxv::ScatterOp>()) {
    auto updates = cast<RankedTensorType>(op.getUpdates().getType());
    auto result = cast<RankedTensorType>(op.getResult().getType());
    int64_t rows = std::max<int64_t>(1, updates.getDimSize(0));
    int64_t turns = llvm::divideCeil(result.getNumElements(), threads);
    count += (1 + turns) * (2 + rows);
  }
  return count;
}

static std::optional<uint64_t> getMostTurns(nxv::WhileOp loop) {
  if (auto turns = loop->getAttrOfType<IntegerAttr>(mostTurnsAttrName))
    return turns.getInt();
  return getTripBound(loop);
}

std::optional<int64_t> nxv::countIterations(Operation *op, int64_t threads,
                                            int64_t batch) {
  if (auto group = dyn_cast<program::GroupOp>(op)) {
    if (group.getFamily() == program::Family::scatter)
      return countScatter(group, threads);
    int64_t work = getWork(group, batch);
    // One turn needs no loop.
    return work <= threads ? 0 : 1 + llvm::divideCeil(work, threads);
  }
  auto loop = dyn_cast<nxv::WhileOp>(op);
  if (!loop)
    return countRegions(op, threads, batch);
  std::optional<uint64_t> turns = getMostTurns(loop);
  std::optional<int64_t> each = countTurnIterations(loop, threads, batch);
  constexpr int64_t many = int64_t(1) << 40;
  if (!turns || !each || *turns > uint64_t(many / *each))
    return std::nullopt;
  return int64_t(*turns) * *each;
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

namespace {
class LoopBounder {
public:
  LoopBounder(ArrayRef<Operation *> run, nxv::WhileOp loop, int64_t turns)
      : run(run), loop(loop), turns(turns), builder(loop.getContext()) {}
  nxv::WhileOp bound();

private:
  void findValues();
  void createHostLoop();
  void chooseStates(ValueRange saved, Value more);
  void limitTurns();
  Value isUnfinished();
  Value scalarGroup(Type element, ValueRange inputs,
                    llvm::function_ref<Value(OpBuilder &, ValueRange)> payload);

  ArrayRef<Operation *> run;
  nxv::WhileOp loop;
  int64_t turns;
  OpBuilder builder;
  nxv::WhileOp host;
  llvm::SetVector<Value> inputs, outputs;
  SmallVector<unsigned> states; // the loop's, that turns change
};
} // namespace

/// A group that computes a number from numbers.
Value LoopBounder::scalarGroup(
    Type element, ValueRange inputs,
    llvm::function_ref<Value(OpBuilder &, ValueRange)> payload) {
  Location loc = loop.getLoc();
  auto type = RankedTensorType::get({}, element);
  auto group = program::GroupOp::create(
      builder, loc, TypeRange{type},
      program::FamilyAttr::get(builder.getContext(), program::Family::map),
      inputs);
  OpBuilder inner = OpBuilder::atBlockEnd(&group.getBody().emplaceBlock());
  for (Value input : inputs)
    group.getBody().addArgument(input.getType(), loc);
  Value empty = tensor::EmptyOp::create(inner, loc, type.getShape(), element);
  SmallVector<AffineMap> maps(inputs.size() + 1,
                              AffineMap::get(builder.getContext()));
  auto generic = linalg::GenericOp::create(
      inner, loc, TypeRange{type}, group.getBody().getArguments(),
      ValueRange{empty}, maps, ArrayRef<utils::IteratorType>{},
      [&](OpBuilder &b, Location at, ValueRange arguments) {
        linalg::YieldOp::create(b, at, payload(b, arguments.drop_back()));
      });
  program::YieldOp::create(inner, loc, generic.getResults());
  return group->getResult(0);
}

/// What the run takes and gives. What no turn changes is what it was.
void LoopBounder::findValues() {
  for (unsigned i = 0; i < loop->getNumOperands(); ++i) {
    if (isInvariantState(loop, i))
      loop->getResult(i).replaceAllUsesWith(loop->getOperand(i));
    else
      states.push_back(i);
  }
  llvm::SmallPtrSet<Operation *, 32> inside(run.begin(), run.end());
  Block *block = loop->getBlock();
  auto isInside = [&](Operation *op) {
    return op && inside.contains(block->findAncestorOpInBlock(*op));
  };
  for (Operation *op : run) {
    llvm::SetVector<Value> used(op->operand_begin(), op->operand_end());
    getUsedValuesDefinedAbove(op->getRegions(), used);
    for (Value value : used)
      if (!isInside(value.getDefiningOp()))
        inputs.insert(value);
    for (Value result : op->getResults())
      if (!isa<tensor::EmptyOp, arith::ConstantOp>(op) &&
          op != loop.getOperation() &&
          llvm::any_of(result.getUsers(),
                       [&](Operation *user) { return !isInside(user); }))
        outputs.insert(result);
  }
}

/// The loop of the host around the run: its states are the loop's, the outputs,
/// whether there are turns left, and the inputs.
void LoopBounder::createHostLoop() {
  Location loc = loop.getLoc();
  builder.setInsertionPointAfter(run.back());
  SmallVector<Value> operands;
  auto addUndefined = [&](Type type) {
    auto tensor = cast<RankedTensorType>(type);
    operands.push_back(tensor::EmptyOp::create(builder, loc, tensor.getShape(),
                                               tensor.getElementType()));
  };
  for (unsigned state : states)
    addUndefined(loop->getOperand(state).getType());
  for (Value output : outputs)
    addUndefined(output.getType());
  auto predicate = RankedTensorType::get({}, builder.getI1Type());
  operands.push_back(arith::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(predicate, false)));
  llvm::append_range(operands, inputs);
  host = nxv::WhileOp::create(builder, loc, ValueRange(operands).getTypes(),
                              operands);
  host->setAttr(postTestAttrName, builder.getUnitAttr());
  SmallVector<Location> locations(operands.size(), loc);
  for (Region *region : {&host.getCondition(), &host.getBody()})
    region->emplaceBlock().addArguments(ValueRange(operands).getTypes(),
                                        locations);
  Block &condition = host.getCondition().front();
  builder.setInsertionPointToEnd(&condition);
  nxv::YieldOp::create(
      builder, loc,
      ValueRange{condition.getArgument(states.size() + outputs.size())});
}

/// The loop goes on from where it was left, or begins.
void LoopBounder::chooseStates(ValueRange saved, Value more) {
  Location loc = loop.getLoc();
  builder.setInsertionPoint(loop);
  SmallVector<Value> initial;
  for (unsigned state : states)
    initial.push_back(loop->getOperand(state));
  auto choice = nxv::CaseOp::create(
      builder, loc, ValueRange(initial).getTypes(), ValueRange{more}, 2);
  for (auto [region, values] :
       llvm::zip(choice.getBranches(), ArrayRef<ValueRange>{saved, initial})) {
    builder.setInsertionPointToEnd(&region.emplaceBlock());
    nxv::YieldOp::create(builder, loc, values);
  }
  for (auto [i, state] : llvm::enumerate(states))
    loop->setOperand(state, choice->getResult(i));
}

/// Gives the loop a counter of its turns.
void LoopBounder::limitTurns() {
  Location loc = loop.getLoc();
  auto type = RankedTensorType::get({}, builder.getI32Type());
  builder.setInsertionPoint(loop);
  SmallVector<Value> operands(loop->getOperands());
  operands.push_back(arith::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(type, int32_t(0))));
  auto limited = nxv::WhileOp::create(
      builder, loc, ValueRange(operands).getTypes(), operands);
  limited.getCondition().takeBody(loop.getCondition());
  limited.getBody().takeBody(loop.getBody());
  limited->setAttr(mostTurnsAttrName, builder.getI64IntegerAttr(turns));
  loop->replaceAllUsesWith(limited->getResults().drop_back());
  loop->erase();
  loop = limited;

  Operation *end = loop.getCondition().front().getTerminator();
  Value turn = loop.getCondition().addArgument(type, loc);
  builder.setInsertionPoint(end);
  end->setOperand(
      0, scalarGroup(builder.getI1Type(), {end->getOperand(0), turn},
                     [&](OpBuilder &b, ValueRange values) -> Value {
                       Value most = arith::ConstantIntOp::create(
                           b, loc, b.getI32Type(), turns);
                       Value less = arith::CmpIOp::create(
                           b, loc, arith::CmpIPredicate::slt, values[1], most);
                       return arith::AndIOp::create(b, loc, values[0], less);
                     }));
  end = loop.getBody().front().getTerminator();
  turn = loop.getBody().addArgument(type, loc);
  builder.setInsertionPoint(end);
  Value next = scalarGroup(
      builder.getI32Type(), {turn}, [&](OpBuilder &b, ValueRange values) {
        Value one = arith::ConstantIntOp::create(b, loc, b.getI32Type(), 1);
        return arith::AddIOp::create(b, loc, values[0], one).getResult();
      });
  end->insertOperands(end->getNumOperands(), next);
}

/// The condition once more, behind the loop.
Value LoopBounder::isUnfinished() {
  builder.setInsertionPointAfter(loop);
  IRMapping mapping;
  Block &condition = loop.getCondition().front();
  mapping.map(condition.getArguments(), loop->getResults());
  for (Operation &op : condition.without_terminator())
    builder.clone(op, mapping);
  return mapping.lookupOrDefault(condition.getTerminator()->getOperand(0));
}

nxv::WhileOp LoopBounder::bound() {
  Location loc = loop.getLoc();
  findValues();
  createHostLoop();
  Block &body = host.getBody().front();
  ValueRange arguments = body.getArguments();
  ValueRange saved = arguments.take_front(states.size());
  Value more = arguments[states.size() + outputs.size()];
  ValueRange taken = arguments.take_back(inputs.size());

  SmallVector<Value> results; // of the loop, in the order of the states
  for (unsigned state : states)
    results.push_back(loop->getResult(state));
  auto isOutside = [&](OpOperand &use) {
    return !host->isProperAncestor(use.getOwner());
  };
  for (Operation *op : run)
    op->moveBefore(&body, body.end());
  for (auto [input, argument] : llvm::zip(inputs, taken))
    replaceAllUsesInRegionWith(input, argument, host.getBody());
  for (auto [i, value] : llvm::enumerate(results))
    value.replaceUsesWithIf(host->getResult(i), isOutside);
  for (auto [i, value] : llvm::enumerate(outputs))
    Value(value).replaceUsesWithIf(host->getResult(states.size() + i),
                                   isOutside);
  chooseStates(saved, more);
  // The predicate without the limit, from the condition as it was.
  Value unfinished = isUnfinished();
  SmallVector<Value> yields;
  limitTurns();
  builder.setInsertionPointToEnd(&body);
  for (unsigned state : states)
    yields.push_back(loop->getResult(state));
  llvm::append_range(yields, outputs);
  yields.push_back(unfinished);
  llvm::append_range(yields, taken);
  nxv::YieldOp::create(builder, loc, yields);
  return host;
}

nxv::WhileOp nxv::boundLoop(ArrayRef<Operation *> run, nxv::WhileOp loop,
                            int64_t turns) {
  return LoopBounder(run, loop, turns).bound();
}
