//===- ProgramTest.cpp - loading packs and host arrays --------------------===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "RuntimeTest.h"

#include <cstdio>
#include <dirent.h>
#include <fstream>
#include <thread>
#include <unistd.h>

using namespace nxv::test;
using nxv::pack::Pack;

namespace {

void checkAdd(nxv_program *program, size_t count) {
  std::vector<float> a = ramp(count, 1, 1), b = ramp(count, 100, -2);
  std::vector<float> out(count, -1);
  const void *inputs[] = {a.data(), b.data()};
  void *outputs[] = {out.data()};
  NXV_ASSERT_OK(nxv_invoke(program, inputs, 2, outputs, 1));
  for (size_t i = 0; i < count; ++i)
    ASSERT_EQ(out[i], a[i] + b[i]) << i;
}

TEST(Programs, Add) {
  Device device;
  for (TestKernel kernel : {TestKernel::Add, TestKernel::AddBlock})
    for (size_t count : {1, 63, 64, 1000, 100000}) {
      Program program(device, addPack(count, kernel));
      NXV_ASSERT_OK(program.status);
      checkAdd(program, count);
      checkAdd(program, count);
    }
  EXPECT_EQ(device.liveBytes(), 0u);
}

/// More workgroups than one axis of a small device takes.
TEST(Programs, LargeGrid) {
  Device device;
  size_t count = 64 * 65535 + 77;
  Program program(device, addPack(count));
  NXV_ASSERT_OK(program.status);
  checkAdd(program, count);
}

TEST(Programs, Empty) {
  Device device;
  Program program(device, addPack(0));
  NXV_ASSERT_OK(program.status);
  const void *inputs[] = {nullptr, nullptr};
  void *outputs[] = {nullptr};
  NXV_ASSERT_OK(nxv_invoke(program, inputs, 2, outputs, 1));
}

TEST(Programs, Info) {
  Device device;
  Program program(device, addPack(10));
  NXV_ASSERT_OK(program.status);
  nxv_program_info info = sized<nxv_program_info>();
  NXV_ASSERT_OK(nxv_program_get_info(program, &info));
  EXPECT_STREQ(info.name, "add");
  EXPECT_STREQ(info.output_tree, "{\"leaf\":0}");
  EXPECT_EQ(info.num_inputs, 2u);
  EXPECT_EQ(info.num_outputs, 1u);
  EXPECT_EQ(info.num_kernels, 1u);
  EXPECT_EQ(info.num_dispatches, 1u);
  EXPECT_EQ(info.constant_bytes, 4u);
  nxv_tensor_info tensor = sized<nxv_tensor_info>();
  NXV_ASSERT_OK(nxv_program_get_input(program, 1, &tensor));
  EXPECT_STREQ(tensor.name, "b");
  EXPECT_STREQ(tensor.type, "f32");
  ASSERT_EQ(tensor.rank, 1u);
  EXPECT_EQ(tensor.shape[0], 10);
  EXPECT_EQ(tensor.bytes, 40u);
  NXV_ASSERT_OK(nxv_program_get_output(program, 0, &tensor));
  EXPECT_EQ(tensor.name, nullptr);
  EXPECT_EQ(tensor.input, -1);
  EXPECT_EQ(nxv_program_get_input(program, 2, &tensor),
            NXV_ERROR_INVALID_ARGUMENT);
}

TEST(Programs, WrongArguments) {
  Device device;
  Program program(device, addPack(10));
  NXV_ASSERT_OK(program.status);
  float values[10] = {};
  const void *inputs[] = {values, nullptr};
  void *outputs[] = {values};
  EXPECT_EQ(nxv_invoke(program, inputs, 1, outputs, 1),
            NXV_ERROR_INVALID_ARGUMENT);
  EXPECT_TRUE(mentions("1 inputs were given, 'add' has 2"));
  EXPECT_EQ(nxv_invoke(program, inputs, 2, outputs, 1),
            NXV_ERROR_INVALID_ARGUMENT);
  EXPECT_TRUE(mentions("input 1 is null"));
}

TEST(Programs, BadFiles) {
  Device device;
  nxv_program *program = nullptr;
  EXPECT_EQ(nxv_program_load_file(device, "/no/such/file", &program),
            NXV_ERROR_IO);
  EXPECT_EQ(nxv_program_load_file(device, "/", &program), NXV_ERROR_IO);
  EXPECT_EQ(nxv_program_load(device, "x", 1, &program), NXV_ERROR_INVALID_PACK);
  EXPECT_TRUE(mentions("1 bytes"));
  EXPECT_EQ(program, nullptr);
}

//===----------------------------------------------------------------------===//
// Requirements
//===----------------------------------------------------------------------===//

Pack withRequirement(void (*edit)(nxv::pack::Variant &)) {
  Pack pack = addPack(4);
  edit(pack.kernels[0].variants[0]);
  return pack;
}

TEST(Requirements, FirstUnmetIsNamed) {
  Device device;
  using nxv::pack::Variant;
  struct Case {
    const char *message;
    void (*edit)(Variant &);
  };
  const Case cases[] = {
      {"kernel 'add_0' needs Vulkan 9.0",
       [](Variant &v) { v.requirements.vulkan = "9.0"; }},
      {"needs SPIR-V 1.9", [](Variant &v) { v.requirements.spirv = "1.9"; }},
      {"needs the capability Kernel",
       [](Variant &v) { v.requirements.capabilities.push_back("Kernel"); }},
      {"needs the extension SPV_X",
       [](Variant &v) { v.requirements.extensions.push_back("SPV_X"); }},
      {"needs 1073741824 bytes of shared memory, the device has ",
       [](Variant &v) { v.requirements.sharedBytes = 1 << 30; }},
      {"needs a workgroup of size 1000000 in x, the device has ",
       [](Variant &v) { v.workgroup[0] = 1000000; }},
      {"needs subgroups of 4096, the device has ",
       [](Variant &v) { v.requirements.subgroupSize = 4096; }},
  };
  for (const Case &test : cases) {
    Program program(device, withRequirement(test.edit));
    EXPECT_EQ(program.status, NXV_ERROR_UNSUPPORTED);
    EXPECT_TRUE(mentions(test.message));
  }
}

TEST(Requirements, RecordsThatLie) {
  Device device;
  using nxv::pack::Variant;
  struct Case {
    const char *message;
    void (*edit)(Variant &);
  };
  const Case cases[] = {
      {"has capability PhysicalStorageBufferAddresses, which its record",
       [](Variant &v) { v.requirements.capabilities.pop_back(); }},
      {"has extension SPV_KHR_physical_storage_buffer, which its record",
       [](Variant &v) { v.requirements.extensions.clear(); }},
      {"has size 64 in x, its record says 32",
       [](Variant &v) { v.workgroup[0] = 32; }},
      {"is SPIR-V 1.3, its record says 1.0",
       [](Variant &v) { v.requirements.spirv = "1.0"; }},
  };
  for (const Case &test : cases) {
    Program program(device, withRequirement(test.edit));
    EXPECT_EQ(program.status, NXV_ERROR_INVALID_PACK);
    EXPECT_TRUE(mentions(test.message));
  }
}

TEST(Requirements, DisabledFeature) {
  Pack pack = addPack(4);
  pack.blobs.push_back(moduleOf(TestKernel::NeedsFloat64));
  pack.kernels.push_back(makeKernel(TestKernel::NeedsFloat64, 2));
  Environment variable("NXV_DISABLE", "shaderFloat64");
  Device device;
  Program program(device, pack);
  EXPECT_EQ(program.status, NXV_ERROR_UNSUPPORTED);
  EXPECT_TRUE(mentions("needs the capability Float64: the device lacks the "
                       "feature shaderFloat64"));
}

/// The first variant that the device can run is taken.
TEST(Requirements, SecondVariant) {
  Device device;
  Pack pack = addPack(100);
  nxv::pack::Variant greedy = pack.kernels[0].variants[0];
  greedy.requirements.sharedBytes = uint64_t(1) << 40;
  pack.kernels[0].variants.insert(pack.kernels[0].variants.begin(), greedy);
  Program program(device, pack);
  NXV_ASSERT_OK(program.status);
  checkAdd(program, 100);
}

//===----------------------------------------------------------------------===//
// Threads and the cache
//===----------------------------------------------------------------------===//

TEST(Programs, ManyThreads) {
  Device device;
  Program program(device, addPack(5000));
  NXV_ASSERT_OK(program.status);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 10; ++i)
        checkAdd(program, 5000);
    });
  for (std::thread &thread : threads)
    thread.join();
}

