// RUN: nxv-opt %s -canonicalize -split-input-file | FileCheck %s

// x + 0.0 turns -0.0 into 0.0, so it stays; x + -0.0 does not.
// CHECK-LABEL: func.func @add_zero
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>, %[[I:.*]]: tensor<4xi32>)
func.func @add_zero(%x: tensor<4xf32>, %i: tensor<4xi32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xi32>) {
  %zero = nxv.constant dense<0.0> : tensor<4xf32>
  %minus = nxv.constant dense<-0.0> : tensor<4xf32>
  %none = nxv.constant dense<0> : tensor<4xi32>
  // CHECK: %[[A:.*]] = nxv.add %[[X]], %{{.*}}
  %0 = nxv.add %x, %zero : tensor<4xf32>
  %1 = nxv.add %minus, %x : tensor<4xf32>
  %2 = nxv.add %i, %none : tensor<4xi32>
  // CHECK: return %[[A]], %[[X]], %[[I]]
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xi32>
}

// -----

// CHECK-LABEL: func.func @subtract
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>, %[[I:.*]]: tensor<4xui8>)
func.func @subtract(%x: tensor<4xf32>, %i: tensor<4xui8>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xui8>) {
  // CHECK-DAG: %[[Z:.*]] = nxv.constant dense<0> : tensor<4xui8>
  // CHECK-DAG: %[[M:.*]] = nxv.constant dense<-0.000000e+00> : tensor<4xf32>
  %zero = nxv.constant dense<0.0> : tensor<4xf32>
  %minus = nxv.constant dense<-0.0> : tensor<4xf32>
  %0 = nxv.subtract %x, %zero : tensor<4xf32>
  // CHECK-DAG: %[[A:.*]] = nxv.subtract %[[X]], %[[M]]
  %1 = nxv.subtract %x, %minus : tensor<4xf32>
  // NaN - NaN is not 0.
  // CHECK-DAG: %[[B:.*]] = nxv.subtract %[[X]], %[[X]]
  %2 = nxv.subtract %x, %x : tensor<4xf32>
  %3 = nxv.subtract %i, %i : tensor<4xui8>
  // CHECK: return %[[X]], %[[A]], %[[B]], %[[Z]]
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xui8>
}

// -----

// CHECK-LABEL: func.func @multiply_divide
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>, %[[I:.*]]: tensor<4xi32>)
func.func @multiply_divide(%x: tensor<4xf32>, %i: tensor<4xi32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi32>) {
  // CHECK-DAG: %[[Z:.*]] = nxv.constant dense<0> : tensor<4xi32>
  %one = nxv.constant dense<1.0> : tensor<4xf32>
  %zero = nxv.constant dense<0.0> : tensor<4xf32>
  %none = nxv.constant dense<0> : tensor<4xi32>
  %0 = nxv.multiply %one, %x : tensor<4xf32>
  // CHECK-DAG: %[[M:.*]] = nxv.multiply %[[X]], %{{.*}}
  %1 = nxv.multiply %x, %zero : tensor<4xf32>
  %2 = nxv.divide %x, %one : tensor<4xf32>
  %3 = nxv.multiply %i, %none : tensor<4xi32>
  // CHECK: return %[[X]], %[[M]], %[[X]], %[[Z]]
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi32>
}

// -----

