//===- Passes.h - passes of the arithmetic expansions -----------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_MATH_PASSES_H
#define NXV_MATH_PASSES_H

#include "mlir/Pass/Pass.h"

namespace nxv {

#define GEN_PASS_DECL
#include "nxv/Math/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "nxv/Math/Passes.h.inc"

} // namespace nxv

#endif // NXV_MATH_PASSES_H
