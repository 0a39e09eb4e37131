//===- Check.cpp - compiles, runs and compares ----------------------------===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "nxv/Fuzz/Check.h"

#include "nxv/Dialect/Nxv/IR/Nxv.h"
#include "nxv/Fuzz/Files.h"
#include "nxv/Graph/Export.h"
#include "nxv/Graph/Import.h"
#include "nxv/Pipelines/Pipelines.h"
#include "nxv/Pipelines/RegisterAll.h"
#include "nxv/Target/Spvpack/Spvpack.h"
#include "nxv/runtime.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace nxv;
using namespace nxv::fuzz;

StringRef nxv::fuzz::getName(Verdict verdict) {
  static const char *names[] = {"agrees",   "unsupported", "invalid", "graph",
                                "compiler", "runtime",     "mismatch"};
  return names[int(verdict)];
}

bool nxv::fuzz::isFailure(Verdict verdict) {
  return verdict != Verdict::Agrees && verdict != Verdict::Unsupported;
}

void nxv::fuzz::registerForChecks() { registerAllPasses(); }

std::unique_ptr<MLIRContext> nxv::fuzz::createContext() {
  DialectRegistry registry;
  registerAllDialects(registry);
  auto context =
      std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  context->loadDialect<NxvDialect, func::FuncDialect>();
  return context;
}

Checker::~Checker() { nxv_device_close(device); }

namespace {
/// The first error of the compiler, kept from the terminal.
class ErrorText {
public:
  explicit ErrorText(MLIRContext *context)
      : handler(context, [this](Diagnostic &diagnostic) {
          if (text.empty() &&
              diagnostic.getSeverity() == DiagnosticSeverity::Error)
            text = diagnostic.str();
          return success();
        }) {}

  std::string text;

private:
  ScopedDiagnosticHandler handler;
};
} // namespace

/// What the compiler says of a graph that it does not take, as opposed to one
/// that it fails on.
static bool isKnownLimit(StringRef message) {
  return message.contains(" yet") || message.contains("no kernel family") ||
         message.contains("do not compute elements");
}

//===----------------------------------------------------------------------===//
// Graph format
//===----------------------------------------------------------------------===//

/// A copy of the module with the attributes that an import gives.
static OwningOpRef<ModuleOp> asImported(const Case &test) {
  OwningOpRef<ModuleOp> module(test.module.get().clone());
  auto main = module->lookupSymbol<func::FuncOp>("main");
  auto name = [&](Type type) {
    return StringAttr::get(main.getContext(),
                           getTypeName(getElementTypeOrSelf(type)));
  };
  for (auto [index, type] : llvm::enumerate(main.getArgumentTypes()))
    main.setArgAttr(index, "nxv.element", name(type));
  for (auto [index, type] : llvm::enumerate(main.getResultTypes()))
    main.setResultAttr(index, "nxv.element", name(type));
  return module;
}

/// The module after export and import; null, with an outcome, if that fails.
/// What the format cannot express is compiled as it is.
static OwningOpRef<ModuleOp> throughFormat(const Case &test, Outcome &outcome) {
  MLIRContext *context = test.module.get()->getContext();
  ErrorText errors(context);
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (failed(exportGraph(test.module.get(), stream))) {
    if (StringRef(errors.text).contains("no counterpart in the graph format"))
      return asImported(test);
    outcome = {Verdict::Graph, "export: " + errors.text};
    return nullptr;
  }
  OwningOpRef<ModuleOp> module = importGraph("fuzz.json", text, context);
  if (!module)
    outcome = {Verdict::Graph, "import: " + errors.text};
  return module;
}

static bool sameSignature(func::FuncOp a, func::FuncOp b) {
  return a.getFunctionType() == b.getFunctionType();
}

static Outcome checkImported(func::FuncOp imported, const Case &test,
                             ArrayRef<Tensor> expected) {
  if (!sameSignature(imported, test.getMain()))
    return {Verdict::Graph, "the imported graph has another signature"};
  auto results = interpret(imported, test.inputs);
  if (failed(results))
    return {Verdict::Graph, "the imported graph cannot be interpreted"};
  for (auto [index, pair] : llvm::enumerate(llvm::zip(*results, expected)))
    if (std::get<0>(pair).data != std::get<1>(pair).data)
      return {Verdict::Graph, "the imported graph gives another output " +
                                  std::to_string(index)};
  return {};
}

//===----------------------------------------------------------------------===//
// Compiling and running
//===----------------------------------------------------------------------===//

static Outcome compile(ModuleOp module, std::string &pack) {
  ErrorText errors(module.getContext());
  PassManager manager(module.getContext());
  manager.enableVerifier(true);
  llvm::raw_string_ostream stream(pack);
  if (succeeded(buildPipeline(manager, Level::spirv)) &&
      succeeded(manager.run(module)) &&
      succeeded(translateProgramToSpvpack(module, stream)))
    return {};
  bool known = isKnownLimit(errors.text);
  return {known ? Verdict::Unsupported : Verdict::Compiler, errors.text};
}

namespace {
/// A pack on a device, with its buffers.
class Execution {
public:
  ~Execution() {
    nxv_invocation_destroy(invocation);
    for (nxv_buffer *buffer : owned)
      nxv_buffer_destroy(buffer);
    nxv_program_destroy(program);
  }

