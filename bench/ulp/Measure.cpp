//===- Measure.cpp - a function on a device, judged by many threads -------===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Measure.h"

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <mutex>
#include <thread>

namespace nxv::ulp {
namespace {

/// Results of one chunk on their way from the device to the judges.
struct Batch {
  std::vector<uint8_t> results;
  size_t chunk = 0;
  uint64_t next = 0, unfinished = 0; // points, blocks
};

class Measurement {
public:
  Measurement(const Job &job, const std::vector<Chunk> &chunks, Tally &tally,
              std::vector<Tally> *worst)
      : job(job), chunks(chunks), tally(tally), worst(worst),
        judge(job.format, job.function) {
    bytes = static_cast<uint64_t>(job.format.bits / 8);
    size = job.pack.outputBytes() / bytes;
    wordMask = ~uint64_t(0) >> (64 - std::max(job.format.bits, 32));
    mask = ~uint64_t(0) >> (64 - job.format.bits);
    if (job.format.bits <= 16)
      numbers = decodeAll(job.format);
  }

  bool run() {
    std::vector<std::thread> judges;
    for (unsigned i = 0; i < job.threads; ++i)
      judges.emplace_back([&] { judgeBlocks(); });
    bool complete = feed();
    for (std::thread &thread : judges)
      thread.join();
    return complete;
  }

private:
  static constexpr uint64_t kBlock = 1 << 14;
  static constexpr size_t kBatches = 3;

  /// Runs the chunks one after the other, into whichever batch is free.
  bool feed();
  void judgeBlocks();
  void judgeBlock(const Batch &batch, uint64_t begin, uint64_t end,
                  const Tally &known, Tally &block) const;
  double numberOf(uint64_t pattern) const;

  const Job &job;
  const std::vector<Chunk> &chunks;
  Tally &tally;
  std::vector<Tally> *worst;
  Judge judge;
  uint64_t bytes, size, wordMask, mask;
  std::vector<double> numbers;

  std::mutex mutex;
  std::condition_variable changed;
  Batch batches[kBatches];
  std::vector<Batch *> idle;
  std::deque<Batch *> ready; // with blocks that nobody has taken
  bool finished = false;
};

bool Measurement::feed() {
  for (Batch &batch : batches)
    idle.push_back(&batch);
  bool complete = true;
  for (size_t i = 0; i < chunks.size() && complete; ++i) {
    Batch *batch;
    {
      std::unique_lock<std::mutex> lock(mutex);
      changed.wait(lock, [&] { return !idle.empty(); });
      batch = idle.back();
      idle.pop_back();
    }
    batch->results.resize(size * bytes);
    job.pack.run(chunks[i], batch->results.data());
    std::lock_guard<std::mutex> lock(mutex);
    batch->chunk = i;
    batch->next = 0;
    batch->unfinished = (size + kBlock - 1) / kBlock;
    ready.push_back(batch);
    changed.notify_all();
    complete = std::chrono::steady_clock::now() < job.deadline ||
               i + 1 == chunks.size();
  }
  std::lock_guard<std::mutex> lock(mutex);
  finished = true;
  changed.notify_all();
  return complete;
}

void Measurement::judgeBlocks() {
  std::unique_lock<std::mutex> lock(mutex);
  for (;;) {
    changed.wait(lock, [&] { return !ready.empty() || finished; });
    if (ready.empty())
      return;
    Batch *batch = ready.front();
    uint64_t begin = batch->next, end = std::min(begin + kBlock, size);
    batch->next = end;
    if (end == size)
      ready.pop_front();
    Tally known = tally;
    lock.unlock();
    Tally block;
    judgeBlock(*batch, begin, end, known, block);
    lock.lock();
    tally.merge(block);
    if (worst)
      (*worst)[batch->chunk].merge(block);
    if (--batch->unfinished == 0) {
      idle.push_back(batch);
      changed.notify_all();
    }
  }
}

double Measurement::numberOf(uint64_t pattern) const {
  if (bytes == 8)
    return job.format.decode(pattern);
  if (bytes < 4)
    return numbers[pattern];
  uint32_t narrow = static_cast<uint32_t>(pattern);
  float number;
  std::memcpy(&number, &narrow, sizeof(number));
  return static_cast<double>(number);
}

void Measurement::judgeBlock(const Batch &batch, uint64_t begin, uint64_t end,
                             const Tally &known, Tally &block) const {
  const auto &[x, y] = chunks[batch.chunk].operands;
  bool isBinary = job.function.isBinary;
  for (uint64_t i = begin; i < end; ++i) {
    uint64_t pattern = 0;
    std::memcpy(&pattern, &batch.results[i * bytes], bytes);
    double first = numberOf(x.at(i, wordMask) & mask);
    double second = isBinary ? numberOf(y.at(i, wordMask) & mask) : 0;
    judge.count(first, second, numberOf(pattern), known, block);
  }
}

} // namespace

bool measure(const Job &job, const std::vector<Chunk> &chunks, Tally &tally,
             std::vector<Tally> *worst) {
  if (worst)
    worst->assign(chunks.size(), Tally());
  return Measurement(job, chunks, tally, worst).run();
}

} // namespace nxv::ulp
