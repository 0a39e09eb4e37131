// REQUIRES: nxv-run
// RUN: nxv-opt %s -nxv-plan-memory -nxv-insert-barriers -nxv-kernel-to-spirv | nxv-translate --program-to-spvpack -o %t.spvpack
// RUN: nxv-run %t.spvpack --input=8xf32=1,2,nan,4,-0.0,6,inf,8 --input=8xs8=-1,2,-3,4,5,6,7,-128 \
// RUN:   --output=@%t.0.npy --output=@%t.1.npy --output=@%t.2.npy --output=@%t.3.npy
// RUN: %{python} %S/Inputs/npy.py %t.0.npy %t.1.npy %t.2.npy %t.3.npy | FileCheck %s

!f32s = memref<?xf32, #spirv.storage_class<PhysicalStorageBuffer>>
!i32s = memref<?xi32, #spirv.storage_class<PhysicalStorageBuffer>>
!i8s = memref<?xi8, #spirv.storage_class<PhysicalStorageBuffer>>
!f64s = memref<?xf64, #spirv.storage_class<PhysicalStorageBuffer>>
!shared = memref<8xf32, #spirv.storage_class<Workgroup>>

program.program @main
    inputs [{type = "f32", shape = array<i64: 8>}, {type = "s8", shape = array<i64: 8>}]
    outputs [{type = "f32", shape = array<i64: 8>}, {type = "f64", shape = array<i64: 8>},
             {type = "s32", shape = array<i64: 5>}, {type = "s32", shape = array<i64: 8>}] {
  %x = program.buffer input 32 {index = 0}
  %i = program.buffer input 8 {index = 1}
  %y0 = program.buffer output 32 {index = 0}
  %y1 = program.buffer output 64 {index = 1}
  %y2 = program.buffer output 20 {index = 2}
  %y3 = program.buffer output 32 {index = 3}
  %big = program.buffer arena 280000
  %z = program.buffer arena 32
  program.dispatch @reverse::@reverse grid 1 ins(%x) outs(%z)
  program.dispatch @double::@double grid 2 ins(%z) outs(%y0)
  program.dispatch @prefix::@prefix grid 1 ins(%i) outs(%y1)
  program.dispatch @ids::@ids grid 70000 ins() outs(%big)
  program.dispatch @pick::@pick grid 1 ins(%big) outs(%y2)
  program.dispatch @classes::@classes grid 1 ins(%x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x) outs(%y3)
  program.results %y0, %y1, %y2, %y3
}

// Through workgroup memory, with a barrier.
// CHECK: 16.0 inf 12.0 -0.0 8.0 nan 4.0 2.0
gpu.module @reverse {
  gpu.func @reverse(%in: !f32s, %out: !f32s) kernel attributes {gpu.known_block_size = array<i32: 8, 1, 1>, nxv.grid = 1 : i64} {
    %t = gpu.thread_id x
    %c7 = arith.constant 7 : index
    %r = arith.subi %c7, %t : index
    %shared = memref.alloc() : !shared
    %a = memref.load %in[%t] : !f32s
    memref.store %a, %shared[%t] : !shared
    gpu.barrier
    %b = memref.load %shared[%r] : !shared
    memref.store %b, %out[%t] : !f32s
    gpu.return
  }
}

// Four elements at a time.
gpu.module @double {
  gpu.func @double(%in: !f32s, %out: !f32s) kernel attributes {gpu.known_block_size = array<i32: 1, 1, 1>, nxv.grid = 2 : i64} {
    %b = gpu.block_id x
    %c4 = arith.constant 4 : index
    %i = arith.muli %b, %c4 : index
    %a = vector.load %in[%i] : !f32s, vector<4xf32>
    %two = arith.constant dense<2.0> : vector<4xf32>
    %c = arith.mulf %a, %two : vector<4xf32>
    vector.store %c, %out[%i] : !f32s, vector<4xf32>
    gpu.return
  }
}

