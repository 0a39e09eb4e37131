//===- ExpandMath.cpp - compute functions with plain arithmetic ---------===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "nxv/Math/Passes.h"

#include "Helpers.h"
#include "Kernels/Emit.h"
#include "nxv/Dialect/Nxv/IR/Nxv.h"
#include "nxv/Math/Expand.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

namespace nxv {
#define GEN_PASS_DEF_EXPANDMATH
#include "nxv/Math/Passes.h.inc"
} // namespace nxv

using namespace mlir;
using nxv::math::Function;

namespace {

std::optional<Function> functionOf(Operation *op) {
  using Result = std::optional<Function>;
  namespace m = mlir::math;
  return TypeSwitch<Operation *, Result>(op)
      .Case([](m::AcosOp) { return Function::Acos; })
      .Case([](m::AcoshOp) { return Function::Acosh; })
      .Case([](m::AsinOp) { return Function::Asin; })
      .Case([](m::AsinhOp) { return Function::Asinh; })
      .Case([](m::AtanOp) { return Function::Atan; })
      .Case([](m::Atan2Op) { return Function::Atan2; })
      .Case([](m::AtanhOp) { return Function::Atanh; })
      .Case([](m::CbrtOp) { return Function::Cbrt; })
      .Case([](m::CosOp) { return Function::Cos; })
      .Case([](m::CoshOp) { return Function::Cosh; })
      .Case([](m::ErfOp) { return Function::Erf; })
      .Case([](m::ErfcOp) { return Function::Erfc; })
      .Case([](m::ExpOp) { return Function::Exp; })
      .Case([](m::Exp2Op) { return Function::Exp2; })
      .Case([](m::ExpM1Op) { return Function::ExpM1; })
      .Case([](m::LogOp) { return Function::Log; })
      .Case([](m::Log10Op) { return Function::Log10; })
      .Case([](m::Log1pOp) { return Function::Log1p; })
      .Case([](m::Log2Op) { return Function::Log2; })
      .Case([](m::PowFOp) { return Function::Pow; })
      .Case([](m::RsqrtOp) { return Function::Rsqrt; })
      .Case([](m::SinOp) { return Function::Sin; })
      .Case([](m::SinhOp) { return Function::Sinh; })
      .Case([](m::SqrtOp) { return Function::Sqrt; })
      .Case([](m::TanOp) { return Function::Tan; })
      .Case([](m::TanhOp) { return Function::Tanh; })
      .Case([](nxv::ErfInvOp) { return Function::ErfInv; })
      .Case([](nxv::SigmoidOp) { return Function::Sigmoid; })
      .Default([](Operation *) { return std::nullopt; });
}

/// Those that every Vulkan device has an instruction for, up to f32.
bool deviceHas(Function function) {
  switch (function) {
  case Function::Acos:
  case Function::Asin:
  case Function::Atan:
  case Function::Cos:
  case Function::Cosh:
  case Function::Exp:
  case Function::Log:
  case Function::Rsqrt:
  case Function::Sin:
  case Function::Sinh:
  case Function::Sqrt:
  case Function::Tan:
  case Function::Tanh:
    return true;
  default:
    return false;
  }
}

/// A power by a small constant needs multiplications only.
Value expandConstantPower(OpBuilder &builder, Location loc, Value base,
                          Value exponent) {
  APFloat constant(0.0);
  if (!matchPattern(exponent, m_ConstantFloat(&constant)))
    return {};
  bool inexact;
  constant.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                   &inexact);
  double value = constant.convertToDouble();
  if (value == 1)
    return base;
  if (value != 2 && value != 3)
    return {};
  Value square = arith::MulFOp::create(builder, loc, base, base);
  return value == 2 ? square
                    : arith::MulFOp::create(builder, loc, square, base);
}

/// The constant by which multiplying gives what dividing gives: a power of two
/// for one.
std::optional<APFloat> exactInverse(Operation *op) {
  auto divide = dyn_cast<arith::DivFOp>(op);
  APFloat divisor(0.0), inverse(0.0);
  if (!divide || !matchPattern(divide.getRhs(), m_ConstantFloat(&divisor)) ||
      !divisor.getExactInverse(&inverse))
    return std::nullopt;
  return inverse;
}

