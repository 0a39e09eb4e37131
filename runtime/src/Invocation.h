//===- Invocation.h - one use of a program ----------------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_RUNTIME_INVOCATION_H
#define NXV_RUNTIME_INVOCATION_H

#include "Pace.h"
#include "Recorder.h"

namespace nxv::runtime {

/// A buffer of the host's on the device.
struct DeviceBuffer {
  DeviceBuffer(std::shared_ptr<Device> device, uint64_t bytes)
      : device(std::move(device)),
        memory(this->device->memory().allocate(MemoryKind::Device, bytes)) {}

  std::shared_ptr<Device> device;
  std::unique_ptr<Allocation> memory;
};

struct Binding {
  std::shared_ptr<DeviceBuffer> buffer;
  uint64_t offset = 0;

  explicit operator bool() const { return buffer != nullptr; }
  Location location() const { return {buffer->memory.get(), offset}; }
};

class Invocation {
public:
  explicit Invocation(const Program &program);
  ~Invocation();
  Invocation(const Invocation &) = delete;
  Invocation &operator=(const Invocation &) = delete;

  void bindInput(size_t index, Binding binding);
  void bindOutput(size_t index, Binding binding);
  void setTap(nxv_tap_fn tap, void *user);
  void setProfile(nxv_profile_mode mode);
  void setDeadline(uint64_t microseconds);
  void run();
  /// Copies in, runs, copies out; the memory is the invocation's own.
  void runOnHost(const void *const *inputs, void *const *outputs);

  double deviceMicroseconds() const { return deviceTime; }
  const std::vector<nxv_profile_event> &profile() const { return events; }
  uint64_t numDispatches() const { return dispatches; }

private:
  void checkBinding(const std::string &what, const pack::Tensor &tensor,
                    const Binding &binding) const;
  std::vector<Location> resolve() const;
  void checkOverlap(const std::vector<Location> &buffers) const;
  void prepareHost();
  void record();
  void runSteps(const std::vector<Step> &steps);
  void runTap(const pack::Op &op);
  void repeat(const Step &step);
  void runAhead(const Step &step);
  double flush();
  [[noreturn]] void stop();
  void settle();
  void dropRecording();
  std::vector<uint64_t> readStamps(uint32_t first, size_t count);
  void readTimestamps();
  std::string describeWork() const;

  const Program &program;
  Device &device;
  std::vector<Binding> inputs;
  std::vector<Binding> outputs;
  std::unique_ptr<Allocation> arena;
  nxv_tap_fn tap = nullptr;
  void *tapUser = nullptr;
  nxv_profile_mode profileMode = NXV_PROFILE_OFF;
  uint64_t deadline = 0; // microseconds; 0: none

  // Host arrays on devices whose memory is not mapped, or slow to read.
  bool onHost = false;
  std::vector<std::unique_ptr<Allocation>> stagedInputs;
  std::vector<std::unique_ptr<Allocation>> stagedOutputs;

  std::unique_ptr<Recording> recording;
  VkFence fence = VK_NULL_HANDLE;
  std::vector<size_t> pending;    // segments to submit
  std::vector<Pace> paces;        // of the recording's loops
  std::vector<uint32_t> openings; // of the gates, when the last run ended
  bool unfinished = false;        // the last run was stopped or failed
  size_t submissions = 0;
  size_t lastSegment = SIZE_MAX; // that was submitted and has kernels
  bool inFlight = false;         // a submission that was not waited for
  Device::Time started;

  double deviceTime = 0;
  uint64_t firstTimestamp = 0;
  bool hasFirstTimestamp = false;
  uint64_t dispatches = 0;
  std::vector<nxv_profile_event> events;
};

} // namespace nxv::runtime

#endif // NXV_RUNTIME_INVOCATION_H
