//===- Pace.cpp - turns of a loop in one submission -----------------------===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Pace.h"

#include <algorithm>

using namespace nxv::runtime;

/// What a submission of turns should take.
static constexpr double kPaceSeconds = 0.01;
static constexpr size_t kMaxTurns = 256;
/// Turns that are submitted before the host knows whether there are so many, in
/// a loop that is short: first, and at most.
static constexpr size_t kFirstAhead = 4;
static constexpr size_t kMaxAhead = 32;

Pace::Pace() : expected(kFirstAhead), unexpected(kFirstAhead) {}

bool Pace::add(size_t submissions) {
  // Loops inside may have submitted the turns before.
  if (seen != submissions)
    waiting = 0;
  seen = submissions;
  return ++waiting >= limit;
}

void Pace::took(size_t turns, double seconds) {
  double fitting = double(turns) * kPaceSeconds / std::max(seconds, 1e-9);
  size_t most = std::min(2 * limit, kMaxTurns);
  limit = size_t(std::clamp(fitting, 1.0, double(most)));
}

size_t Pace::ahead(uint64_t done) {
  if (done == 0)
    unexpected = kFirstAhead;
  uint64_t few = std::max<uint64_t>(kMaxAhead, done);
  if (expected > done)
    return size_t(std::min<uint64_t>({expected - done, few, limit}));
  size_t turns = std::min(unexpected, limit);
  unexpected =
      std::min(2 * unexpected, size_t(std::max<uint64_t>(kMaxAhead, done / 4)));
  return turns;
}

void Pace::had(uint64_t turns) { expected = std::max<uint64_t>(turns, 1); }
