//===- CApi.cpp - the C interface -----------------------------------------===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Invocation.h"
#include "Requirements.h"
#include "Support.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace nxv::runtime;

struct nxv_device {
  std::shared_ptr<Device> impl;
};
struct nxv_buffer {
  std::shared_ptr<DeviceBuffer> impl;
};
struct nxv_program {
  std::shared_ptr<Program> impl;
};
struct nxv_invocation {
  // Destroyed after the invocation, which refers to it.
  std::shared_ptr<Program> program;
  std::unique_ptr<Invocation> impl;
};

namespace {

void require(const void *pointer, const char *what) {
  if (!pointer)
    fail(NXV_ERROR_INVALID_ARGUMENT, what, " is null");
}

/// Gives the caller as much of the structure as it knows.
template <typename T>
void handOut(T value, T *target, const char *what) {
  require(target, what);
  size_t size = target->struct_size;
  if (size < sizeof(size_t))
    fail(NXV_ERROR_INVALID_ARGUMENT, what, ".struct_size is not set");
  value.struct_size = size;
  std::memcpy(target, &value, std::min(size, sizeof(T)));
}

/// Takes as much of the structure as the caller has.
template <typename T>
T takeIn(const T *source, const char *what) {
  T value = {};
  if (!source)
    return value;
  if (source->struct_size < sizeof(size_t))
    fail(NXV_ERROR_INVALID_ARGUMENT, what, ".struct_size is not set");
  std::memcpy(&value, source, std::min(source->struct_size, sizeof(T)));
  return value;
}

/// A file mapped for reading.
class MappedFile {
public:
  explicit MappedFile(const char *path) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
      fail(NXV_ERROR_IO, "cannot open '", path, "': ", std::strerror(errno));
    struct stat status;
    if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
      close(file);
      fail(NXV_ERROR_IO, "'", path, "' is not a file");
    }
    bytes = size_t(status.st_size);
    if (bytes != 0)
      memory = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file, 0);
    int error = errno;
    close(file);
    if (memory == MAP_FAILED)
      fail(NXV_ERROR_IO, "cannot read '", path, "': ", std::strerror(error));
  }
  ~MappedFile() {
    if (memory)
      munmap(memory, bytes);
  }
  MappedFile(const MappedFile &) = delete;
  MappedFile &operator=(const MappedFile &) = delete;

  const uint8_t *data() const { return static_cast<const uint8_t *>(memory); }
  size_t size() const { return bytes; }

private:
  void *memory = nullptr;
  size_t bytes = 0;
};

nxv_tensor_info tensorInfo(const Program &program,
                           const nxv::pack::Tensor &tensor) {
  nxv_tensor_info info = {};
  info.name = tensor.name.empty() ? nullptr : tensor.name.c_str();
  info.type = tensor.type.c_str();
  info.shape = tensor.shape.data();
  info.rank = tensor.shape.size();
  info.bytes = program.pack().buffers[tensor.buffer].bytes;
  info.donatable = tensor.donatable;
  info.input = -1;
  return info;
}

void load(nxv_device *device, const uint8_t *data, size_t bytes,
          nxv_program **program) {
  *program =
      new nxv_program{std::make_shared<Program>(device->impl, data, bytes)};
}

} // namespace

//===----------------------------------------------------------------------===//
// Errors and log
//===----------------------------------------------------------------------===//

const char *nxv_last_error(void) { return lastError(); }

const char *nxv_status_name(nxv_status status) {
  switch (status) {
  case NXV_OK:
    return "ok";
  case NXV_ERROR_INVALID_ARGUMENT:
    return "invalid argument";
  case NXV_ERROR_IO:
    return "input/output error";
  case NXV_ERROR_INVALID_PACK:
    return "invalid pack";
  case NXV_ERROR_NO_DEVICE:
    return "no device";
  case NXV_ERROR_UNSUPPORTED:
    return "unsupported";
  case NXV_ERROR_OUT_OF_MEMORY:
    return "out of memory";
  case NXV_ERROR_DEVICE_LOST:
    return "device lost";
  case NXV_ERROR_TIMEOUT:
    return "timeout";
  case NXV_ERROR_VALIDATION:
    return "validation error";
  case NXV_ERROR_DRIVER:
    return "driver error";
  case NXV_ERROR_INTERNAL:
    return "internal error";
  case NXV_ERROR_DEADLINE:
    return "deadline passed";
  }
  return "unknown status";
}

uint32_t nxv_runtime_version(void) {
  return NXV_RUNTIME_VERSION_MAJOR << 16 | NXV_RUNTIME_VERSION_MINOR << 8 |
         NXV_RUNTIME_VERSION_PATCH;
}

void nxv_set_log_callback(nxv_log_fn log, void *user) {
  guarded([&] { setLogCallback(log, user); });
}

void nxv_set_log_level(nxv_log_level level) {
  guarded([&] { setLogLevel(level); });
}

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

