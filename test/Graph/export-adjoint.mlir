// RUN: nxv-translate --export-graph %s -o %t.json
// RUN: nxv-translate --import-graph %t.json | FileCheck %s

// The format's "conjugate" does not transpose, so that the solution of an
// adjoint system is written with the conjugate of its matrix.

// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[A:.*]]: tensor<3x3xcomplex<f32>>{{.*}}, %[[B:.*]]: tensor<3x2xcomplex<f32>>{{.*}}, %[[R:.*]]: tensor<3x3xf64>{{.*}}, %[[S:.*]]: tensor<2x3xf64>
// CHECK: %[[C:.*]] = nxv.conjugate %[[A]]
// CHECK: nxv.triangular_solve %[[C]], %[[B]] {leftSide = true, lower = true, transformA = #nxv<transform_a transpose>}
// CHECK-NOT: nxv.conjugate
// CHECK: nxv.triangular_solve %[[R]], %[[S]] {leftSide = false, lower = false, transformA = #nxv<transform_a transpose>}
func.func @main(%a: tensor<3x3xcomplex<f32>>, %b: tensor<3x2xcomplex<f32>>, %r: tensor<3x3xf64>, %s: tensor<2x3xf64>) -> (tensor<3x2xcomplex<f32>>, tensor<2x3xf64>) {
  %0 = nxv.triangular_solve %a, %b {leftSide = true, lower = true, transformA = #nxv<transform_a conjugate>} : (tensor<3x3xcomplex<f32>>, tensor<3x2xcomplex<f32>>) -> tensor<3x2xcomplex<f32>>
  %1 = nxv.triangular_solve %r, %s {leftSide = false, lower = false, transformA = #nxv<transform_a conjugate>} : (tensor<3x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
  return %0, %1 : tensor<3x2xcomplex<f32>>, tensor<2x3xf64>
}
