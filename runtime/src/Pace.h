//===- Pace.h - turns of a loop in one submission ------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_RUNTIME_PACE_H
#define NXV_RUNTIME_PACE_H

#include <cstddef>
#include <cstdint>

namespace nxv::runtime {

/// How many turns of a loop go into one submission: so many that the host's
/// part is small beside their time, and so few that a submission ends soon.
class Pace {
public:
  Pace();
  /// Counts a turn that is to be submitted; `submissions` is how many there
  /// were before. True if it is the last one that the submission takes.
  bool add(size_t submissions);
  /// So many turns in one submission took so long.
  void took(size_t turns, double seconds);
  /// Turns since the last submission.
  size_t turns() const { return waiting; }

  /// How many turns to submit next where a loop has had `done` turns and goes
  /// on: those that it had the last time, then few and always more. What is in
  /// vain is short beside what was done.
  size_t ahead(uint64_t done);
  /// The loop has ended.
  void had(uint64_t turns);

private:
  uint64_t expected;
  size_t unexpected;
  size_t limit = 4;
  size_t waiting = 0;
  size_t seen = 0; // submissions
};

} // namespace nxv::runtime

#endif // NXV_RUNTIME_PACE_H
