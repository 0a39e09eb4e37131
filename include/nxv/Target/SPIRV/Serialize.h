//===- Serialize.h - kernels as SPIR-V words --------------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_TARGET_SPIRV_SERIALIZE_H
#define NXV_TARGET_SPIRV_SERIALIZE_H

#include "mlir/IR/Location.h"
#include "mlir/Support/LLVM.h"

#include <cstdint>
#include <string>
#include <vector>

namespace mlir::spirv {
class ModuleOp;
} // namespace mlir::spirv

namespace nxv {

/// One kernel as words, and what a device must offer to run it. All of it is
/// read off the module.
struct SerializedKernel {
  std::vector<uint32_t> words;
  std::string entry;
  int64_t workgroup[3] = {1, 1, 1};
  /// Whether the arguments lie in a block whose address is pushed.
  bool argumentsInBlock = false;

  std::string vulkan;
  std::string spirv;
  std::vector<std::string> capabilities;
  std::vector<std::string> extensions;
  uint64_t sharedBytes = 0;
  uint64_t pushBytes = 0;
};

/// Serialises and validates a module with one compute entry point, which is
/// called "main" in the words, so that equal kernels are equal words.
mlir::FailureOr<SerializedKernel> serializeKernel(mlir::spirv::ModuleOp module);

/// Runs the validator of SPIRV-Tools for Vulkan 1.2, or 1.3 from SPIR-V 1.6 on.
mlir::LogicalResult validateSPIRV(mlir::ArrayRef<uint32_t> words,
                                  mlir::Location loc);

} // namespace nxv

#endif // NXV_TARGET_SPIRV_SERIALIZE_H
