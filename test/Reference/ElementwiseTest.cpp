//===- ElementwiseTest.cpp --------------------------------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Evaluate.h"

using namespace nxv;
using namespace nxv::test;

using Floats = std::vector<float>;
using Doubles = std::vector<double>;
using Bytes = std::vector<int8_t>;
using UBytes = std::vector<uint8_t>;
using Longs = std::vector<int64_t>;

static const std::string kF32x4 = "tensor<4xf32>";

TEST(Unary, SignsOfFloats) {
  expectSame(apply<float>("negate", kF32x4, {{1, -0.0f, kInf, kNaN}}),
             Floats{-1, 0.0f, -kInf, kNaN});
  expectSame(apply<float>("sign", kF32x4, {{-2, -0.0f, kInf, kNaN}}),
             Floats{-1, -0.0f, 1, kNaN});
}

TEST(Unary, SignsOfIntegers) {
  EXPECT_EQ(apply<int8_t>("negate", "tensor<3xi8>", {{1, 0, -128}}),
            (Bytes{-1, 0, -128}));
  EXPECT_EQ(apply<uint8_t>("negate", "tensor<2xui8>", {{1, 0}}),
            (UBytes{255, 0}));
  EXPECT_EQ(apply<int8_t>("sign", "tensor<3xi8>", {{-5, 0, 127}}),
            (Bytes{-1, 0, 1}));
  EXPECT_EQ(apply<uint8_t>("sign", "tensor<2xui8>", {{200, 0}}),
            (UBytes{1, 0}));
  Tensor x = make<int64_t>("tensor<2xi64>", {INT64_MIN, -3});
  EXPECT_EQ(read<int64_t>(applyTo("abs", "tensor<2xi64>", {x})),
            (Longs{INT64_MIN, 3}));
}

TEST(Unary, Rounding) {
  const std::string type = "tensor<6xf32>";
  Floats x{2.5, -2.5, 0.5, -0.4f, kInf, kNaN};
  expectSame(apply<float>("round", type, {x}),
             Floats{3, -3, 1, -0.0f, kInf, kNaN});
  expectSame(apply<float>("floor", type, {x}),
             Floats{2, -3, 0, -1, kInf, kNaN});
  expectSame(apply<float>("ceil", type, {x}),
             Floats{3, -2, 1, -0.0f, kInf, kNaN});
}

TEST(Unary, SpecialValuesOfTranscendentals) {
  expectSame(apply<float>("exp", kF32x4, {{-kInf, 1000, kNaN, 0}}),
             Floats{0, kInf, kNaN, 1});
  expectSame(apply<float>("log", kF32x4, {{0, -1, kInf, 1}}),
             Floats{-kInf, kNaN, kInf, 0});
  expectSame(apply<float>("sigmoid", kF32x4, {{-1000, 1000, 0, kNaN}}),
             Floats{0, 1, 0.5, kNaN});
  expectSame(apply<float>("sqrt", kF32x4, {{-1, -0.0f, 4, kInf}}),
             Floats{kNaN, -0.0f, 2, kInf});
  expectSame(apply<float>("rsqrt", kF32x4, {{0, 4, kInf, -1}}),
             Floats{kInf, 0.5, 0, kNaN});
  expectSame(apply<float>("cbrt", kF32x4, {{-8, 27, -0.0f, kInf}}),
             Floats{-2, 3, -0.0f, kInf});
  expectSame(apply<float>("erf_inv", kF32x4, {{1, -1, 2, 0}}),
             Floats{kInf, -kInf, kNaN, 0});
}

TEST(Unary, ErrorFunctions) {
  Doubles x{1e-12, 0.3, -0.7, 0.999999};
  const std::string type = "tensor<4xf64>";
  Doubles back =
      apply<double>("erf", type, {apply<double>("erf_inv", type, {x})});
  for (size_t i = 0; i < x.size(); ++i)
    EXPECT_NEAR(back[i] / x[i], 1, 1e-14);
  EXPECT_NEAR(apply<double>("erfc", type, {{10, 0, 0, 0}})[0] /
                  2.088487583762545e-45,
              1, 1e-14);
}

