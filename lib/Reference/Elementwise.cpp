//===- Elementwise.cpp - element-wise operations ----------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Evaluators.h"
#include "Functions.h"

#include "llvm/ADT/bit.h"

#include <cmath>

using namespace nxv;
using namespace nxv::reference;

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// result[i] = fit(fn(x[i])), for operands of class T.
template <typename T, typename R, typename Fn>
static void mapInto(Array &result, const Array &x, Fn fn) {
  Element element = result.getElement();
  const std::vector<T> &source = x.get<T>();
  std::vector<R> &target = result.get<R>();
  for (size_t i = 0, e = target.size(); i < e; ++i)
    target[i] = element.fit(fn(source[i]));
}

template <typename T, typename R, typename Fn>
static void mapInto(Array &result, const Array &x, const Array &y, Fn fn) {
  Element element = result.getElement();
  const std::vector<T> &left = x.get<T>(), &right = y.get<T>();
  std::vector<R> &target = result.get<R>();
  for (size_t i = 0, e = target.size(); i < e; ++i)
    target[i] = element.fit(fn(left[i], right[i]));
}

/// A float function, computed in double, or in long double for f64.
template <typename Fn>
static void mapReal(Array &result, const Array &x, Fn fn) {
  if (result.getElement().isDouble())
    mapInto<double, double>(
        result, x, [&](double v) { return fn(static_cast<long double>(v)); });
  else
    mapInto<double, double>(result, x, [&](double v) { return fn(v); });
}

template <typename Fn>
static void mapComplex(Array &result, const Array &x, Fn fn) {
  if (result.getElement().isDouble())
    mapInto<Complex, Complex>(result, x,
                              [&](Complex v) { return fn(WideComplex(v)); });
  else
    mapInto<Complex, Complex>(result, x, [&](Complex v) { return fn(v); });
}

//===----------------------------------------------------------------------===//
// Unary operations
//===----------------------------------------------------------------------===//

template <typename Op, typename RealFn, typename ComplexFn>
static void addFloat(Evaluators &evaluators, RealFn real, ComplexFn complex) {
  evaluators.add<Op>([=](Op op, Operands operands) {
    Array result(getResultType(op));
    if (result.getElement().isComplex())
      mapComplex(result, *operands[0], complex);
    else
      mapReal(result, *operands[0], real);
    return result;
  });
}

/// Functions without a complex form; the verifier has turned those away.
template <typename Op, typename Fn>
static void addReal(Evaluators &evaluators, Fn fn) {
  evaluators.add<Op>([=](Op op, Operands operands) {
    Array result(getResultType(op));
    mapReal(result, *operands[0], fn);
    return result;
  });
}

/// `fn(value, element)` on integers and predicates.
template <typename Op, typename Fn>
static void addIntegerUnary(Evaluators &evaluators, Fn fn) {
  evaluators.add<Op>([=](Op op, Operands operands) {
    Array result(getResultType(op));
    Element element = result.getElement();
    mapInto<int64_t, int64_t>(result, *operands[0],
                              [&](int64_t v) { return fn(v, element); });
    return result;
  });
}

// A function of the C++ library by the name it has there, for both classes.
#define ADD_FLOAT(OP, FN)                                                      \
  addFloat<OP>(                                                                \
      evaluators, [](auto x) { return FN(x); }, [](auto z) { return FN(z); })
#define ADD_REAL(OP, FN) addReal<OP>(evaluators, [](auto x) { return FN(x); })

