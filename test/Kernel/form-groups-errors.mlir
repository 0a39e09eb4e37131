// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: nxv-opt %s -split-input-file -nxv-form-groups -verify-diagnostics

func.func @sort(%x: tensor<10xf32>) -> tensor<10xf32> {
  // expected-error@+1 {{no kernel family takes 'nxv.sort' yet}}
  %0 = nxv.sort %x {axis = 0} : (tensor<10xf32>) -> tensor<10xf32>
  return %0 : tensor<10xf32>
}

// -----

#id = affine_map<(d0) -> (d0)>

func.func @bf16(%x: tensor<10xf32>) -> tensor<10xbf16> {
  %e = tensor.empty() : tensor<10xbf16>
  // expected-error@+1 {{kernels do not compute elements of type 'bf16' yet}}
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<10xf32>) outs(%e : tensor<10xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %1 = arith.truncf %in : f32 to bf16
    linalg.yield %1 : bf16
  } -> tensor<10xbf16>
  return %0 : tensor<10xbf16>
}
