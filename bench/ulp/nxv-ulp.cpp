//===- nxv-ulp.cpp - measures the errors of functions on a device ---------===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
// Runs packs that packs.py compiled, one a function and type, and writes one
// line of JSON for each. See the functions and their arguments in Functions.cpp
// and Points.cpp, and what counts as an error in Tally.h.

#include "Measure.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

using namespace nxv::ulp;

namespace {

constexpr char kUsage[] =
    "usage: nxv-ulp --packs=DIR [options]\n"
    "  --functions=exp,sin   these functions only\n"
    "  --types=f32,f64       these types only\n"
    "  --exhaustive          f32: all 2^32 arguments of unary functions "
    "(types\n"
    "                        of up to 16 bits are always done so)\n"
    "  --points=N            else about N arguments in sweeps (1e8), and "
    "those\n"
    "                        around special ones\n"
    "  --seed=N              other points\n"
    "  --threads=N           that judge (all there are)\n"
    "  --seconds=S           start nothing after that time, and end what runs\n"
    "  --device=NAME         an index or a part of a name\n"
    "  --output=FILE         append the lines to it\n"
    "  --check               fail where an error is beyond the promised one\n";

struct Options {
  std::string packs, device, output;
  std::vector<std::string> functions,
      types = {"f16", "bf16", "f8_e5m2", "f8_e4m3fn", "f64", "f32"};
  bool exhaustive = false, check = false;
  double points = 1e8, seconds = 1e9;
  uint64_t seed = 1;
  unsigned threads = std::max(1u, std::thread::hardware_concurrency());
};

[[noreturn]] void fail(const std::string &message) {
  std::fprintf(stderr, "error: %s\n", message.c_str());
  std::exit(1);
}

std::vector<std::string> splitList(const std::string &text) {
  std::vector<std::string> items;
  std::istringstream stream(text);
  for (std::string item; std::getline(stream, item, ',');)
    items.push_back(item);
  return items;
}

double number(const std::string &name, const std::string &text) {
  char *end = nullptr;
  double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end || !(value >= 0))
    fail(name + " needs a number, not '" + text + "'");
  return value;
}

Options parse(int argc, char **argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    size_t equals = std::min(argument.find('='), argument.size());
    std::string name = argument.substr(0, equals);
    std::string value = argument.substr(std::min(equals + 1, argument.size()));
    if (name == "--packs")
      options.packs = value;
    else if (name == "--functions")
      options.functions = splitList(value);
    else if (name == "--types")
      options.types = splitList(value);
    else if (name == "--exhaustive")
      options.exhaustive = true;
    else if (name == "--check")
      options.check = true;
    else if (name == "--points")
      options.points = number(name, value);
    else if (name == "--seed")
      options.seed = static_cast<uint64_t>(number(name, value));
    else if (name == "--threads")
      options.threads =
          std::max(1u, static_cast<unsigned>(number(name, value)));
    else if (name == "--seconds")
      options.seconds = number(name, value);
    else if (name == "--device")
      options.device = value;
    else if (name == "--output")
      options.output = value;
    else
      fail("unknown option '" + argument + "'\n" + kUsage);
  }
  if (options.packs.empty())
    fail(std::string("no packs\n") + kUsage);
  return options;
}

//===----------------------------------------------------------------------===//
// What comes out
//===----------------------------------------------------------------------===//

std::string quoted(const std::string &text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      out += '\\';
    out += c;
  }
  return out + "\"";
}

std::string hex(double number) {
  char text[64];
  std::snprintf(text, sizeof(text), "\"%a\"", number);
  return text;
}

std::string decimal(double number) {
  char text[64];
  std::snprintf(text, sizeof(text), "%.5g", number);
  return std::isinf(number) ? quoted("infinite") : text;
}

std::string describe(const Point &point, bool isBinary) {
  std::string text = "{\"x\": " + hex(point.x);
  if (isBinary)
    text += ", \"y\": " + hex(point.y);
  return text + ", \"got\": " + hex(point.got) +
         ", \"exact\": " + hex(point.exact) + "}";
}

struct Outcome {
  const Format &format;
  const Function &function;
  Tally tally;
  bool isExhaustive, isComplete;
  double seconds;
};

std::string describe(const Outcome &outcome, const nxv_device_info &device) {
  const Tally &t = outcome.tally;
  bool isBinary = outcome.function.isBinary;
  std::ostringstream out;
  auto flag = [](bool set) { return set ? "true" : "false"; };
  out << "{\"function\": " << quoted(outcome.function.name)
      << ", \"type\": " << quoted(outcome.format.name)
      << ", \"points\": " << t.points
      << ", \"exhaustive\": " << flag(outcome.isExhaustive)
      << ", \"complete\": " << flag(outcome.isComplete)
      << ", \"ulp\": " << decimal(t.ulp);
  if (t.ulp > 0)
    out << ", \"at\": " << describe(t.worst, isBinary);
  out << ", \"wrong\": " << t.wrong;
  if (t.wrong)
    out << ", \"wrong_at\": " << describe(t.wrongAt, isBinary);
  out << ", \"subnormal\": {\"points\": " << t.subnormal
      << ", \"flushed_results\": " << t.flushedResults
      << ", \"flushed_arguments\": " << t.flushedArguments
      << ", \"ulp\": " << decimal(t.subnormalUlp);
  if (t.subnormalUlp > 0)
    out << ", \"at\": " << describe(t.subnormalWorst, isBinary);
  out << ", \"wrong\": " << t.subnormalWrong;
  if (t.subnormalWrong)
    out << ", \"wrong_at\": " << describe(t.subnormalWrongAt, isBinary);
  out << "}, \"device\": " << quoted(device.name)
      << ", \"driver\": " << quoted(device.driver)
      << ", \"seconds\": " << decimal(outcome.seconds) << "}";
  return out.str();
}

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

