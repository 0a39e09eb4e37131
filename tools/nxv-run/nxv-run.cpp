//===- nxv-run.cpp - runs a pack ------------------------------------------===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Benchmark.h"
#include "Compare.h"
#include "Files.h"
#include "Listing.h"
#include "Reference.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"

#include <chrono>

using namespace llvm;
using namespace nxv::run;

static cl::OptionCategory category("nxv-run options");

static cl::opt<std::string> file(cl::Positional, cl::desc("PACK or graph.json"),
                                 cl::cat(category));
static cl::opt<std::string>
    io("io", cl::desc("Feed the recorded inputs and compare with the outputs"),
       cl::value_desc("NAME.io.json"), cl::cat(category));
static cl::opt<double> tolerance("tolerance",
                                 cl::desc("Instead of the recorded tolerance"),
                                 cl::value_desc("t"), cl::cat(category));
static cl::list<std::string>
    inputOptions("input", cl::desc("An input, in order"),
                 cl::value_desc("4x10xf32=@x.npy|1.5|1,2,..."),
                 cl::cat(category));
static cl::list<std::string>
    outputOptions("output", cl::desc("Where an output goes, in order"),
                  cl::value_desc("@y.npy"), cl::cat(category));
static cl::opt<std::string> randomSeed("random-inputs",
                                       cl::desc("Make up the inputs"),
                                       cl::value_desc("seed"),
                                       cl::ValueOptional, cl::cat(category));
static cl::opt<std::string> benchmarkRuns("benchmark",
                                          cl::desc("Time that many runs (100)"),
                                          cl::value_desc("N"),
                                          cl::ValueOptional, cl::cat(category));
static cl::opt<std::string>
    profilePath("profile", cl::desc("Write a Chrome trace of the dispatches"),
                cl::value_desc("t.json"), cl::cat(category));
static cl::opt<std::string>
    deviceOption("device", cl::desc("An index or a part of a device's name"),
                 cl::value_desc("device"), cl::cat(category));
static cl::opt<double> timeout("timeout",
                               cl::desc("Stop a run that takes longer"),
                               cl::value_desc("seconds"), cl::cat(category));
static cl::opt<bool> listDevicesOption("list-devices",
                                       cl::desc("List the Vulkan devices"),
                                       cl::cat(category));
static cl::opt<bool> listOption("list", cl::desc("List what is in the pack"),
                                cl::cat(category));
static cl::opt<bool> reference(
    "reference",
    cl::desc("Interpret a graph on the CPU instead of running a pack"),
    cl::cat(category));
static cl::opt<bool> taps("taps", cl::desc("Print the values of io_calls"),
                          cl::cat(category));

/// Outputs up to that size are printed whole.
static constexpr uint64_t kPrintedElements = 64;
static constexpr unsigned kMaxRuns = 1000000;
static constexpr double kMaxTimeout = 1e9;

static int report(Error error) {
  errs() << "error: " << toString(std::move(error)) << "\n";
  return 1;
}

//===----------------------------------------------------------------------===//
// Inputs and outputs
//===----------------------------------------------------------------------===//

static bool isRandom() { return randomSeed.getNumOccurrences() != 0; }

/// An optional number behind an option; the standard one without it.
static Expected<uint64_t> optionNumber(const cl::opt<std::string> &option,
                                       uint64_t standard) {
  uint64_t number = standard;
  if (!option.empty() && StringRef(option).getAsInteger(10, number))
    return createStringError("--%s=%s is no number",
                             option.ArgStr.str().c_str(), option.c_str());
  return number;
}

static Error checkOptions() {
  int sources =
      (io.getNumOccurrences() != 0) + !inputOptions.empty() + isRandom();
  if (sources > 1)
    return createStringError("--io, --input and --random-inputs exclude each "
                             "other");
  if (tolerance.getNumOccurrences() != 0 && !(tolerance >= 0))
    return createStringError("--tolerance is not a number from 0 on");
  if (timeout.getNumOccurrences() != 0 &&
      !(timeout >= 1e-6 && timeout <= kMaxTimeout))
    return createStringError("--timeout is not a number of seconds from 1e-06 "
                             "to %g",
                             kMaxTimeout);
  for (const std::string &option : outputOptions)
    if (option.size() < 2 || option[0] != '@')
      return createStringError("--output=%s is not as @y.npy", option.c_str());
  return Error::success();
}

