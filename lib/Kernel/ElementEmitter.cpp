//===- ElementEmitter.cpp - tensor elements by index ------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "nxv/Kernel/ElementEmitter.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace mlir;
using namespace nxv;

/// A value inside a payload: an index expression, or an ordinary value. An
/// index that was read from memory keeps its own integer type until it is
/// limited, so that nothing is cut off before the clamp.
struct ElementEmitter::PayloadValue {
  Value value;
  AffineExpr index;
  std::optional<bool> known; // a predicate decided by ranges
  IndexRange range{std::numeric_limits<int64_t>::min(),
                   std::numeric_limits<int64_t>::max()};
};

struct ElementEmitter::Environment {
  DenseMap<Value, PayloadValue> values;
  /// A value of the payload, or a scalar constant from outside of it.
  PayloadValue lookup(Value value, ElementEmitter &emitter) {
    if (auto found = values.find(value); found != values.end())
      return found->second;
    auto cst = value.getDefiningOp<arith::ConstantOp>();
    assert(cst && "a payload uses only constants of the outside");
    PayloadValue result;
    if (cst.getType().isIndex())
      result.index =
          emitter.space.constant(cast<IntegerAttr>(cst.getValue()).getInt());
    else
      result.value = emitter.constant(cast<TypedAttr>(cst.getValue()));
    return result;
  }
  SmallVector<AffineExpr> loops;
};

ElementEmitter::ElementEmitter(OpBuilder &builder, Location loc,
                               IndexSpace &space, bool wideIndices)
    : builder(builder), loc(loc), space(space),
      indexType(builder.getIntegerType(wideIndices ? 64 : 32)),
      lane(space.constant(0)) {
  scopes.emplace_back();
}

//===----------------------------------------------------------------------===//
// Dimensions and index arithmetic
//===----------------------------------------------------------------------===//

AffineExpr ElementEmitter::addDim(IndexRange range, Value value) {
  AffineExpr dim = space.addDim(range);
  dimValues[dim] = value;
  return dim;
}

AffineExpr ElementEmitter::setLane(int64_t newWidth) {
  AffineExpr dim = newWidth == 1 ? space.constant(0) : space.addDim(newWidth);
  if (newWidth != 1)
    laneWidths[dim] = newWidth;
  useLane(dim, newWidth);
  return dim;
}

void ElementEmitter::useLane(AffineExpr dim, int64_t newWidth) {
  lane = dim;
  width = newWidth;
}

bool ElementEmitter::isVarying(AffineExpr expr) const {
  bool varying = false;
  expr.walk([&](AffineExpr e) {
    if (!isa<AffineDimExpr>(e))
      return;
    Value value = dimValues.lookup(e);
    varying |= value ? isa<VectorType>(value.getType()) : e == lane;
  });
  return varying;
}

Type ElementEmitter::lanesOf(Type scalar) const {
  return VectorType::get({width}, scalar);
}

Value ElementEmitter::constant(TypedAttr value) {
  return arith::ConstantOp::create(builder, loc, value);
}

Value ElementEmitter::constantIndex(int64_t value) {
  return constant(builder.getIntegerAttr(indexType, value));
}

Value ElementEmitter::constantLike(Type type, TypedAttr scalar) {
  if (auto vector = dyn_cast<VectorType>(type))
    return constant(DenseElementsAttr::get(vector, Attribute(scalar)));
  return constant(scalar);
}

Value ElementEmitter::splat(Value value) {
  if (width == 1 || isa<VectorType>(value.getType()))
    return value;
  Attribute attr;
  if (matchPattern(value, m_Constant(&attr)))
    return constantLike(lanesOf(value.getType()), cast<TypedAttr>(attr));
  return vector::BroadcastOp::create(builder, loc, lanesOf(value.getType()),
                                     value);
}

Value ElementEmitter::extractLane(Value value, int64_t index) {
  if (!isa<VectorType>(value.getType()))
    return value;
  return vector::ExtractOp::create(builder, loc, value, index);
}

Value ElementEmitter::joinLanes(ValueRange values) {
  if (values.size() == 1)
    return values.front();
  return vector::FromElementsOp::create(
      builder, loc,
      VectorType::get({int64_t(values.size())}, values.front().getType()),
      values);
}

std::pair<Value, Value> ElementEmitter::unify(Value lhs, Value rhs) {
  if (isa<VectorType>(lhs.getType()) || isa<VectorType>(rhs.getType()))
    return {splat(lhs), splat(rhs)};
  return {lhs, rhs};
}

Value ElementEmitter::index(AffineExpr expr) {
  expr = space.simplify(expr);
  for (Scope &scope : llvm::reverse(scopes))
    if (Value found = scope.indices.lookup(expr))
      return found;
  Value value = emitIndex(expr);
  scopes.back().indices[expr] = value;
  return value;
}

