//===- Storage.h - where the values of groups lie ---------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_KERNEL_STORAGE_H
#define NXV_KERNEL_STORAGE_H

#include "nxv/Dialect/Nxv/IR/Nxv.h"
#include "nxv/Dialect/Program/IR/Program.h"

#include "mlir/IR/BuiltinAttributes.h"

#include <optional>

namespace nxv {

/// Bytes of a tensor in memory.
int64_t byteSize(mlir::Type tensor);

/// What workgroup memory holds `count` elements of a tensor as: a few
/// predicates are words, so that kernels need no bytes for them.
mlir::Type sharedElement(mlir::Type element, int64_t count);
/// Bytes of a tensor in workgroup memory.
int64_t sharedByteSize(mlir::Type tensor);

/// The value whose memory `value` shares: a reshape of it, or the result of a
/// loop that hands it on.
mlir::Value stripReshapes(mlir::Value value);

/// Inputs of `group` that a result may overwrite, as pairs of an input's and a
/// result's number.
mlir::ArrayAttr getInPlacePairs(program::GroupOp group);

/// Pairs as getInPlacePairs gives them, on a group of which the results are
/// known to lie in the memory of the inputs.
inline constexpr llvm::StringLiteral aliasedAttrName = "nxv.aliased";

/// The input in whose memory a result of `group` lies.
std::optional<unsigned> getAliasedInput(program::GroupOp group,
                                        unsigned result);

/// Is a state the same in every turn?
bool isInvariantState(nxv::WhileOp loop, unsigned state);

/// Notes on the groups of a loop's body which results lie in the memory of the
/// state that they replace.
void markAliases(nxv::WhileOp loop);

/// The values in a loop's body that may be written straight over a state, with
/// the state's number: nothing reads the old state any more.
llvm::SmallVector<std::pair<mlir::Value, unsigned>>
getDirectStates(mlir::Block &body);

/// For each value that a branch gives, itself if the group that computes it may
/// write it where the result lies, or a null value.
llvm::SmallVector<mlir::Value> getDirectResults(mlir::Block &branch);

} // namespace nxv

#endif // NXV_KERNEL_STORAGE_H
