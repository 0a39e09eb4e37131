//===- EmitKernels.cpp - from groups to a program of kernels ----*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "BoundLoops.h"

#include "nxv/Dialect/Nxv/IR/Nxv.h"
#include "nxv/Dialect/Program/IR/Program.h"
#include "nxv/Kernel/KernelBuilder.h"
#include "nxv/Kernel/Passes.h"
#include "nxv/Kernel/Storage.h"
#include "nxv/Kernel/TripCount.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace nxv {
#define GEN_PASS_DEF_EMITKERNELS
#include "nxv/Kernel/Passes.h.inc"
} // namespace nxv

using namespace mlir;
using namespace nxv;
using program::BufferKind;
using program::Family;

namespace {
/// Turns one function into a program.
class ProgramBuilder {
public:
  ProgramBuilder(func::FuncOp function, ModuleOp module)
      : function(function), module(module), builder(module.getContext()) {}
  LogicalResult run();

private:
  DictionaryAttr describe(Type type, DictionaryAttr attrs, bool input);
  void createProgram();
  Value createBuffer(BufferKind kind, Type type, Location loc,
                     std::optional<int64_t> index = std::nullopt,
                     ElementsAttr value = {});
  Value bufferOf(Value tensor);
  void copy(Location loc, Value from, Value to, Type type);
  LogicalResult addBlock(Block &block);
  LogicalResult addGroup(program::GroupOp group);
  LogicalResult addLoop(nxv::WhileOp op);
  LogicalResult addWhile(nxv::WhileOp op, ValueRange states);
  LogicalResult addPostTest(nxv::WhileOp op, ValueRange states);
  LogicalResult addRepeat(nxv::WhileOp op, uint64_t turns, ValueRange states);
  FailureOr<Value> addCondition(nxv::WhileOp op, ValueRange states);
  LogicalResult addTurn(nxv::WhileOp op, ValueRange from, ValueRange to);
  SmallVector<Value> getOtherStates(nxv::WhileOp op, ValueRange states);
  void writeStates(Block &body, ValueRange from, ValueRange to);
  LogicalResult addSecondTurn(nxv::WhileOp op, ValueRange from, ValueRange to);
  LogicalResult addCase(nxv::CaseOp op);
  LogicalResult addBranch(nxv::CaseOp op, unsigned number, ValueRange results);
  void addTap(nxv::TapOp op);
  void addResults(func::ReturnOp op);

  func::FuncOp function;
  ModuleOp module;
  OpBuilder builder;
  program::ProgramOp program;
  DenseMap<Value, Value> buffers;
  /// The kernels of groups; a loop's body may be there twice.
  DenseMap<Operation *, gpu::GPUFuncOp> emitted;
  /// Where values have to end up that leave their block.
  DenseMap<Value, Value> destinations;
  int64_t kernels = 0;
};
} // namespace

/// True if an operation of these kinds is inside.
template <typename... Ops>
static bool holds(Region &region) {
  return region
      .walk([](Operation *op) {
        return isa<Ops...>(op) ? WalkResult::interrupt()
                               : WalkResult::advance();
      })
      .wasInterrupted();
}

/// The shape of a tensor of `element` in a graph: in memory a last axis holds
/// the two parts of a complex number.
static ArrayRef<int64_t> graphShape(RankedTensorType type, StringRef element) {
  return element == "c64" || element == "c128" ? type.getShape().drop_back()
                                               : type.getShape();
}

DictionaryAttr ProgramBuilder::describe(Type type, DictionaryAttr attrs,
                                        bool input) {
  auto tensor = cast<RankedTensorType>(type);
  SmallVector<NamedAttribute> entries;
  auto get = [&](StringRef name) {
    return attrs ? attrs.get(name) : Attribute();
  };
  if (input)
    entries.push_back(builder.getNamedAttr(
        "name", get("nxv.name") ? get("nxv.name") : builder.getStringAttr("")));
  std::string element;
  llvm::raw_string_ostream(element) << tensor.getElementType();
  if (auto name = dyn_cast_or_null<StringAttr>(get("nxv.element")))
    element = name.getValue();
  entries.push_back(
      builder.getNamedAttr("type", builder.getStringAttr(element)));
  entries.push_back(builder.getNamedAttr(
      "shape", builder.getDenseI64ArrayAttr(graphShape(tensor, element))));
  if (input && get("nxv.donatable"))
    entries.push_back(builder.getNamedAttr("donatable", builder.getUnitAttr()));
  return builder.getDictionaryAttr(entries);
}

