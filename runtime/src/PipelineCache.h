//===- PipelineCache.h - compiled kernels on disk ---------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_RUNTIME_PIPELINECACHE_H
#define NXV_RUNTIME_PIPELINECACHE_H

#include "Device.h"

namespace nxv::runtime {

/// The driver's pipeline cache for one pack, kept in a file. The file is only a
/// hint: whatever is odd about it, it is ignored, and failures to write it are
/// logged and forgotten.
class PipelineCache {
public:
  PipelineCache(Device &device, uint64_t packDigest);
  ~PipelineCache();
  PipelineCache(const PipelineCache &) = delete;
  PipelineCache &operator=(const PipelineCache &) = delete;

  VkPipelineCache handle() const { return cache; }
  /// Replaces the file if the cache has grown.
  void store();

private:
  std::vector<uint8_t> load() const;

  Device &device;
  std::vector<uint8_t> key;
  std::string path; // empty: no file
  size_t loadedBytes = 0;
  VkPipelineCache cache = VK_NULL_HANDLE;
};

} // namespace nxv::runtime

#endif // NXV_RUNTIME_PIPELINECACHE_H
