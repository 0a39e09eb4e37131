//===- FormGroups.cpp - divide tensor operations into kernels ---*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
// Operations are visited in order. Contractions, long reductions and
// operations with a family of their own are roots. An element-wise operation
// joins the group of a root it reads if its elements follow the root's points;
// else it floats: it is recomputed in every group that needs it, unless storing
// it moves fewer bytes than recomputing it is worth.
//===----------------------------------------------------------------------===//

#include "nxv/Dialect/Nxv/IR/Nxv.h"
#include "nxv/Dialect/Program/IR/Program.h"
#include "nxv/Kernel/AccessWalker.h"
#include "nxv/Kernel/KernelBuilder.h"
#include "nxv/Kernel/Passes.h"
#include "nxv/Kernel/Transpose.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

namespace nxv {
#define GEN_PASS_DEF_FORMGROUPS
#include "nxv/Kernel/Passes.h.inc"
} // namespace nxv

using namespace mlir;
using namespace nxv;
using program::Family;

//===----------------------------------------------------------------------===//
// Figures of the cost model
//===----------------------------------------------------------------------===//

/// Additions that cost as much time as one byte of memory traffic.
static constexpr int64_t operationsPerByte = 12;
/// What a dispatch costs, as bytes of traffic.
static constexpr int64_t bytesPerDispatch = 64 * 1024;
/// Operations that one element may inline before its operands are stored.
static constexpr int64_t inlineLimit = 600;
/// Inner elements that few workgroups may write without losing time.
static constexpr int64_t smallOutput = 64 * 1024;
/// Reductions up to this length may be inlined as loops.
static constexpr int64_t inlineReduction = 64;
/// Multiplications under which a contraction is cheaper as a plain reduction:
/// any, and one that sums many products.
static constexpr int64_t tinyContraction = 1 << 13;
static constexpr int64_t smallContraction = 1 << 16;
static constexpr int64_t manyProducts = 64;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}
static int64_t bytesOf(Value value) {
  Type element = typeOf(value).getElementType();
  int64_t width = 8;
  if (element.isIntOrFloat())
    width = llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
  return typeOf(value).getNumElements() * width;
}

namespace {
struct Group {
  Family family = Family::map;
  bool own = false;             // one operation that nothing joins
  Operation *control = nullptr; // a loop, a branch or a tap: no kernel
  llvm::SetVector<Operation *> roots;
  int64_t points = 1;
  int64_t reduced = 1; // elements a point of the longest reduction
  llvm::SetVector<Value> outputs;
  llvm::SmallSetVector<int, 8> uses; // groups whose results it reads
};

/// What a value's computation reads, where inlining stops.
struct Frontier {
  llvm::SetVector<Value> leaves;  // from memory: arguments, stored values
  llvm::SetVector<Value> roots;   // results of the group's own roots
  llvm::SetVector<Value> foreign; // values of other groups, not stored
  llvm::SetVector<Operation *> inlined;
};

class GroupFormer {
public:
  explicit GroupFormer(Block &block) : block(block) {}
  LogicalResult run();

private:
  LogicalResult visit(Operation &op);
  void visitPointwise(Operation *op);
  void visitReduction(linalg::GenericOp op);
  void visitContraction(linalg::GenericOp op);
  void visitOpaque(Operation *op);
  void visitControl(Operation *op);
  void storeAll(ValueRange values);
  Value stripReshapes(Value value) const;

  bool isMemory(Value value) const;
  bool isRepeated(Value value, int group) const;
  Frontier frontierOf(ArrayRef<Value> values, int group) const;
  Frontier frontierOf(Operation *op, int group) const;
  bool follows(Operation *op, int group) const;
  bool reductionFollows(linalg::GenericOp op, int group) const;
  bool tryJoin(Operation *op, int group, bool asRoot);
  void makeAvailable(Frontier &frontier, Operation *op, int group);
  void ensureAvailable(Value value);
  void store(Value value);
  int storeFloating(Value value);
  void require(Operation *op, int group);
  bool dependsOn(int group, int other) const;
  llvm::SmallVector<int> candidates(Operation *op) const;
  int64_t costOf(Value value) const;
  void limitInlining(Operation *op);
  int findSibling(linalg::GenericOp op, int64_t points, int64_t reduced);
  void storeShared();
  SmallVector<Value> seedsOf(int group) const;
  void updateUses();
  void shrinkOutputs(int group);
  bool worthRecomputing(ArrayRef<Value> values, int group) const;
  bool isReturned(Value value) const;
  int64_t readsOf(Value value, int group) const;
  SmallVector<int> schedule() const;
  void mergeMaps();
  SmallVector<Operation *> collect(int group,
                                   SmallVectorImpl<Value> &inputs) const;
  void buildGroup(OpBuilder &builder, int group, IRMapping &mapping);
  LogicalResult buildControl(OpBuilder &builder, Operation *op,
                             IRMapping &mapping);
  LogicalResult build();
  static void sinkConstants(Operation *op);

  Block &block;
  DenseMap<Value, int> numbers; // a fixed order of all values
  std::vector<Group> groups;
  DenseMap<Value, int> groupOf;       // values computed in a group
  DenseMap<Value, int> storedBy;      // values written to memory
  llvm::DenseSet<Value> floating;     // of those, once in no group
  llvm::DenseSet<Value> recomputable; // of a group, but cheap to compute again
  llvm::DenseSet<Value> pinned;       // leave the block, or go into a loop
};
} // namespace

