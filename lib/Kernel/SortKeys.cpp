//===- SortKeys.cpp - integers in the order of elements ---------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "SortKeys.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace mlir;
using namespace nxv;
using Values = ElementEmitter::Values;
using Predicate = arith::CmpIPredicate;

static Value compare(ElementEmitter &e, Predicate predicate, Value lhs,
                     Value rhs) {
  return arith::CmpIOp::create(e.getBuilder(), e.getLoc(), predicate, lhs, rhs);
}
static Value select(ElementEmitter &e, Value condition, Value yes, Value no) {
  return arith::SelectOp::create(e.getBuilder(), e.getLoc(), condition, yes,
                                 no);
}
template <typename Op>
static Value binary(ElementEmitter &e, Value lhs, Value rhs) {
  return Op::create(e.getBuilder(), e.getLoc(), lhs, rhs);
}

//===----------------------------------------------------------------------===//
// Keys
//===----------------------------------------------------------------------===//

SortKeys::SortKeys(Type element, bool descending, bool isUnsigned)
    : element(element), descending(descending),
      isUnsigned(isUnsigned || element.isInteger(1)) {
  unsigned bits = element.getIntOrFloatBitWidth() > 32 ? 64 : 32;
  type = IntegerType::get(element.getContext(), bits);
}

Value SortKeys::constant(ElementEmitter &e, int64_t value) const {
  return e.constant(e.getBuilder().getIntegerAttr(type, value));
}

static int64_t largest(IntegerType type) {
  return type.getWidth() == 64 ? std::numeric_limits<int64_t>::max()
                               : std::numeric_limits<int32_t>::max();
}

Value SortKeys::last(ElementEmitter &e) const {
  return constant(e, largest(type));
}

/// A float's bits are a sign and a magnitude in the order of the numbers.
Value SortKeys::floatKey(ElementEmitter &e, Value value) const {
  OpBuilder &b = e.getBuilder();
  auto format = cast<FloatType>(element);
  unsigned width = format.getWidth();
  Value bits =
      arith::BitcastOp::create(b, e.getLoc(), b.getIntegerType(width), value);
  if (width < type.getWidth())
    bits = arith::ExtSIOp::create(b, e.getLoc(), type, bits);
  int64_t allButSign =
      width == 64 ? largest(type) : (int64_t(1) << (width - 1)) - 1;
  APInt infinity = APFloat::getInf(format.getFloatSemantics()).bitcastToAPInt();
  Value magnitude = binary<arith::AndIOp>(e, bits, constant(e, allButSign));
  Value negative = compare(e, Predicate::slt, bits, constant(e, 0));
  Value isNan = compare(e, Predicate::sgt, magnitude,
                        constant(e, infinity.getZExtValue()));
  Value opposite = binary<arith::SubIOp>(e, constant(e, 0), magnitude);
  Value key = select(e, negative, opposite, magnitude);
  return select(e, isNan, last(e), key);
}

Value SortKeys::integerKey(ElementEmitter &e, Value value) const {
  OpBuilder &b = e.getBuilder();
  if (element.getIntOrFloatBitWidth() < type.getWidth())
    return isUnsigned
               ? Value(arith::ExtUIOp::create(b, e.getLoc(), type, value))
               : Value(arith::ExtSIOp::create(b, e.getLoc(), type, value));
  if (!isUnsigned)
    return value;
  return binary<arith::XOrIOp>(e, value, constant(e, -largest(type) - 1));
}

