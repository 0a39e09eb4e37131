//===- Expand.cpp - functions as plain arithmetic -----------------------===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "nxv/Math/Expand.h"

#include "Kernels/Emit.h"
#include "Kernels/Root.h"
#include "Kernels/Trig.h"

using namespace mlir;

namespace nxv::math {
namespace {

template <bool Double>
Value apply(kernels::Emitter &emitter, Function function, ValueRange operands) {
  using F = kernels::EmitFloat<Double>;
  F x{&emitter, operands[0]};
  switch (function) {
  case Function::Acos:
    return acos(x).v;
  case Function::Acosh:
    return acosh(x).v;
  case Function::Asin:
    return asin(x).v;
  case Function::Asinh:
    return asinh(x).v;
  case Function::Atan:
    return atan(x).v;
  case Function::Atan2:
    return atan2(x, F{&emitter, operands[1]}).v;
  case Function::Atanh:
    return atanh(x).v;
  case Function::Cbrt:
    return cbrt(x).v;
  case Function::Cos:
    return cos(x).v;
  case Function::Cosh:
    return cosh(x).v;
  case Function::Erf:
    return erf(x).v;
  case Function::Erfc:
    return erfc(x).v;
  case Function::ErfInv:
    return erfInv(x).v;
  case Function::Exp:
    return exp(x).v;
  case Function::Exp2:
    return exp2(x).v;
  case Function::ExpM1:
    return expm1(x).v;
  case Function::Log:
    return log(x).v;
  case Function::Log10:
    return log10(x).v;
  case Function::Log1p:
    return log1p(x).v;
  case Function::Log2:
    return log2(x).v;
  case Function::Pow:
    return pow(x, F{&emitter, operands[1]}).v;
  case Function::Rsqrt:
    return rsqrt(x).v;
  case Function::Sigmoid:
    return sigmoid(x).v;
  case Function::Sin:
    return sin(x).v;
  case Function::Sinh:
    return sinh(x).v;
  case Function::Sqrt:
    return sqrt(x).v;
  case Function::Tan:
    return tan(x).v;
  case Function::Tanh:
    return tanh(x).v;
  }
  llvm_unreachable("unknown function");
}

template <bool Double>
Value expandAs(OpBuilder &builder, Location loc, Function function,
               ValueRange operands) {
  kernels::Emitter emitter(builder, loc, operands[0].getType());
  Value result = apply<Double>(emitter, function, operands);
  emitter.eraseUnused(result);
  return result;
}

} // namespace

bool canExpand(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  if (vector && vector.isScalable())
    return false;
  auto element = dyn_cast<FloatType>(vector ? vector.getElementType() : type);
  return element &&
         (element.getWidth() < 32 || element.isF32() || element.isF64());
}

Value expand(OpBuilder &builder, Location loc, Function function,
             ValueRange operands) {
  Type type = operands[0].getType();
  unsigned width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  if (width == 64)
    return expandAs<true>(builder, loc, function, operands);
  if (width == 32)
    return expandAs<false>(builder, loc, function, operands);
  Type wide = builder.getF32Type();
  if (auto vector = dyn_cast<VectorType>(type))
    wide = vector.clone(wide);
  SmallVector<Value> extended;
  for (Value operand : operands)
    extended.push_back(arith::ExtFOp::create(builder, loc, wide, operand));
  Value result = expandAs<false>(builder, loc, function, extended);
  return arith::TruncFOp::create(builder, loc, type, result);
}

} // namespace nxv::math
