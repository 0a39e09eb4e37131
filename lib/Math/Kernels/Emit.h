//===- Emit.h - the kernels' values as MLIR operations ----------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
// Instantiates the kernels with values that build arith operations, on scalars
// or vectors of f32 or f64.

#ifndef NXV_LIB_MATH_KERNELS_EMIT_H
#define NXV_LIB_MATH_KERNELS_EMIT_H

#include "Trig.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Builders.h"

namespace nxv::math::kernels {

/// Marks an operation that the device's own instruction is to compute.
inline constexpr llvm::StringLiteral kNativeAttr = "nxv.native";

/// What all values of one expansion share.
class Emitter {
public:
  Emitter(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type floatType)
      : builder(builder), loc(loc), floatType(floatType) {
    unsigned width =
        mlir::getElementTypeOrSelf(floatType).getIntOrFloatBitWidth();
    intType = like(builder.getIntegerType(width));
  }

  /// `element`, in a vector of the expansion's shape where that has one.
  mlir::Type like(mlir::Type element) const {
    if (auto vector = mlir::dyn_cast<mlir::VectorType>(floatType))
      return vector.clone(element);
    return element;
  }

  mlir::Value constant(mlir::Type type, mlir::TypedAttr element) {
    mlir::Value &known = constants[{type, element}];
    if (known)
      return known;
    mlir::TypedAttr value = element;
    if (auto vector = mlir::dyn_cast<mlir::VectorType>(type))
      value = mlir::DenseElementsAttr::get(vector, element);
    known = make<mlir::arith::ConstantOp>(value);
    return known;
  }
  mlir::Value floatConstant(double c) {
    return constant(floatType, builder.getFloatAttr(
                                   mlir::getElementTypeOrSelf(floatType), c));
  }
  mlir::Value intConstant(int64_t c) {
    auto type =
        mlir::cast<mlir::IntegerType>(mlir::getElementTypeOrSelf(intType));
    llvm::APInt bits(64, static_cast<uint64_t>(c));
    return constant(intType,
                    mlir::IntegerAttr::get(type, bits.trunc(type.getWidth())));
  }

  template <typename Op, typename... Args>
  mlir::Value make(Args &&...args) {
    auto op = Op::create(builder, loc, std::forward<Args>(args)...);
    made.push_back(op);
    return op;
  }

  /// Erases what the result turned out not to need.
  void eraseUnused(mlir::Value result) {
    for (mlir::Operation *op : llvm::reverse(made))
      if (op->use_empty() && op != result.getDefiningOp())
        op->erase();
    made.clear();
  }

  mlir::OpBuilder &builder;
  mlir::Location loc;
  mlir::Type floatType, intType;
  llvm::SmallVector<mlir::Operation *> made;
  /// Those built so far that are visible at the insertion point.
  llvm::DenseMap<std::pair<mlir::Type, mlir::Attribute>, mlir::Value> constants;
};

struct EmitMask {
  Emitter *e = nullptr;
  mlir::Value v;

  friend EmitMask operator&(EmitMask a, EmitMask b) {
    return {a.e, a.e->make<mlir::arith::AndIOp>(a.v, b.v)};
  }
  friend EmitMask operator|(EmitMask a, EmitMask b) {
    return {a.e, a.e->make<mlir::arith::OrIOp>(a.v, b.v)};
  }
  friend EmitMask operator!(EmitMask a) {
    mlir::Value all =
        a.e->constant(a.v.getType(), a.e->builder.getBoolAttr(true));
    return {a.e, a.e->make<mlir::arith::XOrIOp>(a.v, all)};
  }
};

template <bool Double>
struct EmitFloat;

template <bool Double>
struct EmitInt {
  using Float = EmitFloat<Double>;
  Emitter *e = nullptr;
  mlir::Value v;

  EmitInt constant(int64_t c) const { return {e, e->intConstant(c)}; }

  template <typename Op>
  static EmitInt binary(EmitInt a, EmitInt b) {
    return {a.e, a.e->template make<Op>(a.v, b.v)};
  }
  static EmitMask compare(mlir::arith::CmpIPredicate p, EmitInt a, EmitInt b) {
    return {a.e, a.e->template make<mlir::arith::CmpIOp>(p, a.v, b.v)};
  }

