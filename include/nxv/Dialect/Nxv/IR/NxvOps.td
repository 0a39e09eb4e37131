//===- NxvOps.td - operations of the nxv dialect -----------*- tablegen -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_DIALECT_NXV_IR_NXVOPS_TD
#define NXV_DIALECT_NXV_IR_NXVOPS_TD

include "nxv/Dialect/Nxv/IR/NxvAttrs.td"
include "nxv/Dialect/Nxv/IR/NxvBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

//===----------------------------------------------------------------------===//
// Unary element-wise operations
//===----------------------------------------------------------------------===//

class Nxv_UnaryOp<string mnemonic, Type type, list<Trait> traits = []>
    : Nxv_Op<mnemonic, !listconcat(
          [Pure, Elementwise, SameOperandsAndResultType], traits)> {
  let arguments = (ins type:$operand);
  let results = (outs type:$result);
  let assemblyFormat = "$operand attr-dict `:` type($result)";
}

def Nxv_NegateOp : Nxv_UnaryOp<"negate", Nxv_NumberTensor> {
  let summary = "negation";
  let description = [{
    `-x`; integers wrap modulo 2^n.

    ```mlir
    %1 = nxv.negate %0 : tensor<4xf32>
    ```
  }];
}

def Nxv_SignOp : Nxv_UnaryOp<"sign", Nxv_NumberTensor> {
  let summary = "sign";
  let description = [{
    -1, 0 or 1; a zero keeps its sign, NaN stays NaN; complex: `x / |x|`, 0 for 0.

    ```mlir
    %1 = nxv.sign %0 : tensor<4xf32>
    ```
  }];
}

def Nxv_FloorOp : Nxv_UnaryOp<"floor", Nxv_FloatTensor> {
  let summary = "round toward -inf";
  let description = [{
    NaN and infinities pass through.

    ```mlir
    %1 = nxv.floor %0 : tensor<4xf32>
    ```
  }];
}

def Nxv_CeilOp : Nxv_UnaryOp<"ceil", Nxv_FloatTensor> {
  let summary = "round toward +inf";
  let description = [{
    NaN and infinities pass through.

    ```mlir
    %1 = nxv.ceil %0 : tensor<4xf32>
    ```
  }];
}

def Nxv_RoundOp : Nxv_UnaryOp<"round", Nxv_FloatTensor> {
  let summary = "round to nearest, halves away from zero";
  let description = [{
    NaN and infinities pass through.

    ```mlir
    %1 = nxv.round %0 : tensor<4xf32>
    ```
  }];
}

def Nxv_ExpOp : Nxv_UnaryOp<"exp", Nxv_FloatOrComplexLike> {
  let summary = "e^x";
  let description = [{
    E^x. Special cases as C99; never raises.

    ```mlir
    %1 = nxv.exp %0 : tensor<4xf32>
    ```
  }];
}

def Nxv_Expm1Op : Nxv_UnaryOp<"expm1", Nxv_FloatOrComplexLike> {
  let summary = "e^x - 1, exact near 0";
  let description = [{
    E^x - 1, exact near 0. Special cases as C99; never raises.

    ```mlir
    %1 = nxv.expm1 %0 : tensor<4xf32>
    ```
  }];
}

def Nxv_LogOp : Nxv_UnaryOp<"log", Nxv_FloatOrComplexLike> {
  let summary = "natural logarithm";
  let description = [{
    Natural logarithm; log(0) = -inf, log of a negative real is NaN. Special cases as C99; never raises.

    ```mlir
    %1 = nxv.log %0 : tensor<4xf32>
    ```
  }];
}

def Nxv_Log1pOp : Nxv_UnaryOp<"log1p", Nxv_FloatOrComplexLike> {
  let summary = "log(1 + x), exact near 0";
  let description = [{
    Log(1 + x), exact near 0. Special cases as C99; never raises.

    ```mlir
    %1 = nxv.log1p %0 : tensor<4xf32>
    ```
  }];
}

def Nxv_SigmoidOp : Nxv_UnaryOp<"sigmoid", Nxv_FloatOrComplexLike> {
  let summary = "1 / (1 + e^-x)";
  let description = [{
    1 / (1 + e^-x). Special cases as C99; never raises.

    ```mlir
    %1 = nxv.sigmoid %0 : tensor<4xf32>
    ```
  }];
}

def Nxv_SinOp : Nxv_UnaryOp<"sin", Nxv_FloatOrComplexLike> {
  let summary = "sine";
  let description = [{
    Sine. Special cases as C99; never raises.

    ```mlir
    %1 = nxv.sin %0 : tensor<4xf32>
    ```
  }];
}

def Nxv_CosOp : Nxv_UnaryOp<"cos", Nxv_FloatOrComplexLike> {
  let summary = "cosine";
  let description = [{
    Cosine. Special cases as C99; never raises.

    ```mlir
    %1 = nxv.cos %0 : tensor<4xf32>
    ```
  }];
}

def Nxv_TanOp : Nxv_UnaryOp<"tan", Nxv_FloatOrComplexLike> {
  let summary = "tangent";
  let description = [{
    Tangent. Special cases as C99; never raises.

    ```mlir
    %1 = nxv.tan %0 : tensor<4xf32>
    ```
  }];
}

def Nxv_SinhOp : Nxv_UnaryOp<"sinh", Nxv_FloatOrComplexLike> {
  let summary = "hyperbolic sine";
  let description = [{
    Hyperbolic sine. Special cases as C99; never raises.

    ```mlir
    %1 = nxv.sinh %0 : tensor<4xf32>
    ```
  }];
}

