//===- Storage.h - where the values of groups lie ---------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_KERNEL_STORAGE_H
#define NXV_KERNEL_STORAGE_H

#include "nxv/Dialect/Program/IR/Program.h"

#include "mlir/IR/BuiltinAttributes.h"

namespace nxv {

/// Bytes of a tensor in memory.
int64_t byteSize(mlir::Type tensor);

/// What workgroup memory holds `count` elements of a tensor as: a few
/// predicates are words, so that kernels need no bytes for them.
mlir::Type sharedElement(mlir::Type element, int64_t count);
/// Bytes of a tensor in workgroup memory.
int64_t sharedByteSize(mlir::Type tensor);

/// The value whose memory `value`, a reshape of it, shares.
mlir::Value stripReshapes(mlir::Value value);

/// Inputs of `group` that a result may overwrite, as pairs of an input's and a
/// result's number.
mlir::ArrayAttr getInPlacePairs(program::GroupOp group);

/// The values in a loop's body that may be written straight over a state, with
/// the state's number: nothing reads the old state any more.
llvm::SmallVector<std::pair<mlir::Value, unsigned>>
getDirectStates(mlir::Block &body);

} // namespace nxv

#endif // NXV_KERNEL_STORAGE_H