static void addTranscendentals(Evaluators &evaluators) {
  ADD_FLOAT(ExpOp, std::exp);
  ADD_FLOAT(LogOp, std::log);
  ADD_FLOAT(SinOp, std::sin);
  ADD_FLOAT(CosOp, std::cos);
  ADD_FLOAT(TanOp, std::tan);
  ADD_FLOAT(SinhOp, std::sinh);
  ADD_FLOAT(CoshOp, std::cosh);
  ADD_FLOAT(TanhOp, std::tanh);
  ADD_FLOAT(AsinOp, std::asin);
  ADD_FLOAT(AcosOp, std::acos);
  ADD_FLOAT(AtanOp, std::atan);
  ADD_FLOAT(AsinhOp, std::asinh);
  ADD_FLOAT(AcoshOp, std::acosh);
  ADD_FLOAT(AtanhOp, std::atanh);
  ADD_FLOAT(SigmoidOp, sigmoid);
  ADD_FLOAT(RsqrtOp, rsqrt);
  addFloat<Expm1Op>(
      evaluators, [](auto x) { return std::expm1(x); },
      [](auto z) { return reference::expm1(z); });
  addFloat<Log1pOp>(
      evaluators, [](auto x) { return std::log1p(x); },
      [](auto z) { return reference::log1p(z); });
  addFloat<CbrtOp>(
      evaluators, [](auto x) { return std::cbrt(x); },
      [](auto z) { return reference::cbrt(z); });
  // In double also for f64: a second rounding could move a correct root.
  addFloat<SqrtOp>(
      evaluators, [](auto x) { return std::sqrt(double(x)); },
      [](auto z) { return std::sqrt(z); });
  ADD_REAL(ErfOp, std::erf);
  ADD_REAL(ErfcOp, std::erfc);
  ADD_REAL(ErfInvOp, erfInv);
  ADD_REAL(FloorOp, std::floor);
  ADD_REAL(CeilOp, std::ceil);
  ADD_REAL(RoundOp, std::round);
}

static int64_t wrappingNegate(int64_t value) {
  return int64_t(0 - uint64_t(value));
}

static void addSigns(Evaluators &evaluators) {
  evaluators.add<NegateOp>([](NegateOp op, Operands operands) {
    Array result(getResultType(op));
    if (result.getElement().isInteger())
      mapInto<int64_t, int64_t>(result, *operands[0], wrappingNegate);
    else if (result.getElement().isReal())
      mapInto<double, double>(result, *operands[0],
                              [](double v) { return -v; });
    else
      mapInto<Complex, Complex>(result, *operands[0],
                                [](Complex v) { return -v; });
    return result;
  });
  evaluators.add<SignOp>([](SignOp op, Operands operands) {
    Array result(getResultType(op));
    Element element = result.getElement();
    if (element.isInteger())
      mapInto<int64_t, int64_t>(
          result, *operands[0], [&](int64_t v) -> int64_t {
            return v == 0 ? 0 : isLess(element, v, 0) ? -1 : 1;
          });
    else if (element.isReal())
      mapInto<double, double>(result, *operands[0], [](double v) {
        return v > 0 ? 1.0 : v < 0 ? -1.0 : v;
      });
    else
      mapComplex(result, *operands[0], [](auto z) {
        auto modulus = std::abs(z);
        return modulus == 0 ? z : z / modulus;
      });
    return result;
  });
  evaluators.add<AbsOp>([](AbsOp op, Operands operands) {
    Array result(getResultType(op));
    const Array &x = *operands[0];
    Element element = x.getElement();
    if (element.isInteger())
      mapInto<int64_t, int64_t>(result, x, [&](int64_t v) {
        return isLess(element, v, 0) ? wrappingNegate(v) : v;
      });
    else if (element.isReal())
      mapInto<double, double>(result, x, [](double v) { return std::fabs(v); });
    else
      mapInto<Complex, double>(result, x, [](Complex z) {
        return double(std::abs(WideComplex(z)));
      });
    return result;
  });
}

static void addBits(Evaluators &evaluators) {
  addIntegerUnary<NotOp>(evaluators, [](int64_t v, Element) { return ~v; });
  addIntegerUnary<PopulationCountOp>(
      evaluators, [](int64_t v, Element element) {
        return int64_t(llvm::popcount(element.toUnsigned(v)));
      });
  addIntegerUnary<CountLeadingZerosOp>(
      evaluators, [](int64_t v, Element element) {
        return int64_t(element.getWidth()) -
               int64_t(llvm::bit_width(element.toUnsigned(v)));
      });
}

static void addComplexParts(Evaluators &evaluators) {
  evaluators.add<ConjugateOp>([](ConjugateOp op, Operands operands) {
    Array result(getResultType(op));
    mapInto<Complex, Complex>(result, *operands[0],
                              [](Complex z) { return std::conj(z); });
    return result;
  });
  evaluators.add<RealOp>([](RealOp op, Operands operands) {
    Array result(getResultType(op));
    mapInto<Complex, double>(result, *operands[0],
                             [](Complex z) { return z.real(); });
    return result;
  });
  evaluators.add<ImagOp>([](ImagOp op, Operands operands) {
    Array result(getResultType(op));
    mapInto<Complex, double>(result, *operands[0],
                             [](Complex z) { return z.imag(); });
    return result;
  });
}

