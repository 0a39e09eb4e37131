//===- Measure.h - a function on a device, judged by many threads *- C++
//-*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_BENCH_ULP_MEASURE_H
#define NXV_BENCH_ULP_MEASURE_H

#include "Device.h"
#include "Tally.h"

#include <chrono>

namespace nxv::ulp {

struct Job {
  const Format &format;
  const Function &function;
  Pack &pack;
  unsigned threads;
  std::chrono::steady_clock::time_point deadline;
};

/// Adds the points of the chunks to the tally, the device computing some while
/// the host judges others. `worst` receives the worst point of each chunk.
/// False if the deadline ended it.
bool measure(const Job &job, const std::vector<Chunk> &chunks, Tally &tally,
             std::vector<Tally> *worst = nullptr);

} // namespace nxv::ulp

#endif // NXV_BENCH_ULP_MEASURE_H
