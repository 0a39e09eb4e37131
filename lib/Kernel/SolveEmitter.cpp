//===- SolveEmitter.cpp - the solve family ----------------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
// Forward substitution. The columns of all systems are numbered in a row; a
// workgroup keeps some of them in its memory. In step k every thread divides to
// get x[k], and takes its multiple from the rows below that it owns.
//===----------------------------------------------------------------------===//

#include "nxv/Dialect/Nxv/IR/Nxv.h"
#include "nxv/Kernel/KernelBuilder.h"
#include "nxv/Kernel/Solve.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace nxv;
using Values = ElementEmitter::Values;

namespace {
/// Arithmetic on numbers of one or two parts.
class Arithmetic {
public:
  Arithmetic(OpBuilder &builder, Location loc) : b(builder), loc(loc) {}

  /// x - y z
  Values subtractProduct(ValueRange x, ValueRange y, ValueRange z) {
    if (x.size() == 1)
      return {sub(x[0], mul(y[0], z[0]))};
    return {sub(x[0], sub(mul(y[0], z[0]), mul(y[1], z[1]))),
            sub(x[1], add(mul(y[0], z[1]), mul(y[1], z[0])))};
  }

  Values divide(ValueRange x, ValueRange y) {
    if (x.size() == 1)
      return {div(x[0], y[0])};
    // Smith's: divides by the larger part first, so that no square overflows.
    Value larger = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGE,
                                         math::AbsFOp::create(b, loc, y[0]),
                                         math::AbsFOp::create(b, loc, y[1]));
    Value major = select(larger, y[0], y[1]);
    Value minor = select(larger, y[1], y[0]);
    Value ratio = div(minor, major);
    Value scale = add(major, mul(minor, ratio));
    Value re = select(larger, add(x[0], mul(x[1], ratio)),
                      add(mul(x[0], ratio), x[1]));
    Value im = select(larger, sub(x[1], mul(x[0], ratio)),
                      sub(mul(x[1], ratio), x[0]));
    return {div(re, scale), div(im, scale)};
  }

private:
  Value add(Value x, Value y) { return arith::AddFOp::create(b, loc, x, y); }
  Value sub(Value x, Value y) { return arith::SubFOp::create(b, loc, x, y); }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, loc, x, y); }
  Value div(Value x, Value y) { return arith::DivFOp::create(b, loc, x, y); }
  Value select(Value c, Value x, Value y) {
    return arith::SelectOp::create(b, loc, c, x, y);
  }

  OpBuilder &b;
  Location loc;
};

class SolveEmitter {
public:
  SolveEmitter(program::GroupOp group, Operation *op);
  gpu::GPUFuncOp emit(ModuleOp module, StringRef name);

private:
  using Body = llvm::function_ref<void(AffineExpr)>;
  void forOwnRows(Body body);
  void readRight();
  void step(KernelBuilder &kernel, AffineExpr k);
  Values matrixAt(AffineExpr row, AffineExpr column);
  Values heldAt(AffineExpr row);
  void hold(AffineExpr row, ValueRange values);
  void barrier(KernelBuilder &kernel) {
    if (rowThreads > 1)
      kernel.barrier();
  }

  program::GroupOp group;
  Operation *op;
  ValueRange matrix, right;
  RankedTensorType type;
  Type element;
  /// The batches and the columns of a system.
  SmallVector<int64_t> columnShape;
  int64_t size, columns = 1;
  int64_t rowThreads = 1, columnsEach = 1;
  SmallVector<Value> shared;
  AffineExpr firstRow, ownColumn, column;
  SmallVector<AffineExpr> columnIndices;
  ElementEmitter *emitter = nullptr;
  IndexSpace *space = nullptr;
};
} // namespace

SolveEmitter::SolveEmitter(program::GroupOp group, Operation *op)
    : group(group), op(op),
      matrix(op->getOperands().take_front(op->getNumOperands() / 2)),
      right(op->getOperands().drop_front(op->getNumOperands() / 2)),
      type(cast<RankedTensorType>(right.front().getType())),
      element(type.getElementType()),
      size(type.getDimSize(type.getRank() - 2)) {
  llvm::append_range(columnShape, type.getShape().drop_back(2));
  columnShape.push_back(type.getShape().back());
  for (int64_t extent : columnShape)
    columns *= extent;
  constexpr int64_t workgroup = 256, enoughThreads = 1 << 14, minRows = 4;
  constexpr int64_t budget = 32 * 1024;
  int64_t most = llvm::PowerOf2Ceil(size);
  int64_t wanted = llvm::PowerOf2Ceil(
      llvm::divideCeil(enoughThreads, std::max<int64_t>(columns, 1)));
  rowThreads = std::min<int64_t>(
      most > 8 ? std::clamp(wanted, minRows, most) : 1, workgroup);
  int64_t bytes = size * element.getIntOrFloatBitWidth() / 8 * right.size();
  columnsEach = std::min<int64_t>(
      {workgroup / rowThreads, int64_t(llvm::PowerOf2Ceil(columns)),
       std::max<int64_t>(1, llvm::bit_floor(uint64_t(budget / bytes)))});
}

