//===- ContractPlan.cpp - how a contraction is laid out ---------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "ContractPlan.h"

#include "nxv/Kernel/AccessWalker.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace mlir;
using namespace nxv;
using namespace nxv::contract;

static ArrayRef<int64_t> shapeOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getShape();
}

namespace {
class Planner {
public:
  explicit Planner(program::GroupOp group)
      : group(group), space(group.getContext()) {}
  std::optional<Plan> run();

private:
  LogicalResult matchPayload();
  bool matchProduct();
  LogicalResult matchFactor(Value value, Factor &factor);
  LogicalResult describeOutputs();
  void classifyLoops();
  void orderLoops();
  void orderDepth();
  int64_t outputStride(unsigned loop);
  int64_t inputStride(const Factor &factor, AffineExpr position, unsigned loop);
  AffineExpr positionOf(const Factor &factor);
  void finish(LoopSet &set);
  void chooseOrder(Factor &factor, AffineExpr position);
  void chooseTile();
  double estimate(const Tile &tile);
  InFlightDiagnostic error() { return group.emitOpError("contraction: "); }

  program::GroupOp group;
  IndexSpace space;
  Plan plan;
  SmallVector<int64_t> sizes;
  SmallVector<AffineExpr> loops;
};

/// The stride of an index that does not move linearly.
constexpr int64_t unknownStride = std::numeric_limits<int64_t>::max();
} // namespace

//===----------------------------------------------------------------------===//
// The payload
//===----------------------------------------------------------------------===//

/// Looks through casts from `value` to an input of the payload.
LogicalResult Planner::matchFactor(Value value, Factor &factor) {
  factor = {};
  factor.element = value.getType();
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<CastOpInterface>(op) || op->getNumOperands() != 1)
      return failure();
    factor.casts.insert(factor.casts.begin(), op);
    value = op->getOperand(0);
  }
  auto argument = cast<BlockArgument>(value);
  unsigned number = argument.getArgNumber();
  if (argument.getOwner() != plan.root.getBody() ||
      number >= plan.root.getNumDpsInputs())
    return failure();
  factor.operand = plan.root.getDpsInputOperand(number);
  return success();
}

/// Matches accumulator + cast(a) * cast(b).
bool Planner::matchProduct() {
  Block *body = plan.root.getBody();
  Value accumulator = body->getArguments().back();
  Operation *sum = body->getTerminator()->getOperand(0).getDefiningOp();
  if (!isa_and_nonnull<arith::AddFOp, arith::AddIOp>(sum))
    return false;
  bool first = sum->getOperand(0) == accumulator;
  if (!first && sum->getOperand(1) != accumulator)
    return false;
  Operation *product = sum->getOperand(first ? 1 : 0).getDefiningOp();
  return isa_and_nonnull<arith::MulFOp, arith::MulIOp>(product) &&
         succeeded(matchFactor(product->getOperand(0), plan.lhs)) &&
         succeeded(matchFactor(product->getOperand(1), plan.rhs)) &&
         plan.lhs.operand != plan.rhs.operand;
}

