//===- Json.cpp - checked access to JSON
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Json.h"

#include "llvm/ADT/STLExtras.h"
#include <set>

using namespace nxv::graph;

/// Deeper texts are refused: scopes are imported recursively.
static constexpr int kMaxDepth = 512;

/// Whether brackets outside strings nest deeper than the limit.
static bool nestsTooDeep(llvm::StringRef text) {
  int depth = 0;
  bool inString = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (inString) {
      if (c == '\\')
        ++i;
      else if (c == '"')
        inString = false;
    } else if (c == '"') {
      inString = true;
    } else if (c == '{' || c == '[') {
      if (++depth > kMaxDepth)
        return true;
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
  return false;
}

namespace {
/// Accepts everything but repeated keys, and keeps the first error.
struct CheckingSax : nlohmann::json_sax<Json> {
  std::string error;
  std::vector<std::set<std::string>> keys;

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t &) override { return true; }
  bool string(string_t &) override { return true; }
  bool binary(binary_t &) override { return true; }
  bool start_array(std::size_t) override { return true; }
  bool end_array() override { return true; }
  bool start_object(std::size_t) override {
    keys.emplace_back();
    return true;
  }
  bool end_object() override {
    keys.pop_back();
    return true;
  }
  bool key(string_t &name) override {
    if (keys.back().insert(name).second)
      return true;
    error = "key '" + name + "' occurs twice in an object";
    return false;
  }
  bool parse_error(std::size_t position, const std::string &,
                   const nlohmann::detail::exception &) override {
    error = "not valid JSON at byte " + std::to_string(position);
    return false;
  }
};
} // namespace

std::optional<Json> nxv::graph::parseJson(llvm::StringRef text,
                                          std::string &error) {
  if (nestsTooDeep(text)) {
    error = "nested deeper than " + std::to_string(kMaxDepth) + " levels";
    return std::nullopt;
  }
  CheckingSax sax;
  if (!Json::sax_parse(text.begin(), text.end(), &sax)) {
    error = sax.error;
    return std::nullopt;
  }
  Json json = Json::parse(text.begin(), text.end(), nullptr,
                          /*allow_exceptions=*/false);
  if (json.is_discarded()) {
    error = "not valid JSON";
    return std::nullopt;
  }
  return json;
}

const Json *nxv::graph::member(const Json &object, llvm::StringRef key) {
  if (!object.is_object())
    return nullptr;
  auto found = object.find(key.str());
  return found == object.end() ? nullptr : &*found;
}

std::optional<llvm::StringRef> nxv::graph::asString(const Json *value) {
  if (!value || !value->is_string())
    return std::nullopt;
  return llvm::StringRef(*value->get_ptr<const std::string *>());
}

std::optional<int64_t> nxv::graph::asInteger(const Json *value) {
  if (!value || !value->is_number_integer())
    return std::nullopt;
  if (!value->is_number_unsigned())
    return *value->get_ptr<const int64_t *>();
  uint64_t bits = *value->get_ptr<const uint64_t *>();
  if (bits > static_cast<uint64_t>(INT64_MAX))
    return std::nullopt;
  return static_cast<int64_t>(bits);
}

std::optional<bool> nxv::graph::asBool(const Json *value) {
  if (!value || !value->is_boolean())
    return std::nullopt;
  return *value->get_ptr<const bool *>();
}

std::optional<llvm::SmallVector<int64_t>>
nxv::graph::asIntegers(const Json *value) {
  if (!value || !value->is_array())
    return std::nullopt;
  llvm::SmallVector<int64_t> integers;
  for (const Json &entry : *value) {
    std::optional<int64_t> integer = asInteger(&entry);
    if (!integer)
      return std::nullopt;
    integers.push_back(*integer);
  }
  return integers;
}

std::optional<std::string>
nxv::graph::unknownKey(const Json &object,
                       llvm::ArrayRef<llvm::StringRef> known) {
  // The elements of a list have no keys to ask for.
  if (!object.is_object())
    return std::nullopt;
  for (auto entry = object.begin(); entry != object.end(); ++entry)
    if (!llvm::is_contained(known, llvm::StringRef(entry.key())) &&
        !llvm::StringRef(entry.key()).starts_with("x-"))
      return entry.key();
  return std::nullopt;
}
