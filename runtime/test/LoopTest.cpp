//===- LoopTest.cpp - loops that the host or the device decides -----------===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Every program runs twice: as it is, and with NXV_SERIALIZE, where the host
// looks at each predicate. Results and dispatch counts must be the same.
//
//===----------------------------------------------------------------------===//

#include "RuntimeTest.h"

using namespace nxv::test;
using nxv::pack::Arg;
using nxv::pack::BufferKind;
using nxv::pack::Op;
using nxv::pack::OpKind;
using nxv::pack::Pack;

namespace {

/// Several workgroups, which end inside of a unit of 16 bytes.
constexpr uint64_t kCount = 1501;
constexpr uint64_t kBytes = 4 * kCount;
/// What lies behind x in its buffer, which no run may change.
const std::vector<uint8_t> behind(64, 0xa5);

// The buffers.
constexpr Arg n = {0, 0};         // input: turns of the outer loop, plus 1
constexpr Arg x = {1, 0};         // input and output
constexpr Arg m = {2, 0};         // input: turns of the inner loop, plus 1
constexpr Arg flags = {3, 0};     // input: four bytes
constexpr Arg predicate = {4, 0}; // of the outer loop
constexpr Arg inner = {5, 0};     // of the inner loop
constexpr Arg ones = {6, 0};
constexpr Arg held = {7, 0};
constexpr Arg left = {8, 0}; // turns of the inner loop
constexpr Arg size = {9, 0}; // constant

Op dispatch(uint64_t kernel, std::vector<Arg> args) {
  Op op;
  op.kind = OpKind::Dispatch;
  op.kernel = kernel;
  op.args = std::move(args);
  return op;
}

Op copy(Arg from, Arg to, uint64_t bytes) {
  Op op;
  op.kind = OpKind::Copy;
  op.src = from;
  op.dst = to;
  op.bytes = bytes;
  return op;
}

Op fill(Arg to, uint64_t bytes, uint32_t value) {
  Op op;
  op.kind = OpKind::Fill;
  op.dst = to;
  op.bytes = bytes;
  op.value = value;
  return op;
}

const Op barrier;

/// x += 1.
Op add(Arg to = x) {
  Op op = dispatch(0, {x, ones, to, size});
  op.grid = kCount / 64 + 1;
  return op;
}

/// x += 1 as a new value and a copy.
std::vector<Op> addByCopy() {
  return {add(held), barrier, copy(held, x, kBytes), barrier};
}

/// Counts `counter` down ahead of each turn; ends at 0.
Op loop(Arg counter, Arg result, std::vector<Op> body) {
  Op op;
  op.kind = OpKind::While;
  op.first = {dispatch(1, {counter, result})};
  op.predicate = result;
  op.second = std::move(body);
  return op;
}

Op repeat(uint64_t count, std::vector<Op> body) {
  Op op;
  op.kind = OpKind::Repeat;
  op.count = count;
  op.first = std::move(body);
  return op;
}

Op branch(Arg flag, std::vector<Op> yes, std::vector<Op> no) {
  Op op;
  op.kind = OpKind::If;
  op.predicate = flag;
  op.first = std::move(yes);
  op.second = std::move(no);
  return op;
}

std::vector<Op> join(std::vector<Op> a, const std::vector<Op> &b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// A pack that does `ops` once there are ones.
Pack packOf(const std::vector<Op> &ops) {
  Pack pack;
  pack.producerVersion = "0.1.0";
  pack.name = "turns";
  pack.inputs = {{"n", "s32", {}, n.buffer, true},
                 {"x", "f32", {int64_t(kCount)}, x.buffer, true},
                 {"m", "s32", {}, m.buffer, false},
                 {"flags", "u8", {4}, flags.buffer, false}};
  pack.outputs = {{"", "f32", {int64_t(kCount)}, x.buffer, false}};
  pack.arenaBytes = 3 * 8192;
  pack.buffers = {{BufferKind::Input, 4, 0, 0},
                  {BufferKind::Input, kBytes, 0, 0},
                  {BufferKind::Input, 4, 0, 0},
                  {BufferKind::Input, 4, 0, 0},
                  {BufferKind::Arena, 4, 0, 0},
                  {BufferKind::Arena, 4, 0, 256},
                  {BufferKind::Arena, kBytes, 0, 8192},
                  {BufferKind::Arena, kBytes, 0, 2 * 8192},
                  {BufferKind::Arena, 4, 0, 512},
                  {BufferKind::Constant, 4, 2, 0}};
  pack.kernels = {makeKernel(TestKernel::Add, 0),
                  makeKernel(TestKernel::CountDown, 1)};
  std::vector<uint8_t> bytes(4);
  std::memcpy(bytes.data(), &kCount, 4);
  pack.blobs = {moduleOf(TestKernel::Add), moduleOf(TestKernel::CountDown),
                nxv::pack::Blob(bytes)};
  pack.program = join({fill(ones, kBytes, 0x3f800000), barrier}, ops);
  EXPECT_EQ(nxv::pack::verify(pack), "");
  return pack;
}

struct Inputs {
  int32_t n = 1;
  int32_t m = 1;
  std::vector<uint8_t> flags = {0, 0, 0, 0};
};

/// A program, an invocation and its buffers.
class Work {
public:
  explicit Work(const Pack &pack) : program(device, pack) {
    EXPECT_EQ(program.status, NXV_OK) << nxv_last_error();
    EXPECT_EQ(nxv_invocation_create(program, &invocation), NXV_OK);
    for (size_t i = 0; i < 4; ++i) {
      uint64_t bytes = i == 1 ? kBytes + behind.size() : 4;
      nxv_buffer_create(device, bytes, &buffers[i]);
      nxv_invocation_bind_input(invocation, i, buffers[i], 0);
    }
  }
  ~Work() {
    nxv_invocation_destroy(invocation);
    for (nxv_buffer *buffer : buffers)
      nxv_buffer_destroy(buffer);
  }

  nxv_status run(const Inputs &inputs) {
    std::vector<float> zeros(kCount);
    nxv_buffer_write(buffers[0], 0, &inputs.n, 4);
    nxv_buffer_write(buffers[1], 0, zeros.data(), kBytes);
    nxv_buffer_write(buffers[1], kBytes, behind.data(), behind.size());
    nxv_buffer_write(buffers[2], 0, &inputs.m, 4);
    nxv_buffer_write(buffers[3], 0, inputs.flags.data(), 4);
    return nxv_invocation_run(invocation);
  }
  std::vector<float> values() {
    std::vector<float> x(kCount);
    EXPECT_EQ(nxv_buffer_read(buffers[1], 0, x.data(), kBytes), NXV_OK);
    std::vector<uint8_t> found(behind.size());
    EXPECT_EQ(nxv_buffer_read(buffers[1], kBytes, found.data(), found.size()),
              NXV_OK);
    EXPECT_EQ(found, behind);
    return x;
  }
  /// x, all of whose elements are the same.
  float result() {
    std::vector<float> x = values();
    EXPECT_EQ(x, std::vector<float>(kCount, x[0]));
    return x[0];
  }
  operator nxv_invocation *() const { return invocation; }

private:
  Device device;
  Program program;
  nxv_invocation *invocation = nullptr;
  nxv_buffer *buffers[4] = {};
};

/// Runs both ways, twice each; x must be `expected`.
void expectBoth(const Pack &pack, const Inputs &inputs, float expected) {
  uint64_t dispatches[2] = {};
  for (int stepwise : {0, 1}) {
    Environment variable("NXV_SERIALIZE", stepwise ? "1" : "0");
    Work work(pack);
    for (int again = 0; again < 2; ++again) {
      NXV_ASSERT_OK(work.run(inputs));
      EXPECT_EQ(work.result(), expected) << "stepwise: " << stepwise;
      dispatches[stepwise] = nxv_invocation_num_dispatches(work);
    }
  }
  EXPECT_EQ(dispatches[0], dispatches[1]);
}

TEST(Loops, EndAtAnyTurn) {
  Pack inPlace = packOf({loop(n, predicate, {add()})});
  Pack copied = packOf({loop(n, predicate, addByCopy())});
  // The submissions of the first run end at 4, 8, 16, 32 and 64 turns; the
  // second run begins with as many as the first had.
  for (int turns : {0, 1, 3, 4, 5, 8, 9, 16, 17, 63, 64, 65, 93}) {
    Inputs inputs;
    inputs.n = turns + 1;
    expectBoth(inPlace, inputs, float(turns));
    expectBoth(copied, inputs, float(turns));
  }
}

/// How many turns are submitted ahead follows the run before.
TEST(Loops, OfOtherLengthThanBefore) {
  Work work(packOf({loop(n, predicate, addByCopy())}));
  for (int turns : {3, 40, 0, 5, 100, 32, 33, 1, 0, 2}) {
    Inputs inputs;
    inputs.n = turns + 1;
    NXV_ASSERT_OK(work.run(inputs));
    EXPECT_EQ(work.result(), float(turns));
    EXPECT_EQ(nxv_invocation_num_dispatches(work), 1u + 2 * turns);
  }
}

TEST(Loops, OneAfterTheOther) {
  Pack pack = packOf({loop(n, predicate, addByCopy()), barrier, add(), barrier,
                      copy(m, left, 4), barrier, loop(left, inner, {add()}),
                      barrier, add()});
  Inputs inputs;
  inputs.n = 6;
  inputs.m = 10;
  expectBoth(pack, inputs, 5 + 1 + 9 + 1);
}

TEST(Loops, Repeat) {
  expectBoth(packOf({repeat(1, {add()})}), {}, 1);
  expectBoth(packOf({repeat(1000, addByCopy())}), {}, 1000);
  expectBoth(packOf({repeat(7, {add(), barrier, repeat(11, {add()})})}), {},
             7 * 12);
  // Nothing to do, very often.
  expectBoth(packOf({repeat(uint64_t(1) << 62, {barrier}), add()}), {}, 1);
}

TEST(Loops, RepeatInALoop) {
  Inputs inputs;
  inputs.n = 6;
  expectBoth(
      packOf({loop(n, predicate, {add(), barrier, repeat(3, addByCopy())})}),
      inputs, 5 * 4);
  // Nothing to do, very often.
  Op empty = repeat(200, {barrier});
  for (int depth = 0; depth < 20; ++depth)
    empty = repeat(200, {empty});
  expectBoth(packOf({loop(n, predicate, {add(), empty})}), inputs, 5);
  // Too many to be recorded one after the other.
  expectBoth(
      packOf({loop(n, predicate, {add(), barrier, repeat(300, {add()})})}),
      inputs, 5 * 301);
}

TEST(Loops, LoopInALoop) {
  std::vector<Op> body = {copy(m, left, 4), barrier,
                          loop(left, inner, addByCopy()), barrier, add()};
  Inputs inputs;
  inputs.n = 4;
  inputs.m = 6;
  expectBoth(packOf({loop(n, predicate, body)}), inputs, 3 * 6);
  expectBoth(packOf({repeat(9, body)}), inputs, 9 * 6);
}

TEST(Loops, Branches) {
  std::vector<Op> twice = {add(), barrier, add(), barrier};
  for (size_t byte = 0; byte < 4; ++byte) {
    Op either = branch({flags.buffer, byte}, twice, addByCopy());
    Op inRepeat = repeat(5, {either});
    Op inLoop = loop(n, predicate, {either, barrier, add()});
    Op nested = repeat(3, {branch({flags.buffer, byte}, {either}, {}), add()});
    for (uint8_t flag : {0, 1, 128}) {
      Inputs inputs;
      inputs.n = 8;
      inputs.flags = {7, 0, 9, 0};
      inputs.flags[byte] = flag;
      expectBoth(packOf({either}), inputs, flag ? 2 : 1);
      expectBoth(packOf({inRepeat}), inputs, flag ? 10 : 5);
      expectBoth(packOf({inLoop}), inputs, flag ? 21 : 14);
      expectBoth(packOf({nested}), inputs, flag ? 9 : 3);
    }
  }
}

/// A predicate that the branch itself overwrites decides once.
TEST(Loops, BranchThatChangesItsPredicate) {
  Op op = branch(left, {add(), copy(m, left, 4), barrier}, {add(), barrier});
  Inputs inputs;
  inputs.m = 0;
  expectBoth(packOf({fill(left, 4, 1), barrier, repeat(4, {op})}), inputs, 4);
}

/// A copy of any length leaves what is behind it as it was.
TEST(Loops, CopiesOfAnyLength) {
  for (uint64_t bytes : {1, 2, 3, 4, 5, 11, 12, 15, 16, 17, 31, 4096, 4099}) {
    // The sums of an old x, all 2, and of what was copied over its begin, 1.
    Pack pack = packOf({add(), barrier, add(held), barrier,
                        loop(n, predicate, {copy(ones, held, bytes)}), barrier,
                        copy(held, x, kBytes)});
    for (int stepwise : {0, 1}) {
      Environment variable("NXV_SERIALIZE", stepwise ? "1" : "0");
      Work work(pack);
      Inputs inputs;
      inputs.n = 2;
      NXV_ASSERT_OK(work.run(inputs));
      std::vector<float> one(kCount, 1), two(kCount, 2);
      std::memcpy(two.data(), one.data(), bytes);
      EXPECT_EQ(work.values(), two) << bytes << " bytes, " << stepwise;
    }
  }
}

/// What the device cannot leave out, the host decides.
TEST(Loops, WithFillsAndPartialCopies) {
  Inputs inputs;
  inputs.n = 6;
  expectBoth(packOf({loop(n, predicate, {add(), fill(held, kBytes, 0)})}),
             inputs, 5);
  Op part = copy({ones.buffer, 4}, {held.buffer, 8}, 5);
  expectBoth(packOf({loop(n, predicate, {add(), part})}), inputs, 5);
}

//===----------------------------------------------------------------------===//
// Profiles
//===----------------------------------------------------------------------===//

TEST(Loops, Profile) {
  Work work(packOf({loop(n, predicate, addByCopy()), repeat(4, {add()})}));
  Inputs inputs;
  inputs.n = 6;
  double time = 0;
  const nxv_profile_event *events = nullptr;
  size_t count = 0;
  NXV_ASSERT_OK(nxv_invocation_set_profile(work, NXV_PROFILE_DISPATCHES));
  NXV_ASSERT_OK(work.run(inputs));
  NXV_ASSERT_OK(nxv_invocation_get_profile(work, &time, &events, &count));
  // The fill, and the copies of the first loop.
  EXPECT_EQ(count, 1 + 5 + nxv_invocation_num_dispatches(work));
  EXPECT_GT(time, 0);
  NXV_ASSERT_OK(nxv_invocation_set_profile(work, NXV_PROFILE_TOTAL));
  NXV_ASSERT_OK(work.run(inputs));
  NXV_ASSERT_OK(nxv_invocation_get_profile(work, &time, &events, &count));
  EXPECT_EQ(nxv_invocation_num_dispatches(work), 6u + 5 + 4);
  EXPECT_EQ(count, 0u);
  EXPECT_GT(time, 0);
  EXPECT_EQ(work.result(), 9);
}

//===----------------------------------------------------------------------===//
// Deadlines
//===----------------------------------------------------------------------===//

/// A run is stopped; the next ones work.
void expectDeadline(const Pack &pack, const Inputs &endless,
                    const Inputs &short_, float expected) {
  for (const char *stepwise : {"0", "1"}) {
    Environment variable("NXV_SERIALIZE", stepwise);
    Work work(pack);
    for (int again = 0; again < 2; ++again) {
      NXV_ASSERT_OK(nxv_invocation_set_deadline(work, 50000));
      EXPECT_EQ(work.run(endless), NXV_ERROR_DEADLINE);
      EXPECT_TRUE(mentions("'turns' (last kernels: "));
      EXPECT_TRUE(mentions("was stopped after "));
      EXPECT_TRUE(mentions("its deadline is 0.05 seconds"));
      NXV_ASSERT_OK(nxv_invocation_set_deadline(work, again ? UINT64_MAX : 0));
      NXV_ASSERT_OK(work.run(short_));
      EXPECT_EQ(work.result(), expected);
    }
  }
}

TEST(Deadlines, StopALoop) {
  Inputs endless, few;
  endless.n = INT32_MAX;
  few.n = 8;
  expectDeadline(packOf({loop(n, predicate, addByCopy())}), endless, few, 7);
}

TEST(Deadlines, StopARepeat) {
  // The inner loop ends at once where m is 1.
  Op op = repeat(50000000, {add()});
  Inputs endless, few;
  endless.flags = {1, 0, 0, 0};
  expectDeadline(packOf({branch(flags, {op}, {add()})}), endless, few, 1);
}

/// A submission that does not end in time is waited for by the next use.
TEST(Deadlines, OfOneSubmission) {
  Device device;
  Program program(device, spinPack());
  NXV_ASSERT_OK(program.status);
  for (int kept : {1, 0}) {
    nxv_invocation *invocation = nullptr;
    nxv_buffer *in = nullptr, *out = nullptr;
    NXV_ASSERT_OK(nxv_invocation_create(program, &invocation));
    NXV_ASSERT_OK(nxv_buffer_create(device, 4, &in));
    NXV_ASSERT_OK(nxv_buffer_create(device, 4, &out));
    NXV_ASSERT_OK(nxv_invocation_bind_input(invocation, 0, in, 0));
    NXV_ASSERT_OK(nxv_invocation_bind_output(invocation, 0, out, 0));
    uint32_t few = 10, many = 1000;
    NXV_ASSERT_OK(nxv_buffer_write(in, 0, &few, 4));
    NXV_ASSERT_OK(nxv_invocation_run(invocation));
    NXV_ASSERT_OK(nxv_buffer_write(in, 0, &many, 4));
    NXV_ASSERT_OK(nxv_invocation_set_deadline(invocation, 1000));
    nxv_status status = nxv_invocation_run(invocation);
    if (status != NXV_OK) { // the device may be that fast
      EXPECT_EQ(status, NXV_ERROR_DEADLINE);
      EXPECT_TRUE(mentions("'spin' (last kernels: spin_0) was stopped"));
    }
    if (kept) {
      NXV_ASSERT_OK(nxv_buffer_write(in, 0, &few, 4));
      NXV_ASSERT_OK(nxv_invocation_set_deadline(invocation, 0));
      NXV_ASSERT_OK(nxv_invocation_run(invocation));
    }
    nxv_invocation_destroy(invocation);
    nxv_buffer_destroy(in);
    nxv_buffer_destroy(out);
  }
  EXPECT_EQ(nxv_device_trim(device), NXV_OK);
}

/// The gates, and commands that are submitted again, are valid.
TEST(Loops, Valid) {
  Environment variable("NXV_VALIDATE", "1");
  nxv_device *probe = nullptr;
  nxv_status status = nxv_device_open(nullptr, &probe);
  if (status == NXV_ERROR_NO_DEVICE)
    GTEST_SKIP() << nxv_last_error();
  nxv_device_close(probe);
  Op either = branch(flags, addByCopy(), {add(), barrier});
  Work work(packOf({loop(n, predicate, {either, repeat(2, {add()})}), barrier,
                    repeat(20, {either})}));
  Inputs inputs;
  inputs.n = 8;
  for (nxv_profile_mode mode :
       {NXV_PROFILE_OFF, NXV_PROFILE_TOTAL, NXV_PROFILE_DISPATCHES}) {
    NXV_ASSERT_OK(nxv_invocation_set_profile(work, mode));
    NXV_ASSERT_OK(work.run(inputs));
    EXPECT_EQ(work.result(), 7 * 3 + 20);
  }
}

} // namespace
