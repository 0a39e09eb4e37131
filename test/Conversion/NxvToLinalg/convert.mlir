// RUN: nxv-opt %s -nxv-to-linalg -split-input-file | FileCheck %s

// Only the signedness changes: no operation is left.
// CHECK-LABEL: func.func @signedness(
// CHECK-SAME: %[[X:.*]]: tensor<4xi32>
// CHECK-NEXT: return %[[X]]
func.func @signedness(%x: tensor<4xi32>) -> tensor<4xui32> {
  %0 = nxv.convert %x : (tensor<4xi32>) -> tensor<4xui32>
  return %0 : tensor<4xui32>
}

// -----

// CHECK-LABEL: func.func @bitcast(
// CHECK: arith.bitcast %{{.*}} : f32 to i32
// CHECK-NOT: linalg.generic
func.func @bitcast(%x: tensor<4xf32>) -> tensor<4xi32> {
  %0 = nxv.bitcast %x : (tensor<4xf32>) -> tensor<4xui32>
  %1 = nxv.bitcast %0 : (tensor<4xui32>) -> tensor<4xi32>
  return %1 : tensor<4xi32>
}

// -----

// CHECK-LABEL: func.func @integers
// CHECK: arith.extui %{{.*}} : i8 to i32
// CHECK: arith.extsi %{{.*}} : i8 to i32
// CHECK: arith.trunci %{{.*}} : i32 to i8
// CHECK: arith.extui %{{.*}} : i1 to i32
func.func @integers(%x: tensor<4xui8>, %y: tensor<4xi8>, %z: tensor<4xi32>, %p: tensor<4xi1>)
    -> (tensor<4xi32>, tensor<4xi32>, tensor<4xui8>, tensor<4xi32>) {
  %0 = nxv.convert %x : (tensor<4xui8>) -> tensor<4xi32>
  %1 = nxv.convert %y : (tensor<4xi8>) -> tensor<4xi32>
  %2 = nxv.convert %z : (tensor<4xi32>) -> tensor<4xui8>
  %3 = nxv.convert %p : (tensor<4xi1>) -> tensor<4xi32>
  return %0, %1, %2, %3 : tensor<4xi32>, tensor<4xi32>, tensor<4xui8>, tensor<4xi32>
}

// -----

// Saturating; NaN gives 0.
// CHECK-LABEL: func.func @float_to_int
// CHECK: ^bb0(%[[X:.*]]: f32, %{{.*}}: i8):
// CHECK: %[[LOW:.*]] = arith.constant -1.280000e+02 : f32
// CHECK: %[[UNDER:.*]] = arith.cmpf ole, %[[X]], %[[LOW]]
// CHECK: %[[HIGH:.*]] = arith.constant 1.280000e+02 : f32
// CHECK: %[[OVER:.*]] = arith.cmpf oge, %[[X]], %[[HIGH]]
// CHECK: arith.cmpf uno
// CHECK: %[[I:.*]] = arith.fptosi %{{.*}} : f32 to i32
// CHECK: %[[T:.*]] = arith.trunci %[[I]] : i32 to i8
// CHECK: %[[S:.*]] = arith.select %[[UNDER]], %{{.*}}, %[[T]]
// CHECK: arith.select %[[OVER]], %{{.*}}, %[[S]]
func.func @float_to_int(%x: tensor<4xf32>) -> tensor<4xi8> {
  %0 = nxv.convert %x : (tensor<4xf32>) -> tensor<4xi8>
  return %0 : tensor<4xi8>
}

// -----

// CHECK-LABEL: func.func @float_to_unsigned
// CHECK: arith.constant 1.84467441E+19 : f32
// CHECK: arith.fptoui %{{.*}} : f32 to i64
func.func @float_to_unsigned(%x: tensor<4xf32>) -> tensor<4xui64> {
  %0 = nxv.convert %x : (tensor<4xf32>) -> tensor<4xui64>
  return %0 : tensor<4xui64>
}

// -----

// NaN is true.
// CHECK-LABEL: func.func @predicates
// CHECK: arith.cmpf une
// CHECK: arith.cmpi ne
// CHECK: arith.select %{{.*}} : f32
func.func @predicates(%x: tensor<4xf32>, %y: tensor<4xui8>, %p: tensor<4xi1>)
    -> (tensor<4xi1>, tensor<4xi1>, tensor<4xf32>) {
  %0 = nxv.convert %x : (tensor<4xf32>) -> tensor<4xi1>
  %1 = nxv.convert %y : (tensor<4xui8>) -> tensor<4xi1>
  %2 = nxv.convert %p : (tensor<4xi1>) -> tensor<4xf32>
  return %0, %1, %2 : tensor<4xi1>, tensor<4xi1>, tensor<4xf32>
}

// -----

// f64 reaches bf16 with one rounding: f32 on the way is rounded to odd.
// CHECK-LABEL: func.func @f64_to_bf16
// CHECK: arith.truncf %{{.*}} : f64 to f32
// CHECK: arith.extf %{{.*}} : f32 to f64
// CHECK: arith.cmpf one
// CHECK: arith.bitcast %{{.*}} : f32 to i32
// CHECK: arith.truncf %{{.*}} : f32 to bf16
func.func @f64_to_bf16(%x: tensor<4xf64>) -> tensor<4xbf16> {
  %0 = nxv.convert %x : (tensor<4xf64>) -> tensor<4xbf16>
  return %0 : tensor<4xbf16>
}

// -----

// CHECK-LABEL: func.func @complex
// CHECK: complex.create
// CHECK: complex.re
// CHECK: arith.extf %{{.*}} : f32 to f64
func.func @complex(%x: tensor<4xf32>, %z: tensor<4xcomplex<f32>>) -> (tensor<4xcomplex<f32>>, tensor<4xf64>) {
  %0 = nxv.convert %x : (tensor<4xf32>) -> tensor<4xcomplex<f32>>
  %1 = nxv.convert %z : (tensor<4xcomplex<f32>>) -> tensor<4xf64>
  return %0, %1 : tensor<4xcomplex<f32>>, tensor<4xf64>
}
