//===- Benchmark.cpp - times of a program ---------------------------------===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Benchmark.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

#include <algorithm>
#include <chrono>
#include <map>

using namespace llvm;
using namespace nxv::run;

/// Devices raise their clocks in that time.
static constexpr double kWarmSeconds = 0.3;

static double now() {
  using namespace std::chrono;
  return duration<double, std::micro>(steady_clock::now().time_since_epoch())
      .count();
}

/// Runs `body` for the warm-up time, once at least.
static Error warm(function_ref<Error()> body) {
  double end = now() + kWarmSeconds * 1e6;
  do {
    if (Error error = body())
      return error;
  } while (now() < end);
  return Error::success();
}

/// Times of `runs` calls, sorted; `time` gives the time of the last call.
static Expected<std::vector<double>> measure(unsigned runs,
                                             function_ref<Error()> body,
                                             function_ref<double()> time) {
  std::vector<double> times;
  for (unsigned i = 0; i < runs; ++i) {
    if (Error error = body())
      return error;
    times.push_back(time());
  }
  llvm::sort(times);
  return times;
}

static void print(raw_ostream &out, StringRef what,
                  const std::vector<double> &times) {
  out << what << ": min " << format("%.3f", times.front()) << " us, median "
      << format("%.3f", times[times.size() / 2]) << " us\n";
}

/// The bandwidth of the inputs and outputs alone.
static void printBytes(raw_ostream &out, const Session &session,
                       double microseconds) {
  uint64_t bytes = session.inputBytes() + session.outputBytes();
  out << "bytes: " << session.inputBytes() << " in, " << session.outputBytes()
      << " out";
  if (microseconds > 0)
    out << ", " << format("%.2f", double(bytes) / microseconds / 1e3)
        << " GB/s at the median";
  out << "\n";
}

static Error invokeOnHost(Session &session, ArrayRef<Tensor> inputs,
                          std::vector<Tensor> &outputs) {
  std::vector<const void *> from;
  std::vector<void *> to;
  for (const Tensor &tensor : inputs)
    from.push_back(tensor.data.data());
  for (Tensor &tensor : outputs)
    to.push_back(tensor.data.data());
  if (nxv_invoke(session.program(), from.data(), from.size(), to.data(),
                 to.size()))
    return runtimeError();
  return Error::success();
}

Error nxv::run::benchmark(Session &session, ArrayRef<Tensor> inputs,
                          unsigned runs, raw_ostream &out) {
  auto run = [&] { return session.run(); };
  double begin = 0;
  auto timed = [&](function_ref<Error()> body) {
    begin = now();
    return body();
  };
  auto elapsed = [&] { return now() - begin; };
  double deviceMedian = 0;
  bool timestamps = nxv_invocation_set_profile(session.invocation(),
                                               NXV_PROFILE_TOTAL) == NXV_OK;
  if (Error error = warm(run))
    return error;
  if (timestamps) {
    auto deviceTime = [&] {
      double time = 0;
      nxv_invocation_get_profile(session.invocation(), &time, nullptr, nullptr);
      return time;
    };
    Expected<std::vector<double>> times = measure(runs, run, deviceTime);
    if (!times)
      return times.takeError();
    print(out, "device", *times);
    deviceMedian = (*times)[times->size() / 2];
  } else {
    out << "device: no timestamps\n";
  }
  if (nxv_invocation_set_profile(session.invocation(), NXV_PROFILE_OFF))
    return runtimeError();
  // The commands are recorded anew without timestamps.
  if (Error error = session.run())
    return error;
  Expected<std::vector<double>> calls =
      measure(runs, [&] { return timed(run); }, elapsed);
  if (!calls)
    return calls.takeError();
  print(out, "call", *calls);

  Expected<std::vector<Tensor>> outputs = session.read();
  if (!outputs)
    return outputs.takeError();
  auto onHost = [&] { return invokeOnHost(session, inputs, *outputs); };
  if (Error error = onHost())
    return error;
  Expected<std::vector<double>> copies =
      measure(std::min(runs, 20u), [&] { return timed(onHost); }, elapsed);
  if (!copies)
    return copies.takeError();
  print(out, "call with host arrays", *copies);
  printBytes(out, session, deviceMedian);
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Profile
//===----------------------------------------------------------------------===//

static Error writeTrace(StringRef path, ArrayRef<nxv_profile_event> events) {
  std::error_code code;
  raw_fd_ostream file(path, code);
  if (code)
    return createStringError("cannot write '%s': %s", path.str().c_str(),
                             code.message().c_str());
  json::OStream out(file);
  out.object([&] {
    out.attribute("displayTimeUnit", "ns");
    out.attributeArray("traceEvents", [&] {
      for (const nxv_profile_event &event : events)
        out.object([&] {
          out.attribute("name", event.kernel);
          out.attribute("ph", "X");
          out.attribute("pid", 0);
          out.attribute("tid", 0);
          out.attribute("ts", event.begin_us);
          out.attribute("dur", event.end_us - event.begin_us);
          out.attributeObject(
              "args", [&] { out.attribute("grid", int64_t(event.grid)); });
        });
    });
  });
  file << "\n";
  return Error::success();
}

static void printKernels(raw_ostream &out, ArrayRef<nxv_profile_event> events) {
  struct Sum {
    double time = 0;
    uint64_t count = 0;
  };
  std::map<std::string, Sum> sums;
  for (const nxv_profile_event &event : events) {
    Sum &sum = sums[event.kernel];
    sum.time += event.end_us - event.begin_us;
    ++sum.count;
  }
  std::vector<std::pair<std::string, Sum>> sorted(sums.begin(), sums.end());
  llvm::stable_sort(sorted, [](const auto &a, const auto &b) {
    return a.second.time > b.second.time;
  });
  for (const auto &[name, sum] : sorted)
    out << format("%12.3f us", sum.time)
        << format("%8llu x ", (unsigned long long)sum.count) << name << "\n";
}

Error nxv::run::profile(Session &session, StringRef path, raw_ostream &out) {
  if (nxv_invocation_set_profile(session.invocation(), NXV_PROFILE_DISPATCHES))
    return runtimeError();
  if (Error error = warm([&] { return session.run(); }))
    return error;
  const nxv_profile_event *events = nullptr;
  size_t count = 0;
  if (nxv_invocation_get_profile(session.invocation(), nullptr, &events,
                                 &count))
    return runtimeError();
  printKernels(out, ArrayRef(events, count));
  return writeTrace(path, ArrayRef(events, count));
}
