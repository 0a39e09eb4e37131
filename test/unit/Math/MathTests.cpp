//===- MathTests.cpp - errors of the arithmetic expansions ----------------===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
// Measures the kernels on host numbers, against the next wider type of the C
// library. `--report [points [--where]]` prints the worst errors as a Markdown
// table instead.

#include "Native.h"

#include "Root.h"
#include "Trig.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cfloat>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#ifdef __SSE2__
#include <xmmintrin.h>
#endif

namespace {

namespace k = nxv::math::kernels;
using Wide = long double;

/// The type that an exact value is computed in.
template <typename T>
using WiderThan = std::conditional_t<sizeof(T) == 4, double, Wide>;

//===----------------------------------------------------------------------===//
// References
//===----------------------------------------------------------------------===//

template <typename R>
R wideSigmoid(R x) {
  return 1 / (1 + std::exp(-x));
}
template <typename R>
R wideRsqrt(R x) {
  return 1 / std::sqrt(x);
}

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

/// The distance in units in the last place of T at the exact value.
template <typename T, typename W>
double ulpError(T got, W exact) {
  using Limits = std::numeric_limits<T>;
  if (std::isnan(exact) || std::isnan(got))
    return std::isnan(exact) == std::isnan(got) ? 0 : HUGE_VAL;
  if (std::isinf(exact) || exact == 0)
    return got == exact ? 0 : HUGE_VAL;
  // An infinity stands for the number after the largest one.
  W largest = std::ldexp(W(1), Limits::max_exponent);
  W value = std::isinf(got) ? std::copysign(largest, W(got)) : W(got);
  if (std::isinf(got) && std::fabs(exact) >= largest)
    return 0;
  int exponent = std::max(std::ilogb(exact), Limits::min_exponent - 1);
  exponent = std::min(exponent, Limits::max_exponent - 1);
  return static_cast<double>(
      std::ldexp(std::fabs(value - exact), Limits::digits - 1 - exponent));
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
  double ulp = 0, x = 0, y = 0;
};

struct Box {
  double xLow, xHigh, yLow = 0, yHigh = 0;
};

/// The instantiations for one type; a function of one operand ignores `y`.
template <typename T>
struct Kernel {
  T (*exact)(T x, T y);
  T (*perturbed)(T x, T y);
  WiderThan<T> (*reference)(WiderThan<T> x, WiderThan<T> y);
};

struct Case {
  const char *name;
  bool isBinary;
  Kernel<float> f32;
  Kernel<double> f64;
  double bound32, bound64;
  std::vector<Box> boxes;

