// RUN: nxv-opt %s -split-input-file -nxv-encode-floats -canonicalize -verify-each | FileCheck %s

#id = affine_map<(d0) -> (d0)>

// CHECK-LABEL: func @double
// CHECK-SAME: tensor<4xi16> {nxv.element = "bf16"}) -> (tensor<4xi16> {nxv.element = "bf16"})
// CHECK: ^bb0(%[[A:.*]]: i16, %{{.*}}: i16):
// CHECK: arith.extui %[[A]] : i16 to i32
// CHECK: arith.shli
// CHECK: %[[X:.*]] = arith.bitcast {{.*}} : i32 to f32
// CHECK: arith.addf %[[X]], %[[X]] : f32
// CHECK: arith.trunci {{.*}} : i32 to i16
func.func @double(%x: tensor<4xbf16>) -> tensor<4xbf16> {
  %e = tensor.empty() : tensor<4xbf16>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<4xbf16>) outs(%e : tensor<4xbf16>) {
  ^bb0(%a: bf16, %o: bf16):
    %w = arith.extf %a : bf16 to f32
    %s = arith.addf %w, %w : f32
    %n = arith.truncf %s : f32 to bf16
    linalg.yield %n : bf16
  } -> tensor<4xbf16>
  return %0 : tensor<4xbf16>
}

// -----

// CHECK-LABEL: func @literals
// CHECK-DAG: dense<16256> : tensor<2xi16>
// CHECK-DAG: dense<[60, 64]> : tensor<2xi8>
// CHECK-DAG: dense<[56, 64]> : tensor<2xi8>
func.func @literals() -> (tensor<2xbf16>, tensor<2xf8E5M2>, tensor<2xf8E4M3FN>) {
  %0 = arith.constant dense<1.0> : tensor<2xbf16>
  %1 = arith.constant dense<[1.0, 2.0]> : tensor<2xf8E5M2>
  %2 = arith.constant dense<[1.0, 2.0]> : tensor<2xf8E4M3FN>
  return %0, %1, %2 : tensor<2xbf16>, tensor<2xf8E5M2>, tensor<2xf8E4M3FN>
}

// -----

#id = affine_map<(d0) -> (d0)>

// Bits stay bits.
// CHECK-LABEL: func @bits
// CHECK-SAME: (%[[X:.*]]: tensor<4xi8>
// CHECK: return %[[X]] : tensor<4xi8>
func.func @bits(%x: tensor<4xi8>) -> tensor<4xf8E5M2> {
  %e = tensor.empty() : tensor<4xf8E5M2>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<4xi8>) outs(%e : tensor<4xf8E5M2>) {
  ^bb0(%a: i8, %o: f8E5M2):
    %b = arith.bitcast %a : i8 to f8E5M2
    linalg.yield %b : f8E5M2
  } -> tensor<4xf8E5M2>
  return %0 : tensor<4xf8E5M2>
}

// -----

// Sorted as numbers.
// CHECK-LABEL: func @sort
// CHECK: nxv.sort {{.*}} : (tensor<4xf32>) -> tensor<4xf32>
func.func @sort(%x: tensor<4xbf16>) -> tensor<4xbf16> {
  %0 = nxv.sort %x {axis = 0 : i64} : (tensor<4xbf16>) -> tensor<4xbf16>
  return %0 : tensor<4xbf16>
}

// -----

// CHECK-LABEL: func @move
// CHECK: nxv.scatter put, {{.*}} tensor<4xi16>
// CHECK: nxv.scatter add, {{.*}} tensor<4xf32>
func.func @move(%x: tensor<4xbf16>, %i: tensor<1x1xi32>, %u: tensor<1xbf16>) -> (tensor<4xbf16>, tensor<4xbf16>) {
  %0 = nxv.scatter put, %x, %i, %u {axes = array<i64: 0>} : (tensor<4xbf16>, tensor<1x1xi32>, tensor<1xbf16>) -> tensor<4xbf16>
  %1 = nxv.scatter add, %x, %i, %u {axes = array<i64: 0>} : (tensor<4xbf16>, tensor<1x1xi32>, tensor<1xbf16>) -> tensor<4xbf16>
  return %0, %1 : tensor<4xbf16>, tensor<4xbf16>
}
