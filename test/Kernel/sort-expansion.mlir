// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: nxv-opt %s -split-input-file -nxv-expand-sort | FileCheck %s

// A short axis is one kernel, whichever axis it is.

// CHECK-LABEL: func.func @short
// CHECK-NEXT: %[[V:.*]] = nxv.sort_tiles %arg0 {axis = 1 : i64, descending, nxv.unsigned,
// CHECK-SAME: resultSegmentSizes = array<i32: 1, 0>, tile = 2048 : i64}
// CHECK-SAME: (tensor<3x2048x2xi8>) -> tensor<3x2048x2xi8>
// CHECK-NEXT: return %[[V]]
func.func @short(%x: tensor<3x2048x2xi8>) -> tensor<3x2048x2xi8> {
  %0 = nxv.sort %x {axis = 1 : i64, descending, nxv.unsigned} : (tensor<3x2048x2xi8>) -> tensor<3x2048x2xi8>
  return %0 : tensor<3x2048x2xi8>
}

// -----

// A sort and an argsort of one operand are one chain of kernels.

// CHECK-LABEL: func.func @both
// CHECK: %[[V:.*]], %[[I:.*]] = nxv.sort_tiles
// CHECK-SAME: (tensor<4x5xf32>) -> (tensor<4x5xf32>, tensor<4x5xi64>)
// CHECK: return %[[I]], %[[V]]
func.func @both(%x: tensor<4x5xf32>) -> (tensor<4x5xi64>, tensor<4x5xf32>) {
  %0 = nxv.argsort %x {axis = 0 : i64} : (tensor<4x5xf32>) -> tensor<4x5xi64>
  %1 = nxv.sort %x {axis = 0 : i64} : (tensor<4x5xf32>) -> tensor<4x5xf32>
  return %0, %1 : tensor<4x5xi64>, tensor<4x5xf32>
}

// -----

// Another direction is another sort.

// CHECK-LABEL: func.func @directions
// CHECK: nxv.sort_tiles %arg0
// CHECK: nxv.sort_tiles %arg0
func.func @directions(%x: tensor<4x5xf32>) -> (tensor<4x5xi64>, tensor<4x5xf32>) {
  %0 = nxv.argsort %x {axis = 0 : i64, descending} : (tensor<4x5xf32>) -> tensor<4x5xi64>
  %1 = nxv.sort %x {axis = 0 : i64} : (tensor<4x5xf32>) -> tensor<4x5xf32>
  return %0, %1 : tensor<4x5xi64>, tensor<4x5xf32>
}

// -----

// A long axis is merged from tiles. Places have 32 bits on the way, and the last
// step gives what is asked for.

// CHECK-LABEL: func.func @long
// CHECK: %[[R:.*]] = tensor.expand_shape %arg0
// CHECK: %[[V:.*]], %[[I:.*]] = nxv.sort_tiles %[[R]] {axis = 1 : i64,
// CHECK-SAME: (tensor<1x5000xf32>) -> (tensor<1x5000xf32>, tensor<1x5000xi32>)
// CHECK: %[[W:.*]], %[[J:.*]] = nxv.merge_runs %[[V]], %[[I]] {{.*}}run = 2048 : i64
// CHECK: %[[L:.*]] = nxv.merge_runs %[[W]], %[[J]] {{.*}}run = 4096 : i64
// CHECK-SAME: -> tensor<1x5000xi64>
// CHECK: %[[C:.*]] = tensor.collapse_shape %[[L]]
// CHECK: return %[[C]]
func.func @long(%x: tensor<5000xf32>) -> tensor<5000xi64> {
  %0 = nxv.argsort %x {axis = 0 : i64} : (tensor<5000xf32>) -> tensor<5000xi64>
  return %0 : tensor<5000xi64>
}

// -----

// A sort alone moves no places; a long axis goes last and comes back.

// CHECK-LABEL: func.func @middle
// CHECK: linalg.generic
// CHECK: tensor.collapse_shape {{.*}} into tensor<6x4096xf32>
// CHECK: nxv.sort_tiles {{.*}} -> tensor<6x4096xf32>
// CHECK: nxv.merge_runs {{.*}} : (tensor<6x4096xf32>) -> tensor<6x4096xf32>
// CHECK-NOT: nxv.merge_runs
// CHECK: tensor.expand_shape
// CHECK: linalg.generic
// CHECK: return {{.*}} tensor<2x4096x3xf32>
func.func @middle(%x: tensor<2x4096x3xf32>) -> tensor<2x4096x3xf32> {
  %0 = nxv.sort %x {axis = 1 : i64} : (tensor<2x4096x3xf32>) -> tensor<2x4096x3xf32>
  return %0 : tensor<2x4096x3xf32>
}
