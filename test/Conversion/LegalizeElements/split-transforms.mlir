// RUN: nxv-opt %s -nxv-split-complex | FileCheck %s

// The table holds the powers of the root of unity, exact at quarter turns.
// CHECK-LABEL: func.func @fft
// CHECK: %[[ROOTS:.*]] = arith.constant dense<{{\[}}[1.000000e+00, {{-?}}0.000000e+00], [{{-?}}0.000000e+00, -1.000000e+00], [-1.000000e+00, {{-?}}0.000000e+00], [{{-?}}0.000000e+00, 1.000000e+00]]> : tensor<4x2xf32>
// CHECK: %[[RE:.*]], %[[IM:.*]] = nxv.fft_parts %{{.*}}, %{{.*}}, %[[ROOTS]] {axis = 0 : i64}
func.func @fft(%x: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  %0 = nxv.fft %x {axis = 0 : i64, length = 4 : i64} : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return %0 : tensor<4xcomplex<f32>>
}

// The inverse has the conjugate roots.
// CHECK-LABEL: func.func @inverse
// CHECK: dense<{{\[}}[1.000000e+00, 0.000000e+00], [-{{[0-9.e-]+}}, 0.866025{{[0-9]*}}], [-{{[0-9.e-]+}}, -0.866025{{[0-9]*}}]]> : tensor<3x2xf64>
// CHECK: nxv.fft_parts %{{.*}} {axis = 1 : i64, inverse}
func.func @inverse(%x: tensor<2x3xcomplex<f64>>) -> tensor<2x3xcomplex<f64>> {
  %0 = nxv.fft %x {axis = 1 : i64, inverse, length = 3 : i64} : (tensor<2x3xcomplex<f64>>) -> tensor<2x3xcomplex<f64>>
  return %0 : tensor<2x3xcomplex<f64>>
}

// CHECK-LABEL: func.func @solve
// CHECK: nxv.triangular_solve_parts %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : (tensor<3x3xf32>, tensor<3x3xf32>, tensor<3x2xf32>, tensor<3x2xf32>) -> (tensor<3x2xf32>, tensor<3x2xf32>)
func.func @solve(%a: tensor<3x3xcomplex<f32>>, %b: tensor<3x2xcomplex<f32>>) -> tensor<3x2xcomplex<f32>> {
  %0 = nxv.triangular_solve %a, %b {leftSide = true, lower = true, transformA = #nxv<transform_a none>} : (tensor<3x3xcomplex<f32>>, tensor<3x2xcomplex<f32>>) -> tensor<3x2xcomplex<f32>>
  return %0 : tensor<3x2xcomplex<f32>>
}
