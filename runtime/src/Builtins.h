//===- Builtins.h - the runtime's own kernels ----------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_RUNTIME_BUILTINS_H
#define NXV_RUNTIME_BUILTINS_H

#include "Vulkan.h"

#include <cstdint>
#include <vector>

namespace nxv::runtime {

/// What the kernel of a gate takes, see kernels/gate.spvasm.
struct GateArguments {
  uint64_t predicate;
  uint64_t parent;
  uint64_t gate;
  uint64_t sizes;
  uint64_t table;
  uint32_t shift;
  uint32_t invert;
};

/// What the kernel that copies takes, see kernels/copy.spvasm.
struct CopyArguments {
  uint64_t source;
  uint64_t target;
  uint32_t count; // of 16 bytes
  uint32_t tail;  // bytes
};

constexpr uint64_t kCopyUnit = 16;
constexpr uint64_t kCopyWorkgroup = 256;

struct BuiltinKernel {
  VkPipelineLayout layout = VK_NULL_HANDLE;
  VkPipeline pipeline = VK_NULL_HANDLE;
};

/// The pipelines of the kernels that the runtime brings along.
class Builtins {
public:
  Builtins(VkDevice device, const VolkDeviceTable &vk);
  ~Builtins();
  Builtins(const Builtins &) = delete;
  Builtins &operator=(const Builtins &) = delete;

  BuiltinKernel gate, copy;

private:
  void create(BuiltinKernel &kernel, const char *name,
              const std::vector<uint8_t> &bytes, uint32_t pushBytes);
  void destroy();

  VkDevice device;
  const VolkDeviceTable &vk;
};

} // namespace nxv::runtime

#endif // NXV_RUNTIME_BUILTINS_H