/// Runs `body` for the rows of this thread.
void SolveEmitter::forOwnRows(Body body) {
  int64_t each = llvm::divideCeil(size, rowThreads);
  emitter->loop(0, each, 1, {}, [&](AffineExpr i, ValueRange) -> Values {
    AffineExpr row = space->simplify(i * rowThreads + firstRow);
    emitter->guarded(emitter->lessThan(row, size), [&] { body(row); });
    return {};
  });
}

Values SolveEmitter::matrixAt(AffineExpr row, AffineExpr at) {
  SmallVector<AffineExpr> indices(ArrayRef(columnIndices).drop_back());
  indices.append({row, at});
  Values values;
  for (Value part : matrix)
    values.push_back(emitter->elementAt(part, indices));
  return values;
}

Values SolveEmitter::heldAt(AffineExpr row) {
  Values values;
  for (Value part : shared)
    values.push_back(
        emitter->load(part, element, row * columnsEach + ownColumn));
  return values;
}

void SolveEmitter::hold(AffineExpr row, ValueRange values) {
  for (auto [part, value] : llvm::zip(shared, values))
    emitter->store(part, element, row * columnsEach + ownColumn, value);
}

void SolveEmitter::readRight() {
  forOwnRows([&](AffineExpr row) {
    SmallVector<AffineExpr> indices(columnIndices);
    indices.insert(indices.end() - 1, row);
    Values values;
    for (Value part : right)
      values.push_back(emitter->elementAt(part, indices));
    hold(row, values);
  });
}

void SolveEmitter::step(KernelBuilder &kernel, AffineExpr k) {
  Arithmetic arithmetic(emitter->getBuilder(), op->getLoc());
  Values x = arithmetic.divide(heldAt(k), matrixAt(k, k));
  emitter->guarded(emitter->lessThan(column, columns), [&] {
    emitter->guarded(emitter->lessThan(firstRow, 1), [&] {
      SmallVector<AffineExpr> indices = space->unflatten(column, columnShape);
      indices.insert(indices.end() - 1, k);
      AffineExpr at = space->flatten(indices, type.getShape());
      for (auto [i, value] : llvm::enumerate(x))
        emitter->store(kernel.getOutputBuffer(i), element, at, value);
    });
  });
  forOwnRows([&](AffineExpr row) {
    emitter->guarded(emitter->lessThan(space->simplify(k - row), 0), [&] {
      hold(row, arithmetic.subtractProduct(heldAt(row), matrixAt(row, k), x));
    });
  });
}

gpu::GPUFuncOp SolveEmitter::emit(ModuleOp module, StringRef name) {
  KernelBuilder kernel(
      module, name, group, rowThreads * columnsEach,
      llvm::divideCeil(std::max<int64_t>(columns, 1), columnsEach));
  emitter = &kernel.getEmitter();
  space = &kernel.getSpace();
  // Neighbouring threads have neighbouring columns.
  firstRow = space->simplify(kernel.getThreadId().floorDiv(columnsEach));
  ownColumn = space->simplify(kernel.getThreadId() % columnsEach);
  column = space->simplify(kernel.getWorkgroupId() * columnsEach + ownColumn);
  columnIndices =
      space->unflatten(emitter->clamp(column, 0, columns - 1), columnShape);
  for (unsigned i = 0; i < right.size(); ++i)
    shared.push_back(kernel.allocateShared(element, size * columnsEach));
  readRight();
  barrier(kernel);
  emitter->loop(0, size, 1, {}, [&](AffineExpr k, ValueRange) -> Values {
    step(kernel, k);
    barrier(kernel);
    return {};
  });
  return kernel.finish();
}

FailureOr<gpu::GPUFuncOp> nxv::emitSolve(program::GroupOp group,
                                         ModuleOp module, StringRef name) {
  for (Operation &op : group.getBody().front()) {
    if (!isa<nxv::TriangularSolveOp, nxv::SolvePartsOp>(op))
      continue;
    auto solve = dyn_cast<nxv::TriangularSolveOp>(op);
    auto type = cast<RankedTensorType>(op.getResult(0).getType());
    Type part = type.getElementType();
    if ((solve && (!solve.getLower() || !solve.getLeftSide() ||
                   solve.getTransformA() != TransformA::none)) ||
        type.getDimSize(type.getRank() - 2) > maxSolveSize ||
        !(part.isF32() || part.isF64()))
      return op.emitError("kernels solve lower triangular systems of f32 and "
                          "f64 up to ")
             << maxSolveSize << " rows";
    return SolveEmitter(group, &op).emit(module, name);
  }
  return group.emitOpError("expected a solve in a group of that family");
}
