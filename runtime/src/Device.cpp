//===- Device.cpp - an open device ----------------------------------------===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Device.h"
#include "Support.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

using namespace nxv::runtime;

static constexpr uint64_t kStagingBytes = 32 << 20;
static constexpr uint64_t kDefaultTimeoutSeconds = 600;

//===----------------------------------------------------------------------===//
// Description
//===----------------------------------------------------------------------===//

static nxv_device_type deviceType(VkPhysicalDeviceType type) {
  switch (type) {
  case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
    return NXV_DEVICE_INTEGRATED;
  case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
    return NXV_DEVICE_DISCRETE;
  case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
    return NXV_DEVICE_VIRTUAL;
  case VK_PHYSICAL_DEVICE_TYPE_CPU:
    return NXV_DEVICE_CPU;
  default:
    return NXV_DEVICE_OTHER;
  }
}

static void describeMemory(VkPhysicalDevice physical, nxv_device_info &info) {
  VkPhysicalDeviceMemoryProperties memory;
  vkGetPhysicalDeviceMemoryProperties(physical, &memory);
  for (uint32_t i = 0; i < memory.memoryHeapCount; ++i)
    if (memory.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT)
      info.memory_bytes =
          std::max<uint64_t>(info.memory_bytes, memory.memoryHeaps[i].size);
  for (uint32_t i = 0; i < memory.memoryTypeCount; ++i) {
    const VkMemoryType &type = memory.memoryTypes[i];
    if ((type.propertyFlags & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT) &&
        (type.propertyFlags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) &&
        memory.memoryHeaps[type.heapIndex].size == info.memory_bytes)
      info.host_visible = 1;
  }
}

void nxv::runtime::describe(VkPhysicalDevice physical, size_t index,
                            nxv_device_info &info) {
  FeatureSet features(physical);
  const VkPhysicalDeviceProperties &core =
      features.properties().core.properties;
  const VkPhysicalDeviceVulkan12Properties &v12 = features.properties().v12;
  info = {};
  info.struct_size = sizeof(info);
  info.index = uint32_t(index);
  info.type = deviceType(core.deviceType);
  std::snprintf(info.name, sizeof(info.name), "%s", core.deviceName);
  std::snprintf(info.driver, sizeof(info.driver), "%.120s %.120s",
                v12.driverName, v12.driverInfo);
  info.vulkan_major = VK_API_VERSION_MAJOR(core.apiVersion);
  info.vulkan_minor = VK_API_VERSION_MINOR(core.apiVersion);
  info.vendor_id = core.vendorID;
  info.device_id = core.deviceID;
  std::memcpy(info.uuid, features.properties().v11.deviceUUID, 16);
  info.shared_bytes = core.limits.maxComputeSharedMemorySize;
  info.subgroup_size = features.properties().v11.subgroupSize;
  info.max_workgroup_size = core.limits.maxComputeWorkGroupInvocations;
  describeMemory(physical, info);
}

//===----------------------------------------------------------------------===//
// Opening and closing
//===----------------------------------------------------------------------===//

std::shared_ptr<Device> Device::open(std::string selector, uint64_t limit) {
  if (selector.empty())
    selector = environment("NXV_DEVICE");
  if (limit == 0)
    limit = environmentBytes("NXV_MEMORY_LIMIT");
  Instance &instance = Instance::get();
  return std::make_shared<Device>(instance, instance.select(selector), limit);
}

Device::Device(Instance &instance, std::pair<VkPhysicalDevice, size_t> chosen,
               uint64_t limit)
    : vulkan(instance), position(chosen.second), physical(chosen.first),
      featureSet(physical), timeoutSeconds(environmentBytes("NXV_TIMEOUT")) {
  if (timeoutSeconds == 0)
    timeoutSeconds = kDefaultTimeoutSeconds;
  createDevice();
  try {
    allocator = std::make_shared<Allocator>(physical, device, table, limit);
    createTransfer();
  } catch (...) {
    destroyTransfer();
    allocator.reset();
    table.vkDestroyDevice(device, nullptr);
    throw;
  }
  log(NXV_LOG_INFO, "opened device ", position, ": ",
      featureSet.properties().core.properties.deviceName);
}

Device::~Device() {
  ownKernels.reset();
  destroyTransfer();
  allocator.reset();
  table.vkDestroyDevice(device, nullptr);
}

