//===- ContractEmitter.cpp - the contract and conv families -----*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
// An implicit matrix product. A workgroup owns a tile of the result; it walks
// over the depth in steps. Each step's factors go through workgroup memory, so
// that an element read once is used by a whole row or column of the tile:
//
//   registers <- step k + 1 of both factors      (in flight during the
//   products) accumulators += products of step k, from workgroup memory the
//   other half of workgroup memory <- registers barrier
//
// What is read is any tensor at any index: producers of the factors (pads,
// conversions, element-wise operations) are inlined there, and consumers of the
// result (bias, activation, transposes) where the accumulators are written.
//===----------------------------------------------------------------------===//

#include "ContractPlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace nxv;
using namespace nxv::contract;
using Values = ElementEmitter::Values;

namespace {
/// Steps along the depth that are written out one after the other.
constexpr int64_t unrolledDepth = 16;
/// Tile rows that neighbouring workgroups share, for the cache's sake.
constexpr int64_t groupedTiles = 8;

/// A factor's tile: two halves of `depth` rows of `columns` vectors each.
struct Stage {
  const Factor *factor;
  AffineExpr tile;   // number of the tile along the factor's free loops
  int64_t columns;   // vectors a row
  int64_t threads;   // threads along the free loops
  AffineExpr thread; // which of them this one is
  Value memory;
  int64_t swizzle = 1; // columns that the depth permutes

  int64_t slots = 0; // vectors a half
  int64_t perThread(const Tile &tile) const {
    return Plan::ceilDiv(slots, tile.threads());
  }
};

class ContractEmitter {
public:
  ContractEmitter(const Plan &plan, KernelBuilder &kernel)
      : plan(plan), root(plan.root), tile(plan.tile), kernel(kernel),
        emitter(kernel.getEmitter()), space(kernel.getSpace()),
        builder(kernel.getBuilder()), loc(emitter.getLoc()) {}
  void emit();

private:
  AffineExpr named(AffineExpr expr, int64_t size);
  AffineExpr limited(AffineExpr expr, int64_t size);
  void placeWorkgroup();
  void placeThread();
  Stage makeStage(const Factor &factor, AffineExpr number, int64_t extent,
                  int64_t threads, AffineExpr thread);

  std::pair<AffineExpr, AffineExpr> slot(const Stage &stage, int64_t i);
  AffineExpr swizzled(const Stage &stage, AffineExpr column, AffineExpr depth);
  AffineExpr freeIndex(const Stage &stage, AffineExpr column);
  Value loadFactor(const Stage &stage, int64_t i, AffineExpr step);
  Values loadStep(AffineExpr step);
  void storeStep(AffineExpr step, ValueRange registers);
  Value fragment(const Stage &stage, AffineExpr base, int64_t part,
                 AffineExpr depth);
  void multiply(AffineExpr base, AffineExpr depth, Values &accumulators);
  Value multiplyAdd(Value row, Value column, Value sum);
  Values multiplyStep(AffineExpr step, int64_t depth, Values accumulators);
  Values accumulate(Values accumulators);

  /// Places a set of loops at a linear index.
  void place(SmallVectorImpl<AffineExpr> &loops, const LoopSet &set,
             AffineExpr index);
  SmallVector<AffineExpr> rootIndices(AffineExpr row, AffineExpr column);
  Values initialValues();
  void emitOutputs(ValueRange accumulators);
  void emitVector(AffineExpr row, AffineExpr column, Value accumulator);
  void storeVector(const Output &output, Value buffer, AffineExpr row,
                   AffineExpr column);

  /// The row of an accumulator, and the first column of its vector.
  AffineExpr rowOf(int64_t i);
  AffineExpr vectorOf(int64_t g);
  bool wholeVectors() const { return plan.rhs.free.count % tile.width == 0; }
  int64_t rowsEach() const { return tile.rows / tile.threadsY; }
  int64_t vectorsEach() const {
    return tile.columns / tile.threadsX / tile.width;
  }

  const Plan &plan;
  linalg::GenericOp root;
  const Tile &tile;
  KernelBuilder &kernel;
  ElementEmitter &emitter;
  IndexSpace &space;
  OpBuilder &builder;
  Location loc;
  AffineExpr batch, tileM, tileN, threadX, threadY, lane;
  Stage left, right;
};
} // namespace

