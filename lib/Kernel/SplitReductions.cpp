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
/// Loop `loop` is cut into `parts` chunks of `chunk` elements; the `rest` at
/// its end is a chunk of its own.
struct Split {
  unsigned loop;
  int64_t parts;
  int64_t chunk;
  int64_t rest;
};
} // namespace

/// A reduction to a value and its index.
static bool isArgReduction(linalg::GenericOp op) {
  return op->hasAttr("nxv.arg_reduce");
}

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

/// Can results of chunks be combined by the payload, or by its last operation?
static bool isSplittable(linalg::GenericOp op) {
  for (Value init : op.getDpsInits()) {
    auto constant = init.getDefiningOp<arith::ConstantOp>();
    if (!constant || !isa<SplatElementsAttr>(constant.getValue()))
      return false;
  }
  if (!isArgReduction(op))
    return combiner(op);
  Block *body = op.getBody();
  return op.getNumDpsInputs() == 1 && op.getNumReductionLoops() == 1 &&
         body->getArgument(0).getType() == body->getArgument(1).getType();
}

/// The divisor of `extent` closest to `target` from below, at least a quarter;
/// `target` itself if there is none.
static int64_t partsOf(int64_t extent, int64_t target) {
  for (int64_t parts = std::min(extent, target);
       parts * 4 >= target && parts > 1; --parts)
    if (extent % parts == 0)
      return parts;
  return target;
}

static std::optional<Split> chooseSplit(linalg::GenericOp op) {
  constexpr int64_t enoughWork = 1 << 18, wantedGroups = 1024, fewGroups = 264,
                    smallestChunk = 65;
  if (op.getNumReductionLoops() == 0 || !isSplittable(op))
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
  // Chunks that start where wide accesses do.
  int64_t chunk = sizes[longest] / parts;
  if (sizes[longest] % parts != 0)
    chunk -= chunk % 16;
  return Split{longest, parts, chunk, sizes[longest] - parts * chunk};
}

/// The reductions of `parts` chunks of `chunk` elements, the first of which
/// starts at `offset`: loops are the chunk's number, then the old ones. Indices
/// count from the chunk's start.
static linalg::GenericOp createPartial(OpBuilder &builder, linalg::GenericOp op,
                                       unsigned loop, int64_t parts,
                                       int64_t chunk, int64_t offset) {
  MLIRContext *context = op.getContext();
  Location loc = op.getLoc();
  unsigned loops = op.getNumLoops();
  AffineExpr part = builder.getAffineDimExpr(0);
  SmallVector<AffineExpr> moved;
  for (unsigned i = 0; i < loops; ++i)
    moved.push_back(builder.getAffineDimExpr(i + 1));
  AffineExpr inChunk = moved[loop];
  moved[loop] = part * chunk + inChunk + offset;
  auto move = [&](AffineMap map) {
    SmallVector<AffineExpr> results;
    for (AffineExpr expr : map.getResults())
      results.push_back(expr.replaceDims(moved));
    return results;
  };
  SmallVector<AffineMap> maps;
  SmallVector<Value> inputs;
  for (OpOperand *input : op.getDpsInputOperands()) {
    inputs.push_back(input->get());
    maps.push_back(AffineMap::get(
        loops + 1, 0, move(op.getMatchingIndexingMap(input)), context));
  }
  // An operand that nothing reads gives the two halves of the loop their sizes.
  Type first = getElementTypeOrSelf(op.getResult(0).getType());
  inputs.push_back(tensor::EmptyOp::create(
      builder, loc, ArrayRef<int64_t>{parts, chunk}, first));
  maps.push_back(AffineMap::get(loops + 1, 0, {part, inChunk}, context));
  SmallVector<Value> starts;
  for (OpOperand &init : op.getDpsInitsMutable()) {
    SmallVector<AffineExpr> results = move(op.getMatchingIndexingMap(&init));
    results.insert(results.begin(), part);
    maps.push_back(AffineMap::get(loops + 1, 0, results, context));
    auto type = cast<RankedTensorType>(init.get().getType());
    SmallVector<int64_t> shape{parts};
    llvm::append_range(shape, type.getShape());
    auto neutral = init.get().getDefiningOp<arith::ConstantOp>();
    starts.push_back(arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(
            RankedTensorType::get(shape, type.getElementType()),
            cast<DenseElementsAttr>(neutral.getValue())
                .getSplatValue<Attribute>())));
  }
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  iterators.insert(iterators.begin(), utils::IteratorType::parallel);
  auto partial =
      linalg::GenericOp::create(builder, loc, TypeRange(ValueRange(starts)),
                                inputs, starts, maps, iterators);
  partial->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  IRMapping mapping;
  op.getRegion().cloneInto(&partial.getRegion(), mapping);
  // The new operand comes before the accumulators.
  partial.getBody()->insertArgument(inputs.size() - 1, first, loc);
  partial.getBody()->walk(
      [](linalg::IndexOp index) { index.setDim(index.getDim() + 1); });
  return partial;
}