void ProgramBuilder::createProgram() {
  SmallVector<Attribute> inputs, outputs;
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes()))
    inputs.push_back(describe(type, function.getArgAttrDict(i), true));
  for (auto [i, type] : llvm::enumerate(function.getResultTypes()))
    outputs.push_back(describe(type, function.getResultAttrDict(i), false));
  builder.setInsertionPoint(function);
  program = program::ProgramOp::create(
      builder, function.getLoc(), function.getName(),
      builder.getArrayAttr(inputs), builder.getArrayAttr(outputs),
      function->getAttrOfType<StringAttr>("nxv.output_tree"), IntegerAttr(),
      IntegerAttr());
  builder.setInsertionPointToEnd(&program.getBody().emplaceBlock());
}

/// Buffers stand in front of everything: they may be used anywhere.
Value ProgramBuilder::createBuffer(BufferKind kind, Type type, Location loc,
                                   std::optional<int64_t> index,
                                   ElementsAttr value) {
  OpBuilder::InsertionGuard guard(builder);
  Block &body = program.getBody().front();
  auto last = body.begin();
  while (last != body.end() && isa<program::BufferOp>(*last))
    ++last;
  builder.setInsertionPoint(&body, last);
  return program::BufferOp::create(
      builder, loc, program::BufferType::get(builder.getContext()),
      program::BufferKindAttr::get(builder.getContext(), kind),
      builder.getI64IntegerAttr(byteSize(type)),
      index ? builder.getI64IntegerAttr(*index) : IntegerAttr(), IntegerAttr(),
      value);
}

Value ProgramBuilder::bufferOf(Value tensor) {
  tensor = stripReshapes(tensor);
  Value &buffer = buffers[tensor];
  if (!buffer)
    if (auto cst = tensor.getDefiningOp<arith::ConstantOp>())
      buffer = createBuffer(BufferKind::constant, cst.getType(), cst.getLoc(),
                            std::nullopt, cast<ElementsAttr>(cst.getValue()));
  return buffer;
}

void ProgramBuilder::copy(Location loc, Value from, Value to, Type type) {
  if (from != to && byteSize(type))
    program::CopyOp::create(builder, loc, from, to,
                            builder.getI64IntegerAttr(byteSize(type)));
}

LogicalResult ProgramBuilder::addGroup(program::GroupOp group) {
  SmallVector<Value> inputs, outputs;
  for (Value input : group.getInputs())
    inputs.push_back(bufferOf(input));
  int64_t bytes = 0;
  for (Value result : group.getOutputs()) {
    Value &buffer = buffers[result];
    buffer = destinations.lookup(result);
    if (!buffer)
      buffer =
          createBuffer(BufferKind::arena, result.getType(), group.getLoc());
    outputs.push_back(buffer);
    bytes += byteSize(result.getType());
  }
  if (bytes == 0)
    return success();
  gpu::GPUFuncOp &kernel = emitted[group];
  if (!kernel) {
    std::string name =
        (stringifyFamily(group.getFamily()) + "_" + Twine(kernels++)).str();
    FailureOr<gpu::GPUFuncOp> made = nxv::emitKernel(group, module, name);
    if (failed(made))
      return failure();
    kernel = *made;
  }
  auto name = FlatSymbolRefAttr::get(kernel.getNameAttr());
  auto dispatch = program::DispatchOp::create(
      builder, group.getLoc(), SymbolRefAttr::get(name.getAttr(), {name}),
      kernel->getAttrOfType<IntegerAttr>("nxv.grid"), inputs, outputs);
  if (ArrayAttr pairs = getInPlacePairs(group); !pairs.empty())
    dispatch->setAttr("in_place", pairs);
  return success();
}

