//===- Accesses.h - what a program's steps read and write -------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_LIB_DIALECT_PROGRAM_TRANSFORMS_ACCESSES_H
#define NXV_LIB_DIALECT_PROGRAM_TRANSFORMS_ACCESSES_H

#include "nxv/Dialect/Program/IR/Program.h"

namespace nxv::program {

/// Buffers that one step reads and writes, without those of nested steps.
struct Accesses {
  llvm::SmallVector<mlir::Value> reads;
  llvm::SmallVector<mlir::Value> writes;
};

Accesses getAccesses(mlir::Operation *op);

/// Pairs of an input's and an output's number that `op` may have in one place.
/// Emits an error if its attribute `in_place` is not of that form.
mlir::FailureOr<llvm::SmallVector<std::pair<int64_t, int64_t>>>
getInPlacePairs(DispatchOp op);

} // namespace nxv::program

#endif // NXV_LIB_DIALECT_PROGRAM_TRANSFORMS_ACCESSES_H
