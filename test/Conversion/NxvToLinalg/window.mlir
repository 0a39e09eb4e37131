// RUN: nxv-opt %s -nxv-to-linalg -split-input-file | FileCheck %s

// CHECK-DAG: #[[IN:.*]] = affine_map<(d0, d1, d2, d3) -> (d0 * 2 + d2, d1 + d3 * 3)>
// CHECK-DAG: #[[WINDOW:.*]] = affine_map<(d0, d1, d2, d3) -> (d2, d3)>
// CHECK-DAG: #[[OUT:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1)>
// CHECK-LABEL: func.func @window_max
// CHECK: %[[LOWEST:.*]] = arith.constant 0xFF800000 : f32
// CHECK: %[[INIT:.*]] = arith.constant dense<0xFF800000> : tensor<3x3xf32>
// CHECK: %[[W:.*]] = tensor.empty() : tensor<2x2xf32>
// CHECK: linalg.generic {indexing_maps = [#[[IN]], #[[WINDOW]], #[[OUT]]], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%{{.*}}, %[[W]] : tensor<6x6xf32>, tensor<2x2xf32>) outs(%[[INIT]] : tensor<3x3xf32>)
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %{{.*}}: f32, %[[ACC:.*]]: f32):
// CHECK-NEXT: arith.maximumf %[[X]], %[[ACC]]
func.func @window_max(%x: tensor<6x5xf32>) -> tensor<3x3xf32> {
  %0 = nxv.window_reduce max, %x {window = array<i64: 2, 2>, strides = array<i64: 2, 1>, dilations = array<i64: 1, 3>, low = array<i64: 0, 1>, high = array<i64: 0, 0>} : (tensor<6x5xf32>) -> tensor<3x3xf32>
  return %0 : tensor<3x3xf32>
}

// -----

// CHECK-LABEL: func.func @window_reduce_fn(
// CHECK-SAME: %[[X:.*]]: tensor<6xi32>, %[[V:.*]]: tensor<i32>
// CHECK: scf.if
// CHECK: tensor.extract %[[X]]
// CHECK: tensor.extract %[[V]][]
// CHECK: attrs = {nxv.ordered}
// CHECK-NEXT: ^bb0(%[[E:.*]]: i32, %{{.*}}: i32, %[[ACC:.*]]: i32):
// CHECK-NEXT: arith.subi %[[E]], %[[ACC]]
func.func @window_reduce_fn(%x: tensor<6xi32>, %v: tensor<i32>) -> tensor<6xi32> {
  %0 = nxv.window_reduce_fn %x, %v {window = array<i64: 2>, strides = array<i64: 1>, dilations = array<i64: 1>, low = array<i64: 1>, high = array<i64: 0>} : (tensor<6xi32>, tensor<i32>) -> tensor<6xi32> {
  ^bb0(%e: tensor<i32>, %acc: tensor<i32>):
    %1 = nxv.subtract %e, %acc : tensor<i32>
    nxv.yield %1 : tensor<i32>
  }
  return %0 : tensor<6xi32>
}

// -----

// First the position that each window chooses, then the sum of what each
// position was chosen by: at most two windows of 3 at stride 2 cover one.
// CHECK-DAG: #[[AT:.*]] = affine_map<(d0, d1) -> (d0 * 2 + d1 - 1)>
// CHECK-DAG: #[[W:.*]] = affine_map<(d0, d1) -> ((d0 + 1) floordiv 2 - d1)>
// CHECK-LABEL: func.func @select_and_scatter(
// CHECK-SAME: %[[X:.*]]: tensor<6xf32>, %[[S:.*]]: tensor<3xf32>, %[[V:.*]]: tensor<f32>
// CHECK: %[[C:.*]]:2 = linalg.generic
// CHECK-SAME: outs(%{{.*}}, %{{.*}} : tensor<3xf32>, tensor<3xi32>) attrs = {nxv.arg_reduce = "max", nxv.tie_high}
// CHECK: affine.apply #[[AT]]
// CHECK: %[[K:.*]] = tensor.empty() : tensor<2xf32>
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} ins(%[[K]] : tensor<2xf32>)
// CHECK: affine.apply #[[W]]
// CHECK: scf.if
// CHECK: tensor.extract %[[C]]#1
// CHECK: tensor.extract %[[S]]
// CHECK: arith.cmpi eq
// CHECK: arith.addf
func.func @select_and_scatter(%x: tensor<6xf32>, %s: tensor<3xf32>, %v: tensor<f32>) -> tensor<6xf32> {
  %0 = nxv.select_and_scatter max, %x, %s, %v {window = array<i64: 3>, strides = array<i64: 2>, low = array<i64: 1>, high = array<i64: 0>} : (tensor<6xf32>, tensor<3xf32>, tensor<f32>) -> tensor<6xf32>
  return %0 : tensor<6xf32>
}

// -----

// The sum starts from 0: each lane of a kernel starts one.
// CHECK-LABEL: func.func @select_and_scatter_from(
// CHECK-SAME: %{{.*}}: tensor<6xf32>, %{{.*}}: tensor<2xf32>, %[[V:.*]]: tensor<f32>
// CHECK: %[[START:.*]] = linalg.generic {{.*}} ins(%[[V]] : tensor<f32>)
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<6xf32>
// CHECK: %[[SUM:.*]] = linalg.generic {{.*}} outs(%[[ZERO]] : tensor<6xf32>)
// CHECK: linalg.generic {{.*}} ins(%[[SUM]], %[[START]] : tensor<6xf32>, tensor<6xf32>)
// CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: arith.addf %[[A]], %[[B]]
func.func @select_and_scatter_from(%x: tensor<6xf32>, %s: tensor<2xf32>, %v: tensor<f32>) -> tensor<6xf32> {
  %0 = nxv.select_and_scatter max, %x, %s, %v {window = array<i64: 5>, strides = array<i64: 1>, low = array<i64: 0>, high = array<i64: 0>} : (tensor<6xf32>, tensor<2xf32>, tensor<f32>) -> tensor<6xf32>
  return %0 : tensor<6xf32>
}

// -----

// CHECK-LABEL: func.func @window_of_complex
// CHECK: arith.constant dense<(1.000000e+00,0.000000e+00)> : tensor<3xcomplex<f32>>
// CHECK: arith.subf
// CHECK: complex.create
func.func @window_of_complex(%x: tensor<4xcomplex<f32>>) -> tensor<3xcomplex<f32>> {
  %0 = nxv.window_reduce mul, %x {window = array<i64: 2>, strides = array<i64: 1>, dilations = array<i64: 1>, low = array<i64: 0>, high = array<i64: 0>} : (tensor<4xcomplex<f32>>) -> tensor<3xcomplex<f32>>
  return %0 : tensor<3xcomplex<f32>>
}
