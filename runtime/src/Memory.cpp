//===- Memory.cpp - device memory -----------------------------------------===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Memory.h"
#include "Support.h"

#include <algorithm>

using namespace nxv::runtime;

static constexpr uint64_t kAlignment = 256;
static constexpr uint64_t kMaxSlotBytes = 256 << 10;
static constexpr uint64_t kMaxSlabBytes = 4 << 20;
/// No device has so much; sums of smaller sizes do not wrap.
static constexpr uint64_t kMaxBytes = uint64_t(1) << 56;

static uint64_t alignUp(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

//===----------------------------------------------------------------------===//
// Allocation
//===----------------------------------------------------------------------===//

Allocation::Allocation(std::shared_ptr<Allocator> owner, Block *block,
                       uint64_t begin, uint64_t requested, uint64_t capacity)
    : owner(std::move(owner)), block(block), begin(begin), requested(requested),
      size(capacity) {}

Allocation::~Allocation() { owner->release(*this); }

//===----------------------------------------------------------------------===//
// Allocator
//===----------------------------------------------------------------------===//

Allocator::Allocator(VkPhysicalDevice physical, VkDevice device,
                     const VolkDeviceTable &vk, uint64_t limit)
    : device(device), vk(vk), limit(limit) {
  chooseTypes(physical);
}

Allocator::~Allocator() {
  if (live != 0)
    log(NXV_LOG_ERROR, live, " bytes of device memory were not given back");
  for (auto &entry : blocks)
    destroyBlock(*entry.second);
}

void Allocator::chooseTypes(VkPhysicalDevice physical) {
  VkPhysicalDeviceMemoryProperties memory;
  vkGetPhysicalDeviceMemoryProperties(physical, &memory);
  uint64_t largest = 0;
  for (uint32_t i = 0; i < memory.memoryHeapCount; ++i)
    if (memory.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT)
      largest = std::max<uint64_t>(largest, memory.memoryHeaps[i].size);

  const VkMemoryPropertyFlags mapped = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                       VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  int bestDevice = -1, bestStaging = -1;
  for (uint32_t i = 0; i < memory.memoryTypeCount; ++i) {
    VkMemoryPropertyFlags flags = memory.memoryTypes[i].propertyFlags;
    if (flags & (VK_MEMORY_PROPERTY_PROTECTED_BIT |
                 VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT |
                 VK_MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD))
      continue;
    bool isMapped = (flags & mapped) == mapped;
    bool isCached = isMapped && (flags & VK_MEMORY_PROPERTY_HOST_CACHED_BIT);
    // A small window into the device's memory is not where tensors live.
    bool isLocal =
        (flags & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT) &&
        memory.memoryHeaps[memory.memoryTypes[i].heapIndex].size == largest;
    int forDevice = isLocal ? 1 + isMapped + isCached : -1;
    if (forDevice > bestDevice) {
      bestDevice = forDevice;
      deviceType = i;
      deviceMapped = isMapped;
      deviceCached = isCached;
    }
    int forStaging = isMapped ? 1 + isCached : -1;
    if (forStaging > bestStaging) {
      bestStaging = forStaging;
      stagingType = i;
    }
  }
  if (bestDevice < 0 || bestStaging < 0)
    fail(NXV_ERROR_UNSUPPORTED, "the device has no ",
         bestDevice < 0 ? "device-local" : "host-visible coherent", " memory");
}

std::unique_ptr<Allocation> Allocator::allocate(MemoryKind kind,
                                                uint64_t bytes) {
  if (bytes > kMaxBytes)
    fail(NXV_ERROR_OUT_OF_MEMORY, bytes, " bytes of device memory, at most ",
         kMaxBytes, " can be asked for");
  std::lock_guard<std::mutex> lock(mutex);
  uint64_t size = std::max(kAlignment, alignUp(bytes, kAlignment));
  std::unique_ptr<Allocation> allocation = size <= kMaxSlotBytes
                                               ? allocateSlot(kind, bytes)
                                               : allocateBlock(kind, bytes);
  countLive(allocation->capacity());
  return allocation;
}

void Allocator::countLive(uint64_t bytes) {
  live += bytes;
  peak = std::max(peak, live);
}

std::unique_ptr<Allocation> Allocator::allocateSlot(MemoryKind kind,
                                                    uint64_t bytes) {
  uint64_t slot = kAlignment;
  while (slot < bytes)
    slot *= 2;
  std::vector<Block *> &list = slabs[int(kind)][slot];
  auto found = std::find_if(list.begin(), list.end(), [](Block *block) {
    return !block->freeSlots.empty();
  });
  if (found == list.end()) {
    // Later slabs are larger: few tensors take little, many take few slabs.
    uint64_t slabBytes = std::min(kMaxSlabBytes, slot * 16 << list.size());
    BlockRef block = createBlock(kind, std::max(slabBytes, slot));
    block->slotBytes = slot;
    for (uint64_t i = block->bytes / slot; i > 0; --i)
      block->freeSlots.push_back(uint32_t(i - 1));
    Block *raw = block.get();
    blocks.emplace(raw, std::move(block));
    list.push_back(raw);
    found = list.end() - 1;
  }
  Block *block = *found;
  uint64_t index = block->freeSlots.back();
  auto allocation = std::make_unique<Allocation>(shared_from_this(), block,
                                                 index * slot, bytes, slot);
  block->freeSlots.pop_back();
  return allocation;
}

std::unique_ptr<Allocation> Allocator::allocateBlock(MemoryKind kind,
                                                     uint64_t bytes) {
  // Rounded to an eighth of the size's power of two, so that blocks are reused.
  unsigned log2 = 63 - __builtin_clzll(bytes);
  uint64_t size =
      alignUp(bytes, std::max(kAlignment, uint64_t(1) << (log2 - 3)));
  auto &free = freeBlocks[int(kind)];
  auto found = free.find(size);
  Block *block;
  if (found != free.end()) {
    block = found->second;
    free.erase(found);
  } else {
    BlockRef created = createBlock(kind, size);
    block = created.get();
    blocks.emplace(block, std::move(created));
  }
  return std::make_unique<Allocation>(shared_from_this(), block, 0, bytes,
                                      size);
}

Allocator::BlockRef Allocator::createBlock(MemoryKind kind, uint64_t bytes) {
  if (limit != 0 && reserved + bytes > limit)
    trimLocked();
  if (limit != 0 && reserved + bytes > limit)
    fail(NXV_ERROR_OUT_OF_MEMORY, bytes, " bytes of device memory, ", reserved,
         " are in use and the limit is ", limit);
  auto block = std::make_unique<Block>();
  block->kind = kind;
  try {
    try {
      makeBuffer(*block, bytes);
    } catch (const Failure &failure) {
      if (failure.status != NXV_ERROR_OUT_OF_MEMORY)
        throw;
      destroyBlock(*block);
      *block = Block();
      block->kind = kind;
      trimLocked();
      makeBuffer(*block, bytes);
    }
  } catch (...) {
    destroyBlock(*block);
    throw;
  }
  block->bytes = bytes;
  reserved += bytes;
  return block;
}

void Allocator::makeBuffer(Block &block, uint64_t bytes) {
  VkBufferCreateInfo info = {VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
  // Room to move the start to an aligned address.
  info.size = bytes + kAlignment;
  info.usage =
      VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  if (block.kind == MemoryKind::Device)
    info.usage |= VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
                  VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT |
                  VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
  check(vk.vkCreateBuffer(device, &info, nullptr, &block.buffer),
        "vkCreateBuffer");
  bindMemory(block, bytes);
  if (block.kind == MemoryKind::Device) {
    VkBufferDeviceAddressInfo query = {
        VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO};
    query.buffer = block.buffer;
    uint64_t address = vk.vkGetBufferDeviceAddress(device, &query);
    block.address = alignUp(address, kAlignment);
    block.base = block.address - address;
  }
  if (block.host)
    block.host += block.base;
}

void Allocator::bindMemory(Block &block, uint64_t bytes) {
  VkMemoryRequirements needs;
  vk.vkGetBufferMemoryRequirements(device, block.buffer, &needs);
  bool onDevice = block.kind == MemoryKind::Device;
  uint32_t type = onDevice ? deviceType : stagingType;
  if (!(needs.memoryTypeBits >> type & 1))
    fail(NXV_ERROR_DRIVER, "memory type ", type,
         " does not take storage buffers");
  VkMemoryAllocateFlagsInfo flags = {
      VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO};
  flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
  VkMemoryAllocateInfo info = {VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
  info.pNext = onDevice ? &flags : nullptr;
  info.allocationSize = needs.size;
  info.memoryTypeIndex = type;
  VkResult result = vk.vkAllocateMemory(device, &info, nullptr, &block.memory);
  if (result == VK_ERROR_OUT_OF_DEVICE_MEMORY ||
      result == VK_ERROR_OUT_OF_HOST_MEMORY)
    fail(NXV_ERROR_OUT_OF_MEMORY, "the device has no room for ", bytes,
         " bytes; ", reserved, " are in use");
  check(result, "vkAllocateMemory");
  check(vk.vkBindBufferMemory(device, block.buffer, block.memory, 0),
        "vkBindBufferMemory");
  if (onDevice && !deviceMapped)
    return;
  void *mapped = nullptr;
  check(vk.vkMapMemory(device, block.memory, 0, VK_WHOLE_SIZE, 0, &mapped),
        "vkMapMemory");
  block.host = static_cast<uint8_t *>(mapped);
}

void Allocator::destroyBlock(Block &block) {
  if (block.buffer)
    vk.vkDestroyBuffer(device, block.buffer, nullptr);
  if (block.memory)
    vk.vkFreeMemory(device, block.memory, nullptr);
}

void Allocator::release(Allocation &allocation) {
  std::lock_guard<std::mutex> lock(mutex);
  Block *block = allocation.block;
  live -= allocation.size;
  if (block->slotBytes != 0)
    block->freeSlots.push_back(uint32_t(allocation.begin / block->slotBytes));
  else
    freeBlocks[int(block->kind)].emplace(block->bytes, block);
}

MemoryUse Allocator::use() {
  std::lock_guard<std::mutex> lock(mutex);
  return {live, reserved - live, peak, limit};
}

void Allocator::trim() {
  std::lock_guard<std::mutex> lock(mutex);
  trimLocked();
}

void Allocator::trimLocked() {
  auto drop = [&](Block *block) {
    reserved -= block->bytes;
    destroyBlock(*block);
    blocks.erase(block);
  };
  for (auto &list : freeBlocks) {
    for (auto &entry : list)
      drop(entry.second);
    list.clear();
  }
  for (auto &classes : slabs)
    for (auto &entry : classes) {
      std::vector<Block *> kept;
      for (Block *block : entry.second)
        if (block->freeSlots.size() == block->bytes / block->slotBytes)
          drop(block);
        else
          kept.push_back(block);
      entry.second = kept;
    }
}
