// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: nxv-opt %s -split-input-file -verify-diagnostics -nxv-emit-kernels

func.func @no_root(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{contraction: expected one root, found 0}}
  %r = program.group contract(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    program.yield %a : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

func.func @one_factor(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{contraction: expected a payload of two elements, found 1}}
  %r = program.group contract(%x) : (tensor<4x8xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4x8xf32>):
    %zero = arith.constant dense<0.0> : tensor<4xf32>
    %0 = linalg.generic {
        indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>,
                         affine_map<(d0, d1) -> (d0)>],
        iterator_types = ["parallel", "reduction"]}
        ins(%a : tensor<4x8xf32>) outs(%zero : tensor<4xf32>)
        attrs = {nxv.root} {
    ^bb0(%p: f32, %acc: f32):
      %1 = arith.addf %p, %acc : f32
      linalg.yield %1 : f32
    } -> tensor<4xf32>
    program.yield %0 : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

func.func @broadcast(%x: tensor<4x8xf32>, %y: tensor<8xf32>) -> tensor<4x2xf32> {
  // expected-error @+1 {{contraction: a result of shape [4, 2] is not a rearrangement of the root's elements}}
  %r = program.group contract(%x, %y) : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x2xf32> {
  ^bb0(%a: tensor<4x8xf32>, %b: tensor<8xf32>):
    %zero = arith.constant dense<0.0> : tensor<4xf32>
    %0 = linalg.generic {
        indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>,
                         affine_map<(d0, d1) -> (d1)>,
                         affine_map<(d0, d1) -> (d0)>],
        iterator_types = ["parallel", "reduction"]}
        ins(%a, %b : tensor<4x8xf32>, tensor<8xf32>) outs(%zero : tensor<4xf32>)
        attrs = {nxv.root} {
    ^bb0(%p: f32, %q: f32, %acc: f32):
      %1 = arith.mulf %p, %q : f32
      %2 = arith.addf %1, %acc : f32
      linalg.yield %2 : f32
    } -> tensor<4xf32>
    %empty = tensor.empty() : tensor<4x2xf32>
    %3 = linalg.generic {
        indexing_maps = [affine_map<(d0, d1) -> (d0)>,
                         affine_map<(d0, d1) -> (d0, d1)>],
        iterator_types = ["parallel", "parallel"]}
        ins(%0 : tensor<4xf32>) outs(%empty : tensor<4x2xf32>) {
    ^bb0(%p: f32, %o: f32):
      linalg.yield %p : f32
    } -> tensor<4x2xf32>
    program.yield %3 : tensor<4x2xf32>
  }
  return %r : tensor<4x2xf32>
}
