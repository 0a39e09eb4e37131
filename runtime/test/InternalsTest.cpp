//===- InternalsTest.cpp - parts that the C interface hides ---------------===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Pace.h"
#include "Recorder.h"
#include "Support.h"

#include <gtest/gtest.h>

using namespace nxv::runtime;

namespace {

TEST(Internals, FoldGrid) {
  const uint32_t small[3] = {65535, 65535, 65535};
  const uint32_t wide[3] = {2147483647, 65535, 65535};
  const uint32_t tiny[3] = {3, 2, 2};
  auto check = [](uint64_t grid, const uint32_t limits[3]) {
    uint32_t g[3];
    ASSERT_TRUE(foldGrid(grid, limits, g)) << grid;
    unsigned __int128 product = (unsigned __int128)g[0] * g[1] * g[2];
    EXPECT_TRUE(product >= grid) << grid;
    // Hardly more than is needed.
    EXPECT_TRUE(product - grid <= (unsigned __int128)g[1] * g[2] * 2) << grid;
    for (int i = 0; i < 3; ++i) {
      EXPECT_GE(g[i], 1u);
      EXPECT_LE(g[i], limits[i]);
    }
  };
  for (uint64_t grid : {1ull, 2ull, 65535ull, 65536ull, 65537ull, 131071ull,
                        4294836225ull, 4294836226ull, 281462092005375ull})
    check(grid, small);
  for (uint64_t grid : {1ull, 2147483648ull, 1ull << 40, 1ull << 62})
    check(grid, wide);
  for (uint64_t grid = 1; grid <= 12; ++grid)
    check(grid, tiny);
  uint32_t g[3];
  EXPECT_FALSE(foldGrid(13, tiny, g));
  EXPECT_FALSE(foldGrid(281462092005376ull, small, g));
}

TEST(Internals, ByteSizes) {
  auto read = [](const char *text) {
    setenv("NXV_TEST_BYTES", text, 1);
    return environmentBytes("NXV_TEST_BYTES");
  };
  EXPECT_EQ(read("12"), 12u);
  EXPECT_EQ(read("3K"), 3072u);
  EXPECT_EQ(read("2g"), uint64_t(2) << 30);
  EXPECT_THROW(read("-1"), Failure);
  EXPECT_THROW(read("K"), Failure);
  EXPECT_THROW(read("99999999999999999999"), Failure);
  EXPECT_THROW(read("16777216T"), Failure);
  unsetenv("NXV_TEST_BYTES");
}

TEST(Internals, Lists) {
  EXPECT_EQ(splitList("a, b c,,d"),
            (std::vector<std::string>{"a", "b c", "d"}));
  EXPECT_TRUE(splitList("").empty());
}

struct Recorded {
  VkPipelineStageFlags from, to;
  VkAccessFlags writes, accesses;
};
std::vector<Recorded> recorded;

void recordBarrier(VkCommandBuffer, VkPipelineStageFlags from,
                   VkPipelineStageFlags to, VkDependencyFlags, uint32_t,
                   const VkMemoryBarrier *barrier, uint32_t,
                   const VkBufferMemoryBarrier *, uint32_t,
                   const VkImageMemoryBarrier *) {
  recorded.push_back(
      {from, to, barrier->srcAccessMask, barrier->dstAccessMask});
}

TEST(Barriers, AreBetweenTheStagesConcerned) {
  constexpr VkPipelineStageFlags compute = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
  constexpr VkPipelineStageFlags transfer = VK_PIPELINE_STAGE_TRANSFER_BIT;
  constexpr VkPipelineStageFlags indirect = VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT;
  VolkDeviceTable vk = {};
  vk.vkCmdPipelineBarrier = recordBarrier;
  Barriers barriers(vk);
  auto expect = [](VkPipelineStageFlags from, VkPipelineStageFlags to) {
    ASSERT_EQ(recorded.size(), 1u);
    EXPECT_EQ(recorded[0].from, from);
    EXPECT_EQ(recorded[0].to, to);
    recorded.clear();
  };
  recorded.clear();
  // Nothing to wait for.
  barriers.separate();
  barriers.before(Barriers::Dispatch);
  barriers.before(Barriers::Dispatch);
  EXPECT_TRUE(recorded.empty());
  // One barrier for all that follows, between dispatches alone.
  barriers.separate();
  barriers.before(Barriers::Dispatch);
  expect(compute, compute);
  barriers.before(Barriers::Dispatch);
  EXPECT_TRUE(recorded.empty());
  // A copy waits for what was ahead of the last separation.
  barriers.before(Barriers::Transfer);
  expect(compute, transfer);
  barriers.separate();
  barriers.before(Barriers::Dispatch);
  expect(compute | transfer, compute);
  // Counts are waited for where they are read.
  barriers.separate();
  barriers.before(Barriers::Dispatch | Barriers::Counts);
  expect(compute, compute);
  barriers.separate();
  barriers.before(Barriers::Dispatch);
  expect(compute, compute);
  barriers.before(Barriers::Dispatch | Barriers::Indirect);
  EXPECT_EQ(recorded[0].accesses & VK_ACCESS_INDIRECT_COMMAND_READ_BIT,
            VkAccessFlags(VK_ACCESS_INDIRECT_COMMAND_READ_BIT));
  expect(compute, compute | indirect);
  // The end leaves nothing, and nothing is left.
  barriers.finish();
  expect(compute | transfer, compute | transfer);
  barriers.finish();
  EXPECT_TRUE(recorded.empty());
}

/// Turns that are submitted until the loop has had so many, in short turns.
std::vector<size_t> submissionsOf(Pace &pace, uint64_t turns) {
  std::vector<size_t> sizes;
  for (uint64_t done = 0; done <= turns;) {
    sizes.push_back(pace.ahead(done));
    pace.took(sizes.back(), 1e-6);
    done += sizes.back();
  }
  pace.had(turns);
  return sizes;
}

TEST(Pace, FollowsTheLengthOfALoop) {
  using Sizes = std::vector<size_t>;
  Pace pace;
  EXPECT_EQ(submissionsOf(pace, 50), (Sizes{4, 4, 8, 16, 32}));
  // It is as long as before, then shorter, then longer.
  EXPECT_EQ(submissionsOf(pace, 49), (Sizes{32, 18}));
  EXPECT_EQ(submissionsOf(pace, 3), (Sizes{32}));
  EXPECT_EQ(submissionsOf(pace, 9), (Sizes{3, 4, 8}));
  EXPECT_EQ(submissionsOf(pace, 0), (Sizes{9}));
  // What is in vain is short beside what was done.
  uint64_t sum = 0;
  for (size_t size : submissionsOf(pace, 5000)) {
    EXPECT_LE(size, std::max<uint64_t>(32, sum / 4));
    sum += size;
  }
  EXPECT_GT(sum, 5000u);
}

TEST(Pace, FollowsTheTimeOfATurn) {
  Pace pace;
  size_t submissions = 0;
  auto turnsOf = [&](double seconds) {
    size_t turns = 1;
    while (!pace.add(submissions))
      ++turns;
    ++submissions;
    pace.took(turns, double(turns) * seconds);
    return turns;
  };
  EXPECT_EQ(turnsOf(1e-6), 4u);
  EXPECT_EQ(turnsOf(1e-6), 8u);
  for (int i = 0; i < 10; ++i)
    turnsOf(1e-6);
  EXPECT_EQ(turnsOf(1e-6), 256u);
  // A turn of 4 ms: two of them, not more.
  turnsOf(4e-3);
  EXPECT_EQ(turnsOf(4e-3), 2u);
  // One of 10 seconds is alone.
  turnsOf(10);
  EXPECT_EQ(turnsOf(10), 1u);
}

} // namespace