  template <typename T>
  const Kernel<T> &kernel() const {
    if constexpr (sizeof(T) == 4)
      return f32;
    else
      return f64;
  }
  template <typename T>
  double bound() const {
    return sizeof(T) == 4 ? bound32 : bound64;
  }
};

/// Half of the points lie in the case's boxes, half are any numbers whatever.
template <typename T>
Worst measure(const Case &c, bool perturbed, size_t count) {
  using W = WiderThan<T>;
  const Kernel<T> &kernel = c.kernel<T>();
  auto *function = perturbed ? kernel.perturbed : kernel.exact;
  std::mt19937_64 random(20240611);
  Worst worst;
  auto point = [&](T x, T y) {
    double error = ulpError<T, W>(function(x, y), kernel.reference(x, y));
    if (!(error <= worst.ulp))
      worst = {error, static_cast<double>(x), static_cast<double>(y)};
  };
  auto within = [&](double low, double high) {
    double unit = static_cast<double>(random() >> 11) * 0x1p-53;
    return static_cast<T>(low + (high - low) * unit);
  };
  for (const Box &box : c.boxes) {
    for (size_t i = 0; i < count / (2 * c.boxes.size()); ++i) {
      T x = within(box.xLow, box.xHigh);
      point(x, c.isBinary ? within(box.yLow, box.yHigh) : T(0));
    }
  }
  for (size_t i = 0; i < count / 2; ++i) {
    T x = fromBits<T>(random());
    point(x, c.isBinary ? fromBits<T>(random()) : T(0));
  }
  return worst;
}

//===----------------------------------------------------------------------===//
// The functions
//===----------------------------------------------------------------------===//

#define NXV_KERNEL(T, CALL, REFERENCE_CALL)                                    \
  Kernel<T> {                                                                  \
    [](T a, T b) {                                                             \
      k::NativeFloat<T, false> x{a}, y{b};                                     \
      (void)y;                                                                 \
      return k::CALL.v;                                                        \
    },                                                                         \
        [](T a, T b) {                                                         \
          k::NativeFloat<T, true> x{a}, y{b};                                  \
          (void)y;                                                             \
          return k::CALL.v;                                                    \
        },                                                                     \
        [](WiderThan<T> x, WiderThan<T> y) -> WiderThan<T> {                   \
          (void)y;                                                             \
          return REFERENCE_CALL;                                               \
        }                                                                      \
  }
#define NXV_CASE(NAME, IS_BINARY, ARGS, REFERENCE, ...)                        \
  Case {                                                                       \
    #NAME, IS_BINARY, NXV_KERNEL(float, NAME ARGS, REFERENCE ARGS),            \
        NXV_KERNEL(double, NAME ARGS, REFERENCE ARGS), __VA_ARGS__             \
  }
#define NXV_UNARY(NAME, REFERENCE, ...)                                        \
  NXV_CASE(NAME, false, (x), REFERENCE, __VA_ARGS__)
#define NXV_BINARY(NAME, REFERENCE, ...)                                       \
  NXV_CASE(NAME, true, (x, y), REFERENCE, __VA_ARGS__)

std::vector<Case> cases() {
  using B = std::vector<Box>;
  return {
      NXV_UNARY(exp, std::exp, 2, 2, B{{-104, 89}, {-1, 1}, {-746, 710}}),
      NXV_UNARY(exp2, std::exp2, 2, 2, B{{-150, 129}, {-1, 1}, {-1075, 1024}}),
      NXV_UNARY(expm1, std::expm1, 2, 2, B{{-20, 89}, {-1, 1}, {-45, 710}}),
      NXV_UNARY(log, std::log, 2, 2, B{{0, 10}, {0.7, 1.5}, {0.99, 1.01}}),
      NXV_UNARY(log2, std::log2, 2, 2, B{{0, 10}, {0.7, 1.5}, {0.99, 1.01}}),
      NXV_UNARY(log10, std::log10, 2, 2, B{{0, 10}, {0.7, 1.5}, {0.99, 1.01}}),
      NXV_UNARY(log1p, std::log1p, 2, 2,
                B{{-1, 10}, {-0.5, 0.5}, {-0.01, 0.01}}),
      NXV_UNARY(sigmoid, wideSigmoid, 2, 2, B{{-20, 20}, {-1, 1}, {-750, 100}}),
      NXV_UNARY(tanh, std::tanh, 2, 2,
                B{{-10, 10}, {-1, 1}, {0.6, 0.65}, {-22, 22}}),
      NXV_UNARY(sinh, std::sinh, 2, 2, B{{-90, 90}, {-2, 2}, {-711, 711}}),
      NXV_UNARY(cosh, std::cosh, 2, 2, B{{-90, 90}, {-2, 2}, {-711, 711}}),
      NXV_UNARY(sqrt, std::sqrt, 2, 2, B{{0, 4}, {0, 1e6}}),
      NXV_UNARY(rsqrt, wideRsqrt, 2, 2, B{{0, 4}, {0, 1e6}}),
      NXV_UNARY(cbrt, std::cbrt, 2, 2, B{{-8, 8}, {1, 64}}),
      NXV_UNARY(erf, std::erf, 2, 2, B{{-1, 1}, {-6, 6}, {0.85, 1}}),
      NXV_UNARY(erfc, std::erfc, 2, 2, B{{-1, 1}, {-6, 28}, {0, 10.1}}),
      NXV_UNARY(erfInv, wideErfInv, 2, 2, B{{-1, 1}, {0.98, 1}, {0.99999, 1}}),
      NXV_UNARY(sin, std::sin, 2, 2,
                B{{-3.2, 3.2}, {-4096, 4096}, {-2e6, 2e6}}),
      NXV_UNARY(cos, std::cos, 2, 2,
                B{{-3.2, 3.2}, {-4096, 4096}, {-2e6, 2e6}}),
      NXV_UNARY(tan, std::tan, 2, 2,
                B{{-3.2, 3.2}, {-4096, 4096}, {-2e6, 2e6}}),
      NXV_UNARY(asin, std::asin, 2, 2, B{{-1, 1}, {0.45, 0.55}, {0.999, 1}}),
      NXV_UNARY(acos, std::acos, 2, 2,
                B{{-1, 1}, {0.45, 0.55}, {0.999, 1}, {-1, -0.999}}),
      NXV_UNARY(atan, std::atan, 2, 2, B{{-4, 4}, {0.4, 0.43}, {2.35, 2.5}}),
      NXV_UNARY(asinh, std::asinh, 2, 2, B{{-2, 2}, {0.45, 0.55}, {-1e9, 1e9}}),
      NXV_UNARY(acosh, std::acosh, 2, 2, B{{1, 2}, {1, 1.001}, {1, 1e9}}),
      NXV_UNARY(atanh, std::atanh, 2, 2, B{{-1, 1}, {-0.01, 0.01}, {0.999, 1}}),
      NXV_BINARY(pow, std::pow, 4, 4,
                 B{{0, 10, -30, 30},
                   {0.9, 1.1, -900, 900},
                   {0.999, 1.001, -1e5, 1e5},
                   {0, 1e9, -34, 34}}),
      NXV_BINARY(atan2, std::atan2, 4, 4,
                 B{{-4, 4, -4, 4}, {-1e-3, 1e-3, -1, 1}, {-1e30, 1e30, -1, 1}}),
  };
}

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

constexpr size_t kPoints = 1 << 20;
constexpr size_t kPerturbedPoints = 1 << 17;

template <typename T>
void checkBounds(bool perturbed, size_t count) {
  for (const Case &c : cases()) {
    Worst worst = measure<T>(c, perturbed, count);
    EXPECT_LE(worst.ulp, c.bound<T>())
        << c.name << " at " << worst.x << " " << worst.y;
  }
}

TEST(Math, BoundsF32) { checkBounds<float>(false, kPoints); }
TEST(Math, BoundsF64) { checkBounds<double>(false, kPoints); }
TEST(Math, BoundsF32WithInexactDivision) {
  checkBounds<float>(true, kPerturbedPoints);
}
TEST(Math, BoundsF64WithInexactDivision) {
  checkBounds<double>(true, kPerturbedPoints);
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
void checkSpecial(const Case &c, T x, T y) {
  T got = c.kernel<T>().exact(x, y);
  WiderThan<T> exact = c.kernel<T>().reference(x, y);
  EXPECT_LE(ulpError(got, exact), c.bound<T>())
      << c.name << "(" << x << ", " << y << ") = " << got << ", not " << exact;
  if (!std::isnan(exact) && !std::isnan(got)) {
    EXPECT_EQ(std::signbit(got), std::signbit(exact))
        << c.name << "(" << x << ", " << y << ") = " << got;
  }
}

template <typename T>
void checkSpecials() {
  for (const Case &c : cases())
    for (T x : specials<T>())
      for (T y : c.isBinary ? specials<T>() : std::vector<T>{0})
        checkSpecial<T>(c, x, y);
}

TEST(Math, SpecialValuesF32) { checkSpecials<float>(); }
TEST(Math, SpecialValuesF64) { checkSpecials<double>(); }

//===----------------------------------------------------------------------===//
// Subnormal arguments on a device that flushes them
//===----------------------------------------------------------------------===//

#ifdef __SSE2__
/// Operands and results that are subnormal are zeros, as on many a device.
class Flushing {
public:
  Flushing() : before(_mm_getcsr()) {
    constexpr unsigned results = 0x8000, operands = 0x40;
    _mm_setcsr(before | results | operands);
  }
  ~Flushing() { _mm_setcsr(before); }

private:
  unsigned before;
};

template <typename T>
[[gnu::noinline]] T callFlushing(const Kernel<T> &kernel, T x, T y) {
  Flushing flushing;
  return kernel.exact(x, y);
}

template <typename T>
void checkOneFlushing(const Case &c, T x) {
  T y = T(0.25);
  T got = callFlushing<T>(c.kernel<T>(), x, y);
  WiderThan<T> exact = c.kernel<T>().reference(x, y);
  EXPECT_LE(ulpError(got, exact), c.bound<T>())
      << c.name << "(" << x << ") = " << got << ", not " << exact;
}

/// Those that take subnormal arguments for what they are all the same.
template <typename T>
void checkFlushing() {
  const std::vector<std::string> names = {
      "log",   "log2",  "log10", "log1p", "expm1", "sqrt", "rsqrt",
      "cbrt",  "sin",   "tan",   "tanh",  "sinh",  "asin", "atan",
      "asinh", "atanh", "cosh",  "cos",   "acos",  "pow"};
  std::mt19937_64 random(20240611);
  constexpr uint64_t fractions =
      (uint64_t(1) << (std::numeric_limits<T>::digits - 1)) - 1;
  for (const Case &c : cases()) {
    if (std::find(names.begin(), names.end(), c.name) == names.end())
      continue;
    checkOneFlushing<T>(c, std::numeric_limits<T>::denorm_min());
    for (int i = 0; i < 1000; ++i) {
      T x = fromBits<T>((random() & fractions) | 1);
      checkOneFlushing<T>(c, x);
      checkOneFlushing<T>(c, -x);
    }
  }
}

TEST(Math, SubnormalArgumentsF32) { checkFlushing<float>(); }
TEST(Math, SubnormalArgumentsF64) { checkFlushing<double>(); }
#endif

//===----------------------------------------------------------------------===//
// Report
//===----------------------------------------------------------------------===//

void report(size_t points, bool where) {
  std::printf("| function | f32 | f64 | f32, inexact division | f64, inexact "
              "division |\n|---|---|---|---|---|\n");
  for (const Case &c : cases()) {
    Worst worst[] = {
        measure<float>(c, false, points), measure<double>(c, false, points),
        measure<float>(c, true, points), measure<double>(c, true, points)};
    std::printf("| %s |", c.name);
    for (const Worst &w : worst)
      std::printf(" %.2f |", w.ulp);
    for (const Worst &w : worst)
      if (where)
        std::printf(" (%a, %a)", w.x, w.y);
    std::printf("\n");
    std::fflush(stdout);
  }
}

} // namespace

int main(int argc, char **argv) {
  if (argc > 1 && !std::strcmp(argv[1], "--report")) {
    size_t points = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : kPoints;
    report(points, argc > 3 && !std::strcmp(argv[3], "--where"));
    return 0;
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