TEST(Unary, ExactNearZero) {
  const std::string type = "tensor<1xf64>";
  EXPECT_DOUBLE_EQ(apply<double>("expm1", type, {{1e-18}})[0], 1e-18);
  EXPECT_DOUBLE_EQ(apply<double>("log1p", type, {{1e-18}})[0], 1e-18);
  Doubles z =
      apply<double>("expm1", "tensor<1xcomplex<f64>>", {{1e-18, 1e-18}});
  expectNear(z, Doubles{1e-18, 1e-18}, 1e-30);
  z = apply<double>("log1p", "tensor<1xcomplex<f64>>", {{1e-18, 1e-18}});
  expectNear(z, Doubles{1e-18, 1e-18}, 1e-30);
}

TEST(Unary, Bits) {
  EXPECT_EQ(apply<int8_t>("not", "tensor<2xi8>", {{0, -128}}),
            (Bytes{-1, 127}));
  EXPECT_EQ(apply<uint8_t>("not", "tensor<2xi1>", {{0, 1}}), (UBytes{1, 0}));
  EXPECT_EQ(apply<int8_t>("population_count", "tensor<2xi8>", {{-1, 5}}),
            (Bytes{8, 2}));
  EXPECT_EQ(apply<int8_t>("count_leading_zeros", "tensor<3xi8>", {{0, 1, -1}}),
            (Bytes{8, 7, 0}));
  EXPECT_EQ(apply<uint8_t>("count_leading_zeros", "tensor<2xui4>", {{0, 3}}),
            (UBytes{4, 2}));
}

TEST(Unary, Complex) {
  const std::string type = "tensor<1xcomplex<f32>>";
  expectNear(apply<float>("conjugate", type, {{1, 2}}), Floats{1, -2});
  expectNear(apply<float>("sign", type, {{3, 4}}), Floats{0.6f, 0.8f});
  expectNear(apply<float>("sqrt", type, {{-4, 0}}), Floats{0, 2});
  expectNear(apply<float>("exp", type, {{0, float(M_PI)}}), Floats{-1, 0});
  Tensor z = make<float>(type, {3, -4});
  expectNear(read<float>(applyTo("abs", "tensor<1xf32>", {z})), Floats{5});
  expectNear(read<float>(applyTo("real", "tensor<1xf32>", {z})), Floats{3});
  expectNear(read<float>(applyTo("imag", "tensor<1xf32>", {z})), Floats{-4});
}

TEST(Unary, Classification) {
  Tensor x = f32(kF32x4, {1, kNaN, kInf, -kInf});
  EXPECT_EQ(read<uint8_t>(applyTo("is_nan", "tensor<4xi1>", {x})),
            (UBytes{0, 1, 0, 0}));
  EXPECT_EQ(read<uint8_t>(applyTo("is_infinity", "tensor<4xi1>", {x})),
            (UBytes{0, 0, 1, 1}));
}

TEST(Binary, IntegersWrap) {
  const std::string type = "tensor<3xi8>";
  EXPECT_EQ(apply<int8_t>("add", type, {{127, -128, 1}, {1, -1, 2}}),
            (Bytes{-128, 127, 3}));
  EXPECT_EQ(apply<int8_t>("subtract", type, {{-128, 0, 1}, {1, -128, 2}}),
            (Bytes{127, -128, -1}));
  EXPECT_EQ(apply<int8_t>("multiply", type, {{127, -128, 16}, {2, -1, 16}}),
            (Bytes{-2, -128, 0}));
  EXPECT_EQ(apply<uint8_t>("add", "tensor<2xui2>", {{3, 2}, {1, 1}}),
            (UBytes{0, 3}));
  EXPECT_EQ(apply<int8_t>("add", "tensor<2xi4>", {{7, -8}, {1, -1}}),
            (Bytes{-8, 7}));
}

