// RUN: nxv-opt %s -split-input-file --nxv-simplify-loops | FileCheck %s

#scalar = affine_map<() -> ()>

// One turn: the body, with what the loop starts from.

// CHECK-LABEL: func.func @once
// CHECK-NOT: nxv.while
// CHECK: %[[Y:.+]] = linalg.generic {{.*}} ins(%arg0 : tensor<f32>)
// CHECK: return %[[Y]]
func.func @once(%x: tensor<f32>) -> tensor<f32> {
  %zero = arith.constant dense<0> : tensor<i32>
  %r:2 = nxv.while(%zero, %x) : tensor<i32>, tensor<f32> cond {
  ^bb0(%i: tensor<i32>, %s: tensor<f32>):
    %last = arith.constant 1 : i32
    %p = tensor.empty() : tensor<i1>
    %more = linalg.generic {indexing_maps = [#scalar, #scalar], iterator_types = []} ins(%i : tensor<i32>) outs(%p : tensor<i1>) {
    ^bb0(%in: i32, %out: i1):
      %0 = arith.cmpi slt, %in, %last : i32
      linalg.yield %0 : i1
    } -> tensor<i1>
    nxv.yield %more : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %s: tensor<f32>):
    %one = arith.constant 1 : i32
    %e = tensor.empty() : tensor<i32>
    %f = tensor.empty() : tensor<f32>
    %next = linalg.generic {indexing_maps = [#scalar, #scalar], iterator_types = []} ins(%i : tensor<i32>) outs(%e : tensor<i32>) {
    ^bb0(%in: i32, %out: i32):
      %0 = arith.addi %in, %one : i32
      linalg.yield %0 : i32
    } -> tensor<i32>
    %state = linalg.generic {indexing_maps = [#scalar, #scalar], iterator_types = []} ins(%s : tensor<f32>) outs(%f : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %0 = arith.addf %in, %in : f32
      linalg.yield %0 : f32
    } -> tensor<f32>
    nxv.yield %next, %state : tensor<i32>, tensor<f32>
  }
  return %r#1 : tensor<f32>
}

// -----

// No turn; and a number of turns that is not known.

// CHECK-LABEL: func.func @others
// CHECK: nxv.while(%arg1)
// CHECK-NOT: nxv.while
// CHECK: return %arg0
func.func @others(%x: tensor<f32>, %p: tensor<i1>) -> (tensor<f32>, tensor<i1>) {
  %r = nxv.while(%x) : tensor<f32> cond {
  ^bb0(%s: tensor<f32>):
    %no = arith.constant dense<false> : tensor<i1>
    nxv.yield %no : tensor<i1>
  } do {
  ^bb0(%s: tensor<f32>):
    nxv.yield %s : tensor<f32>
  }
  %q = nxv.while(%p) : tensor<i1> cond {
  ^bb0(%s: tensor<i1>):
    nxv.yield %s : tensor<i1>
  } do {
  ^bb0(%s: tensor<i1>):
    %no = arith.constant dense<false> : tensor<i1>
    nxv.yield %no : tensor<i1>
  }
  return %r, %q : tensor<f32>, tensor<i1>
}

// -----

// The condition shows a value to the host.

// CHECK-LABEL: func.func @tapped
// CHECK: nxv.while
func.func @tapped(%x: tensor<f32>) -> tensor<f32> {
  %r = nxv.while(%x) : tensor<f32> cond {
  ^bb0(%s: tensor<f32>):
    %no = arith.constant dense<false> : tensor<i1>
    %seen = nxv.tap "seen"(%s) : tensor<f32>
    nxv.yield %no : tensor<i1>
  } do {
  ^bb0(%s: tensor<f32>):
    nxv.yield %s : tensor<f32>
  }
  return %r : tensor<f32>
}
