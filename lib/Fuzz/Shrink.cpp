//===- Shrink.cpp - makes a failing case small ----------------------------===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "nxv/Fuzz/Shrink.h"

#include "nxv/Dialect/Nxv/IR/Nxv.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/SetVector.h"

#include <chrono>
#include <set>

using namespace mlir;
using namespace nxv;
using namespace nxv::fuzz;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

//===----------------------------------------------------------------------===//
// Edits
//===----------------------------------------------------------------------===//

static func::ReturnOp getReturn(const Case &test) {
  return cast<func::ReturnOp>(test.getMain().front().getTerminator());
}

static void updateSignature(func::FuncOp main) {
  Block &block = main.front();
  main.setFunctionType(
      FunctionType::get(main.getContext(), block.getArgumentTypes(),
                        block.getTerminator()->getOperandTypes()));
}

/// Drops what no output needs.
static void clean(Case &test) {
  func::FuncOp main = test.getMain();
  SmallVector<Operation *> dead;
  bool changed = true;
  while (changed) {
    dead.clear();
    main.walk([&](Operation *op) {
      if (!op->hasTrait<OpTrait::IsTerminator>() && op != main &&
          op->use_empty() && !isa<TapOp>(op))
        dead.push_back(op);
    });
    // Inner operations come first in the walk.
    llvm::SmallPtrSet<Operation *, 8> gone;
    for (Operation *op : dead)
      if (llvm::none_of(dead, [&](Operation *other) {
            return other != op && other->isProperAncestor(op);
          }))
        gone.insert(op);
    for (Operation *op : gone)
      op->erase();
    changed = !gone.empty();
  }
  for (unsigned i = main.getNumArguments(); i-- > 0;)
    if (main.getArgument(i).use_empty() && succeeded(main.eraseArgument(i)))
      test.inputs.erase(test.inputs.begin() + i);
}

static void setOutputs(Case &test, ValueRange outputs) {
  getReturn(test)->setOperands(outputs);
  updateSignature(test.getMain());
  clean(test);
}

/// The operations in an order that copies keep.
static SmallVector<Operation *> listOps(const Case &test, bool nested) {
  SmallVector<Operation *> ops;
  if (nested)
    test.getMain().walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (!isa<func::FuncOp, func::ReturnOp, YieldOp>(op))
        ops.push_back(op);
    });
  else
    for (Operation &op : test.getMain().front().without_terminator())
      ops.push_back(&op);
  return ops;
}

/// The value of an outer result, by the interpreter.
static FailureOr<Tensor> evaluate(const Case &test, unsigned op,
                                  unsigned result) {
  Case copy = test.clone();
  Value value = listOps(copy, false)[op]->getResult(result);
  getReturn(copy)->setOperands(value);
  updateSignature(copy.getMain());
  auto results = interpret(copy.getMain(), copy.inputs);
  if (failed(results))
    return failure();
  return results->front();
}

/// A new input in place of a result; a predicate is an input as u8.
static LogicalResult cutResult(Case &test, const Case &original, unsigned op,
                               unsigned index) {
  FailureOr<Tensor> value = evaluate(original, op, index);
  if (failed(value))
    return failure();
  func::FuncOp main = test.getMain();
  OpResult result = listOps(test, false)[op]->getResult(index);
  RankedTensorType type = typeOf(result);
  bool isPred = type.getElementType().isInteger(1);
  if (isPred)
    value->type = type.clone(
        IntegerType::get(main.getContext(), 8, IntegerType::Unsigned));
  unsigned place = main.getNumArguments();
  if (failed(main.insertArgument(place, value->type, nullptr, main.getLoc())))
    return failure();
  Value input = main.getArgument(place);
  if (isPred) {
    OpBuilder builder(result.getOwner());
    input = ConvertOp::create(builder, main.getLoc(), type, input);
  }
  result.replaceAllUsesWith(input);
  test.inputs.push_back(std::move(*value));
  return success();
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

/// Calls `fn` with the offset, in an array of `from`, of each element of `to`.
static void forEachKept(ArrayRef<int64_t> from, ArrayRef<int64_t> to,
                        llvm::function_ref<void(int64_t)> fn) {
  int64_t count = 1;
  for (int64_t size : to)
    count *= size;
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = i, offset = 0, stride = 1;
    for (int64_t axis = int64_t(to.size()) - 1; axis >= 0; --axis) {
      offset += rest % to[axis] * stride;
      stride *= from[axis];
      rest /= to[axis];
    }
    fn(offset);
  }
}

