//===- Tensor.cpp - tensors on the host -----------------------------------===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Tensor.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <cstring>
#include <limits>

using namespace llvm;
using namespace nxv::run;

static const ElementType kTypes[] = {
    {"s2", ElementKind::Signed, 1, 8, 0, 0, false},
    {"s4", ElementKind::Signed, 1, 8, 0, 0, false},
    {"s8", ElementKind::Signed, 1, 8, 0, 0, false},
    {"s16", ElementKind::Signed, 2, 16, 0, 0, false},
    {"s32", ElementKind::Signed, 4, 32, 0, 0, false},
    {"s64", ElementKind::Signed, 8, 64, 0, 0, false},
    {"u2", ElementKind::Unsigned, 1, 8, 0, 0, false},
    {"u4", ElementKind::Unsigned, 1, 8, 0, 0, false},
    {"u8", ElementKind::Unsigned, 1, 8, 0, 0, false},
    {"u16", ElementKind::Unsigned, 2, 16, 0, 0, false},
    {"u32", ElementKind::Unsigned, 4, 32, 0, 0, false},
    {"u64", ElementKind::Unsigned, 8, 64, 0, 0, false},
    {"f8_e5m2", ElementKind::Float, 1, 8, 5, 2, false},
    {"f8_e4m3fn", ElementKind::Float, 1, 8, 4, 3, true},
    {"bf16", ElementKind::Float, 2, 16, 8, 7, false},
    {"f16", ElementKind::Float, 2, 16, 5, 10, false},
    {"f32", ElementKind::Float, 4, 32, 8, 23, false},
    {"f64", ElementKind::Float, 8, 64, 11, 52, false},
    {"c64", ElementKind::Complex, 8, 32, 8, 23, false},
    {"c128", ElementKind::Complex, 16, 64, 11, 52, false},
};

const ElementType *nxv::run::findElementType(StringRef name) {
  if (name == "f8")
    name = "f8_e5m2";
  for (const ElementType &type : kTypes)
    if (name == type.name)
      return &type;
  return nullptr;
}

std::string nxv::run::describe(const ElementType &type,
                               ArrayRef<int64_t> shape) {
  std::string text = type.name;
  text += "[";
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i ? "," : "") + std::to_string(shape[i]);
  return text + "]";
}

