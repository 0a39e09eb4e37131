//===- ScanKinds.cpp - what a running combination does ----------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "ScanKinds.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace nxv;

Type nxv::scanType(ReduceKind kind, Type element) {
  bool sums = kind == ReduceKind::add || kind == ReduceKind::mul;
  return element.isF16() && sums ? Float32Type::get(element.getContext())
                                 : element;
}

TypedAttr nxv::scanNeutral(ReduceKind kind, Type type, bool isUnsigned) {
  Builder builder(type.getContext());
  if (kind == ReduceKind::add)
    return builder.getZeroAttr(type);
  if (kind == ReduceKind::mul)
    return builder.getOneAttr(type);
  bool highest = kind == ReduceKind::min || kind == ReduceKind::and_;
  if (auto format = dyn_cast<FloatType>(type))
    return FloatAttr::get(
        type, APFloat::getInf(format.getFloatSemantics(), !highest));
  unsigned width = type.getIntOrFloatBitWidth();
  bool bits = kind == ReduceKind::and_ || kind == ReduceKind::or_;
  if (isUnsigned || bits || width == 1)
    return IntegerAttr::get(type, highest ? APInt::getAllOnes(width)
                                          : APInt::getZero(width));
  return IntegerAttr::get(type, highest ? APInt::getSignedMaxValue(width)
                                        : APInt::getSignedMinValue(width));
}

Value nxv::scanCombine(OpBuilder &b, Location loc, ReduceKind kind,
                       bool isUnsigned, Value earlier, Value later) {
  bool isFloat = isa<FloatType>(earlier.getType());
  isUnsigned |= earlier.getType().isInteger(1);
  switch (kind) {
  case ReduceKind::add:
    if (isFloat)
      return arith::AddFOp::create(b, loc, earlier, later);
    return arith::AddIOp::create(b, loc, earlier, later);
  case ReduceKind::mul:
    if (isFloat)
      return arith::MulFOp::create(b, loc, earlier, later);
    return arith::MulIOp::create(b, loc, earlier, later);
  case ReduceKind::max:
    if (isFloat)
      return arith::MaximumFOp::create(b, loc, earlier, later);
    if (isUnsigned)
      return arith::MaxUIOp::create(b, loc, earlier, later);
    return arith::MaxSIOp::create(b, loc, earlier, later);
  case ReduceKind::min:
    if (isFloat)
      return arith::MinimumFOp::create(b, loc, earlier, later);
    if (isUnsigned)
      return arith::MinUIOp::create(b, loc, earlier, later);
    return arith::MinSIOp::create(b, loc, earlier, later);
  case ReduceKind::and_:
    return arith::AndIOp::create(b, loc, earlier, later);
  case ReduceKind::or_:
    return arith::OrIOp::create(b, loc, earlier, later);
  }
  llvm_unreachable("a combination has one of six kinds");
}

Value nxv::scanCast(OpBuilder &b, Location loc, Value value, Type type) {
  Type from = value.getType();
  if (from == type)
    return value;
  if (from.getIntOrFloatBitWidth() < type.getIntOrFloatBitWidth())
    return arith::ExtFOp::create(b, loc, type, value);
  return arith::TruncFOp::create(b, loc, type, value);
}
