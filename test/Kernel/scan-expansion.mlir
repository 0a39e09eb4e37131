// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: nxv-opt %s -split-input-file -nxv-expand-scan | FileCheck %s

// A short axis is one kernel.

// CHECK-LABEL: func.func @short
// CHECK-NEXT: %[[V:.*]] = nxv.scan_chunks max, %arg0 {axis = 1 : i64, chunk = 100 : i64, nxv.unsigned, reverse}
// CHECK-NEXT: return %[[V]]
func.func @short(%x: tensor<3x100x2xi8>) -> tensor<3x100x2xi8> {
  %0 = nxv.cumulative max, %x {axis = 1 : i64, reverse, nxv.unsigned} : tensor<3x100x2xi8>
  return %0 : tensor<3x100x2xi8>
}

// -----

// So is a long one where there are many rows.

// CHECK-LABEL: func.func @rows
// CHECK-NEXT: nxv.scan_chunks add, %arg0 {axis = 1 : i64, chunk = 9000 : i64}
// CHECK-NEXT: return
func.func @rows(%x: tensor<300x9000xf32>) -> tensor<300x9000xf32> {
  %0 = nxv.cumulative add, %x {axis = 1 : i64} : tensor<300x9000xf32>
  return %0 : tensor<300x9000xf32>
}

// -----

// A long axis: its chunks, their totals, both together. Sums of f16 have 32 bits
// until the end.

// CHECK-LABEL: func.func @long
// CHECK: %[[C:.*]] = nxv.scan_chunks add, %arg0 {axis = 0 : i64, chunk = 2048 : i64}
// CHECK-SAME: (tensor<9000x2xf16>) -> tensor<9000x2xf32>
// CHECK: %[[L:.*]] = linalg.generic
// CHECK: tensor.extract %[[C]]
// CHECK: %[[T:.*]] = nxv.scan_chunks add, %[[L]] {axis = 0 : i64, chunk = 5 : i64}
// CHECK-SAME: (tensor<5x2xf32>) -> tensor<5x2xf32>
// CHECK: linalg.generic {{.*}} ins(%[[C]] : tensor<9000x2xf32>)
// CHECK: tensor.extract %[[T]]
// CHECK: arith.addf
// CHECK: arith.truncf
func.func @long(%x: tensor<9000x2xf16>) -> tensor<9000x2xf16> {
  %0 = nxv.cumulative add, %x {axis = 0 : i64} : tensor<9000x2xf16>
  return %0 : tensor<9000x2xf16>
}
