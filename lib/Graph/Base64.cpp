//===- Base64.cpp - base64
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Base64.h"

#include "llvm/Support/Base64.h"

static int digitOf(char c) {
  if (c >= 'A' && c <= 'Z')
    return c - 'A';
  if (c >= 'a' && c <= 'z')
    return c - 'a' + 26;
  if (c >= '0' && c <= '9')
    return c - '0' + 52;
  if (c == '+')
    return 62;
  return c == '/' ? 63 : -1;
}

std::optional<std::vector<char>> nxv::graph::decodeBase64(llvm::StringRef text,
                                                          std::string &error) {
  if (text.size() % 4 != 0) {
    error = "base64 length " + std::to_string(text.size()) +
            " is not a multiple of 4";
    return std::nullopt;
  }
  llvm::StringRef digits = text;
  for (int padding = 0; padding < 2; ++padding)
    digits.consume_back("=");
  std::vector<char> bytes;
  bytes.reserve(text.size() / 4 * 3);
  uint32_t bits = 0;
  int count = 0;
  for (const char &c : digits) {
    int digit = digitOf(c);
    if (digit < 0) {
      error = "not a base64 character at offset " +
              std::to_string(&c - digits.data());
      return std::nullopt;
    }
    bits = bits << 6 | digit;
    count += 6;
    if (count >= 8) {
      count -= 8;
      bytes.push_back(static_cast<char>(bits >> count & 0xff));
    }
  }
  if ((bits & ((1u << count) - 1)) != 0) {
    error = "base64 ends in bits that stand for no byte";
    return std::nullopt;
  }
  return bytes;
}

std::string nxv::graph::encodeBase64(llvm::ArrayRef<char> bytes) {
  return llvm::encodeBase64(bytes);
}
