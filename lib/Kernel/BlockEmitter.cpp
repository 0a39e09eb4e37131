//===- BlockEmitter.cpp - the map and reduce families -----------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
// A group of these families has *points*: the elements of its reductions'
// results, or of its outputs if it has none. A workgroup owns some points and
// gives each of them some lanes. Reductions run in stages: lanes walk over the
// reduced elements, combine through workgroup memory, and go on with the result
// in a register. Outputs have one value a point, or a run of *inner* elements.
//
//   row order: the lanes of a point are neighbours, a vector runs along the
//              reduced elements (softmax over the last axis);
//   column order: neighbouring lanes own neighbouring points, a vector runs
//              along the points (sums over the first axis, and every map).
//
// Short walks are unrolled, so that what one stage has loaded is still in
// registers in the next: softmax reads its row once.
//===----------------------------------------------------------------------===//

#include "BlockEmitter.h"
#include "BatchPlan.h"

#include "nxv/Kernel/AccessWalker.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace nxv;
using Values = ElementEmitter::Values;

static int64_t product(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

static ArrayRef<int64_t> shapeOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getShape();
}

//===----------------------------------------------------------------------===//
// Analysis
//===----------------------------------------------------------------------===//

Root BlockEmitter::describe(linalg::GenericOp op) {
  Root root;
  root.op = op;
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  for (AffineExpr expr : map.getResults())
    root.parallel.push_back(cast<AffineDimExpr>(expr).getPosition());
  auto batchLoop = op->getAttrOfType<IntegerAttr>(batchLoopAttrName);
  if (batch > 1 && batchLoop)
    root.batchLoop = batchLoop.getInt();
  for (unsigned loop : root.parallel)
    root.resultShape.push_back(
        int64_t(loop) == root.batchLoop ? sizes[loop] / batch : sizes[loop]);
  op.getReductionDims(root.reduced);
  for (unsigned loop : root.reduced)
    root.extents.push_back(sizes[loop]);
  root.count = product(root.extents);
  root.ordered = op->hasAttr("nxv.ordered");
  // Its stage comes after those of the reductions that it reads.
  IndexSpace symbols(op.getContext());
  SmallVector<AffineExpr> loops;
  for (int64_t size : sizes)
    loops.push_back(symbols.addDim(size));
  auto isLeaf = [&](Value value) {
    return isa<BlockArgument>(value) ||
           (value.getDefiningOp() != op &&
            value.getDefiningOp()->hasAttr(rootAttrName));
  };
  auto onLeaf = [&](Value value, ArrayRef<AffineExpr>) {
    for (Root &other : roots)
      if (other.op == value.getDefiningOp())
        root.stage = std::max(root.stage, other.stage + 1);
  };
  AccessWalker(symbols, isLeaf, onLeaf).walkPayload(op, loops);
  return root;
}

/// What of a result is written.
Output BlockEmitter::startOutput(unsigned number) {
  Output output;
  output.value = getYields(group)[number];
  llvm::append_range(output.shape, shapeOf(output.value));
  output.batched = batch > 1 && isBatched(group, number);
  output.window = getWrittenWindow(group, number);
  if (output.window && output.batched &&
      (output.window->starts.front() ||
       output.window->sizes.front() != output.shape.front()))
    output.window.reset();
  if (output.window)
    output.shape = output.window->sizes;
  if (output.batched)
    output.shape.front() /= batch;
  return output;
}

/// Reports the reductions' results that the element at `dims` of what is
/// written of a result needs.
void BlockEmitter::walkOutput(
    const Output &output, IndexSpace &symbols, ArrayRef<AffineExpr> dims,
    AffineExpr batchDim,
    std::function<void(Value, ArrayRef<AffineExpr>)> onRoot) {
  auto isLeaf = [&](Value v) {
    return isa<BlockArgument>(v) || v.getDefiningOp()->hasAttr(rootAttrName);
  };
  auto onLeaf = [&](Value v, ArrayRef<AffineExpr> at) {
    if (!isa<BlockArgument>(v))
      onRoot(v, at);
  };
  AccessWalker walker(symbols, isLeaf, onLeaf);
  SmallVector<AffineExpr> indices(dims);
  if (output.batched)
    indices.front() =
        symbols.simplify(batchDim * output.shape.front() + indices.front());
  if (!output.window)
    return walker.walk(output.value, indices);
  KnownStarts starts = placeWindow(*output.window, symbols, indices);
  walker.walkPayload(output.window->op, indices, starts);
}

