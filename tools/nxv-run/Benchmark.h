//===- Benchmark.h - times of a program -------------------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_RUN_BENCHMARK_H
#define NXV_RUN_BENCHMARK_H

#include "Session.h"

#include "llvm/Support/raw_ostream.h"

namespace nxv::run {

/// Warms the device, then prints the least and the median time of `runs` runs:
/// on the device, of the call, and of a call with host arrays.
llvm::Error benchmark(Session &session, llvm::ArrayRef<Tensor> inputs,
                      unsigned runs, llvm::raw_ostream &out);

/// Runs once more with a timestamp at each dispatch, prints the time of each
/// kernel and writes a Chrome trace.
llvm::Error profile(Session &session, llvm::StringRef path,
                    llvm::raw_ostream &out);

} // namespace nxv::run

#endif // NXV_RUN_BENCHMARK_H
