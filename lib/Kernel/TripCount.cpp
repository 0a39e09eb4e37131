//===- TripCount.cpp - how often a loop's body runs -------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Integers are taken as whole numbers without bounds. Each operation on the way
// from a state to the comparison leaves a condition under which that is right:
// the number that it stands for lies in the range of its type.
//
//===----------------------------------------------------------------------===//

#include "nxv/Kernel/TripCount.h"

#include "nxv/Dialect/Program/IR/Program.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/DynamicAPInt.h"

using namespace mlir;
using namespace nxv;
using arith::CmpIPredicate;
using llvm::DynamicAPInt;

namespace {
/// The number `base + offset` has to fit an integer of `width` bits.
struct Bounds {
  DynamicAPInt offset;
  unsigned width;
  bool isSigned;

  bool holds(const DynamicAPInt &base) const {
    DynamicAPInt value = base + offset;
    unsigned bits = isSigned ? width - 1 : width;
    DynamicAPInt end(APInt::getOneBitSet(bits + 2, bits));
    return value < end && value >= (isSigned ? -end : DynamicAPInt(0));
  }
};

/// An integer as the sum of a value and a constant.
struct Sum {
  Value base;
  bool isSigned; // how `base` is to be read
  DynamicAPInt offset;
  SmallVector<Bounds> ranges;

  bool holds(const DynamicAPInt &value) const {
    return llvm::all_of(
        ranges, [&](const Bounds &range) { return range.holds(value); });
  }
};
} // namespace

static bool hasOneElement(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return !type || (type.hasStaticShape() && type.getNumElements() == 1);
}

static bool isInvariant(nxv::WhileOp loop, unsigned state);

/// One step of `trace`; null where there is none.
static Value traceOnce(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    unsigned number = argument.getArgNumber();
    Operation *parent = argument.getOwner()->getParentOp();
    if (auto group = dyn_cast<program::GroupOp>(parent))
      return group.getInputs()[number];
    auto generic = dyn_cast<linalg::GenericOp>(parent);
    return generic && number < generic.getNumDpsInputs()
               ? generic.getDpsInputOperand(number)->get()
               : Value();
  }
  Operation *op = value.getDefiningOp();
  unsigned number = cast<OpResult>(value).getResultNumber();
  if (auto group = dyn_cast<program::GroupOp>(op))
    return group.getBody().front().getTerminator()->getOperand(number);
  if (auto loop = dyn_cast<nxv::WhileOp>(op))
    return isInvariant(loop, number) ? loop.getOperands()[number] : Value();
  if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::CastOp>(op))
    return op->getOperand(0);
  if (isa<nxv::TapOp>(op))
    return op->getOperand(number);
  if (auto extract = dyn_cast<tensor::ExtractOp>(op))
    return hasOneElement(extract.getTensor()) ? extract.getTensor() : Value();
  auto generic = dyn_cast<linalg::GenericOp>(op);
  if (!generic || !hasOneElement(value) ||
      llvm::any_of(generic.getStaticLoopRanges(),
                   [](int64_t size) { return size != 1; }))
    return {};
  return generic.getBody()->getTerminator()->getOperand(number);
}

/// Where the elements of `value` come from: a constant, an operation that
/// computes them, an argument of a loop or function.
static Value trace(Value value) {
  while (Value next = traceOnce(value))
    value = next;
  return value;
}

/// True if the body hands the state on as it is.
static bool isInvariant(nxv::WhileOp loop, unsigned state) {
  Block &body = loop.getBody().front();
  return trace(body.getTerminator()->getOperand(state)) ==
         body.getArgument(state);
}

/// As `trace`, and out of loops that do not change the value.
static Value traceOut(Value value) {
  for (value = trace(value);;) {
    auto argument = dyn_cast<BlockArgument>(value);
    auto loop = argument
                    ? dyn_cast<nxv::WhileOp>(argument.getOwner()->getParentOp())
                    : nxv::WhileOp();
    if (!loop || !isInvariant(loop, argument.getArgNumber()))
      return value;
    value = trace(loop.getOperands()[argument.getArgNumber()]);
  }
}