// Sums of what is in front: the first has no iteration.
// CHECK-NEXT: 0.5 -0.5 1.5 -1.5 2.5 7.5 13.5 20.5
gpu.module @prefix {
  gpu.func @prefix(%in: !i8s, %out: !f64s) kernel attributes {gpu.known_block_size = array<i32: 8, 1, 1>, nxv.grid = 1 : i64} {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %start = arith.constant 0.5 : f64
    %sum = scf.for %k = %c0 to %t step %c1 iter_args(%s = %start) -> f64 {
      %a = memref.load %in[%k] : !i8s
      %b = arith.sitofp %a : i8 to f64
      %n = arith.addf %s, %b : f64
      scf.yield %n : f64
    }
    memref.store %sum, %out[%t] : !f64s
    gpu.return
  }
}

// More workgroups than one dimension of a grid has.
// CHECK-NEXT: 0 65535 65536 69999 -1
gpu.module @ids {
  gpu.func @ids(%out: !i32s) kernel attributes {gpu.known_block_size = array<i32: 1, 1, 1>, nxv.grid = 70000 : i64} {
    %b = gpu.block_id x
    %i = arith.index_cast %b : index to i32
    memref.store %i, %out[%b] : !i32s
    gpu.return
  }
}

gpu.module @pick {
  gpu.func @pick(%in: !i32s, %out: !i32s) kernel attributes {gpu.known_block_size = array<i32: 1, 1, 1>, nxv.grid = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %i1 = arith.constant 65535 : index
    %i2 = arith.constant 65536 : index
    %i3 = arith.constant 69999 : index
    %none = arith.constant -1 : i32
    %0 = memref.load %in[%c0] : !i32s
    %1 = memref.load %in[%i1] : !i32s
    %2 = memref.load %in[%i2] : !i32s
    %3 = memref.load %in[%i3] : !i32s
    memref.store %0, %out[%c0] : !i32s
    memref.store %1, %out[%c1] : !i32s
    memref.store %2, %out[%c2] : !i32s
    memref.store %3, %out[%c3] : !i32s
    memref.store %none, %out[%c4] : !i32s
    gpu.return
  }
}

// 17 arguments. 1: NaN, 2: not less than 0, 4: finite, 8: truncates to itself.
// CHECK-NEXT: 14 14 3 14 14 14 10 14
gpu.module @classes {
  gpu.func @classes(%0: !f32s, %1: !f32s, %2: !f32s, %3: !f32s, %4: !f32s, %5: !f32s, %6: !f32s, %7: !f32s, %8: !f32s, %9: !f32s,
                    %10: !f32s, %11: !f32s, %12: !f32s, %13: !f32s, %14: !f32s, %15: !f32s, %out: !i32s)
      kernel attributes {gpu.known_block_size = array<i32: 8, 1, 1>, nxv.grid = 1 : i64} {
    %t = gpu.thread_id x
    %x = memref.load %15[%t] : !f32s
    %zero = arith.constant 0.0 : f32
    %true = arith.constant true
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c3 = arith.constant 3 : i32
    %nan = arith.cmpf une, %x, %x : f32
    %less = arith.cmpf olt, %x, %zero : f32
    %not = arith.xori %less, %true : i1
    %finite = math.isfinite %x : f32
    %trunc = math.trunc %x : f32
    %whole = arith.cmpf oeq, %x, %trunc : f32
    %a = arith.extui %nan : i1 to i32
    %b0 = arith.extui %not : i1 to i32
    %b = arith.shli %b0, %c1 : i32
    %d0 = arith.extui %finite : i1 to i32
    %d = arith.shli %d0, %c2 : i32
    %e0 = arith.extui %whole : i1 to i32
    %e = arith.shli %e0, %c3 : i32
    %ab = arith.ori %a, %b : i32
    %de = arith.ori %d, %e : i32
    %r = arith.ori %ab, %de : i32
    memref.store %r, %out[%t] : !i32s
    gpu.return
  }
}
