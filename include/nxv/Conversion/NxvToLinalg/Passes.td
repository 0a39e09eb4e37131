//===- Passes.td - from nxv to linalg ----------------------*- tablegen -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_CONVERSION_NXVTOLINALG_PASSES_TD
#define NXV_CONVERSION_NXVTOLINALG_PASSES_TD

include "mlir/Pass/PassBase.td"

def NxvToLinalg : Pass<"nxv-to-linalg", "::mlir::ModuleOp"> {
  let summary = "lowers nxv operations to linalg on signless tensors";
  let description = [{
    Every type becomes signless: signedness moves into the choice of scalar
    operations. Element-wise operations, data movement, reductions, windows,
    contractions and convolutions become `linalg.generic`, reshapes become
    `tensor.expand_shape` and `tensor.collapse_shape`. What linalg cannot say
    (sort, scatter, fft, triangular_solve, while, case, tap) stays an nxv
    operation on signless types, with a unit attribute `nxv.unsigned` where its
    element was unsigned. Blocks must have been expanded before.

    Before:
    ```mlir
    func.func @main(%x: tensor<4xui8>, %y: tensor<4xui8>) -> tensor<4xui8> {
      %0 = nxv.max %x, %y : tensor<4xui8>
      return %0 : tensor<4xui8>
    }
    ```
    After:
    ```mlir
    func.func @main(%x: tensor<4xi8>, %y: tensor<4xi8>) -> tensor<4xi8> {
      %e = tensor.empty() : tensor<4xi8>
      %0 = linalg.generic {indexing_maps = [#id, #id, #id],
                           iterator_types = ["parallel"]}
          ins(%x, %y : tensor<4xi8>, tensor<4xi8>) outs(%e : tensor<4xi8>) {
      ^bb0(%a: i8, %b: i8, %o: i8):
        %m = arith.maxui %a, %b : i8
        linalg.yield %m : i8
      } -> tensor<4xi8>
      return %0 : tensor<4xi8>
    }
    ```

    A reduction starts from the neutral element of what it combines with, unless
    it is ordered: each lane of a kernel starts one.

    Attributes that this pass puts on what it makes:
    * `nxv.arg_reduce` = "max" or "min": a generic with two results, extreme
      value and index; an initial index of -1 or of the largest integer marks
      "nothing yet". `nxv.tie_high`: of equal values the highest index wins, else
      the lowest; of NaNs the lowest index always wins. `nxv.unsigned`: values
      compare as unsigned.
    * `nxv.ordered`: a reduction whose steps must run in row-major order.
    * `nxv.conv`: a convolution.
    * `nxv.elements`: the graph's names of the elements that a tap offers.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::complex::ComplexDialect", "::mlir::func::FuncDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
}

#endif // NXV_CONVERSION_NXVTOLINALG_PASSES_TD
