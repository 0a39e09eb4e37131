//===- ElementType.h - the graph's element types
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_LIB_GRAPH_ELEMENTTYPE_H
#define NXV_LIB_GRAPH_ELEMENTTYPE_H

#include "mlir/IR/BuiltinTypes.h"
#include <optional>

namespace nxv::graph {

/// The type that "u8", "f32", "c64" ... name; null for another name.
mlir::Type parseElementType(llvm::StringRef name, mlir::MLIRContext *context);

/// The name of a type; predicates are "u8". Empty for a type without one.
llvm::StringRef elementTypeName(mlir::Type type);

/// Orders kinds of elements: integers, floats, complex numbers.
int kindRank(mlir::Type type);

/// The type that a comparison of two types compares in.
mlir::Type mergeElementTypes(mlir::Type a, mlir::Type b);

/// Bytes of an element in tensor data: sub-byte elements take one byte each.
int64_t elementBytes(mlir::Type type);

/// The number of elements of a shape whose data can be addressed.
std::optional<int64_t> countElements(llvm::ArrayRef<int64_t> shape,
                                     mlir::Type element);

} // namespace nxv::graph

#endif // NXV_LIB_GRAPH_ELEMENTTYPE_H