LogicalResult ProgramBuilder::addLoop(nxv::WhileOp op) {
  Location loc = op.getLoc();
  SmallVector<Value> states;
  for (auto [i, operand] : llvm::enumerate(op.getOperands())) {
    Value from = bufferOf(operand);
    // What no turn changes stays where it is.
    if (isInvariantState(op, i)) {
      states.push_back(from);
      continue;
    }
    Value state = destinations.lookup(op->getResult(i));
    states.push_back(
        state ? state
              : createBuffer(BufferKind::arena, operand.getType(), loc));
    if (!operand.getDefiningOp<tensor::EmptyOp>())
      copy(loc, from, states.back(), operand.getType());
  }
  for (auto [result, state] : llvm::zip(op.getResults(), states))
    buffers[result] = state;
  if (op->hasAttr(postTestAttrName))
    return addPostTest(op, states);
  std::optional<uint64_t> turns = getTripCount(op);
  // A condition that shows values to the host has to run.
  if (turns && !holds<nxv::TapOp>(op.getCondition()))
    return addRepeat(op, *turns, states);
  return addWhile(op, states);
}

/// A loop whose turns are counted. Two turns at a time go from the states to
/// other buffers and back.
LogicalResult ProgramBuilder::addRepeat(nxv::WhileOp op, uint64_t turns,
                                        ValueRange states) {
  SmallVector<Value> others =
      turns > 1 ? getOtherStates(op, states) : llvm::to_vector(states);
  bool twice = ValueRange(others) != states;
  if (turns == 1 || (twice && turns % 2 == 1)) {
    if (failed(addTurn(op, states, states)))
      return failure();
    --turns;
  }
  if (turns == 0)
    return success();
  OpBuilder::InsertionGuard guard(builder);
  auto loop = program::RepeatOp::create(builder, op.getLoc(),
                                        twice ? turns / 2 : turns);
  builder.setInsertionPointToEnd(&loop.getBody().emplaceBlock());
  if (failed(addTurn(op, states, others)))
    return failure();
  return twice ? addTurn(op, others, states) : success();
}

/// A loop that begins with a turn: turns are what its condition does.
LogicalResult ProgramBuilder::addPostTest(nxv::WhileOp op, ValueRange states) {
  OpBuilder::InsertionGuard guard(builder);
  auto loop = program::WhileOp::create(builder, op.getLoc(), states.front());
  builder.setInsertionPointToEnd(&loop.getCondition().emplaceBlock());
  if (failed(addTurn(op, states, states)))
    return failure();
  FailureOr<Value> predicate = addCondition(op, states);
  if (failed(predicate))
    return failure();
  loop->setOperand(0, *predicate);
  return success();
}

LogicalResult ProgramBuilder::addWhile(nxv::WhileOp op, ValueRange states) {
  Location loc = op.getLoc();
  OpBuilder::InsertionGuard guard(builder);
  // The predicate's buffer is known once the condition is there.
  Value unknown =
      states.empty()
          ? createBuffer(BufferKind::arena,
                         RankedTensorType::get({}, builder.getI1Type()), loc)
          : states.front();
  auto loop = program::WhileOp::create(builder, loc, unknown);
  builder.setInsertionPointToEnd(&loop.getCondition().emplaceBlock());
  FailureOr<Value> predicate = addCondition(op, states);
  if (failed(predicate))
    return failure();
  loop->setOperand(0, *predicate);
  builder.setInsertionPointToEnd(&loop.getBody().emplaceBlock());
  SmallVector<Value> others = getOtherStates(op, states);
  if (failed(addTurn(op, states, others)))
    return failure();
  return ValueRange(others) == states ? success()
                                      : addSecondTurn(op, others, states);
}

/// What computes the predicate from the states; its buffer.
FailureOr<Value> ProgramBuilder::addCondition(nxv::WhileOp op,
                                              ValueRange states) {
  Block &condition = op.getCondition().front();
  for (auto [argument, state] : llvm::zip(condition.getArguments(), states))
    buffers[argument] = state;
  if (failed(addBlock(condition)))
    return failure();
  return bufferOf(condition.getTerminator()->getOperand(0));
}

/// The turn that leads back from the other buffers, if there is one; otherwise
/// the states are copied back, and the loop ends.
LogicalResult ProgramBuilder::addSecondTurn(nxv::WhileOp op, ValueRange from,
                                            ValueRange to) {
  Location loc = op.getLoc();
  FailureOr<Value> predicate = addCondition(op, from);
  if (failed(predicate))
    return failure();
  OpBuilder::InsertionGuard guard(builder);
  auto branch = program::IfOp::create(builder, loc, *predicate);
  builder.setInsertionPointToEnd(&branch.getElseRegion().emplaceBlock());
  for (auto [other, state, type] :
       llvm::zip(from, to, op.getOperands().getTypes()))
    copy(loc, other, state, type);
  builder.setInsertionPointToEnd(&branch.getThenRegion().emplaceBlock());
  return addTurn(op, from, to);
}

