// RUN: nxv-opt %s -split-input-file -verify-diagnostics -allow-unregistered-dialect

func.func @f(%x: tensor<4xcomplex<f32>>) {
  // expected-error@+1 {{result has element type 'f64', expected 'f32'}}
  %0 = nxv.abs %x : (tensor<4xcomplex<f32>>) -> tensor<4xf64>
  return
}

// -----

func.func @f(%x: tensor<4xcomplex<f32>>) {
  // expected-error@+1 {{result has element type 'f64', expected 'f32'}}
  %0 = nxv.real %x : (tensor<4xcomplex<f32>>) -> tensor<4xf64>
  return
}

// -----

func.func @f(%x: tensor<4xcomplex<f32>>) {
  // expected-error@+1 {{result has element type 'f64', expected 'f32'}}
  %0 = nxv.imag %x : (tensor<4xcomplex<f32>>) -> tensor<4xf64>
  return
}

// -----

func.func @f(%x: tensor<4xcomplex<f32>>) {
  // expected-error@+1 {{does not take complex elements}}
  %0 = nxv.bitcast %x : (tensor<4xcomplex<f32>>) -> tensor<4xi64>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error@+1 {{element types 'f32' and 'i16' differ in width}}
  %0 = nxv.bitcast %x : (tensor<4xf32>) -> tensor<4xi16>
  return
}

// -----

func.func @f(%x: tensor<4xcomplex<f32>>) {
  // expected-error@+1 {{orders complex numbers}}
  %0 = nxv.compare lt, %x, %x : (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) -> tensor<4xi1>
  return
}

// -----

func.func @f() {
  // expected-error@+1 {{axis 1 is not an axis of a rank-1 tensor}}
  %0 = nxv.iota {axis = 1} : tensor<4xi32>
  return
}

// -----

