//===- CApi.cpp - the interpreter's C interface -----------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "nxv-c/Reference.h"
#include "nxv/Dialect/Nxv/IR/Nxv.h"
#include "nxv/Graph/Diagnostics.h"
#include "nxv/Graph/Import.h"
#include "nxv/Reference/Interpreter.h"

#include "llvm/Support/MemoryBuffer.h"

#include <cstring>

using namespace mlir;

namespace {

struct Request {
  StringRef path;
  ArrayRef<const void *> inputs;
  ArrayRef<size_t> sizes;
  nxv_reference_emit_fn emit;
  void *user;
};

} // namespace

/// The graph format's name of an element type.
static std::string getTypeName(Type type) {
  if (auto complex = dyn_cast<ComplexType>(type))
    return complex.getElementType().isF32() ? "c64" : "c128";
  if (auto integer = dyn_cast<IntegerType>(type)) {
    bool isUnsigned = integer.isUnsigned() || integer.getWidth() == 1;
    unsigned width = std::max(2u, integer.getWidth());
    return (isUnsigned ? "u" : "s") + std::to_string(width);
  }
  if (isa<Float8E5M2Type>(type))
    return "f8_e5m2";
  if (isa<Float8E4M3FNType>(type))
    return "f8_e4m3fn";
  std::string name;
  llvm::raw_string_ostream(name) << type;
  return name;
}

/// The type a graph declares for a result; a predicate's is its own to say.
static std::string getResultName(func::FuncOp function, unsigned index) {
  if (auto name =
          function.getResultAttrOfType<StringAttr>(index, "nxv.element"))
    return name.str();
  return getTypeName(
      getElementTypeOrSelf(function.getFunctionType().getResult(index)));
}

static FailureOr<SmallVector<nxv::Tensor>> getInputs(func::FuncOp function,
                                                     const Request &request) {
  if (request.inputs.size() != function.getNumArguments())
    return function.emitError("got ")
           << request.inputs.size() << " inputs, expected "
           << function.getNumArguments();
  SmallVector<nxv::Tensor> inputs;
  for (auto [type, data, size] : llvm::zip_equal(
           function.getArgumentTypes(), request.inputs, request.sizes)) {
    auto *bytes = static_cast<const uint8_t *>(data);
    inputs.push_back({cast<RankedTensorType>(type), {bytes, bytes + size}});
  }
  return inputs;
}

static LogicalResult run(MLIRContext &context, const Request &request) {
  auto location = FileLineColLoc::get(&context, request.path, 0, 0);
  auto file = llvm::MemoryBuffer::getFile(request.path);
  if (!file)
    return emitError(location) << file.getError().message();
  OwningOpRef<ModuleOp> module =
      nxv::importGraph(request.path, (*file)->getBuffer(), &context);
  if (!module)
    return failure();
  auto function = module->lookupSymbol<func::FuncOp>("main");
  if (!function)
    return emitError(location) << "has no function main";
  FailureOr<SmallVector<nxv::Tensor>> inputs = getInputs(function, request);
  if (failed(inputs))
    return failure();
  FailureOr<SmallVector<nxv::Tensor>> outputs =
      nxv::interpret(function, *inputs);
  if (failed(outputs))
    return failure();
  for (auto [index, output] : llvm::enumerate(*outputs)) {
    std::string name = getResultName(function, index);
    ArrayRef<int64_t> shape = output.type.getShape();
    request.emit(request.user, index, name.c_str(), shape.data(), shape.size(),
                 output.data.data(), output.data.size());
  }
  return success();
}

static void copyMessage(StringRef message, char *error, size_t capacity) {
  if (!error || capacity == 0)
    return;
  size_t length = std::min(message.size(), capacity - 1);
  std::memcpy(error, message.data(), length);
  error[length] = '\0';
}

extern "C" __attribute__((visibility("default"))) int
nxv_reference_run(const char *graphPath, size_t numInputs,
                  const void *const *inputs, const size_t *inputBytes,
                  nxv_reference_emit_fn emit, void *user, char *error,
                  size_t errorBytes) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<nxv::NxvDialect, func::FuncDialect>();
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error &&
        message.empty())
      message = nxv::describeLocation(diagnostic.getLocation()) + ": " +
                diagnostic.str();
    return success();
  });
  Request request{
      graphPath, {inputs, numInputs}, {inputBytes, numInputs}, emit, user};
  if (succeeded(run(context, request)))
    return 0;
  copyMessage(message, error, errorBytes);
  return 1;
}
