// RUN: nxv-opt %s -nxv-to-linalg -split-input-file | FileCheck %s

// Of the complex dialect only re, im, create and constant are used.
// CHECK-LABEL: func.func @arith
// CHECK: complex.re
// CHECK: complex.im
// CHECK: arith.addf
// CHECK: arith.addf
// CHECK: complex.create
// CHECK: arith.divf
// CHECK: complex.create
func.func @arith(%x: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  %0 = nxv.add %x, %x : tensor<4xcomplex<f32>>
  %1 = nxv.divide %0, %x : tensor<4xcomplex<f32>>
  return %1 : tensor<4xcomplex<f32>>
}

// -----

// CHECK-LABEL: func.func @parts
// CHECK: math.sqrt
// CHECK: arith.cmpf oeq
// CHECK: arith.cmpf oeq
// CHECK: arith.andi
func.func @parts(%x: tensor<4xcomplex<f64>>) -> (tensor<4xf64>, tensor<4xf64>, tensor<4xi1>) {
  %0 = nxv.abs %x : (tensor<4xcomplex<f64>>) -> tensor<4xf64>
  %1 = nxv.imag %x : (tensor<4xcomplex<f64>>) -> tensor<4xf64>
  %2 = nxv.compare eq, %x, %x : (tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>) -> tensor<4xi1>
  return %0, %1, %2 : tensor<4xf64>, tensor<4xf64>, tensor<4xi1>
}

// -----

// CHECK-LABEL: func.func @functions
// CHECK-COUNT-21: complex.create
// CHECK-NOT: nxv.
func.func @functions(%x: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  %0 = nxv.exp %x : tensor<4xcomplex<f32>>
  %1 = nxv.log %0 : tensor<4xcomplex<f32>>
  %2 = nxv.expm1 %1 : tensor<4xcomplex<f32>>
  %3 = nxv.log1p %2 : tensor<4xcomplex<f32>>
  %4 = nxv.sigmoid %3 : tensor<4xcomplex<f32>>
  %5 = nxv.sqrt %4 : tensor<4xcomplex<f32>>
  %6 = nxv.rsqrt %5 : tensor<4xcomplex<f32>>
  %7 = nxv.cbrt %6 : tensor<4xcomplex<f32>>
  %8 = nxv.sin %7 : tensor<4xcomplex<f32>>
  %9 = nxv.cos %8 : tensor<4xcomplex<f32>>
  %10 = nxv.tan %9 : tensor<4xcomplex<f32>>
  %11 = nxv.sinh %10 : tensor<4xcomplex<f32>>
  %12 = nxv.cosh %11 : tensor<4xcomplex<f32>>
  %13 = nxv.tanh %12 : tensor<4xcomplex<f32>>
  %14 = nxv.asin %13 : tensor<4xcomplex<f32>>
  %15 = nxv.acos %14 : tensor<4xcomplex<f32>>
  %16 = nxv.atan %15 : tensor<4xcomplex<f32>>
  %17 = nxv.asinh %16 : tensor<4xcomplex<f32>>
  %18 = nxv.acosh %17 : tensor<4xcomplex<f32>>
  %19 = nxv.atanh %18 : tensor<4xcomplex<f32>>
  %20 = nxv.pow %19, %x : tensor<4xcomplex<f32>>
  return %20 : tensor<4xcomplex<f32>>
}
