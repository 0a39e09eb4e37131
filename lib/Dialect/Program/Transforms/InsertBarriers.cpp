//===- InsertBarriers.cpp - puts barriers where steps depend ----*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Accesses.h"

#include "nxv/Dialect/Program/Transforms/Passes.h"

namespace nxv {
#define GEN_PASS_DEF_NXVINSERTBARRIERS
#include "nxv/Dialect/Program/Transforms/Passes.h.inc"
} // namespace nxv

using namespace mlir;
using namespace nxv::program;

namespace {

/// Bytes of the arena, or of the one buffer `base`.
struct Range {
  Value base;
  int64_t begin = 0;
  int64_t end = 0;

  bool overlaps(const Range &other) const {
    return base == other.base && begin < other.end && other.begin < end;
  }
};

Range getRange(Value value) {
  auto buffer = value.getDefiningOp<BufferOp>();
  if (buffer.getKind() != BufferKind::arena)
    return {value, 0, static_cast<int64_t>(buffer.getBytes())};
  int64_t begin = buffer.getOffset().value_or(0);
  return {Value(), begin, begin + static_cast<int64_t>(buffer.getBytes())};
}

/// What happened since the last barrier.
class Pending {
public:
  bool isEmpty() const { return reads.empty() && writes.empty(); }

  void clear() {
    reads.clear();
    writes.clear();
  }

  bool conflictsWith(const Accesses &next) const {
    for (Value value : next.reads)
      if (overlapsAny(getRange(value), writes))
        return true;
    for (Value value : next.writes) {
      Range range = getRange(value);
      if (overlapsAny(range, writes) || overlapsAny(range, reads))
        return true;
    }
    return false;
  }

  void add(const Accesses &accesses) {
    for (Value value : accesses.reads)
      reads.push_back(getRange(value));
    for (Value value : accesses.writes)
      writes.push_back(getRange(value));
  }

private:
  static bool overlapsAny(const Range &range, ArrayRef<Range> others) {
    return llvm::any_of(
        others, [&](const Range &other) { return range.overlaps(other); });
  }

  SmallVector<Range> reads, writes;
};

/// Leaves nothing pending at the region's end.
void insertBarriers(Region &region) {
  if (region.empty())
    return;
  Pending pending;
  Block &block = region.front();
  auto insertAt = [&](OpBuilder builder, Location loc) {
    BarrierOp::create(builder, loc);
    pending.clear();
  };
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (isa<BarrierOp>(op)) {
      pending.clear();
      continue;
    }
    if (op.getNumRegions() > 0) {
      if (!pending.isEmpty())
        insertAt(OpBuilder(&op), op.getLoc());
      for (Region &nested : op.getRegions())
        insertBarriers(nested);
      continue;
    }
    // The results are read by the host when all is done.
    if (isa<BufferOp, ResultsOp>(op))
      continue;
    Accesses accesses = getAccesses(&op);
    if (pending.conflictsWith(accesses))
      insertAt(OpBuilder(&op), op.getLoc());
    pending.add(accesses);
  }
  if (!pending.isEmpty() && !isa<ProgramOp>(region.getParentOp()))
    insertAt(OpBuilder::atBlockEnd(&block), region.getLoc());
}

LogicalResult checkBuffers(ProgramOp program) {
  WalkResult result = program.walk([](Operation *op) {
    if (auto buffer = dyn_cast<BufferOp>(op))
      if (buffer.getKind() == BufferKind::arena && !buffer.getOffset()) {
        op->emitOpError("has no offset: run nxv-plan-memory first");
        return WalkResult::interrupt();
      }
    for (Value operand : op->getOperands())
      if (isa<BufferType>(operand.getType()) &&
          !operand.getDefiningOp<BufferOp>()) {
        op->emitOpError("expected its operands to be program.buffers");
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

struct InsertBarriers : nxv::impl::NxvInsertBarriersBase<InsertBarriers> {
  void runOnOperation() override {
    for (auto program : getOperation().getOps<ProgramOp>()) {
      if (failed(checkBuffers(program)))
        return signalPassFailure();
      insertBarriers(program.getBody());
    }
  }
};

} // namespace
