//===- Literals.h - values of constant and tensor nodes
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_LIB_GRAPH_LITERALS_H
#define NXV_LIB_GRAPH_LITERALS_H

#include "Json.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

namespace nxv::graph {

/// A splat of a JSON value; null, with the reason in `error`, if the value does
/// not fit the type.
mlir::DenseElementsAttr splatLiteral(const Json &value,
                                     mlir::RankedTensorType type,
                                     std::string &error);

/// Little-endian row-major elements, a sub-byte one in a byte of its own.
mlir::DenseElementsAttr denseLiteral(llvm::ArrayRef<char> bytes,
                                     mlir::RankedTensorType type,
                                     std::string &error);

} // namespace nxv::graph

#endif // NXV_LIB_GRAPH_LITERALS_H
