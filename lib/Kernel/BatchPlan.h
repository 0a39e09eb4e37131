//===- BatchPlan.h - loops over independent slices --------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
// Where every slice along the first axis goes through a loop on its own, as the
// chains of a sampler do, a kernel gives each slice a workgroup, or each few
// slices where they are small.
//===----------------------------------------------------------------------===//

#ifndef NXV_LIB_KERNEL_BATCHPLAN_H
#define NXV_LIB_KERNEL_BATCHPLAN_H

#include "nxv/Dialect/Nxv/IR/Nxv.h"
#include "nxv/Dialect/Program/IR/Program.h"

#include "llvm/ADT/DenseSet.h"

namespace nxv {

/// On a loop group: how many workgroups share the slices; and which of its
/// inputs have them.
inline constexpr llvm::StringLiteral batchAttrName = "nxv.batch";
inline constexpr llvm::StringLiteral batchedInputsAttrName =
    "nxv.batched_inputs";
/// On the operations inside: which of their results have slices.
inline constexpr llvm::StringLiteral batchedAttrName = "nxv.batched";
/// On a reduction: the loop that goes over the slices.
inline constexpr llvm::StringLiteral batchLoopAttrName = "nxv.batch_loop";

/// Is a result of `op` sliced?
bool isBatched(mlir::Operation *op, unsigned result);

class BatchPlan {
public:
  /// Finds slices that the loops among `ops` never mix: an empty plan, of size
  /// 1, if there are none.
  static BatchPlan find(llvm::ArrayRef<mlir::Operation *> ops);

  int64_t getSize() const { return size; }
  /// The workgroups that share the slices.
  int64_t getGroups() const { return groups; }
  /// Gives each workgroup as many slices as make `lanes` elements or more, if
  /// one has `work` elements. Leaves an empty plan if one workgroup suits.
  void divide(int64_t work, int64_t lanes);
  /// Does `value`, or what it is a reshape of, consist of slices?
  bool isSliced(mlir::Value value) const;
  /// Writes the plan on the operations, or takes it off.
  void annotate(llvm::ArrayRef<mlir::Operation *> ops) const;
  static void clear(llvm::ArrayRef<mlir::Operation *> ops);

private:
  bool settle(llvm::ArrayRef<mlir::Operation *> ops);
  void check(mlir::Operation *op);
  void checkGroup(program::GroupOp group);
  void checkWhile(nxv::WhileOp loop);
  void checkCase(nxv::CaseOp op);
  void equate(llvm::ArrayRef<mlir::Value> values);
  void forbid(mlir::Value value);

  int64_t size = 1, groups = 1;
  llvm::DenseSet<mlir::Value> whole;
  llvm::DenseMap<mlir::Operation *, int64_t> batchLoops;
  bool changed = false;
};

} // namespace nxv

#endif // NXV_LIB_KERNEL_BATCHPLAN_H