static std::optional<APInt> getConstant(Value value) {
  APInt result;
  if (matchPattern(traceOut(value), m_ConstantInt(&result)))
    return result;
  return std::nullopt;
}

static DynamicAPInt toNumber(const APInt &value, bool isSigned) {
  return DynamicAPInt(isSigned ? value : value.zext(value.getBitWidth() + 1));
}

/// Takes a conversion or a constant off the sum's base; null where there is
/// none.
static Value takeOff(Sum &sum) {
  Operation *op = sum.base.getDefiningOp();
  if (isa_and_nonnull<arith::TruncIOp>(op))
    return op->getOperand(0);
  if (isa_and_nonnull<arith::ExtSIOp, arith::ExtUIOp>(op)) {
    sum.isSigned = isa<arith::ExtSIOp>(op);
    return op->getOperand(0);
  }
  if (!isa_and_nonnull<arith::AddIOp, arith::SubIOp>(op))
    return {};
  bool adds = isa<arith::AddIOp>(op);
  std::optional<APInt> right = getConstant(op->getOperand(1));
  std::optional<APInt> left = getConstant(op->getOperand(0));
  if (!right && !(adds && left))
    return {};
  // Adding a number close to the top of its type is a step back.
  DynamicAPInt step = toNumber(right ? *right : *left, true);
  sum.offset += adds ? step : -step;
  return op->getOperand(right ? 0 : 1);
}

/// `value` without the conversions and constants around its base.
static std::optional<Sum> getSum(Value value, bool isSigned) {
  Sum sum{{}, isSigned, DynamicAPInt(0), {}};
  while (value) {
    sum.base = traceOut(value);
    auto type = dyn_cast<IntegerType>(getElementTypeOrSelf(sum.base));
    if (!type || type.getWidth() == 1 || !hasOneElement(sum.base))
      return std::nullopt;
    sum.ranges.push_back({sum.offset, type.getWidth(), sum.isSigned});
    value = takeOff(sum);
  }
  // What was taken off before a value is not part of it.
  for (Bounds &range : sum.ranges)
    range.offset = sum.offset - range.offset;
  return sum;
}

/// The number that a sum of constants is.
static std::optional<DynamicAPInt> getNumber(const std::optional<Sum> &sum) {
  APInt value;
  if (!sum || !matchPattern(sum->base, m_ConstantInt(&value)))
    return std::nullopt;
  DynamicAPInt base = toNumber(value, sum->isSigned);
  if (!sum->holds(base))
    return std::nullopt;
  return base + sum->offset;
}

static bool compare(CmpIPredicate predicate, const DynamicAPInt &a,
                    const DynamicAPInt &b) {
  switch (predicate) {
  case CmpIPredicate::eq:
    return a == b;
  case CmpIPredicate::ne:
    return a != b;
  case CmpIPredicate::slt:
  case CmpIPredicate::ult:
    return a < b;
  case CmpIPredicate::sle:
  case CmpIPredicate::ule:
    return a <= b;
  case CmpIPredicate::sgt:
  case CmpIPredicate::ugt:
    return a > b;
  case CmpIPredicate::sge:
  case CmpIPredicate::uge:
    return a >= b;
  }
  llvm_unreachable("a predicate");
}

static bool isUnsigned(CmpIPredicate predicate) {
  return predicate == CmpIPredicate::ult || predicate == CmpIPredicate::ule ||
         predicate == CmpIPredicate::ugt || predicate == CmpIPredicate::uge;
}