Value ElementEmitter::memoryIndex(AffineExpr expr) {
  // Positions are never negative.
  return arith::IndexCastUIOp::create(builder, loc, builder.getIndexType(),
                                      index(expr));
}

Value ElementEmitter::divide(Value value, AffineExpr numerator, int64_t divisor,
                             bool remainder) {
  bool nonNegative = space.rangeOf(numerator).low >= 0;
  auto like = [&](int64_t c) {
    return constantLike(value.getType(), builder.getIntegerAttr(indexType, c));
  };
  if (llvm::isPowerOf2_64(divisor)) {
    if (remainder)
      return arith::AndIOp::create(builder, loc, value, like(divisor - 1));
    Value shift = like(llvm::Log2_64(divisor));
    if (nonNegative)
      return arith::ShRUIOp::create(builder, loc, value, shift);
    return arith::ShRSIOp::create(builder, loc, value, shift);
  }
  if (nonNegative) {
    if (remainder)
      return arith::RemUIOp::create(builder, loc, value, like(divisor));
    return arith::DivUIOp::create(builder, loc, value, like(divisor));
  }
  // Toward minus infinity.
  Value rest = arith::RemSIOp::create(builder, loc, value, like(divisor));
  Value negative = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::slt, rest, like(0));
  if (remainder) {
    Value wrapped = arith::AddIOp::create(builder, loc, rest, like(divisor));
    return arith::SelectOp::create(builder, loc, negative, wrapped, rest);
  }
  Value quotient = arith::DivSIOp::create(builder, loc, value, like(divisor));
  Value lower = arith::SubIOp::create(builder, loc, quotient, like(1));
  return arith::SelectOp::create(builder, loc, negative, lower, quotient);
}

Value ElementEmitter::emitIndex(AffineExpr expr) {
  if (auto value = dyn_cast<AffineConstantExpr>(expr))
    return constantIndex(value.getValue());
  if (isa<AffineDimExpr>(expr)) {
    if (Value value = dimValues.lookup(expr))
      return value;
    SmallVector<Attribute> lanes;
    for (int64_t i = 0; i < laneWidths.lookup(expr); ++i)
      lanes.push_back(builder.getIntegerAttr(indexType, i));
    return constant(DenseElementsAttr::get(
        VectorType::get({int64_t(lanes.size())}, indexType), lanes));
  }
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Value left = index(binary.getLHS());
  if (binary.getKind() == AffineExprKind::FloorDiv ||
      binary.getKind() == AffineExprKind::Mod)
    return divide(left, binary.getLHS(),
                  cast<AffineConstantExpr>(binary.getRHS()).getValue(),
                  binary.getKind() == AffineExprKind::Mod);
  auto [lhs, rhs] = unify(left, index(binary.getRHS()));
  if (binary.getKind() == AffineExprKind::Add)
    return arith::AddIOp::create(builder, loc, lhs, rhs);
  return arith::MulIOp::create(builder, loc, lhs, rhs);
}

AffineExpr ElementEmitter::clamp(AffineExpr expr, int64_t low, int64_t high) {
  IndexRange range = space.rangeOf(expr);
  if (range.within(low, high))
    return expr;
  Value value = index(expr);
  auto like = [&](int64_t c) {
    return constantLike(value.getType(), builder.getIntegerAttr(indexType, c));
  };
  if (range.low < low)
    value = arith::MaxSIOp::create(builder, loc, value, like(low));
  if (range.high > high)
    value = arith::MinSIOp::create(builder, loc, value, like(high));
  return addDim({std::max(range.low, low), std::min(range.high, high)}, value);
}

Value ElementEmitter::lessThan(AffineExpr expr, int64_t bound) {
  if (space.rangeOf(space.simplify(expr)).high < bound)
    return {};
  Value value = index(expr);
  Value limit =
      constantLike(value.getType(), builder.getIntegerAttr(indexType, bound));
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, value,
                               limit);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Type ElementEmitter::storageType(Type element) {
  if (element.isInteger(1))
    return IntegerType::get(element.getContext(), 8);
  return element;
}

/// What `buffer` holds an element as.
static Type storedElement(Value buffer, Type element) {
  return element.isInteger(1)
             ? cast<MemRefType>(buffer.getType()).getElementType()
             : element;
}

void ElementEmitter::bindBuffer(Value tensor, Value buffer, AffineExpr base) {
  buffers[tensor] = buffer;
  bases[tensor] = base;
}
void ElementEmitter::bindProducer(Value tensor, Producer producer) {
  producers[tensor] = std::move(producer);
}
void ElementEmitter::unbind(Value tensor) {
  producers.erase(tensor);
  buffers.erase(tensor);
}

