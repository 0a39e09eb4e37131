//===- Passes.td - kernels to SPIR-V -----------------------*- tablegen -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_CONVERSION_KERNELTOSPIRV_PASSES_TD
#define NXV_CONVERSION_KERNELTOSPIRV_PASSES_TD

include "mlir/Pass/PassBase.td"

def NxvKernelToSPIRV : Pass<"nxv-kernel-to-spirv", "::mlir::ModuleOp"> {
  let summary = "Turns kernels into SPIR-V modules";
  let description = [{
    Each `gpu.module` with one kernel becomes a `spirv.module` of the same name.
    A kernel's arguments are ranges of device memory, whose addresses come in the
    push constants, or in a block whose address does if there are more than 16.
    The grid is linear: `gpu.block_id x` is the workgroup's number, rebuilt from
    three dimensions (and guarded) where `nxv.grid` is over 65535. Memory is
    accessed with the natural alignment of the scalar or vector.

    Floating-point additions, subtractions, multiplications and divisions are
    decorated NoContraction: what is fused is fused by `math.fma` alone. NaN,
    infinities and negative zero are kept, unless `float-controls` is off.

    Before:

    ```mlir
    gpu.module @k {
      gpu.func @k(%in: memref<?xf32, #spirv.storage_class<PhysicalStorageBuffer>>,
                  %out: memref<?xf32, #spirv.storage_class<PhysicalStorageBuffer>>) kernel
          attributes {gpu.known_block_size = array<i32: 64, 1, 1>, nxv.grid = 1 : i64} {
        %i = gpu.thread_id x
        %0 = memref.load %in[%i] : memref<?xf32, #spirv.storage_class<PhysicalStorageBuffer>>
        memref.store %0, %out[%i] : memref<?xf32, #spirv.storage_class<PhysicalStorageBuffer>>
        gpu.return
      }
    }
    ```

    After:

    ```mlir
    spirv.module @k PhysicalStorageBuffer64 GLSL450
        requires #spirv.vce<v1.5, [Shader, Int64, SignedZeroInfNanPreserve, PhysicalStorageBufferAddresses], []>
        attributes {nxv.arguments = "push"} {
      spirv.GlobalVariable @__push_constants__ :
        !spirv.ptr<!spirv.struct<(i64 [0], i64 [8]), Block>, PushConstant>
      spirv.func @k() "None" {
        ...
        %p = spirv.ConvertUToPtr %address : i64 to !spirv.ptr<f32, PhysicalStorageBuffer>
        %0 = spirv.Load "PhysicalStorageBuffer" %p ["Aligned", 4] : f32
        ...
      }
      spirv.EntryPoint "GLCompute" @k, @__push_constants__, ...
      spirv.ExecutionMode @k "LocalSize", 64, 1, 1
      spirv.ExecutionMode @k "SignedZeroInfNanPreserve", 32
    }
    ```
  }];
  let options = [
    Option<"floatControls", "float-controls", "bool", "true",
           "demand SignedZeroInfNanPreserve for the float widths used">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::spirv::SPIRVDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def NxvAddVariants : Pass<"nxv-add-variants", "::mlir::ModuleOp"> {
  let summary = "Adds variants of kernels for lesser devices";
  let description = [{
    A kernel that uses types of 8 or 16 bits gets a second variant, which does
    without them: a copy of its module, marked as such. The next pass makes it so.
    With `without-int64` each kernel gets one more, which does without 64-bit
    integers too; but for those whose indices need 64 bits.

    Before:

    ```mlir
    gpu.module @k { gpu.func @k(%in: memref<?xi8, ...>) kernel { ... } }
    ```

    After:

    ```mlir
    gpu.module @k { gpu.func @k(%in: memref<?xi8, ...>) kernel { ... } }
    gpu.module @k_wide attributes {nxv.variant_of = "k", nxv.without_narrow} {
      gpu.func @k(%in: memref<?xi8, ...>) kernel { ... }
    }
    ```
  }];
  let options = [
    Option<"withoutInt64", "without-int64", "bool", "false",
           "add variants that do without 64-bit integers">
  ];
}

def NxvEmulateNarrowTypes : Pass<"nxv-emulate-narrow-types", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Computes what has 8 or 16 bits with 32";
  let description = [{
    Works on modules with the attribute `nxv.without_narrow`. Integers of 8 and 16
    bits are held sign-extended in an i32, f16 in an f32; device and workgroup
    memory are words of 32 bits that hold the same bytes. Part of a word is stored
    with atomic operations, because other threads may store the rest.

    Before:

    ```mlir
    %0 = memref.load %in[%i] : memref<?xi8, ...>
    %1 = arith.addi %0, %0 : i8
    memref.store %1, %out[%i] : memref<?xi8, ...>
    ```

    After:

    ```mlir
    %w = arith.shrui %i, %c2 : index
    %word = memref.load %in[%w] : memref<?xi32, ...>
    %b = arith.shrui %word, %shift : i32
    %h = arith.shli %b, %c24 : i32
    %0 = arith.shrsi %h, %c24 : i32
    %s = arith.addi %0, %0 : i32
    ...
    memref.atomic_rmw andi %others, %out[%w] : (i32, memref<?xi32, ...>) -> i32
    memref.atomic_rmw ori %bits, %out[%w] : (i32, memref<?xi32, ...>) -> i32
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def NxvEmulateInt64 : Pass<"nxv-emulate-int64", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Computes with 64-bit integers as pairs of words";
  let description = [{
    Works on modules with the attribute `nxv.without_int64`. An integer of 64 bits
    becomes two of 32, in registers as in memory. Addresses are pointers to arrays then,
    which `nxv-kernel-to-spirv` makes.

    Before:

    ```mlir
    %0 = memref.load %in[%i] : memref<?xi64, ...>
    %1 = arith.addi %0, %0 : i64
    ```

    After:

    ```mlir
    %w = arith.shli %i, %c1 : index
    %pair = vector.load %in[%w] : memref<?xi32, ...>, vector<2xi32>
    %low = vector.extract %pair[0] : i32 from vector<2xi32>
    %high = vector.extract %pair[1] : i32 from vector<2xi32>
    %0 = arith.addi %low, %low : i32
    %carries = arith.cmpi ult, %0, %low : i32
    %carry = arith.extui %carries : i1 to i32
    %sum = arith.addi %high, %high : i32
    %1 = arith.addi %sum, %carry : i32
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
}

#endif // NXV_CONVERSION_KERNELTOSPIRV_PASSES_TD
