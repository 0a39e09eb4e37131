//===- Inputs.h - where inputs come from ------------------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_RUN_INPUTS_H
#define NXV_RUN_INPUTS_H

#include "Tensor.h"

namespace nxv::run {

/// An element type and a shape.
struct Signature {
  const ElementType *type;
  std::vector<int64_t> shape;
};

/// Reads "4x10xf32=VALUE", where VALUE is "@file.npy", one number for all
/// elements, or as many numbers as there are elements, separated by commas. A
/// complex number is two numbers.
llvm::Expected<Tensor> parseInput(llvm::StringRef text);

/// Values from -1 to 1, integers from 0 to 3; the same for the same seed.
llvm::Expected<std::vector<Tensor>> randomInputs(llvm::ArrayRef<Signature> all,
                                                 uint64_t seed);

} // namespace nxv::run

#endif // NXV_RUN_INPUTS_H
