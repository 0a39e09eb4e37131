// RUN: nxv-opt %s -split-input-file --pass-pipeline='builtin.module(func.func(nxv-form-groups,nxv-fuse-loops))' | FileCheck %s
// RUN: nxv-opt %s -split-input-file --pass-pipeline='builtin.module(func.func(nxv-form-groups,nxv-fuse-loops),nxv-emit-kernels)' | FileCheck %s --check-prefix=KERNEL

#scalar = affine_map<() -> ()>
#id = affine_map<(d0) -> (d0)>

// A counted loop and the operations around it are one kernel: its state lies in
// workgroup memory, its result is copied out.

// CHECK-LABEL: func.func @counted
// CHECK: %[[R:.+]] = program.group loop(%arg0)
// CHECK: program.group map(%{{.*}}) attributes {{.*}}nxv.memory = array<i64: -1>
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
func.func @large(%x: tensor<1000003xf32>) -> tensor<1000003xf32> {
  %zero = arith.constant dense<0> : tensor<i32>
  %r:2 = nxv.while(%zero, %x) : tensor<i32>, tensor<1000003xf32> cond {
  ^bb0(%i: tensor<i32>, %s: tensor<1000003xf32>):
    %last = arith.constant 5 : i32
    %p = tensor.empty() : tensor<i1>
    %more = linalg.generic {indexing_maps = [#scalar, #scalar], iterator_types = []} ins(%i : tensor<i32>) outs(%p : tensor<i1>) {
    ^bb0(%in: i32, %out: i1):
      %0 = arith.cmpi slt, %in, %last : i32
      linalg.yield %0 : i1
    } -> tensor<i1>
    nxv.yield %more : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %s: tensor<1000003xf32>):
    %one = arith.constant 1 : i32
    %half = arith.constant 5.0e-1 : f32
    %ei = tensor.empty() : tensor<i32>
    %es = tensor.empty() : tensor<1000003xf32>
    %next = linalg.generic {indexing_maps = [#scalar, #scalar], iterator_types = []} ins(%i : tensor<i32>) outs(%ei : tensor<i32>) {
    ^bb0(%in: i32, %out: i32):
      %0 = arith.addi %in, %one : i32
      linalg.yield %0 : i32
    } -> tensor<i32>
    %state = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%s : tensor<1000003xf32>) outs(%es : tensor<1000003xf32>) {
    ^bb0(%in: f32, %out: f32):
      %0 = arith.mulf %in, %half : f32
      linalg.yield %0 : f32
    } -> tensor<1000003xf32>
    nxv.yield %next, %state : tensor<i32>, tensor<1000003xf32>
  }
  return %r#1 : tensor<1000003xf32>
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
// KERNEL-NOT: memref<4093xf32, #spirv.storage_class<Workgroup>>
// KERNEL: scf.while
func.func @swapped(%x: tensor<4093xf32>, %y: tensor<4093xf32>, %z: tensor<i32>) -> (tensor<4093xf32>, tensor<4093xf32>) {
  %zero = arith.constant dense<0> : tensor<i32>
  %r:4 = nxv.while(%zero, %x, %y, %z) : tensor<i32>, tensor<4093xf32>, tensor<4093xf32>, tensor<i32> cond {
  ^bb0(%i: tensor<i32>, %a: tensor<4093xf32>, %b: tensor<4093xf32>, %c: tensor<i32>):
    %last = arith.constant 5 : i32
    %p = tensor.empty() : tensor<i1>
    %more = linalg.generic {indexing_maps = [#scalar, #scalar], iterator_types = []} ins(%i : tensor<i32>) outs(%p : tensor<i1>) {
    ^bb0(%in: i32, %out: i1):
      %0 = arith.cmpi slt, %in, %last : i32
      linalg.yield %0 : i1
    } -> tensor<i1>
    nxv.yield %more : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %a: tensor<4093xf32>, %b: tensor<4093xf32>, %c: tensor<i32>):
    %one = arith.constant 1 : i32
    %e = tensor.empty() : tensor<i32>
    %next = linalg.generic {indexing_maps = [#scalar, #scalar], iterator_types = []} ins(%i : tensor<i32>) outs(%e : tensor<i32>) {
    ^bb0(%in: i32, %out: i32):
      %0 = arith.addi %in, %one : i32
      linalg.yield %0 : i32
    } -> tensor<i32>
    nxv.yield %next, %b, %a, %i : tensor<i32>, tensor<4093xf32>, tensor<4093xf32>, tensor<i32>
  }
  return %r#1, %r#2 : tensor<4093xf32>, tensor<4093xf32>
}

// -----

#scalar = affine_map<() -> ()>
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// Rows that go through the loop on their own have a workgroup each.

// CHECK-LABEL: func.func @chains
// CHECK: program.group loop(%arg0) attributes {nxv.batch = 4 : i64, nxv.batched_inputs = array<i1: true>}
// CHECK: nxv.while
// CHECK-SAME: nxv.batched = array<i1: false, true>
// CHECK: program.group reduce
// CHECK-SAME: nxv.batched = array<i1: true>
// CHECK: nxv.batch_loop = 0

// KERNEL: program.dispatch @loop_0::@loop_0 grid 4
func.func @chains(%x: tensor<4x200xf32>) -> tensor<4x200xf32> {
  %zero = arith.constant dense<0> : tensor<i32>
  %r:2 = nxv.while(%zero, %x) : tensor<i32>, tensor<4x200xf32> cond {
  ^bb0(%i: tensor<i32>, %s: tensor<4x200xf32>):
    %last = arith.constant 5 : i32
    %p = tensor.empty() : tensor<i1>
    %more = linalg.generic {indexing_maps = [#scalar, #scalar], iterator_types = []} ins(%i : tensor<i32>) outs(%p : tensor<i1>) {
    ^bb0(%in: i32, %out: i1):
      %0 = arith.cmpi slt, %in, %last : i32
      linalg.yield %0 : i1
    } -> tensor<i1>
    nxv.yield %more : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %s: tensor<4x200xf32>):
    %one = arith.constant 1 : i32
    %ei = tensor.empty() : tensor<i32>
    %es = tensor.empty() : tensor<4x200xf32>
    %none = arith.constant dense<0.0> : tensor<4xf32>
    %next = linalg.generic {indexing_maps = [#scalar, #scalar], iterator_types = []} ins(%i : tensor<i32>) outs(%ei : tensor<i32>) {
    ^bb0(%in: i32, %out: i32):
      %0 = arith.addi %in, %one : i32
      linalg.yield %0 : i32
    } -> tensor<i32>
    %sum = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%s : tensor<4x200xf32>) outs(%none : tensor<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %0 = arith.addf %in, %out : f32
      linalg.yield %0 : f32
    } -> tensor<4xf32>
    %state = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%s, %sum : tensor<4x200xf32>, tensor<4xf32>) outs(%es : tensor<4x200xf32>) {
    ^bb0(%in: f32, %m: f32, %out: f32):
      %0 = arith.divf %in, %m : f32
      linalg.yield %0 : f32
    } -> tensor<4x200xf32>
    nxv.yield %next, %state : tensor<i32>, tensor<4x200xf32>
  }
  return %r#1 : tensor<4x200xf32>
}

// -----

#scalar = affine_map<() -> ()>
#id = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d1)>

// Sums over the rows tie them together.

// CHECK-LABEL: func.func @mixed
// CHECK: program.group loop(%arg0) :
// CHECK-NOT: nxv.batch

// KERNEL: program.dispatch @loop_0::@loop_0 grid 1
func.func @mixed(%x: tensor<4x200xf32>) -> tensor<4x200xf32> {
  %zero = arith.constant dense<0> : tensor<i32>
  %r:2 = nxv.while(%zero, %x) : tensor<i32>, tensor<4x200xf32> cond {
  ^bb0(%i: tensor<i32>, %s: tensor<4x200xf32>):
    %last = arith.constant 5 : i32
    %p = tensor.empty() : tensor<i1>
    %more = linalg.generic {indexing_maps = [#scalar, #scalar], iterator_types = []} ins(%i : tensor<i32>) outs(%p : tensor<i1>) {
    ^bb0(%in: i32, %out: i1):
      %0 = arith.cmpi slt, %in, %last : i32
      linalg.yield %0 : i1
    } -> tensor<i1>
    nxv.yield %more : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %s: tensor<4x200xf32>):
    %one = arith.constant 1 : i32
    %ei = tensor.empty() : tensor<i32>
    %es = tensor.empty() : tensor<4x200xf32>
    %none = arith.constant dense<0.0> : tensor<200xf32>
    %next = linalg.generic {indexing_maps = [#scalar, #scalar], iterator_types = []} ins(%i : tensor<i32>) outs(%ei : tensor<i32>) {
    ^bb0(%in: i32, %out: i32):
      %0 = arith.addi %in, %one : i32
      linalg.yield %0 : i32
    } -> tensor<i32>
    %sum = linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]} ins(%s : tensor<4x200xf32>) outs(%none : tensor<200xf32>) {
    ^bb0(%in: f32, %out: f32):
      %0 = arith.addf %in, %out : f32
      linalg.yield %0 : f32
    } -> tensor<200xf32>
    %state = linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]} ins(%s, %sum : tensor<4x200xf32>, tensor<200xf32>) outs(%es : tensor<4x200xf32>) {
    ^bb0(%in: f32, %m: f32, %out: f32):
      %0 = arith.divf %in, %m : f32
      linalg.yield %0 : f32
    } -> tensor<4x200xf32>
    nxv.yield %next, %state : tensor<i32>, tensor<4x200xf32>
  }
  return %r#1 : tensor<4x200xf32>
}