  friend EmitInt operator+(EmitInt a, EmitInt b) {
    return binary<mlir::arith::AddIOp>(a, b);
  }
  friend EmitInt operator-(EmitInt a, EmitInt b) {
    return binary<mlir::arith::SubIOp>(a, b);
  }
  friend EmitInt operator*(EmitInt a, EmitInt b) {
    return binary<mlir::arith::MulIOp>(a, b);
  }
  friend EmitInt operator&(EmitInt a, EmitInt b) {
    return binary<mlir::arith::AndIOp>(a, b);
  }
  friend EmitInt operator|(EmitInt a, EmitInt b) {
    return binary<mlir::arith::OrIOp>(a, b);
  }
  friend EmitInt operator^(EmitInt a, EmitInt b) {
    return binary<mlir::arith::XOrIOp>(a, b);
  }
  friend EmitInt shl(EmitInt a, EmitInt b) {
    return binary<mlir::arith::ShLIOp>(a, b);
  }
  friend EmitInt sar(EmitInt a, EmitInt b) {
    return binary<mlir::arith::ShRSIOp>(a, b);
  }
  friend EmitInt shr(EmitInt a, EmitInt b) {
    return binary<mlir::arith::ShRUIOp>(a, b);
  }
  friend EmitMask operator<(EmitInt a, EmitInt b) {
    return compare(mlir::arith::CmpIPredicate::slt, a, b);
  }
  friend EmitMask operator>(EmitInt a, EmitInt b) {
    return compare(mlir::arith::CmpIPredicate::sgt, a, b);
  }
  friend EmitMask operator==(EmitInt a, EmitInt b) {
    return compare(mlir::arith::CmpIPredicate::eq, a, b);
  }
  friend EmitMask operator!=(EmitInt a, EmitInt b) {
    return compare(mlir::arith::CmpIPredicate::ne, a, b);
  }
  friend EmitMask unsignedLess(EmitInt a, EmitInt b) {
    return compare(mlir::arith::CmpIPredicate::ult, a, b);
  }
  friend EmitInt select(EmitMask m, EmitInt a, EmitInt b) {
    return {a.e, a.e->template make<mlir::arith::SelectOp>(m.v, a.v, b.v)};
  }
  friend EmitInt mulHigh(EmitInt a, EmitInt b) { return EmitInt::high(a, b); }
  static EmitInt high(EmitInt a, EmitInt b) {
    if constexpr (!Double) {
      auto op = mlir::arith::MulUIExtendedOp::create(a.e->builder, a.e->loc,
                                                     a.v, b.v);
      return {a.e, op.getHigh()};
    } else {
      // Devices lack a 64-bit extended product: add up those of the halves.
      constexpr int64_t mask = 0xffffffff;
      EmitInt al = a & mask, ah = shr(a, 32), bl = b & mask, bh = shr(b, 32);
      EmitInt middle = ah * bl + shr(al * bl, 32);
      EmitInt other = al * bh + (middle & mask);
      return ah * bh + (shr(middle, 32) + shr(other, 32));
    }
  }
  friend Float floatOf(EmitInt a) {
    return {a.e,
            a.e->template make<mlir::arith::BitcastOp>(a.e->floatType, a.v)};
  }
  friend Float toFloat(EmitInt a) {
    return {a.e,
            a.e->template make<mlir::arith::SIToFPOp>(a.e->floatType, a.v)};
  }
};

template <bool Double>
struct EmitFloat {
  using Int = EmitInt<Double>;
  using Mask = EmitMask;
  static constexpr bool kIsDouble = Double;
  Emitter *e = nullptr;
  mlir::Value v;

  EmitFloat constant(double c) const { return {e, e->floatConstant(c)}; }
  Int intConstant(int64_t c) const { return {e, e->intConstant(c)}; }

  template <typename Op>
  static EmitFloat binary(EmitFloat a, EmitFloat b) {
    return {a.e, a.e->template make<Op>(a.v, b.v)};
  }
  static EmitMask compare(mlir::arith::CmpFPredicate p, EmitFloat a,
                          EmitFloat b) {
    return {a.e, a.e->template make<mlir::arith::CmpFOp>(p, a.v, b.v)};
  }

