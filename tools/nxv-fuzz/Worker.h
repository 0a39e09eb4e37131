//===- Worker.h - runs seeds in processes of their own ----------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_FUZZ_WORKER_H
#define NXV_FUZZ_WORKER_H

#include "nxv/Fuzz/Check.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <map>
#include <string>

namespace nxv::fuzz {

struct RunOptions {
  std::string device;
  GeneratorOptions generator;
  uint64_t first = 0, last = 0;
  unsigned jobs = 1;
  /// Seconds that one seed may take.
  unsigned limit = 120;
};

/// By operation and element type, how many were compared.
using Coverage = std::map<std::pair<std::string, std::string>, uint64_t>;

struct SeedResult {
  uint64_t seed;
  Outcome outcome;
  /// The process died or did not end; then there is no outcome.
  bool crashed = false;
  Coverage coverage;
};

/// Runs every seed in child processes, so that a crash is one seed's failure.
void runSeeds(const RunOptions &options,
              llvm::function_ref<void(const SeedResult &)> report);

/// Runs one case in a child process.
SeedResult runCase(const RunOptions &options, const Case &test);

} // namespace nxv::fuzz

#endif // NXV_FUZZ_WORKER_H
