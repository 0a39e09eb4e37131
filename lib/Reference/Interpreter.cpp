//===- Interpreter.cpp - runs the nxv dialect on the CPU --------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "nxv/Reference/Interpreter.h"

#include "Disturb.h"
#include "Evaluators.h"

#include "mlir/IR/Verifier.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace nxv;
using namespace nxv::reference;

namespace {

using Results = SmallVector<ArrayPtr>;

class Interpreter {
public:
  explicit Interpreter(const Disturbance *disturbance) {
    if (disturbance)
      disturber.emplace(*disturbance, evaluators);
    addElementwise(evaluators);
    addMovement(evaluators);
    addReductions(evaluators);
    addContractions(evaluators);
    addOrder(evaluators);
  }

  /// Binds the block's arguments, runs it and gives its terminator's operands.
  FailureOr<Results> run(Block &block, Operands arguments);

private:
  FailureOr<Results> evaluate(Operation *op);
  FailureOr<Results> evaluateConstant(ConstantOp op);
  FailureOr<Results> evaluateWhile(WhileOp op);
  FailureOr<Results> evaluateCase(CaseOp op);
  FailureOr<Results> evaluateReduceFn(ReduceFnOp op);
  FailureOr<Results> evaluateWindowReduceFn(WindowReduceFnOp op);

  /// One step of a fold: body(values[at], accumulator).
  FailureOr<ArrayPtr> step(Block &body, const Array &values, int64_t at,
                           ArrayPtr accumulator);
  Results getOperands(Operation *op);
  void findLastUses(Block &block);

  Evaluators evaluators;
  std::optional<Disturber> disturber;
  DenseMap<Value, ArrayPtr> values;
  /// By block, the values that each of its operations is the last to use.
  DenseMap<Block *, std::vector<SmallVector<Value>>> lastUses;
};

} // namespace

Results Interpreter::getOperands(Operation *op) {
  return llvm::map_to_vector(op->getOperands(),
                             [&](Value value) { return values[value]; });
}

/// Literals stay: a loop's body need not decode them again.
static bool isTemporary(Value value) {
  return !value.getDefiningOp<ConstantOp>();
}

void Interpreter::findLastUses(Block &block) {
  if (lastUses.contains(&block))
    return;
  std::vector<SmallVector<Value>> &uses = lastUses[&block];
  DenseMap<Operation *, unsigned> positions;
  for (auto [position, op] : llvm::enumerate(block))
    positions[&op] = position;
  uses.resize(positions.size());
  auto addValue = [&](Value value, unsigned last) {
    for (Operation *user : value.getUsers())
      last = std::max(last, positions[block.findAncestorOpInBlock(*user)]);
    if (isTemporary(value))
      uses[last].push_back(value);
  };
  for (Value argument : block.getArguments())
    addValue(argument, 0);
  for (Operation &op : block)
    for (Value result : op.getResults())
      addValue(result, positions[&op]);
}

FailureOr<Results> Interpreter::run(Block &block, Operands arguments) {
  for (auto [argument, value] :
       llvm::zip_equal(block.getArguments(), arguments))
    values[argument] = disturber ? disturber->flush(value) : value;
  findLastUses(block);
  for (auto [position, op] : llvm::enumerate(block)) {
    if (op.hasTrait<OpTrait::IsTerminator>())
      return getOperands(&op);
    FailureOr<Results> results = evaluate(&op);
    if (failed(results))
      return failure();
    for (auto [result, value] : llvm::zip_equal(op.getResults(), *results))
      values[result] = value;
    for (Value dead : lastUses[&block][position])
      values.erase(dead);
  }
  return failure();
}

FailureOr<Results> Interpreter::evaluate(Operation *op) {
  if (const Evaluators::Function *evaluator = evaluators.find(op)) {
    Results operands = getOperands(op);
    auto result = std::make_shared<Array>((*evaluator)(op, operands));
    if (disturber)
      disturber->disturb(op, operands, *result);
    return Results{result};
  }
  return TypeSwitch<Operation *, FailureOr<Results>>(op)
      .Case([&](ConstantOp op) { return evaluateConstant(op); })
      .Case([&](WhileOp op) { return evaluateWhile(op); })
      .Case([&](CaseOp op) { return evaluateCase(op); })
      .Case([&](ReduceFnOp op) { return evaluateReduceFn(op); })
      .Case([&](WindowReduceFnOp op) { return evaluateWindowReduceFn(op); })
      .Case([&](BlockOp op) {
        return run(op.getBody().front(), getOperands(op));
      })
      .Case([&](TapOp op) { return getOperands(op); })
      .Default([](Operation *op) {
        return op->emitOpError("is not an operation that the reference "
                               "interpreter runs");
      });
}

FailureOr<Results> Interpreter::evaluateConstant(ConstantOp op) {
  if (ArrayPtr known = values.lookup(op.getResult()))
    return Results{known};
  ArrayPtr array = decodeElements(op.getValue());
  if (!array)
    return op.emitOpError("holds its elements in a way that the reference "
                          "interpreter does not read");
  if (disturber)
    array = disturber->flush(array);
  return Results{array};
}

FailureOr<Results> Interpreter::evaluateWhile(WhileOp op) {
  Results state = getOperands(op);
  while (true) {
    FailureOr<Results> condition = run(op.getCondition().front(), state);
    if (failed(condition))
      return failure();
    if ((*condition)[0]->get<int64_t>()[0] == 0)
      return state;
    FailureOr<Results> next = run(op.getBody().front(), state);
    if (failed(next))
      return failure();
    state = std::move(*next);
  }
}

