//===- PackReader.cpp - bytes from a stranger to a pack -------------------===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Pack.h"
#include "PackFormat.h"

#include <cstring>
#include <initializer_list>
#include <set>

using namespace nxv::pack;
using Json = nlohmann::ordered_json;

namespace {

/// Deeper than any program: a `while` takes two levels.
constexpr unsigned kMaxJsonDepth = 128;
constexpr uint64_t kMaxHeaderBytes = uint64_t(1) << 30;

std::string str(uint64_t value) { return std::to_string(value); }

uint64_t getU64(const uint8_t *data) {
  uint64_t value = 0;
  for (int i = 7; i >= 0; --i)
    value = value << 8 | data[i];
  return value;
}

/// The JSON library copies and prints values recursively, so the depth is
/// bounded before it sees the text.
bool depthIsBounded(const char *text, size_t size) {
  unsigned depth = 0;
  bool inString = false;
  for (size_t i = 0; i < size; ++i) {
    char c = text[i];
    if (inString) {
      if (c == '\\')
        ++i;
      else if (c == '"')
        inString = false;
    } else if (c == '"') {
      inString = true;
    } else if (c == '{' || c == '[') {
      if (++depth > kMaxJsonDepth)
        return false;
    } else if ((c == '}' || c == ']') && depth > 0) {
      --depth;
    }
  }
  return true;
}

/// Parses the text and finds the first key that an object has twice.
Json parseJson(const char *text, size_t size, std::string &duplicate) {
  std::vector<std::set<std::string>> keys;
  auto callback = [&](int, Json::parse_event_t event, Json &value) {
    if (event == Json::parse_event_t::object_start)
      keys.emplace_back();
    else if (event == Json::parse_event_t::object_end)
      keys.pop_back();
    else if (event == Json::parse_event_t::key && duplicate.empty() &&
             !keys.back().insert(value.get_ref<std::string &>()).second)
      duplicate = value.get_ref<std::string &>();
    return true;
  };
  return Json::parse(text, text + size, callback, /*allow_exceptions=*/false);
}

class Reader {
public:
  Reader(Pack &pack, std::string &error) : pack(pack), error(error) {}

  bool run(const uint8_t *data, size_t size) {
    uint64_t dataStart = 0;
    Json header;
    if (!fixedHeader(data, size, dataStart) || !json(data, header))
      return false;
    if (!root(header) || !blobs(header["blobs"], data, size, dataStart))
      return false;
    std::string wrong = verify(pack);
    return wrong.empty() || fail(wrong);
  }

private:
  bool fail(const std::string &text) {
    if (error.empty())
      error = text;
    return false;
  }
  bool fail(const std::string &where, const std::string &text) {
    return fail(where + ": " + text);
  }

  //===--------------------------------------------------------------------===//
  // The container
  //===--------------------------------------------------------------------===//

  bool fixedHeader(const uint8_t *data, size_t size, uint64_t &dataStart) {
    if (size < kFixedHeaderBytes)
      return fail("the file has " + str(size) + " bytes, a pack at least " +
                  str(kFixedHeaderBytes));
    if (std::memcmp(data, kMagic, sizeof(kMagic)) != 0)
      return fail("not a pack: the magic number is wrong");
    uint64_t version = getU64(data + 8) & 0xffffffff;
    if (version != kVersion)
      return fail("version " + str(version) + " of the format, this reads " +
                  str(kVersion));
    if (getU64(data + 8) >> 32 != 0)
      return fail("the reserved word is " + str(getU64(data + 8) >> 32) +
                  ", not 0");
    headerBytes = getU64(data + 16);
    if (headerBytes > kMaxHeaderBytes)
      return fail("a header of " + str(headerBytes) + " bytes, at most " +
                  str(kMaxHeaderBytes) + " are read");
    dataStart = alignTo(kFixedHeaderBytes + headerBytes, kBlobAlignment);
    if (dataStart > size)
      return fail("the header of " + str(headerBytes) +
                  " bytes does not fit the file of " + str(size) + " bytes");
    if (hashBytes(data + kFixedHeaderBytes, headerBytes) != getU64(data + 24))
      return fail("the header's checksum is wrong");
    return zeros(data, kFixedHeaderBytes + headerBytes, dataStart);
  }

  bool zeros(const uint8_t *data, uint64_t begin, uint64_t end) {
    for (uint64_t i = begin; i < end; ++i)
      if (data[i] != 0)
        return fail("the padding byte at " + str(i) + " is not 0");
    return true;
  }

