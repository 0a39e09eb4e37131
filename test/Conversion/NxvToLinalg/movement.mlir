// RUN: nxv-opt %s -nxv-to-linalg -split-input-file | FileCheck %s

// CHECK-DAG: #[[STRETCH:.*]] = affine_map<(d0, d1, d2) -> (0, d2)>
// CHECK-DAG: #[[SCALAR:.*]] = affine_map<(d0, d1) -> ()>
// CHECK-LABEL: func.func @broadcast
// CHECK: linalg.generic {indexing_maps = [#[[STRETCH]], #{{.*}}], iterator_types = ["parallel", "parallel", "parallel"]} ins(%{{.*}} : tensor<1x3xf32>)
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: linalg.yield %[[X]]
// CHECK: linalg.generic {indexing_maps = [#[[SCALAR]], #{{.*}}]
func.func @broadcast(%x: tensor<1x3xf32>, %y: tensor<f32>) -> (tensor<2x4x3xf32>, tensor<2x4xf32>) {
  %0 = nxv.broadcast_in_dim %x {axes = array<i64: 1, 2>} : (tensor<1x3xf32>) -> tensor<2x4x3xf32>
  %1 = nxv.broadcast_in_dim %y {axes = array<i64>} : (tensor<f32>) -> tensor<2x4xf32>
  return %0, %1 : tensor<2x4x3xf32>, tensor<2x4xf32>
}

// -----

// result[i, j, k] = operand[j, k, i]
// CHECK: #[[MAP:.*]] = affine_map<(d0, d1, d2) -> (d1, d2, d0)>
// CHECK-LABEL: func.func @transpose
// CHECK: linalg.generic {indexing_maps = [#[[MAP]], #{{.*}}]
func.func @transpose(%x: tensor<2x3x4xf32>) -> tensor<4x2x3xf32> {
  %0 = nxv.transpose %x {permutation = array<i64: 2, 0, 1>} : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  return %0 : tensor<4x2x3xf32>
}

// -----

// CHECK-LABEL: func.func @reshape
// CHECK: tensor.collapse_shape %{{.*}} {{\[}}[0, 1], [2]] : tensor<2x3x4xf32> into tensor<6x4xf32>
// CHECK: tensor.expand_shape %{{.*}} {{\[}}[0], [1, 2]] output_shape [6, 2, 2] : tensor<6x4xf32> into tensor<6x2x2xf32>
// CHECK: tensor.expand_shape %{{.*}} {{\[}}[0, 1], [2]] output_shape [2, 3, 4]
// CHECK: tensor.collapse_shape %{{.*}} {{\[}}[0, 1, 2]] : tensor<2x3x4xf32> into tensor<24xf32>
// CHECK: tensor.expand_shape %{{.*}} {{\[}}[0, 1]] output_shape [1, 24]
// CHECK: tensor.expand_shape %{{.*}} [] output_shape [1, 1] : tensor<f32> into tensor<1x1xf32>
// CHECK: tensor.collapse_shape %{{.*}} [] : tensor<1x1xf32> into tensor<f32>
func.func @reshape(%x: tensor<2x3x4xf32>, %s: tensor<f32>) -> (tensor<1x24xf32>, tensor<f32>) {
  %0 = nxv.reshape %x : (tensor<2x3x4xf32>) -> tensor<6x2x2xf32>
  %1 = nxv.negate %0 : tensor<6x2x2xf32>
  %2 = nxv.reshape %1 : (tensor<6x2x2xf32>) -> tensor<6x4xf32>
  %3 = nxv.negate %2 : tensor<6x4xf32>
  %4 = nxv.reshape %3 : (tensor<6x4xf32>) -> tensor<2x3x4xf32>
  %5 = nxv.negate %4 : tensor<2x3x4xf32>
  %6 = nxv.reshape %5 : (tensor<2x3x4xf32>) -> tensor<1x24xf32>
  %7 = nxv.reshape %s : (tensor<f32>) -> tensor<1x1xf32>
  %8 = nxv.negate %7 : tensor<1x1xf32>
  %9 = nxv.reshape %8 : (tensor<1x1xf32>) -> tensor<f32>
  return %6, %9 : tensor<1x24xf32>, tensor<f32>
}

// -----

