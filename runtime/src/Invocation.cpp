//===- Invocation.cpp - one use of a program ------------------------------===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Invocation.h"
#include "Support.h"

#include <algorithm>
#include <cstring>

using namespace nxv::runtime;
using nxv::pack::BufferKind;
using nxv::pack::Tensor;

/// Larger outputs are read in pieces instead of through memory of their size.
static constexpr uint64_t kMaxStagedBytes = 64 << 20;
/// How long a submission may go on behind a deadline before it is left alone.
static constexpr std::chrono::seconds kGrace{1};

static uint64_t padded(uint64_t bytes) { return (bytes + 15) & ~uint64_t(15); }

Invocation::Invocation(const Program &program)
    : program(program), device(*program.device()),
      inputs(program.pack().inputs.size()),
      outputs(program.pack().outputs.size()) {
  device.checkAlive();
  const std::vector<pack::Buffer> &buffers = program.pack().buffers;
  if (std::any_of(buffers.begin(), buffers.end(), [](const auto &buffer) {
        return buffer.kind == BufferKind::Arena;
      }))
    arena =
        device.memory().allocate(MemoryKind::Device, program.pack().arenaBytes);
  VkFenceCreateInfo info = {VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
  check(device.vk().vkCreateFence(device.handle(), &info, nullptr, &fence),
        "vkCreateFence");
}

Invocation::~Invocation() {
  // Nothing that the device still works with may go.
  guarded([&] { settle(); });
  recording.reset();
  if (!device.abandoned())
    device.vk().vkDestroyFence(device.handle(), fence, nullptr);
}

//===----------------------------------------------------------------------===//
// Bindings
//===----------------------------------------------------------------------===//

static std::string nameOf(const char *what, size_t index) {
  return cat(what, " ", index);
}

void Invocation::checkBinding(const std::string &what, const Tensor &tensor,
                              const Binding &binding) const {
  if (binding.buffer->device.get() != &device)
    fail(NXV_ERROR_INVALID_ARGUMENT, what,
         " is bound to a buffer of another device");
  if (binding.offset % 256 != 0)
    fail(NXV_ERROR_INVALID_ARGUMENT, what, " is bound at offset ",
         binding.offset, ", not a multiple of 256");
  uint64_t bytes = program.pack().buffers[tensor.buffer].bytes;
  uint64_t size = binding.buffer->memory->bytes();
  if (binding.offset > size || bytes > size - binding.offset)
    fail(NXV_ERROR_INVALID_ARGUMENT, what, " takes ", bytes,
         " bytes at offset ", binding.offset, ", the buffer has ", size);
}

void Invocation::bindInput(size_t index, Binding binding) {
  if (index >= inputs.size())
    fail(NXV_ERROR_INVALID_ARGUMENT, "input ", index,
         " does not exist, there are ", inputs.size());
  checkBinding(nameOf("input", index), program.pack().inputs[index], binding);
  dropRecording();
  inputs[index] = std::move(binding);
}

void Invocation::bindOutput(size_t index, Binding binding) {
  if (index >= outputs.size())
    fail(NXV_ERROR_INVALID_ARGUMENT, "output ", index,
         " does not exist, there are ", outputs.size());
  checkBinding(nameOf("output", index), program.pack().outputs[index], binding);
  dropRecording();
  outputs[index] = std::move(binding);
}

void Invocation::setTap(nxv_tap_fn function, void *user) {
  // Without a tap the program is not cut there.
  if ((tap == nullptr) != (function == nullptr))
    dropRecording();
  tap = function;
  tapUser = user;
}

void Invocation::setProfile(nxv_profile_mode mode) {
  if (mode < NXV_PROFILE_OFF || mode > NXV_PROFILE_DISPATCHES)
    fail(NXV_ERROR_INVALID_ARGUMENT, int(mode), " is no profile mode");
  if (mode != NXV_PROFILE_OFF && device.timestampBits() == 0)
    fail(NXV_ERROR_UNSUPPORTED, "the device has no timestamps");
  if (mode != profileMode)
    dropRecording();
  profileMode = mode;
}

void Invocation::setDeadline(uint64_t microseconds) {
  // Thirty years and the clock's own time fit 63 bits of nanoseconds.
  deadline = std::min(microseconds, uint64_t(1000000000000000));
}

/// Where each buffer of the pack is.
std::vector<Location> Invocation::resolve() const {
  const pack::Pack &pack = program.pack();
  std::vector<Location> buffers(pack.buffers.size());
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (pack.buffers[i].kind == BufferKind::Constant)
      buffers[i] = {program.constants(), program.constantOffset(i)};
    if (pack.buffers[i].kind == BufferKind::Arena)
      buffers[i] = {arena.get(), pack.buffers[i].offset};
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i])
      fail(NXV_ERROR_INVALID_ARGUMENT, "input ", i, " is not bound");
    buffers[pack.inputs[i].buffer] = inputs[i].location();
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    Location &location = buffers[pack.outputs[i].buffer];
    if (outputs[i] && !location.allocation)
      location = outputs[i].location();
  }
  for (size_t i = 0; i < outputs.size(); ++i)
    if (!buffers[pack.outputs[i].buffer].allocation)
      fail(NXV_ERROR_INVALID_ARGUMENT, "output ", i, " is not bound");
  return buffers;
}

