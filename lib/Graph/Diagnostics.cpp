//===- Diagnostics.cpp - printing diagnostics about graphs
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "nxv/Graph/Diagnostics.h"

#include "mlir/IR/Location.h"

using namespace mlir;
using namespace nxv;

static std::string describeFile(FileLineColLoc loc) {
  std::string text = loc.getFilename().str();
  if (loc.getLine() != 0)
    text += ":" + std::to_string(loc.getLine());
  if (loc.getLine() != 0 && loc.getColumn() != 0)
    text += ":" + std::to_string(loc.getColumn());
  return text;
}

std::string nxv::describeLocation(Location loc) {
  if (auto file = dyn_cast<FileLineColLoc>(loc))
    return describeFile(file);
  if (auto name = dyn_cast<NameLoc>(loc)) {
    std::string inner = describeLocation(name.getChildLoc());
    return inner.empty() ? name.getName().str()
                         : inner + ": " + name.getName().str();
  }
  if (auto call = dyn_cast<CallSiteLoc>(loc))
    return describeLocation(call.getCallee());
  if (auto fused = dyn_cast<FusedLoc>(loc))
    for (Location part : fused.getLocations())
      if (std::string text = describeLocation(part); !text.empty())
        return text;
  return "";
}

static llvm::StringRef severityName(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Error:
    return "error";
  case DiagnosticSeverity::Warning:
    return "warning";
  case DiagnosticSeverity::Note:
    return "note";
  case DiagnosticSeverity::Remark:
    return "remark";
  }
  return "";
}

static void print(Diagnostic &diagnostic, llvm::raw_ostream &os) {
  std::string where = describeLocation(diagnostic.getLocation());
  if (!where.empty())
    os << where << ": ";
  os << severityName(diagnostic.getSeverity()) << ": " << diagnostic << "\n";
}

GraphDiagnosticHandler::GraphDiagnosticHandler(MLIRContext *context,
                                               llvm::raw_ostream &os)
    : ScopedDiagnosticHandler(context) {
  setHandler([&os](Diagnostic &diagnostic) {
    print(diagnostic, os);
    // Whole operations, large constants among them, help no one.
    for (Diagnostic &note : diagnostic.getNotes())
      if (!llvm::StringRef(note.str()).starts_with("see current operation"))
        print(note, os);
  });
}