static Error matchInputs(ArrayRef<Tensor> given, ArrayRef<Signature> wanted) {
  if (given.size() != wanted.size())
    return createStringError("%zu inputs are given, the pack takes %zu",
                             given.size(), wanted.size());
  for (size_t i = 0; i < given.size(); ++i)
    if (given[i].type != wanted[i].type || given[i].shape != wanted[i].shape)
      return createStringError(
          "input %zu is %s, the pack takes %s", i,
          describe(*given[i].type, given[i].shape).c_str(),
          describe(*wanted[i].type, wanted[i].shape).c_str());
  return Error::success();
}

static Error matchOutputs(ArrayRef<Tensor> results, ArrayRef<Tensor> recorded) {
  if (results.size() != recorded.size())
    return createStringError("there are %zu outputs, %zu are recorded",
                             results.size(), recorded.size());
  for (size_t i = 0; i < results.size(); ++i)
    if (results[i].type != recorded[i].type ||
        results[i].shape != recorded[i].shape)
      return createStringError(
          "output %zu is %s, recorded is %s", i,
          describe(*results[i].type, results[i].shape).c_str(),
          describe(*recorded[i].type, recorded[i].shape).c_str());
  return Error::success();
}

static Expected<std::vector<Tensor>> givenInputs() {
  std::vector<Tensor> inputs;
  for (const std::string &option : inputOptions) {
    Expected<Tensor> tensor = parseInput(option);
    if (!tensor)
      return tensor.takeError();
    inputs.push_back(std::move(*tensor));
  }
  return inputs;
}

static void printTensor(size_t index, const Tensor &tensor) {
  outs() << "output " << index << ": " << describe(*tensor.type, tensor.shape)
         << " =";
  uint64_t shown = std::min(tensor.size(), kPrintedElements);
  for (uint64_t i = 0; i < shown; ++i)
    outs() << " " << elementText(tensor, i);
  outs() << (shown < tensor.size() ? " ...\n" : "\n");
}

/// Compares, writes or prints the results; false if they are not the recorded.
static Expected<bool> deliver(ArrayRef<Tensor> results,
                              const Recorded *recorded) {
  if (outputOptions.size() > results.size())
    return createStringError("%zu times --output, there are %zu outputs",
                             size_t(outputOptions.size()), results.size());
  for (size_t i = 0; i < outputOptions.size(); ++i)
    if (Error error =
            writeNpy(StringRef(outputOptions[i]).drop_front(), results[i]))
      return error;
  if (recorded) {
    if (Error error = matchOutputs(results, recorded->outputs))
      return error;
    double bound =
        tolerance.getNumOccurrences() ? double(tolerance) : recorded->tolerance;
    return compareOutputs(results, recorded->outputs, bound, outs());
  }
  bool quiet = !outputOptions.empty() || benchmarkRuns.getNumOccurrences() ||
               profilePath.getNumOccurrences();
  if (!quiet)
    for (size_t i = 0; i < results.size(); ++i)
      printTensor(i, results[i]);
  return true;
}

//===----------------------------------------------------------------------===//
// Modes
//===----------------------------------------------------------------------===//

static Expected<bool> runReference(const std::string &program,
                                   const Recorded *recorded) {
  if (benchmarkRuns.getNumOccurrences() || profilePath.getNumOccurrences() ||
      timeout.getNumOccurrences() || isRandom())
    return createStringError("--benchmark, --profile, --timeout and "
                             "--random-inputs take a pack");
  std::vector<Tensor> inputs;
  if (recorded) {
    inputs = recorded->inputs;
  } else {
    Expected<std::vector<Tensor>> given = givenInputs();
    if (!given)
      return given.takeError();
    inputs = std::move(*given);
  }
  Expected<std::vector<Tensor>> results = interpret(file, inputs, program);
  if (!results)
    return results.takeError();
  return deliver(*results, recorded);
}

