//===- Spvpack.h - programs to and from packs -------------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_TARGET_SPVPACK_SPVPACK_H
#define NXV_TARGET_SPVPACK_SPVPACK_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Support/LLVM.h"

namespace nxv {

/// Writes the module's `program.program` and the kernels that it dispatches as
/// a pack. The kernels are spirv.modules; each is validated. The same module
/// gives the same bytes.
mlir::LogicalResult translateProgramToSpvpack(mlir::ModuleOp module,
                                              mlir::raw_ostream &output);

/// Reads a pack. Emits an error and returns null if it is malformed.
mlir::OwningOpRef<mlir::ModuleOp>
translateSpvpackToProgram(llvm::StringRef bytes, mlir::MLIRContext *context);

/// Registers `--program-to-spvpack` and `--spvpack-to-program`.
void registerSpvpackTranslations();

} // namespace nxv

#endif // NXV_TARGET_SPVPACK_SPVPACK_H
