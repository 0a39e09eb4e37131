//===- Shrink.h - makes a failing case small --------------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_FUZZ_SHRINK_H
#define NXV_FUZZ_SHRINK_H

#include "nxv/Fuzz/Generator.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace nxv::fuzz {

/// Drops outputs, operations and sizes of a case as long as `fails` stays true,
/// for at most `seconds`.
Case shrink(const Case &failing, llvm::function_ref<bool(const Case &)> fails,
            double seconds);

} // namespace nxv::fuzz

#endif // NXV_FUZZ_SHRINK_H
