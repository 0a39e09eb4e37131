//===- RecordedFile.cpp - reads NAME.io.json ------------------------------===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Files.h"

#include "llvm/Support/Base64.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;
using namespace nxv::run;

static Expected<Tensor> readTensor(const json::Value &value) {
  const json::Object *object = value.getAsObject();
  if (!object)
    return createStringError("is not an object");
  std::optional<StringRef> type = object->getString("type");
  const json::Array *shape = object->getArray("shape");
  std::optional<StringRef> data = object->getString("data");
  if (!type || !shape || !data)
    return createStringError("needs 'type', 'shape' and 'data'");
  Tensor tensor;
  tensor.type = findElementType(*type);
  if (!tensor.type)
    return createStringError("has the unknown type '%s'", type->str().c_str());
  for (const json::Value &size : *shape) {
    std::optional<int64_t> number = size.getAsInteger();
    if (!number || *number < 0)
      return createStringError("has a shape that is not of sizes");
    tensor.shape.push_back(*number);
  }
  Expected<uint64_t> bytes = byteSize(*tensor.type, tensor.shape);
  if (!bytes)
    return bytes.takeError();
  std::vector<char> decoded;
  if (Error error = decodeBase64(*data, decoded)) {
    consumeError(std::move(error));
    return createStringError("has data that is not base64");
  }
  if (decoded.size() != *bytes)
    return createStringError("has %zu bytes of data, %s takes %llu",
                             decoded.size(),
                             describe(*tensor.type, tensor.shape).c_str(),
                             (unsigned long long)*bytes);
  tensor.data.assign(decoded.begin(), decoded.end());
  return tensor;
}

static Error readTensors(const json::Object &object, StringRef key,
                         std::vector<Tensor> &tensors) {
  const json::Array *list = object.getArray(key);
  if (!list)
    return createStringError("has no list '%s'", key.str().c_str());
  for (size_t i = 0; i < list->size(); ++i) {
    Expected<Tensor> tensor = readTensor((*list)[i]);
    if (!tensor)
      return createStringError("%s[%zu] %s", key.str().c_str(), i,
                               toString(tensor.takeError()).c_str());
    tensors.push_back(std::move(*tensor));
  }
  return Error::success();
}

static Error readRoot(const json::Value &value, Recorded &recorded) {
  const json::Object *object = value.getAsObject();
  if (!object)
    return createStringError("is not an object");
  if (std::optional<StringRef> reference = object->getString("reference"))
    recorded.reference = reference->str();
  std::optional<double> tolerance = object->getNumber("tolerance");
  if (!tolerance || !(*tolerance >= 0))
    return createStringError("has no number 'tolerance'");
  recorded.tolerance = *tolerance;
  if (Error error = readTensors(*object, "inputs", recorded.inputs))
    return error;
  return readTensors(*object, "outputs", recorded.outputs);
}

Expected<Recorded> nxv::run::readRecorded(StringRef path) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> buffer = MemoryBuffer::getFile(path);
  if (!buffer)
    return createStringError("cannot read '%s': %s", path.str().c_str(),
                             buffer.getError().message().c_str());
  Expected<json::Value> value = json::parse((*buffer)->getBuffer());
  if (!value)
    return createStringError("'%s' is not JSON: %s", path.str().c_str(),
                             toString(value.takeError()).c_str());
  Recorded recorded;
  if (Error error = readRoot(*value, recorded))
    return createStringError("'%s' %s", path.str().c_str(),
                             toString(std::move(error)).c_str());
  return recorded;
}