Value multiplyByInverse(OpBuilder &b, arith::DivFOp op,
                        const APFloat &inverse) {
  Type type = op.getType();
  TypedAttr attr = b.getFloatAttr(getElementTypeOrSelf(type), inverse);
  if (auto vector = dyn_cast<VectorType>(type))
    attr = DenseElementsAttr::get(vector, Attribute(attr));
  Value factor = arith::ConstantOp::create(b, op.getLoc(), attr);
  return arith::MulFOp::create(b, op.getLoc(), op.getLhs(), factor);
}

/// May the device's division be wrong? Vulkan bounds its error in f32 where the
/// divisor is from 2^-126 to 2^126.
bool dividesWidely(Operation *op) {
  auto divide = dyn_cast<arith::DivFOp>(op);
  if (!divide || !getElementTypeOrSelf(divide.getType()).isF32())
    return false;
  APFloat divisor(0.0);
  return !matchPattern(divide.getRhs(), m_ConstantFloat(&divisor)) ||
         std::fabs(divisor.convertToFloat()) > 0x1p126f;
}

/// Divides a quarter by a quarter where the divisor is huge.
Value expandDivision(OpBuilder &b, arith::DivFOp op) {
  Location loc = op.getLoc();
  Type type = op.getType();
  auto constant = [&](float value) -> Value {
    TypedAttr attr = b.getF32FloatAttr(value);
    if (auto vector = dyn_cast<VectorType>(type))
      attr = DenseElementsAttr::get(vector, value);
    return arith::ConstantOp::create(b, loc, attr);
  };
  Value size = mlir::math::AbsFOp::create(b, loc, op.getRhs());
  Value huge = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT, size,
                                     constant(0x1p126f));
  Value scale =
      arith::SelectOp::create(b, loc, huge, constant(0.25f), constant(1));
  Value lhs = arith::MulFOp::create(b, loc, op.getLhs(), scale);
  Value rhs = arith::MulFOp::create(b, loc, op.getRhs(), scale);
  auto quotient = arith::DivFOp::create(b, loc, lhs, rhs);
  quotient->setAttr(nxv::math::kernels::kNativeAttr, b.getUnitAttr());
  return quotient;
}

struct ExpandMath : nxv::impl::ExpandMathBase<ExpandMath> {
  using Base::Base;

  void runOnOperation() override {
    // Collected first: an expansion's own operations stay.
    SmallVector<Operation *> targets;
    getOperation()->walk([&](Operation *op) {
      if (op->hasAttr(nxv::math::kernels::kNativeAttr))
        return;
      if (functionOf(op) || nxv::math::isHelper(op) || exactInverse(op) ||
          (!fast && dividesWidely(op)))
        targets.push_back(op);
    });
    for (Operation *op : targets)
      if (failed(expandOne(op)))
        return signalPassFailure();
  }

  LogicalResult expandOne(Operation *op) {
    OpBuilder builder(op);
    if (auto divide = dyn_cast<arith::DivFOp>(op)) {
      std::optional<APFloat> inverse = exactInverse(op);
      Value result = inverse ? multiplyByInverse(builder, divide, *inverse)
                             : expandDivision(builder, divide);
      op->replaceAllUsesWith(ValueRange{result});
      op->erase();
      return success();
    }
    std::optional<Function> function = functionOf(op);
    if (!function)
      return nxv::math::expandHelper(builder, op);
    Type type = op->getResult(0).getType();
    // Tensors are for the lowering to loops; it runs before this pass.
    if (!nxv::math::canExpand(type))
      return op->emitOpError("cannot be expanded for type ")
             << type << "; expected f64, f32 or a narrower float, or a vector";
    if (fast && deviceHas(*function) && !getElementTypeOrSelf(type).isF64()) {
      op->setAttr(nxv::math::kernels::kNativeAttr, builder.getUnitAttr());
      return success();
    }
    Value result;
    if (function == Function::Pow)
      result = expandConstantPower(builder, op->getLoc(), op->getOperand(0),
                                   op->getOperand(1));
    if (!result)
      result = nxv::math::expand(builder, op->getLoc(), *function,
                                 op->getOperands());
    op->replaceAllUsesWith(ValueRange{result});
    op->erase();
    return success();
  }
};

} // namespace
