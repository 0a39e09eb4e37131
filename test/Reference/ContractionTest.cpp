//===- ContractionTest.cpp --------------------------------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Evaluate.h"

using namespace nxv;
using namespace nxv::test;

using Floats = std::vector<float>;

static std::string dotAttributes(const std::string &lhsBatch,
                                 const std::string &lhsContract,
                                 const std::string &rhsBatch,
                                 const std::string &rhsContract) {
  auto array = [](const std::string &values) {
    return values.empty() ? std::string("array<i64>")
                          : "array<i64: " + values + ">";
  };
  return "lhsBatch = " + array(lhsBatch) +
         ", lhsContract = " + array(lhsContract) +
         ", rhsBatch = " + array(rhsBatch) +
         ", rhsContract = " + array(rhsContract);
}

TEST(Dot, Matrices) {
  Tensor x = f32("tensor<2x3xf32>", {1, 2, 3, 4, 5, 6});
  Tensor y = f32("tensor<3x2xf32>", {1, 0, 0, 1, 1, 1});
  EXPECT_EQ(read<float>(applyTo("dot_general", "tensor<2x2xf32>", {x, y},
                                dotAttributes("", "1", "", "0"))),
            (Floats{4, 5, 10, 11}));
  // Contracted along other axes: x^T y^T.
  EXPECT_EQ(read<float>(applyTo("dot_general", "tensor<3x3xf32>", {x, y},
                                dotAttributes("", "0", "", "1"))),
            (Floats{1, 4, 5, 2, 5, 7, 3, 6, 9}));
}

