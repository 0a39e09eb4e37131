// RUN: nxv-opt %s -nxv-to-linalg | FileCheck %s

// CHECK-LABEL: func @main
// CHECK: nxv.tap "all"(%{{.*}}) {nxv.elements = ["s32", "u8", "u8", "bf16", "c64"]}
// CHECK-SAME: tensor<i32>, tensor<i8>, tensor<i1>, tensor<bf16>, tensor<complex<f32>>
func.func @main(%a: tensor<i32>, %b: tensor<ui8>, %c: tensor<i1>, %d: tensor<bf16>, %e: tensor<complex<f32>>) -> tensor<i32> {
  %0:5 = nxv.tap "all"(%a, %b, %c, %d, %e) : tensor<i32>, tensor<ui8>, tensor<i1>, tensor<bf16>, tensor<complex<f32>>
  return %0#0 : tensor<i32>
}
