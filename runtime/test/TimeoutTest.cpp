//===- TimeoutTest.cpp - work that does not end ---------------------------===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "RuntimeTest.h"

using namespace nxv::test;

namespace {

TEST(Timeout, IsSticky) {
  Environment variable("NXV_TIMEOUT", "1");
  nxv_set_log_level(NXV_LOG_OFF);
  nxv_device *device = nullptr;
  NXV_ASSERT_OK(nxv_device_open(nullptr, &device));
  {
    Program program(device, spinPack());
    NXV_ASSERT_OK(program.status);
    uint32_t few = 10, many = 65000, out = 0;
    const void *inputs[] = {&few};
    void *outputs[] = {&out};
    NXV_ASSERT_OK(nxv_invoke(program, inputs, 1, outputs, 1));
    inputs[0] = &many;
    nxv_status status = nxv_invoke(program, inputs, 1, outputs, 1);
    if (status == NXV_OK)
      GTEST_SKIP() << "the device is too fast";
    EXPECT_EQ(status, NXV_ERROR_TIMEOUT);
    EXPECT_TRUE(mentions("'spin' (last kernels: spin_0) in 1 seconds"));
    EXPECT_EQ(nxv_invoke(program, inputs, 1, outputs, 1), NXV_ERROR_TIMEOUT);
    EXPECT_TRUE(mentions("did not finish"));
    nxv_buffer *buffer = nullptr;
    EXPECT_EQ(nxv_buffer_create(device, 4, &buffer), NXV_ERROR_TIMEOUT);
    EXPECT_EQ(nxv_device_trim(device), NXV_ERROR_TIMEOUT);
  }
  nxv_device_close(device);
  nxv_set_log_level(NXV_LOG_WARNING);
  // A device that is opened anew works.
  Device again;
  Program program(again, addPack(4));
  NXV_ASSERT_OK(program.status);
}

} // namespace