/// Combines an element, one value or a value and its index, with the
/// accumulators as the payload of `op` does.
static SmallVector<Value> combine(OpBuilder &b, linalg::GenericOp op,
                                  ValueRange element, ValueRange accumulators) {
  IRMapping mapping;
  Block *body = op.getBody();
  if (Operation *last = combiner(op)) {
    Value accumulator = body->getArguments().back();
    for (Value operand : last->getOperands())
      mapping.map(operand, operand == accumulator ? accumulators.front()
                                                  : element.front());
    return {b.clone(*last, mapping)->getResult(0)};
  }
  mapping.map(body->getArgument(0), element[0]);
  mapping.map(body->getArgument(1), accumulators[0]);
  mapping.map(body->getArgument(2), accumulators[1]);
  for (Operation &inner : body->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(inner))
      mapping.map(index.getResult(),
                  arith::IndexCastOp::create(b, op.getLoc(), b.getIndexType(),
                                             element[1]));
    else
      b.clone(inner, mapping);
  }
  SmallVector<Value> results;
  for (Value operand : body->getTerminator()->getOperands())
    results.push_back(mapping.lookup(operand));
  return results;
}

/// `element` with its index, if there is one, moved by `distance`.
static SmallVector<Value> moveIndex(OpBuilder &b, Location loc,
                                    ValueRange element, Value distance) {
  SmallVector<Value> moved(element);
  if (moved.size() == 2) {
    Value by = arith::IndexCastOp::create(b, loc, moved[1].getType(), distance);
    moved[1] = arith::AddIOp::create(b, loc, moved[1], by);
  }
  return moved;
}

/// The reduction of the chunks' results.
static linalg::GenericOp createFinal(OpBuilder &builder, linalg::GenericOp op,
                                     linalg::GenericOp partial, int64_t chunk) {
  Location loc = op.getLoc();
  unsigned rank = cast<RankedTensorType>(op.getResult(0).getType()).getRank();
  SmallVector<AffineExpr> results;
  for (unsigned i = 0; i < rank; ++i)
    results.push_back(builder.getAffineDimExpr(i + 1));
  unsigned count = op.getNumDpsInits();
  SmallVector<AffineMap> maps(count, builder.getMultiDimIdentityMap(rank + 1));
  maps.append(count,
              AffineMap::get(rank + 1, 0, results, builder.getContext()));
  SmallVector<utils::IteratorType> iterators(rank + 1,
                                             utils::IteratorType::parallel);
  iterators[0] = utils::IteratorType::reduction;
  return linalg::GenericOp::create(
      builder, loc, op.getResultTypes(), partial->getResults(),
      op.getDpsInits(), maps, iterators,
      [&](OpBuilder &b, Location at, ValueRange arguments) {
        SmallVector<Value> element(arguments.take_front(count));
        if (count == 2) {
          Value part = linalg::IndexOp::create(b, at, 0);
          Value size = arith::ConstantIndexOp::create(b, at, chunk);
          element = moveIndex(b, at, element,
                              arith::MulIOp::create(b, at, part, size));
        }
        linalg::YieldOp::create(
            b, at, combine(b, op, element, arguments.drop_front(count)));
      });
}

/// The chunks' result with that of the rest, which starts at `offset`.
static linalg::GenericOp addRest(OpBuilder &builder, linalg::GenericOp op,
                                 linalg::GenericOp whole,
                                 linalg::GenericOp rest, int64_t offset) {
  Location loc = op.getLoc();
  unsigned rank = cast<RankedTensorType>(op.getResult(0).getType()).getRank();
  unsigned count = op.getNumDpsInits();
  SmallVector<AffineExpr> first{builder.getAffineConstantExpr(0)};
  for (unsigned i = 0; i < rank; ++i)
    first.push_back(builder.getAffineDimExpr(i));
  AffineMap identity = builder.getMultiDimIdentityMap(rank);
  SmallVector<AffineMap> maps(count, identity);
  maps.append(count, AffineMap::get(rank, 0, first, builder.getContext()));
  maps.append(count, identity);
  SmallVector<Value> inputs(whole.getResults()), outputs;
  llvm::append_range(inputs, rest.getResults());
  for (Type type : op.getResultTypes()) {
    auto tensor = cast<RankedTensorType>(type);
    outputs.push_back(tensor::EmptyOp::create(builder, loc, tensor.getShape(),
                                              tensor.getElementType()));
  }
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  return linalg::GenericOp::create(
      builder, loc, op.getResultTypes(), inputs, outputs, maps, iterators,
      [&](OpBuilder &b, Location at, ValueRange arguments) {
        SmallVector<Value> element(arguments.slice(count, count));
        if (count == 2)
          element = moveIndex(b, at, element,
                              arith::ConstantIndexOp::create(b, at, offset));
        linalg::YieldOp::create(
            b, at, combine(b, op, element, arguments.take_front(count)));
      });
}

static void apply(linalg::GenericOp op, Split split) {
  OpBuilder builder(op);
  linalg::GenericOp partial =
      createPartial(builder, op, split.loop, split.parts, split.chunk, 0);
  linalg::GenericOp whole = createFinal(builder, op, partial, split.chunk);
  if (split.rest) {
    int64_t offset = split.parts * split.chunk;
    linalg::GenericOp rest =
        createPartial(builder, op, split.loop, 1, split.rest, offset);
    whole = addRest(builder, op, whole, rest, offset);
  }
  op.replaceAllUsesWith(whole->getResults());
  op.erase();
}

namespace {
struct SplitReductions : nxv::impl::SplitReductionsBase<SplitReductions> {
  void runOnOperation() override {
    SmallVector<std::pair<linalg::GenericOp, Split>> work;
    getOperation().walk([&](linalg::GenericOp op) {
      if (std::optional<Split> split = chooseSplit(op))
        work.push_back({op, *split});
    });
    for (auto &[op, split] : work)
      apply(op, split);
  }
};
} // namespace