LogicalResult BlockEmitter::describeOutput(unsigned number, bool quiet) {
  Output output = startOutput(number);
  ArrayRef<int64_t> shape = output.shape;
  IndexSpace symbols(group.getContext());
  SmallVector<AffineExpr> dims;
  for (int64_t size : shape)
    dims.push_back(symbols.addDim(size));
  AffineExpr batchDim = symbols.addDim(batch);
  AffineExpr position;
  bool consistent = true;
  auto onRoot = [&](Value v, ArrayRef<AffineExpr> at) {
    auto root = llvm::find_if(
        roots, [&](Root &each) { return each.op == v.getDefiningOp(); });
    SmallVector<AffineExpr> own(at);
    for (auto [axis, loop] : llvm::enumerate(root->parallel))
      if (int64_t(loop) == root->batchLoop)
        own[axis] =
            symbols.simplify(own[axis] - batchDim * root->resultShape[axis]);
    AffineExpr flat = symbols.flatten(own, root->resultShape);
    consistent &= !position || position == flat;
    position = flat;
  };
  walkOutput(output, symbols, dims, batchDim, onRoot);
  SmallVector<AffineExpr> pointDims;
  SmallVector<int64_t> pointShape;
  for (unsigned axis = 0; axis < shape.size(); ++axis) {
    bool isPoint = position ? IndexSpace::dependsOn(position, dims[axis])
                            : product(pointShape) < points;
    if (isPoint) {
      output.points.push_back(axis);
      pointDims.push_back(dims[axis]);
      pointShape.push_back(shape[axis]);
    } else {
      output.inner.push_back(axis);
      output.innerShape.push_back(shape[axis]);
    }
  }
  output.count = product(output.innerShape);
  if (!consistent || product(pointShape) != points ||
      (position && symbols.flatten(pointDims, pointShape) != position)) {
    if (quiet)
      return failure();
    return group.emitOpError("internal: a result does not follow the points "
                             "of the group's reductions");
  }
  outputs.push_back(output);
  return success();
}

/// Without reductions the results, all of one size, are the points.
void BlockEmitter::describeMap() {
  for (unsigned i = 0; i < group->getNumResults(); ++i)
    outputs.push_back(startOutput(i));
  auto differs = [&](const Output &output) {
    return product(output.shape) != product(outputs.front().shape);
  };
  if (llvm::any_of(outputs, differs))
    for (Output &output : outputs) {
      output.window.reset();
      output.shape.assign(shapeOf(output.value).begin(),
                          shapeOf(output.value).end());
      if (output.batched)
        output.shape.front() /= batch;
    }
  points = product(outputs.front().shape);
  for (Output &output : outputs)
    for (unsigned axis = 0; axis < output.shape.size(); ++axis)
      output.points.push_back(axis);
}

LogicalResult BlockEmitter::analyze(bool quiet) {
  for (linalg::GenericOp op : getRoots(group))
    roots.push_back(describe(op));
  if (roots.empty()) {
    describeMap();
    if (llvm::any_of(outputs, [&](const Output &output) {
          return product(output.shape) != points;
        })) {
      if (quiet)
        return failure();
      return group.emitOpError("internal: results of different sizes");
    }
  } else {
    points = product(roots.front().resultShape);
    for (Root &root : roots)
      stages = std::max(stages, root.stage + 1);
    for (unsigned i = 0; i < group->getNumResults(); ++i)
      if (failed(describeOutput(i, quiet)))
        return failure();
  }
  if (fixedThreads)
    chooseFixedLayout();
  else
    chooseLayout();
  return success();
}

