//===- Json.h - checked access to JSON
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_LIB_GRAPH_JSON_H
#define NXV_LIB_GRAPH_JSON_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace nxv::graph {

using Json = nlohmann::json;

/// Parses a text; what is wrong with it goes to `error`.
std::optional<Json> parseJson(llvm::StringRef text, std::string &error);

/// The member of an object, or null.
const Json *member(const Json &object, llvm::StringRef key);

/// The text of a JSON string.
std::optional<llvm::StringRef> asString(const Json *value);
/// A JSON integer that fits 64 signed bits.
std::optional<int64_t> asInteger(const Json *value);
std::optional<bool> asBool(const Json *value);
/// An array of integers.
std::optional<llvm::SmallVector<int64_t>> asIntegers(const Json *value);

/// The first key of an object that is neither known nor starts with "x-".
std::optional<std::string> unknownKey(const Json &object,
                                      llvm::ArrayRef<llvm::StringRef> known);

} // namespace nxv::graph

#endif // NXV_LIB_GRAPH_JSON_H
