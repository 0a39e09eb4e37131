//===- Pipelines.cpp - which pass runs when ---------------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "nxv/Pipelines/Pipelines.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace nxv;

namespace {
struct Stage {
  Level level;
  const char *name;
  const char *passes;
};
} // namespace

/// Each stage starts from the one before.
static const Stage stages[] = {
    {Level::nxv, "nxv", "nxv-expand-blocks,canonicalize,cse"},
    {Level::linalg, "linalg",
     "nxv-expand-fft,nxv-expand-solve,nxv-to-linalg,nxv-split-complex,"
     "nxv-encode-floats,nxv-widen-integers,nxv-simplify-loops,canonicalize,"
     "cse"},
    {Level::groups, "groups",
     "func.func(nxv-expand-sort,nxv-expand-scan,"
     "nxv-split-reductions,nxv-form-groups,nxv-fuse-loops)"},
    {Level::program, "program",
     "nxv-emit-kernels,"
     "gpu.module(canonicalize,cse,loop-invariant-code-motion),"
     "nxv-plan-memory,nxv-insert-barriers"},
    {Level::spirv, "spirv",
     "gpu.module(nxv-expand-math,canonicalize,cse),nxv-add-variants,"
     "gpu.module(nxv-emulate-narrow-types,nxv-emulate-int64),"
     "nxv-kernel-to-spirv"},
};

/// Gives the pass of that name, where `passes` has it, options.
static void addOptions(std::string &passes, StringRef pass, StringRef options) {
  if (size_t at = passes.find(pass); at != std::string::npos)
    passes.insert(at + pass.size(), ("{" + options + "}").str());
}

LogicalResult nxv::buildStage(OpPassManager &pm, Level level,
                              PipelineOptions options) {
  for (const Stage &stage : stages) {
    if (stage.level != level)
      continue;
    std::string passes = stage.passes;
    if (options.fastMath)
      addOptions(passes, "nxv-expand-math", "fast=true");
    if (options.withoutInt64)
      addOptions(passes, "nxv-add-variants", "without-int64=true");
    return parsePassPipeline(passes, pm);
  }
  return failure();
}

LogicalResult nxv::buildPipeline(OpPassManager &pm, Level level) {
  for (const Stage &stage : stages)
    if (stage.level <= level && failed(buildStage(pm, stage.level)))
      return failure();
  return success();
}

void nxv::registerPipelines() {
  for (const Stage &stage : stages)
    PassPipelineRegistration<>(
        (Twine("nxv-to-level-") + stage.name).str(),
        (Twine("Bring an imported graph to the level '") + stage.name + "'")
            .str(),
        [level = stage.level](OpPassManager &pm) {
          (void)buildPipeline(pm, level);
        });
}
