//===- Worker.cpp - runs seeds in processes of their own ------------------===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

// The parent opens no device and starts no thread, so that it can fork at any
// time. A child writes what it begins and finishes to a pipe, a line each; what
// it had begun when it died is what failed.

#include "Worker.h"

#include "nxv/Dialect/Nxv/IR/Nxv.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

#include <chrono>
#include <csignal>
#include <cstring>
#include <memory>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using namespace mlir;
using namespace nxv;
using namespace nxv::fuzz;

//===----------------------------------------------------------------------===//
// Child
//===----------------------------------------------------------------------===//

static std::string typeName(Type type) {
  std::string name;
  llvm::raw_string_ostream(name) << getElementTypeOrSelf(type);
  return name;
}

static void cover(ModuleOp module, Coverage &coverage) {
  module.walk([&](Operation *op) {
    if (op->getName().getDialectNamespace() != "nxv" || isa<YieldOp>(op))
      return;
    Type type = op->getNumOperands() ? op->getOperand(0).getType()
                                     : op->getResult(0).getType();
    ++coverage[{op->getName().stripDialect().str(), typeName(type)}];
  });
}

static void sendLine(int pipe, llvm::json::Object object) {
  std::string text;
  llvm::raw_string_ostream(text)
      << llvm::json::Value(std::move(object)) << "\n";
  const char *at = text.data();
  size_t left = text.size();
  while (left > 0) {
    ssize_t written = ::write(pipe, at, left);
    if (written <= 0)
      _exit(3);
    at += written;
    left -= size_t(written);
  }
}

static void sendOutcome(int pipe, uint64_t seed, const Outcome &outcome,
                        const Case &test) {
  llvm::json::Array counts;
  if (outcome.verdict == Verdict::Agrees && outcome.waived < outcome.elements) {
    Coverage coverage;
    cover(test.module.get(), coverage);
    for (auto &[key, count] : coverage)
      counts.push_back(
          llvm::json::Array{key.first, key.second, int64_t(count)});
  }
  sendLine(pipe,
           llvm::json::Object{{"seed", int64_t(seed)},
                              {"verdict", int64_t(outcome.verdict)},
                              {"message", llvm::json::fixUTF8(outcome.message)},
                              {"elements", int64_t(outcome.elements)},
                              {"waived", int64_t(outcome.waived)},
                              {"coverage", std::move(counts)}});
}

/// Contexts keep every type and literal they have seen.
static constexpr unsigned kCasesPerContext = 64;

[[noreturn]] static void work(const RunOptions &options, uint64_t first,
                              int pipe) {
  Checker checker(options.device);
  std::unique_ptr<MLIRContext> context;
  unsigned cases = 0;
  for (uint64_t seed = first; seed <= options.last; seed += options.jobs) {
    sendLine(pipe, llvm::json::Object{{"begin", int64_t(seed)}});
    if (cases++ % kCasesPerContext == 0)
      context = createContext();
    Case test = generateCase(context.get(), seed, options.generator);
    sendOutcome(pipe, seed, checker.check(test), test);
  }
  _exit(0);
}

//===----------------------------------------------------------------------===//
// Parent
//===----------------------------------------------------------------------===//

using Clock = std::chrono::steady_clock;

namespace {
class Child {
public:
  /// Forks; the child runs `body` and does not return.
  explicit Child(llvm::function_ref<void(int)> body) {
    int ends[2];
    if (::pipe(ends) != 0)
      return;
    process = ::fork();
    if (process == 0) {
      ::close(ends[0]);
      rlimit none = {0, 0};
      ::setrlimit(RLIMIT_CORE, &none);
      for (int signal : {SIGSEGV, SIGABRT, SIGBUS, SIGILL, SIGFPE})
        ::signal(signal, SIG_DFL);
      body(ends[1]);
      _exit(0);
    }
    ::close(ends[1]);
    pipe = ends[0];
  }
  Child(const Child &) = delete;
  ~Child() {
    if (process > 0) {
      ::kill(process, SIGKILL);
      ::waitpid(process, nullptr, 0);
    }
    if (pipe >= 0)
      ::close(pipe);
  }

  int getPipe() const { return pipe; }
  /// Counts the parent's waiting, not the clock's time: while both are stopped
  /// nobody waits.
  bool isLate(unsigned seconds) {
    auto now = Clock::now();
    waited += std::min(now - looked, Clock::duration(std::chrono::seconds(2)));
    looked = now;
    return waited > std::chrono::seconds(seconds);
  }

  /// Reads what there is; false at the end.
  bool read(llvm::function_ref<void(const llvm::json::Object &)> handle) {
    char bytes[65536];
    ssize_t count = ::read(pipe, bytes, sizeof(bytes));
    if (count <= 0)
      return false;
    waited = Clock::duration();
    text.append(bytes, size_t(count));
    size_t newline;
    while ((newline = text.find('\n')) != std::string::npos) {
      auto value = llvm::json::parse(StringRef(text).take_front(newline));
      if (!value)
        llvm::consumeError(value.takeError());
      else if (auto *object = value->getAsObject())
        handle(*object);
      text.erase(0, newline + 1);
    }
    return true;
  }

