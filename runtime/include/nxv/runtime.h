/*===- nxv/runtime.h - runs compiled tensor programs --------------*- C -*-===*\
|* Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*===----------------------------------------------------------------------===*|
|* Loads a .spvpack and runs it on a Vulkan device.
|*
|* Every function that can fail returns a status; nxv_last_error() then has one
|* sentence for the calling thread. Structures begin with `struct_size`, which
|* the caller sets to sizeof the structure it was compiled with. Strings that
|* are handed out live as long as the handle they were asked of.
|*
|* Handles keep what they need alive: a device may be closed before its programs
|* and buffers. Devices, programs and buffers may be used by several threads at
|* once, an invocation by one at a time.
\*===----------------------------------------------------------------------===*/

#ifndef NXV_RUNTIME_H
#define NXV_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#if defined(NXV_RUNTIME_BUILD)
#define NXV_API __attribute__((visibility("default")))
#else
#define NXV_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define NXV_RUNTIME_VERSION_MAJOR 0
#define NXV_RUNTIME_VERSION_MINOR 1
#define NXV_RUNTIME_VERSION_PATCH 0

typedef enum nxv_status {
  NXV_OK = 0,
  NXV_ERROR_INVALID_ARGUMENT = 1, /* the call is wrong */
  NXV_ERROR_IO = 2,               /* a file could not be read */
  NXV_ERROR_INVALID_PACK = 3, /* the pack is damaged or contradicts itself */
  NXV_ERROR_NO_DEVICE = 4,    /* no Vulkan, or no device of that name */
  NXV_ERROR_UNSUPPORTED = 5,  /* the device lacks what a kernel needs */
  NXV_ERROR_OUT_OF_MEMORY = 6,
  NXV_ERROR_DEVICE_LOST = 7, /* sticky: the device must be opened anew */
  NXV_ERROR_TIMEOUT = 8,     /* sticky as well */
  NXV_ERROR_VALIDATION = 9,  /* the validation layer complained */
  NXV_ERROR_DRIVER = 10,     /* Vulkan failed in another way */
  NXV_ERROR_INTERNAL = 11,
  NXV_ERROR_DEADLINE = 12 /* a run was stopped; everything stays usable */
} nxv_status;

typedef struct nxv_device nxv_device;
typedef struct nxv_buffer nxv_buffer;
typedef struct nxv_program nxv_program;
typedef struct nxv_invocation nxv_invocation;

/** What went wrong last in this thread; empty if nothing did. Valid until the
 * thread's next call. */
NXV_API const char *nxv_last_error(void);

/** The name of a status, as "out of memory". */
NXV_API const char *nxv_status_name(nxv_status status);

/** major << 16 | minor << 8 | patch of the library. */
NXV_API uint32_t nxv_runtime_version(void);

/*===----------------------------------------------------------------------===*/
/* Log                                                                        */
/*===----------------------------------------------------------------------===*/

typedef enum nxv_log_level {
  NXV_LOG_OFF = 0,
  NXV_LOG_ERROR = 1,
  NXV_LOG_WARNING = 2,
  NXV_LOG_INFO = 3,
  NXV_LOG_DEBUG = 4
} nxv_log_level;

typedef void (*nxv_log_fn)(void *user, nxv_log_level level,
                           const char *message);

/** Sends messages to `log` instead of the standard error stream; NULL restores
 * that. May be called from any thread of the library. */
NXV_API void nxv_set_log_callback(nxv_log_fn log, void *user);

/** Overrides NXV_LOG; the default is NXV_LOG_WARNING. */
NXV_API void nxv_set_log_level(nxv_log_level level);

/*===----------------------------------------------------------------------===*/
/* Devices                                                                    */
/*===----------------------------------------------------------------------===*/

typedef enum nxv_device_type {
  NXV_DEVICE_OTHER = 0,
  NXV_DEVICE_INTEGRATED = 1,
  NXV_DEVICE_DISCRETE = 2,
  NXV_DEVICE_VIRTUAL = 3,
  NXV_DEVICE_CPU = 4
} nxv_device_type;

