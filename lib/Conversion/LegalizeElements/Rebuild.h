//===- Rebuild.h - operations that only carry elements ----------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_LIB_CONVERSION_LEGALIZEELEMENTS_REBUILD_H
#define NXV_LIB_CONVERSION_LEGALIZEELEMENTS_REBUILD_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Transforms/DialectConversion.h"

namespace nxv::legalize {

/// Patterns for the operations that move elements without looking at them, for
/// converters that turn a type into one or several.
void populateRebuildPatterns(mlir::TypeConverter &converter,
                             mlir::RewritePatternSet &patterns);

/// Patterns for the transforms that take the parts of complex numbers.
void populateSplitTransformPatterns(mlir::TypeConverter &converter,
                                    mlir::RewritePatternSet &patterns);

/// No operand, result or region argument has a type to convert.
bool isLegal(mlir::Operation *op, const mlir::TypeConverter &converter);

/// Converts the functions in `module` by `patterns`, and by those that move
/// elements without looking at them, until every operation is legal.
mlir::LogicalResult convertElements(mlir::ModuleOp module,
                                    mlir::TypeConverter &converter,
                                    mlir::RewritePatternSet patterns);

/// The affine map from `rank` loops to all of them, and `extra` after them.
mlir::AffineMap appendConstant(mlir::MLIRContext *context, unsigned rank,
                               int64_t extra);

/// An all-parallel generic over the results' space with one result a type.
mlir::linalg::GenericOp
createParallel(mlir::OpBuilder &b, mlir::Location loc,
               llvm::ArrayRef<mlir::RankedTensorType> types,
               mlir::ValueRange inputs, llvm::ArrayRef<mlir::AffineMap> maps,
               llvm::function_ref<llvm::SmallVector<mlir::Value>(
                   mlir::OpBuilder &, mlir::Location, mlir::ValueRange)>
                   payload);

} // namespace nxv::legalize

#endif // NXV_LIB_CONVERSION_LEGALIZEELEMENTS_REBUILD_H
