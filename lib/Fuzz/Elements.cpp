//===- Elements.cpp - random elements -------------------------------------===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "GraphBuilder.h"

#include "llvm/ADT/APFloat.h"

#include <cmath>
#include <cstring>
#include <limits>

using namespace mlir;
using namespace nxv;
using namespace nxv::fuzz;
using llvm::APFloat;

size_t Random::weighted(ArrayRef<double> weights) {
  double total = 0;
  for (double weight : weights)
    total += weight;
  double at = unit() * total;
  for (auto [index, weight] : llvm::enumerate(weights)) {
    at -= weight;
    if (at < 0)
      return index;
  }
  return 0;
}

namespace {
/// What the numbers of one tensor are like.
enum class Manner { Small, Unit, Wide, Special, Tie };
} // namespace

static void append(std::vector<uint8_t> &bytes, uint64_t bits, unsigned width) {
  for (unsigned i = 0; i < std::max(1u, width / 8); ++i)
    bytes.push_back(uint8_t(bits >> (8 * i)));
}

static double specialValue(const llvm::fltSemantics &semantics,
                           Random &random) {
  double highest = APFloat::getLargest(semantics).convertToDouble();
  double lowest = APFloat::getSmallestNormalized(semantics).convertToDouble();
  double infinity = std::numeric_limits<double>::infinity();
  const double values[] = {0.0,
                           -0.0,
                           1.0,
                           -1.0,
                           infinity,
                           -infinity,
                           std::numeric_limits<double>::quiet_NaN(),
                           highest,
                           -highest,
                           lowest,
                           -lowest,
                           0.5,
                           2.0};
  return random.pick(ArrayRef(values));
}

static double pickReal(const llvm::fltSemantics &semantics, Manner manner,
                       Random &random) {
  double sign = random.oneIn(2) ? -1 : 1;
  switch (manner) {
  case Manner::Small:
    return double(random.between(-8, 8)) / 2;
  case Manner::Unit:
    return random.unit() * 2 - 1;
  case Manner::Tie:
    return double(random.between(-1, 1));
  case Manner::Wide: {
    int limit = std::min(60, APFloat::semanticsMaxExponent(semantics) / 2);
    return sign *
           std::ldexp(1 + random.unit(), int(random.between(-limit, limit)));
  }
  case Manner::Special:
    if (random.oneIn(4))
      return specialValue(semantics, random);
    return sign * random.unit() * 4;
  }
  return 0;
}

static uint64_t encodeReal(const llvm::fltSemantics &semantics, double value) {
  APFloat number(value);
  bool loses;
  number.convert(semantics, APFloat::rmNearestTiesToEven, &loses);
  if (number.isDenormal())
    number = APFloat::getZero(semantics, number.isNegative());
  if (number.isNaN())
    number = APFloat::getQNaN(semantics);
  return number.bitcastToAPInt().getZExtValue();
}

static Manner pickManner(Random &random) {
  const double weights[] = {3, 4, 1, 2, 1};
  return Manner(random.weighted(weights));
}

static void appendReal(std::vector<uint8_t> &bytes, FloatType type,
                       Manner manner, Random &random) {
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  append(bytes, encodeReal(semantics, pickReal(semantics, manner, random)),
         type.getWidth());
}

/// An integer of `width` bits, sign- or zero-extended.
static uint64_t fitInteger(IntegerType type, uint64_t value) {
  unsigned width = type.getWidth();
  if (width == 64)
    return value;
  uint64_t mask = (uint64_t(1) << width) - 1;
  bool negative = !type.isUnsigned() && width > 1 && (value >> (width - 1) & 1);
  return negative ? value | ~mask : value & mask;
}

static uint64_t pickInteger(IntegerType type, Manner manner, Random &random) {
  uint64_t top = uint64_t(1) << (type.getWidth() - 1);
  const uint64_t extremes[] = {0, 1, ~uint64_t(0), top, top - 1, 2, top + 1};
  switch (manner) {
  case Manner::Small:
  case Manner::Unit:
    return uint64_t(random.between(-5, 9));
  case Manner::Tie:
    return uint64_t(random.between(-1, 1));
  case Manner::Wide:
    return random.next() >> random.between(0, 63);
  case Manner::Special:
    return random.oneIn(2) ? random.pick(ArrayRef(extremes)) : random.next();
  }
  return 0;
}

static void appendInteger(std::vector<uint8_t> &bytes, IntegerType type,
                          uint64_t value) {
  append(bytes, fitInteger(type, value), type.getWidth());
}

std::vector<uint8_t> nxv::fuzz::randomElements(TensorType type,
                                               Random &random) {
  std::vector<uint8_t> bytes;
  Manner manner = pickManner(random);
  // Products of extremes of complex numbers are not determined.
  if (isComplex(type.getElementType()) && manner == Manner::Wide)
    manner = Manner::Unit;
  for (int64_t i = 0; i < type.getNumElements(); ++i) {
    Type element = type.getElementType();
    if (auto integer = dyn_cast<IntegerType>(element)) {
      appendInteger(bytes, integer, pickInteger(integer, manner, random));
    } else if (auto complex = dyn_cast<ComplexType>(element)) {
      auto part = cast<FloatType>(complex.getElementType());
      appendReal(bytes, part, manner, random);
      appendReal(bytes, part, manner, random);
    } else {
      appendReal(bytes, cast<FloatType>(element), manner, random);
    }
  }
  return bytes;
}

std::vector<uint8_t> nxv::fuzz::randomIntegers(TensorType type, int64_t low,
                                               int64_t high, Random &random) {
  std::vector<uint8_t> bytes;
  auto integer = cast<IntegerType>(type.getElementType());
  for (int64_t i = 0; i < type.getNumElements(); ++i)
    appendInteger(bytes, integer, uint64_t(random.between(low, high)));
  return bytes;
}

DenseElementsAttr nxv::fuzz::makeLiteral(TensorType type,
                                         ArrayRef<uint8_t> bytes) {
  auto integer = dyn_cast<IntegerType>(type.getElementType());
  if (integer && integer.getWidth() < 8) {
    SmallVector<APInt> values;
    for (uint8_t byte : bytes)
      values.push_back(APInt(8, byte).trunc(integer.getWidth()));
    return DenseElementsAttr::get(type, values);
  }
  ArrayRef<char> raw(reinterpret_cast<const char *>(bytes.data()),
                     bytes.size());
  return DenseElementsAttr::getFromRawBuffer(type, raw);
}
