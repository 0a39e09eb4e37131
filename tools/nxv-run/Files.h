//===- Files.h - recorded tensors and arrays in files -----------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_RUN_FILES_H
#define NXV_RUN_FILES_H

#include "Tensor.h"

namespace nxv::run {

/// The inputs and outputs that were recorded for a graph.
struct Recorded {
  std::string reference;
  double tolerance = 0;
  std::vector<Tensor> inputs;
  std::vector<Tensor> outputs;
};

llvm::Expected<Recorded> readRecorded(llvm::StringRef path);

/// Reads a NumPy array of exactly that type and shape. Types that NumPy lacks
/// are its unsigned integers of their width.
llvm::Expected<Tensor> readNpy(llvm::StringRef path, const ElementType &type,
                               llvm::ArrayRef<int64_t> shape);
llvm::Error writeNpy(llvm::StringRef path, const Tensor &tensor);

} // namespace nxv::run

#endif // NXV_RUN_FILES_H
