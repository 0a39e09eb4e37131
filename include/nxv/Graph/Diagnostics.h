//===- Diagnostics.h - printing diagnostics about graphs --------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_GRAPH_DIAGNOSTICS_H
#define NXV_GRAPH_DIAGNOSTICS_H

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/raw_ostream.h"

namespace nxv {

/// `graph.json: node 17 (conv)`, `model.ex:12: node 17 (conv)` or
/// `file:line:col`: what a location says to a reader.
std::string describeLocation(mlir::Location loc);

/// Prints diagnostics as `graph.json: node 17 (conv): error: message` while it
/// lives.
class GraphDiagnosticHandler : public mlir::ScopedDiagnosticHandler {
public:
  explicit GraphDiagnosticHandler(mlir::MLIRContext *context,
                                  llvm::raw_ostream &os = llvm::errs());
};

} // namespace nxv

#endif // NXV_GRAPH_DIAGNOSTICS_H
