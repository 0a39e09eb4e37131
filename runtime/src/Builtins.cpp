//===- Builtins.cpp - the runtime's own kernels ---------------------------===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Builtins.h"
#include "Support.h"

using namespace nxv::runtime;

static const std::vector<uint8_t> gateModule = {
#include "gate.inc"
};
static const std::vector<uint8_t> copyModule = {
#include "copy.inc"
};

Builtins::Builtins(VkDevice device, const VolkDeviceTable &vk)
    : device(device), vk(vk) {
  try {
    create(gate, "gate", gateModule, sizeof(GateArguments));
    create(copy, "copy", copyModule, sizeof(CopyArguments));
  } catch (...) {
    destroy();
    throw;
  }
}

Builtins::~Builtins() { destroy(); }

void Builtins::destroy() {
  for (BuiltinKernel *kernel : {&gate, &copy}) {
    vk.vkDestroyPipeline(device, kernel->pipeline, nullptr);
    vk.vkDestroyPipelineLayout(device, kernel->layout, nullptr);
  }
}

void Builtins::create(BuiltinKernel &kernel, const char *name,
                      const std::vector<uint8_t> &bytes, uint32_t pushBytes) {
  VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, pushBytes};
  VkPipelineLayoutCreateInfo layout = {
      VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
  layout.pushConstantRangeCount = 1;
  layout.pPushConstantRanges = &range;
  check(vk.vkCreatePipelineLayout(device, &layout, nullptr, &kernel.layout),
        "vkCreatePipelineLayout");
  // A vector's memory is aligned for words.
  VkShaderModuleCreateInfo moduleInfo = {
      VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
  moduleInfo.codeSize = bytes.size();
  moduleInfo.pCode = reinterpret_cast<const uint32_t *>(bytes.data());
  VkShaderModule module = VK_NULL_HANDLE;
  check(vk.vkCreateShaderModule(device, &moduleInfo, nullptr, &module),
        "vkCreateShaderModule");
  VkComputePipelineCreateInfo info = {
      VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = module;
  info.stage.pName = name;
  info.layout = kernel.layout;
  VkResult result = vk.vkCreateComputePipelines(
      device, VK_NULL_HANDLE, 1, &info, nullptr, &kernel.pipeline);
  vk.vkDestroyShaderModule(device, module, nullptr);
  check(result, "vkCreateComputePipelines");
}
