// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: nxv-opt %s -nxv-add-variants | FileCheck %s
// RUN: nxv-opt %s -nxv-add-variants=without-int64 | FileCheck %s --check-prefix=INT64

// A kernel with bytes gets a second variant behind it, one without none. An
// argument that nothing reads is no use of its type.
// CHECK: gpu.module @bytes {
// CHECK: gpu.module @bytes_wide attributes {nxv.variant_of = "bytes", nxv.without_narrow}
// CHECK: gpu.func @bytes(
// CHECK: memref.load %{{.*}} : memref<?xi8,
// CHECK: gpu.module @words
// CHECK: gpu.module @many
// CHECK-NOT: gpu.module

// With the option each kernel gets a last variant, but for one whose indices need
// 64 bits.
// INT64: gpu.module @bytes {
// INT64: gpu.module @bytes_wide attributes {nxv.variant_of = "bytes", nxv.without_narrow}
// INT64: gpu.module @bytes_words attributes {nxv.variant_of = "bytes", nxv.without_int64, nxv.without_narrow}
// INT64: gpu.module @words {
// INT64: gpu.module @words_words attributes {nxv.variant_of = "words", nxv.without_int64}
// INT64: gpu.module @many {
// INT64-NOT: gpu.module
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
gpu.module @many {
  gpu.func @many(%in: memref<?xi32, #spirv.storage_class<PhysicalStorageBuffer>>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, nxv.grid = 1 : i64, nxv.index64} {
    %i = gpu.thread_id x
    %0 = memref.load %in[%i] : memref<?xi32, #spirv.storage_class<PhysicalStorageBuffer>>
    memref.store %0, %in[%i] : memref<?xi32, #spirv.storage_class<PhysicalStorageBuffer>>
    gpu.return
  }
}
