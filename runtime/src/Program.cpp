//===- Program.cpp - a loaded pack ----------------------------------------===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Program.h"
#include "Invocation.h"
#include "PackFormat.h"
#include "PipelineCache.h"
#include "Requirements.h"
#include "Support.h"

#include <algorithm>
#include <cstring>
#include <system_error>
#include <thread>

using namespace nxv::runtime;
using namespace nxv::pack;

static size_t countDispatches(const std::vector<Op> &ops) {
  size_t count = 0;
  for (const Op &op : ops)
    count += (op.kind == OpKind::Dispatch) + countDispatches(op.first) +
             countDispatches(op.second);
  return count;
}

Program::Program(std::shared_ptr<Device> device, const uint8_t *data,
                 size_t size)
    : owner(std::move(device)) {
  owner->checkAlive();
  std::string error;
  if (!parse(data, size, contents, error))
    fail(NXV_ERROR_INVALID_PACK, error);
  dispatches = countDispatches(contents.program);
  kernels.resize(contents.kernels.size());
  uint64_t seen = owner->instance().validationErrors();
  try {
    chooseVariants();
    createLayouts();
    // The header's checksum covers the checksums of all blobs.
    createPipelines(hashBytes(data, kFixedHeaderBytes));
    loadConstants();
    owner->instance().checkValidation(seen);
  } catch (...) {
    destroy();
    throw;
  }
  // They point into the caller's memory.
  contents.blobs.clear();
}

Program::~Program() { destroy(); }

