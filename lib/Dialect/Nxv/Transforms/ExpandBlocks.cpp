//===- ExpandBlocks.cpp - inlines the definitions of blocks -----*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "nxv/Dialect/Nxv/IR/Nxv.h"
#include "nxv/Dialect/Nxv/Transforms/Passes.h"

#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/StringSwitch.h"

namespace nxv {
#define GEN_PASS_DEF_EXPANDBLOCKS
#include "nxv/Dialect/Nxv/Transforms/Passes.h.inc"
} // namespace nxv

using namespace mlir;
using namespace nxv;

/// The combination that a block of this name computes running along an axis.
static std::optional<ReduceKind> cumulativeKind(llvm::StringRef name) {
  return llvm::StringSwitch<std::optional<ReduceKind>>(name)
      .Case("cumulative_sum", ReduceKind::add)
      .Case("cumulative_product", ReduceKind::mul)
      .Case("cumulative_min", ReduceKind::min)
      .Case("cumulative_max", ReduceKind::max)
      .Default(std::nullopt);
}

/// A running combination as one operation; its definition is a tree of slices
/// and concatenations. Complex numbers keep the definition.
static bool replaceCumulative(BlockOp op, IRRewriter &rewriter) {
  std::optional<ReduceKind> kind = cumulativeKind(op.getName());
  DictionaryAttr options = op.getOptions().value_or(DictionaryAttr());
  if (!kind || !options || op->getNumOperands() != 1 ||
      op->getNumResults() != 1 ||
      op->getOperand(0).getType() != op->getResult(0).getType())
    return false;
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  auto axis = options.getAs<IntegerAttr>("axis");
  auto reverse = options.getAs<BoolAttr>("reverse");
  if (isa<ComplexType>(type.getElementType()) || !axis ||
      !axis.getType().isSignlessInteger() || !reverse || axis.getInt() < 0 ||
      axis.getInt() >= type.getRank())
    return false;
  rewriter.setInsertionPoint(op);
  rewriter.replaceOpWithNewOp<CumulativeOp>(op, type, *kind, op->getOperand(0),
                                            axis.getInt(), reverse.getValue());
  return true;
}

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
      if (!replaceCumulative(op, rewriter))
        expand(op, rewriter);
  }
};
} // namespace
