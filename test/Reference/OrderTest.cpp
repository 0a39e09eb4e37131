//===- OrderTest.cpp --------------------------------------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Evaluate.h"

using namespace nxv;
using namespace nxv::test;

using Floats = std::vector<float>;
using Ints = std::vector<int32_t>;

TEST(Sort, NaNIsTheGreatest) {
  const std::string type = "tensor<5xf32>";
  Tensor x = f32(type, {kNaN, 1, -kInf, kInf, 0});
  expectSame(read<float>(applyTo("sort", type, {x}, "axis = 0 : i64")),
             Floats{-kInf, 0, 1, kInf, kNaN});
  expectSame(
      read<float>(applyTo("sort", type, {x}, "axis = 0 : i64, descending")),
      Floats{kNaN, kInf, 1, 0, -kInf});
}

TEST(Sort, IsStable) {
  const std::string type = "tensor<4xf32>";
  Tensor x = f32(type, {0, -0.0f, 1, 0});
  EXPECT_EQ(
      read<int32_t>(applyTo("argsort", "tensor<4xi32>", {x}, "axis = 0 : i64")),
      (Ints{0, 1, 3, 2}));
  EXPECT_EQ(read<int32_t>(applyTo("argsort", "tensor<4xi32>", {x},
                                  "axis = 0 : i64, descending")),
            (Ints{2, 0, 1, 3}));
}

TEST(Sort, AlongAnAxisOfUnsigned) {
  const std::string type = "tensor<2x2xui8>";
  Tensor x = make<uint8_t>(type, {200, 3, 100, 4});
  EXPECT_EQ(read<uint8_t>(applyTo("sort", type, {x}, "axis = 0 : i64")),
            (std::vector<uint8_t>{100, 3, 200, 4}));
}

static Floats transform(const std::string &from, const std::string &to,
                        const Floats &x, int length, int axis, bool inverse) {
  return read<float>(applyTo("fft", to, {make<float>(from, x)},
                             "length = " + std::to_string(length) +
                                 " : i64, axis = " + std::to_string(axis) +
                                 " : i64" + (inverse ? ", inverse" : "")));
}

TEST(Fft, ForwardAndInverse) {
  const std::string type = "tensor<4xcomplex<f32>>";
  Floats x{1, 0, 2, 0, 3, 0, 4, 0};
  Floats y = transform(type, type, x, 4, 0, false);
  expectNear(y, Floats{10, 0, -2, 2, -2, 0, -2, -2});
  expectNear(transform(type, type, y, 4, 0, true), x);
}

TEST(Fft, EveryLengthFollowsTheDefinition) {
  for (int n : {1, 2, 3, 6, 7, 12, 15}) {
    std::string type = "tensor<" + std::to_string(n) + "xcomplex<f32>>";
    Floats x;
    for (int i = 0; i < n; ++i) {
      x.push_back(std::sin(float(i) + 1));
      x.push_back(std::cos(3 * float(i)));
    }
    Floats expected;
    for (int k = 0; k < n; ++k) {
      std::complex<double> sum = 0;
      for (int i = 0; i < n; ++i)
        sum += std::complex<double>(x[2 * i], x[2 * i + 1]) *
               std::polar(1.0, -2 * M_PI * i * k / n);
      expected.push_back(sum.real());
      expected.push_back(sum.imag());
    }
    expectNear(transform(type, type, x, n, 0, false), expected, 1e-5);
  }
}

TEST(Fft, PadsAndTruncates) {
  expectNear(transform("tensor<1x1xcomplex<f32>>", "tensor<2x1xcomplex<f32>>",
                       {5, 0}, 2, 0, false),
             Floats{5, 0, 5, 0});
  expectNear(transform("tensor<3xcomplex<f32>>", "tensor<1xcomplex<f32>>",
                       {5, 1, 6, 0, 7, 0}, 1, 0, false),
             Floats{5, 1});
}