// CHECK-LABEL: func.func @literals
func.func @literals() -> (tensor<2xi8>, tensor<2xf32>, tensor<2xi1>, tensor<2xi1>, tensor<2xf32>) {
  // CHECK-DAG: %[[A:.*]] = nxv.constant dense<-56> : tensor<2xi8>
  // CHECK-DAG: %[[B:.*]] = nxv.constant dense<7.500000e-01> : tensor<2xf32>
  // CHECK-DAG: %[[T:.*]] = nxv.constant dense<true> : tensor<2xi1>
  // CHECK-DAG: %[[F:.*]] = nxv.constant dense<false> : tensor<2xi1>
  %i = nxv.constant dense<100> : tensor<2xi8>
  %0 = nxv.add %i, %i : tensor<2xi8>
  %x = nxv.constant dense<3.0> : tensor<2xf32>
  %y = nxv.constant dense<4.0> : tensor<2xf32>
  %1 = nxv.divide %x, %y : tensor<2xf32>
  // 200 as unsigned.
  %u = nxv.constant dense<200> : tensor<2xui8>
  %v = nxv.constant dense<100> : tensor<2xui8>
  %2 = nxv.compare gt, %u, %v : (tensor<2xui8>, tensor<2xui8>) -> tensor<2xi1>
  %nan = nxv.constant dense<0x7FC00000> : tensor<2xf32>
  %3 = nxv.compare eq, %nan, %nan : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  // Which NaN 0 / 0 gives is left to the target.
  // CHECK-DAG: %[[D:.*]] = nxv.divide
  %z = nxv.constant dense<0.0> : tensor<2xf32>
  %4 = nxv.divide %z, %z : tensor<2xf32>
  // CHECK: return %[[A]], %[[B]], %[[T]], %[[F]], %[[D]]
  return %0, %1, %2, %3, %4 : tensor<2xi8>, tensor<2xf32>, tensor<2xi1>, tensor<2xi1>, tensor<2xf32>
}

// -----

// CHECK-LABEL: func.func @convert_literals
func.func @convert_literals() -> (tensor<2xi8>, tensor<2xi8>, tensor<2xui8>, tensor<2xf32>, tensor<2xi1>) {
  // CHECK-DAG: %[[W:.*]] = nxv.constant dense<44> : tensor<2xi8>
  // CHECK-DAG: %[[S:.*]] = nxv.constant dense<127> : tensor<2xi8>
  // CHECK-DAG: %[[N:.*]] = nxv.constant dense<0> : tensor<2xui8>
  // CHECK-DAG: %[[F:.*]] = nxv.constant dense<1.000000e-01> : tensor<2xf32>
  // CHECK-DAG: %[[T:.*]] = nxv.constant dense<true> : tensor<2xi1>
  %i = nxv.constant dense<300> : tensor<2xi32>
  %x = nxv.constant dense<300.0> : tensor<2xf32>
  %n = nxv.constant dense<0x7FC00000> : tensor<2xf32>
  %d = nxv.constant dense<0.1> : tensor<2xf64>
  %0 = nxv.convert %i : (tensor<2xi32>) -> tensor<2xi8>
  %1 = nxv.convert %x : (tensor<2xf32>) -> tensor<2xi8>
  %2 = nxv.convert %n : (tensor<2xf32>) -> tensor<2xui8>
  %3 = nxv.convert %d : (tensor<2xf64>) -> tensor<2xf32>
  %4 = nxv.convert %n : (tensor<2xf32>) -> tensor<2xi1>
  // CHECK: return %[[W]], %[[S]], %[[N]], %[[F]], %[[T]]
  return %0, %1, %2, %3, %4 : tensor<2xi8>, tensor<2xi8>, tensor<2xui8>, tensor<2xf32>, tensor<2xi1>
}

// -----

