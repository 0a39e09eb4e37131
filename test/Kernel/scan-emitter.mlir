// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: nxv-opt %s -split-input-file -nxv-emit-kernels | FileCheck %s

// A workgroup a row, 2048 elements a round; sums of f16 in f32.

// CHECK: gpu.func @scan_0
// CHECK-SAME: known_block_size = array<i32: 256, 1, 1>
// CHECK-SAME: nxv.grid = 3
// CHECK: memref.alloc() : memref<2304xf32
// CHECK: scf.for {{.*}} iter_args({{.*}}) -> (f32)
// CHECK: arith.extf {{.*}} : f16 to f32
// CHECK: arith.truncf {{.*}} : f32 to f16
func.func @main(%x: tensor<3x5000xf16>) -> tensor<3x5000xf16> {
  %0 = program.group scan(%x) : (tensor<3x5000xf16>) -> tensor<3x5000xf16> {
  ^bb0(%arg: tensor<3x5000xf16>):
    %1 = nxv.scan_chunks add, %arg {axis = 1 : i64, chunk = 5000 : i64} : (tensor<3x5000xf16>) -> tensor<3x5000xf16>
    program.yield %1 : tensor<3x5000xf16>
  }
  return %0 : tensor<3x5000xf16>
}

// -----

// Chunks are scanned apart; along an axis that is not the last one, 32
// neighbouring rows have 8 threads each.

// CHECK: gpu.func @scan_0
// CHECK-SAME: nxv.grid = 12
func.func @main(%x: tensor<5000x128xf32>) -> tensor<5000x128xf32> {
  %0 = program.group scan(%x) : (tensor<5000x128xf32>) -> tensor<5000x128xf32> {
  ^bb0(%arg: tensor<5000x128xf32>):
    %1 = nxv.scan_chunks mul, %arg {axis = 0 : i64, chunk = 2048 : i64, reverse} : (tensor<5000x128xf32>) -> tensor<5000x128xf32>
    program.yield %1 : tensor<5000x128xf32>
  }
  return %0 : tensor<5000x128xf32>
}