//===----------------------------------------------------------------------===//
// Classification
//===----------------------------------------------------------------------===//

static int64_t reductionLength(linalg::GenericOp op) {
  int64_t count = 1;
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  for (auto [size, kind] : llvm::zip(sizes, op.getIteratorTypesArray()))
    if (kind == utils::IteratorType::reduction)
      count *= size;
  return count;
}

/// Reads of windows overlap: they are inlined where they are short.
static bool isWindow(linalg::GenericOp op) {
  bool window = false;
  for (OpOperand *input : op.getDpsInputOperands())
    window |= op.getMatchingBlockArgument(input).use_empty() ||
              !op.getMatchingIndexingMap(input).isProjectedPermutation(true);
  op.getBody()->walk([&](tensor::ExtractOp) { window = true; });
  return window;
}

/// The two operands of a multiply-accumulate payload.
static bool isContraction(linalg::GenericOp op) {
  if (op.getNumReductionLoops() == 0 || op.getNumDpsInits() != 1)
    return false;
  Operation *add = op.getBody()->getTerminator()->getOperand(0).getDefiningOp();
  if (!isa_and_nonnull<arith::AddFOp, arith::AddIOp>(add))
    return false;
  Operation *multiply = nullptr;
  for (Value operand : add->getOperands())
    if (isa_and_nonnull<arith::MulFOp, arith::MulIOp>(operand.getDefiningOp()))
      multiply = operand.getDefiningOp();
  if (!multiply)
    return false;
  unsigned used = 0;
  for (OpOperand *input : op.getDpsInputOperands())
    used += !op.getMatchingBlockArgument(input).use_empty();
  return used == 2;
}

static bool isReshape(Operation *op) {
  return isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op);
}

/// Tensors that `op` reads elements of.
static SmallVector<Value> tensorOperands(Operation *op) {
  llvm::SetVector<Value> values;
  if (auto generic = dyn_cast<linalg::GenericOp>(op)) {
    for (OpOperand *input : generic.getDpsInputOperands())
      if (!generic.getMatchingBlockArgument(input).use_empty())
        values.insert(input->get());
    for (OpOperand &init : generic.getDpsInitsMutable())
      if (!generic.getMatchingBlockArgument(&init).use_empty())
        values.insert(init.get());
    generic.getBody()->walk(
        [&](tensor::ExtractOp extract) { values.insert(extract.getTensor()); });
  } else {
    for (Value operand : op->getOperands())
      if (isa<RankedTensorType>(operand.getType()))
        values.insert(operand);
  }
  return values.takeVector();
}

/// What a loop, a branch or a tap reads from the block around it.
static SmallVector<Value> controlOperands(Operation *op) {
  llvm::SetVector<Value> values(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), values);
  return values.takeVector();
}

/// Values that cost nothing anywhere.
static bool isFree(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto cst = dyn_cast_or_null<arith::ConstantOp>(op)) {
    auto elements = dyn_cast<DenseElementsAttr>(cst.getValue());
    return elements && elements.isSplat();
  }
  return isa_and_nonnull<tensor::EmptyOp>(op);
}

bool GroupFormer::isMemory(Value value) const {
  if (isa<BlockArgument>(value) || storedBy.count(value) ||
      (value.getParentBlock() != &block && !isFree(value)))
    return true;
  return isa<arith::ConstantOp>(value.getDefiningOp()) && !isFree(value);
}

//===----------------------------------------------------------------------===//
// Frontiers
//===----------------------------------------------------------------------===//

Frontier GroupFormer::frontierOf(ArrayRef<Value> values, int group) const {
  Frontier frontier;
  SmallVector<Value> work(values.begin(), values.end());
  llvm::DenseSet<Value> seen;
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (!seen.insert(value).second || isFree(value))
      continue;
    int home = groupOf.lookup_or(value, -1);
    Operation *op = value.getDefiningOp();
    if (group >= 0 && op && groups[group].roots.contains(op)) {
      frontier.roots.insert(value);
    } else if (isRepeated(value, group)) {
      frontier.inlined.insert(op);
      llvm::append_range(work, tensorOperands(op));
    } else if (isMemory(value) &&
               (group < 0 || storedBy.lookup_or(value, -1) != group)) {
      frontier.leaves.insert(value);
    } else if (home >= 0 && home != group && !recomputable.contains(value)) {
      frontier.foreign.insert(value);
    } else {
      frontier.inlined.insert(op);
      llvm::append_range(work, tensorOperands(op));
    }
  }
  return frontier;
}

Frontier GroupFormer::frontierOf(Operation *op, int group) const {
  return frontierOf(tensorOperands(op), group);
}

/// Is a value that another group writes computed again in this one? A group
/// took it in before it was written, and what writes it reads that group.
bool GroupFormer::isRepeated(Value value, int group) const {
  if (group < 0 || !floating.contains(value))
    return false;
  int from = storedBy.lookup_or(value, -1);
  return from >= 0 && from != group && dependsOn(from, group);
}

