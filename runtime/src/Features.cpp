//===- Features.cpp - what a device offers --------------------------------===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Features.h"
#include "Support.h"

#include <algorithm>

using namespace nxv::runtime;

namespace {

struct FeatureEntry {
  const char *name;
  VkBool32 &(*get)(FeatureChain &);
};

#define NXV_FEATURE(FIELD, NAME)                                               \
  {#NAME, [](FeatureChain &chain) -> VkBool32 & { return chain.FIELD.NAME; }}

/// The features that kernels or the runtime can use; no other is enabled.
const FeatureEntry kFeatures[] = {
    NXV_FEATURE(core.features, shaderFloat64),
    NXV_FEATURE(core.features, shaderInt64),
    NXV_FEATURE(core.features, shaderInt16),
    NXV_FEATURE(v11, storageBuffer16BitAccess),
    NXV_FEATURE(v11, uniformAndStorageBuffer16BitAccess),
    NXV_FEATURE(v11, storagePushConstant16),
    NXV_FEATURE(v11, variablePointersStorageBuffer),
    NXV_FEATURE(v11, variablePointers),
    NXV_FEATURE(v12, storageBuffer8BitAccess),
    NXV_FEATURE(v12, uniformAndStorageBuffer8BitAccess),
    NXV_FEATURE(v12, storagePushConstant8),
    NXV_FEATURE(v12, shaderBufferInt64Atomics),
    NXV_FEATURE(v12, shaderSharedInt64Atomics),
    NXV_FEATURE(v12, shaderFloat16),
    NXV_FEATURE(v12, shaderInt8),
    NXV_FEATURE(v12, shaderSubgroupExtendedTypes),
    NXV_FEATURE(v12, timelineSemaphore),
    NXV_FEATURE(v12, bufferDeviceAddress),
    NXV_FEATURE(v12, vulkanMemoryModel),
    NXV_FEATURE(v12, vulkanMemoryModelDeviceScope),
    NXV_FEATURE(v13, subgroupSizeControl),
    NXV_FEATURE(v13, computeFullSubgroups),
    NXV_FEATURE(v13, shaderIntegerDotProduct),
    NXV_FEATURE(v13, maintenance4),
    NXV_FEATURE(atomicFloat, shaderBufferFloat32Atomics),
    NXV_FEATURE(atomicFloat, shaderBufferFloat32AtomicAdd),
    NXV_FEATURE(atomicFloat, shaderBufferFloat64Atomics),
    NXV_FEATURE(atomicFloat, shaderBufferFloat64AtomicAdd),
    NXV_FEATURE(atomicFloat, shaderSharedFloat32Atomics),
    NXV_FEATURE(atomicFloat, shaderSharedFloat32AtomicAdd),
    NXV_FEATURE(atomicFloat, shaderSharedFloat64Atomics),
    NXV_FEATURE(atomicFloat, shaderSharedFloat64AtomicAdd),
    NXV_FEATURE(atomicFloat2, shaderBufferFloat32AtomicMinMax),
    NXV_FEATURE(atomicFloat2, shaderBufferFloat64AtomicMinMax),
    NXV_FEATURE(explicitLayout, workgroupMemoryExplicitLayout),
    NXV_FEATURE(explicitLayout, workgroupMemoryExplicitLayoutScalarBlockLayout),
    NXV_FEATURE(explicitLayout, workgroupMemoryExplicitLayout8BitAccess),
    NXV_FEATURE(explicitLayout, workgroupMemoryExplicitLayout16BitAccess),
    NXV_FEATURE(cooperativeMatrix, cooperativeMatrix),
    NXV_FEATURE(bfloat16, shaderBFloat16Type),
    NXV_FEATURE(bfloat16, shaderBFloat16DotProduct),
    NXV_FEATURE(bfloat16, shaderBFloat16CooperativeMatrix),
};

#undef NXV_FEATURE

/// The device extensions that nxv enables where they exist.
const char *const kExtensions[] = {
    "VK_EXT_shader_atomic_float", "VK_EXT_shader_atomic_float2",
    "VK_KHR_cooperative_matrix",  "VK_KHR_portability_subset",
    "VK_KHR_shader_bfloat16",     "VK_KHR_workgroup_memory_explicit_layout",
};

std::set<std::string> knownExtensions(VkPhysicalDevice device) {
  uint32_t count = 0;
  check(vkEnumerateDeviceExtensionProperties(device, nullptr, &count, nullptr),
        "vkEnumerateDeviceExtensionProperties");
  std::vector<VkExtensionProperties> list(count);
  check(vkEnumerateDeviceExtensionProperties(device, nullptr, &count,
                                             list.data()),
        "vkEnumerateDeviceExtensionProperties");
  std::set<std::string> known;
  for (const VkExtensionProperties &item : list)
    for (const char *name : kExtensions)
      if (std::string(item.extensionName) == name)
        known.insert(name);
  return known;
}

/// Keeps only the features of the table; all others are off.
void keepKnown(FeatureChain &chain) {
  std::vector<VkBool32> values;
  for (const FeatureEntry &entry : kFeatures)
    values.push_back(entry.get(chain));
  auto clear = [](VkBool32 *first, const void *end) {
    while (static_cast<const void *>(first) < end)
      *first++ = VK_FALSE;
  };
  clear(&chain.core.features.robustBufferAccess, &chain.core.features + 1);
  clear(&chain.v11.storageBuffer16BitAccess,
        &chain.v11.shaderDrawParameters + 1);
  clear(&chain.v12.samplerMirrorClampToEdge,
        &chain.v12.subgroupBroadcastDynamicId + 1);
  clear(&chain.v13.robustImageAccess, &chain.v13.maintenance4 + 1);
  clear(&chain.atomicFloat.shaderBufferFloat32Atomics,
        &chain.atomicFloat.sparseImageFloat32AtomicAdd + 1);
  clear(&chain.atomicFloat2.shaderBufferFloat16Atomics,
        &chain.atomicFloat2.sparseImageFloat32AtomicMinMax + 1);
  chain.cooperativeMatrix.cooperativeMatrixRobustBufferAccess = VK_FALSE;
  size_t i = 0;
  for (const FeatureEntry &entry : kFeatures)
    entry.get(chain) = values[i++];
}

} // namespace

void FeatureChain::link(uint32_t apiVersion,
                        const std::set<std::string> &extensions) {
  void **tail = &core.pNext;
  auto append = [&](auto &structure) {
    *tail = &structure;
    structure.pNext = nullptr;
    tail = const_cast<void **>(
        const_cast<void *const *>(reinterpret_cast<void **>(&structure.pNext)));
  };
  append(v11);
  append(v12);
  if (apiVersion >= VK_API_VERSION_1_3)
    append(v13);
  if (extensions.count("VK_EXT_shader_atomic_float"))
    append(atomicFloat);
  if (extensions.count("VK_EXT_shader_atomic_float2"))
    append(atomicFloat2);
  if (extensions.count("VK_KHR_workgroup_memory_explicit_layout"))
    append(explicitLayout);
  if (extensions.count("VK_KHR_cooperative_matrix"))
    append(cooperativeMatrix);
  if (extensions.count("VK_KHR_shader_bfloat16"))
    append(bfloat16);
}

FeatureSet::FeatureSet(VkPhysicalDevice device) {
  VkPhysicalDeviceProperties basic;
  vkGetPhysicalDeviceProperties(device, &basic);
  apiVersion = basic.apiVersion;
  // The structures of 1.2 may only be asked of such a device.
  if (apiVersion < VK_API_VERSION_1_2) {
    props.core.properties = basic;
    return;
  }
  props.core.pNext = &props.v11;
  props.v11.pNext = &props.v12;
  if (apiVersion >= VK_API_VERSION_1_3)
    props.v12.pNext = &props.v13;
  vkGetPhysicalDeviceProperties2(device, &props.core);
  extensions = knownExtensions(device);
  chain.link(apiVersion, extensions);
  vkGetPhysicalDeviceFeatures2(device, &chain.core);
  keepKnown(chain);
  disable(environment("NXV_DISABLE"));
}

void FeatureSet::disable(const std::string &names) {
  for (const std::string &name : splitList(names)) {
    bool known = false;
    for (const FeatureEntry &entry : kFeatures)
      if (lowerCase(entry.name) == lowerCase(name)) {
        entry.get(chain) = VK_FALSE;
        known = true;
      }
    for (const char *extension : kExtensions)
      if (lowerCase(extension) == lowerCase(name)) {
        extensions.erase(extension);
        known = true;
      }
    if (!known)
      fail(NXV_ERROR_INVALID_ARGUMENT, "NXV_DISABLE names '", name,
           "', which is no feature or extension that nxv uses");
  }
  // An extension that is masked takes its features along.
  chain.link(apiVersion, extensions);
  auto unlink = [&](const char *extension, auto &structure) {
    if (!extensions.count(extension))
      structure = std::remove_reference_t<decltype(structure)>();
  };
  unlink("VK_EXT_shader_atomic_float", chain.atomicFloat);
  unlink("VK_EXT_shader_atomic_float2", chain.atomicFloat2);
  unlink("VK_KHR_workgroup_memory_explicit_layout", chain.explicitLayout);
  unlink("VK_KHR_cooperative_matrix", chain.cooperativeMatrix);
  unlink("VK_KHR_shader_bfloat16", chain.bfloat16);
}

bool FeatureSet::feature(std::string_view name) const {
  for (const FeatureEntry &entry : kFeatures)
    if (name == entry.name)
      return entry.get(const_cast<FeatureChain &>(chain)) == VK_TRUE;
  return false;
}

bool FeatureSet::extension(std::string_view name) const {
  return extensions.count(std::string(name)) != 0;
}

std::vector<const char *> FeatureSet::enabledExtensions() const {
  std::vector<const char *> names;
  for (const char *name : kExtensions)
    if (extensions.count(name))
      names.push_back(name);
  return names;
}
