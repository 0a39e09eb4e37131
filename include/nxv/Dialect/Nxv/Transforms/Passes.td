//===- Passes.td - transformations within the nxv dialect --*- tablegen -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_DIALECT_NXV_TRANSFORMS_PASSES_TD
#define NXV_DIALECT_NXV_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def ExpandBlocks : Pass<"nxv-expand-blocks"> {
  let summary = "inlines the definitions of blocks";
  let description = [{
    Replaces every `nxv.block` by its body, inner ones included, but
    `cumulative_sum`, `_product`, `_min` and `_max` of reals by `nxv.cumulative`.
    Afterwards no block is left.

    Before:
    ```mlir
    func.func @main(%x: tensor<4xf32>) -> tensor<4xi1> {
      %0 = nxv.block "logical_not" (%x) : (tensor<4xf32>) -> tensor<4xi1> {
      ^bb0(%a: tensor<4xf32>):
        %p = nxv.convert %a : (tensor<4xf32>) -> tensor<4xi1>
        %n = nxv.not %p : tensor<4xi1>
        nxv.yield %n : tensor<4xi1>
      }
      return %0 : tensor<4xi1>
    }
    ```
    After:
    ```mlir
    func.func @main(%x: tensor<4xf32>) -> tensor<4xi1> {
      %p = nxv.convert %x : (tensor<4xf32>) -> tensor<4xi1>
      %n = nxv.not %p : tensor<4xi1>
      return %n : tensor<4xi1>
    }
    ```
  }];
}

#endif // NXV_DIALECT_NXV_TRANSFORMS_PASSES_TD
