//===- Solve.h - which triangular systems are one kernel --------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_KERNEL_SOLVE_H
#define NXV_KERNEL_SOLVE_H

#include <cstdint>

namespace nxv {

/// The largest system that one workgroup substitutes.
inline constexpr int64_t maxSolveSize = 256;

} // namespace nxv

#endif // NXV_KERNEL_SOLVE_H