/// The buffers that a turn writes when the next turn writes the states: others
/// for the states that could only be copied, once all that reads the old ones
/// is done. The body is there twice then; loops inside would be there more and
/// more often.
SmallVector<Value> ProgramBuilder::getOtherStates(nxv::WhileOp op,
                                                  ValueRange states) {
  SmallVector<Value> others(states);
  Block &body = op.getBody().front();
  if (holds<nxv::WhileOp>(op.getBody()) ||
      holds<nxv::WhileOp, nxv::TapOp>(op.getCondition()))
    return others;
  llvm::SmallDenseSet<Value> taken;
  for (auto [value, state] : getDirectStates(body))
    taken.insert(value);
  for (auto [i, yield] : llvm::enumerate(body.getTerminator()->getOperands())) {
    Value value = stripReshapes(yield);
    if (isa_and_nonnull<program::GroupOp, nxv::CaseOp>(value.getDefiningOp()) &&
        byteSize(value.getType()) && taken.insert(value).second)
      others[i] = createBuffer(BufferKind::arena, value.getType(), op.getLoc());
  }
  return others;
}

/// Lets the groups of a loop's body write the next states: into other buffers,
/// or straight over the old ones where nothing reads these any more.
void ProgramBuilder::writeStates(Block &body, ValueRange from, ValueRange to) {
  auto yields = body.getTerminator()->getOperands();
  // Those of another turn.
  for (Value yield : yields)
    destinations.erase(stripReshapes(yield));
  for (auto [value, i] : getDirectStates(body))
    if (from[i] == to[i])
      destinations.try_emplace(value, to[i]);
  for (auto [i, yield] : llvm::enumerate(yields))
    if (from[i] != to[i])
      destinations.try_emplace(stripReshapes(yield), to[i]);
}

/// The loop's body, from the states in some buffers to those in others, or in
/// the same.
LogicalResult ProgramBuilder::addTurn(nxv::WhileOp op, ValueRange from,
                                      ValueRange to) {
  Location loc = op.getLoc();
  Block &body = op.getBody().front();
  for (auto [argument, state] : llvm::zip(body.getArguments(), from))
    buffers[argument] = state;
  writeStates(body, from, to);
  if (failed(addBlock(body)))
    return failure();
  // What is another state's old value goes through a copy of its own, so that
  // no state is overwritten before all are read.
  SmallVector<std::pair<Value, Value>> moves;
  auto yields = body.getTerminator()->getOperands();
  for (auto [operand, state] : llvm::zip(yields, to)) {
    Value value = bufferOf(operand);
    if (value != state && llvm::is_contained(to, value) &&
        llvm::is_contained(from, value)) {
      Value held = createBuffer(BufferKind::arena, operand.getType(), loc);
      copy(loc, value, held, operand.getType());
      value = held;
    }
    moves.push_back({value, state});
  }
  for (auto [move, operand] : llvm::zip(moves, yields))
    copy(loc, move.first, move.second, operand.getType());
  return success();
}

/// The branches from `number` on: the rest is the else of the first.
LogicalResult ProgramBuilder::addBranch(nxv::CaseOp op, unsigned number,
                                        ValueRange results) {
  OpBuilder::InsertionGuard guard(builder);
  Location loc = op.getLoc();
  auto fill = [&](unsigned which) {
    Block &block = op.getBranches()[which].front();
    auto yields = block.getTerminator()->getOperands();
    for (auto [value, result] : llvm::zip(getDirectResults(block), results))
      if (value)
        destinations[value] = result;
    if (failed(addBlock(block)))
      return failure();
    for (auto [operand, result] : llvm::zip(yields, results))
      copy(loc, bufferOf(operand), result, operand.getType());
    return success();
  };
  if (number == op.getPredicates().size())
    return fill(number);
  auto branch =
      program::IfOp::create(builder, loc, bufferOf(op.getPredicates()[number]));
  builder.setInsertionPointToEnd(&branch.getThenRegion().emplaceBlock());
  if (failed(fill(number)))
    return failure();
  builder.setInsertionPointToEnd(&branch.getElseRegion().emplaceBlock());
  return addBranch(op, number + 1, results);
}

