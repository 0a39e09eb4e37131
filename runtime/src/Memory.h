//===- Memory.h - device memory ---------------------------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// A caching allocator. Small requests are cut from slabs of one size class;
// large ones have a Vulkan buffer of their own, kept for reuse when freed.
//
//===----------------------------------------------------------------------===//

#ifndef NXV_RUNTIME_MEMORY_H
#define NXV_RUNTIME_MEMORY_H

#include "Vulkan.h"

#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace nxv::runtime {

class Allocator;

enum class MemoryKind {
  Device, ///< where kernels work; mapped if the device offers it
  Staging ///< the host's, cached
};

/// A Vulkan buffer with memory of its own.
struct Block {
  VkBuffer buffer = VK_NULL_HANDLE;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  uint64_t base = 0;    // offset of the first byte at an address of 256 * n
  uint64_t bytes = 0;   // usable from `base`
  uint64_t address = 0; // of `base`; 0 for staging
  uint8_t *host = nullptr;
  MemoryKind kind = MemoryKind::Device;
  // Slabs only.
  uint64_t slotBytes = 0;
  std::vector<uint32_t> freeSlots;
};

/// A range of a block; gives itself back.
class Allocation {
public:
  Allocation(std::shared_ptr<Allocator> owner, Block *block, uint64_t begin,
             uint64_t requested, uint64_t capacity);
  ~Allocation();
  Allocation(const Allocation &) = delete;
  Allocation &operator=(const Allocation &) = delete;

  VkBuffer buffer() const { return block->buffer; }
  /// Offset in the Vulkan buffer.
  uint64_t offset() const { return block->base + begin; }
  uint64_t address() const { return block->address + begin; }
  /// The mapped memory, or null.
  uint8_t *host() const { return block->host ? block->host + begin : nullptr; }
  uint64_t bytes() const { return requested; }
  uint64_t capacity() const { return size; }
  MemoryKind kind() const { return block->kind; }

private:
  friend class Allocator;
  std::shared_ptr<Allocator> owner;
  Block *block;
  uint64_t begin;
  uint64_t requested;
  uint64_t size;
};

struct MemoryUse {
  uint64_t live = 0;
  uint64_t cached = 0;
  uint64_t peak = 0;
  uint64_t limit = 0;
};

class Allocator : public std::enable_shared_from_this<Allocator> {
public:
  Allocator(VkPhysicalDevice physical, VkDevice device,
            const VolkDeviceTable &vk, uint64_t limit);
  ~Allocator();

  /// Never null; the address is a multiple of 256, the capacity at least
  /// `bytes` rounded up to 256.
  std::unique_ptr<Allocation> allocate(MemoryKind kind, uint64_t bytes);

  MemoryUse use();
  void trim();

  /// Memory of tensors can be written, or read at full speed, by the host.
  bool deviceIsMapped() const { return deviceMapped; }
  bool deviceIsCached() const { return deviceCached; }

private:
  friend class Allocation;
  using BlockRef = std::unique_ptr<Block>;

  void chooseTypes(VkPhysicalDevice physical);
  std::unique_ptr<Allocation> allocateSlot(MemoryKind kind, uint64_t bytes);
  std::unique_ptr<Allocation> allocateBlock(MemoryKind kind, uint64_t bytes);
  BlockRef createBlock(MemoryKind kind, uint64_t bytes);
  void makeBuffer(Block &block, uint64_t bytes);
  void bindMemory(Block &block, uint64_t bytes);
  void destroyBlock(Block &block);
  void release(Allocation &allocation);
  void trimLocked();
  void countLive(uint64_t bytes);

  VkDevice device;
  const VolkDeviceTable &vk;
  uint64_t limit;
  uint32_t deviceType = 0;
  uint32_t stagingType = 0;
  bool deviceMapped = false;
  bool deviceCached = false;

  std::mutex mutex;
  std::map<Block *, BlockRef> blocks;
  std::multimap<uint64_t, Block *> freeBlocks[2]; // by size, for each kind
  std::map<uint64_t, std::vector<Block *>> slabs[2];
  uint64_t reserved = 0; // bytes of all blocks
  uint64_t live = 0;
  uint64_t peak = 0;
};

} // namespace nxv::runtime

#endif // NXV_RUNTIME_MEMORY_H
