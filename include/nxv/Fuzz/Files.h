//===- Files.h - failures as files ------------------------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_FUZZ_FILES_H
#define NXV_FUZZ_FILES_H

#include "nxv/Fuzz/Generator.h"

namespace nxv::fuzz {

/// The graph format's name of an element type.
std::string getTypeName(mlir::Type type);

/// Writes `stem`.json and `stem`.io.json, with the interpreter's outputs, or
/// `stem`.mlir where the graph format cannot express the case. Gives the path
/// of the graph, or what went wrong.
llvm::Expected<std::string> writeCase(const Case &test, llvm::StringRef stem);

} // namespace nxv::fuzz

#endif // NXV_FUZZ_FILES_H