//===----------------------------------------------------------------------===//
// Who does what
//===----------------------------------------------------------------------===//

/// `expr` as a dimension of its own: further arithmetic need not look inside.
AffineExpr ContractEmitter::named(AffineExpr expr, int64_t size) {
  expr = space.simplify(expr);
  if (size <= 1)
    return space.constant(0);
  if (isa<AffineConstantExpr, AffineDimExpr>(expr))
    return expr;
  return emitter.addDim(size, emitter.index(expr));
}

/// `expr`, which is known to be below `size` here.
AffineExpr ContractEmitter::limited(AffineExpr expr, int64_t size) {
  expr = space.simplify(expr);
  if (space.rangeOf(expr).within(0, size - 1))
    return expr;
  return emitter.addDim(size, emitter.index(expr));
}

/// Neighbouring workgroups share tile rows in groups: what they read together
/// stays in the cache.
void ContractEmitter::placeWorkgroup() {
  int64_t tilesM = plan.tilesM(), tilesN = plan.tilesN();
  AffineExpr id = kernel.getWorkgroupId();
  batch = named(id.floorDiv(tilesM * tilesN), plan.batch.count);
  AffineExpr number = named(id % (tilesM * tilesN), tilesM * tilesN);
  int64_t whole = tilesM / groupedTiles * groupedTiles, rest = tilesM - whole;
  auto inGroups = [&](AffineExpr from, int64_t rows) {
    AffineExpr inside = from % (rows * tilesN);
    return std::pair(
        space.simplify(from.floorDiv(rows * tilesN) * rows + inside % rows),
        space.simplify(inside.floorDiv(rows)));
  };
  std::pair<AffineExpr, AffineExpr> place;
  if (rest == 0) {
    place = inGroups(number, groupedTiles);
  } else if (whole == 0) {
    place = inGroups(number, rest);
  } else {
    // The last group has fewer rows.
    auto most = inGroups(number, groupedTiles);
    auto last = inGroups(number - whole * tilesN, rest);
    Value early = emitter.lessThan(number, whole * tilesN);
    auto choose = [&](AffineExpr a, AffineExpr b, int64_t size) {
      return emitter.addDim(size, arith::SelectOp::create(builder, loc, early,
                                                          emitter.index(a),
                                                          emitter.index(b)));
    };
    place = {choose(most.first, last.first + whole, tilesM),
             choose(most.second, last.second, tilesN)};
  }
  tileM = named(place.first, tilesM);
  tileN = named(place.second, tilesN);
}

/// A subgroup of 32 covers 4 by 8 threads of the tile, so that its reads of
/// workgroup memory overlap.
void ContractEmitter::placeThread() {
  AffineExpr thread = kernel.getThreadId();
  if (tile.threadsX % 8 == 0 && tile.threadsY % 4 == 0) {
    int64_t across = tile.threadsX / 8;
    AffineExpr warp = thread.floorDiv(32);
    threadX = thread % 8 + (warp % across) * 8;
    threadY = thread.floorDiv(8) % 4 + warp.floorDiv(across) * 4;
  } else {
    threadX = thread % tile.threadsX;
    threadY = thread.floorDiv(tile.threadsX);
  }
  threadX = named(threadX, tile.threadsX);
  threadY = named(threadY, tile.threadsY);
}

Stage ContractEmitter::makeStage(const Factor &factor, AffineExpr number,
                                 int64_t extent, int64_t threads,
                                 AffineExpr thread) {
  Stage stage{&factor, number, extent / tile.width, threads, thread, {}};
  stage.slots = stage.columns * tile.depth;
  // Threads that write along the depth would all hit the same bank.
  if (factor.depthFast)
    stage.swizzle = std::min<int64_t>(8, threads);
  stage.memory = kernel.allocateShared(
      VectorType::get({tile.width}, factor.element), 2 * stage.slots);
  return stage;
}

//===----------------------------------------------------------------------===//
// From global memory to workgroup memory
//===----------------------------------------------------------------------===//

/// Column and depth of the i-th vector that this thread brings.
std::pair<AffineExpr, AffineExpr> ContractEmitter::slot(const Stage &stage,
                                                        int64_t i) {
  AffineExpr number = kernel.getThreadId() + i * tile.threads();
  if ((i + 1) * tile.threads() > stage.slots)
    number = emitter.clamp(space.simplify(number), 0, stage.slots - 1);
  if (stage.factor->depthFast)
    return {space.simplify(number.floorDiv(tile.depth)),
            space.simplify(number % tile.depth)};
  return {space.simplify(number % stage.columns),
          space.simplify(number.floorDiv(stage.columns))};
}

