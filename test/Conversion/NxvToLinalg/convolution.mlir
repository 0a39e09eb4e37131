// RUN: nxv-opt %s -nxv-to-linalg -split-input-file | FileCheck %s

// Without padding the input is read directly.
// CHECK-DAG: #[[IN:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d4, d2 * 2 + d5, d3 + d6 * 2)>
// CHECK-DAG: #[[KERNEL:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d4, d5, d6)>
// CHECK-DAG: #[[OUT:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2, d3)>
// CHECK-LABEL: func.func @plain(
// CHECK-SAME: %[[X:.*]]: tensor<2x4x8x9xf32>, %[[K:.*]]: tensor<6x4x3x3xf32>
// CHECK: linalg.generic {indexing_maps = [#[[IN]], #[[KERNEL]], #[[OUT]]], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%[[X]], %[[K]]
// CHECK-SAME: attrs = {nxv.conv}
// CHECK: arith.mulf
// CHECK: arith.addf
func.func @plain(%x: tensor<2x4x8x9xf32>, %k: tensor<6x4x3x3xf32>) -> tensor<2x6x3x5xf32> {
  %0 = nxv.convolution %x, %k {strides = array<i64: 2, 1>, low = array<i64: 0, 0>, high = array<i64: 0, 0>, inputDilation = array<i64: 1, 1>, kernelDilation = array<i64: 1, 2>, featureGroups = 1 : i64, batchGroups = 1 : i64} : (tensor<2x4x8x9xf32>, tensor<6x4x3x3xf32>) -> tensor<2x6x3x5xf32>
  return %0 : tensor<2x6x3x5xf32>
}

// -----

// Padding and input dilation are an explicit pad; groups split the channels.
// CHECK-LABEL: func.func @padded_groups
// CHECK: scf.if
// CHECK: %[[I:.*]] = tensor.expand_shape %{{.*}} {{\[}}[0], [1, 2], [3]] output_shape [2, 2, 2, 17]
// CHECK: %[[K:.*]] = tensor.expand_shape %{{.*}} {{\[}}[0, 1], [2], [3]] output_shape [2, 3, 2, 3]
// CHECK: %[[C:.*]] = linalg.generic {{.*}} ins(%[[I]], %[[K]]
// CHECK: tensor.collapse_shape %[[C]] {{\[}}[0], [1, 2], [3]] : tensor<2x2x3x15xf32> into tensor<2x6x15xf32>
func.func @padded_groups(%x: tensor<2x4x8xf32>, %k: tensor<6x2x3xf32>) -> tensor<2x6x15xf32> {
  %0 = nxv.convolution %x, %k {strides = array<i64: 1>, low = array<i64: 1>, high = array<i64: 1>, inputDilation = array<i64: 2>, kernelDilation = array<i64: 1>, featureGroups = 2 : i64, batchGroups = 1 : i64} : (tensor<2x4x8xf32>, tensor<6x2x3xf32>) -> tensor<2x6x15xf32>
  return %0 : tensor<2x6x15xf32>
}

// -----

// Batch groups split the batch, outermost first.
// CHECK: #[[IN:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d1, d0, d4, d3 + d5)>
// CHECK-LABEL: func.func @batch_groups
// CHECK: tensor.expand_shape %{{.*}} {{\[}}[0, 1], [2], [3]] output_shape [2, 3, 4, 8]
// CHECK: tensor.expand_shape %{{.*}} {{\[}}[0, 1], [2], [3]] output_shape [2, 1, 4, 3]
func.func @batch_groups(%x: tensor<6x4x8xf32>, %k: tensor<2x4x3xf32>) -> tensor<3x2x6xf32> {
  %0 = nxv.convolution %x, %k {strides = array<i64: 1>, low = array<i64: 0>, high = array<i64: 0>, inputDilation = array<i64: 1>, kernelDilation = array<i64: 1>, featureGroups = 1 : i64, batchGroups = 2 : i64} : (tensor<6x4x8xf32>, tensor<2x4x3xf32>) -> tensor<3x2x6xf32>
  return %0 : tensor<3x2x6xf32>
}

// -----

// Channels last: the transposes become part of the maps, padding included.
// CHECK-DAG: #[[IN:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d2 + d4, d3)>
// CHECK-DAG: #[[KERNEL:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d4, d3, d1)>
// CHECK-LABEL: func.func @channels_last(
// CHECK-SAME: %[[X:.*]]: tensor<2x8x4xf32>, %[[K:.*]]: tensor<3x4x5xf32>
// CHECK: tensor.empty() : tensor<2x10x4xf32>
// CHECK: tensor.extract %[[X]]
// CHECK: linalg.generic {indexing_maps = [#[[IN]], #[[KERNEL]], #{{.*}}]{{.*}} ins(%{{.*}}, %[[K]] : tensor<2x10x4xf32>, tensor<3x4x5xf32>)
func.func @channels_last(%x: tensor<2x8x4xf32>, %k: tensor<3x4x5xf32>) -> tensor<2x5x8xf32> {
  %a = nxv.transpose %x {permutation = array<i64: 0, 2, 1>} : (tensor<2x8x4xf32>) -> tensor<2x4x8xf32>
  %b = nxv.transpose %k {permutation = array<i64: 2, 1, 0>} : (tensor<3x4x5xf32>) -> tensor<5x4x3xf32>
  %0 = nxv.convolution %a, %b {strides = array<i64: 1>, low = array<i64: 1>, high = array<i64: 1>, inputDilation = array<i64: 1>, kernelDilation = array<i64: 1>, featureGroups = 1 : i64, batchGroups = 1 : i64} : (tensor<2x4x8xf32>, tensor<5x4x3xf32>) -> tensor<2x5x8xf32>
  return %0 : tensor<2x5x8xf32>
}

// -----

// CHECK-LABEL: func.func @half
// CHECK: arith.extf
// CHECK: arith.truncf %{{.*}} : f32 to f16
func.func @half(%x: tensor<1x1x8xf16>, %k: tensor<1x1x3xf16>) -> tensor<1x1x6xf16> {
  %0 = nxv.convolution %x, %k {strides = array<i64: 1>, low = array<i64: 0>, high = array<i64: 0>, inputDilation = array<i64: 1>, kernelDilation = array<i64: 1>, featureGroups = 1 : i64, batchGroups = 1 : i64} : (tensor<1x1x8xf16>, tensor<1x1x3xf16>) -> tensor<1x1x6xf16>
  return %0 : tensor<1x1x6xf16>
}
