// RUN: nxv-opt %s -nxv-to-linalg -split-input-file | FileCheck %s

// CHECK-DAG: #[[ID:.*]] = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// CHECK-DAG: #[[OUT:.*]] = affine_map<(d0, d1, d2) -> (d1)>
// CHECK-LABEL: func.func @sum
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<3xf32>
// CHECK: linalg.generic {indexing_maps = [#[[ID]], #[[OUT]]], iterator_types = ["reduction", "parallel", "reduction"]} ins(%{{.*}} : tensor<2x3x4xf32>) outs(%[[ZERO]] : tensor<3xf32>)
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %[[ACC:.*]]: f32):
// CHECK-NEXT: %[[R:.*]] = arith.addf %[[X]], %[[ACC]]
// CHECK-NEXT: linalg.yield %[[R]]
func.func @sum(%x: tensor<2x3x4xf32>) -> tensor<3xf32> {
  %0 = nxv.reduce add, %x {axes = array<i64: 0, 2>} : (tensor<2x3x4xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

// Half precision accumulates in f32.
// CHECK-LABEL: func.func @half_sum
// CHECK: arith.constant dense<0.000000e+00> : tensor<f32>
// CHECK: arith.extf
// CHECK: arith.addf %{{.*}} : f32
// CHECK: arith.truncf %{{.*}} : f32 to f16
func.func @half_sum(%x: tensor<4xf16>) -> tensor<f16> {
  %0 = nxv.reduce add, %x {axes = array<i64: 0>} : (tensor<4xf16>) -> tensor<f16>
  return %0 : tensor<f16>
}

// -----

// CHECK-LABEL: func.func @extremes
// CHECK: arith.constant dense<0xFF800000> : tensor<2xf32>
// CHECK: arith.maximumf
// CHECK: arith.constant dense<127> : tensor<2xi8>
// CHECK: arith.minsi
// CHECK: arith.constant dense<-1> : tensor<2xi8>
// CHECK: arith.minui
func.func @extremes(%x: tensor<2x3xf32>, %y: tensor<2x3xi8>, %z: tensor<2x3xui8>) -> (tensor<2xf32>, tensor<2xi8>, tensor<2xui8>) {
  %0 = nxv.reduce max, %x {axes = array<i64: 1>} : (tensor<2x3xf32>) -> tensor<2xf32>
  %1 = nxv.reduce min, %y {axes = array<i64: 1>} : (tensor<2x3xi8>) -> tensor<2xi8>
  %2 = nxv.reduce min, %z {axes = array<i64: 1>} : (tensor<2x3xui8>) -> tensor<2xui8>
  return %0, %1, %2 : tensor<2xf32>, tensor<2xi8>, tensor<2xui8>
}

// -----

// CHECK-LABEL: func.func @logical
// CHECK: arith.constant dense<true> : tensor<2xi1>
// CHECK: arith.andi
// CHECK: arith.constant dense<false> : tensor<2xi1>
// CHECK: arith.ori
func.func @logical(%p: tensor<2x3xi1>) -> (tensor<2xi1>, tensor<2xi1>) {
  %0 = nxv.reduce and, %p {axes = array<i64: 1>} : (tensor<2x3xi1>) -> tensor<2xi1>
  %1 = nxv.reduce or, %p {axes = array<i64: 1>} : (tensor<2x3xi1>) -> tensor<2xi1>
  return %0, %1 : tensor<2xi1>, tensor<2xi1>
}

// -----

// CHECK-LABEL: func.func @complex_product
// CHECK: arith.constant dense<(1.000000e+00,0.000000e+00)> : tensor<complex<f32>>
// CHECK: complex.create
func.func @complex_product(%x: tensor<4xcomplex<f32>>) -> tensor<complex<f32>> {
  %0 = nxv.reduce mul, %x {axes = array<i64: 0>} : (tensor<4xcomplex<f32>>) -> tensor<complex<f32>>
  return %0 : tensor<complex<f32>>
}

// -----

// Over no element: the neutral one.
// CHECK-LABEL: func.func @no_element
// CHECK-NEXT: %[[C:.*]] = arith.constant dense<1.000000e+00> : tensor<2xf32>
// CHECK-NEXT: return %[[C]]
func.func @no_element(%x: tensor<2x0xf32>) -> tensor<2xf32> {
  %0 = nxv.reduce mul, %x {axes = array<i64: 1>} : (tensor<2x0xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// CHECK-LABEL: func.func @argmax
// CHECK: %[[V:.*]] = arith.constant dense<0xFF800000> : tensor<2xf32>
// CHECK: %[[I:.*]] = arith.constant dense<2147483647> : tensor<2xi32>
// CHECK: %[[G:.*]]:2 = linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} ins(%{{.*}} : tensor<2x3xf32>) outs(%[[V]], %[[I]] : tensor<2xf32>, tensor<2xi32>) attrs = {nxv.arg_reduce = "max"}
// CHECK: linalg.index 1
// CHECK: arith.cmpf ogt
// CHECK: return %[[G]]#1
func.func @argmax(%x: tensor<2x3xf32>) -> tensor<2xi32> {
  %0 = nxv.argmax %x {axis = 1} : (tensor<2x3xf32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}

// -----

// CHECK-LABEL: func.func @argmin
// CHECK: arith.constant dense<-1> : tensor<3xi64>
// CHECK: nxv.arg_reduce = "min", nxv.tie_high, nxv.unsigned
// CHECK: arith.cmpi sgt
// CHECK: arith.cmpi ult
func.func @argmin(%x: tensor<2x3xui8>) -> tensor<3xi64> {
  %0 = nxv.argmin %x {axis = 0, tieHigh} : (tensor<2x3xui8>) -> tensor<3xi64>
  return %0 : tensor<3xi64>
}

// -----

// CHECK-LABEL: func.func @reduce_fn(
// CHECK-SAME: %[[X:.*]]: tensor<6x5xf32>, %[[V:.*]]: tensor<f32>
// CHECK: %[[INIT:.*]] = linalg.generic {{.*}} ins(%[[V]] : tensor<f32>)
// CHECK: linalg.generic {{.*}} ["parallel", "reduction"]} ins(%[[X]] : tensor<6x5xf32>) outs(%[[INIT]] : tensor<6xf32>) attrs = {nxv.ordered}
// CHECK-NEXT: ^bb0(%[[E:.*]]: f32, %[[ACC:.*]]: f32):
// CHECK-NEXT: %[[S:.*]] = arith.subf %[[ACC]], %[[E]]
// CHECK-NEXT: %[[T:.*]] = math.tanh %[[S]]
// CHECK-NEXT: linalg.yield %[[T]]
func.func @reduce_fn(%x: tensor<6x5xf32>, %v: tensor<f32>) -> tensor<6xf32> {
  %0 = nxv.reduce_fn %x, %v {axes = array<i64: 1>} : (tensor<6x5xf32>, tensor<f32>) -> tensor<6xf32> {
  ^bb0(%e: tensor<f32>, %acc: tensor<f32>):
    %1 = nxv.subtract %acc, %e : tensor<f32>
    %2 = nxv.tanh %1 : tensor<f32>
    nxv.yield %2 : tensor<f32>
  }
  return %0 : tensor<6xf32>
}

// -----

// A branch in a function is a choice among what all branches compute.
// CHECK-LABEL: func.func @reduce_fn_branch(
// CHECK: ^bb0(%[[E:.*]]: f32, %[[ACC:.*]]: f32):
// CHECK: %[[P:.*]] = arith.cmpf olt, %[[E]], %[[ACC]]
// CHECK: %[[S:.*]] = arith.addf %[[ACC]], %[[E]]
// CHECK: %[[R:.*]] = arith.select %[[P]], %[[S]], %[[ACC]]
// CHECK: linalg.yield %[[R]]
func.func @reduce_fn_branch(%x: tensor<6x5xf32>, %v: tensor<f32>) -> tensor<6xf32> {
  %0 = nxv.reduce_fn %x, %v {axes = array<i64: 1>} : (tensor<6x5xf32>, tensor<f32>) -> tensor<6xf32> {
  ^bb0(%e: tensor<f32>, %acc: tensor<f32>):
    %p = nxv.compare lt, %e, %acc : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %1 = nxv.case(%p) : (tensor<i1>) -> tensor<f32> {
      %2 = nxv.add %acc, %e : tensor<f32>
      nxv.yield %2 : tensor<f32>
    }, {
      nxv.yield %acc : tensor<f32>
    }
    nxv.yield %1 : tensor<f32>
  }
  return %0 : tensor<6xf32>
}
