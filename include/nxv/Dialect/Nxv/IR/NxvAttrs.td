//===- NxvAttrs.td - enums of the nxv dialect --------------*- tablegen -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_DIALECT_NXV_IR_NXVATTRS_TD
#define NXV_DIALECT_NXV_IR_NXVATTRS_TD

include "nxv/Dialect/Nxv/IR/NxvBase.td"

class Nxv_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::nxv";
  let genSpecializedAttr = 0;
}
class Nxv_EnumAttr<I32EnumAttr e, string mnemonic>
    : EnumAttr<Nxv_Dialect, e, mnemonic> {
  let assemblyFormat = "$value";
}

def Nxv_Comparison : Nxv_Enum<"Comparison", "comparison predicate", [
  I32EnumAttrCase<"eq", 0>, I32EnumAttrCase<"ne", 1>,
  I32EnumAttrCase<"lt", 2>, I32EnumAttrCase<"le", 3>,
  I32EnumAttrCase<"gt", 4>, I32EnumAttrCase<"ge", 5>]>;
def Nxv_ComparisonAttr : Nxv_EnumAttr<Nxv_Comparison, "comparison">;

def Nxv_ReduceKind : Nxv_Enum<"ReduceKind", "combining operation", [
  I32EnumAttrCase<"add", 0>, I32EnumAttrCase<"mul", 1>,
  I32EnumAttrCase<"max", 2>, I32EnumAttrCase<"min", 3>,
  I32EnumAttrCase<"and_", 4, "and">, I32EnumAttrCase<"or_", 5, "or">]>;
def Nxv_ReduceKindAttr : Nxv_EnumAttr<Nxv_ReduceKind, "reduce_kind">;

def Nxv_ScatterKind : Nxv_Enum<"ScatterKind", "what a scatter does with an update", [
  I32EnumAttrCase<"add", 0>, I32EnumAttrCase<"put", 1>]>;
def Nxv_ScatterKindAttr : Nxv_EnumAttr<Nxv_ScatterKind, "scatter_kind">;

def Nxv_TransformA : Nxv_Enum<"TransformA", "how triangular_solve reads its matrix", [
  I32EnumAttrCase<"none", 0>, I32EnumAttrCase<"transpose", 1>,
  I32EnumAttrCase<"conjugate", 2>]>;
def Nxv_TransformAAttr : Nxv_EnumAttr<Nxv_TransformA, "transform_a">;

#endif // NXV_DIALECT_NXV_IR_NXVATTRS_TD
