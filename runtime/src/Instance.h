//===- Instance.h - the Vulkan instance and its devices ---------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_RUNTIME_INSTANCE_H
#define NXV_RUNTIME_INSTANCE_H

#include "Vulkan.h"

#include <atomic>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace nxv::runtime {

/// One instance serves every device that is open. It is never destroyed: some
/// drivers can be loaded into a process only so often.
class Instance {
public:
  /// With the validation layer if NXV_VALIDATE is set.
  static Instance &get();
  Instance(const Instance &) = delete;
  Instance &operator=(const Instance &) = delete;

  /// Sorted by kind; those that NXV_VISIBLE_DEVICES leaves.
  std::vector<VkPhysicalDevice> devices() const;

  /// The device that `selector` means, and its position among `devices`: an
  /// index or a part of a name; the first device if it is empty.
  std::pair<VkPhysicalDevice, size_t> select(const std::string &selector) const;

  /// Throws if the validation layer has complained since `seen` errors.
  void checkValidation(uint64_t seen);
  uint64_t validationErrors() const { return errors; }

private:
  explicit Instance(bool validate);
  void create(bool validate);
  void enumerate();
  static VKAPI_ATTR VkBool32 VKAPI_CALL
  onMessage(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
            VkDebugUtilsMessageTypeFlagsEXT types,
            const VkDebugUtilsMessengerCallbackDataEXT *data, void *user);

  VkInstance handle = VK_NULL_HANDLE;
  VkDebugUtilsMessengerEXT messenger = VK_NULL_HANDLE;
  std::vector<VkPhysicalDevice> all;
  std::atomic<uint64_t> errors{0};
  std::mutex errorMutex;
  std::string errorText;
};

} // namespace nxv::runtime

#endif // NXV_RUNTIME_INSTANCE_H
