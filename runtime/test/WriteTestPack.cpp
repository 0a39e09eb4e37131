//===- WriteTestPack.cpp - a pack for tests of the tools ------------------===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "TestPacks.h"

#include <cstdio>
#include <cstring>
#include <fstream>

/// nxv-write-test-pack add|loop FILE: `add` adds two f32[4], `loop` is
/// `loopPack` of as many.
int main(int argc, char **argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: nxv-write-test-pack add|loop FILE\n");
    return 2;
  }
  bool loop = std::strcmp(argv[1], "loop") == 0;
  std::vector<uint8_t> file = nxv::pack::serialize(
      loop ? nxv::test::loopPack(4) : nxv::test::addPack(4));
  std::ofstream out(argv[2], std::ios::binary);
  out.write(reinterpret_cast<const char *>(file.data()),
            std::streamsize(file.size()));
  return out.good() ? 0 : 1;
}
