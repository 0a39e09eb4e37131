//===- ScatterEmitter.cpp - the scatter family ------------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
// Deterministic without atomics: each thread owns a run of rows of one column
// of the result, starts from the operand, and walks over all updates in order,
// applying those that fall into its rows. `put` keeps the last update, `add`
// adds in the order of the updates.
//===----------------------------------------------------------------------===//

#include "LoopPlan.h"

#include "nxv/Dialect/Nxv/IR/Nxv.h"
#include "nxv/Kernel/KernelBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace nxv;
using Values = ElementEmitter::Values;

static ArrayRef<int64_t> shapeOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getShape();
}

namespace {
class ScatterEmitter {
public:
  /// For `fixedThreads` threads of one workgroup, or as many as are useful.
  ScatterEmitter(program::GroupOp group, nxv::ScatterOp op,
                 int64_t fixedThreads = 0);
  gpu::GPUFuncOp emit(ModuleOp module, StringRef name);
  void emitFixed(KernelBuilder &kernel, int64_t threads, Value result);

private:
  SmallVector<AffineExpr> place(AffineExpr row, AffineExpr column);
  void emitThread(KernelBuilder &kernel, AffineExpr thread, Value result);
  void copyRows(KernelBuilder &kernel, AffineExpr first, AffineExpr column);
  void applyUpdates(KernelBuilder &kernel, AffineExpr first, AffineExpr column);
  Value updatesColumn(AffineExpr column);

  program::GroupOp group;
  nxv::ScatterOp op;
  SmallVector<int64_t> rowShape, columnShape;
  SmallVector<unsigned> columnAxes;
  int64_t rows = 1, columns = 1, parts = 1, rowsEach = 1;
  Value buffer;
  ElementEmitter *emitter = nullptr;
  IndexSpace *space = nullptr;
};
} // namespace

ScatterEmitter::ScatterEmitter(program::GroupOp group, nxv::ScatterOp op,
                               int64_t fixedThreads)
    : group(group), op(op) {
  ArrayRef<int64_t> shape = shapeOf(op.getResult());
  for (int64_t axis = 0; axis < int64_t(shape.size()); ++axis) {
    if (llvm::is_contained(op.getAxes(), axis)) {
      rowShape.push_back(shape[axis]);
      rows *= shape[axis];
    } else {
      columnShape.push_back(shape[axis]);
      columnAxes.push_back(axis);
      columns *= shape[axis];
    }
  }
  // Enough threads for the device, and no more than there are rows.
  int64_t enoughThreads = fixedThreads ? fixedThreads : 1 << 16;
  parts = std::clamp<int64_t>(enoughThreads / std::max<int64_t>(1, columns), 1,
                              std::max<int64_t>(1, rows));
  rowsEach = llvm::divideCeil(std::max<int64_t>(1, rows), parts);
  parts = llvm::divideCeil(std::max<int64_t>(1, rows), rowsEach);
}

/// The indices of an element of the result.
SmallVector<AffineExpr> ScatterEmitter::place(AffineExpr row,
                                              AffineExpr column) {
  SmallVector<AffineExpr> indices(shapeOf(op.getResult()).size());
  for (auto [axis, index] :
       llvm::zip(op.getAxes(), space->unflatten(row, rowShape)))
    indices[axis] = index;
  for (auto [axis, index] :
       llvm::zip(columnAxes, space->unflatten(column, columnShape)))
    indices[axis] = index;
  return indices;
}

void ScatterEmitter::copyRows(KernelBuilder &kernel, AffineExpr first,
                              AffineExpr column) {
  Type element = getElementTypeOrSelf(op.getType());
  emitter->loop(0, rowsEach, 1, {}, [&](AffineExpr i, ValueRange) -> Values {
    AffineExpr row = space->simplify(first + i);
    emitter->guarded(emitter->lessThan(row, rows), [&] {
      SmallVector<AffineExpr> at = place(row, column);
      emitter->store(buffer, element,
                     space->flatten(at, shapeOf(op.getResult())),
                     emitter->elementAt(op.getOperand(), at));
    });
    return {};
  });
}

/// The predicate that the updates reach this column; null if they always do.
Value ScatterEmitter::updatesColumn(AffineExpr column) {
  ArrayRef<int64_t> updates = shapeOf(op.getUpdates());
  Value inside;
  for (auto [i, index] : llvm::enumerate(space->unflatten(column, columnShape)))
    if (Value less = emitter->lessThan(index, updates[i + 1]))
      inside = inside ? Value(arith::AndIOp::create(emitter->getBuilder(),
                                                    op.getLoc(), inside, less))
                      : less;
  return inside;
}

