//===- Session.h - a pack on a device ---------------------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_RUN_SESSION_H
#define NXV_RUN_SESSION_H

#include "Inputs.h"

#include "nxv/runtime.h"

#include <memory>

namespace nxv::run {

/// The message of the runtime's last failure.
llvm::Error runtimeError();

/// A loaded pack with buffers for its inputs and outputs.
class Session {
public:
  static llvm::Expected<std::unique_ptr<Session>> open(llvm::StringRef path,
                                                       llvm::StringRef device);
  ~Session();
  Session(const Session &) = delete;
  Session &operator=(const Session &) = delete;

  const nxv_device_info &device() const { return deviceInfo; }
  llvm::ArrayRef<Signature> inputs() const { return inputTypes; }
  llvm::ArrayRef<Signature> outputs() const { return outputTypes; }
  nxv_program *program() const { return loaded; }
  nxv_invocation *invocation() const { return work; }

  llvm::Error write(llvm::ArrayRef<Tensor> inputs);
  llvm::Error run();
  llvm::Expected<std::vector<Tensor>> read();
  /// The bytes of all inputs, or all outputs.
  uint64_t inputBytes() const;
  uint64_t outputBytes() const;

private:
  Session() = default;
  llvm::Error load(llvm::StringRef path, llvm::StringRef selector);
  llvm::Error makeBuffers();

  nxv_device_info deviceInfo = {};
  nxv_device *opened = nullptr;
  nxv_program *loaded = nullptr;
  nxv_invocation *work = nullptr;
  std::vector<Signature> inputTypes;
  std::vector<Signature> outputTypes;
  std::vector<nxv_buffer *> buffers;
  std::vector<nxv_buffer *> inputBuffers;
  std::vector<nxv_buffer *> outputBuffers; // may be an input's
  bool stopped = false; // a run was; the device may still work on its end
};

} // namespace nxv::run

#endif // NXV_RUN_SESSION_H