void Device::createDevice() {
  const char *name = featureSet.properties().core.properties.deviceName;
  uint32_t version = featureSet.version();
  if (version < VK_API_VERSION_1_2)
    fail(NXV_ERROR_UNSUPPORTED, "device '", name, "' has Vulkan ",
         VK_API_VERSION_MAJOR(version), ".", VK_API_VERSION_MINOR(version),
         ", 1.2 is needed");
  if (!featureSet.feature("bufferDeviceAddress"))
    fail(NXV_ERROR_UNSUPPORTED, "device '", name,
         "' lacks the feature bufferDeviceAddress");

  uint32_t count = 0;
  vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, families.data());
  while (family < count &&
         !(families[family].queueFlags & VK_QUEUE_COMPUTE_BIT))
    ++family;
  if (family == count)
    fail(NXV_ERROR_UNSUPPORTED, "device '", name, "' has no compute queue");
  validTimestampBits = families[family].timestampValidBits;

  float priority = 1;
  VkDeviceQueueCreateInfo queueInfo = {
      VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
  queueInfo.queueFamilyIndex = family;
  queueInfo.queueCount = 1;
  queueInfo.pQueuePriorities = &priority;
  std::vector<const char *> extensions = featureSet.enabledExtensions();
  VkDeviceCreateInfo info = {VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
  info.pNext = featureSet.enabledChain();
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queueInfo;
  info.enabledExtensionCount = uint32_t(extensions.size());
  info.ppEnabledExtensionNames = extensions.data();
  check(vkCreateDevice(physical, &info, nullptr, &device), "vkCreateDevice");
  volkLoadDeviceTable(&table, device);
  table.vkGetDeviceQueue(device, family, 0, &queue);
}

void Device::createTransfer() {
  VkCommandPoolCreateInfo pool = {VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
  pool.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT |
               VK_COMMAND_POOL_CREATE_TRANSIENT_BIT;
  pool.queueFamilyIndex = family;
  check(table.vkCreateCommandPool(device, &pool, nullptr, &transferPool),
        "vkCreateCommandPool");
  VkCommandBufferAllocateInfo commands = {
      VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
  commands.commandPool = transferPool;
  commands.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  commands.commandBufferCount = 1;
  check(table.vkAllocateCommandBuffers(device, &commands, &transferCommands),
        "vkAllocateCommandBuffers");
  VkFenceCreateInfo fence = {VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
  check(table.vkCreateFence(device, &fence, nullptr, &transferFence),
        "vkCreateFence");
}

void Device::destroyTransfer() {
  if (transferFence)
    table.vkDestroyFence(device, transferFence, nullptr);
  if (transferPool)
    table.vkDestroyCommandPool(device, transferPool, nullptr);
}

//===----------------------------------------------------------------------===//
// Work
//===----------------------------------------------------------------------===//

void Device::checkAlive() const {
  int status = lostStatus.load(std::memory_order_acquire);
  if (status != NXV_OK)
    throw Failure{nxv_status(status), lostMessage};
}

void Device::lose(nxv_status status, const std::string &message) {
  {
    std::lock_guard<std::mutex> lock(lostMutex);
    if (lostStatus == NXV_OK) {
      lostMessage = message;
      lostStatus.store(status, std::memory_order_release);
      // Kept for ever, see `abandoned`.
      if (status == NXV_ERROR_TIMEOUT)
        new std::shared_ptr<Device>(shared_from_this());
      log(NXV_LOG_ERROR, message);
    }
  }
  fail(status, message);
}

void Device::submit(const std::vector<VkCommandBuffer> &commands,
                    VkFence fence) {
  checkAlive();
  VkSubmitInfo info = {VK_STRUCTURE_TYPE_SUBMIT_INFO};
  info.commandBufferCount = uint32_t(commands.size());
  info.pCommandBuffers = commands.data();
  VkResult result;
  {
    std::lock_guard<std::mutex> lock(queueMutex);
    result = table.vkQueueSubmit(queue, 1, &info, fence);
  }
  if (result == VK_ERROR_DEVICE_LOST)
    lose(NXV_ERROR_DEVICE_LOST, "the device was lost before a submission");
  check(result, "vkQueueSubmit");
}

bool Device::wait(VkFence fence, const std::string &what,
                  std::optional<Time> until) {
  if (!await(fence, what, until))
    return false;
  check(table.vkResetFences(device, 1, &fence), "vkResetFences");
  return true;
}

bool Device::await(VkFence fence, const std::string &what,
                   std::optional<Time> until) {
  using namespace std::chrono;
  Time lost = steady_clock::now() + seconds(timeoutSeconds);
  while (true) {
    Time now = steady_clock::now();
    if (until && now >= *until && *until <= lost)
      return false;
    // A second at a time: some drivers take long waits to be endless.
    nanoseconds left =
        std::min(until ? std::min(lost, *until) : lost, now + seconds(1)) - now;
    VkResult result =
        table.vkWaitForFences(device, 1, &fence, VK_TRUE,
                              uint64_t(std::max<int64_t>(left.count(), 0)));
    if (result == VK_SUCCESS)
      return true;
    if (result == VK_ERROR_DEVICE_LOST)
      lose(NXV_ERROR_DEVICE_LOST, "the device was lost during " + what);
    check(result, "vkWaitForFences");
    if (now >= lost)
      break;
  }
  lose(NXV_ERROR_TIMEOUT, cat("the device did not finish ", what, " in ",
                              timeoutSeconds, " seconds (NXV_TIMEOUT)"));
}

void Device::leave(VkFence fence) {
  std::lock_guard<std::mutex> lock(leftMutex);
  left.push_back(fence);
}

void Device::collect(VkFence fence, const std::string &what) {
  std::lock_guard<std::mutex> lock(leftMutex);
  left.erase(std::remove(left.begin(), left.end(), fence), left.end());
  wait(fence, what);
}

void Device::waitForLeft() {
  std::lock_guard<std::mutex> lock(leftMutex);
  for (VkFence fence : left)
    await(fence, "what a deadline has cut off", std::nullopt);
}

const Builtins &Device::builtins() {
  std::lock_guard<std::mutex> lock(builtinsMutex);
  if (!ownKernels)
    ownKernels = std::make_unique<Builtins>(device, table);
  return *ownKernels;
}

void Device::copyNow(VkBuffer source, VkBuffer target,
                     const VkBufferCopy &region) {
  VkCommandBufferBeginInfo begin = {
      VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  check(table.vkBeginCommandBuffer(transferCommands, &begin),
        "vkBeginCommandBuffer");
  VkMemoryBarrier before = {VK_STRUCTURE_TYPE_MEMORY_BARRIER};
  before.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
  before.dstAccessMask =
      VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
  table.vkCmdPipelineBarrier(
      transferCommands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
      VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 1, &before, 0, nullptr, 0, nullptr);
  table.vkCmdCopyBuffer(transferCommands, source, target, 1, &region);
  VkMemoryBarrier after = {VK_STRUCTURE_TYPE_MEMORY_BARRIER};
  after.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
  after.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT |
                        VK_ACCESS_HOST_READ_BIT;
  table.vkCmdPipelineBarrier(transferCommands, VK_PIPELINE_STAGE_TRANSFER_BIT,
                             VK_PIPELINE_STAGE_ALL_COMMANDS_BIT |
                                 VK_PIPELINE_STAGE_HOST_BIT,
                             0, 1, &after, 0, nullptr, 0, nullptr);
  check(table.vkEndCommandBuffer(transferCommands), "vkEndCommandBuffer");
  submit({transferCommands}, transferFence);
  wait(transferFence, "a copy");
}

void Device::write(const Allocation &target, uint64_t offset, const void *data,
                   uint64_t bytes) {
  checkAlive();
  waitForLeft();
  if (bytes == 0)
    return;
  if (target.host()) {
    std::memcpy(target.host() + offset, data, bytes);
    return;
  }
  auto staging =
      memory().allocate(MemoryKind::Staging, std::min(bytes, kStagingBytes));
  std::lock_guard<std::mutex> lock(transferMutex);
  for (uint64_t done = 0; done < bytes; done += kStagingBytes) {
    uint64_t chunk = std::min(kStagingBytes, bytes - done);
    std::memcpy(staging->host(), static_cast<const uint8_t *>(data) + done,
                chunk);
    copyNow(staging->buffer(), target.buffer(),
            {staging->offset(), target.offset() + offset + done, chunk});
  }
}

void Device::read(const Allocation &source, uint64_t offset, void *data,
                  uint64_t bytes) {
  checkAlive();
  waitForLeft();
  if (bytes == 0)
    return;
  // Reads of memory that is mapped but not cached are very slow.
  bool direct =
      source.kind() == MemoryKind::Staging || memory().deviceIsCached();
  if (source.host() && direct) {
    std::memcpy(data, source.host() + offset, bytes);
    return;
  }
  auto staging =
      memory().allocate(MemoryKind::Staging, std::min(bytes, kStagingBytes));
  std::lock_guard<std::mutex> lock(transferMutex);
  for (uint64_t done = 0; done < bytes; done += kStagingBytes) {
    uint64_t chunk = std::min(kStagingBytes, bytes - done);
    copyNow(source.buffer(), staging->buffer(),
            {source.offset() + offset + done, staging->offset(), chunk});
    std::memcpy(static_cast<uint8_t *>(data) + done, staging->host(), chunk);
  }
}
