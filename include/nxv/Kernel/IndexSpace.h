//===- IndexSpace.h - index expressions with known ranges -------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
// Indices inside a kernel are affine expressions over dimensions: workgroup and
// lane numbers, loop counters, values read at run time. Knowing the range of
// each dimension is what lets a reshape of a reshape, or a division of a tile
// index, disappear.
//===----------------------------------------------------------------------===//

#ifndef NXV_KERNEL_INDEXSPACE_H
#define NXV_KERNEL_INDEXSPACE_H

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace nxv {

/// An inclusive range of integers.
struct IndexRange {
  int64_t low;
  int64_t high;
  bool within(int64_t first, int64_t last) const {
    return first <= low && high <= last;
  }
};

/// A sum of multiples of atoms (dimensions, divisions, remainders) and a
/// constant.
struct LinearForm {
  llvm::SmallVector<std::pair<mlir::AffineExpr, int64_t>, 4> terms;
  int64_t constant = 0;
};

/// The dimensions that index expressions of one kernel are made of.
class IndexSpace {
public:
  explicit IndexSpace(mlir::MLIRContext *context) : context(context) {}

  /// A new dimension with values in `range`.
  mlir::AffineExpr addDim(IndexRange range);
  /// A new dimension with values in [0, size).
  mlir::AffineExpr addDim(int64_t size) {
    return addDim(IndexRange{0, size > 0 ? size - 1 : 0});
  }
  unsigned getNumDims() const { return ranges.size(); }
  mlir::AffineExpr constant(int64_t value) const;
  mlir::MLIRContext *getContext() const { return context; }

  /// The range of values that `expr` can take.
  IndexRange rangeOf(mlir::AffineExpr expr) const;
  /// An equal expression in canonical form.
  mlir::AffineExpr simplify(mlir::AffineExpr expr);
  LinearForm linearize(mlir::AffineExpr simplified) const;
  mlir::AffineExpr fromLinear(LinearForm form);

  /// Is every value of `expr` a multiple of `factor`?
  bool isMultipleOf(mlir::AffineExpr expr, int64_t factor) const;
  /// Does `dim` occur in `expr`?
  static bool dependsOn(mlir::AffineExpr expr, mlir::AffineExpr dim);
  /// `expr` with `dim` replaced, simplified.
  mlir::AffineExpr substitute(mlir::AffineExpr expr, mlir::AffineExpr dim,
                              mlir::AffineExpr replacement);

  /// The row-major position of `indices` in `shape`.
  mlir::AffineExpr flatten(llvm::ArrayRef<mlir::AffineExpr> indices,
                           llvm::ArrayRef<int64_t> shape);
  /// The indices at row-major position `position` of `shape`.
  llvm::SmallVector<mlir::AffineExpr> unflatten(mlir::AffineExpr position,
                                                llvm::ArrayRef<int64_t> shape);

private:
  mlir::AffineExpr simplifyDiv(mlir::AffineExpr numerator, int64_t divisor);
  mlir::AffineExpr simplifyMod(mlir::AffineExpr numerator, int64_t divisor);
  void recombine(LinearForm &form);

  mlir::MLIRContext *context;
  llvm::SmallVector<IndexRange> ranges;
  llvm::DenseMap<mlir::AffineExpr, mlir::AffineExpr> simplified;
};

/// The indices into the operand of a `tensor.expand_shape` or
/// `tensor.collapse_shape`, given those into its result.
llvm::SmallVector<mlir::AffineExpr>
reshapeIndices(IndexSpace &space, llvm::ArrayRef<mlir::AffineExpr> indices,
               llvm::ArrayRef<int64_t> resultShape,
               llvm::ArrayRef<int64_t> operandShape);

/// Inverts an access: given the indices `access` (over the dimensions `dims` of
/// sizes `sizes`) into a space of shape `shape`, the values of `dims` as
/// expressions over `targets`, the indices of that space. Empty if `access` is
/// not a bijection of a recognised form (permutations, reshapes, and mixtures).
std::optional<llvm::SmallVector<mlir::AffineExpr>> invertAccess(
    IndexSpace &space, llvm::ArrayRef<mlir::AffineExpr> access,
    llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<mlir::AffineExpr> dims,
    llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<mlir::AffineExpr> targets);

} // namespace nxv

#endif // NXV_KERNEL_INDEXSPACE_H
