//===- Pipelines.h - which pass runs when -----------------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_PIPELINES_PIPELINES_H
#define NXV_PIPELINES_PIPELINES_H

#include "mlir/Support/LLVM.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace nxv {

/// The levels of the data path, each the input of the next stage.
enum class Level { nxv, linalg, groups, program, spirv };

struct PipelineOptions {
  /// Use the device's own functions where it has them.
  bool fastMath = false;
  /// Add variants for devices without 64-bit integers.
  bool withoutInt64 = false;
};

/// Adds the passes that bring a module from the level before to `level`. Fails
/// only where a pass is not registered.
mlir::LogicalResult buildStage(mlir::OpPassManager &pm, Level level,
                               PipelineOptions options = {});

/// Adds the passes that bring an imported graph to `level`. Fails only where a
/// pass is not registered.
mlir::LogicalResult buildPipeline(mlir::OpPassManager &pm, Level level);

/// Registers the passes that the pipelines are made of, and the pipelines
/// themselves as `--nxv-to-level-linalg` and so on.
void registerPipelines();

} // namespace nxv

#endif // NXV_PIPELINES_PIPELINES_H
