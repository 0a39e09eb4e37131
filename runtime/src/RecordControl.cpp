//===- RecordControl.cpp - loops and branches as command buffers ----------===//
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
/// What a gate has in device memory: { open, openings }.
static constexpr uint64_t kStateBytes = 8;

/// The most dispatches and copies that a turn may have behind its gate. Where
/// it has more, a look at the device costs little beside them.
static constexpr uint64_t kMaxGatedCost = 256;
/// The same for a branch outside of loops, where the host would look once.
static constexpr uint64_t kMaxGatedBranch = 8;
/// The largest copy that a kernel does on a CPU, where memcpy is many times
/// faster and the host is near.
static constexpr uint64_t kMaxGatedCpuCopy = 16 << 10;
/// The most gates of a program.
static constexpr size_t kMaxGates = 4096;
/// The most gates whose states the host reads where they are.
static constexpr size_t kMaxGatesRead = 16;
/// The most gates that one operation of that cost takes, recorded twice.
static constexpr size_t kGatesAtOnce = 4 * kMaxGatedCost;

//===----------------------------------------------------------------------===//
// Gates
//===----------------------------------------------------------------------===//

/// True if a kernel may do the copy.
bool Recording::isForKernel(const Op &copy) const {
  return copy.src.offset % kCopyUnit == 0 && copy.dst.offset % kCopyUnit == 0 &&
         copy.bytes / kCopyUnit < UINT32_MAX / 2;
}

bool Recording::canGate(const Op &copy) const {
  return isForKernel(copy) && (!onCpu || copy.bytes <= kMaxGatedCpuCopy);
}

/// The dispatches and copies of an operation behind a gate; none if the host
/// has to take part in it.
std::optional<uint64_t> Recording::gatedCost(const Op &op) const {
  switch (op.kind) {
  case OpKind::Barrier:
    return 0;
  case OpKind::Dispatch:
    return 1;
  case OpKind::Copy:
    return canGate(op) ? std::optional<uint64_t>(1) : std::nullopt;
  case OpKind::Fill:
  case OpKind::While:
    return std::nullopt;
  case OpKind::Tap:
    return request.taps ? std::nullopt : std::optional<uint64_t>(0);
  case OpKind::Repeat: {
    std::optional<uint64_t> turn = gatedCost(op.first);
    if (!turn || op.count > kMaxGatedCost)
      return std::nullopt;
    // Turns without work take a place too, so that nests of them stay small.
    return op.count * std::max<uint64_t>(*turn, 1);
  }
  case OpKind::If: {
    std::optional<uint64_t> first = gatedCost(op.first);
    std::optional<uint64_t> second = gatedCost(op.second);
    if (!first || !second)
      return std::nullopt;
    return *first + *second + 2;
  }
  }
  return std::nullopt;
}

std::optional<uint64_t> Recording::gatedCost(const std::vector<Op> &ops) const {
  uint64_t total = 0;
  for (const Op &op : ops) {
    std::optional<uint64_t> cost = gatedCost(op);
    if (!cost)
      return std::nullopt;
    total += *cost;
    if (total > kMaxGatedCost)
      return std::nullopt;
  }
  return total;
}

bool Recording::mayGate() const {
  return !stepwise && gates.size() + kGatesAtOnce <= kMaxGates;
}

/// A gate in front of at most `capacity` dispatches.
Gate &Recording::makeGate(uint64_t capacity) {
  if (!gateStates) {
    uint64_t bytes = kMaxGates * kStateBytes;
    gateStates = device.memory().allocate(MemoryKind::Device, bytes);
    fetchedStates = device.memory().allocate(MemoryKind::Staging, bytes);
    gates.emplace_back(); // always open
  }
  Gate &made = gates.emplace_back();
  made.index = gates.size() - 1;
  made.capacity = capacity;
  made.sizes = arguments.take(4 + kGridBytes * capacity);
  made.table = arguments.take(kGridBytes * capacity);
  return made;
}