TEST(Binary, IntegerDivision) {
  const std::string type = "tensor<4xi8>";
  EXPECT_EQ(apply<int8_t>("quotient", type, {{-7, 7, -128, 5}, {2, -2, -1, 0}}),
            (Bytes{-3, -3, -128, -1}));
  EXPECT_EQ(
      apply<int8_t>("remainder", type, {{-7, 7, -128, 5}, {2, -2, -1, 0}}),
      (Bytes{-1, 1, 0, 5}));
  EXPECT_EQ(apply<uint8_t>("quotient", "tensor<2xui8>", {{200, 5}, {3, 0}}),
            (UBytes{66, 255}));
  EXPECT_EQ(apply<int64_t>("quotient", "tensor<1xi64>", {{INT64_MIN}, {-1}}),
            (Longs{INT64_MIN}));
  EXPECT_EQ(apply<uint64_t>("remainder", "tensor<1xui64>", {{~0ull}, {10}}),
            (std::vector<uint64_t>{5}));
}

TEST(Binary, FloatDivision) {
  expectSame(apply<float>("divide", kF32x4, {{1, -1, 0, 1}, {0, 0, 0, -0.0f}}),
             Floats{kInf, -kInf, kNaN, -kInf});
  expectSame(
      apply<float>("remainder", kF32x4, {{5.5, -5.5, 1, 1}, {2, 2, 0, kInf}}),
      Floats{1.5, -1.5, kNaN, 1});
  expectNear(apply<float>("divide", "tensor<1xcomplex<f32>>", {{1, 2}, {3, 4}}),
             Floats{0.44f, 0.08f});
}

TEST(Binary, Powers) {
  EXPECT_EQ(apply<int8_t>("pow", "tensor<6xi8>",
                          {{3, 2, 1, -1, -1, 0}, {5, 7, -3, -3, -2, 0}}),
            (Bytes{-13, -128, 1, -1, 1, 1}));
  EXPECT_EQ(apply<int8_t>("pow", "tensor<2xi8>", {{2, 0}, {-1, -1}}),
            (Bytes{0, 0}));
  EXPECT_EQ(apply<uint64_t>("pow", "tensor<1xui64>", {{3}, {~0ull}}),
            (std::vector<uint64_t>{12297829382473034411ull}));
  expectSame(
      apply<float>("pow", kF32x4, {{1, kNaN, -8, 0}, {kNaN, 0, 0.5, -1}}),
      Floats{1, 1, kNaN, kInf});
  expectNear(apply<float>("pow", "tensor<1xcomplex<f32>>", {{0, 1}, {2, 0}}),
             Floats{-1, 0});
}

TEST(Binary, ExtremesPropagateNaN) {
  expectSame(
      apply<float>("max", kF32x4, {{1, kNaN, -0.0f, -kInf}, {2, 1, 0, kInf}}),
      Floats{2, kNaN, 0, kInf});
  expectSame(
      apply<float>("min", kF32x4, {{1, 1, 0, -kInf}, {2, kNaN, -0.0f, 1}}),
      Floats{1, kNaN, -0.0f, -kInf});
  EXPECT_EQ(apply<uint8_t>("max", "tensor<2xui8>", {{200, 1}, {100, 2}}),
            (UBytes{200, 2}));
  EXPECT_EQ(apply<uint8_t>("min", "tensor<2xi1>", {{1, 1}, {0, 1}}),
            (UBytes{0, 1}));
}

TEST(Binary, Shifts) {
  const std::string type = "tensor<4xi8>";
  EXPECT_EQ(apply<int8_t>("shift_left", type, {{1, 1, 1, 1}, {7, 8, -1, 0}}),
            (Bytes{-128, 0, 0, 1}));
  EXPECT_EQ(
      apply<int8_t>("shift_right", type, {{-128, -128, 64, 64}, {3, 9, 9, 2}}),
      (Bytes{-16, -1, 0, 16}));
  EXPECT_EQ(apply<uint8_t>("shift_right", "tensor<3xui8>",
                           {{255, 255, 1}, {4, 8, 200}}),
            (UBytes{15, 0, 0}));
  EXPECT_EQ(apply<uint64_t>("shift_left", "tensor<2xui64>", {{1, 1}, {63, 64}}),
            (std::vector<uint64_t>{1ull << 63, 0}));
}