  bool load(nxv_device *device, StringRef pack);
  bool run(ArrayRef<Tensor> inputs, std::vector<std::vector<uint8_t>> &results);

private:
  bool bind(nxv_device *device);

  nxv_program *program = nullptr;
  nxv_invocation *invocation = nullptr;
  std::vector<nxv_buffer *> owned, inputs, outputs;
  std::vector<uint64_t> outputBytes;
};
} // namespace

bool Execution::load(nxv_device *device, StringRef pack) {
  return !nxv_program_load(device, pack.data(), pack.size(), &program) &&
         !nxv_invocation_create(program, &invocation) && bind(device);
}

bool Execution::bind(nxv_device *device) {
  nxv_program_info info = {};
  info.struct_size = sizeof(info);
  if (nxv_program_get_info(program, &info))
    return false;
  nxv_tensor_info tensor = {};
  tensor.struct_size = sizeof(tensor);
  auto make = [&](uint64_t bytes) {
    nxv_buffer *buffer = nullptr;
    if (!nxv_buffer_create(device, bytes, &buffer))
      owned.push_back(buffer);
    return buffer;
  };
  for (size_t i = 0; i < info.num_inputs; ++i) {
    if (nxv_program_get_input(program, i, &tensor))
      return false;
    inputs.push_back(make(tensor.bytes));
    if (!inputs.back() ||
        nxv_invocation_bind_input(invocation, i, inputs.back(), 0))
      return false;
  }
  for (size_t i = 0; i < info.num_outputs; ++i) {
    if (nxv_program_get_output(program, i, &tensor))
      return false;
    outputBytes.push_back(tensor.bytes);
    bool inInput = tensor.input >= 0;
    outputs.push_back(inInput ? inputs[tensor.input] : make(tensor.bytes));
    if (!outputs.back() || (!inInput && nxv_invocation_bind_output(
                                            invocation, i, outputs.back(), 0)))
      return false;
  }
  return true;
}

bool Execution::run(ArrayRef<Tensor> values,
                    std::vector<std::vector<uint8_t>> &results) {
  for (auto [buffer, value] : llvm::zip_equal(inputs, values))
    if (nxv_buffer_write(buffer, 0, value.data.data(), value.data.size()))
      return false;
  // What an output held before must not matter.
  for (auto [buffer, bytes] : llvm::zip_equal(outputs, outputBytes)) {
    std::vector<uint8_t> noise(bytes, 0xa5);
    if (!llvm::is_contained(inputs, buffer) &&
        nxv_buffer_write(buffer, 0, noise.data(), bytes))
      return false;
  }
  if (nxv_invocation_run(invocation))
    return false;
  results.clear();
  for (auto [buffer, bytes] : llvm::zip_equal(outputs, outputBytes)) {
    results.emplace_back(bytes);
    if (nxv_buffer_read(buffer, 0, results.back().data(), bytes))
      return false;
  }
  return true;
}

/// A kernel that asks for more than the device has is not the compiler's fault.
static Outcome runtimeFailure(nxv_status status) {
  std::string message = nxv_last_error();
  bool known = status == NXV_ERROR_UNSUPPORTED;
  return {known ? Verdict::Unsupported : Verdict::Runtime, message};
}

Outcome Checker::runDevice(const std::string &pack, const Case &test,
                           std::vector<std::vector<uint8_t>> &results) {
  nxv_device_options options = {};
  options.struct_size = sizeof(options);
  options.selector = selector.empty() ? nullptr : selector.c_str();
  if (!device)
    if (nxv_status status = nxv_device_open(&options, &device))
      return runtimeFailure(status);
  Execution execution;
  if (!execution.load(device, pack)) {
    nxv_program *program = nullptr;
    nxv_status status =
        nxv_program_load(device, pack.data(), pack.size(), &program);
    nxv_program_destroy(program);
    return runtimeFailure(status);
  }
  std::vector<std::vector<uint8_t>> again;
  if (!execution.run(test.inputs, results) ||
      !execution.run(test.inputs, again))
    return runtimeFailure(NXV_ERROR_INTERNAL);
  if (again != results)
    return {Verdict::Mismatch, "a second run gives other bits"};
  return {};
}

Outcome Checker::check(const Case &test) {
  func::FuncOp main = test.getMain();
  std::optional<FailureOr<SmallVector<Tensor>>> expected;
  {
    ErrorText errors(main.getContext());
    expected = interpret(main, test.inputs);
    if (failed(*expected))
      return {Verdict::Invalid, errors.text};
  }
  Outcome outcome;
  OwningOpRef<ModuleOp> module = throughFormat(test, outcome);
  if (!module)
    return outcome;
  outcome = checkImported(module->lookupSymbol<func::FuncOp>("main"), test,
                          **expected);
  if (outcome.verdict != Verdict::Agrees)
    return outcome;
  std::string pack;
  outcome = compile(*module, pack);
  if (outcome.verdict != Verdict::Agrees)
    return outcome;
  std::vector<std::vector<uint8_t>> results;
  outcome = runDevice(pack, test, results);
  if (outcome.verdict != Verdict::Agrees)
    return outcome;
  return compareResults(main, test, **expected, results);
}