LogicalResult ProgramBuilder::addCase(nxv::CaseOp op) {
  SmallVector<Value> results;
  for (Value result : op.getResults()) {
    Value buffer = destinations.lookup(result);
    results.push_back(buffer ? buffer
                             : createBuffer(BufferKind::arena, result.getType(),
                                            op.getLoc()));
    buffers[result] = results.back();
  }
  return addBranch(op, 0, results);
}

void ProgramBuilder::addTap(nxv::TapOp op) {
  for (auto [operand, result] : llvm::zip(op.getOperands(), op.getResults())) {
    auto type = cast<RankedTensorType>(operand.getType());
    std::string element;
    llvm::raw_string_ostream(element) << type.getElementType();
    if (auto names = op->getAttrOfType<ArrayAttr>("nxv.elements"))
      element =
          cast<StringAttr>(names[cast<OpResult>(result).getResultNumber()])
              .getValue()
              .str();
    buffers[result] = bufferOf(operand);
    program::TapOp::create(
        builder, op.getLoc(), op.getNameAttr(), builder.getStringAttr(element),
        builder.getDenseI64ArrayAttr(graphShape(type, element)),
        buffers[result]);
  }
}

void ProgramBuilder::addResults(func::ReturnOp op) {
  SmallVector<Value> results;
  for (auto [i, operand] : llvm::enumerate(op.getOperands())) {
    Value value = stripReshapes(operand);
    Value buffer = bufferOf(value);
    auto kind = buffer.getDefiningOp<program::BufferOp>().getKind();
    if (kind == BufferKind::constant || kind == BufferKind::arena) {
      Value output = createBuffer(BufferKind::output, value.getType(),
                                  op.getLoc(), int64_t(i));
      copy(op.getLoc(), buffer, output, value.getType());
      buffer = output;
      buffers[value] = output;
    }
    results.push_back(buffer);
  }
  program::ResultsOp::create(builder, op.getLoc(), results);
}

LogicalResult ProgramBuilder::addBlock(Block &block) {
  for (Operation &op : block.without_terminator()) {
    LogicalResult added = success();
    if (auto group = dyn_cast<program::GroupOp>(op))
      added = addGroup(group);
    else if (auto loop = dyn_cast<nxv::WhileOp>(op))
      added = addLoop(loop);
    else if (auto branch = dyn_cast<nxv::CaseOp>(op))
      added = addCase(branch);
    else if (auto tap = dyn_cast<nxv::TapOp>(op))
      addTap(tap);
    else if (!isa<arith::ConstantOp, tensor::EmptyOp, tensor::ExpandShapeOp,
                  tensor::CollapseShapeOp>(op))
      added = op.emitError("'") << op.getName() << "' is in no group";
    if (failed(added))
      return failure();
  }
  return success();
}

LogicalResult ProgramBuilder::run() {
  createProgram();
  Block &body = function.getBody().front();
  for (auto [i, argument] : llvm::enumerate(body.getArguments()))
    buffers[argument] = createBuffer(BufferKind::input, argument.getType(),
                                     function.getLoc(), int64_t(i));
  auto ret = cast<func::ReturnOp>(body.getTerminator());
  for (auto [i, operand] : llvm::enumerate(ret.getOperands())) {
    Value value = stripReshapes(operand);
    auto loop = value.getDefiningOp<nxv::WhileOp>();
    bool changes = loop && !isInvariantState(
                               loop, cast<OpResult>(value).getResultNumber());
    if ((changes || value.getDefiningOp<program::GroupOp>()) &&
        !destinations.count(value))
      destinations[value] = createBuffer(BufferKind::output, value.getType(),
                                         ret.getLoc(), int64_t(i));
  }
  if (failed(addBlock(body)))
    return failure();
  addResults(ret);
  function.erase();
  return success();
}

namespace {
struct EmitKernels : nxv::impl::EmitKernelsBase<EmitKernels> {
  void runOnOperation() override {
    getOperation()->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                            UnitAttr::get(&getContext()));
    for (auto function :
         llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>()))
      if (failed(ProgramBuilder(function, getOperation()).run()))
        return signalPassFailure();
  }
};
} // namespace