/// What docs/numerics.md promises.
double bound(const Format &format, const Function &function) {
  if (std::string(function.name) == "remainder")
    return 0;
  if (format.bits <= 16)
    return 0.51;
  return function.isBinary ? 4 : 2;
}

bool isWithinBounds(const Outcome &outcome) {
  const Tally &t = outcome.tally;
  double most = bound(outcome.format, outcome.function);
  if (t.ulp <= most && t.subnormalUlp <= most && !t.wrong && !t.subnormalWrong)
    return true;
  std::fprintf(stderr, "error: %s of %s is beyond %g ULP, or wrong\n",
               outcome.function.name, outcome.format.name, most);
  return false;
}

//===----------------------------------------------------------------------===//
// Jobs
//===----------------------------------------------------------------------===//

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Looks closer at the chunks that were the worst.
bool refine(const Job &job, uint64_t size, std::vector<Tally> &worst,
            Tally &tally) {
  constexpr size_t most = 8;
  std::sort(worst.begin(), worst.end(),
            [](const Tally &a, const Tally &b) { return a.ulp > b.ulp; });
  worst.resize(std::min(worst.size(), most));
  std::vector<Chunk> closer;
  for (const Tally &chunk : worst)
    for (const Chunk &c : around(job.format, chunk.worst.x, size))
      closer.push_back(c);
  return measure(job, closer, tally);
}

bool measureAll(const Job &job, const Options &options, bool exhaustive,
                Tally &tally) {
  uint64_t bytes = static_cast<uint64_t>(job.format.bits / 8);
  uint64_t size = job.pack.outputBytes() / bytes;
  uint64_t points = static_cast<uint64_t>(options.points);
  if (exhaustive)
    return measure(job, everyPattern(job.format, size), tally);
  if (job.function.isBinary)
    return measure(
        job, binaryPoints(job.format, job.function, size, points, options.seed),
        tally);
  std::vector<Tally> worst;
  return measure(
             job,
             unaryPoints(job.format, job.function, size, points, options.seed),
             tally, &worst) &&
         refine(job, size, worst, tally);
}

class Session {
public:
  explicit Session(const Options &options) : options(options) {
    nxv_device_options open = {};
    open.struct_size = sizeof(open);
    open.selector = options.device.empty() ? nullptr : options.device.c_str();
    nxv_device *opened = nullptr;
    check(nxv_device_open(&open, &opened), "device");
    device.reset(opened);
    info.struct_size = sizeof(info);
    check(nxv_device_get_info(opened, &info), "device");
    std::printf("device: %s; %s\n", info.name, info.driver);
    if (!options.output.empty())
      lines.open(options.output, std::ios::app);
    if (!options.output.empty() && !lines)
      fail("cannot write '" + options.output + "'");
  }

  bool run() {
    bool isGood = true;
    for (const std::string &type : options.types) {
      const Format *format = findFormat(type);
      if (!format)
        fail("unknown type '" + type + "'");
      for (const Function &function : functions())
        if (isWanted(function))
          isGood &= runOne(*format, function);
    }
    return isGood || !options.check;
  }

private:
  bool isWanted(const Function &function) const {
    const auto &names = options.functions;
    return names.empty() ||
           std::find(names.begin(), names.end(), function.name) != names.end();
  }

  bool runOne(const Format &format, const Function &function) {
    std::string path =
        options.packs + "/" + function.name + "." + format.name + ".spvpack";
    if (!std::ifstream(path) || secondsSince(start) > options.seconds) {
      std::printf("%s %s: left out\n", function.name, format.name);
      return true;
    }
    Clock::time_point begin = Clock::now();
    Pack pack(device.get(), path);
    auto left = std::chrono::duration<double>(options.seconds);
    Job job = {format, function, pack, options.threads,
               start + std::chrono::duration_cast<Clock::duration>(left)};
    bool exhaustive =
        !function.isBinary &&
        (options.exhaustive ? format.bits <= 32 : format.bits <= 16);
    Tally tally;
    bool complete = measureAll(job, options, exhaustive, tally);
    Outcome outcome = {format,     function, tally,
                       exhaustive, complete, secondsSince(begin)};
    if (lines.is_open())
      lines << describe(outcome, info) << std::endl;
    printLine(outcome);
    return isWithinBounds(outcome);
  }

  static void printLine(const Outcome &o) {
    const Tally &t = o.tally;
    std::printf("%-9s %-9s ulp %.4f at %a", o.function.name, o.format.name,
                t.ulp, t.worst.x);
    if (o.function.isBinary)
      std::printf(", %a", t.worst.y);
    std::printf("; wrong %llu; subnormal %llu: ulp %.3f, flushed %llu + %llu, "
                "wrong %llu; %.3g points, %.1f s%s\n",
                (unsigned long long)t.wrong, (unsigned long long)t.subnormal,
                t.subnormalUlp, (unsigned long long)t.flushedResults,
                (unsigned long long)t.flushedArguments,
                (unsigned long long)t.subnormalWrong,
                static_cast<double>(t.points), o.seconds,
                o.isComplete ? "" : ", incomplete");
    std::fflush(stdout);
  }

  const Options &options;
  Device device;
  nxv_device_info info = {};
  std::ofstream lines;
  Clock::time_point start = Clock::now();
};

} // namespace

int main(int argc, char **argv) {
  Options options = parse(argc, argv);
  return Session(options).run() ? 0 : 1;
}