func.func @f() {
  // expected-error@+1 {{axis 0 is not an axis of a rank-0 tensor}}
  %0 = nxv.iota {axis = 0} : tensor<i32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error@+1 {{operand has 4 elements, result 5}}
  %0 = nxv.reshape %x : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error@+1 {{result has element type 'f64', expected 'f32'}}
  %0 = nxv.reshape %x : (tensor<4xf32>) -> tensor<4xf64>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error@+1 {{axes needs 1 entries, has 0}}
  %0 = nxv.broadcast_in_dim %x {axes = array<i64>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4x3xf32>) {
  // expected-error@+1 {{axes must increase}}
  %0 = nxv.broadcast_in_dim %x {axes = array<i64: 1, 0>} : (tensor<4x3xf32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error@+1 {{cannot stretch size 4 to 3 along result axis 0}}
  %0 = nxv.broadcast_in_dim %x {axes = array<i64: 0>} : (tensor<4xf32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{permutation names axis 0 twice}}
  %0 = nxv.transpose %x {permutation = array<i64: 0, 0>} : (tensor<2x3xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{result has shape [2, 3], expected [3, 2]}}
  %0 = nxv.transpose %x {permutation = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error@+1 {{axis -1 is not an axis of a rank-1 tensor}}
  %0 = nxv.reverse %x {axes = array<i64: -1>} : tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %v: tensor<f32>) {
  // expected-error@+1 {{interior entries must be at least 0, got -1}}
  %0 = nxv.pad %x, %v {low = array<i64: 0>, high = array<i64: 0>, interior = array<i64: -1>} : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %v: tensor<f32>) {
  // expected-error@+1 {{padding axis 0 gives no valid size}}
  %0 = nxv.pad %x, %v {low = array<i64: -3>, high = array<i64: -2>, interior = array<i64: 0>} : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %v: tensor<f32>) {
  // expected-error@+1 {{padding axis 0 gives no valid size}}
  %0 = nxv.pad %x, %v {low = array<i64: 9223372036854775807>, high = array<i64: 0>, interior = array<i64: 0>} : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %v: tensor<1xf32>) {
  // expected-error@+1 {{value must be a scalar tensor}}
  %0 = nxv.pad %x, %v {low = array<i64: 0>, high = array<i64: 0>, interior = array<i64: 0>} : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %y: tensor<5xf32>) {
  // expected-error@+1 {{the inputs' sizes along axis 0 sum to 9, the result's is 8}}
  %0 = nxv.concatenate %x, %y {axis = 0} : (tensor<4xf32>, tensor<5xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @f() {
  // expected-error@+1 {{needs an operand}}
  %0 = nxv.concatenate {axis = 0} : () -> tensor<8xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %y: tensor<2x4xf32>) {
  // expected-error@+1 {{input has shape [2, 4], expected [2, 3]}}
  %0 = nxv.concatenate %x, %y {axis = 0} : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error@+1 {{start 2 and length 3 leave axis 0 of size 4}}
  %0 = nxv.slice %x {starts = array<i64: 2>, lengths = array<i64: 3>, strides = array<i64: 1>} : (tensor<4xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error@+1 {{length 5 along axis 0 exceeds size 4}}
  %0 = nxv.slice %x {starts = array<i64: 0>, lengths = array<i64: 5>, strides = array<i64: 1>} : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error@+1 {{result has shape [1], expected [2]}}
  %0 = nxv.slice %x {starts = array<i64: 0>, lengths = array<i64: 4>, strides = array<i64: 3>} : (tensor<4xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %i: tensor<i32>) {
  // expected-error@+1 {{needs 1 starts, has 2}}
  %0 = nxv.dynamic_slice %x, %i, %i {lengths = array<i64: 2>, strides = array<i64: 1>} : (tensor<4xf32>, tensor<i32>, tensor<i32>) -> tensor<2xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %i: tensor<1xi32>) {
  // expected-error@+1 {{start must be a scalar tensor}}
  %0 = nxv.dynamic_slice %x, %i {lengths = array<i64: 2>, strides = array<i64: 1>} : (tensor<4xf32>, tensor<1xi32>) -> tensor<2xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %y: tensor<5xf32>, %i: tensor<i32>) {
  // expected-error@+1 {{update size 5 along axis 0 exceeds size 4}}
  %0 = nxv.dynamic_update_slice %x, %y, %i : (tensor<4xf32>, tensor<5xf32>, tensor<i32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %y: tensor<f32>, %i: tensor<i32>) {
  // expected-error@+1 {{update has rank 0, operand has rank 1}}
  %0 = nxv.dynamic_update_slice %x, %y, %i : (tensor<4xf32>, tensor<f32>, tensor<i32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %i: tensor<2x2xi32>) {
  // expected-error@+1 {{the last axis of the indices must have size 1}}
  %0 = nxv.gather %x, %i {axes = array<i64: 0>} : (tensor<4xf32>, tensor<2x2xi32>) -> tensor<2xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %i: tensor<2x1xi32>) {
  // expected-error@+1 {{result has shape [3], expected [2]}}
  %0 = nxv.gather %x, %i {axes = array<i64: 0>} : (tensor<4xf32>, tensor<2x1xi32>) -> tensor<3xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %i: tensor<2xi32>, %u: tensor<2xf32>) {
  // expected-error@+1 {{indices must have shape [n, 1]}}
  %0 = nxv.scatter add, %x, %i, %u {axes = array<i64: 0>} : (tensor<4xf32>, tensor<2xi32>, tensor<2xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %i: tensor<2x1xi32>, %u: tensor<3xf32>) {
  // expected-error@+1 {{updates must have rank 1 and 2 rows}}
  %0 = nxv.scatter put, %x, %i, %u {axes = array<i64: 0>} : (tensor<4xf32>, tensor<2x1xi32>, tensor<3xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4x3xf32>, %i: tensor<2x1xi32>, %u: tensor<2x5xf32>) {
  // expected-error@+1 {{updates' axis 1 of size 5 exceeds size 3}}
  %0 = nxv.scatter put, %x, %i, %u {axes = array<i64: 0>} : (tensor<4x3xf32>, tensor<2x1xi32>, tensor<2x5xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error@+1 {{cannot combine elements of type 'f32' with 'and'}}
  %0 = nxv.reduce and, %x {axes = array<i64: 0>} : (tensor<4xf32>) -> tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<4xi1>) {
  // expected-error@+1 {{cannot combine elements of type 'i1' with 'add'}}
  %0 = nxv.reduce add, %x {axes = array<i64: 0>} : (tensor<4xi1>) -> tensor<i1>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error@+1 {{result has shape [4], expected []}}
  %0 = nxv.reduce add, %x {axes = array<i64: 0>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<0xf32>) {
  // expected-error@+1 {{axis 0 has no elements}}
  %0 = nxv.argmax %x {axis = 0} : (tensor<0xf32>) -> tensor<i32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error@+1 {{axis 3 is not an axis of a rank-1 tensor}}
  %0 = nxv.argmin %x {axis = 3} : (tensor<4xf32>) -> tensor<i32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error@+1 {{window entries must be at least 1, got 0}}
  %0 = nxv.window_reduce add, %x {window = array<i64: 0>, strides = array<i64: 1>, dilations = array<i64: 1>, low = array<i64: 0>, high = array<i64: 0>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error@+1 {{window arithmetic overflows}}
  %0 = nxv.window_reduce add, %x {window = array<i64: 2>, strides = array<i64: 1>, dilations = array<i64: 1>, low = array<i64: 9223372036854775807>, high = array<i64: 0>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error@+1 {{result has shape [4], expected [3]}}
  %0 = nxv.window_reduce add, %x {window = array<i64: 2>, strides = array<i64: 1>, dilations = array<i64: 1>, low = array<i64: 0>, high = array<i64: 0>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %s: tensor<2xf32>, %i: tensor<f32>) {
  // expected-error@+1 {{kind must be 'max' or 'min'}}
  %0 = nxv.select_and_scatter add, %x, %s, %i {window = array<i64: 2>, strides = array<i64: 2>, low = array<i64: 0>, high = array<i64: 0>} : (tensor<4xf32>, tensor<2xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %s: tensor<3xf32>, %i: tensor<f32>) {
  // expected-error@+1 {{source has shape [3], expected [2]}}
  %0 = nxv.select_and_scatter max, %x, %s, %i {window = array<i64: 2>, strides = array<i64: 2>, low = array<i64: 0>, high = array<i64: 0>} : (tensor<4xf32>, tensor<3xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error@+1 {{cannot combine elements of type 'f32' with 'or'}}
  %0 = nxv.cumulative or, %x {axis = 0} : tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %y: tensor<5xf32>) {
  // expected-error@+1 {{contracted axes 0 and 0 have sizes 4 and 5}}
  %0 = nxv.dot_general %x, %y {lhsBatch = array<i64>, lhsContract = array<i64: 0>, rhsBatch = array<i64>, rhsContract = array<i64: 0>} : (tensor<4xf32>, tensor<5xf32>) -> tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %y: tensor<5xf32>) {
  // expected-error@+1 {{contracted axes differ in number: 1 and 0}}
  %0 = nxv.dot_general %x, %y {lhsBatch = array<i64>, lhsContract = array<i64: 0>, rhsBatch = array<i64>, rhsContract = array<i64>} : (tensor<4xf32>, tensor<5xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %y: tensor<5xf32>) {
  // expected-error@+1 {{lhs names axis 0 twice}}
  %0 = nxv.dot_general %x, %y {lhsBatch = array<i64: 0>, lhsContract = array<i64: 0>, rhsBatch = array<i64: 0>, rhsContract = array<i64: 0>} : (tensor<4xf32>, tensor<5xf32>) -> tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %y: tensor<5xf32>) {
  // expected-error@+1 {{result has shape [5, 4], expected [4, 5]}}
  %0 = nxv.dot_general %x, %y {lhsBatch = array<i64>, lhsContract = array<i64>, rhsBatch = array<i64>, rhsContract = array<i64>} : (tensor<4xf32>, tensor<5xf32>) -> tensor<5x4xf32>
  return
}

// -----

func.func @f(%x: tensor<1x2x5xf32>, %k: tensor<4x3x3xf32>) {
  // expected-error@+1 {{input has 2 channels in 1 groups, the kernel takes 3}}
  %0 = nxv.convolution %x, %k {strides = array<i64: 1>, low = array<i64: 0>, high = array<i64: 0>, inputDilation = array<i64: 1>, kernelDilation = array<i64: 1>, featureGroups = 1 : i64, batchGroups = 1 : i64} : (tensor<1x2x5xf32>, tensor<4x3x3xf32>) -> tensor<1x4x3xf32>
  return
}

// -----

func.func @f(%x: tensor<1x2x5xf32>, %k: tensor<4x2x3xf32>) {
  // expected-error@+1 {{group counts must be at least 1}}
  %0 = nxv.convolution %x, %k {strides = array<i64: 1>, low = array<i64: 0>, high = array<i64: 0>, inputDilation = array<i64: 1>, kernelDilation = array<i64: 1>, featureGroups = 0 : i64, batchGroups = 1 : i64} : (tensor<1x2x5xf32>, tensor<4x2x3xf32>) -> tensor<1x4x3xf32>
  return
}

// -----

func.func @f(%x: tensor<1x2x5xf32>, %k: tensor<4x2x3xf32>) {
  // expected-error@+1 {{groups either features or the batch, not both}}
  %0 = nxv.convolution %x, %k {strides = array<i64: 1>, low = array<i64: 0>, high = array<i64: 0>, inputDilation = array<i64: 1>, kernelDilation = array<i64: 1>, featureGroups = 2 : i64, batchGroups = 2 : i64} : (tensor<1x2x5xf32>, tensor<4x2x3xf32>) -> tensor<1x4x3xf32>
  return
}

// -----

func.func @f(%x: tensor<3x2x5xf32>, %k: tensor<4x2x3xf32>) {
  // expected-error@+1 {{batch size 3 does not divide into 2 groups}}
  %0 = nxv.convolution %x, %k {strides = array<i64: 1>, low = array<i64: 0>, high = array<i64: 0>, inputDilation = array<i64: 1>, kernelDilation = array<i64: 1>, featureGroups = 1 : i64, batchGroups = 2 : i64} : (tensor<3x2x5xf32>, tensor<4x2x3xf32>) -> tensor<1x4x3xf32>
  return
}

// -----

func.func @f(%x: tensor<1x4x5xf32>, %k: tensor<3x2x3xf32>) {
  // expected-error@+1 {{3 output channels do not divide into 2 groups}}
  %0 = nxv.convolution %x, %k {strides = array<i64: 1>, low = array<i64: 0>, high = array<i64: 0>, inputDilation = array<i64: 1>, kernelDilation = array<i64: 1>, featureGroups = 2 : i64, batchGroups = 1 : i64} : (tensor<1x4x5xf32>, tensor<3x2x3xf32>) -> tensor<1x3x3xf32>
  return
}

// -----

func.func @f(%x: tensor<1x2x5xf32>, %k: tensor<4x2x3xf32>) {
  // expected-error@+1 {{result has shape [1, 4, 4], expected [1, 4, 3]}}
  %0 = nxv.convolution %x, %k {strides = array<i64: 1>, low = array<i64: 0>, high = array<i64: 0>, inputDilation = array<i64: 1>, kernelDilation = array<i64: 1>, featureGroups = 1 : i64, batchGroups = 1 : i64} : (tensor<1x2x5xf32>, tensor<4x2x3xf32>) -> tensor<1x4x4xf32>
  return
}

// -----

func.func @f(%x: tensor<1x2x5xf32>, %k: tensor<4x2xf32>) {
  // expected-error@+1 {{input and kernel need the same rank, at least 2; they have 3 and 2}}
  %0 = nxv.convolution %x, %k {strides = array<i64: 1>, low = array<i64: 0>, high = array<i64: 0>, inputDilation = array<i64: 1>, kernelDilation = array<i64: 1>, featureGroups = 1 : i64, batchGroups = 1 : i64} : (tensor<1x2x5xf32>, tensor<4x2xf32>) -> tensor<1x4x4xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) {
  // expected-error@+1 {{a must be square in its last two axes}}
  %0 = nxv.triangular_solve %a, %b {lower = true, leftSide = true, transformA = #nxv<transform_a none>} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%a: tensor<3x3xf32>, %b: tensor<3xf32>) {
  // expected-error@+1 {{a and b need the same rank and batch axes}}
  %0 = nxv.triangular_solve %a, %b {lower = true, leftSide = true, transformA = #nxv<transform_a none>} : (tensor<3x3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @f(%a: tensor<3x3xf32>, %b: tensor<2x3xf32>) {
  // expected-error@+1 {{b has 2 rows for a system of size 3}}
  %0 = nxv.triangular_solve %a, %b {lower = true, leftSide = true, transformA = #nxv<transform_a none>} : (tensor<3x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%a: tensor<3x3xf32>, %b: tensor<3x2xf32>) {
  // expected-error@+1 {{b has 2 columns for a system of size 3}}
  %0 = nxv.triangular_solve %a, %b {lower = true, leftSide = false, transformA = #nxv<transform_a none>} : (tensor<3x3xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error@+1 {{axis 1 is not an axis of a rank-1 tensor}}
  %0 = nxv.sort %x {axis = 1} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error@+1 {{axis 1 is not an axis of a rank-1 tensor}}
  %0 = nxv.argsort %x {axis = 1} : (tensor<4xf32>) -> tensor<4xi32>
  return
}

// -----

func.func @f(%x: tensor<4xcomplex<f32>>) {
  // expected-error@+1 {{length must be at least 1}}
  %0 = nxv.fft %x {axis = 0, length = 0} : (tensor<4xcomplex<f32>>) -> tensor<0xcomplex<f32>>
  return
}

// -----

func.func @f(%x: tensor<4xcomplex<f32>>) {
  // expected-error@+1 {{result has shape [4], expected [8]}}
  %0 = nxv.fft %x {axis = 0, length = 8} : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @f(%x: tensor<f32>) {
  // expected-error@+1 {{condition must yield ('tensor<i1>'), yields ('tensor<f32>')}}
  %0 = nxv.while(%x) : tensor<f32> cond {
  ^bb0(%a: tensor<f32>):
    nxv.yield %a : tensor<f32>
  } do {
  ^bb0(%a: tensor<f32>):
    nxv.yield %a : tensor<f32>
  }
  return
}

// -----

func.func @f(%x: tensor<i1>) {
  // expected-error@+1 {{body must take ('tensor<i1>'), takes ('tensor<i1>', 'tensor<i1>')}}
  %0 = nxv.while(%x) : tensor<i1> cond {
  ^bb0(%a: tensor<i1>):
    nxv.yield %a : tensor<i1>
  } do {
  ^bb0(%a: tensor<i1>, %b: tensor<i1>):
    nxv.yield %a : tensor<i1>
  }
  return
}

// -----

func.func @f(%x: tensor<f32>) {
  // expected-error@+1 {{needs a predicate}}
  %0 = nxv.case() : () -> tensor<f32> {
    nxv.yield %x : tensor<f32>
  }
  return
}

// -----

func.func @f(%x: tensor<f32>, %p: tensor<2xi1>) {
  // expected-error@+1 {{predicate must be a scalar tensor}}
  %0 = nxv.case(%p) : (tensor<2xi1>) -> tensor<f32> {
    nxv.yield %x : tensor<f32>
  }, {
    nxv.yield %x : tensor<f32>
  }
  return
}

// -----

func.func @f(%x: tensor<f32>, %p: tensor<i1>) {
  // expected-error@+1 {{needs 2 branches, has 1}}
  %0 = nxv.case(%p) : (tensor<i1>) -> tensor<f32> {
    nxv.yield %x : tensor<f32>
  }
  return
}

// -----

func.func @f(%x: tensor<f32>, %p: tensor<i1>) {
  // expected-error@+1 {{branch must yield ('tensor<f32>'), yields ('tensor<i1>')}}
  %0 = nxv.case(%p) : (tensor<i1>) -> tensor<f32> {
    nxv.yield %x : tensor<f32>
  }, {
    nxv.yield %p : tensor<i1>
  }
  return
}

// -----

func.func @f(%x: tensor<f32>) {
  // expected-error@+1 {{body must yield ('tensor<f64>'), yields ('tensor<f32>')}}
  %0 = nxv.block "b"(%x) : (tensor<f32>) -> tensor<f64> {
  ^bb0(%a: tensor<f32>):
    nxv.yield %a : tensor<f32>
  }
  return
}

// -----

func.func @f(%x: tensor<f32>) {
  // expected-error@+1 {{body must end with 'nxv.yield'}}
  %0 = nxv.block "b"(%x) : (tensor<f32>) -> tensor<f32> {
  ^bb0(%a: tensor<f32>):
    "test.end"(%a) : (tensor<f32>) -> ()
  }
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %i: tensor<f64>) {
  // expected-error@+1 {{init has element type 'f64', expected 'f32'}}
  %0 = nxv.reduce_fn %x, %i {axes = array<i64: 0>} : (tensor<4xf32>, tensor<f64>) -> tensor<f32> {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    nxv.yield %a : tensor<f32>
  }
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %i: tensor<f32>) {
  // expected-error@+1 {{body must take ('tensor<f32>', 'tensor<f32>'), takes ('tensor<f32>')}}
  %0 = nxv.window_reduce_fn %x, %i {window = array<i64: 2>, strides = array<i64: 1>, dilations = array<i64: 1>, low = array<i64: 0>, high = array<i64: 0>} : (tensor<4xf32>, tensor<f32>) -> tensor<3xf32> {
  ^bb0(%a: tensor<f32>):
    nxv.yield %a : tensor<f32>
  }
  return
}

// -----

func.func @window_max_of_complex(%x: tensor<4xcomplex<f32>>) -> tensor<3xcomplex<f32>> {
  // expected-error@+1 {{cannot combine elements of type 'complex<f32>' with 'max'}}
  %0 = nxv.window_reduce max, %x {window = array<i64: 2>, strides = array<i64: 1>, dilations = array<i64: 1>, low = array<i64: 0>, high = array<i64: 0>} : (tensor<4xcomplex<f32>>) -> tensor<3xcomplex<f32>>
  return %0 : tensor<3xcomplex<f32>>
}