/// The first n >= 0 for which `first + n * step` does not compare with `bound`.
static std::optional<DynamicAPInt> countSteps(CmpIPredicate predicate,
                                              const DynamicAPInt &first,
                                              const DynamicAPInt &step,
                                              const DynamicAPInt &bound) {
  if (!compare(predicate, first, bound))
    return DynamicAPInt(0);
  if (step == 0)
    return std::nullopt;
  DynamicAPInt way = bound - first;
  if (predicate == CmpIPredicate::eq)
    return DynamicAPInt(1);
  if (predicate == CmpIPredicate::ne) {
    DynamicAPInt count = floorDiv(way, step);
    if (count * step != way || count < 0)
      return std::nullopt;
    return count;
  }
  bool ascends = step > 0;
  // An end that still belongs to the loop is passed.
  bool passes = compare(predicate, bound, bound);
  bool wantsLess = compare(predicate, DynamicAPInt(0), DynamicAPInt(1));
  if (ascends != wantsLess)
    return std::nullopt;
  return passes ? floorDiv(way, step) + 1 : ceilDiv(way, step);
}

namespace {
/// A state that starts as `first` and grows by `step` in each turn.
struct Counter {
  DynamicAPInt first;
  DynamicAPInt step;
  SmallVector<Bounds> ranges; // of what a turn computes from the old value
};
} // namespace

static std::optional<Counter> getCounter(nxv::WhileOp loop, const Sum &state) {
  // A constant is a counter that stands still.
  APInt constant;
  if (matchPattern(state.base, m_ConstantInt(&constant)))
    return Counter{toNumber(constant, state.isSigned), DynamicAPInt(0), {}};
  auto argument = dyn_cast<BlockArgument>(state.base);
  if (!argument || argument.getOwner() != &loop.getCondition().front())
    return std::nullopt;
  unsigned number = argument.getArgNumber();
  std::optional<DynamicAPInt> first =
      getNumber(getSum(loop.getOperands()[number], state.isSigned));
  Block &body = loop.getBody().front();
  std::optional<Sum> next =
      getSum(body.getTerminator()->getOperand(number), state.isSigned);
  if (!first || !next || next->base != body.getArgument(number) ||
      next->isSigned != state.isSigned)
    return std::nullopt;
  return Counter{*first, next->offset, next->ranges};
}

/// The number of turns of a loop that runs while the sum `state` compares with
/// `bound`, or, if `swapped`, while `bound` compares with it.
static std::optional<uint64_t> countTurns(nxv::WhileOp loop,
                                          CmpIPredicate predicate,
                                          const std::optional<Sum> &state,
                                          std::optional<DynamicAPInt> bound,
                                          bool swapped) {
  if (!state || !bound)
    return std::nullopt;
  std::optional<Counter> counter = getCounter(loop, *state);
  if (!counter)
    return std::nullopt;
  // b < x says the same as -x < -b.
  DynamicAPInt way(swapped ? -1 : 1);
  std::optional<DynamicAPInt> count =
      countSteps(predicate, way * (counter->first + state->offset),
                 way * counter->step, way * *bound);
  if (!count || *count >= DynamicAPInt(std::numeric_limits<int64_t>::max()))
    return std::nullopt;
  // In between the numbers are between these.
  const DynamicAPInt &first = counter->first;
  DynamicAPInt end = first + *count * counter->step;
  if (!state->holds(first) || !state->holds(end))
    return std::nullopt;
  for (const Bounds &range : counter->ranges)
    if (*count > 0 &&
        (!range.holds(first) || !range.holds(end - counter->step)))
      return std::nullopt;
  return uint64_t(int64_t(*count));
}

/// The number of turns of a loop that runs while `cmp` holds.
static std::optional<uint64_t> countTurns(nxv::WhileOp loop,
                                          arith::CmpIOp cmp) {
  bool isSigned = !isUnsigned(cmp.getPredicate());
  std::optional<Sum> left = getSum(cmp.getLhs(), isSigned);
  std::optional<Sum> right = getSum(cmp.getRhs(), isSigned);
  if (std::optional<DynamicAPInt> bound = getNumber(right))
    return countTurns(loop, cmp.getPredicate(), left, bound, false);
  return countTurns(loop, cmp.getPredicate(), right, getNumber(left), true);
}

