//===- TransposeEmitter.cpp - the transpose family --------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
// A map whose operands are contiguous along another axis than its results. A
// workgroup owns a square tile of the two axes: it reads such operands along
// their own axis into workgroup memory, and writes the results along theirs.
//===----------------------------------------------------------------------===//

#include "nxv/Kernel/AccessWalker.h"
#include "nxv/Kernel/KernelBuilder.h"
#include "nxv/Kernel/Transpose.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace nxv;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

static int64_t bytesOf(Type element) {
  return llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
}

std::optional<TransposePlan> nxv::planTranspose(ValueRange results) {
  constexpr int64_t smallest = 4096, shortestAxis = 8;
  ArrayRef<int64_t> shape = typeOf(results.front()).getShape();
  int64_t elements = typeOf(results.front()).getNumElements();
  if (elements < smallest)
    return std::nullopt;
  IndexSpace space(results.front().getContext());
  SmallVector<AffineExpr> dims;
  unsigned last = 0;
  for (auto [axis, size] : llvm::enumerate(shape)) {
    dims.push_back(space.addDim(size));
    if (size > 1)
      last = axis;
  }
  TransposePlan plan;
  plan.resultAxis = last;
  int64_t best = 0;
  auto strideOf = [&](AffineExpr position, unsigned axis) {
    for (auto &[atom, factor] : space.linearize(position).terms)
      if (atom == dims[axis])
        return factor;
    return int64_t(0);
  };
  auto isLeaf = [](Value value) { return isa<BlockArgument>(value); };
  auto onLeaf = [&](Value value, ArrayRef<AffineExpr> at) {
    AffineExpr position = space.flatten(at, typeOf(value).getShape());
    // An index read at run time cannot be staged.
    bool fixed = true;
    for (AffineExpr expr : at)
      expr.walk([&](AffineExpr e) {
        if (auto dim = dyn_cast<AffineDimExpr>(e))
          fixed &= dim.getPosition() < dims.size();
      });
    if (!fixed || strideOf(position, last) < 2)
      return;
    for (unsigned axis = 0; axis < shape.size(); ++axis) {
      if (axis == last || shape[axis] < shortestAxis ||
          strideOf(position, axis) != 1)
        continue;
      int64_t bytes = typeOf(value).getNumElements() *
                      bytesOf(typeOf(value).getElementType());
      if (bytes > best)
        plan.operandAxis = axis;
      best = std::max(best, bytes);
      plan.staged.push_back({value, axis, llvm::to_vector(at)});
    }
  };
  for (Value result : results) {
    if (typeOf(result).getShape() != shape)
      return std::nullopt;
    AccessWalker(space, isLeaf, onLeaf).walk(result, dims);
  }
  llvm::erase_if(plan.staged, [&](StagedOperand &operand) {
    return operand.axis != plan.operandAxis;
  });
  if (plan.staged.empty() || shape[last] < shortestAxis)
    return std::nullopt;
  return plan;
}

namespace {
class TransposeEmitter {
public:
  TransposeEmitter(program::GroupOp group, TransposePlan plan)
      : group(group), plan(std::move(plan)),
        shape(typeOf(getYields(group).front()).getShape()) {}
  gpu::GPUFuncOp emit(ModuleOp module, StringRef name);

private:
  static constexpr int64_t lanes = 32, rows = 8;
  void chooseTile();
  SmallVector<AffineExpr> indicesAt(AffineExpr alongOperand,
                                    AffineExpr alongResult);
  SmallVector<AffineExpr> readAt(StagedOperand &operand,
                                 ArrayRef<AffineExpr> indices);
  void fill(KernelBuilder &kernel);
  void write(KernelBuilder &kernel);

  program::GroupOp group;
  TransposePlan plan;
  ArrayRef<int64_t> shape;
  int64_t tile = 64;
  SmallVector<int64_t> outerShape;
  SmallVector<unsigned> outerAxes;
  SmallVector<Value> memories;
  ElementEmitter *emitter = nullptr;
  IndexSpace *space = nullptr;
  AffineExpr outer, operandTile, resultTile, fast, slow;
};
} // namespace

void TransposeEmitter::chooseTile() {
  constexpr int64_t budget = 32 * 1024;
  auto bytes = [&] {
    int64_t sum = 0;
    for (StagedOperand &operand : plan.staged)
      sum +=
          tile * (tile + 1) * bytesOf(typeOf(operand.tensor).getElementType());
    return sum;
  };
  while (tile > lanes && bytes() > budget)
    tile /= 2;
  while (!plan.staged.empty() && bytes() > budget)
    plan.staged.pop_back();
}

/// The result's indices at a place in the tile, limited to the result.
SmallVector<AffineExpr> TransposeEmitter::indicesAt(AffineExpr alongOperand,
                                                    AffineExpr alongResult) {
  SmallVector<AffineExpr> indices(shape.size());
  for (auto [axis, index] :
       llvm::zip(outerAxes, space->unflatten(outer, outerShape)))
    indices[axis] = index;
  indices[plan.operandAxis] =
      emitter->clamp(space->simplify(operandTile * tile + alongOperand), 0,
                     shape[plan.operandAxis] - 1);
  indices[plan.resultAxis] =
      emitter->clamp(space->simplify(resultTile * tile + alongResult), 0,
                     shape[plan.resultAxis] - 1);
  return indices;
}