def Nxv_CoshOp : Nxv_UnaryOp<"cosh", Nxv_FloatOrComplexLike> {
  let summary = "hyperbolic cosine";
  let description = [{
    Hyperbolic cosine. Special cases as C99; never raises.

    ```mlir
    %1 = nxv.cosh %0 : tensor<4xf32>
    ```
  }];
}

def Nxv_TanhOp : Nxv_UnaryOp<"tanh", Nxv_FloatOrComplexLike> {
  let summary = "hyperbolic tangent";
  let description = [{
    Hyperbolic tangent. Special cases as C99; never raises.

    ```mlir
    %1 = nxv.tanh %0 : tensor<4xf32>
    ```
  }];
}

def Nxv_AsinOp : Nxv_UnaryOp<"asin", Nxv_FloatOrComplexLike> {
  let summary = "arc sine";
  let description = [{
    Arc sine. Special cases as C99; never raises.

    ```mlir
    %1 = nxv.asin %0 : tensor<4xf32>
    ```
  }];
}

def Nxv_AcosOp : Nxv_UnaryOp<"acos", Nxv_FloatOrComplexLike> {
  let summary = "arc cosine";
  let description = [{
    Arc cosine. Special cases as C99; never raises.

    ```mlir
    %1 = nxv.acos %0 : tensor<4xf32>
    ```
  }];
}

def Nxv_AtanOp : Nxv_UnaryOp<"atan", Nxv_FloatOrComplexLike> {
  let summary = "arc tangent";
  let description = [{
    Arc tangent. Special cases as C99; never raises.

    ```mlir
    %1 = nxv.atan %0 : tensor<4xf32>
    ```
  }];
}

def Nxv_AsinhOp : Nxv_UnaryOp<"asinh", Nxv_FloatOrComplexLike> {
  let summary = "inverse hyperbolic sine";
  let description = [{
    Inverse hyperbolic sine. Special cases as C99; never raises.

    ```mlir
    %1 = nxv.asinh %0 : tensor<4xf32>
    ```
  }];
}

def Nxv_AcoshOp : Nxv_UnaryOp<"acosh", Nxv_FloatOrComplexLike> {
  let summary = "inverse hyperbolic cosine";
  let description = [{
    Inverse hyperbolic cosine. Special cases as C99; never raises.

    ```mlir
    %1 = nxv.acosh %0 : tensor<4xf32>
    ```
  }];
}

def Nxv_AtanhOp : Nxv_UnaryOp<"atanh", Nxv_FloatOrComplexLike> {
  let summary = "inverse hyperbolic tangent";
  let description = [{
    Inverse hyperbolic tangent. Special cases as C99; never raises.

    ```mlir
    %1 = nxv.atanh %0 : tensor<4xf32>
    ```
  }];
}

def Nxv_SqrtOp : Nxv_UnaryOp<"sqrt", Nxv_FloatOrComplexLike> {
  let summary = "square root";
  let description = [{
    Square root; negative reals give NaN. Special cases as C99; never raises.

    ```mlir
    %1 = nxv.sqrt %0 : tensor<4xf32>
    ```
  }];
}

def Nxv_RsqrtOp : Nxv_UnaryOp<"rsqrt", Nxv_FloatOrComplexLike> {
  let summary = "1 / sqrt(x)";
  let description = [{
    1 / sqrt(x). Special cases as C99; never raises.

    ```mlir
    %1 = nxv.rsqrt %0 : tensor<4xf32>
    ```
  }];
}

def Nxv_CbrtOp : Nxv_UnaryOp<"cbrt", Nxv_FloatOrComplexLike> {
  let summary = "cube root";
  let description = [{
    Cube root. Special cases as C99; never raises.

    ```mlir
    %1 = nxv.cbrt %0 : tensor<4xf32>
    ```
  }];
}

def Nxv_ErfOp : Nxv_UnaryOp<"erf", Nxv_FloatOrComplexLike> {
  let summary = "error function";
  let description = [{
    Error function; no complex. Special cases as C99; never raises.

    ```mlir
    %1 = nxv.erf %0 : tensor<4xf32>
    ```
  }];
}

def Nxv_ErfcOp : Nxv_UnaryOp<"erfc", Nxv_FloatOrComplexLike> {
  let summary = "1 - erf(x), exact in the tail";
  let description = [{
    1 - erf(x), exact in the tail; no complex. Special cases as C99; never raises.

    ```mlir
    %1 = nxv.erfc %0 : tensor<4xf32>
    ```
  }];
}

def Nxv_ErfInvOp : Nxv_UnaryOp<"erf_inv", Nxv_FloatOrComplexLike> {
  let summary = "inverse error function";
  let description = [{
    Inverse error function; +-1 give +-inf, outside NaN; no complex. Special cases as C99; never raises.

    ```mlir
    %1 = nxv.erf_inv %0 : tensor<4xf32>
    ```
  }];
}

def Nxv_NotOp : Nxv_UnaryOp<"not", Nxv_IntOrPredTensor> {
  let summary = "bitwise complement";
  let description = [{
    Logical not for predicates.

    ```mlir
    %1 = nxv.not %0 : tensor<4xf32>
    ```
  }];
}

def Nxv_PopulationCountOp : Nxv_UnaryOp<"population_count", Nxv_IntTensor> {
  let summary = "number of set bits";
  let description = [{
    In the operand's own type.

    ```mlir
    %1 = nxv.population_count %0 : tensor<4xf32>
    ```
  }];
}

def Nxv_CountLeadingZerosOp : Nxv_UnaryOp<"count_leading_zeros", Nxv_IntTensor> {
  let summary = "number of leading zero bits";
  let description = [{
    In the operand's own type; the width for 0.

    ```mlir
    %1 = nxv.count_leading_zeros %0 : tensor<4xf32>
    ```
  }];
}

