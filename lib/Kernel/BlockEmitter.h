//===- BlockEmitter.h - the map and reduce families -------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_LIB_KERNEL_BLOCKEMITTER_H
#define NXV_LIB_KERNEL_BLOCKEMITTER_H

#include "LaneExchange.h"
#include "UpdateWindow.h"

#include "nxv/Kernel/KernelBuilder.h"

#include "llvm/Support/MathExtras.h"

#include <map>
#include <vector>

namespace nxv {

/// A reduction of the group and its place in the order of evaluation.
struct Root {
  mlir::linalg::GenericOp op;
  llvm::SmallVector<unsigned> parallel; // loop of each result axis
  llvm::SmallVector<unsigned> reduced;
  llvm::SmallVector<int64_t> resultShape;
  llvm::SmallVector<int64_t> extents; // of the reduced loops
  int64_t count = 1;                  // reduced elements a point
  unsigned stage = 0;
  bool ordered = false;
  int64_t batchLoop = -1;
};

/// A result of the group: which of its axes are the points, which run inside.
struct Output {
  mlir::Value value;
  /// What is written of it: all, a part of the batch, a window.
  llvm::SmallVector<int64_t> shape;
  std::optional<UpdateWindow> window;
  bool batched = false;
  llvm::SmallVector<unsigned> points, inner;
  llvm::SmallVector<int64_t> innerShape;
  int64_t count = 1;
};

/// The memory of a tensor, or of a part of it: the element at the position
/// `base` (null: 0) lies first.
struct Place {
  mlir::Value buffer;
  mlir::AffineExpr base;
};

/// How points and elements are laid on workgroups, lanes and vectors.
struct Layout {
  bool rows = false;
  int64_t width = 1;        // entries of a vector
  int64_t pointLanes = 1;   // threads along the points
  int64_t elementLanes = 1; // threads along the elements of a point
  int64_t threads() const { return pointLanes * elementLanes; }
};

/// Lays out a group of the map and reduce families.
class BlockEmitter {
public:
  /// With `fixedThreads` the layout uses exactly that many threads, and is
  /// meant for one workgroup that goes over all of the grid's places in turn.
  /// What is marked as batched is divided into `batch` parts along its first
  /// axis, of which it goes over one.
  explicit BlockEmitter(program::GroupOp group, int64_t fixedThreads = 0,
                        int64_t batch = 1)
      : group(group), fixedThreads(fixedThreads), batch(batch) {}
  /// Fails, with an error unless `quiet`, where a result does not follow the
  /// points of the group's reductions.
  mlir::LogicalResult analyze(bool quiet = false);
  int64_t getThreads() const { return layout.threads(); }
  int64_t getGrid() const;
  /// Emits what the workgroup at `place` of the grid does, writing the results
  /// into `results`; `part` is the number of the batch's part.
  void emit(KernelBuilder &kernel, ExchangeMemory &exchange,
            mlir::AffineExpr place, llvm::ArrayRef<Place> results,
            mlir::AffineExpr part = {});

private:
  using Values = ElementEmitter::Values;
  using Value = mlir::Value;
  using AffineExpr = mlir::AffineExpr;
  using ValueRange = mlir::ValueRange;
  Root describe(mlir::linalg::GenericOp op);
  Output startOutput(unsigned number);
  mlir::LogicalResult describeOutput(unsigned number, bool quiet);
  void describeMap();
  void
  walkOutput(const Output &output, IndexSpace &symbols,
             llvm::ArrayRef<AffineExpr> dims, AffineExpr batchDim,
             std::function<void(Value, llvm::ArrayRef<AffineExpr>)> onRoot);
  void chooseLayout();
  void chooseFixedLayout();
  void limitExchange();
  void score(int64_t &rows, int64_t &columns);
  int64_t pointWidth();
  int64_t elementWidth();
  int64_t iterations(int64_t count) const {
    int64_t step = layout.elementLanes * (layout.rows ? layout.width : 1);
    return llvm::divideCeil(count, step);
  }
  bool unrolled(int64_t count) const {
    return iterations(count) <= (stages > 1 || !roots.empty() ? 8 : 1) &&
           iterations(count) * int64_t(roots.size() + outputs.size()) <= 48;
  }

  void placeThreads(KernelBuilder &kernel, AffineExpr place);
  std::pair<AffineExpr, Value> element(AffineExpr iteration, int64_t count);
  void emitStage(KernelBuilder &kernel, llvm::ArrayRef<Root *> stage);
  llvm::SmallVector<AffineExpr> pointOf(Root &root);
  llvm::SmallVector<AffineExpr> loopsOf(Root &root, AffineExpr element);
  Values step(llvm::ArrayRef<Root *> stage, AffineExpr iteration,
              ValueRange values);
  Values combine(Root &root, ValueRange lhs, ValueRange rhs);
  Values combineArgs(mlir::linalg::GenericOp op, ValueRange lhs,
                     ValueRange rhs);
  Values combineLanes(KernelBuilder &kernel, Root &root, Values values);
  void combineTogether(KernelBuilder &kernel, llvm::ArrayRef<Root *> stage,
                       std::vector<Values> &values);
  void emitOutput(KernelBuilder &kernel, Output &output, Place result);
  llvm::SmallVector<AffineExpr> originOf(Output &output);
  void storeOutput(Output &output, Place result,
                   llvm::ArrayRef<AffineExpr> origin, AffineExpr inner,
                   Value mask);
  Value both(Value lhs, Value rhs);
  AffineExpr sharedPosition(AffineExpr elementLane);

  program::GroupOp group;
  int64_t fixedThreads;
  int64_t batch;
  std::vector<Root> roots;
  std::vector<Output> outputs;
  int64_t points = 1;
  unsigned stages = 0;
  Layout layout;

  ElementEmitter *emitter = nullptr;
  IndexSpace *space = nullptr;
  AffineExpr point, pointLane, elementLane, lane, part;
  Value pointMask;
  std::map<std::pair<int64_t, int64_t>, std::pair<AffineExpr, Value>> elements;
  ExchangeMemory *exchange = nullptr;
};

} // namespace nxv

#endif // NXV_LIB_KERNEL_BLOCKEMITTER_H