void ScatterEmitter::applyUpdates(KernelBuilder &kernel, AffineExpr first,
                                  AffineExpr column) {
  OpBuilder &b = emitter->getBuilder();
  Location loc = op.getLoc();
  Type element = getElementTypeOrSelf(op.getType());
  int64_t count = shapeOf(op.getIndices())[0];
  Value low = emitter->index(first);
  SmallVector<AffineExpr> columnIndices = space->unflatten(column, columnShape);
  auto body = [&](AffineExpr i, ValueRange) -> Values {
    // Out of bounds anywhere: dropped. Compared in the indices' own type, so
    // that nothing wraps around.
    Value row, valid;
    for (auto [k, size] : llvm::enumerate(rowShape)) {
      Value index =
          emitter->elementAt(op.getIndices(), {i, space->constant(k)});
      Type type = index.getType();
      unsigned bits = type.getIntOrFloatBitWidth();
      Value ok;
      if (bits >= 63 || size < (int64_t(1) << (bits - 1))) {
        Value bound =
            arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, size));
        // A negative index is a huge unsigned one.
        ok = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, index,
                                   bound);
      } else if (!op->hasAttr("nxv.unsigned")) {
        Value zero =
            arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, 0));
        ok = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, index,
                                   zero);
      }
      if (bits > emitter->getIndexType().getWidth())
        index = arith::TruncIOp::create(b, loc, emitter->getIndexType(), index);
      else if (bits < emitter->getIndexType().getWidth())
        index = arith::ExtUIOp::create(b, loc, emitter->getIndexType(), index);
      if (ok)
        valid = valid ? Value(arith::AndIOp::create(b, loc, valid, ok)) : ok;
      if (!row) {
        row = index;
      } else {
        Value scaled =
            arith::MulIOp::create(b, loc, row, emitter->constantIndex(size));
        row = arith::AddIOp::create(b, loc, scaled, index);
      }
    }
    Value offset = arith::SubIOp::create(b, loc, row, low);
    Value mine =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, offset,
                              emitter->constantIndex(rowsEach));
    if (valid)
      mine = arith::AndIOp::create(b, loc, mine, valid);
    emitter->guarded(mine, [&] {
      AffineExpr target = emitter->addDim(std::max<int64_t>(rows, 1), row);
      AffineExpr position =
          space->flatten(place(target, column), shapeOf(op.getResult()));
      SmallVector<AffineExpr> from{i};
      from.append(columnIndices.begin(), columnIndices.end());
      Value update = emitter->elementAt(op.getUpdates(), from);
      if (op.getKind() == ScatterKind::add) {
        Value old = emitter->load(buffer, element, position);
        update = isa<FloatType>(element)
                     ? Value(arith::AddFOp::create(b, loc, old, update))
                     : Value(arith::AddIOp::create(b, loc, old, update));
      }
      emitter->store(buffer, element, position, update);
    });
    return {};
  };
  emitter->guarded(updatesColumn(column),
                   [&] { emitter->loop(0, count, 1, {}, body); });
}

/// What one thread does.
void ScatterEmitter::emitThread(KernelBuilder &kernel, AffineExpr thread,
                                Value result) {
  int64_t threads = std::max<int64_t>(1, columns) * parts;
  emitter = &kernel.getEmitter();
  space = &kernel.getSpace();
  buffer = result;
  emitter->setLane(1);
  emitter->guarded(emitter->lessThan(thread, threads), [&] {
    // Neighbouring threads own neighbouring columns.
    AffineExpr id = emitter->addDim(threads, emitter->index(thread));
    AffineExpr column = space->simplify(id % columns);
    AffineExpr first = space->simplify(id.floorDiv(columns) * rowsEach);
    copyRows(kernel, first, column);
    applyUpdates(kernel, first, column);
  });
}

gpu::GPUFuncOp ScatterEmitter::emit(ModuleOp module, StringRef name) {
  constexpr int64_t workgroup = 64;
  int64_t threads = std::max<int64_t>(1, columns) * parts;
  KernelBuilder kernel(module, name, group, workgroup,
                       llvm::divideCeil(threads, workgroup));
  emitThread(kernel,
             kernel.getSpace().simplify(kernel.getWorkgroupId() * workgroup +
                                        kernel.getThreadId()),
             kernel.getOutputBuffer(0));
  return kernel.finish();
}

void ScatterEmitter::emitFixed(KernelBuilder &kernel, int64_t threads,
                               Value result) {
  int64_t turns =
      llvm::divideCeil(std::max<int64_t>(1, columns) * parts, threads);
  kernel.getEmitter().loop(
      0, turns, 1, {}, [&](AffineExpr turn, ValueRange) -> Values {
        emitThread(
            kernel,
            kernel.getSpace().simplify(turn * threads + kernel.getThreadId()),
            result);
        return {};
      });
}

void nxv::emitScatterInto(program::GroupOp group, KernelBuilder &kernel,
                          int64_t threads, Value result) {
  for (auto op : group.getBody().getOps<nxv::ScatterOp>())
    ScatterEmitter(group, op, threads).emitFixed(kernel, threads, result);
}

FailureOr<gpu::GPUFuncOp> nxv::emitScatter(program::GroupOp group,
                                           ModuleOp module, StringRef name) {
  for (auto op : group.getBody().getOps<nxv::ScatterOp>())
    return ScatterEmitter(group, op).emit(module, name);
  return group.emitOpError("expected a scatter in a group of that family");
}
