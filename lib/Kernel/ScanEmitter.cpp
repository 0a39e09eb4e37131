//===- ScanEmitter.cpp - the scan family ------------------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
// A workgroup owns a few chunks and walks over each in rounds. In a round every
// thread combines a few elements in its registers, the threads of a chunk
// combine their totals in workgroup memory, and what came before is added to
// all. The order of combination is fixed: the same elements give the same bits.
//===----------------------------------------------------------------------===//

#include "ScanKinds.h"

#include "nxv/Kernel/KernelBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace nxv;
using Values = ElementEmitter::Values;

static RankedTensorType typeOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType());
}
static Type elementOf(Value tensor) { return typeOf(tensor).getElementType(); }

namespace {
/// A slot of workgroup memory: its chunk, and where in the round.
struct Slot {
  AffineExpr unit;   // number of the chunk among all
  AffineExpr number; // of the slot
  AffineExpr offset; // from the chunk's start, in the direction of the scan
};

class ScanEmitter {
public:
  ScanEmitter(program::GroupOp group, nxv::ScanChunksOp op);
  gpu::GPUFuncOp emit(ModuleOp module, StringRef name);

private:
  Slot slotOf(int64_t turn, AffineExpr round);
  AffineExpr alongAxis(AffineExpr unit, AffineExpr offset);
  SmallVector<AffineExpr> place(AffineExpr unit, AffineExpr along);
  Value inside(const Slot &slot);
  AffineExpr padded(AffineExpr slot);
  Value combine(Value earlier, Value later);
  void loadRound(AffineExpr round);
  Value scanThreads(Value total);
  Value emitRound(AffineExpr round, Value carry);
  void storeRound(AffineExpr round);

  static constexpr int64_t threadsOfWorkgroup = 256;
  static constexpr int64_t elementsOfThread = 8;
  /// Neighbouring chunks that a wide access spans where the axis is not last.
  static constexpr int64_t wideAccess = 32;

  program::GroupOp group;
  nxv::ScanChunksOp op;
  Type state; // what is combined
  bool isUnsigned;
  SmallVector<int64_t> otherShape;
  int64_t size, chunk, chunks; // elements of the axis, of a chunk; chunks
  int64_t units;               // chunks of all rows
  int64_t each;                // elements of a thread in a round
  int64_t lanes;               // threads of a chunk
  int64_t rows;                // chunks of a workgroup
  int64_t threads;
  bool lastAxis;

  KernelBuilder *kernel = nullptr;
  ElementEmitter *emitter = nullptr;
  IndexSpace *space = nullptr;
  Value elements;  // of the round, in workgroup memory
  Value totals[2]; // of the threads, in turns
  Value neutral;
  AffineExpr lane;
};
} // namespace

ScanEmitter::ScanEmitter(program::GroupOp group, nxv::ScanChunksOp op)
    : group(group), op(op),
      state(scanType(op.getKind(), elementOf(op.getOperand()))),
      isUnsigned(op->hasAttr("nxv.unsigned")) {
  ArrayRef<int64_t> shape = typeOf(op.getOperand()).getShape();
  int64_t axis = op.getAxis();
  size = shape[axis];
  chunk = std::min<int64_t>(size, op.getChunk());
  chunks = llvm::divideCeil(size, chunk);
  units = chunks;
  int64_t inner = 1;
  for (int64_t i = 0; i < int64_t(shape.size()); ++i) {
    if (i == axis)
      continue;
    otherShape.push_back(shape[i]);
    units *= shape[i];
    inner *= i > axis ? shape[i] : 1;
  }
  lastAxis = inner == 1;
  each = std::min<int64_t>(elementsOfThread, llvm::PowerOf2Ceil(chunk));
  lanes = std::min<int64_t>(threadsOfWorkgroup,
                            llvm::PowerOf2Ceil(llvm::divideCeil(chunk, each)));
  int64_t wide = std::min<int64_t>(wideAccess, llvm::PowerOf2Ceil(inner));
  lanes = std::min(lanes, threadsOfWorkgroup / wide);
  rows =
      std::min<int64_t>(threadsOfWorkgroup / lanes, llvm::PowerOf2Ceil(units));
  threads = rows * lanes;
}

