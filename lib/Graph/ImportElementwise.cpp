//===- ImportElementwise.cpp - element-wise operations of a graph
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Importer.h"
#include "Literals.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace nxv;
using namespace nxv::graph;

/// Most nodes have one tensor; tells those that wrongly declare a tuple.
static LogicalResult needsTensor(Node &node) {
  if (node.type)
    return success();
  return emitError(node.loc) << "has one value, not a tuple";
}

static Operation *buildNamed(OpBuilder &b, Node &node, ValueRange operands,
                             Type type) {
  OperationState state(node.loc, node.target);
  state.addOperands(operands);
  state.addTypes(type);
  return b.create(state);
}

//===----------------------------------------------------------------------===//
// One operand
//===----------------------------------------------------------------------===//

LogicalResult Importer::importUnary(Node &node) {
  if (failed(needsTensor(node)))
    return failure();
  return define(node, checked(buildNamed(b, node, number(node, 0), node.type)));
}

LogicalResult Importer::importFloatUnary(Node &node) {
  if (failed(needsTensor(node)))
    return failure();
  Value operand = promoted(node, 0);
  if (!operand)
    return failure();
  return define(node, checked(buildNamed(b, node, operand, node.type)));
}

LogicalResult Importer::importRealFloatUnary(Node &node) {
  if (node.type && isa<ComplexType>(node.element()))
    return fail(node.loc, "is not defined for complex numbers");
  return importFloatUnary(node);
}

LogicalResult Importer::importAbs(Node &node) { return importUnary(node); }

LogicalResult Importer::importComplexPart(Node &node) {
  return importUnary(node);
}

LogicalResult Importer::importClassify(Node &node) {
  if (failed(needsTensor(node)))
    return failure();
  Value operand = number(node, 0);
  Type element = getElementTypeOrSelf(operand);
  if (isa<IntegerType>(element)) {
    // No integer is NaN or infinite.
    auto zero = DenseElementsAttr::get(
        typeLike(operand, node.element()),
        b.getIntegerAttr(
            IntegerType::get(b.getContext(), 8, IntegerType::Unsigned), 0));
    return define(node, make<ConstantOp>(node, zero));
  }
  Type type = typeLike(operand, b.getI1Type());
  return define(node, checked(buildNamed(b, node, operand, type)));
}

LogicalResult Importer::importAsType(Node &node) {
  if (failed(needsTensor(node)))
    return failure();
  Value operand = raw(node, 0);
  if (graphType(operand).getElementType() == node.element())
    return define(node, operand);
  return define(node, convert(node, operand, node.element()));
}

LogicalResult Importer::importBitcast(Node &node) {
  if (failed(needsTensor(node)))
    return failure();
  return define(node, make<BitcastOp>(node, node.type, number(node, 0)));
}

//===----------------------------------------------------------------------===//
// More operands
//===----------------------------------------------------------------------===//

LogicalResult Importer::importBinary(Node &node) {
  if (failed(needsTensor(node)))
    return failure();
  Value lhs = aligned(node, 0, node.element());
  Value rhs = lhs ? aligned(node, 1, node.element()) : Value();
  if (!rhs)
    return failure();
  lhs = convert(node, lhs, node.element());
  rhs = convert(node, rhs, node.element());
  return define(node, checked(buildNamed(b, node, {lhs, rhs}, node.type)));
}

Value Importer::splat(Node &node, double re, double im) {
  auto part =
      cast<FloatType>(cast<ComplexType>(node.element()).getElementType());
  auto attr = [&](double value) {
    return cast<FloatAttr>(b.getFloatAttr(part, value)).getValue();
  };
  std::complex<APFloat> value(attr(re), attr(im));
  llvm::ArrayRef<std::complex<APFloat>> values(value);
  if (node.type.getNumElements() == 0)
    values = {};
  return ConstantOp::create(b, node.loc,
                            DenseElementsAttr::get(node.type, values));
}

