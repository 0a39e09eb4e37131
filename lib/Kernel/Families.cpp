//===- Families.cpp - the table of kernel families --------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "nxv/Dialect/Nxv/IR/Nxv.h"
#include "nxv/Kernel/KernelBuilder.h"

using namespace mlir;
using namespace nxv;
using program::Family;

std::optional<Family> nxv::getOwnFamily(Operation *op) {
  if (isa<ScatterOp>(op))
    return Family::scatter;
  if (isa<SortTilesOp, MergeRunsOp>(op))
    return Family::sort;
  if (isa<ScanChunksOp>(op))
    return Family::scan;
  if (isa<FftPartsOp>(op))
    return Family::fft;
  if (isa<TriangularSolveOp, SolvePartsOp>(op))
    return Family::solve;
  return std::nullopt;
}

FailureOr<gpu::GPUFuncOp> nxv::emitKernel(program::GroupOp group,
                                          ModuleOp module, StringRef name) {
  switch (group.getFamily()) {
  case Family::map:
  case Family::reduce:
    return emitBlock(group, module, name);
  case Family::transpose:
    return emitTranspose(group, module, name);
  case Family::contract:
  case Family::conv:
    return emitContract(group, module, name);
  case Family::scatter:
    return emitScatter(group, module, name);
  case Family::loop:
    return emitLoop(group, module, name);
  case Family::sort:
    return emitSort(group, module, name);
  case Family::fft:
    return emitFft(group, module, name);
  case Family::solve:
    return emitSolve(group, module, name);
  case Family::scan:
    return emitScan(group, module, name);
  }
  llvm_unreachable("every family has an emitter");
}
