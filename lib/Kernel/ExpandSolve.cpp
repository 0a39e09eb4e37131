//===- ExpandSolve.cpp - the pass nxv-expand-solve --------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
// Every triangular system becomes one that is solved forward: transposing and
// reversing cost nothing where the kernel reads. A large one is solved by
// halves, with a contraction in between.
//===----------------------------------------------------------------------===//

#include "nxv/Dialect/Nxv/IR/Nxv.h"
#include "nxv/Kernel/Passes.h"
#include "nxv/Kernel/Solve.h"

#include "mlir/IR/Builders.h"

#include <numeric>

namespace nxv {
#define GEN_PASS_DEF_EXPANDSOLVE
#include "nxv/Kernel/Passes.h.inc"
} // namespace nxv

using namespace mlir;
using namespace nxv;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

namespace {
class SolveExpander {
public:
  explicit SolveExpander(TriangularSolveOp op)
      : op(op), builder(op), loc(op.getLoc()),
        rank(typeOf(op.getA()).getRank()) {}
  Value run();

private:
  Value solveForward(Value a, Value b);
  /// Rows and columns of the matrices of `x`.
  Value slice(Value x, int64_t row, int64_t rows, int64_t column,
              int64_t columns);
  Value transpose(Value x);
  Value reverse(Value x, ArrayRef<int64_t> axes);
  Value convert(Value x, Type element);

  TriangularSolveOp op;
  OpBuilder builder;
  Location loc;
  int64_t rank;
};
} // namespace

Value SolveExpander::slice(Value x, int64_t row, int64_t rows, int64_t column,
                           int64_t columns) {
  SmallVector<int64_t> starts(rank, 0), lengths(typeOf(x).getShape());
  starts[rank - 2] = row;
  starts[rank - 1] = column;
  lengths[rank - 2] = rows;
  lengths[rank - 1] = columns;
  return SliceOp::create(builder, loc, typeOf(x).clone(lengths), x, starts,
                         lengths, SmallVector<int64_t>(rank, 1));
}

Value SolveExpander::transpose(Value x) {
  SmallVector<int64_t> shape(typeOf(x).getShape()), permutation(rank);
  std::iota(permutation.begin(), permutation.end(), 0);
  std::swap(permutation[rank - 1], permutation[rank - 2]);
  std::swap(shape[rank - 1], shape[rank - 2]);
  return TransposeOp::create(builder, loc, typeOf(x).clone(shape), x,
                             permutation);
}

Value SolveExpander::reverse(Value x, ArrayRef<int64_t> axes) {
  return ReverseOp::create(builder, loc, x.getType(), x, axes);
}

Value SolveExpander::convert(Value x, Type element) {
  if (typeOf(x).getElementType() == element)
    return x;
  return ConvertOp::create(builder, loc, typeOf(x).clone(element), x);
}

Value SolveExpander::solveForward(Value a, Value b) {
  int64_t size = typeOf(a).getShape().back();
  int64_t columns = typeOf(b).getShape().back();
  if (size <= maxSolveSize)
    return TriangularSolveOp::create(
        builder, loc, b.getType(), a, b, builder.getBoolAttr(true),
        builder.getBoolAttr(true),
        TransformAAttr::get(builder.getContext(), TransformA::none));
  // The upper part is a power of two times the largest kernel.
  int64_t upper = maxSolveSize;
  while (2 * upper < size)
    upper *= 2;
  int64_t lower = size - upper;
  Value first = solveForward(slice(a, 0, upper, 0, upper),
                             slice(b, 0, upper, 0, columns));
  SmallVector<int64_t> batch(rank - 2);
  std::iota(batch.begin(), batch.end(), 0);
  Value rest = slice(b, upper, lower, 0, columns);
  Value product = DotGeneralOp::create(builder, loc, rest.getType(),
                                       slice(a, upper, lower, 0, upper), first,
                                       batch, {rank - 1}, batch, {rank - 2});
  rest = SubtractOp::create(builder, loc, rest.getType(), rest, product);
  Value second = solveForward(slice(a, upper, lower, upper, lower), rest);
  return ConcatenateOp::create(builder, loc, b.getType(),
                               ValueRange{first, second}, rank - 2);
}

Value SolveExpander::run() {
  bool left = op.getLeftSide();
  TransformA kind = op.getTransformA();
  Type element = typeOf(op.getB()).getElementType();
  // Narrow floats are summed in f32.
  Type wide = isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 32
                  ? builder.getF32Type()
                  : element;
  Value a = convert(op.getA(), wide), b = convert(op.getB(), wide);
  if (kind == TransformA::conjugate && isa<ComplexType>(element))
    a = ConjugateOp::create(builder, loc, a.getType(), a);
  // x op(a) = b is op(a)^T x^T = b^T.
  bool transposed = (kind != TransformA::none) == left;
  if (transposed)
    a = transpose(a);
  if (!left)
    b = transpose(b);
  // An upper triangular matrix is a lower one, read backwards.
  bool backward = op.getLower() == transposed;
  if (backward) {
    a = reverse(a, {rank - 2, rank - 1});
    b = reverse(b, {rank - 2});
  }
  Value x = solveForward(a, b);
  if (backward)
    x = reverse(x, {rank - 2});
  if (!left)
    x = transpose(x);
  return convert(x, element);
}

namespace {
struct ExpandSolve : nxv::impl::ExpandSolveBase<ExpandSolve> {
  void runOnOperation() override {
    SmallVector<TriangularSolveOp> solves;
    getOperation()->walk([&](TriangularSolveOp op) { solves.push_back(op); });
    for (TriangularSolveOp op : solves) {
      if (typeOf(op.getResult()).getNumElements() == 0)
        continue;
      op.replaceAllUsesWith(SolveExpander(op).run());
      op.erase();
    }
  }
};
} // namespace
