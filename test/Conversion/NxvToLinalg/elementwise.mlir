// RUN: nxv-opt %s -nxv-to-linalg -split-input-file | FileCheck %s

// Signedness goes into the choice of operations; types become signless.
// CHECK: #[[ID:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func.func @unsigned(
// CHECK-SAME: %[[X:.*]]: tensor<4x3xi8>, %[[Y:.*]]: tensor<4x3xi8>) -> tensor<4x3xi8>
// CHECK: %[[E:.*]] = tensor.empty() : tensor<4x3xi8>
// CHECK: linalg.generic {indexing_maps = [#[[ID]], #[[ID]], #[[ID]]], iterator_types = ["parallel", "parallel"]} ins(%[[X]], %[[Y]] : tensor<4x3xi8>, tensor<4x3xi8>) outs(%[[E]] : tensor<4x3xi8>)
// CHECK: %[[R:.*]] = arith.maxui
// CHECK: linalg.yield %[[R]] : i8
func.func @unsigned(%x: tensor<4x3xui8>, %y: tensor<4x3xui8>) -> tensor<4x3xui8> {
  %0 = nxv.max %x, %y : tensor<4x3xui8>
  return %0 : tensor<4x3xui8>
}

// -----

// CHECK-LABEL: func.func @signed
// CHECK: arith.maxsi
// CHECK: arith.cmpi slt
func.func @signed(%x: tensor<4xi8>, %y: tensor<4xi8>) -> (tensor<4xi8>, tensor<4xi1>) {
  %0 = nxv.max %x, %y : tensor<4xi8>
  %1 = nxv.compare lt, %x, %y : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi1>
  return %0, %1 : tensor<4xi8>, tensor<4xi1>
}

// -----

// CHECK-LABEL: func.func @rank0
// CHECK: linalg.generic {indexing_maps = [#{{.*}}, #{{.*}}, #{{.*}}], iterator_types = []}
// CHECK: arith.addf
func.func @rank0(%x: tensor<f64>, %y: tensor<f64>) -> tensor<f64> {
  %0 = nxv.add %x, %y : tensor<f64>
  return %0 : tensor<f64>
}

// -----

