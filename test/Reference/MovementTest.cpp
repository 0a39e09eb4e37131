//===- MovementTest.cpp -----------------------------------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Evaluate.h"

using namespace nxv;
using namespace nxv::test;

using Ints = std::vector<int32_t>;

static Tensor count(const std::string &type, int n) {
  Ints elements(n);
  for (int i = 0; i < n; ++i)
    elements[i] = i;
  return s32(type, elements);
}

static Ints applyInts(const std::string &op, const std::string &type,
                      const std::vector<Tensor> &inputs,
                      const std::string &attributes = "") {
  return read<int32_t>(applyTo(op, type, inputs, attributes));
}

static Tensor scalar(int32_t value) { return s32("tensor<i32>", {value}); }

TEST(Creation, Iota) {
  Tensor r = evaluate("%r = nxv.iota {axis = 1} : tensor<2x3xf32>",
                      "tensor<2x3xf32>", {});
  EXPECT_EQ(read<float>(r), (std::vector<float>{0, 1, 2, 0, 1, 2}));
  r = evaluate("%r = nxv.iota {axis = 0} : tensor<6xui2>", "tensor<6xui2>", {});
  EXPECT_EQ(read<uint8_t>(r), (std::vector<uint8_t>{0, 1, 2, 3, 0, 1}));
}

TEST(Creation, Constants) {
  auto constant = [](const std::string &value, const std::string &type) {
    return evaluate("%r = nxv.constant " + value + " : " + type, type, {});
  };
  EXPECT_EQ(read<int32_t>(constant("dense<[1, -2]>", "tensor<2xi32>")),
            (Ints{1, -2}));
  EXPECT_EQ(read<uint8_t>(constant("dense<[true, false]>", "tensor<2xi1>")),
            (std::vector<uint8_t>{1, 0}));
  EXPECT_EQ(read<uint8_t>(constant("dense<true>", "tensor<2xi1>")),
            (std::vector<uint8_t>{1, 1}));
  EXPECT_EQ(read<int8_t>(constant("dense<[-8, 7]>", "tensor<2xi4>")),
            (std::vector<int8_t>{-8, 7}));
  EXPECT_EQ(read<uint16_t>(constant("dense<1.5>", "tensor<1xbf16>")),
            (std::vector<uint16_t>{0x3fc0}));
  EXPECT_EQ(
      read<float>(constant("dense<(1.0, 2.0)>", "tensor<2xcomplex<f32>>")),
      (std::vector<float>{1, 2, 1, 2}));
}

TEST(Movement, Reshape) {
  Tensor x = count("tensor<2x3xi32>", 6);
  EXPECT_EQ(applyInts("reshape", "tensor<3x2xi32>", {x}),
            (Ints{0, 1, 2, 3, 4, 5}));
}

TEST(Movement, BroadcastInDim) {
  Tensor x = count("tensor<2x1xi32>", 2);
  EXPECT_EQ(applyInts("broadcast_in_dim", "tensor<2x2x2xi32>", {x},
                      "axes = array<i64: 1, 2>"),
            (Ints{0, 0, 1, 1, 0, 0, 1, 1}));
  EXPECT_EQ(applyInts("broadcast_in_dim", "tensor<3xi32>", {scalar(7)},
                      "axes = array<i64>"),
            (Ints{7, 7, 7}));
}

TEST(Movement, TransposeAndReverse) {
  Tensor x = count("tensor<2x3xi32>", 6);
  EXPECT_EQ(applyInts("transpose", "tensor<3x2xi32>", {x},
                      "permutation = array<i64: 1, 0>"),
            (Ints{0, 3, 1, 4, 2, 5}));
  Tensor r = evaluate(
      "%r = nxv.reverse %0 {axes = array<i64: 0, 1>} : tensor<2x3xi32>",
      "tensor<2x3xi32>", {x});
  EXPECT_EQ(read<int32_t>(r), (Ints{5, 4, 3, 2, 1, 0}));
}

static Ints pad(int n, int low, int high, int interior, int out) {
  auto attribute = [](const char *name, int value) {
    return std::string(name) + " = array<i64: " + std::to_string(value) + ">";
  };
  return applyInts(
      "pad", "tensor<" + std::to_string(out) + "xi32>",
      {count("tensor<" + std::to_string(n) + "xi32>", n), scalar(9)},
      attribute("low", low) + ", " + attribute("high", high) + ", " +
          attribute("interior", interior));
}

