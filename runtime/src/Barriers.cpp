//===- Barriers.cpp - the barriers of a command buffer --------------------===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Barriers.h"

#include <utility>

using namespace nxv::runtime;

static constexpr uint32_t kAllWork =
    Barriers::Dispatch | Barriers::Transfer | Barriers::Indirect;

static VkPipelineStageFlags stagesOf(uint32_t work) {
  VkPipelineStageFlags stages = 0;
  if (work & Barriers::Dispatch)
    stages |= VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
  if (work & Barriers::Transfer)
    stages |= VK_PIPELINE_STAGE_TRANSFER_BIT;
  if (work & Barriers::Indirect)
    stages |= VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT;
  if (work & Barriers::Host)
    stages |= VK_PIPELINE_STAGE_HOST_BIT;
  return stages;
}

static VkAccessFlags writesOf(uint32_t work) {
  VkAccessFlags access = 0;
  if (work & Barriers::Dispatch)
    access |= VK_ACCESS_SHADER_WRITE_BIT;
  if (work & Barriers::Transfer)
    access |= VK_ACCESS_TRANSFER_WRITE_BIT;
  return access;
}

static VkAccessFlags accessesOf(uint32_t work) {
  VkAccessFlags access = writesOf(work);
  if (work & Barriers::Dispatch)
    access |= VK_ACCESS_SHADER_READ_BIT;
  if (work & Barriers::Transfer)
    access |= VK_ACCESS_TRANSFER_READ_BIT;
  if (work & Barriers::Indirect)
    access |= VK_ACCESS_INDIRECT_COMMAND_READ_BIT;
  if (work & Barriers::Host)
    access |= VK_ACCESS_HOST_READ_BIT;
  return access;
}

void Barriers::record(uint32_t from, uint32_t to) {
  VkMemoryBarrier info = {VK_STRUCTURE_TYPE_MEMORY_BARRIER};
  info.srcAccessMask = writesOf(from);
  info.dstAccessMask = accessesOf(to);
  vk.vkCmdPipelineBarrier(current, stagesOf(from), stagesOf(to), 0, 1, &info, 0,
                          nullptr, 0, nullptr);
}

void Barriers::before(uint32_t work) {
  uint32_t from = 0;
  for (unsigned i = 0; i < 3; ++i)
    if (work >> i & 1)
      from |= std::exchange(ahead[i], 0);
  if (from)
    record(from, work);
  done |= work & (Dispatch | Transfer | Counts);
}

void Barriers::separate() {
  uint32_t all = done & (Dispatch | Transfer);
  ahead[0] |= all;
  ahead[1] |= all;
  if (done & Counts)
    ahead[2] |= Dispatch;
  done = 0;
}

void Barriers::finish() {
  separate();
  uint32_t from = ahead[0] | ahead[1] | ahead[2];
  if (from)
    record(from, ahead[2] ? kAllWork : Dispatch | Transfer);
  for (uint32_t &work : ahead)
    work = 0;
}

void Barriers::finishForHost() {
  record(Dispatch | Transfer, kAllWork | Host);
  done = 0;
  for (uint32_t &work : ahead)
    work = 0;
}

void Barriers::recordForHost(const VolkDeviceTable &vk,
                             VkCommandBuffer commands) {
  VkMemoryBarrier info = {VK_STRUCTURE_TYPE_MEMORY_BARRIER};
  info.srcAccessMask = writesOf(kAllWork);
  info.dstAccessMask = VK_ACCESS_HOST_READ_BIT;
  vk.vkCmdPipelineBarrier(commands, stagesOf(Dispatch | Transfer),
                          VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &info, 0, nullptr,
                          0, nullptr);
}