  bool json(const uint8_t *data, Json &header) {
    const char *text = reinterpret_cast<const char *>(data) + kFixedHeaderBytes;
    if (!depthIsBounded(text, headerBytes))
      return fail("the header is nested more than " + str(kMaxJsonDepth) +
                  " deep");
    std::string duplicate;
    header = parseJson(text, headerBytes, duplicate);
    if (header.is_discarded())
      return fail("the header is not JSON");
    if (!duplicate.empty())
      return fail("duplicate key '" + duplicate + "' in the header");
    return true;
  }

  bool blobs(const Json &list, const uint8_t *data, size_t size,
             uint64_t dataStart) {
    uint64_t end = dataStart;
    for (size_t i = 0; i < list.size(); ++i) {
      std::string where = "blobs[" + str(i) + "]";
      uint64_t begin = alignTo(end, kBlobAlignment);
      if (!blob(where, list[i], data, size, dataStart, begin) ||
          !zeros(data, end, begin))
        return false;
      end = begin + pack.blobs.back().size();
    }
    if (end != size)
      return fail("the file has " + str(size) +
                  " bytes, its last blob ends at " + str(end));
    return true;
  }

  bool blob(const std::string &where, const Json &json, const uint8_t *data,
            size_t size, uint64_t dataStart, uint64_t begin) {
    uint64_t offset = 0, bytes = 0;
    std::string hash;
    if (!object(where, json, {"offset", "bytes", "xxh3"}) ||
        !u64(where, json, "offset", offset) ||
        !u64(where, json, "bytes", bytes) || !text(where, json, "xxh3", hash))
      return false;
    if (offset != begin - dataStart)
      return fail(where, "is at " + str(offset) + ", its place is " +
                             str(begin - dataStart));
    if (begin > size || bytes > size - begin)
      return fail(where, "offset " + str(offset) + " and " + str(bytes) +
                             " bytes end after the file's data of " +
                             str(size - dataStart) + " bytes");
    if (hash != hashText(hashBytes(data + begin, bytes)))
      return fail(where, "the checksum is wrong");
    pack.blobs.push_back(Blob::view(data + begin, bytes));
    return true;
  }

  //===--------------------------------------------------------------------===//
  // Typed access
  //===--------------------------------------------------------------------===//

  /// An object without unknown keys.
  bool object(const std::string &where, const Json &json,
              std::initializer_list<const char *> keys) {
    if (!json.is_object())
      return fail(where, "is not an object");
    for (auto it = json.begin(); it != json.end(); ++it) {
      bool known = false;
      for (const char *key : keys)
        known |= it.key() == key;
      if (!known)
        return fail(where, "unknown key '" + it.key() + "'");
    }
    return true;
  }

  const Json *find(const std::string &where, const Json &json,
                   const char *key) {
    auto it = json.find(key);
    if (it == json.end()) {
      fail(where, std::string("has no '") + key + "'");
      return nullptr;
    }
    return &*it;
  }

  bool u64(const std::string &where, const Json &json, const char *key,
           uint64_t &out) {
    const Json *value = find(where, json, key);
    return value && u64(where + "." + key, *value, out);
  }

  bool u64(const std::string &where, const Json &value, uint64_t &out) {
    if (!value.is_number_unsigned())
      return fail(where, "is not an integer from 0 to 2^64 - 1");
    out = value.get<uint64_t>();
    return true;
  }

  bool text(const std::string &where, const Json &json, const char *key,
            std::string &out) {
    const Json *value = find(where, json, key);
    return value && text(where + "." + key, *value, out);
  }

  bool text(const std::string &where, const Json &value, std::string &out) {
    if (!value.is_string())
      return fail(where, "is not a string");
    out = value.get_ref<const std::string &>();
    if (out.find('\0') != std::string::npos)
      return fail(where, "has a zero byte");
    return true;
  }

  bool flag(const std::string &where, const Json &json, const char *key,
            bool &out) {
    auto it = json.find(key);
    if (it == json.end())
      return true;
    if (!it->is_boolean())
      return fail(where + "." + key, "is not a boolean");
    out = it->get<bool>();
    return true;
  }

  /// Calls `read(where, element)` for each element of an array.
  template <typename Fn>
  bool each(const std::string &where, const Json &json, const char *key,
            Fn read) {
    const Json *list = find(where, json, key);
    if (!list)
      return false;
    std::string path = where.empty() ? key : where + "." + key;
    if (!list->is_array())
      return fail(path, "is not an array");
    for (size_t i = 0; i < list->size(); ++i)
      if (!read(path + "[" + str(i) + "]", (*list)[i]))
        return false;
    return true;
  }

  bool texts(const std::string &where, const Json &json, const char *key,
             std::vector<std::string> &out) {
    return each(where, json, key, [&](const std::string &path, const Json &e) {
      return text(path, e, out.emplace_back());
    });
  }

