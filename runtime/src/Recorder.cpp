//===- Recorder.cpp - a program as command buffers ------------------------===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Recorder.h"
#include "Support.h"

#include <algorithm>

using namespace nxv::runtime;
using namespace nxv::pack;

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
      request(std::move(wanted)), serialize(environmentFlag("NXV_SERIALIZE")),
      stepwise(serialize || request.profile == NXV_PROFILE_DISPATCHES),
      onCpu(device.features().properties().core.properties.deviceType ==
            VK_PHYSICAL_DEVICE_TYPE_CPU),
      readBack(device, MemoryKind::Staging),
      arguments(device, MemoryKind::Device), barriers(vk) {
  try {
    prepare();
    record();
    for (const Gate &gate : gates) {
      std::vector<uint32_t> words = {uint32_t(3 * gate.grids.size())};
      for (const std::array<uint32_t, 3> &grid : gate.grids)
        words.insert(words.end(), grid.begin(), grid.end());
      arguments.set(gate.sizes, words.data(), 4 * words.size());
    }
    arguments.upload();
    resetGates();
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

Location Recording::locate(const Arg &arg) const {
  Location location = request.buffers[arg.buffer];
  location.offset += arg.offset;
  return location;
}

//===----------------------------------------------------------------------===//
// Preparation
//===----------------------------------------------------------------------===//

/// An upper bound where each dispatch has a time of its own.
uint64_t Recording::countQueries(const std::vector<Op> &ops) const {
  uint64_t count = 0;
  for (const Op &op : ops) {
    // A control operation ends one segment and begins others. A condition is
    // recorded ahead of its loop and behind the body.
    uint64_t copies = op.kind == OpKind::While ? 2 : 1;
    count += 8 + copies * countQueries(op.first) + countQueries(op.second);
  }
  return count;
}

void Recording::prepare() {
  VkCommandPoolCreateInfo poolInfo = {
      VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
  poolInfo.queueFamilyIndex = device.queueFamily();
  check(vk.vkCreateCommandPool(device.handle(), &poolInfo, nullptr, &pool),
        "vkCreateCommandPool");
  recordHandOver();
  if (request.profile == NXV_PROFILE_OFF)
    return;
  uint64_t queries = 2;
  if (request.profile == NXV_PROFILE_DISPATCHES)
    queries = 8 + countQueries(program.pack().program) + request.before.size() +
              request.after.size();
  VkQueryPoolCreateInfo queryInfo = {VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
  queryInfo.queryType = VK_QUERY_TYPE_TIMESTAMP;
  queryInfo.queryCount = uint32_t(std::min<uint64_t>(queries, UINT32_MAX));
  check(vk.vkCreateQueryPool(device.handle(), &queryInfo, nullptr, &queryPool),
        "vkCreateQueryPool");
  if (request.profile == NXV_PROFILE_TOTAL) {
    recordStamp(0);
    recordStamp(1);
  }
}

void Recording::recordHandOver() {
  handOverCommands = newCommands(0);
  Barriers::recordForHost(vk, handOverCommands);
  check(vk.vkEndCommandBuffer(handOverCommands), "vkEndCommandBuffer");
}

void Recording::recordStamp(size_t index) {
  stamps[index] = current = newCommands(0);
  timestamp(uint32_t(index));
  check(vk.vkEndCommandBuffer(current), "vkEndCommandBuffer");
  current = VK_NULL_HANDLE;
}

//===----------------------------------------------------------------------===//
// Segments
//===----------------------------------------------------------------------===//

VkCommandBuffer Recording::newCommands(VkCommandBufferUsageFlags usage) {
  VkCommandBuffer commands = VK_NULL_HANDLE;
  VkCommandBufferAllocateInfo info = {
      VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
  info.commandPool = pool;
  info.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  info.commandBufferCount = 1;
  check(vk.vkAllocateCommandBuffers(device.handle(), &info, &commands),
        "vkAllocateCommandBuffers");
  VkCommandBufferBeginInfo beginInfo = {
      VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  beginInfo.flags = usage;
  check(vk.vkBeginCommandBuffer(commands, &beginInfo), "vkBeginCommandBuffer");
  return commands;
}

void Recording::begin() {
  if (current)
    return;
  // A turn of a loop is more than once in a submission.
  current =
      newCommands(depth ? VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT : 0);
  Segment segment;
  segment.commands = current;
  segment.firstQuery = nextQuery;
  segments.push_back(segment);
  barriers.begin(current);
  if (request.profile == NXV_PROFILE_DISPATCHES)
    timestamp(nextQuery++);
}

void Recording::end(std::vector<Step> &steps) {
  if (!current)
    return;
  // The last one needs no other to hand its work over to the host.
  if (isEnding)
    barriers.finishForHost();
  else
    barriers.finish();
  segments.back().handsOver = isEnding;
  check(vk.vkEndCommandBuffer(current), "vkEndCommandBuffer");
  current = VK_NULL_HANDLE;
  Step step;
  step.segment = segments.size() - 1;
  steps.push_back(step);
}

void Recording::timestamp(uint32_t query) {
  vk.vkCmdResetQueryPool(current, queryPool, query, 1);
  vk.vkCmdWriteTimestamp(current, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT,
                         queryPool, query);
}

void Recording::mark(const char *kernel, uint64_t grid) {
  if (request.profile == NXV_PROFILE_DISPATCHES) {
    timestamp(nextQuery++);
    segments.back().marks.push_back({kernel, grid});
  }
  if (serialize)
    barriers.separate();
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

void Recording::record() {
  for (const CopyJob &job : request.before)
    recordCopy(job);
  barriers.separate();
  recordOps(program.pack().program, root);
  if (!request.after.empty()) {
    begin();
    barriers.separate();
    for (const CopyJob &job : request.after)
      recordCopy(job);
  }
  if (fetchesAll())
    fetchGates(0, gates.size());
  isEnding = true;
  end(root);
  isEnding = false;
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
    barriers.separate();
    return;
  case OpKind::Copy:
    return recordCopy(
        {locate(op.src), locate(op.dst), op.bytes, isForKernel(op)});
  case OpKind::Fill:
    return recordFill(op);
  case OpKind::While:
    return recordWhile(op, steps);
  case OpKind::Repeat:
    return recordRepeat(op, steps);
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
    Location block = arguments.take(bytes);
    arguments.set(block, addresses.data(), bytes);
    addresses = {block.address()};
  }
  vk.vkCmdBindPipeline(current, VK_PIPELINE_BIND_POINT_COMPUTE,
                       kernel.pipeline);
  if (!addresses.empty())
    vk.vkCmdPushConstants(current, kernel.layout, VK_SHADER_STAGE_COMPUTE_BIT,
                          0, uint32_t(8 * addresses.size()), addresses.data());
  launch(groups);
  Segment &segment = segments.back();
  ++(gate ? gate->dispatches : segment.dispatches);
  segment.kernels.push_back(op.kernel);
  if (segment.kernels.size() > kNamedKernels)
    segment.kernels.erase(segment.kernels.begin());
  mark(name.c_str(), op.grid);
}

/// Dispatches what is bound: behind a gate with the counts in its table.
void Recording::launch(const uint32_t groups[3]) {
  barriers.before(gate ? Barriers::Dispatch | Barriers::Indirect
                       : Barriers::Dispatch);
  if (!gate)
    return vk.vkCmdDispatch(current, groups[0], groups[1], groups[2]);
  std::array<uint32_t, 3> grid = {groups[0], groups[1], groups[2]};
  auto found = std::find(gate->grids.begin(), gate->grids.end(), grid);
  uint64_t entry = found - gate->grids.begin();
  if (found == gate->grids.end())
    gate->grids.push_back(grid);
  if (entry >= gate->capacity)
    fail(NXV_ERROR_INTERNAL, "a gate has room for ", gate->capacity, " grids");
  vk.vkCmdDispatchIndirect(current, gate->table.buffer(),
                           gate->table.bufferOffset() + kGridBytes * entry);
}

/// False if there is nothing to copy.
bool Recording::checkCopy(const CopyJob &job) const {
  if (job.bytes == 0 || job.source == job.target)
    return false;
  uint64_t source = job.source.bufferOffset();
  uint64_t target = job.target.bufferOffset();
  if (job.source.buffer() == job.target.buffer() &&
      source < target + job.bytes && target < source + job.bytes)
    fail(NXV_ERROR_INVALID_ARGUMENT, "a copy of ", job.bytes,
         " bytes has overlapping source and target");
  return true;
}

void Recording::recordKernelCopy(const CopyJob &job) {
  const BuiltinKernel &kernel = device.builtins().copy;
  CopyArguments arguments = {job.source.address(), job.target.address(),
                             uint32_t(job.bytes / kCopyUnit),
                             uint32_t(job.bytes % kCopyUnit)};
  uint32_t groups[3];
  if (!foldGrid(ceilDiv(ceilDiv(job.bytes, kCopyUnit), kCopyWorkgroup),
                device.features().limits().maxComputeWorkGroupCount, groups))
    fail(NXV_ERROR_UNSUPPORTED, "a copy of ", job.bytes,
         " bytes needs more workgroups than the device can start");
  vk.vkCmdBindPipeline(current, VK_PIPELINE_BIND_POINT_COMPUTE,
                       kernel.pipeline);
  vk.vkCmdPushConstants(current, kernel.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                        sizeof(arguments), &arguments);
  launch(groups);
  mark("copy", job.bytes);
}

void Recording::recordCopy(const CopyJob &job) {
  if (!checkCopy(job))
    return;
  begin();
  // The device cannot leave out a copy of Vulkan's. Behind dispatches a kernel
  // starts sooner, too; but on a CPU memcpy is much faster.
  if (gate || (job.byKernel && !onCpu))
    return recordKernelCopy(job);
  barriers.before(Barriers::Transfer);
  VkBufferCopy region = {job.source.bufferOffset(), job.target.bufferOffset(),
                         job.bytes};
  vk.vkCmdCopyBuffer(current, job.source.buffer(), job.target.buffer(), 1,
                     &region);
  mark("copy", job.bytes);
}

void Recording::recordFill(const Op &op) {
  if (op.bytes == 0)
    return;
  begin();
  Location target = locate(op.dst);
  barriers.before(Barriers::Transfer);
  vk.vkCmdFillBuffer(current, target.buffer(), target.bufferOffset(), op.bytes,
                     op.value);
  mark("fill", op.bytes);
}
