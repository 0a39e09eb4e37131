//===- nxv-compile.cpp - compiles a graph into a pack -----------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "nxv/Dialect/Program/IR/Program.h"
#include "nxv/Graph/Diagnostics.h"
#include "nxv/Graph/Import.h"
#include "nxv/Pipelines/Pipelines.h"
#include "nxv/Pipelines/RegisterAll.h"
#include "nxv/Target/Spvpack/Spvpack.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Support/Timing.h"
#include "mlir/Support/ToolUtilities.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/WithColor.h"

#include <chrono>

using namespace mlir;
namespace cl = llvm::cl;

namespace {
enum class Emit { nxv, linalg, groups, program, spirv, spvpack };
} // namespace

static cl::OptionCategory category("nxv-compile options");
static cl::opt<std::string> inputPath(cl::Positional, cl::Required,
                                      cl::desc("GRAPH.json"),
                                      cl::cat(category));
static cl::opt<std::string> outputPath("o", cl::desc("Where to write"),
                                       cl::value_desc("file"), cl::init("-"),
                                       cl::cat(category));
static cl::opt<Emit> emitLevel(
    "emit", cl::desc("What to write"), cl::init(Emit::spvpack),
    cl::values(
        clEnumValN(Emit::nxv, "nxv", "the imported graph"),
        clEnumValN(Emit::linalg, "linalg", "linalg on tensors"),
        clEnumValN(Emit::groups, "groups", "groups, one a kernel"),
        clEnumValN(Emit::program, "program", "the program and its kernels"),
        clEnumValN(Emit::program, "kernels", "the same as program"),
        clEnumValN(Emit::spirv, "spirv", "the program and SPIR-V modules"),
        clEnumValN(Emit::spvpack, "spvpack", "the pack (default)")),
    cl::cat(category));
static cl::opt<bool> showStats("nxv-stats",
                               cl::desc("Print figures of the program"),
                               cl::cat(category));
static cl::opt<bool> showTime("time", cl::desc("Print the time of each phase"),
                              cl::cat(category));
static cl::opt<std::string>
    dumpDir("dump-dir",
            cl::desc("Write the module at every level into this folder"),
            cl::value_desc("folder"), cl::cat(category));
static cl::opt<bool> verifyEach("verify-each",
                                cl::desc("Verify the module after each pass"),
                                cl::init(false), cl::cat(category));
static cl::opt<bool> printPasses("print-ir",
                                 cl::desc("Print the module after each pass"),
                                 cl::cat(category));

namespace {
enum class MathMode { precise, fast };
} // namespace
static cl::opt<MathMode> mathMode(
    "math", cl::desc("Transcendental functions of f32"),
    cl::init(MathMode::precise),
    cl::values(clEnumValN(MathMode::precise, "precise",
                          "nxv's own, with documented bounds (default)"),
               clEnumValN(MathMode::fast, "fast",
                          "the device's, where it has them")),
    cl::cat(category));

static cl::opt<bool> withoutInt64(
    "without-int64",
    cl::desc("Add variants of kernels for devices without 64-bit integers"),
    cl::cat(category));

namespace {
/// Measures phases for --time.
class Clock {
public:
  void lap(StringRef phase) {
    auto now = std::chrono::steady_clock::now();
    if (showTime)
      llvm::errs()
          << llvm::format(
                 "%8.2f ms  ",
                 std::chrono::duration<double, std::milli>(now - last).count())
          << phase << "\n";
    last = now;
  }

private:
  std::chrono::steady_clock::time_point last = std::chrono::steady_clock::now();
};
} // namespace

static LogicalResult fail(const Twine &message) {
  llvm::WithColor::error(llvm::errs(), "nxv-compile") << message << "\n";
  return failure();
}

static LogicalResult writeText(ModuleOp module, StringRef path) {
  std::string message;
  auto file = openOutputFile(path, &message);
  if (!file)
    return fail(message);
  OpPrintingFlags flags;
  flags.elideLargeElementsAttrs(4096);
  module.print(file->os(), flags);
  file->keep();
  return success();
}

