//===- Passes.h - kernels to SPIR-V -----------------------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_CONVERSION_KERNELTOSPIRV_PASSES_H
#define NXV_CONVERSION_KERNELTOSPIRV_PASSES_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace nxv {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "nxv/Conversion/KernelToSPIRV/Passes.h.inc"

} // namespace nxv

#endif // NXV_CONVERSION_KERNELTOSPIRV_PASSES_H
