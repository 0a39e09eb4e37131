//===- TestPacks.h - small packs for tests ----------------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_RUNTIME_TEST_TESTPACKS_H
#define NXV_RUNTIME_TEST_TESTPACKS_H

#include "Pack.h"

#include <string>

namespace nxv::test {

enum class TestKernel { Add, AddBlock, CountDown, NeedsFloat64, Spin };

pack::Kernel makeKernel(TestKernel kernel, uint64_t blob);
pack::Blob moduleOf(TestKernel kernel);

/// out = a + b for `count` floats, with one constant (the count).
pack::Pack addPack(uint64_t count, TestKernel kernel = TestKernel::Add);

/// Adds 1 to x as often as the input `n` says, at least once, by a loop that
/// the host drives; x is in place. Inputs: n (s32[]), x (f32[count]).
pack::Pack loopPack(uint64_t count);

/// Many workgroups work as long as the input `n` (u32[]) says. Mesa's CPU
/// device cuts loops at 65535 iterations, so that one alone would end soon.
pack::Pack spinPack();

/// The header's text.
std::string headerOf(const std::vector<uint8_t> &file);

/// The file with another header, its length and checksum made right.
std::vector<uint8_t> replaceHeader(const std::vector<uint8_t> &file,
                                   const std::string &header);

} // namespace nxv::test

#endif // NXV_RUNTIME_TEST_TESTPACKS_H