// -----

#scalar = affine_map<() -> ()>
#id = affine_map<(d0, d1) -> (d0, d1)>

// A stack is updated where it lies, and a turn writes one row of it: the stack
// is too large for the workgroup, its rows are not.

// CHECK-LABEL: func.func @stacked
// CHECK: program.group loop
// CHECK: nxv.while
// CHECK: program.group map(%{{.*}}) attributes {nxv.aliased = {{\[}}array<i64: 1, 0>]

// KERNEL-LABEL: program.program @stacked
// KERNEL: gpu.func @loop
// KERNEL: scf.while
// KERNEL: } do {
// KERNEL-NOT: scf.for
// KERNEL: memref.store %{{.*}}, %arg1
// KERNEL-NOT: scf.for
// KERNEL: scf.yield
func.func @stacked(%x: tensor<32xf32>, %stack: tensor<4096x32xf32>) -> tensor<4096x32xf32> {
  %zero = arith.constant dense<0> : tensor<i32>
  %r:2 = nxv.while(%zero, %stack) : tensor<i32>, tensor<4096x32xf32> cond {
  ^bb0(%i: tensor<i32>, %s: tensor<4096x32xf32>):
    %last = arith.constant 5 : i32
    %p = tensor.empty() : tensor<i1>
    %more = linalg.generic {indexing_maps = [#scalar, #scalar], iterator_types = []} ins(%i : tensor<i32>) outs(%p : tensor<i1>) {
    ^bb0(%in: i32, %out: i1):
      %0 = arith.cmpi slt, %in, %last : i32
      linalg.yield %0 : i1
    } -> tensor<i1>
    nxv.yield %more : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %s: tensor<4096x32xf32>):
    %one = arith.constant 1 : i32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %first = arith.constant 0 : i32
    %most = arith.constant 4095 : i32
    %ei = tensor.empty() : tensor<i32>
    %es = tensor.empty() : tensor<4096x32xf32>
    %next = linalg.generic {indexing_maps = [#scalar, #scalar], iterator_types = []} ins(%i : tensor<i32>) outs(%ei : tensor<i32>) {
    ^bb0(%in: i32, %out: i32):
      %0 = arith.addi %in, %one : i32
      linalg.yield %0 : i32
    } -> tensor<i32>
    %state = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%es : tensor<4096x32xf32>) {
    ^bb0(%out: f32):
      %row = linalg.index 0 : index
      %column = linalg.index 1 : index
      %at = tensor.extract %i[] : tensor<i32>
      %low = arith.maxsi %at, %first : i32
      %limited = arith.minsi %low, %most : i32
      %start = arith.index_cast %limited : i32 to index
      %local = arith.subi %row, %start : index
      %after = arith.cmpi sge, %local, %c0 : index
      %before = arith.cmpi slt, %local, %c1 : index
      %inside = arith.andi %after, %before : i1
      %element = scf.if %inside -> (f32) {
        %new = arith.constant 1.0 : f32
        scf.yield %new : f32
      } else {
        %old = tensor.extract %s[%row, %column] : tensor<4096x32xf32>
        scf.yield %old : f32
      }
      linalg.yield %element : f32
    } -> tensor<4096x32xf32>
    nxv.yield %next, %state : tensor<i32>, tensor<4096x32xf32>
  }
  return %r#1 : tensor<4096x32xf32>
}