Expected<uint64_t> nxv::run::byteSize(const ElementType &type,
                                      ArrayRef<int64_t> shape) {
  uint64_t bytes = type.bytes;
  for (int64_t size : shape)
    if (size == 0)
      return 0;
  for (int64_t size : shape)
    if (size < 0 || __builtin_mul_overflow(bytes, uint64_t(size), &bytes) ||
        bytes > uint64_t(INT64_MAX))
      return createStringError("a tensor %s is too large",
                               describe(type, shape).c_str());
  return bytes;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

static const uint8_t *place(const Tensor &tensor, uint64_t i, unsigned part) {
  return tensor.data.data() + i * tensor.type->bytes +
         part * (tensor.type->bits / 8);
}

static uint64_t rawBits(const Tensor &tensor, uint64_t i, unsigned part) {
  uint64_t bits = 0;
  std::memcpy(&bits, place(tensor, i, part), tensor.type->bits / 8);
  return bits;
}

int64_t nxv::run::readBits(const Tensor &tensor, uint64_t i, unsigned part) {
  uint64_t bits = rawBits(tensor, i, part);
  if (tensor.type->kind == ElementKind::Signed && tensor.type->bits < 64)
    return int64_t(bits << (64 - tensor.type->bits)) >>
           (64 - tensor.type->bits);
  return int64_t(bits);
}

/// A float of any of the formats as a double; all of them fit.
static double decode(const ElementType &type, uint64_t bits) {
  if (type.bits == 64) {
    double value;
    std::memcpy(&value, &bits, 8);
    return value;
  }
  int bias = (1 << (type.exponentBits - 1)) - 1;
  uint64_t mantissaMask = (uint64_t(1) << type.mantissaBits) - 1;
  uint64_t mantissa = bits & mantissaMask;
  int maximum = (1 << type.exponentBits) - 1;
  int exponent = int(bits >> type.mantissaBits) & maximum;
  double sign = bits >> (type.bits - 1) & 1 ? -1.0 : 1.0;
  if (exponent == maximum && type.finiteOnly && mantissa == mantissaMask)
    return std::numeric_limits<double>::quiet_NaN();
  if (exponent == maximum && !type.finiteOnly)
    return mantissa ? std::numeric_limits<double>::quiet_NaN()
                    : sign * std::numeric_limits<double>::infinity();
  if (exponent == 0)
    return sign *
           std::ldexp(double(mantissa), 1 - bias - int(type.mantissaBits));
  return sign * std::ldexp(double(mantissa | (mantissaMask + 1)),
                           exponent - bias - int(type.mantissaBits));
}

/// The nearest value of the format, ties to even.
static uint64_t encode(const ElementType &type, double value) {
  if (type.bits == 64) {
    uint64_t bits;
    std::memcpy(&bits, &value, 8);
    return bits;
  }
  uint64_t sign = std::signbit(value) ? uint64_t(1) << (type.bits - 1) : 0;
  int bias = (1 << (type.exponentBits - 1)) - 1;
  uint64_t mantissaMask = (uint64_t(1) << type.mantissaBits) - 1;
  uint64_t maximum = ((uint64_t(1) << type.exponentBits) - 1)
                     << type.mantissaBits;
  uint64_t nan = type.finiteOnly ? maximum | mantissaMask
                                 : maximum | (mantissaMask / 2 + 1);
  uint64_t overflow = type.finiteOnly ? nan : maximum;
  if (std::isnan(value))
    return sign | nan;
  double magnitude = std::fabs(value);
  if (std::isinf(magnitude))
    return sign | overflow;
  if (magnitude == 0)
    return sign;
  int exponent = std::max(std::ilogb(magnitude), 1 - bias);
  double scaled =
      std::nearbyint(std::ldexp(magnitude, int(type.mantissaBits) - exponent));
  // A mantissa that rounds up to the next power carries into the exponent.
  uint64_t bits =
      uint64_t(scaled) + (uint64_t(exponent + bias - 1) << type.mantissaBits);
  uint64_t largest =
      type.finiteOnly ? (maximum | mantissaMask) - 1 : maximum - 1;
  return sign | (bits > largest ? overflow : bits);
}

double nxv::run::readFloat(const Tensor &tensor, uint64_t i, unsigned part) {
  switch (tensor.type->kind) {
  case ElementKind::Signed:
    return double(readBits(tensor, i));
  case ElementKind::Unsigned:
    return double(uint64_t(readBits(tensor, i)));
  case ElementKind::Float:
  case ElementKind::Complex:
    return decode(*tensor.type, rawBits(tensor, i, part));
  }
  return 0;
}

static void writeBits(Tensor &tensor, uint64_t i, unsigned part,
                      uint64_t bits) {
  std::memcpy(const_cast<uint8_t *>(place(tensor, i, part)), &bits,
              tensor.type->bits / 8);
}

void nxv::run::writeFloat(Tensor &tensor, uint64_t i, double value,
                          unsigned part) {
  writeBits(tensor, i, part, encode(*tensor.type, value));
}

void nxv::run::writeInteger(Tensor &tensor, uint64_t i, int64_t value) {
  writeBits(tensor, i, 0, uint64_t(value));
}

uint64_t nxv::run::ulpDistance(const Tensor &a, const Tensor &b, uint64_t i,
                               unsigned part) {
  // The bits of a float without its sign count up from zero.
  auto order = [&](uint64_t bits) {
    uint64_t sign = uint64_t(1) << (a.type->bits - 1);
    return bits & sign ? -int64_t(bits & ~sign) : int64_t(bits);
  };
  int64_t x = order(rawBits(a, i, part)), y = order(rawBits(b, i, part));
  return x > y ? uint64_t(x) - uint64_t(y) : uint64_t(y) - uint64_t(x);
}

static std::string floatText(double value, unsigned mantissaBits) {
  std::string text;
  raw_string_ostream out(text);
  out << format("%.*g",
                mantissaBits > 23   ? 17
                : mantissaBits > 10 ? 9
                                    : 5,
                value);
  return text;
}

std::string nxv::run::elementText(const Tensor &tensor, uint64_t i) {
  const ElementType &type = *tensor.type;
  switch (type.kind) {
  case ElementKind::Signed:
    return std::to_string(readBits(tensor, i));
  case ElementKind::Unsigned:
    return std::to_string(uint64_t(readBits(tensor, i)));
  case ElementKind::Float:
    return floatText(readFloat(tensor, i), type.mantissaBits);
  case ElementKind::Complex:
    return "(" + floatText(readFloat(tensor, i, 0), type.mantissaBits) + "," +
           floatText(readFloat(tensor, i, 1), type.mantissaBits) + ")";
  }
  return "";
}
