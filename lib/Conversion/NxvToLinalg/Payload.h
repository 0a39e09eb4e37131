//===- Payload.h - scalar code inside linalg operations ---------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
// What an nxv operation does to one element, as arith, math and complex
// operations on signless scalars.

#ifndef NXV_LIB_CONVERSION_NXVTOLINALG_PAYLOAD_H
#define NXV_LIB_CONVERSION_NXVTOLINALG_PAYLOAD_H

#include "nxv/Dialect/Nxv/IR/Nxv.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace nxv::tolinalg {

/// The element type with signedness removed.
mlir::Type signlessElement(mlir::Type type);

/// True for `uiN` and predicates: extension fills with zeros, comparisons are
/// unsigned.
bool isUnsignedElement(mlir::Type type);

/// A builder with short names for the scalar operations that payloads use.
class PayloadBuilder : public mlir::ImplicitLocOpBuilder {
public:
  using Value = mlir::Value;
  PayloadBuilder(mlir::OpBuilder &b, mlir::Location loc)
      : mlir::ImplicitLocOpBuilder(loc, b) {}

  Value floatConst(mlir::Type type, double value);
  Value infinity(mlir::Type type, bool negative = false);
  Value intConst(mlir::Type type, const llvm::APInt &value);
  Value intConst(mlir::Type type, int64_t value);
  Value index(int64_t value);
  /// The constant of a splat's element: integer, float or [re, im].
  Value constant(mlir::Attribute element, mlir::Type signlessType);

  Value cmp(mlir::arith::CmpFPredicate p, Value a, Value b);
  Value cmp(mlir::arith::CmpIPredicate p, Value a, Value b);
  Value select(Value c, Value a, Value b);
  Value andi(Value a, Value b);
  Value ori(Value a, Value b);
  Value addf(Value a, Value b);
  Value subf(Value a, Value b);
  Value mulf(Value a, Value b);
  Value divf(Value a, Value b);
  Value negf(Value a);
  Value absf(Value a);
  Value isNan(Value a);
  Value isInf(Value a);

  /// bf16 and f8 (with `half` also f16) as f32; other values unchanged.
  Value widen(Value v, bool half);
  /// The inverse of `widen`; f8E4M3FN saturates.
  Value narrow(Value v, mlir::Type type);
  /// nxv.convert of one element; the types carry signedness.
  Value convert(Value v, mlir::Type from, mlir::Type to);

private:
  Value fromInt(Value v, bool isUnsigned, mlir::FloatType to);
  Value toInt(Value v, mlir::Type to);
  Value floatToFloat(Value v, mlir::FloatType to);
  Value toPred(Value v);
};

/// True if `op` can be computed on scalars by `emitScalar`: an element-wise nxv
/// operation, or one that only renames a scalar tensor.
bool isScalarOp(mlir::Operation *op);

/// Why `emitScalar` cannot compute `op` on its element type; empty if it can.
llvm::StringRef whyNotScalar(mlir::Operation *op);

/// The value of one element of `op`'s result, from elements of its operands.
mlir::Value emitScalar(PayloadBuilder &b, mlir::Operation *op,
                       mlir::ValueRange operands);

/// As emitScalar, for operations with a complex operand or result.
mlir::Value emitComplex(PayloadBuilder &b, mlir::Operation *op,
                        mlir::ValueRange operands);

/// `a * b` and `a + b` on any number type that a payload holds.
mlir::Value emitMul(PayloadBuilder &b, mlir::Value x, mlir::Value y);
mlir::Value emitAdd(PayloadBuilder &b, mlir::Value x, mlir::Value y);

} // namespace nxv::tolinalg

#endif // NXV_LIB_CONVERSION_NXVTOLINALG_PAYLOAD_H