typedef struct nxv_device_info {
  size_t struct_size;
  uint32_t index; /* what NXV_DEVICE and the selector call it */
  nxv_device_type type;
  char name[256];
  char driver[256];
  uint32_t vulkan_major;
  uint32_t vulkan_minor;
  uint32_t vendor_id;
  uint32_t device_id;
  uint8_t uuid[16];
  uint64_t memory_bytes; /* the largest device-local heap */
  uint64_t shared_bytes; /* memory of one workgroup */
  uint32_t subgroup_size;
  uint32_t max_workgroup_size;
  int host_visible; /* tensors are written without a staging copy */
} nxv_device_info;

/** The number of devices. */
NXV_API nxv_status nxv_device_count(size_t *count);

/** Describes device `index`. Devices are sorted: discrete, integrated, virtual,
 * cpu, others. */
NXV_API nxv_status nxv_device_describe(size_t index, nxv_device_info *info);

typedef struct nxv_device_options {
  size_t struct_size;
  const char *selector;  /* an index or a part of the name; NULL: NXV_DEVICE,
                            else the first device */
  uint64_t memory_limit; /* bytes; 0: NXV_MEMORY_LIMIT, else no limit */
} nxv_device_options;

/** Opens a device; `options` may be NULL. */
NXV_API nxv_status nxv_device_open(const nxv_device_options *options,
                                   nxv_device **device);
NXV_API void nxv_device_close(nxv_device *device);
NXV_API nxv_status nxv_device_get_info(nxv_device *device,
                                       nxv_device_info *info);

/** 1 if the device has the feature (a name of VkPhysicalDeviceFeatures and its
 * extensions), the device extension or the SPIR-V capability, 0 otherwise. */
NXV_API int nxv_device_supports(nxv_device *device, const char *name);

typedef struct nxv_memory_info {
  size_t struct_size;
  uint64_t live_bytes;   /* in use by buffers, programs and invocations */
  uint64_t cached_bytes; /* kept for reuse */
  uint64_t peak_bytes;   /* the most that was live */
  uint64_t limit_bytes;  /* 0: no limit */
} nxv_memory_info;

NXV_API nxv_status nxv_device_get_memory(nxv_device *device,
                                         nxv_memory_info *info);

/** Gives cached memory back to the driver. */
NXV_API nxv_status nxv_device_trim(nxv_device *device);

/*===----------------------------------------------------------------------===*/
/* Buffers on the device                                                      */
/*===----------------------------------------------------------------------===*/

/** Makes a buffer of `bytes` bytes (0 is allowed) with undefined contents. Its
 * address is a multiple of 256. */
NXV_API nxv_status nxv_buffer_create(nxv_device *device, uint64_t bytes,
                                     nxv_buffer **buffer);
NXV_API void nxv_buffer_destroy(nxv_buffer *buffer);
NXV_API nxv_status nxv_buffer_write(nxv_buffer *buffer, uint64_t offset,
                                    const void *data, uint64_t bytes);
NXV_API nxv_status nxv_buffer_read(nxv_buffer *buffer, uint64_t offset,
                                   void *data, uint64_t bytes);
NXV_API uint64_t nxv_buffer_bytes(const nxv_buffer *buffer);

/** The address that kernels see. */
NXV_API uint64_t nxv_buffer_address(const nxv_buffer *buffer);

/*===----------------------------------------------------------------------===*/
/* Programs                                                                   */
/*===----------------------------------------------------------------------===*/

/** Loads a pack; `data` may be freed afterwards. Checks the pack, checks each
 * kernel's requirements against the device and compiles the kernels. */
NXV_API nxv_status nxv_program_load(nxv_device *device, const void *data,
                                    size_t bytes, nxv_program **program);
NXV_API nxv_status nxv_program_load_file(nxv_device *device, const char *path,
                                         nxv_program **program);
NXV_API void nxv_program_destroy(nxv_program *program);

typedef struct nxv_program_info {
  size_t struct_size;
  const char *name;
  const char *output_tree; /* JSON; NULL if the pack has none */
  size_t num_inputs;
  size_t num_outputs;
  size_t num_kernels;
  size_t num_dispatches; /* in the program's text */
  uint64_t arena_bytes;
  uint64_t constant_bytes;
} nxv_program_info;

NXV_API nxv_status nxv_program_get_info(nxv_program *program,
                                        nxv_program_info *info);

typedef struct nxv_tensor_info {
  size_t struct_size;
  const char *name; /* NULL if it has none */
  const char *type; /* a name of the graph format, as "f32" */
  const int64_t *shape;
  size_t rank;
  uint64_t bytes;
  int donatable; /* an input that the program may overwrite */
  int64_t input; /* outputs: the input whose buffer holds it, or -1 */
} nxv_tensor_info;

