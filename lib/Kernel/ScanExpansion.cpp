//===- ScanExpansion.cpp - running combinations as kernels ------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "ScanKinds.h"

#include "nxv/Kernel/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/MathExtras.h"

namespace nxv {
#define GEN_PASS_DEF_EXPANDSCAN
#include "nxv/Kernel/Passes.h.inc"
} // namespace nxv

using namespace mlir;
using namespace nxv;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// The length of chunks that are scanned apart; the whole axis where there are
/// enough rows to keep a device busy, or little to do.
static int64_t chooseChunk(int64_t size, int64_t rows) {
  constexpr int64_t smallest = 2048, mostChunks = 2048, enoughRows = 256;
  if (size <= 2 * smallest || rows >= enoughRows)
    return size;
  // The scan of the chunks' totals is one round of one workgroup.
  return std::max<int64_t>(
      smallest, llvm::PowerOf2Ceil(llvm::divideCeil(size, mostChunks)));
}

namespace {
class ScanExpander {
public:
  ScanExpander(nxv::CumulativeOp op, OpBuilder &builder);
  void run();

private:
  Value scan(Value operand, int64_t length, Type element);
  Value totalsOf(Value scanned);
  Value addTotals(Value scanned, Value totals);
  linalg::GenericOp
  generic(ArrayRef<int64_t> shape, Type element, ValueRange inputs,
          function_ref<Value(OpBuilder &, Location, ValueRange)> body);
  Value numbersOf(OpBuilder &b, Location loc, SmallVectorImpl<Value> &indices);

  nxv::CumulativeOp op;
  OpBuilder &builder;
  Location loc;
  int64_t axis, size, chunk, chunks;
  Type state;
  bool isUnsigned;
};
} // namespace

ScanExpander::ScanExpander(nxv::CumulativeOp op, OpBuilder &builder)
    : op(op), builder(builder), loc(op.getLoc()), axis(op.getAxis()),
      isUnsigned(op->hasAttr("nxv.unsigned")) {
  RankedTensorType type = typeOf(op.getOperand());
  size = type.getDimSize(axis);
  chunk = chooseChunk(size, type.getNumElements() / size);
  chunks = llvm::divideCeil(size, chunk);
  state = scanType(op.getKind(), type.getElementType());
}

/// Scans each `length` elements apart.
Value ScanExpander::scan(Value operand, int64_t length, Type element) {
  auto scanned = nxv::ScanChunksOp::create(
      builder, loc, typeOf(operand).clone(element), op.getKind(), operand, axis,
      length, op.getReverse());
  if (isUnsigned)
    scanned->setAttr("nxv.unsigned", builder.getUnitAttr());
  return scanned.getResult();
}

/// An element-wise operation; `body` takes an element of each input.
linalg::GenericOp ScanExpander::generic(
    ArrayRef<int64_t> shape, Type element, ValueRange inputs,
    function_ref<Value(OpBuilder &, Location, ValueRange)> body) {
  Value empty = tensor::EmptyOp::create(builder, loc, shape, element);
  SmallVector<AffineMap> maps(inputs.size() + 1,
                              builder.getMultiDimIdentityMap(shape.size()));
  SmallVector<utils::IteratorType> iterators(shape.size(),
                                             utils::IteratorType::parallel);
  return linalg::GenericOp::create(
      builder, loc, TypeRange{empty.getType()}, inputs, empty, maps, iterators,
      [&](OpBuilder &b, Location at, ValueRange arguments) {
        linalg::YieldOp::create(b, at, body(b, at, arguments));
      });
}

/// The loop indices; gives the one along the axis.
Value ScanExpander::numbersOf(OpBuilder &b, Location at,
                              SmallVectorImpl<Value> &indices) {
  for (int64_t i = 0; i < typeOf(op.getOperand()).getRank(); ++i)
    indices.push_back(linalg::IndexOp::create(b, at, i));
  return indices[axis];
}

static Value number(OpBuilder &b, Location at, int64_t value) {
  return arith::ConstantIndexOp::create(b, at, value);
}

/// What each chunk combines to: its last element in the direction of the scan.
Value ScanExpander::totalsOf(Value scanned) {
  SmallVector<int64_t> shape(typeOf(scanned).getShape());
  shape[axis] = chunks;
  auto body = [&](OpBuilder &b, Location at, ValueRange) -> Value {
    SmallVector<Value> indices;
    Value from = numbersOf(b, at, indices);
    from = arith::MulIOp::create(b, at, from, number(b, at, chunk));
    if (!op.getReverse()) {
      from = arith::AddIOp::create(b, at, from, number(b, at, chunk - 1));
      from = arith::MinSIOp::create(b, at, from, number(b, at, size - 1));
    }
    indices[axis] = from;
    return tensor::ExtractOp::create(b, at, scanned, indices);
  };
  return generic(shape, state, {}, body).getResult(0);
}

/// Each element with the combination of all chunks before its own.
Value ScanExpander::addTotals(Value scanned, Value totals) {
  bool reverse = op.getReverse();
  Type element = typeOf(op.getResult()).getElementType();
  auto body = [&](OpBuilder &b, Location at, ValueRange arguments) -> Value {
    SmallVector<Value> indices;
    Value own = numbersOf(b, at, indices);
    own = arith::DivUIOp::create(b, at, own, number(b, at, chunk));
    Value edge = number(b, at, reverse ? chunks - 1 : 0);
    Value isFirst =
        arith::CmpIOp::create(b, at, arith::CmpIPredicate::eq, own, edge);
    Value before =
        arith::AddIOp::create(b, at, own, number(b, at, reverse ? 1 : -1));
    before = reverse ? Value(arith::MinSIOp::create(b, at, before, edge))
                     : Value(arith::MaxSIOp::create(b, at, before, edge));
    indices[axis] = before;
    Value total = tensor::ExtractOp::create(b, at, totals, indices);
    Value both =
        scanCombine(b, at, op.getKind(), isUnsigned, total, arguments.front());
    Value value =
        arith::SelectOp::create(b, at, isFirst, arguments.front(), both);
    return scanCast(b, at, value, element);
  };
  return generic(typeOf(scanned).getShape(), element, scanned, body)
      .getResult(0);
}

void ScanExpander::run() {
  builder.setInsertionPoint(op);
  Value result;
  if (chunk == size) {
    result = scan(op.getOperand(), size, typeOf(op).getElementType());
  } else {
    Value scanned = scan(op.getOperand(), chunk, state);
    Value totals = scan(totalsOf(scanned), chunks, state);
    result = addTotals(scanned, totals);
  }
  op.replaceAllUsesWith(result);
  op.erase();
}

namespace {
struct ExpandScan : nxv::impl::ExpandScanBase<ExpandScan> {
  void runOnOperation() override {
    SmallVector<nxv::CumulativeOp> scans;
    getOperation().walk([&](nxv::CumulativeOp op) { scans.push_back(op); });
    OpBuilder builder(&getContext());
    for (nxv::CumulativeOp op : scans)
      ScanExpander(op, builder).run();
  }
};
} // namespace
