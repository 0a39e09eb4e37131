//===- Array.cpp - tensors of the interpreter -------------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Array.h"

#include "mlir/IR/DialectResourceBlobManager.h"

using namespace nxv::reference;

Array::Array(mlir::RankedTensorType type)
    : type(type), element(*Element::get(type.getElementType())) {
  size_t size = type.getNumElements();
  if (element.isInteger())
    elements = std::vector<int64_t>(size);
  else if (element.isReal())
    elements = std::vector<double>(size);
  else
    elements = std::vector<Complex>(size);
}

Array Array::decode(mlir::RankedTensorType type, const uint8_t *bytes) {
  Array array(type);
  size_t step = array.element.getByteSize();
  array.visit([&](auto &values) {
    for (auto &value : values) {
      array.element.decode(bytes, value);
      bytes += step;
    }
  });
  return array;
}

std::vector<uint8_t> Array::encode() const {
  size_t step = element.getByteSize();
  std::vector<uint8_t> bytes(getSize() * step);
  uint8_t *next = bytes.data();
  visit([&](const auto &values) {
    for (const auto &value : values) {
      element.encode(value, next);
      next += step;
    }
  });
  return bytes;
}

/// Predicates may be packed in an attribute; their iterator knows.
static Array decodePredicates(mlir::RankedTensorType type,
                              mlir::DenseElementsAttr dense) {
  Array array(type);
  auto &values = array.get<int64_t>();
  if (dense.isSplat()) {
    values.assign(values.size(), dense.getSplatValue<bool>());
    return array;
  }
  size_t next = 0;
  for (bool value : dense.getValues<bool>())
    values[next++] = value;
  return array;
}

static Array decodeDense(mlir::RankedTensorType type,
                         mlir::DenseElementsAttr dense) {
  if (type.getElementType().isInteger(1))
    return decodePredicates(type, dense);
  auto *bytes = reinterpret_cast<const uint8_t *>(dense.getRawData().data());
  if (!dense.isSplat())
    return Array::decode(type, bytes);
  Array array(type);
  array.visit([&](auto &values) {
    if (values.empty())
      return;
    array.getElement().decode(bytes, values[0]);
    values.assign(values.size(), values[0]);
  });
  return array;
}

ArrayPtr nxv::reference::decodeElements(mlir::ElementsAttr attribute) {
  auto type = llvm::dyn_cast<mlir::RankedTensorType>(attribute.getType());
  if (!type || !Element::get(type.getElementType()))
    return nullptr;
  if (auto dense = llvm::dyn_cast<mlir::DenseElementsAttr>(attribute))
    return std::make_shared<Array>(decodeDense(type, dense));
  if (auto resource =
          llvm::dyn_cast<mlir::DenseResourceElementsAttr>(attribute)) {
    mlir::AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    size_t step = Element::get(type.getElementType())->getByteSize();
    if (!blob || blob->getData().size() != type.getNumElements() * step)
      return nullptr;
    auto *bytes = reinterpret_cast<const uint8_t *>(blob->getData().data());
    return std::make_shared<Array>(Array::decode(type, bytes));
  }
  return nullptr;
}

Shape nxv::reference::getStrides(Dims shape) {
  Shape strides(shape.size(), 1);
  for (int64_t axis = int64_t(shape.size()) - 2; axis >= 0; --axis)
    strides[axis] = strides[axis + 1] * shape[axis + 1];
  return strides;
}

int64_t nxv::reference::getProduct(Dims shape) {
  int64_t product = 1;
  for (int64_t size : shape)
    product *= size;
  return product;
}

void nxv::reference::copyBox(Dims shape, const Array &from,
                             const View &fromView, Array &to,
                             const View &toView) {
  to.visit([&](auto &target) {
    using T = typename std::decay_t<decltype(target)>::value_type;
    const std::vector<T> &source = from.get<T>();
    walk(shape, fromView, toView,
         [&](int64_t f, int64_t t) { target[t] = source[f]; });
  });
}
