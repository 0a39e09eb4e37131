// RUN: nxv-opt %s -nxv-expand-math -canonicalize | FileCheck %s
// The expansions of constants fold to the functions' values.

// CHECK-LABEL: func.func @exp_0
// CHECK:         arith.constant 2.71828182845904{{[0-9]+}} : f64
func.func @exp_0() -> f64 {
  %x = arith.constant 1.0 : f64
  %0 = math.exp %x : f64
  return %0 : f64
}

// CHECK-LABEL: func.func @exp_1
// CHECK:         arith.constant 3.72007597602083{{[0-9]+}}E-44 : f64
func.func @exp_1() -> f64 {
  %x = arith.constant -100.0 : f64
  %0 = math.exp %x : f64
  return %0 : f64
}

// CHECK-LABEL: func.func @expm1_2
// CHECK:         arith.constant 0.00100050016670834{{[0-9]+}} : f64
func.func @expm1_2() -> f64 {
  %x = arith.constant 1.0e-3 : f64
  %0 = math.expm1 %x : f64
  return %0 : f64
}

// CHECK-LABEL: func.func @log_3
// CHECK:         arith.constant 2.30258509299404{{[0-9]+}} : f64
func.func @log_3() -> f64 {
  %x = arith.constant 10.0 : f64
  %0 = math.log %x : f64
  return %0 : f64
}

// CHECK-LABEL: func.func @log1p_4
// CHECK:         arith.constant -0.28768207245178{{[0-9]+}} : f64
func.func @log1p_4() -> f64 {
  %x = arith.constant -0.25 : f64
  %0 = math.log1p %x : f64
  return %0 : f64
}

// CHECK-LABEL: func.func @tanh_5
// CHECK:         arith.constant 0.29131261245159{{[0-9]+}} : f64
func.func @tanh_5() -> f64 {
  %x = arith.constant 0.3 : f64
  %0 = math.tanh %x : f64
  return %0 : f64
}

// CHECK-LABEL: func.func @tanh_6
// CHECK:         arith.constant -0.96402758007581{{[0-9]+}} : f64
func.func @tanh_6() -> f64 {
  %x = arith.constant -2.0 : f64
  %0 = math.tanh %x : f64
  return %0 : f64
}

// CHECK-LABEL: func.func @sigmoid_7
// CHECK:         arith.constant 0.0474258731775667{{[0-9]+}} : f64
func.func @sigmoid_7() -> f64 {
  %x = arith.constant -3.0 : f64
  %0 = nxv.sigmoid %x : f64
  return %0 : f64
}

// CHECK-LABEL: func.func @erf_8
// CHECK:         arith.constant 0.520499877813046{{[0-9]+}} : f64
func.func @erf_8() -> f64 {
  %x = arith.constant 0.5 : f64
  %0 = math.erf %x : f64
  return %0 : f64
}

// CHECK-LABEL: func.func @erf_9
// CHECK:         arith.constant 0.995322265018952{{[0-9]+}} : f64
func.func @erf_9() -> f64 {
  %x = arith.constant 2.0 : f64
  %0 = math.erf %x : f64
  return %0 : f64
}

// CHECK-LABEL: func.func @erfc_10
// CHECK:         arith.constant 2.20904969985854{{[0-9]+}}E-5 : f64
func.func @erfc_10() -> f64 {
  %x = arith.constant 3.0 : f64
  %0 = math.erfc %x : f64
  return %0 : f64
}

// CHECK-LABEL: func.func @sin_11
// CHECK:         arith.constant 0.84147098480789{{[0-9]+}} : f64
func.func @sin_11() -> f64 {
  %x = arith.constant 1.0 : f64
  %0 = math.sin %x : f64
  return %0 : f64
}

// CHECK-LABEL: func.func @cos_12
// CHECK:         arith.constant -0.975682199885750{{[0-9]+}} : f64
func.func @cos_12() -> f64 {
  %x = arith.constant 3000.0 : f64
  %0 = math.cos %x : f64
  return %0 : f64
}

// CHECK-LABEL: func.func @tan_13
// CHECK:         arith.constant -0.842288380463079{{[0-9]+}} : f64
func.func @tan_13() -> f64 {
  %x = arith.constant -0.7 : f64
  %0 = math.tan %x : f64
  return %0 : f64
}

// CHECK-LABEL: func.func @atan_14
// CHECK:         arith.constant 1.37340076694501{{[0-9]+}} : f64
func.func @atan_14() -> f64 {
  %x = arith.constant 5.0 : f64
  %0 = math.atan %x : f64
  return %0 : f64
}

// CHECK-LABEL: func.func @sinh_15
// CHECK:         arith.constant 6.05020448103978{{[0-9]+}} : f64
func.func @sinh_15() -> f64 {
  %x = arith.constant 2.5 : f64
  %0 = math.sinh %x : f64
  return %0 : f64
}

// CHECK-LABEL: func.func @cosh_16
// CHECK:         arith.constant 6.13228947966368{{[0-9]+}} : f64
func.func @cosh_16() -> f64 {
  %x = arith.constant 2.5 : f64
  %0 = math.cosh %x : f64
  return %0 : f64
}

// CHECK-LABEL: func.func @cbrt_17
// CHECK:         arith.constant 3.000000e+00 : f64
func.func @cbrt_17() -> f64 {
  %x = arith.constant 27.0 : f64
  %0 = math.cbrt %x : f64
  return %0 : f64
}

// CHECK-LABEL: func.func @log2_18
// CHECK:         arith.constant 3.000000e+00 : f64
func.func @log2_18() -> f64 {
  %x = arith.constant 8.0 : f64
  %0 = math.log2 %x : f64
  return %0 : f64
}

// CHECK-LABEL: func.func @log10_19
// CHECK:         arith.constant 3.000000e+00 : f64
func.func @log10_19() -> f64 {
  %x = arith.constant 1000.0 : f64
  %0 = math.log10 %x : f64
  return %0 : f64
}
