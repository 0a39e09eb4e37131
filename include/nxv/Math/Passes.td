//===- Passes.td - passes of the arithmetic expansions -----*- tablegen -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_MATH_PASSES_TD
#define NXV_MATH_PASSES_TD

include "mlir/Pass/PassBase.td"

def ExpandMath : Pass<"nxv-expand-math"> {
  let summary = "compute functions with plain arithmetic";
  let description = [{
    Replaces the functions that SPIR-V for Vulkan lacks, or only promises
    roughly, by arith operations on scalars or vectors: the transcendental ones,
    square roots, exact remainders, integer divisions that round down or up, bit
    counts, float classification, rounding, maxima and minima that keep NaNs.
    Their errors are bounded (docs/numerics.md), and floats narrower than f32 are
    computed as f32.

    ```mlir
    %0 = math.trunc %x : f32
    ```
    becomes
    ```mlir
    %mask = arith.constant -2147483648 : i32
    %0 = math.absf %x : f32
    %1 = math.floor %0 : f32
    %2 = arith.bitcast %1 : f32 to i32
    %3 = arith.bitcast %x : f32 to i32
    %4 = arith.andi %3, %mask : i32
    %5 = arith.ori %2, %4 : i32
    %6 = arith.bitcast %5 : i32 to f32
    ```
  }];
  let options = [
    Option<"fast", "fast", "bool", /*default=*/"false",
           "leave functions of f32 and narrower to the device where it has them,"
           " without a bound on the error">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

#endif // NXV_MATH_PASSES_TD