bool GroupFormer::dependsOn(int group, int other) const {
  SmallVector<int> work{group};
  llvm::SmallDenseSet<int> seen;
  while (!work.empty()) {
    int current = work.pop_back_val();
    if (current == other)
      return true;
    if (seen.insert(current).second)
      work.append(groups[current].uses.begin(), groups[current].uses.end());
  }
  return false;
}

/// Arithmetic of one element, in additions.
int64_t GroupFormer::costOf(Value value) const {
  IndexSpace space(value.getContext());
  SmallVector<AffineExpr> dims;
  for (int64_t size : typeOf(value).getShape())
    dims.push_back(space.addDim(size));
  AccessWalker walker(
      space,
      [&](Value v) {
        return isMemory(v) || isFree(v) ||
               (groupOf.count(v) && !recomputable.contains(v));
      },
      [](Value, ArrayRef<AffineExpr>) {});
  walker.limit = 4 * inlineLimit;
  walker.walk(value, dims);
  return walker.exceededLimit() ? std::numeric_limits<int32_t>::max()
                                : walker.getCost();
}

//===----------------------------------------------------------------------===//
// Storing
//===----------------------------------------------------------------------===//

void GroupFormer::store(Value value) {
  if (isMemory(value))
    return;
  int group = groupOf.lookup_or(value, -1);
  assert(group >= 0 && "floating values are stored by storeFloating");
  storedBy[value] = group;
  groups[group].outputs.insert(value);
}

/// Gives a floating value a kernel of its own.
int GroupFormer::storeFloating(Value value) {
  int group = groups.size();
  groups.emplace_back();
  groups[group].points = typeOf(value).getNumElements();
  Operation *op = value.getDefiningOp();
  Frontier frontier = frontierOf(value, group);
  makeAvailable(frontier, nullptr, group);
  for (Value leaf : frontierOf(value, group).leaves)
    if (int from = storedBy.lookup_or(leaf, -1); from >= 0)
      groups[group].uses.insert(from);
  for (Value result : op->getResults())
    groupOf[result] = group;
  store(value);
  floating.insert(value);
  return group;
}

/// Makes a value of a group readable by others: writes it, or the few values
/// from which it is cheap to compute again.
void GroupFormer::ensureAvailable(Value value) {
  if (isMemory(value) || recomputable.contains(value))
    return;
  int group = groupOf.lookup_or(value, -1);
  if (group < 0)
    return;
  Frontier frontier = frontierOf(value, group);
  int64_t again = 0;
  for (Value root : frontier.roots)
    again += isMemory(root) ? 0 : 2 * bytesOf(root);
  for (Value leaf : frontier.leaves)
    again += bytesOf(leaf);
  bool possible = frontier.foreign.empty() && !frontier.roots.contains(value);
  for (Operation *op : frontier.inlined) {
    int64_t perElement = 0;
    op->walk([&](Operation *inner) { perElement += scalarCost(inner); });
    again += perElement * typeOf(op->getResult(0)).getNumElements() /
             operationsPerByte;
  }
  if (!possible || again >= 2 * bytesOf(value))
    return store(value);
  for (Value root : frontier.roots)
    store(root);
  for (Operation *op : frontier.inlined)
    recomputable.insert(op->result_begin(), op->result_end());
}

void GroupFormer::makeAvailable(Frontier &frontier, Operation *, int) {
  for (Value value : frontier.foreign)
    ensureAvailable(value);
}

/// Records what `op`, now part of `group`, reads.
void GroupFormer::require(Operation *op, int group) {
  Frontier frontier = frontierOf(op, group);
  makeAvailable(frontier, op, group);
  for (Value leaf : frontierOf(op, group).leaves)
    if (int from = storedBy.lookup_or(leaf, -1); from >= 0 && from != group)
      groups[group].uses.insert(from);
}

//===----------------------------------------------------------------------===//
// Joining
//===----------------------------------------------------------------------===//

/// The groups that an operation reads values of, latest first.
SmallVector<int> GroupFormer::candidates(Operation *op) const {
  llvm::SmallSetVector<int, 4> found;
  Frontier frontier = frontierOf(op, -1);
  for (Value value : frontier.foreign)
    found.insert(groupOf.lookup(value));
  for (Value value : frontier.leaves)
    if (int group = storedBy.lookup_or(value, -1); group >= 0)
      found.insert(group);
  SmallVector<int> order = found.takeVector();
  llvm::sort(order, std::greater<>());
  return order;
}