/// Is `position` = multiple of `width` + lane, so that the lanes are one wide
/// access?
static bool isContiguous(IndexSpace &space, AffineExpr position,
                         AffineExpr lane, int64_t width) {
  AffineExpr base = space.simplify(position - lane);
  return !IndexSpace::dependsOn(base, lane) && space.isMultipleOf(base, width);
}

Value ElementEmitter::load(Value buffer, Type element, AffineExpr position) {
  position = space.simplify(position);
  Type stored = storedElement(buffer, element);
  Value value;
  if (!isVarying(position)) {
    value = memref::LoadOp::create(builder, loc, buffer, memoryIndex(position));
  } else if (isa<AffineDimExpr>(lane) &&
             isContiguous(space, position, lane, width) &&
             !isVarying(space.simplify(position - lane))) {
    Value base = memoryIndex(position - lane);
    value =
        vector::LoadOp::create(builder, loc, cast<VectorType>(lanesOf(stored)),
                               buffer, ValueRange{base});
  } else {
    SmallVector<Value> parts;
    bool affine =
        isa<AffineDimExpr>(lane) &&
        !isVarying(space.substitute(position, lane, space.constant(0)));
    Value positions = affine ? Value() : index(position);
    for (int64_t i = 0; i < width; ++i) {
      Value at;
      if (affine) {
        at = memoryIndex(space.substitute(position, lane, space.constant(i)));
      } else {
        at = arith::IndexCastUIOp::create(builder, loc, builder.getIndexType(),
                                          extractLane(positions, i));
      }
      parts.push_back(
          memref::LoadOp::create(builder, loc, buffer, ValueRange{at}));
    }
    value = joinLanes(parts);
  }
  if (stored == element)
    return value;
  Value zero = constantLike(value.getType(), builder.getIntegerAttr(stored, 0));
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, value,
                               zero);
}

void ElementEmitter::store(Value buffer, Type element, AffineExpr position,
                           Value value) {
  position = space.simplify(position);
  Type stored = storedElement(buffer, element);
  if (stored != element) {
    Type type = isa<VectorType>(value.getType()) ? lanesOf(stored) : stored;
    value = arith::ExtUIOp::create(builder, loc, type, value);
  }
  if (!isVarying(position)) {
    memref::StoreOp::create(builder, loc, extractLane(value, 0), buffer,
                            memoryIndex(position));
    return;
  }
  if (isContiguous(space, position, lane, width) &&
      !isVarying(space.simplify(position - lane))) {
    vector::StoreOp::create(builder, loc, splat(value), buffer,
                            ValueRange{memoryIndex(position - lane)});
    return;
  }
  bool affine = !isVarying(space.substitute(position, lane, space.constant(0)));
  Value positions = affine ? Value() : index(position);
  for (int64_t i = 0; i < width; ++i) {
    Value at =
        affine
            ? memoryIndex(space.substitute(position, lane, space.constant(i)))
            : Value(arith::IndexCastUIOp::create(builder, loc,
                                                 builder.getIndexType(),
                                                 extractLane(positions, i)));
    memref::StoreOp::create(builder, loc, extractLane(value, i), buffer,
                            ValueRange{at});
  }
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

AffineMap ElementEmitter::key(Indices indices) const {
  return AffineMap::get(/*dimCount=*/1 << 20, 0, indices, space.getContext());
}

Value ElementEmitter::elementAt(Value tensor, Indices indices) {
  SmallVector<AffineExpr> simple;
  for (AffineExpr expr : indices)
    simple.push_back(space.simplify(expr));
  if (auto found = producers.find(tensor); found != producers.end())
    return found->second(simple);
  AffineMap at = key(simple);
  std::pair<void *, AffineMap> id{tensor.getAsOpaquePointer(), at};
  for (Scope &scope : llvm::reverse(scopes))
    if (auto found = scope.elements.find(id); found != scope.elements.end())
      return found->second.front();
  Value value = compute(tensor, simple);
  scopes.back().elements[id] = {value};
  return value;
}

static TypedAttr zeroOf(Builder &builder, Type element) {
  return builder.getZeroAttr(element);
}

Value ElementEmitter::compute(Value tensor, Indices indices) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (type.getNumElements() == 0)
    return constant(zeroOf(builder, type.getElementType()));
  if (Value buffer = buffers.lookup(tensor)) {
    AffineExpr position = space.flatten(indices, type.getShape());
    if (AffineExpr base = bases.lookup(tensor))
      position = space.simplify(position - base);
    return load(buffer, type.getElementType(), position);
  }
  Operation *op = tensor.getDefiningOp();
  if (auto cst = dyn_cast_or_null<arith::ConstantOp>(op))
    return constant(
        cast<DenseElementsAttr>(cst.getValue()).getSplatValue<TypedAttr>());
  if (isa_and_nonnull<tensor::EmptyOp>(op))
    return constant(zeroOf(builder, type.getElementType()));
  if (isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op)) {
    Value source = op->getOperand(0);
    return elementAt(
        source,
        reshapeIndices(space, indices, type.getShape(),
                       cast<RankedTensorType>(source.getType()).getShape()));
  }
  auto generic = cast<linalg::GenericOp>(op);
  unsigned number = cast<OpResult>(tensor).getResultNumber();
  if (generic.getNumReductionLoops() != 0)
    return reduceInline(generic, indices)[number];
  AffineMap map =
      generic.getMatchingIndexingMap(generic.getDpsInitOperand(number));
  SmallVector<AffineExpr> loops(map.getNumDims(), space.constant(0));
  for (auto [result, index] : llvm::zip(map.getResults(), indices))
    loops[cast<AffineDimExpr>(result).getPosition()] = index;
  std::pair<void *, AffineMap> id{generic.getOperation(), key(loops)};
  for (Scope &scope : llvm::reverse(scopes))
    if (auto found = scope.elements.find(id); found != scope.elements.end())
      return found->second[number];
  Values results = payloadAt(generic, loops);
  scopes.back().elements[id] = results;
  return results[number];
}

