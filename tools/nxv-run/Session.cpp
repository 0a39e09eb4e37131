//===- Session.cpp - a pack on a device -----------------------------------===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Session.h"

using namespace llvm;
using namespace nxv::run;

Error nxv::run::runtimeError() {
  return createStringError("%s", nxv_last_error());
}

Expected<std::unique_ptr<Session>> Session::open(StringRef path,
                                                 StringRef device) {
  std::unique_ptr<Session> session(new Session());
  if (Error error = session->load(path, device))
    return error;
  if (Error error = session->makeBuffers())
    return error;
  return session;
}

Session::~Session() {
  // The end of the process does not wait for the device.
  if (stopped)
    return;
  nxv_invocation_destroy(work);
  for (nxv_buffer *buffer : buffers)
    nxv_buffer_destroy(buffer);
  nxv_program_destroy(loaded);
  nxv_device_close(opened);
}

Error Session::load(StringRef path, StringRef selector) {
  std::string text = selector.str();
  nxv_device_options options = {};
  options.struct_size = sizeof(options);
  options.selector = text.empty() ? nullptr : text.c_str();
  deviceInfo.struct_size = sizeof(deviceInfo);
  if (nxv_device_open(&options, &opened) ||
      nxv_device_get_info(opened, &deviceInfo) ||
      nxv_program_load_file(opened, path.str().c_str(), &loaded) ||
      nxv_invocation_create(loaded, &work))
    return runtimeError();
  return Error::success();
}

static Expected<Signature> signature(const nxv_tensor_info &info) {
  const ElementType *type = findElementType(info.type);
  if (!type)
    return createStringError("the pack has the unknown type '%s'", info.type);
  return Signature{type,
                   std::vector<int64_t>(info.shape, info.shape + info.rank)};
}

Error Session::makeBuffers() {
  nxv_program_info info = {};
  info.struct_size = sizeof(info);
  if (nxv_program_get_info(loaded, &info))
    return runtimeError();
  auto make = [&](uint64_t bytes) {
    nxv_buffer *buffer = nullptr;
    if (!nxv_buffer_create(opened, bytes, &buffer))
      buffers.push_back(buffer);
    return buffer;
  };
  nxv_tensor_info tensor = {};
  tensor.struct_size = sizeof(tensor);
  for (size_t i = 0; i < info.num_inputs; ++i) {
    if (nxv_program_get_input(loaded, i, &tensor))
      return runtimeError();
    Expected<Signature> type = signature(tensor);
    if (!type)
      return type.takeError();
    inputTypes.push_back(*type);
    nxv_buffer *buffer = make(tensor.bytes);
    if (!buffer || nxv_invocation_bind_input(work, i, buffer, 0))
      return runtimeError();
    inputBuffers.push_back(buffer);
  }
  for (size_t i = 0; i < info.num_outputs; ++i) {
    if (nxv_program_get_output(loaded, i, &tensor))
      return runtimeError();
    Expected<Signature> type = signature(tensor);
    if (!type)
      return type.takeError();
    outputTypes.push_back(*type);
    nxv_buffer *buffer =
        tensor.input >= 0 ? inputBuffers[tensor.input] : make(tensor.bytes);
    if (!buffer ||
        (tensor.input < 0 && nxv_invocation_bind_output(work, i, buffer, 0)))
      return runtimeError();
    outputBuffers.push_back(buffer);
  }
  return Error::success();
}

Error Session::write(ArrayRef<Tensor> inputs) {
  for (size_t i = 0; i < inputs.size(); ++i)
    if (nxv_buffer_write(inputBuffers[i], 0, inputs[i].data.data(),
                         inputs[i].data.size()))
      return runtimeError();
  return Error::success();
}

Error Session::run() {
  nxv_status status = nxv_invocation_run(work);
  stopped |= status == NXV_ERROR_DEADLINE;
  return status == NXV_OK ? Error::success() : runtimeError();
}

Expected<std::vector<Tensor>> Session::read() {
  std::vector<Tensor> results;
  for (size_t i = 0; i < outputTypes.size(); ++i) {
    Tensor tensor{outputTypes[i].type, outputTypes[i].shape, {}};
    Expected<uint64_t> bytes = byteSize(*tensor.type, tensor.shape);
    if (!bytes)
      return bytes.takeError();
    tensor.data.resize(*bytes);
    if (nxv_buffer_read(outputBuffers[i], 0, tensor.data.data(), *bytes))
      return runtimeError();
    results.push_back(std::move(tensor));
  }
  return results;
}

static uint64_t sum(ArrayRef<nxv_buffer *> buffers) {
  uint64_t total = 0;
  for (nxv_buffer *buffer : buffers)
    total += nxv_buffer_bytes(buffer);
  return total;
}

uint64_t Session::inputBytes() const { return sum(inputBuffers); }
uint64_t Session::outputBytes() const { return sum(outputBuffers); }
