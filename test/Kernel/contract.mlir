// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: nxv-opt %s -split-input-file -nxv-emit-kernels -canonicalize -cse | FileCheck %s
// RUN: nxv-opt %s -split-input-file -nxv-emit-kernels -nxv-kernel-to-spirv -o /dev/null

// Both factors go through workgroup memory in two halves; there is one barrier
// a step, and no branch where the tiles divide the problem. Indices have 32 bits,
// even though there are more products than that.
// CHECK-LABEL: program.program @product
// CHECK: program.dispatch @contract_0::@contract_0 grid 1024
// CHECK: gpu.func @contract_0
// CHECK-SAME: known_block_size = array<i32: 256, 1, 1>, nxv.grid = 1024 : i64}
// CHECK-DAG: memref.alloc() : memref<1024xvector<4xf32>, #spirv.storage_class<Workgroup>>
// CHECK-DAG: memref.alloc() : memref<1024xvector<4xf32>, #spirv.storage_class<Workgroup>>
// CHECK: gpu.barrier
// CHECK: scf.for
// CHECK-NOT: scf.if
// The left factor is contiguous along the depth, the right one is not.
// CHECK-COUNT-8: memref.load {{.*}} : memref<?xf32
// CHECK-COUNT-2: vector.load {{.*}}, vector<4xf32>
// CHECK-COUNT-256: math.fma {{.*}} : vector<4xf32>
// CHECK: gpu.barrier
// CHECK-NOT: gpu.barrier
// CHECK: scf.yield
// CHECK-NOT: scf.if
// CHECK-COUNT-16: vector.store {{.*}}, vector<4xf32>
// CHECK: gpu.return
func.func @product(%x: tensor<4096x4096xf32>, %y: tensor<4096x4096xf32>)
    -> tensor<4096x4096xf32> {
  %r = program.group contract(%x, %y)
      : (tensor<4096x4096xf32>, tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
  ^bb0(%a: tensor<4096x4096xf32>, %b: tensor<4096x4096xf32>):
    %zero = arith.constant dense<0.0> : tensor<4096x4096xf32>
    %0 = linalg.generic {
        indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>,
                         affine_map<(d0, d1, d2) -> (d2, d1)>,
                         affine_map<(d0, d1, d2) -> (d0, d1)>],
        iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%a, %b : tensor<4096x4096xf32>, tensor<4096x4096xf32>)
        outs(%zero : tensor<4096x4096xf32>) attrs = {nxv.root} {
    ^bb0(%p: f32, %q: f32, %acc: f32):
      %1 = arith.mulf %p, %q : f32
      %2 = arith.addf %1, %acc : f32
      linalg.yield %2 : f32
    } -> tensor<4096x4096xf32>
    program.yield %0 : tensor<4096x4096xf32>
  }
  return %r : tensor<4096x4096xf32>
}

// -----

// f64 has vectors of two; odd sizes are guarded, and what is read beyond the
// last row or column is limited. A depth of 3 is one step.
// CHECK-LABEL: program.program @odd
// CHECK: gpu.func @contract_0
// CHECK-DAG: memref.alloc() : memref<{{[0-9]+}}xvector<2xf64>, #spirv.storage_class<Workgroup>>
// CHECK: arith.minsi
// CHECK: gpu.barrier
// CHECK-NOT: gpu.barrier
// CHECK-NOT: scf.for
// CHECK: math.fma {{.*}} : vector<2xf64>
// CHECK: scf.if
// CHECK: memref.store {{.*}} : memref<?xf64
func.func @odd(%x: tensor<5x3xf64>, %y: tensor<3x7xf64>) -> tensor<5x7xf64> {
  %r = program.group contract(%x, %y)
      : (tensor<5x3xf64>, tensor<3x7xf64>) -> tensor<5x7xf64> {
  ^bb0(%a: tensor<5x3xf64>, %b: tensor<3x7xf64>):
    %zero = arith.constant dense<0.0> : tensor<5x7xf64>
    %0 = linalg.generic {
        indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>,
                         affine_map<(d0, d1, d2) -> (d2, d1)>,
                         affine_map<(d0, d1, d2) -> (d0, d1)>],
        iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%a, %b : tensor<5x3xf64>, tensor<3x7xf64>)
        outs(%zero : tensor<5x7xf64>) attrs = {nxv.root} {
    ^bb0(%p: f64, %q: f64, %acc: f64):
      %1 = arith.mulf %p, %q : f64
      %2 = arith.addf %acc, %1 : f64
      linalg.yield %2 : f64
    } -> tensor<5x7xf64>
    program.yield %0 : tensor<5x7xf64>
  }
  return %r : tensor<5x7xf64>
}