/// Do the elements of an element-wise operation follow the points of `group`?
bool GroupFormer::follows(Operation *op, int number) const {
  const Group &group = groups[number];
  if (group.own || group.roots.empty())
    return false;
  IndexSpace space(op->getContext());
  Value result = op->getResult(0);
  ArrayRef<int64_t> shape = typeOf(result).getShape();
  SmallVector<AffineExpr> dims;
  for (int64_t size : shape)
    dims.push_back(space.addDim(size));
  SmallVector<AffineExpr> access;
  AffineExpr position;
  Value root;
  bool consistent = true;
  auto isLeaf = [&](Value value) {
    if (group.roots.contains(value.getDefiningOp()) || isFree(value))
      return true;
    if (isRepeated(value, number))
      return false;
    int home = groupOf.lookup_or(value, -1);
    return (isMemory(value) && storedBy.lookup_or(value, -1) != number) ||
           (home >= 0 && home != number && !recomputable.contains(value));
  };
  auto onLeaf = [&](Value value, ArrayRef<AffineExpr> at) {
    if (!group.roots.contains(value.getDefiningOp()))
      return;
    AffineExpr flat = space.flatten(at, typeOf(value).getShape());
    consistent &= !position || position == flat;
    position = flat;
    access.assign(at.begin(), at.end());
    root = value;
  };
  AccessWalker walker(space, isLeaf, onLeaf);
  walker.limit = inlineLimit;
  walker.walk(result, dims);
  if (!consistent || !position || walker.exceededLimit())
    return false;
  if (group.family == Family::contract || group.family == Family::conv) {
    SmallVector<AffineExpr> targets;
    for (int64_t size : typeOf(root).getShape())
      targets.push_back(space.addDim(size));
    return invertAccess(space, access, typeOf(root).getShape(), dims, shape,
                        targets)
        .has_value();
  }
  SmallVector<AffineExpr> pointDims;
  SmallVector<int64_t> pointShape;
  int64_t points = 1, inner = 1;
  for (auto [dim, size] : llvm::zip(dims, shape)) {
    if (!IndexSpace::dependsOn(position, dim)) {
      inner *= size;
      continue;
    }
    pointDims.push_back(dim);
    pointShape.push_back(size);
    points *= size;
  }
  // Few workgroups should not write much.
  bool parallel = group.points >= 128 || inner * points <= smallOutput ||
                  inner <= 2 * group.reduced / 128;
  return points == group.points && parallel &&
         space.flatten(pointDims, pointShape) == position;
}

/// Does a reduction read the group's results at its own point only?
bool GroupFormer::reductionFollows(linalg::GenericOp op, int number) const {
  const Group &group = groups[number];
  if (group.family != Family::reduce)
    return false;
  IndexSpace space(op->getContext());
  SmallVector<AffineExpr> loops, own;
  SmallVector<int64_t> sizes = op.getStaticLoopRanges(), shape;
  for (int64_t size : sizes)
    loops.push_back(space.addDim(size));
  for (AffineExpr expr :
       op.getMatchingIndexingMap(op.getDpsInitOperand(0)).getResults()) {
    own.push_back(loops[cast<AffineDimExpr>(expr).getPosition()]);
    shape.push_back(sizes[cast<AffineDimExpr>(expr).getPosition()]);
  }
  AffineExpr position = space.flatten(own, shape);
  int64_t points = 1;
  for (int64_t size : shape)
    points *= size;
  bool consistent = points == group.points;
  auto isLeaf = [&](Value value) {
    if (group.roots.contains(value.getDefiningOp()) || isFree(value))
      return true;
    if (isRepeated(value, number))
      return false;
    int home = groupOf.lookup_or(value, -1);
    return (isMemory(value) && storedBy.lookup_or(value, -1) != number) ||
           (home >= 0 && home != number && !recomputable.contains(value));
  };
  auto onLeaf = [&](Value value, ArrayRef<AffineExpr> at) {
    if (group.roots.contains(value.getDefiningOp()))
      consistent &= space.flatten(at, typeOf(value).getShape()) == position;
  };
  AccessWalker walker(space, isLeaf, onLeaf);
  walker.limit = inlineLimit;
  walker.walkPayload(op, loops);
  return consistent && !walker.exceededLimit();
}

bool GroupFormer::tryJoin(Operation *op, int group, bool asRoot) {
  if (asRoot ? !reductionFollows(cast<linalg::GenericOp>(op), group)
             : !follows(op, group))
    return false;
  // What it reads of other groups must come before this one.
  Frontier frontier = frontierOf(op, group);
  for (Value value : frontier.foreign)
    if (dependsOn(groupOf.lookup(value), group))
      return false;
  for (Value value : frontier.leaves)
    if (int from = storedBy.lookup_or(value, -1);
        from >= 0 && dependsOn(from, group))
      return false;
  if (asRoot)
    groups[group].roots.insert(op);
  for (Value result : op->getResults())
    groupOf[result] = group;
  require(op, group);
  return true;
}

//===----------------------------------------------------------------------===//
// Visiting
//===----------------------------------------------------------------------===//

/// Stores operands of an operation that would inline too much.
void GroupFormer::limitInlining(Operation *op) {
  Value result = op->getResult(0);
  if (costOf(result) < inlineLimit * 8)
    return;
  for (Value operand : tensorOperands(op))
    if (!isMemory(operand) && !isFree(operand) && !groupOf.count(operand) &&
        costOf(operand) > 8)
      storeFloating(operand);
}

void GroupFormer::visitPointwise(Operation *op) {
  for (int group : candidates(op))
    if (tryJoin(op, group, /*asRoot=*/false))
      return;
  Frontier frontier = frontierOf(op, -1);
  makeAvailable(frontier, op, -1);
  limitInlining(op);
}

