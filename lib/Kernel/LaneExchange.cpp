//===- LaneExchange.cpp - partial results between lanes -------------------===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
// In a step each thread adds up to 16 partial results of one reduction, so that
// as many threads as there are sums are busy. What is left at the end, few
// values, every lane reads and adds for itself.
//===----------------------------------------------------------------------===//

#include "LaneExchange.h"

#include "nxv/Kernel/Storage.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace nxv;

/// Partial results that a thread adds in a step.
static constexpr int64_t mostWays = 16;
/// Partial results that every lane reads at the end.
static constexpr int64_t mostRead = 32;
/// Bytes of the first step's memory, and reductions that share it at most.
static constexpr int64_t mostBytes = 6 * 1024, mostReductions = 16;
/// Memory of a later step, as a part of the first one's.
static constexpr int64_t shrink = 8;

static int64_t bytesOf(Type element) {
  constexpr int64_t many = 32;
  return llvm::divideCeil(sharedElement(element, many).getIntOrFloatBitWidth(),
                          8);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

ExchangeMemory::ExchangeMemory(ArrayRef<Operation *> scope, int64_t threads)
    : threads(threads) {
  auto count = [&](program::GroupOp group) {
    llvm::DenseMap<Type, int64_t> own;
    for (linalg::GenericOp root : getRoots(group)) {
      for (auto [i, type] : llvm::enumerate(root.getResultTypes())) {
        Type element = getElementTypeOrSelf(type);
        if (root.getNumDpsInits() != 1)
          others[{unsigned(i), element}] = true;
        else
          counts[element] = std::max(counts[element], ++own[element]);
      }
    }
  };
  for (Operation *op : scope)
    op->walk(count);
}

Value ExchangeMemory::get(KernelBuilder &kernel, unsigned slot, Type element,
                          int64_t count) {
  Value &value =
      memory[{turn * 64 + slot, count, element.getAsOpaquePointer()}];
  if (!value)
    value = kernel.allocateShared(element, count);
  return value;
}

int64_t ExchangeMemory::getBatch(Type element, int64_t width) const {
  auto found = counts.find(element);
  int64_t count = found == counts.end() ? 1 : found->second;
  int64_t fitting = mostBytes / (threads * width * bytesOf(element));
  return std::clamp<int64_t>(fitting, 1, std::min(count, mostReductions));
}

int64_t ExchangeMemory::getBytes(int64_t width, int64_t lanes) const {
  constexpr int64_t sets = 2;
  int64_t levels = lanes > mostWays ? 2 : 1;
  int64_t bytes = 0;
  for (auto &[element, count] : counts)
    for (int64_t left = threads; left > 0; left /= shrink)
      bytes += getBatch(element, width) * width * left * bytesOf(element);
  for (auto &[kind, used] : others)
    bytes += levels * width * threads * bytesOf(kind.second);
  return sets * bytes;
}

//===----------------------------------------------------------------------===//
// Exchange
//===----------------------------------------------------------------------===//

/// Where the partial result `which` of `lanes` of the thread's point lies.
AffineExpr LaneExchange::position(AffineExpr slot, AffineExpr which,
                                  int64_t lanes) {
  AffineExpr own = grid.rows ? grid.pointLane * lanes + which
                             : which * grid.pointLanes + grid.pointLane;
  return space.simplify(slot * (grid.pointLanes * lanes) + own);
}

/// The memory of a step: the same for all exchanges of a kernel that take
/// turns.
Value LaneExchange::buffer(unsigned level, int64_t reductions) {
  int64_t lanes = memory.getThreads();
  for (unsigned i = 0; i < level; ++i)
    lanes = llvm::divideCeil(lanes, shrink);
  // Slots from 32 on are not used by exchanges of one reduction.
  return memory.get(kernel, 32 + level, element,
                    reductions * grid.width * lanes);
}

/// All lanes write what they have.
void LaneExchange::write(ValueRange values, Value into) {
  for (auto [i, value] : llvm::enumerate(values))
    for (int64_t j = 0; j < grid.width; ++j)
      emitter.store(into, element,
                    position(space.constant(i * grid.width + j),
                             grid.elementLane, grid.elementLanes),
                    emitter.extractLane(value, j));
}

/// Adds `ways` partial results, `stride` apart, by pairs.
Value LaneExchange::sum(Value from, AffineExpr slot, AffineExpr first,
                        int64_t stride, int64_t ways, int64_t lanes,
                        const Combine &combine) {
  Values parts;
  for (int64_t way = 0; way < ways; ++way)
    parts.push_back(emitter.load(
        from, element,
        position(slot, space.simplify(first + way * stride), lanes)));
  while (parts.size() > 1) {
    Values next;
    for (size_t i = 0; i + 1 < parts.size(); i += 2)
      next.push_back(combine(parts[i], parts[i + 1]));
    if (parts.size() % 2)
      next.push_back(parts.back());
    parts = next;
  }
  return parts.front();
}

/// Divides the sums of all slots among the lanes of each point.
void LaneExchange::step(Value from, Value to, int64_t slots, int64_t lanes,
                        int64_t ways, const Combine &combine) {
  int64_t parts = lanes / ways;
  int64_t slotsEach = grid.elementLanes / parts;
  AffineExpr part = space.simplify(grid.elementLane % parts);
  AffineExpr own = space.simplify(grid.elementLane.floorDiv(parts));
  for (int64_t first = 0; first < slots; first += slotsEach) {
    AffineExpr slot = space.simplify(own + first);
    emitter.guarded(emitter.lessThan(slot, slots), [&] {
      emitter.store(to, element, position(slot, part, parts),
                    sum(from, slot, part, parts, ways, lanes, combine));
    });
  }
}

LaneExchange::Values LaneExchange::combine(ValueRange values,
                                           const Combine &combine) {
  element = getElementTypeOrSelf(values.front().getType());
  int64_t reductions = memory.getBatch(element, grid.width);
  int64_t slots = values.size() * grid.width, lanes = grid.elementLanes;
  memory.next();
  unsigned level = 0;
  Value from = buffer(level, reductions);
  write(values, from);
  kernel.barrier();
  while (lanes > mostWays || (lanes > 1 && slots * lanes > mostRead)) {
    int64_t ways = std::min(mostWays, lanes);
    Value to = buffer(++level, reductions);
    step(from, to, slots, lanes, ways, combine);
    kernel.barrier();
    lanes /= ways;
    from = to;
  }
  Values results;
  for (size_t i = 0; i < values.size(); ++i) {
    Values entries;
    for (int64_t j = 0; j < grid.width; ++j)
      entries.push_back(sum(from, space.constant(i * grid.width + j),
                            space.constant(0), 1, lanes, lanes, combine));
    results.push_back(emitter.joinLanes(entries));
  }
  return results;
}
