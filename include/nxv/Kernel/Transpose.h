//===- Transpose.h - when a map transposes ----------------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_KERNEL_TRANSPOSE_H
#define NXV_KERNEL_TRANSPOSE_H

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/ValueRange.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace nxv {

/// An operand that goes through workgroup memory: it is contiguous along the
/// results' axis `axis`, and read at `access`, over the results' indices.
struct StagedOperand {
  mlir::Value tensor;
  unsigned axis;
  llvm::SmallVector<mlir::AffineExpr> access;
};

/// The two axes of a tile, and the operands to stage.
struct TransposePlan {
  unsigned operandAxis = 0;
  unsigned resultAxis = 0;
  llvm::SmallVector<StagedOperand> staged;
};

/// How to lay out the map that yields `results` as a transposition; nothing if
/// its operands are contiguous along the same axis as they are.
std::optional<TransposePlan> planTranspose(mlir::ValueRange results);

} // namespace nxv

#endif // NXV_KERNEL_TRANSPOSE_H
