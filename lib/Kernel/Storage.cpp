//===- Storage.cpp - where the values of groups lie -------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "BatchPlan.h"

#include "nxv/Kernel/Storage.h"

#include "nxv/Kernel/AccessWalker.h"
#include "nxv/Kernel/KernelBuilder.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace nxv;
using program::Family;

int64_t nxv::byteSize(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  Type element = tensor.getElementType();
  int64_t width = 0;
  if (auto complex = dyn_cast<ComplexType>(element))
    width = 2 * complex.getElementType().getIntOrFloatBitWidth() / 8;
  else
    width = llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
  return tensor.getNumElements() * width;
}

Type nxv::sharedElement(Type element, int64_t count) {
  constexpr int64_t few = 256;
  if (element.isInteger(1) && count <= few)
    return IntegerType::get(element.getContext(), 32);
  return ElementEmitter::storageType(element);
}

int64_t nxv::sharedByteSize(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  int64_t count = tensor.getNumElements();
  return byteSize(tensor.clone(sharedElement(tensor.getElementType(), count)));
}

/// What a reshape, or a loop that does not change it, hands on; null for what
/// is computed.
static Value handedOn(Value value) {
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
    return op->getOperand(0);
  auto loop = dyn_cast_or_null<nxv::WhileOp>(op);
  if (!loop)
    return {};
  unsigned state = cast<OpResult>(value).getResultNumber();
  return isInvariantState(loop, state) ? loop->getOperand(state) : Value();
}

Value nxv::stripReshapes(Value value) {
  while (Value next = handedOn(value))
    value = next;
  return value;
}

/// Points and elements of a group have any number; no division is cut short.
static constexpr int64_t maximum = int64_t(1) << 40;

/// The loops of a reduction for an element of a point.
static SmallVector<AffineExpr> loopsOf(IndexSpace &space,
                                       linalg::GenericOp root, AffineExpr point,
                                       AffineExpr element) {
  SmallVector<AffineExpr> loops(root.getNumLoops());
  SmallVector<int64_t> sizes = root.getStaticLoopRanges(), shape, extents;
  SmallVector<unsigned> parallel, reduced;
  AffineMap map = root.getMatchingIndexingMap(root.getDpsInitOperand(0));
  for (AffineExpr expr : map.getResults())
    parallel.push_back(cast<AffineDimExpr>(expr).getPosition());
  root.getReductionDims(reduced);
  for (unsigned loop : parallel)
    shape.push_back(sizes[loop]);
  for (unsigned loop : reduced)
    extents.push_back(sizes[loop]);
  for (auto [loop, index] : llvm::zip(parallel, space.unflatten(point, shape)))
    loops[loop] = index;
  for (auto [loop, index] :
       llvm::zip(reduced, space.unflatten(element, extents)))
    loops[loop] = index;
  return loops;
}

/// Where a result's element lies, as a function of its point and its number
/// within the point; null if it does not follow the points of a reduction.
static AffineExpr ownPosition(IndexSpace &space, program::GroupOp group,
                              int64_t number, AffineExpr point,
                              AffineExpr element) {
  SmallVector<linalg::GenericOp> roots = getRoots(group);
  if (roots.empty())
    return {};
  // The result has the shape of what the first reduction walks over, or it is
  // not comparable.
  Value yield = getYields(group)[number];
  ArrayRef<int64_t> shape = cast<ShapedType>(yield.getType()).getShape();
  SmallVector<int64_t> sizes = roots.front().getStaticLoopRanges();
  if (shape != ArrayRef<int64_t>(sizes))
    return {};
  return space.flatten(loopsOf(space, roots.front(), point, element), shape);
}

/// The branches that choose between an input and something else, if nothing
/// else reads it: a loop that begins or goes on.
static nxv::CaseOp readByChoice(BlockArgument input) {
  nxv::CaseOp choice;
  for (OpOperand &use : input.getUses()) {
    Operation *user = use.getOwner();
    auto parent = dyn_cast<nxv::CaseOp>(
        isa<nxv::YieldOp>(user) ? user->getParentOp() : user);
    if (!parent || parent->getBlock() != input.getOwner() ||
        (choice && choice != parent))
      return {};
    choice = parent;
  }
  return choice;
}

