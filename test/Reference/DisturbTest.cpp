//===- DisturbTest.cpp - results as another implementation gives them -----===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Evaluate.h"

using namespace nxv;
using namespace nxv::test;

static std::vector<double> disturb(const std::string &body,
                                   const std::string &type, const Tensor &input,
                                   bool mirrored) {
  Disturbance disturbance;
  disturbance.mirrored = mirrored;
  return read<double>(evaluate(body, type, {input}, &disturbance));
}

TEST(Disturb, FunctionsMoveBothWays) {
  Tensor x = make<double>("tensor<1xf64>", {1});
  std::string body = "%r = nxv.exp %0 : tensor<1xf64>";
  double one = disturb(body, "tensor<1xf64>", x, false)[0];
  double other = disturb(body, "tensor<1xf64>", x, true)[0];
  EXPECT_NE(one, other);
  EXPECT_NEAR(one, std::exp(1.0), 1e-14);
  EXPECT_NEAR(other, std::exp(1.0), 1e-14);
  EXPECT_NEAR((one + other) / 2, std::exp(1.0), 1e-15);
}

TEST(Disturb, DeterminedResultsStay) {
  Tensor x = make<double>("tensor<2xf64>", {1, 0.1});
  std::vector<double> r =
      disturb("%r = nxv.add %0, %0 : tensor<2xf64>", "tensor<2xf64>", x, false);
  EXPECT_EQ(r, (std::vector<double>{2, 0.2}));
}

TEST(Disturb, FinitePartsOfSumsMove) {
  Tensor x = make<double>("tensor<2xcomplex<f64>>", {0.1, kNaN, 0.2, 1});
  std::string body = "%r = nxv.reduce add, %0 {axes = array<i64: 0>} : "
                     "(tensor<2xcomplex<f64>>) -> tensor<complex<f64>>";
  std::vector<double> one = disturb(body, "tensor<complex<f64>>", x, false);
  std::vector<double> other = disturb(body, "tensor<complex<f64>>", x, true);
  EXPECT_NE(one[0], other[0]);
  EXPECT_NEAR(one[0], 0.3, 1e-14);
  EXPECT_TRUE(std::isnan(one[1]));
}

TEST(Disturb, SumsThatMayOverflowAreLost) {
  Tensor x =
      make<double>("tensor<2xcomplex<f64>>", {1.7e308, 1.7e308, -1e308, 0});
  std::string body = "%r = nxv.reduce add, %0 {axes = array<i64: 0>} : "
                     "(tensor<2xcomplex<f64>>) -> tensor<complex<f64>>";
  std::vector<double> r = disturb(body, "tensor<complex<f64>>", x, true);
  EXPECT_TRUE(std::isnan(r[0]));
}
