// RUN: nxv-opt %s -nxv-expand-math -split-input-file -verify-diagnostics | FileCheck %s
// RUN: nxv-opt %s -nxv-expand-math -nxv-expand-math -split-input-file -verify-diagnostics | FileCheck %s
// RUN: nxv-opt %s -nxv-expand-math=fast -split-input-file -verify-diagnostics | FileCheck %s --check-prefix=FAST

// CHECK-LABEL: func.func @trunc
// CHECK-SAME:    %[[X:.*]]: f32
func.func @trunc(%x: f32) -> f32 {
  // CHECK:      %[[ABS:.*]] = math.absf %[[X]] : f32
  // CHECK-NEXT: %[[FLOOR:.*]] = math.floor %[[ABS]] : f32
  // CHECK-NEXT: %[[SIGNED:.*]] = arith.bitcast %[[X]] : f32 to i32
  // CHECK-NEXT: %[[MASK:.*]] = arith.constant -2147483648 : i32
  // CHECK-NEXT: %[[SIGN:.*]] = arith.andi %[[SIGNED]], %[[MASK]] : i32
  // CHECK-NEXT: %[[BITS:.*]] = arith.bitcast %[[FLOOR]] : f32 to i32
  // CHECK-NEXT: %[[OR:.*]] = arith.ori %[[BITS]], %[[SIGN]] : i32
  // CHECK-NEXT: arith.bitcast %[[OR]] : i32 to f32
  %0 = math.trunc %x : f32
  return %0 : f32
}

// -----

// The rare reduction of a large argument is a branch, taken if any lane needs
// it.
// CHECK-LABEL: func.func @sin_vector
// CHECK:         vector.extract
// CHECK:         arith.ori
// CHECK:         scf.if %{{.*}} -> (vector<2xi64>, vector<2xf64>, vector<2xf64>)
// CHECK-NOT:     math.sin
func.func @sin_vector(%x: vector<2xf64>) -> vector<2xf64> {
  %0 = math.sin %x : vector<2xf64>
  return %0 : vector<2xf64>
}

// -----

// CHECK-LABEL: func.func @narrow
// CHECK-SAME:    %[[X:.*]]: vector<4xbf16>
// CHECK:         arith.extf %[[X]] : vector<4xbf16> to vector<4xf32>
// CHECK:         arith.truncf %{{.*}} : vector<4xf32> to vector<4xbf16>
func.func @narrow(%x: vector<4xbf16>) -> vector<4xbf16> {
  %0 = math.tanh %x : vector<4xbf16>
  return %0 : vector<4xbf16>
}

// -----

// The device's reciprocal square root only starts the iteration.
// CHECK-LABEL: func.func @sqrt
// CHECK:         math.rsqrt %{{.*}} {nxv.native} : f32
// CHECK-NOT:     math.sqrt
// FAST-LABEL:  func.func @sqrt
// FAST:          math.sqrt %{{.*}} {nxv.native} : f32
func.func @sqrt(%x: f32) -> f32 {
  %0 = math.sqrt %x : f32
  return %0 : f32
}

// -----

// No device has functions of f64.
// FAST-LABEL: func.func @fast_f64
// FAST-NOT:     math.exp
// FAST:         return
func.func @fast_f64(%x: f64) -> f64 {
  %0 = math.exp %x : f64
  return %0 : f64
}

// -----

// CHECK-LABEL: func.func @constant_powers
// CHECK-SAME:    %[[X:.*]]: f32, %[[N:.*]]: i32
// CHECK:         %[[SQUARE:.*]] = arith.mulf %[[X]], %[[X]]
// CHECK-NEXT:    %[[N2:.*]] = arith.muli %[[N]], %[[N]]
// CHECK-NEXT:    %[[N3:.*]] = arith.muli %[[N]], %[[N2]]
// CHECK-NEXT:    return %[[SQUARE]], %[[N3]]
func.func @constant_powers(%x: f32, %n: i32) -> (f32, i32) {
  %two = arith.constant 2.0 : f32
  %three = arith.constant 3 : i32
  %0 = math.powf %x, %two : f32
  %1 = math.ipowi %n, %three : i32
  return %0, %1 : f32, i32
}