/// Bytes that are contiguous along the elements of a point, and along points.
void BlockEmitter::score(int64_t &rows, int64_t &columns) {
  auto bytesOf = [](Value tensor) {
    auto type = cast<RankedTensorType>(tensor.getType());
    return type.getNumElements() *
           std::max<int64_t>(1, type.getElementTypeBitWidth() / 8);
  };
  auto strideOf = [](IndexSpace &symbols, AffineExpr position, AffineExpr dim) {
    for (auto &[atom, factor] : symbols.linearize(position).terms)
      if (atom == dim)
        return factor;
    return int64_t(0);
  };
  auto isLeaf = [&](Value v) {
    return isa<BlockArgument>(v) || v.getDefiningOp()->hasAttr(rootAttrName);
  };
  for (Root &root : roots) {
    IndexSpace symbols(group.getContext());
    SmallVector<AffineExpr> loops;
    for (int64_t size : root.op.getStaticLoopRanges())
      loops.push_back(symbols.addDim(size));
    AffineExpr element, pointDim;
    for (unsigned loop : root.reduced)
      if (root.op.getStaticLoopRanges()[loop] > 1)
        element = loops[loop];
    for (unsigned loop : root.parallel)
      if (root.op.getStaticLoopRanges()[loop] > 1)
        pointDim = loops[loop];
    auto onLeaf = [&](Value v, ArrayRef<AffineExpr> at) {
      if (!isa<BlockArgument>(v))
        return;
      AffineExpr position = symbols.flatten(at, shapeOf(v));
      if (element && strideOf(symbols, position, element) == 1)
        rows += bytesOf(v);
      if (pointDim && strideOf(symbols, position, pointDim) == 1)
        columns += bytesOf(v);
    };
    AccessWalker(symbols, isLeaf, onLeaf).walkPayload(root.op, loops);
  }
  for (Output &output : outputs) {
    if (output.count == 1)
      continue;
    int64_t bytes = product(output.shape) * bytesOf(output.value) /
                    std::max<int64_t>(1, product(shapeOf(output.value)));
    bool innerLast =
        output.points.empty() ||
        (!output.inner.empty() && output.inner.back() > output.points.back());
    (innerLast ? rows : columns) += bytes;
  }
}

static int64_t widthFor(int64_t extent) {
  return extent % 4 == 0 ? 4 : extent % 2 == 0 ? 2 : 1;
}

/// The widest vector that fits the last axis of what it runs along.
int64_t BlockEmitter::elementWidth() {
  int64_t width = 4;
  auto fit = [&](ArrayRef<int64_t> extents) {
    int64_t last = 1;
    for (int64_t extent : extents)
      last = extent > 1 ? extent : last;
    width = std::min(width, widthFor(last));
  };
  for (Root &root : roots) {
    if (root.ordered)
      return 1;
    fit(root.extents);
  }
  for (Output &output : outputs)
    if (output.count > 1)
      fit(output.innerShape);
  return width;
}

int64_t BlockEmitter::pointWidth() {
  if (roots.empty())
    return widthFor(points);
  int64_t width = 4;
  for (Root &root : roots) {
    int64_t last = 1;
    for (int64_t extent : root.resultShape)
      last = extent > 1 ? extent : last;
    width = std::min(width, widthFor(last));
  }
  return width;
}