uint64_t Recording::gateAddress(const Gate *which) const {
  return gateStates->address() + kStateBytes * (which ? which->index : 0);
}

/// Decides anew whether the gate is open; a barrier is needed behind it.
void Recording::recordGate(const Gate &which, const Gate *parent,
                           const Arg &predicate, bool invert) {
  const BuiltinKernel &kernel = device.builtins().gate;
  uint64_t address = locate(predicate).address();
  GateArguments arguments = {address & ~uint64_t(3),
                             gateAddress(parent),
                             gateAddress(&which),
                             which.sizes.address(),
                             which.table.address(),
                             uint32_t(8 * (address & 3)),
                             invert};
  vk.vkCmdBindPipeline(current, VK_PIPELINE_BIND_POINT_COMPUTE,
                       kernel.pipeline);
  vk.vkCmdPushConstants(current, kernel.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                        sizeof(arguments), &arguments);
  barriers.before(Barriers::Dispatch | Barriers::Counts);
  vk.vkCmdDispatch(current, 1, 1, 1);
}

/// Copies the states of gates to where the host reads them.
void Recording::fetchGates(size_t index, size_t count) {
  begin();
  barriers.separate();
  barriers.before(Barriers::Transfer);
  VkBufferCopy region = {gateStates->offset() + kStateBytes * index,
                         fetchedStates->offset() + kStateBytes * index,
                         kStateBytes * count};
  vk.vkCmdCopyBuffer(current, gateStates->buffer(), fetchedStates->buffer(), 1,
                     &region);
}

void Recording::resetGates() {
  if (gates.empty())
    return;
  std::vector<uint32_t> words(kStateBytes / 4 * gates.size());
  words[0] = 1; // the gate that is always open
  device.write(*gateStates, 0, words.data(), 4 * words.size());
  std::memcpy(fetchedStates->host(), words.data(), 4 * words.size());
}

static uint32_t readWord(const Allocation &memory, uint64_t offset) {
  uint32_t word;
  std::memcpy(&word, memory.host() + offset, 4);
  return word;
}

bool Recording::isOpen(size_t index) const {
  const Allocation &states = gateStates->host() ? *gateStates : *fetchedStates;
  return readWord(states, kStateBytes * index) != 0;
}

uint32_t Recording::openings(size_t index) const {
  const Allocation &states = gateStates->host() ? *gateStates : *fetchedStates;
  return readWord(states, kStateBytes * index + 4);
}

uint64_t Recording::gatedDispatches(std::vector<uint32_t> &seen) const {
  bool fetched = fetchesAll();
  uint64_t total = 0;
  for (const Gate &which : gates) {
    uint64_t offset = kStateBytes * which.index + 4;
    uint32_t now = readWord(fetched ? *fetchedStates : *gateStates, offset);
    total += which.dispatches * (now - seen[which.index]);
    seen[which.index] = now;
  }
  return total;
}

