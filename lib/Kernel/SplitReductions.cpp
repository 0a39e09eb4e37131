//===- SplitReductions.cpp - spread long reductions -------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "nxv/Kernel/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

namespace nxv {
#define GEN_PASS_DEF_SPLITREDUCTIONS
#include "nxv/Kernel/Passes.h.inc"
} // namespace nxv

using namespace mlir;
using namespace nxv;

namespace {
/// Loop `loop` is cut into `parts` chunks of `chunk` elements.
struct Split {
  unsigned loop;
  int64_t parts;
  int64_t chunk;
};
} // namespace

/// The operation that combines an element with the accumulator, if the payload
/// ends in one and uses the accumulator nowhere else.
static Operation *combiner(linalg::GenericOp op) {
  if (op.getNumDpsInits() != 1 || op->hasAttr("nxv.ordered"))
    return nullptr;
  Block *body = op.getBody();
  BlockArgument accumulator = body->getArguments().back();
  Operation *last = body->getTerminator()->getOperand(0).getDefiningOp();
  if (!last || last->getNumOperands() != 2 || !accumulator.hasOneUse() ||
      *accumulator.user_begin() != last)
    return nullptr;
  bool positions = false;
  body->walk([&](linalg::IndexOp) { positions = true; });
  return positions ? nullptr : last;
}

/// The divisor of `extent` closest to `target` from below, at least a quarter.
static int64_t partsOf(int64_t extent, int64_t target) {
  for (int64_t parts = std::min(extent, target);
       parts * 4 >= target && parts > 1; --parts)
    if (extent % parts == 0)
      return parts;
  return 1;
}

static std::optional<Split> chooseSplit(linalg::GenericOp op) {
  constexpr int64_t enoughWork = 1 << 18, wantedGroups = 1024, fewGroups = 264,
                    smallestChunk = 65;
  if (op.getNumReductionLoops() == 0 || !combiner(op))
    return std::nullopt;
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  SmallVector<unsigned> reduced;
  op.getReductionDims(reduced);
  int64_t points = 1, elements = 1, inputs = 0;
  unsigned longest = reduced.front();
  for (unsigned loop = 0; loop < sizes.size(); ++loop)
    (llvm::is_contained(reduced, loop) ? elements : points) *= sizes[loop];
  for (unsigned loop : reduced)
    if (sizes[loop] > sizes[longest])
      longest = loop;
  // Contractions have kernels of their own.
  bool alongRows = false;
  for (OpOperand *input : op.getDpsInputOperands()) {
    if (op.getMatchingBlockArgument(input).use_empty())
      return std::nullopt;
    ++inputs;
    AffineMap map = op.getMatchingIndexingMap(input);
    if (!map.isProjectedPermutation())
      return std::nullopt;
    if (map.getNumResults())
      alongRows |= llvm::is_contained(
          reduced, cast<AffineDimExpr>(map.getResults().back()).getPosition());
  }
  if (inputs != 1 || points * elements < enoughWork)
    return std::nullopt;
  // A workgroup owns one row, or a stripe of columns.
  int64_t groups = alongRows ? points : std::max<int64_t>(1, points / 128);
  if (groups >= fewGroups)
    return std::nullopt;
  int64_t target =
      std::min(wantedGroups / groups, sizes[longest] / smallestChunk);
  int64_t parts = partsOf(sizes[longest], target);
  if (parts < 2)
    return std::nullopt;
  return Split{longest, parts, sizes[longest] / parts};
}

