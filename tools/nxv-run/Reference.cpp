//===- Reference.cpp - the interpreter ------------------------------------===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Reference.h"

#include "nxv-c/Reference.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"

#include <dlfcn.h>
#include <unistd.h>

using namespace llvm;
using namespace nxv::run;

static constexpr char kLibrary[] = "libnxvReference.so";

static Expected<nxv_reference_run_fn> load(const std::string &program) {
  SmallString<256> directory(program);
  sys::path::remove_filename(directory);
  std::vector<std::string> places;
  for (StringRef relative : {"../lib", "."}) {
    SmallString<256> place(directory);
    sys::path::append(place, relative, kLibrary);
    if (access(place.c_str(), F_OK) == 0)
      places.push_back(place.str().str());
  }
  places.push_back(kLibrary);
  void *library = dlopen(places.front().c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return createStringError("cannot load the interpreter: %s", dlerror());
  void *symbol = dlsym(library, "nxv_reference_run");
  if (!symbol)
    return createStringError("'%s' has no nxv_reference_run",
                             places.front().c_str());
  return reinterpret_cast<nxv_reference_run_fn>(symbol);
}

static void receive(void *user, size_t index, const char *type,
                    const int64_t *shape, size_t rank, const void *data,
                    size_t bytes) {
  auto &results = *static_cast<std::vector<Tensor> *>(user);
  if (results.size() <= index)
    results.resize(index + 1);
  Tensor &tensor = results[index];
  tensor.type = findElementType(type);
  tensor.shape.assign(shape, shape + rank);
  const auto *begin = static_cast<const uint8_t *>(data);
  tensor.data.assign(begin, begin + bytes);
}

Expected<std::vector<Tensor>> nxv::run::interpret(StringRef path,
                                                  ArrayRef<Tensor> inputs,
                                                  const std::string &program) {
  Expected<nxv_reference_run_fn> run = load(program);
  if (!run)
    return run.takeError();
  std::vector<const void *> data;
  std::vector<size_t> bytes;
  for (const Tensor &input : inputs) {
    data.push_back(input.data.data());
    bytes.push_back(input.data.size());
  }
  std::vector<Tensor> results;
  char error[4096] = "";
  if ((*run)(path.str().c_str(), inputs.size(), data.data(), bytes.data(),
             receive, &results, error, sizeof(error)) != 0)
    return createStringError("%s", error);
  for (const Tensor &result : results)
    if (!result.type)
      return createStringError("the interpreter left out an output");
  return results;
}
