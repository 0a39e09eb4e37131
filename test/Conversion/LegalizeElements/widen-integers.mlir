// RUN: nxv-opt %s -split-input-file -nxv-widen-integers -canonicalize -verify-each | FileCheck %s

#id = affine_map<(d0) -> (d0)>

// Outside u4 is zero-extended, inside sign-extended.
// CHECK-LABEL: func @add
// CHECK-SAME: tensor<4xi8> {nxv.element = "u4"}) -> (tensor<4xi8> {nxv.element = "u4"})
// CHECK: arith.andi %{{.*}}, %c15_i8 : i8
// CHECK: arith.xori %{{.*}}, %c8_i8 : i8
// CHECK: arith.subi %{{.*}}, %c8_i8 : i8
// CHECK: %[[S:.*]] = arith.addi %{{.*}}, %{{.*}} : i8
// CHECK: %[[B:.*]] = arith.andi %[[S]], %c15_i8 : i8
// CHECK: %[[F:.*]] = arith.xori %[[B]], %c8_i8 : i8
// CHECK: arith.subi %[[F]], %c8_i8 : i8
// CHECK: arith.andi %{{.*}}, %c15_i8 : i8
func.func @add(%x: tensor<4xi4> {nxv.element = "u4"}) -> (tensor<4xi4> {nxv.element = "u4"}) {
  %e = tensor.empty() : tensor<4xi4>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<4xi4>) outs(%e : tensor<4xi4>) {
  ^bb0(%a: i4, %o: i4):
    %s = arith.addi %a, %a : i4
    linalg.yield %s : i4
  } -> tensor<4xi4>
  return %0 : tensor<4xi4>
}

// -----

#in = affine_map<(d0) -> (d0)>
#out = affine_map<(d0) -> ()>

// A sum is brought to form once.
// CHECK-LABEL: func @sum
// CHECK: iterator_types = ["reduction"]
// CHECK: %[[S:.*]] = arith.addi
// CHECK-NEXT: linalg.yield %[[S]] : i8
// CHECK: arith.xori
// CHECK-NOT: nxv.narrow
func.func @sum(%x: tensor<4xi2> {nxv.element = "s2"}) -> (tensor<i2> {nxv.element = "s2"}) {
  %i = arith.constant dense<0> : tensor<i2>
  %0 = linalg.generic {indexing_maps = [#in, #out], iterator_types = ["reduction"]}
      ins(%x : tensor<4xi2>) outs(%i : tensor<i2>) {
  ^bb0(%a: i2, %acc: i2):
    %s = arith.addi %a, %acc : i2
    linalg.yield %s : i2
  } -> tensor<i2>
  return %0 : tensor<i2>
}

// -----

#id = affine_map<(d0) -> (d0)>

// CHECK-LABEL: func @divide
// CHECK: %[[X:.*]] = arith.andi %{{.*}}, %c15_i8
// CHECK: arith.divui %[[X]], %c3_i8
func.func @divide(%x: tensor<4xi4> {nxv.element = "u4"}) -> tensor<4xi32> {
  %c3 = arith.constant 3 : i4
  %e = tensor.empty() : tensor<4xi32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<4xi4>) outs(%e : tensor<4xi32>) {
  ^bb0(%a: i4, %o: i32):
    %q = arith.divui %a, %c3 : i4
    %w = arith.extui %q : i4 to i32
    linalg.yield %w : i32
  } -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// -----

// CHECK-LABEL: func @literal
// CHECK: dense<[-1, 7]> : tensor<2xi8>
func.func @literal() -> tensor<2xi4> {
  %0 = arith.constant dense<[15, 7]> : tensor<2xi4>
  return %0 : tensor<2xi4>
}

// -----

// CHECK-LABEL: func @scatter
// CHECK: %[[R:.*]] = nxv.scatter add, {{.*}} tensor<4xi8>
// CHECK: ins(%[[R]]
// CHECK: arith.xori
func.func @scatter(%x: tensor<4xi4>, %i: tensor<1x1xi32>, %u: tensor<1xi4>) -> tensor<4xi4> {
  %0 = nxv.scatter add, %x, %i, %u {axes = array<i64: 0>} : (tensor<4xi4>, tensor<1x1xi32>, tensor<1xi4>) -> tensor<4xi4>
  return %0 : tensor<4xi4>
}

// -----

#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (k, n)>
#res = affine_map<(m, n, k) -> (m, n)>

// CHECK-LABEL: func @dot
// CHECK: %[[M:.*]] = arith.muli
// CHECK-NEXT: %[[S:.*]] = arith.addi %[[M]], %{{.*}} : i8
// CHECK-NEXT: linalg.yield %[[S]] : i8
func.func @dot(%x: tensor<4x5xi4>, %y: tensor<5x6xi4>) -> tensor<4x6xi4> {
  %i = arith.constant dense<0> : tensor<4x6xi4>
  %0 = linalg.generic {indexing_maps = [#lhs, #rhs, #res], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<4x5xi4>, tensor<5x6xi4>) outs(%i : tensor<4x6xi4>) {
  ^bb0(%a: i4, %b: i4, %acc: i4):
    %p = arith.muli %a, %b : i4
    %s = arith.addi %p, %acc : i4
    linalg.yield %s : i4
  } -> tensor<4x6xi4>
  return %0 : tensor<4x6xi4>
}
