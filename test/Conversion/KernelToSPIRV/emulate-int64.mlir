// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: nxv-opt %s -split-input-file -pass-pipeline='builtin.module(gpu.module(nxv-emulate-int64,canonicalize,cse))' | FileCheck %s

// Halves lie side by side, and a carry goes from one to the other.
// CHECK-LABEL: gpu.func @add(
// CHECK-SAME: %[[IN:.*]]: memref<?xi32, {{.*}}>, %[[OUT:.*]]: memref<?xi32,
// CHECK: %[[AT:.*]] = arith.shli %{{.*}}, %c1 : index
// CHECK: %[[PAIR:.*]] = vector.load %[[IN]][%[[AT]]] {{.*}} vector<2xi32>
// CHECK: %[[LOW:.*]] = vector.extract %[[PAIR]][0]
// CHECK: %[[HIGH:.*]] = vector.extract %[[PAIR]][1]
// CHECK: %[[SUM:.*]] = arith.addi %[[LOW]], %[[LOW]] : i32
// CHECK: %[[CARRIES:.*]] = arith.cmpi ult, %[[SUM]], %[[LOW]] : i32
// CHECK: %[[CARRY:.*]] = arith.extui %[[CARRIES]] : i1 to i32
// CHECK: %[[HIGHS:.*]] = arith.addi %[[HIGH]], %[[HIGH]] : i32
// CHECK: %[[TOP:.*]] = arith.addi %[[HIGHS]], %[[CARRY]] : i32
// CHECK: %[[BOTH:.*]] = vector.from_elements %[[SUM]], %[[TOP]]
// CHECK: vector.store %[[BOTH]], %[[OUT]][%[[AT]]]
gpu.module @add attributes {nxv.without_int64} {
  gpu.func @add(%in: memref<?xi64, #spirv.storage_class<PhysicalStorageBuffer>>,
              %out: memref<?xi64, #spirv.storage_class<PhysicalStorageBuffer>>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, nxv.grid = 1 : i64} {
    %i = gpu.thread_id x
    %0 = memref.load %in[%i] : memref<?xi64, #spirv.storage_class<PhysicalStorageBuffer>>
    %1 = arith.addi %0, %0 : i64
    memref.store %1, %out[%i] : memref<?xi64, #spirv.storage_class<PhysicalStorageBuffer>>
    gpu.return
  }
}

// -----

// Vectors become two vectors; the order of the low halves has no sign.
// CHECK-LABEL: gpu.func @lanes(
// CHECK-DAG: arith.cmpi eq, {{.*}} : vector<2xi32>
// CHECK-DAG: arith.cmpi slt, {{.*}} : vector<2xi32>
// CHECK-DAG: arith.cmpi ult, {{.*}} : vector<2xi32>
// CHECK: arith.select {{.*}} : vector<2xi1>, vector<2xi32>
gpu.module @lanes attributes {nxv.without_int64} {
  gpu.func @lanes(%in: memref<?xi64, #spirv.storage_class<PhysicalStorageBuffer>>,
              %out: memref<?xi64, #spirv.storage_class<PhysicalStorageBuffer>>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, nxv.grid = 1 : i64} {
    %i = gpu.thread_id x
    %0 = vector.load %in[%i] : memref<?xi64, #spirv.storage_class<PhysicalStorageBuffer>>, vector<2xi64>
    %c5 = arith.constant dense<[5, -5000000000]> : vector<2xi64>
    %1 = arith.minsi %0, %c5 : vector<2xi64>
    vector.store %1, %out[%i] : memref<?xi64, #spirv.storage_class<PhysicalStorageBuffer>>, vector<2xi64>
    gpu.return
  }
}

// -----

// Division goes bit by bit.
// CHECK-LABEL: gpu.func @divide(
// CHECK: scf.for %{{.*}} = %c0 to %c64
// CHECK-SAME: -> (i32, i32, i32, i32)
gpu.module @divide attributes {nxv.without_int64} {
  gpu.func @divide(%in: memref<?xi64, #spirv.storage_class<PhysicalStorageBuffer>>,
              %out: memref<?xi64, #spirv.storage_class<PhysicalStorageBuffer>>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, nxv.grid = 1 : i64} {
    %i = gpu.thread_id x
    %0 = memref.load %in[%i] : memref<?xi64, #spirv.storage_class<PhysicalStorageBuffer>>
    %c7 = arith.constant 7 : i64
    %1 = arith.divui %0, %c7 : i64
    memref.store %1, %out[%i] : memref<?xi64, #spirv.storage_class<PhysicalStorageBuffer>>
    gpu.return
  }
}

// -----

// The bits of an f64, and state of loops.
// CHECK-LABEL: gpu.func @bits(
// CHECK: vector.bitcast {{.*}} : vector<1xf64> to vector<2xi32>
// CHECK: scf.for {{.*}} -> (i32, i32)
// CHECK: vector.bitcast {{.*}} : vector<2xi32> to vector<1xf64>
gpu.module @bits attributes {nxv.without_int64} {
  gpu.func @bits(%in: memref<?xf64, #spirv.storage_class<PhysicalStorageBuffer>>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, nxv.grid = 1 : i64} {
    %i = gpu.thread_id x
    %0 = memref.load %in[%i] : memref<?xf64, #spirv.storage_class<PhysicalStorageBuffer>>
    %1 = arith.bitcast %0 : f64 to i64
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c9 = arith.constant 9 : index
    %2 = scf.for %k = %c0 to %c9 step %c1 iter_args(%s = %1) -> i64 {
      %4 = arith.xori %s, %1 : i64
      %5 = arith.addi %4, %s : i64
      scf.yield %5 : i64
    }
    %3 = arith.bitcast %2 : i64 to f64
    memref.store %3, %in[%i] : memref<?xf64, #spirv.storage_class<PhysicalStorageBuffer>>
    gpu.return
  }
}
