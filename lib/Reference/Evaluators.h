//===- Evaluators.h - operations of the interpreter -------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_LIB_REFERENCE_EVALUATORS_H
#define NXV_LIB_REFERENCE_EVALUATORS_H

#include "Array.h"

#include "nxv/Dialect/Nxv/IR/Nxv.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <functional>

namespace nxv::reference {

using Operands = llvm::ArrayRef<ArrayPtr>;

/// The operations of one result and no region, by their kind.
class Evaluators {
public:
  using Function = std::function<Array(mlir::Operation *, Operands)>;

  /// `fn(op, operands)` gives the result.
  template <typename Op, typename Fn>
  void add(Fn fn) {
    table[mlir::TypeID::get<Op>()] = [fn](mlir::Operation *op,
                                          Operands operands) {
      return fn(llvm::cast<Op>(op), operands);
    };
  }

  const Function *find(mlir::Operation *op) const {
    auto entry = table.find(op->getName().getTypeID());
    return entry == table.end() ? nullptr : &entry->second;
  }

private:
  llvm::DenseMap<mlir::TypeID, Function> table;
};

void addElementwise(Evaluators &evaluators);
void addMovement(Evaluators &evaluators);
void addReductions(Evaluators &evaluators);
void addContractions(Evaluators &evaluators);
void addOrder(Evaluators &evaluators);

/// The result type of an operation of one result.
inline mlir::RankedTensorType getResultType(mlir::Operation *op) {
  return llvm::cast<mlir::RankedTensorType>(op->getResult(0).getType());
}

//===----------------------------------------------------------------------===//
// Functions on elements, of every class
//===----------------------------------------------------------------------===//

inline bool isLess(Element element, int64_t a, int64_t b) {
  return element.isSigned() ? a < b : uint64_t(a) < uint64_t(b);
}
inline bool isLess(Element, double a, double b) { return a < b; }
inline bool isLess(Element, long double a, long double b) { return a < b; }

/// Numbers before NaN; all NaNs are equal.
inline bool isBefore(Element element, int64_t a, int64_t b) {
  return isLess(element, a, b);
}
inline bool isBefore(Element, double a, double b) {
  return a < b || (a == a && b != b);
}

/// One step of a reduction, and the value that a reduction starts from.
int64_t combine(ReduceKind kind, Element element, int64_t a, int64_t b);
double combine(ReduceKind kind, Element element, double a, double b);
long double combine(ReduceKind kind, Element element, long double a,
                    long double b);
Complex combine(ReduceKind kind, Element element, Complex a, Complex b);
WideComplex combine(ReduceKind kind, Element element, WideComplex a,
                    WideComplex b);
template <typename T>
T getNeutral(ReduceKind kind, Element element);

/// The textbook product: no recovery of infinities from NaN parts.
template <typename T>
std::complex<T> multiply(std::complex<T> a, std::complex<T> b) {
  return {a.real() * b.real() - a.imag() * b.imag(),
          a.real() * b.imag() + a.imag() * b.real()};
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

/// A sliding window over a padded tensor.
struct Windows {
  Dims shape; // of the tensor
  Dims window, strides, dilations, low;
};

/// Calls `fn(offset)` for the elements of the window at `position`, in
/// row-major order, and `fn(-1)` where the padding is.
void forEachInWindow(const Windows &windows, Dims position,
                     llvm::function_ref<void(int64_t)> fn);

} // namespace nxv::reference

#endif // NXV_LIB_REFERENCE_EVALUATORS_H
