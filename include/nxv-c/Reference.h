/*===- nxv-c/Reference.h - the interpreter's C interface ----------*- C -*-===*\
|* Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
\*===----------------------------------------------------------------------===*/

#ifndef NXV_C_REFERENCE_H
#define NXV_C_REFERENCE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Receives one output: `type` is a name of the graph format, `data` is dense
 * and row-major, types narrower than a byte take one byte an element. The
 * pointers are valid during the call only. */
typedef void (*nxv_reference_emit_fn)(void *user, size_t index,
                                      const char *type, const int64_t *shape,
                                      size_t rank, const void *data,
                                      size_t bytes);

/** Interprets the graph in the file `graph_path` on the CPU. `inputs[i]` holds
 * `input_bytes[i]` bytes. `emit` is called once for each output, in order.
 * Returns 0, or 1 with a message of at most `error_bytes` bytes, its final zero
 * included, in `error`. Lives in libnxvReference.so. */
int nxv_reference_run(const char *graph_path, size_t num_inputs,
                      const void *const *inputs, const size_t *input_bytes,
                      nxv_reference_emit_fn emit, void *user, char *error,
                      size_t error_bytes);

/** The type of `nxv_reference_run`, for those who find it with dlsym. */
typedef int (*nxv_reference_run_fn)(const char *, size_t, const void *const *,
                                    const size_t *, nxv_reference_emit_fn,
                                    void *, char *, size_t);

#ifdef __cplusplus
}
#endif

#endif /* NXV_C_REFERENCE_H */
