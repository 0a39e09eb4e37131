// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: nxv-opt %s -split-input-file -nxv-emit-kernels -verify-diagnostics

#none = #nxv<transform_a none>

func.func @upper(%a: tensor<4x4xf32>, %b: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %0 = program.group solve(%a, %b) : (tensor<4x4xf32>, tensor<4x2xf32>) -> tensor<4x2xf32> {
  ^bb0(%c: tensor<4x4xf32>, %d: tensor<4x2xf32>):
    // expected-error @below {{kernels solve lower triangular systems of f32 and f64 up to 256 rows}}
    %1 = nxv.triangular_solve %c, %d {leftSide = true, lower = false, transformA = #none} : (tensor<4x4xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
    program.yield %1 : tensor<4x2xf32>
  }
  return %0 : tensor<4x2xf32>
}

// -----

func.func @rows(%a: tensor<4x4xf32>, %b: tensor<3x2xf32>) -> tensor<3x2xf32> {
  // expected-error @below {{a and b need the same batch axes and rows}}
  %1:2 = nxv.triangular_solve_parts %a, %a, %b, %b : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<3x2xf32>, tensor<3x2xf32>) -> (tensor<3x2xf32>, tensor<3x2xf32>)
  return %1#0 : tensor<3x2xf32>
}

// -----

func.func @square(%a: tensor<4x3xf32>, %b: tensor<4x2xf32>) -> tensor<4x2xf32> {
  // expected-error @below {{a must be square in its last two axes}}
  %1:2 = nxv.triangular_solve_parts %a, %a, %b, %b : (tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x2xf32>, tensor<4x2xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>)
  return %1#0 : tensor<4x2xf32>
}
