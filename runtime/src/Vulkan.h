//===- Vulkan.h - the Vulkan loader and newer structures --------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Vulkan is found with dlopen; the library links to nothing. Structures that
// older headers lack are declared here.
//
//===----------------------------------------------------------------------===//

#ifndef NXV_RUNTIME_VULKAN_H
#define NXV_RUNTIME_VULKAN_H

#ifndef VK_NO_PROTOTYPES
#define VK_NO_PROTOTYPES
#endif
#include <volk.h>

namespace nxv::runtime {

struct CooperativeMatrixFeatures {
  VkStructureType sType = VkStructureType(1000506000);
  void *pNext = nullptr;
  VkBool32 cooperativeMatrix = VK_FALSE;
  VkBool32 cooperativeMatrixRobustBufferAccess = VK_FALSE;
};

struct BFloat16Features {
  VkStructureType sType = VkStructureType(1000141000);
  void *pNext = nullptr;
  VkBool32 shaderBFloat16Type = VK_FALSE;
  VkBool32 shaderBFloat16DotProduct = VK_FALSE;
  VkBool32 shaderBFloat16CooperativeMatrix = VK_FALSE;
};

/// The name of a VkResult.
const char *resultName(VkResult result);

/// Throws if `result` is an error; `what` names the call.
void check(VkResult result, const char *what);

} // namespace nxv::runtime

#endif // NXV_RUNTIME_VULKAN_H
