//===- nxv-fuzz.cpp - random graphs, compiled and interpreted -------------===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Worker.h"

#include "nxv/Fuzz/Files.h"
#include "nxv/Fuzz/Shrink.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;
using namespace nxv;
using namespace nxv::fuzz;
namespace cl = llvm::cl;

static cl::OptionCategory category("nxv-fuzz options");
static cl::opt<std::string> seeds("seeds", cl::Required,
                                  cl::desc("Which graphs, as 1..300, or 17"),
                                  cl::value_desc("A..B"), cl::cat(category));
static cl::opt<std::string>
    deviceOption("device", cl::desc("An index or a part of a device's name"),
                 cl::cat(category));
static cl::opt<unsigned> maxOps("max-ops",
                                cl::desc("The most operations of a graph"),
                                cl::init(24), cl::cat(category));
static cl::opt<std::string>
    outDir("out", cl::desc("Where to write failing graphs, made small"),
           cl::value_desc("folder"), cl::cat(category));
static cl::opt<unsigned> jobs("jobs", cl::desc("Processes at a time"),
                              cl::init(1), cl::cat(category));
static cl::opt<unsigned> limit("limit",
                               cl::desc("Seconds that one graph may take"),
                               cl::init(120), cl::cat(category));
static cl::opt<unsigned>
    shrinkSeconds("shrink",
                  cl::desc("Seconds to make one failure small; 0: as it is"),
                  cl::init(60), cl::cat(category));
static cl::opt<std::string>
    coverageFile("coverage", cl::desc("Write what was compared, as JSON"),
                 cl::value_desc("file"), cl::cat(category));
static cl::opt<bool> verbose("verbose", cl::desc("A line for every graph"),
                             cl::cat(category));
static cl::opt<bool> printGraph("print",
                                cl::desc("Print the graphs, do not run them"),
                                cl::cat(category));

static int fail(const Twine &message) {
  llvm::WithColor::error(llvm::errs(), "nxv-fuzz") << message << "\n";
  return 2;
}

static bool parseSeeds(StringRef text, RunOptions &options) {
  auto [first, last] = text.split("..");
  if (first.getAsInteger(10, options.first))
    return false;
  if (last.empty())
    last = first;
  return !last.getAsInteger(10, options.last) &&
         options.first <= options.last && options.last < uint64_t(1) << 62;
}

namespace {
/// What all seeds together gave.
struct Summary {
  uint64_t graphs = 0, compared = 0, unsupported = 0;
  uint64_t elements = 0, waived = 0;
  std::map<std::string, uint64_t> reasons;
  Coverage coverage;
  std::vector<SeedResult> failures;
};
} // namespace

static void printFailure(const SeedResult &result) {
  llvm::outs() << "seed " << result.seed << ": "
               << (result.crashed ? "crash" : getName(result.outcome.verdict))
               << ": " << result.outcome.message << "\n";
  llvm::outs().flush();
}

static void addResult(Summary &summary, const SeedResult &result) {
  ++summary.graphs;
  const Outcome &outcome = result.outcome;
  if (verbose || isFailure(outcome.verdict))
    printFailure(result);
  if (isFailure(outcome.verdict)) {
    summary.failures.push_back(result);
    return;
  }
  if (outcome.verdict == Verdict::Unsupported) {
    ++summary.unsupported;
    ++summary.reasons[StringRef(outcome.message).substr(0, 100).str()];
    return;
  }
  ++summary.compared;
  summary.elements += outcome.elements;
  summary.waived += outcome.waived;
  for (auto &[key, count] : result.coverage)
    summary.coverage[key] += count;
}

