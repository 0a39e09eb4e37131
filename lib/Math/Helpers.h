//===- Helpers.h - expansions of the smaller operations ---------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_LIB_MATH_HELPERS_H
#define NXV_LIB_MATH_HELPERS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/Operation.h"

namespace nxv::math {

/// True for the operations that expandHelper knows.
bool isHelper(mlir::Operation *op);

/// Replaces `op` at the builder's insertion point; reports what it cannot.
mlir::LogicalResult expandHelper(mlir::OpBuilder &builder, mlir::Operation *op);

} // namespace nxv::math

#endif // NXV_LIB_MATH_HELPERS_H
