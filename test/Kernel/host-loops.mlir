// RUN: nxv-opt %s -split-input-file --pass-pipeline='builtin.module(func.func(nxv-form-groups),nxv-emit-kernels)' | FileCheck %s

// Loops of the host: what is counted has no condition.

#scalar = affine_map<() -> ()>

// CHECK-LABEL: program.program @counted
// CHECK-NOT: program.while
// CHECK: program.repeat 4 do {
// CHECK-NEXT: program.dispatch
// CHECK-NOT: program.dispatch
// CHECK: program.results
// CHECK-NOT: arith.cmpi sgt
func.func @counted(%x: tensor<i32>) -> tensor<i32> {
  %first = arith.constant dense<10> : tensor<i32>
  %r = nxv.while(%first) : tensor<i32> cond {
  ^bb0(%i: tensor<i32>):
    %last = arith.constant 2 : i32
    %p = tensor.empty() : tensor<i1>
    %more = linalg.generic {indexing_maps = [#scalar, #scalar], iterator_types = []} ins(%i : tensor<i32>) outs(%p : tensor<i1>) {
    ^bb0(%in: i32, %out: i1):
      %0 = arith.cmpi sgt, %in, %last : i32
      linalg.yield %0 : i1
    } -> tensor<i1>
    nxv.yield %more : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>):
    %step = arith.constant 2 : i32
    %e = tensor.empty() : tensor<i32>
    %next = linalg.generic {indexing_maps = [#scalar, #scalar], iterator_types = []} ins(%i : tensor<i32>) outs(%e : tensor<i32>) {
    ^bb0(%in: i32, %out: i32):
      %0 = arith.subi %in, %step : i32
      linalg.yield %0 : i32
    } -> tensor<i32>
    nxv.yield %next : tensor<i32>
  }
  return %r : tensor<i32>
}

// -----

// A loop without turns hands its state on.

// CHECK-LABEL: program.program @never
// CHECK-NOT: program.dispatch
// CHECK: %[[X:.+]] = program.buffer input 4
// CHECK: program.copy %[[X]] to %[[S:.+]] bytes 4
// CHECK-NEXT: program.copy %[[S]] to %[[Y:.+]] bytes 4
// CHECK-NEXT: program.results %[[Y]]
func.func @never(%x: tensor<i32>) -> tensor<i32> {
  %r = nxv.while(%x) : tensor<i32> cond {
  ^bb0(%i: tensor<i32>):
    %no = arith.constant dense<false> : tensor<i1>
    nxv.yield %no : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>):
    nxv.yield %i : tensor<i32>
  }
  return %r : tensor<i32>
}

// -----

#scalar = affine_map<() -> ()>

// The counter starts as an input; or the condition shows values to the host.

// CHECK-LABEL: program.program @unknown
// CHECK: program.while
// CHECK: program.while
// CHECK: program.tap "seen"
// CHECK: program.results
func.func @unknown(%x: tensor<i32>) -> (tensor<i32>, tensor<i32>) {
  %zero = arith.constant dense<0> : tensor<i32>
  %r = nxv.while(%x) : tensor<i32> cond {
  ^bb0(%i: tensor<i32>):
    %last = arith.constant 5 : i32
    %p = tensor.empty() : tensor<i1>
    %more = linalg.generic {indexing_maps = [#scalar, #scalar], iterator_types = []} ins(%i : tensor<i32>) outs(%p : tensor<i1>) {
    ^bb0(%in: i32, %out: i1):
      %0 = arith.cmpi slt, %in, %last : i32
      linalg.yield %0 : i1
    } -> tensor<i1>
    nxv.yield %more : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>):
    %step = arith.constant 1 : i32
    %e = tensor.empty() : tensor<i32>
    %next = linalg.generic {indexing_maps = [#scalar, #scalar], iterator_types = []} ins(%i : tensor<i32>) outs(%e : tensor<i32>) {
    ^bb0(%in: i32, %out: i32):
      %0 = arith.addi %in, %step : i32
      linalg.yield %0 : i32
    } -> tensor<i32>
    nxv.yield %next : tensor<i32>
  }
  %s = nxv.while(%zero) : tensor<i32> cond {
  ^bb0(%i: tensor<i32>):
    %seen = nxv.tap "seen"(%i) : tensor<i32>
    %last = arith.constant 5 : i32
    %p = tensor.empty() : tensor<i1>
    %more = linalg.generic {indexing_maps = [#scalar, #scalar], iterator_types = []} ins(%seen : tensor<i32>) outs(%p : tensor<i1>) {
    ^bb0(%in: i32, %out: i1):
      %0 = arith.cmpi slt, %in, %last : i32
      linalg.yield %0 : i1
    } -> tensor<i1>
    nxv.yield %more : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>):
    %step = arith.constant 1 : i32
    %e = tensor.empty() : tensor<i32>
    %next = linalg.generic {indexing_maps = [#scalar, #scalar], iterator_types = []} ins(%i : tensor<i32>) outs(%e : tensor<i32>) {
    ^bb0(%in: i32, %out: i32):
      %0 = arith.addi %in, %step : i32
      linalg.yield %0 : i32
    } -> tensor<i32>
    nxv.yield %next : tensor<i32>
  }
  return %r, %s : tensor<i32>, tensor<i32>
}
