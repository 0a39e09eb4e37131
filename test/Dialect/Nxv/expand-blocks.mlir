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