void BlockEmitter::chooseLayout() {
  constexpr int64_t workgroup = 256, enoughGroups = 264;
  if (roots.empty()) {
    layout.width = pointWidth();
    int64_t threads = llvm::divideCeil(points, layout.width);
    layout.pointLanes =
        std::clamp<int64_t>(llvm::PowerOf2Ceil(threads), 32, workgroup);
    return;
  }
  int64_t longest = 1;
  bool ordered = false;
  for (Root &root : roots) {
    longest = std::max(longest, root.count);
    ordered |= root.ordered;
  }
  for (Output &output : outputs)
    longest = std::max(longest, output.count);
  int64_t rows = 0, columns = 0;
  score(rows, columns);
  layout.rows = points == 1 || rows >= columns;
  layout.width = layout.rows ? elementWidth() : pointWidth();
  if (layout.rows) {
    int64_t lanes =
        llvm::PowerOf2Ceil(std::max<int64_t>(1, longest / layout.width));
    // Lanes cost an exchange: with points enough for the device, a lane takes
    // several vectors.
    constexpr int64_t vectorsEach = 4, enoughThreads = 1 << 18;
    while (lanes > 32 && points * lanes / 2 >= enoughThreads &&
           longest > layout.width * lanes / 2 &&
           llvm::divideCeil(longest, layout.width * lanes / 2) <= vectorsEach)
      lanes /= 2;
    layout.elementLanes = ordered ? 1 : std::min(workgroup, lanes);
    layout.pointLanes = workgroup / layout.elementLanes;
  } else {
    int64_t vectors = llvm::divideCeil(points, layout.width);
    layout.pointLanes = std::min<int64_t>(
        32, llvm::PowerOf2Ceil(std::max<int64_t>(1, vectors)));
    while (layout.pointLanes > 8 &&
           llvm::divideCeil(vectors, layout.pointLanes) < enoughGroups)
      layout.pointLanes /= 2;
    layout.elementLanes = ordered
                              ? 1
                              : std::min<int64_t>(workgroup / layout.pointLanes,
                                                  llvm::PowerOf2Ceil(longest));
  }
  // Spread few points over more workgroups; fill small ones.
  int64_t pointsEach = layout.rows ? 1 : layout.width;
  while (layout.pointLanes > 1 && layout.threads() > 32 &&
         llvm::divideCeil(points, layout.pointLanes * pointsEach) <
             enoughGroups)
    layout.pointLanes /= 2;
  while (layout.threads() < 32)
    layout.pointLanes *= 2;
  limitExchange();
}

/// Many reductions of several types at once exchange through much memory: fewer
/// lanes, until it is what every device has.
void BlockEmitter::limitExchange() {
  constexpr int64_t budget = 32 * 1024;
  while (layout.elementLanes > 1) {
    int64_t width = layout.rows ? 1 : layout.width;
    ExchangeMemory memory(group.getOperation(), layout.threads());
    if (memory.getBytes(width, layout.elementLanes) <= budget)
      return;
    if (width > 1)
      layout.width /= 2;
    else
      layout.elementLanes /= 2;
  }
}

/// One workgroup for everything: points first, then as many lanes a point as
/// are left.
void BlockEmitter::chooseFixedLayout() {
  int64_t longest = 1;
  bool ordered = false;
  for (Root &root : roots) {
    longest = std::max(longest, root.count);
    ordered |= root.ordered;
  }
  for (Output &output : outputs)
    longest = std::max(longest, output.count);
  if (roots.empty()) {
    layout.width = points > 4 * fixedThreads ? pointWidth() : 1;
    layout.pointLanes = fixedThreads;
    return;
  }
  int64_t rows = 0, columns = 0;
  score(rows, columns);
  layout.rows = points == 1 || rows >= columns;
  layout.width =
      layout.rows && longest * points > 8 * fixedThreads ? elementWidth() : 1;
  int64_t wanted =
      llvm::PowerOf2Ceil(std::max<int64_t>(1, longest / layout.width));
  int64_t spare =
      fixedThreads /
      std::min<int64_t>(fixedThreads,
                        llvm::PowerOf2Ceil(std::max<int64_t>(1, points)));
  layout.elementLanes = ordered ? 1 : std::min(wanted, spare);
  layout.pointLanes = fixedThreads / layout.elementLanes;
}

//===----------------------------------------------------------------------===//
// Emission
//===----------------------------------------------------------------------===//

Value BlockEmitter::both(Value lhs, Value rhs) {
  if (!lhs || !rhs)
    return lhs ? lhs : rhs;
  return arith::AndIOp::create(emitter->getBuilder(), emitter->getLoc(), lhs,
                               rhs);
}

void BlockEmitter::placeThreads(KernelBuilder &kernel, AffineExpr place) {
  AffineExpr thread = kernel.getThreadId();
  int64_t lanes = layout.rows ? layout.elementLanes : layout.pointLanes;
  AffineExpr fast = thread % lanes, slow = thread.floorDiv(lanes);
  auto dim = [&](AffineExpr expr, int64_t size) {
    expr = space->simplify(expr);
    if (size == 1)
      return space->constant(0);
    return emitter->addDim(size, emitter->index(expr));
  };
  elementLane = dim(layout.rows ? fast : slow, layout.elementLanes);
  pointLane = dim(layout.rows ? slow : fast, layout.pointLanes);
  lane = emitter->setLane(layout.width);

  int64_t each = layout.rows ? 1 : layout.width;
  int64_t vectors = points / each;
  AffineExpr vector = space->simplify(place * layout.pointLanes + pointLane);
  pointMask = emitter->lessThan(vector, vectors);
  vector = emitter->clamp(vector, 0, vectors - 1);
  point = space->simplify(layout.rows ? vector : vector * each + lane);
}

