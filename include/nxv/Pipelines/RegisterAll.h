//===- RegisterAll.h - registers everything of nxv --------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_PIPELINES_REGISTERALL_H
#define NXV_PIPELINES_REGISTERALL_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace nxv {

/// Adds the dialects of nxv and those its passes produce.
void registerAllDialects(mlir::DialectRegistry &registry);

/// Registers the passes of nxv and the upstream ones its pipelines are made of.
void registerAllPasses();

} // namespace nxv

#endif // NXV_PIPELINES_REGISTERALL_H