TEST(Binary, Comparisons) {
  Tensor x = f32(kF32x4, {kNaN, -0.0f, 1, 2});
  Tensor y = f32(kF32x4, {kNaN, 0, 2, 1});
  auto compare = [&](const std::string &kind, const Tensor &a, const Tensor &b,
                     const std::string &type) {
    return read<uint8_t>(applyTo("compare " + kind, type, {a, b}));
  };
  EXPECT_EQ(compare("eq", x, y, "tensor<4xi1>"), (UBytes{0, 1, 0, 0}));
  EXPECT_EQ(compare("ne", x, y, "tensor<4xi1>"), (UBytes{1, 0, 1, 1}));
  EXPECT_EQ(compare("lt", x, y, "tensor<4xi1>"), (UBytes{0, 0, 1, 0}));
  EXPECT_EQ(compare("ge", x, y, "tensor<4xi1>"), (UBytes{0, 1, 0, 1}));
  Tensor a = make<uint64_t>("tensor<1xui64>", {~0ull});
  Tensor b = make<uint64_t>("tensor<1xui64>", {1});
  EXPECT_EQ(compare("gt", a, b, "tensor<1xi1>"), (UBytes{1}));
}

TEST(Ternary, Select) {
  Tensor pred = make<uint8_t>("tensor<2xi1>", {1, 0});
  Tensor x = s32("tensor<2xi32>", {1, 2}), y = s32("tensor<2xi32>", {3, 4});
  EXPECT_EQ(read<int32_t>(applyTo("select", "tensor<2xi32>", {pred, x, y})),
            (std::vector<int32_t>{1, 4}));
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

template <typename T>
static std::vector<T> convert(const Tensor &x, const std::string &type) {
  return read<T>(applyTo("convert", type, {x}));
}

TEST(Convert, FloatToIntegerSaturates) {
  Tensor x = f32("tensor<6xf32>", {200, -200, kNaN, kInf, -kInf, -1.9f});
  EXPECT_EQ(convert<int8_t>(x, "tensor<6xi8>"),
            (Bytes{127, -128, 0, 127, -128, -1}));
  EXPECT_EQ(convert<uint8_t>(x, "tensor<6xui8>"),
            (UBytes{200, 0, 0, 255, 0, 0}));
  Tensor big = f32("tensor<3xf32>", {1e30f, -1e30f, 9223372036854775808.0f});
  EXPECT_EQ(convert<int64_t>(big, "tensor<3xi64>"),
            (Longs{INT64_MAX, INT64_MIN, INT64_MAX}));
  EXPECT_EQ(convert<uint64_t>(big, "tensor<3xui64>"),
            (std::vector<uint64_t>{~0ull, 0, 1ull << 63}));
}

TEST(Convert, ToPredicate) {
  Tensor x = f32(kF32x4, {0, -0.0f, kNaN, 0.5});
  EXPECT_EQ(convert<uint8_t>(x, "tensor<4xi1>"), (UBytes{0, 0, 1, 1}));
  Tensor y = s32("tensor<2xi32>", {256, 0});
  EXPECT_EQ(convert<uint8_t>(y, "tensor<2xi1>"), (UBytes{1, 0}));
  Tensor z = make<float>("tensor<1xcomplex<f32>>", {0, 1});
  EXPECT_EQ(convert<uint8_t>(z, "tensor<1xi1>"), (UBytes{1}));
}

TEST(Convert, IntegersWrap) {
  Tensor x = s32("tensor<3xi32>", {300, -1, 128});
  EXPECT_EQ(convert<int8_t>(x, "tensor<3xi8>"), (Bytes{44, -1, -128}));
  EXPECT_EQ(convert<uint8_t>(x, "tensor<3xui8>"), (UBytes{44, 255, 128}));
  EXPECT_EQ(convert<int8_t>(x, "tensor<3xi2>"), (Bytes{0, -1, 0}));
  EXPECT_EQ(convert<uint64_t>(x, "tensor<3xui64>"),
            (std::vector<uint64_t>{300, ~0ull, 128}));
}

TEST(Convert, LargeIntegersRoundOnce) {
  // A little over half way; through double it would be just half way.
  Tensor x = make<int64_t>("tensor<1xi64>", {(1ll << 60) + (1ll << 36) + 1});
  EXPECT_EQ(convert<float>(x, "tensor<1xf32>")[0],
            float(1ll << 60) + float(1ll << 37));
  Tensor y = make<uint64_t>("tensor<1xui64>", {~0ull});
  EXPECT_EQ(convert<float>(y, "tensor<1xf32>")[0], 18446744073709551616.0f);
}

TEST(Convert, NarrowFloatsRoundToNearestEven) {
  Tensor x = f32("tensor<7xf32>", {1.0f + 0x1p-11f, 1.0f + 3 * 0x1p-11f, 65519,
                                   65520, -0.0f, 0x1p-24f, kNaN});
  std::vector<uint16_t> half = convert<uint16_t>(x, "tensor<7xf16>");
  half[6] &= 0x7fff;
  EXPECT_EQ(half, (std::vector<uint16_t>{0x3c00, 0x3c02, 0x7bff, 0x7c00, 0x8000,
                                         0x0001, 0x7e00}));
  Tensor y = f32(kF32x4, {1.0f + 0x1p-8f, 1.0f + 3 * 0x1p-8f, 3.4e38f, -kInf});
  EXPECT_EQ(convert<uint16_t>(y, "tensor<4xbf16>"),
            (std::vector<uint16_t>{0x3f80, 0x3f82, 0x7f80, 0xff80}));
}

TEST(Convert, EightBitFloats) {
  Tensor x = f32("tensor<6xf32>", {1.125, 57344, 61440, 1e6, 0x1p-16f, kInf});
  EXPECT_EQ(convert<uint8_t>(x, "tensor<6xf8E5M2>"),
            (UBytes{0x3c, 0x7b, 0x7c, 0x7c, 0x01, 0x7c}));
  Tensor y = f32("tensor<6xf32>", {448, 1e6, -kInf, kNaN, 0x1p-9f, 1.0625});
  std::vector<uint8_t> bits = convert<uint8_t>(y, "tensor<6xf8E4M3FN>");
  bits[3] &= 0x7f;
  EXPECT_EQ(bits, (UBytes{0x7e, 0x7e, 0xfe, 0x7f, 0x01, 0x38}));
  // Every 8-bit pattern survives the way to f32 and back.
  for (const char *type : {"tensor<256xf8E5M2>", "tensor<256xf8E4M3FN>"}) {
    UBytes all(256);
    for (int i = 0; i < 256; ++i)
      all[i] = i;
    Tensor wide =
        applyTo("convert", "tensor<256xf32>", {make<uint8_t>(type, all)});
    EXPECT_EQ(convert<uint8_t>(wide, type), all) << type;
  }
}

TEST(Convert, ComplexDropsTheImaginaryPart) {
  Tensor z = make<float>("tensor<1xcomplex<f32>>", {2.5, 7});
  EXPECT_EQ(convert<float>(z, "tensor<1xf32>"), (Floats{2.5}));
  EXPECT_EQ(convert<int8_t>(z, "tensor<1xi8>"), (Bytes{2}));
  EXPECT_EQ(convert<double>(z, "tensor<1xcomplex<f64>>"), (Doubles{2.5, 7}));
}

TEST(Bitcast, KeepsEveryBit) {
  std::vector<uint32_t> bits{0x3f800000, 0x80000000, 0x7fa00001, 0xffffffff};
  Tensor x = make<uint32_t>("tensor<4xui32>", bits);
  Tensor y = applyTo("bitcast", kF32x4, {x});
  EXPECT_EQ(read<uint32_t>(y), bits);
  EXPECT_EQ(read<uint32_t>(applyTo("bitcast", "tensor<4xui32>", {y})), bits);
  std::vector<uint16_t> all(65536);
  for (int i = 0; i < 65536; ++i)
    all[i] = i;
  for (const char *type : {"tensor<65536xf16>", "tensor<65536xbf16>"}) {
    Tensor from = make<uint16_t>("tensor<65536xui16>", all);
    EXPECT_EQ(read<uint16_t>(applyTo("bitcast", type, {from})), all) << type;
  }
}
