// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: nxv-opt %s -split-input-file -pass-pipeline='builtin.module(gpu.module(nxv-emulate-narrow-types,canonicalize,cse))' | FileCheck %s

// A byte is cut out of its word, and stored with atomic operations on its bits.
// CHECK-LABEL: gpu.func @add(
// CHECK-SAME: %[[IN:.*]]: memref<?xi32, {{.*}}>, %[[OUT:.*]]: memref<?xi32,
// CHECK: %[[AT:.*]] = arith.shrui %[[I:.*]], %c2 : index
// CHECK: %[[WORD:.*]] = memref.load %[[IN]][%[[AT]]]
// CHECK: %[[IN4:.*]] = arith.andi %[[I]], %c3 : index
// CHECK: %[[NUMBER:.*]] = arith.index_cast %[[IN4]] : index to i32
// CHECK: %[[SHIFT:.*]] = arith.muli %[[NUMBER]], %c8_i32
// CHECK: %[[BITS:.*]] = arith.shrui %[[WORD]], %[[SHIFT]]
// CHECK: %[[HIGH:.*]] = arith.shli %[[BITS]], %c24_i32
// CHECK: %[[X:.*]] = arith.shrsi %[[HIGH]], %c24_i32
// CHECK: arith.addi %[[X]], %[[X]] : i32
// CHECK: %[[MASK:.*]] = arith.shli %c255_i32, %[[SHIFT]]
// CHECK: %[[OTHERS:.*]] = arith.xori %[[MASK]], %c-1_i32
// CHECK: memref.atomic_rmw andi %[[OTHERS]], %[[OUT]][%[[AT]]]
// CHECK: memref.atomic_rmw ori %{{.*}}, %[[OUT]][%[[AT]]]
gpu.module @add attributes {nxv.without_narrow} {
  gpu.func @add(%in: memref<?xi8, #spirv.storage_class<PhysicalStorageBuffer>>,
              %out: memref<?xi8, #spirv.storage_class<PhysicalStorageBuffer>>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, nxv.grid = 1 : i64} {
    %i = gpu.thread_id x
    %0 = memref.load %in[%i] : memref<?xi8, #spirv.storage_class<PhysicalStorageBuffer>>
    %1 = arith.addi %0, %0 : i8
    memref.store %1, %out[%i] : memref<?xi8, #spirv.storage_class<PhysicalStorageBuffer>>
    gpu.return
  }
}

// -----

// Vectors that fill words are loaded and stored whole.
// CHECK-LABEL: gpu.func @copy(
// CHECK: vector.load {{.*}} vector<2xi32>
// CHECK-NOT: atomic_rmw
// CHECK: vector.store {{.*}} vector<2xi32>
gpu.module @copy attributes {nxv.without_narrow} {
  gpu.func @copy(%in: memref<?xi16, #spirv.storage_class<PhysicalStorageBuffer>>,
              %out: memref<?xi16, #spirv.storage_class<PhysicalStorageBuffer>>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, nxv.grid = 1 : i64} {
    %i = gpu.thread_id x
    %0 = vector.load %in[%i] : memref<?xi16, #spirv.storage_class<PhysicalStorageBuffer>>, vector<4xi16>
    vector.store %0, %out[%i] : memref<?xi16, #spirv.storage_class<PhysicalStorageBuffer>>, vector<4xi16>
    gpu.return
  }
}

// -----

// Unsigned operations see no sign; those whose result may not fit are cut.
// CHECK-LABEL: gpu.func @unsigned(
// CHECK-DAG: %[[X:.*]] = arith.andi %{{.*}}, %c65535_i32
// CHECK-DAG: arith.divui %[[X]], %[[X]] : i32
// CHECK-DAG: arith.uitofp %[[X]] : i32 to f32
// CHECK-DAG: math.ctlz %[[X]] : i32
// CHECK-DAG: arith.subi %{{.*}}, %c16_i32
// CHECK-DAG: arith.cmpi ult, %{{.*}} : i32
gpu.module @unsigned attributes {nxv.without_narrow} {
  gpu.func @unsigned(%in: memref<?xi16, #spirv.storage_class<PhysicalStorageBuffer>>,
              %out: memref<?xi16, #spirv.storage_class<PhysicalStorageBuffer>>,
              %real: memref<?xf32, #spirv.storage_class<PhysicalStorageBuffer>>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, nxv.grid = 1 : i64} {
    %i = gpu.thread_id x
    %0 = memref.load %in[%i] : memref<?xi16, #spirv.storage_class<PhysicalStorageBuffer>>
    %1 = arith.divui %0, %0 : i16
    %2 = math.ctlz %0 : i16
    %c5 = arith.constant 5 : i16
    %3 = arith.cmpi ult, %1, %c5 : i16
    %4 = arith.select %3, %1, %2 : i16
    %5 = arith.uitofp %0 : i16 to f32
    memref.store %4, %out[%i] : memref<?xi16, #spirv.storage_class<PhysicalStorageBuffer>>
    memref.store %5, %real[%i] : memref<?xf32, #spirv.storage_class<PhysicalStorageBuffer>>
    gpu.return
  }
}

