//===- LoopPlan.h - what fits one workgroup ---------------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_LIB_KERNEL_LOOPPLAN_H
#define NXV_LIB_KERNEL_LOOPPLAN_H

#include "nxv/Dialect/Nxv/IR/Nxv.h"
#include "nxv/Kernel/KernelBuilder.h"

namespace nxv {

/// Where each result of an operation in a loop group lies: -1 is workgroup
/// memory, another number the kernel's result of that number. A loop with moved
/// states has as many entries again: where those are saved.
inline constexpr llvm::StringLiteral loopMemoryAttrName = "nxv.memory";
/// The kernel's operand that holds a literal inside a loop group.
inline constexpr llvm::StringLiteral loopInputAttrName = "nxv.input";

int64_t getPlannedMemory(mlir::Operation *op, unsigned result);

/// Is what the body yields for this state maybe what another state holds?
bool isMovedState(nxv::WhileOp op, unsigned state);

/// The threads that suit the groups in a loop group.
int64_t getLoopThreads(program::GroupOp group);

/// Emits a scatter group with the `threads` threads of one workgroup.
void emitScatterInto(program::GroupOp group, KernelBuilder &kernel,
                     int64_t threads, mlir::Value result);

/// Does a state begin in the memory of the value that it starts as, which
/// nothing else reads?
bool takesOver(nxv::WhileOp loop, unsigned state);

/// The elements of the largest state that a turn copies from another one, for
/// one of `batch` parts.
int64_t getMovedElements(nxv::WhileOp loop, int64_t batch);

/// The slices of the batch that a loop group goes over, a workgroup each.
int64_t getBatch(program::GroupOp group);

/// The longest walk of a group, its points times the elements of each, for one
/// of `batch` slices.
int64_t getWork(program::GroupOp group, int64_t batch);

} // namespace nxv

#endif // NXV_LIB_KERNEL_LOOPPLAN_H
