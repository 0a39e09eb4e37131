// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: nxv-opt %s -split-input-file -nxv-split-reductions | FileCheck %s

// A full sum becomes sums of chunks and the sum of those.
// CHECK-LABEL: func.func @total
// CHECK: %[[PARTS:.*]] = linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]} ins(%arg0
// CHECK-SAME: outs({{.*}} : tensor<[[N:[0-9]+]]xf32>)
// CHECK: arith.addf
// CHECK: linalg.generic {{.*}}iterator_types = ["reduction"]} ins(%[[PARTS]] : tensor<[[N]]xf32>) outs({{.*}} : tensor<f32>)
// CHECK: arith.addf
func.func @total(%x: tensor<1048576xf32>) -> tensor<f32> {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %sum = linalg.generic {
      indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>],
      iterator_types = ["reduction"]}
      ins(%x : tensor<1048576xf32>) outs(%zero : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %in, %out : f32
    linalg.yield %0 : f32
  } -> tensor<f32>
  return %sum : tensor<f32>
}

// -----

// Enough results to fill a device: nothing to do.
// CHECK-LABEL: func.func @rows
// CHECK: linalg.generic
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @rows(%x: tensor<32768x1024xf32>) -> tensor<32768xf32> {
  %zero = arith.constant dense<0.0> : tensor<32768xf32>
  %sum = linalg.generic {
      indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<32768x1024xf32>) outs(%zero : tensor<32768xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %in, %out : f32
    linalg.yield %0 : f32
  } -> tensor<32768xf32>
  return %sum : tensor<32768xf32>
}

// -----

// Few columns of many rows: chunks of rows, so that the columns stay contiguous.
// CHECK-LABEL: func.func @columns
// CHECK: %[[PARTS:.*]] = linalg.generic {{.*}}iterator_types = ["parallel", "reduction", "parallel"]} ins(%arg0
// CHECK-SAME: outs({{.*}} : tensor<[[N:[0-9]+]]x1024xf32>)
// CHECK: linalg.generic {{.*}}iterator_types = ["reduction", "parallel"]} ins(%[[PARTS]] : tensor<[[N]]x1024xf32>)
func.func @columns(%x: tensor<32768x1024xf32>) -> tensor<1024xf32> {
  %zero = arith.constant dense<0.0> : tensor<1024xf32>
  %sum = linalg.generic {
      indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>],
      iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<32768x1024xf32>) outs(%zero : tensor<1024xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %in, %out : f32
    linalg.yield %0 : f32
  } -> tensor<1024xf32>
  return %sum : tensor<1024xf32>
}

// -----

// Too short to be worth a second kernel.
// CHECK-LABEL: func.func @short
// CHECK: linalg.generic
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @short(%x: tensor<1000xf32>) -> tensor<f32> {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %sum = linalg.generic {
      indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>],
      iterator_types = ["reduction"]}
      ins(%x : tensor<1000xf32>) outs(%zero : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %in, %out : f32
    linalg.yield %0 : f32
  } -> tensor<f32>
  return %sum : tensor<f32>
}

// -----

// A prime length: equal chunks, a rest, and the sum of both.
// CHECK-LABEL: func.func @ragged
// CHECK: %[[PARTS:.*]] = linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]} ins(%arg0, {{.*}} : tensor<1000003xf32>, tensor<1024x976xf32>)
// CHECK-SAME: outs({{.*}} : tensor<1024xf32>)
// CHECK: %[[WHOLE:.*]] = linalg.generic {{.*}}iterator_types = ["reduction"]} ins(%[[PARTS]]
// CHECK: %[[REST:.*]] = linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]} ins(%arg0, {{.*}} : tensor<1000003xf32>, tensor<1x579xf32>)
// CHECK: linalg.generic {{.*}}iterator_types = []} ins(%[[WHOLE]], %[[REST]]
// CHECK: arith.addf
func.func @ragged(%x: tensor<1000003xf32>) -> tensor<f32> {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %sum = linalg.generic {
      indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>],
      iterator_types = ["reduction"]}
      ins(%x : tensor<1000003xf32>) outs(%zero : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %in, %out : f32
    linalg.yield %0 : f32
  } -> tensor<f32>
  return %sum : tensor<f32>
}

// -----

// A value and its index: chunks count from their start, which is added after.
// CHECK-LABEL: func.func @argmax
// CHECK: %[[PARTS:.*]]:2 = linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]} ins(%arg0
// CHECK-SAME: outs({{.*}} : tensor<1024xi32>, tensor<1024xi32>) attrs = {nxv.arg_reduce = "max"}
// CHECK: linalg.index 1
// CHECK: linalg.generic {{.*}}iterator_types = ["reduction"]} ins(%[[PARTS]]#0, %[[PARTS]]#1
// CHECK-NOT: nxv.arg_reduce
// CHECK: %[[PART:.*]] = linalg.index 0
// CHECK: arith.muli %[[PART]], %c1024
func.func @argmax(%x: tensor<1048576xi32>) -> tensor<i32> {
  %lowest = arith.constant dense<-2147483648> : tensor<i32>
  %none = arith.constant dense<2147483647> : tensor<i32>
  %max:2 = linalg.generic {
      indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>, affine_map<(d0) -> ()>],
      iterator_types = ["reduction"]}
      ins(%x : tensor<1048576xi32>) outs(%lowest, %none : tensor<i32>, tensor<i32>)
      attrs = {nxv.arg_reduce = "max"} {
  ^bb0(%in: i32, %value: i32, %place: i32):
    %0 = linalg.index 0 : index
    %1 = arith.index_cast %0 : index to i32
    %2 = arith.cmpi sgt, %in, %value : i32
    %3 = arith.cmpi eq, %in, %value : i32
    %4 = arith.minsi %1, %place : i32
    %5 = arith.select %3, %4, %place : i32
    %6 = arith.select %2, %1, %5 : i32
    %7 = arith.maxsi %in, %value : i32
    linalg.yield %7, %6 : i32, i32
  } -> (tensor<i32>, tensor<i32>)
  return %max#1 : tensor<i32>
}
