//===- Passes.h - elements that kernels can hold ----------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_CONVERSION_LEGALIZEELEMENTS_PASSES_H
#define NXV_CONVERSION_LEGALIZEELEMENTS_PASSES_H

#include "mlir/Pass/Pass.h"

namespace nxv {

#define GEN_PASS_DECL
#include "nxv/Conversion/LegalizeElements/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "nxv/Conversion/LegalizeElements/Passes.h.inc"

} // namespace nxv

#endif // NXV_CONVERSION_LEGALIZEELEMENTS_PASSES_H
