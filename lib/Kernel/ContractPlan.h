//===- ContractPlan.h - how a contraction is laid out -----------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
// Every contraction, dot product or convolution, is seen as a batch of matrix
// products: its loops fall into those of the batch, the rows, the columns and
// the depth, each of which becomes one linear index.
//===----------------------------------------------------------------------===//

#ifndef NXV_LIB_KERNEL_CONTRACTPLAN_H
#define NXV_LIB_KERNEL_CONTRACTPLAN_H

#include "nxv/Kernel/KernelBuilder.h"

#include <optional>

namespace nxv::contract {

/// Loops that are one linear index, the last one fastest.
struct LoopSet {
  llvm::SmallVector<unsigned> loops;
  llvm::SmallVector<int64_t> sizes;
  int64_t count = 1;
};

/// A factor of the products: the rows (of the left one) or the columns (of the
/// right one), by the depth.
struct Factor {
  mlir::OpOperand *operand = nullptr;
  mlir::Type element; // in workgroup memory
  /// Casts on the way there.
  llvm::SmallVector<mlir::Operation *> casts;
  LoopSet free;
  /// Are neighbours in memory neighbours in depth?
  bool depthFast = false;
};

/// A result of the group: its indices as expressions over those of the root's
/// result, which are the dimensions 0, 1, ...
struct Output {
  mlir::Value value;
  llvm::SmallVector<mlir::AffineExpr> indices;
};

/// The part of the result that a workgroup computes, and how its threads share
/// it: each has rows / threadsY by columns / threadsX elements.
struct Tile {
  int64_t rows, columns;
  int64_t threadsX, threadsY;
  int64_t depth = 1;
  int64_t width = 1; // entries of a vector
  int64_t threads() const { return threadsX * threadsY; }
};

struct Plan {
  mlir::linalg::GenericOp root;
  Factor lhs, rhs;
  LoopSet batch, depth;
  mlir::Type accumulator;
  /// Is the payload accumulator + lhs * rhs? If not, it is any function of two
  /// elements and the accumulator.
  bool product = false;
  llvm::SmallVector<Output> outputs;
  Tile tile;

  int64_t tilesM() const { return ceilDiv(lhs.free.count, tile.rows); }
  int64_t tilesN() const { return ceilDiv(rhs.free.count, tile.columns); }
  int64_t depthSteps() const { return ceilDiv(depth.count, tile.depth); }
  static int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }
};

/// Analyses the group and chooses its tile; an error and nothing if it is no
/// contraction.
std::optional<Plan> makePlan(program::GroupOp group);

} // namespace nxv::contract

#endif // NXV_LIB_KERNEL_CONTRACTPLAN_H
