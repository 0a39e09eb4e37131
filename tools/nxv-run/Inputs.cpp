//===- Inputs.cpp - where inputs come from --------------------------------===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Inputs.h"
#include "Files.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

#include <cerrno>
#include <cmath>
#include <cstdlib>

using namespace llvm;
using namespace nxv::run;

static Error bad(StringRef text, const std::string &why) {
  return createStringError("--input=%s: %s", text.str().c_str(), why.c_str());
}

static Error parseSignature(StringRef text, Signature &signature) {
  SmallVector<StringRef> parts;
  text.split(parts, 'x');
  signature.type = findElementType(parts.pop_back_val());
  if (!signature.type)
    return createStringError("the part before '=' is not as 4x10xf32");
  for (StringRef part : parts) {
    int64_t size;
    if (part.getAsInteger(10, size) || size < 0)
      return createStringError("'%s' is no size", part.str().c_str());
    signature.shape.push_back(size);
  }
  return Error::success();
}

static Expected<Tensor> makeTensor(const Signature &signature) {
  Expected<uint64_t> bytes = byteSize(*signature.type, signature.shape);
  if (!bytes)
    return bytes.takeError();
  Tensor tensor{signature.type, signature.shape, {}};
  tensor.data.resize(*bytes);
  return tensor;
}

/// Stores the number `text` in component `part` of element `i`.
static Error store(Tensor &tensor, uint64_t i, unsigned part, StringRef text) {
  std::string copy = text.trim().str();
  char *end = nullptr;
  errno = 0;
  switch (tensor.type->kind) {
  case ElementKind::Signed:
  case ElementKind::Unsigned: {
    // Through 64 bits, so that large ones stay exact.
    bool isSigned = tensor.type->kind == ElementKind::Signed;
    int64_t value = isSigned || copy[0] == '-'
                        ? std::strtoll(copy.c_str(), &end, 0)
                        : int64_t(std::strtoull(copy.c_str(), &end, 0));
    writeInteger(tensor, i, value);
    if (errno != 0 || (value != readBits(tensor, i)))
      return createStringError("'%s' does not fit %s", copy.c_str(),
                               tensor.type->name);
    break;
  }
  case ElementKind::Float:
  case ElementKind::Complex:
    writeFloat(tensor, i, std::strtod(copy.c_str(), &end), part);
    break;
  }
  if (copy.empty() || *end != 0)
    return createStringError("'%s' is no number", copy.c_str());
  return Error::success();
}

static Error parseValues(StringRef text, Tensor &tensor) {
  SmallVector<StringRef> values;
  text.split(values, ',');
  uint64_t parts = tensor.type->kind == ElementKind::Complex ? 2 : 1;
  uint64_t all = tensor.size() * parts;
  bool splat = values.size() == parts || values.size() == 1;
  if (!splat && values.size() != all)
    return createStringError("%zu numbers for %s", values.size(),
                             describe(*tensor.type, tensor.shape).c_str());
  for (uint64_t i = 0; i < tensor.size(); ++i)
    for (uint64_t part = 0; part < parts; ++part) {
      // A lone number of a complex tensor is real.
      if (splat && part >= values.size())
        break;
      StringRef value = values[splat ? part : i * parts + part];
      if (Error error = store(tensor, i, unsigned(part), value))
        return error;
    }
  return Error::success();
}

Expected<Tensor> nxv::run::parseInput(StringRef text) {
  auto [head, value] = text.split('=');
  Signature signature;
  if (Error error = parseSignature(head, signature))
    return bad(text, toString(std::move(error)));
  if (value.consume_front("@"))
    return readNpy(value, *signature.type, signature.shape);
  Expected<Tensor> tensor = makeTensor(signature);
  if (!tensor)
    return bad(text, toString(tensor.takeError()));
  if (Error error = parseValues(value, *tensor))
    return bad(text, toString(std::move(error)));
  return tensor;
}

/// SplitMix64: good enough, and the same everywhere.
static uint64_t nextRandom(uint64_t &state) {
  uint64_t z = state += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

Expected<std::vector<Tensor>> nxv::run::randomInputs(ArrayRef<Signature> all,
                                                     uint64_t seed) {
  std::vector<Tensor> inputs;
  uint64_t state = seed;
  for (const Signature &signature : all) {
    Expected<Tensor> tensor = makeTensor(signature);
    if (!tensor)
      return tensor.takeError();
    bool narrow = StringRef(signature.type->name) == "s2";
    unsigned parts = signature.type->kind == ElementKind::Complex ? 2 : 1;
    for (uint64_t i = 0; i < tensor->size(); ++i)
      for (unsigned part = 0; part < parts; ++part) {
        uint64_t bits = nextRandom(state);
        if (signature.type->kind == ElementKind::Signed ||
            signature.type->kind == ElementKind::Unsigned)
          writeInteger(*tensor, i, int64_t(bits >> (narrow ? 63 : 62)));
        else
          writeFloat(*tensor, i, std::ldexp(double(bits >> 11), -52) - 1, part);
      }
    inputs.push_back(std::move(*tensor));
  }
  return inputs;
}