/// May a loop's kernel write a result over an input? The state that goes on
/// from the input, or what is computed behind the choice that is made by it.
static bool continues(BlockArgument input, Value result) {
  nxv::CaseOp choice = readByChoice(input);
  Operation *op = result.getDefiningOp();
  if (!choice || !op || op->getBlock() != choice->getBlock() ||
      !choice->isBeforeInBlock(op) || input.getType() != result.getType())
    return false;
  if (llvm::is_contained(choice.getPredicates(), Value(input)))
    return isa<program::GroupOp>(op) &&
           llvm::none_of(input.getUsers(), [](Operation *user) {
             return isa<nxv::YieldOp>(user);
           });
  auto loop = dyn_cast<nxv::WhileOp>(op);
  if (!loop)
    return false;
  auto begin = dyn_cast<OpResult>(
      loop->getOperand(cast<OpResult>(result).getResultNumber()));
  return begin && begin.getOwner() == choice.getOperation() &&
         llvm::all_of(input.getUses(), [&](OpOperand &use) {
           return use.getOperandNumber() == begin.getResultNumber();
         });
}

static ArrayAttr getLoopPairs(program::GroupOp group) {
  Builder builder(group.getContext());
  SmallVector<Attribute> pairs;
  auto slicedInputs =
      group->getAttrOfType<DenseBoolArrayAttr>(batchedInputsAttrName);
  for (BlockArgument input : group.getBody().getArguments())
    for (auto [r, yield] : llvm::enumerate(getYields(group))) {
      auto result = dyn_cast<OpResult>(yield);
      if (!result || !continues(input, result))
        continue;
      // Workgroups may share nothing that one of them overwrites.
      bool alone = !slicedInputs ||
                   (slicedInputs[input.getArgNumber()] &&
                    isBatched(result.getOwner(), result.getResultNumber()));
      if (alone)
        pairs.push_back(builder.getDenseI64ArrayAttr(
            {int64_t(input.getArgNumber()), int64_t(r)}));
    }
  return builder.getArrayAttr(pairs);
}

/// Inputs that a result may overwrite, as pairs of an input's and a result's
/// number: nothing but that result reads the input, and at its own place only,
/// so that the thread that writes an element is the one that has read it.
ArrayAttr nxv::getInPlacePairs(program::GroupOp group) {
  Builder builder(group.getContext());
  SmallVector<Attribute> pairs;
  Family family = group.getFamily();
  if (family == Family::loop)
    return getLoopPairs(group);
  if (family != Family::map && family != Family::reduce &&
      family != Family::contract && family != Family::conv)
    return builder.getArrayAttr(pairs);
  Block &body = group.getBody().front();
  auto isLeaf = [](Value value) {
    return isa<BlockArgument>(value) ||
           value.getDefiningOp()->hasAttr(rootAttrName);
  };
  // The readers of each input: a result's number, or -1 for anything else.
  DenseMap<Value, llvm::SmallDenseSet<int64_t>> readers;
  // Inputs that reductions read. They are read before any result is written, so
  // it is enough that a point reads what its own results lie on.
  bool pointwise = family == Family::reduce;
  DenseMap<Value, llvm::SmallVector<AffineExpr>> byPoint;
  IndexSpace points(group.getContext());
  AffineExpr point = points.addDim(maximum), element = points.addDim(maximum);
  for (linalg::GenericOp root : getRoots(group)) {
    SmallVector<AffineExpr> loops = loopsOf(points, root, point, element);
    AccessWalker(points, isLeaf, [&](Value value, ArrayRef<AffineExpr> at) {
      if (pointwise)
        byPoint[value].push_back(
            points.flatten(at, cast<ShapedType>(value.getType()).getShape()));
      else
        readers[value].insert(-1);
    }).walkPayload(root, loops);
  }
  for (int64_t number = 0, end = getYields(group).size(); number < end;
       ++number) {
    Value yield = getYields(group)[number];
    IndexSpace space(group.getContext());
    SmallVector<AffineExpr> dims;
    ArrayRef<int64_t> shape = cast<ShapedType>(yield.getType()).getShape();
    for (int64_t size : shape)
      dims.push_back(space.addDim(size));
    AffineExpr own = space.flatten(dims, shape);
    AccessWalker(space, isLeaf, [&](Value value, ArrayRef<AffineExpr> at) {
      bool same = byteSize(value.getType()) == byteSize(yield.getType()) &&
                  space.flatten(
                      at, cast<ShapedType>(value.getType()).getShape()) == own;
      readers[value].insert(same ? number : -1);
    }).walk(yield, dims);
  }
  for (BlockArgument argument : body.getArguments()) {
    auto &who = readers[argument];
    if (who.size() != 1 || *who.begin() < 0)
      continue;
    AffineExpr own = ownPosition(points, group, *who.begin(), point, element);
    if (llvm::all_of(byPoint[argument],
                     [&](AffineExpr at) { return own && at == own; }))
      pairs.push_back(builder.getDenseI64ArrayAttr(
          {int64_t(argument.getArgNumber()), *who.begin()}));
  }
  return builder.getArrayAttr(pairs);
}

