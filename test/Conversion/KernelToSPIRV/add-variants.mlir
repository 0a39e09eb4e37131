// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: nxv-opt %s -nxv-add-variants | FileCheck %s

// A kernel with bytes gets a second variant behind it, one without none. An
// argument that nothing reads is no use of its type.
// CHECK: gpu.module @bytes {
// CHECK: gpu.module @bytes_wide attributes {nxv.variant_of = "bytes", nxv.without_narrow}
// CHECK: gpu.func @bytes(
// CHECK: memref.load %{{.*}} : memref<?xi8,
// CHECK: gpu.module @words
// CHECK-NOT: gpu.module
gpu.module @bytes {
  gpu.func @bytes(%in: memref<?xi8, #spirv.storage_class<PhysicalStorageBuffer>>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, nxv.grid = 1 : i64} {
    %i = gpu.thread_id x
    %0 = memref.load %in[%i] : memref<?xi8, #spirv.storage_class<PhysicalStorageBuffer>>
    memref.store %0, %in[%i] : memref<?xi8, #spirv.storage_class<PhysicalStorageBuffer>>
    gpu.return
  }
}
gpu.module @words {
  gpu.func @words(%in: memref<?xi32, #spirv.storage_class<PhysicalStorageBuffer>>,
                  %unused: memref<?xi8, #spirv.storage_class<PhysicalStorageBuffer>>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, nxv.grid = 1 : i64} {
    %i = gpu.thread_id x
    %0 = memref.load %in[%i] : memref<?xi32, #spirv.storage_class<PhysicalStorageBuffer>>
    memref.store %0, %in[%i] : memref<?xi32, #spirv.storage_class<PhysicalStorageBuffer>>
    gpu.return
  }
}
