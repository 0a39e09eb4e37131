//===- Import.h - graph.json to the nxv dialect -----------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_GRAPH_IMPORT_H
#define NXV_GRAPH_IMPORT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace nxv {

/// Translates a graph of the nxv-graph format, version 1. `path` names it in
/// diagnostics and locates its side files. Anything wrong with the text is one
/// error diagnostic and a null module.
///
/// The module holds `func.func @main`. Its arguments carry `nxv.name`,
/// `nxv.element`, `nxv.donatable` and `nxv.vectorized`, its results
/// `nxv.element`, the function `nxv.output_tree` (JSON text), the module
/// `nxv.graph_name` and `nxv.producer`. Casts and broadcasts are explicit, and
/// equal operations are shared.
mlir::OwningOpRef<mlir::ModuleOp> importGraph(llvm::StringRef path,
                                              llvm::StringRef text,
                                              mlir::MLIRContext *context);

} // namespace nxv

#endif // NXV_GRAPH_IMPORT_H