/// Of complex numbers: -i log((x + iy) / sqrt(x^2 + y^2)), but the real
/// function where both are real, as the formula fails at the origin.
LogicalResult Importer::importAtan2(Node &node) {
  if (!node.type || !isa<ComplexType>(node.element()))
    return importBinary(node);
  Value y = aligned(node, 0, node.element());
  Value x = y ? aligned(node, 1, node.element()) : Value();
  if (!x)
    return failure();
  RankedTensorType type = node.type;
  RankedTensorType realType =
      type.clone(cast<ComplexType>(node.element()).getElementType());
  auto build = [&](auto op, Type result, auto... operands) -> Value {
    return decltype(op)::create(b, node.loc, result, operands...);
  };
  Value direction =
      build(AddOp(), type, x, build(MultiplyOp(), type, y, splat(node, 0, 1)));
  Value length = build(SqrtOp(), type,
                       build(AddOp(), type, build(MultiplyOp(), type, x, x),
                             build(MultiplyOp(), type, y, y)));
  Value angle =
      build(LogOp(), type, build(DivideOp(), type, direction, length));
  angle = build(MultiplyOp(), type, angle, splat(node, 0, -1));

  Value isReal;
  for (Value operand : {x, y}) {
    Value imaginary = build(ImagOp(), realType, operand);
    Value isZero = build(NotOp(), predType(node.shape()),
                         convert(node, imaginary, b.getI1Type()));
    isReal = isReal ? build(AndOp(), predType(node.shape()), isReal, isZero)
                    : isZero;
  }
  Value real = build(Atan2Op(), realType, build(RealOp(), realType, y),
                     build(RealOp(), realType, x));
  return define(node, build(SelectOp(), type, isReal,
                            convert(node, real, node.element()), angle));
}

static bool isZeroSplat(Value value) {
  auto op = value.getDefiningOp<ConstantOp>();
  if (!op)
    return false;
  auto constant = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!constant || !constant.isSplat())
    return false;
  Type element = constant.getElementType();
  if (isa<IntegerType>(element))
    return constant.getSplatValue<APInt>().isZero();
  if (isa<FloatType>(element))
    return constant.getSplatValue<APFloat>().isZero();
  auto zero = constant.getSplatValue<std::complex<APFloat>>();
  return zero.real().isZero() && zero.imag().isZero();
}

/// `x != 0` is a conversion to a predicate, and `p == 0` its complement; null
/// for another comparison.
Value Importer::compareWithZero(Node &node) {
  Value lhs = raw(node, 0), rhs = raw(node, 1);
  if (!isZeroSplat(rhs) || graphType(rhs).getRank() != 0 ||
      graphType(lhs).getShape() != node.shape())
    return {};
  if (node.target == "ne")
    return predicate(node, lhs);
  if (node.target == "eq" && getElementTypeOrSelf(lhs).isInteger(1))
    return NotOp::create(b, node.loc, lhs);
  return {};
}

LogicalResult Importer::importCompare(Node &node) {
  if (failed(needsTensor(node)))
    return failure();
  if (Value value = compareWithZero(node))
    return define(node, value);
  Type element = mergeElementTypes(graphType(raw(node, 0)).getElementType(),
                                   graphType(raw(node, 1)).getElementType());
  Value lhs = aligned(node, 0, element);
  Value rhs = lhs ? aligned(node, 1, element) : Value();
  if (!rhs)
    return failure();
  lhs = convert(node, lhs, element);
  rhs = convert(node, rhs, element);
  auto comparison = symbolizeComparison(node.target);
  return define(node, make<CompareOp>(node, predType(node.shape()), *comparison,
                                      lhs, rhs));
}

LogicalResult Importer::importLogical(Node &node) {
  if (failed(needsTensor(node)))
    return failure();
  llvm::SmallVector<Value, 2> operands;
  for (size_t i : {0, 1}) {
    Value value = broadcast(node, predicate(node, raw(node, i)), node.shape());
    if (!value)
      return failure();
    operands.push_back(value);
  }
  return define(node,
                checked(buildNamed(b, node, operands, predType(node.shape()))));
}

LogicalResult Importer::importSelect(Node &node) {
  if (failed(needsTensor(node)))
    return failure();
  Value pred = broadcast(node, predicate(node, raw(node, 0)), node.shape());
  Value onTrue = pred ? aligned(node, 1, node.element()) : Value();
  Value onFalse = onTrue ? aligned(node, 2, node.element()) : Value();
  if (!onFalse)
    return failure();
  onTrue = convert(node, onTrue, node.element());
  onFalse = convert(node, onFalse, node.element());
  return define(node, make<SelectOp>(node, node.type, pred, onTrue, onFalse));
}

LogicalResult Importer::importClip(Node &node) {
  if (failed(needsTensor(node)))
    return failure();
  Value value = promoted(node, 0);
  Value low = value ? scalar(node, 1) : Value();
  Value high = low ? scalar(node, 2) : Value();
  low = high ? broadcast(node, low, node.shape()) : Value();
  high = low ? broadcast(node, high, node.shape()) : Value();
  Value atLeast = high ? make<MaxOp>(node, node.type, value, low) : Value();
  return atLeast ? define(node, make<MinOp>(node, node.type, atLeast, high))
                 : failure();
}
