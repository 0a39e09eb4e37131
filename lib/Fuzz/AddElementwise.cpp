//===- AddElementwise.cpp - random element-wise operations ----------------===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "GraphBuilder.h"

using namespace mlir;
using namespace nxv;
using namespace nxv::fuzz;

static bool isNumber(Type type) { return !isPred(type); }
static bool isAny(Type) { return true; }
static bool isFloatOrComplex(Type type) {
  return isFloat(type) || isComplex(type);
}

static const StringRef floatUnary[] = {
    "negate", "sign",   "floor", "ceil",    "round", "exp",   "expm1",
    "log",    "log1p",  "sin",   "cos",     "tan",   "sinh",  "cosh",
    "tanh",   "asin",   "acos",  "atan",    "asinh", "acosh", "atanh",
    "sqrt",   "rsqrt",  "cbrt",  "sigmoid", "erf",   "erfc",  "erf_inv",
    "abs",    "negate", "abs",   "exp",     "tanh",  "sqrt",  "sigmoid"};
static const StringRef complexUnary[] = {
    "negate", "sign",      "exp",       "log",    "sin",   "cos",   "tan",
    "sinh",   "cosh",      "tanh",      "asin",   "acos",  "atan",  "sqrt",
    "rsqrt",  "conjugate", "conjugate", "negate", "expm1", "log1p", "sigmoid",
    "asinh",  "acosh",     "atanh",     "cbrt"};
static const StringRef integerUnary[] = {
    "negate", "sign", "abs", "not", "population_count", "count_leading_zeros"};

Value GraphBuilder::unaryOf(Value operand) {
  Type element = elementOf(operand);
  StringRef name = "not";
  if (isFloat(element))
    name = random.pick(ArrayRef(floatUnary));
  else if (isComplex(element))
    name = random.pick(ArrayRef(complexUnary));
  else if (isInteger(element))
    name = random.pick(ArrayRef(integerUnary));
  return make(name, operand, typeOf(operand));
}

Value GraphBuilder::addUnary() {
  Value operand = need(isAny);
  return operand ? unaryOf(operand) : nullptr;
}

static const StringRef floatBinary[] = {
    "add", "subtract", "multiply", "divide",    "max",     "min",
    "pow", "atan2",    "add",      "remainder", "multiply"};
static const StringRef complexBinary[] = {"add",    "subtract", "multiply",
                                          "divide", "multiply", "pow"};
static const StringRef integerBinary[] = {
    "add", "subtract",   "multiply",   "quotient", "remainder",
    "pow", "max",        "min",        "and",      "or",
    "xor", "shift_left", "shift_right"};
static const StringRef predBinary[] = {"and", "or", "xor", "max", "min"};

Value GraphBuilder::binaryOf(Value lhs, Value rhs) {
  Type element = elementOf(lhs);
  ArrayRef<StringRef> names = predBinary;
  if (isFloat(element))
    names = floatBinary;
  else if (isComplex(element))
    names = complexBinary;
  else if (isInteger(element))
    names = integerBinary;
  return make(random.pick(names), {lhs, rhs}, typeOf(lhs));
}

Value GraphBuilder::addBinary() {
  Value lhs = need(isAny);
  if (!lhs)
    return nullptr;
  Value rhs = valueOf(typeOf(lhs));
  if (random.oneIn(2))
    std::swap(lhs, rhs);
  return binaryOf(lhs, rhs);
}

Value GraphBuilder::addCompare() {
  Value lhs = need(isAny);
  if (!lhs)
    return nullptr;
  Value rhs = valueOf(typeOf(lhs));
  int64_t last = isComplex(elementOf(lhs)) ? 1 : 5;
  auto comparison = Comparison(random.between(0, last));
  return make(
      "compare", {lhs, rhs}, typeOf(lhs).clone(builder.getI1Type()),
      builder.getNamedAttr(
          "comparison", ComparisonAttr::get(builder.getContext(), comparison)));
}

Value GraphBuilder::addSelect() {
  Value onTrue = need(isAny);
  if (!onTrue)
    return nullptr;
  Value onFalse = valueOf(typeOf(onTrue));
  Value pred = valueOf(typeOf(onTrue).clone(builder.getI1Type()));
  return make("select", {pred, onTrue, onFalse}, typeOf(onTrue));
}

Value GraphBuilder::addClassify() {
  Value operand = need(isFloatOrComplex);
  if (!operand)
    return nullptr;
  return make(random.oneIn(2) ? "is_nan" : "is_infinity", operand,
              typeOf(operand).clone(builder.getI1Type()));
}

Value GraphBuilder::convertTo(Value value, Type element) {
  if (elementOf(value) == element)
    return value;
  return make("convert", value, typeOf(value).clone(element));
}

Value GraphBuilder::addConvert() {
  Value operand = need(isAny);
  if (!operand)
    return nullptr;
  Type element = random.oneIn(6) ? Type(builder.getI1Type()) : pickElement();
  return element == elementOf(operand) ? nullptr : convertTo(operand, element);
}

Value GraphBuilder::addBitcast() {
  Value operand =
      need([](Type type) { return isNumber(type) && !isComplex(type); });
  if (!operand)
    return nullptr;
  unsigned width = elementOf(operand).getIntOrFloatBitWidth();
  MLIRContext *context = builder.getContext();
  SmallVector<Type> others = {
      IntegerType::get(context, width),
      IntegerType::get(context, width, IntegerType::Unsigned)};
  // Random bits as floats are seldom NaN where they are wide.
  if (width == 32)
    others.push_back(builder.getF32Type());
  if (width == 64)
    others.push_back(builder.getF64Type());
  if (width == 16)
    others.push_back(builder.getF16Type());
  Type element = random.pick(ArrayRef(others));
  if (element == elementOf(operand))
    return nullptr;
  return make("bitcast", operand, typeOf(operand).clone(element));
}

Value GraphBuilder::addComplexPart() {
  Value operand = need(isComplex);
  if (!operand)
    return nullptr;
  const StringRef names[] = {"real", "imag", "abs"};
  Type part = cast<ComplexType>(elementOf(operand)).getElementType();
  return make(random.pick(ArrayRef(names)), operand,
              typeOf(operand).clone(part));
}