static void printTap(void *, const char *name, const char *type,
                     const int64_t *shape, size_t rank, const void *data,
                     uint64_t bytes) {
  Tensor tensor;
  tensor.type = findElementType(type);
  tensor.shape.assign(shape, shape + rank);
  const auto *begin = static_cast<const uint8_t *>(data);
  tensor.data.assign(begin, begin + bytes);
  outs() << "tap " << name << ": " << describe(*tensor.type, tensor.shape)
         << " =";
  uint64_t shown = std::min(tensor.size(), kPrintedElements);
  for (uint64_t i = 0; i < shown; ++i)
    outs() << " " << elementText(tensor, i);
  outs() << (shown < tensor.size() ? " ...\n" : "\n");
}

static Error measureSession(Session &session, ArrayRef<Tensor> inputs) {
  if (benchmarkRuns.getNumOccurrences()) {
    Expected<uint64_t> runs = optionNumber(benchmarkRuns, 100);
    if (!runs)
      return runs.takeError();
    if (*runs == 0 || *runs > kMaxRuns)
      return createStringError("--benchmark=%s is not from 1 to %u",
                               benchmarkRuns.c_str(), kMaxRuns);
    if (Error error = benchmark(session, inputs, unsigned(*runs), outs()))
      return error;
  }
  if (profilePath.getNumOccurrences())
    return profile(session, profilePath, outs());
  return Error::success();
}

/// Runs once and says how long that took.
static Error runOnce(Session &session) {
  auto begin = std::chrono::steady_clock::now();
  if (Error error = session.run())
    return error;
  std::chrono::duration<double, std::milli> time =
      std::chrono::steady_clock::now() - begin;
  outs() << "device: " << session.device().name << "\n"
         << "dispatches: "
         << nxv_invocation_num_dispatches(session.invocation()) << ", "
         << format("%.3f", time.count()) << " ms\n";
  return Error::success();
}

static Expected<std::vector<Tensor>> chooseInputs(const Recorded *recorded,
                                                  const Session &session) {
  if (recorded)
    return recorded->inputs;
  if (!isRandom())
    return givenInputs();
  Expected<uint64_t> seed = optionNumber(randomSeed, 0);
  if (!seed)
    return seed.takeError();
  return randomInputs(session.inputs(), *seed);
}

static Expected<bool> runPack(const Recorded *recorded) {
  Expected<std::unique_ptr<Session>> opened = Session::open(file, deviceOption);
  if (!opened)
    return opened.takeError();
  Session &session = **opened;
  Expected<std::vector<Tensor>> inputs = chooseInputs(recorded, session);
  if (!inputs)
    return inputs.takeError();
  if (Error error = matchInputs(*inputs, session.inputs()))
    return error;
  if (taps)
    nxv_invocation_set_tap(session.invocation(), printTap, nullptr);
  if (timeout.getNumOccurrences())
    nxv_invocation_set_deadline(session.invocation(), uint64_t(timeout * 1e6));
  if (Error error = session.write(*inputs))
    return error;
  if (Error error = runOnce(session))
    return error;
  Expected<std::vector<Tensor>> results = session.read();
  if (!results)
    return results.takeError();
  Expected<bool> agrees = deliver(*results, recorded);
  if (!agrees)
    return agrees.takeError();
  if (Error error = measureSession(session, *inputs))
    return error;
  return agrees;
}

static Expected<bool> run(const std::string &program) {
  if (listDevicesOption) {
    if (Error error = listDevices(outs()))
      return error;
    return true;
  }
  if (file.empty())
    return createStringError("no pack is given, see --help");
  if (Error error = checkOptions())
    return error;
  if (listOption) {
    if (Error error = listPack(file, outs()))
      return error;
    return true;
  }
  std::optional<Recorded> recorded;
  if (io.getNumOccurrences()) {
    Expected<Recorded> read = readRecorded(io);
    if (!read)
      return read.takeError();
    recorded = std::move(*read);
  }
  const Recorded *given = recorded ? &*recorded : nullptr;
  return reference ? runReference(program, given) : runPack(given);
}

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  std::string text;
  raw_string_ostream messages(text);
  if (!cl::ParseCommandLineOptions(argc, argv, "Runs a compiled graph\n",
                                   &messages))
    return report(createStringError(
        "%s", StringRef(text).split('\n').first.str().c_str()));
  std::string program =
      sys::fs::getMainExecutable(argv[0], reinterpret_cast<void *>(&main));
  Expected<bool> agrees = run(program);
  if (!agrees)
    return report(agrees.takeError());
  return *agrees ? 0 : 1;
}
