// RUN: nxv-opt %s -nxv-to-linalg -split-input-file -verify-diagnostics

func.func @block(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'nxv.block' op cannot be lowered: 'softmax' has not been expanded; run -nxv-expand-blocks first}}
  %0 = nxv.block "softmax"(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    nxv.yield %a : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

func.func @complex_erf(%x: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  // expected-error @below {{'nxv.erf' op on 'tensor<4xcomplex<f32>>' cannot be lowered: it is not defined on complex numbers}}
  %0 = nxv.erf %x : tensor<4xcomplex<f32>>
  return %0 : tensor<4xcomplex<f32>>
}

// -----

func.func @not_scalar(%x: tensor<4xf32>, %v: tensor<f32>) -> tensor<f32> {
  // expected-error @below {{'nxv.reduce_fn' op cannot be lowered: its function may only compute on scalars element-wise}}
  %0 = nxv.reduce_fn %x, %v {axes = array<i64: 0>} : (tensor<4xf32>, tensor<f32>) -> tensor<f32> {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    // expected-note @below {{'nxv.reshape' is in it}}
    %1 = nxv.reshape %a : (tensor<f32>) -> tensor<1xf32>
    %2 = nxv.reduce add, %1 {axes = array<i64: 0>} : (tensor<1xf32>) -> tensor<f32>
    nxv.yield %2 : tensor<f32>
  }
  return %0 : tensor<f32>
}

// -----

func.func @nothing_to_gather(%x: tensor<0xf32>, %i: tensor<2x1xi32>) -> tensor<2xf32> {
  // expected-error @below {{'nxv.gather' op cannot be lowered: axis 0 of 'tensor<0xf32>' has no element to gather}}
  %0 = nxv.gather %x, %i {axes = array<i64: 0>} : (tensor<0xf32>, tensor<2x1xi32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