/// Whether the states of all gates are copied in the end. The host may read a
/// few from the device's memory.
bool Recording::fetchesAll() const {
  return !gates.empty() &&
         (!gateStates->host() || gates.size() > kMaxGatesRead);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

void Recording::recordRepeat(const Op &op, std::vector<Step> &steps) {
  if (gate) {
    for (uint64_t turn = 0; turn < op.count; ++turn) {
      barriers.separate();
      recordOps(op.first, steps);
    }
    return;
  }
  end(steps);
  ++depth;
  Step loop;
  loop.kind = Step::Repeat;
  loop.count = op.count;
  loop.loop = loops++;
  recordOps(op.first, loop.first);
  end(loop.first);
  --depth;
  if (!loop.first.empty())
    steps.push_back(std::move(loop));
}

void Recording::recordWhile(const Op &op, std::vector<Step> &steps) {
  std::optional<uint64_t> condition = gatedCost(op.first);
  std::optional<uint64_t> body = gatedCost(op.second);
  ++depth;
  // Without a body the turns are the condition's: few and long ones.
  if (mayGate() && condition && body && !op.second.empty())
    recordAhead(op, *condition + *body, steps);
  else
    recordEachTurn(op, steps);
  --depth;
}

/// The host reads the predicate ahead of each turn.
void Recording::recordEachTurn(const Op &op, std::vector<Step> &steps) {
  barriers.separate();
  recordOps(op.first, steps);
  Step loop;
  loop.kind = Step::While;
  loop.slot = recordPredicate(op.predicate, steps);
  // One submission a turn: the body and the next condition.
  recordOps(op.second, loop.first);
  barriers.separate();
  recordOps(op.first, loop.first);
  loop.nextSlot = recordPredicate(op.predicate, loop.first);
  steps.push_back(std::move(loop));
}

/// The device reads the predicate: a turn behind a closed gate does nothing, so
/// that the host may submit more turns than there are.
void Recording::recordAhead(const Op &op, uint64_t cost,
                            std::vector<Step> &steps) {
  begin();
  barriers.separate();
  recordOps(op.first, steps);
  begin();
  barriers.separate();
  Gate &own = makeGate(cost);
  recordGate(own, nullptr, op.predicate, false);
  barriers.separate();
  end(steps);

  Step loop;
  loop.kind = Step::Ahead;
  loop.loop = loops++;
  loop.gate = own.index;
  gate = &own;
  recordOps(op.second, loop.first);
  barriers.separate();
  recordOps(op.first, loop.first);
  gate = nullptr;
  begin();
  barriers.separate();
  recordGate(own, &own, op.predicate, false);
  barriers.separate();
  end(loop.first);

  if (!gateStates->host()) {
    fetchGates(own.index, 1);
    end(loop.second);
  }
  steps.push_back(std::move(loop));
}

//===----------------------------------------------------------------------===//
// Branches
//===----------------------------------------------------------------------===//

/// Copies the predicate to where the host reads it and ends the segment.
size_t Recording::recordPredicate(const Arg &predicate,
                                  std::vector<Step> &steps) {
  begin();
  barriers.separate();
  slots.push_back(readBack.take(kSlotBytes));
  Location source = locate(predicate);
  barriers.before(Barriers::Transfer);
  VkBufferCopy region = {source.bufferOffset(), slots.back().bufferOffset(), 1};
  vk.vkCmdCopyBuffer(current, source.buffer(), slots.back().buffer(), 1,
                     &region);
  end(steps);
  return slots.size() - 1;
}

/// The device takes the decision if it can, and if the branches are small: what
/// is behind a closed gate takes some time, too.
void Recording::recordIf(const Op &op, std::vector<Step> &steps) {
  std::optional<uint64_t> cost = gatedCost(op);
  uint64_t most = depth != 0 ? kMaxGatedCost : kMaxGatedBranch;
  if (gate || (mayGate() && cost && *cost <= most))
    return recordGatedIf(op, *cost, steps);
  Step branch;
  branch.kind = Step::If;
  branch.slot = recordPredicate(op.predicate, steps);
  recordOps(op.first, branch.first);
  end(branch.first);
  recordOps(op.second, branch.second);
  end(branch.second);
  steps.push_back(std::move(branch));
}

void Recording::recordGatedIf(const Op &op, uint64_t cost,
                              std::vector<Step> &steps) {
  begin();
  barriers.separate();
  Gate *outer = gate;
  Gate &yes = makeGate(cost), &no = makeGate(cost);
  recordGate(yes, outer, op.predicate, false);
  recordGate(no, outer, op.predicate, true);
  barriers.separate();
  gate = &yes;
  recordOps(op.first, steps);
  gate = &no;
  recordOps(op.second, steps);
  gate = outer;
  barriers.separate();
}