static LogicalResult dump(ModuleOp module, StringRef name) {
  if (dumpDir.empty())
    return success();
  if (std::error_code error = llvm::sys::fs::create_directories(dumpDir))
    return fail(dumpDir + ": " + error.message());
  SmallString<128> path(dumpDir);
  llvm::sys::path::append(path, name + ".mlir");
  return writeText(module, path);
}

/// Figures of a program: one a line, `name: value`.
static void printStats(ModuleOp module, uint64_t packBytes) {
  int64_t dispatches = 0, barriers = 0;
  llvm::StringSet<llvm::MallocAllocator> kernels;
  module.walk([&](nxv::program::DispatchOp op) {
    ++dispatches;
    kernels.insert(op.getKernel().getRootReference().getValue());
  });
  module.walk([&](nxv::program::BarrierOp) { ++barriers; });
  llvm::raw_ostream &os = llvm::outs();
  os << "dispatches: " << dispatches << "\n";
  os << "kernels: " << kernels.size() << "\n";
  os << "barriers: " << barriers << "\n";
  for (auto program : module.getOps<nxv::program::ProgramOp>()) {
    os << "arena_bytes: " << program.getArenaBytes().value_or(0) << "\n";
    os << "intermediate_bytes: " << program.getIntermediateBytes().value_or(0)
       << "\n";
  }
  os << "pack_bytes: " << packBytes << "\n";
}

static LogicalResult runLevel(ModuleOp module, nxv::Level level,
                              StringRef name) {
  PassManager pm(module->getContext());
  pm.enableVerifier(verifyEach);
  if (printPasses)
    pm.enableIRPrinting();
  nxv::PipelineOptions options;
  options.fastMath = mathMode == MathMode::fast;
  options.withoutInt64 = withoutInt64;
  if (failed(nxv::buildStage(pm, level, options)))
    return fail("internal: an unknown pass in the pipeline");
  if (failed(pm.run(module)))
    return failure();
  return dump(module, name);
}

static LogicalResult writePack(ModuleOp module, Clock &clock) {
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  if (failed(nxv::translateProgramToSpvpack(module, stream)))
    return failure();
  clock.lap("validate and write");
  std::string message;
  auto file = openOutputFile(outputPath, &message);
  if (!file)
    return fail(message);
  file->os() << bytes;
  file->os().flush();
  if (file->os().has_error())
    return fail(outputPath + ": " + file->os().error().message());
  file->keep();
  if (showStats)
    printStats(module, bytes.size());
  return success();
}

static LogicalResult compile() {
  Clock clock;
  auto text = llvm::MemoryBuffer::getFileOrSTDIN(inputPath);
  if (std::error_code error = text.getError())
    return fail(inputPath + ": " + error.message());
  if (outputPath == "-" && emitLevel == Emit::spvpack)
    return fail("a pack goes to a file: say where with -o");

  DialectRegistry registry;
  nxv::registerAllDialects(registry);
  MLIRContext context(registry);
  context.loadAllAvailableDialects();
  nxv::GraphDiagnosticHandler diagnostics(&context);
  clock.lap("start");
  OwningOpRef<ModuleOp> module =
      nxv::importGraph(inputPath, (*text)->getBuffer(), &context);
  if (!module)
    return failure();
  clock.lap("import");

  static const std::pair<nxv::Level, const char *> levels[] = {
      {nxv::Level::nxv, "nxv"},
      {nxv::Level::linalg, "linalg"},
      {nxv::Level::groups, "groups"},
      {nxv::Level::program, "program"},
      {nxv::Level::spirv, "spirv"}};
  for (auto [level, name] : levels) {
    if (failed(runLevel(*module, level, name)))
      return failure();
    clock.lap(name);
    if (int(level) == int(emitLevel.getValue()))
      return writeText(*module, outputPath);
  }
  return writePack(*module, clock);
}

/// LLVM registers a --stats of its own, about itself: ours takes its place.
static void claimStatsOption() {
  auto &registered = cl::getRegisteredOptions();
  if (auto found = registered.find("stats"); found != registered.end())
    found->second->removeArgument();
  showStats.setArgStr("stats");
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  claimStatsOption();
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv,
                              "Compiles a tensor graph into a .spvpack\n");
  nxv::registerAllPasses();
  return failed(compile());
}
