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
// CHECK-NEXT: program.results %[[X]]
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

// -----

// The new x is the old y reversed: it cannot be written over the old x, which
// is still read. Two turns go to another buffer and back; the odd one is ahead,
// with a copy.

#id = affine_map<(d0) -> (d0)>
#scalar = affine_map<() -> ()>

// CHECK-LABEL: program.program @counted_pair
// CHECK: %[[X:.+]] = program.buffer input 16
// CHECK: program.copy %[[X]] to %[[S:.+]] bytes 16
// CHECK: program.dispatch @map_[[K:.+]]::@map_{{.+}} grid 1 ins(%[[S]]) outs(%[[T:.+]])
// CHECK: program.copy %[[T]] to %[[S]] bytes 16
// CHECK: program.repeat 2 do {
// CHECK: program.dispatch @map_[[K]]::@map_[[K]] grid 1 ins(%[[S]]) outs(%[[U:[^)]+]])
// CHECK: program.dispatch @map_[[K]]::@map_[[K]] grid 1 ins(%[[U]]) outs(%[[S]])
// CHECK-NOT: program.copy
// CHECK: }
// CHECK: program.results %[[S]]
func.func @counted_pair(%x: tensor<4xf32>) -> tensor<4xf32> {
  %first = arith.constant dense<0> : tensor<i32>
  %r:2 = nxv.while(%first, %x) : tensor<i32>, tensor<4xf32> cond {
  ^bb0(%i: tensor<i32>, %a: tensor<4xf32>):
    %last = arith.constant 5 : i32
    %p = tensor.empty() : tensor<i1>
    %more = linalg.generic {indexing_maps = [#scalar, #scalar], iterator_types = []} ins(%i : tensor<i32>) outs(%p : tensor<i1>) {
    ^bb0(%in: i32, %out: i1):
      %0 = arith.cmpi slt, %in, %last : i32
      linalg.yield %0 : i1
    } -> tensor<i1>
    nxv.yield %more : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %a: tensor<4xf32>):
    %step = arith.constant 1 : i32
    %three = arith.constant 3 : index
    %e = tensor.empty() : tensor<i32>
    %next = linalg.generic {indexing_maps = [#scalar, #scalar], iterator_types = []} ins(%i : tensor<i32>) outs(%e : tensor<i32>) {
    ^bb0(%in: i32, %out: i32):
      %0 = arith.addi %in, %step : i32
      linalg.yield %0 : i32
    } -> tensor<i32>
    %f = tensor.empty() : tensor<4xf32>
    %reversed = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%f : tensor<4xf32>) {
    ^bb0(%out: f32):
      %0 = linalg.index 0 : index
      %1 = arith.subi %three, %0 : index
      %2 = tensor.extract %a[%1] : tensor<4xf32>
      linalg.yield %2 : f32
    } -> tensor<4xf32>
    nxv.yield %next, %reversed : tensor<i32>, tensor<4xf32>
  }
  return %r#1 : tensor<4xf32>
}

// -----

// The same where an input decides: the condition runs between the two turns.

#id = affine_map<(d0) -> (d0)>
#scalar = affine_map<() -> ()>

// CHECK-LABEL: program.program @decided_pair
// CHECK: program.while %{{.+}} cond {
// CHECK: program.dispatch @map_[[C:.+]]::@map_{{.+}} grid 1 ins(%[[S:.+]]) outs(%{{.+}})
// CHECK: } do {
// CHECK: program.dispatch @map_[[K:.+]]::@map_{{.+}} grid 1 ins(%[[S]]) outs(%[[T:.+]])
// CHECK: program.dispatch @map_[[C]]::@map_[[C]] grid 1 ins(%[[T]]) outs(%[[P:.+]])
// CHECK: program.if %[[P]] then {
// CHECK: program.dispatch @map_[[K]]::@map_[[K]] grid 1 ins(%[[T]]) outs(%[[S]])
// CHECK: } else {
// CHECK: program.copy %[[T]] to %[[S]] bytes 16
func.func @decided_pair(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = nxv.while(%x) : tensor<4xf32> cond {
  ^bb0(%a: tensor<4xf32>):
    %zero = arith.constant 0.0 : f32
    %three = arith.constant 3 : index
    %p = tensor.empty() : tensor<i1>
    %more = linalg.generic {indexing_maps = [#scalar], iterator_types = []} outs(%p : tensor<i1>) {
    ^bb0(%out: i1):
      %0 = tensor.extract %a[%three] : tensor<4xf32>
      %1 = arith.cmpf ogt, %0, %zero : f32
      linalg.yield %1 : i1
    } -> tensor<i1>
    nxv.yield %more : tensor<i1>
  } do {
  ^bb0(%a: tensor<4xf32>):
    %three = arith.constant 3 : index
    %one = arith.constant 1.0 : f32
    %f = tensor.empty() : tensor<4xf32>
    %reversed = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%f : tensor<4xf32>) {
    ^bb0(%out: f32):
      %0 = linalg.index 0 : index
      %1 = arith.subi %three, %0 : index
      %2 = tensor.extract %a[%1] : tensor<4xf32>
      %3 = arith.subf %2, %one : f32
      linalg.yield %3 : f32
    } -> tensor<4xf32>
    nxv.yield %reversed : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