// -----

func.func @tensor(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{cannot be expanded for type 'tensor<4xf32>'}}
  %0 = math.exp %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @wide(%x: f128) -> f128 {
  // expected-error@+1 {{cannot be expanded for type 'f128'}}
  %0 = math.tanh %x : f128
  return %0 : f128
}

// -----

func.func @scalable(%x: vector<[4]xf32>) -> vector<[4]xf32> {
  // expected-error@+1 {{cannot be expanded for type 'vector<[4]xf32>'}}
  %0 = math.tanh %x : vector<[4]xf32>
  return %0 : vector<[4]xf32>
}

// -----

func.func @odd_width(%x: i48) -> i48 {
  // expected-error@+1 {{cannot be expanded for type 'i48'}}
  %0 = math.ctpop %x : i48
  return %0 : i48
}

// -----

// Nothing of these is left.
// CHECK-LABEL: func.func @all_f32
// CHECK-NOT: {{(math\.(a?(sin|cos|tan)|cbrt|erf|exp|log|sqrt|pow|copysign|round|trunc)|nxv\.(sigmoid|erf_inv)|(maximum|minimum|rem)f )}}
// CHECK: return
func.func @all_f32(%x: f32, %y: f32) -> f32 {
  %0 = math.acos %x : f32
  %1 = math.acosh %0 : f32
  %2 = math.asin %1 : f32
  %3 = math.asinh %2 : f32
  %4 = math.atan %3 : f32
  %5 = math.atanh %4 : f32
  %6 = math.cbrt %5 : f32
  %7 = math.cos %6 : f32
  %8 = math.cosh %7 : f32
  %9 = math.erf %8 : f32
  %10 = math.erfc %9 : f32
  %11 = math.exp %10 : f32
  %12 = math.exp2 %11 : f32
  %13 = math.expm1 %12 : f32
  %14 = math.log %13 : f32
  %15 = math.log10 %14 : f32
  %16 = math.log1p %15 : f32
  %17 = math.log2 %16 : f32
  %18 = math.sin %17 : f32
  %19 = math.sinh %18 : f32
  %20 = math.sqrt %19 : f32
  %21 = math.tan %20 : f32
  %22 = math.tanh %21 : f32
  %23 = math.round %22 : f32
  %24 = nxv.sigmoid %23 : f32
  %25 = nxv.erf_inv %24 : f32
  %26 = math.powf %25, %y : f32
  %27 = math.atan2 %26, %y : f32
  %28 = math.copysign %27, %y : f32
  %29 = arith.maximumf %28, %y : f32
  %30 = arith.minimumf %29, %y : f32
  %31 = arith.remf %30, %y : f32
  return %31 : f32
}

// -----