static SmallVector<int64_t> resized(ArrayRef<int64_t> sizes, int64_t from,
                                    int64_t to) {
  return llvm::map_to_vector(
      sizes, [&](int64_t size) { return size == from ? to : size; });
}

static RankedTensorType resized(RankedTensorType type, int64_t from,
                                int64_t to) {
  return type.clone(resized(type.getShape(), from, to));
}

static void resizeLiteral(ConstantOp op, RankedTensorType type) {
  auto value = cast<DenseElementsAttr>(op.getValue());
  if (value.isSplat()) {
    op.setValueAttr(value.resizeSplat(type));
    return;
  }
  SmallVector<Attribute> all(value.getValues<Attribute>()), kept;
  forEachKept(typeOf(op).getShape(), type.getShape(),
              [&](int64_t at) { kept.push_back(all[at]); });
  op.setValueAttr(DenseElementsAttr::get(type, kept));
}

/// Makes every axis of one size another size. Whether that is still a graph is
/// the verifier's to say.
static void resize(Case &test, int64_t from, int64_t to) {
  test.getMain().walk([&](Operation *op) {
    if (auto constant = dyn_cast<ConstantOp>(op))
      resizeLiteral(constant, resized(typeOf(constant), from, to));
    for (Value result : op->getResults())
      result.setType(resized(typeOf(result), from, to));
    for (Region &region : op->getRegions())
      for (BlockArgument argument : region.getArguments())
        argument.setType(resized(typeOf(argument), from, to));
    if (auto lengths = op->getAttrOfType<DenseI64ArrayAttr>("lengths"))
      op->setAttr("lengths", DenseI64ArrayAttr::get(
                                 op->getContext(),
                                 resized(lengths.asArrayRef(), from, to)));
  });
  for (Tensor &input : test.inputs) {
    RankedTensorType type = resized(input.type, from, to);
    size_t bytes = getReferenceByteSize(type.getElementType());
    std::vector<uint8_t> kept;
    forEachKept(input.type.getShape(), type.getShape(), [&](int64_t at) {
      auto *begin = input.data.data() + size_t(at) * bytes;
      kept.insert(kept.end(), begin, begin + bytes);
    });
    input = {type, std::move(kept)};
  }
  updateSignature(test.getMain());
}

static std::set<int64_t> listSizes(const Case &test) {
  std::set<int64_t> sizes;
  auto add = [&](TypeRange types) {
    for (Type type : types)
      for (int64_t size : cast<RankedTensorType>(type).getShape())
        if (size > 1)
          sizes.insert(size);
  };
  add(test.getMain().getArgumentTypes());
  test.getMain().walk([&](Operation *op) { add(op->getResultTypes()); });
  return sizes;
}

//===----------------------------------------------------------------------===//
// Search
//===----------------------------------------------------------------------===//

namespace {
class Shrinker {
public:
  Shrinker(Case start, llvm::function_ref<bool(const Case &)> fails,
           double seconds)
      : best(std::move(start)), fails(fails),
        end(std::chrono::steady_clock::now() +
            std::chrono::milliseconds(int64_t(seconds * 1000))) {}

  Case run() {
    const Step steps[] = {&Shrinker::keepOneOutput, &Shrinker::retreatOutputs,
                          &Shrinker::cutOps,        &Shrinker::bypassOps,
                          &Shrinker::inlineOps,     &Shrinker::zeroOps,
                          &Shrinker::resizeAll,     &Shrinker::simplifyInputs};
    bool smaller = true;
    while (smaller && !isLate()) {
      smaller = false;
      for (Step step : steps)
        smaller |= (this->*step)();
    }
    return std::move(best);
  }

private:
  using Step = bool (Shrinker::*)();

