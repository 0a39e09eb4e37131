//===- Literals.cpp - values of constant and tensor nodes
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Literals.h"
#include "ElementType.h"

#include "llvm/ADT/APFloat.h"
#include <cstring>

using namespace mlir;
using namespace nxv::graph;
using llvm::APFloat;
using llvm::APInt;

//===----------------------------------------------------------------------===//
// Splats
//===----------------------------------------------------------------------===//

static std::optional<APInt> integerLiteral(const Json &value, IntegerType type,
                                           std::string &error) {
  if (!value.is_number_integer()) {
    error = "value must be an integer for an integer type";
    return std::nullopt;
  }
  // 65 bits hold every 64-bit integer, signed or not.
  APInt wide =
      value.is_number_unsigned()
          ? APInt(64, *value.get_ptr<const uint64_t *>()).zext(65)
          : APInt(64, *value.get_ptr<const int64_t *>(), true).sext(65);
  unsigned bits = type.getWidth();
  bool fits = type.isUnsigned() ? wide.isNonNegative() && wide.isIntN(bits)
                                : wide.isSignedIntN(bits);
  if (!fits) {
    error = "value is out of the type's range";
    return std::nullopt;
  }
  return wide.trunc(bits);
}

/// E4M3FN has no infinity: what overflows saturates.
static APFloat narrow(APFloat value, FloatType type) {
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  bool loses;
  if (isa<Float8E4M3FNType>(type) && !value.isNaN()) {
    APFloat largest = APFloat::getLargest(semantics, value.isNegative());
    APFloat result = value;
    if (value.isInfinity())
      return largest;
    result.convert(semantics, APFloat::rmNearestTiesToEven, &loses);
    return result.isNaN() ? largest : result;
  }
  value.convert(semantics, APFloat::rmNearestTiesToEven, &loses);
  return value;
}

static std::optional<APFloat> namedFloat(llvm::StringRef name, FloatType type) {
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  if (name == "nan")
    return APFloat::getQNaN(semantics);
  if (name == "infinity")
    return narrow(APFloat::getInf(APFloat::IEEEdouble()), type);
  if (name == "-infinity")
    return narrow(APFloat::getInf(APFloat::IEEEdouble(), true), type);
  return std::nullopt;
}

static std::optional<APFloat> floatLiteral(const Json &value, FloatType type,
                                           std::string &error) {
  std::optional<APFloat> result;
  if (auto name = asString(&value)) {
    result = namedFloat(*name, type);
  } else if (value.is_number_float()) {
    result = narrow(APFloat(*value.get_ptr<const double *>()), type);
  } else if (value.is_number_integer()) {
    // Exact in quadruple precision, so that it is rounded once.
    bool isUnsigned = value.is_number_unsigned();
    APInt bits(64, isUnsigned ? *value.get_ptr<const uint64_t *>()
                              : static_cast<uint64_t>(
                                    *value.get_ptr<const int64_t *>()));
    APFloat wide(APFloat::IEEEquad());
    wide.convertFromAPInt(bits, !isUnsigned, APFloat::rmNearestTiesToEven);
    result = narrow(wide, type);
  }
  if (!result)
    error = R"(value must be a number, "nan", "infinity" or "-infinity")";
  return result;
}

static std::optional<std::complex<APFloat>>
complexLiteral(const Json &value, FloatType part, std::string &error) {
  bool isPair = value.is_array() && value.size() == 2;
  if (value.is_array() && !isPair) {
    error = "value must be a number or [re, im]";
    return std::nullopt;
  }
  auto re = floatLiteral(isPair ? value[0] : value, part, error);
  if (!re)
    return std::nullopt;
  if (!isPair)
    return std::complex<APFloat>(*re,
                                 APFloat::getZero(part.getFloatSemantics()));
  auto im = floatLiteral(value[1], part, error);
  if (!im)
    return std::nullopt;
  return std::complex<APFloat>(*re, *im);
}

/// One element stands for all, or none for none.
template <typename T>
static DenseElementsAttr splat(RankedTensorType type, const T &value) {
  llvm::ArrayRef<T> values(value);
  return DenseElementsAttr::get(
      type, type.getNumElements() == 0 ? values.drop_front() : values);
}

DenseElementsAttr nxv::graph::splatLiteral(const Json &value,
                                           RankedTensorType type,
                                           std::string &error) {
  Type element = type.getElementType();
  if (auto integer = dyn_cast<IntegerType>(element)) {
    if (auto bits = integerLiteral(value, integer, error))
      return splat(type, *bits);
  } else if (auto floating = dyn_cast<FloatType>(element)) {
    if (auto number = floatLiteral(value, floating, error))
      return splat(type, *number);
  } else if (auto complex = dyn_cast<ComplexType>(element)) {
    auto part = cast<FloatType>(complex.getElementType());
    if (auto number = complexLiteral(value, part, error))
      return splat(type, *number);
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Dense data
//===----------------------------------------------------------------------===//

/// Keeps the low bits of sub-byte elements, whose bytes may be sign-extended.
static bool maskSubByte(llvm::MutableArrayRef<char> bytes, IntegerType type) {
  unsigned bits = type.getWidth();
  for (char &byte : bytes) {
    bool fits = type.isUnsigned()
                    ? static_cast<uint8_t>(byte) >> bits == 0
                    : llvm::isIntN(bits, static_cast<int8_t>(byte));
    if (!fits)
      return false;
    byte &= (1 << bits) - 1;
  }
  return true;
}

static bool allEqual(llvm::ArrayRef<char> bytes, size_t step) {
  return bytes.size() > step && std::memcmp(bytes.data(), bytes.data() + step,
                                            bytes.size() - step) == 0;
}

DenseElementsAttr nxv::graph::denseLiteral(llvm::ArrayRef<char> bytes,
                                           RankedTensorType type,
                                           std::string &error) {
  Type element = type.getElementType();
  size_t step = elementBytes(element);
  size_t expected = step * static_cast<size_t>(type.getNumElements());
  if (bytes.size() != expected) {
    error = "data has " + std::to_string(bytes.size()) + " bytes, expected " +
            std::to_string(expected);
    return {};
  }
  std::vector<char> masked;
  auto integer = dyn_cast<IntegerType>(element);
  if (integer && integer.getWidth() < 8) {
    masked.assign(bytes.begin(), bytes.end());
    if (!maskSubByte(masked, integer)) {
      error = "data holds a value out of the type's range";
      return {};
    }
    bytes = masked;
  }
  if (allEqual(bytes, step))
    bytes = bytes.take_front(step);
  return DenseElementsAttr::getFromRawBuffer(type, bytes);
}
