//===- Disturb.h - what implementations may do differently -----*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_LIB_REFERENCE_DISTURB_H
#define NXV_LIB_REFERENCE_DISTURB_H

#include "Evaluators.h"
#include "nxv/Reference/Interpreter.h"

namespace nxv::reference {

/// Moves results as far as a correct implementation may be from the
/// interpreter.
class Disturber {
public:
  Disturber(const Disturbance &disturbance, const Evaluators &evaluators)
      : disturbance(disturbance), evaluators(evaluators) {}

  /// Disturbs the result of an operation that was run on `operands`.
  void disturb(mlir::Operation *op, Operands operands, Array &result);

  /// The array with subnormal numbers flushed, if they are.
  ArrayPtr flush(ArrayPtr array) const;

private:
  /// From 0.5 to 1, or from -1 to -0.5, for an element of the current
  /// operation.
  double direction(size_t i) const;
  /// Sets a value of which nobody can say what it is: to 0 or to NaN, by the
  /// seed.
  void lose(double &value) const;
  void lose(Complex &value) const;
  void loseAll(Array &result) const;
  void loseNonFinite(Array &result) const;
  /// Moves elements by `units` in the last place of their own.
  void moveRelative(Array &result, double units) const;
  /// Moves the sums of an operation by what rounding in another order may.
  void moveSums(mlir::Operation *op, Operands operands, Array &result) const;
  void moveProducts(mlir::Operation *op, Operands operands,
                    Array &result) const;
  /// Runs the operation on operands that are off by `units`.
  void moveOperands(mlir::Operation *op, Operands operands, Array &result,
                    double units) const;
  void movePowers(mlir::Operation *op, Operands operands, Array &result) const;
  void flushInPlace(Array &array) const;

  Disturbance disturbance;
  const Evaluators &evaluators;
  uint64_t numOps = 0;
};

} // namespace nxv::reference

#endif // NXV_LIB_REFERENCE_DISTURB_H