template <typename Op, typename Fn>
static void addClassification(Evaluators &evaluators, Fn fn) {
  evaluators.add<Op>([=](Op op, Operands operands) {
    Array result(getResultType(op));
    if (operands[0]->getElement().isComplex())
      mapInto<Complex, int64_t>(result, *operands[0], [&](Complex z) {
        return int64_t(fn(z.real()) || fn(z.imag()));
      });
    else
      mapInto<double, int64_t>(result, *operands[0],
                               [&](double v) { return int64_t(fn(v)); });
    return result;
  });
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

static long double toReal(Element from, int64_t value) {
  return from.isSigned() ? static_cast<long double>(value)
                         : static_cast<long double>(uint64_t(value));
}

/// Truncates and saturates; NaN gives 0. long double holds every int64_t.
static int64_t toInteger(Element to, double value) {
  if (std::isnan(value))
    return 0;
  long double truncated = std::trunc(static_cast<long double>(value));
  int64_t lowest = to.lowestInteger(), highest = to.highestInteger();
  if (truncated <= toReal(to, lowest))
    return lowest;
  if (truncated >= toReal(to, highest))
    return highest;
  return to.isSigned() ? int64_t(truncated) : int64_t(uint64_t(truncated));
}

static void convertToInteger(Array &result, const Array &x) {
  Element to = result.getElement();
  bool pred = to.isPred();
  if (x.getElement().isInteger())
    mapInto<int64_t, int64_t>(
        result, x, [&](int64_t v) { return pred ? int64_t(v != 0) : v; });
  else if (x.getElement().isReal())
    mapInto<double, int64_t>(result, x, [&](double v) {
      return pred ? int64_t(v != 0) : toInteger(to, v);
    });
  else
    mapInto<Complex, int64_t>(result, x, [&](Complex z) {
      return pred ? int64_t(z != 0.0) : toInteger(to, z.real());
    });
}

static void convertToReal(Array &result, const Array &x) {
  Element from = x.getElement();
  if (from.isInteger())
    mapInto<int64_t, double>(result, x,
                             [&](int64_t v) { return toReal(from, v); });
  else if (from.isReal())
    mapInto<double, double>(result, x, [](double v) { return v; });
  else
    mapInto<Complex, double>(result, x, [](Complex z) { return z.real(); });
}

static void convertToComplex(Array &result, const Array &x) {
  Element from = x.getElement();
  if (from.isInteger())
    mapInto<int64_t, Complex>(
        result, x, [&](int64_t v) { return WideComplex(toReal(from, v)); });
  else if (from.isReal())
    mapInto<double, Complex>(result, x, [](double v) { return Complex(v); });
  else
    mapInto<Complex, Complex>(result, x, [](Complex z) { return z; });
}

static Array convert(ConvertOp op, Operands operands) {
  Array result(getResultType(op));
  if (result.getElement().isInteger())
    convertToInteger(result, *operands[0]);
  else if (result.getElement().isReal())
    convertToReal(result, *operands[0]);
  else
    convertToComplex(result, *operands[0]);
  return result;
}

static Array bitcast(BitcastOp op, Operands operands) {
  return Array::decode(getResultType(op), operands[0]->encode().data());
}

//===----------------------------------------------------------------------===//
// Binary operations
//===----------------------------------------------------------------------===//

/// `fn(a, b, element)` on integers and predicates.
template <typename Op, typename Fn>
static void addIntegerBinary(Evaluators &evaluators, Fn fn) {
  evaluators.add<Op>([=](Op op, Operands operands) {
    Array result(getResultType(op));
    Element element = result.getElement();
    mapInto<int64_t, int64_t>(
        result, *operands[0], *operands[1],
        [&](int64_t a, int64_t b) { return fn(a, b, element); });
    return result;
  });
}

/// One function a class. The exact real ones work in double: rounding them to a
/// narrower type once more gives what one rounding gives.
template <typename Op, typename IntegerFn, typename RealFn, typename ComplexFn>
static void addBinary(Evaluators &evaluators, IntegerFn integer, RealFn real,
                      ComplexFn complex) {
  evaluators.add<Op>([=](Op op, Operands operands) {
    Array result(getResultType(op));
    const Array &x = *operands[0], &y = *operands[1];
    Element element = result.getElement();
    if (element.isInteger())
      mapInto<int64_t, int64_t>(result, x, y, [&](int64_t a, int64_t b) {
        return integer(a, b, element);
      });
    else if (element.isReal())
      mapInto<double, double>(result, x, y, real);
    else if (element.isDouble())
      mapInto<Complex, Complex>(result, x, y, [&](Complex a, Complex b) {
        return complex(WideComplex(a), WideComplex(b));
      });
    else
      mapInto<Complex, Complex>(
          result, x, y, [&](Complex a, Complex b) { return complex(a, b); });
    return result;
  });
}

static int64_t quotient(int64_t a, int64_t b, Element element) {
  if (b == 0)
    return -1;
  if (!element.isSigned())
    return int64_t(uint64_t(a) / uint64_t(b));
  return b == -1 ? wrappingNegate(a) : a / b;
}

static int64_t remainderOf(int64_t a, int64_t b, Element element) {
  if (b == 0)
    return a;
  if (!element.isSigned())
    return int64_t(uint64_t(a) % uint64_t(b));
  return b == -1 ? 0 : a % b;
}

static int64_t power(int64_t base, int64_t exponent, Element element) {
  if (element.isSigned() && exponent < 0) {
    if (base == 1)
      return 1;
    if (base == -1)
      return exponent % 2 == 0 ? 1 : -1;
    return 0;
  }
  uint64_t result = 1, factor = base;
  for (uint64_t rest = exponent; rest != 0; rest >>= 1) {
    if (rest & 1)
      result *= factor;
    factor *= factor;
  }
  return int64_t(result);
}

static int64_t shiftLeft(int64_t a, int64_t b, Element element) {
  uint64_t amount = element.toUnsigned(b);
  return amount >= element.getWidth() ? 0 : int64_t(uint64_t(a) << amount);
}

static int64_t shiftRight(int64_t a, int64_t b, Element element) {
  uint64_t amount = element.toUnsigned(b);
  bool over = amount >= element.getWidth();
  if (element.isSigned())
    return a >> (over ? 63 : amount);
  return over ? 0 : int64_t(uint64_t(a) >> amount);
}

static void addArithmetic(Evaluators &evaluators) {
  addBinary<AddOp>(
      evaluators,
      [](int64_t a, int64_t b, Element) {
        return int64_t(uint64_t(a) + uint64_t(b));
      },
      [](double a, double b) { return a + b; },
      [](auto a, auto b) { return a + b; });
  addBinary<SubtractOp>(
      evaluators,
      [](int64_t a, int64_t b, Element) {
        return int64_t(uint64_t(a) - uint64_t(b));
      },
      [](double a, double b) { return a - b; },
      [](auto a, auto b) { return a - b; });
  addBinary<MultiplyOp>(
      evaluators,
      [](int64_t a, int64_t b, Element) {
        return int64_t(uint64_t(a) * uint64_t(b));
      },
      [](double a, double b) { return a * b; },
      [](auto a, auto b) { return multiply(a, b); });
  evaluators.add<DivideOp>([](DivideOp op, Operands operands) {
    Array result(getResultType(op));
    const Array &x = *operands[0], &y = *operands[1];
    if (result.getElement().isReal())
      mapInto<double, double>(result, x, y,
                              [](double a, double b) { return a / b; });
    else
      mapInto<Complex, Complex>(result, x, y, [](Complex a, Complex b) {
        return WideComplex(a) / WideComplex(b);
      });
    return result;
  });
  addIntegerBinary<QuotientOp>(evaluators, quotient);
  evaluators.add<RemainderOp>([](RemainderOp op, Operands operands) {
    Array result(getResultType(op));
    const Array &x = *operands[0], &y = *operands[1];
    Element element = result.getElement();
    if (element.isInteger())
      mapInto<int64_t, int64_t>(result, x, y, [&](int64_t a, int64_t b) {
        return remainderOf(a, b, element);
      });
    else
      mapInto<double, double>(
          result, x, y, [](double a, double b) { return std::fmod(a, b); });
    return result;
  });
}

static void addPower(Evaluators &evaluators) {
  evaluators.add<PowOp>([](PowOp op, Operands operands) {
    Array result(getResultType(op));
    const Array &x = *operands[0], &y = *operands[1];
    Element element = result.getElement();
    if (element.isInteger())
      mapInto<int64_t, int64_t>(result, x, y, [&](int64_t a, int64_t b) {
        return power(a, b, element);
      });
    else if (element.isReal() && element.isDouble())
      mapInto<double, double>(result, x, y, [](double a, double b) {
        return std::pow(static_cast<long double>(a),
                        static_cast<long double>(b));
      });
    else if (element.isReal())
      mapInto<double, double>(
          result, x, y, [](double a, double b) { return std::pow(a, b); });
    else
      mapInto<Complex, Complex>(result, x, y, [](Complex a, Complex b) {
        return reference::pow(WideComplex(a), WideComplex(b));
      });
    return result;
  });
  evaluators.add<Atan2Op>([](Atan2Op op, Operands operands) {
    Array result(getResultType(op));
    mapInto<double, double>(result, *operands[0], *operands[1],
                            [](double a, double b) {
                              return std::atan2(static_cast<long double>(a),
                                                static_cast<long double>(b));
                            });
    return result;
  });
}

template <typename Op>
static void addExtreme(Evaluators &evaluators, ReduceKind kind) {
  evaluators.add<Op>([kind](Op op, Operands operands) {
    Array result(getResultType(op));
    Element element = result.getElement();
    auto extreme = [&](auto a, auto b) { return combine(kind, element, a, b); };
    if (element.isInteger())
      mapInto<int64_t, int64_t>(result, *operands[0], *operands[1], extreme);
    else
      mapInto<double, double>(result, *operands[0], *operands[1], extreme);
    return result;
  });
}

static void addLogic(Evaluators &evaluators) {
  addIntegerBinary<AndOp>(evaluators,
                          [](int64_t a, int64_t b, Element) { return a & b; });
  addIntegerBinary<OrOp>(evaluators,
                         [](int64_t a, int64_t b, Element) { return a | b; });
  addIntegerBinary<XorOp>(evaluators,
                          [](int64_t a, int64_t b, Element) { return a ^ b; });
  addIntegerBinary<ShiftLeftOp>(evaluators, shiftLeft);
  addIntegerBinary<ShiftRightOp>(evaluators, shiftRight);
}

//===----------------------------------------------------------------------===//
// Comparison and selection
//===----------------------------------------------------------------------===//

template <typename T>
static bool compareOrdered(Comparison comparison, Element element, T a, T b) {
  switch (comparison) {
  case Comparison::eq:
    return a == b;
  case Comparison::ne:
    return a != b;
  case Comparison::lt:
    return isLess(element, a, b);
  case Comparison::le:
    return isLess(element, a, b) || a == b;
  case Comparison::gt:
    return isLess(element, b, a);
  case Comparison::ge:
    return isLess(element, b, a) || a == b;
  }
  return false;
}

static Array compare(CompareOp op, Operands operands) {
  Array result(getResultType(op));
  const Array &x = *operands[0], &y = *operands[1];
  Element element = x.getElement();
  Comparison comparison = op.getComparison();
  auto ordered = [&](auto a, auto b) {
    return int64_t(compareOrdered(comparison, element, a, b));
  };
  if (element.isInteger())
    mapInto<int64_t, int64_t>(result, x, y, ordered);
  else if (element.isReal())
    mapInto<double, int64_t>(result, x, y, ordered);
  else
    mapInto<Complex, int64_t>(result, x, y, [&](Complex a, Complex b) {
      return int64_t((a == b) == (comparison == Comparison::eq));
    });
  return result;
}

static Array selectElements(SelectOp op, Operands operands) {
  Array result(getResultType(op));
  const std::vector<int64_t> &pred = operands[0]->get<int64_t>();
  result.visit([&](auto &target) {
    using T = typename std::decay_t<decltype(target)>::value_type;
    const std::vector<T> &onTrue = operands[1]->get<T>();
    const std::vector<T> &onFalse = operands[2]->get<T>();
    for (size_t i = 0, e = target.size(); i < e; ++i)
      target[i] = pred[i] ? onTrue[i] : onFalse[i];
  });
  return result;
}

void nxv::reference::addElementwise(Evaluators &evaluators) {
  addTranscendentals(evaluators);
  addSigns(evaluators);
  addBits(evaluators);
  addComplexParts(evaluators);
  addClassification<IsNanOp>(evaluators,
                             [](double v) { return std::isnan(v); });
  addClassification<IsInfOp>(evaluators,
                             [](double v) { return std::isinf(v); });
  evaluators.add<ConvertOp>(convert);
  evaluators.add<BitcastOp>(bitcast);
  addArithmetic(evaluators);
  addPower(evaluators);
  addExtreme<MaxOp>(evaluators, ReduceKind::max);
  addExtreme<MinOp>(evaluators, ReduceKind::min);
  addLogic(evaluators);
  evaluators.add<CompareOp>(compare);
  evaluators.add<SelectOp>(selectElements);
}