ElementEmitter::Values ElementEmitter::reduceInline(linalg::GenericOp op,
                                                    Indices result) {
  std::pair<void *, AffineMap> id{op.getOperation(), key(result)};
  for (Scope &scope : llvm::reverse(scopes))
    if (auto found = scope.elements.find(id); found != scope.elements.end())
      return found->second;
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  SmallVector<AffineExpr> loops(sizes.size());
  for (auto [expr, index] : llvm::zip(map.getResults(), result))
    loops[cast<AffineDimExpr>(expr).getPosition()] = index;
  SmallVector<int64_t> extents;
  SmallVector<unsigned> reduced;
  int64_t count = 1;
  for (unsigned i = 0; i < sizes.size(); ++i)
    if (!loops[i]) {
      reduced.push_back(i);
      extents.push_back(sizes[i]);
      count *= sizes[i];
    }
  Values accumulators;
  bool varying =
      llvm::any_of(result, [&](AffineExpr e) { return isVarying(e); });
  for (OpOperand &init : op.getDpsInitsMutable()) {
    Value value = elementAt(
        init.get(), SmallVector<AffineExpr>(result.begin(), result.end()));
    accumulators.push_back(varying ? splat(value) : value);
  }
  auto step = [&](AffineExpr flat, ValueRange values) {
    for (auto [dim, index] : llvm::zip(reduced, space.unflatten(flat, extents)))
      loops[dim] = index;
    Values next = payloadAt(op, loops, values);
    if (varying)
      for (Value &value : next)
        value = splat(value);
    return next;
  };
  if (count <= 16) {
    for (int64_t i = 0; i < count; ++i)
      accumulators = step(space.constant(i), accumulators);
  } else {
    accumulators = loop(0, count, 1, accumulators, step);
  }
  scopes.back().elements[id] = accumulators;
  return accumulators;
}

ElementEmitter::Values ElementEmitter::payloadAt(linalg::GenericOp op,
                                                 Indices loops,
                                                 ValueRange accumulators,
                                                 KnownIndices known) {
  return payloadOf(op, loops, SmallVector<Value>(op.getNumDpsInputs()),
                   accumulators, known);
}

ElementEmitter::Values ElementEmitter::payloadOf(linalg::GenericOp op,
                                                 Indices loops,
                                                 ValueRange inputs,
                                                 ValueRange accumulators,
                                                 KnownIndices known) {
  Environment env;
  env.loops.assign(loops.begin(), loops.end());
  for (auto [value, index] : known)
    env.values[value] = {{}, index, {}};
  Block *body = op.getBody();
  unsigned position = 0;
  for (OpOperand *input : op.getDpsInputOperands()) {
    BlockArgument argument = body->getArgument(position);
    Value given = position < inputs.size() ? inputs[position] : Value();
    ++position;
    if (argument.use_empty())
      continue;
    if (given) {
      env.values[argument] = {given, {}, {}};
      continue;
    }
    AffineMap map = op.getMatchingIndexingMap(input);
    SmallVector<AffineExpr> at;
    for (AffineExpr expr : map.getResults())
      at.push_back(space.simplify(expr.replaceDims(loops)));
    env.values[argument] = {elementAt(input->get(), at), {}, {}};
  }
  for (Value accumulator : accumulators)
    env.values[body->getArgument(position++)] = {accumulator, {}, {}};
  evaluate(*body, env);
  Values results;
  for (Value operand : body->getTerminator()->getOperands())
    results.push_back(asValue(env.lookup(operand, *this)));
  return results;
}

