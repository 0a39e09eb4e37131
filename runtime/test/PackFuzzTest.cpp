//===- PackFuzzTest.cpp - packs with random damage ------------------------===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "PackFormat.h"
#include "TestPacks.h"

#include <gtest/gtest.h>

#include <random>

using namespace nxv::pack;
using namespace nxv::test;

namespace {

/// Reads all that a reader says is there.
uint64_t touch(const Pack &pack) {
  uint64_t sum = 0;
  for (const Blob &blob : pack.blobs)
    for (size_t i = 0; i < blob.size(); ++i)
      sum += blob.data()[i];
  return sum;
}

void expectNoCrash(const std::vector<uint8_t> &file) {
  // A copy of its exact size, so that tools see each read behind its end.
  std::vector<uint8_t> exact(file.begin(), file.end());
  exact.shrink_to_fit();
  Pack pack;
  std::string error;
  if (parse(exact.data(), exact.size(), pack, error)) {
    EXPECT_TRUE(error.empty());
    EXPECT_EQ(verify(pack), "");
    touch(pack);
  } else {
    EXPECT_FALSE(error.empty());
  }
}

TEST(PackFuzz, EveryByte) {
  std::vector<uint8_t> file = serialize(loopPack(3));
  for (size_t i = 0; i < file.size(); ++i)
    for (uint8_t flip : {0x01, 0x80, 0xff}) {
      file[i] ^= flip;
      expectNoCrash(file);
      file[i] ^= flip;
    }
}

TEST(PackFuzz, EveryLength) {
  std::vector<uint8_t> file = serialize(loopPack(3));
  for (size_t size = 0; size < file.size(); ++size)
    expectNoCrash(std::vector<uint8_t>(file.begin(), file.begin() + size));
}

/// Damage that the checksum does not catch: the header is made whole again.
TEST(PackFuzz, Header) {
  std::vector<uint8_t> file = serialize(loopPack(3));
  const std::string header = headerOf(file);
  std::mt19937 random(1);
  const std::string interesting = "0123456789-\"{}[],:.eE nulltruefalse";
  for (int round = 0; round < 20000; ++round) {
    std::string damaged = header;
    for (unsigned k = 0, n = 1 + random() % 3; k < n; ++k) {
      size_t at = random() % damaged.size();
      switch (random() % 3) {
      case 0:
        damaged[at] = interesting[random() % interesting.size()];
        break;
      case 1:
        damaged.erase(at, 1 + random() % 4);
        break;
      case 2:
        damaged.insert(at, 1, interesting[random() % interesting.size()]);
        break;
      }
      if (damaged.empty())
        break;
    }
    expectNoCrash(replaceHeader(file, damaged));
  }
}

} // namespace
