//===- ScanKinds.h - what a running combination does ------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_LIB_KERNEL_SCANKINDS_H
#define NXV_LIB_KERNEL_SCANKINDS_H

#include "nxv/Dialect/Nxv/IR/Nxv.h"

#include "mlir/IR/Builders.h"

namespace nxv {

/// The type that elements are combined in: f32 for sums and products of f16.
mlir::Type scanType(ReduceKind kind, mlir::Type element);
/// What changes nothing in combination with anything.
mlir::TypedAttr scanNeutral(ReduceKind kind, mlir::Type type, bool isUnsigned);
mlir::Value scanCombine(mlir::OpBuilder &builder, mlir::Location loc,
                        ReduceKind kind, bool isUnsigned, mlir::Value earlier,
                        mlir::Value later);
/// `value` as a float of another width; itself if it has the type.
mlir::Value scanCast(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value value, mlir::Type type);

} // namespace nxv

#endif // NXV_LIB_KERNEL_SCANKINDS_H