nxv_status nxv_device_count(size_t *count) {
  return guarded([&] {
    require(count, "count");
    *count = Instance::get().devices().size();
  });
}

nxv_status nxv_device_describe(size_t index, nxv_device_info *info) {
  return guarded([&] {
    std::vector<VkPhysicalDevice> devices = Instance::get().devices();
    if (index >= devices.size())
      fail(NXV_ERROR_INVALID_ARGUMENT, "device ", index,
           " does not exist, there are ", devices.size());
    nxv_device_info value;
    describe(devices[index], index, value);
    handOut(value, info, "info");
  });
}

nxv_status nxv_device_open(const nxv_device_options *options,
                           nxv_device **device) {
  return guarded([&] {
    require(device, "device");
    *device = nullptr;
    nxv_device_options taken = takeIn(options, "options");
    *device = new nxv_device{
        Device::open(taken.selector ? taken.selector : "", taken.memory_limit)};
  });
}

void nxv_device_close(nxv_device *device) {
  guarded([&] { delete device; });
}

nxv_status nxv_device_get_info(nxv_device *device, nxv_device_info *info) {
  return guarded([&] {
    require(device, "device");
    nxv_device_info value;
    describe(device->impl->physicalDevice(), device->impl->index(), value);
    value.host_visible = device->impl->memory().deviceIsMapped();
    handOut(value, info, "info");
  });
}

int nxv_device_supports(nxv_device *device, const char *name) {
  int supported = 0;
  guarded([&] {
    require(device, "device");
    require(name, "name");
    const FeatureSet &features = device->impl->features();
    supported = features.feature(name) || features.extension(name) ||
                hasCapability(name, features);
  });
  return supported;
}

nxv_status nxv_device_get_memory(nxv_device *device, nxv_memory_info *info) {
  return guarded([&] {
    require(device, "device");
    MemoryUse use = device->impl->memory().use();
    nxv_memory_info value = {};
    value.live_bytes = use.live;
    value.cached_bytes = use.cached;
    value.peak_bytes = use.peak;
    value.limit_bytes = use.limit;
    handOut(value, info, "info");
  });
}