  bool isLate() const { return std::chrono::steady_clock::now() >= end; }

  /// Takes a copy changed by `edit` if it still fails.
  bool attempt(llvm::function_ref<LogicalResult(Case &)> edit) {
    if (isLate())
      return false;
    Case copy = best.clone();
    ScopedDiagnosticHandler quiet(best.module.get()->getContext(),
                                  [](Diagnostic &) { return success(); });
    if (failed(edit(copy)))
      return false;
    clean(copy);
    updateSignature(copy.getMain());
    if (failed(verify(copy.module.get())) || !fails(copy))
      return false;
    best = std::move(copy);
    return true;
  }

  bool keepOneOutput();
  bool retreatOutputs();
  bool cutOps();
  bool bypassOps();
  bool inlineOps();
  bool zeroOps();
  bool resizeAll();
  bool simplifyInputs();
  bool zeroPart(size_t input, size_t begin, size_t end);

  Case best;
  llvm::function_ref<bool(const Case &)> fails;
  std::chrono::steady_clock::time_point end;
};
} // namespace

bool Shrinker::keepOneOutput() {
  unsigned count = getReturn(best)->getNumOperands();
  for (unsigned i = 0; count > 1 && i < count; ++i)
    if (attempt([&](Case &test) {
          setOutputs(test, {getReturn(test)->getOperand(i)});
          return success();
        }))
      return true;
  // Or else all but one.
  bool any = false;
  for (unsigned i = count; count > 1 && i-- > 0;)
    any |= attempt([&](Case &test) {
      SmallVector<Value> outputs(getReturn(test)->getOperands());
      outputs.erase(outputs.begin() + i);
      setOutputs(test, outputs);
      return success();
    });
  return any;
}

/// An operand of what gives an output as the output.
bool Shrinker::retreatOutputs() {
  bool any = false;
  for (unsigned i = 0; i < getReturn(best)->getNumOperands(); ++i) {
    Operation *op = getReturn(best)->getOperand(i).getDefiningOp();
    for (unsigned operand = 0; op && operand < op->getNumOperands(); ++operand)
      if (attempt([&](Case &test) {
            func::ReturnOp end = getReturn(test);
            Operation *op = end->getOperand(i).getDefiningOp();
            Value other = op->getOperand(operand);
            if (typeOf(other).getElementType().isInteger(1))
              return failure();
            end->setOperand(i, other);
            return success();
          })) {
        any = true;
        break;
      }
  }
  return any;
}

bool Shrinker::cutOps() {
  bool any = false;
  for (size_t i = listOps(best, false).size(); i-- > 0;) {
    SmallVector<Operation *> ops = listOps(best, false);
    if (i >= ops.size() || isa<ConstantOp, TapOp>(ops[i]))
      continue;
    auto convert = dyn_cast<ConvertOp>(ops[i]);
    if (convert && isa<BlockArgument>(convert.getOperand()))
      continue;
    unsigned count = ops[i]->getNumResults();
    any |= attempt([&](Case &test) {
      for (unsigned result = 0; result < count; ++result)
        if (failed(cutResult(test, best, unsigned(i), result)))
          return failure();
      return success();
    });
  }
  return any;
}

bool Shrinker::bypassOps() {
  bool any = false;
  for (size_t i = 0; i < listOps(best, true).size(); ++i) {
    unsigned operands = listOps(best, true)[i]->getNumOperands();
    for (unsigned operand = 0; operand < operands; ++operand)
      if (attempt([&](Case &test) {
            Operation *op = listOps(test, true)[i];
            if (op->getNumResults() != 1 ||
                op->getOperand(operand).getType() != op->getResult(0).getType())
              return failure();
            op->getResult(0).replaceAllUsesWith(op->getOperand(operand));
            return success();
          })) {
        any = true;
        break;
      }
  }
  return any;
}

