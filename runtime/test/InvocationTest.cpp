//===- InvocationTest.cpp - programs on device buffers --------------------===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "RuntimeTest.h"

using namespace nxv::test;
using nxv::pack::BufferKind;
using nxv::pack::Op;
using nxv::pack::OpKind;
using nxv::pack::Pack;

namespace {

/// Buffers and an invocation, destroyed in the right order.
class Work {
public:
  Work(nxv_device *device, nxv_program *program) : device(device) {
    if (nxv_invocation_create(program, &invocation) != NXV_OK)
      ADD_FAILURE() << nxv_last_error();
  }
  ~Work() {
    nxv_invocation_destroy(invocation);
    for (nxv_buffer *buffer : buffers)
      nxv_buffer_destroy(buffer);
  }
  template <typename T>
  nxv_buffer *buffer(const std::vector<T> &values) {
    nxv_buffer *made = nullptr;
    uint64_t bytes = values.size() * sizeof(T);
    if (nxv_buffer_create(device, bytes, &made) != NXV_OK ||
        nxv_buffer_write(made, 0, values.data(), bytes) != NXV_OK)
      ADD_FAILURE() << nxv_last_error();
    buffers.push_back(made);
    return made;
  }
  static std::vector<float> read(nxv_buffer *buffer) {
    std::vector<float> values(nxv_buffer_bytes(buffer) / 4);
    if (nxv_buffer_read(buffer, 0, values.data(), values.size() * 4) != NXV_OK)
      ADD_FAILURE() << nxv_last_error();
    return values;
  }
  operator nxv_invocation *() const { return invocation; }

private:
  nxv_device *device;
  nxv_invocation *invocation = nullptr;
  std::vector<nxv_buffer *> buffers;
};

TEST(Invocations, BuffersAndReplay) {
  Device device;
  {
    Program program(device, addPack(100));
    NXV_ASSERT_OK(program.status);
    Work work(device, program);
    nxv_buffer *a = work.buffer(ramp(100, 0, 1));
    nxv_buffer *b = work.buffer(ramp(100, 5, 0));
    nxv_buffer *out = work.buffer(ramp(100, -1, 0));
    NXV_ASSERT_OK(nxv_invocation_bind_input(work, 0, a, 0));
    EXPECT_EQ(nxv_invocation_run(work), NXV_ERROR_INVALID_ARGUMENT);
    EXPECT_TRUE(mentions("input 1 is not bound"));
    NXV_ASSERT_OK(nxv_invocation_bind_input(work, 1, b, 0));
    EXPECT_EQ(nxv_invocation_run(work), NXV_ERROR_INVALID_ARGUMENT);
    EXPECT_TRUE(mentions("output 0 is not bound"));
    NXV_ASSERT_OK(nxv_invocation_bind_output(work, 0, out, 0));
    for (int i = 0; i < 3; ++i)
      NXV_ASSERT_OK(nxv_invocation_run(work));
    EXPECT_EQ(nxv_invocation_num_dispatches(work), 1u);
    EXPECT_EQ(Work::read(out), ramp(100, 5, 1));
    // New contents need no new commands, new buffers do.
    std::vector<float> twos = ramp(100, 2, 0);
    NXV_ASSERT_OK(nxv_buffer_write(b, 0, twos.data(), 400));
    NXV_ASSERT_OK(nxv_invocation_run(work));
    EXPECT_EQ(Work::read(out), ramp(100, 2, 1));
    NXV_ASSERT_OK(nxv_invocation_bind_input(work, 1, a, 0));
    NXV_ASSERT_OK(nxv_invocation_run(work));
    EXPECT_EQ(Work::read(out), ramp(100, 0, 2));
  }
  EXPECT_EQ(device.liveBytes(), 0u);
}

TEST(Invocations, Offsets) {
  Device device;
  Program program(device, addPack(16));
  NXV_ASSERT_OK(program.status);
  Work work(device, program);
  nxv_buffer *all = work.buffer(ramp(64 + 64 + 16, 0, 1));
  NXV_ASSERT_OK(nxv_invocation_bind_input(work, 0, all, 0));
  NXV_ASSERT_OK(nxv_invocation_bind_input(work, 1, all, 256));
  NXV_ASSERT_OK(nxv_invocation_bind_output(work, 0, all, 512));
  NXV_ASSERT_OK(nxv_invocation_run(work));
  std::vector<float> values = Work::read(all);
  for (int i = 0; i < 16; ++i)
    EXPECT_EQ(values[128 + i], float(64 + 2 * i));
  EXPECT_EQ(nxv_invocation_bind_output(work, 0, all, 128),
            NXV_ERROR_INVALID_ARGUMENT);
  EXPECT_TRUE(mentions("not a multiple of 256"));
  EXPECT_EQ(nxv_invocation_bind_output(work, 0, all, 768),
            NXV_ERROR_INVALID_ARGUMENT);
  EXPECT_TRUE(mentions("takes 64 bytes at offset 768, the buffer has 576"));
}

TEST(Invocations, Overlap) {
  Device device;
  Program program(device, addPack(16));
  NXV_ASSERT_OK(program.status);
  Work work(device, program);
  nxv_buffer *a = work.buffer(ramp(16, 0, 1));
  NXV_ASSERT_OK(nxv_invocation_bind_input(work, 0, a, 0));
  NXV_ASSERT_OK(nxv_invocation_bind_input(work, 1, a, 0));
  NXV_ASSERT_OK(nxv_invocation_bind_output(work, 0, a, 0));
  EXPECT_EQ(nxv_invocation_run(work), NXV_ERROR_INVALID_ARGUMENT);
  EXPECT_TRUE(mentions("output 0 overlaps input 0"));
}

TEST(Invocations, OtherDevice) {
  Device device, other;
  Program program(device, addPack(4));
  NXV_ASSERT_OK(program.status);
  Work work(device, program);
  nxv_buffer *foreign = nullptr;
  NXV_ASSERT_OK(nxv_buffer_create(other, 16, &foreign));
  EXPECT_EQ(nxv_invocation_bind_input(work, 0, foreign, 0),
            NXV_ERROR_INVALID_ARGUMENT);
  EXPECT_TRUE(mentions("another device"));
  nxv_buffer_destroy(foreign);
}

//===----------------------------------------------------------------------===//
// Control flow, results in inputs, taps
//===----------------------------------------------------------------------===//

/// The loop adds 1 once ahead and n - 1 times in it.
TEST(Invocations, HostLoop) {
  Device device;
  Program program(device, loopPack(10));
  NXV_ASSERT_OK(program.status);
  for (int32_t n : {1, 2, 7}) {
    std::vector<float> x = ramp(10, 0, 1), before = x, out(10);
    const void *inputs[] = {&n, x.data()};
    void *outputs[] = {out.data()};
    for (int again = 0; again < 2; ++again) {
      NXV_ASSERT_OK(nxv_invoke(program, inputs, 2, outputs, 1));
      EXPECT_EQ(out, ramp(10, float(n), 1));
      EXPECT_EQ(x, before);
    }
  }
}

TEST(Invocations, ResultInInput) {
  Device device;
  Program program(device, loopPack(10));
  NXV_ASSERT_OK(program.status);
  nxv_tensor_info tensor = sized<nxv_tensor_info>();
  NXV_ASSERT_OK(nxv_program_get_output(program, 0, &tensor));
  EXPECT_EQ(tensor.input, 1);
  Work work(device, program);
  nxv_buffer *n = work.buffer(std::vector<int32_t>{3});
  nxv_buffer *x = work.buffer(ramp(10, 0, 1));
  nxv_buffer *copy = work.buffer(ramp(10, -1, 0));
  NXV_ASSERT_OK(nxv_invocation_bind_input(work, 0, n, 0));
  NXV_ASSERT_OK(nxv_invocation_bind_input(work, 1, x, 0));
  NXV_ASSERT_OK(nxv_invocation_run(work));
  EXPECT_EQ(Work::read(x), ramp(10, 3, 1));
  EXPECT_EQ(nxv_invocation_num_dispatches(work), 1u + 3 + 2);
  // Bound elsewhere it is found there as well.
  int32_t two = 2;
  NXV_ASSERT_OK(nxv_buffer_write(n, 0, &two, 4));
  NXV_ASSERT_OK(nxv_invocation_bind_output(work, 0, copy, 0));
  NXV_ASSERT_OK(nxv_invocation_run(work));
  EXPECT_EQ(Work::read(x), ramp(10, 5, 1));
  EXPECT_EQ(Work::read(copy), ramp(10, 5, 1));
}

struct Taps {
  std::vector<float> firsts;
  static void receive(void *user, const char *name, const char *type,
                      const int64_t *shape, size_t rank, const void *data,
                      uint64_t bytes) {
    EXPECT_STREQ(name, "step");
    EXPECT_STREQ(type, "f32");
    EXPECT_EQ(rank, 1u);
    EXPECT_EQ(shape[0], 10);
    EXPECT_EQ(bytes, 40u);
    static_cast<Taps *>(user)->firsts.push_back(
        *static_cast<const float *>(data));
  }
};

TEST(Invocations, Taps) {
  Device device;
  Program program(device, loopPack(10));
  NXV_ASSERT_OK(program.status);
  Work work(device, program);
  NXV_ASSERT_OK(nxv_invocation_bind_input(
      work, 0, work.buffer(std::vector<int32_t>{4}), 0));
  NXV_ASSERT_OK(
      nxv_invocation_bind_input(work, 1, work.buffer(ramp(10, 0, 1)), 0));
  Taps taps;
  NXV_ASSERT_OK(nxv_invocation_set_tap(work, Taps::receive, &taps));
  NXV_ASSERT_OK(nxv_invocation_run(work));
  EXPECT_EQ(taps.firsts, (std::vector<float>{2, 3, 4}));
}

/// `if` takes the branch that the predicate says; copies and fills.
TEST(Invocations, Branches) {
  Pack pack;
  pack.name = "branch";
  pack.inputs = {{"p", "u8", {}, 0, false}};
  pack.outputs = {{"", "u32", {4}, 1, false}, {"", "u8", {}, 0, false}};
  pack.buffers = {{BufferKind::Input, 1, 0, 0},
                  {BufferKind::Output, 16, 0, 0},
                  {BufferKind::Arena, 16, 0, 0}};
  pack.arenaBytes = 16;
  auto fill = [](uint64_t buffer, uint64_t offset, uint64_t bytes,
                 uint32_t value) {
    Op op;
    op.kind = OpKind::Fill;
    op.dst = {buffer, offset};
    op.bytes = bytes;
    op.value = value;
    return op;
  };
  Op barrier;
  Op copy;
  copy.kind = OpKind::Copy;
  copy.src = {2, 0};
  copy.dst = {1, 0};
  copy.bytes = 16;
  Op branch;
  branch.kind = OpKind::If;
  branch.predicate = {0, 0};
  branch.first = {fill(2, 0, 16, 7), barrier, copy};
  branch.second = {fill(1, 0, 16, 9)};
  pack.program = {branch, fill(1, 4, 4, 1)};
  ASSERT_EQ(nxv::pack::verify(pack), "");

  Device device;
  Program program(device, pack);
  NXV_ASSERT_OK(program.status);
  for (uint8_t p : {0, 1, 255}) {
    uint32_t out[4] = {}, want = p ? 7 : 9;
    uint8_t through = 77;
    const void *inputs[] = {&p};
    void *outputs[] = {out, &through};
    NXV_ASSERT_OK(nxv_invoke(program, inputs, 1, outputs, 2));
    EXPECT_EQ(out[0], want);
    EXPECT_EQ(out[1], 1u);
    EXPECT_EQ(out[3], want);
    EXPECT_EQ(through, p);
  }
}

/// An output that is a constant is copied out; a pack without work runs.
TEST(Invocations, ConstantOutput) {
  Pack pack;
  pack.name = "constant";
  pack.outputs = {{"", "u32", {1}, 0, false}};
  pack.buffers = {{BufferKind::Constant, 4, 0, 0}};
  pack.blobs = {nxv::pack::Blob(std::vector<uint8_t>{1, 2, 3, 4})};
  Device device;
  Program program(device, pack);
  NXV_ASSERT_OK(program.status);
  uint32_t out = 0;
  void *outputs[] = {&out};
  NXV_ASSERT_OK(nxv_invoke(program, nullptr, 0, outputs, 1));
  EXPECT_EQ(out, 0x04030201u);
}

//===----------------------------------------------------------------------===//
// Profile and validation
//===----------------------------------------------------------------------===//

TEST(Invocations, Profile) {
  Device device;
  Program program(device, loopPack(10));
  NXV_ASSERT_OK(program.status);
  Work work(device, program);
  nxv_buffer *n = work.buffer(std::vector<int32_t>{3});
  NXV_ASSERT_OK(nxv_invocation_bind_input(work, 0, n, 0));
  NXV_ASSERT_OK(
      nxv_invocation_bind_input(work, 1, work.buffer(ramp(10, 0, 1)), 0));
  NXV_ASSERT_OK(nxv_invocation_set_profile(work, NXV_PROFILE_DISPATCHES));
  NXV_ASSERT_OK(nxv_invocation_run(work));
  double time = 0;
  const nxv_profile_event *events = nullptr;
  size_t count = 0;
  NXV_ASSERT_OK(nxv_invocation_get_profile(work, &time, &events, &count));
  EXPECT_GT(time, 0);
  // A fill and the dispatches.
  ASSERT_EQ(count, 1 + nxv_invocation_num_dispatches(work));
  EXPECT_STREQ(events[0].kernel, "fill");
  EXPECT_STREQ(events[1].kernel, "add_0");
  EXPECT_STREQ(events[2].kernel, "count_down_1");
  for (size_t i = 0; i < count; ++i)
    EXPECT_LE(events[i].begin_us, events[i].end_us);
  NXV_ASSERT_OK(nxv_invocation_set_profile(work, NXV_PROFILE_TOTAL));
  NXV_ASSERT_OK(nxv_invocation_run(work));
  NXV_ASSERT_OK(nxv_invocation_get_profile(work, &time, &events, &count));
  EXPECT_GT(time, 0);
}

TEST(Invocations, Serialize) {
  Environment variable("NXV_SERIALIZE", "1");
  Device device;
  Program program(device, loopPack(10));
  NXV_ASSERT_OK(program.status);
  int32_t n = 5;
  std::vector<float> x = ramp(10, 0, 1), out(10);
  const void *inputs[] = {&n, x.data()};
  void *outputs[] = {out.data()};
  NXV_ASSERT_OK(nxv_invoke(program, inputs, 2, outputs, 1));
  EXPECT_EQ(out, ramp(10, 5, 1));
}

/// What the runtime does itself is valid.
TEST(Validation, Clean) {
  Environment variable("NXV_VALIDATE", "1");
  nxv_device *device = nullptr;
  nxv_status status = nxv_device_open(nullptr, &device);
  if (status == NXV_ERROR_NO_DEVICE)
    GTEST_SKIP() << nxv_last_error();
  NXV_ASSERT_OK(status);
  {
    Program program(device, loopPack(10));
    NXV_ASSERT_OK(program.status);
    int32_t n = 3;
    std::vector<float> x = ramp(10, 0, 1), out(10);
    const void *inputs[] = {&n, x.data()};
    void *outputs[] = {out.data()};
    NXV_ASSERT_OK(nxv_invoke(program, inputs, 2, outputs, 1));
    EXPECT_EQ(out, ramp(10, 3, 1));
  }
  nxv_device_close(device);
}

/// What a kernel does wrong is a status, with the layer's message.
TEST(Validation, ErrorsFailTheCall) {
  Environment variable("NXV_VALIDATE", "1");
  nxv_device *device = nullptr;
  nxv_status status = nxv_device_open(nullptr, &device);
  if (status == NXV_ERROR_NO_DEVICE)
    GTEST_SKIP() << nxv_last_error();
  NXV_ASSERT_OK(status);
  std::vector<std::string> messages;
  nxv_set_log_callback(
      [](void *user, nxv_log_level, const char *message) {
        static_cast<std::vector<std::string> *>(user)->push_back(message);
      },
      &messages);
  // The kernel reads four addresses, the program gives it three.
  Pack pack = addPack(4);
  pack.program[0].args.pop_back();
  pack.kernels[0].variants[0].requirements.pushBytes = 24;
  Program program(device, pack);
  nxv_set_log_callback(nullptr, nullptr);
  EXPECT_EQ(program.status, NXV_ERROR_VALIDATION);
  EXPECT_TRUE(mentions("Validation Error"));
  EXPECT_FALSE(messages.empty());
  nxv_device_close(device);
}

} // namespace
