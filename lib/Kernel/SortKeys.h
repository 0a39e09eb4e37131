//===- SortKeys.h - integers in the order of elements -----------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
// Sorts compare keys: signed integers of 32 or 64 bits in the order asked for.
// Zeros have one key and so have NaNs, and no device's treatment of subnormals
// or NaNs in comparisons matters.
//===----------------------------------------------------------------------===//

#ifndef NXV_LIB_KERNEL_SORTKEYS_H
#define NXV_LIB_KERNEL_SORTKEYS_H

#include "nxv/Kernel/KernelBuilder.h"

namespace nxv {

/// Makes keys of the elements of one type.
class SortKeys {
public:
  SortKeys(mlir::Type element, bool descending, bool isUnsigned);

  mlir::IntegerType getType() const { return type; }
  mlir::Value keyOf(ElementEmitter &emitter, mlir::Value element) const;
  /// A key that no element's is greater than.
  mlir::Value last(ElementEmitter &emitter) const;

private:
  mlir::Value floatKey(ElementEmitter &emitter, mlir::Value element) const;
  mlir::Value integerKey(ElementEmitter &emitter, mlir::Value element) const;
  mlir::Value constant(ElementEmitter &emitter, int64_t value) const;

  mlir::Type element;
  mlir::IntegerType type;
  bool descending;
  bool isUnsigned;
};

/// Two sorted runs; a function gives the key at a place of each. Places may be
/// out of range where the key does not matter.
struct SortedRuns {
  using KeyAt = std::function<mlir::Value(mlir::Value)>;
  mlir::Value firstCount, secondCount;
  KeyAt first, second;
};

/// How many of the first `diagonal` elements of the merged runs come from the
/// first run. `diagonal` is at most the sum of the runs' lengths. Takes `steps`
/// steps, see partitionSteps.
mlir::Value partitionRuns(ElementEmitter &emitter, const SortedRuns &runs,
                          mlir::Value diagonal, mlir::Value steps);
/// The steps that suffice for a first run of at most `most` elements.
int64_t partitionSteps(int64_t most);

/// Keys in workgroup memory and the places that they came from, 32 bits each.
class SharedKeys {
public:
  SharedKeys() = default;
  SharedKeys(KernelBuilder &kernel, mlir::IntegerType type, int64_t count);

  /// At a slot of any value; what is read beyond the end does not matter.
  mlir::Value key(mlir::Value slot) const;
  mlir::Value place(mlir::Value slot) const;

  mlir::Value key(mlir::AffineExpr slot) const;
  mlir::Value place(mlir::AffineExpr slot) const;
  void setKey(mlir::AffineExpr slot, mlir::Value key) const;
  void setPlace(mlir::AffineExpr slot, mlir::Value place) const;

private:
  mlir::AffineExpr limited(mlir::Value slot) const;
  mlir::AffineExpr position(mlir::AffineExpr slot) const;

  ElementEmitter *emitter = nullptr;
  mlir::IntegerType type;
  int64_t count = 0;
  mlir::Value keys, places;
};

/// The slots, and with them the keys, of the next `count` elements of two runs
/// in [first, firstEnd) and [second, secondEnd).
struct MergedSlots {
  ElementEmitter::Values slots, keys;
};
MergedSlots mergeSlots(ElementEmitter &emitter, const SharedKeys &shared,
                       mlir::Value first, mlir::Value firstEnd,
                       mlir::Value second, mlir::Value secondEnd,
                       int64_t count);

/// A loop of `count` iterations, known at run time, that carries `inits`.
ElementEmitter::Values countedLoop(
    ElementEmitter &emitter, mlir::Value count, mlir::ValueRange inits,
    llvm::function_ref<ElementEmitter::Values(mlir::Value, mlir::ValueRange)>
        body);

/// Between the index type and the 32 bits that a place along an axis takes.
mlir::Value placeToIndex(ElementEmitter &emitter, mlir::Value place);
mlir::Value indexToPlace(ElementEmitter &emitter, mlir::Value index);
/// A place along an axis as an element of a tensor of indices.
mlir::Value placeAs(ElementEmitter &emitter, mlir::Value place,
                    mlir::Type element);

} // namespace nxv

#endif // NXV_LIB_KERNEL_SORTKEYS_H