/// The element that this thread visits in an iteration, limited to the last,
/// and whether it exists (null: always).
std::pair<AffineExpr, Value> BlockEmitter::element(AffineExpr iteration,
                                                   int64_t count) {
  auto fixed = dyn_cast<AffineConstantExpr>(iteration);
  std::pair<int64_t, int64_t> id{fixed ? fixed.getValue() : -1, count};
  if (fixed)
    if (auto found = elements.find(id); found != elements.end())
      return found->second;
  int64_t each = layout.rows ? layout.width : 1;
  AffineExpr vector =
      space->simplify(iteration * layout.elementLanes + elementLane);
  Value mask = emitter->lessThan(vector, count / each);
  vector = emitter->clamp(vector, 0, count / each - 1);
  AffineExpr expr = layout.rows ? vector * each + lane : vector;
  std::pair<AffineExpr, Value> result{space->simplify(expr), mask};
  if (fixed)
    elements[id] = result;
  return result;
}

/// The indices of this thread's point in a reduction's result.
SmallVector<AffineExpr> BlockEmitter::pointOf(Root &root) {
  SmallVector<AffineExpr> indices = space->unflatten(point, root.resultShape);
  for (auto [axis, loop] : llvm::enumerate(root.parallel))
    if (int64_t(loop) == root.batchLoop)
      indices[axis] =
          space->simplify(part * root.resultShape[axis] + indices[axis]);
  return indices;
}

SmallVector<AffineExpr> BlockEmitter::loopsOf(Root &root, AffineExpr element) {
  SmallVector<AffineExpr> loops(root.op.getNumLoops());
  for (auto [loop, index] : llvm::zip(root.parallel, pointOf(root)))
    loops[loop] = index;
  for (auto [loop, index] :
       llvm::zip(root.reduced, space->unflatten(element, root.extents)))
    loops[loop] = index;
  return loops;
}

/// One iteration of all reductions of a stage.
Values BlockEmitter::step(ArrayRef<Root *> stage, AffineExpr iteration,
                          ValueRange values) {
  OpBuilder &builder = emitter->getBuilder();
  Values next;
  auto [expr, mask] = element(iteration, stage.front()->count);
  for (Root *root : stage) {
    unsigned count = root->op.getNumDpsInits();
    ValueRange before = values.slice(next.size(), count);
    Values after = emitter->payloadAt(root->op, loopsOf(*root, expr), before);
    for (auto [was, is] : llvm::zip(before, after)) {
      Value value = emitter->splat(is);
      if (mask)
        value = arith::SelectOp::create(builder, emitter->getLoc(),
                                        emitter->splat(mask), value, was);
      next.push_back(value);
    }
  }
  return next;
}

/// Combines two partial results of a reduction.
Values BlockEmitter::combine(Root &root, ValueRange lhs, ValueRange rhs) {
  linalg::GenericOp op = root.op;
  OpBuilder &builder = emitter->getBuilder();
  if (op.getNumDpsInits() == 1) {
    // The payload ends in `element op accumulator`.
    Operation *last =
        op.getBody()->getTerminator()->getOperand(0).getDefiningOp();
    OperationState state(last->getLoc(), last->getName(),
                         ValueRange{rhs[0], lhs[0]}, {lhs[0].getType()},
                         last->getAttrs());
    return {builder.create(state)->getResult(0)};
  }
  if (op->hasAttr("nxv.arg_reduce"))
    return combineArgs(op, lhs, rhs);
  // The second partial result plays the element.
  return emitter->payloadOf(
      op, SmallVector<AffineExpr>(op.getNumLoops(), space->constant(0)), rhs,
      lhs);
}

