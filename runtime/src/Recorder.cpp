//===- Recorder.cpp - a program as command buffers ------------------------===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Recorder.h"
#include "Support.h"

#include <algorithm>
#include <cstring>

using namespace nxv::runtime;
using namespace nxv::pack;

static constexpr uint64_t kSlotBytes = 4;
static constexpr uint64_t kBlockAlignment = 16;
static constexpr size_t kNamedKernels = 4;

static uint64_t ceilDiv(uint64_t a, uint64_t b) { return a / b + (a % b != 0); }

bool nxv::runtime::foldGrid(uint64_t grid, const uint32_t limits[3],
                            uint32_t folded[3]) {
  // As few groups too many as the axes allow: the largest axis count first,
  // then even sizes.
  uint64_t rows = ceilDiv(grid, limits[0]);
  uint64_t planes = ceilDiv(rows, limits[1]);
  if (planes > limits[2])
    return false;
  rows = ceilDiv(rows, planes);
  folded[0] = uint32_t(ceilDiv(ceilDiv(grid, planes), rows));
  folded[1] = uint32_t(rows);
  folded[2] = uint32_t(planes);
  return true;
}

Recording::Recording(const Program &program, RecordRequest wanted)
    : program(program), device(*program.device()), vk(device.vk()),
      request(std::move(wanted)), serialize(environmentFlag("NXV_SERIALIZE")) {
  try {
    prepare();
    record();
    if (blocks)
      device.write(*blocks, 0, blockData.data(), blockData.size());
  } catch (...) {
    destroy();
    throw;
  }
}

Recording::~Recording() { destroy(); }

void Recording::destroy() {
  if (device.abandoned())
    return;
  vk.vkDestroyQueryPool(device.handle(), queryPool, nullptr);
  vk.vkDestroyCommandPool(device.handle(), pool, nullptr);
}

bool Recording::predicate(size_t slot) const {
  uint8_t value = 0;
  std::memcpy(&value, readBack->host() + slot * kSlotBytes, 1);
  return value != 0;
}

Location Recording::locate(const Arg &arg) const {
  Location location = request.buffers[arg.buffer];
  location.offset += arg.offset;
  return location;
}

//===----------------------------------------------------------------------===//
// Preparation
//===----------------------------------------------------------------------===//

/// Upper bounds; `copies` is how often the operations are recorded.
void Recording::measure(const std::vector<Op> &ops, Needs &needs,
                        uint64_t copies) const {
  for (const Op &op : ops) {
    // A control operation ends one segment and begins others.
    needs.queries += copies * 8;
    if (op.kind == OpKind::While || op.kind == OpKind::If)
      needs.slots += copies * 2;
    if (op.kind == OpKind::Dispatch &&
        program.kernel(op.kernel).variant->arguments == Arguments::Block)
      needs.blockBytes += copies *
                          (ceilDiv(8 * op.args.size(), kBlockAlignment) + 1) *
                          kBlockAlignment;
    // A condition is recorded ahead of its loop and behind the body.
    measure(op.first, needs, op.kind == OpKind::While ? 2 * copies : copies);
    measure(op.second, needs, copies);
  }
}