// CHECK: #[[AT:.*]] = affine_map<(d0) -> (d0 * 2 + 1)>
// CHECK-LABEL: func.func @slice(
// CHECK-SAME: %[[X:.*]]: tensor<6x5xf32>
// CHECK: linalg.generic {indexing_maps = [#{{.*}}], iterator_types = ["parallel", "parallel"]} outs(
// CHECK: %[[I:.*]] = linalg.index 0
// CHECK: %[[J:.*]] = linalg.index 1
// CHECK: %[[A:.*]] = affine.apply #[[AT]](%[[I]])
// CHECK: tensor.extract %[[X]][%[[A]], %[[J]]]
func.func @slice(%x: tensor<6x5xf32>) -> tensor<2x5xf32> {
  %0 = nxv.slice %x {starts = array<i64: 1, 0>, lengths = array<i64: 4, 5>, strides = array<i64: 2, 1>} : (tensor<6x5xf32>) -> tensor<2x5xf32>
  return %0 : tensor<2x5xf32>
}

// -----

// CHECK: #[[AT:.*]] = affine_map<(d0) -> (-d0 + 5)>
// CHECK-LABEL: func.func @reverse
// CHECK: affine.apply #[[AT]]
// CHECK: tensor.extract
func.func @reverse(%x: tensor<6x5xf32>) -> tensor<6x5xf32> {
  %0 = nxv.reverse %x {axes = array<i64: 0>} : tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}

// -----

// Low padding with interior on axis 0; axis 1 is cropped below, padded above.
// CHECK-DAG: #[[PHASE:.*]] = affine_map<(d0) -> ((d0 + 1) mod 2)>
// CHECK-DAG: #[[ROW:.*]] = affine_map<(d0) -> ((d0 - 1) floordiv 2)>
// CHECK-DAG: #[[COLUMN:.*]] = affine_map<(d0) -> (d0 + 1)>
// CHECK-LABEL: func.func @pad(
// CHECK-SAME: %[[X:.*]]: tensor<6x5xf32>, %[[V:.*]]: tensor<f32>
// CHECK: %[[I:.*]] = linalg.index 0
// CHECK: %[[J:.*]] = linalg.index 1
// CHECK: arith.cmpi sge, %[[I]], %c1
// CHECK: arith.cmpi slt, %[[I]], %c12
// CHECK: affine.apply #[[PHASE]](%[[I]])
// CHECK: arith.cmpi slt, %[[J]], %c4
// CHECK: scf.if
// CHECK: %[[A:.*]] = affine.apply #[[ROW]](%[[I]])
// CHECK: %[[B:.*]] = affine.apply #[[COLUMN]](%[[J]])
// CHECK: tensor.extract %[[X]][%[[A]], %[[B]]]
// CHECK: else
// CHECK: tensor.extract %[[V]][]
func.func @pad(%x: tensor<6x5xf32>, %v: tensor<f32>) -> tensor<14x5xf32> {
  %0 = nxv.pad %x, %v {low = array<i64: 1, -1>, high = array<i64: 2, 1>, interior = array<i64: 1, 0>} : (tensor<6x5xf32>, tensor<f32>) -> tensor<14x5xf32>
  return %0 : tensor<14x5xf32>
}

// -----