/// Users of a value, and of what hands it on.
static void collectUsers(Value value, SmallVectorImpl<Operation *> &users) {
  for (Operation *user : value.getUsers()) {
    users.push_back(user);
    for (Value result : user->getResults())
      if (handedOn(result) == value)
        collectUsers(result, users);
  }
}

SmallVector<std::pair<Value, unsigned>> nxv::getDirectStates(Block &block) {
  SmallVector<std::pair<Value, unsigned>> direct;
  llvm::DenseSet<Value> taken;
  Builder builder(block.getParentOp()->getContext());
  Operation *yield = block.getTerminator();
  for (unsigned i = 0, end = yield->getNumOperands(); i < end; ++i) {
    Value value = stripReshapes(yield->getOperand(i));
    auto group = value.getDefiningOp<program::GroupOp>();
    if (!group || group->getBlock() != &block || taken.contains(value))
      continue;
    unsigned result = cast<OpResult>(value).getResultNumber();
    ArrayAttr pairs = getInPlacePairs(group);
    SmallVector<Operation *> users;
    collectUsers(block.getArgument(i), users);
    bool safe = llvm::all_of(users, [&](Operation *user) {
      if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(user))
        return true;
      Operation *here = block.findAncestorOpInBlock(*user);
      if (here != group)
        return here != yield && here->isBeforeInBlock(group);
      // It may read the old state where it writes the new one.
      for (auto [k, input] : llvm::enumerate(group.getInputs()))
        if (stripReshapes(input) == block.getArgument(i) &&
            !llvm::is_contained(pairs, builder.getDenseI64ArrayAttr(
                                           {int64_t(k), int64_t(result)})))
          return false;
      return true;
    });
    if (!safe)
      continue;
    taken.insert(value);
    direct.push_back({value, i});
  }
  return direct;
}

std::optional<unsigned> nxv::getAliasedInput(program::GroupOp group,
                                             unsigned result) {
  if (auto pairs = group->getAttrOfType<ArrayAttr>(aliasedAttrName))
    for (auto pair : pairs.getAsRange<DenseI64ArrayAttr>())
      if (pair[1] == int64_t(result))
        return unsigned(pair[0]);
  return std::nullopt;
}

bool nxv::isInvariantState(nxv::WhileOp loop, unsigned state) {
  Block &body = loop.getBody().front();
  return stripReshapes(body.getTerminator()->getOperand(state)) ==
         body.getArgument(state);
}

void nxv::markAliases(nxv::WhileOp loop) {
  Block &body = loop.getBody().front();
  Builder builder(loop.getContext());
  DenseMap<Operation *, SmallVector<Attribute>> aliases;
  for (auto [value, state] : getDirectStates(body)) {
    auto group = value.getDefiningOp<program::GroupOp>();
    int64_t result = cast<OpResult>(value).getResultNumber();
    for (auto [k, input] : llvm::enumerate(group.getInputs()))
      if (stripReshapes(input) == body.getArgument(state))
        aliases[group].push_back(
            builder.getDenseI64ArrayAttr({int64_t(k), result}));
  }
  for (auto &[group, pairs] : aliases)
    group->setAttr(aliasedAttrName, builder.getArrayAttr(pairs));
}

SmallVector<Value> nxv::getDirectResults(Block &branch) {
  SmallVector<Value> direct;
  for (Value operand : branch.getTerminator()->getOperands()) {
    Value value = stripReshapes(operand);
    auto group = value.getDefiningOp<program::GroupOp>();
    bool first = group && group->getBlock() == &branch &&
                 !llvm::is_contained(direct, value);
    direct.push_back(first ? value : Value());
  }
  return direct;
}
