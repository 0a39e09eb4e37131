// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: nxv-opt %s -split-input-file -nxv-emit-kernels | FileCheck %s

#id = affine_map<(d0) -> (d0)>

// One group is one kernel, one dispatch and the buffers of what goes in and out; the input that only its own element of the
// result needs may be overwritten.
// CHECK-LABEL: program.program @negate
// CHECK-SAME: inputs [{name = "x", shape = array<i64: 1000>, type = "f32"}]
// CHECK-SAME: outputs [{shape = array<i64: 1000>, type = "f32"}]
// CHECK: %[[X:.*]] = program.buffer {{ ?}}input 4000 {index = 0 : i64}
// CHECK: %[[Y:.*]] = program.buffer {{ ?}}output 4000 {index = 0 : i64}
// CHECK: program.dispatch @[[K:.*]]::@{{.*}} grid {{[0-9]+}} ins(%[[X]]) outs(%[[Y]]) {in_place = [array<i64: 0, 0>]}
// CHECK: program.results %[[Y]]
// CHECK: gpu.module @[[K]]
// CHECK: gpu.func @[[K]](%{{.*}}: memref<?xf32, #spirv.storage_class<PhysicalStorageBuffer>>, %{{.*}}: memref<?xf32, #spirv.storage_class<PhysicalStorageBuffer>>) kernel
// CHECK: vector.load {{.*}}vector<4xf32>
// CHECK: arith.negf {{.*}} : vector<4xf32>
// CHECK: vector.store {{.*}}vector<4xf32>
func.func @negate(%x: tensor<1000xf32> {nxv.name = "x", nxv.element = "f32"}) -> (tensor<1000xf32> {nxv.element = "f32"}) {
  %0 = program.group map(%x) : (tensor<1000xf32>) -> tensor<1000xf32> {
  ^bb0(%a: tensor<1000xf32>):
    %e = tensor.empty() : tensor<1000xf32>
    %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%a : tensor<1000xf32>) outs(%e : tensor<1000xf32>) {
    ^bb0(%in: f32, %out: f32):
      %2 = arith.negf %in : f32
      linalg.yield %2 : f32
    } -> tensor<1000xf32>
    program.yield %1 : tensor<1000xf32>
  }
  return %0 : tensor<1000xf32>
}

// -----

// Nothing to compute: the output is the input.
// CHECK-LABEL: program.program @through
// CHECK: %[[X:.*]] = program.buffer {{ ?}}input 40 {index = 0 : i64}
// CHECK-NOT: program.dispatch
// CHECK: program.results %[[X]]
func.func @through(%x: tensor<10xf32> {nxv.name = "x", nxv.element = "f32"}) -> (tensor<10xf32> {nxv.element = "f32"}) {
  return %x : tensor<10xf32>
}

// -----

// The group's own tensors are small, but not what it slices.
// CHECK-LABEL: program.program @end
// CHECK: gpu.func {{.*}}nxv.index64
// CHECK: 2147483648 : i64
func.func @end() -> (tensor<5xi64> {nxv.element = "s64"}) {
  %0 = program.group map() : () -> tensor<5xi64> {
    %e = tensor.empty() : tensor<2147483653xi64>
    %1 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
        outs(%e : tensor<2147483653xi64>) {
    ^bb0(%out: i64):
      %4 = linalg.index 0 : index
      %5 = arith.index_cast %4 : index to i64
      linalg.yield %5 : i64
    } -> tensor<2147483653xi64>
    %s = tensor.empty() : tensor<5xi64>
    %2 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
        outs(%s : tensor<5xi64>) {
    ^bb0(%out: i64):
      %4 = linalg.index 0 : index
      %5 = affine.apply affine_map<()[s0] -> (s0 + 2147483648)>()[%4]
      %6 = tensor.extract %1[%5] : tensor<2147483653xi64>
      linalg.yield %6 : i64
    } -> tensor<5xi64>
    program.yield %2 : tensor<5xi64>
  }
  return %0 : tensor<5xi64>
}