/// Makes a failing seed small and writes it; says how to run it.
static void writeFailure(const RunOptions &options, const SeedResult &failure) {
  std::unique_ptr<MLIRContext> context = createContext();
  Case test = generateCase(context.get(), failure.seed, options.generator);
  RunOptions quick = options;
  // A case that hangs would take its whole time at every step.
  quick.limit = std::min(options.limit, 20u);
  auto fails = [&](const Case &candidate) {
    SeedResult result = runCase(quick, candidate);
    return isFailure(result.outcome.verdict) &&
           result.crashed == failure.crashed &&
           result.outcome.verdict == failure.outcome.verdict;
  };
  if (shrinkSeconds > 0)
    test = shrink(test, fails, shrinkSeconds);
  std::string stem = outDir + "/seed-" + std::to_string(failure.seed);
  llvm::Expected<std::string> path = writeCase(test, stem);
  if (!path) {
    fail(llvm::toString(path.takeError()));
    return;
  }
  SeedResult last = runCase(quick, test);
  llvm::outs() << "seed " << failure.seed
               << ", made small: " << last.outcome.message << "\n";
  if (StringRef(*path).ends_with(".json"))
    llvm::outs() << "  nxv-compile " << *path << " -o " << stem
                 << ".spvpack && nxv-run " << stem << ".spvpack --io=" << stem
                 << ".io.json\n";
  else
    llvm::outs() << "  " << *path << "\n";
  llvm::outs().flush();
}

static void printSummary(const Summary &summary) {
  llvm::raw_ostream &os = llvm::outs();
  os << summary.graphs << " graphs: " << summary.compared << " agree, "
     << summary.unsupported << " unsupported, " << summary.failures.size()
     << " fail; " << summary.elements << " elements, " << summary.waived
     << " of them undetermined\n";
  for (auto &[reason, count] : summary.reasons)
    os << "  unsupported " << count << ": " << reason << "\n";
  std::map<std::string, std::string> rows;
  for (auto &[key, count] : summary.coverage)
    rows[key.first] += " " + key.second + ":" + std::to_string(count);
  for (auto &[op, counts] : rows)
    os << "  " << op << counts << "\n";
}

static bool writeCoverage(const Summary &summary) {
  llvm::json::Object ops;
  for (auto &[key, count] : summary.coverage) {
    llvm::json::Value &row =
        ops.try_emplace(key.first, llvm::json::Object()).first->second;
    (*row.getAsObject())[key.second] = int64_t(count);
  }
  std::error_code error;
  llvm::raw_fd_ostream file(coverageFile, error);
  if (error)
    return false;
  llvm::json::Object root{{"graphs", int64_t(summary.graphs)},
                          {"compared", int64_t(summary.compared)},
                          {"operations", std::move(ops)}};
  file << llvm::formatv("{0:2}", llvm::json::Value(std::move(root))) << "\n";
  return true;
}

static void printGraphs(const RunOptions &options) {
  std::unique_ptr<MLIRContext> context = createContext();
  for (uint64_t seed = options.first; seed <= options.last; ++seed)
    generateCase(context.get(), seed, options.generator)
        .module->print(llvm::outs());
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(
      argc, argv, "Compares compiled random graphs with the interpreter\n");
  RunOptions options;
  options.device = deviceOption;
  options.generator.maxOps = maxOps;
  options.jobs = std::max(1u, jobs.getValue());
  options.limit = std::max(1u, limit.getValue());
  if (!parseSeeds(seeds, options))
    return fail("--seeds=" + seeds + " is not as 1..300");
  if (!outDir.empty())
    if (std::error_code error = llvm::sys::fs::create_directories(outDir))
      return fail(outDir + ": " + error.message());
  registerForChecks();
  if (printGraph) {
    printGraphs(options);
    return 0;
  }
  Summary summary;
  runSeeds(options,
           [&](const SeedResult &result) { addResult(summary, result); });
  if (!outDir.empty())
    for (const SeedResult &failure : summary.failures)
      writeFailure(options, failure);
  printSummary(summary);
  if (!coverageFile.empty() && !writeCoverage(summary))
    return fail("cannot write '" + coverageFile + "'");
  return summary.failures.empty() ? 0 : 1;
}
