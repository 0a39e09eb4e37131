// RUN: nxv-opt %s -split-input-file -nxv-split-complex -canonicalize -cse -verify-each | FileCheck %s

#id = affine_map<(d0) -> (d0)>

// The boundary keeps the memory of complex numbers.
// CHECK-DAG: #[[RE:.*]] = affine_map<(d0) -> (d0, 0)>
// CHECK-DAG: #[[IM:.*]] = affine_map<(d0) -> (d0, 1)>
// CHECK-LABEL: func @conjugate
// CHECK-SAME: %[[X:.*]]: tensor<4x2xf32> {nxv.element = "c64"}) -> (tensor<4x2xf32> {nxv.element = "c64"})
// CHECK: linalg.generic {indexing_maps = [#[[RE]], #[[IM]], {{.*}}ins(%[[X]], %[[X]]
// CHECK: %[[C:.*]]:2 = linalg.generic
// CHECK: arith.negf
// CHECK: ins(%[[C]]#0, %[[C]]#1
// CHECK: linalg.index 1
// CHECK: arith.select
func.func @conjugate(%x: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  %e = tensor.empty() : tensor<4xcomplex<f32>>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<4xcomplex<f32>>) outs(%e : tensor<4xcomplex<f32>>) {
  ^bb0(%z: complex<f32>, %o: complex<f32>):
    %re = complex.re %z : complex<f32>
    %im = complex.im %z : complex<f32>
    %n = arith.negf %im : f32
    %c = complex.create %re, %n : complex<f32>
    linalg.yield %c : complex<f32>
  } -> tensor<4xcomplex<f32>>
  return %0 : tensor<4xcomplex<f32>>
}

// -----

#in = affine_map<(d0) -> (d0)>
#out = affine_map<(d0) -> ()>

// The parts of a sum do not meet: two reductions.
// CHECK-LABEL: func @sum
// CHECK: linalg.generic {{.*}}"reduction"
// CHECK: linalg.yield %{{[^,]*}} : f64
// CHECK: linalg.generic {{.*}}"reduction"
// CHECK: linalg.yield %{{[^,]*}} : f64
func.func @sum(%x: tensor<4xcomplex<f64>>) -> tensor<complex<f64>> {
  %i = arith.constant dense<(0.0, 0.0)> : tensor<complex<f64>>
  %0 = linalg.generic {indexing_maps = [#in, #out], iterator_types = ["reduction"]}
      ins(%x : tensor<4xcomplex<f64>>) outs(%i : tensor<complex<f64>>) {
  ^bb0(%z: complex<f64>, %a: complex<f64>):
    %zr = complex.re %z : complex<f64>
    %zi = complex.im %z : complex<f64>
    %ar = complex.re %a : complex<f64>
    %ai = complex.im %a : complex<f64>
    %r = arith.addf %zr, %ar : f64
    %j = arith.addf %zi, %ai : f64
    %c = complex.create %r, %j : complex<f64>
    linalg.yield %c : complex<f64>
  } -> tensor<complex<f64>>
  return %0 : tensor<complex<f64>>
}

// -----

#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (k, n)>
#res = affine_map<(m, n, k) -> (m, n)>

// Four contractions of real numbers, a difference and a sum.
// CHECK-LABEL: func @dot
// CHECK-COUNT-4: iterator_types = ["parallel", "parallel", "reduction"]
// CHECK-NOT: "reduction"
func.func @dot(%x: tensor<4x5xcomplex<f32>>, %y: tensor<5x6xcomplex<f32>>) -> tensor<4x6xcomplex<f32>> {
  %i = arith.constant dense<(0.0, 0.0)> : tensor<4x6xcomplex<f32>>
  %0 = linalg.generic {indexing_maps = [#lhs, #rhs, #res], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<4x5xcomplex<f32>>, tensor<5x6xcomplex<f32>>) outs(%i : tensor<4x6xcomplex<f32>>) {
  ^bb0(%p: complex<f32>, %q: complex<f32>, %a: complex<f32>):
    %pr = complex.re %p : complex<f32>
    %pi = complex.im %p : complex<f32>
    %qr = complex.re %q : complex<f32>
    %qi = complex.im %q : complex<f32>
    %ar = complex.re %a : complex<f32>
    %ai = complex.im %a : complex<f32>
    %rr = arith.mulf %pr, %qr : f32
    %ii = arith.mulf %pi, %qi : f32
    %ri = arith.mulf %pr, %qi : f32
    %ir = arith.mulf %pi, %qr : f32
    %re = arith.subf %rr, %ii : f32
    %im = arith.addf %ri, %ir : f32
    %sr = arith.addf %re, %ar : f32
    %si = arith.addf %im, %ai : f32
    %c = complex.create %sr, %si : complex<f32>
    linalg.yield %c : complex<f32>
  } -> tensor<4x6xcomplex<f32>>
  return %0 : tensor<4x6xcomplex<f32>>
}

// -----

// CHECK-LABEL: func @literal
// CHECK-DAG: dense<[1.000000e+00, 3.000000e+00]>
// CHECK-DAG: dense<[2.000000e+00, 4.000000e+00]>
func.func @literal() -> tensor<2xcomplex<f32>> {
  %0 = arith.constant dense<[(1.0, 2.0), (3.0, 4.0)]> : tensor<2xcomplex<f32>>
  return %0 : tensor<2xcomplex<f32>>
}

// -----

// CHECK-LABEL: func @loop
// CHECK: nxv.while(%{{.*}}, %{{.*}}) : tensor<f32>, tensor<f32>
// CHECK: ^bb0(%{{.*}}: tensor<f32>, %{{.*}}: tensor<f32>):
func.func @loop(%x: tensor<complex<f32>>) -> tensor<complex<f32>> {
  %0 = nxv.while(%x) : tensor<complex<f32>> cond {
  ^bb0(%s: tensor<complex<f32>>):
    %no = arith.constant dense<false> : tensor<i1>
    nxv.yield %no : tensor<i1>
  } do {
  ^bb0(%s: tensor<complex<f32>>):
    nxv.yield %s : tensor<complex<f32>>
  }
  return %0 : tensor<complex<f32>>
}
