// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: nxv-opt %s -split-input-file -nxv-form-groups | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// Softmax: the reductions over the same rows and what is between them are one group.
// CHECK-LABEL: func.func @softmax
// CHECK: %[[R:.*]] = program.group {{ ?}}reduce(%arg0) : (tensor<4x10xf32>) -> tensor<4x10xf32>
// CHECK: arith.maximumf
// CHECK: math.exp
// CHECK: arith.addf
// CHECK: arith.divf
// CHECK: program.yield
// CHECK-NOT: program.group
// CHECK: return %[[R]]
func.func @softmax(%x: tensor<4x10xf32>) -> tensor<4x10xf32> {
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %low = arith.constant dense<0xFF800000> : tensor<4xf32>
  %max = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x10xf32>) outs(%low : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.maximumf %in, %out : f32
    linalg.yield %0 : f32
  } -> tensor<4xf32>
  %e = tensor.empty() : tensor<4x10xf32>
  %exp = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %max : tensor<4x10xf32>, tensor<4xf32>) outs(%e : tensor<4x10xf32>) {
  ^bb0(%in: f32, %m: f32, %out: f32):
    %0 = arith.subf %in, %m : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  } -> tensor<4x10xf32>
  %sum = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%exp : tensor<4x10xf32>) outs(%zero : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %in, %out : f32
    linalg.yield %0 : f32
  } -> tensor<4xf32>
  %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%exp, %sum : tensor<4x10xf32>, tensor<4xf32>) outs(%e : tensor<4x10xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %0 = arith.divf %in, %s : f32
    linalg.yield %0 : f32
  } -> tensor<4x10xf32>
  return %r : tensor<4x10xf32>
}

// -----

#id = affine_map<(d0) -> (d0)>

// A chain of element-wise operations is one group.
// CHECK-LABEL: func.func @chain
// CHECK: program.group {{ ?}}map(%arg0) : (tensor<1000xf32>) -> tensor<1000xf32>
// CHECK: math.tanh
// CHECK: arith.negf
// CHECK: program.yield
// CHECK-NOT: program.group
// CHECK: return
func.func @chain(%x: tensor<1000xf32>) -> tensor<1000xf32> {
  %e = tensor.empty() : tensor<1000xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<1000xf32>) outs(%e : tensor<1000xf32>) {
  ^bb0(%in: f32, %out: f32):
    %2 = math.tanh %in : f32
    linalg.yield %2 : f32
  } -> tensor<1000xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%0 : tensor<1000xf32>) outs(%e : tensor<1000xf32>) {
  ^bb0(%in: f32, %out: f32):
    %2 = arith.negf %in : f32
    linalg.yield %2 : f32
  } -> tensor<1000xf32>
  return %1 : tensor<1000xf32>
}

// -----