// Splat constants are scalars of the payload; x^2 is a product.
// CHECK-LABEL: func.func @splat(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>
// CHECK: ins(%[[X]] : tensor<4xf32>)
// CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[R:.*]] = arith.mulf %[[A]], %[[A]]
// CHECK-NEXT: linalg.yield %[[R]]
func.func @splat(%x: tensor<4xf32>) -> tensor<4xf32> {
  %k = nxv.constant dense<2.0> : tensor<4xf32>
  %0 = nxv.pow %x, %k : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// bf16 and f8 compute in f32; f16 only where it must.
// CHECK-LABEL: func.func @narrow
// CHECK: arith.extf %{{.*}} : bf16 to f32
// CHECK: arith.extf %{{.*}} : bf16 to f32
// CHECK: arith.addf %{{.*}} : f32
// CHECK: arith.truncf %{{.*}} : f32 to bf16
// CHECK: arith.addf %{{.*}} : f16
// CHECK: arith.extf %{{.*}} : f16 to f32
// CHECK: math.exp %{{.*}} : f32
// CHECK: arith.truncf %{{.*}} : f32 to f16
// CHECK: arith.addf %{{.*}} : f32
// CHECK: %[[C448:.*]] = arith.constant 4.480000e+02 : f32
// CHECK: arith.minimumf %{{.*}}, %[[C448]]
// CHECK: arith.maximumf
// CHECK: arith.truncf %{{.*}} : f32 to f8E4M3FN
func.func @narrow(%x: tensor<4xbf16>, %y: tensor<4xf16>, %z: tensor<4xf8E4M3FN>)
    -> (tensor<4xbf16>, tensor<4xf16>, tensor<4xf16>, tensor<4xf8E4M3FN>) {
  %0 = nxv.add %x, %x : tensor<4xbf16>
  %1 = nxv.add %y, %y : tensor<4xf16>
  %2 = nxv.exp %y : tensor<4xf16>
  %3 = nxv.add %z, %z : tensor<4xf8E4M3FN>
  return %0, %1, %2, %3 : tensor<4xbf16>, tensor<4xf16>, tensor<4xf16>, tensor<4xf8E4M3FN>
}

// -----

// Division by 0 gives all ones, the lowest value by -1 itself.
// CHECK-LABEL: func.func @quotient
// CHECK: ^bb0(%[[A:.*]]: i32, %[[B:.*]]: i32,
// CHECK: %[[ZERO:.*]] = arith.cmpi eq, %[[B]]
// CHECK: %[[LOW:.*]] = arith.cmpi eq, %[[A]]
// CHECK: %[[M1:.*]] = arith.cmpi eq, %[[B]]
// CHECK: %[[BOTH:.*]] = arith.andi %[[LOW]], %[[M1]]
// CHECK: %[[BAD:.*]] = arith.ori %[[ZERO]], %[[BOTH]]
// CHECK: %[[D:.*]] = arith.select %[[BAD]]
// CHECK: %[[Q:.*]] = arith.divsi %[[A]], %[[D]]
// CHECK: arith.select %[[ZERO]], %{{.*}}, %[[Q]]
func.func @quotient(%x: tensor<4xi32>, %y: tensor<4xi32>) -> tensor<4xi32> {
  %0 = nxv.quotient %x, %y : tensor<4xi32>
  return %0 : tensor<4xi32>
}

// -----

// CHECK-LABEL: func.func @unsigned_division
// CHECK: arith.divui
// CHECK: arith.remui
func.func @unsigned_division(%x: tensor<4xui32>, %y: tensor<4xui32>) -> (tensor<4xui32>, tensor<4xui32>) {
  %0 = nxv.quotient %x, %y : tensor<4xui32>
  %1 = nxv.remainder %x, %y : tensor<4xui32>
  return %0, %1 : tensor<4xui32>, tensor<4xui32>
}

// -----

// Amounts of the width or more shift everything out.
// CHECK-LABEL: func.func @shifts
// CHECK: %[[C:.*]] = arith.minui %{{.*}}, %[[LAST:.*]] : i8
// CHECK: %[[S:.*]] = arith.shli %{{.*}}, %[[C]]
// CHECK: %[[O:.*]] = arith.cmpi ugt, %{{.*}}, %[[LAST]]
// CHECK: arith.select %[[O]], %{{.*}}, %[[S]]
// CHECK: arith.shrsi
// CHECK: arith.shrui
func.func @shifts(%x: tensor<4xi8>, %y: tensor<4xi8>, %z: tensor<4xui8>) -> (tensor<4xi8>, tensor<4xi8>, tensor<4xui8>) {
  %0 = nxv.shift_left %x, %y : tensor<4xi8>
  %1 = nxv.shift_right %x, %y : tensor<4xi8>
  %2 = nxv.shift_right %z, %z : tensor<4xui8>
  return %0, %1, %2 : tensor<4xi8>, tensor<4xi8>, tensor<4xui8>
}

// -----

// CHECK-LABEL: func.func @int_pow
// CHECK: scf.for
// CHECK: arith.muli
// CHECK: arith.shrui
// CHECK: scf.yield
// CHECK: arith.cmpi slt
func.func @int_pow(%x: tensor<4xi32>, %y: tensor<4xi32>) -> tensor<4xi32> {
  %0 = nxv.pow %x, %y : tensor<4xi32>
  return %0 : tensor<4xi32>
}

// -----

// A constant exponent needs no loop: x^5 = (x^2)^2 x.
// CHECK-LABEL: func.func @int_pow_constant
// CHECK: ^bb0(%[[X:.*]]: i32, %{{.*}}: i32):
// CHECK-NOT: scf.for
// CHECK: %[[X2:.*]] = arith.muli %[[X]], %[[X]]
// CHECK-NEXT: %[[X4:.*]] = arith.muli %[[X2]], %[[X2]]
// CHECK-NEXT: arith.muli %[[X]], %[[X4]]
func.func @int_pow_constant(%x: tensor<4xi32>) -> tensor<4xi32> {
  %k = nxv.constant dense<5> : tensor<4xi32>
  %0 = nxv.pow %x, %k : tensor<4xi32>
  return %0 : tensor<4xi32>
}

// -----

// CHECK-LABEL: func.func @float
// CHECK: arith.maximumf
// CHECK: arith.minimumf
// CHECK: arith.remf
// CHECK: math.powf
// CHECK: math.atan2
// CHECK: math.round
// CHECK: nxv.sigmoid %{{.*}} : f32
// CHECK: nxv.erf_inv %{{.*}} : f32
// CHECK: arith.cmpf une
// CHECK: arith.cmpf oeq
// CHECK: arith.cmpf uno
func.func @float(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>) {
  %0 = nxv.max %x, %y : tensor<4xf32>
  %1 = nxv.min %0, %y : tensor<4xf32>
  %2 = nxv.remainder %1, %y : tensor<4xf32>
  %3 = nxv.pow %2, %y : tensor<4xf32>
  %4 = nxv.atan2 %3, %y : tensor<4xf32>
  %5 = nxv.round %4 : tensor<4xf32>
  %6 = nxv.sigmoid %5 : tensor<4xf32>
  %7 = nxv.erf_inv %6 : tensor<4xf32>
  %8 = nxv.compare ne, %7, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %9 = nxv.is_infinity %y : (tensor<4xf32>) -> tensor<4xi1>
  %10 = nxv.is_nan %y : (tensor<4xf32>) -> tensor<4xi1>
  return %7, %8, %9, %10 : tensor<4xf32>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>
}

// -----

// CHECK-LABEL: func.func @predicates
// CHECK: arith.xori
// CHECK: arith.ori
// CHECK: arith.cmpi ult
// CHECK: arith.select
func.func @predicates(%p: tensor<4xi1>, %q: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xi1>, tensor<4xf32>) {
  %0 = nxv.not %p : tensor<4xi1>
  %1 = nxv.max %0, %q : tensor<4xi1>
  %2 = nxv.compare lt, %1, %q : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  %3 = nxv.select %2, %x, %y : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %2, %3 : tensor<4xi1>, tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @iota
// CHECK: %[[I:.*]] = linalg.index 1
// CHECK: %[[C:.*]] = arith.index_cast %[[I]] : index to i32
// CHECK: arith.sitofp %[[C]] : i32 to f32
// CHECK: %[[J:.*]] = linalg.index 0
// CHECK: arith.index_cast %[[J]] : index to i64
func.func @iota() -> (tensor<4x5xf32>, tensor<4x5xui64>) {
  %0 = nxv.iota {axis = 1} : tensor<4x5xf32>
  %1 = nxv.iota {axis = 0} : tensor<4x5xui64>
  return %0, %1 : tensor<4x5xf32>, tensor<4x5xui64>
}

// -----

// CHECK-LABEL: func.func @constant() -> tensor<3xi8>
// CHECK: arith.constant dense<[1, 2, -1]> : tensor<3xi8>
func.func @constant() -> tensor<3xui8> {
  %0 = nxv.constant dense<[1, 2, 255]> : tensor<3xui8>
  return %0 : tensor<3xui8>
}