// Nothing of these is left.
// CHECK-LABEL: func.func @all_vector_4xf64
// CHECK-NOT: {{(math\.(a?(sin|cos|tan)|cbrt|erf|exp|log|sqrt|pow|copysign|round|trunc)|nxv\.(sigmoid|erf_inv)|(maximum|minimum|rem)f )}}
// CHECK: return
func.func @all_vector_4xf64(%x: vector<4xf64>, %y: vector<4xf64>) -> vector<4xf64> {
  %0 = math.acos %x : vector<4xf64>
  %1 = math.acosh %0 : vector<4xf64>
  %2 = math.asin %1 : vector<4xf64>
  %3 = math.asinh %2 : vector<4xf64>
  %4 = math.atan %3 : vector<4xf64>
  %5 = math.atanh %4 : vector<4xf64>
  %6 = math.cbrt %5 : vector<4xf64>
  %7 = math.cos %6 : vector<4xf64>
  %8 = math.cosh %7 : vector<4xf64>
  %9 = math.erf %8 : vector<4xf64>
  %10 = math.erfc %9 : vector<4xf64>
  %11 = math.exp %10 : vector<4xf64>
  %12 = math.exp2 %11 : vector<4xf64>
  %13 = math.expm1 %12 : vector<4xf64>
  %14 = math.log %13 : vector<4xf64>
  %15 = math.log10 %14 : vector<4xf64>
  %16 = math.log1p %15 : vector<4xf64>
  %17 = math.log2 %16 : vector<4xf64>
  %18 = math.sin %17 : vector<4xf64>
  %19 = math.sinh %18 : vector<4xf64>
  %20 = math.sqrt %19 : vector<4xf64>
  %21 = math.tan %20 : vector<4xf64>
  %22 = math.tanh %21 : vector<4xf64>
  %23 = math.round %22 : vector<4xf64>
  %24 = nxv.sigmoid %23 : vector<4xf64>
  %25 = nxv.erf_inv %24 : vector<4xf64>
  %26 = math.powf %25, %y : vector<4xf64>
  %27 = math.atan2 %26, %y : vector<4xf64>
  %28 = math.copysign %27, %y : vector<4xf64>
  %29 = arith.maximumf %28, %y : vector<4xf64>
  %30 = arith.minimumf %29, %y : vector<4xf64>
  %31 = arith.remf %30, %y : vector<4xf64>
  return %31 : vector<4xf64>
}

// -----

// Nothing of these is left.
// CHECK-LABEL: func.func @all_f16
// CHECK-NOT: {{(math\.(a?(sin|cos|tan)|cbrt|erf|exp|log|sqrt|pow|copysign|round|trunc)|nxv\.(sigmoid|erf_inv)|(maximum|minimum|rem)f )}}
// CHECK: return
func.func @all_f16(%x: f16, %y: f16) -> f16 {
  %0 = math.acos %x : f16
  %1 = math.acosh %0 : f16
  %2 = math.asin %1 : f16
  %3 = math.asinh %2 : f16
  %4 = math.atan %3 : f16
  %5 = math.atanh %4 : f16
  %6 = math.cbrt %5 : f16
  %7 = math.cos %6 : f16
  %8 = math.cosh %7 : f16
  %9 = math.erf %8 : f16
  %10 = math.erfc %9 : f16
  %11 = math.exp %10 : f16
  %12 = math.exp2 %11 : f16
  %13 = math.expm1 %12 : f16
  %14 = math.log %13 : f16
  %15 = math.log10 %14 : f16
  %16 = math.log1p %15 : f16
  %17 = math.log2 %16 : f16
  %18 = math.sin %17 : f16
  %19 = math.sinh %18 : f16
  %20 = math.sqrt %19 : f16
  %21 = math.tan %20 : f16
  %22 = math.tanh %21 : f16
  %23 = math.round %22 : f16
  %24 = nxv.sigmoid %23 : f16
  %25 = nxv.erf_inv %24 : f16
  %26 = math.powf %25, %y : f16
  %27 = math.atan2 %26, %y : f16
  %28 = math.copysign %27, %y : f16
  %29 = arith.maximumf %28, %y : f16
  %30 = arith.minimumf %29, %y : f16
  %31 = arith.remf %30, %y : f16
  return %31 : f16
}

// -----

// CHECK-LABEL: func.func @integers
// CHECK-NOT:   {{ctpop|cttz|ipowi|floordivsi|ceildiv}}
// CHECK:       return
func.func @integers(%x: vector<4xi8>, %y: vector<4xi8>) -> vector<4xi8> {
  %0 = math.ctpop %x : vector<4xi8>
  %1 = math.cttz %0 : vector<4xi8>
  %2 = math.ctlz %1 : vector<4xi8>
  %3 = math.ipowi %2, %y : vector<4xi8>
  %4 = arith.floordivsi %3, %y : vector<4xi8>
  %5 = arith.ceildivsi %4, %y : vector<4xi8>
  %6 = arith.ceildivui %5, %y : vector<4xi8>
  return %6 : vector<4xi8>
}

// -----

