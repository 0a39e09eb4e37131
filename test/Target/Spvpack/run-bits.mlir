// REQUIRES: nxv-run
// RUN: nxv-opt %s -nxv-plan-memory -nxv-insert-barriers -nxv-kernel-to-spirv | nxv-translate --program-to-spvpack -o %t.spvpack
// RUN: nxv-run %t.spvpack --input=8xs8=0,1,2,-1,-128,127,64,85 --output=@%t.0.npy --output=@%t.1.npy
// RUN: %{python} %S/Inputs/npy.py %t.0.npy %t.1.npy | FileCheck %s

!i8s = memref<?xi8, #spirv.storage_class<PhysicalStorageBuffer>>
!i64s = memref<?xi64, #spirv.storage_class<PhysicalStorageBuffer>>

program.program @main
    inputs [{type = "s8", shape = array<i64: 8>}]
    outputs [{type = "s8", shape = array<i64: 24>}, {type = "s64", shape = array<i64: 24>}] {
  %x = program.buffer input 8 {index = 0}
  %y0 = program.buffer output 24 {index = 0}
  %y1 = program.buffer output 192 {index = 1}
  program.dispatch @bits8::@bits8 grid 1 ins(%x) outs(%y0)
  program.dispatch @bits64::@bits64 grid 1 ins(%x) outs(%y1)
  program.results %y0, %y1
}

// Ones, leading zeros, trailing zeros.
// CHECK: 0 1 1 8 1 7 1 4 8 7 6 0 0 1 1 1 8 0 1 0 7 0 6 0
gpu.module @bits8 {
  gpu.func @bits8(%in: !i8s, %out: !i8s) kernel attributes {gpu.known_block_size = array<i32: 8, 1, 1>, nxv.grid = 1 : i64} {
    %t = gpu.thread_id x
    %c8 = arith.constant 8 : index
    %t1 = arith.addi %t, %c8 : index
    %t2 = arith.addi %t1, %c8 : index
    %x = memref.load %in[%t] : !i8s
    %ones = math.ctpop %x : i8
    %leading = math.ctlz %x : i8
    %trailing = math.cttz %x : i8
    memref.store %ones, %out[%t] : !i8s
    memref.store %leading, %out[%t1] : !i8s
    memref.store %trailing, %out[%t2] : !i8s
    gpu.return
  }
}

// CHECK-NEXT: 0 1 1 64 57 7 1 4 64 63 62 0 0 57 57 57 64 0 1 0 7 0 6 0
gpu.module @bits64 {
  gpu.func @bits64(%in: !i8s, %out: !i64s) kernel attributes {gpu.known_block_size = array<i32: 8, 1, 1>, nxv.grid = 1 : i64} {
    %t = gpu.thread_id x
    %c8 = arith.constant 8 : index
    %t1 = arith.addi %t, %c8 : index
    %t2 = arith.addi %t1, %c8 : index
    %b = memref.load %in[%t] : !i8s
    %x = arith.extsi %b : i8 to i64
    %ones = math.ctpop %x : i64
    %leading = math.ctlz %x : i64
    %trailing = math.cttz %x : i64
    memref.store %ones, %out[%t] : !i64s
    memref.store %leading, %out[%t1] : !i64s
    memref.store %trailing, %out[%t2] : !i64s
    gpu.return
  }
}
