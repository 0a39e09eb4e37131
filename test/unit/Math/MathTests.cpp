//===- MathTests.cpp - errors of the arithmetic expansions ----------------===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
// Measures the kernels on host numbers, against the next wider type of the C
// library. `--report` prints the worst errors as a Markdown table instead.

#include "Native.h"

#include "Root.h"
#include "Trig.h"

#include <gtest/gtest.h>

#include <cfloat>
#include <cstdio>
#include <cstring>
#include <random>
#include <vector>

namespace {

namespace k = nxv::math::kernels;
using Wide = long double;

//===----------------------------------------------------------------------===//
// References
//===----------------------------------------------------------------------===//

Wide wideSigmoid(Wide x) { return 1 / (1 + std::exp(-x)); }
Wide wideRsqrt(Wide x) { return 1 / std::sqrt(x); }
Wide wideLog10(Wide x) { return std::log10(x); }

/// Newton's method on erf, or on erfc where erf saturates.
Wide wideErfInv(Wide x) {
  Wide a = std::fabs(x);
  if (a > 1)
    return NAN;
  if (a == 1)
    return std::copysign(INFINITY, x);
  Wide w = -std::log1p(-a * a);
  Wide c = 2 / (3.14159265358979323846L * 0.147L) + -w / 2;
  Wide y = std::sqrt(std::sqrt(c * c + w / 0.147L) - c);
  for (int i = 0; i < 5; ++i) {
    Wide error = a < 0.5L ? std::erf(y) - a : (1 - a) - std::erfc(y);
    Wide slope = 1.12837916709551257390L * std::exp(-y * y);
    Wide step = error / slope;
    y -= step / (1 + y * step); // Halley
  }
  return a < 1e-18L ? x * 0.88622692545275801365L : std::copysign(y, x);
}

//===----------------------------------------------------------------------===//
// Measuring
//===----------------------------------------------------------------------===//

struct Range {
  double lo, hi;
};

/// The distance in units in the last place of T at the exact value.
template <typename T>
double ulpError(T got, Wide exact) {
  T rounded = static_cast<T>(exact);
  if (std::isnan(exact))
    return std::isnan(got) ? 0 : HUGE_VAL;
  if (got == rounded)
    return 0 + static_cast<double>(
                   std::isfinite(rounded)
                       ? std::fabs(static_cast<Wide>(got) - exact) /
                             std::ldexp(
                                 1.0L,
                                 std::max(std::ilogb(exact == 0 ? 1.0L : exact),
                                          std::numeric_limits<T>::min_exponent -
                                              1) -
                                     (std::numeric_limits<T>::digits - 1))
                       : 0);
  if (std::isnan(got))
    return HUGE_VAL;
  int exponent = std::max(std::ilogb(exact == 0 ? Wide(DBL_TRUE_MIN) : exact),
                          std::numeric_limits<T>::min_exponent - 1);
  Wide ulp = std::ldexp(1.0L, exponent - (std::numeric_limits<T>::digits - 1));
  Wide value = got;
  // An infinity stands for the number after the largest one.
  if (std::isinf(got))
    value = std::copysign(
        std::ldexp(1.0L, std::numeric_limits<T>::max_exponent), got);
  return static_cast<double>(std::fabs(value - exact) / ulp);
}

template <typename T>
T fromBits(uint64_t bits) {
  T value;
  std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t> narrow =
      static_cast<decltype(narrow)>(bits);
  std::memcpy(&value, &narrow, sizeof(T));
  return value;
}

struct Worst {
  double ulp = 0;
  double at = 0, at2 = 0;
};

template <typename T>
using Unary = T (*)(T);
using WideUnary = Wide (*)(Wide);

/// One function to measure: its instantiations, its reference, its ranges.
struct Case {
  const char *name;
  Unary<float> f32, f32Perturbed;
  Unary<double> f64, f64Perturbed;
  WideUnary reference;
  double bound32, bound64;
  std::vector<Range> ranges;
};

template <typename T, typename R>
void measureRange(Unary<T> function, R reference, Range range, size_t count,
                  std::mt19937_64 &random, Worst &worst) {
  std::uniform_real_distribution<double> uniform(range.lo, range.hi);
  for (size_t i = 0; i < count; ++i) {
    T x = static_cast<T>(uniform(random));
    double error = ulpError<T>(function(x), reference(static_cast<Wide>(x)));
    if (!(error <= worst.ulp))
      worst = {error, static_cast<double>(x), 0};
  }
}

template <typename T>
Worst measure(Unary<T> function, WideUnary reference,
              const std::vector<Range> &ranges, size_t count) {
  std::mt19937_64 random(20240611);
  Worst worst;
  size_t each = count / (2 * ranges.size());
  for (Range range : ranges)
    measureRange<T>(function, reference, range, each, random, worst);
  // Any number whatever.
  for (size_t i = 0; i < count / 2; ++i) {
    T x = fromBits<T>(random());
    if (std::isnan(x))
      continue;
    double error = ulpError<T>(function(x), reference(static_cast<Wide>(x)));
    if (!(error <= worst.ulp))
      worst = {error, static_cast<double>(x), 0};
  }
  return worst;
}

#define NXV_CASE(NAME, REFERENCE, BOUND32, BOUND64, ...)                       \
  Case {                                                                       \
    #NAME, [](float x) { return k::NAME(k::NativeFloat<float, false>{x}).v; }, \
        [](float x) { return k::NAME(k::NativeFloat<float, true>{x}).v; },     \
        [](double x) { return k::NAME(k::NativeFloat<double, false>{x}).v; },  \
        [](double x) { return k::NAME(k::NativeFloat<double, true>{x}).v; },   \
        [](Wide x) -> Wide { return REFERENCE(x); }, BOUND32, BOUND64,         \
        __VA_ARGS__                                                            \
  }

std::vector<Case> cases() {
  using R = std::vector<Range>;
  return {
      NXV_CASE(exp, std::exp, 2, 2, R{{-104, 89}, {-1, 1}, {-746, 710}}),
      NXV_CASE(exp2, std::exp2, 2, 2, R{{-150, 129}, {-1, 1}, {-1075, 1024}}),
      NXV_CASE(expm1, std::expm1, 2, 2, R{{-20, 89}, {-1, 1}, {-45, 710}}),
      NXV_CASE(log, std::log, 2, 2, R{{0, 10}, {0.7, 1.5}, {0.99, 1.01}}),
      NXV_CASE(log2, std::log2, 2, 2, R{{0, 10}, {0.7, 1.5}, {0.99, 1.01}}),
      NXV_CASE(log10, wideLog10, 2, 2, R{{0, 10}, {0.7, 1.5}, {0.99, 1.01}}),
      NXV_CASE(log1p, std::log1p, 2, 2,
               R{{-1, 10}, {-0.5, 0.5}, {-0.01, 0.01}}),
      NXV_CASE(sigmoid, wideSigmoid, 2, 2, R{{-20, 20}, {-1, 1}, {-750, 100}}),
      NXV_CASE(tanh, std::tanh, 2, 2, R{{-10, 10}, {-1, 1}, {-22, 22}}),
      NXV_CASE(sinh, std::sinh, 2, 2, R{{-90, 90}, {-2, 2}, {-711, 711}}),
      NXV_CASE(cosh, std::cosh, 2, 2, R{{-90, 90}, {-2, 2}, {-711, 711}}),
      NXV_CASE(sqrt, std::sqrt, 2, 2, R{{0, 4}, {0, 1e6}}),
      NXV_CASE(rsqrt, wideRsqrt, 2, 2, R{{0, 4}, {0, 1e6}}),
      NXV_CASE(cbrt, std::cbrt, 2, 2, R{{-8, 8}, {1, 64}}),
      NXV_CASE(erf, std::erf, 2, 2, R{{-1, 1}, {-6, 6}, {0.85, 1}}),
      NXV_CASE(erfc, std::erfc, 2, 2, R{{-1, 1}, {-6, 28}, {0, 10.1}}),
      NXV_CASE(erfInv, wideErfInv, 2, 4, R{{-1, 1}, {0.98, 1}, {0.99999, 1}}),
      NXV_CASE(sin, std::sin, 2, 2, R{{-3.2, 3.2}, {-4096, 4096}, {-2e6, 2e6}}),
      NXV_CASE(cos, std::cos, 2, 2, R{{-3.2, 3.2}, {-4096, 4096}, {-2e6, 2e6}}),
      NXV_CASE(tan, std::tan, 2, 2, R{{-3.2, 3.2}, {-4096, 4096}, {-2e6, 2e6}}),
      NXV_CASE(asin, std::asin, 2, 2, R{{-1, 1}, {0.45, 0.55}, {0.999, 1}}),
      NXV_CASE(acos, std::acos, 2, 2,
               R{{-1, 1}, {0.45, 0.55}, {0.999, 1}, {-1, -0.999}}),
      NXV_CASE(atan, std::atan, 2, 2, R{{-4, 4}, {0.4, 0.43}, {2.35, 2.5}}),
      NXV_CASE(asinh, std::asinh, 2, 2, R{{-2, 2}, {0.45, 0.55}, {-1e9, 1e9}}),
      NXV_CASE(acosh, std::acosh, 2, 2, R{{1, 2}, {1, 1.001}, {1, 1e9}}),
      NXV_CASE(atanh, std::atanh, 2, 2, R{{-1, 1}, {-0.01, 0.01}, {0.999, 1}}),
  };
}

template <typename T>
using Binary = T (*)(T, T);

struct BinaryCase {
  const char *name;
  Binary<float> f32, f32Perturbed;
  Binary<double> f64, f64Perturbed;
  Wide (*reference)(Wide, Wide);
  double bound;
  std::vector<std::pair<Range, Range>> ranges;
};

#define NXV_BINARY_CASE(NAME, REFERENCE, BOUND, ...)                           \
  BinaryCase {                                                                 \
    #NAME,                                                                     \
        [](float x, float y) {                                                 \
          using F = k::NativeFloat<float, false>;                              \
          return k::NAME(F{x}, F{y}).v;                                        \
        },                                                                     \
        [](float x, float y) {                                                 \
          using F = k::NativeFloat<float, true>;                               \
          return k::NAME(F{x}, F{y}).v;                                        \
        },                                                                     \
        [](double x, double y) {                                               \
          using F = k::NativeFloat<double, false>;                             \
          return k::NAME(F{x}, F{y}).v;                                        \
        },                                                                     \
        [](double x, double y) {                                               \
          using F = k::NativeFloat<double, true>;                              \
          return k::NAME(F{x}, F{y}).v;                                        \
        },                                                                     \
        [](Wide x, Wide y) -> Wide { return REFERENCE(x, y); }, BOUND,         \
        __VA_ARGS__                                                            \
  }

std::vector<BinaryCase> binaryCases() {
  using R = std::vector<std::pair<Range, Range>>;
  return {
      NXV_BINARY_CASE(pow, std::pow, 4,
                      R{{{0, 10}, {-30, 30}},
                        {{0.9, 1.1}, {-900, 900}},
                        {{0.999, 1.001}, {-1e5, 1e5}},
                        {{0, 1e9}, {-34, 34}}}),
      NXV_BINARY_CASE(atan2, std::atan2, 4,
                      R{{{-4, 4}, {-4, 4}},
                        {{-1e-3, 1e-3}, {-1, 1}},
                        {{-1e30, 1e30}, {-1, 1}}}),
  };
}

template <typename T>
Worst measure(Binary<T> function, Wide (*reference)(Wide, Wide),
              const std::vector<std::pair<Range, Range>> &ranges,
              size_t count) {
  std::mt19937_64 random(20240611);
  Worst worst;
  auto point = [&](T x, T y) {
    double error = ulpError<T>(
        function(x, y), reference(static_cast<Wide>(x), static_cast<Wide>(y)));
    if (!(error <= worst.ulp))
      worst = {error, static_cast<double>(x), static_cast<double>(y)};
  };
  for (const auto &[xs, ys] : ranges) {
    std::uniform_real_distribution<double> x(xs.lo, xs.hi), y(ys.lo, ys.hi);
    for (size_t i = 0; i < count / (2 * ranges.size()); ++i)
      point(static_cast<T>(x(random)), static_cast<T>(y(random)));
  }
  for (size_t i = 0; i < count / 2; ++i) {
    T x = fromBits<T>(random()), y = fromBits<T>(random());
    if (!std::isnan(x) && !std::isnan(y))
      point(x, y);
  }
  return worst;
}

constexpr size_t kPoints = 1 << 20;
constexpr size_t kPerturbedPoints = 1 << 17;
/// What a device's inexact division may add.
constexpr double kPerturbedSlack = 1;

void expectWithin(const char *name, const char *type, Worst worst,
                  double bound) {
  EXPECT_LE(worst.ulp, bound)
      << name << " " << type << " at " << worst.at << " " << worst.at2;
}

TEST(Math, UnaryBounds) {
  for (const Case &c : cases()) {
    expectWithin(c.name, "f32",
                 measure<float>(c.f32, c.reference, c.ranges, kPoints),
                 c.bound32);
    expectWithin(c.name, "f64",
                 measure<double>(c.f64, c.reference, c.ranges, kPoints),
                 c.bound64);
  }
}

TEST(Math, BinaryBounds) {
  for (const BinaryCase &c : binaryCases()) {
    expectWithin(c.name, "f32",
                 measure<float>(c.f32, c.reference, c.ranges, kPoints),
                 c.bound);
    expectWithin(c.name, "f64",
                 measure<double>(c.f64, c.reference, c.ranges, kPoints),
                 c.bound);
  }
}

TEST(Math, BoundsWithInexactDivision) {
  for (const Case &c : cases()) {
    expectWithin(
        c.name, "f32",
        measure<float>(c.f32Perturbed, c.reference, c.ranges, kPerturbedPoints),
        c.bound32 + kPerturbedSlack);
    expectWithin(c.name, "f64",
                 measure<double>(c.f64Perturbed, c.reference, c.ranges,
                                 kPerturbedPoints),
                 c.bound64 + kPerturbedSlack);
  }
  for (const BinaryCase &c : binaryCases()) {
    expectWithin(
        c.name, "f32",
        measure<float>(c.f32Perturbed, c.reference, c.ranges, kPerturbedPoints),
        c.bound + kPerturbedSlack);
    expectWithin(c.name, "f64",
                 measure<double>(c.f64Perturbed, c.reference, c.ranges,
                                 kPerturbedPoints),
                 c.bound + kPerturbedSlack);
  }
}

//===----------------------------------------------------------------------===//
// Special values: the C library is the judge, signs of zero included
//===----------------------------------------------------------------------===//

template <typename T>
std::vector<T> specials() {
  T inf = std::numeric_limits<T>::infinity();
  std::vector<T> out = {0,
                        1,
                        2,
                        3,
                        T(0.5),
                        T(1.5),
                        T(2.5),
                        inf,
                        std::numeric_limits<T>::max(),
                        std::numeric_limits<T>::min(),
                        std::numeric_limits<T>::denorm_min(),
                        std::nextafter(T(1), T(2)),
                        std::nextafter(T(1), T(0)),
                        T(1e-30),
                        T(1e30),
                        T(4),
                        T(7),
                        T(1e10)};
  size_t count = out.size();
  for (size_t i = 0; i < count; ++i)
    out.push_back(-out[i]);
  out.push_back(std::numeric_limits<T>::quiet_NaN());
  out.push_back(
      fromBits<T>(sizeof(T) == 4 ? 0xff812345u : 0xfff8123456789abcull));
  return out;
}

template <typename T>
void expectSame(const char *name, T got, Wide exact, double bound, T x,
                T y = 0) {
  EXPECT_LE(ulpError<T>(got, exact), bound)
      << name << "(" << x << ", " << y << ") = " << got << ", not " << exact;
  if (!std::isnan(exact) && !std::isnan(got)) {
    EXPECT_EQ(std::signbit(got), std::signbit(exact))
        << name << "(" << x << ", " << y << ") = " << got << ", not " << exact;
  }
}

template <typename T>
void checkSpecials() {
  constexpr bool single = sizeof(T) == 4;
  for (const Case &c : cases()) {
    for (T x : specials<T>()) {
      if constexpr (single)
        expectSame<T>(c.name, c.f32(x), c.reference(x), c.bound32, x);
      else
        expectSame<T>(c.name, c.f64(x), c.reference(x), c.bound64, x);
    }
  }
  for (const BinaryCase &c : binaryCases()) {
    for (T x : specials<T>()) {
      for (T y : specials<T>()) {
        if constexpr (single)
          expectSame<T>(c.name, c.f32(x, y), c.reference(x, y), c.bound, x, y);
        else
          expectSame<T>(c.name, c.f64(x, y), c.reference(x, y), c.bound, x, y);
      }
    }
  }
}

TEST(Math, SpecialValuesF32) { checkSpecials<float>(); }
TEST(Math, SpecialValuesF64) { checkSpecials<double>(); }

void report(size_t points) {
  std::printf("| function | f32 | f64 | f32, inexact division | f64, inexact "
              "division |\n|---|---|---|---|---|\n");
  auto row = [&](const auto &c) {
    Worst w[] = {
        measure<float>(c.f32, c.reference, c.ranges, points),
        measure<double>(c.f64, c.reference, c.ranges, points),
        measure<float>(c.f32Perturbed, c.reference, c.ranges, points),
        measure<double>(c.f64Perturbed, c.reference, c.ranges, points)};
    std::printf("| %s | %.2f | %.2f | %.2f | %.2f |\n", c.name, w[0].ulp,
                w[1].ulp, w[2].ulp, w[3].ulp);
    if (std::getenv("NXV_MATH_POINTS"))
      std::printf("    at %a; %a; %a; %a (%a)\n", w[0].at, w[1].at, w[2].at,
                  w[3].at, w[0].at2);
    std::fflush(stdout);
  };
  for (const Case &c : cases())
    row(c);
  for (const BinaryCase &c : binaryCases())
    row(c);
}

} // namespace

int main(int argc, char **argv) {
  if (argc > 1 && !std::strcmp(argv[1], "--report")) {
    report(argc > 2 ? std::strtoull(argv[2], nullptr, 10) : kPoints);
    return 0;
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
