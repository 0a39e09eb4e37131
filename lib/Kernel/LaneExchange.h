//===- LaneExchange.h - partial results between lanes -----------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
// The lanes of a point combine what each of them has reduced through workgroup
// memory. Reductions of one kind do so together: they share the barriers, and
// the sums are divided among the lanes instead of being made by all of them.
//===----------------------------------------------------------------------===//

#ifndef NXV_LIB_KERNEL_LANEEXCHANGE_H
#define NXV_LIB_KERNEL_LANEEXCHANGE_H

#include "nxv/Kernel/KernelBuilder.h"

#include "llvm/ADT/MapVector.h"

#include <functional>
#include <map>
#include <tuple>

namespace nxv {

/// Workgroup memory through which lanes exchange partial results; exchanges
/// take turns with two sets of it.
class ExchangeMemory {
public:
  /// For the groups among and inside of `scope`, with `threads` threads.
  ExchangeMemory(llvm::ArrayRef<mlir::Operation *> scope, int64_t threads);

  /// Starts the turn of another exchange.
  void next() { turn ^= 1; }
  /// Memory for `count` elements: the same for the same arguments in a turn.
  mlir::Value get(KernelBuilder &kernel, unsigned slot, mlir::Type element,
                  int64_t count);
  /// How many reductions to `element`, `width` values each, share an exchange.
  int64_t getBatch(mlir::Type element, int64_t width) const;
  int64_t getThreads() const { return threads; }
  /// Bytes of workgroup memory that everything takes at most, with `width`
  /// values a thread and `lanes` lanes a point.
  int64_t getBytes(int64_t width = 1, int64_t lanes = 256) const;

private:
  int64_t threads;
  unsigned turn = 0;
  /// The most reductions to a type in one group.
  llvm::MapVector<mlir::Type, int64_t> counts;
  /// Types of reductions with several results: these exchange them one by one.
  llvm::MapVector<std::pair<unsigned, mlir::Type>, bool> others;
  std::map<std::tuple<unsigned, int64_t, const void *>, mlir::Value> memory;
};

/// How the threads of a workgroup stand to the points of a reduction.
struct LaneGrid {
  bool rows = false;        // the lanes of a point are neighbours
  int64_t pointLanes = 1;   // threads along the points
  int64_t elementLanes = 1; // threads along the elements of a point
  int64_t width = 1;        // points of a thread
  mlir::AffineExpr pointLane, elementLane;
};

class LaneExchange {
public:
  using Values = llvm::SmallVector<mlir::Value>;
  using Combine = std::function<mlir::Value(mlir::Value, mlir::Value)>;

  LaneExchange(KernelBuilder &kernel, ExchangeMemory &memory, LaneGrid grid)
      : kernel(kernel), emitter(kernel.getEmitter()), space(kernel.getSpace()),
        memory(memory), grid(grid) {}

  /// Each of `values` combined over the lanes of its point, for all lanes.
  Values combine(mlir::ValueRange values, const Combine &combine);

private:
  mlir::AffineExpr position(mlir::AffineExpr slot, mlir::AffineExpr which,
                            int64_t lanes);
  mlir::Value buffer(unsigned level, int64_t reductions);
  void write(mlir::ValueRange values, mlir::Value into);
  mlir::Value sum(mlir::Value from, mlir::AffineExpr slot,
                  mlir::AffineExpr first, int64_t stride, int64_t ways,
                  int64_t lanes, const Combine &combine);
  void step(mlir::Value from, mlir::Value to, int64_t slots, int64_t lanes,
            int64_t ways, const Combine &combine);

  KernelBuilder &kernel;
  ElementEmitter &emitter;
  IndexSpace &space;
  ExchangeMemory &memory;
  LaneGrid grid;
  mlir::Type element;
};

} // namespace nxv

#endif // NXV_LIB_KERNEL_LANEEXCHANGE_H
