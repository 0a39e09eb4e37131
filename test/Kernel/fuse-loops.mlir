// RUN: nxv-opt %s -split-input-file --pass-pipeline='builtin.module(func.func(nxv-form-groups,nxv-fuse-loops))' | FileCheck %s
// RUN: nxv-opt %s -split-input-file --pass-pipeline='builtin.module(func.func(nxv-form-groups,nxv-fuse-loops),nxv-emit-kernels)' | FileCheck %s --check-prefix=KERNEL

#scalar = affine_map<() -> ()>
#id = affine_map<(d0) -> (d0)>

// A counted loop and the operations around it are one kernel: its state lies in
// workgroup memory, its result is copied out.

// CHECK-LABEL: func.func @counted
// CHECK: %[[R:.+]] = program.group loop(%arg0)
// CHECK: program.group map(%{{.*}}) attributes {nxv.memory = array<i64: -1>}
// CHECK: nxv.while
// CHECK-SAME: nxv.memory = array<i64: -1, -1>
// CHECK: return %[[R]] : tensor<8xf32>

// KERNEL: program.dispatch @loop_0::@loop_0 grid 1
// KERNEL-NOT: program.while
// KERNEL: gpu.func @loop_0
// KERNEL: memref.alloc() : memref<8xf32, #spirv.storage_class<Workgroup>>
// KERNEL: scf.while
// KERNEL: gpu.barrier
// KERNEL: scf.condition
func.func @counted(%x: tensor<8xf32>) -> tensor<8xf32> {
  %zero = arith.constant dense<0> : tensor<i32>
  %two = arith.constant 2.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %doubled = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.mulf %in, %two : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  %r:2 = nxv.while(%zero, %doubled) : tensor<i32>, tensor<8xf32> cond {
  ^bb0(%i: tensor<i32>, %s: tensor<8xf32>):
    %last = arith.constant 5 : i32
    %p = tensor.empty() : tensor<i1>
    %more = linalg.generic {indexing_maps = [#scalar, #scalar], iterator_types = []} ins(%i : tensor<i32>) outs(%p : tensor<i1>) {
    ^bb0(%in: i32, %out: i1):
      %0 = arith.cmpi slt, %in, %last : i32
      linalg.yield %0 : i1
    } -> tensor<i1>
    nxv.yield %more : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %s: tensor<8xf32>):
    %one = arith.constant 1 : i32
    %half = arith.constant 5.0e-1 : f32
    %ei = tensor.empty() : tensor<i32>
    %es = tensor.empty() : tensor<8xf32>
    %next = linalg.generic {indexing_maps = [#scalar, #scalar], iterator_types = []} ins(%i : tensor<i32>) outs(%ei : tensor<i32>) {
    ^bb0(%in: i32, %out: i32):
      %0 = arith.addi %in, %one : i32
      linalg.yield %0 : i32
    } -> tensor<i32>
    %state = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%s : tensor<8xf32>) outs(%es : tensor<8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %0 = arith.mulf %in, %half : f32
      linalg.yield %0 : f32
    } -> tensor<8xf32>
    nxv.yield %next, %state : tensor<i32>, tensor<8xf32>
  }
  return %r#1 : tensor<8xf32>
}

// -----

#scalar = affine_map<() -> ()>
#id = affine_map<(d0) -> (d0)>

// What is too much for one workgroup stays a loop of the program.

// CHECK-LABEL: func.func @large
// CHECK-NOT: program.group loop
// CHECK: nxv.while

