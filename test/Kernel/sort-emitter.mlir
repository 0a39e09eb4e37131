// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: nxv-opt %s -split-input-file -nxv-emit-kernels | FileCheck %s

// Two rows of a workgroup: 128 threads of each sort 8 keys, then runs are merged in
// workgroup memory, where one slot in 32 is left out.

// CHECK: gpu.func @sort_0
// CHECK-SAME: known_block_size = array<i32: 256, 1, 1>
// CHECK-SAME: nxv.grid = 2
// CHECK-DAG: memref.alloc() : memref<2112xi32
// CHECK: arith.bitcast {{.*}} : f32 to i32
// CHECK: gpu.barrier
func.func @main(%x: tensor<3x1000xf32>) -> tensor<3x1000xi32> {
  %0 = program.group sort(%x) : (tensor<3x1000xf32>) -> tensor<3x1000xi32> {
  ^bb0(%arg: tensor<3x1000xf32>):
    %1 = nxv.sort_tiles %arg {axis = 1 : i64, tile = 2048 : i64, resultSegmentSizes = array<i32: 0, 1>} : (tensor<3x1000xf32>) -> tensor<3x1000xi32>
    program.yield %1 : tensor<3x1000xi32>
  }
  return %0 : tensor<3x1000xi32>
}

// -----

// A merge: each workgroup writes 2048 elements of the result.

// CHECK: gpu.func @sort_0
// CHECK-SAME: nxv.grid = 6
// CHECK-DAG: memref.alloc() : memref<2112xi64
// CHECK-DAG: memref.alloc() : memref<2112xi32
func.func @main(%x: tensor<2x5000xf64>) -> tensor<2x5000xf64> {
  %0 = program.group sort(%x) : (tensor<2x5000xf64>) -> tensor<2x5000xf64> {
  ^bb0(%arg: tensor<2x5000xf64>):
    %1 = nxv.merge_runs %arg {run = 2048 : i64, resultSegmentSizes = array<i32: 1, 0>} : (tensor<2x5000xf64>) -> tensor<2x5000xf64>
    program.yield %1 : tensor<2x5000xf64>
  }
  return %0 : tensor<2x5000xf64>
}
