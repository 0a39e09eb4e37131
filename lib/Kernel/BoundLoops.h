//===- BoundLoops.h - loops that no kernel may run to their end -*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
// A kernel that loops for long is ended by a watchdog, and nothing else can end
// it. Where the number of turns is not known to be small, a kernel makes some
// turns and leaves the states in buffers, and the host starts it again until
// the loop is done.
//===----------------------------------------------------------------------===//

#ifndef NXV_LIB_KERNEL_BOUNDLOOPS_H
#define NXV_LIB_KERNEL_BOUNDLOOPS_H

#include "nxv/Dialect/Nxv/IR/Nxv.h"

#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace nxv {

/// On a loop of the host: its body runs once before its condition is looked at.
inline constexpr llvm::StringLiteral postTestAttrName = "nxv.post_test";
/// On a loop: the turns that it makes at most.
inline constexpr llvm::StringLiteral mostTurnsAttrName = "nxv.most_turns";

/// Iterations of all loops that a thread goes through in a kernel at most: few
/// milliseconds, and fewer than Mesa's CPU device can count (65,535).
inline constexpr int64_t mostIterations = 60000;

/// The iterations that a thread of `threads` goes through in `op`, the batch
/// divided into `batch` parts; nothing if that is not known.
std::optional<int64_t> countIterations(mlir::Operation *op, int64_t threads,
                                       int64_t batch);

/// The same for one turn of `loop`.
std::optional<int64_t> countTurnIterations(nxv::WhileOp loop, int64_t threads,
                                           int64_t batch);

/// Makes `run`, operations of one block around `loop`, the body of a loop of
/// the host, and lets `loop` make at most `turns` turns in it. Gives the loop
/// of the host.
nxv::WhileOp boundLoop(llvm::ArrayRef<mlir::Operation *> run, nxv::WhileOp loop,
                       int64_t turns);

} // namespace nxv

#endif // NXV_LIB_KERNEL_BOUNDLOOPS_H
