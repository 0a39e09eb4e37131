//===- Interpreter.h - runs the nxv dialect on the CPU ----------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
// The oracle of the tests: every operation evaluated as its description reads,
// with nothing shared with the lowering.

#ifndef NXV_REFERENCE_INTERPRETER_H
#define NXV_REFERENCE_INTERPRETER_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <vector>

namespace nxv {

/// A tensor as bytes: dense, row-major, little-endian. An element narrower than
/// a byte takes one byte, a complex one its real and then its imaginary part.
struct Tensor {
  mlir::RankedTensorType type;
  std::vector<uint8_t> data;
};

/// The bytes one element of `type` takes in a Tensor, 0 if it has no place
/// there.
size_t getReferenceByteSize(mlir::Type type);

/// Runs `function` on `inputs`. On failure an error has been emitted.
mlir::FailureOr<llvm::SmallVector<Tensor>>
interpret(mlir::func::FuncOp function, llvm::ArrayRef<Tensor> inputs);

/// What another correct implementation may do differently: round the results
/// of functions by a few units in the last place, sum in another order, flush
/// subnormal numbers, choose other bits for a NaN.
struct Disturbance {
  uint64_t seed = 0;
  /// Moves every element the other way: of the two directions one crosses the
  /// border that an element is next to.
  bool mirrored = false;
  /// Flushes subnormal f32 and bf16 to zero.
  bool flushes = false;
  /// Multiplies every movement.
  double scale = 1;
};

/// Runs `function` with disturbed results. Where several disturbances agree, a
/// correct implementation has no choice.
mlir::FailureOr<llvm::SmallVector<Tensor>>
interpret(mlir::func::FuncOp function, llvm::ArrayRef<Tensor> inputs,
          const Disturbance &disturbance);

} // namespace nxv

#endif // NXV_REFERENCE_INTERPRETER_H
