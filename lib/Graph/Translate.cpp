//===- Translate.cpp - graph translations of nxv-translate
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "nxv/Graph/Translate.h"

#include "nxv/Dialect/Nxv/IR/Nxv.h"
#include "nxv/Graph/Diagnostics.h"
#include "nxv/Graph/Export.h"
#include "nxv/Graph/Import.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

static OwningOpRef<Operation *> importBuffer(llvm::SourceMgr &sources,
                                             MLIRContext *context) {
  const llvm::MemoryBuffer *buffer =
      sources.getMemoryBuffer(sources.getMainFileID());
  nxv::GraphDiagnosticHandler handler(context);
  return nxv::importGraph(buffer->getBufferIdentifier(), buffer->getBuffer(),
                          context);
}

void nxv::registerGraphTranslations() {
  static TranslateToMLIRRegistration importGraph(
      "import-graph", "translate an nxv-graph file to the nxv dialect",
      importBuffer, [](DialectRegistry &registry) {
        registry.insert<nxv::NxvDialect, func::FuncDialect>();
      });
  static TranslateFromMLIRRegistration exportGraph(
      "export-graph", "translate a module of nxv operations to an nxv-graph",
      [](ModuleOp module, llvm::raw_ostream &os) {
        return nxv::exportGraph(module, os);
      },
      [](DialectRegistry &registry) {
        registry.insert<nxv::NxvDialect, func::FuncDialect>();
      });
}
