//===- ReductionTest.cpp ----------------------------------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Evaluate.h"

using namespace nxv;
using namespace nxv::test;

using Floats = std::vector<float>;
using Ints = std::vector<int32_t>;

TEST(Reduce, AlongAxes) {
  Tensor x = f32("tensor<2x3xf32>", {1, 2, 3, 4, 5, 6});
  auto reduce = [&](const std::string &kind, const std::string &type,
                    const std::string &axes) {
    return read<float>(applyTo("reduce " + kind, type, {x},
                               "axes = array<i64: " + axes + ">"));
  };
  EXPECT_EQ(reduce("add", "tensor<2xf32>", "1"), (Floats{6, 15}));
  EXPECT_EQ(reduce("mul", "tensor<3xf32>", "0"), (Floats{4, 10, 18}));
  EXPECT_EQ(reduce("max", "tensor<f32>", "0, 1"), (Floats{6}));
  EXPECT_EQ(reduce("min", "tensor<3xf32>", "0"), (Floats{1, 2, 3}));
}

TEST(Reduce, OverNothing) {
  Tensor x = f32("tensor<0x1xf32>", {});
  auto reduce = [&](const std::string &kind) {
    return read<float>(applyTo("reduce " + kind, "tensor<1xf32>", {x},
                               "axes = array<i64: 0>"))[0];
  };
  EXPECT_EQ(reduce("add"), 0);
  EXPECT_EQ(reduce("mul"), 1);
  EXPECT_EQ(reduce("max"), -kInf);
  EXPECT_EQ(reduce("min"), kInf);
  Tensor y = make<int8_t>("tensor<0xi8>", {});
  EXPECT_EQ(read<int8_t>(applyTo("reduce max", "tensor<i8>", {y},
                                 "axes = array<i64: 0>"))[0],
            -128);
  Tensor p = make<uint8_t>("tensor<0xi1>", {});
  EXPECT_EQ(read<uint8_t>(applyTo("reduce and", "tensor<i1>", {p},
                                  "axes = array<i64: 0>"))[0],
            1);
}

TEST(Reduce, NaNAndWrapping) {
  Tensor x = f32("tensor<3xf32>", {1, kNaN, kInf});
  EXPECT_TRUE(std::isnan(read<float>(
      applyTo("reduce max", "tensor<f32>", {x}, "axes = array<i64: 0>"))[0]));
  Tensor y = make<uint8_t>("tensor<2xui8>", {200, 100});
  EXPECT_EQ(read<uint8_t>(applyTo("reduce add", "tensor<ui8>", {y},
                                  "axes = array<i64: 0>"))[0],
            44);
}

TEST(Reduce, AccumulatesWide) {
  Tensor x = f32("tensor<3xf32>", {1e8f, 1, -1e8f});
  EXPECT_EQ(read<float>(applyTo("reduce add", "tensor<f32>", {x},
                                "axes = array<i64: 0>"))[0],
            1);
}

TEST(Reduce, WithAFunction) {
  // element - accumulator, left to right: 3 - (2 - (1 - 10)).
  Tensor x = s32("tensor<3xi32>", {1, 2, 3}), init = s32("tensor<i32>", {10});
  Tensor r = evaluate(
      R"(%r = nxv.reduce_fn %0, %1 {axes = array<i64: 0>}
             : (tensor<3xi32>, tensor<i32>) -> tensor<i32> {
         ^bb0(%x: tensor<i32>, %acc: tensor<i32>):
           %d = nxv.subtract %x, %acc : tensor<i32>
           nxv.yield %d : tensor<i32>
         })",
      "tensor<i32>", {x, init});
  EXPECT_EQ(read<int32_t>(r), (Ints{-8}));
}

TEST(ArgReduce, TiesAndNaN) {
  Tensor x = f32("tensor<4xf32>", {1, 3, 3, 0});
  Tensor y = f32("tensor<4xf32>", {1, kNaN, 3, kNaN});
  auto index = [](const std::string &op, const Tensor &t,
                  const std::string &extra) {
    return read<int32_t>(
        applyTo(op, "tensor<i32>", {t}, "axis = 0 : i64" + extra))[0];
  };
  EXPECT_EQ(index("argmax", x, ""), 1);
  EXPECT_EQ(index("argmax", x, ", tieHigh"), 2);
  EXPECT_EQ(index("argmin", x, ""), 3);
  EXPECT_EQ(index("argmax", y, ""), 1);
  EXPECT_EQ(index("argmin", y, ", tieHigh"), 1);
}