void Recording::prepare() {
  Needs needs;
  measure(program.pack().program, needs, 1);
  needs.queries += 8 + request.before.size() + request.after.size();

  VkCommandPoolCreateInfo poolInfo = {
      VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
  poolInfo.queueFamilyIndex = device.queueFamily();
  check(vk.vkCreateCommandPool(device.handle(), &poolInfo, nullptr, &pool),
        "vkCreateCommandPool");
  if (needs.slots != 0)
    readBack =
        device.memory().allocate(MemoryKind::Staging, needs.slots * kSlotBytes);
  if (needs.blockBytes != 0) {
    blocks = device.memory().allocate(MemoryKind::Device, needs.blockBytes);
    blockData.resize(needs.blockBytes);
  }
  if (request.profile == NXV_PROFILE_OFF)
    return;
  VkQueryPoolCreateInfo queryInfo = {VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
  queryInfo.queryType = VK_QUERY_TYPE_TIMESTAMP;
  queryInfo.queryCount =
      uint32_t(std::min<uint64_t>(needs.queries, UINT32_MAX));
  check(vk.vkCreateQueryPool(device.handle(), &queryInfo, nullptr, &queryPool),
        "vkCreateQueryPool");
}

//===----------------------------------------------------------------------===//
// Segments
//===----------------------------------------------------------------------===//

void Recording::begin() {
  if (current)
    return;
  VkCommandBufferAllocateInfo info = {
      VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
  info.commandPool = pool;
  info.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  info.commandBufferCount = 1;
  check(vk.vkAllocateCommandBuffers(device.handle(), &info, &current),
        "vkAllocateCommandBuffers");
  VkCommandBufferBeginInfo beginInfo = {
      VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  check(vk.vkBeginCommandBuffer(current, &beginInfo), "vkBeginCommandBuffer");
  Segment segment;
  segment.commands = current;
  segment.firstQuery = nextQuery;
  segments.push_back(segment);
  // Behind whatever was submitted before.
  clean = false;
  barrier();
  if (request.profile != NXV_PROFILE_OFF)
    timestamp();
}

void Recording::end(std::vector<Step> &steps) {
  if (!current)
    return;
  barrier();
  if (request.profile == NXV_PROFILE_TOTAL) {
    timestamp();
    segments.back().marks.push_back({"program", 0});
  }
  check(vk.vkEndCommandBuffer(current), "vkEndCommandBuffer");
  current = VK_NULL_HANDLE;
  Step step;
  step.segment = segments.size() - 1;
  steps.push_back(step);
}

void Recording::barrier() {
  if (clean)
    return;
  VkMemoryBarrier info = {VK_STRUCTURE_TYPE_MEMORY_BARRIER};
  info.srcAccessMask =
      VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
  info.dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT |
                       VK_ACCESS_TRANSFER_READ_BIT |
                       VK_ACCESS_TRANSFER_WRITE_BIT | VK_ACCESS_HOST_READ_BIT;
  VkPipelineStageFlags stages =
      VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
  vk.vkCmdPipelineBarrier(current, stages, stages | VK_PIPELINE_STAGE_HOST_BIT,
                          0, 1, &info, 0, nullptr, 0, nullptr);
  clean = true;
}

void Recording::timestamp() {
  vk.vkCmdResetQueryPool(current, queryPool, nextQuery, 1);
  vk.vkCmdWriteTimestamp(current, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT,
                         queryPool, nextQuery);
  ++nextQuery;
}

void Recording::mark(const char *kernel, uint64_t grid) {
  clean = false;
  if (request.profile == NXV_PROFILE_DISPATCHES) {
    timestamp();
    segments.back().marks.push_back({kernel, grid});
  }
  if (serialize)
    barrier();
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

void Recording::record() {
  for (const CopyJob &job : request.before)
    recordCopy(job);
  if (current)
    barrier();
  recordOps(program.pack().program, root);
  if (!request.after.empty()) {
    begin();
    barrier();
    for (const CopyJob &job : request.after)
      recordCopy(job);
  }
  end(root);
}

void Recording::recordOps(const std::vector<Op> &ops,
                          std::vector<Step> &steps) {
  for (const Op &op : ops)
    recordOp(op, steps);
}

void Recording::recordOp(const Op &op, std::vector<Step> &steps) {
  switch (op.kind) {
  case OpKind::Dispatch:
    return recordDispatch(op);
  case OpKind::Barrier:
    if (current)
      barrier();
    return;
  case OpKind::Copy:
    return recordCopy({locate(op.src), locate(op.dst), op.bytes});
  case OpKind::Fill:
    return recordFill(op);
  case OpKind::While:
    return recordWhile(op, steps);
  case OpKind::If:
    return recordIf(op, steps);
  case OpKind::Tap:
    if (!request.taps)
      return;
    end(steps);
    steps.emplace_back();
    steps.back().kind = Step::Tap;
    steps.back().tap = &op;
    return;
  }
}

void Recording::recordDispatch(const Op &op) {
  const LoadedKernel &kernel = program.kernel(op.kernel);
  const std::string &name = program.pack().kernels[op.kernel].name;
  uint32_t groups[3];
  if (!foldGrid(op.grid, device.features().limits().maxComputeWorkGroupCount,
                groups))
    fail(NXV_ERROR_UNSUPPORTED, "kernel '", name, "' needs ", op.grid,
         " workgroups, more than the device can start");
  begin();
  std::vector<uint64_t> addresses;
  for (const Arg &arg : op.args)
    addresses.push_back(locate(arg).address());
  if (kernel.variant->arguments == Arguments::Block) {
    size_t bytes = 8 * addresses.size();
    if (bytes != 0)
      std::memcpy(blockData.data() + blockEnd, addresses.data(), bytes);
    addresses = {blocks->address() + blockEnd};
    blockEnd += (ceilDiv(bytes, kBlockAlignment) + 1) * kBlockAlignment;
  }
  vk.vkCmdBindPipeline(current, VK_PIPELINE_BIND_POINT_COMPUTE,
                       kernel.pipeline);
  if (!addresses.empty())
    vk.vkCmdPushConstants(current, kernel.layout, VK_SHADER_STAGE_COMPUTE_BIT,
                          0, uint32_t(8 * addresses.size()), addresses.data());
  vk.vkCmdDispatch(current, groups[0], groups[1], groups[2]);
  Segment &segment = segments.back();
  ++segment.dispatches;
  segment.kernels.push_back(op.kernel);
  if (segment.kernels.size() > kNamedKernels)
    segment.kernels.erase(segment.kernels.begin());
  mark(name.c_str(), op.grid);
}

void Recording::recordCopy(const CopyJob &job) {
  if (job.bytes == 0)
    return;
  uint64_t source = job.source.bufferOffset();
  uint64_t target = job.target.bufferOffset();
  if (job.source.buffer() == job.target.buffer()) {
    if (source == target)
      return;
    if (source < target + job.bytes && target < source + job.bytes)
      fail(NXV_ERROR_INVALID_ARGUMENT, "a copy of ", job.bytes,
           " bytes has overlapping source and target");
  }
  begin();
  VkBufferCopy region = {source, target, job.bytes};
  vk.vkCmdCopyBuffer(current, job.source.buffer(), job.target.buffer(), 1,
                     &region);
  mark("copy", job.bytes);
}

void Recording::recordFill(const Op &op) {
  if (op.bytes == 0)
    return;
  begin();
  Location target = locate(op.dst);
  vk.vkCmdFillBuffer(current, target.buffer(), target.bufferOffset(), op.bytes,
                     op.value);
  mark("fill", op.bytes);
}

/// Copies the predicate to where the host reads it and ends the segment.
size_t Recording::recordPredicate(const Arg &predicate,
                                  std::vector<Step> &steps) {
  begin();
  barrier();
  size_t slot = nextSlot++;
  Location source = locate(predicate);
  VkBufferCopy region = {source.bufferOffset(),
                         readBack->offset() + slot * kSlotBytes, 1};
  vk.vkCmdCopyBuffer(current, source.buffer(), readBack->buffer(), 1, &region);
  clean = false;
  end(steps);
  return slot;
}

void Recording::recordWhile(const Op &op, std::vector<Step> &steps) {
  if (current)
    barrier();
  recordOps(op.first, steps);
  Step loop;
  loop.kind = Step::While;
  loop.slot = recordPredicate(op.predicate, steps);
  // One submission an iteration: the body and the next condition.
  recordOps(op.second, loop.first);
  if (current)
    barrier();
  recordOps(op.first, loop.first);
  loop.nextSlot = recordPredicate(op.predicate, loop.first);
  steps.push_back(std::move(loop));
}

void Recording::recordIf(const Op &op, std::vector<Step> &steps) {
  Step branch;
  branch.kind = Step::If;
  branch.slot = recordPredicate(op.predicate, steps);
  recordOps(op.first, branch.first);
  end(branch.first);
  recordOps(op.second, branch.second);
  end(branch.second);
  steps.push_back(std::move(branch));
}