void ElementEmitter::evaluateNeeded(Value value, Block &block,
                                    Environment &env) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != &block || env.values.count(value))
    return;
  for (Value operand : op->getOperands())
    evaluateNeeded(operand, block, env);
  evaluateOp(*op, env);
}

AffineExpr ElementEmitter::uniformIndex(linalg::GenericOp op, Value wanted) {
  Environment env;
  env.loops.assign(op.getNumLoops(), space.constant(0));
  evaluateNeeded(wanted, *op.getBody(), env);
  return space.simplify(asIndex(env.lookup(wanted, *this)));
}

//===----------------------------------------------------------------------===//
// Payloads
//===----------------------------------------------------------------------===//

AffineExpr ElementEmitter::asIndex(const PayloadValue &value) {
  if (value.index)
    return value.index;
  IndexRange any = anyIndex();
  return addDim({std::max(value.range.low, any.low),
                 std::min(value.range.high, any.high)},
                resize(value.value, indexType, /*isUnsigned=*/false));
}

IndexRange ElementEmitter::anyIndex() const {
  // Far from where products of sizes overflow.
  if (indexType.getWidth() == 64)
    return {-(int64_t(1) << 40), int64_t(1) << 40};
  return {std::numeric_limits<int32_t>::min(),
          std::numeric_limits<int32_t>::max()};
}

Value ElementEmitter::resize(Value value, Type element, bool isUnsigned) {
  Type target = isa<VectorType>(value.getType()) ? lanesOf(element) : element;
  unsigned from = getElementTypeOrSelf(value).getIntOrFloatBitWidth();
  unsigned to = element.getIntOrFloatBitWidth();
  if (from > to)
    return arith::TruncIOp::create(builder, loc, target, value);
  if (from == to)
    return value;
  if (isUnsigned)
    return arith::ExtUIOp::create(builder, loc, target, value);
  return arith::ExtSIOp::create(builder, loc, target, value);
}

/// What values a payload's integer can have, by its type and by the limits that
/// it goes through.
static IndexRange rangeOfInteger(Value value, bool isUnsigned) {
  Operation *op = value.getDefiningOp();
  APInt limit;
  if (op && op->getNumOperands() == 2 &&
      matchPattern(op->getOperand(1), m_ConstantInt(&limit))) {
    int64_t c = limit.getSExtValue();
    if (isa<arith::MinUIOp>(op) && c >= 0)
      return {0, c};
    IndexRange range{0, 0};
    if (isa<arith::MinSIOp, arith::MaxSIOp>(op))
      range = rangeOfInteger(op->getOperand(0), false);
    if (isa<arith::MinSIOp>(op))
      return {std::min(range.low, c), std::min(range.high, c)};
    if (isa<arith::MaxSIOp>(op))
      return {std::max(range.low, c), std::max(range.high, c)};
  }
  unsigned bits = value.getType().getIntOrFloatBitWidth();
  if (isUnsigned && bits < 63)
    return {0, (int64_t(1) << bits) - 1};
  return {llvm::minIntN(bits), llvm::maxIntN(bits)};
}

Value ElementEmitter::asValue(const PayloadValue &value) {
  if (value.value)
    return value.value;
  if (value.known)
    return constant(builder.getBoolAttr(*value.known));
  return index(value.index);
}

void ElementEmitter::evaluate(Block &block, Environment &env) {
  for (Operation &op : block.without_terminator())
    evaluateOp(op, env);
}

Value ElementEmitter::vectorized(Operation &op, Values operands) {
  bool vector = llvm::any_of(
      operands, [](Value v) { return isa<VectorType>(v.getType()); });
  SmallVector<Type> types(op.getResultTypes());
  if (vector) {
    for (Value &operand : operands)
      operand = splat(operand);
    for (Type &type : types)
      type = lanesOf(type);
  }
  OperationState state(op.getLoc(), op.getName(), operands, types,
                       op.getAttrs());
  return builder.create(state)->getResult(0);
}

void ElementEmitter::evaluateOp(Operation &op, Environment &env) {
  // Given, rather than to be computed.
  if (op.getNumResults() == 1 && env.values.count(op.getResult(0)))
    return;
  if (evaluateIndexOp(op, env))
    return;
  if (auto cst = dyn_cast<arith::ConstantOp>(op)) {
    env.values[cst] = {constant(cast<TypedAttr>(cst.getValue())), {}, {}};
    return;
  }
  if (isa<tensor::ExtractOp>(op))
    return evaluateExtract(op, env);
  if (isa<scf::IfOp>(op))
    return evaluateIf(op, env);
  if (op.getNumRegions() != 0 || op.getNumResults() != 1)
    return evaluateByLane(op, env);
  Values operands;
  for (Value operand : op.getOperands())
    operands.push_back(asValue(env.lookup(operand, *this)));
  env.values[op.getResult(0)] = {vectorized(op, operands), {}, {}};
}