// -----

// f16 is computed in f32 and rounded after each operation that rounds.
// CHECK-LABEL: gpu.func @half(
// CHECK-NOT: f16
// CHECK: %[[SUM:.*]] = arith.addf %{{.*}}, %{{.*}} : f32
// CHECK: arith.bitcast %[[SUM]] : f32 to i32
// CHECK: arith.shli %{{.*}}, %c31_i32
// CHECK-NEXT: %[[CODE:.*]] = arith.ori
// CHECK-NEXT: %[[ROUNDED:.*]] = arith.bitcast %[[CODE]] : i32 to f32
// CHECK-NEXT: arith.maximumf %[[ROUNDED]], %{{.*}} : f32
// CHECK-NOT: f16
// CHECK: memref.atomic_rmw ori
gpu.module @half attributes {nxv.without_narrow} {
  gpu.func @half(%in: memref<?xf16, #spirv.storage_class<PhysicalStorageBuffer>>,
              %out: memref<?xf16, #spirv.storage_class<PhysicalStorageBuffer>>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, nxv.grid = 1 : i64} {
    %i = gpu.thread_id x
    %0 = memref.load %in[%i] : memref<?xf16, #spirv.storage_class<PhysicalStorageBuffer>>
    %1 = arith.addf %0, %0 : f16
    %2 = arith.maximumf %1, %0 : f16
    memref.store %2, %out[%i] : memref<?xf16, #spirv.storage_class<PhysicalStorageBuffer>>
    gpu.return
  }
}

// -----

// Scalars share the words of workgroup memory, vectors have their own.
// CHECK-LABEL: gpu.func @shared(
// CHECK: memref.alloc() : memref<3xi32, #spirv.storage_class<Workgroup>>
// CHECK: memref.alloc() : memref<8xvector<2xi32>, #spirv.storage_class<Workgroup>>
gpu.module @shared attributes {nxv.without_narrow} {
  gpu.func @shared(%in: memref<?xi8, #spirv.storage_class<PhysicalStorageBuffer>>,
              %half: memref<?xf16, #spirv.storage_class<PhysicalStorageBuffer>>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, nxv.grid = 1 : i64} {
    %i = gpu.thread_id x
    %bytes = memref.alloc() : memref<10xi8, #spirv.storage_class<Workgroup>>
    %halves = memref.alloc() : memref<8xvector<4xf16>, #spirv.storage_class<Workgroup>>
    %0 = memref.load %in[%i] : memref<?xi8, #spirv.storage_class<PhysicalStorageBuffer>>
    memref.store %0, %bytes[%i] : memref<10xi8, #spirv.storage_class<Workgroup>>
    %1 = vector.load %half[%i] : memref<?xf16, #spirv.storage_class<PhysicalStorageBuffer>>, vector<4xf16>
    memref.store %1, %halves[%i] : memref<8xvector<4xf16>, #spirv.storage_class<Workgroup>>
    gpu.barrier
    %2 = memref.load %bytes[%i] : memref<10xi8, #spirv.storage_class<Workgroup>>
    %3 = memref.load %halves[%i] : memref<8xvector<4xf16>, #spirv.storage_class<Workgroup>>
    memref.store %2, %in[%i] : memref<?xi8, #spirv.storage_class<PhysicalStorageBuffer>>
    vector.store %3, %half[%i] : memref<?xf16, #spirv.storage_class<PhysicalStorageBuffer>>, vector<4xf16>
    gpu.return
  }
}