int GroupFormer::findSibling(linalg::GenericOp op, int64_t points,
                             int64_t reduced) {
  Frontier frontier = frontierOf(op, -1);
  for (int number = groups.size() - 1; number >= 0; --number) {
    Group &group = groups[number];
    if (group.family != Family::reduce || group.points != points ||
        group.reduced != reduced || group.roots.size() >= 24)
      continue;
    bool legal = true;
    for (Value value : frontier.foreign)
      legal &= !dependsOn(groupOf.lookup(value), number);
    for (Value value : frontier.leaves)
      if (int from = storedBy.lookup_or(value, -1); from >= 0)
        legal &= !dependsOn(from, number);
    if (!legal)
      continue;
    bool small = points * reduced <= smallOutput;
    for (Operation *root : group.roots)
      for (Value leaf : frontierOf(root, number).leaves)
        small |= frontier.leaves.contains(leaf) &&
                 bytesOf(leaf) * 2 >= points * reduced;
    if (small)
      return number;
  }
  return -1;
}

void GroupFormer::visitReduction(linalg::GenericOp op) {
  for (int group : candidates(op))
    if (tryJoin(op, group, /*asRoot=*/true))
      return;
  int64_t points = typeOf(op->getResult(0)).getNumElements();
  int64_t reduced = reductionLength(op);
  int number = findSibling(op, points, reduced);
  if (number < 0) {
    number = groups.size();
    groups.emplace_back();
    groups[number].family = Family::reduce;
    groups[number].points = points;
    groups[number].reduced = reduced;
  }
  groups[number].roots.insert(op);
  for (Value result : op->getResults())
    groupOf[result] = number;
  require(op, number);
}

void GroupFormer::visitContraction(linalg::GenericOp op) {
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  int64_t points = 1;
  for (int64_t size : sizes)
    points *= size;
  // Each operand element is read once a tile of the other operand.
  for (OpOperand *input : op.getDpsInputOperands()) {
    Value value = input->get();
    if (op.getMatchingBlockArgument(input).use_empty() || isMemory(value) ||
        isFree(value))
      continue;
    if (groupOf.count(value))
      continue;
    int64_t elements = std::max<int64_t>(1, typeOf(value).getNumElements());
    int64_t reads = std::max<int64_t>(1, points / elements / 64);
    int64_t cost = costOf(value);
    if (cost * reads * elements / operationsPerByte >
        2 * bytesOf(value) + bytesPerDispatch)
      storeFloating(value);
  }
  int number = groups.size();
  groups.emplace_back();
  groups[number].family =
      op->hasAttr("nxv.conv") ? Family::conv : Family::contract;
  groups[number].points = typeOf(op->getResult(0)).getNumElements();
  groups[number].roots.insert(op);
  groupOf[op->getResult(0)] = number;
  require(op, number);
}

void GroupFormer::visitOpaque(Operation *op) {
  for (Value operand : tensorOperands(op)) {
    if (isMemory(operand) || isFree(operand))
      continue;
    if (!groupOf.count(operand) && costOf(operand) > 8)
      storeFloating(operand);
  }
  int number = groups.size();
  groups.emplace_back();
  groups[number].family = *getOwnFamily(op);
  groups[number].own = true;
  groups[number].roots.insert(op);
  for (Value result : op->getResults())
    groupOf[result] = number;
  require(op, number);
  for (Value result : op->getResults())
    store(result);
}

