//===- Features.h - what a device offers ------------------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_RUNTIME_FEATURES_H
#define NXV_RUNTIME_FEATURES_H

#include "Vulkan.h"

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace nxv::runtime {

/// The structures of every feature that nxv knows, linked to a chain.
class FeatureChain {
public:
  /// Links what a device of that version and these extensions understands.
  void link(uint32_t apiVersion, const std::set<std::string> &extensions);

  VkPhysicalDeviceFeatures2 core = {
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
  VkPhysicalDeviceVulkan11Features v11 = {
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES};
  VkPhysicalDeviceVulkan12Features v12 = {
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
  VkPhysicalDeviceVulkan13Features v13 = {
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES};
  VkPhysicalDeviceShaderAtomicFloatFeaturesEXT atomicFloat = {
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT};
  VkPhysicalDeviceShaderAtomicFloat2FeaturesEXT atomicFloat2 = {
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_2_FEATURES_EXT};
  VkPhysicalDeviceWorkgroupMemoryExplicitLayoutFeaturesKHR explicitLayout = {
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_WORKGROUP_MEMORY_EXPLICIT_LAYOUT_FEATURES_KHR};
  CooperativeMatrixFeatures cooperativeMatrix;
  BFloat16Features bfloat16;
};

struct Properties {
  VkPhysicalDeviceProperties2 core = {
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
  VkPhysicalDeviceVulkan11Properties v11 = {
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES};
  VkPhysicalDeviceVulkan12Properties v12 = {
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES};
  VkPhysicalDeviceVulkan13Properties v13 = {
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES};
};

/// What a device offers and NXV_DISABLE leaves of it.
class FeatureSet {
public:
  explicit FeatureSet(VkPhysicalDevice device);
  FeatureSet(const FeatureSet &) = delete;
  FeatureSet &operator=(const FeatureSet &) = delete;

  uint32_t version() const { return apiVersion; }
  bool feature(std::string_view name) const;
  bool extension(std::string_view name) const;
  const Properties &properties() const { return props; }
  const VkPhysicalDeviceLimits &limits() const {
    return props.core.properties.limits;
  }

  /// What to enable: every known feature and extension that is left.
  const void *enabledChain() const { return &chain.core; }
  std::vector<const char *> enabledExtensions() const;

private:
  void disable(const std::string &names);

  uint32_t apiVersion = 0;
  std::set<std::string> extensions; // of nxv's list, on the device
  FeatureChain chain;
  Properties props;
};

} // namespace nxv::runtime

#endif // NXV_RUNTIME_FEATURES_H