/// Combines two extremes and their positions. The payload would, but computes
/// the position from its loops.
Values BlockEmitter::combineArgs(linalg::GenericOp op, ValueRange lhs,
                                 ValueRange rhs) {
  using IP = arith::CmpIPredicate;
  using FP = arith::CmpFPredicate;
  ImplicitLocOpBuilder b(emitter->getLoc(), emitter->getBuilder());
  auto either = [&](Value x, Value y) -> Value {
    return arith::OrIOp::create(b, x, y);
  };
  auto compare = [&](auto predicate, Value x, Value y) -> Value {
    if constexpr (std::is_same_v<decltype(predicate), FP>)
      return arith::CmpFOp::create(b, predicate, x, y);
    else
      return arith::CmpIOp::create(b, predicate, x, y);
  };
  bool isMax = op->getAttrOfType<StringAttr>("nxv.arg_reduce") == "max";
  bool isUnsigned = op->hasAttr("nxv.unsigned");
  Value lower = compare(IP::slt, rhs[1], lhs[1]);
  Value wins =
      op->hasAttr("nxv.tie_high") ? compare(IP::sgt, rhs[1], lhs[1]) : lower;
  Value better, equal;
  if (isa<FloatType>(getElementTypeOrSelf(rhs[0]))) {
    Value nan = compare(FP::UNO, rhs[0], rhs[0]);
    Value otherNan = compare(FP::UNO, lhs[0], lhs[0]);
    Value number = compare(FP::ORD, lhs[0], lhs[0]);
    better = either(compare(isMax ? FP::OGT : FP::OLT, rhs[0], lhs[0]),
                    both(nan, number));
    equal = either(both(compare(FP::OEQ, rhs[0], lhs[0]), wins),
                   both(both(nan, otherNan), lower));
  } else {
    IP order =
        isUnsigned ? (isMax ? IP::ugt : IP::ult) : (isMax ? IP::sgt : IP::slt);
    better = compare(order, rhs[0], lhs[0]);
    equal = both(compare(IP::eq, rhs[0], lhs[0]), wins);
  }
  Value take = either(better, equal);
  return {arith::SelectOp::create(b, take, rhs[0], lhs[0]).getResult(),
          arith::SelectOp::create(b, take, rhs[1], lhs[1]).getResult()};
}

AffineExpr BlockEmitter::sharedPosition(AffineExpr which) {
  return layout.rows ? pointLane * layout.elementLanes + which
                     : which * layout.pointLanes + pointLane;
}

/// Combines the partial results of a point's lanes for a reduction of several
/// results; every lane gets them.
Values BlockEmitter::combineLanes(KernelBuilder &kernel, Root &root,
                                  Values values) {
  int64_t columnWidth = layout.rows ? 1 : layout.width;
  int64_t threads = layout.threads();
  exchange->next();
  unsigned level = 0;
  for (int64_t lanes = layout.elementLanes; lanes > 1; ++level) {
    SmallVector<Value> memories;
    for (auto [i, value] : llvm::enumerate(values)) {
      Type type = getElementTypeOrSelf(value.getType());
      memories.push_back(exchange->get(kernel, level * 16 + unsigned(i), type,
                                       threads * columnWidth));
    }
    auto position = [&](AffineExpr which, int64_t entry) {
      return space->simplify(sharedPosition(which) + entry * threads);
    };
    auto write = [&](ValueRange parts) {
      for (auto [memory, value] : llvm::zip(memories, parts))
        for (int64_t j = 0; j < columnWidth; ++j)
          emitter->store(memory, getElementTypeOrSelf(value.getType()),
                         position(elementLane, j),
                         emitter->extractLane(value, j));
    };
    auto read = [&](AffineExpr which) {
      Values parts;
      for (auto [memory, value] : llvm::zip(memories, values)) {
        Values entries;
        for (int64_t j = 0; j < columnWidth; ++j)
          entries.push_back(emitter->load(memory,
                                          getElementTypeOrSelf(value.getType()),
                                          position(which, j)));
        parts.push_back(emitter->joinLanes(entries));
      }
      return parts;
    };
    // The first level is written by all lanes, a later one by those left.
    Value active = level == 0 ? Value() : emitter->lessThan(elementLane, lanes);
    emitter->guarded(active, [&] { write(values); });
    kernel.barrier();
    int64_t ways = std::min<int64_t>(16, lanes), left = lanes / ways;
    AffineExpr first =
        left == 1 ? space->constant(0) : space->simplify(elementLane % left);
    Values sum = read(first);
    for (int64_t way = 1; way < ways; ++way)
      sum = combine(root, sum, read(space->simplify(first + way * left)));
    values = sum;
    lanes = left;
  }
  return values;
}