// CHECK-LABEL: func.func @convert_chains
// CHECK-SAME: (%[[P:.*]]: tensor<4xi1>, %[[I:.*]]: tensor<4xi32>, %[[X:.*]]: tensor<4xf32>)
func.func @convert_chains(%p: tensor<4xi1>, %i: tensor<4xi32>, %x: tensor<4xf32>)
    -> (tensor<4xi1>, tensor<4xf32>, tensor<4xi32>, tensor<4xi8>, tensor<4xf32>) {
  %0 = nxv.convert %p : (tensor<4xi1>) -> tensor<4xui8>
  %1 = nxv.convert %0 : (tensor<4xui8>) -> tensor<4xi1>
  // CHECK-DAG: %[[A:.*]] = nxv.convert %[[P]] : (tensor<4xi1>) -> tensor<4xf32>
  %2 = nxv.convert %0 : (tensor<4xui8>) -> tensor<4xf32>
  // f32 does not hold every i32, f64 does.
  // CHECK-DAG: %[[B:.*]] = nxv.convert %[[I]] : (tensor<4xi32>) -> tensor<4xf32>
  // CHECK-DAG: %[[C:.*]] = nxv.convert %[[B]] : (tensor<4xf32>) -> tensor<4xi32>
  %3 = nxv.convert %i : (tensor<4xi32>) -> tensor<4xf32>
  %4 = nxv.convert %3 : (tensor<4xf32>) -> tensor<4xi32>
  // An integer would wrap where the float saturates.
  // CHECK-DAG: %[[D:.*]] = nxv.convert %[[I]] : (tensor<4xi32>) -> tensor<4xf64>
  // CHECK-DAG: %[[E:.*]] = nxv.convert %[[D]] : (tensor<4xf64>) -> tensor<4xi8>
  %5 = nxv.convert %i : (tensor<4xi32>) -> tensor<4xf64>
  %6 = nxv.convert %5 : (tensor<4xf64>) -> tensor<4xi8>
  %7 = nxv.convert %x : (tensor<4xf32>) -> tensor<4xf64>
  %8 = nxv.convert %7 : (tensor<4xf64>) -> tensor<4xf32>
  // CHECK: return %[[P]], %[[A]], %[[C]], %[[E]], %[[X]]
  return %1, %2, %4, %6, %8 : tensor<4xi1>, tensor<4xf32>, tensor<4xi32>, tensor<4xi8>, tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @bitcast
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>)
func.func @bitcast(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi32>, tensor<2xf32>) {
  // CHECK-DAG: %[[F:.*]] = nxv.constant dense<1.000000e+00> : tensor<2xf32>
  // CHECK-DAG: %[[B:.*]] = nxv.bitcast %[[X]] : (tensor<4xf32>) -> tensor<4xi32>
  %0 = nxv.bitcast %x : (tensor<4xf32>) -> tensor<4xui32>
  %1 = nxv.bitcast %0 : (tensor<4xui32>) -> tensor<4xf32>
  %2 = nxv.bitcast %0 : (tensor<4xui32>) -> tensor<4xi32>
  %c = nxv.constant dense<1065353216> : tensor<2xi32>
  %3 = nxv.bitcast %c : (tensor<2xi32>) -> tensor<2xf32>
  // CHECK: return %[[X]], %[[B]], %[[F]]
  return %1, %2, %3 : tensor<4xf32>, tensor<4xi32>, tensor<2xf32>
}

// -----

// CHECK-LABEL: func.func @compare
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>, %[[P:.*]]: tensor<4xi1>, %[[I:.*]]: tensor<4xi32>)
func.func @compare(%x: tensor<4xf32>, %p: tensor<4xi1>, %i: tensor<4xi32>) -> (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>) {
  // CHECK-DAG: %[[T:.*]] = nxv.constant dense<true> : tensor<4xi1>
  %z = nxv.constant dense<0.0> : tensor<4xf32>
  %f = nxv.constant dense<false> : tensor<4xi1>
  // CHECK-DAG: %[[A:.*]] = nxv.convert %[[X]] : (tensor<4xf32>) -> tensor<4xi1>
  %0 = nxv.compare ne, %x, %z : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  // CHECK-DAG: %[[B:.*]] = nxv.not %[[P]]
  %1 = nxv.compare eq, %p, %f : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  %2 = nxv.compare le, %i, %i : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  // CHECK-DAG: %[[C:.*]] = nxv.compare le, %[[X]], %[[X]]
  %3 = nxv.compare le, %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  // CHECK: return %[[A]], %[[B]], %[[T]], %[[C]]
  return %0, %1, %2, %3 : tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>
}

// -----

