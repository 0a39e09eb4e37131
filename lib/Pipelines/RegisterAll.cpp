//===- RegisterAll.cpp - registers everything of nxv ------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "nxv/Pipelines/RegisterAll.h"

#include "nxv/Conversion/KernelToSPIRV/Passes.h"
#include "nxv/Conversion/LegalizeElements/Passes.h"
#include "nxv/Conversion/NxvToLinalg/Passes.h"
#include "nxv/Dialect/Nxv/IR/Nxv.h"
#include "nxv/Dialect/Nxv/Transforms/Passes.h"
#include "nxv/Dialect/Program/IR/Program.h"
#include "nxv/Dialect/Program/Transforms/Passes.h"
#include "nxv/Kernel/Passes.h"
#include "nxv/Math/Passes.h"
#include "nxv/Pipelines/Pipelines.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"

void nxv::registerAllDialects(mlir::DialectRegistry &registry) {
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  registry.insert<NxvDialect, program::ProgramDialect>();
}

void nxv::registerAllPasses() {
  mlir::registerAllPasses();
  registerNxvTransformsPasses();
  registerNxvKernelToSPIRVPasses();
  registerNxvProgramPasses();
  registerNxvMathPasses();
  registerNxvLegalizeElementsPasses();
  registerNxvToLinalgPasses();
  registerKernelPasses();
  registerPipelines();
}
