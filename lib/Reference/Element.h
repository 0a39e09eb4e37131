//===- Element.h - element types of the interpreter -------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
// Every element is held in the widest type of its class: int64_t, double or
// complex<double>. An operation computes there, or in long double for f64, and
// then fits the result into the element type.

#ifndef NXV_LIB_REFERENCE_ELEMENT_H
#define NXV_LIB_REFERENCE_ELEMENT_H

#include "mlir/IR/BuiltinTypes.h"

#include <complex>
#include <cstdint>
#include <optional>

namespace nxv::reference {

using Complex = std::complex<double>;
using WideComplex = std::complex<long double>;

class Element {
public:
  enum class Kind {
    Pred,
    Signed,
    Unsigned,
    F8E5M2,
    F8E4M3FN,
    BF16,
    F16,
    F32,
    F64,
    C64,
    C128
  };

  /// The element type, or nothing if the nxv dialect does not have it.
  static std::optional<Element> get(mlir::Type type);

  bool isPred() const { return kind == Kind::Pred; }
  bool isSigned() const { return kind == Kind::Signed; }
  bool isInteger() const { return kind <= Kind::Unsigned; }
  bool isComplex() const { return kind >= Kind::C64; }
  bool isReal() const { return !isInteger() && !isComplex(); }
  /// f64 and c128, for which double is no wider than the type itself.
  bool isDouble() const { return kind == Kind::F64 || kind == Kind::C128; }

  unsigned getWidth() const { return width; }
  size_t getByteSize() const { return width <= 8 ? 1 : width / 8; }

  /// The value of this type: integers wrap, floats round to nearest even.
  int64_t fit(int64_t value) const;
  double fit(double value) const;
  double fit(long double value) const;
  Complex fit(Complex value) const {
    return {getPart().fit(value.real()), getPart().fit(value.imag())};
  }
  Complex fit(WideComplex value) const {
    return {getPart().fit(value.real()), getPart().fit(value.imag())};
  }

  /// The bits of an integer as an unsigned number.
  uint64_t toUnsigned(int64_t value) const;
  /// Extremes; infinities for floats that have them.
  int64_t lowestInteger() const;
  int64_t highestInteger() const;
  double highestReal() const;

  /// The type of a complex number's parts; of any other type, itself.
  Element getPart() const;

  void decode(const uint8_t *bytes, int64_t &value) const;
  void decode(const uint8_t *bytes, double &value) const;
  void decode(const uint8_t *bytes, Complex &value) const;
  void encode(int64_t value, uint8_t *bytes) const;
  void encode(double value, uint8_t *bytes) const;
  void encode(Complex value, uint8_t *bytes) const;

private:
  Element(Kind kind, unsigned width) : kind(kind), width(width) {}

  Kind kind;
  unsigned width;
};

} // namespace nxv::reference

#endif // NXV_LIB_REFERENCE_ELEMENT_H