static std::string windowAttributes(const std::string &window,
                                    const std::string &strides,
                                    const std::string &dilations,
                                    const std::string &low,
                                    const std::string &high) {
  auto array = [](const std::string &values) {
    return "array<i64: " + values + ">";
  };
  std::string attributes = "window = " + array(window) +
                           ", strides = " + array(strides) +
                           ", low = " + array(low) + ", high = " + array(high);
  if (!dilations.empty())
    attributes += ", dilations = " + array(dilations);
  return attributes;
}

TEST(Window, PaddingAndDilation) {
  Tensor x = f32("tensor<5xf32>", {1, 2, 3, 4, 5});
  EXPECT_EQ(read<float>(applyTo("window_reduce add", "tensor<5xf32>", {x},
                                windowAttributes("3", "1", "1", "1", "1"))),
            (Floats{3, 6, 9, 12, 9}));
  EXPECT_EQ(read<float>(applyTo("window_reduce max", "tensor<2xf32>", {x},
                                windowAttributes("2", "2", "2", "0", "0"))),
            (Floats{3, 5}));
  Tensor y = make<uint8_t>("tensor<2xui8>", {200, 100});
  EXPECT_EQ(read<uint8_t>(applyTo("window_reduce add", "tensor<1xui8>", {y},
                                  windowAttributes("2", "1", "1", "0", "0"))),
            (std::vector<uint8_t>{44}));
}

TEST(Window, WithAFunction) {
  Tensor x = s32("tensor<2xi32>", {1, 2}), init = s32("tensor<i32>", {5});
  Tensor r = evaluate("%r = nxv.window_reduce_fn %0, %1 {" +
                          windowAttributes("2", "1", "1", "1", "0") +
                          R"(} : (tensor<2xi32>, tensor<i32>) -> tensor<2xi32> {
         ^bb0(%x: tensor<i32>, %acc: tensor<i32>):
           %d = nxv.add %x, %acc : tensor<i32>
           nxv.yield %d : tensor<i32>
         })",
                      "tensor<2xi32>", {x, init});
  // The padding counts as init too.
  EXPECT_EQ(read<int32_t>(r), (Ints{11, 8}));
}

TEST(SelectAndScatter, LastOfEqualsWins) {
  Tensor x = f32("tensor<4xf32>", {1, 1, 0, 2});
  Tensor source = f32("tensor<2xf32>", {10, 20}),
         init = f32("tensor<f32>", {1});
  auto scatter = [&](const std::string &kind) {
    return read<float>(applyTo("select_and_scatter " + kind, "tensor<4xf32>",
                               {x, source, init},
                               windowAttributes("2", "2", "", "0", "0")));
  };
  EXPECT_EQ(scatter("max"), (Floats{1, 11, 1, 21}));
  EXPECT_EQ(scatter("min"), (Floats{1, 11, 21, 1}));
}

TEST(SelectAndScatter, FirstNaNWins) {
  float nan = std::numeric_limits<float>::quiet_NaN();
  Tensor x = f32("tensor<4xf32>", {2, nan, nan, 1});
  Tensor source = f32("tensor<1xf32>", {10}), init = f32("tensor<f32>", {1});
  for (std::string kind : {"max", "min"})
    EXPECT_EQ(read<float>(applyTo("select_and_scatter " + kind, "tensor<4xf32>",
                                  {x, source, init},
                                  windowAttributes("4", "4", "", "0", "0"))),
              (Floats{1, 11, 1, 1}));
}

TEST(Cumulative, BothDirections) {
  Tensor x = make<int8_t>("tensor<3xi8>", {100, 27, 1});
  Tensor r = evaluate("%r = nxv.cumulative add, %0 {axis = 0} : tensor<3xi8>",
                      "tensor<3xi8>", {x});
  EXPECT_EQ(read<int8_t>(r), (std::vector<int8_t>{100, 127, -128}));
  r = evaluate("%r = nxv.cumulative min, %0 {axis = 0, reverse} : tensor<3xi8>",
               "tensor<3xi8>", {x});
  EXPECT_EQ(read<int8_t>(r), (std::vector<int8_t>{1, 1, 1}));
}