Value SortKeys::keyOf(ElementEmitter &e, Value value) const {
  Value key =
      isa<FloatType>(element) ? floatKey(e, value) : integerKey(e, value);
  return descending ? binary<arith::XOrIOp>(e, key, constant(e, -1)) : key;
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

Value nxv::placeToIndex(ElementEmitter &e, Value place) {
  if (place.getType() == e.getIndexType())
    return place;
  return arith::ExtUIOp::create(e.getBuilder(), e.getLoc(), e.getIndexType(),
                                place);
}

Value nxv::indexToPlace(ElementEmitter &e, Value index) {
  Type i32 = e.getBuilder().getI32Type();
  if (index.getType() == i32)
    return index;
  return arith::TruncIOp::create(e.getBuilder(), e.getLoc(), i32, index);
}

Value nxv::placeAs(ElementEmitter &e, Value place, Type element) {
  unsigned bits = element.getIntOrFloatBitWidth();
  if (bits > 32)
    return arith::ExtUIOp::create(e.getBuilder(), e.getLoc(), element, place);
  if (bits < 32)
    return arith::TruncIOp::create(e.getBuilder(), e.getLoc(), element, place);
  return place;
}

//===----------------------------------------------------------------------===//
// Merging
//===----------------------------------------------------------------------===//

int64_t nxv::partitionSteps(int64_t most) {
  return llvm::Log2_64(std::max<int64_t>(1, most)) + 1;
}

Value nxv::partitionRuns(ElementEmitter &e, const SortedRuns &runs,
                         Value diagonal, Value steps) {
  Value one = e.constantIndex(1), zero = e.constantIndex(0);
  Value low = binary<arith::MaxSIOp>(
      e, binary<arith::SubIOp>(e, diagonal, runs.secondCount), zero);
  Value high = binary<arith::MinSIOp>(e, diagonal, runs.firstCount);
  Value before = binary<arith::SubIOp>(e, diagonal, one);
  // All threads take the steps of the longest search. A closed range stays: its
  // middle is its end.
  auto step = [&](ValueRange range) -> Values {
    Value from = range[0], to = range[1];
    Value open = compare(e, Predicate::slt, from, to);
    Value middle =
        binary<arith::ShRUIOp>(e, binary<arith::AddIOp>(e, from, to), one);
    Value other = binary<arith::SubIOp>(e, before, middle);
    Value takesFirst =
        compare(e, Predicate::sle, runs.first(middle), runs.second(other));
    Value up = binary<arith::AndIOp>(e, open, takesFirst);
    Value next = binary<arith::AddIOp>(e, middle, one);
    return {select(e, up, next, from), select(e, up, to, middle)};
  };
  return countedLoop(e, steps, {low, high},
                     [&](Value, ValueRange range) { return step(range); })
      .front();
}

Values nxv::countedLoop(ElementEmitter &e, Value count, ValueRange inits,
                        llvm::function_ref<Values(Value, ValueRange)> body) {
  OpBuilder &b = e.getBuilder();
  auto loop = scf::ForOp::create(b, e.getLoc(), e.constantIndex(0), count,
                                 e.constantIndex(1), inits);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  e.pushScope();
  Values next = body(loop.getInductionVar(), loop.getRegionIterArgs());
  e.popScope();
  scf::YieldOp::create(b, e.getLoc(), next);
  return Values(loop.getResults());
}

/// One slot in 32 is left out, so that threads which own neighbouring runs of
/// slots do not wait for each other's bank.
static constexpr int64_t banks = 32;

SharedKeys::SharedKeys(KernelBuilder &kernel, IntegerType type, int64_t count)
    : emitter(&kernel.getEmitter()), type(type), count(count),
      keys(kernel.allocateShared(type, count + count / banks)),
      places(kernel.allocateShared(kernel.getBuilder().getI32Type(),
                                   count + count / banks)) {}

AffineExpr SharedKeys::position(AffineExpr slot) const {
  return emitter->getSpace().simplify(slot + slot.floorDiv(banks));
}

AffineExpr SharedKeys::limited(Value slot) const {
  // Below zero is beyond everything.
  Value inside =
      binary<arith::MinUIOp>(*emitter, slot, emitter->constantIndex(count - 1));
  return emitter->addDim(count, inside);
}

Value SharedKeys::key(AffineExpr slot) const {
  return emitter->load(keys, type, position(slot));
}
Value SharedKeys::place(AffineExpr slot) const {
  return emitter->load(places, emitter->getBuilder().getI32Type(),
                       position(slot));
}
Value SharedKeys::key(Value slot) const { return key(limited(slot)); }
Value SharedKeys::place(Value slot) const { return place(limited(slot)); }

void SharedKeys::setKey(AffineExpr slot, Value key) const {
  emitter->store(keys, type, position(slot), key);
}
void SharedKeys::setPlace(AffineExpr slot, Value place) const {
  emitter->store(places, emitter->getBuilder().getI32Type(), position(slot),
                 place);
}

MergedSlots nxv::mergeSlots(ElementEmitter &e, const SharedKeys &shared,
                            Value first, Value firstEnd, Value second,
                            Value secondEnd, int64_t count) {
  MergedSlots merged;
  Value one = e.constantIndex(1);
  Value firstKey = shared.key(first), secondKey = shared.key(second);
  for (int64_t i = 0; i < count; ++i) {
    Value firstLeft = compare(e, Predicate::slt, first, firstEnd);
    Value secondGone = compare(e, Predicate::sge, second, secondEnd);
    Value ordered = compare(e, Predicate::sle, firstKey, secondKey);
    Value takesFirst = binary<arith::OrIOp>(
        e, secondGone, binary<arith::AndIOp>(e, firstLeft, ordered));
    merged.slots.push_back(select(e, takesFirst, first, second));
    merged.keys.push_back(select(e, takesFirst, firstKey, secondKey));
    if (i + 1 == count)
      break;
    Value next = binary<arith::AddIOp>(e, merged.slots.back(), one);
    first = select(e, takesFirst, next, first);
    second = select(e, takesFirst, second, next);
    Value key = shared.key(next);
    firstKey = select(e, takesFirst, key, firstKey);
    secondKey = select(e, takesFirst, secondKey, key);
  }
  return merged;
}