/// The value that a reshape of it shares memory with.
Value GroupFormer::stripReshapes(Value value) const {
  while (isReshape(value.getDefiningOp()) && !isMemory(value))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

/// Writes values that leave the block or go into a loop or a branch.
void GroupFormer::storeAll(ValueRange values) {
  for (Value value : values) {
    value = stripReshapes(value);
    pinned.insert(value);
    if (isMemory(value))
      continue;
    if (groupOf.count(value))
      store(value);
    else
      storeFloating(value);
  }
}

void GroupFormer::visitControl(Operation *op) {
  SmallVector<Value> operands = controlOperands(op);
  storeAll(operands);
  int number = groups.size();
  groups.emplace_back();
  groups[number].own = true;
  groups[number].control = op;
  for (Value operand : operands)
    if (int from = storedBy.lookup_or(stripReshapes(operand), -1); from >= 0)
      groups[number].uses.insert(from);
  for (Value result : op->getResults()) {
    groupOf[result] = number;
    storedBy[result] = number;
    groups[number].outputs.insert(result);
  }
}

LogicalResult GroupFormer::visit(Operation &op) {
  if (isa<arith::ConstantOp, tensor::EmptyOp>(op))
    return success();
  if (op.hasTrait<OpTrait::IsTerminator>()) {
    storeAll(op.getOperands());
    return success();
  }
  if (isa<nxv::WhileOp, nxv::CaseOp, nxv::TapOp>(op)) {
    visitControl(&op);
    return success();
  }
  if (isReshape(&op)) {
    visitPointwise(&op);
    return success();
  }
  if (getOwnFamily(&op)) {
    visitOpaque(&op);
    return success();
  }
  auto generic = dyn_cast<linalg::GenericOp>(op);
  if (!generic)
    return op.emitError("no kernel family takes '") << op.getName() << "' yet";
  for (Type type : op.getResultTypes()) {
    Type element = cast<RankedTensorType>(type).getElementType();
    if (!element.isIntOrFloat() || element.isBF16() ||
        (isa<FloatType>(element) && element.getIntOrFloatBitWidth() == 8) ||
        (element.isInteger() && element.getIntOrFloatBitWidth() < 8 &&
         !element.isInteger(1)))
      return op.emitError("kernels do not compute elements of type ")
             << element << " yet";
  }
  if (generic.getNumReductionLoops() == 0 ||
      (isWindow(generic) && !isContraction(generic) &&
       reductionLength(generic) <= inlineReduction)) {
    visitPointwise(&op);
    return success();
  }
  SmallVector<int64_t> sizes = generic.getStaticLoopRanges();
  int64_t points = 1;
  for (int64_t size : sizes)
    points *= size;
  bool small =
      points <= tinyContraction ||
      (points <= smallContraction && reductionLength(generic) >= manyProducts);
  if (isContraction(generic) && !small)
    visitContraction(generic);
  else
    visitReduction(generic);
  return success();
}

//===----------------------------------------------------------------------===//
// After the visit
//===----------------------------------------------------------------------===//

/// What a group computes from: its results and what its roots read.
SmallVector<Value> GroupFormer::seedsOf(int group) const {
  if (Operation *control = groups[group].control)
    return controlOperands(control);
  SmallVector<Value> seeds(groups[group].outputs.begin(),
                           groups[group].outputs.end());
  for (Operation *root : groups[group].roots)
    llvm::append_range(seeds, tensorOperands(root));
  return seeds;
}

bool GroupFormer::isReturned(Value value) const {
  for (Value operand : block.getTerminator()->getOperands())
    if (stripReshapes(operand) == value)
      return true;
  return false;
}

/// How often a group reads each element of `value`: a contraction does once a
/// tile of the other operand.
int64_t GroupFormer::readsOf(Value value, int number) const {
  const Group &group = groups[number];
  if (group.family != Family::contract && group.family != Family::conv)
    return 1;
  constexpr int64_t tile = 64;
  int64_t points = 1;
  for (int64_t size :
       cast<linalg::GenericOp>(group.roots.front()).getStaticLoopRanges())
    points *= size;
  int64_t elements = std::max<int64_t>(1, typeOf(value).getNumElements());
  return std::max<int64_t>(1, points / elements / tile);
}

/// Would writing the roots of `values`, results of `group`, and computing them
/// again where they are read cost less than writing and reading them?
bool GroupFormer::worthRecomputing(ArrayRef<Value> values, int number) const {
  const Group &group = groups[number];
  Frontier frontier = frontierOf(values, number);
  int64_t saved = 0, spent = 0;
  llvm::SmallDenseSet<int> users;
  for (Value value : values) {
    int64_t cost = 0;
    for (Operation *op : frontierOf(value, number).inlined)
      op->walk([&](Operation *inner) { cost += scalarCost(inner); });
    for (int user = 0, end = groups.size(); user < end; ++user) {
      if (user == number ||
          !frontierOf(seedsOf(user), user).leaves.contains(value))
        continue;
      users.insert(user);
      saved += bytesOf(value);
      spent += readsOf(value, user) * cost * typeOf(value).getNumElements() /
               operationsPerByte;
    }
    saved += bytesOf(value);
  }
  int64_t readers = users.size();
  for (Value root : frontier.roots)
    spent += bytesOf(root) * (readers + !group.outputs.contains(root));
  for (Value leaf : frontier.leaves)
    spent += bytesOf(leaf) * readers;
  return frontier.foreign.empty() && spent < saved;
}

/// Writes few values instead of many that are computed from them.
void GroupFormer::shrinkOutputs(int number) {
  Group &group = groups[number];
  SmallVector<Value> values;
  for (Value value : group.outputs)
    if (!group.roots.contains(value.getDefiningOp()) && !pinned.contains(value))
      values.push_back(value);
  if (group.roots.empty() || group.own)
    return;
  auto arithmetic = [&](Value value) {
    int64_t cost = 0;
    for (Operation *op : frontierOf(value, number).inlined)
      op->walk([&](Operation *inner) { cost += scalarCost(inner); });
    return cost;
  };
  llvm::stable_sort(
      values, [&](Value a, Value b) { return arithmetic(a) < arithmetic(b); });
  while (!values.empty() && !worthRecomputing(values, number))
    values.pop_back();
  if (values.empty())
    return;
  Frontier frontier = frontierOf(values, number);
  for (Value value : values) {
    group.outputs.remove(value);
    storedBy.erase(value);
  }
  for (Operation *op : frontier.inlined)
    recomputable.insert(op->result_begin(), op->result_end());
  for (Value root : frontier.roots)
    store(root);
}

/// Groups after those they read, those first that leave least memory in use.
SmallVector<int> GroupFormer::schedule() const {
  int count = groups.size();
  SmallVector<SmallVector<Value>> reads(count);
  DenseMap<Value, int> readers;
  for (int number = 0; number < count; ++number)
    for (Value leaf : frontierOf(seedsOf(number), number).leaves)
      if (storedBy.count(leaf) && !isReturned(leaf)) {
        reads[number].push_back(leaf);
        ++readers[leaf];
      }
  SmallVector<char> done(count, 0);
  SmallVector<int> order;
  while (int(order.size()) < count) {
    int best = -1;
    int64_t bestGrowth = 0;
    for (int number = 0; number < count; ++number) {
      if (done[number] || !llvm::all_of(groups[number].uses, [&](int use) {
            return use == number || done[use];
          }))
        continue;
      int64_t growth = 0;
      for (Value output : groups[number].outputs)
        growth += isReturned(output) ? 0 : bytesOf(output);
      for (Value leaf : reads[number])
        growth -= readers[leaf] == 1 ? bytesOf(leaf) : 0;
      if (best < 0 || growth < bestGrowth) {
        best = number;
        bestGrowth = growth;
      }
    }
    assert(best >= 0 && "groups depend on each other");
    done[best] = 1;
    order.push_back(best);
    for (Value leaf : reads[best])
      --readers[leaf];
  }
  return order;
}

/// A value may have been stored after a group was found to inline it.
void GroupFormer::updateUses() {
  for (int number = 0, end = groups.size(); number < end; ++number)
    for (Value leaf : frontierOf(seedsOf(number), number).leaves)
      if (int from = storedBy.lookup_or(leaf, -1); from >= 0 && from != number)
        groups[number].uses.insert(from);
}

/// Stores floating values that several groups would compute at a high price.
void GroupFormer::storeShared() {
  for (Operation &op : block.without_terminator()) {
    if (op.getNumResults() != 1 || isReshape(&op))
      continue;
    Value value = op.getResult(0);
    if (isMemory(value) || isFree(value) || groupOf.count(value))
      continue;
    llvm::SmallDenseSet<int> users;
    for (int number = 0, end = groups.size(); number < end; ++number) {
      if (frontierOf(seedsOf(number), number).inlined.contains(&op))
        users.insert(number);
    }
    if (users.size() < 2)
      continue;
    int64_t saved = costOf(value) * typeOf(value).getNumElements() *
                    int64_t(users.size() - 1) / operationsPerByte;
    int64_t moved = int64_t(users.size() + 1) * bytesOf(value);
    if (saved <= moved + bytesPerDispatch)
      continue;
    storeFloating(value);
  }
}

/// Puts small map kernels of one size together.
void GroupFormer::mergeMaps() {
  for (size_t i = 0; i < groups.size(); ++i) {
    if (!groups[i].roots.empty() || groups[i].outputs.empty() || groups[i].own)
      continue;
    for (size_t j = i + 1; j < groups.size(); ++j) {
      if (!groups[j].roots.empty() || groups[j].outputs.empty() ||
          groups[j].own || groups[i].points != groups[j].points ||
          dependsOn(j, i) || dependsOn(i, j))
        continue;
      for (Value value : groups[j].outputs) {
        groups[i].outputs.insert(value);
        for (Value result : value.getDefiningOp()->getResults())
          groupOf[result] = i;
        storedBy[value] = i;
      }
      groups[i].uses.insert(groups[j].uses.begin(), groups[j].uses.end());
      groups[j].outputs.clear();
      groups[j].uses.clear();
      for (Group &group : groups)
        if (group.uses.remove(j))
          group.uses.insert(i);
    }
  }
}

/// The operations of a group in their order, and what it reads from memory.
SmallVector<Operation *>
GroupFormer::collect(int number, SmallVectorImpl<Value> &inputs) const {
  llvm::SetVector<Operation *> ops;
  llvm::SetVector<Value> leaves;
  SmallVector<Value> work(groups[number].outputs.begin(),
                          groups[number].outputs.end());
  llvm::DenseSet<Value> seen;
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    if (isa<RankedTensorType>(value.getType()) && isMemory(value) &&
        storedBy.lookup_or(value, -1) != number && !isRepeated(value, number)) {
      leaves.insert(value);
      continue;
    }
    Operation *op = value.getDefiningOp();
    ops.insert(op);
    llvm::append_range(work, op->getOperands());
    llvm::SetVector<Value> captured;
    getUsedValuesDefinedAbove(op->getRegions(), captured);
    llvm::append_range(work, captured);
  }
  // In the order of the block: the same graph gives the same kernel.
  SmallVector<Operation *> sorted = ops.takeVector();
  llvm::sort(sorted, [&](Operation *a, Operation *b) {
    return numbers.lookup(a->getResult(0)) < numbers.lookup(b->getResult(0));
  });
  inputs.assign(leaves.begin(), leaves.end());
  llvm::sort(inputs, [&](Value a, Value b) {
    return numbers.lookup(a) < numbers.lookup(b);
  });
  return sorted;
}

