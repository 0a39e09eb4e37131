//===- UpdateWindow.h - results that differ in a window ---------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
// A tensor of which a slice is replaced is the old tensor outside of a window.
// Where it lies in the old one's memory, only the window has to be written: a
// loop that stacks its rows writes one row a turn.
//===----------------------------------------------------------------------===//

#ifndef NXV_LIB_KERNEL_UPDATEWINDOW_H
#define NXV_LIB_KERNEL_UPDATEWINDOW_H

#include "nxv/Dialect/Program/IR/Program.h"
#include "nxv/Kernel/IndexSpace.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <optional>

namespace nxv {

struct UpdateWindow {
  mlir::linalg::GenericOp op;
  /// What the result is outside of the window.
  mlir::Value old;
  /// The first index on each axis: an index of the payload, or null for 0.
  llvm::SmallVector<mlir::Value> starts;
  llvm::SmallVector<int64_t> sizes;

  int64_t getNumElements() const;
};

/// The window in which `tensor` differs from another tensor at the same index,
/// if its operation says so in a form known here.
std::optional<UpdateWindow> matchUpdateWindow(mlir::Value tensor);

using KnownStarts = llvm::SmallVector<std::pair<mlir::Value, mlir::AffineExpr>>;

/// Lets the window begin anywhere: adds a new dimension of `space` to the index
/// of each axis that has a start, and gives these dimensions.
KnownStarts placeWindow(const UpdateWindow &window, IndexSpace &space,
                        llvm::MutableArrayRef<mlir::AffineExpr> indices);

/// The window of a result of `group` that lies in the memory of what it
/// updates.
std::optional<UpdateWindow> getWrittenWindow(program::GroupOp group,
                                             unsigned result);

} // namespace nxv

#endif // NXV_LIB_KERNEL_UPDATEWINDOW_H
