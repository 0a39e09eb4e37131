//===- Functions.cpp - what is measured, and what it should be ------------===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Functions.h"

#include <cmath>

// The quadruple precision of GCC's library; its header is GCC's own.
extern "C" {
using QuadNumber = __float128;
QuadNumber acosq(QuadNumber), acoshq(QuadNumber), asinq(QuadNumber);
QuadNumber asinhq(QuadNumber), atanq(QuadNumber), atanhq(QuadNumber);
QuadNumber cbrtq(QuadNumber), cosq(QuadNumber), coshq(QuadNumber);
QuadNumber erfq(QuadNumber), erfcq(QuadNumber), expq(QuadNumber);
QuadNumber expm1q(QuadNumber), fabsq(QuadNumber), logq(QuadNumber);
QuadNumber log1pq(QuadNumber), sinq(QuadNumber), sinhq(QuadNumber);
QuadNumber sqrtq(QuadNumber), tanq(QuadNumber), tanhq(QuadNumber);
QuadNumber atan2q(QuadNumber, QuadNumber), fmodq(QuadNumber, QuadNumber);
QuadNumber powq(QuadNumber, QuadNumber), copysignq(QuadNumber, QuadNumber);
}

namespace nxv::ulp {
namespace {

//===----------------------------------------------------------------------===//
// One name for each function, in every precision
//===----------------------------------------------------------------------===//

#define NXV_QUAD(NAME)                                                         \
  inline Quad NAME(Quad x) { return NAME##q(x); }
NXV_QUAD(acos)
NXV_QUAD(acosh)
NXV_QUAD(asin)
NXV_QUAD(asinh)
NXV_QUAD(atan)
NXV_QUAD(atanh)
NXV_QUAD(cbrt)
NXV_QUAD(cos)
NXV_QUAD(cosh)
NXV_QUAD(erf)
NXV_QUAD(erfc)
NXV_QUAD(exp)
NXV_QUAD(expm1)
NXV_QUAD(fabs)
NXV_QUAD(log)
NXV_QUAD(log1p)
NXV_QUAD(sin)
NXV_QUAD(sinh)
NXV_QUAD(sqrt)
NXV_QUAD(tan)
NXV_QUAD(tanh)
#undef NXV_QUAD
inline Quad atan2(Quad y, Quad x) { return atan2q(y, x); }
inline Quad fmod(Quad x, Quad y) { return fmodq(x, y); }
inline Quad pow(Quad x, Quad y) { return powq(x, y); }
inline Quad copysign(Quad x, Quad y) { return copysignq(x, y); }

using std::acos, std::acosh, std::asin, std::asinh, std::atan, std::atanh;
using std::atan2, std::cbrt, std::copysign, std::cos, std::cosh, std::erf;
using std::erfc, std::exp, std::expm1, std::fabs, std::fmod, std::log;
using std::log1p, std::pow, std::sin, std::sinh, std::sqrt, std::tan;
using std::tanh;

//===----------------------------------------------------------------------===//
// Functions that the libraries lack
//===----------------------------------------------------------------------===//

constexpr Quad kPi = 3.14159265358979323846264338327950288Q;

template <typename W>
W sigmoid(W x) {
  return W(1) / (W(1) + exp(-x));
}

template <typename W>
W rsqrt(W x) {
  return W(1) / sqrt(x);
}

/// From a rough inverse on with Halley's method, on erf, or on erfc where erf
/// is near one. The first guess is right to 2^-8, and a step triples that.
template <typename W>
W erfInv(W x) {
  static const W kRootPi = static_cast<W>(sqrt(kPi));
  W a = fabs(x);
  if (!(a < 1))
    return a == 1 ? x / (W(1) - a) : W(NAN);
  if (a < W(0x1p-30))
    return x * (kRootPi / 2) * (W(1) + static_cast<W>(kPi) / 12 * a * a);
  double rough = static_cast<double>(-log1p(-a * a));
  double c = 2 / (3.141592653589793 * 0.147) - rough / 2;
  double f = rough / 0.147;
  W y = static_cast<W>(std::sqrt(f / (std::sqrt(c * c + f) + c)));
  for (int step = 0, steps = sizeof(W) == 8 ? 2 : 3; step < steps; ++step) {
    W error = a < W(0.5) ? erf(y) - a : (W(1) - a) - erfc(y);
    W newton = error / (W(2) / kRootPi * exp(-y * y));
    y -= newton / (W(1) + y * newton);
  }
  return copysign(y, x);
}

template <typename W>
W divide(W x, W y) {
  return x / y;
}

} // namespace

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

#define NXV_REFERENCES(CALL)                                                   \
  [](double x, [[maybe_unused]] double y) -> double { return CALL; },          \
      [](Extended x, [[maybe_unused]] Extended y) -> Extended {                \
        return CALL;                                                           \
      },                                                                       \
      [](Quad x, [[maybe_unused]] Quad y) -> Quad { return CALL; }
#define NXV_UNARY(NAME, CALL, MIRRORED, ...)                                   \
  Function { NAME, false, MIRRORED, NXV_REFERENCES(CALL), __VA_ARGS__ }
#define NXV_BINARY(NAME, CALL)                                                 \
  Function {                                                                   \
    NAME, true, false, NXV_REFERENCES(CALL), {}, {}                            \
  }

/// Doubles next to odd and even multiples of pi/2 of every size; the last but
/// one is the nearest of all.
static std::vector<double> trigSpots() {
  std::vector<double> spots = {0x1p20, 0x1p21, 0x1p12};
  for (int k = 1; k <= 4; ++k)
    spots.push_back(static_cast<double>(kPi / 2 * k));
  for (int e = 18; e < 112; e += 18)
    spots.push_back(static_cast<double>(kPi / 2 * (std::ldexp(1.0, e) + 1)));
  spots.push_back(std::ldexp(6381956970095103.0, 797));
  spots.push_back(0x1.fffffffffffffp1023);
  return spots;
}

static std::vector<Function> makeFunctions() {
  constexpr double largest = 0x1.fffffffffffffp1023, least = 0x1p-1074;
  const std::vector<Range> trig = {{0x1p-30, 0x1p22}, {0x1p22, largest}};
  const std::vector<Range> positive = {{0.5, 2}, {least, largest}};
  const double rootHalf = std::sqrt(0.5);
  return {
      NXV_UNARY("exp", exp(x), true, {{0x1p-55, 1}, {1, 746}},
                {0.34657359027997264, 709.782712893384, 708.3964185322641,
                 745.1332191019411}),
      NXV_UNARY("expm1", expm1(x), true, {{0x1p-60, 1}, {1, 746}},
                {0.34657359027997264, 37.4, 60, 709.782712893384}),
      NXV_UNARY("log", log(x), false, positive,
                {1, 2 * rootHalf, rootHalf, 0x1p-1022, 0}),
      NXV_UNARY("log1p", log1p(x), true, {{0x1p-62, 1}, {1, largest}},
                {1, 0x1p-60, 2 * rootHalf - 1, 1 - rootHalf}),
      NXV_UNARY(
          "sigmoid", sigmoid(x), true, {{0x1p-55, 1}, {1, 750}},
          {0.34657359027997264, 36.7, 708.3964185322641, 745.1332191019411}),
      NXV_UNARY("sin", sin(x), false, trig, trigSpots()),
      NXV_UNARY("cos", cos(x), false, trig, trigSpots()),
      NXV_UNARY("tan", tan(x), false, trig, trigSpots()),
      NXV_UNARY("sinh", sinh(x), true, {{0x1p-30, 1}, {1, 712}},
                {0x1p-28, 0.34657359027997264, 710.4758600739439}),
      NXV_UNARY("cosh", cosh(x), true, {{0x1p-30, 1}, {1, 712}},
                {0.34657359027997264, 710.4758600739439}),
      NXV_UNARY("tanh", tanh(x), true, {{0x1p-30, 1}, {1, 24}},
                {0.625, 19.1, 22}),
      NXV_UNARY("asin", asin(x), true, {{0x1p-30, 1}}, {0.5, 1}),
      NXV_UNARY("acos", acos(x), true, {{0x1p-60, 1}}, {0.5, 1}),
      NXV_UNARY("atan", atan(x), true, {{0x1p-30, 0x1p61}},
                {0x1p-28, 0x1.a8279ap-2, 0x1.3504f4p+1, 0x1p60}),
      NXV_UNARY("asinh", asinh(x), true, {{0x1p-30, 0x1p30}, {0x1p30, largest}},
                {0x1p-28, 0.5, 0x1p28}),
      NXV_UNARY("acosh", acosh(x), false, {{1, 0x1p30}, {0x1p30, largest}},
                {1, 1.25, 0x1p28}),
      NXV_UNARY("atanh", atanh(x), true, {{0x1p-30, 1}},
                {0x1p-28, 1, 0.17157287525380988}),
      NXV_UNARY("sqrt", sqrt(x), false, positive, {1, 4, 0x1p-1022, 0}),
      NXV_UNARY("rsqrt", rsqrt(x), false, positive, {1, 4, 0x1p-1022, 0}),
      NXV_UNARY("cbrt", cbrt(x), true, {{1, 8}, {least, largest}},
                {1, 8, 0x1p-1022, 0}),
      NXV_UNARY("erf", erf(x), true, {{0x1p-30, 1}, {1, 6.5}},
                {0.9475, 5.92, 6}),
      NXV_UNARY("erfc", erfc(x), true, {{0x1p-60, 1}, {1, 28}},
                {0.5, 0.46875, 6, 26.543258454250837, 27.22601711110837}),
      NXV_UNARY("erf_inv", erfInv(x), true, {{0x1p-60, 0.5}, {0.5, 1}},
                {0x1p-60, 0.5, 1, 0.9990348, 0.99999994}),
      NXV_BINARY("pow", pow(x, y)),
      NXV_BINARY("atan2", atan2(x, y)),
      NXV_BINARY("divide", divide(x, y)),
      NXV_BINARY("remainder", fmod(x, y)),
  };
}

const std::vector<Function> &functions() {
  static const std::vector<Function> table = makeFunctions();
  return table;
}

const Function *findFunction(const std::string &name) {
  for (const Function &function : functions())
    if (name == function.name)
      return &function;
  return nullptr;
}

} // namespace nxv::ulp
