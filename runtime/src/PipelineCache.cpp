//===- PipelineCache.cpp - compiled kernels on disk -----------------------===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "PipelineCache.h"
#include "PackFormat.h"
#include "Support.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>

using namespace nxv::runtime;

// File: magic, key, u64 size, u64 checksum, data.
static const char kCacheMagic[8] = {'N', 'X', 'V', 'C', 'A', 'C', 'H', '1'};
static constexpr size_t kMaxFileBytes = 256 << 20;

/// What the driver's data depends on.
static std::vector<uint8_t> makeKey(const FeatureSet &features,
                                    uint64_t digest) {
  const VkPhysicalDeviceProperties &core =
      features.properties().core.properties;
  std::vector<uint8_t> key;
  auto add = [&](const void *data, size_t size) {
    auto *bytes = static_cast<const uint8_t *>(data);
    key.insert(key.end(), bytes, bytes + size);
  };
  add(core.pipelineCacheUUID, VK_UUID_SIZE);
  add(features.properties().v11.driverUUID, VK_UUID_SIZE);
  add(&core.vendorID, 4);
  add(&core.deviceID, 4);
  add(&core.driverVersion, 4);
  add(&digest, 8);
  return key;
}

static std::string cacheDirectory() {
  if (environmentFlag("NXV_NO_CACHE"))
    return "";
  std::string directory = environment("NXV_CACHE_DIR");
  if (!directory.empty())
    return directory;
  directory = environment("XDG_CACHE_HOME");
  if (!directory.empty())
    return directory + "/nxv";
  directory = environment("HOME");
  return directory.empty() ? "" : directory + "/.cache/nxv";
}

/// Makes the directory and those above it; only what is missing.
static void makeDirectories(const std::string &path) {
  for (size_t i = 1; i <= path.size(); ++i)
    if (i == path.size() || path[i] == '/')
      mkdir(path.substr(0, i).c_str(), 0700);
}

PipelineCache::PipelineCache(Device &device, uint64_t packDigest)
    : device(device), key(makeKey(device.features(), packDigest)) {
  std::string directory = cacheDirectory();
  if (!directory.empty())
    path = directory + "/" +
           pack::hashText(pack::hashBytes(key.data(), key.size())) + ".bin";
  std::vector<uint8_t> data = load();
  loadedBytes = data.size();
  VkPipelineCacheCreateInfo info = {
      VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
  info.initialDataSize = data.size();
  info.pInitialData = data.data();
  check(device.vk().vkCreatePipelineCache(device.handle(), &info, nullptr,
                                          &cache),
        "vkCreatePipelineCache");
}

PipelineCache::~PipelineCache() {
  device.vk().vkDestroyPipelineCache(device.handle(), cache, nullptr);
}

/// The whole file, or nothing.
static std::vector<uint8_t> readFile(const std::string &path) {
  std::vector<uint8_t> data;
  FILE *file = std::fopen(path.c_str(), "rbe");
  if (!file)
    return data;
  uint8_t chunk[65536];
  size_t got;
  while ((got = std::fread(chunk, 1, sizeof(chunk), file)) > 0 &&
         data.size() <= kMaxFileBytes)
    data.insert(data.end(), chunk, chunk + got);
  std::fclose(file);
  return data;
}

std::vector<uint8_t> PipelineCache::load() const {
  if (path.empty())
    return {};
  std::vector<uint8_t> file = readFile(path);
  size_t header = sizeof(kCacheMagic) + key.size() + 16;
  uint64_t size, checksum;
  if (file.size() < header || file.size() > kMaxFileBytes ||
      std::memcmp(file.data(), kCacheMagic, sizeof(kCacheMagic)) != 0 ||
      std::memcmp(file.data() + sizeof(kCacheMagic), key.data(), key.size()) !=
          0)
    return {};
  std::memcpy(&size, file.data() + header - 16, 8);
  std::memcpy(&checksum, file.data() + header - 8, 8);
  if (size != file.size() - header ||
      checksum != pack::hashBytes(file.data() + header, size)) {
    log(NXV_LOG_INFO, "ignored the damaged cache file ", path);
    return {};
  }
  log(NXV_LOG_DEBUG, "read ", size, " bytes of compiled kernels from ", path);
  return std::vector<uint8_t>(file.begin() + header, file.end());
}

void PipelineCache::store() {
  if (path.empty())
    return;
  size_t size = 0;
  const VolkDeviceTable &vk = device.vk();
  if (vk.vkGetPipelineCacheData(device.handle(), cache, &size, nullptr) !=
          VK_SUCCESS ||
      size <= loadedBytes)
    return;
  std::vector<uint8_t> data(size);
  if (vk.vkGetPipelineCacheData(device.handle(), cache, &size, data.data()) !=
      VK_SUCCESS)
    return;
  data.resize(size);

  makeDirectories(path.substr(0, path.rfind('/')));
  // Written aside and renamed: readers see the old file or the new one.
  std::string temporary = path + ".XXXXXX";
  int descriptor = mkstemp(temporary.data());
  if (descriptor < 0) {
    log(NXV_LOG_INFO, "no cache file ", path, ": ", std::strerror(errno));
    return;
  }
  uint64_t numbers[2] = {size, pack::hashBytes(data.data(), size)};
  FILE *file = fdopen(descriptor, "wb");
  bool ok = file != nullptr;
  auto put = [&](const void *bytes, size_t count) {
    ok = ok && std::fwrite(bytes, 1, count, file) == count;
  };
  put(kCacheMagic, sizeof(kCacheMagic));
  put(key.data(), key.size());
  put(numbers, sizeof(numbers));
  put(data.data(), size);
  if (file)
    ok = std::fclose(file) == 0 && ok;
  else
    close(descriptor);
  if (!ok || std::rename(temporary.c_str(), path.c_str()) != 0) {
    log(NXV_LOG_INFO, "could not write the cache file ", path);
    unlink(temporary.c_str());
  }
}
