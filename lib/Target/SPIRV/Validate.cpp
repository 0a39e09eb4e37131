//===- Validate.cpp - validates SPIR-V in process ---------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "nxv/Target/SPIRV/Serialize.h"

#include "mlir/IR/Diagnostics.h"

#include <spirv-tools/libspirv.hpp>

using namespace mlir;

/// The version word of a module's header for SPIR-V 1.6.
static constexpr uint32_t kVersion16 = 0x00010600;

LogicalResult nxv::validateSPIRV(ArrayRef<uint32_t> words, Location loc) {
  if (words.size() < 5)
    return emitError(loc, "SPIR-V module of ")
           << words.size() << " words has no header";
  spvtools::SpirvTools tools(words[1] >= kVersion16 ? SPV_ENV_VULKAN_1_3
                                                    : SPV_ENV_VULKAN_1_2);
  std::string message;
  tools.SetMessageConsumer([&](spv_message_level_t level, const char *,
                               const spv_position_t &position,
                               const char *text) {
    if (level <= SPV_MSG_ERROR && message.empty())
      message = text;
  });
  if (tools.Validate(words.data(), words.size()))
    return success();
  return emitError(loc, "invalid SPIR-V: ") << message;
}
