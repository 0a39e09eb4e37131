//===- Generator.h - random graphs with inputs ------------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_FUZZ_GENERATOR_H
#define NXV_FUZZ_GENERATOR_H

#include "nxv/Reference/Interpreter.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <vector>

namespace nxv::fuzz {

/// A graph and what it is run on.
struct Case {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::vector<Tensor> inputs;

  mlir::func::FuncOp getMain() const;
  Case clone() const;
};

struct GeneratorOptions {
  /// The most operations, those inside regions not counted.
  int64_t maxOps = 24;
};

/// The case of a seed. The context has the nxv and func dialects loaded.
Case generateCase(mlir::MLIRContext *context, uint64_t seed,
                  const GeneratorOptions &options);

} // namespace nxv::fuzz

#endif // NXV_FUZZ_GENERATOR_H
