// RUN: nxv-opt %s -nxv-to-linalg -split-input-file | FileCheck %s

// CHECK-DAG: #[[LHS:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
// CHECK-DAG: #[[RHS:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)>
// CHECK-DAG: #[[OUT:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
// CHECK-LABEL: func.func @batch
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<5x2x4xf32>
// CHECK: linalg.generic {indexing_maps = [#[[LHS]], #[[RHS]], #[[OUT]]], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} {{.*}} outs(%[[ZERO]] : tensor<5x2x4xf32>)
// CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32, %[[ACC:.*]]: f32):
// CHECK-NEXT: %[[P:.*]] = arith.mulf %[[A]], %[[B]]
// CHECK-NEXT: %[[S:.*]] = arith.addf %[[P]], %[[ACC]]
// CHECK-NEXT: linalg.yield %[[S]]
func.func @batch(%x: tensor<5x2x3xf32>, %y: tensor<5x3x4xf32>) -> tensor<5x2x4xf32> {
  %0 = nxv.dot_general %x, %y {lhsBatch = array<i64: 0>, lhsContract = array<i64: 2>, rhsBatch = array<i64: 0>, rhsContract = array<i64: 1>} : (tensor<5x2x3xf32>, tensor<5x3x4xf32>) -> tensor<5x2x4xf32>
  return %0 : tensor<5x2x4xf32>
}

// -----

// A transposed operand is read in place.
// CHECK-DAG: #[[LHS:.*]] = affine_map<(d0, d1, d2) -> (d2, d0)>
// CHECK-DAG: #[[RHS:.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK-LABEL: func.func @transposed(
// CHECK-SAME: %[[X:.*]]: tensor<3x2xf32>, %[[Y:.*]]: tensor<3x4xf32>
// CHECK-NOT: tensor.empty
// CHECK: linalg.generic {indexing_maps = [#[[LHS]], #[[RHS]], #{{.*}}]{{.*}} ins(%[[X]], %[[Y]] : tensor<3x2xf32>, tensor<3x4xf32>)
func.func @transposed(%x: tensor<3x2xf32>, %y: tensor<3x4xf32>) -> tensor<2x4xf32> {
  %t = nxv.transpose %x {permutation = array<i64: 1, 0>} : (tensor<3x2xf32>) -> tensor<2x3xf32>
  %0 = nxv.dot_general %t, %y {lhsBatch = array<i64>, lhsContract = array<i64: 1>, rhsBatch = array<i64>, rhsContract = array<i64: 0>} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

// CHECK-LABEL: func.func @half
// CHECK: arith.constant dense<0.000000e+00> : tensor<f32>
// CHECK: arith.extf %{{.*}} : bf16 to f32
// CHECK: arith.extf %{{.*}} : bf16 to f32
// CHECK: arith.mulf
// CHECK: arith.addf
// CHECK: arith.truncf %{{.*}} : f32 to bf16
func.func @half(%x: tensor<3xbf16>, %y: tensor<3xbf16>) -> tensor<bf16> {
  %0 = nxv.dot_general %x, %y {lhsBatch = array<i64>, lhsContract = array<i64: 0>, rhsBatch = array<i64>, rhsContract = array<i64: 0>} : (tensor<3xbf16>, tensor<3xbf16>) -> tensor<bf16>
  return %0 : tensor<bf16>
}

// -----

// Integers wrap in their own type.
// CHECK-LABEL: func.func @bytes
// CHECK: arith.muli %{{.*}} : i8
// CHECK: arith.addi %{{.*}} : i8
func.func @bytes(%x: tensor<3xui8>, %y: tensor<3xui8>) -> tensor<ui8> {
  %0 = nxv.dot_general %x, %y {lhsBatch = array<i64>, lhsContract = array<i64: 0>, rhsBatch = array<i64>, rhsContract = array<i64: 0>} : (tensor<3xui8>, tensor<3xui8>) -> tensor<ui8>
  return %0 : tensor<ui8>
}

// -----

// Nothing is contracted: a broadcast product.
// CHECK-LABEL: func.func @outer
// CHECK: iterator_types = ["parallel", "parallel"]
// CHECK: arith.mulf
// CHECK-NOT: arith.addf
func.func @outer(%x: tensor<3xf32>, %y: tensor<4xf32>) -> tensor<3x4xf32> {
  %0 = nxv.dot_general %x, %y {lhsBatch = array<i64>, lhsContract = array<i64>, rhsBatch = array<i64>, rhsContract = array<i64>} : (tensor<3xf32>, tensor<4xf32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}