/// The reduction of each chunk: loops are the chunk's number, then the old
/// ones.
static linalg::GenericOp createPartial(OpBuilder &builder, linalg::GenericOp op,
                                       Split split) {
  MLIRContext *context = op.getContext();
  Location loc = op.getLoc();
  unsigned loops = op.getNumLoops();
  AffineExpr part = builder.getAffineDimExpr(0);
  SmallVector<AffineExpr> moved;
  for (unsigned loop = 0; loop < loops; ++loop)
    moved.push_back(builder.getAffineDimExpr(loop + 1));
  AffineExpr inChunk = moved[split.loop];
  moved[split.loop] = part * split.chunk + inChunk;
  auto move = [&](AffineMap map) {
    SmallVector<AffineExpr> results;
    for (AffineExpr expr : map.getResults())
      results.push_back(expr.replaceDims(moved));
    return results;
  };
  OpOperand *init = op.getDpsInitOperand(0);
  SmallVector<AffineMap> maps;
  SmallVector<Value> inputs;
  for (OpOperand *input : op.getDpsInputOperands()) {
    inputs.push_back(input->get());
    maps.push_back(AffineMap::get(
        loops + 1, 0, move(op.getMatchingIndexingMap(input)), context));
  }
  // An operand that nothing reads gives the two halves of the loop their sizes.
  auto type = cast<RankedTensorType>(init->get().getType());
  inputs.push_back(tensor::EmptyOp::create(
      builder, loc, ArrayRef<int64_t>{split.parts, split.chunk},
      type.getElementType()));
  maps.push_back(AffineMap::get(loops + 1, 0, {part, inChunk}, context));
  SmallVector<AffineExpr> results = move(op.getMatchingIndexingMap(init));
  results.insert(results.begin(), part);
  maps.push_back(AffineMap::get(loops + 1, 0, results, context));
  SmallVector<int64_t> shape{split.parts};
  llvm::append_range(shape, type.getShape());
  auto partialType = RankedTensorType::get(shape, type.getElementType());
  auto neutral = init->get().getDefiningOp<arith::ConstantOp>();
  Value start = arith::ConstantOp::create(
      builder, loc,
      DenseElementsAttr::get(partialType,
                             cast<DenseElementsAttr>(neutral.getValue())
                                 .getSplatValue<Attribute>()));
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  iterators.insert(iterators.begin(), utils::IteratorType::parallel);
  auto partial =
      linalg::GenericOp::create(builder, loc, TypeRange{partialType}, inputs,
                                ValueRange{start}, maps, iterators);
  IRMapping mapping;
  op.getRegion().cloneInto(&partial.getRegion(), mapping);
  // The new operand comes before the accumulator.
  partial.getBody()->insertArgument(inputs.size() - 1, type.getElementType(),
                                    loc);
  return partial;
}

static linalg::GenericOp createFinal(OpBuilder &builder, linalg::GenericOp op,
                                     linalg::GenericOp partial) {
  Location loc = op.getLoc();
  Value init = op.getDpsInitOperand(0)->get();
  auto type = cast<RankedTensorType>(init.getType());
  unsigned rank = type.getRank();
  AffineMap input = builder.getMultiDimIdentityMap(rank + 1);
  SmallVector<AffineExpr> results;
  for (unsigned i = 0; i < rank; ++i)
    results.push_back(builder.getAffineDimExpr(i + 1));
  AffineMap output = AffineMap::get(rank + 1, 0, results, builder.getContext());
  SmallVector<utils::IteratorType> iterators(rank + 1,
                                             utils::IteratorType::parallel);
  iterators[0] = utils::IteratorType::reduction;
  Operation *last = combiner(op);
  Value accumulator = op.getBody()->getArguments().back();
  return linalg::GenericOp::create(
      builder, loc, TypeRange{type}, partial->getResults(), ValueRange{init},
      {input, output}, iterators,
      [&](OpBuilder &b, Location at, ValueRange arguments) {
        IRMapping mapping;
        for (Value operand : last->getOperands())
          mapping.map(operand,
                      operand == accumulator ? arguments[1] : arguments[0]);
        linalg::YieldOp::create(b, at, b.clone(*last, mapping)->getResults());
      });
}

namespace {
struct SplitReductions : nxv::impl::SplitReductionsBase<SplitReductions> {
  void runOnOperation() override {
    SmallVector<std::pair<linalg::GenericOp, Split>> work;
    getOperation().walk([&](linalg::GenericOp op) {
      auto init = op.getNumDpsInits() == 1
                      ? op.getDpsInitOperand(0)
                            ->get()
                            .getDefiningOp<arith::ConstantOp>()
                      : arith::ConstantOp();
      if (!init || !isa<SplatElementsAttr>(init.getValue()))
        return;
      if (std::optional<Split> split = chooseSplit(op))
        work.push_back({op, *split});
    });
    for (auto &[op, split] : work) {
      OpBuilder builder(op);
      linalg::GenericOp partial = createPartial(builder, op, split);
      linalg::GenericOp whole = createFinal(builder, op, partial);
      op.replaceAllUsesWith(whole->getResults());
      op.erase();
    }
  }
};
} // namespace