TEST(Dot, BatchesAndPairedAxes) {
  Tensor x = f32("tensor<2x1x2xf32>", {1, 2, 3, 4});
  Tensor y = f32("tensor<2x2x1xf32>", {5, 6, 7, 8});
  EXPECT_EQ(read<float>(applyTo("dot_general", "tensor<2x1x1xf32>", {x, y},
                                dotAttributes("0", "2", "0", "1"))),
            (Floats{17, 53}));
  // Axis 0 of x goes with axis 1 of y and the reverse.
  Tensor a = f32("tensor<2x3xf32>", {1, 2, 3, 4, 5, 6});
  Tensor b = f32("tensor<3x2xf32>", {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(read<float>(applyTo("dot_general", "tensor<f32>", {a, b},
                                dotAttributes("", "0, 1", "", "1, 0"))),
            (Floats{1 + 6 + 15 + 8 + 20 + 36}));
}

TEST(Dot, IntegersWrapAndEmptySumsAreZero) {
  Tensor x = make<uint8_t>("tensor<2xui8>", {200, 100});
  EXPECT_EQ(read<uint8_t>(applyTo("dot_general", "tensor<ui8>", {x, x},
                                  dotAttributes("", "0", "", "0"))),
            (std::vector<uint8_t>{uint8_t(200 * 200 + 100 * 100)}));
  Tensor e = f32("tensor<2x0xf32>", {});
  EXPECT_EQ(read<float>(applyTo("dot_general", "tensor<2x2xf32>", {e, e},
                                dotAttributes("", "1", "", "1"))),
            (Floats{0, 0, 0, 0}));
}

TEST(Dot, Complex) {
  Tensor x = make<float>("tensor<1xcomplex<f32>>", {1, 2});
  EXPECT_EQ(read<float>(applyTo("dot_general", "tensor<complex<f32>>", {x, x},
                                dotAttributes("", "0", "", "0"))),
            (Floats{-3, 4}));
}

struct Conv {
  int stride = 1, low = 0, high = 0, inputDilation = 1, kernelDilation = 1;
  int featureGroups = 1, batchGroups = 1;
};

static Floats convolve(const Conv &conv, const Tensor &input,
                       const Tensor &kernel, const std::string &type) {
  auto array = [](const char *name, int value) {
    return std::string(name) + " = array<i64: " + std::to_string(value) + ">, ";
  };
  return read<float>(
      applyTo("convolution", type, {input, kernel},
              array("strides", conv.stride) + array("low", conv.low) +
                  array("high", conv.high) +
                  array("inputDilation", conv.inputDilation) +
                  array("kernelDilation", conv.kernelDilation) +
                  "featureGroups = " + std::to_string(conv.featureGroups) +
                  ", batchGroups = " + std::to_string(conv.batchGroups)));
}

TEST(Convolution, OfOneAxis) {
  Tensor x = f32("tensor<1x1x4xf32>", {1, 2, 3, 4});
  Tensor k = f32("tensor<1x1x2xf32>", {1, 10});
  EXPECT_EQ(convolve({}, x, k, "tensor<1x1x3xf32>"), (Floats{21, 32, 43}));
  Conv strided;
  strided.stride = 2;
  EXPECT_EQ(convolve(strided, x, k, "tensor<1x1x2xf32>"), (Floats{21, 43}));
  Conv padded;
  padded.low = 1;
  padded.high = -1;
  EXPECT_EQ(convolve(padded, x, k, "tensor<1x1x3xf32>"), (Floats{10, 21, 32}));
  Conv holes;
  holes.kernelDilation = 2;
  EXPECT_EQ(convolve(holes, x, k, "tensor<1x1x2xf32>"), (Floats{31, 42}));
  Conv spread;
  spread.inputDilation = 2;
  EXPECT_EQ(convolve(spread, x, k, "tensor<1x1x6xf32>"),
            (Floats{1, 20, 2, 30, 3, 40}));
}

TEST(Convolution, Groups) {
  // Two channels convolved apart, by kernels 1 and 10.
  Tensor x = f32("tensor<1x2x2xf32>", {1, 2, 3, 4});
  Tensor k = f32("tensor<2x1x1xf32>", {1, 10});
  Conv features;
  features.featureGroups = 2;
  EXPECT_EQ(convolve(features, x, k, "tensor<1x2x2xf32>"),
            (Floats{1, 2, 30, 40}));
  // Two batches, each for its own output channel.
  Tensor y = f32("tensor<2x1x2xf32>", {1, 2, 3, 4});
  Conv batches;
  batches.batchGroups = 2;
  EXPECT_EQ(convolve(batches, y, k, "tensor<1x2x2xf32>"),
            (Floats{1, 2, 30, 40}));
}

static Floats solve(const Tensor &a, const Tensor &b, bool lower, bool leftSide,
                    const std::string &transform) {
  std::string body = std::string("%r = nxv.triangular_solve %0, %1 {lower = ") +
                     (lower ? "true" : "false") +
                     ", leftSide = " + (leftSide ? "true" : "false") +
                     ", transformA = #nxv<transform_a " + transform + ">} : (" +
                     print(a.type) + ", " + print(b.type) + ") -> " +
                     print(b.type);
  return read<float>(evaluate(body, print(b.type), {a, b}));
}

TEST(TriangularSolve, EverySideAndTransform) {
  // The other triangle must not be read.
  Tensor lower = f32("tensor<2x2xf32>", {2, kNaN, 3, 4});
  Tensor upper = f32("tensor<2x2xf32>", {2, 3, kNaN, 4});
  Tensor column = f32("tensor<2x1xf32>", {4, 14});
  Tensor row = f32("tensor<1x2xf32>", {4, 14});
  EXPECT_EQ(solve(lower, column, true, true, "none"), (Floats{2, 2}));
  EXPECT_EQ(solve(upper, column, false, true, "transpose"), (Floats{2, 2}));
  EXPECT_EQ(solve(upper, row, false, false, "none"), (Floats{2, 2}));
  EXPECT_EQ(solve(lower, row, true, false, "transpose"), (Floats{2, 2}));
  // [2 3; 0 4] x = [13; 8]
  Tensor other = f32("tensor<2x1xf32>", {10, 8});
  EXPECT_EQ(solve(upper, other, false, true, "none"), (Floats{2, 2}));
  EXPECT_EQ(solve(lower, other, true, true, "transpose"), (Floats{2, 2}));
}

TEST(TriangularSolve, Conjugates) {
  Tensor a = make<float>("tensor<1x1xcomplex<f32>>", {0, 2});
  Tensor b = make<float>("tensor<1x1xcomplex<f32>>", {4, 0});
  EXPECT_EQ(solve(a, b, true, true, "none"), (Floats{0, -2}));
  EXPECT_EQ(solve(a, b, true, true, "conjugate"), (Floats{0, 2}));
  EXPECT_EQ(solve(a, b, true, false, "conjugate"), (Floats{0, 2}));
}
