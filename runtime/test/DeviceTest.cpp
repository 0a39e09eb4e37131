//===- DeviceTest.cpp - devices and buffers -------------------------------===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "RuntimeTest.h"

#include <thread>

using namespace nxv::test;

namespace {

TEST(Devices, Describe) {
  size_t count = 0;
  NXV_ASSERT_OK(nxv_device_count(&count));
  ASSERT_GT(count, 0u);
  nxv_device_info info = sized<nxv_device_info>();
  NXV_ASSERT_OK(nxv_device_describe(0, &info));
  EXPECT_NE(info.name[0], 0);
  EXPECT_GE(info.vulkan_minor, 2u);
  EXPECT_EQ(nxv_device_describe(count, &info), NXV_ERROR_INVALID_ARGUMENT);
  EXPECT_TRUE(mentions("does not exist"));
  info.struct_size = 0;
  EXPECT_EQ(nxv_device_describe(0, &info), NXV_ERROR_INVALID_ARGUMENT);
}

TEST(Devices, OlderStructure) {
  // A caller that was compiled before the fields behind `type`.
  nxv_device_info info = sized<nxv_device_info>();
  info.struct_size = offsetof(nxv_device_info, name);
  info.name[0] = 'x';
  NXV_ASSERT_OK(nxv_device_describe(0, &info));
  EXPECT_EQ(info.name[0], 'x');
  EXPECT_EQ(info.struct_size, offsetof(nxv_device_info, name));
}

TEST(Devices, Selection) {
  nxv_device *device = nullptr;
  nxv_device_options options = sized<nxv_device_options>();
  options.selector = "no such device";
  EXPECT_EQ(nxv_device_open(&options, &device), NXV_ERROR_NO_DEVICE);
  EXPECT_TRUE(mentions("'no such device'"));
  EXPECT_EQ(device, nullptr);
  options.selector = "99";
  EXPECT_EQ(nxv_device_open(&options, &device), NXV_ERROR_NO_DEVICE);
  EXPECT_TRUE(mentions("device 99 does not exist"));

  nxv_device_info info = sized<nxv_device_info>();
  NXV_ASSERT_OK(nxv_device_describe(0, &info));
  options.selector = info.name;
  NXV_ASSERT_OK(nxv_device_open(&options, &device));
  nxv_device_close(device);
  Environment variable("NXV_DEVICE", "98");
  EXPECT_EQ(nxv_device_open(nullptr, &device), NXV_ERROR_NO_DEVICE);
  options.selector = "0";
  NXV_ASSERT_OK(nxv_device_open(&options, &device));
  nxv_device_close(device);
}

TEST(Devices, VisibleDevices) {
  Environment variable("NXV_VISIBLE_DEVICES", "no such device");
  size_t count = 1;
  NXV_ASSERT_OK(nxv_device_count(&count));
  EXPECT_EQ(count, 0u);
  nxv_device *device = nullptr;
  EXPECT_EQ(nxv_device_open(nullptr, &device), NXV_ERROR_NO_DEVICE);
  EXPECT_TRUE(mentions("NXV_VISIBLE_DEVICES"));
}

TEST(Devices, Disable) {
  {
    Environment variable("NXV_DISABLE", "shaderFloat64");
    Device device;
    EXPECT_FALSE(nxv_device_supports(device, "shaderFloat64"));
    EXPECT_FALSE(nxv_device_supports(device, "Float64"));
    EXPECT_TRUE(nxv_device_supports(device, "bufferDeviceAddress"));
    EXPECT_FALSE(nxv_device_supports(device, "noSuchFeature"));
  }
  Environment variable("NXV_DISABLE", "shaderFloat65");
  nxv_device *device = nullptr;
  EXPECT_EQ(nxv_device_open(nullptr, &device), NXV_ERROR_INVALID_ARGUMENT);
  EXPECT_TRUE(mentions("'shaderFloat65'"));
}

TEST(Devices, NeedsAddresses) {
  Environment variable("NXV_DISABLE", "bufferDeviceAddress");
  nxv_device *device = nullptr;
  EXPECT_EQ(nxv_device_open(nullptr, &device), NXV_ERROR_UNSUPPORTED);
  EXPECT_TRUE(mentions("bufferDeviceAddress"));
}

TEST(Buffers, ReadWrite) {
  Device device;
  for (uint64_t bytes : {0ull, 1ull, 15ull, 300ull, 100000ull, 5000001ull}) {
    nxv_buffer *buffer = nullptr;
    NXV_ASSERT_OK(nxv_buffer_create(device, bytes, &buffer));
    EXPECT_EQ(nxv_buffer_bytes(buffer), bytes);
    EXPECT_NE(nxv_buffer_address(buffer), 0u);
    EXPECT_EQ(nxv_buffer_address(buffer) % 256, 0u);
    std::vector<uint8_t> data(bytes), back(bytes);
    for (uint64_t i = 0; i < bytes; ++i)
      data[i] = uint8_t(i * 7 + i / 256);
    NXV_ASSERT_OK(nxv_buffer_write(buffer, 0, data.data(), bytes));
    NXV_ASSERT_OK(nxv_buffer_read(buffer, 0, back.data(), bytes));
    EXPECT_EQ(data, back);
    uint8_t byte = 0;
    EXPECT_EQ(nxv_buffer_write(buffer, bytes, &byte, 1),
              NXV_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(nxv_buffer_read(buffer, UINT64_MAX, &byte, 2),
              NXV_ERROR_INVALID_ARGUMENT);
    nxv_buffer_destroy(buffer);
  }
  EXPECT_EQ(device.liveBytes(), 0u);
}

TEST(Buffers, AreApart) {
  Device device;
  std::vector<nxv_buffer *> buffers(200);
  std::vector<uint64_t> addresses;
  for (size_t i = 0; i < buffers.size(); ++i) {
    NXV_ASSERT_OK(nxv_buffer_create(device, i * 13, &buffers[i]));
    std::vector<uint8_t> data(i * 13, uint8_t(i));
    NXV_ASSERT_OK(nxv_buffer_write(buffers[i], 0, data.data(), data.size()));
  }
  for (size_t i = 0; i < buffers.size(); ++i) {
    std::vector<uint8_t> data(i * 13);
    NXV_ASSERT_OK(nxv_buffer_read(buffers[i], 0, data.data(), data.size()));
    EXPECT_EQ(data, std::vector<uint8_t>(i * 13, uint8_t(i)));
    nxv_buffer_destroy(buffers[i]);
  }
  EXPECT_EQ(device.liveBytes(), 0u);
  NXV_ASSERT_OK(nxv_device_trim(device));
  nxv_memory_info info = sized<nxv_memory_info>();
  NXV_ASSERT_OK(nxv_device_get_memory(device, &info));
  EXPECT_EQ(info.cached_bytes, 0u);
  EXPECT_GT(info.peak_bytes, 0u);
}

TEST(Buffers, Limit) {
  Environment variable("NXV_MEMORY_LIMIT", "8M");
  Device device;
  nxv_buffer *first = nullptr, *second = nullptr;
  NXV_ASSERT_OK(nxv_buffer_create(device, 6 << 20, &first));
  EXPECT_EQ(nxv_buffer_create(device, 6 << 20, &second),
            NXV_ERROR_OUT_OF_MEMORY);
  EXPECT_TRUE(mentions("8388608"));
  nxv_buffer_destroy(first);
  // The cached block makes way for one of another size.
  NXV_ASSERT_OK(nxv_buffer_create(device, 5 << 20, &second));
  nxv_buffer_destroy(second);
  EXPECT_EQ(nxv_buffer_create(device, UINT64_MAX, &second),
            NXV_ERROR_OUT_OF_MEMORY);
}

TEST(Buffers, BadLimit) {
  Environment variable("NXV_MEMORY_LIMIT", "8Q");
  nxv_device *device = nullptr;
  EXPECT_EQ(nxv_device_open(nullptr, &device), NXV_ERROR_INVALID_ARGUMENT);
  EXPECT_TRUE(mentions("8Q"));
}

TEST(Buffers, OutliveTheirDevice) {
  nxv_device *device = nullptr;
  NXV_ASSERT_OK(nxv_device_open(nullptr, &device));
  nxv_buffer *buffer = nullptr;
  NXV_ASSERT_OK(nxv_buffer_create(device, 8, &buffer));
  nxv_device_close(device);
  uint64_t value = 5, back = 0;
  NXV_ASSERT_OK(nxv_buffer_write(buffer, 0, &value, 8));
  NXV_ASSERT_OK(nxv_buffer_read(buffer, 0, &back, 8));
  EXPECT_EQ(back, 5u);
  nxv_buffer_destroy(buffer);
}

TEST(Errors, NullArguments) {
  EXPECT_EQ(nxv_device_count(nullptr), NXV_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(nxv_device_open(nullptr, nullptr), NXV_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(nxv_buffer_create(nullptr, 1, nullptr), NXV_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(nxv_invocation_run(nullptr), NXV_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(nxv_invoke(nullptr, nullptr, 0, nullptr, 0),
            NXV_ERROR_INVALID_ARGUMENT);
  nxv_device_close(nullptr);
  nxv_buffer_destroy(nullptr);
  nxv_program_destroy(nullptr);
  nxv_invocation_destroy(nullptr);
  EXPECT_EQ(nxv_buffer_bytes(nullptr), 0u);
  EXPECT_STREQ(nxv_status_name(NXV_ERROR_OUT_OF_MEMORY), "out of memory");
}

TEST(Errors, BelongToTheirThread) {
  EXPECT_EQ(nxv_device_count(nullptr), NXV_ERROR_INVALID_ARGUMENT);
  EXPECT_TRUE(mentions("count is null"));
  std::thread([] { EXPECT_STREQ(nxv_last_error(), ""); }).join();
  EXPECT_TRUE(mentions("count is null"));
}

} // namespace