Value ScanEmitter::combine(Value earlier, Value later) {
  return scanCombine(emitter->getBuilder(), op.getLoc(), op.getKind(),
                     isUnsigned, earlier, later);
}

/// Threads that own neighbouring runs of slots do not wait for each other's
/// bank.
AffineExpr ScanEmitter::padded(AffineExpr slot) {
  return space->simplify(slot + slot.floorDiv(each));
}

/// The slot that this thread moves in a turn. Neighbouring threads move
/// neighbouring elements: of a chunk, or of neighbouring rows.
Slot ScanEmitter::slotOf(int64_t turn, AffineExpr round) {
  AffineExpr number = space->simplify(kernel->getThreadId() + turn * threads);
  int64_t slots = lanes * each;
  AffineExpr row, offset;
  // The chunks of a row are no neighbours in memory.
  if (lastAxis) {
    row = space->simplify(number.floorDiv(slots));
    offset = space->simplify(number % slots);
  } else {
    row = space->simplify(number % rows);
    offset = space->simplify(number.floorDiv(rows));
  }
  return {space->simplify(kernel->getWorkgroupId() * rows + row),
          space->simplify(row * slots + offset),
          space->simplify(round * slots + offset)};
}

/// Neighbouring units are the same chunk of neighbouring rows, or neighbouring
/// chunks of the last axis.
AffineExpr ScanEmitter::alongAxis(AffineExpr unit, AffineExpr offset) {
  int64_t others = units / chunks;
  AffineExpr number = lastAxis ? unit % chunks : unit.floorDiv(others);
  AffineExpr at = op.getReverse() ? chunk - 1 - offset : offset;
  return space->simplify(number * chunk + at);
}

SmallVector<AffineExpr> ScanEmitter::place(AffineExpr unit, AffineExpr along) {
  int64_t others = units / chunks;
  AffineExpr row = lastAxis ? unit.floorDiv(chunks) : unit % others;
  SmallVector<AffineExpr> indices =
      space->unflatten(space->simplify(row), otherShape);
  indices.insert(indices.begin() + op.getAxis(), along);
  return indices;
}

/// The predicate that there is an element; null if there always is one.
Value ScanEmitter::inside(const Slot &slot) {
  Value valid;
  auto require = [&](AffineExpr expr, int64_t bound) {
    if (Value less = emitter->lessThan(expr, bound))
      valid = valid ? Value(arith::AndIOp::create(emitter->getBuilder(),
                                                  op.getLoc(), valid, less))
                    : less;
  };
  require(slot.unit, units);
  require(slot.offset, chunk);
  require(alongAxis(slot.unit, slot.offset), size);
  return valid;
}

void ScanEmitter::loadRound(AffineExpr round) {
  OpBuilder &b = emitter->getBuilder();
  for (int64_t i = 0; i < each; ++i) {
    Slot slot = slotOf(i, round);
    AffineExpr unit = emitter->clamp(slot.unit, 0, units - 1);
    AffineExpr along =
        emitter->clamp(alongAxis(unit, slot.offset), 0, size - 1);
    Value value = emitter->elementAt(op.getOperand(), place(unit, along));
    value = scanCast(b, op.getLoc(), value, state);
    if (Value valid = inside(slot))
      value = arith::SelectOp::create(b, op.getLoc(), valid, value, neutral);
    emitter->store(elements, state, padded(slot.number), value);
  }
  kernel->barrier();
}

