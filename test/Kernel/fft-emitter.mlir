// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: nxv-opt %s -split-input-file -nxv-emit-kernels | FileCheck %s

// Two stages, of radix 8 and 4, with a barrier between them: the first reads the
// operands, the second writes the results. A row has four threads; three rows are
// a workgroup of four.

// CHECK: gpu.func @fft_0
// CHECK-SAME: known_block_size = array<i32: 16, 1, 1>
// CHECK-SAME: nxv.grid = 1
// CHECK-COUNT-2: memref.alloc() : memref<128xf32, #spirv.storage_class<Workgroup>>
// CHECK: gpu.barrier
// CHECK-NOT: gpu.barrier
// CHECK: gpu.return
func.func @main(%re: tensor<3x32xf32>, %im: tensor<3x32xf32>, %roots: tensor<32x2xf32>) -> tensor<3x32xf32> {
  %0:2 = program.group fft(%re, %im, %roots) : (tensor<3x32xf32>, tensor<3x32xf32>, tensor<32x2xf32>) -> (tensor<3x32xf32>, tensor<3x32xf32>) {
  ^bb0(%a: tensor<3x32xf32>, %b: tensor<3x32xf32>, %r: tensor<32x2xf32>):
    %1:2 = nxv.fft_parts %a, %b, %r {axis = 1 : i64} : (tensor<3x32xf32>, tensor<3x32xf32>, tensor<32x2xf32>) -> (tensor<3x32xf32>, tensor<3x32xf32>)
    program.yield %1#0, %1#1 : tensor<3x32xf32>, tensor<3x32xf32>
  }
  return %0#0 : tensor<3x32xf32>
}

// -----

// A prime length is one stage in registers; the inverse divides.

// CHECK: gpu.func @fft_0
// CHECK-NOT: memref.alloc
// CHECK-NOT: gpu.barrier
// CHECK: arith.constant 0.14285714{{.*}} : f64
// CHECK: gpu.return
func.func @main(%re: tensor<7x5xf64>, %im: tensor<7x5xf64>, %roots: tensor<7x2xf64>) -> tensor<7x5xf64> {
  %0:2 = program.group fft(%re, %im, %roots) : (tensor<7x5xf64>, tensor<7x5xf64>, tensor<7x2xf64>) -> (tensor<7x5xf64>, tensor<7x5xf64>) {
  ^bb0(%a: tensor<7x5xf64>, %b: tensor<7x5xf64>, %r: tensor<7x2xf64>):
    %1:2 = nxv.fft_parts %a, %b, %r {axis = 0 : i64, inverse} : (tensor<7x5xf64>, tensor<7x5xf64>, tensor<7x2xf64>) -> (tensor<7x5xf64>, tensor<7x5xf64>)
    program.yield %1#0, %1#1 : tensor<7x5xf64>, tensor<7x5xf64>
  }
  return %0#0 : tensor<7x5xf64>
}

// -----

// The largest length: all of the workgroup's memory.

// CHECK: gpu.func @fft_0
// CHECK-SAME: known_block_size = array<i32: 256, 1, 1>
// CHECK-COUNT-2: memref.alloc() : memref<2048xf64, #spirv.storage_class<Workgroup>>
func.func @main(%re: tensor<2048x3xf64>, %im: tensor<2048x3xf64>, %roots: tensor<2048x2xf64>) -> tensor<2048x3xf64> {
  %0:2 = program.group fft(%re, %im, %roots) : (tensor<2048x3xf64>, tensor<2048x3xf64>, tensor<2048x2xf64>) -> (tensor<2048x3xf64>, tensor<2048x3xf64>) {
  ^bb0(%a: tensor<2048x3xf64>, %b: tensor<2048x3xf64>, %r: tensor<2048x2xf64>):
    %1:2 = nxv.fft_parts %a, %b, %r {axis = 0 : i64} : (tensor<2048x3xf64>, tensor<2048x3xf64>, tensor<2048x2xf64>) -> (tensor<2048x3xf64>, tensor<2048x3xf64>)
    program.yield %1#0, %1#1 : tensor<2048x3xf64>, tensor<2048x3xf64>
  }
  return %0#0 : tensor<2048x3xf64>
}
