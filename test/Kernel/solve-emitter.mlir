// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: nxv-opt %s -split-input-file -nxv-emit-kernels | FileCheck %s

#none = #nxv<transform_a none>

// Few columns: a thread a row, and a barrier a step.
// CHECK: gpu.func @solve_0
// CHECK-SAME: known_block_size = array<i32: 256, 1, 1>
// CHECK-SAME: nxv.grid = 2
// CHECK: memref.alloc() : memref<200xf32, #spirv.storage_class<Workgroup>>
// CHECK: gpu.barrier
// CHECK: scf.for
// CHECK:   arith.divf
// CHECK:   gpu.barrier
func.func @main(%a: tensor<200x200xf32>, %b: tensor<200x2xf32>) -> tensor<200x2xf32> {
  %0 = program.group solve(%a, %b) : (tensor<200x200xf32>, tensor<200x2xf32>) -> tensor<200x2xf32> {
  ^bb0(%c: tensor<200x200xf32>, %d: tensor<200x2xf32>):
    %1 = nxv.triangular_solve %c, %d {leftSide = true, lower = true, transformA = #none} : (tensor<200x200xf32>, tensor<200x2xf32>) -> tensor<200x2xf32>
    program.yield %1 : tensor<200x2xf32>
  }
  return %0 : tensor<200x2xf32>
}

// -----

#none = #nxv<transform_a none>

// Many small systems: a thread solves a column by itself, without barriers.
// CHECK: gpu.func @solve_0
// CHECK-SAME: known_block_size = array<i32: 256, 1, 1>
// CHECK-SAME: nxv.grid = 24
// CHECK-NOT: gpu.barrier
// CHECK: gpu.return
func.func @main(%a: tensor<3000x3x3xf64>, %b: tensor<3000x3x2xf64>) -> tensor<3000x3x2xf64> {
  %0 = program.group solve(%a, %b) : (tensor<3000x3x3xf64>, tensor<3000x3x2xf64>) -> tensor<3000x3x2xf64> {
  ^bb0(%c: tensor<3000x3x3xf64>, %d: tensor<3000x3x2xf64>):
    %1 = nxv.triangular_solve %c, %d {leftSide = true, lower = true, transformA = #none} : (tensor<3000x3x3xf64>, tensor<3000x3x2xf64>) -> tensor<3000x3x2xf64>
    program.yield %1 : tensor<3000x3x2xf64>
  }
  return %0 : tensor<3000x3x2xf64>
}

// -----

// Both parts of complex numbers stay in workgroup memory.
// CHECK: gpu.func @solve_0
// CHECK-COUNT-2: memref.alloc() : memref<4xf32, #spirv.storage_class<Workgroup>>
// CHECK: math.absf
func.func @main(%a: tensor<4x4xf32>, %b: tensor<4x1xf32>) -> tensor<4x1xf32> {
  %0:2 = program.group solve(%a, %b) : (tensor<4x4xf32>, tensor<4x1xf32>) -> (tensor<4x1xf32>, tensor<4x1xf32>) {
  ^bb0(%c: tensor<4x4xf32>, %d: tensor<4x1xf32>):
    %1:2 = nxv.triangular_solve_parts %c, %c, %d, %d : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x1xf32>, tensor<4x1xf32>) -> (tensor<4x1xf32>, tensor<4x1xf32>)
    program.yield %1#0, %1#1 : tensor<4x1xf32>, tensor<4x1xf32>
  }
  return %0#0 : tensor<4x1xf32>
}