// A crop needs no condition.
// CHECK-LABEL: func.func @crop
// CHECK-NOT: scf.if
// CHECK: tensor.extract
func.func @crop(%x: tensor<6xf32>, %v: tensor<f32>) -> tensor<3xf32> {
  %0 = nxv.pad %x, %v {low = array<i64: -1>, high = array<i64: -2>, interior = array<i64: 0>} : (tensor<6xf32>, tensor<f32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

// Inputs without elements are skipped.
// CHECK-LABEL: func.func @concatenate(
// CHECK-SAME: %[[X:.*]]: tensor<2x3xf32>, %[[Y:.*]]: tensor<4x3xf32>, %{{.*}}: tensor<0x3xf32>, %[[Z:.*]]: tensor<1x3xf32>
// CHECK: arith.cmpi slt, %{{.*}}, %c2
// CHECK: scf.if
// CHECK: tensor.extract %[[X]]
// CHECK: arith.cmpi slt, %{{.*}}, %c6
// CHECK: tensor.extract %[[Y]]
// CHECK: tensor.extract %[[Z]]
func.func @concatenate(%x: tensor<2x3xf32>, %y: tensor<4x3xf32>, %e: tensor<0x3xf32>, %z: tensor<1x3xf32>) -> tensor<7x3xf32> {
  %0 = nxv.concatenate %x, %y, %e, %z {axis = 0} : (tensor<2x3xf32>, tensor<4x3xf32>, tensor<0x3xf32>, tensor<1x3xf32>) -> tensor<7x3xf32>
  return %0 : tensor<7x3xf32>
}

// -----

// The clamp comes before the cast to index, in the start's own type.
// CHECK-LABEL: func.func @dynamic_slice(
// CHECK-SAME: %[[X:.*]]: tensor<6x5xf32>, %[[S:.*]]: tensor<i64>, %[[T:.*]]: tensor<i8>
// CHECK: %[[SV:.*]] = tensor.extract %[[S]][]
// CHECK: %[[S0:.*]] = arith.maxsi %[[SV]], %c0_i64
// CHECK: %[[S1:.*]] = arith.minsi %[[S0]], %c3_i64
// CHECK: arith.index_cast %[[S1]] : i64 to index
// CHECK: %[[TV:.*]] = tensor.extract %[[T]][]
// CHECK: %[[T1:.*]] = arith.minui %[[TV]], %c1_i8
// CHECK: arith.index_castui %[[T1]] : i8 to index
// CHECK: tensor.extract %[[X]]
func.func @dynamic_slice(%x: tensor<6x5xf32>, %s: tensor<i64>, %t: tensor<ui8>) -> tensor<3x2xf32> {
  %0 = nxv.dynamic_slice %x, %s, %t {lengths = array<i64: 3, 4>, strides = array<i64: 1, 2>} : (tensor<6x5xf32>, tensor<i64>, tensor<ui8>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}

// -----

// Axis 1 is replaced whole: only axis 0 has a condition.
// CHECK-LABEL: func.func @dynamic_update_slice(
// CHECK-SAME: %[[X:.*]]: tensor<6x5xf32>, %[[U:.*]]: tensor<2x5xf32>
// CHECK: %[[D:.*]] = arith.subi
// CHECK: arith.cmpi sge, %[[D]], %c0
// CHECK: arith.cmpi slt, %[[D]], %c2
// CHECK: scf.if
// CHECK: tensor.extract %[[U]][%[[D]],
// CHECK: else
// CHECK: tensor.extract %[[X]]
func.func @dynamic_update_slice(%x: tensor<6x5xf32>, %u: tensor<2x5xf32>, %s: tensor<i32>, %t: tensor<i32>) -> tensor<6x5xf32> {
  %0 = nxv.dynamic_update_slice %x, %u, %s, %t : (tensor<6x5xf32>, tensor<2x5xf32>, tensor<i32>, tensor<i32>) -> tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}

// -----

// CHECK-LABEL: func.func @gather(
// CHECK-SAME: %[[X:.*]]: tensor<6x5xf32>, %[[I:.*]]: tensor<7x1xi32>
// CHECK: %[[D0:.*]] = linalg.index 0
// CHECK: %[[D1:.*]] = linalg.index 1
// CHECK: %[[V:.*]] = tensor.extract %[[I]][%[[D0]], %c0]
// CHECK: arith.maxsi
// CHECK: arith.minsi
// CHECK: %[[AT:.*]] = arith.index_cast
// CHECK: tensor.extract %[[X]][%[[D1]], %[[AT]]]
func.func @gather(%x: tensor<6x5xf32>, %i: tensor<7x1xi32>) -> tensor<7x6xf32> {
  %0 = nxv.gather %x, %i {axes = array<i64: 1>} : (tensor<6x5xf32>, tensor<7x1xi32>) -> tensor<7x6xf32>
  return %0 : tensor<7x6xf32>
}

// -----

// A result without elements is a literal.
// CHECK-LABEL: func.func @no_elements
// CHECK-NEXT: %[[C:.*]] = arith.constant dense<> : tensor<0x3xi8>
// CHECK-NEXT: return %[[C]]
func.func @no_elements(%x: tensor<2x3xui8>) -> tensor<0x3xui8> {
  %0 = nxv.slice %x {starts = array<i64: 0, 0>, lengths = array<i64: 0, 3>, strides = array<i64: 1, 1>} : (tensor<2x3xui8>) -> tensor<0x3xui8>
  return %0 : tensor<0x3xui8>
}