/// Where a column is kept in a row of workgroup memory.
AffineExpr ContractEmitter::swizzled(const Stage &stage, AffineExpr column,
                                     AffineExpr depth) {
  if (stage.swizzle == 1)
    return column;
  AffineExpr mask = space.simplify(depth % stage.swizzle);
  if (auto value = dyn_cast<AffineConstantExpr>(mask);
      value && value.getValue() == 0)
    return column;
  int64_t size = space.rangeOf(column).high + 1;
  Value mixed = arith::XOrIOp::create(builder, loc, emitter.index(column),
                                      emitter.index(mask));
  return emitter.addDim(Plan::ceilDiv(size, stage.swizzle) * stage.swizzle,
                        mixed);
}

/// The linear index along the free loops of a vector, limited to the last: what
/// is read beyond it is never stored.
AffineExpr ContractEmitter::freeIndex(const Stage &stage, AffineExpr column) {
  int64_t count = stage.factor->free.count;
  AffineExpr vector = space.simplify(stage.tile * stage.columns + column);
  if (count % tile.width == 0)
    return emitter.clamp(vector, 0, count / tile.width - 1) * tile.width + lane;
  return emitter.clamp(space.simplify(vector * tile.width + lane), 0,
                       count - 1);
}

void ContractEmitter::place(SmallVectorImpl<AffineExpr> &loops,
                            const LoopSet &set, AffineExpr index) {
  for (auto [loop, value] :
       llvm::zip(set.loops, space.unflatten(index, set.sizes)))
    loops[loop] = value;
}

Value ContractEmitter::loadFactor(const Stage &stage, int64_t i,
                                  AffineExpr step) {
  const Factor &factor = *stage.factor;
  auto [column, inner] = slot(stage, i);
  AffineExpr depth = space.simplify(step * tile.depth + inner);
  // What is read beyond the depth is never multiplied.
  depth = emitter.clamp(depth, 0, plan.depth.count - 1);
  SmallVector<AffineExpr> loops(root.getNumLoops(), space.constant(0));
  place(loops, plan.batch, batch);
  place(loops, factor.free, freeIndex(stage, column));
  place(loops, plan.depth, depth);
  SmallVector<AffineExpr> at;
  for (AffineExpr expr :
       root.getMatchingIndexingMap(factor.operand).getResults())
    at.push_back(expr.replaceDims(loops));
  Value value = emitter.elementAt(factor.operand->get(), at);
  for (Operation *cast : factor.casts) {
    Type type = cast->getResult(0).getType();
    if (isa<VectorType>(value.getType()))
      type = VectorType::get({tile.width}, type);
    OperationState state(loc, cast->getName(), {value}, {type},
                         cast->getAttrs());
    value = builder.create(state)->getResult(0);
  }
  return emitter.splat(value);
}

Values ContractEmitter::loadStep(AffineExpr step) {
  Values registers;
  for (const Stage *stage : {&left, &right})
    for (int64_t i = 0; i < stage->perThread(tile); ++i)
      registers.push_back(loadFactor(*stage, i, step));
  return registers;
}

