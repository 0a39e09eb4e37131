//===- Files.cpp - failures as files --------------------------------------===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "nxv/Fuzz/Files.h"

#include "nxv/Graph/Export.h"

#include "llvm/Support/Base64.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace nxv;
using namespace nxv::fuzz;

std::string nxv::fuzz::getTypeName(Type type) {
  if (auto complex = dyn_cast<ComplexType>(type))
    return complex.getElementType().isF32() ? "c64" : "c128";
  if (auto integer = dyn_cast<IntegerType>(type))
    return (integer.isUnsigned() || integer.getWidth() == 1 ? "u" : "s") +
           std::to_string(std::max(2u, integer.getWidth()));
  if (isa<Float8E5M2Type>(type))
    return "f8_e5m2";
  if (isa<Float8E4M3FNType>(type))
    return "f8_e4m3fn";
  std::string name;
  llvm::raw_string_ostream(name) << type;
  return name;
}

static llvm::json::Array describe(ArrayRef<Tensor> tensors) {
  llvm::json::Array array;
  for (const Tensor &tensor : tensors)
    array.push_back(
        llvm::json::Object{{"type", getTypeName(tensor.type.getElementType())},
                           {"shape", llvm::json::Array(tensor.type.getShape())},
                           {"data", llvm::encodeBase64(tensor.data)}});
  return array;
}

static llvm::Error writeFile(const Twine &path, StringRef text) {
  std::error_code error;
  llvm::raw_fd_ostream file(path.str(), error);
  if (error)
    return llvm::createStringError(error, "cannot write '%s'",
                                   path.str().c_str());
  file << text;
  return llvm::Error::success();
}

llvm::Expected<std::string> nxv::fuzz::writeCase(const Case &test,
                                                 StringRef stem) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  ScopedDiagnosticHandler quiet(test.module.get()->getContext(),
                                [](Diagnostic &) { return success(); });
  bool isGraph = succeeded(exportGraph(test.module.get(), stream));
  if (!isGraph) {
    text.clear();
    test.module.get().print(stream);
  }
  std::string path = (stem + (isGraph ? ".json" : ".mlir")).str();
  if (llvm::Error error = writeFile(path, text))
    return error;
  auto outputs = interpret(test.getMain(), test.inputs);
  llvm::json::Object io{
      {"name", stem.rsplit('/').second},
      {"reference", "the nxv interpreter"},
      {"tolerance", 1e-5},
      {"inputs", describe(test.inputs)},
      {"outputs", describe(failed(outputs) ? ArrayRef<Tensor>() : *outputs)}};
  std::string json;
  llvm::raw_string_ostream(json) << llvm::json::Value(std::move(io)) << "\n";
  if (llvm::Error error = writeFile(stem + ".io.json", json))
    return error;
  return path;
}
