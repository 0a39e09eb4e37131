// RUN: nxv-opt %s -nxv-kernel-to-spirv | FileCheck %s

// A loop in the header of a loop has a block of its own before it.
// CHECK: spirv.mlir.loop
// CHECK: ^bb1:
// CHECK-NEXT: spirv.Branch ^bb2
// CHECK-NEXT: ^bb2:
// CHECK: spirv.mlir.loop
gpu.module @k {
  gpu.func @k(%in: memref<?xf32, #spirv.storage_class<PhysicalStorageBuffer>>, %out: memref<?xf32, #spirv.storage_class<PhysicalStorageBuffer>>) kernel
      attributes {gpu.known_block_size = array<i32: 64, 1, 1>, nxv.grid = 1 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c4 = arith.constant 4 : i32
    %i0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    scf.while : () -> () {
      %sum = scf.for %i = %c0 to %c4 step %c1 iter_args(%acc = %zero) -> f32 : i32 {
        %at = arith.index_castui %i : i32 to index
        %x = memref.load %in[%at] : memref<?xf32, #spirv.storage_class<PhysicalStorageBuffer>>
        %s = arith.addf %acc, %x : f32
        scf.yield %s : f32
      }
      %more = arith.cmpf olt, %sum, %zero : f32
      scf.condition(%more)
    } do {
      memref.store %zero, %out[%i0] : memref<?xf32, #spirv.storage_class<PhysicalStorageBuffer>>
      scf.yield
    }
    gpu.return
  }
}