FailureOr<Results> Interpreter::evaluateCase(CaseOp op) {
  size_t branch = 0;
  for (Value predicate : op.getPredicates()) {
    if (values[predicate]->get<int64_t>()[0] != 0)
      break;
    ++branch;
  }
  return run(op.getBranches()[branch].front(), {});
}

//===----------------------------------------------------------------------===//
// Folds with a function
//===----------------------------------------------------------------------===//

FailureOr<ArrayPtr> Interpreter::step(Block &body, const Array &operand,
                                      int64_t at, ArrayPtr accumulator) {
  auto scalar = std::make_shared<Array>(operand.getType().clone(Dims()));
  scalar->visit([&](auto &target) {
    using T = typename std::decay_t<decltype(target)>::value_type;
    target[0] = operand.get<T>()[at];
  });
  FailureOr<Results> results = run(body, {scalar, accumulator});
  if (failed(results))
    return failure();
  return (*results)[0];
}

static void setElement(Array &array, int64_t at, const Array &scalar) {
  array.visit([&](auto &target) {
    using T = typename std::decay_t<decltype(target)>::value_type;
    target[at] = scalar.get<T>()[0];
  });
}

FailureOr<Results> Interpreter::evaluateReduceFn(ReduceFnOp op) {
  ArrayPtr operand = values[op.getOperand()], init = values[op.getInit()];
  auto result = std::make_shared<Array>(getResultType(op));
  Shape strides = getStrides(operand->getShape());
  Shape keptShape, reducedShape;
  View kept, reduced;
  for (int64_t axis = 0; axis < operand->getRank(); ++axis) {
    bool isReduced = llvm::is_contained(op.getAxes(), axis);
    View &view = isReduced ? reduced : kept;
    view.strides.push_back(strides[axis]);
    (isReduced ? reducedShape : keptShape).push_back(operand->getShape()[axis]);
  }
  bool failedStep = false;
  walk(keptShape, kept, wholeOf(keptShape), [&](int64_t from, int64_t to) {
    ArrayPtr accumulator = init;
    reduced.start = from;
    walk(reducedShape, reduced, reduced, [&](int64_t at, int64_t) {
      if (failedStep)
        return;
      auto next = step(op.getBody().front(), *operand, at, accumulator);
      failedStep = failed(next);
      if (!failedStep)
        accumulator = *next;
    });
    setElement(*result, to, *accumulator);
  });
  if (failedStep)
    return failure();
  return Results{result};
}

FailureOr<Results> Interpreter::evaluateWindowReduceFn(WindowReduceFnOp op) {
  ArrayPtr operand = values[op.getOperand()], init = values[op.getInit()];
  auto result = std::make_shared<Array>(getResultType(op));
  Windows windows{operand->getShape(), op.getWindow(), op.getStrides(),
                  op.getDilations(), op.getLow()};
  bool failedStep = false;
  int64_t to = 0;
  forEachIndex(result->getShape(), [&](Dims position) {
    ArrayPtr accumulator = init;
    forEachInWindow(windows, position, [&](int64_t at) {
      if (failedStep)
        return;
      auto next = at < 0
                      ? step(op.getBody().front(), *init, 0, accumulator)
                      : step(op.getBody().front(), *operand, at, accumulator);
      failedStep = failed(next);
      if (!failedStep)
        accumulator = *next;
    });
    setElement(*result, to++, *accumulator);
  });
  if (failedStep)
    return failure();
  return Results{result};
}

//===----------------------------------------------------------------------===//
// Entry
//===----------------------------------------------------------------------===//

size_t nxv::getReferenceByteSize(Type type) {
  std::optional<Element> element = Element::get(type);
  return element ? element->getByteSize() : 0;
}

static LogicalResult checkInput(func::FuncOp function, size_t index,
                                const Tensor &input) {
  Type expected = function.getFunctionType().getInput(index);
  if (input.type != expected)
    return function.emitError("input ")
           << index << " is " << input.type << ", expected " << expected;
  size_t bytes = getReferenceByteSize(input.type.getElementType()) *
                 size_t(input.type.getNumElements());
  if (bytes != input.data.size())
    return function.emitError("input ") << index << " has " << input.data.size()
                                        << " bytes, expected " << bytes;
  return success();
}

static FailureOr<SmallVector<Tensor>> run(func::FuncOp function,
                                          ArrayRef<Tensor> inputs,
                                          const Disturbance *disturbance) {
  if (failed(verify(function)))
    return failure();
  if (function.isExternal())
    return function.emitError("has no body to run");
  if (inputs.size() != function.getNumArguments())
    return function.emitError("got ") << inputs.size() << " inputs, expected "
                                      << function.getNumArguments();
  Results arguments;
  for (auto [index, input] : llvm::enumerate(inputs)) {
    if (failed(checkInput(function, index, input)))
      return failure();
    arguments.push_back(
        std::make_shared<Array>(Array::decode(input.type, input.data.data())));
  }
  Interpreter interpreter(disturbance);
  FailureOr<Results> results =
      interpreter.run(function.getBody().front(), arguments);
  if (failed(results))
    return failure();
  return llvm::map_to_vector(*results, [](const ArrayPtr &array) {
    return Tensor{array->getType(), array->encode()};
  });
}

FailureOr<SmallVector<Tensor>> nxv::interpret(func::FuncOp function,
                                              ArrayRef<Tensor> inputs) {
  return ::run(function, inputs, nullptr);
}

FailureOr<SmallVector<Tensor>> nxv::interpret(func::FuncOp function,
                                              ArrayRef<Tensor> inputs,
                                              const Disturbance &disturbance) {
  return ::run(function, inputs, &disturbance);
}