TEST(Movement, Pad) {
  EXPECT_EQ(pad(3, 1, 2, 0, 6), (Ints{9, 0, 1, 2, 9, 9}));
  EXPECT_EQ(pad(3, 0, 0, 1, 5), (Ints{0, 9, 1, 9, 2}));
  EXPECT_EQ(pad(3, -1, -1, 1, 3), (Ints{9, 1, 9}));
  EXPECT_EQ(pad(3, -2, 1, 1, 4), (Ints{1, 9, 2, 9}));
  EXPECT_EQ(pad(3, -3, 2, 0, 2), (Ints{9, 9}));
  EXPECT_EQ(pad(0, 1, 1, 3, 2), (Ints{9, 9}));
}

TEST(Movement, Concatenate) {
  Tensor x = count("tensor<2x1xi32>", 2), y = count("tensor<2x2xi32>", 4);
  EXPECT_EQ(applyInts("concatenate", "tensor<2x3xi32>", {x, y}, "axis = 1"),
            (Ints{0, 0, 1, 1, 2, 3}));
}

TEST(Movement, Slices) {
  Tensor x = count("tensor<7xi32>", 7);
  EXPECT_EQ(applyInts("slice", "tensor<3xi32>", {x},
                      "starts = array<i64: 1>, lengths = array<i64: 5>, "
                      "strides = array<i64: 2>"),
            (Ints{1, 3, 5}));
  auto dynamic = [&](int32_t start) {
    return applyInts("dynamic_slice", "tensor<2xi32>", {x, scalar(start)},
                     "lengths = array<i64: 3>, strides = array<i64: 2>");
  };
  EXPECT_EQ(dynamic(1), (Ints{1, 3}));
  EXPECT_EQ(dynamic(-5), (Ints{0, 2}));
  EXPECT_EQ(dynamic(100), (Ints{4, 6}));
  Tensor huge = make<uint64_t>("tensor<ui64>", {~0ull});
  EXPECT_EQ(applyInts("dynamic_slice", "tensor<1xi32>", {x, huge},
                      "lengths = array<i64: 1>, strides = array<i64: 1>"),
            (Ints{6}));
}

TEST(Movement, DynamicUpdateSlice) {
  Tensor x = count("tensor<2x3xi32>", 6), y = s32("tensor<1x2xi32>", {8, 9});
  EXPECT_EQ(applyInts("dynamic_update_slice", "tensor<2x3xi32>",
                      {x, y, scalar(7), scalar(-1)}),
            (Ints{0, 1, 2, 8, 9, 5}));
}

TEST(Movement, GatherClamps) {
  Tensor x = count("tensor<2x3xi32>", 6);
  Tensor rows = s32("tensor<3x1xi32>", {1, -4, 9});
  EXPECT_EQ(
      applyInts("gather", "tensor<3x2xi32>", {x, rows}, "axes = array<i64: 1>"),
      (Ints{1, 4, 0, 3, 2, 5}));
  Tensor points = s32("tensor<2x2xi32>", {0, 2, 1, 0});
  EXPECT_EQ(applyInts("gather", "tensor<2xi32>", {x, points},
                      "axes = array<i64: 0, 1>"),
            (Ints{2, 3}));
}

TEST(Movement, ScatterDropsAndOrders) {
  Tensor x = count("tensor<4xi32>", 4);
  Tensor indices = s32("tensor<4x1xi32>", {1, 1, -1, 4});
  Tensor updates = s32("tensor<4xi32>", {10, 20, 30, 40});
  EXPECT_EQ(applyInts("scatter add", "tensor<4xi32>", {x, indices, updates},
                      "axes = array<i64: 0>"),
            (Ints{0, 31, 2, 3}));
  EXPECT_EQ(applyInts("scatter put", "tensor<4xi32>", {x, indices, updates},
                      "axes = array<i64: 0>"),
            (Ints{0, 20, 2, 3}));
}

TEST(Movement, ScatterOfShorterRows) {
  Tensor x = count("tensor<2x3xi32>", 6);
  Tensor indices = s32("tensor<1x1xi32>", {1});
  Tensor updates = s32("tensor<1x2xi32>", {10, 20});
  EXPECT_EQ(applyInts("scatter put", "tensor<2x3xi32>", {x, indices, updates},
                      "axes = array<i64: 0>"),
            (Ints{0, 1, 2, 10, 20, 5}));
}
