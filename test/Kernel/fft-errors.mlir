// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: nxv-opt %s -split-input-file -nxv-emit-kernels -verify-diagnostics

func.func @long(%re: tensor<4096xf64>, %roots: tensor<4096x2xf64>) -> tensor<4096xf64> {
  %0:2 = program.group fft(%re, %roots) : (tensor<4096xf64>, tensor<4096x2xf64>) -> (tensor<4096xf64>, tensor<4096xf64>) {
  ^bb0(%a: tensor<4096xf64>, %r: tensor<4096x2xf64>):
    // expected-error @below {{a transform of length 4096 is not one kernel}}
    %1:2 = nxv.fft_parts %a, %a, %r {axis = 0 : i64} : (tensor<4096xf64>, tensor<4096xf64>, tensor<4096x2xf64>) -> (tensor<4096xf64>, tensor<4096xf64>)
    program.yield %1#0, %1#1 : tensor<4096xf64>, tensor<4096xf64>
  }
  return %0#0 : tensor<4096xf64>
}

// -----

func.func @prime(%re: tensor<17xf32>, %roots: tensor<17x2xf32>) -> tensor<17xf32> {
  %0:2 = program.group fft(%re, %roots) : (tensor<17xf32>, tensor<17x2xf32>) -> (tensor<17xf32>, tensor<17xf32>) {
  ^bb0(%a: tensor<17xf32>, %r: tensor<17x2xf32>):
    // expected-error @below {{a transform of length 17 is not one kernel}}
    %1:2 = nxv.fft_parts %a, %a, %r {axis = 0 : i64} : (tensor<17xf32>, tensor<17xf32>, tensor<17x2xf32>) -> (tensor<17xf32>, tensor<17xf32>)
    program.yield %1#0, %1#1 : tensor<17xf32>, tensor<17xf32>
  }
  return %0#0 : tensor<17xf32>
}

// -----

func.func @roots(%re: tensor<8xf32>, %roots: tensor<7x2xf32>) -> tensor<8xf32> {
  // expected-error @below {{roots has shape [7, 2], expected [8, 2]}}
  %0:2 = nxv.fft_parts %re, %re, %roots {axis = 0 : i64} : (tensor<8xf32>, tensor<8xf32>, tensor<7x2xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  return %0#0 : tensor<8xf32>
}

// -----

func.func @axis(%re: tensor<8xf32>, %roots: tensor<8x2xf32>) -> tensor<8xf32> {
  // expected-error @below {{axis 1}}
  %0:2 = nxv.fft_parts %re, %re, %roots {axis = 1 : i64} : (tensor<8xf32>, tensor<8xf32>, tensor<8x2xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  return %0#0 : tensor<8xf32>
}