def Nxv_ConjugateOp : Nxv_UnaryOp<"conjugate", Nxv_ComplexTensor> {
  let summary = "complex conjugate";
  let description = [{
    The imaginary part is negated.

    ```mlir
    %1 = nxv.conjugate %0 : tensor<4xf32>
    ```
  }];
}

def Nxv_AbsOp : Nxv_Op<"abs", [Pure, Elementwise, SameOperandsAndResultShape]> {
  let summary = "absolute value";
  let description = [{
    Integers: the lowest value is its own absolute value. Complex operands give
    their modulus, a real tensor.

    ```mlir
    %1 = nxv.abs %0 : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins Nxv_NumberTensor:$operand);
  let results = (outs Nxv_NumberTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Nxv_RealOp : Nxv_Op<"real", [Pure, Elementwise, SameOperandsAndResultShape]> {
  let summary = "real part of a complex tensor";
  let arguments = (ins Nxv_ComplexTensor:$operand);
  let results = (outs Nxv_FloatTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Nxv_ImagOp : Nxv_Op<"imag", [Pure, Elementwise, SameOperandsAndResultShape]> {
  let summary = "imaginary part of a complex tensor";
  let arguments = (ins Nxv_ComplexTensor:$operand);
  let results = (outs Nxv_FloatTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Nxv_IsNanOp : Nxv_Op<"is_nan", [Pure, Elementwise, SameOperandsAndResultShape]> {
  let summary = "is the element NaN";
  let description = [{
    Complex: true if either part is.
  }];
  let arguments = (ins Nxv_FloatOrComplexTensor:$operand);
  let results = (outs Nxv_PredTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` functional-type(operands, results)";
}

def Nxv_IsInfOp : Nxv_Op<"is_infinity", [Pure, Elementwise, SameOperandsAndResultShape]> {
  let summary = "is the element an infinity";
  let description = [{
    Complex: true if either part is.
  }];
  let arguments = (ins Nxv_FloatOrComplexTensor:$operand);
  let results = (outs Nxv_PredTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` functional-type(operands, results)";
}

def Nxv_ConvertOp : Nxv_Op<"convert", [Pure, Elementwise, SameOperandsAndResultShape]> {
  let summary = "conversion between element types";
  let description = [{
    Integer to integer wraps. Float to integer truncates and saturates, NaN gives
    0. Float to a narrower float rounds to nearest even (f8_e4m3fn saturates).
    Complex to real drops the imaginary part. To a predicate: `x != 0`, NaN is
    true. From a predicate: 0 or 1.

    ```mlir
    %1 = nxv.convert %0 : (tensor<4xi32>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins Nxv_Tensor:$operand);
  let results = (outs Nxv_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Nxv_BitcastOp : Nxv_Op<"bitcast", [Pure, Elementwise, SameOperandsAndResultShape]> {
  let summary = "the same bits as another element type of equal width";
  let arguments = (ins Nxv_NumberTensor:$operand);
  let results = (outs Nxv_NumberTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Binary and ternary element-wise operations
//===----------------------------------------------------------------------===//

class Nxv_BinaryOp<string mnemonic, Type type, list<Trait> traits = []>
    : Nxv_Op<mnemonic, !listconcat(
          [Pure, Elementwise, SameOperandsAndResultType], traits)> {
  let arguments = (ins type:$lhs, type:$rhs);
  let results = (outs type:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($result)";
}

def Nxv_AddOp : Nxv_BinaryOp<"add", Nxv_NumberTensor, [Commutative]> {
  let summary = "addition";
  let description = [{
    Integers wrap modulo 2^n.

    ```mlir
    %2 = nxv.add %0, %1 : tensor<4xf32>
    ```
  }];
  let hasFolder = 1;
}

def Nxv_SubtractOp : Nxv_BinaryOp<"subtract", Nxv_NumberTensor, []> {
  let summary = "subtraction";
  let description = [{
    Integers wrap modulo 2^n.

    ```mlir
    %2 = nxv.subtract %0, %1 : tensor<4xf32>
    ```
  }];
  let hasFolder = 1;
}

def Nxv_MultiplyOp : Nxv_BinaryOp<"multiply", Nxv_NumberTensor, [Commutative]> {
  let summary = "multiplication";
  let description = [{
    Integers wrap modulo 2^n.

    ```mlir
    %2 = nxv.multiply %0, %1 : tensor<4xf32>
    ```
  }];
  let hasFolder = 1;
}

def Nxv_DivideOp : Nxv_BinaryOp<"divide", Nxv_FloatOrComplexTensor, []> {
  let summary = "division";
  let description = [{
    IEEE: by zero gives an infinity or NaN.

    ```mlir
    %2 = nxv.divide %0, %1 : tensor<4xf32>
    ```
  }];
  let hasFolder = 1;
}

def Nxv_QuotientOp : Nxv_BinaryOp<"quotient", Nxv_IntTensor, []> {
  let summary = "integer division";
  let description = [{
    Truncates toward zero. By 0: all bits set. The lowest value by -1 is itself.

    ```mlir
    %2 = nxv.quotient %0, %1 : tensor<4xf32>
    ```
  }];
}

def Nxv_RemainderOp : Nxv_BinaryOp<"remainder", Nxv_RealTensor, []> {
  let summary = "remainder of truncated division";
  let description = [{
    The sign is the dividend's. Integer by 0: the dividend. Float: C `fmod`; by 0 NaN.

    ```mlir
    %2 = nxv.remainder %0, %1 : tensor<4xf32>
    ```
  }];
}

def Nxv_PowOp : Nxv_BinaryOp<"pow", Nxv_NumberTensor, []> {
  let summary = "power";
  let description = [{
    Floats: C `pow`. Integers: exact, wrapped; a negative exponent gives 1 for base 1, +-1 for
    base -1 and 0 otherwise.

    ```mlir
    %2 = nxv.pow %0, %1 : tensor<4xf32>
    ```
  }];
}

def Nxv_MaxOp : Nxv_BinaryOp<"max", Nxv_RealTensor, [Commutative]> {
  let summary = "maximum";
  let description = [{
    NaN propagates. For predicates: or.

    ```mlir
    %2 = nxv.max %0, %1 : tensor<4xf32>
    ```
  }];
}

def Nxv_MinOp : Nxv_BinaryOp<"min", Nxv_RealTensor, [Commutative]> {
  let summary = "minimum";
  let description = [{
    NaN propagates. For predicates: and.

    ```mlir
    %2 = nxv.min %0, %1 : tensor<4xf32>
    ```
  }];
}

def Nxv_Atan2Op : Nxv_BinaryOp<"atan2", Nxv_FloatTensor, []> {
  let summary = "arc tangent of lhs / rhs in the right quadrant";
  let description = [{
    C `atan2`.

    ```mlir
    %2 = nxv.atan2 %0, %1 : tensor<4xf32>
    ```
  }];
}

def Nxv_AndOp : Nxv_BinaryOp<"and", Nxv_IntOrPredTensor, [Commutative]> {
  let summary = "bitwise and";
  let description = [{
    Logical for predicates.

    ```mlir
    %2 = nxv.and %0, %1 : tensor<4xf32>
    ```
  }];
}

def Nxv_OrOp : Nxv_BinaryOp<"or", Nxv_IntOrPredTensor, [Commutative]> {
  let summary = "bitwise or";
  let description = [{
    Logical for predicates.

    ```mlir
    %2 = nxv.or %0, %1 : tensor<4xf32>
    ```
  }];
}

def Nxv_XorOp : Nxv_BinaryOp<"xor", Nxv_IntOrPredTensor, [Commutative]> {
  let summary = "bitwise exclusive or";
  let description = [{
    Logical for predicates.

    ```mlir
    %2 = nxv.xor %0, %1 : tensor<4xf32>
    ```
  }];
}

def Nxv_ShiftLeftOp : Nxv_BinaryOp<"shift_left", Nxv_IntTensor, []> {
  let summary = "left shift";
  let description = [{
    By the width or more (as unsigned amount): 0.

    ```mlir
    %2 = nxv.shift_left %0, %1 : tensor<4xf32>
    ```
  }];
}

def Nxv_ShiftRightOp : Nxv_BinaryOp<"shift_right", Nxv_IntTensor, []> {
  let summary = "right shift";
  let description = [{
    Arithmetic for signed, logical for unsigned types. By the width or more: the sign or 0.

    ```mlir
    %2 = nxv.shift_right %0, %1 : tensor<4xf32>
    ```
  }];
}

def Nxv_CompareOp : Nxv_Op<"compare", [Pure, Elementwise, SameTypeOperands, SameOperandsAndResultShape]> {
  let summary = "element-wise comparison";
  let description = [{
    Every comparison with NaN is false except `ne`. Complex numbers compare for
    `eq` and `ne` only; predicates as false < true.

    ```mlir
    %2 = nxv.compare lt, %0, %1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    ```
  }];
  let arguments = (ins Nxv_ComparisonAttr:$comparison, Nxv_Tensor:$lhs, Nxv_Tensor:$rhs);
  let results = (outs Nxv_PredTensor:$result);
  let assemblyFormat = "$comparison `,` $lhs `,` $rhs attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Nxv_SelectOp : Nxv_Op<"select", [Pure, Elementwise, SameOperandsAndResultShape,
    AllTypesMatch<["onTrue", "onFalse", "result"]>]> {
  let summary = "element-wise choice";
  let description = [{
    ```mlir
    %3 = nxv.select %p, %0, %1 : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins Nxv_PredTensor:$pred, Nxv_Tensor:$onTrue, Nxv_Tensor:$onFalse);
  let results = (outs Nxv_Tensor:$result);
  let assemblyFormat = "$pred `,` $onTrue `,` $onFalse attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

//===----------------------------------------------------------------------===//
// Creation
//===----------------------------------------------------------------------===//

def Nxv_ConstantOp : Nxv_Op<"constant", [Pure, ConstantLike, AllTypesMatch<["value", "result"]>]> {
  let summary = "a literal tensor";
  let description = [{
    ```mlir
    %0 = nxv.constant dense<1.0> : tensor<4xf32>
    ```
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Nxv_Tensor:$result);
  let assemblyFormat = "attr-dict $value";
  let hasFolder = 1;
}

def Nxv_IotaOp : Nxv_Op<"iota", [Pure]> {
  let summary = "indices along one axis";
  let description = [{
    Element `i` is `i[axis]`, converted to the element type.

    ```mlir
    %0 = nxv.iota {axis = 1} : tensor<4x10xi32>
    ```
  }];
  let arguments = (ins I64Attr:$axis);
  let results = (outs Nxv_NumberTensor:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Shape and data movement
//===----------------------------------------------------------------------===//

class Nxv_MoveOp<string mnemonic, list<Trait> traits = []>
    : Nxv_Op<mnemonic, !listconcat([Pure], traits)>;

def Nxv_ReshapeOp : Nxv_MoveOp<"reshape"> {
  let summary = "the same elements, row-major, in another shape";
  let arguments = (ins Nxv_Tensor:$operand);
  let results = (outs Nxv_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Nxv_BroadcastInDimOp : Nxv_MoveOp<"broadcast_in_dim"> {
  let summary = "repeats a tensor along new or size-1 axes";
  let description = [{
    `axes[i]` is the result's axis of operand axis `i`; the axes increase. An
    operand axis has the result's size or 1.

    ```mlir
    %1 = nxv.broadcast_in_dim %0 {axes = array<i64: 1>} : (tensor<10xf32>) -> tensor<4x10xf32>
    ```
  }];
  let arguments = (ins Nxv_Tensor:$operand, DenseI64ArrayAttr:$axes);
  let results = (outs Nxv_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Nxv_TransposeOp : Nxv_MoveOp<"transpose"> {
  let summary = "permutes axes";
  let description = [{
    `result.shape[i] = operand.shape[permutation[i]]`.
  }];
  let arguments = (ins Nxv_Tensor:$operand, DenseI64ArrayAttr:$permutation);
  let results = (outs Nxv_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Nxv_ReverseOp : Nxv_MoveOp<"reverse", [SameOperandsAndResultType]> {
  let summary = "reverses the order along axes";
  let arguments = (ins Nxv_Tensor:$operand, DenseI64ArrayAttr:$axes);
  let results = (outs Nxv_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Nxv_PadOp : Nxv_MoveOp<"pad"> {
  let summary = "pads, dilates or crops a tensor";
  let description = [{
    First `interior[i]` copies of the padding value go between elements of axis
    `i`, then `low[i]` before and `high[i]` after them; negative `low` and `high`
    crop.
  }];
  let arguments = (ins Nxv_Tensor:$operand, Nxv_Tensor:$value,
    DenseI64ArrayAttr:$low, DenseI64ArrayAttr:$high, DenseI64ArrayAttr:$interior);
  let results = (outs Nxv_Tensor:$result);
  let assemblyFormat = "$operand `,` $value attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Nxv_ConcatenateOp : Nxv_MoveOp<"concatenate"> {
  let summary = "joins tensors along an axis";
  let arguments = (ins Variadic<Nxv_Tensor>:$inputs, I64Attr:$axis);
  let results = (outs Nxv_Tensor:$result);
  let assemblyFormat = "$inputs attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Nxv_SliceOp : Nxv_MoveOp<"slice"> {
  let summary = "a strided box of a tensor at constant starts";
  let description = [{
    Result axis `i` has `ceil(lengths[i] / strides[i])` elements, from
    `starts[i]` on; the box lies inside the operand.
  }];
  let arguments = (ins Nxv_Tensor:$operand, DenseI64ArrayAttr:$starts,
    DenseI64ArrayAttr:$lengths, DenseI64ArrayAttr:$strides);
  let results = (outs Nxv_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Nxv_DynamicSliceOp : Nxv_MoveOp<"dynamic_slice"> {
  let summary = "a strided box of a tensor at run-time starts";
  let description = [{
    As `nxv.slice`; each start, a scalar integer tensor, is clamped to
    `[0, size - length]`.
  }];
  let arguments = (ins Nxv_Tensor:$operand, Variadic<Nxv_IntTensor>:$starts,
    DenseI64ArrayAttr:$lengths, DenseI64ArrayAttr:$strides);
  let results = (outs Nxv_Tensor:$result);
  let assemblyFormat = "$operand `,` $starts attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Nxv_DynamicUpdateSliceOp : Nxv_MoveOp<"dynamic_update_slice", [AllTypesMatch<["operand", "result"]>]> {
  let summary = "a tensor with a box replaced at run-time starts";
  let description = [{
    Each start is clamped to `[0, operand size - update size]`.
  }];
  let arguments = (ins Nxv_Tensor:$operand, Nxv_Tensor:$update, Variadic<Nxv_IntTensor>:$starts);
  let results = (outs Nxv_Tensor:$result);
  let assemblyFormat = "$operand `,` $update `,` $starts attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Nxv_GatherOp : Nxv_MoveOp<"gather"> {
  let summary = "rows of a tensor at run-time indices";
  let description = [{
    `indices` is `{..., k}` with `k = size(axes)`: each row of it gives a position
    along `axes` (increasing). The result's shape is `indices.shape[0..-2]`
    followed by the operand's axes not in `axes`. Indices are clamped into the
    operand.
  }];
  let arguments = (ins Nxv_Tensor:$operand, Nxv_IntTensor:$indices, DenseI64ArrayAttr:$axes);
  let results = (outs Nxv_Tensor:$result);
  let assemblyFormat = "$operand `,` $indices attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Nxv_ScatterOp : Nxv_MoveOp<"scatter", [AllTypesMatch<["operand", "result"]>]> {
  let summary = "a tensor with rows added or replaced at run-time indices";
  let description = [{
    `indices` is `{n, k}` with `k = size(axes)` (increasing), `updates` is
    `{n, rest...}`: its trailing axes go with the operand's axes not in `axes` and
    may be shorter, starting at 0. Updates are applied in order: `add`
    accumulates, for `put` the last one wins. A row whose indices lie outside the
    operand is dropped.
  }];
  let arguments = (ins Nxv_ScatterKindAttr:$kind, Nxv_Tensor:$operand, Nxv_IntTensor:$indices,
    Nxv_Tensor:$updates, DenseI64ArrayAttr:$axes);
  let results = (outs Nxv_Tensor:$result);
  let assemblyFormat = "$kind `,` $operand `,` $indices `,` $updates attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Reductions and windows
//===----------------------------------------------------------------------===//

def Nxv_ReduceOp : Nxv_Op<"reduce", [Pure]> {
  let summary = "combines the elements along axes";
  let description = [{
    The result has the operand's axes not in `axes` (increasing). The order of
    combination is the implementation's; floats are accumulated in their own type
    or a wider one. `max` and `min` propagate NaN. Over no element: 0, 1, the
    lowest and the highest value (-inf and +inf), true, false.

    ```mlir
    %1 = nxv.reduce add, %0 {axes = array<i64: 1>} : (tensor<4x10xf32>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins Nxv_ReduceKindAttr:$kind, Nxv_Tensor:$operand, DenseI64ArrayAttr:$axes);
  let results = (outs Nxv_Tensor:$result);
  let assemblyFormat = "$kind `,` $operand attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Nxv_ReduceFnOp : Nxv_Op<"reduce_fn", [Pure, SingleBlockImplicitTerminator<"YieldOp">, IsolatedFromAbove]> {
  let summary = "folds the elements along axes with a function";
  let description = [{
    Left to right in row-major order of the reduced axes, starting from `init`:
    the region takes the element and the accumulator, scalar tensors of the
    result's element type, and yields the next accumulator.
  }];
  let arguments = (ins Nxv_Tensor:$operand, Nxv_Tensor:$init, DenseI64ArrayAttr:$axes);
  let results = (outs Nxv_Tensor:$result);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$operand `,` $init attr-dict `:` functional-type(operands, results) $body";
  let hasVerifier = 1;
}

class Nxv_ArgReduceOp<string mnemonic> : Nxv_Op<mnemonic, [Pure]> {
  let arguments = (ins Nxv_RealTensor:$operand, I64Attr:$axis, UnitAttr:$tieHigh);
  let results = (outs Nxv_IntTensor:$result);
  let description = [{
    The first of equal extremes, the last with `tieHigh`. A NaN is the extreme:
    the index of the first NaN.
  }];
  let assemblyFormat = "$operand attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}
def Nxv_ArgMaxOp : Nxv_ArgReduceOp<"argmax"> { let summary = "index of the largest element along an axis"; }
def Nxv_ArgMinOp : Nxv_ArgReduceOp<"argmin"> { let summary = "index of the smallest element along an axis"; }

def Nxv_WindowReduceOp : Nxv_Op<"window_reduce", [Pure]> {
  let summary = "combines the elements of sliding windows";
  let description = [{
    One entry an axis in every attribute; the padding counts as the neutral
    element of `kind`.
  }];
  let arguments = (ins Nxv_ReduceKindAttr:$kind, Nxv_Tensor:$operand, DenseI64ArrayAttr:$window,
    DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$dilations,
    DenseI64ArrayAttr:$low, DenseI64ArrayAttr:$high);
  let results = (outs Nxv_Tensor:$result);
  let assemblyFormat = "$kind `,` $operand attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Nxv_WindowReduceFnOp : Nxv_Op<"window_reduce_fn", [Pure, SingleBlockImplicitTerminator<"YieldOp">, IsolatedFromAbove]> {
  let summary = "folds the elements of sliding windows with a function";
  let description = [{
    As `nxv.reduce_fn` within each window; the padding counts as `init`.
  }];
  let arguments = (ins Nxv_Tensor:$operand, Nxv_Tensor:$init, DenseI64ArrayAttr:$window,
    DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$dilations,
    DenseI64ArrayAttr:$low, DenseI64ArrayAttr:$high);
  let results = (outs Nxv_Tensor:$result);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$operand `,` $init attr-dict `:` functional-type(operands, results) $body";
  let hasVerifier = 1;
}

def Nxv_SelectAndScatterOp : Nxv_Op<"select_and_scatter", [Pure, AllTypesMatch<["operand", "result"]>]> {
  let summary = "adds each source element at the extreme of its window";
  let description = [{
    `kind` is `max` or `min`. Window `w` of `operand` (padded by `low`/`high`,
    padding never chosen unless nothing else is) selects its extreme, the last one
    in row-major order among equals, or its first NaN; `source[w]` is added there. Starts from
    `init`, a scalar.
  }];
  let arguments = (ins Nxv_ReduceKindAttr:$kind, Nxv_RealTensor:$operand, Nxv_RealTensor:$source,
    Nxv_RealTensor:$init, DenseI64ArrayAttr:$window, DenseI64ArrayAttr:$strides,
    DenseI64ArrayAttr:$low, DenseI64ArrayAttr:$high);
  let results = (outs Nxv_RealTensor:$result);
  let assemblyFormat = "$kind `,` $operand `,` $source `,` $init attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Nxv_CumulativeOp : Nxv_Op<"cumulative", [Pure, SameOperandsAndResultType]> {
  let summary = "running combination along an axis";
  let description = [{
    Element `i` combines elements `0..i` of its line, or `i..` with `reverse`.
    Integers wrap in their own type.
  }];
  let arguments = (ins Nxv_ReduceKindAttr:$kind, Nxv_Tensor:$operand, I64Attr:$axis, UnitAttr:$reverse);
  let results = (outs Nxv_Tensor:$result);
  let assemblyFormat = "$kind `,` $operand attr-dict `:` type($result)";
  let hasVerifier = 1;
}

// What nxv-expand-scan makes of it: internal, one kernel.
def Nxv_ScanChunksOp : Nxv_Op<"scan_chunks", [Pure]> {
  let summary = "running combination along each chunk of an axis";
  let description = [{
    Cuts the axis into chunks of `chunk` elements, the last one maybe shorter, and
    does to each what `nxv.cumulative` does to an axis. The result has the
    operand's element type, or the wider one that sums are computed in.

    ```mlir
    %0 = nxv.scan_chunks add, %x {axis = 0 : i64, chunk = 2048 : i64} : (tensor<9000xf16>) -> tensor<9000xf32>
    ```
  }];
  let arguments = (ins Nxv_ReduceKindAttr:$kind, Nxv_Tensor:$operand, I64Attr:$axis,
    I64Attr:$chunk, UnitAttr:$reverse);
  let results = (outs Nxv_Tensor:$result);
  let assemblyFormat = "$kind `,` $operand attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

def Nxv_DotGeneralOp : Nxv_Op<"dot_general", [Pure]> {
  let summary = "contraction of two tensors";
  let description = [{
    Sums products over the paired axes `lhsContract[i]`, `rhsContract[i]`. The
    result has the batch axes, then the free axes of `lhs`, then those of `rhs`.
    Integers wrap in their own type; f16 and bf16 accumulate in f32.

    ```mlir
    %2 = nxv.dot_general %0, %1 {lhsBatch = array<i64>, lhsContract = array<i64: 1>,
      rhsBatch = array<i64>, rhsContract = array<i64: 0>}
      : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
    ```
  }];
  let arguments = (ins Nxv_NumberTensor:$lhs, Nxv_NumberTensor:$rhs,
    DenseI64ArrayAttr:$lhsBatch, DenseI64ArrayAttr:$lhsContract,
    DenseI64ArrayAttr:$rhsBatch, DenseI64ArrayAttr:$rhsContract);
  let results = (outs Nxv_NumberTensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Nxv_ConvolutionOp : Nxv_Op<"convolution", [Pure]> {
  let summary = "cross-correlation over any number of spatial axes";
  let description = [{
    `input` is [batch, channel, spatial...], `kernel` [out, in, spatial...], the
    result [batch, out, spatial...]: permutations are explicit transposes. `low`
    and `high` may be negative. With `featureGroups` g, the channels fall into g
    groups convolved apart; with `batchGroups` g, the batch does, and output
    channel `o` uses batch group `o / (out / g)`.
  }];
  let arguments = (ins Nxv_FloatOrComplexTensor:$input, Nxv_FloatOrComplexTensor:$kernel,
    DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$low, DenseI64ArrayAttr:$high,
    DenseI64ArrayAttr:$inputDilation, DenseI64ArrayAttr:$kernelDilation,
    I64Attr:$featureGroups, I64Attr:$batchGroups);
  let results = (outs Nxv_FloatOrComplexTensor:$result);
  let assemblyFormat = "$input `,` $kernel attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Nxv_TriangularSolveOp : Nxv_Op<"triangular_solve", [Pure, AllTypesMatch<["b", "result"]>]> {
  let summary = "solves a triangular system";
  let description = [{
    `op(a) x = b`, or `x op(a) = b` without `leftSide`, for triangular `a`
    {..., n, n} (lower or upper) and `b` {..., n, m}; the other triangle of `a` is
    not read. `op` transposes or conjugate-transposes.
  }];
  let arguments = (ins Nxv_FloatOrComplexTensor:$a, Nxv_FloatOrComplexTensor:$b,
    BoolAttr:$lower, BoolAttr:$leftSide, Nxv_TransformAAttr:$transformA);
  let results = (outs Nxv_FloatOrComplexTensor:$result);
  let assemblyFormat = "$a `,` $b attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Order and transforms
//===----------------------------------------------------------------------===//

class Nxv_SortLikeOp<string mnemonic, list<Trait> traits = []> : Nxv_Op<mnemonic, !listconcat([Pure], traits)> {
  let description = [{
    Stable. -0.0 equals 0.0; NaN is greater than every number: last when
    ascending, first when descending.
  }];
  let arguments = (ins Nxv_RealTensor:$operand, I64Attr:$axis, UnitAttr:$descending);
  let assemblyFormat = "$operand attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}
def Nxv_SortOp : Nxv_SortLikeOp<"sort", [AllTypesMatch<["operand", "result"]>]> {
  let summary = "sorts along an axis";
  let results = (outs Nxv_RealTensor:$result);
}
def Nxv_ArgSortOp : Nxv_SortLikeOp<"argsort", [AllShapesMatch<["operand", "result"]>]> {
  let summary = "the permutation that sorts along an axis";
  let results = (outs Nxv_IntTensor:$result);
}

// What nxv-expand-sort makes of sorts: internal, each one kernel.

def Nxv_SortTilesOp : Nxv_Op<"sort_tiles", [Pure, AttrSizedResultSegments]> {
  let summary = "sorts each tile of an axis by itself";
  let description = [{
    Cuts the axis into tiles of `tile` elements, the last one maybe shorter, and
    sorts each as `nxv.sort` does. `indices` are the elements' places along the
    whole axis. Either result may be missing.

    ```mlir
    %v, %i = nxv.sort_tiles %x {axis = 1 : i64, tile = 2048 : i64,
      resultSegmentSizes = array<i32: 1, 1>}
      : (tensor<4x5000xf32>) -> (tensor<4x5000xf32>, tensor<4x5000xi32>)
    ```
  }];
  let arguments = (ins Nxv_RealTensor:$operand, I64Attr:$axis, I64Attr:$tile, UnitAttr:$descending);
  let results = (outs Optional<Nxv_RealTensor>:$values, Optional<Nxv_IntTensor>:$indices);
  let assemblyFormat = "$operand attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Nxv_MergeRunsOp : Nxv_Op<"merge_runs", [Pure, AttrSizedResultSegments]> {
  let summary = "merges each pair of neighbouring sorted runs";
  let description = [{
    The rows of `values` {rows, n} are runs of `run` sorted elements, the last one
    maybe shorter. Each run with an even number is merged with the next; of equal
    elements those of the earlier run come first. `indices` move with the values.

    ```mlir
    %v = nxv.merge_runs %0 {run = 2048 : i64, resultSegmentSizes = array<i32: 1, 0>}
      : (tensor<4x5000xf32>) -> tensor<4x5000xf32>
    ```
  }];
  let arguments = (ins Nxv_RealTensor:$operand, Optional<Nxv_IntTensor>:$operandIndices,
    I64Attr:$run, UnitAttr:$descending);
  let results = (outs Optional<Nxv_RealTensor>:$values, Optional<Nxv_IntTensor>:$indices);
  let assemblyFormat = "$operand (`,` $operandIndices^)? attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Nxv_FftOp : Nxv_Op<"fft", [Pure]> {
  let summary = "discrete Fourier transform along an axis";
  let description = [{
    The operand is truncated or zero-padded to `length` along `axis`. `inverse`
    divides by `length`.
  }];
  let arguments = (ins Nxv_ComplexTensor:$operand, I64Attr:$length, I64Attr:$axis, UnitAttr:$inverse);
  let results = (outs Nxv_ComplexTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Nxv_FftPartsOp : Nxv_Op<"fft_parts",
    [Pure, AllTypesMatch<["re", "im", "resultRe", "resultIm"]>]> {
  let summary = "discrete Fourier transform of split complex numbers";
  let description = [{
    What `nxv.fft` becomes where complex tensors are two real ones. The whole axis
    is transformed. `roots` is {length, 2}: the parts of the powers of the root of
    unity that the transform is made of.
  }];
  let arguments = (ins Nxv_FloatTensor:$re, Nxv_FloatTensor:$im, Nxv_FloatTensor:$roots,
    I64Attr:$axis, UnitAttr:$inverse);
  let results = (outs Nxv_FloatTensor:$resultRe, Nxv_FloatTensor:$resultIm);
  let assemblyFormat = "$re `,` $im `,` $roots attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Nxv_SolvePartsOp : Nxv_Op<"triangular_solve_parts",
    [Pure, AllTypesMatch<["aRe", "aIm"]>, AllTypesMatch<["bRe", "bIm", "resultRe", "resultIm"]>]> {
  let summary = "solves a triangular system of split complex numbers";
  let description = [{
    What `nxv.triangular_solve` becomes where complex tensors are two real ones:
    `a x = b` for lower triangular `a`.
  }];
  let arguments = (ins Nxv_FloatTensor:$aRe, Nxv_FloatTensor:$aIm,
    Nxv_FloatTensor:$bRe, Nxv_FloatTensor:$bIm);
  let results = (outs Nxv_FloatTensor:$resultRe, Nxv_FloatTensor:$resultIm);
  let assemblyFormat = "$aRe `,` $aIm `,` $bRe `,` $bIm attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

def Nxv_WhileOp : Nxv_Op<"while", [IsolatedFromAbove, RecursiveMemoryEffects,
    AllTypesMatch<["operands", "results"]>]> {
  let summary = "a loop";
  let description = [{
    The state starts as the operands. While `condition`, which takes the state and
    yields a scalar predicate, yields true, `body` takes the state and yields the
    next one.
  }];
  let arguments = (ins Variadic<Nxv_Tensor>:$operands);
  let results = (outs Variadic<Nxv_Tensor>:$results);
  let regions = (region SizedRegion<1>:$condition, SizedRegion<1>:$body);
  let assemblyFormat = "`(` $operands `)` attr-dict-with-keyword `:` type($operands) `cond` $condition `do` $body";
  let hasVerifier = 1;
  let skipDefaultBuilders = 0;
}

def Nxv_CaseOp : Nxv_Op<"case", [RecursiveMemoryEffects]> {
  let summary = "the first branch whose predicate is true";
  let description = [{
    `predicates` are scalar predicates, one a branch; the last region is the
    default. Branches are lazy and may use values of the scopes around them.
  }];
  let arguments = (ins Variadic<Nxv_PredTensor>:$predicates);
  let results = (outs Variadic<Nxv_Tensor>:$results);
  let regions = (region VariadicRegion<SizedRegion<1>>:$branches);
  let assemblyFormat = "`(` $predicates `)` attr-dict-with-keyword `:` functional-type(operands, results) $branches";
  let hasVerifier = 1;
}

def Nxv_BlockOp : Nxv_Op<"block", [IsolatedFromAbove, RecursiveMemoryEffects]> {
  let summary = "a named composite with its definition";
  let description = [{
    The region, which takes the operands, defines the results. A pass may replace
    a block it knows by something better; the others are inlined.
  }];
  let arguments = (ins StrAttr:$name, OptionalAttr<DictionaryAttr>:$options, Variadic<Nxv_Tensor>:$operands);
  let results = (outs Variadic<Nxv_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$name `(` $operands `)` (`options` $options^)? attr-dict-with-keyword `:` functional-type($operands, $results) $body";
  let hasVerifier = 1;
}

def Nxv_TapOp : Nxv_Op<"tap", [AllTypesMatch<["operands", "results"]>, MemoryEffects<[MemWrite]>]> {
  let summary = "offers values to the host under a name";
  let description = [{
    The results are the operands.
  }];
  let arguments = (ins StrAttr:$name, Variadic<Nxv_Tensor>:$operands);
  let results = (outs Variadic<Nxv_Tensor>:$results);
  let assemblyFormat = "$name `(` $operands `)` attr-dict `:` type($operands)";
}

def Nxv_YieldOp : Nxv_Op<"yield", [Pure, ReturnLike, Terminator]> {
  let summary = "ends a region of an nxv operation";
  let arguments = (ins Variadic<Nxv_Tensor>:$operands);
  let assemblyFormat = "attr-dict ($operands^ `:` type($operands))?";
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ::mlir::ValueRange()); }]>];
}

#endif // NXV_DIALECT_NXV_IR_NXVOPS_TD
