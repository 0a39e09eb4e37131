//===- Reference.h - the interpreter ----------------------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_RUN_REFERENCE_H
#define NXV_RUN_REFERENCE_H

#include "Tensor.h"

namespace nxv::run {

/// Interprets the graph in the file `path`. The interpreter is a library that
/// is looked for beside this program, so that packs run without it.
llvm::Expected<std::vector<Tensor>> interpret(llvm::StringRef path,
                                              llvm::ArrayRef<Tensor> inputs,
                                              const std::string &program);

} // namespace nxv::run

#endif // NXV_RUN_REFERENCE_H
