// RUN: nxv-opt %s -nxv-expand-blocks | FileCheck %s

// CHECK-LABEL: func.func @nested
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>)
func.func @nested(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK-NEXT: %[[E:.*]] = nxv.exp %[[X]]
  // CHECK-NEXT: %[[S:.*]] = nxv.sin %[[E]]
  // CHECK-NEXT: %[[N:.*]] = nxv.negate %[[X]]
  // CHECK-NEXT: return %[[S]], %[[N]]
  %0:2 = nxv.block "outer"(%x) options {k = 1 : i64} : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>):
    %1 = nxv.block "inner"(%a) : (tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%b: tensor<4xf32>):
      %2 = nxv.exp %b : tensor<4xf32>
      %3 = nxv.sin %2 : tensor<4xf32>
      nxv.yield %3 : tensor<4xf32>
    }
    %4 = nxv.negate %a : tensor<4xf32>
    nxv.yield %1, %4 : tensor<4xf32>, tensor<4xf32>
  }
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @in_while
func.func @in_while(%x: tensor<f32>) -> tensor<f32> {
  // CHECK: nxv.while
  // CHECK-NOT: nxv.block
  // CHECK: nxv.exp
  %0 = nxv.while(%x) : tensor<f32> cond {
  ^bb0(%a: tensor<f32>):
    %p = nxv.convert %a : (tensor<f32>) -> tensor<i1>
    nxv.yield %p : tensor<i1>
  } do {
  ^bb0(%a: tensor<f32>):
    %1 = nxv.block "step"(%a) : (tensor<f32>) -> tensor<f32> {
    ^bb0(%b: tensor<f32>):
      %2 = nxv.exp %b : tensor<f32>
      nxv.yield %2 : tensor<f32>
    }
    nxv.yield %1 : tensor<f32>
  }
  return %0 : tensor<f32>
}

// CHECK-LABEL: func.func @identity
func.func @identity(%x: tensor<2xf32>) -> tensor<2xf32> {
  // CHECK-NEXT: return %{{.*}}
  %0 = nxv.block "id"(%x) : (tensor<2xf32>) -> tensor<2xf32> {
  ^bb0(%a: tensor<2xf32>):
    nxv.yield %a : tensor<2xf32>
  }
  return %0 : tensor<2xf32>
}

// A running combination of reals is one operation; anything else keeps its
// definition.

// CHECK-LABEL: func.func @cumulative
// CHECK-NEXT: %[[S:.*]] = nxv.cumulative add, %arg0 {axis = 0 : i64, reverse} : tensor<2xf32>
// CHECK-NEXT: %[[C:.*]] = nxv.negate %arg1
// CHECK-NEXT: %[[O:.*]] = nxv.negate %arg0
// CHECK-NEXT: return %[[S]], %[[C]], %[[O]]
func.func @cumulative(%x: tensor<2xf32>, %c: tensor<2xcomplex<f32>>)
    -> (tensor<2xf32>, tensor<2xcomplex<f32>>, tensor<2xf32>) {
  %0 = nxv.block "cumulative_sum"(%x) options {axis = 0 : i64, reverse = true} : (tensor<2xf32>) -> tensor<2xf32> {
  ^bb0(%a: tensor<2xf32>):
    %3 = nxv.negate %a : tensor<2xf32>
    nxv.yield %3 : tensor<2xf32>
  }
  %1 = nxv.block "cumulative_sum"(%c) options {axis = 0 : i64, reverse = true} : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>> {
  ^bb0(%a: tensor<2xcomplex<f32>>):
    %3 = nxv.negate %a : tensor<2xcomplex<f32>>
    nxv.yield %3 : tensor<2xcomplex<f32>>
  }
  %2 = nxv.block "cumulative_max"(%x) options {axis = 1 : i64, reverse = true} : (tensor<2xf32>) -> tensor<2xf32> {
  ^bb0(%a: tensor<2xf32>):
    %3 = nxv.negate %a : tensor<2xf32>
    nxv.yield %3 : tensor<2xf32>
  }
  return %0, %1, %2 : tensor<2xf32>, tensor<2xcomplex<f32>>, tensor<2xf32>
}