  bool shape(const std::string &where, const Json &json,
             std::vector<int64_t> &out) {
    return each(where, json, "shape",
                [&](const std::string &path, const Json &e) {
                  uint64_t size = 0;
                  if (!u64(path, e, size))
                    return false;
                  if (size > uint64_t(INT64_MAX))
                    return fail(path, str(size) + " is too large");
                  out.push_back(int64_t(size));
                  return true;
                });
  }

  //===--------------------------------------------------------------------===//
  // The header
  //===--------------------------------------------------------------------===//

  bool root(const Json &json) {
    if (!object("header", json,
                {"producer", "name", "inputs", "outputs", "output_tree",
                 "arena_bytes", "intermediate_bytes", "buffers", "kernels",
                 "program", "blobs"}))
      return false;
    auto it = json.find("output_tree");
    if (it != json.end())
      pack.outputTree =
          it->dump(-1, ' ', false, Json::error_handler_t::replace);
    return producer(json) && text("header", json, "name", pack.name) &&
           tensors(json, "inputs", pack.inputs) &&
           tensors(json, "outputs", pack.outputs) &&
           u64("header", json, "arena_bytes", pack.arenaBytes) &&
           u64("header", json, "intermediate_bytes", pack.intermediateBytes) &&
           each("", json, "buffers",
                [&](const std::string &where, const Json &e) {
                  return buffer(where, e, pack.buffers.emplace_back());
                }) &&
           each("", json, "kernels",
                [&](const std::string &where, const Json &e) {
                  return kernel(where, e, pack.kernels.emplace_back());
                }) &&
           ops("", json, "program", pack.program, 0) &&
           each("", json, "blobs",
                [](const std::string &, const Json &) { return true; });
  }

  bool producer(const Json &json) {
    const Json *value = find("header", json, "producer");
    return value && object("producer", *value, {"name", "version"}) &&
           text("producer", *value, "name", pack.producerName) &&
           text("producer", *value, "version", pack.producerVersion);
  }

  bool tensors(const Json &json, const char *key, std::vector<Tensor> &out) {
    return each("", json, key, [&](const std::string &where, const Json &e) {
      Tensor &tensor = out.emplace_back();
      if (!object(where, e, {"name", "type", "shape", "buffer", "donatable"}))
        return false;
      if (e.contains("name") && !text(where, e, "name", tensor.name))
        return false;
      return text(where, e, "type", tensor.type) &&
             shape(where, e, tensor.shape) &&
             u64(where, e, "buffer", tensor.buffer) &&
             flag(where, e, "donatable", tensor.donatable);
    });
  }

  bool buffer(const std::string &where, const Json &json, Buffer &out) {
    std::string kind;
    if (!object(where, json, {"kind", "bytes", "blob", "offset"}) ||
        !text(where, json, "kind", kind) ||
        !u64(where, json, "bytes", out.bytes))
      return false;
    for (unsigned i = 0; i < 4; ++i)
      if (kind == bufferKindName(BufferKind(i))) {
        out.kind = BufferKind(i);
        bool constant = out.kind == BufferKind::Constant;
        bool arena = out.kind == BufferKind::Arena;
        if (json.contains("blob") != constant)
          return fail(where, "'blob' belongs to constants and only there");
        if (json.contains("offset") != arena)
          return fail(where,
                      "'offset' belongs to arena buffers and only there");
        return (!constant || u64(where, json, "blob", out.blob)) &&
               (!arena || u64(where, json, "offset", out.offset));
      }
    return fail(where, "unknown kind '" + kind + "'");
  }

  bool kernel(const std::string &where, const Json &json, Kernel &out) {
    return object(where, json, {"name", "variants"}) &&
           text(where, json, "name", out.name) &&
           each(where, json, "variants",
                [&](const std::string &path, const Json &e) {
                  return variant(path, e, out.variants.emplace_back());
                });
  }

  bool variant(const std::string &where, const Json &json, Variant &out) {
    std::string arguments;
    if (!object(where, json,
                {"blob", "entry", "workgroup", "arguments", "requirements"}) ||
        !u64(where, json, "blob", out.blob) ||
        !text(where, json, "entry", out.entry) ||
        !text(where, json, "arguments", arguments))
      return false;
    if (arguments != "push" && arguments != "block")
      return fail(where + ".arguments", "unknown kind '" + arguments + "'");
    out.arguments = arguments == "push" ? Arguments::Push : Arguments::Block;
    size_t axes = 0;
    if (!each(where, json, "workgroup",
              [&](const std::string &path, const Json &e) {
                if (axes == 3)
                  return fail(path, "a workgroup has 3 sizes");
                return u64(path, e, out.workgroup[axes++]);
              }))
      return false;
    if (axes != 3)
      return fail(where + ".workgroup", "has " + str(axes) + " sizes, not 3");
    const Json *needs = find(where, json, "requirements");
    return needs &&
           requirements(where + ".requirements", *needs, out.requirements);
  }