void GroupFormer::buildGroup(OpBuilder &builder, int number,
                             IRMapping &mapping) {
  Group &group = groups[number];
  SmallVector<Value> inputs, operands, yields;
  SmallVector<Type> types;
  SmallVector<Operation *> ops = collect(number, inputs);
  for (Value input : inputs)
    operands.push_back(mapping.lookupOrDefault(input));
  for (Value output : group.outputs)
    types.push_back(output.getType());
  Location loc = group.roots.empty() ? group.outputs.front().getLoc()
                                     : group.roots.front()->getLoc();
  auto groupOp = program::GroupOp::create(
      builder, loc, types,
      program::FamilyAttr::get(builder.getContext(), group.family), operands);
  Block *body = &groupOp.getBody().emplaceBlock();
  OpBuilder inner = OpBuilder::atBlockEnd(body);
  IRMapping local;
  for (Value input : inputs)
    local.map(input, body->addArgument(input.getType(), input.getLoc()));
  for (Operation *op : ops) {
    Operation *clone = inner.clone(*op, local);
    if (group.roots.contains(op))
      clone->setAttr(rootAttrName, inner.getUnitAttr());
  }
  for (Value output : group.outputs)
    yields.push_back(local.lookup(output));
  program::YieldOp::create(inner, loc, yields);
  if (group.family == Family::map && planTranspose(yields))
    groupOp.setFamily(Family::transpose);
  for (auto [output, result] : llvm::zip(group.outputs, groupOp->getResults()))
    mapping.map(output, result);
}

