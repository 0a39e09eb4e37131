//===- PackWriter.cpp - a pack to bytes -----------------------------------===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Pack.h"
#include "PackFormat.h"

#include <cstring>

using namespace nxv::pack;
using Json = nlohmann::ordered_json;

static Json toJson(const Kernel &kernel);
static Json toJson(const Op &op);

static Json toJson(const Arg &arg) {
  return {{"buffer", arg.buffer}, {"offset", arg.offset}};
}

static Json toJson(const Tensor &tensor) {
  Json json = Json::object();
  if (!tensor.name.empty())
    json["name"] = tensor.name;
  json["type"] = tensor.type;
  json["shape"] = tensor.shape;
  json["buffer"] = tensor.buffer;
  if (tensor.donatable)
    json["donatable"] = true;
  return json;
}

static Json toJson(const Buffer &buffer) {
  Json json = {{"kind", bufferKindName(buffer.kind)}, {"bytes", buffer.bytes}};
  if (buffer.kind == BufferKind::Constant)
    json["blob"] = buffer.blob;
  if (buffer.kind == BufferKind::Arena)
    json["offset"] = buffer.offset;
  return json;
}

static Json toJson(const Requirements &needs) {
  Json json = {{"vulkan", needs.vulkan},
               {"spirv", needs.spirv},
               {"capabilities", needs.capabilities},
               {"extensions", needs.extensions},
               {"shared_bytes", needs.sharedBytes},
               {"push_bytes", needs.pushBytes}};
  if (needs.subgroupSize != 0)
    json["subgroup_size"] = needs.subgroupSize;
  return json;
}

static Json toJson(const Variant &variant) {
  return {
      {"blob", variant.blob},
      {"entry", variant.entry},
      {"workgroup",
       {variant.workgroup[0], variant.workgroup[1], variant.workgroup[2]}},
      {"arguments", variant.arguments == Arguments::Push ? "push" : "block"},
      {"requirements", toJson(variant.requirements)}};
}

template <typename T>
static Json toJson(const std::vector<T> &list) {
  Json json = Json::array();
  for (const T &element : list)
    json.push_back(toJson(element));
  return json;
}

static Json toJson(const Kernel &kernel) {
  return {{"name", kernel.name}, {"variants", toJson(kernel.variants)}};
}

static Json toJson(const Op &op) {
  Json json = {{"op", opKindName(op.kind)}};
  switch (op.kind) {
  case OpKind::Dispatch:
    json["kernel"] = op.kernel;
    json["grid"] = op.grid;
    json["args"] = toJson(op.args);
    break;
  case OpKind::Barrier:
    break;
  case OpKind::Copy:
    json["src"] = toJson(op.src);
    json["dst"] = toJson(op.dst);
    json["bytes"] = op.bytes;
    break;
  case OpKind::Fill:
    json["dst"] = toJson(op.dst);
    json["bytes"] = op.bytes;
    json["value"] = op.value;
    break;
  case OpKind::While:
    json["condition"] = toJson(op.first);
    json["predicate"] = toJson(op.predicate);
    json["body"] = toJson(op.second);
    break;
  case OpKind::Repeat:
    json["count"] = op.count;
    json["body"] = toJson(op.first);
    break;
  case OpKind::If:
    json["predicate"] = toJson(op.predicate);
    json["then"] = toJson(op.first);
    json["else"] = toJson(op.second);
    break;
  case OpKind::Tap:
    json["name"] = op.name;
    json["type"] = op.type;
    json["shape"] = op.shape;
    json["src"] = toJson(op.src);
    break;
  }
  return json;
}

static Json blobTable(const std::vector<Blob> &blobs) {
  Json json = Json::array();
  uint64_t offset = 0;
  for (const Blob &blob : blobs) {
    offset = alignTo(offset, kBlobAlignment);
    json.push_back({{"offset", offset},
                    {"bytes", blob.size()},
                    {"xxh3", hashText(hashBytes(blob.data(), blob.size()))}});
    offset += blob.size();
  }
  return json;
}

static std::string header(const Pack &pack) {
  Json json = Json::object();
  json["producer"] = {{"name", pack.producerName},
                      {"version", pack.producerVersion}};
  json["name"] = pack.name;
  json["inputs"] = toJson(pack.inputs);
  json["outputs"] = toJson(pack.outputs);
  if (!pack.outputTree.empty())
    json["output_tree"] = Json::parse(pack.outputTree, nullptr,
                                      /*allow_exceptions=*/false);
  json["arena_bytes"] = pack.arenaBytes;
  json["intermediate_bytes"] = pack.intermediateBytes;
  json["buffers"] = toJson(pack.buffers);
  json["kernels"] = toJson(pack.kernels);
  json["program"] = toJson(pack.program);
  json["blobs"] = blobTable(pack.blobs);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

static void putU64(std::vector<uint8_t> &out, size_t at, uint64_t value) {
  for (int i = 0; i < 8; ++i)
    out[at + i] = uint8_t(value >> (8 * i));
}

std::vector<uint8_t> nxv::pack::serialize(const Pack &pack) {
  std::string text = header(pack);
  std::vector<uint8_t> out(kFixedHeaderBytes);
  std::memcpy(out.data(), kMagic, sizeof(kMagic));
  putU64(out, 8, kVersion); // and the reserved zero after it
  putU64(out, 16, text.size());
  putU64(out, 24, hashBytes(text.data(), text.size()));
  out.insert(out.end(), text.begin(), text.end());
  out.resize(alignTo(out.size(), kBlobAlignment));
  for (const Blob &blob : pack.blobs) {
    // The data section starts at a multiple of the alignment.
    out.resize(alignTo(out.size(), kBlobAlignment));
    out.insert(out.end(), blob.data(), blob.data() + blob.size());
  }
  return out;
}