static bool overlap(const Location &a, uint64_t aBytes, const Location &b,
                    uint64_t bBytes) {
  return aBytes != 0 && bBytes != 0 && a.allocation == b.allocation &&
         a.offset < b.offset + padded(bBytes) &&
         b.offset < a.offset + padded(aBytes);
}

/// The program's writes may not reach what it or the host still reads.
void Invocation::checkOverlap(const std::vector<Location> &buffers) const {
  const pack::Pack &pack = program.pack();
  for (size_t o = 0; o < outputs.size(); ++o) {
    if (!outputs[o])
      continue;
    const Location here = outputs[o].location();
    uint64_t buffer = pack.outputs[o].buffer;
    uint64_t bytes = pack.buffers[buffer].bytes;
    for (size_t i = 0; i < inputs.size(); ++i) {
      uint64_t other = pack.inputs[i].buffer;
      if (other != buffer &&
          overlap(here, bytes, buffers[other], pack.buffers[other].bytes))
        fail(NXV_ERROR_INVALID_ARGUMENT, "output ", o, " overlaps input ", i);
    }
    for (size_t p = 0; p < o; ++p)
      if (outputs[p] &&
          !(here == outputs[p].location() &&
            buffer == pack.outputs[p].buffer) &&
          overlap(here, bytes, outputs[p].location(),
                  pack.buffers[pack.outputs[p].buffer].bytes))
        fail(NXV_ERROR_INVALID_ARGUMENT, "output ", o, " overlaps output ", p);
  }
  for (size_t i = 0; i < inputs.size(); ++i)
    for (size_t k = 0; k < inputs.size(); ++k) {
      uint64_t a = pack.inputs[i].buffer, b = pack.inputs[k].buffer;
      if (i != k && pack.inputs[i].donatable &&
          overlap(buffers[a], pack.buffers[a].bytes, buffers[b],
                  pack.buffers[b].bytes))
        fail(NXV_ERROR_INVALID_ARGUMENT, "input ", i,
             " may be overwritten and overlaps input ", k);
    }
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

void Invocation::record() {
  RecordRequest request;
  request.buffers = resolve();
  checkOverlap(request.buffers);
  request.taps = tap != nullptr;
  request.profile = profileMode;
  const pack::Pack &pack = program.pack();
  for (size_t i = 0; i < stagedInputs.size(); ++i)
    if (stagedInputs[i])
      request.before.push_back({{stagedInputs[i].get(), 0},
                                inputs[i].location(),
                                stagedInputs[i]->bytes()});
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Location &source = request.buffers[pack.outputs[i].buffer];
    uint64_t bytes = pack.buffers[pack.outputs[i].buffer].bytes;
    if (outputs[i] && !(outputs[i].location() == source))
      request.after.push_back({source, outputs[i].location(), bytes});
    if (i < stagedOutputs.size() && stagedOutputs[i])
      request.after.push_back({source, {stagedOutputs[i].get(), 0}, bytes});
  }
  recording = std::make_unique<Recording>(program, std::move(request));
  paces.assign(recording->numLoops(), Pace());
  openings.assign(recording->numGates(), 0);
  unfinished = false;
}

void Invocation::dropRecording() {
  settle();
  recording.reset();
}

/// Waits for what a run has left behind that was stopped.
void Invocation::settle() {
  if (!inFlight)
    return;
  inFlight = false;
  device.collect(fence, describeWork());
}