/// The stored value that stands for `value`, or a reshape of one.
static Value resolve(OpBuilder &builder, Value value, IRMapping &mapping) {
  if (mapping.contains(value))
    return mapping.lookup(value);
  if (!isReshape(value.getDefiningOp()))
    return value;
  Value source = value.getDefiningOp()->getOperand(0);
  IRMapping step;
  step.map(source, resolve(builder, source, mapping));
  Value clone = builder.clone(*value.getDefiningOp(), step)->getResult(0);
  mapping.map(value, clone);
  return clone;
}

LogicalResult GroupFormer::buildControl(OpBuilder &builder, Operation *op,
                                        IRMapping &mapping) {
  for (Value operand : controlOperands(op))
    if (operand.getParentBlock() == &block)
      mapping.map(operand, resolve(builder, operand, mapping));
  Operation *clone = builder.clone(*op, mapping);
  for (auto [old, result] : llvm::zip(op->getResults(), clone->getResults()))
    mapping.map(old, result);
  for (Region &region : clone->getRegions())
    for (Block &inner : region)
      if (failed(GroupFormer(inner).run()))
        return failure();
  return success();
}

/// Replaces the block's operations by the groups in order.
LogicalResult GroupFormer::build() {
  Operation *terminator = block.getTerminator();
  OpBuilder builder(terminator);
  IRMapping mapping;
  for (int number : schedule()) {
    if (Operation *control = groups[number].control) {
      if (failed(buildControl(builder, control, mapping)))
        return failure();
    } else if (!groups[number].outputs.empty()) {
      buildGroup(builder, number, mapping);
    }
  }
  for (OpOperand &operand : terminator->getOpOperands())
    operand.set(resolve(builder, operand.get(), mapping));
  return success();
}

/// Constants of the blocks around cost nothing in the block either.
void GroupFormer::sinkConstants(Operation *op) {
  for (Region &region : op->getRegions()) {
    llvm::SetVector<Value> outside;
    getUsedValuesDefinedAbove(region, outside);
    for (Value value : outside) {
      auto cst = value.getDefiningOp<arith::ConstantOp>();
      bool scalar = cst && !isa<RankedTensorType>(cst.getType());
      if (!scalar && !isFree(value))
        continue;
      OpBuilder builder = OpBuilder::atBlockBegin(&region.front());
      Value inside = builder.clone(*value.getDefiningOp())->getResult(0);
      replaceAllUsesInRegionWith(value, inside, region);
    }
  }
}

LogicalResult GroupFormer::run() {
  SmallVector<Operation *> ops;
  for (Operation &op : block)
    ops.push_back(&op);
  for (Operation *op : ops)
    if (isa<nxv::WhileOp, nxv::CaseOp>(op))
      sinkConstants(op);
  int next = 0;
  block.getParent()->getParentOfType<func::FuncOp>().walk<WalkOrder::PreOrder>(
      [&](Operation *op) {
        for (Region &region : op->getRegions())
          for (Block &inner : region)
            for (Value argument : inner.getArguments())
              numbers[argument] = next++;
        for (Value result : op->getResults())
          numbers[result] = next++;
      });
  for (Operation *op : ops)
    if (failed(visit(*op)))
      return failure();
  storeShared();
  for (int number = 0, end = groups.size(); number < end; ++number)
    shrinkOutputs(number);
  updateUses();
  mergeMaps();
  if (failed(build()))
    return failure();
  for (Operation *op : llvm::reverse(ops))
    if (op->use_empty() && !op->hasTrait<OpTrait::IsTerminator>())
      op->erase();
  return success();
}

/// What a generic takes and does not read only gives its loops their sizes:
/// nobody needs to compute it.
static void releaseUnread(func::FuncOp function) {
  function.walk([](linalg::GenericOp op) {
    OpBuilder builder(op);
    for (OpOperand &operand : op->getOpOperands()) {
      auto type = dyn_cast<RankedTensorType>(operand.get().getType());
      if (!type || !op.getMatchingBlockArgument(&operand).use_empty() ||
          isa_and_nonnull<tensor::EmptyOp, arith::ConstantOp>(
              operand.get().getDefiningOp()))
        continue;
      operand.set(tensor::EmptyOp::create(builder, op.getLoc(), type.getShape(),
                                          type.getElementType()));
    }
  });
  SmallVector<Operation *> ops;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
  for (Operation *op : llvm::reverse(ops))
    if (isOpTriviallyDead(op))
      op->erase();
}

namespace {
struct FormGroups : nxv::impl::FormGroupsBase<FormGroups> {
  void runOnOperation() override {
    if (getOperation().isExternal())
      return;
    releaseUnread(getOperation());
    if (failed(GroupFormer(getOperation().getBody().front()).run()))
      signalPassFailure();
  }
};
} // namespace