// KERNEL: program.repeat 5
func.func @large(%x: tensor<1000000xf32>) -> tensor<1000000xf32> {
  %zero = arith.constant dense<0> : tensor<i32>
  %r:2 = nxv.while(%zero, %x) : tensor<i32>, tensor<1000000xf32> cond {
  ^bb0(%i: tensor<i32>, %s: tensor<1000000xf32>):
    %last = arith.constant 5 : i32
    %p = tensor.empty() : tensor<i1>
    %more = linalg.generic {indexing_maps = [#scalar, #scalar], iterator_types = []} ins(%i : tensor<i32>) outs(%p : tensor<i1>) {
    ^bb0(%in: i32, %out: i1):
      %0 = arith.cmpi slt, %in, %last : i32
      linalg.yield %0 : i1
    } -> tensor<i1>
    nxv.yield %more : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %s: tensor<1000000xf32>):
    %one = arith.constant 1 : i32
    %half = arith.constant 5.0e-1 : f32
    %ei = tensor.empty() : tensor<i32>
    %es = tensor.empty() : tensor<1000000xf32>
    %next = linalg.generic {indexing_maps = [#scalar, #scalar], iterator_types = []} ins(%i : tensor<i32>) outs(%ei : tensor<i32>) {
    ^bb0(%in: i32, %out: i32):
      %0 = arith.addi %in, %one : i32
      linalg.yield %0 : i32
    } -> tensor<i32>
    %state = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%s : tensor<1000000xf32>) outs(%es : tensor<1000000xf32>) {
    ^bb0(%in: f32, %out: f32):
      %0 = arith.mulf %in, %half : f32
      linalg.yield %0 : f32
    } -> tensor<1000000xf32>
    nxv.yield %next, %state : tensor<i32>, tensor<1000000xf32>
  }
  return %r#1 : tensor<1000000xf32>
}

// -----

// A tap is for the host to see: it stays outside.

// CHECK-LABEL: func.func @tapped
// CHECK-NOT: program.group loop
// CHECK: nxv.tap

// KERNEL: program.tap
func.func @tapped(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = nxv.tap "seen"(%x) : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

#scalar = affine_map<() -> ()>

// States that change places are saved before one is overwritten: large ones in
// a buffer, small ones in workgroup memory.

// CHECK-LABEL: func.func @swapped
// CHECK: program.group loop
// CHECK: nxv.while
// CHECK-SAME: nxv.memory = array<i64: -1, 0, 1, -1, -1, 2, 3, -1>

// KERNEL: gpu.func @loop_0
// KERNEL-NOT: memref<4096xf32, #spirv.storage_class<Workgroup>>
// KERNEL: scf.while
func.func @swapped(%x: tensor<4096xf32>, %y: tensor<4096xf32>, %z: tensor<i32>) -> (tensor<4096xf32>, tensor<4096xf32>) {
  %zero = arith.constant dense<0> : tensor<i32>
  %r:4 = nxv.while(%zero, %x, %y, %z) : tensor<i32>, tensor<4096xf32>, tensor<4096xf32>, tensor<i32> cond {
  ^bb0(%i: tensor<i32>, %a: tensor<4096xf32>, %b: tensor<4096xf32>, %c: tensor<i32>):
    %last = arith.constant 5 : i32
    %p = tensor.empty() : tensor<i1>
    %more = linalg.generic {indexing_maps = [#scalar, #scalar], iterator_types = []} ins(%i : tensor<i32>) outs(%p : tensor<i1>) {
    ^bb0(%in: i32, %out: i1):
      %0 = arith.cmpi slt, %in, %last : i32
      linalg.yield %0 : i1
    } -> tensor<i1>
    nxv.yield %more : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %a: tensor<4096xf32>, %b: tensor<4096xf32>, %c: tensor<i32>):
    %one = arith.constant 1 : i32
    %e = tensor.empty() : tensor<i32>
    %next = linalg.generic {indexing_maps = [#scalar, #scalar], iterator_types = []} ins(%i : tensor<i32>) outs(%e : tensor<i32>) {
    ^bb0(%in: i32, %out: i32):
      %0 = arith.addi %in, %one : i32
      linalg.yield %0 : i32
    } -> tensor<i32>
    nxv.yield %next, %b, %a, %i : tensor<i32>, tensor<4096xf32>, tensor<4096xf32>, tensor<i32>
  }
  return %r#1, %r#2 : tensor<4096xf32>, tensor<4096xf32>
}
