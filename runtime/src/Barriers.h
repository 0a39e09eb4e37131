//===- Barriers.h - the barriers of a command buffer ------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_RUNTIME_BARRIERS_H
#define NXV_RUNTIME_BARRIERS_H

#include "Vulkan.h"

#include <cstdint>

namespace nxv::runtime {

/// Makes pipeline barriers where a command needs one, between the stages that
/// are concerned and no others.
class Barriers {
public:
  /// What commands do.
  enum Work : uint32_t {
    Dispatch = 1,
    Transfer = 2,
    Indirect = 4, ///< reads workgroup counts; always with Dispatch
    Counts = 8,   ///< writes workgroup counts; always with Dispatch
    Host = 16     ///< the host reads
  };

  explicit Barriers(const VolkDeviceTable &vk) : vk(vk) {}

  /// Goes on in another command buffer, behind one that `finish` has ended.
  void begin(VkCommandBuffer commands) { current = commands; }
  /// A command that does `work` follows.
  void before(uint32_t work);
  /// Everything before happens before everything after.
  void separate();
  /// The same, for what other command buffers do after.
  void finish();
  /// The same, for the host as well.
  void finishForHost();
  /// Makes what was written readable by the host.
  static void recordForHost(const VolkDeviceTable &vk,
                            VkCommandBuffer commands);

private:
  void record(uint32_t from, uint32_t to);

  const VolkDeviceTable &vk;
  VkCommandBuffer current = VK_NULL_HANDLE;
  uint32_t done = 0;      // since the last separation
  uint32_t ahead[3] = {}; // what each kind of work has to wait for
};

} // namespace nxv::runtime

#endif // NXV_RUNTIME_BARRIERS_H
