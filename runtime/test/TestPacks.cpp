//===- TestPacks.cpp - small packs for tests ------------------------------===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "TestPacks.h"
#include "PackFormat.h"

#include <cstring>

using namespace nxv::pack;
using namespace nxv::test;

static const uint8_t addBytes[] = {
#include "add.inc"
};
static const uint8_t addBlockBytes[] = {
#include "add_block.inc"
};
static const uint8_t countDownBytes[] = {
#include "count_down.inc"
};
static const uint8_t needsFloat64Bytes[] = {
#include "needs_float64.inc"
};

static const uint8_t spinBytes[] = {
#include "spin.inc"
};

Blob nxv::test::moduleOf(TestKernel kernel) {
  switch (kernel) {
  case TestKernel::Add:
    return Blob::view(addBytes, sizeof(addBytes));
  case TestKernel::AddBlock:
    return Blob::view(addBlockBytes, sizeof(addBlockBytes));
  case TestKernel::CountDown:
    return Blob::view(countDownBytes, sizeof(countDownBytes));
  case TestKernel::NeedsFloat64:
    return Blob::view(needsFloat64Bytes, sizeof(needsFloat64Bytes));
  case TestKernel::Spin:
    return Blob::view(spinBytes, sizeof(spinBytes));
  }
  return Blob();
}

Kernel nxv::test::makeKernel(TestKernel kind, uint64_t blob) {
  Kernel kernel;
  Variant variant;
  variant.blob = blob;
  variant.requirements.capabilities = {"Shader", "Int64",
                                       "PhysicalStorageBufferAddresses"};
  variant.requirements.extensions = {"SPV_KHR_physical_storage_buffer"};
  switch (kind) {
  case TestKernel::Add:
  case TestKernel::AddBlock:
    variant.entry = "add";
    variant.workgroup[0] = 64;
    variant.requirements.pushBytes = kind == TestKernel::Add ? 32 : 8;
    if (kind == TestKernel::AddBlock)
      variant.arguments = Arguments::Block;
    break;
  case TestKernel::CountDown:
    variant.entry = "count_down";
    variant.requirements.pushBytes = 16;
    break;
  case TestKernel::Spin:
    variant.entry = "spin";
    variant.requirements.pushBytes = 16;
    break;
  case TestKernel::NeedsFloat64:
    variant.entry = "needs_float64";
    variant.requirements.capabilities = {"Shader", "Float64"};
    variant.requirements.extensions.clear();
    break;
  }
  kernel.name = variant.entry + "_" + std::to_string(blob);
  kernel.variants.push_back(variant);
  return kernel;
}

static Blob bytesOf(uint32_t value) {
  std::vector<uint8_t> bytes(4);
  std::memcpy(bytes.data(), &value, 4);
  return Blob(bytes);
}

static Op dispatch(uint64_t kernel, uint64_t grid, std::vector<Arg> args) {
  Op op;
  op.kind = OpKind::Dispatch;
  op.kernel = kernel;
  op.grid = grid;
  op.args = std::move(args);
  return op;
}

static uint64_t groups(uint64_t count) { return count / 64 + 1; }

Pack nxv::test::addPack(uint64_t count, TestKernel kernel) {
  Pack pack;
  pack.producerVersion = "0.1.0";
  pack.name = "add";
  pack.outputTree = "{\"leaf\":0}";
  std::vector<int64_t> shape = {int64_t(count)};
  pack.inputs = {{"a", "f32", shape, 0, false}, {"b", "f32", shape, 1, false}};
  pack.outputs = {{"", "f32", shape, 2, false}};
  pack.buffers = {{BufferKind::Input, 4 * count, 0, 0},
                  {BufferKind::Input, 4 * count, 0, 0},
                  {BufferKind::Output, 4 * count, 0, 0},
                  {BufferKind::Constant, 4, 1, 0}};
  pack.kernels = {makeKernel(kernel, 0)};
  pack.program = {dispatch(0, groups(count), {{0, 0}, {1, 0}, {2, 0}, {3, 0}})};
  pack.blobs = {moduleOf(kernel), bytesOf(uint32_t(count))};
  return pack;
}

Pack nxv::test::loopPack(uint64_t count) {
  Pack pack;
  pack.producerVersion = "0.1.0";
  pack.name = "loop";
  pack.inputs = {{"n", "s32", {}, 0, true},
                 {"x", "f32", {int64_t(count)}, 1, true}};
  pack.outputs = {{"", "f32", {int64_t(count)}, 1, false}};
  pack.arenaBytes = 1024 + 4 * count;
  pack.buffers = {{BufferKind::Input, 4, 0, 0},
                  {BufferKind::Input, 4 * count, 0, 0},
                  {BufferKind::Arena, 4, 0, 0},           // predicate
                  {BufferKind::Arena, 4 * count, 0, 512}, // ones
                  {BufferKind::Constant, 4, 2, 0}};
  pack.kernels = {makeKernel(TestKernel::Add, 0),
                  makeKernel(TestKernel::CountDown, 1)};
  Op barrier;
  Op fill; // 1.0
  fill.kind = OpKind::Fill;
  fill.dst = {3, 0};
  fill.bytes = 4 * count;
  fill.value = 0x3f800000;
  Op add = dispatch(0, groups(count), {{1, 0}, {3, 0}, {1, 0}, {4, 0}});
  Op tap;
  tap.kind = OpKind::Tap;
  tap.name = "step";
  tap.type = "f32";
  tap.shape = {int64_t(count)};
  tap.src = {1, 0};
  Op loop;
  loop.kind = OpKind::While;
  loop.first = {dispatch(1, 1, {{0, 0}, {2, 0}})};
  loop.predicate = {2, 0};
  loop.second = {add, tap};
  pack.program = {fill, barrier, add, barrier, loop};
  pack.blobs = {moduleOf(TestKernel::Add), moduleOf(TestKernel::CountDown),
                bytesOf(uint32_t(count))};
  return pack;
}

Pack nxv::test::spinPack() {
  Pack pack;
  pack.producerVersion = "0.1.0";
  pack.name = "spin";
  pack.inputs = {{"n", "u32", {}, 0, false}};
  pack.outputs = {{"", "u32", {}, 1, false}};
  pack.buffers = {{BufferKind::Input, 4, 0, 0}, {BufferKind::Output, 4, 0, 0}};
  pack.kernels = {makeKernel(TestKernel::Spin, 0)};
  pack.program = {dispatch(0, 1 << 17, {{0, 0}, {1, 0}})};
  pack.blobs = {moduleOf(TestKernel::Spin)};
  return pack;
}

static uint64_t lengthOf(const std::vector<uint8_t> &file) {
  uint64_t length;
  std::memcpy(&length, file.data() + 16, 8);
  return length;
}

std::string nxv::test::headerOf(const std::vector<uint8_t> &file) {
  return std::string(file.begin() + 32, file.begin() + 32 + lengthOf(file));
}

std::vector<uint8_t> nxv::test::replaceHeader(const std::vector<uint8_t> &file,
                                              const std::string &header) {
  std::vector<uint8_t> out(file.begin(), file.begin() + 32);
  uint64_t numbers[2] = {header.size(),
                         hashBytes(header.data(), header.size())};
  std::memcpy(out.data() + 16, numbers, 16);
  out.insert(out.end(), header.begin(), header.end());
  out.resize(alignTo(out.size(), kBlobAlignment));
  size_t data = alignTo(32 + lengthOf(file), kBlobAlignment);
  out.insert(out.end(), file.begin() + data, file.end());
  return out;
}