/// A branch or a block's body in place of the operation; a loop's start for its
/// results.
static LogicalResult inlineRegion(Operation *op, unsigned index) {
  if (isa<WhileOp>(op)) {
    if (index != 0)
      return failure();
    op->replaceAllUsesWith(op->getOperands());
    return success();
  }
  if (!isa<CaseOp, BlockOp>(op))
    return failure();
  Block &block = op->getRegion(index).front();
  Operation *yield = block.getTerminator();
  if (isa<BlockOp>(op))
    for (auto [argument, operand] :
         llvm::zip(block.getArguments(), op->getOperands()))
      argument.replaceAllUsesWith(operand);
  SmallVector<Value> values(yield->getOperands());
  yield->erase();
  op->getBlock()->getOperations().splice(op->getIterator(),
                                         block.getOperations());
  op->replaceAllUsesWith(values);
  op->erase();
  return success();
}

bool Shrinker::inlineOps() {
  bool any = false;
  for (size_t i = 0; i < listOps(best, true).size(); ++i) {
    unsigned regions = listOps(best, true)[i]->getNumRegions();
    for (unsigned region = 0; region < regions; ++region)
      if (attempt([&](Case &test) {
            return inlineRegion(listOps(test, true)[i], region);
          })) {
        any = true;
        break;
      }
  }
  return any;
}

/// Literals of zero inside regions, where nothing can be an input.
bool Shrinker::zeroOps() {
  bool any = false;
  for (size_t i = 0; i < listOps(best, true).size(); ++i) {
    Operation *op = listOps(best, true)[i];
    if (isa<ConstantOp>(op) || op->getNumResults() != 1 ||
        op->getParentOp() == best.getMain())
      continue;
    any |= attempt([&](Case &test) {
      Operation *op = listOps(test, true)[i];
      OpBuilder builder(op);
      RankedTensorType type = typeOf(op->getResult(0));
      Attribute zero = builder.getZeroAttr(type.getElementType());
      if (!zero)
        return failure();
      Value literal = ConstantOp::create(builder, op->getLoc(), type,
                                         DenseElementsAttr::get(type, zero));
      op->getResult(0).replaceAllUsesWith(literal);
      return success();
    });
  }
  return any;
}

bool Shrinker::resizeAll() {
  bool any = false;
  std::set<int64_t> sizes = listSizes(best);
  for (int64_t size : llvm::reverse(sizes))
    for (int64_t other : {int64_t(1), int64_t(2), size / 4, size / 2, size - 1})
      if (other > 0 && other < size && attempt([&](Case &test) {
            resize(test, size, other);
            return success();
          })) {
        any = true;
        break;
      }
  return any;
}

bool Shrinker::zeroPart(size_t input, size_t begin, size_t end) {
  auto range = llvm::make_range(best.inputs[input].data.begin() + begin,
                                best.inputs[input].data.begin() + end);
  if (llvm::all_of(range, [](uint8_t byte) { return !byte; }))
    return false;
  return attempt([&](Case &test) {
    std::fill(test.inputs[input].data.begin() + begin,
              test.inputs[input].data.begin() + end, 0);
    return success();
  });
}

bool Shrinker::simplifyInputs() {
  bool any = false;
  for (size_t i = 0; i < best.inputs.size(); ++i) {
    bool isZero =
        llvm::all_of(best.inputs[i].data, [](uint8_t byte) { return !byte; });
    if (isZero)
      continue;
    // The whole, a half or a quarter.
    size_t element = getReferenceByteSize(best.inputs[i].type.getElementType());
    size_t count = best.inputs[i].data.size() / element;
    for (size_t parts : {1, 2, 4})
      for (size_t part = 0; part < parts && parts <= count; ++part)
        any |= zeroPart(i, count * part / parts * element,
                        count * (part + 1) / parts * element);
  }
  return any;
}

Case nxv::fuzz::shrink(const Case &failing,
                       llvm::function_ref<bool(const Case &)> fails,
                       double seconds) {
  return Shrinker(failing.clone(), fails, seconds).run();
}
