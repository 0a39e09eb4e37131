//===- Registration.cpp - the pack's translations ---------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "nxv/Dialect/Program/IR/Program.h"
#include "nxv/Target/Spvpack/Spvpack.h"

#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-translate/Translation.h"

using namespace mlir;

void nxv::registerSpvpackTranslations() {
  static TranslateFromMLIRRegistration write(
      "program-to-spvpack", "write a program and its SPIR-V kernels as a pack",
      [](Operation *op, raw_ostream &output) -> LogicalResult {
        auto module = dyn_cast<ModuleOp>(op);
        if (!module)
          return op->emitOpError("expected a builtin module");
        return translateProgramToSpvpack(module, output);
      },
      [](DialectRegistry &registry) {
        registry.insert<program::ProgramDialect, spirv::SPIRVDialect>();
      });
  static TranslateToMLIRRegistration read(
      "spvpack-to-program", "read a pack as a program and SPIR-V kernels",
      [](StringRef bytes, MLIRContext *context) -> OwningOpRef<Operation *> {
        return translateSpvpackToProgram(bytes, context);
      },
      [](DialectRegistry &registry) {
        registry.insert<program::ProgramDialect, spirv::SPIRVDialect>();
      });
}