LogicalResult Planner::matchPayload() {
  linalg::GenericOp root = plan.root;
  if (root.getNumDpsInits() != 1)
    return error() << "expected one result, found " << root.getNumDpsInits();
  plan.accumulator = root.getBody()->getArguments().back().getType();
  plan.product = matchProduct();
  if (plan.product)
    return success();
  SmallVector<OpOperand *> used;
  for (OpOperand *input : root.getDpsInputOperands())
    if (!root.getMatchingBlockArgument(input).use_empty())
      used.push_back(input);
  if (used.size() != 2)
    return error() << "expected a payload of two elements, found "
                   << used.size();
  for (Operation &op : root.getBody()->without_terminator())
    if (isa<linalg::IndexOp, tensor::ExtractOp>(op))
      return error() << "the payload depends on more than its elements";
  for (auto [factor, input] :
       llvm::zip(SmallVector<Factor *>{&plan.lhs, &plan.rhs}, used)) {
    *factor = {};
    factor->operand = input;
    factor->element = root.getMatchingBlockArgument(input).getType();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Loops and outputs
//===----------------------------------------------------------------------===//

/// Inverts the access that each yield makes to the root's result.
LogicalResult Planner::describeOutputs() {
  Value result = plan.root.getResult(0);
  ArrayRef<int64_t> rootShape = shapeOf(result);
  for (Value yield : getYields(group)) {
    IndexSpace symbols(group.getContext());
    SmallVector<AffineExpr> targets, dims;
    for (int64_t size : rootShape)
      targets.push_back(symbols.addDim(size));
    ArrayRef<int64_t> shape = shapeOf(yield);
    for (int64_t size : shape)
      dims.push_back(symbols.addDim(size));
    SmallVector<AffineExpr> access;
    unsigned accesses = 0;
    auto isLeaf = [&](Value v) { return v == result || isa<BlockArgument>(v); };
    auto onLeaf = [&](Value v, ArrayRef<AffineExpr> at) {
      if (v != result)
        return;
      ++accesses;
      access.assign(at.begin(), at.end());
    };
    AccessWalker(symbols, isLeaf, onLeaf).walk(yield, dims);
    if (accesses != 1)
      return error() << "a result reads the root at " << accesses
                     << " places, expected one";
    auto inverse =
        invertAccess(symbols, access, rootShape, dims, shape, targets);
    if (!inverse)
      return error() << "a result of shape [" << shape
                     << "] is not a rearrangement of the root's elements";
    plan.outputs.push_back({yield, *inverse});
  }
  return success();
}

void Planner::classifyLoops() {
  AffineMap lhs = plan.root.getMatchingIndexingMap(plan.lhs.operand);
  AffineMap rhs = plan.root.getMatchingIndexingMap(plan.rhs.operand);
  auto iterators = plan.root.getIteratorTypesArray();
  for (unsigned loop = 0; loop < sizes.size(); ++loop) {
    bool left = lhs.isFunctionOfDim(loop), right = rhs.isFunctionOfDim(loop);
    LoopSet &set = iterators[loop] == utils::IteratorType::reduction
                       ? plan.depth
                   : left && right ? plan.batch
                   : right         ? plan.rhs.free
                                   : plan.lhs.free;
    set.loops.push_back(loop);
  }
}

/// The distance in the first output between neighbours along a loop.
int64_t Planner::outputStride(unsigned loop) {
  AffineMap map =
      plan.root.getMatchingIndexingMap(plan.root.getDpsInitOperand(0));
  Output &output = plan.outputs.front();
  AffineExpr position = space.constant(0);
  for (auto [index, size] : llvm::zip(output.indices, shapeOf(output.value)))
    position = position * size + index;
  auto at = [&](int64_t value) {
    SmallVector<AffineExpr> values;
    for (AffineExpr expr : map.getResults())
      values.push_back(space.constant(
          cast<AffineDimExpr>(expr).getPosition() == loop ? value : 0));
    AffineExpr result = space.simplify(position.replaceDims(values));
    return cast<AffineConstantExpr>(result).getValue();
  };
  return at(1) - at(0);
}

/// The position in the largest tensor that a factor reads.
AffineExpr Planner::positionOf(const Factor &factor) {
  AffineExpr position;
  int64_t largest = -1;
  auto onLeaf = [&](Value v, ArrayRef<AffineExpr> at) {
    int64_t count = cast<ShapedType>(v.getType()).getNumElements();
    if (count <= largest)
      return;
    largest = count;
    position = space.flatten(at, shapeOf(v));
  };
  SmallVector<AffineExpr> at;
  for (AffineExpr expr :
       plan.root.getMatchingIndexingMap(factor.operand).getResults())
    at.push_back(expr.replaceDims(loops));
  AccessWalker(
      space, [](Value v) { return isa<BlockArgument>(v); }, onLeaf)
      .walk(factor.operand->get(), at);
  return position;
}

/// The distance in memory between neighbours along a loop.
int64_t Planner::inputStride(const Factor &factor, AffineExpr position,
                             unsigned loop) {
  if (!position || sizes[loop] < 2)
    return unknownStride;
  AffineExpr first = space.substitute(position, loops[loop], space.constant(0));
  AffineExpr next = space.substitute(position, loops[loop], space.constant(1));
  auto stride = dyn_cast<AffineConstantExpr>(space.simplify(next - first));
  // What does not move here moves in a way that is not understood.
  return stride && stride.getValue() > 0 ? stride.getValue() : unknownStride;
}

void Planner::finish(LoopSet &set) {
  for (unsigned loop : set.loops) {
    set.sizes.push_back(sizes[loop]);
    set.count *= sizes[loop];
  }
}

/// Orders the parallel loops as the output has them in memory, and makes the
/// factor with the fastest one the right one: vectors run along the columns.
void Planner::orderLoops() {
  SmallVector<int64_t> strides(sizes.size(), unknownStride);
  for (LoopSet *set : {&plan.batch, &plan.lhs.free, &plan.rhs.free}) {
    for (unsigned loop : set->loops)
      if (sizes[loop] > 1)
        strides[loop] = outputStride(loop);
    llvm::stable_sort(set->loops, [&](unsigned a, unsigned b) {
      return strides[a] > strides[b];
    });
  }
  auto fastest = [&](const LoopSet &set) {
    return set.loops.empty() ? unknownStride : strides[set.loops.back()];
  };
  if (fastest(plan.lhs.free) < fastest(plan.rhs.free))
    std::swap(plan.lhs, plan.rhs);
}

/// Orders the loops of the depth as one of the factors has them in memory.
void Planner::orderDepth() {
  for (Factor *factor : {&plan.rhs, &plan.lhs}) {
    AffineExpr position = positionOf(*factor);
    SmallVector<int64_t> strides(sizes.size(), unknownStride);
    bool known = true;
    for (unsigned loop : plan.depth.loops) {
      strides[loop] = inputStride(*factor, position, loop);
      known &= strides[loop] != unknownStride || sizes[loop] < 2;
    }
    if (!known)
      continue;
    llvm::stable_sort(plan.depth.loops, [&](unsigned a, unsigned b) {
      return strides[a] > strides[b];
    });
    return;
  }
}

void Planner::chooseOrder(Factor &factor, AffineExpr position) {
  auto fastest = [&](const LoopSet &set) {
    for (unsigned loop : llvm::reverse(set.loops))
      if (sizes[loop] > 1)
        return inputStride(factor, position, loop);
    return unknownStride;
  };
  factor.depthFast = fastest(plan.depth) < fastest(factor.free);
}

//===----------------------------------------------------------------------===//
// The tile
//===----------------------------------------------------------------------===//

/// rows, columns, threads along the columns, threads along the rows. Each
/// thread has whole vectors of four in both directions.
static constexpr Tile candidates[] = {
    {128, 128, 16, 16}, {128, 64, 16, 16}, {64, 128, 16, 16}, {64, 64, 16, 16},
    {128, 32, 8, 16},   {32, 128, 16, 8},  {32, 64, 16, 8},   {64, 32, 8, 16},
    {32, 32, 8, 8},     {128, 16, 4, 16},  {16, 128, 16, 4},  {16, 64, 16, 4},
    {64, 16, 4, 16},    {16, 32, 8, 4},    {128, 4, 1, 32},   {4, 128, 32, 1}};

static int64_t bytesOf(Type type) {
  return std::max<int64_t>(1, type.getIntOrFloatBitWidth() / 8);
}

/// A time, in units of one multiply-add of every lane of a processor. Wide
/// tiles use each element they read more often; many threads hide what they
/// wait for.
double Planner::estimate(const Tile &tile) {
  constexpr double processors = 132;
  auto real = [](int64_t value) { return static_cast<double>(value); };
  int64_t rows = plan.lhs.free.count, columns = plan.rhs.free.count;
  double workgroups = real(plan.batch.count) *
                      real(Plan::ceilDiv(rows, tile.rows)) *
                      real(Plan::ceilDiv(columns, tile.columns));
  double resident = std::ceil(workgroups / processors);
  double points = real(tile.rows * tile.columns);
  // Elements that the threads read from workgroup memory, and the workgroup
  // from global memory.
  double local = real(tile.rows * tile.threadsX + tile.columns * tile.threadsY);
  double global =
      real(std::min(rows, tile.rows) + std::min(columns, tile.columns));
  double work = 0.75 * points + local + 16 * global;
  double busy = std::min(1.0, resident * real(tile.threads()) / 512);
  return resident * work / (0.4 + 0.6 * busy);
}

void Planner::chooseTile() {
  int64_t bytes =
      std::max({bytesOf(plan.accumulator), bytesOf(plan.lhs.element),
                bytesOf(plan.rhs.element)});
  int64_t most = bytes > 4 ? 32 : 64; // accumulators a thread
  const Tile *best = nullptr;
  double least = 0;
  for (const Tile &tile : candidates) {
    if (tile.rows * tile.columns > most * tile.threads())
      continue;
    double time = estimate(tile);
    if (best && time >= least)
      continue;
    best = &tile;
    least = time;
  }
  plan.tile = *best;
  plan.tile.width = bytes > 4 ? 2 : 4;
  // The depth of a tile: a little less where that leaves fewer idle steps.
  int64_t limit = bytes > 4 ? 8 : 16, depth = plan.depth.count;
  plan.tile.depth = std::clamp<int64_t>(depth, 1, limit);
  if (depth > limit && depth < 4 * limit) {
    int64_t even = Plan::ceilDiv(depth, Plan::ceilDiv(depth, limit));
    plan.tile.depth = Plan::ceilDiv(even, 4) * 4;
  }
}

std::optional<Plan> Planner::run() {
  SmallVector<linalg::GenericOp> roots = getRoots(group);
  if (roots.size() != 1) {
    error() << "expected one root, found " << roots.size();
    return std::nullopt;
  }
  plan.root = roots.front();
  sizes = plan.root.getStaticLoopRanges();
  for (int64_t size : sizes)
    loops.push_back(space.addDim(size));
  if (failed(matchPayload()) || failed(describeOutputs()))
    return std::nullopt;
  classifyLoops();
  orderLoops();
  orderDepth();
  chooseOrder(plan.lhs, positionOf(plan.lhs));
  chooseOrder(plan.rhs, positionOf(plan.rhs));
  for (LoopSet *set :
       {&plan.batch, &plan.lhs.free, &plan.rhs.free, &plan.depth})
    finish(*set);
  chooseTile();
  return plan;
}

std::optional<Plan> contract::makePlan(program::GroupOp group) {
  return Planner(group).run();
}