/// Where `operand` is read for the result's element at `indices`.
SmallVector<AffineExpr> TransposeEmitter::readAt(StagedOperand &operand,
                                                 ArrayRef<AffineExpr> indices) {
  SmallVector<AffineExpr> at;
  for (AffineExpr expr : operand.access)
    at.push_back(space->simplify(expr.replaceDims(indices)));
  return at;
}

void TransposeEmitter::fill(KernelBuilder &kernel) {
  for (auto [i, operand] : llvm::enumerate(plan.staged)) {
    Type element = typeOf(operand.tensor).getElementType();
    Value memory = kernel.allocateShared(element, tile * (tile + 1));
    memories.push_back(memory);
    for (int64_t r = 0; r < tile; r += rows)
      for (int64_t c = 0; c < tile; c += lanes) {
        AffineExpr alongOperand = fast + c, alongResult = slow + r;
        Value value = emitter->elementAt(
            operand.tensor,
            readAt(operand, indicesAt(alongOperand, alongResult)));
        emitter->store(memory, element, alongResult * (tile + 1) + alongOperand,
                       value);
      }
  }
  kernel.barrier();
}

void TransposeEmitter::write(KernelBuilder &kernel) {
  for (int64_t r = 0; r < tile; r += rows)
    for (int64_t c = 0; c < tile; c += lanes) {
      AffineExpr alongOperand = slow + r, alongResult = fast + c;
      SmallVector<AffineExpr> indices = indicesAt(alongOperand, alongResult);
      AffineExpr place = alongResult * (tile + 1) + alongOperand;
      emitter->pushScope();
      for (auto [memory, operand] : llvm::zip(memories, plan.staged)) {
        SmallVector<AffineExpr> expected = readAt(operand, indices);
        Value tensor = operand.tensor, buffer = emitter->getBuffer(tensor);
        Type element = typeOf(tensor).getElementType();
        emitter->bindProducer(
            tensor, [=, memory = memory](ArrayRef<AffineExpr> at) -> Value {
              if (at == ArrayRef<AffineExpr>(expected))
                return emitter->load(memory, element, place);
              return emitter->load(
                  buffer, element,
                  space->flatten(at, typeOf(tensor).getShape()));
            });
      }
      Value mask =
          emitter->lessThan(space->simplify(operandTile * tile + alongOperand),
                            shape[plan.operandAxis]);
      Value other =
          emitter->lessThan(space->simplify(resultTile * tile + alongResult),
                            shape[plan.resultAxis]);
      if (mask && other)
        mask = arith::AndIOp::create(emitter->getBuilder(), group.getLoc(),
                                     mask, other);
      emitter->guarded(mask ? mask : other, [&] {
        for (auto [i, result] : llvm::enumerate(getYields(group)))
          emitter->store(kernel.getOutputBuffer(i),
                         typeOf(result).getElementType(),
                         space->flatten(indices, shape),
                         emitter->elementAt(result, indices));
      });
      emitter->popScope();
    }
}

gpu::GPUFuncOp TransposeEmitter::emit(ModuleOp module, StringRef name) {
  chooseTile();
  int64_t outerCount = 1;
  for (unsigned axis = 0; axis < shape.size(); ++axis)
    if (axis != plan.operandAxis && axis != plan.resultAxis) {
      outerAxes.push_back(axis);
      outerShape.push_back(shape[axis]);
      outerCount *= shape[axis];
    }
  int64_t across = llvm::divideCeil(shape[plan.resultAxis], tile);
  int64_t down = llvm::divideCeil(shape[plan.operandAxis], tile);
  KernelBuilder kernel(module, name, group, lanes * rows,
                       outerCount * across * down);
  emitter = &kernel.getEmitter();
  space = &kernel.getSpace();
  AffineExpr workgroup = kernel.getWorkgroupId(), thread = kernel.getThreadId();
  resultTile = space->simplify(workgroup % across);
  operandTile = space->simplify(workgroup.floorDiv(across) % down);
  outer = space->simplify(workgroup.floorDiv(across * down));
  fast = emitter->addDim(lanes, emitter->index(thread % lanes));
  slow = emitter->addDim(rows, emitter->index(thread.floorDiv(lanes)));
  fill(kernel);
  write(kernel);
  return kernel.finish();
}

FailureOr<gpu::GPUFuncOp> nxv::emitTranspose(program::GroupOp group,
                                             ModuleOp module, StringRef name) {
  std::optional<TransposePlan> plan = planTranspose(getYields(group));
  if (!plan)
    return group.emitOpError("expected an operand that is contiguous along "
                             "another axis than the results");
  return TransposeEmitter(group, std::move(*plan)).emit(module, name);
}
