// RUN: nxv-opt %s -nxv-to-linalg -split-input-file | FileCheck %s

// What linalg cannot say stays, on signless types.
// CHECK-LABEL: func.func @sort(
// CHECK-SAME: %[[X:.*]]: tensor<4xi8>
// CHECK: nxv.sort %[[X]] {axis = 0 : i64, nxv.unsigned} : (tensor<4xi8>) -> tensor<4xi8>
// CHECK: nxv.argsort %[[X]] {axis = 0 : i64, descending, nxv.unsigned} : (tensor<4xi8>) -> tensor<4xi32>
func.func @sort(%x: tensor<4xui8>) -> (tensor<4xui8>, tensor<4xui32>) {
  %0 = nxv.sort %x {axis = 0} : (tensor<4xui8>) -> tensor<4xui8>
  %1 = nxv.argsort %x {axis = 0, descending} : (tensor<4xui8>) -> tensor<4xui32>
  return %0, %1 : tensor<4xui8>, tensor<4xui32>
}

// -----

// Of a scatter the indices' signedness counts.
// CHECK-LABEL: func.func @scatter
// CHECK: nxv.scatter add, {{.*}} {axes = array<i64: 0>, nxv.unsigned} : (tensor<4xf32>, tensor<2x1xi8>, tensor<2xf32>) -> tensor<4xf32>
func.func @scatter(%x: tensor<4xf32>, %i: tensor<2x1xui8>, %u: tensor<2xf32>) -> tensor<4xf32> {
  %0 = nxv.scatter add, %x, %i, %u {axes = array<i64: 0>} : (tensor<4xf32>, tensor<2x1xui8>, tensor<2xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @while
// CHECK: nxv.while(%{{.*}}, %{{.*}}) : tensor<i32>, tensor<4xf32> cond {
// CHECK-NEXT: ^bb0(%{{.*}}: tensor<i32>, %{{.*}}: tensor<4xf32>):
// CHECK: arith.cmpi ult
// CHECK: nxv.yield %{{.*}} : tensor<i1>
// CHECK: } do {
// CHECK-NEXT: ^bb0(%{{.*}}: tensor<i32>, %{{.*}}: tensor<4xf32>):
// CHECK: arith.addi
// CHECK: arith.addf
// CHECK: nxv.yield %{{.*}}, %{{.*}} : tensor<i32>, tensor<4xf32>
func.func @while(%n: tensor<ui32>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0:2 = nxv.while(%n, %x) : tensor<ui32>, tensor<4xf32> cond {
  ^bb0(%i: tensor<ui32>, %s: tensor<4xf32>):
    %c = nxv.constant dense<10> : tensor<ui32>
    %1 = nxv.compare lt, %i, %c : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
    nxv.yield %1 : tensor<i1>
  } do {
  ^bb0(%i: tensor<ui32>, %s: tensor<4xf32>):
    %c = nxv.constant dense<1> : tensor<ui32>
    %1 = nxv.add %i, %c : tensor<ui32>
    %2 = nxv.add %s, %s : tensor<4xf32>
    nxv.yield %1, %2 : tensor<ui32>, tensor<4xf32>
  }
  return %0#1 : tensor<4xf32>
}

// -----

// Branches may use values of the scopes around them.
// CHECK-LABEL: func.func @case
// CHECK: %[[S:.*]] = linalg.generic
// CHECK: nxv.case(%{{.*}}) : (tensor<i1>) -> tensor<4xi8>
// CHECK: nxv.yield %[[S]] : tensor<4xi8>
func.func @case(%p: tensor<i1>, %x: tensor<4xui8>) -> tensor<4xui8> {
  %s = nxv.add %x, %x : tensor<4xui8>
  %0 = nxv.case(%p) : (tensor<i1>) -> tensor<4xui8> {
    nxv.yield %s : tensor<4xui8>
  }, {
    %1 = nxv.multiply %s, %x : tensor<4xui8>
    nxv.yield %1 : tensor<4xui8>
  }
  return %0 : tensor<4xui8>
}