/// The first and the last number that a sum is, if its base is the counter of a
/// loop around `inner`.
static std::optional<std::pair<DynamicAPInt, DynamicAPInt>>
getRange(const std::optional<Sum> &sum, nxv::WhileOp inner) {
  if (std::optional<DynamicAPInt> number = getNumber(sum))
    return std::pair(*number, *number);
  auto argument = sum ? dyn_cast<BlockArgument>(sum->base) : BlockArgument();
  auto loop = argument
                  ? dyn_cast<nxv::WhileOp>(argument.getOwner()->getParentOp())
                  : nxv::WhileOp();
  std::optional<uint64_t> turns = loop && loop->isProperAncestor(inner)
                                      ? getTripBound(loop)
                                      : std::optional<uint64_t>();
  if (!turns)
    return std::nullopt;
  Sum state = *sum;
  state.base = loop.getCondition().front().getArgument(argument.getArgNumber());
  std::optional<Counter> counter = getCounter(loop, state);
  if (!counter)
    return std::nullopt;
  const DynamicAPInt &first = counter->first;
  DynamicAPInt last = first + DynamicAPInt(int64_t(*turns)) * counter->step;
  bool fits = sum->holds(first) && sum->holds(last) &&
              llvm::all_of(counter->ranges, [&](const Bounds &range) {
                return range.holds(first) && range.holds(last - counter->step);
              });
  if (!fits)
    return std::nullopt;
  return std::pair(first + sum->offset, last + sum->offset);
}

/// The most turns of a loop that runs while `cmp` holds, for a bound that is
/// not always the same.
static std::optional<uint64_t> boundTurns(nxv::WhileOp loop,
                                          arith::CmpIOp cmp) {
  if (std::optional<uint64_t> turns = countTurns(loop, cmp))
    return turns;
  CmpIPredicate predicate = cmp.getPredicate();
  // With others a number in between may be passed by.
  if (predicate == CmpIPredicate::eq || predicate == CmpIPredicate::ne)
    return std::nullopt;
  bool isSigned = !isUnsigned(predicate);
  std::optional<Sum> left = getSum(cmp.getLhs(), isSigned);
  std::optional<Sum> right = getSum(cmp.getRhs(), isSigned);
  for (bool swapped : {false, true}) {
    auto range = getRange(swapped ? left : right, loop);
    if (!range)
      continue;
    const std::optional<Sum> &state = swapped ? right : left;
    auto a = countTurns(loop, predicate, state, range->first, swapped);
    auto b = countTurns(loop, predicate, state, range->second, swapped);
    if (a && b)
      return std::max(*a, *b);
  }
  return std::nullopt;
}

/// The most turns of a loop that runs while `condition` holds.
static std::optional<uint64_t> boundTurns(nxv::WhileOp loop, Value condition) {
  condition = traceOut(condition);
  if (auto cmp = condition.getDefiningOp<arith::CmpIOp>())
    return boundTurns(loop, cmp);
  auto both = condition.getDefiningOp<arith::AndIOp>();
  if (!both)
    return std::nullopt;
  std::optional<uint64_t> a = boundTurns(loop, both.getLhs());
  std::optional<uint64_t> b = boundTurns(loop, both.getRhs());
  return a && b ? std::min(*a, *b) : a ? a : b;
}

std::optional<uint64_t> nxv::getTripBound(nxv::WhileOp loop) {
  if (std::optional<uint64_t> turns = getTripCount(loop))
    return turns;
  return boundTurns(loop,
                    loop.getCondition().front().getTerminator()->getOperand(0));
}

std::optional<uint64_t> nxv::getTripCount(nxv::WhileOp loop) {
  Value condition =
      traceOut(loop.getCondition().front().getTerminator()->getOperand(0));
  APInt truth;
  if (matchPattern(condition, m_ConstantInt(&truth)))
    return truth.isZero() ? std::optional<uint64_t>(0) : std::nullopt;
  auto cmp = condition.getDefiningOp<arith::CmpIOp>();
  return cmp ? countTurns(loop, cmp) : std::nullopt;
}