// -----

#scalar = affine_map<() -> ()>
#id = affine_map<(d0) -> (d0)>

// What a loop starts from is computed by a kernel of its own: its state needs
// memory, and more than a workgroup has.

// CHECK-LABEL: func.func @begun_outside
// CHECK: program.group map(%arg0)
// CHECK: program.group loop
// CHECK: nxv.while
// CHECK-SAME: nxv.memory = array<i64: -1, 0>

// KERNEL-LABEL: program.program @begun_outside
// KERNEL: gpu.func @loop
// KERNEL-NOT: memref<20011xf32, #spirv.storage_class<Workgroup>>
// KERNEL: scf.while
func.func @begun_outside(%x: tensor<20011xf32>) -> tensor<20011xf32> {
  %zero = arith.constant dense<0> : tensor<i32>
  %two = arith.constant 2.0 : f32
  %e = tensor.empty() : tensor<20011xf32>
  %doubled = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<20011xf32>) outs(%e : tensor<20011xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.mulf %in, %two : f32
    linalg.yield %0 : f32
  } -> tensor<20011xf32>
  %r:2 = nxv.while(%zero, %doubled) : tensor<i32>, tensor<20011xf32> cond {
  ^bb0(%i: tensor<i32>, %s: tensor<20011xf32>):
    %last = arith.constant 5 : i32
    %p = tensor.empty() : tensor<i1>
    %more = linalg.generic {indexing_maps = [#scalar, #scalar], iterator_types = []} ins(%i : tensor<i32>) outs(%p : tensor<i1>) {
    ^bb0(%in: i32, %out: i1):
      %0 = arith.cmpi slt, %in, %last : i32
      linalg.yield %0 : i1
    } -> tensor<i1>
    nxv.yield %more : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %s: tensor<20011xf32>):
    %one = arith.constant 1 : i32
    %half = arith.constant 5.0e-1 : f32
    %ei = tensor.empty() : tensor<i32>
    %es = tensor.empty() : tensor<20011xf32>
    %next = linalg.generic {indexing_maps = [#scalar, #scalar], iterator_types = []} ins(%i : tensor<i32>) outs(%ei : tensor<i32>) {
    ^bb0(%in: i32, %out: i32):
      %0 = arith.addi %in, %one : i32
      linalg.yield %0 : i32
    } -> tensor<i32>
    %state = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%s : tensor<20011xf32>) outs(%es : tensor<20011xf32>) {
    ^bb0(%in: f32, %out: f32):
      %0 = arith.mulf %in, %half : f32
      linalg.yield %0 : f32
    } -> tensor<20011xf32>
    nxv.yield %next, %state : tensor<i32>, tensor<20011xf32>
  }
  return %r#1 : tensor<20011xf32>
}
