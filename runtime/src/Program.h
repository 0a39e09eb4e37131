//===- Program.h - a loaded pack --------------------------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_RUNTIME_PROGRAM_H
#define NXV_RUNTIME_PROGRAM_H

#include "Device.h"
#include "Pack.h"

namespace nxv::runtime {

class Invocation;

/// A kernel on the device: the variant that was taken and its pipeline.
struct LoadedKernel {
  const pack::Variant *variant = nullptr;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  VkPipeline pipeline = VK_NULL_HANDLE;
};

/// Immutable once it is loaded.
class Program : public std::enable_shared_from_this<Program> {
public:
  Program(std::shared_ptr<Device> device, const uint8_t *data, size_t size);
  ~Program();
  Program(const Program &) = delete;
  Program &operator=(const Program &) = delete;

  const std::shared_ptr<Device> &device() const { return owner; }
  /// The blobs are gone.
  const pack::Pack &pack() const { return contents; }
  const LoadedKernel &kernel(size_t index) const { return kernels[index]; }
  /// One allocation with all constants; the offset of a constant's buffer.
  const Allocation *constants() const { return constantMemory.get(); }
  uint64_t constantOffset(size_t buffer) const { return offsets[buffer]; }
  uint64_t constantBytes() const { return totalConstants; }
  size_t numDispatches() const { return dispatches; }
  /// The input whose buffer an output is found in, or -1.
  int64_t inputOfOutput(size_t output) const;

  /// Runs on host arrays.
  void invoke(const void *const *inputs, size_t numInputs, void *const *outputs,
              size_t numOutputs);

private:
  void chooseVariants();
  void createLayouts();
  void createPipelines(uint64_t digest);
  void createPipeline(size_t kernel, VkPipelineCache cache);
  void loadConstants();
  void destroy();

  std::shared_ptr<Device> owner;
  pack::Pack contents;
  std::vector<LoadedKernel> kernels;
  std::vector<uint64_t> offsets;
  uint64_t totalConstants = 0;
  size_t dispatches = 0;
  std::unique_ptr<Allocation> constantMemory;

  std::mutex poolMutex;
  std::vector<std::unique_ptr<Invocation>> pool; // for host arrays
};

} // namespace nxv::runtime

#endif // NXV_RUNTIME_PROGRAM_H
