// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: nxv-opt %s -split-input-file -verify-diagnostics -nxv-expand-sort -nxv-emit-kernels

func.func @nothing(%x: tensor<8xf32>) {
  // expected-error @below {{gives neither values nor indices}}
  "nxv.sort_tiles"(%x) {axis = 0 : i64, tile = 4 : i64, resultSegmentSizes = array<i32: 0, 0>} : (tensor<8xf32>) -> ()
  return
}

// -----

func.func @tile(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @below {{tile must be at least 1}}
  %0 = nxv.sort_tiles %x {axis = 0 : i64, tile = 0 : i64, resultSegmentSizes = array<i32: 1, 0>} : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @type(%x: tensor<8xf32>) -> tensor<8xf64> {
  // expected-error @below {{values must have the operand's type}}
  %0 = nxv.sort_tiles %x {axis = 0 : i64, tile = 4 : i64, resultSegmentSizes = array<i32: 1, 0>} : (tensor<8xf32>) -> tensor<8xf64>
  return %0 : tensor<8xf64>
}

// -----

func.func @rank(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @below {{expected rows of runs, a tensor of rank 2}}
  %0 = nxv.merge_runs %x {run = 4 : i64, resultSegmentSizes = array<i32: 1, 0>} : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @places(%x: tensor<1x8xf32>) -> tensor<1x8xi32> {
  // expected-error @below {{indices come from an operand with indices}}
  %0 = nxv.merge_runs %x {run = 4 : i64, resultSegmentSizes = array<i32: 0, 1>} : (tensor<1x8xf32>) -> tensor<1x8xi32>
  return %0 : tensor<1x8xi32>
}

// -----

func.func @chunk(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @below {{chunk must be at least 1}}
  %0 = nxv.scan_chunks add, %x {axis = 0 : i64, chunk = 0 : i64} : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @wider(%x: tensor<8xf32>) -> tensor<8xf64> {
  // expected-error @below {{cannot give elements of type 'f64' for 'f32'}}
  %0 = nxv.scan_chunks add, %x {axis = 0 : i64, chunk = 4 : i64} : (tensor<8xf32>) -> tensor<8xf64>
  return %0 : tensor<8xf64>
}

// -----

func.func @huge(%x: tensor<3000000000xi8>) -> tensor<3000000000xi8> {
  // expected-error @below {{cannot sort an axis of 3000000000 elements}}
  %0 = nxv.sort %x {axis = 0 : i64} : (tensor<3000000000xi8>) -> tensor<3000000000xi8>
  return %0 : tensor<3000000000xi8>
}

// -----

func.func @run(%x: tensor<1x8xf32>) -> tensor<1x8xf32> {
  %0 = program.group sort(%x) : (tensor<1x8xf32>) -> tensor<1x8xf32> {
  ^bb0(%arg: tensor<1x8xf32>):
    // expected-error @below {{runs of 4 elements are no multiple of half of 2048}}
    %1 = nxv.merge_runs %arg {run = 4 : i64, resultSegmentSizes = array<i32: 1, 0>} : (tensor<1x8xf32>) -> tensor<1x8xf32>
    program.yield %1 : tensor<1x8xf32>
  }
  return %0 : tensor<1x8xf32>
}