void Program::destroy() {
  pool.clear();
  if (owner->abandoned())
    return;
  const VolkDeviceTable &vk = owner->vk();
  for (LoadedKernel &kernel : kernels) {
    vk.vkDestroyPipeline(owner->handle(), kernel.pipeline, nullptr);
    vk.vkDestroyPipelineLayout(owner->handle(), kernel.layout, nullptr);
  }
  kernels.clear();
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

void Program::chooseVariants() {
  for (size_t i = 0; i < kernels.size(); ++i) {
    const Kernel &kernel = contents.kernels[i];
    std::string unmet, first;
    for (const Variant &variant : kernel.variants) {
      const Blob &module = contents.blobs[variant.blob];
      unmet = firstUnmet(variant, module, owner->features());
      if (first.empty())
        first = unmet;
      if (!unmet.empty())
        continue;
      checkRecord(kernel, variant, module);
      if (!first.empty())
        log(NXV_LOG_INFO, "kernel '", kernel.name, "' runs as variant ",
            &variant - kernel.variants.data() + 1, ": the first ", first);
      kernels[i].variant = &variant;
      break;
    }
    if (!kernels[i].variant)
      fail(NXV_ERROR_UNSUPPORTED, "kernel '", kernel.name, "' ", unmet);
  }
}

void Program::createLayouts() {
  for (LoadedKernel &kernel : kernels) {
    VkPushConstantRange range = {};
    range.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT;
    range.size = uint32_t(kernel.variant->requirements.pushBytes);
    VkPipelineLayoutCreateInfo info = {
        VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    info.pushConstantRangeCount = range.size != 0;
    info.pPushConstantRanges = &range;
    check(owner->vk().vkCreatePipelineLayout(owner->handle(), &info, nullptr,
                                             &kernel.layout),
          "vkCreatePipelineLayout");
  }
}

void Program::createPipeline(size_t index, VkPipelineCache cache) {
  LoadedKernel &kernel = kernels[index];
  const Variant &variant = *kernel.variant;
  const Blob &blob = contents.blobs[variant.blob];
  // The caller's memory need not be aligned for words.
  std::vector<uint32_t> words(blob.size() / 4);
  std::memcpy(words.data(), blob.data(), blob.size());

  const VolkDeviceTable &vk = owner->vk();
  VkShaderModuleCreateInfo moduleInfo = {
      VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
  moduleInfo.codeSize = blob.size();
  moduleInfo.pCode = words.data();
  VkShaderModule module = VK_NULL_HANDLE;
  check(vk.vkCreateShaderModule(owner->handle(), &moduleInfo, nullptr, &module),
        "vkCreateShaderModule");

  VkPipelineShaderStageRequiredSubgroupSizeCreateInfo subgroup = {
      VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO};
  subgroup.requiredSubgroupSize = uint32_t(variant.requirements.subgroupSize);
  VkComputePipelineCreateInfo info = {
      VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = module;
  info.stage.pName = variant.entry.c_str();
  if (subgroup.requiredSubgroupSize != 0 &&
      owner->features().feature("subgroupSizeControl"))
    info.stage.pNext = &subgroup;
  info.layout = kernel.layout;
  VkResult result = vk.vkCreateComputePipelines(
      owner->handle(), cache, 1, &info, nullptr, &kernel.pipeline);
  vk.vkDestroyShaderModule(owner->handle(), module, nullptr);
  if (result < 0)
    fail(NXV_ERROR_DRIVER, "the driver does not compile kernel '",
         contents.kernels[index].name, "': ", resultName(result));
}

void Program::createPipelines(uint64_t digest) {
  PipelineCache cache(*owner, digest);
  size_t count = kernels.size();
  std::atomic<size_t> next{0};
  std::mutex failureMutex;
  std::exception_ptr failure;
  auto work = [&] {
    for (size_t i = next++; i < count; i = next++) {
      try {
        createPipeline(i, cache.handle());
      } catch (...) {
        std::lock_guard<std::mutex> lock(failureMutex);
        if (!failure)
          failure = std::current_exception();
        next = count;
      }
    }
  };
  size_t cores = std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::thread> threads;
  // This thread works too, and alone where no other can be had.
  try {
    for (size_t i = 1; i < std::min(cores, count); ++i)
      threads.emplace_back(work);
  } catch (const std::system_error &) {
  }
  work();
  for (std::thread &thread : threads)
    thread.join();
  if (failure)
    std::rethrow_exception(failure);
  cache.store();
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

void Program::loadConstants() {
  offsets.resize(contents.buffers.size());
  uint64_t total = 0;
  for (size_t i = 0; i < contents.buffers.size(); ++i) {
    const Buffer &buffer = contents.buffers[i];
    if (buffer.kind != BufferKind::Constant)
      continue;
    offsets[i] = total;
    // Sizes are those of blobs, so that the sum does not wrap. An empty one
    // has an address of its own all the same.
    total += alignTo(std::max<uint64_t>(buffer.bytes, 1), 256);
    totalConstants += buffer.bytes;
  }
  if (total == 0)
    return;
  constantMemory = owner->memory().allocate(MemoryKind::Device, total);
  for (size_t i = 0; i < contents.buffers.size(); ++i) {
    const Buffer &buffer = contents.buffers[i];
    if (buffer.kind != BufferKind::Constant)
      continue;
    const Blob &blob = contents.blobs[buffer.blob];
    owner->write(*constantMemory, offsets[i], blob.data(), blob.size());
  }
}

int64_t Program::inputOfOutput(size_t output) const {
  uint64_t buffer = contents.outputs[output].buffer;
  for (size_t i = 0; i < contents.inputs.size(); ++i)
    if (contents.inputs[i].buffer == buffer)
      return int64_t(i);
  return -1;
}

void Program::invoke(const void *const *inputs, size_t numInputs,
                     void *const *outputs, size_t numOutputs) {
  if (numInputs != contents.inputs.size())
    fail(NXV_ERROR_INVALID_ARGUMENT, numInputs, " inputs were given, '",
         contents.name, "' has ", contents.inputs.size());
  if (numOutputs != contents.outputs.size())
    fail(NXV_ERROR_INVALID_ARGUMENT, numOutputs, " outputs were given, '",
         contents.name, "' has ", contents.outputs.size());
  std::unique_ptr<Invocation> invocation;
  {
    std::lock_guard<std::mutex> lock(poolMutex);
    if (!pool.empty()) {
      invocation = std::move(pool.back());
      pool.pop_back();
    }
  }
  if (!invocation)
    invocation = std::make_unique<Invocation>(*this);
  invocation->runOnHost(inputs, outputs);
  std::lock_guard<std::mutex> lock(poolMutex);
  pool.push_back(std::move(invocation));
}