/// The combination of the totals of the threads of a chunk up to this one; all
/// threads leave theirs in totals[0].
Value ScanEmitter::scanThreads(Value total) {
  OpBuilder &b = emitter->getBuilder();
  AffineExpr self = kernel->getThreadId();
  int64_t steps = llvm::Log2_64(lanes), turn = steps % 2;
  emitter->store(totals[turn], state, self, total);
  kernel->barrier();
  for (int64_t step = 0; step < steps; ++step) {
    int64_t distance = int64_t(1) << step;
    AffineExpr before =
        emitter->clamp(space->simplify(self - distance), 0, threads - 1);
    Value other = emitter->load(totals[turn], state, before);
    Value alone = emitter->lessThan(lane, distance);
    total = arith::SelectOp::create(b, op.getLoc(), alone, total,
                                    combine(other, total));
    turn = 1 - turn;
    emitter->store(totals[turn], state, self, total);
    kernel->barrier();
  }
  return total;
}

/// Scans a round after what `carry` combines; gives the next carry.
Value ScanEmitter::emitRound(AffineExpr round, Value carry) {
  OpBuilder &b = emitter->getBuilder();
  AffineExpr self = kernel->getThreadId();
  loadRound(round);
  Values own;
  for (int64_t i = 0; i < each; ++i) {
    Value value = emitter->load(elements, state,
                                padded(space->simplify(self * each + i)));
    own.push_back(i ? combine(own.back(), value) : value);
  }
  scanThreads(own.back());
  Value prefix = carry;
  if (lanes > 1) {
    AffineExpr before =
        emitter->clamp(space->simplify(self - 1), 0, threads - 1);
    Value earlier = combine(carry, emitter->load(totals[0], state, before));
    Value isFirst = emitter->lessThan(lane, 1);
    prefix = arith::SelectOp::create(b, op.getLoc(), isFirst, carry, earlier);
  }
  AffineExpr last = space->simplify(self.floorDiv(lanes) * lanes + (lanes - 1));
  Value next = combine(carry, emitter->load(totals[0], state, last));
  for (int64_t i = 0; i < each; ++i)
    emitter->store(elements, state, padded(space->simplify(self * each + i)),
                   combine(prefix, own[i]));
  kernel->barrier();
  storeRound(round);
  return next;
}

void ScanEmitter::storeRound(AffineExpr round) {
  Type result = elementOf(op.getResult());
  for (int64_t i = 0; i < each; ++i) {
    Slot slot = slotOf(i, round);
    emitter->guarded(inside(slot), [&] {
      AffineExpr unit = emitter->addDim(units, emitter->index(slot.unit));
      AffineExpr along = emitter->addDim(
          size, emitter->index(alongAxis(slot.unit, slot.offset)));
      AffineExpr position =
          space->flatten(place(unit, along), typeOf(op.getResult()).getShape());
      Value value = emitter->load(elements, state, padded(slot.number));
      emitter->store(
          kernel->getOutputBuffer(0), result, position,
          scanCast(emitter->getBuilder(), op.getLoc(), value, result));
    });
  }
}

gpu::GPUFuncOp ScanEmitter::emit(ModuleOp module, StringRef name) {
  KernelBuilder builder(module, name, group, threads,
                        llvm::divideCeil(units, rows));
  kernel = &builder;
  emitter = &builder.getEmitter();
  space = &builder.getSpace();
  elements = builder.allocateShared(state, threads * (each + 1));
  for (Value &memory : totals)
    memory = builder.allocateShared(state, threads);
  neutral = emitter->constant(scanNeutral(op.getKind(), state, isUnsigned));
  lane = space->simplify(builder.getThreadId() % lanes);
  int64_t rounds = llvm::divideCeil(chunk, lanes * each);
  if (rounds == 1) {
    emitRound(space->constant(0), neutral);
  } else {
    emitter->loop(0, rounds, 1, {neutral},
                  [&](AffineExpr round, ValueRange carry) -> Values {
                    Value next = emitRound(round, carry.front());
                    // The next round writes where this one is still read.
                    builder.barrier();
                    return {next};
                  });
  }
  return builder.finish();
}

FailureOr<gpu::GPUFuncOp> nxv::emitScan(program::GroupOp group, ModuleOp module,
                                        StringRef name) {
  for (auto op : group.getBody().getOps<nxv::ScanChunksOp>())
    return ScanEmitter(group, op).emit(module, name);
  return group.emitOpError("expected a scan in a group of that family");
}