std::vector<std::string> filesIn(const std::string &directory) {
  std::vector<std::string> files;
  if (DIR *handle = opendir(directory.c_str())) {
    while (dirent *entry = readdir(handle))
      if (entry->d_name[0] != '.')
        files.push_back(directory + "/" + entry->d_name);
    closedir(handle);
  }
  return files;
}

TEST(Cache, IsReplacedWhenDamaged) {
  char directory[] = "nxv-cache-XXXXXX";
  ASSERT_NE(mkdtemp(directory), nullptr);
  std::string cache = std::string(directory) + "/a/b";
  Environment variable("NXV_CACHE_DIR", cache.c_str());
  Device device;
  auto load = [&] {
    Program program(device, addPack(33));
    NXV_ASSERT_OK(program.status);
    checkAdd(program, 33);
  };
  load();
  std::vector<std::string> files = filesIn(cache);
  ASSERT_EQ(files.size(), 1u);
  for (const char *damage : {"", "short", "NXVCACH1 and then rubbish"}) {
    std::ofstream(files[0], std::ios::binary) << damage;
    load();
    std::ifstream file(files[0], std::ios::binary | std::ios::ate);
    EXPECT_GT(file.tellg(), std::streamoff(64));
  }
  EXPECT_EQ(filesIn(cache).size(), 1u);
  {
    Environment off("NXV_NO_CACHE", "1");
    unlink(files[0].c_str());
    load();
    EXPECT_TRUE(filesIn(cache).empty());
  }
  rmdir(cache.c_str());
  rmdir((std::string(directory) + "/a").c_str());
  rmdir(directory);
}

} // namespace
