//===- Element.cpp - element types of the interpreter -----------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Element.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

using namespace nxv::reference;

namespace {

/// A binary floating-point format narrower than double.
struct Format {
  unsigned bits;
  int mantissa; // bits after the point
  int bias;
  bool hasInfinity;

  int minExponent() const { return 1 - bias; }
  uint64_t mantissaMask() const { return (uint64_t(1) << mantissa) - 1; }
  uint64_t exponentMask() const {
    return (uint64_t(1) << (bits - 1 - mantissa)) - 1;
  }
  uint64_t signBit() const { return uint64_t(1) << (bits - 1); }
  double highest() const {
    // Without infinities the largest exponent is in use, all ones being NaN.
    double top = hasInfinity ? 2.0 - std::ldexp(1.0, -mantissa)
                             : 2.0 - std::ldexp(1.0, 1 - mantissa);
    int exponent = int(exponentMask()) - bias - (hasInfinity ? 1 : 0);
    return std::ldexp(top, exponent);
  }
};

constexpr Format kF8E5M2{8, 2, 15, true};
constexpr Format kF8E4M3FN{8, 3, 7, false};
constexpr Format kBF16{16, 7, 127, true};
constexpr Format kF16{16, 10, 15, true};
constexpr Format kF32{32, 23, 127, true};

const Format &getFormat(Element::Kind kind) {
  switch (kind) {
  case Element::Kind::F8E5M2:
    return kF8E5M2;
  case Element::Kind::F8E4M3FN:
    return kF8E4M3FN;
  case Element::Kind::BF16:
    return kBF16;
  case Element::Kind::F16:
    return kF16;
  default:
    return kF32;
  }
}

/// Rounds to nearest even, once. A format without infinities saturates.
template <typename T>
double roundTo(const Format &format, T value) {
  if (std::isnan(value) || value == 0)
    return double(value);
  T rounded = value;
  if (!std::isinf(value)) {
    int exponent;
    std::frexp(value, &exponent); // |value| in [2^(exponent-1), 2^exponent)
    int lsb = std::max(exponent - 1, format.minExponent()) - format.mantissa;
    rounded = std::ldexp(std::nearbyint(std::ldexp(value, -lsb)), lsb);
  }
  if (std::fabs(rounded) <= T(format.highest()))
    return double(rounded);
  double limit = format.hasInfinity ? std::numeric_limits<double>::infinity()
                                    : format.highest();
  return std::copysign(limit, double(value));
}

constexpr int kDoubleMantissa = 52;
constexpr uint64_t kDoubleInfinity = uint64_t(0x7ff) << kDoubleMantissa;

uint64_t toBits(double value) {
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

double fromBits(uint64_t bits) {
  double value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

/// NaNs keep their payload, so that a bitcast there and back is exact.
double decodeFloat(const Format &format, uint64_t bits) {
  bool negative = bits & format.signBit();
  uint64_t mantissa = bits & format.mantissaMask();
  uint64_t exponent = (bits >> format.mantissa) & format.exponentMask();
  bool special = exponent == format.exponentMask() &&
                 (format.hasInfinity || mantissa == format.mantissaMask());
  if (special)
    return fromBits((uint64_t(negative) << 63) | kDoubleInfinity |
                    (mantissa << (kDoubleMantissa - format.mantissa)));
  double magnitude =
      exponent == 0
          ? std::ldexp(double(mantissa), format.minExponent() - format.mantissa)
          : std::ldexp(double(mantissa | (uint64_t(1) << format.mantissa)),
                       int(exponent) - format.bias - format.mantissa);
  return negative ? -magnitude : magnitude;
}

/// `value` is a value of the format.
uint64_t encodeFloat(const Format &format, double value) {
  uint64_t sign = std::signbit(value) ? format.signBit() : 0;
  uint64_t infinity = format.exponentMask() << format.mantissa;
  if (std::isnan(value)) {
    if (!format.hasInfinity)
      return sign | infinity | format.mantissaMask();
    uint64_t payload =
        (toBits(value) & ~(kDoubleInfinity | uint64_t(1) << 63)) >>
        (kDoubleMantissa - format.mantissa);
    uint64_t quiet = uint64_t(1) << (format.mantissa - 1);
    return sign | infinity | (payload ? payload : quiet);
  }
  if (std::isinf(value))
    return sign | infinity;
  if (value == 0)
    return sign;
  int exponent;
  std::frexp(value, &exponent);
  exponent -= 1;
  int lsb = std::max(exponent, format.minExponent()) - format.mantissa;
  uint64_t mantissa = uint64_t(std::ldexp(std::fabs(value), -lsb));
  // A normal number's leading bit adds one to the exponent field of 0.
  int field = std::max(exponent, format.minExponent()) - format.minExponent();
  return sign | ((uint64_t(field) << format.mantissa) + mantissa);
}

uint64_t loadBytes(const uint8_t *bytes, size_t count) {
  uint64_t bits = 0;
  std::memcpy(&bits, bytes, count); // hosts are little-endian
  return bits;
}

} // namespace

std::optional<Element> Element::get(mlir::Type type) {
  if (auto complex = llvm::dyn_cast<mlir::ComplexType>(type)) {
    if (complex.getElementType().isF32())
      return Element(Kind::C64, 64);
    if (complex.getElementType().isF64())
      return Element(Kind::C128, 128);
    return std::nullopt;
  }
  if (auto integer = llvm::dyn_cast<mlir::IntegerType>(type)) {
    unsigned width = integer.getWidth();
    if (width == 1 && integer.isSignless())
      return Element(Kind::Pred, 1);
    bool known = width == 2 || width == 4 || width == 8 || width == 16 ||
                 width == 32 || width == 64;
    if (!known || integer.isSigned())
      return std::nullopt;
    return Element(integer.isUnsigned() ? Kind::Unsigned : Kind::Signed, width);
  }
  if (llvm::isa<mlir::Float8E5M2Type>(type))
    return Element(Kind::F8E5M2, 8);
  if (llvm::isa<mlir::Float8E4M3FNType>(type))
    return Element(Kind::F8E4M3FN, 8);
  if (type.isBF16())
    return Element(Kind::BF16, 16);
  if (type.isF16())
    return Element(Kind::F16, 16);
  if (type.isF32())
    return Element(Kind::F32, 32);
  if (type.isF64())
    return Element(Kind::F64, 64);
  return std::nullopt;
}

Element Element::getPart() const {
  if (kind == Kind::C64)
    return Element(Kind::F32, 32);
  if (kind == Kind::C128)
    return Element(Kind::F64, 64);
  return *this;
}

uint64_t Element::toUnsigned(int64_t value) const {
  uint64_t mask = width == 64 ? ~uint64_t(0) : (uint64_t(1) << width) - 1;
  return uint64_t(value) & mask;
}

int64_t Element::fit(int64_t value) const {
  uint64_t bits = toUnsigned(value);
  if (!isSigned() || width == 64)
    return int64_t(bits);
  uint64_t sign = uint64_t(1) << (width - 1);
  return int64_t(bits ^ sign) - int64_t(sign);
}

double Element::fit(double value) const {
  if (kind == Kind::F64 || std::isnan(value))
    return value;
  if (kind == Kind::F32)
    return float(value);
  return roundTo(getFormat(kind), value);
}

double Element::fit(long double value) const {
  if (kind == Kind::F64 || std::isnan(value))
    return double(value);
  if (kind == Kind::F32)
    return float(value);
  return roundTo(getFormat(kind), value);
}

int64_t Element::lowestInteger() const {
  return isSigned() ? int64_t(~uint64_t(0) << (width - 1)) : 0;
}

int64_t Element::highestInteger() const {
  return isSigned() ? ~lowestInteger() : int64_t(toUnsigned(-1));
}

double Element::highestReal() const {
  return fit(std::numeric_limits<double>::infinity());
}

void Element::decode(const uint8_t *bytes, int64_t &value) const {
  uint64_t bits = loadBytes(bytes, getByteSize());
  value = isPred() ? bits != 0 : fit(int64_t(bits));
}

void Element::decode(const uint8_t *bytes, double &value) const {
  uint64_t bits = loadBytes(bytes, getByteSize());
  value =
      kind == Kind::F64 ? fromBits(bits) : decodeFloat(getFormat(kind), bits);
}

void Element::decode(const uint8_t *bytes, Complex &value) const {
  double real, imaginary;
  getPart().decode(bytes, real);
  getPart().decode(bytes + getPart().getByteSize(), imaginary);
  value = {real, imaginary};
}

void Element::encode(int64_t value, uint8_t *bytes) const {
  // A signed type narrower than a byte is sign-extended to it.
  std::memcpy(bytes, &value, getByteSize());
}

void Element::encode(double value, uint8_t *bytes) const {
  uint64_t bits =
      kind == Kind::F64 ? toBits(value) : encodeFloat(getFormat(kind), value);
  std::memcpy(bytes, &bits, getByteSize());
}

void Element::encode(Complex value, uint8_t *bytes) const {
  getPart().encode(value.real(), bytes);
  getPart().encode(value.imag(), bytes + getPart().getByteSize());
}
