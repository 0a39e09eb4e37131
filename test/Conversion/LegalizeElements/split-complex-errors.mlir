// RUN: nxv-opt %s -split-input-file -nxv-split-complex -verify-diagnostics

func.func @cumulative(%x: tensor<8xcomplex<f32>>) -> tensor<8xcomplex<f32>> {
  // expected-error @below {{no kernel family takes 'nxv.cumulative' of complex numbers yet}}
  %0 = nxv.cumulative add, %x {axis = 0 : i64} : tensor<8xcomplex<f32>>
  return %0 : tensor<8xcomplex<f32>>
}

// -----

func.func @cut(%x: tensor<8xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  // expected-error @below {{failed to legalize operation 'nxv.fft'}}
  %0 = nxv.fft %x {axis = 0 : i64, length = 4 : i64} : (tensor<8xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return %0 : tensor<4xcomplex<f32>>
}