/// What combines partial results: reductions with the same need not wait for
/// one another.
static std::tuple<StringRef, Type, Attribute> kindOf(Root &root) {
  Operation *last =
      root.op.getBody()->getTerminator()->getOperand(0).getDefiningOp();
  return {last->getName().getStringRef(), last->getResult(0).getType(),
          last->getAttrDictionary()};
}

/// Combines the partial results of a point's lanes for all reductions.
void BlockEmitter::combineTogether(KernelBuilder &kernel,
                                   ArrayRef<Root *> stage,
                                   std::vector<Values> &values) {
  LaneGrid grid{layout.rows,         layout.pointLanes,
                layout.elementLanes, layout.rows ? 1 : layout.width,
                pointLane,           elementLane};
  std::vector<SmallVector<size_t>> kinds;
  for (size_t i = 0; i < stage.size(); ++i) {
    if (values[i].size() != 1) {
      values[i] = combineLanes(kernel, *stage[i], values[i]);
      continue;
    }
    auto same = [&](const SmallVector<size_t> &kind) {
      return kindOf(*stage[kind.front()]) == kindOf(*stage[i]) &&
             int64_t(kind.size()) <
                 exchange->getBatch(getElementTypeOrSelf(values[i][0]),
                                    grid.width);
    };
    auto kind = llvm::find_if(kinds, same);
    if (kind == kinds.end())
      kinds.push_back({i});
    else
      kind->push_back(i);
  }
  for (const SmallVector<size_t> &kind : kinds) {
    Values own;
    for (size_t i : kind)
      own.push_back(values[i].front());
    Root &root = *stage[kind.front()];
    Values results = LaneExchange(kernel, *exchange, grid)
                         .combine(own, [&](Value lhs, Value rhs) {
                           return combine(root, lhs, rhs).front();
                         });
    for (auto [i, result] : llvm::zip(kind, results))
      values[i] = {result};
  }
}

void BlockEmitter::emitStage(KernelBuilder &kernel, ArrayRef<Root *> stage) {
  Values values;
  for (Root *root : stage)
    for (OpOperand &init : root->op.getDpsInitsMutable()) {
      Value value = emitter->elementAt(init.get(), pointOf(*root));
      values.push_back(emitter->splat(value));
    }
  int64_t count = iterations(stage.front()->count);
  auto body = [&](AffineExpr iteration, ValueRange before) {
    return step(stage, iteration, before);
  };
  if (stage.front()->count == 0) {
    // Nothing to add to the initial values.
  } else if (unrolled(stage.front()->count)) {
    for (int64_t i = 0; i < count; ++i)
      values = body(space->constant(i), values);
  } else {
    values = emitter->loop(0, count, 1, values, body);
  }
  unsigned position = 0;
  std::vector<Values> partial;
  for (Root *root : stage) {
    unsigned number = root->op.getNumDpsInits();
    Values own(values.begin() + position, values.begin() + position + number);
    position += number;
    if (layout.rows && layout.width > 1) {
      Values sum;
      for (int64_t i = 0; i < layout.width; ++i) {
        Values part;
        for (Value value : own)
          part.push_back(emitter->extractLane(value, i));
        sum = i == 0 ? part : combine(*root, sum, part);
      }
      own = sum;
    }
    partial.push_back(own);
  }
  if (layout.elementLanes > 1)
    combineTogether(kernel, stage, partial);
  for (auto [root, own] : llvm::zip(stage, partial))
    for (auto [result, value] : llvm::zip(root->op.getResults(), own))
      emitter->bindProducer(result, [value = value](auto) { return value; });
}

/// Where what is written of a result begins.
SmallVector<AffineExpr> BlockEmitter::originOf(Output &output) {
  SmallVector<AffineExpr> origin(output.shape.size(), space->constant(0));
  if (output.window)
    for (auto [axis, start] : llvm::enumerate(output.window->starts))
      if (start)
        origin[axis] = emitter->uniformIndex(output.window->op, start);
  if (output.batched)
    origin.front() = space->simplify(part * output.shape.front());
  return origin;
}

