//===- Base64.h - base64
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_LIB_GRAPH_BASE64_H
#define NXV_LIB_GRAPH_BASE64_H

#include "mlir/Support/LLVM.h"
#include <optional>
#include <vector>

namespace nxv::graph {

/// Decodes padded base64; what is wrong with the text goes to `error`.
std::optional<std::vector<char>> decodeBase64(llvm::StringRef text,
                                              std::string &error);

std::string encodeBase64(llvm::ArrayRef<char> bytes);

} // namespace nxv::graph

#endif // NXV_LIB_GRAPH_BASE64_H
