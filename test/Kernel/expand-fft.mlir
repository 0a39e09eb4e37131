// RUN: nxv-opt %s -split-input-file -nxv-expand-fft | FileCheck %s

// One kernel: nothing changes.
// CHECK-LABEL: func.func @kernel
// CHECK-NEXT:    nxv.fft %{{.*}} {axis = 0 : i64, length = 4096 : i64}
// CHECK-NEXT:    return
func.func @kernel(%x: tensor<4096xcomplex<f32>>) -> tensor<4096xcomplex<f32>> {
  %0 = nxv.fft %x {axis = 0 : i64, length = 4096 : i64} : (tensor<4096xcomplex<f32>>) -> tensor<4096xcomplex<f32>>
  return %0 : tensor<4096xcomplex<f32>>
}

// -----

// CHECK-LABEL: func.func @pad
// CHECK:         %[[P:.*]] = nxv.pad %{{.*}} {high = array<i64: 0, 5, 0>, interior = array<i64: 0, 0, 0>, low = array<i64: 0, 0, 0>}
// CHECK:         nxv.fft %[[P]] {axis = 1 : i64, inverse, length = 8 : i64} : (tensor<2x8x4xcomplex<f64>>)
func.func @pad(%x: tensor<2x3x4xcomplex<f64>>) -> tensor<2x8x4xcomplex<f64>> {
  %0 = nxv.fft %x {axis = 1 : i64, inverse, length = 8 : i64} : (tensor<2x3x4xcomplex<f64>>) -> tensor<2x8x4xcomplex<f64>>
  return %0 : tensor<2x8x4xcomplex<f64>>
}

// -----

// CHECK-LABEL: func.func @cut
// CHECK:         %[[S:.*]] = nxv.slice %{{.*}} {lengths = array<i64: 6>, starts = array<i64: 0>, strides = array<i64: 1>}
// CHECK:         nxv.fft %[[S]] {axis = 0 : i64, length = 6 : i64}
func.func @cut(%x: tensor<10xcomplex<f32>>) -> tensor<6xcomplex<f32>> {
  %0 = nxv.fft %x {axis = 0 : i64, length = 6 : i64} : (tensor<10xcomplex<f32>>) -> tensor<6xcomplex<f32>>
  return %0 : tensor<6xcomplex<f32>>
}

// -----

// A transform of one number is that number.
// CHECK-LABEL: func.func @one
// CHECK-NEXT:    return %arg0
func.func @one(%x: tensor<1x3xcomplex<f32>>) -> tensor<1x3xcomplex<f32>> {
  %0 = nxv.fft %x {axis = 0 : i64, length = 1 : i64} : (tensor<1x3xcomplex<f32>>) -> tensor<1x3xcomplex<f32>>
  return %0 : tensor<1x3xcomplex<f32>>
}

// -----

// 4096 numbers of f64 are more than a workgroup's memory: four steps.
// CHECK-LABEL: func.func @four_step
// CHECK:         %[[R:.*]] = nxv.reshape %arg0 : (tensor<3x4096xcomplex<f64>>) -> tensor<3x64x64x1xcomplex<f64>>
// CHECK:         %[[F:.*]] = nxv.fft %[[R]] {axis = 1 : i64, length = 64 : i64}
// CHECK:         %[[W:.*]] = nxv.broadcast_in_dim %{{.*}} {axes = array<i64: 1, 2>}
// CHECK:         %[[M:.*]] = nxv.multiply %[[F]], %[[W]]
// CHECK:         %[[G:.*]] = nxv.fft %[[M]] {axis = 2 : i64, length = 64 : i64}
// CHECK:         %[[T:.*]] = nxv.transpose %[[G]] {permutation = array<i64: 0, 2, 1, 3>}
// CHECK:         nxv.reshape %[[T]]
func.func @four_step(%x: tensor<3x4096xcomplex<f64>>) -> tensor<3x4096xcomplex<f64>> {
  %0 = nxv.fft %x {axis = 1 : i64, length = 4096 : i64} : (tensor<3x4096xcomplex<f64>>) -> tensor<3x4096xcomplex<f64>>
  return %0 : tensor<3x4096xcomplex<f64>>
}

// -----

