//===- FloatBits.h - narrow floats as integers ------------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_CONVERSION_LEGALIZEELEMENTS_FLOATBITS_H
#define NXV_CONVERSION_LEGALIZEELEMENTS_FLOATBITS_H

#include "mlir/IR/Builders.h"

namespace nxv {

/// A binary format whose numbers f32 holds exactly: f16, bf16 and the 8-bit
/// ones.
struct FloatFormat {
  explicit FloatFormat(mlir::FloatType type);

  mlir::FloatType type;
  unsigned width, fraction;
  int bias;
  bool infinities;
  unsigned dropped() const { return 23 - fraction; }
  uint32_t magnitude() const { return (1u << (width - 1)) - 1; }
  /// The least normal number, as f32.
  double leastNormal() const;
  /// Distance of the subnormal numbers.
  double unit() const;
  uint32_t exponentBits() const { return magnitude() >> fraction << fraction; }
  /// The least magnitude that is no number.
  uint32_t leastSpecial() const {
    return infinities ? exponentBits() : magnitude();
  }
};

/// Between the bits of a format and f32, in integer arithmetic; on scalars and
/// on vectors.
class FloatCoder {
public:
  FloatCoder(mlir::OpBuilder &b, mlir::Location loc) : b(b), loc(loc) {}

  /// The number whose bits are the low ones of `bits`, an i32 whose others are
  /// 0, or a narrower integer.
  mlir::Value decode(mlir::Value bits, FloatFormat format);
  /// The bits of the nearest number, ties to even, as an i32.
  mlir::Value encode(mlir::Value number, FloatFormat format);

private:
  void useShapeOf(mlir::Value value);
  mlir::Value num(uint32_t value);
  mlir::Value real(double value);
  mlir::Value toFloat(mlir::Value bits);
  mlir::Value toBits(mlir::Value number);
  mlir::Value shl(mlir::Value x, uint32_t n);
  mlir::Value shr(mlir::Value x, uint32_t n);
  mlir::Value add(mlir::Value x, mlir::Value y);
  mlir::Value andi(mlir::Value x, mlir::Value y);
  mlir::Value ori(mlir::Value x, mlir::Value y);
  mlir::Value less(mlir::Value x, uint32_t bound);
  mlir::Value select(mlir::Value c, mlir::Value x, mlir::Value y);

  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::Type i32, f32;
};

} // namespace nxv

#endif // NXV_CONVERSION_LEGALIZEELEMENTS_FLOATBITS_H
