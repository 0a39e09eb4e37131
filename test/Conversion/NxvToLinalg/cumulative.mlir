// RUN: nxv-opt %s -nxv-to-linalg -split-input-file | FileCheck %s

// The two parts of a sum are sums.
// CHECK-LABEL: func @sum
func.func @sum(%x: tensor<3x8xcomplex<f32>>) -> tensor<3x8xcomplex<f32>> {
  // CHECK: complex.re
  // CHECK: nxv.cumulative add, %{{.*}} {axis = 1 : i64, reverse} : tensor<3x8xf32>
  // CHECK: complex.im
  // CHECK: nxv.cumulative add, %{{.*}} {axis = 1 : i64, reverse} : tensor<3x8xf32>
  // CHECK: complex.create
  %0 = nxv.cumulative add, %x {axis = 1 : i64, reverse} : tensor<3x8xcomplex<f32>>
  return %0 : tensor<3x8xcomplex<f32>>
}

// -----

// A product of five takes steps of distance 1, 2 and 4.
// CHECK-DAG: #[[ONE:map.*]] = affine_map<(d0) -> (d0 - 1)>
// CHECK-DAG: #[[TWO:map.*]] = affine_map<(d0) -> (d0 - 2)>
// CHECK-DAG: #[[FOUR:map.*]] = affine_map<(d0) -> (d0 - 4)>
// CHECK-LABEL: func @product
func.func @product(%x: tensor<5xcomplex<f32>>) -> tensor<5xcomplex<f32>> {
  // CHECK: linalg.generic
  // CHECK: affine.apply #[[ONE]]
  // CHECK: linalg.generic
  // CHECK: affine.apply #[[TWO]]
  // CHECK: linalg.generic
  // CHECK: affine.apply #[[FOUR]]
  // CHECK-NOT: nxv.cumulative
  %0 = nxv.cumulative mul, %x {axis = 0 : i64} : tensor<5xcomplex<f32>>
  return %0 : tensor<5xcomplex<f32>>
}