// A product takes in what is done to its result and to the bias.
// CHECK-LABEL: func.func @dense
// CHECK: program.group {{ ?}}contract(
// CHECK: linalg.generic {{.*}}nxv.root
// CHECK: arith.mulf
// CHECK: arith.maximumf
// CHECK: program.yield
// CHECK-NOT: program.group
// CHECK: return
func.func @dense(%x: tensor<256x512xf32>, %w: tensor<512x256xf32>, %b: tensor<256xf32>)
    -> tensor<256x256xf32> {
  %zero = arith.constant dense<0.0> : tensor<256x256xf32>
  %e = tensor.empty() : tensor<256x256xf32>
  %0 = linalg.generic {
      indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>,
                       affine_map<(d0, d1, d2) -> (d2, d1)>,
                       affine_map<(d0, d1, d2) -> (d0, d1)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<256x512xf32>, tensor<512x256xf32>)
      outs(%zero : tensor<256x256xf32>) {
  ^bb0(%l: f32, %r: f32, %out: f32):
    %2 = arith.mulf %l, %r : f32
    %3 = arith.addf %2, %out : f32
    linalg.yield %3 : f32
  } -> tensor<256x256xf32>
  %1 = linalg.generic {
      indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>,
                       affine_map<(d0, d1) -> (d0, d1)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%0, %b : tensor<256x256xf32>, tensor<256xf32>) outs(%e : tensor<256x256xf32>) {
  ^bb0(%in: f32, %bias: f32, %out: f32):
    %2 = arith.addf %in, %bias : f32
    %3 = arith.constant 0.0 : f32
    %4 = arith.maximumf %2, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<256x256xf32>
  return %1 : tensor<256x256xf32>
}

// -----

// What a function takes and does not read is not computed.
// CHECK-LABEL: func.func @unread
// CHECK-NOT: nxv.scatter
// CHECK-NOT: math.exp
// CHECK: program.group
// CHECK: program.yield
// CHECK-NOT: program.group
// CHECK: return
func.func @unread(%x: tensor<9xf32>, %i: tensor<2x1xi32>, %u: tensor<2xf32>) -> tensor<9xf32> {
  %e = tensor.empty() : tensor<9xf32>
  %0 = nxv.scatter put, %x, %i, %u {axes = array<i64: 0>} : (tensor<9xf32>, tensor<2x1xi32>, tensor<2xf32>) -> tensor<9xf32>
  %1 = linalg.generic {
      indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
      iterator_types = ["parallel"]} ins(%x : tensor<9xf32>) outs(%e : tensor<9xf32>) {
  ^bb0(%in: f32, %out: f32):
    %2 = math.exp %in : f32
    linalg.yield %2 : f32
  } -> tensor<9xf32>
  %3 = linalg.generic {
      indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
      iterator_types = ["parallel"]} ins(%0, %1 : tensor<9xf32>, tensor<9xf32>) outs(%e : tensor<9xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %2 = arith.constant 2.0 : f32
    linalg.yield %2 : f32
  } -> tensor<9xf32>
  return %3 : tensor<9xf32>
}

// -----

// The second reduction joins the first and takes in the window between; that
// the window is a result as well must not make the two kernels wait for each
// other: it is computed twice.
// CHECK-LABEL: func.func @taken_in_and_returned
// CHECK: program.group {{ ?}}reduce(
// CHECK-COUNT-2: nxv.ordered
// CHECK: program.group {{ ?}}map(
// CHECK: nxv.ordered
// CHECK: return
#id = affine_map<(d0) -> (d0)>
#all = affine_map<(d0) -> ()>
#slide = affine_map<(d0, d1) -> (d0 + d1 * 3)>
#first = affine_map<(d0, d1) -> (d0)>
#second = affine_map<(d0, d1) -> (d1)>
func.func @taken_in_and_returned(%x: tensor<13xi16>, %y: tensor<13xi16>) -> (tensor<10xi16>, tensor<i16>) {
  %zero = arith.constant dense<0> : tensor<i16>
  %0 = linalg.generic {indexing_maps = [#id, #all], iterator_types = ["reduction"]} ins(%x : tensor<13xi16>) outs(%zero : tensor<i16>) {
  ^bb0(%in: i16, %out: i16):
    %6 = arith.addi %in, %out : i16
    linalg.yield %6 : i16
  } -> tensor<i16>
  %1 = tensor.empty() : tensor<10xi16>
  %2 = linalg.generic {indexing_maps = [#all, #id], iterator_types = ["parallel"]} ins(%0 : tensor<i16>) outs(%1 : tensor<10xi16>) {
  ^bb0(%in: i16, %out: i16):
    linalg.yield %in : i16
  } -> tensor<10xi16>
  %3 = tensor.empty() : tensor<2xi16>
  %4 = linalg.generic {indexing_maps = [#slide, #second, #first], iterator_types = ["parallel", "reduction"]} ins(%y, %3 : tensor<13xi16>, tensor<2xi16>) outs(%2 : tensor<10xi16>) attrs = {nxv.ordered} {
  ^bb0(%in: i16, %in_0: i16, %out: i16):
    linalg.yield %out : i16
  } -> tensor<10xi16>
  %5 = linalg.generic {indexing_maps = [#id, #all], iterator_types = ["reduction"]} ins(%4 : tensor<10xi16>) outs(%0 : tensor<i16>) attrs = {nxv.ordered} {
  ^bb0(%in: i16, %out: i16):
    linalg.yield %in : i16
  } -> tensor<i16>
  return %4, %5 : tensor<10xi16>, tensor<i16>
}
