//===- AccessWalker.h - which elements an element needs ---------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
// The symbolic counterpart of ElementEmitter: it follows an element through the
// producers that would be inlined and reports, for each tensor where the
// inlining stops, at which indices it is read. Grouping decides by it.
//===----------------------------------------------------------------------===//

#ifndef NXV_KERNEL_ACCESSWALKER_H
#define NXV_KERNEL_ACCESSWALKER_H

#include "nxv/Kernel/IndexSpace.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/AffineMap.h"
#include "llvm/ADT/DenseSet.h"
#include <functional>

namespace nxv {

class AccessWalker {
public:
  using Indices = llvm::ArrayRef<mlir::AffineExpr>;
  using KnownIndices = llvm::ArrayRef<std::pair<mlir::Value, mlir::AffineExpr>>;

  /// `isLeaf` says where the inlining stops; `onLeaf` gets each read there once
  /// for each distinct index.
  AccessWalker(IndexSpace &space, std::function<bool(mlir::Value)> isLeaf,
               std::function<void(mlir::Value, Indices)> onLeaf)
      : space(space), isLeaf(std::move(isLeaf)), onLeaf(std::move(onLeaf)) {}

  /// Stops when more than this many operations would be emitted.
  int64_t limit = 1 << 20;

  void walk(mlir::Value tensor, Indices indices);
  /// The reads of `op`'s payload at the loop indices `loops`, where the
  /// payload's index values in `known` are as given.
  void walkPayload(mlir::linalg::GenericOp op, Indices loops,
                   KnownIndices known = {});

  /// Arithmetic of one element of everything walked, in units of an addition.
  int64_t getCost() const { return cost; }
  /// Operations visited: the size of the code that inlining would emit.
  int64_t getSize() const { return size; }
  bool exceededLimit() const { return size > limit; }

private:
  struct Environment;
  void walkBlock(mlir::Block &block, Environment &env, int64_t repeats);
  mlir::AffineExpr indexOf(mlir::Value value, Environment &env);
  mlir::AffineExpr fresh();

  IndexSpace &space;
  std::function<bool(mlir::Value)> isLeaf;
  std::function<void(mlir::Value, Indices)> onLeaf;
  llvm::DenseSet<std::pair<void *, mlir::AffineMap>> visited;
  int64_t cost = 0;
  int64_t size = 0;
  int64_t repeats = 1;
};

/// The cost of one scalar operation in units of an addition.
int64_t scalarCost(mlir::Operation *op);

} // namespace nxv

#endif // NXV_KERNEL_ACCESSWALKER_H
