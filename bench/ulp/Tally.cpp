//===- Tally.cpp - counts errors ------------------------------------------===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Tally.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

extern "C" {
int ilogbq(__float128);
__float128 ldexpq(__float128, int);
}

namespace nxv::ulp {

void Tally::merge(const Tally &other) {
  if (other.ulp > ulp) {
    ulp = other.ulp;
    worst = other.worst;
  }
  if (other.subnormalUlp > subnormalUlp) {
    subnormalUlp = other.subnormalUlp;
    subnormalWorst = other.subnormalWorst;
  }
  if (!wrong)
    wrongAt = other.wrongAt;
  if (!subnormalWrong)
    subnormalWrongAt = other.subnormalWrongAt;
  points += other.points;
  wrong += other.wrong;
  subnormal += other.subnormal;
  flushedResults += other.flushedResults;
  flushedArguments += other.flushedArguments;
  subnormalWrong += other.subnormalWrong;
}

//===----------------------------------------------------------------------===//
// Numbers of the wider types
//===----------------------------------------------------------------------===//

namespace {

double absolute(double x) { return std::fabs(x); }
Extended absolute(Extended x) { return std::fabs(x); }
Quad absolute(Quad x) { return x < 0 ? -x : x; }
int exponentOf(double x) { return std::ilogb(x); }
int exponentOf(Extended x) { return std::ilogb(x); }
int exponentOf(Quad x) { return ilogbq(x); }
double scaled(double x, int by) { return std::ldexp(x, by); }
Extended scaled(Extended x, int by) { return std::ldexp(x, by); }
Quad scaled(Quad x, int by) { return ldexpq(x, by); }

bool isNegative(double x) { return std::signbit(x); }
bool isNegative(Extended x) { return std::signbit(x); }
bool isNegative(Quad x) {
  unsigned __int128 bits;
  std::memcpy(&bits, &x, sizeof(bits));
  return bits >> 127;
}
template <typename W>
bool isInfinite(W x) {
  return x == x && x - x != 0;
}

/// The exponent of a normal number, by its bits.
int quickExponent(double x) {
  uint64_t bits;
  std::memcpy(&bits, &x, sizeof(bits));
  return static_cast<int>(bits >> 52 & 0x7ff) - 1023;
}
int quickExponent(Extended x) {
  uint16_t field;
  std::memcpy(&field, reinterpret_cast<const char *>(&x) + 8, sizeof(field));
  return (field & 0x7fff) - 16383;
}

template <typename W>
W quickPower(int exponent) {
  if constexpr (sizeof(W) == 8) {
    uint64_t bits = static_cast<uint64_t>(exponent + 1023) << 52;
    double power;
    std::memcpy(&power, &bits, sizeof(power));
    return power;
  } else {
    uint64_t one = uint64_t(1) << 63;
    uint16_t field = static_cast<uint16_t>(exponent + 16383);
    Extended power = 0;
    std::memcpy(&power, &one, sizeof(one));
    std::memcpy(reinterpret_cast<char *>(&power) + 8, &field, sizeof(field));
    return power;
  }
}

} // namespace

//===----------------------------------------------------------------------===//
// The judge
//===----------------------------------------------------------------------===//

Judge::Judge(const Format &format, const Function &function)
    : format(format), function(function), leastNormal(format.leastNormal()),
      vanishing(std::ldexp(Extended(1), format.minExponent - format.digits)),
      past(std::ldexp(Extended(1), format.maxExponent + 1)),
      ulpExponent(format.digits - 1) {}

bool Judge::isSubnormal(double number) const {
  double magnitude = std::fabs(number);
  return magnitude < leastNormal && magnitude > 0;
}

bool Judge::hasSubnormal(double x, double y) const {
  return isSubnormal(x) || (function.isBinary && isSubnormal(y));
}

template <>
double Judge::exactly(double x, double y) const {
  return function.twice(x, y);
}
template <>
Quad Judge::exactly(double x, double y) const {
  return function.quad(x, y);
}

/// Units in the last place at the exact value; HUGE_VAL where no distance says
/// what is wrong.
template <typename W>
double Judge::error(double got, W exact) const {
  if (exact != exact || got != got)
    return (exact != exact) == (got != got) ? 0 : HUGE_VAL;
  // Without infinities, conversions saturate.
  if (!format.hasInfinity && absolute(exact) > W(format.largest()))
    exact = exact < 0 ? -format.largest() : format.largest();
  if (isInfinite(exact) || exact == 0)
    return W(got) == exact && std::signbit(got) == isNegative(exact) ? 0
                                                                     : HUGE_VAL;
  if (std::signbit(got) != isNegative(exact))
    return HUGE_VAL;
  // An infinity stands for the number after the largest one.
  W value = std::isinf(got) ? W(past) : absolute(W(got));
  W magnitude = absolute(exact);
  if (std::isinf(got) && magnitude >= W(past))
    return 0;
  int exponent = std::max(exponentOf(exact), format.minExponent);
  exponent = std::min(exponent, format.maxExponent);
  return static_cast<double>(
      scaled(absolute(value - magnitude), ulpExponent - exponent));
}

/// What most points without a proper result are: right at first sight.
template <typename W>
bool Judge::isPlain(double got, W exact) const {
  if (exact != exact)
    return got != got;
  if (got == 0)
    return absolute(exact) <= vanishing &&
           std::signbit(got) == isNegative(exact);
  return std::isinf(got) && absolute(exact) >= past &&
         std::signbit(got) == isNegative(exact);
}

/// The extended type is not certain of more.
template <typename W>
static constexpr double doubt = sizeof(W) == 8 ? 0 : 1.0 / 128;

template <typename W, typename Exact>
void Judge::countAs(Reference<W> reference, double x, double y, double got,
                    const Tally &known, Tally &tally) const {
  ++tally.points;
  W exact = reference(x, y);
  bool normal = !hasSubnormal(x, y);
  if (normal && isPlain(got, exact))
    return;
  int exponent = quickExponent(exact);
  if (!normal || exponent < format.minExponent ||
      exponent >= format.maxExponent || !std::isfinite(got))
    return countSlowly<W, Exact>(x, y, got, exact, known, tally);
  double ulp = static_cast<double>(absolute(W(got) - exact) *
                                   quickPower<W>(ulpExponent - exponent));
  if (ulp > std::max(tally.ulp, known.ulp) - doubt<W>)
    return countSlowly<W, Exact>(x, y, got, exact, known, tally);
  if (ulp > tally.ulp) {
    tally.ulp = ulp;
    tally.worst = {x, y, got, static_cast<double>(exact)};
  }
}

void Judge::count(double x, double y, double got, const Tally &known,
                  Tally &tally) const {
  if (format.bits == 64)
    countAs<Extended, Quad>(function.extended, x, y, got, known, tally);
  else
    countAs<double, double>(function.twice, x, y, got, known, tally);
}

/// What needs thought; more exactly where it might be the worst, or wrong.
template <typename W, typename Exact>
void Judge::countSlowly(double x, double y, double got, W exact,
                        const Tally &known, Tally &tally) const {
  double ulp = error(got, exact);
  bool small = absolute(exact) < W(leastNormal) && exact != 0;
  bool subnormal = small || hasSubnormal(x, y);
  if constexpr (!std::is_same_v<W, Exact>) {
    double worst = subnormal ? std::max(tally.subnormalUlp, known.subnormalUlp)
                             : std::max(tally.ulp, known.ulp);
    if (ulp > worst - doubt<W>)
      return countSlowly<Exact, Exact>(x, y, got, function.quad(x, y), known,
                                       tally);
    tally.subnormal += subnormal;
    return;
  }
  Point point = {x, y, got, static_cast<double>(exact)};
  if (subnormal)
    return countSubnormal<W>(point, exact, ulp, tally);
  if (ulp == HUGE_VAL) {
    if (!tally.wrong++)
      tally.wrongAt = point;
  } else if (ulp > tally.ulp) {
    tally.ulp = ulp;
    tally.worst = point;
  }
}

template <typename W>
void Judge::countSubnormal(const Point &point, W exact, double ulp,
                           Tally &tally) const {
  constexpr double kept = 8; // more is not an error but another number
  ++tally.subnormal;
  bool small = absolute(exact) < W(leastNormal);
  bool vanished =
      point.got == 0 && std::signbit(point.got) == isNegative(exact);
  if (small && vanished && ulp > 1) {
    ++tally.flushedResults;
    return;
  }
  if (ulp <= kept) {
    if (ulp > tally.subnormalUlp) {
      tally.subnormalUlp = ulp;
      tally.subnormalWorst = point;
    }
    return;
  }
  auto flushed = [&](double number) {
    return isSubnormal(number) ? std::copysign(0.0, number) : number;
  };
  W instead = exactly<W>(flushed(point.x), flushed(point.y));
  if (error(point.got, instead) <= kept) {
    ++tally.flushedArguments;
    return;
  }
  if (!tally.subnormalWrong++)
    tally.subnormalWrongAt = point;
}

} // namespace nxv::ulp