void BlockEmitter::storeOutput(Output &output, Place result,
                               ArrayRef<AffineExpr> origin, AffineExpr inner,
                               Value mask) {
  SmallVector<AffineExpr> indices(output.shape.size());
  SmallVector<int64_t> pointShape;
  for (unsigned axis : output.points)
    pointShape.push_back(output.shape[axis]);
  for (auto [axis, index] :
       llvm::zip(output.points, space->unflatten(point, pointShape)))
    indices[axis] = index;
  for (auto [axis, index] :
       llvm::zip(output.inner, space->unflatten(inner, output.innerShape)))
    indices[axis] = index;
  for (auto [index, first] : llvm::zip(indices, origin))
    index = space->simplify(index + first);
  Value value;
  if (output.window) {
    KnownStarts known;
    for (auto [start, first] : llvm::zip(output.window->starts, origin))
      if (start)
        known.push_back({start, first});
    value = emitter->payloadAt(output.window->op, indices, {}, known).front();
  } else {
    value = emitter->elementAt(output.value, indices);
  }
  AffineExpr position = space->flatten(indices, shapeOf(output.value));
  if (result.base)
    position = space->simplify(position - result.base);
  emitter->guarded(mask, [&] {
    emitter->store(result.buffer, getElementTypeOrSelf(output.value.getType()),
                   position, value);
  });
}

void BlockEmitter::emitOutput(KernelBuilder &kernel, Output &output,
                              Place result) {
  if (output.count == 0)
    return;
  SmallVector<AffineExpr> origin = originOf(output);
  if (output.count == 1) {
    // One lane of the point writes.
    Value first = emitter->lessThan(elementLane, 1);
    emitter->guarded(both(pointMask, first), [&] {
      storeOutput(output, result, origin, space->constant(0), {});
    });
    return;
  }
  auto body = [&](AffineExpr iteration, ValueRange) -> Values {
    auto [expr, mask] = element(iteration, output.count);
    storeOutput(output, result, origin, expr, both(pointMask, mask));
    return {};
  };
  int64_t count = iterations(output.count);
  if (unrolled(output.count))
    for (int64_t i = 0; i < count; ++i)
      body(space->constant(i), {});
  else
    emitter->loop(0, count, 1, {}, body);
}

int64_t BlockEmitter::getGrid() const {
  int64_t each = layout.pointLanes * (layout.rows ? 1 : layout.width);
  return std::max<int64_t>(1, llvm::divideCeil(points, each));
}

void BlockEmitter::emit(KernelBuilder &kernel, ExchangeMemory &memory,
                        AffineExpr place, ArrayRef<Place> results,
                        AffineExpr partNumber) {
  part = partNumber;
  emitter = &kernel.getEmitter();
  space = &kernel.getSpace();
  exchange = &memory;
  placeThreads(kernel, place);
  for (unsigned stage = 0; stage < stages; ++stage) {
    // Reductions of equal length share a walk.
    std::map<int64_t, SmallVector<Root *>> walks;
    for (Root &root : roots)
      if (root.stage == stage)
        walks[root.count].push_back(&root);
    for (auto &[count, members] : walks)
      emitStage(kernel, members);
  }
  for (auto [output, result] : llvm::zip(outputs, results))
    emitOutput(kernel, output, result);
}

FailureOr<gpu::GPUFuncOp> nxv::emitBlock(program::GroupOp group,
                                         ModuleOp module, StringRef name) {
  BlockEmitter emitter(group);
  if (failed(emitter.analyze()))
    return failure();
  KernelBuilder kernel(module, name, group, emitter.getThreads(),
                       emitter.getGrid());
  SmallVector<Place> results;
  for (unsigned i = 0; i < group->getNumResults(); ++i)
    results.push_back({kernel.getOutputBuffer(i), {}});
  ExchangeMemory exchange(group.getOperation(), emitter.getThreads());
  emitter.emit(kernel, exchange, kernel.getWorkgroupId(), results);
  return kernel.finish();
}
