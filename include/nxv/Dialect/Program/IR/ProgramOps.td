//===- ProgramOps.td - the program dialect -----------------*- tablegen -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_DIALECT_PROGRAM_IR_PROGRAMOPS_TD
#define NXV_DIALECT_PROGRAM_IR_PROGRAMOPS_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Program_Dialect : Dialect {
  let name = "program";
  let cppNamespace = "::nxv::program";
  let summary = "What the host does: dispatches over planned buffers";
  let description = [{
    Two levels meet here. `program.group` holds the tensor operations that become
    one kernel. `program.program` is what is left when every group is a kernel: a
    list of dispatches, copies, fills, barriers, loops and branches over buffers,
    with the offsets of one planned arena.
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
}

class Program_Op<string mnemonic, list<Trait> traits = []>
    : Op<Program_Dialect, mnemonic, traits>;

def Program_BufferType : TypeDef<Program_Dialect, "Buffer"> {
  let mnemonic = "buffer";
  let summary = "a range of device memory";
}

def Program_Family : I32EnumAttr<"Family", "kernel family", [
    I32EnumAttrCase<"map", 0>, I32EnumAttrCase<"transpose", 1>,
    I32EnumAttrCase<"reduce", 2>, I32EnumAttrCase<"contract", 3>,
    I32EnumAttrCase<"conv", 4>, I32EnumAttrCase<"scatter", 5>,
    I32EnumAttrCase<"sort", 6>, I32EnumAttrCase<"fft", 7>,
    I32EnumAttrCase<"solve", 8>, I32EnumAttrCase<"scan", 9>,
    I32EnumAttrCase<"loop", 10>]> {
  let cppNamespace = "::nxv::program";
  let genSpecializedAttr = 0;
}
def Program_FamilyAttr : EnumAttr<Program_Dialect, Program_Family, "family"> {
  let assemblyFormat = "$value";
}

def Program_BufferKind : I32EnumAttr<"BufferKind", "where a buffer's memory is", [
    I32EnumAttrCase<"input", 0>, I32EnumAttrCase<"output", 1>,
    I32EnumAttrCase<"constant", 2>, I32EnumAttrCase<"arena", 3>]> {
  let cppNamespace = "::nxv::program";
  let genSpecializedAttr = 0;
}
def Program_BufferKindAttr : EnumAttr<Program_Dialect, Program_BufferKind, "kind"> {
  let assemblyFormat = "$value";
}

//===----------------------------------------------------------------------===//
// Tensors in groups
//===----------------------------------------------------------------------===//

def Program_GroupOp : Program_Op<"group", [IsolatedFromAbove, Pure,
    SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "tensor operations that become one kernel";
  let description = [{
    The region takes the operands and yields the results, all tensors. `family`
    says which emitter lays it out.

    ```mlir
    %r = program.group map(%x, %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
      ...
      program.yield %c : tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins Program_FamilyAttr:$family, Variadic<AnyRankedTensor>:$inputs);
  let results = (outs Variadic<AnyRankedTensor>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$family `(` $inputs `)` attr-dict-with-keyword `:` functional-type($inputs, $outputs) $body";
  let hasVerifier = 1;
}

def Program_YieldOp : Program_Op<"yield", [Pure, ReturnLike, Terminator]> {
  let summary = "ends a region of a program operation";
  let arguments = (ins Variadic<AnyType>:$operands);
  let assemblyFormat = "attr-dict ($operands^ `:` type($operands))?";
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ::mlir::ValueRange()); }]>];
}

//===----------------------------------------------------------------------===//
// The program over buffers
//===----------------------------------------------------------------------===//

def Program_ProgramOp : Program_Op<"program", [IsolatedFromAbove, Symbol, NoTerminator, SingleBlock]> {
  let summary = "the host program of one graph";
  let description = [{
    `inputs` and `outputs` describe the entry point: dictionaries with `name`,
    `type` (the graph's element type), `shape` and, for inputs, `donatable`.
    `results` holds, for each output, the buffer it is found in.
    `arena_bytes` and `intermediate_bytes` are set by `nxv-plan-memory`.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, ArrayAttr:$inputs, ArrayAttr:$outputs,
    OptionalAttr<StrAttr>:$output_tree, OptionalAttr<I64Attr>:$arena_bytes,
    OptionalAttr<I64Attr>:$intermediate_bytes);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name `inputs` $inputs `outputs` $outputs attr-dict-with-keyword $body";
}

def Program_BufferOp : Program_Op<"buffer", [Pure]> {
  let summary = "names a range of device memory";
  let description = [{
    `index` is the position among the inputs or outputs, `value` the content of a
    constant, `offset` the place in the arena once memory is planned.

    ```mlir
    %0 = program.buffer input 0 : 160
    %1 = program.buffer arena 4096 {offset = 256}
    ```
  }];
  let arguments = (ins Program_BufferKindAttr:$kind, I64Attr:$bytes, OptionalAttr<I64Attr>:$index,
    OptionalAttr<I64Attr>:$offset, OptionalAttr<ElementsAttr>:$value);
  let results = (outs Program_BufferType:$result);
  let assemblyFormat = "$kind $bytes attr-dict";
  let hasVerifier = 1;
}

def Program_ResultsOp : Program_Op<"results"> {
  let summary = "the buffers of the outputs, in order";
  let arguments = (ins Variadic<Program_BufferType>:$buffers);
  let assemblyFormat = "$buffers attr-dict";
}

def Program_DispatchOp : Program_Op<"dispatch", [AttrSizedOperandSegments]> {
  let summary = "runs a kernel";
  let description = [{
    `kernel` is a `gpu.func` or `spirv.func` inside its module; `grid` is the
    number of workgroups. The kernel reads `inputs` and writes `outputs`; its
    arguments are both in this order.

    ```mlir
    program.dispatch @k0::@k0 grid 12 ins(%0, %1) outs(%2)
    ```
  }];
  let arguments = (ins SymbolRefAttr:$kernel, I64Attr:$grid,
    Variadic<Program_BufferType>:$inputs, Variadic<Program_BufferType>:$outputs);
  let assemblyFormat = "$kernel `grid` $grid `ins` `(` $inputs `)` `outs` `(` $outputs `)` attr-dict";
  let hasVerifier = 1;
}

def Program_BarrierOp : Program_Op<"barrier"> {
  let summary = "everything before happens before everything after";
  let assemblyFormat = "attr-dict";
}

def Program_CopyOp : Program_Op<"copy"> {
  let summary = "copies bytes between buffers";
  let arguments = (ins Program_BufferType:$source, Program_BufferType:$target, I64Attr:$bytes);
  let assemblyFormat = "$source `to` $target `bytes` $bytes attr-dict";
}

def Program_FillOp : Program_Op<"fill"> {
  let summary = "fills a buffer with a 32-bit pattern";
  let arguments = (ins Program_BufferType:$target, I64Attr:$bytes, I32Attr:$value);
  let assemblyFormat = "$target `bytes` $bytes `value` $value attr-dict";
}

def Program_WhileOp : Program_Op<"while", [NoTerminator]> {
  let summary = "runs the body while a byte on the device is not 0";
  let description = [{
    `condition` runs, then `predicate` is read back; if it is not 0 the body runs,
    and so on. A region without steps has no block.
  }];
  let arguments = (ins Program_BufferType:$predicate);
  let regions = (region MaxSizedRegion<1>:$condition, MaxSizedRegion<1>:$body);
  let assemblyFormat = "$predicate attr-dict-with-keyword `cond` $condition `do` $body";
}

def Program_RepeatOp : Program_Op<"repeat", [NoTerminator]> {
  let summary = "runs the body a number of times";
  let description = [{
    A loop whose number of turns is known: nothing is read back.

    ```mlir
    program.repeat 1000 do {
      program.dispatch @k0::@k0 grid 12 ins(%0) outs(%0)
    }
    ```
  }];
  let arguments = (ins I64Attr:$count);
  let regions = (region MaxSizedRegion<1>:$body);
  let assemblyFormat = "$count attr-dict-with-keyword `do` $body";
  let hasVerifier = 1;
}

def Program_IfOp : Program_Op<"if", [NoTerminator]> {
  let summary = "runs one of two regions";
  let arguments = (ins Program_BufferType:$predicate);
  let regions = (region MaxSizedRegion<1>:$thenRegion, MaxSizedRegion<1>:$elseRegion);
  let assemblyFormat = "$predicate attr-dict-with-keyword `then` $thenRegion `else` $elseRegion";
}

def Program_TapOp : Program_Op<"tap"> {
  let summary = "offers a buffer to the host under a name";
  let arguments = (ins StrAttr:$name, StrAttr:$type, DenseI64ArrayAttr:$shape, Program_BufferType:$source);
  let assemblyFormat = "$name $type $shape $source attr-dict";
}

#endif // NXV_DIALECT_PROGRAM_IR_PROGRAMOPS_TD
