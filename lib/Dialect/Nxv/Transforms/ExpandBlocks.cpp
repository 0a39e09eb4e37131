//===- ExpandBlocks.cpp - inlines the definitions of blocks -----*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "nxv/Dialect/Nxv/IR/Nxv.h"
#include "nxv/Dialect/Nxv/Transforms/Passes.h"

#include "mlir/IR/PatternMatch.h"

namespace nxv {
#define GEN_PASS_DEF_EXPANDBLOCKS
#include "nxv/Dialect/Nxv/Transforms/Passes.h.inc"
} // namespace nxv

using namespace mlir;
using namespace nxv;

static void expand(BlockOp op, IRRewriter &rewriter) {
  Block &body = op.getBody().front();
  Operation *yield = body.getTerminator();
  rewriter.inlineBlockBefore(&body, op, op.getOperands());
  rewriter.replaceOp(op, yield->getOperands());
  rewriter.eraseOp(yield);
}

namespace {
struct ExpandBlocks : nxv::impl::ExpandBlocksBase<ExpandBlocks> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    // Post-order: a block's inner ones are gone when it is inlined.
    llvm::SmallVector<BlockOp> blocks;
    getOperation()->walk([&](BlockOp op) { blocks.push_back(op); });
    for (BlockOp op : blocks)
      expand(op, rewriter);
  }
};
} // namespace