  bool requirements(const std::string &where, const Json &json,
                    Requirements &out) {
    return object(where, json,
                  {"vulkan", "spirv", "capabilities", "extensions",
                   "shared_bytes", "push_bytes", "subgroup_size"}) &&
           text(where, json, "vulkan", out.vulkan) &&
           text(where, json, "spirv", out.spirv) &&
           texts(where, json, "capabilities", out.capabilities) &&
           texts(where, json, "extensions", out.extensions) &&
           u64(where, json, "shared_bytes", out.sharedBytes) &&
           u64(where, json, "push_bytes", out.pushBytes) &&
           (!json.contains("subgroup_size") ||
            u64(where, json, "subgroup_size", out.subgroupSize));
  }

  //===--------------------------------------------------------------------===//
  // The program
  //===--------------------------------------------------------------------===//

  bool ops(const std::string &where, const Json &json, const char *key,
           std::vector<Op> &out, unsigned depth) {
    if (depth > kMaxNesting)
      return fail(where, "is nested more than " + str(kMaxNesting) + " deep");
    return each(where, json, key, [&](const std::string &path, const Json &e) {
      return op(path, e, out.emplace_back(), depth);
    });
  }

  bool op(const std::string &where, const Json &json, Op &out, unsigned depth) {
    std::string kind;
    if (!json.is_object())
      return fail(where, "is not an object");
    if (!text(where, json, "op", kind))
      return false;
    for (unsigned i = 0; i < kNumOpKinds; ++i)
      if (kind == opKindName(OpKind(i))) {
        out.kind = OpKind(i);
        return opFields(where, json, out, depth);
      }
    return fail(where, "unknown op '" + kind + "'");
  }

  bool opFields(const std::string &where, const Json &json, Op &out,
                unsigned depth) {
    switch (out.kind) {
    case OpKind::Dispatch:
      return object(where, json, {"op", "kernel", "grid", "args"}) &&
             u64(where, json, "kernel", out.kernel) &&
             u64(where, json, "grid", out.grid) &&
             each(where, json, "args",
                  [&](const std::string &path, const Json &e) {
                    return arg(path, e, out.args.emplace_back());
                  });
    case OpKind::Barrier:
      return object(where, json, {"op"});
    case OpKind::Copy:
      return object(where, json, {"op", "src", "dst", "bytes"}) &&
             arg(where, json, "src", out.src) &&
             arg(where, json, "dst", out.dst) &&
             u64(where, json, "bytes", out.bytes);
    case OpKind::Fill:
      return fill(where, json, out);
    case OpKind::While:
      return object(where, json, {"op", "condition", "predicate", "body"}) &&
             arg(where, json, "predicate", out.predicate) &&
             ops(where, json, "condition", out.first, depth + 1) &&
             ops(where, json, "body", out.second, depth + 1);
    case OpKind::Repeat:
      return object(where, json, {"op", "count", "body"}) &&
             u64(where, json, "count", out.count) &&
             ops(where, json, "body", out.first, depth + 1);
    case OpKind::If:
      return object(where, json, {"op", "predicate", "then", "else"}) &&
             arg(where, json, "predicate", out.predicate) &&
             ops(where, json, "then", out.first, depth + 1) &&
             ops(where, json, "else", out.second, depth + 1);
    case OpKind::Tap:
      return object(where, json, {"op", "name", "type", "shape", "src"}) &&
             text(where, json, "name", out.name) &&
             text(where, json, "type", out.type) &&
             shape(where, json, out.shape) && arg(where, json, "src", out.src);
    }
    return false;
  }

  bool fill(const std::string &where, const Json &json, Op &out) {
    uint64_t value = 0;
    if (!object(where, json, {"op", "dst", "bytes", "value"}) ||
        !arg(where, json, "dst", out.dst) ||
        !u64(where, json, "bytes", out.bytes) ||
        !u64(where, json, "value", value))
      return false;
    if (value > UINT32_MAX)
      return fail(where + ".value", str(value) + " does not fit 32 bits");
    out.value = uint32_t(value);
    return true;
  }

  bool arg(const std::string &where, const Json &json, const char *key,
           Arg &out) {
    const Json *value = find(where, json, key);
    return value && arg(where + "." + key, *value, out);
  }

  bool arg(const std::string &where, const Json &json, Arg &out) {
    return object(where, json, {"buffer", "offset"}) &&
           u64(where, json, "buffer", out.buffer) &&
           u64(where, json, "offset", out.offset);
  }

  Pack &pack;
  std::string &error;
  uint64_t headerBytes = 0;
};

} // namespace

bool nxv::pack::parse(const uint8_t *data, size_t size, Pack &pack,
                      std::string &error) {
  error.clear();
  pack = Pack();
  return Reader(pack, error).run(data, size);
}
