//===- Device.h - an open device --------------------------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_RUNTIME_DEVICE_H
#define NXV_RUNTIME_DEVICE_H

#include "Builtins.h"
#include "Features.h"
#include "Instance.h"
#include "Memory.h"
#include "nxv/runtime.h"

#include <atomic>
#include <chrono>
#include <optional>

namespace nxv::runtime {

/// Fills in what can be said of a device that is not open.
void describe(VkPhysicalDevice physical, size_t index, nxv_device_info &info);

class Device : public std::enable_shared_from_this<Device> {
public:
  /// An empty selector means NXV_DEVICE, a limit of 0 NXV_MEMORY_LIMIT.
  static std::shared_ptr<Device> open(std::string selector, uint64_t limit);
  Device(Instance &instance, std::pair<VkPhysicalDevice, size_t> chosen,
         uint64_t limit);
  ~Device();
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;

  const VolkDeviceTable &vk() const { return table; }
  VkDevice handle() const { return device; }
  VkPhysicalDevice physicalDevice() const { return physical; }
  const FeatureSet &features() const { return featureSet; }
  Allocator &memory() { return *allocator; }
  Instance &instance() { return vulkan; }
  size_t index() const { return position; }
  uint32_t queueFamily() const { return family; }
  uint32_t timestampBits() const { return validTimestampBits; }

  /// Throws if the device was lost before.
  void checkAlive() const;
  /// True if the device did not finish in time: it may still use everything, so
  /// that nothing of it may be destroyed.
  bool abandoned() const { return lostStatus == NXV_ERROR_TIMEOUT; }
  void submit(const std::vector<VkCommandBuffer> &commands, VkFence fence);
  /// Waits for a fence; `what` says what ran, should it fail. False if it is
  /// not signalled at `until`.
  using Time = std::chrono::steady_clock::time_point;
  bool wait(VkFence fence, const std::string &what,
            std::optional<Time> until = std::nullopt);
  /// A fence that nobody waits for now: the host does not touch memory before
  /// it is signalled.
  void leave(VkFence fence);
  /// Ends that: waits for the fence.
  void collect(VkFence fence, const std::string &what);
  /// The runtime's own kernels, compiled when they are first asked for.
  const Builtins &builtins();

  /// Copies between the host and an allocation.
  void write(const Allocation &target, uint64_t offset, const void *data,
             uint64_t bytes);
  void read(const Allocation &source, uint64_t offset, void *data,
            uint64_t bytes);

private:
  void createDevice();
  void createTransfer();
  void destroyTransfer();
  void copyNow(VkBuffer source, VkBuffer target, const VkBufferCopy &region);
  bool await(VkFence fence, const std::string &what, std::optional<Time> until);
  void waitForLeft();
  [[noreturn]] void lose(nxv_status status, const std::string &message);

  Instance &vulkan;
  size_t position;
  VkPhysicalDevice physical;
  FeatureSet featureSet;
  VkDevice device = VK_NULL_HANDLE;
  VolkDeviceTable table = {};
  uint32_t family = 0;
  uint32_t validTimestampBits = 0;
  VkQueue queue = VK_NULL_HANDLE;
  std::mutex queueMutex;
  std::atomic<int> lostStatus{NXV_OK};
  std::string lostMessage; // written once, before `lostStatus`
  std::mutex lostMutex;
  uint64_t timeoutSeconds = 0;
  std::shared_ptr<Allocator> allocator;

  std::mutex leftMutex;
  std::vector<VkFence> left;
  std::mutex builtinsMutex;
  std::unique_ptr<Builtins> ownKernels;

  // Copies through staging memory, one at a time.
  std::mutex transferMutex;
  VkCommandPool transferPool = VK_NULL_HANDLE;
  VkCommandBuffer transferCommands = VK_NULL_HANDLE;
  VkFence transferFence = VK_NULL_HANDLE;
};

} // namespace nxv::runtime

#endif // NXV_RUNTIME_DEVICE_H
