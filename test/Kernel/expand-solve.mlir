// RUN: nxv-opt %s -split-input-file -nxv-expand-solve | FileCheck %s

#none = #nxv<transform_a none>

// CHECK-LABEL: func.func @forward
// CHECK-NEXT:    nxv.triangular_solve %arg0, %arg1
// CHECK-NEXT:    return
func.func @forward(%a: tensor<4x4xf32>, %b: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %0 = nxv.triangular_solve %a, %b {leftSide = true, lower = true, transformA = #none} : (tensor<4x4xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// -----

#none = #nxv<transform_a none>

// CHECK-LABEL: func.func @upper
// CHECK:         %[[A:.*]] = nxv.reverse %arg0 {axes = array<i64: 1, 2>}
// CHECK:         %[[B:.*]] = nxv.reverse %arg1 {axes = array<i64: 1>}
// CHECK:         %[[X:.*]] = nxv.triangular_solve %[[A]], %[[B]] {leftSide = true, lower = true
// CHECK:         nxv.reverse %[[X]] {axes = array<i64: 1>}
func.func @upper(%a: tensor<5x4x4xf32>, %b: tensor<5x4x2xf32>) -> tensor<5x4x2xf32> {
  %0 = nxv.triangular_solve %a, %b {leftSide = true, lower = false, transformA = #none} : (tensor<5x4x4xf32>, tensor<5x4x2xf32>) -> tensor<5x4x2xf32>
  return %0 : tensor<5x4x2xf32>
}

// -----

#transpose = #nxv<transform_a transpose>

// On the right side a transposed lower matrix is solved forward.
// CHECK-LABEL: func.func @right
// CHECK:         %[[B:.*]] = nxv.transpose %arg1 {permutation = array<i64: 1, 0>}
// CHECK:         %[[X:.*]] = nxv.triangular_solve %arg0, %[[B]] {leftSide = true, lower = true
// CHECK:         nxv.transpose %[[X]] {permutation = array<i64: 1, 0>}
func.func @right(%a: tensor<4x4xf32>, %b: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %0 = nxv.triangular_solve %a, %b {leftSide = false, lower = true, transformA = #transpose} : (tensor<4x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

#conjugate = #nxv<transform_a conjugate>

// CHECK-LABEL: func.func @conjugate
// CHECK:         %[[C:.*]] = nxv.conjugate %arg0
// CHECK:         %[[A:.*]] = nxv.transpose %[[C]]
// CHECK:         nxv.triangular_solve %[[A]], %arg1 {leftSide = true, lower = true
func.func @conjugate(%a: tensor<4x4xcomplex<f32>>, %b: tensor<4x2xcomplex<f32>>) -> tensor<4x2xcomplex<f32>> {
  %0 = nxv.triangular_solve %a, %b {leftSide = true, lower = false, transformA = #conjugate} : (tensor<4x4xcomplex<f32>>, tensor<4x2xcomplex<f32>>) -> tensor<4x2xcomplex<f32>>
  return %0 : tensor<4x2xcomplex<f32>>
}

// -----

#none = #nxv<transform_a none>

// Narrow floats are summed in f32.
// CHECK-LABEL: func.func @narrow
// CHECK-COUNT-2: nxv.convert %{{.*}}xf32>
// CHECK:         nxv.triangular_solve {{.*}}xf32>
// CHECK:         nxv.convert {{.*}} -> tensor<4x2xf16>
func.func @narrow(%a: tensor<4x4xf16>, %b: tensor<4x2xf16>) -> tensor<4x2xf16> {
  %0 = nxv.triangular_solve %a, %b {leftSide = true, lower = true, transformA = #none} : (tensor<4x4xf16>, tensor<4x2xf16>) -> tensor<4x2xf16>
  return %0 : tensor<4x2xf16>
}

// -----

#none = #nxv<transform_a none>

// CHECK-LABEL: func.func @halves
// CHECK:         %[[X:.*]] = nxv.triangular_solve {{.*}}tensor<256x256xf32>
// CHECK:         %[[L:.*]] = nxv.slice %arg0 {lengths = array<i64: 44, 256>, starts = array<i64: 256, 0>
// CHECK:         %[[P:.*]] = nxv.dot_general %[[L]], %[[X]]
// CHECK:         %[[R:.*]] = nxv.subtract %{{.*}}, %[[P]]
// CHECK:         %[[Y:.*]] = nxv.triangular_solve %{{.*}}, %[[R]] {{.*}}tensor<44x44xf32>
// CHECK:         nxv.concatenate %[[X]], %[[Y]] {axis = 0 : i64}
func.func @halves(%a: tensor<300x300xf32>, %b: tensor<300x1xf32>) -> tensor<300x1xf32> {
  %0 = nxv.triangular_solve %a, %b {leftSide = true, lower = true, transformA = #none} : (tensor<300x300xf32>, tensor<300x1xf32>) -> tensor<300x1xf32>
  return %0 : tensor<300x1xf32>
}
