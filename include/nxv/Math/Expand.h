//===- Expand.h - functions as plain arithmetic -----------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_MATH_EXPAND_H
#define NXV_MATH_EXPAND_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"

namespace nxv::math {

enum class Function {
  Acos,
  Acosh,
  Asin,
  Asinh,
  Atan,
  Atan2,
  Atanh,
  Cbrt,
  Cos,
  Cosh,
  Erf,
  Erfc,
  ErfInv,
  Exp,
  Exp2,
  ExpM1,
  Log,
  Log10,
  Log1p,
  Log2,
  Pow,
  Rsqrt,
  Sigmoid,
  Sin,
  Sinh,
  Sqrt,
  Tan,
  Tanh,
};

/// True for the float types of 64 bits or fewer, and vectors of them.
bool canExpand(mlir::Type type);

/// Builds `function` of `operands` (two for Atan2 and Pow, else one) from arith
/// operations that convert to SPIR-V, within the bounds of docs/numerics.md.
/// Floats narrower than f32 are computed as f32. The type must be expandable.
mlir::Value expand(mlir::OpBuilder &builder, mlir::Location loc,
                   Function function, mlir::ValueRange operands);

} // namespace nxv::math

#endif // NXV_MATH_EXPAND_H