void ContractEmitter::storeStep(AffineExpr step, ValueRange registers) {
  for (const Stage *stage : {&left, &right}) {
    AffineExpr half = (step % 2) * stage->slots;
    for (int64_t i = 0; i < stage->perThread(tile); ++i) {
      auto [column, depth] = slot(*stage, i);
      AffineExpr position = space.simplify(half + depth * stage->columns +
                                           swizzled(*stage, column, depth));
      Value value = registers.front();
      registers = registers.drop_front();
      Value present = emitter.lessThan(
          kernel.getThreadId() + i * tile.threads(), stage->slots);
      emitter.guarded(present, [&, memory = stage->memory] {
        memref::StoreOp::create(builder, loc, value, memory,
                                emitter.memoryIndex(position));
      });
    }
  }
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// The part-th vector that this thread multiplies at a depth of the half that
/// begins at `base`.
Value ContractEmitter::fragment(const Stage &stage, AffineExpr base,
                                int64_t part, AffineExpr depth) {
  AffineExpr column = swizzled(stage, stage.thread, depth);
  AffineExpr position =
      space.simplify(base * stage.slots + depth * stage.columns +
                     part * stage.threads + column);
  return memref::LoadOp::create(builder, loc, stage.memory,
                                emitter.memoryIndex(position));
}

void ContractEmitter::multiply(AffineExpr half, AffineExpr depth,
                               Values &accumulators) {
  Values columns;
  for (int64_t g = 0; g < vectorsEach(); ++g)
    columns.push_back(fragment(right, half, g, depth));
  auto *accumulator = accumulators.begin();
  for (int64_t h = 0; h < rowsEach() / tile.width; ++h) {
    Value rows = fragment(left, half, h, depth);
    for (int64_t i = 0; i < tile.width; ++i) {
      Value row = emitter.splat(emitter.extractLane(rows, i));
      for (Value column : columns) {
        *accumulator = multiplyAdd(row, column, *accumulator);
        ++accumulator;
      }
    }
  }
}

/// The payload of the root.
Value ContractEmitter::multiplyAdd(Value row, Value column, Value sum) {
  if (!plan.product) {
    Values inputs(root.getNumDpsInputs());
    inputs[plan.lhs.operand->getOperandNumber()] = row;
    inputs[plan.rhs.operand->getOperandNumber()] = column;
    SmallVector<AffineExpr> loops(root.getNumLoops(), space.constant(0));
    return emitter.splat(emitter.payloadOf(root, loops, inputs, sum).front());
  }
  if (isa<FloatType>(plan.accumulator))
    return math::FmaOp::create(builder, loc, row, column, sum);
  Value product = arith::MulIOp::create(builder, loc, row, column);
  return arith::AddIOp::create(builder, loc, sum, product);
}

/// The first `depth` products of a step.
Values ContractEmitter::multiplyStep(AffineExpr step, int64_t depth,
                                     Values accumulators) {
  AffineExpr half = space.simplify(step % 2);
  int64_t whole = depth - depth % unrolledDepth;
  auto body = [&](AffineExpr first, ValueRange sums) {
    Values next(sums);
    for (int64_t k = 0; k < unrolledDepth; ++k)
      multiply(half, space.simplify(first + k), next);
    return next;
  };
  if (whole == unrolledDepth)
    accumulators = body(space.constant(0), accumulators);
  else if (whole)
    accumulators = emitter.loop(0, whole, unrolledDepth, accumulators, body);
  for (int64_t k = whole; k < depth; ++k)
    multiply(half, space.constant(k), accumulators);
  return accumulators;
}

Values ContractEmitter::accumulate(Values accumulators) {
  int64_t steps = plan.depthSteps();
  if (steps == 0)
    return accumulators;
  storeStep(space.constant(0), loadStep(space.constant(0)));
  kernel.barrier();
  if (steps > 1)
    accumulators = emitter.loop(
        0, steps - 1, 1, accumulators, [&](AffineExpr step, ValueRange sums) {
          AffineExpr next = space.simplify(step + 1);
          Values registers = loadStep(next);
          Values result = multiplyStep(step, tile.depth, Values(sums));
          storeStep(next, registers);
          kernel.barrier();
          return result;
        });
  int64_t last = plan.depth.count - (steps - 1) * tile.depth;
  return multiplyStep(space.constant(steps - 1), last, accumulators);
}

//===----------------------------------------------------------------------===//
// The result
//===----------------------------------------------------------------------===//

AffineExpr ContractEmitter::rowOf(int64_t i) {
  int64_t group = i / tile.width;
  return space.simplify(tileM * tile.rows +
                        (threadY + group * tile.threadsY) * tile.width +
                        i % tile.width);
}

AffineExpr ContractEmitter::vectorOf(int64_t g) {
  return space.simplify(tileN * (tile.columns / tile.width) + threadX +
                        g * tile.threadsX);
}

SmallVector<AffineExpr> ContractEmitter::rootIndices(AffineExpr row,
                                                     AffineExpr column) {
  SmallVector<AffineExpr> loops(root.getNumLoops(), space.constant(0));
  place(loops, plan.batch, batch);
  place(loops, plan.lhs.free, row);
  place(loops, plan.rhs.free, column);
  AffineMap map = root.getMatchingIndexingMap(root.getDpsInitOperand(0));
  SmallVector<AffineExpr> indices;
  for (AffineExpr expr : map.getResults())
    indices.push_back(expr.replaceDims(loops));
  return indices;
}

Values ContractEmitter::initialValues() {
  Value init = root.getDpsInitOperand(0)->get();
  Values values;
  for (int64_t i = 0; i < rowsEach(); ++i)
    for (int64_t g = 0; g < vectorsEach(); ++g) {
      AffineExpr row = emitter.clamp(rowOf(i), 0, plan.lhs.free.count - 1);
      AffineExpr column =
          emitter.clamp(space.simplify(vectorOf(g) * tile.width + lane), 0,
                        plan.rhs.free.count - 1);
      values.push_back(
          emitter.splat(emitter.elementAt(init, rootIndices(row, column))));
    }
  return values;
}

/// Stores a result where `row` and `column` are in range.
void ContractEmitter::storeVector(const Output &output, Value buffer,
                                  AffineExpr row, AffineExpr column) {
  Type element = getElementTypeOrSelf(output.value.getType());
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(output.value.getType()).getShape();
  auto indicesAt = [&](AffineExpr n) {
    SmallVector<AffineExpr> indices, place = rootIndices(row, n);
    for (AffineExpr expr : output.indices)
      indices.push_back(space.simplify(expr.replaceDims(place)));
    return indices;
  };
  if (wholeVectors()) {
    SmallVector<AffineExpr> at = indicesAt(column * tile.width + lane);
    emitter.store(buffer, element, space.flatten(at, shape),
                  emitter.elementAt(output.value, at));
    return;
  }
  // The last vector is not whole: its entries are stored one by one.
  int64_t count = plan.rhs.free.count;
  AffineExpr first = space.simplify(column * tile.width);
  Value value = emitter.elementAt(
      output.value,
      indicesAt(emitter.clamp(space.simplify(first + lane), 0, count - 1)));
  for (int64_t i = 0; i < tile.width; ++i)
    emitter.guarded(emitter.lessThan(first + i, count), [&] {
      SmallVector<AffineExpr> at = indicesAt(limited(first + i, count));
      emitter.store(buffer, element, space.flatten(at, shape),
                    emitter.extractLane(value, i));
    });
}

void ContractEmitter::emitVector(AffineExpr row, AffineExpr column,
                                 Value accumulator) {
  emitter.bindProducer(root.getResult(0), [=](auto) { return accumulator; });
  for (auto [i, output] : llvm::enumerate(plan.outputs))
    storeVector(output, kernel.getOutputBuffer(i), row, column);
}

void ContractEmitter::emitOutputs(ValueRange accumulators) {
  int64_t rows = plan.lhs.free.count;
  int64_t vectors = Plan::ceilDiv(plan.rhs.free.count, tile.width);
  for (int64_t g = 0; g < vectorsEach(); ++g)
    emitter.guarded(emitter.lessThan(vectorOf(g), vectors), [&] {
      AffineExpr column = limited(vectorOf(g), vectors);
      for (int64_t i = 0; i < rowsEach(); ++i)
        emitter.guarded(emitter.lessThan(rowOf(i), rows), [&] {
          emitVector(limited(rowOf(i), rows), column,
                     accumulators[i * vectorsEach() + g]);
        });
    });
}

void ContractEmitter::emit() {
  if (plan.batch.count * plan.lhs.free.count * plan.rhs.free.count == 0)
    return;
  placeWorkgroup();
  placeThread();
  lane = emitter.setLane(tile.width);
  left = makeStage(plan.lhs, tileM, tile.rows, tile.threadsY, threadY);
  right = makeStage(plan.rhs, tileN, tile.columns, tile.threadsX, threadX);
  emitOutputs(accumulate(initialValues()));
}

FailureOr<gpu::GPUFuncOp> nxv::emitContract(program::GroupOp group,
                                            ModuleOp module, StringRef name) {
  std::optional<Plan> planned = makePlan(group);
  if (!planned)
    return failure();
  const Plan &plan = *planned;
  int64_t grid = plan.batch.count * plan.tilesM() * plan.tilesN();
  KernelBuilder kernel(module, name, group, plan.tile.threads(),
                       std::max<int64_t>(1, grid));
  ContractEmitter(plan, kernel).emit();
  return kernel.finish();
}
