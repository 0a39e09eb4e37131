//===- Passes.h - transformations within the nxv dialect --------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_DIALECT_NXV_TRANSFORMS_PASSES_H
#define NXV_DIALECT_NXV_TRANSFORMS_PASSES_H

#include "mlir/Pass/Pass.h"

namespace nxv {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "nxv/Dialect/Nxv/Transforms/Passes.h.inc"

} // namespace nxv

#endif // NXV_DIALECT_NXV_TRANSFORMS_PASSES_H
