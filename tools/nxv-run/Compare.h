//===- Compare.h - results against recorded ones ----------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_RUN_COMPARE_H
#define NXV_RUN_COMPARE_H

#include "Tensor.h"

#include "llvm/Support/raw_ostream.h"

namespace nxv::run {

/// Compares each output with the recorded one and prints a line for each.
/// An output agrees when
///   max|a - b| <= t * max(max|b|, 1e-3 * the largest |b| of all float outputs)
/// with recorded values b; integers, and floats where t is 0, must be equal,
/// and NaN and infinities must stand in the same places. Returns whether all
/// agree.
bool compareOutputs(llvm::ArrayRef<Tensor> results,
                    llvm::ArrayRef<Tensor> recorded, double tolerance,
                    llvm::raw_ostream &out);

} // namespace nxv::run

#endif // NXV_RUN_COMPARE_H
