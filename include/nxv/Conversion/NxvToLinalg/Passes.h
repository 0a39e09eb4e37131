//===- Passes.h - from nxv to linalg ----------------------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_CONVERSION_NXVTOLINALG_PASSES_H
#define NXV_CONVERSION_NXVTOLINALG_PASSES_H

#include "mlir/Pass/Pass.h"
#include <memory>

namespace nxv {

/// Lowers level 1 (nxv on tensors) to level 2 (linalg on signless tensors).
std::unique_ptr<mlir::Pass> createNxvToLinalgPass();

/// Registers `nxv-to-linalg`.
void registerNxvToLinalgPasses();

} // namespace nxv

#endif // NXV_CONVERSION_NXVTOLINALG_PASSES_H