  /// How it ended, in words; it is dead afterwards.
  std::string end(bool late) {
    if (late)
      ::kill(process, SIGKILL);
    int status = 0;
    ::waitpid(process, &status, 0);
    process = -1;
    if (late)
      return "no end in sight";
    if (WIFSIGNALED(status))
      return std::string("signal ") + ::strsignal(WTERMSIG(status));
    return "exit status " + std::to_string(WEXITSTATUS(status));
  }

private:
  pid_t process = -1;
  int pipe = -1;
  std::string text;
  Clock::time_point looked = Clock::now();
  Clock::duration waited{};
};
} // namespace

static SeedResult readResult(const llvm::json::Object &object) {
  SeedResult result;
  result.seed = uint64_t(object.getInteger("seed").value_or(0));
  result.outcome.verdict = Verdict(object.getInteger("verdict").value_or(0));
  result.outcome.message = object.getString("message").value_or("").str();
  result.outcome.elements = uint64_t(object.getInteger("elements").value_or(0));
  result.outcome.waived = uint64_t(object.getInteger("waived").value_or(0));
  if (auto *counts = object.getArray("coverage"))
    for (const llvm::json::Value &value : *counts)
      if (auto *entry = value.getAsArray(); entry && entry->size() == 3)
        result.coverage[{(*entry)[0].getAsString().value_or("").str(),
                         (*entry)[1].getAsString().value_or("").str()}] =
            uint64_t((*entry)[2].getAsInteger().value_or(0));
  return result;
}

namespace {
/// One of several children and where its seeds are.
struct Lane {
  std::unique_ptr<Child> child;
  uint64_t current = 0; // the seed begun
  bool begun = false;   // and not finished
};
} // namespace

static void readLane(Lane &lane, bool &open,
                     llvm::function_ref<void(const SeedResult &)> report) {
  open = lane.child->read([&](const llvm::json::Object &object) {
    if (auto begin = object.getInteger("begin")) {
      lane.current = uint64_t(*begin);
      lane.begun = true;
      return;
    }
    lane.begun = false;
    report(readResult(object));
  });
}

/// Reports a child's death, and gives the seed to go on with.
static std::optional<uint64_t>
closeLane(Lane &lane, bool late, const RunOptions &options,
          llvm::function_ref<void(const SeedResult &)> report) {
  std::string how = lane.child->end(late);
  lane.child.reset();
  if (!lane.begun)
    return std::nullopt;
  lane.begun = false;
  report({lane.current, {Verdict::Compiler, how}, true, {}});
  uint64_t next = lane.current + options.jobs;
  return next <= options.last ? std::optional(next) : std::nullopt;
}

void nxv::fuzz::runSeeds(const RunOptions &options,
                         llvm::function_ref<void(const SeedResult &)> report) {
  std::vector<Lane> lanes(options.jobs);
  auto start = [&](Lane &lane, uint64_t first) {
    lane.child =
        std::make_unique<Child>([&](int pipe) { work(options, first, pipe); });
  };
  for (unsigned i = 0; i < options.jobs; ++i)
    if (options.first + i <= options.last)
      start(lanes[i], options.first + i);
  while (true) {
    std::vector<pollfd> waits;
    std::vector<Lane *> waiting;
    for (Lane &lane : lanes)
      if (lane.child) {
        waits.push_back({lane.child->getPipe(), POLLIN, 0});
        waiting.push_back(&lane);
      }
    if (waits.empty())
      return;
    ::poll(waits.data(), waits.size(), 1000);
    for (auto [wait, lane] : llvm::zip(waits, waiting)) {
      bool open = true, late = lane->child->isLate(options.limit);
      if (wait.revents)
        readLane(*lane, open, report);
      if (open && !late)
        continue;
      if (auto next = closeLane(*lane, open, options, report))
        start(*lane, *next);
    }
  }
}

SeedResult nxv::fuzz::runCase(const RunOptions &options, const Case &test) {
  SeedResult result;
  bool answered = false;
  Child child([&](int pipe) {
    Checker checker(options.device);
    sendOutcome(pipe, 0, checker.check(test), test);
    _exit(0);
  });
  bool open = true;
  while (open && !child.isLate(options.limit)) {
    pollfd wait = {child.getPipe(), POLLIN, 0};
    if (::poll(&wait, 1, 1000) > 0)
      open = child.read([&](const llvm::json::Object &object) {
        result = readResult(object);
        answered = true;
      });
  }
  std::string how = child.end(open);
  if (!answered)
    result = {0, {Verdict::Compiler, how}, true, {}};
  return result;
}