ElementEmitter::PayloadValue ElementEmitter::limit(Operation &op,
                                                   PayloadValue lhs,
                                                   PayloadValue rhs,
                                                   bool upper) {
  if (lhs.index && isa<AffineConstantExpr>(lhs.index))
    std::swap(lhs, rhs);
  auto bound = rhs.index ? dyn_cast<AffineConstantExpr>(rhs.index)
                         : AffineConstantExpr();
  if (bound) {
    int64_t c = bound.getValue();
    if (lhs.index) {
      IndexRange range = space.rangeOf(lhs.index);
      return {{},
              upper ? clamp(lhs.index, std::min(range.low, c), c)
                    : clamp(lhs.index, c, std::max(range.high, c)),
              {}};
    }
    Type element = getElementTypeOrSelf(lhs.value.getType());
    Value limitValue =
        constantLike(lhs.value.getType(), builder.getIntegerAttr(element, c));
    PayloadValue result = lhs;
    if (upper) {
      result.value =
          arith::MinSIOp::create(builder, loc, lhs.value, limitValue);
      result.range.high = std::min(lhs.range.high, c);
    } else {
      result.value =
          arith::MaxSIOp::create(builder, loc, lhs.value, limitValue);
      result.range.low = std::max(lhs.range.low, c);
    }
    return result;
  }
  AffineExpr a = asIndex(lhs), b = asIndex(rhs);
  auto [x, y] = unify(index(a), index(b));
  Value value = upper ? Value(arith::MinSIOp::create(builder, loc, x, y))
                      : Value(arith::MaxSIOp::create(builder, loc, x, y));
  IndexRange ra = space.rangeOf(a), rb = space.rangeOf(b);
  IndexRange range =
      upper ? IndexRange{std::min(ra.low, rb.low), std::min(ra.high, rb.high)}
            : IndexRange{std::max(ra.low, rb.low), std::max(ra.high, rb.high)};
  return {{}, addDim(range, value), {}};
}

ElementEmitter::PayloadValue ElementEmitter::compareIndices(Operation &op,
                                                            PayloadValue lhs,
                                                            PayloadValue rhs) {
  auto predicate = cast<arith::CmpIOp>(op).getPredicate();
  AffineExpr a = asIndex(lhs), b = asIndex(rhs);
  IndexRange difference = space.rangeOf(space.simplify(a - b));
  std::optional<bool> known;
  switch (predicate) {
  case arith::CmpIPredicate::ult:
    if (space.rangeOf(a).low < 0 || space.rangeOf(b).low < 0)
      break;
    [[fallthrough]];
  case arith::CmpIPredicate::slt:
    if (difference.high < 0)
      known = true;
    else if (difference.low >= 0)
      known = false;
    break;
  case arith::CmpIPredicate::uge:
    if (space.rangeOf(a).low < 0 || space.rangeOf(b).low < 0)
      break;
    [[fallthrough]];
  case arith::CmpIPredicate::sge:
    if (difference.low >= 0)
      known = true;
    else if (difference.high < 0)
      known = false;
    break;
  case arith::CmpIPredicate::sle:
    if (difference.high <= 0)
      known = true;
    else if (difference.low > 0)
      known = false;
    break;
  case arith::CmpIPredicate::sgt:
    if (difference.low > 0)
      known = true;
    else if (difference.high <= 0)
      known = false;
    break;
  case arith::CmpIPredicate::eq:
  case arith::CmpIPredicate::ne:
    if (difference.low > 0 || difference.high < 0)
      known = predicate == arith::CmpIPredicate::ne;
    else if (difference.low == 0 && difference.high == 0)
      known = predicate == arith::CmpIPredicate::eq;
    break;
  default:
    break;
  }
  if (known)
    return {{}, {}, known};
  auto [x, y] = unify(index(a), index(b));
  return {arith::CmpIOp::create(builder, loc, predicate, x, y), {}, {}};
}

