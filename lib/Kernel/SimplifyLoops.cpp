//===- SimplifyLoops.cpp - loops of one turn or none ----------------------===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
// A loop over the elements of a vectorised axis of size one, as a traced graph
// has it, hides from everything after it that its body runs once.
//===----------------------------------------------------------------------===//

#include "nxv/Dialect/Nxv/IR/Nxv.h"
#include "nxv/Kernel/Passes.h"
#include "nxv/Kernel/TripCount.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"

namespace nxv {
#define GEN_PASS_DEF_SIMPLIFYLOOPS
#include "nxv/Kernel/Passes.h.inc"
} // namespace nxv

using namespace mlir;
using namespace nxv;

/// What a tap in a condition shows to the host, it shows once more than there
/// are turns.
static bool hasTap(Region &region) {
  return region.walk([](nxv::TapOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

static void simplify(nxv::WhileOp loop, IRRewriter &rewriter) {
  std::optional<uint64_t> turns = getTripCount(loop);
  if (!turns || *turns > 1 || hasTap(loop.getCondition()))
    return;
  if (*turns == 0)
    return rewriter.replaceOp(loop, loop.getOperands());
  Block &body = loop.getBody().front();
  Operation *end = body.getTerminator();
  rewriter.inlineBlockBefore(&body, loop, loop.getOperands());
  SmallVector<Value> results(end->getOperands());
  rewriter.eraseOp(end);
  rewriter.replaceOp(loop, results);
}

namespace {
struct SimplifyLoops : nxv::impl::SimplifyLoopsBase<SimplifyLoops> {
  void runOnOperation() override {
    // Outer loops first: what an inner one starts from may be a constant then.
    SmallVector<nxv::WhileOp> loops;
    getOperation()->walk<WalkOrder::PreOrder>(
        [&](nxv::WhileOp loop) { loops.push_back(loop); });
    IRRewriter rewriter(&getContext());
    for (nxv::WhileOp loop : loops)
      simplify(loop, rewriter);
  }
};
} // namespace