// Columns of a large matrix: the factors' transforms read whole cache lines.
// CHECK-LABEL: func.func @columns
// CHECK:         nxv.reshape %arg0 : (tensor<4096x512xcomplex<f32>>) -> tensor<1x64x64x512xcomplex<f32>>
// CHECK:         nxv.fft %{{.*}} {axis = 1 : i64, length = 64 : i64}
// CHECK:         nxv.fft %{{.*}} {axis = 2 : i64, length = 64 : i64}
func.func @columns(%x: tensor<4096x512xcomplex<f32>>) -> tensor<4096x512xcomplex<f32>> {
  %0 = nxv.fft %x {axis = 0 : i64, length = 4096 : i64} : (tensor<4096x512xcomplex<f32>>) -> tensor<4096x512xcomplex<f32>>
  return %0 : tensor<4096x512xcomplex<f32>>
}

// -----

// Of a small one, and of shorter columns: one kernel.
// CHECK-LABEL: func.func @short_columns
// CHECK-NOT:     nxv.reshape
func.func @short_columns(%x: tensor<4096x64xcomplex<f32>>, %y: tensor<1024x4096xcomplex<f32>>) -> (tensor<4096x64xcomplex<f32>>, tensor<1024x4096xcomplex<f32>>) {
  %0 = nxv.fft %x {axis = 0 : i64, length = 4096 : i64} : (tensor<4096x64xcomplex<f32>>) -> tensor<4096x64xcomplex<f32>>
  %1 = nxv.fft %y {axis = 0 : i64, length = 1024 : i64} : (tensor<1024x4096xcomplex<f32>>) -> tensor<1024x4096xcomplex<f32>>
  return %0, %1 : tensor<4096x64xcomplex<f32>>, tensor<1024x4096xcomplex<f32>>
}

// -----

// A million twiddle factors are products from two small tables.
// CHECK-LABEL: func.func @two_tables
// CHECK:         nxv.fft %{{.*}} {axis = 1 : i64, length = 1024 : i64}
// CHECK:         nxv.broadcast_in_dim %{{.*}} {axes = array<i64: 1, 2>} : (tensor<1024x32xcomplex<f32>>)
// CHECK:         nxv.multiply
// CHECK:         nxv.broadcast_in_dim %{{.*}} {axes = array<i64: 1, 3>} : (tensor<1024x32xcomplex<f32>>)
// CHECK:         nxv.multiply
// CHECK:         nxv.fft %{{.*}} {axis = 2 : i64, length = 1024 : i64}
func.func @two_tables(%x: tensor<1048576xcomplex<f32>>) -> tensor<1048576xcomplex<f32>> {
  %0 = nxv.fft %x {axis = 0 : i64, length = 1048576 : i64} : (tensor<1048576xcomplex<f32>>) -> tensor<1048576xcomplex<f32>>
  return %0 : tensor<1048576xcomplex<f32>>
}

// -----

// A short prime length is a product with a matrix.
// CHECK-LABEL: func.func @dense
// CHECK:         %[[D:.*]] = nxv.dot_general %arg0, %{{.*}} {lhsBatch = array<i64>, lhsContract = array<i64: 0>, rhsBatch = array<i64>, rhsContract = array<i64: 0>} : (tensor<17x3xcomplex<f32>>, tensor<17x17xcomplex<f32>>) -> tensor<3x17xcomplex<f32>>
// CHECK:         nxv.transpose %[[D]] {permutation = array<i64: 1, 0>}
func.func @dense(%x: tensor<17x3xcomplex<f32>>) -> tensor<17x3xcomplex<f32>> {
  %0 = nxv.fft %x {axis = 0 : i64, length = 17 : i64} : (tensor<17x3xcomplex<f32>>) -> tensor<17x3xcomplex<f32>>
  return %0 : tensor<17x3xcomplex<f32>>
}

// -----

// CHECK-LABEL: func.func @bluestein
// CHECK:         nxv.multiply %arg0
// CHECK:         nxv.pad %{{.*}} {high = array<i64: 1003>
// CHECK:         nxv.fft %{{.*}} {axis = 0 : i64, length = 2000 : i64}
// CHECK:         nxv.multiply
// CHECK:         nxv.fft %{{.*}} {axis = 0 : i64, inverse, length = 2000 : i64}
// CHECK:         nxv.slice %{{.*}} {lengths = array<i64: 997>
// CHECK:         nxv.multiply
func.func @bluestein(%x: tensor<997xcomplex<f32>>) -> tensor<997xcomplex<f32>> {
  %0 = nxv.fft %x {axis = 0 : i64, length = 997 : i64} : (tensor<997xcomplex<f32>>) -> tensor<997xcomplex<f32>>
  return %0 : tensor<997xcomplex<f32>>
}
