//===- Passes.td - elements that kernels can hold ----------*- tablegen -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_CONVERSION_LEGALIZEELEMENTS_PASSES_TD
#define NXV_CONVERSION_LEGALIZEELEMENTS_PASSES_TD

include "mlir/Pass/PassBase.td"

def SplitComplex : Pass<"nxv-split-complex", "::mlir::ModuleOp"> {
  let summary = "turns each complex tensor into two real ones";
  let description = [{
    Works on the level that `nxv-to-linalg` leaves. A tensor of complex numbers
    becomes the tensors of its real and its imaginary parts. Arguments and
    results of the function stay one tensor, with the two parts of an element
    side by side in a new last axis: the memory of a complex number. A reduction
    whose parts do not meet becomes two, and a contraction four.

    Before:
    ```mlir
    func.func @main(%x: tensor<4xcomplex<f32>>) -> tensor<4xf32> {
      %e = tensor.empty() : tensor<4xf32>
      %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
          ins(%x : tensor<4xcomplex<f32>>) outs(%e : tensor<4xf32>) {
      ^bb0(%z: complex<f32>, %o: f32):
        %m = complex.im %z : complex<f32>
        linalg.yield %m : f32
      } -> tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    ```
    After:
    ```mlir
    // #part0 = (d0) -> (d0, 0), #part1 = (d0) -> (d0, 1)
    func.func @main(%x: tensor<4x2xf32> {nxv.element = "c64"}) -> tensor<4xf32> {
      %e = tensor.empty() : tensor<4xf32>
      %re = linalg.generic {indexing_maps = [#part0, #id], iterator_types = ["parallel"]}
          ins(%x : tensor<4x2xf32>) outs(%e : tensor<4xf32>) { ... }
      %im = linalg.generic {indexing_maps = [#part1, #id], iterator_types = ["parallel"]}
          ins(%x : tensor<4x2xf32>) outs(%e : tensor<4xf32>) { ... }
      %0 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
          ins(%re, %im : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) {
      ^bb0(%a: f32, %b: f32, %o: f32):
        linalg.yield %b : f32
      } -> tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"];
}

def EncodeFloats : Pass<"nxv-encode-floats", "::mlir::ModuleOp"> {
  let summary = "holds floats that SPIR-V does not know as integers";
  let description = [{
    bf16 and the 8-bit floats are held as integers of their size. A payload
    computes in f32: reading one decodes its bits, storing one rounds to the
    nearest, ties to even, in integer arithmetic.

    Before:
    ```mlir
    ^bb0(%a: bf16, %o: f32):
      %0 = arith.extf %a : bf16 to f32
      linalg.yield %0 : f32
    ```
    After:
    ```mlir
    ^bb0(%a: i16, %o: f32):
      %c16 = arith.constant 16 : i32
      %0 = arith.extui %a : i16 to i32
      %1 = arith.shli %0, %c16 : i32
      %2 = arith.bitcast %1 : i32 to f32
      linalg.yield %2 : f32
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect"];
}

def WidenIntegers : Pass<"nxv-widen-integers", "::mlir::ModuleOp"> {
  let summary = "holds integers of fewer than 8 bits in bytes";
  let description = [{
    An integer of 2 or 4 bits is held sign-extended in a byte, in memory as in
    payloads. Unsigned ones are zero-extended outside of the function.

    Before:
    ```mlir
    ^bb0(%a: i4, %b: i4, %o: i4):
      %0 = arith.addi %a, %b : i4
      linalg.yield %0 : i4
    ```
    After:
    ```mlir
    ^bb0(%a: i8, %b: i8, %o: i8):
      %c4 = arith.constant 4 : i8
      %0 = arith.addi %a, %b : i8
      %1 = arith.shli %0, %c4 : i8
      %2 = arith.shrsi %1, %c4 : i8
      linalg.yield %2 : i8
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"];
}

#endif // NXV_CONVERSION_LEGALIZEELEMENTS_PASSES_TD