void Invocation::run() {
  device.checkAlive();
  settle();
  started = std::chrono::steady_clock::now();
  lastSegment = SIZE_MAX;
  uint64_t seen = device.instance().validationErrors();
  pending.clear();
  events.clear();
  deviceTime = 0;
  dispatches = 0;
  hasFirstTimestamp = false;
  if (!recording)
    record();
  if (unfinished) {
    recording->resetGates();
    openings.assign(recording->numGates(), 0);
  }
  unfinished = true;
  runSteps(recording->steps());
  flush();
  dispatches += recording->gatedDispatches(openings);
  unfinished = false;
  device.instance().checkValidation(seen);
}

void Invocation::runSteps(const std::vector<Step> &steps) {
  for (const Step &step : steps) {
    switch (step.kind) {
    case Step::Submit:
      pending.push_back(step.segment);
      break;
    case Step::Repeat:
      repeat(step);
      break;
    case Step::Ahead:
      runAhead(step);
      break;
    case Step::While:
      flush();
      for (size_t slot = step.slot; recording->predicate(slot);
           slot = step.nextSlot) {
        runSteps(step.first);
        flush();
      }
      break;
    case Step::If:
      flush();
      runSteps(recording->predicate(step.slot) ? step.first : step.second);
      break;
    case Step::Tap:
      flush();
      runTap(*step.tap);
      break;
    }
  }
}

void Invocation::runTap(const pack::Op &op) {
  uint64_t bytes = 0;
  pack::tensorBytes(op.type, op.shape, bytes);
  std::vector<uint8_t> data(bytes);
  const Location &location = recording->buffer(op.src.buffer);
  device.read(*location.allocation, location.offset + op.src.offset,
              data.data(), bytes);
  tap(tapUser, op.name.c_str(), op.type.c_str(), op.shape.data(),
      op.shape.size(), data.data(), bytes);
}

void Invocation::repeat(const Step &step) {
  Pace &pace = paces[step.loop];
  for (uint64_t turn = 0; turn < step.count; ++turn) {
    runSteps(step.first);
    bool full = pace.add(submissions);
    if (recording->turnByTurn())
      flush();
    else if (full)
      pace.took(pace.turns(), flush());
  }
}

void Invocation::runAhead(const Step &step) {
  Pace &pace = paces[step.loop];
  uint32_t before = recording->openings(step.gate);
  uint64_t done = 0;
  while (true) {
    size_t turns = pace.ahead(done);
    for (size_t turn = 0; turn < turns; ++turn)
      runSteps(step.first);
    runSteps(step.second);
    double seconds = flush();
    if (!recording->isOpen(step.gate))
      break;
    pace.took(turns, seconds);
    done += turns;
  }
  pace.had(recording->openings(step.gate) - before);
}

std::string Invocation::describeWork() const {
  std::string text = cat("'", program.pack().name, "'");
  if (lastSegment == SIZE_MAX)
    return text;
  text += " (last kernels:";
  for (size_t kernel : recording->segment(lastSegment).kernels)
    text += " " + program.pack().kernels[kernel].name;
  return text + ")";
}

void Invocation::stop() {
  std::chrono::duration<double> elapsed =
      std::chrono::steady_clock::now() - started;
  fail(NXV_ERROR_DEADLINE, describeWork(), " was stopped after ",
       elapsed.count(), " seconds, its deadline is ", double(deadline) / 1e6,
       " seconds");
}

/// Submits what is pending and waits for it; the seconds that this took.
double Invocation::flush() {
  if (pending.empty())
    return 0;
  std::optional<Device::Time> until;
  if (deadline != 0)
    until = started + std::chrono::microseconds(deadline);
  Device::Time begin = std::chrono::steady_clock::now();
  if (until && begin >= *until)
    stop();
  std::vector<VkCommandBuffer> commands;
  bool stamped = profileMode == NXV_PROFILE_TOTAL;
  if (stamped)
    commands.push_back(recording->stamp(0));
  for (size_t index : pending) {
    const Segment &segment = recording->segment(index);
    commands.push_back(segment.commands);
    dispatches += segment.dispatches;
    if (!segment.kernels.empty())
      lastSegment = index;
  }
  if (!recording->segment(pending.back()).handsOver)
    commands.push_back(recording->handOver());
  if (stamped)
    commands.push_back(recording->stamp(1));
  device.submit(commands, fence);
  ++submissions;
  if (!device.wait(fence, describeWork(), until)) {
    // The submissions of loops are short.
    if (!device.wait(fence, describeWork(),
                     std::chrono::steady_clock::now() + kGrace)) {
      device.leave(fence);
      inFlight = true;
    }
    stop();
  }
  std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
  if (profileMode != NXV_PROFILE_OFF)
    readTimestamps();
  pending.clear();
  return time.count();
}

