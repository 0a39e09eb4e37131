//===- NxvBase.td - nxv dialect and type constraints -------*- tablegen -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_DIALECT_NXV_IR_NXVBASE_TD
#define NXV_DIALECT_NXV_IR_NXVBASE_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/EnumAttr.td"

def Nxv_Dialect : Dialect {
  let name = "nxv";
  let cppNamespace = "::nxv";
  let summary = "Tensor operations with the semantics of Nx";
  let description = [{
    One operation for each operation of a traced Nx graph, on statically shaped
    tensors. Operands already agree in type and shape: casts and broadcasts are
    explicit (`nxv.convert`, `nxv.broadcast_in_dim`). Signed integers are
    signless `iN`, unsigned ones `uiN`, predicates `i1`.
  }];
  let hasConstantMaterializer = 1;
  let useDefaultAttributePrinterParser = 1;
}

class Nxv_Op<string mnemonic, list<Trait> traits = []>
    : Op<Nxv_Dialect, mnemonic, traits>;

//===----------------------------------------------------------------------===//
// Element and tensor types
//===----------------------------------------------------------------------===//

def Nxv_Pred : TypeAlias<I1, "predicate">;
def Nxv_SInt : SignlessIntOfWidths<[2, 4, 8, 16, 32, 64]>;
def Nxv_UInt : UnsignedIntOfWidths<[2, 4, 8, 16, 32, 64]>;
def Nxv_Int : AnyTypeOf<[Nxv_SInt, Nxv_UInt], "integer">;
def Nxv_Float
    : AnyTypeOf<[F8E5M2, F8E4M3FN, BF16, F16, F32, F64], "float">;
def Nxv_Complex : AnyTypeOf<[Complex<F32>, Complex<F64>], "complex">;
def Nxv_Number : AnyTypeOf<[Nxv_Int, Nxv_Float, Nxv_Complex], "number">;
def Nxv_Element : AnyTypeOf<[Nxv_Pred, Nxv_Number], "element">;

def Nxv_Tensor : StaticShapeTensorOf<[Nxv_Element]>;
def Nxv_NumberTensor : StaticShapeTensorOf<[Nxv_Number]>;
def Nxv_PredTensor : StaticShapeTensorOf<[Nxv_Pred]>;
def Nxv_IntTensor : StaticShapeTensorOf<[Nxv_Int]>;
def Nxv_IntOrPredTensor : StaticShapeTensorOf<[Nxv_Pred, Nxv_Int]>;
def Nxv_FloatTensor : StaticShapeTensorOf<[Nxv_Float]>;
def Nxv_FloatOrComplexTensor : StaticShapeTensorOf<[Nxv_Float, Nxv_Complex]>;
def Nxv_ComplexTensor : StaticShapeTensorOf<[Nxv_Complex]>;
def Nxv_RealTensor : StaticShapeTensorOf<[Nxv_Pred, Nxv_Int, Nxv_Float]>;

// A float transcendental may also stand on scalars inside a linalg payload, and
// on the vectors that a kernel makes of them.
def Nxv_FloatOrComplexLike
    : AnyTypeOf<[Nxv_FloatOrComplexTensor, Nxv_Float, Nxv_Complex,
                 FixedVectorOfNonZeroRankOf<[Nxv_Float]>]>;

#endif // NXV_DIALECT_NXV_IR_NXVBASE_TD
