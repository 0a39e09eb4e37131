//===- Translate.cpp - graph translations of nxv-translate
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "nxv/Graph/Translate.h"

#include "nxv/Dialect/Nxv/IR/Nxv.h"
#include "nxv/Graph/Diagnostics.h"
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
  static TranslateToMLIRRegistration import(
      "import-graph", "translate an nxv-graph file to the nxv dialect",
      importBuffer, [](DialectRegistry &registry) {
        registry.insert<NxvDialect, func::FuncDialect>();
      });
}
