// RUN: nxv-opt %s -split-input-file -nxv-split-complex -verify-diagnostics

func.func @fft(%x: tensor<8xcomplex<f32>>) -> tensor<8xcomplex<f32>> {
  // expected-error @below {{no kernel family takes 'nxv.fft' of complex numbers yet}}
  %0 = nxv.fft %x {axis = 0 : i64, length = 8 : i64} : (tensor<8xcomplex<f32>>) -> tensor<8xcomplex<f32>>
  return %0 : tensor<8xcomplex<f32>>
}