std::vector<uint64_t> Invocation::readStamps(uint32_t first, size_t count) {
  std::vector<uint64_t> stamps(count);
  check(device.vk().vkGetQueryPoolResults(
            device.handle(), recording->queries(), first, uint32_t(count),
            8 * count, stamps.data(), 8,
            VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
        "vkGetQueryPoolResults");
  return stamps;
}

void Invocation::readTimestamps() {
  double period = device.features().limits().timestampPeriod / 1000.0;
  uint32_t bits = device.timestampBits();
  uint64_t mask = bits >= 64 ? UINT64_MAX : (uint64_t(1) << bits) - 1;
  auto between = [&](uint64_t from, uint64_t to) {
    return double((to - from) & mask) * period;
  };
  if (profileMode == NXV_PROFILE_TOTAL) {
    std::vector<uint64_t> stamps = readStamps(0, 2);
    deviceTime += between(stamps[0], stamps[1]);
    return;
  }
  for (size_t index : pending) {
    const Segment &segment = recording->segment(index);
    std::vector<uint64_t> stamps =
        readStamps(segment.firstQuery, segment.marks.size() + 1);
    if (!hasFirstTimestamp)
      firstTimestamp = stamps[0];
    hasFirstTimestamp = true;
    deviceTime += between(stamps[0], stamps.back());
    for (size_t i = 0; i < segment.marks.size(); ++i)
      events.push_back({segment.marks[i].kernel, segment.marks[i].grid,
                        between(firstTimestamp, stamps[i]),
                        between(firstTimestamp, stamps[i + 1])});
  }
}

//===----------------------------------------------------------------------===//
// Host arrays
//===----------------------------------------------------------------------===//

void Invocation::prepareHost() {
  const pack::Pack &pack = program.pack();
  Allocator &memory = device.memory();
  stagedInputs.resize(inputs.size());
  stagedOutputs.resize(outputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    uint64_t bytes = pack.buffers[pack.inputs[i].buffer].bytes;
    inputs[i] = {std::make_shared<DeviceBuffer>(program.device(), bytes), 0};
    if (!memory.deviceIsMapped() && bytes != 0 && bytes <= kMaxStagedBytes)
      stagedInputs[i] = memory.allocate(MemoryKind::Staging, bytes);
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    const pack::Buffer &buffer = pack.buffers[pack.outputs[i].buffer];
    if (buffer.kind == BufferKind::Output)
      outputs[i] = {
          std::make_shared<DeviceBuffer>(program.device(), buffer.bytes), 0};
    if (!memory.deviceIsCached() && buffer.bytes != 0 &&
        buffer.bytes <= kMaxStagedBytes)
      stagedOutputs[i] = memory.allocate(MemoryKind::Staging, buffer.bytes);
  }
  onHost = true;
}

void Invocation::runOnHost(const void *const *hostInputs,
                           void *const *hostOutputs) {
  settle();
  if (!onHost)
    prepareHost();
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Allocation &memory = *inputs[i].buffer->memory;
    if (!hostInputs[i] && memory.bytes() != 0)
      fail(NXV_ERROR_INVALID_ARGUMENT, "input ", i, " is null");
    if (stagedInputs[i])
      std::memcpy(stagedInputs[i]->host(), hostInputs[i], memory.bytes());
    else
      device.write(memory, 0, hostInputs[i], memory.bytes());
  }
  run();
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Tensor &tensor = program.pack().outputs[i];
    uint64_t bytes = program.pack().buffers[tensor.buffer].bytes;
    if (bytes == 0)
      continue;
    if (!hostOutputs[i])
      fail(NXV_ERROR_INVALID_ARGUMENT, "output ", i, " is null");
    if (stagedOutputs[i]) {
      std::memcpy(hostOutputs[i], stagedOutputs[i]->host(), bytes);
    } else {
      const Location &from = recording->buffer(tensor.buffer);
      device.read(*from.allocation, from.offset, hostOutputs[i], bytes);
    }
  }
}