// -----

// Half precision is widened on the way to workgroup memory. The bias is added to
// the accumulators, and the vectors run along the transposed result's last axis.
// CHECK-LABEL: program.program @epilogue
// CHECK: gpu.func @contract_0
// CHECK-DAG: memref.alloc() : memref<{{[0-9]+}}xvector<4xf32>, #spirv.storage_class<Workgroup>>
// CHECK: arith.extf {{.*}} : vector<4xf16> to vector<4xf32>
// CHECK: gpu.barrier
// CHECK: math.fma
// CHECK: arith.addf {{.*}} : vector<4xf32>
// CHECK: arith.maximumf {{.*}} : vector<4xf32>
// CHECK: vector.store {{.*}} : memref<?xf32{{.*}}, vector<4xf32>
func.func @epilogue(%x: tensor<64x32xf16>, %y: tensor<32x16xf16>,
                    %bias: tensor<16xf32>) -> tensor<16x64xf32> {
  %r = program.group contract(%x, %y, %bias)
      : (tensor<64x32xf16>, tensor<32x16xf16>, tensor<16xf32>) -> tensor<16x64xf32> {
  ^bb0(%a: tensor<64x32xf16>, %b: tensor<32x16xf16>, %c: tensor<16xf32>):
    %zero = arith.constant dense<0.0> : tensor<64x16xf32>
    %0 = linalg.generic {
        indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>,
                         affine_map<(d0, d1, d2) -> (d2, d1)>,
                         affine_map<(d0, d1, d2) -> (d0, d1)>],
        iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%a, %b : tensor<64x32xf16>, tensor<32x16xf16>)
        outs(%zero : tensor<64x16xf32>) attrs = {nxv.root} {
    ^bb0(%p: f16, %q: f16, %acc: f32):
      %1 = arith.extf %p : f16 to f32
      %2 = arith.extf %q : f16 to f32
      %3 = arith.mulf %1, %2 : f32
      %4 = arith.addf %3, %acc : f32
      linalg.yield %4 : f32
    } -> tensor<64x16xf32>
    %empty = tensor.empty() : tensor<16x64xf32>
    %5 = linalg.generic {
        indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>,
                         affine_map<(d0, d1) -> (d0)>,
                         affine_map<(d0, d1) -> (d0, d1)>],
        iterator_types = ["parallel", "parallel"]}
        ins(%0, %c : tensor<64x16xf32>, tensor<16xf32>)
        outs(%empty : tensor<16x64xf32>) {
    ^bb0(%p: f32, %q: f32, %o: f32):
      %least = arith.constant 0.0 : f32
      %6 = arith.addf %p, %q : f32
      %7 = arith.maximumf %6, %least : f32
      linalg.yield %7 : f32
    } -> tensor<16x64xf32>
    program.yield %5 : tensor<16x64xf32>
  }
  return %r : tensor<16x64xf32>
}

// -----

// A convolution: the rows are images and positions, the depth channels and the
// window. A payload that is no product is applied as it is.
// CHECK-LABEL: program.program @distances
// CHECK: gpu.func @conv_0
// CHECK: gpu.barrier
// CHECK: arith.subf {{.*}} : vector<4xf32>
// CHECK: arith.mulf {{.*}} : vector<4xf32>
// CHECK-NOT: math.fma
// CHECK: vector.store {{.*}}, vector<4xf32>
func.func @distances(%x: tensor<2x3x17xf32>, %w: tensor<8x3x2xf32>)
    -> tensor<2x8x8xf32> {
  %r = program.group conv(%x, %w)
      : (tensor<2x3x17xf32>, tensor<8x3x2xf32>) -> tensor<2x8x8xf32> {
  ^bb0(%a: tensor<2x3x17xf32>, %b: tensor<8x3x2xf32>):
    %zero = arith.constant dense<0.0> : tensor<2x8x8xf32>
    %0 = linalg.generic {
        indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d2 * 2 + d4)>,
                         affine_map<(d0, d1, d2, d3, d4) -> (d1, d3, d4)>,
                         affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2)>],
        iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
        ins(%a, %b : tensor<2x3x17xf32>, tensor<8x3x2xf32>)
        outs(%zero : tensor<2x8x8xf32>) attrs = {nxv.root} {
    ^bb0(%p: f32, %q: f32, %acc: f32):
      %1 = arith.subf %p, %q : f32
      %2 = arith.mulf %1, %1 : f32
      %3 = arith.addf %acc, %2 : f32
      linalg.yield %3 : f32
    } -> tensor<2x8x8xf32>
    program.yield %0 : tensor<2x8x8xf32>
  }
  return %r : tensor<2x8x8xf32>
}