nxv_status nxv_device_trim(nxv_device *device) {
  return guarded([&] {
    require(device, "device");
    device->impl->checkAlive();
    device->impl->memory().trim();
  });
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

nxv_status nxv_buffer_create(nxv_device *device, uint64_t bytes,
                             nxv_buffer **buffer) {
  return guarded([&] {
    require(device, "device");
    require(buffer, "buffer");
    *buffer = nullptr;
    device->impl->checkAlive();
    *buffer =
        new nxv_buffer{std::make_shared<DeviceBuffer>(device->impl, bytes)};
  });
}

void nxv_buffer_destroy(nxv_buffer *buffer) {
  guarded([&] { delete buffer; });
}

static void checkRange(const nxv_buffer *buffer, uint64_t offset,
                       const void *data, uint64_t bytes) {
  require(buffer, "buffer");
  if (bytes != 0)
    require(data, "data");
  uint64_t size = buffer->impl->memory->bytes();
  if (offset > size || bytes > size - offset)
    fail(NXV_ERROR_INVALID_ARGUMENT, bytes, " bytes at offset ", offset,
         ", the buffer has ", size);
}

nxv_status nxv_buffer_write(nxv_buffer *buffer, uint64_t offset,
                            const void *data, uint64_t bytes) {
  return guarded([&] {
    checkRange(buffer, offset, data, bytes);
    buffer->impl->device->write(*buffer->impl->memory, offset, data, bytes);
  });
}

nxv_status nxv_buffer_read(nxv_buffer *buffer, uint64_t offset, void *data,
                           uint64_t bytes) {
  return guarded([&] {
    checkRange(buffer, offset, data, bytes);
    buffer->impl->device->read(*buffer->impl->memory, offset, data, bytes);
  });
}

uint64_t nxv_buffer_bytes(const nxv_buffer *buffer) {
  return buffer ? buffer->impl->memory->bytes() : 0;
}

uint64_t nxv_buffer_address(const nxv_buffer *buffer) {
  return buffer ? buffer->impl->memory->address() : 0;
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

nxv_status nxv_program_load(nxv_device *device, const void *data, size_t bytes,
                            nxv_program **program) {
  return guarded([&] {
    require(device, "device");
    require(program, "program");
    *program = nullptr;
    require(data, "data");
    load(device, static_cast<const uint8_t *>(data), bytes, program);
  });
}

nxv_status nxv_program_load_file(nxv_device *device, const char *path,
                                 nxv_program **program) {
  return guarded([&] {
    require(device, "device");
    require(program, "program");
    *program = nullptr;
    require(path, "path");
    MappedFile file(path);
    try {
      load(device, file.data(), file.size(), program);
    } catch (Failure &failure) {
      failure.message = cat("'", path, "': ", failure.message);
      throw;
    }
  });
}

void nxv_program_destroy(nxv_program *program) {
  guarded([&] { delete program; });
}

nxv_status nxv_program_get_info(nxv_program *program, nxv_program_info *info) {
  return guarded([&] {
    require(program, "program");
    const nxv::pack::Pack &pack = program->impl->pack();
    nxv_program_info value = {};
    value.name = pack.name.c_str();
    value.output_tree =
        pack.outputTree.empty() ? nullptr : pack.outputTree.c_str();
    value.num_inputs = pack.inputs.size();
    value.num_outputs = pack.outputs.size();
    value.num_kernels = pack.kernels.size();
    value.num_dispatches = program->impl->numDispatches();
    value.arena_bytes = pack.arenaBytes;
    value.constant_bytes = program->impl->constantBytes();
    handOut(value, info, "info");
  });
}

nxv_status nxv_program_get_input(nxv_program *program, size_t index,
                                 nxv_tensor_info *info) {
  return guarded([&] {
    require(program, "program");
    const nxv::pack::Pack &pack = program->impl->pack();
    if (index >= pack.inputs.size())
      fail(NXV_ERROR_INVALID_ARGUMENT, "input ", index,
           " does not exist, there are ", pack.inputs.size());
    handOut(tensorInfo(*program->impl, pack.inputs[index]), info, "info");
  });
}

nxv_status nxv_program_get_output(nxv_program *program, size_t index,
                                  nxv_tensor_info *info) {
  return guarded([&] {
    require(program, "program");
    const nxv::pack::Pack &pack = program->impl->pack();
    if (index >= pack.outputs.size())
      fail(NXV_ERROR_INVALID_ARGUMENT, "output ", index,
           " does not exist, there are ", pack.outputs.size());
    nxv_tensor_info value = tensorInfo(*program->impl, pack.outputs[index]);
    value.input = program->impl->inputOfOutput(index);
    handOut(value, info, "info");
  });
}

nxv_status nxv_invoke(nxv_program *program, const void *const *inputs,
                      size_t num_inputs, void *const *outputs,
                      size_t num_outputs) {
  return guarded([&] {
    require(program, "program");
    if (num_inputs != 0)
      require(inputs, "inputs");
    if (num_outputs != 0)
      require(outputs, "outputs");
    program->impl->invoke(inputs, num_inputs, outputs, num_outputs);
  });
}

//===----------------------------------------------------------------------===//
// Invocations
//===----------------------------------------------------------------------===//

nxv_status nxv_invocation_create(nxv_program *program,
                                 nxv_invocation **invocation) {
  return guarded([&] {
    require(program, "program");
    require(invocation, "invocation");
    *invocation = nullptr;
    *invocation = new nxv_invocation{
        program->impl, std::make_unique<Invocation>(*program->impl)};
  });
}

void nxv_invocation_destroy(nxv_invocation *invocation) {
  guarded([&] { delete invocation; });
}

nxv_status nxv_invocation_bind_input(nxv_invocation *invocation, size_t index,
                                     nxv_buffer *buffer, uint64_t offset) {
  return guarded([&] {
    require(invocation, "invocation");
    require(buffer, "buffer");
    invocation->impl->bindInput(index, {buffer->impl, offset});
  });
}

nxv_status nxv_invocation_bind_output(nxv_invocation *invocation, size_t index,
                                      nxv_buffer *buffer, uint64_t offset) {
  return guarded([&] {
    require(invocation, "invocation");
    require(buffer, "buffer");
    invocation->impl->bindOutput(index, {buffer->impl, offset});
  });
}

nxv_status nxv_invocation_set_tap(nxv_invocation *invocation, nxv_tap_fn tap,
                                  void *user) {
  return guarded([&] {
    require(invocation, "invocation");
    invocation->impl->setTap(tap, user);
  });
}

nxv_status nxv_invocation_set_deadline(nxv_invocation *invocation,
                                       uint64_t microseconds) {
  return guarded([&] {
    require(invocation, "invocation");
    invocation->impl->setDeadline(microseconds);
  });
}

nxv_status nxv_invocation_run(nxv_invocation *invocation) {
  return guarded([&] {
    require(invocation, "invocation");
    invocation->impl->run();
  });
}

nxv_status nxv_invocation_set_profile(nxv_invocation *invocation,
                                      nxv_profile_mode mode) {
  return guarded([&] {
    require(invocation, "invocation");
    invocation->impl->setProfile(mode);
  });
}

nxv_status nxv_invocation_get_profile(nxv_invocation *invocation,
                                      double *device_us,
                                      const nxv_profile_event **events,
                                      size_t *num_events) {
  return guarded([&] {
    require(invocation, "invocation");
    if (device_us)
      *device_us = invocation->impl->deviceMicroseconds();
    if (events)
      *events = invocation->impl->profile().data();
    if (num_events)
      *num_events = invocation->impl->profile().size();
  });
}

uint64_t nxv_invocation_num_dispatches(const nxv_invocation *invocation) {
  return invocation ? invocation->impl->numDispatches() : 0;
}