// CHECK-LABEL: func.func @classify
// CHECK-NOT:   math.
// CHECK:       return
func.func @classify(%x: f64) -> (i1, i1, i1, i1) {
  %0 = math.isnan %x : f64
  %1 = math.isinf %x : f64
  %2 = math.isfinite %x : f64
  %3 = math.isnormal %x : f64
  return %0, %1, %2, %3 : i1, i1, i1, i1
}

// -----

// A literal 0 loses NaN on some drivers, -0 does not.

// CHECK-LABEL: func.func @product_with_zero
// CHECK-DAG:   %[[ZERO:.*]] = arith.constant -0.000000e+00 : f32
// CHECK-DAG:   %[[ZEROS:.*]] = arith.constant dense<-0.000000e+00> : vector<2xf16>
// CHECK-DAG:   %[[X:.*]] = arith.negf %{{.*}} : f32
// CHECK-DAG:   %[[Y:.*]] = arith.negf %{{.*}} : vector<2xf16>
// CHECK-DAG:   arith.mulf %[[X]], %[[ZERO]] : f32
// CHECK-DAG:   arith.mulf %[[Y]], %[[ZEROS]] : vector<2xf16>
func.func @product_with_zero(%x: f32, %y: vector<2xf16>) -> (f32, vector<2xf16>) {
  %zero = arith.constant 0.0 : f32
  %zeros = arith.constant dense<0.0> : vector<2xf16>
  %0 = arith.mulf %zero, %x : f32
  %1 = arith.mulf %y, %zeros : vector<2xf16>
  return %0, %1 : f32, vector<2xf16>
}

// A divisor that may be beyond 2^126 takes a division of quarters there.
// CHECK-LABEL: func @divide(
// CHECK: %[[SIZE:.*]] = math.absf %arg1 : vector<2xf32>
// CHECK: %[[HUGE:.*]] = arith.cmpf ogt, %[[SIZE]], %{{.*}} : vector<2xf32>
// CHECK: %[[SCALE:.*]] = arith.select %[[HUGE]]
// CHECK: %[[X:.*]] = arith.mulf %arg0, %[[SCALE]]
// CHECK: %[[Y:.*]] = arith.mulf %arg1, %[[SCALE]]
// CHECK: arith.divf %[[X]], %[[Y]] {nxv.native} : vector<2xf32>
func.func @divide(%x: vector<2xf32>, %y: vector<2xf32>) -> vector<2xf32> {
  %0 = arith.divf %x, %y : vector<2xf32>
  return %0 : vector<2xf32>
}

// CHECK-LABEL: func @divide_by_three(
// CHECK-NOT: arith.select
// CHECK: arith.divf %arg0
func.func @divide_by_three(%x: f32) -> f32 {
  %three = arith.constant 3.0 : f32
  %0 = arith.divf %x, %three : f32
  return %0 : f32
}

// Dividing by a power of two is multiplying by its inverse, where that is a
// normal number.

// CHECK-LABEL: func.func @divide_by_powers
// CHECK: %[[HALF:.+]] = arith.constant 5.000000e-01 : f64
// CHECK: arith.mulf %arg0, %[[HALF]] : f64
// CHECK: %[[FOUR:.+]] = arith.constant dense<4.000000e+00> : vector<4xf32>
// CHECK: arith.mulf %arg1, %[[FOUR]] : vector<4xf32>
// CHECK: arith.divf %arg0, %{{.*}} : f64
// CHECK: arith.divf %arg0, %{{.*}} : f64
func.func @divide_by_powers(%x: f64, %y: vector<4xf32>) -> (f64, vector<4xf32>, f64, f64) {
  %two = arith.constant 2.0 : f64
  %quarter = arith.constant dense<0.25> : vector<4xf32>
  %three = arith.constant 3.0 : f64
  %huge = arith.constant 0x7FE0000000000000 : f64
  %0 = arith.divf %x, %two : f64
  %1 = arith.divf %y, %quarter : vector<4xf32>
  %2 = arith.divf %x, %three : f64
  %3 = arith.divf %x, %huge : f64
  return %0, %1, %2, %3 : f64, vector<4xf32>, f64, f64
}
