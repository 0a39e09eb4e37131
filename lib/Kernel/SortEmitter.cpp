//===- SortEmitter.cpp - the sort family ------------------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
// A tile is sorted in workgroup memory: each thread sorts a few keys in its
// registers, then runs are merged, each level doubling their length. All
// threads of a merge have the same work: a thread finds by a binary search
// where its share of the merged run starts in both halves. What moves is a key
// and the element's place; the elements themselves are read again at the end.
//
// Longer runs are merged in the same way, a workgroup a share of the result.
// Nothing depends on more than the order: the same elements give the same bits.
//===----------------------------------------------------------------------===//

#include "SortKeys.h"

#include "nxv/Dialect/Nxv/IR/Nxv.h"
#include "nxv/Kernel/KernelBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace nxv;
using Values = ElementEmitter::Values;
using Predicate = arith::CmpIPredicate;

static constexpr int64_t threadsOfWorkgroup = 256;
/// Keys in the registers of a thread.
static constexpr int64_t keysOfThread = 8;

static RankedTensorType typeOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType());
}
static Type elementOf(Value tensor) { return typeOf(tensor).getElementType(); }

template <typename Op>
static Value binary(ElementEmitter &e, Value lhs, Value rhs) {
  return Op::create(e.getBuilder(), e.getLoc(), lhs, rhs);
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

namespace {
/// The place of a slot of workgroup memory: which tile, where in it.
struct Slot {
  AffineExpr unit;   // number of the tile among all
  AffineExpr row;    // number of the tile in this workgroup
  AffineExpr offset; // in the tile
};

class TileSorter {
public:
  TileSorter(program::GroupOp group, nxv::SortTilesOp op);
  gpu::GPUFuncOp emit(ModuleOp module, StringRef name);

private:
  Slot slotOf(AffineExpr number);
  SmallVector<AffineExpr> place(AffineExpr unit, AffineExpr offset);
  AffineExpr alongAxis(AffineExpr unit, AffineExpr offset);
  Value inside(const Slot &slot);
  void loadKeys();
  void sortRegisters();
  void mergeLevel(Value level);
  void mergeLevels();
  void storeResults();

  program::GroupOp group;
  nxv::SortTilesOp op;
  SortKeys keys;
  SmallVector<int64_t> otherShape;
  int64_t size, tile, tiles; // elements of the axis, of a tile; tiles of a row
  int64_t units = 1;         // tiles of all rows
  int64_t slots;             // of a tile: a power of two
  int64_t each;              // slots of a thread
  int64_t rows;              // tiles of a workgroup
  int64_t threads;
  bool lastAxis;

  KernelBuilder *kernel = nullptr;
  ElementEmitter *emitter = nullptr;
  IndexSpace *space = nullptr;
  SharedKeys shared;
  Values ownKeys, ownPlaces;
};
} // namespace

TileSorter::TileSorter(program::GroupOp group, nxv::SortTilesOp op)
    : group(group), op(op), keys(elementOf(op.getOperand()), op.getDescending(),
                                 op->hasAttr("nxv.unsigned")) {
  ArrayRef<int64_t> shape = typeOf(op.getOperand()).getShape();
  int64_t axis = op.getAxis();
  size = shape[axis];
  tile = std::min<int64_t>(size, op.getTile());
  tiles = llvm::divideCeil(size, tile);
  units = tiles;
  int64_t inner = 1;
  for (int64_t i = 0; i < int64_t(shape.size()); ++i) {
    if (i == axis)
      continue;
    otherShape.push_back(shape[i]);
    units *= shape[i];
    inner *= i > axis ? shape[i] : 1;
  }
  lastAxis = inner == 1;
  slots = llvm::PowerOf2Ceil(tile);
  each = std::min(slots, keysOfThread);
  int64_t lanes = slots / each;
  rows = std::min<int64_t>(std::max<int64_t>(1, threadsOfWorkgroup / lanes),
                           llvm::PowerOf2Ceil(units));
  threads = rows * lanes;
}

/// Neighbouring numbers are neighbours in memory: elements of a row, or of
/// neighbouring rows.
Slot TileSorter::slotOf(AffineExpr number) {
  AffineExpr row =
      space->simplify(lastAxis ? number.floorDiv(slots) : number % rows);
  AffineExpr offset =
      space->simplify(lastAxis ? number % slots : number.floorDiv(rows));
  AffineExpr unit = space->simplify(kernel->getWorkgroupId() * rows + row);
  return {unit, row, offset};
}

AffineExpr TileSorter::alongAxis(AffineExpr unit, AffineExpr offset) {
  return space->simplify((unit % tiles) * tile + offset);
}

/// The indices of an element of the operand and of the results.
SmallVector<AffineExpr> TileSorter::place(AffineExpr unit, AffineExpr offset) {
  SmallVector<AffineExpr> indices =
      space->unflatten(space->simplify(unit.floorDiv(tiles)), otherShape);
  indices.insert(indices.begin() + op.getAxis(), alongAxis(unit, offset));
  return indices;
}

/// The predicate that there is an element; null if there always is one.
Value TileSorter::inside(const Slot &slot) {
  Value valid;
  auto require = [&](AffineExpr expr, int64_t bound) {
    if (Value less = emitter->lessThan(expr, bound))
      valid = valid ? binary<arith::AndIOp>(*emitter, valid, less) : less;
  };
  require(slot.unit, units);
  require(slot.offset, tile);
  require(alongAxis(slot.unit, slot.offset), size);
  return valid;
}

void TileSorter::loadKeys() {
  for (int64_t i = 0; i < each; ++i) {
    AffineExpr number = space->simplify(kernel->getThreadId() + i * threads);
    Slot slot = slotOf(number);
    SmallVector<AffineExpr> at =
        place(emitter->clamp(slot.unit, 0, units - 1), slot.offset);
    AffineExpr &along = at[op.getAxis()];
    along = emitter->clamp(along, 0, size - 1);
    Value key = keys.keyOf(*emitter, emitter->elementAt(op.getOperand(), at));
    // What is beyond the end comes after all elements: it has a later place.
    if (Value valid = inside(slot))
      key = arith::SelectOp::create(emitter->getBuilder(), op.getLoc(), valid,
                                    key, keys.last(*emitter));
    shared.setKey(space->simplify(slot.row * slots + slot.offset), key);
  }
  kernel->barrier();
  AffineExpr first = kernel->getThreadId() * each;
  for (int64_t i = 0; i < each; ++i) {
    AffineExpr slot = space->simplify(first + i);
    ownKeys.push_back(shared.key(slot));
    ownPlaces.push_back(
        indexToPlace(*emitter, emitter->index(space->simplify(slot % slots))));
  }
}

/// Odd-even transposition: neighbours change places if they have to, and equal
/// keys never do.
void TileSorter::sortRegisters() {
  OpBuilder &b = emitter->getBuilder();
  Location loc = op.getLoc();
  for (int64_t round = 0; round < each; ++round)
    for (int64_t i = round % 2; i + 1 < each; i += 2) {
      Value wrong = arith::CmpIOp::create(b, loc, Predicate::slt,
                                          ownKeys[i + 1], ownKeys[i]);
      for (Values *values : {&ownKeys, &ownPlaces}) {
        Value low = (*values)[i], high = (*values)[i + 1];
        (*values)[i] = arith::SelectOp::create(b, loc, wrong, high, low);
        (*values)[i + 1] = arith::SelectOp::create(b, loc, wrong, low, high);
      }
    }
}

/// Merges pairs of runs of `each` << `level` slots.
void TileSorter::mergeLevel(Value level) {
  ElementEmitter &e = *emitter;
  AffineExpr own = space->simplify(kernel->getThreadId() * each);
  kernel->barrier();
  for (int64_t i = 0; i < each; ++i) {
    AffineExpr slot = space->simplify(own + i);
    shared.setKey(slot, ownKeys[i]);
    shared.setPlace(slot, ownPlaces[i]);
  }
  kernel->barrier();
  Value length = binary<arith::ShLIOp>(e, e.constantIndex(each), level);
  Value twice = binary<arith::AddIOp>(e, length, length);
  Value inPair = binary<arith::SubIOp>(e, twice, e.constantIndex(1));
  Value diagonal = binary<arith::AndIOp>(e, e.index(own), inPair);
  Value first = binary<arith::SubIOp>(e, e.index(own), diagonal);
  Value second = binary<arith::AddIOp>(e, first, length);
  Value end = binary<arith::AddIOp>(e, first, twice);
  auto keyFrom = [&](Value start) {
    return [&e, this, start](Value at) {
      return shared.key(binary<arith::AddIOp>(e, start, at));
    };
  };
  SortedRuns runs{length, length, keyFrom(first), keyFrom(second)};
  Value steps =
      binary<arith::AddIOp>(e, level, e.constantIndex(partitionSteps(each)));
  Value taken = partitionRuns(e, runs, diagonal, steps);
  Value firstNow = binary<arith::AddIOp>(e, first, taken);
  Value secondNow = binary<arith::AddIOp>(
      e, second, binary<arith::SubIOp>(e, diagonal, taken));
  MergedSlots merged =
      mergeSlots(e, shared, firstNow, second, secondNow, end, each);
  ownKeys = merged.keys;
  for (int64_t i = 0; i < each; ++i)
    ownPlaces[i] = shared.place(merged.slots[i]);
}

void TileSorter::mergeLevels() {
  int64_t levels = llvm::Log2_64(slots / each);
  if (levels == 0)
    return;
  Values own = ownKeys;
  own.append(ownPlaces);
  auto split = [&](ValueRange values) {
    ownKeys.assign(values.begin(), values.begin() + each);
    ownPlaces.assign(values.begin() + each, values.end());
  };
  split(countedLoop(*emitter, emitter->constantIndex(levels), own,
                    [&](Value level, ValueRange values) {
                      split(values);
                      mergeLevel(level);
                      Values next = ownKeys;
                      next.append(ownPlaces);
                      return next;
                    }));
}

void TileSorter::storeResults() {
  ElementEmitter &e = *emitter;
  kernel->barrier();
  for (int64_t i = 0; i < each; ++i)
    shared.setPlace(space->simplify(kernel->getThreadId() * each + i),
                    ownPlaces[i]);
  kernel->barrier();
  for (int64_t i = 0; i < each; ++i) {
    Slot slot = slotOf(space->simplify(kernel->getThreadId() + i * threads));
    e.guarded(inside(slot), [&] {
      AffineExpr unit = e.addDim(units, e.index(slot.unit));
      AffineExpr offset = e.addDim(tile, e.index(slot.offset));
      Value from = shared.place(space->simplify(slot.row * slots + offset));
      AffineExpr source = e.addDim(tile, placeToIndex(e, from));
      AffineExpr position = space->flatten(place(unit, offset),
                                           typeOf(op.getOperand()).getShape());
      unsigned result = 0;
      if (op.getValues())
        e.store(kernel->getOutputBuffer(result++), elementOf(op.getOperand()),
                position, e.elementAt(op.getOperand(), place(unit, source)));
      if (Value indices = op.getIndices()) {
        Value index = indexToPlace(e, e.index(alongAxis(unit, source)));
        e.store(kernel->getOutputBuffer(result), elementOf(indices), position,
                placeAs(e, index, elementOf(indices)));
      }
    });
  }
}

gpu::GPUFuncOp TileSorter::emit(ModuleOp module, StringRef name) {
  KernelBuilder builder(module, name, group, threads,
                        llvm::divideCeil(units, rows));
  kernel = &builder;
  emitter = &builder.getEmitter();
  space = &builder.getSpace();
  int64_t count = rows * slots;
  shared = SharedKeys(builder, keys.getType(), count);
  loadKeys();
  sortRegisters();
  mergeLevels();
  storeResults();
  return builder.finish();
}

//===----------------------------------------------------------------------===//
// Merges
//===----------------------------------------------------------------------===//

namespace {
class RunMerger {
public:
  RunMerger(program::GroupOp group, nxv::MergeRunsOp op);
  gpu::GPUFuncOp emit(ModuleOp module, StringRef name);

private:
  Value keyAt(Value along);
  void narrow(const SortedRuns &runs, Value diagonal, Value &low, Value &high);
  void findShare();
  Value sourceOf(Value slot);
  void loadKeys();
  void mergeShare();
  void storeResults();

  static constexpr int64_t share = threadsOfWorkgroup * keysOfThread;
  /// Threads that search for one end of the share.
  static constexpr int64_t searchers = threadsOfWorkgroup / 2;

  program::GroupOp group;
  nxv::MergeRunsOp op;
  SortKeys keys;
  int64_t rows, size, run, shares; // shares: workgroups of a row

  KernelBuilder *kernel = nullptr;
  ElementEmitter *emitter = nullptr;
  IndexSpace *space = nullptr;
  SharedKeys shared;
  AffineExpr row, start; // of this workgroup's share
  Value first, second;   // where its parts of the two runs start
  Value firstCount, count;
};
} // namespace

RunMerger::RunMerger(program::GroupOp group, nxv::MergeRunsOp op)
    : group(group), op(op), keys(elementOf(op.getOperand()), op.getDescending(),
                                 op->hasAttr("nxv.unsigned")) {
  ArrayRef<int64_t> shape = typeOf(op.getOperand()).getShape();
  rows = shape[0];
  size = shape[1];
  run = op.getRun();
  shares = llvm::divideCeil(size, share);
}

Value RunMerger::keyAt(Value along) {
  Value limited =
      binary<arith::MinUIOp>(*emitter, along, emitter->constantIndex(size - 1));
  return keys.keyOf(*emitter,
                    emitter->elementAt(op.getOperand(),
                                       {row, emitter->addDim(size, limited)}));
}

/// Narrows the range in which the end of what the first run gives lies: each of
/// `searchers` threads looks at one of as many places in it.
void RunMerger::narrow(const SortedRuns &runs, Value diagonal, Value &low,
                       Value &high) {
  ElementEmitter &e = *emitter;
  OpBuilder &b = e.getBuilder();
  auto compare = [&](Predicate predicate, Value lhs, Value rhs) -> Value {
    return arith::CmpIOp::create(b, op.getLoc(), predicate, lhs, rhs);
  };
  auto select = [&](Value condition, Value yes, Value no) -> Value {
    return arith::SelectOp::create(b, op.getLoc(), condition, yes, no);
  };
  AffineExpr thread = kernel->getThreadId();
  AffineExpr half = space->simplify(thread.floorDiv(searchers));
  AffineExpr number = space->simplify(thread % searchers);
  Value zero = e.constantIndex(0), one = e.constantIndex(1);
  Value width = binary<arith::AddIOp>(e, binary<arith::SubIOp>(e, high, low),
                                      e.constantIndex(searchers - 1));
  Value step = binary<arith::DivUIOp>(e, width, e.constantIndex(searchers));
  Value mine = binary<arith::AddIOp>(
      e, low, binary<arith::MulIOp>(e, e.index(number), step));
  auto belongs = [&](Value at) {
    Value other =
        binary<arith::SubIOp>(e, binary<arith::SubIOp>(e, diagonal, one), at);
    return binary<arith::AndIOp>(
        e, compare(Predicate::slt, at, high),
        compare(Predicate::sle, runs.first(at), runs.second(other)));
  };
  Value here = belongs(mine);
  Value beyond = belongs(binary<arith::AddIOp>(e, mine, step));
  // One thread sees the end: after its place, or the first one at its own.
  auto isNot = [&](Value predicate) {
    Value yes = e.constant(b.getBoolAttr(true));
    return binary<arith::XOrIOp>(e, predicate, yes);
  };
  Value foundAfter = binary<arith::AndIOp>(e, here, isNot(beyond));
  Value isFirst = compare(Predicate::eq, e.index(number), zero);
  Value foundAt = binary<arith::AndIOp>(e, isFirst, isNot(here));
  Value count =
      select(here, binary<arith::AddIOp>(e, e.index(number), one), zero);
  e.guarded(binary<arith::OrIOp>(e, foundAfter, foundAt),
            [&] { shared.setPlace(half, indexToPlace(e, count)); });
  kernel->barrier();
  Value found = placeToIndex(e, shared.place(half));
  kernel->barrier();
  Value none = compare(Predicate::eq, found, zero);
  Value start = binary<arith::AddIOp>(
      e, low,
      binary<arith::MulIOp>(e, binary<arith::SubIOp>(e, found, one), step));
  Value end =
      binary<arith::MinSIOp>(e, binary<arith::AddIOp>(e, start, step), high);
  high = select(none, low, end);
  low = select(none, low, binary<arith::AddIOp>(e, start, one));
}

/// Where the share starts and ends in the two runs: half of the threads search
/// for each. Reading far apart takes long, so few rounds of many reads.
void RunMerger::findShare() {
  ElementEmitter &e = *emitter;
  AffineExpr pair = space->simplify(start.floorDiv(2 * run) * (2 * run));
  Value whole = e.constantIndex(run), zero = e.constantIndex(0);
  Value firstStart = e.index(pair);
  Value secondStart = binary<arith::AddIOp>(e, firstStart, whole);
  auto lengthFrom = [&](Value from) {
    Value left = binary<arith::SubIOp>(e, e.constantIndex(size), from);
    left = binary<arith::MinSIOp>(e, left, whole);
    return binary<arith::MaxSIOp>(e, left, zero);
  };
  auto keyFrom = [&](Value from) {
    return [&e, this, from](Value at) {
      return keyAt(binary<arith::AddIOp>(e, from, at));
    };
  };
  SortedRuns runs{lengthFrom(firstStart), lengthFrom(secondStart),
                  keyFrom(firstStart), keyFrom(secondStart)};
  Value all = binary<arith::AddIOp>(e, runs.firstCount, runs.secondCount);
  Value from = e.index(start - pair);
  Value until = binary<arith::MinSIOp>(
      e, binary<arith::AddIOp>(e, from, e.constantIndex(share)), all);
  Value isStart = arith::CmpIOp::create(
      e.getBuilder(), op.getLoc(), Predicate::ult,
      e.index(kernel->getThreadId()), e.constantIndex(searchers));
  Value diagonal = arith::SelectOp::create(e.getBuilder(), op.getLoc(), isStart,
                                           from, until);
  Value low = binary<arith::MaxSIOp>(
      e, binary<arith::SubIOp>(e, diagonal, runs.secondCount), zero);
  Value high = binary<arith::MinSIOp>(e, diagonal, runs.firstCount);
  int64_t rounds = 0;
  for (int64_t most = std::min(run, size); most > 0; ++rounds)
    most = llvm::divideCeil(most, searchers) - 1;
  Values found = countedLoop(e, e.constantIndex(rounds), {low, high},
                             [&](Value, ValueRange range) -> Values {
                               Value from = range[0], to = range[1];
                               narrow(runs, diagonal, from, to);
                               return {from, to};
                             });
  AffineExpr thread = kernel->getThreadId();
  Value isFirst = e.lessThan(space->simplify(thread % searchers), 1);
  e.guarded(isFirst, [&] {
    shared.setPlace(space->simplify(thread.floorDiv(searchers)),
                    indexToPlace(e, found.front()));
  });
  kernel->barrier();
  auto bound = [&](int64_t which) {
    return placeToIndex(e, shared.place(space->constant(which)));
  };
  Value begin = bound(0);
  firstCount = binary<arith::SubIOp>(e, bound(1), begin);
  count = binary<arith::SubIOp>(e, until, from);
  first = binary<arith::AddIOp>(e, firstStart, begin);
  second = binary<arith::AddIOp>(e, secondStart,
                                 binary<arith::SubIOp>(e, from, begin));
}

/// The place along the axis of the key in a slot.
Value RunMerger::sourceOf(Value slot) {
  ElementEmitter &e = *emitter;
  Value inFirst = arith::CmpIOp::create(e.getBuilder(), op.getLoc(),
                                        Predicate::slt, slot, firstCount);
  Value fromSecond = binary<arith::AddIOp>(
      e, second, binary<arith::SubIOp>(e, slot, firstCount));
  return arith::SelectOp::create(e.getBuilder(), op.getLoc(), inFirst,
                                 binary<arith::AddIOp>(e, first, slot),
                                 fromSecond);
}

void RunMerger::loadKeys() {
  for (int64_t i = 0; i < keysOfThread; ++i) {
    AffineExpr slot =
        space->simplify(kernel->getThreadId() + i * threadsOfWorkgroup);
    shared.setKey(slot, keyAt(sourceOf(emitter->index(slot))));
  }
  kernel->barrier();
}

void RunMerger::mergeShare() {
  ElementEmitter &e = *emitter;
  AffineExpr own = space->simplify(kernel->getThreadId() * keysOfThread);
  Value diagonal = binary<arith::MinSIOp>(e, e.index(own), count);
  Value limit = firstCount;
  SortedRuns runs{limit, binary<arith::SubIOp>(e, count, limit),
                  [&](Value at) { return shared.key(at); },
                  [&](Value at) {
                    return shared.key(binary<arith::AddIOp>(e, limit, at));
                  }};
  Value taken =
      partitionRuns(e, runs, diagonal, e.constantIndex(partitionSteps(share)));
  Value secondNow = binary<arith::AddIOp>(
      e, limit, binary<arith::SubIOp>(e, diagonal, taken));
  MergedSlots merged =
      mergeSlots(e, shared, taken, limit, secondNow, count, keysOfThread);
  for (int64_t i = 0; i < keysOfThread; ++i)
    shared.setPlace(space->simplify(own + i), indexToPlace(e, merged.slots[i]));
  kernel->barrier();
}

void RunMerger::storeResults() {
  ElementEmitter &e = *emitter;
  for (int64_t i = 0; i < keysOfThread; ++i) {
    AffineExpr slot =
        space->simplify(kernel->getThreadId() + i * threadsOfWorkgroup);
    AffineExpr along = space->simplify(start + slot);
    e.guarded(e.lessThan(along, size), [&] {
      AffineExpr to = e.addDim(size, e.index(along));
      AffineExpr position =
          space->flatten({row, to}, typeOf(op.getOperand()).getShape());
      Value merged = placeToIndex(e, shared.place(slot));
      AffineExpr from = e.addDim(size, sourceOf(merged));
      unsigned result = 0;
      if (op.getValues())
        e.store(kernel->getOutputBuffer(result++), elementOf(op.getOperand()),
                position, e.elementAt(op.getOperand(), {row, from}));
      if (Value indices = op.getIndices()) {
        Value index = e.elementAt(op.getOperandIndices(), {row, from});
        e.store(kernel->getOutputBuffer(result), elementOf(indices), position,
                placeAs(e, index, elementOf(indices)));
      }
    });
  }
}

gpu::GPUFuncOp RunMerger::emit(ModuleOp module, StringRef name) {
  KernelBuilder builder(module, name, group, threadsOfWorkgroup, rows * shares);
  kernel = &builder;
  emitter = &builder.getEmitter();
  space = &builder.getSpace();
  shared = SharedKeys(builder, keys.getType(), share);
  row = space->simplify(builder.getWorkgroupId().floorDiv(shares));
  start = space->simplify((builder.getWorkgroupId() % shares) * share);
  findShare();
  // The bounds are read before their slots are written again: loading the keys
  // ends with a barrier.
  loadKeys();
  mergeShare();
  storeResults();
  return builder.finish();
}

FailureOr<gpu::GPUFuncOp> nxv::emitSort(program::GroupOp group, ModuleOp module,
                                        StringRef name) {
  for (Operation &op : group.getBody().front()) {
    if (auto tiles = dyn_cast<nxv::SortTilesOp>(op))
      return TileSorter(group, tiles).emit(module, name);
    if (auto merge = dyn_cast<nxv::MergeRunsOp>(op)) {
      if (int64_t(merge.getRun()) * 2 % (threadsOfWorkgroup * keysOfThread))
        return merge.emitOpError("runs of ")
               << merge.getRun() << " elements are no multiple of half of "
               << threadsOfWorkgroup * keysOfThread;
      return RunMerger(group, merge).emit(module, name);
    }
  }
  return group.emitOpError("expected a sort in a group of that family");
}
