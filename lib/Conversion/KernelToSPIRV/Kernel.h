//===- Kernel.h - steps of the kernel to SPIR-V conversion ------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_LIB_CONVERSION_KERNELTOSPIRV_KERNEL_H
#define NXV_LIB_CONVERSION_KERNELTOSPIRV_KERNEL_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Transforms/DialectConversion.h"

namespace nxv {

/// Moves the kernel of `source` into a new spirv.module in front of it. The new
/// function's body is still made of gpu, arith, scf, vector and memref
/// operations, but for the accesses to the kernel's arguments, which are SPIR-V
/// accesses through addresses. Emits an error and returns null if `source` is
/// not a kernel of the expected form.
mlir::spirv::ModuleOp prepareKernel(mlir::gpu::GPUModuleOp source);

/// Completes a module whose function body is all SPIR-V: entry point, execution
/// modes, NoContraction, and the version, capabilities and extensions in use.
mlir::LogicalResult finishModule(mlir::spirv::ModuleOp module,
                                 bool floatControls);

/// Converts the kernels in `module` by `patterns`, and by those that functions
/// and loops need, until no value has a type that `converter` changes.
mlir::LogicalResult convertTypes(mlir::Operation *module,
                                 mlir::TypeConverter &converter,
                                 mlir::RewritePatternSet patterns);

/// A type of 8 or 16 bits, or a vector or memory of them.
bool isNarrow(mlir::Type type);

/// The workgroup's size, kept on the module between the two steps.
constexpr llvm::StringLiteral kBlockSizeAttr = "nxv.block_size";
/// The name of the kernel that a module is a later variant of.
constexpr llvm::StringLiteral kVariantOfAttr = "nxv.variant_of";
/// The kernel does without types of 8 and 16 bits.
constexpr llvm::StringLiteral kWithoutNarrowAttr = "nxv.without_narrow";
/// The kernel does without integers of 64 bits.
constexpr llvm::StringLiteral kWithoutInt64Attr = "nxv.without_int64";
/// "push" or "block": how the module's kernel gets its arguments.
constexpr llvm::StringLiteral kArgumentsAttr = "nxv.arguments";

} // namespace nxv

#endif // NXV_LIB_CONVERSION_KERNELTOSPIRV_KERNEL_H
