//===- ExportLiterals.cpp - values of constant and tensor nodes
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Base64.h"
#include "ElementType.h"
#include "Exporter.h"

using namespace mlir;
using namespace nxv::graph;
using llvm::APFloat;

/// A float as JSON; nothing for a NaN with a payload.
static std::optional<OrderedJson> floatValue(const APFloat &value) {
  if (value.isInfinity())
    return value.isNegative() ? "-infinity" : "infinity";
  if (value.isNaN()) {
    if (!value.bitwiseIsEqual(APFloat::getQNaN(value.getSemantics())))
      return std::nullopt;
    return "nan";
  }
  APFloat wide = value;
  bool loses;
  wide.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &loses);
  return wide.convertToDouble();
}

static std::optional<OrderedJson> splatValue(DenseElementsAttr literal) {
  Type element = literal.getElementType();
  if (auto integer = dyn_cast<IntegerType>(element)) {
    auto value = literal.getSplatValue<APInt>();
    bool isSigned = !integer.isUnsigned() && integer.getWidth() > 1;
    return isSigned ? OrderedJson(value.getSExtValue())
                    : OrderedJson(value.getZExtValue());
  }
  if (isa<FloatType>(element))
    return floatValue(literal.getSplatValue<APFloat>());
  auto value = literal.getSplatValue<std::complex<APFloat>>();
  auto re = floatValue(value.real()), im = floatValue(value.imag());
  if (!re || !im)
    return std::nullopt;
  return OrderedJson::array({*re, *im});
}

/// One byte an element for types below a byte, else the stored bytes.
static std::vector<char> literalBytes(DenseElementsAttr literal) {
  std::vector<char> bytes;
  Type element = literal.getElementType();
  auto integer = dyn_cast<IntegerType>(element);
  if (integer && integer.getWidth() < 8) {
    bool isSigned = !integer.isUnsigned() && integer.getWidth() > 1;
    for (const APInt &value : literal.getValues<APInt>())
      bytes.push_back(static_cast<char>(
          isSigned ? value.getSExtValue()
                   : static_cast<int64_t>(value.getZExtValue())));
    return bytes;
  }
  llvm::ArrayRef<char> raw = literal.getRawData();
  int64_t copies = literal.isSplat() ? literal.getNumElements() : 1;
  for (int64_t i = 0; i < copies; ++i)
    bytes.insert(bytes.end(), raw.begin(), raw.end());
  return bytes;
}

bool nxv::graph::describeLiteral(DenseElementsAttr literal, std::string &name,
                                 OrderedJson &attrs) {
  if (elementTypeName(literal.getElementType()).empty())
    return false;
  if (literal.isSplat())
    if (auto value = splatValue(literal)) {
      name = "constant";
      attrs["value"] = std::move(*value);
      return true;
    }
  name = "tensor";
  attrs["data"] = encodeBase64(literalBytes(literal));
  return true;
}