NXV_API nxv_status nxv_program_get_input(nxv_program *program, size_t index,
                                         nxv_tensor_info *info);
NXV_API nxv_status nxv_program_get_output(nxv_program *program, size_t index,
                                          nxv_tensor_info *info);

/** Runs the program on host arrays: copies the inputs in, runs, copies the
 * outputs out. The arrays must have the sizes that nxv_program_get_input and
 * nxv_program_get_output give; the inputs are left as they are. */
NXV_API nxv_status nxv_invoke(nxv_program *program, const void *const *inputs,
                              size_t num_inputs, void *const *outputs,
                              size_t num_outputs);

/*===----------------------------------------------------------------------===*/
/* Invocations: programs on device buffers                                    */
/*===----------------------------------------------------------------------===*/

/** An invocation owns the intermediate memory and the recorded commands. These
 * are recorded at the first run after a change of bindings and replayed by the
 * next runs. */
NXV_API nxv_status nxv_invocation_create(nxv_program *program,
                                         nxv_invocation **invocation);
NXV_API void nxv_invocation_destroy(nxv_invocation *invocation);

/** Binds an input or output to a buffer at `offset`, a multiple of 256. The
 * buffer is kept alive until it is bound anew or the invocation is destroyed.
 *
 * An output that is found in an input's buffer (nxv_tensor_info.input) need not
 * be bound: it is then read from that input's buffer. Where it is bound
 * elsewhere, it is copied there at the end. The memory of other outputs may not
 * overlap that of an input. */
NXV_API nxv_status nxv_invocation_bind_input(nxv_invocation *invocation,
                                             size_t index, nxv_buffer *buffer,
                                             uint64_t offset);
NXV_API nxv_status nxv_invocation_bind_output(nxv_invocation *invocation,
                                              size_t index, nxv_buffer *buffer,
                                              uint64_t offset);

/** Receives the values that the program offers to the host on its way. */
typedef void (*nxv_tap_fn)(void *user, const char *name, const char *type,
                           const int64_t *shape, size_t rank, const void *data,
                           uint64_t bytes);

/** NULL (the default): taps are skipped. */
NXV_API nxv_status nxv_invocation_set_tap(nxv_invocation *invocation,
                                          nxv_tap_fn tap, void *user);

/** The most time that a later run may take, in microseconds; 0 (the default):
 * no limit. A run that takes longer is stopped and gives NXV_ERROR_DEADLINE;
 * the outputs then have any contents, and so have inputs that are donatable.
 * The run returns when the last submission has ended, or a second after the
 * deadline. In the second case the device still works on it: the next use of
 * the invocation, its destruction included, and accesses of buffers wait for
 * that. */
NXV_API nxv_status nxv_invocation_set_deadline(nxv_invocation *invocation,
                                               uint64_t microseconds);

/** Runs the program and waits for its end. */
NXV_API nxv_status nxv_invocation_run(nxv_invocation *invocation);

typedef enum nxv_profile_mode {
  NXV_PROFILE_OFF = 0,
  NXV_PROFILE_TOTAL = 1,     /* the device time of a run */
  NXV_PROFILE_DISPATCHES = 2 /* and the times of every dispatch */
} nxv_profile_mode;

/** Sets what later runs measure; NXV_ERROR_UNSUPPORTED without timestamps. */
NXV_API nxv_status nxv_invocation_set_profile(nxv_invocation *invocation,
                                              nxv_profile_mode mode);

typedef struct nxv_profile_event {
  const char *kernel; /* or "copy", "fill" */
  uint64_t grid;      /* workgroups, or bytes of a copy or fill */
  double begin_us;    /* since the run's first command */
  double end_us;
} nxv_profile_event;

/** What the last run took: its device time and, with NXV_PROFILE_DISPATCHES,
 * `*events` and `*num_events`, valid until the next run. */
NXV_API nxv_status nxv_invocation_get_profile(nxv_invocation *invocation,
                                              double *device_us,
                                              const nxv_profile_event **events,
                                              size_t *num_events);

/** How many dispatches of the program the last run did, loops counted each
 * time. */
NXV_API uint64_t
nxv_invocation_num_dispatches(const nxv_invocation *invocation);

#ifdef __cplusplus
}
#endif

#endif /* NXV_RUNTIME_H */
