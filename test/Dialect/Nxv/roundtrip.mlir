// RUN: nxv-opt %s | nxv-opt | FileCheck %s

// CHECK-LABEL: func.func @main
func.func @main(%a: tensor<4x10xf32>, %b: tensor<10xf32>) -> tensor<4xf32> {
  %c = nxv.constant dense<1.0> : tensor<4xf32>
  %0 = nxv.broadcast_in_dim %b {axes = array<i64: 1>} : (tensor<10xf32>) -> tensor<4x10xf32>
  %1 = nxv.add %a, %0 : tensor<4x10xf32>
  %2 = nxv.reduce add, %1 {axes = array<i64: 1>} : (tensor<4x10xf32>) -> tensor<4xf32>
  %3 = nxv.compare lt, %2, %c : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %4:2 = nxv.while (%2, %c) : tensor<4xf32>, tensor<4xf32> cond {
  ^bb0(%x: tensor<4xf32>, %y: tensor<4xf32>):
    %k = nxv.constant dense<true> : tensor<i1>
    nxv.yield %k : tensor<i1>
  } do {
  ^bb0(%x: tensor<4xf32>, %y: tensor<4xf32>):
    nxv.yield %x, %y : tensor<4xf32>, tensor<4xf32>
  }
  return %4#0 : tensor<4xf32>
}
