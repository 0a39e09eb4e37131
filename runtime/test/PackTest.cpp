//===- PackTest.cpp - reading and writing packs ---------------------------===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "PackFormat.h"
#include "TestPacks.h"

#include <gtest/gtest.h>

#include <functional>

using namespace nxv::pack;
using namespace nxv::test;
using Json = nlohmann::ordered_json;

namespace {

std::string errorOf(const std::vector<uint8_t> &file) {
  Pack pack;
  std::string error;
  EXPECT_EQ(parse(file.data(), file.size(), pack, error), error.empty());
  return error;
}

/// A pack that repeats the program of another.
static Pack repeated(Pack pack) {
  Op op;
  op.kind = OpKind::Repeat;
  op.count = 5;
  op.first = std::move(pack.program);
  pack.program = {op};
  return pack;
}

TEST(Pack, RoundTrip) {
  for (const Pack &pack :
       {addPack(100), addPack(0), loopPack(7), repeated(loopPack(7))}) {
    EXPECT_EQ(verify(pack), "");
    std::vector<uint8_t> file = serialize(pack);
    Pack read;
    std::string error;
    ASSERT_TRUE(parse(file.data(), file.size(), read, error)) << error;
    EXPECT_EQ(serialize(read), file);
    EXPECT_EQ(read.name, pack.name);
    EXPECT_EQ(read.outputTree, pack.outputTree);
    ASSERT_EQ(read.inputs.size(), pack.inputs.size());
    EXPECT_EQ(read.inputs[0].name, pack.inputs[0].name);
    EXPECT_EQ(read.inputs[0].donatable, pack.inputs[0].donatable);
    EXPECT_EQ(read.inputs[0].shape, pack.inputs[0].shape);
    EXPECT_EQ(read.program.size(), pack.program.size());
    ASSERT_EQ(read.blobs.size(), pack.blobs.size());
    EXPECT_EQ(read.blobs[0].size(), pack.blobs[0].size());
  }
}

TEST(Pack, SameBytes) {
  EXPECT_EQ(serialize(loopPack(5)), serialize(loopPack(5)));
}

TEST(Pack, BlobsAreAligned) {
  std::vector<uint8_t> file = serialize(addPack(4));
  Pack read;
  std::string error;
  ASSERT_TRUE(parse(file.data(), file.size(), read, error)) << error;
  for (const Blob &blob : read.blobs)
    EXPECT_EQ((blob.data() - file.data()) % 64, 0);
}

TEST(Pack, TensorBytes) {
  uint64_t bytes = 0;
  EXPECT_TRUE(tensorBytes("c128", {2, 3}, bytes));
  EXPECT_EQ(bytes, 96u);
  EXPECT_TRUE(tensorBytes("f32", {INT64_MAX, 0, INT64_MAX}, bytes));
  EXPECT_EQ(bytes, 0u);
  EXPECT_FALSE(tensorBytes("f32", {INT64_MAX, 2}, bytes));
  EXPECT_FALSE(tensorBytes("f32", {-1}, bytes));
  EXPECT_FALSE(tensorBytes("f33", {1}, bytes));
}

//===----------------------------------------------------------------------===//
// Damaged containers
//===----------------------------------------------------------------------===//

TEST(BadPack, Container) {
  struct Case {
    const char *error;
    std::function<void(std::vector<uint8_t> &)> damage;
  };
  using Bytes = std::vector<uint8_t>;
  const Case cases[] = {
      {"0 bytes", [](Bytes &f) { f.clear(); }},
      {"31 bytes", [](Bytes &f) { f.resize(31); }},
      {"magic", [](Bytes &f) { f[0] = 'M'; }},
      {"version 2", [](Bytes &f) { f[8] = 2; }},
      {"reserved word is 1", [](Bytes &f) { f[12] = 1; }},
      {"at most", [](Bytes &f) { f[23] = 0xff; }},
      {"does not fit the file", [](Bytes &f) { f[18] = 0x10; }},
      {"header's checksum", [](Bytes &f) { f[40] ^= 1; }},
      {"header's checksum", [](Bytes &f) { f[24] ^= 1; }},
      {"checksum is wrong", [](Bytes &f) { f.back() ^= 1; }},
      {"end after the file", [](Bytes &f) { f.pop_back(); }},
      {"last blob ends at", [](Bytes &f) { f.push_back(0); }},
      {"does not fit the file", [](Bytes &f) { f.resize(40); }},
  };
  for (const Case &test : cases) {
    Bytes file = serialize(addPack(4));
    test.damage(file);
    EXPECT_NE(errorOf(file).find(test.error), std::string::npos)
        << test.error << " not in: " << errorOf(file);
  }
}

TEST(BadPack, Padding) {
  std::vector<uint8_t> file = serialize(addPack(4));
  size_t end = 32 + headerOf(file).size();
  if (end % 64 == 0)
    GTEST_SKIP();
  file[end] = 1;
  EXPECT_NE(errorOf(file).find("padding byte"), std::string::npos);
}

TEST(BadPack, HeaderText) {
  std::vector<uint8_t> file = serialize(addPack(4));
  auto error = [&](const std::string &header) {
    return errorOf(replaceHeader(file, header));
  };
  EXPECT_EQ(error(""), "the header is not JSON");
  EXPECT_EQ(error("{"), "the header is not JSON");
  EXPECT_EQ(error("[]"), "header: is not an object");
  EXPECT_EQ(error("{\"a\xff\": 1}"), "the header is not JSON");
  std::string deep(100000, '[');
  EXPECT_NE(error(deep).find("nested more than"), std::string::npos);
  std::string header = headerOf(file);
  std::string twice = "{\"name\":\"x\"," + header.substr(1);
  EXPECT_NE(error(twice).find("duplicate key 'name'"), std::string::npos);
}

//===----------------------------------------------------------------------===//
// Headers that are at odds with themselves
//===----------------------------------------------------------------------===//

struct HeaderCase {
  const char *error;
  std::function<void(Json &)> edit;
};

void expectErrors(const Pack &pack, const std::vector<HeaderCase> &cases) {
  std::vector<uint8_t> file = serialize(pack);
  for (const HeaderCase &test : cases) {
    Json header = Json::parse(headerOf(file));
    test.edit(header);
    std::string error = errorOf(replaceHeader(file, header.dump()));
    EXPECT_NE(error.find(test.error), std::string::npos)
        << test.error << " not in: " << error;
    EXPECT_EQ(error.find('\n'), std::string::npos) << error;
  }
}

TEST(BadPack, Header) {
  expectErrors(
      addPack(4),
      {
          {"unknown key 'extra'", [](Json &h) { h["extra"] = 1; }},
          {"has no 'name'", [](Json &h) { h.erase("name"); }},
          {"header.name: is not a string", [](Json &h) { h["name"] = 1; }},
          {"zero byte", [](Json &h) { h["name"] = std::string("a\0b", 3); }},
          {"arena_bytes: is not an integer",
           [](Json &h) { h["arena_bytes"] = -1; }},
          {"arena_bytes: is not an integer",
           [](Json &h) { h["arena_bytes"] = 1.5; }},
          {"inputs: is not an array", [](Json &h) { h["inputs"] = 3; }},
          {"unknown type 'f33'",
           [](Json &h) { h["inputs"][0]["type"] = "f33"; }},
          {"is not an integer",
           [](Json &h) { h["inputs"][0]["shape"][0] = -4; }},
          {"is too large",
           [](Json &h) { h["inputs"][0]["shape"][0] = UINT64_MAX; }},
          {"63 bits",
           [](Json &h) { h["inputs"][0]["shape"] = {uint64_t(1) << 62, 4}; }},
          {"has 20 bytes, its buffer 16",
           [](Json &h) { h["inputs"][0]["shape"][0] = 5; }},
          {"buffer 9 does not exist, there are 4",
           [](Json &h) { h["inputs"][0]["buffer"] = 9; }},
          {"another input's already",
           [](Json &h) { h["inputs"][1]["buffer"] = 0; }},
          {"is not of kind input",
           [](Json &h) { h["inputs"][1]["buffer"] = 2; }},
          {"is of no output", [](Json &h) { h["outputs"][0]["buffer"] = 1; }},
          {"is of no input", [](Json &h) { h["inputs"].erase(1); }},
          {"an output cannot be donatable",
           [](Json &h) { h["outputs"][0]["donatable"] = true; }},
          {"unknown kind 'x'", [](Json &h) { h["buffers"][0]["kind"] = "x"; }},
          {"belongs to constants",
           [](Json &h) { h["buffers"][0]["blob"] = 0; }},
          {"belongs to arena", [](Json &h) { h["buffers"][0]["offset"] = 0; }},
          {"blob 7 does not exist, there are 2",
           [](Json &h) { h["buffers"][3]["blob"] = 7; }},
          {"has 8 bytes, its blob 4",
           [](Json &h) { h["buffers"][3]["bytes"] = 8; }},
          {"blobs[0]: is at 64, its place is 0",
           [](Json &h) { h["blobs"][0]["offset"] = 64; }},
          {"end after the file",
           [](Json &h) { h["blobs"][1]["bytes"] = UINT64_MAX; }},
          {"checksum is wrong",
           [](Json &h) { h["blobs"][0]["xxh3"] = "0000000000000000"; }},
          {"producer: unknown key", [](Json &h) { h["producer"]["x"] = 1; }},
      });
}

TEST(BadPack, Kernels) {
  auto variant = [](Json &h) -> Json & {
    return h["kernels"][0]["variants"][0];
  };
  auto needs = [](Json &h) -> Json & {
    return h["kernels"][0]["variants"][0]["requirements"];
  };
  expectErrors(
      addPack(4),
      {
          {"has no variant",
           [](Json &h) { h["kernels"][0]["variants"] = Json::array(); }},
          {"duplicate name",
           [](Json &h) { h["kernels"].push_back(h["kernels"][0]); }},
          {"has no name", [](Json &h) { h["kernels"][0]["name"] = ""; }},
          {"no entry point 'main'",
           [&](Json &h) { variant(h)["entry"] = "main"; }},
          {"a blob of 4 bytes is no SPIR-V",
           [&](Json &h) { variant(h)["blob"] = 1; }},
          {"blob 2 does not exist", [&](Json &h) { variant(h)["blob"] = 2; }},
          {"has 2 sizes, not 3",
           [&](Json &h) { variant(h)["workgroup"].erase(2); }},
          {"a workgroup has 3 sizes",
           [&](Json &h) { variant(h)["workgroup"].push_back(1); }},
          {"is out of range", [&](Json &h) { variant(h)["workgroup"][1] = 0; }},
          {"is out of range",
           [&](Json &h) { variant(h)["workgroup"][1] = UINT32_MAX; }},
          {"unknown kind 'x'", [&](Json &h) { variant(h)["arguments"] = "x"; }},
          {"8 bytes of push constants, not 32",
           [&](Json &h) { variant(h)["arguments"] = "block"; }},
          {"is no Vulkan version", [&](Json &h) { needs(h)["vulkan"] = "1"; }},
          {"is no SPIR-V version", [&](Json &h) { needs(h)["spirv"] = "1.x"; }},
          {"not a multiple of 8",
           [&](Json &h) { needs(h)["push_bytes"] = 136; }},
          {"4 arguments take 32 bytes",
           [&](Json &h) { needs(h)["push_bytes"] = 24; }},
          {"capabilities[0]: is not a string",
           [&](Json &h) { needs(h)["capabilities"][0] = 1; }},
      });
}

TEST(BadPack, Program) {
  auto op = [](Json &h, int i) -> Json & { return h["program"][i]; };
  auto nest = [](Json &h, int levels) {
    Json inner = Json::array();
    for (int i = 0; i < levels; ++i) {
      Json branch = {{"op", "if"},
                     {"predicate", {{"buffer", 0}, {"offset", 0}}},
                     {"then", inner},
                     {"else", Json::array()}};
      inner = Json::array({branch});
    }
    h["program"] = inner;
  };
  expectErrors(
      loopPack(4),
      {
          {"unknown op 'jump'", [&](Json &h) { op(h, 0)["op"] = "jump"; }},
          {"is not an object", [&](Json &h) { op(h, 0) = 1; }},
          {"kernel 2 does not exist", [&](Json &h) { op(h, 2)["kernel"] = 2; }},
          {"grid 0", [&](Json &h) { op(h, 2)["grid"] = 0; }},
          {"grid 4611686018427387905",
           [&](Json &h) { op(h, 2)["grid"] = (uint64_t(1) << 62) + 1; }},
          {"buffer 5 does not exist",
           [&](Json &h) { op(h, 2)["args"][0]["buffer"] = 5; }},
          {"offset 17 and 0 bytes end after the buffer's 16",
           [&](Json &h) { op(h, 2)["args"][0]["offset"] = 17; }},
          {"not a multiple of 4", [&](Json &h) { op(h, 0)["bytes"] = 15; }},
          {"end after the buffer's 16",
           [&](Json &h) { op(h, 0)["bytes"] = 20; }},
          {"offset 2 is not a multiple of 4",
           [&](Json &h) { op(h, 0)["dst"]["offset"] = 2; }},
          {"is constant", [&](Json &h) { op(h, 0)["dst"]["buffer"] = 4; }},
          {"not donatable",
           [&](Json &h) {
             h["inputs"][1].erase("donatable");
             op(h, 0)["dst"]["buffer"] = 1;
           }},
          {"does not fit 32 bits",
           [&](Json &h) { op(h, 0)["value"] = uint64_t(1) << 32; }},
          {"predicate: offset 4 and 1 bytes",
           [&](Json &h) { op(h, 4)["predicate"]["offset"] = 4; }},
          {"body[0]: unknown op",
           [&](Json &h) { op(h, 4)["body"][0]["op"] = "x"; }},
          {"no size for type 'f31'",
           [&](Json &h) { op(h, 4)["body"][1]["type"] = "f31"; }},
          {"end after the buffer's 16",
           [&](Json &h) { op(h, 4)["body"][1]["shape"][0] = 5; }},
          {"nested more than 32 deep", [&](Json &h) { nest(h, 34); }},
          {"is in the arena", [&](Json &h) { h["outputs"][0]["buffer"] = 3; }},
          {"not a multiple of 256",
           [&](Json &h) { h["buffers"][3]["offset"] = 128; }},
          {"end after the arena",
           [&](Json &h) { h["buffers"][3]["offset"] = 4096; }},
          {"end after the arena", [&](Json &h) { h["arena_bytes"] = 500; }},
      });
}

TEST(BadPack, Repeat) {
  auto op = [](Json &h) -> Json & { return h["program"][0]; };
  auto nest = [](Json &h, int levels) {
    for (int i = 0; i < levels; ++i)
      h["program"] = Json::array(
          {{{"op", "repeat"}, {"count", 2}, {"body", h["program"]}}});
  };
  expectErrors(repeated(addPack(4)),
               {
                   {"program[0]: count 0 is not from 1 to 2^62",
                    [&](Json &h) { op(h)["count"] = 0; }},
                   {"count 4611686018427387905",
                    [&](Json &h) { op(h)["count"] = (uint64_t(1) << 62) + 1; }},
                   {"'count'", [&](Json &h) { op(h).erase("count"); }},
                   {"body[0]: unknown op 'x'",
                    [&](Json &h) { op(h)["body"][0]["op"] = "x"; }},
                   {"nested more than 32 deep", [&](Json &h) { nest(h, 33); }},
               });
}

TEST(BadPack, Module) {
  std::vector<uint8_t> words(addPack(4).blobs[0].data(),
                             addPack(4).blobs[0].data() +
                                 addPack(4).blobs[0].size());
  Pack pack = addPack(4);
  auto withWord = [&](size_t word, uint32_t value) {
    std::vector<uint8_t> copy = words;
    std::memcpy(copy.data() + 4 * word, &value, 4);
    pack.blobs[0] = Blob(copy);
    return errorOf(serialize(pack));
  };
  EXPECT_NE(withWord(0, 1).find("magic"), std::string::npos);
  EXPECT_NE(withWord(5, 17).find("has 0 words"), std::string::npos);
  EXPECT_NE(withWord(5, 0xffff0011).find("has 65535 words"), std::string::npos);
}

} // namespace
