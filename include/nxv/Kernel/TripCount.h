//===- TripCount.h - how often a loop's body runs ---------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_KERNEL_TRIPCOUNT_H
#define NXV_KERNEL_TRIPCOUNT_H

#include "nxv/Dialect/Nxv/IR/Nxv.h"

#include <optional>

namespace nxv {

/// How often the body of a loop at the linalg or groups level runs, where it is
/// known: its condition compares an integer state, which starts as a constant
/// and to which the body adds a constant, with a constant. Constants are found
/// through groups, generics of one element, reshapes, and states that their
/// loop does not change. None where the loop has no end, or ends only because
/// an integer wraps around.
std::optional<uint64_t> getTripCount(nxv::WhileOp loop);

/// How often the body runs at most. Besides what getTripCount knows: other
/// conditions may end the loop earlier, and it may be compared with the counter
/// of a loop around it, in a sum with a constant.
std::optional<uint64_t> getTripBound(nxv::WhileOp loop);

} // namespace nxv

#endif // NXV_KERNEL_TRIPCOUNT_H