/// Operations on index values, folded into expressions where they can be.
bool ElementEmitter::evaluateIndexOp(Operation &op, Environment &env) {
  auto in = [&](unsigned i) { return env.lookup(op.getOperand(i), *this); };
  auto set = [&](PayloadValue value) { env.values[op.getResult(0)] = value; };
  auto setIndex = [&](AffineExpr expr) {
    set({{}, space.simplify(expr), {}});
    return true;
  };
  if (auto position = dyn_cast<linalg::IndexOp>(op))
    return setIndex(env.loops[position.getDim()]);
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op)) {
    SmallVector<AffineExpr> dims, symbols;
    AffineMap map = apply.getAffineMap();
    for (unsigned i = 0; i < map.getNumInputs(); ++i)
      (i < map.getNumDims() ? dims : symbols).push_back(asIndex(in(i)));
    return setIndex(map.getResult(0).replaceDimsAndSymbols(dims, symbols));
  }
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(op)) {
    bool isUnsigned = isa<arith::IndexCastUIOp>(op);
    if (op.getResult(0).getType().isIndex()) {
      PayloadValue value = in(0);
      value.value = asValue(value);
      value.index = {};
      value.range = rangeOfInteger(op.getOperand(0), isUnsigned);
      // What is extended here is no longer negative.
      if (isUnsigned)
        value.value = resize(value.value, indexType, isUnsigned);
      set(value);
      return true;
    }
    Value value = index(asIndex(in(0)));
    set({resize(value, op.getResult(0).getType(), isUnsigned), {}, {}});
    return true;
  }
  if (isa<arith::CmpIOp>(op) && op.getOperand(0).getType().isIndex()) {
    set(compareIndices(op, in(0), in(1)));
    return true;
  }
  // Predicates decided by ranges stay decided.
  if (isa<arith::AndIOp, arith::OrIOp>(op) &&
      op.getResult(0).getType().isInteger(1)) {
    bool absorbing = isa<arith::OrIOp>(op);
    for (unsigned i = 0; i < 2; ++i) {
      PayloadValue value = in(i);
      if (!value.known)
        continue;
      set(*value.known == absorbing ? value : in(1 - i));
      return true;
    }
    return false;
  }
  if (!op.getNumResults() || !op.getResult(0).getType().isIndex())
    return false;
  if (auto cst = dyn_cast<arith::ConstantOp>(op))
    return setIndex(space.constant(cast<IntegerAttr>(cst.getValue()).getInt()));
  if (isa<arith::AddIOp>(op))
    return setIndex(asIndex(in(0)) + asIndex(in(1)));
  if (isa<arith::SubIOp>(op))
    return setIndex(asIndex(in(0)) - asIndex(in(1)));
  if (isa<arith::MaxSIOp, arith::MinSIOp>(op)) {
    set(limit(op, in(0), in(1), isa<arith::MinSIOp>(op)));
    return true;
  }
  if (isa<arith::MulIOp, arith::DivSIOp, arith::DivUIOp, arith::RemSIOp,
          arith::RemUIOp, arith::FloorDivSIOp>(op)) {
    AffineExpr a = asIndex(in(0)), b = asIndex(in(1));
    if (isa<arith::MulIOp>(op) && isa<AffineConstantExpr>(a))
      std::swap(a, b);
    if (isa<AffineConstantExpr>(b)) {
      if (isa<arith::MulIOp>(op))
        return setIndex(a * b);
      if (isa<arith::RemSIOp, arith::RemUIOp>(op) && space.rangeOf(a).low >= 0)
        return setIndex(a % b);
      if (!isa<arith::RemSIOp, arith::RemUIOp>(op) &&
          (isa<arith::FloorDivSIOp>(op) || space.rangeOf(a).low >= 0))
        return setIndex(a.floorDiv(b));
    }
    // An expression over values of the index type.
    Values operands{index(a), index(b)};
    std::tie(operands[0], operands[1]) = unify(operands[0], operands[1]);
    OperationState state(op.getLoc(), op.getName(), operands,
                         {operands[0].getType()}, {});
    Value value = builder.create(state)->getResult(0);
    return setIndex(addDim(anyIndex(), value));
  }
  if (isa<arith::SelectOp>(op)) {
    PayloadValue condition = in(0);
    if (condition.known) {
      set(in(*condition.known ? 1 : 2));
      return true;
    }
    AffineExpr a = asIndex(in(1)), b = asIndex(in(2));
    Value c = asValue(condition), x = index(a), y = index(b);
    if (isa<VectorType>(c.getType()) || isa<VectorType>(x.getType()) ||
        isa<VectorType>(y.getType())) {
      c = splat(c);
      x = splat(x);
      y = splat(y);
    }
    IndexRange ra = space.rangeOf(a), rb = space.rangeOf(b);
    return setIndex(
        addDim({std::min(ra.low, rb.low), std::max(ra.high, rb.high)},
               arith::SelectOp::create(builder, loc, c, x, y)));
  }
  return false;
}

