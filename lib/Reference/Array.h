//===- Array.h - tensors of the interpreter ---------------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_LIB_REFERENCE_ARRAY_H
#define NXV_LIB_REFERENCE_ARRAY_H

#include "Element.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <memory>
#include <variant>
#include <vector>

namespace nxv::reference {

using Shape = llvm::SmallVector<int64_t>;
using Dims = llvm::ArrayRef<int64_t>;

/// A tensor: its elements in row-major order, in the widest type of their
/// class.
class Array {
public:
  /// All elements 0. `type` has an element type that Element knows.
  explicit Array(mlir::RankedTensorType type);

  static Array decode(mlir::RankedTensorType type, const uint8_t *bytes);
  std::vector<uint8_t> encode() const;

  mlir::RankedTensorType getType() const { return type; }
  Dims getShape() const { return type.getShape(); }
  int64_t getRank() const { return type.getRank(); }
  int64_t getSize() const { return type.getNumElements(); }
  Element getElement() const { return element; }

  template <typename T>
  std::vector<T> &get() {
    return *std::get_if<std::vector<T>>(&elements);
  }
  template <typename T>
  const std::vector<T> &get() const {
    return *std::get_if<std::vector<T>>(&elements);
  }

  /// Calls `fn` with the vector of elements.
  template <typename Fn>
  void visit(Fn fn) {
    if (element.isInteger())
      fn(get<int64_t>());
    else if (element.isReal())
      fn(get<double>());
    else
      fn(get<Complex>());
  }
  template <typename Fn>
  void visit(Fn fn) const {
    const_cast<Array *>(this)->visit(
        [&](auto &values) { fn(std::as_const(values)); });
  }

  /// Calls `fn` with the vector of elements and a value of the type in which
  /// sums over them run: wider than the element for floats.
  template <typename Fn>
  void visitWide(Fn fn) const {
    if (element.isInteger())
      fn(get<int64_t>(), int64_t());
    else if (element.isReal() && element.isDouble())
      fn(get<double>(), static_cast<long double>(0));
    else if (element.isReal())
      fn(get<double>(), double());
    else if (element.isDouble())
      fn(get<Complex>(), WideComplex());
    else
      fn(get<Complex>(), Complex());
  }

private:
  mlir::RankedTensorType type;
  Element element;
  std::variant<std::vector<int64_t>, std::vector<double>, std::vector<Complex>>
      elements;
};

/// Values are never written to once made, so they are shared.
using ArrayPtr = std::shared_ptr<const Array>;

/// The elements of a literal; null if it holds them in a way not known here.
ArrayPtr decodeElements(mlir::ElementsAttr attribute);

//===----------------------------------------------------------------------===//
// Index arithmetic
//===----------------------------------------------------------------------===//

/// Row-major strides, in elements.
Shape getStrides(Dims shape);
int64_t getProduct(Dims shape);

/// Where index 0 stands in a vector, and the step of each axis.
struct View {
  int64_t start = 0;
  Shape strides;
};

/// The view that goes through an array of `shape` in row-major order.
inline View wholeOf(Dims shape) { return {0, getStrides(shape)}; }

/// Calls `fn(a's offset, b's offset)` for each index of `shape` in row-major
/// order.
template <typename Fn>
void walk(Dims shape, View a, View b, Fn fn) {
  if (getProduct(shape) == 0)
    return;
  if (shape.empty()) {
    fn(a.start, b.start);
    return;
  }
  Shape index(shape.size(), 0);
  int64_t inner = shape.size() - 1;
  while (true) {
    int64_t offsetA = a.start, offsetB = b.start;
    for (int64_t i = 0; i < shape[inner]; ++i) {
      fn(offsetA, offsetB);
      offsetA += a.strides[inner];
      offsetB += b.strides[inner];
    }
    int64_t axis = inner - 1;
    for (; axis >= 0; --axis) {
      a.start += a.strides[axis];
      b.start += b.strides[axis];
      if (++index[axis] < shape[axis])
        break;
      index[axis] = 0;
      a.start -= shape[axis] * a.strides[axis];
      b.start -= shape[axis] * b.strides[axis];
    }
    if (axis < 0)
      return;
  }
}

/// Calls `fn(index)` for each index of `shape` in row-major order.
template <typename Fn>
void forEachIndex(Dims shape, Fn fn) {
  int64_t count = getProduct(shape);
  Shape index(shape.size(), 0);
  for (int64_t i = 0; i < count; ++i) {
    fn(Dims(index));
    for (int64_t axis = int64_t(shape.size()) - 1; axis >= 0; --axis) {
      if (++index[axis] < shape[axis])
        break;
      index[axis] = 0;
    }
  }
}

/// Copies a box of `shape` between arrays of one element type.
void copyBox(Dims shape, const Array &from, const View &fromView, Array &to,
             const View &toView);

/// The line of `axis` through each position of the others: calls
/// `fn(offset of its first element)`; the elements are `stride` apart.
template <typename Fn>
void forEachLine(Dims shape, int64_t axis, Fn fn) {
  Shape others(shape);
  others[axis] = 1;
  walk(others, wholeOf(shape), wholeOf(shape),
       [&](int64_t offset, int64_t) { fn(offset); });
}

} // namespace nxv::reference

#endif // NXV_LIB_REFERENCE_ARRAY_H
