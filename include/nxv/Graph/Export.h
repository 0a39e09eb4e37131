//===- Export.h - the nxv dialect to graph.json -----------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_GRAPH_EXPORT_H
#define NXV_GRAPH_EXPORT_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/raw_ostream.h"

namespace nxv {

/// Writes the `@main` of a module of nxv operations as a graph. Importing it
/// again gives an equivalent module. An operation that the format cannot
/// express is an error.
llvm::LogicalResult exportGraph(mlir::ModuleOp module, llvm::raw_ostream &os);

} // namespace nxv

#endif // NXV_GRAPH_EXPORT_H