// CHECK-LABEL: func.func @select
// CHECK-SAME: (%[[P:.*]]: tensor<4xi1>, %[[X:.*]]: tensor<4xf32>, %[[Y:.*]]: tensor<4xf32>)
func.func @select(%p: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %t = nxv.constant dense<true> : tensor<4xi1>
  %f = nxv.constant dense<false> : tensor<4xi1>
  %0 = nxv.select %t, %x, %y : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = nxv.select %f, %x, %y : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = nxv.select %p, %x, %x : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: return %[[X]], %[[Y]], %[[X]]
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @reshape
// CHECK-SAME: (%[[X:.*]]: tensor<2x6xf32>)
func.func @reshape(%x: tensor<2x6xf32>) -> (tensor<3x4xf32>, tensor<2x6xf32>, tensor<2x2xi32>) {
  // CHECK-DAG: %[[C:.*]] = nxv.constant dense<{{\[}}[1, 2], [3, 4]]> : tensor<2x2xi32>
  // CHECK-DAG: %[[R:.*]] = nxv.reshape %[[X]] : (tensor<2x6xf32>) -> tensor<3x4xf32>
  %0 = nxv.reshape %x : (tensor<2x6xf32>) -> tensor<12xf32>
  %1 = nxv.reshape %0 : (tensor<12xf32>) -> tensor<3x4xf32>
  %2 = nxv.reshape %0 : (tensor<12xf32>) -> tensor<2x6xf32>
  %c = nxv.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %3 = nxv.reshape %c : (tensor<4xi32>) -> tensor<2x2xi32>
  // CHECK: return %[[R]], %[[X]], %[[C]]
  return %1, %2, %3 : tensor<3x4xf32>, tensor<2x6xf32>, tensor<2x2xi32>
}

// -----

// CHECK-LABEL: func.func @broadcast
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>)
func.func @broadcast(%x: tensor<4xf32>) -> (tensor<4x10xf32>, tensor<2x3x4xf32>, tensor<0x3xf32>, tensor<4xf32>) {
  // CHECK-DAG: %[[E:.*]] = nxv.constant dense<> : tensor<0x3xf32>
  // A reshape that inserts an axis is part of the broadcast.
  // CHECK-DAG: %[[A:.*]] = nxv.broadcast_in_dim %[[X]] {axes = array<i64: 0>} : (tensor<4xf32>) -> tensor<4x10xf32>
  %0 = nxv.reshape %x : (tensor<4xf32>) -> tensor<4x1xf32>
  %1 = nxv.broadcast_in_dim %0 {axes = array<i64: 0, 1>} : (tensor<4x1xf32>) -> tensor<4x10xf32>
  // CHECK-DAG: %[[B:.*]] = nxv.broadcast_in_dim %[[X]] {axes = array<i64: 2>} : (tensor<4xf32>) -> tensor<2x3x4xf32>
  %2 = nxv.broadcast_in_dim %x {axes = array<i64: 1>} : (tensor<4xf32>) -> tensor<3x4xf32>
  %3 = nxv.broadcast_in_dim %2 {axes = array<i64: 1, 2>} : (tensor<3x4xf32>) -> tensor<2x3x4xf32>
  %c = nxv.constant dense<1.0> : tensor<f32>
  %4 = nxv.broadcast_in_dim %c {axes = array<i64>} : (tensor<f32>) -> tensor<0x3xf32>
  %5 = nxv.broadcast_in_dim %x {axes = array<i64: 0>} : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: return %[[A]], %[[B]], %[[E]], %[[X]]
  return %1, %3, %4, %5 : tensor<4x10xf32>, tensor<2x3x4xf32>, tensor<0x3xf32>, tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @transpose
// CHECK-SAME: (%[[X:.*]]: tensor<2x3x4xf32>)
func.func @transpose(%x: tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<4x2x3xf32>, tensor<3x2xf32>) {
  // CHECK-DAG: %[[C:.*]] = nxv.constant dense<1.000000e+00> : tensor<3x2xf32>
  // CHECK-DAG: %[[T:.*]] = nxv.transpose %[[X]] {permutation = array<i64: 2, 0, 1>} : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  %0 = nxv.transpose %x {permutation = array<i64: 1, 2, 0>} : (tensor<2x3x4xf32>) -> tensor<3x4x2xf32>
  %1 = nxv.transpose %0 {permutation = array<i64: 2, 0, 1>} : (tensor<3x4x2xf32>) -> tensor<2x3x4xf32>
  %2 = nxv.transpose %0 {permutation = array<i64: 1, 2, 0>} : (tensor<3x4x2xf32>) -> tensor<4x2x3xf32>
  %c = nxv.constant dense<1.0> : tensor<2x3xf32>
  %3 = nxv.transpose %c {permutation = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  // CHECK: return %[[X]], %[[T]], %[[C]]
  return %1, %2, %3 : tensor<2x3x4xf32>, tensor<4x2x3xf32>, tensor<3x2xf32>
}

// -----

// CHECK-LABEL: func.func @slice
// CHECK-SAME: (%[[X:.*]]: tensor<20xf32>, %[[Y:.*]]: tensor<6xf32>)
func.func @slice(%x: tensor<20xf32>, %y: tensor<6xf32>) -> (tensor<20xf32>, tensor<3xf32>, tensor<2xf32>, tensor<4xf32>) {
  %0 = nxv.slice %x {starts = array<i64: 0>, lengths = array<i64: 20>, strides = array<i64: 1>} : (tensor<20xf32>) -> tensor<20xf32>
  // CHECK-DAG: %[[A:.*]] = nxv.slice %[[X]] {lengths = array<i64: 13>, starts = array<i64: 4>, strides = array<i64: 6>} : (tensor<20xf32>) -> tensor<3xf32>
  %1 = nxv.slice %x {starts = array<i64: 1>, lengths = array<i64: 18>, strides = array<i64: 3>} : (tensor<20xf32>) -> tensor<6xf32>
  %2 = nxv.slice %1 {starts = array<i64: 1>, lengths = array<i64: 5>, strides = array<i64: 2>} : (tensor<6xf32>) -> tensor<3xf32>
  // CHECK-DAG: %[[B:.*]] = nxv.slice %[[Y]] {lengths = array<i64: 2>, starts = array<i64: 3>, strides = array<i64: 1>}
  %3 = nxv.concatenate %x, %y {axis = 0} : (tensor<20xf32>, tensor<6xf32>) -> tensor<26xf32>
  %4 = nxv.slice %3 {starts = array<i64: 23>, lengths = array<i64: 2>, strides = array<i64: 1>} : (tensor<26xf32>) -> tensor<2xf32>
  // Across the seam it stays.
  // CHECK-DAG: %[[J:.*]] = nxv.concatenate
  // CHECK-DAG: %[[C:.*]] = nxv.slice %[[J]]
  %5 = nxv.slice %3 {starts = array<i64: 18>, lengths = array<i64: 4>, strides = array<i64: 1>} : (tensor<26xf32>) -> tensor<4xf32>
  // CHECK: return %[[X]], %[[A]], %[[B]], %[[C]]
  return %0, %2, %4, %5 : tensor<20xf32>, tensor<3xf32>, tensor<2xf32>, tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @reduce
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>)
func.func @reduce(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<f32>, tensor<f32>) {
  // CHECK-DAG: %[[C:.*]] = nxv.constant dense<3.000000e+00> : tensor<f32>
  %0 = nxv.reduce add, %x {axes = array<i64>} : (tensor<4xf32>) -> tensor<4xf32>
  %c = nxv.constant dense<3.0> : tensor<5xf32>
  %1 = nxv.reduce max, %c {axes = array<i64: 0>} : (tensor<5xf32>) -> tensor<f32>
  // Over no element it is -inf.
  // CHECK-DAG: %[[R:.*]] = nxv.reduce max
  %e = nxv.constant dense<> : tensor<0xf32>
  %2 = nxv.reduce max, %e {axes = array<i64: 0>} : (tensor<0xf32>) -> tensor<f32>
  // CHECK: return %[[X]], %[[C]], %[[R]]
  return %0, %1, %2 : tensor<4xf32>, tensor<f32>, tensor<f32>
}

// -----

// CHECK-LABEL: func.func @compare_complex
// CHECK-SAME: (%[[X:.*]]: tensor<4xcomplex<f32>>)
func.func @compare_complex(%x: tensor<4xcomplex<f32>>) -> tensor<4xi1> {
  // CHECK: %[[P:.*]] = nxv.convert %[[X]] : (tensor<4xcomplex<f32>>) -> tensor<4xi1>
  // CHECK: return %[[P]]
  %z = nxv.constant dense<(0.0, 0.0)> : tensor<4xcomplex<f32>>
  %0 = nxv.compare ne, %x, %z : (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) -> tensor<4xi1>
  return %0 : tensor<4xi1>
}