void ElementEmitter::evaluateExtract(Operation &op, Environment &env) {
  auto extract = cast<tensor::ExtractOp>(op);
  auto type = cast<RankedTensorType>(extract.getTensor().getType());
  SmallVector<AffineExpr> indices;
  for (auto [operand, size] :
       llvm::zip(extract.getIndices(), type.getShape())) {
    AffineExpr expr = asIndex(env.lookup(operand, *this));
    indices.push_back(speculating && size > 0 ? clamp(expr, 0, size - 1)
                                              : expr);
  }
  env.values[extract] = {elementAt(extract.getTensor(), indices), {}, {}};
}

void ElementEmitter::evaluateIf(Operation &op, Environment &env) {
  auto branch = cast<scf::IfOp>(op);
  PayloadValue condition = env.lookup(branch.getCondition(), *this);
  auto yields = [&](Region &region) {
    Values values;
    evaluate(region.front(), env);
    for (Value operand : region.front().getTerminator()->getOperands())
      values.push_back(asValue(env.lookup(operand, *this)));
    return values;
  };
  if (condition.known) {
    Values values = yields(*condition.known ? branch.getThenRegion()
                                            : branch.getElseRegion());
    for (auto [result, value] : llvm::zip(branch.getResults(), values))
      env.values[result] = {value, {}, {}};
    return;
  }
  // Both sides with limited indices, then a choice: no divergent control flow,
  // and a side that is not taken reads one cached element.
  ++speculating;
  Values onTrue = yields(branch.getThenRegion());
  Values onFalse = yields(branch.getElseRegion());
  --speculating;
  for (auto [result, x, y] : llvm::zip(branch.getResults(), onTrue, onFalse)) {
    Value c = asValue(condition), a = x, b = y;
    if (isa<VectorType>(c.getType()) || isa<VectorType>(a.getType()) ||
        isa<VectorType>(b.getType())) {
      c = splat(c);
      a = splat(a);
      b = splat(b);
    }
    env.values[result] = {
        arith::SelectOp::create(builder, loc, c, a, b), {}, {}};
  }
}

/// Clones an operation with regions once a lane.
void ElementEmitter::evaluateByLane(Operation &op, Environment &env) {
  llvm::SetVector<Value> captured(op.getOperands().begin(),
                                  op.getOperands().end());
  op.walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (!op.isAncestor(operand.getParentBlock()->getParentOp()))
        captured.insert(operand);
  });
  bool varying = false;
  SmallVector<Value> given;
  for (Value value : captured) {
    given.push_back(asValue(env.lookup(value, *this)));
    // The regions count in the index type, as the bounds of a loop do.
    if (value.getType().isIndex() && !given.back().getType().isIndex() &&
        !isa<VectorType>(given.back().getType()))
      given.back() = arith::IndexCastUIOp::create(
          builder, loc, builder.getIndexType(), given.back());
    varying |= isa<VectorType>(given.back().getType());
  }
  SmallVector<Values> results(op.getNumResults());
  for (int64_t i = 0; i < (varying ? width : 1); ++i) {
    IRMapping mapping;
    for (auto [value, is] : llvm::zip(captured, given))
      mapping.map(value, extractLane(is, i));
    Operation *clone = builder.clone(op, mapping);
    for (unsigned k = 0; k < op.getNumResults(); ++k)
      results[k].push_back(clone->getResult(k));
  }
  for (unsigned k = 0; k < op.getNumResults(); ++k)
    env.values[op.getResult(k)] = {joinLanes(results[k]), {}, {}};
}

//===----------------------------------------------------------------------===//
// Structure
//===----------------------------------------------------------------------===//

ElementEmitter::Values
ElementEmitter::loop(int64_t low, int64_t high, int64_t step, ValueRange inits,
                     std::function<Values(AffineExpr, ValueRange)> body) {
  auto forOp =
      scf::ForOp::create(builder, loc, constantIndex(low), constantIndex(high),
                         constantIndex(step), inits);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(forOp.getBody());
  pushScope();
  int64_t last = low + (std::max<int64_t>(high - low - 1, 0) / step) * step;
  AffineExpr iv = addDim({low, last}, forOp.getInductionVar());
  // A counter with a step is a multiple of it.
  if (step != 1 && low % step == 0) {
    Value count = divide(forOp.getInductionVar(), iv, step, false);
    iv = addDim(last / step + 1, count) * step;
  }
  Values next = body(iv, forOp.getRegionIterArgs());
  popScope();
  if (!inits.empty() || !forOp.getBody()->mightHaveTerminator())
    scf::YieldOp::create(builder, loc, next);
  return Values(forOp.getResults());
}

void ElementEmitter::guarded(Value condition, std::function<void()> body) {
  if (!condition)
    return body();
  auto ifOp = scf::IfOp::create(builder, loc, condition, false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&ifOp.getThenRegion().front());
  pushScope();
  body();
  popScope();
}