  friend EmitFloat operator+(EmitFloat a, EmitFloat b) {
    return binary<mlir::arith::AddFOp>(a, b);
  }
  friend EmitFloat operator-(EmitFloat a, EmitFloat b) {
    return binary<mlir::arith::SubFOp>(a, b);
  }
  friend EmitFloat operator*(EmitFloat a, EmitFloat b) {
    return binary<mlir::arith::MulFOp>(a, b);
  }
  friend EmitFloat operator/(EmitFloat a, EmitFloat b) {
    return binary<mlir::arith::DivFOp>(a, b);
  }
  friend EmitFloat operator-(EmitFloat a) {
    return {a.e, a.e->template make<mlir::arith::NegFOp>(a.v)};
  }
  friend EmitMask operator<(EmitFloat a, EmitFloat b) {
    return compare(mlir::arith::CmpFPredicate::OLT, a, b);
  }
  friend EmitMask operator>(EmitFloat a, EmitFloat b) {
    return compare(mlir::arith::CmpFPredicate::OGT, a, b);
  }
  friend EmitMask operator<=(EmitFloat a, EmitFloat b) {
    return compare(mlir::arith::CmpFPredicate::OLE, a, b);
  }
  friend EmitMask operator>=(EmitFloat a, EmitFloat b) {
    return compare(mlir::arith::CmpFPredicate::OGE, a, b);
  }
  friend EmitMask operator==(EmitFloat a, EmitFloat b) {
    return compare(mlir::arith::CmpFPredicate::OEQ, a, b);
  }
  friend EmitMask operator!=(EmitFloat a, EmitFloat b) {
    return compare(mlir::arith::CmpFPredicate::UNE, a, b);
  }
  friend EmitFloat select(EmitMask m, EmitFloat a, EmitFloat b) {
    return {a.e, a.e->template make<mlir::arith::SelectOp>(m.v, a.v, b.v)};
  }
  friend Int bitsOf(EmitFloat a) {
    return {a.e, a.e->template make<mlir::arith::BitcastOp>(a.e->intType, a.v)};
  }
  friend EmitFloat abs(EmitFloat a) {
    return {a.e, a.e->template make<mlir::math::AbsFOp>(a.v)};
  }
  friend EmitFloat floor(EmitFloat a) {
    return {a.e, a.e->template make<mlir::math::FloorOp>(a.v)};
  }
  /// 1 / sqrt(a) of single precision, for `a` within f32's normal range.
  friend EmitFloat rsqrtEstimate(EmitFloat a) {
    mlir::Value v = a.v;
    mlir::Type single = a.e->like(a.e->builder.getF32Type());
    if (Double)
      v = a.e->template make<mlir::arith::TruncFOp>(single, v);
    v = a.e->template make<mlir::math::RsqrtOp>(v);
    v.getDefiningOp()->setAttr(kNativeAttr, a.e->builder.getUnitAttr());
    if (Double)
      v = a.e->template make<mlir::arith::ExtFOp>(a.e->floatType, v);
    return {a.e, v};
  }
};

/// True if any lane of `mask` is.
inline mlir::Value anyLane(EmitMask mask) {
  auto vector = mlir::dyn_cast<mlir::VectorType>(mask.v.getType());
  if (!vector)
    return mask.v;
  mlir::Value any;
  auto strides = mlir::computeSuffixProduct(vector.getShape());
  for (int64_t i = 0, n = vector.getNumElements(); i < n; ++i) {
    llvm::SmallVector<int64_t> position = mlir::delinearize(i, strides);
    mlir::Value lane = mask.e->make<mlir::vector::ExtractOp>(mask.v, position);
    any = any ? mask.e->make<mlir::arith::OrIOp>(any, lane) : lane;
  }
  return any;
}

/// A branch: the rare case is too long to be computed beside the other.
template <bool Double, typename Slow>
TrigArgument<EmitFloat<Double>>
whenAny(EmitMask rare, const TrigArgument<EmitFloat<Double>> &fast, Slow slow) {
  Emitter &e = *rare.e;
  mlir::Value condition = anyLane(rare);
  auto branch = mlir::scf::IfOp::create(
      e.builder, e.loc, mlir::TypeRange{e.intType, e.floatType, e.floatType},
      condition,
      /*addThenBlock=*/true, /*addElseBlock=*/true);
  auto visible = e.constants;
  {
    mlir::OpBuilder::InsertionGuard guard(e.builder);
    e.builder.setInsertionPointToStart(branch.thenBlock());
    TrigArgument<EmitFloat<Double>> r = slow();
    mlir::scf::YieldOp::create(e.builder, e.loc,
                               mlir::ValueRange{r.quadrant.v, r.hi.v, r.lo.v});
    e.builder.setInsertionPointToStart(branch.elseBlock());
    mlir::scf::YieldOp::create(
        e.builder, e.loc,
        mlir::ValueRange{fast.quadrant.v, fast.hi.v, fast.lo.v});
  }
  e.constants = std::move(visible);
  return {{&e, branch.getResult(0)},
          {&e, branch.getResult(1)},
          {&e, branch.getResult(2)}};
}

} // namespace nxv::math::kernels

#endif // NXV_LIB_MATH_KERNELS_EMIT_H
