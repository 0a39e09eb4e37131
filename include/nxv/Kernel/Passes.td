//===- Passes.td - passes of the kernel level --------------*- tablegen -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_KERNEL_PASSES_TD
#define NXV_KERNEL_PASSES_TD

include "mlir/Pass/PassBase.td"

def SplitReductions : Pass<"nxv-split-reductions", "::mlir::func::FuncOp"> {
  let summary = "spread long reductions with few results over the device";
  let description = [{
    A reduction with few results and many elements would run on few workgroups.
    It becomes two: one over chunks, one over the chunks' results. What is left of
    a length that has no suitable divisor is reduced apart. A value and its index
    (argmax) are combined as the payload does; chunks count from their start.

    ```mlir
    %s = linalg.generic {iterators = ["reduction"]} ins(%x : tensor<1048576xf32>) ...
    ```
    becomes
    ```mlir
    %p = linalg.generic {iterators = ["parallel", "reduction"]} ... -> tensor<512xf32>
    %s = linalg.generic {iterators = ["reduction"]} ins(%p : tensor<512xf32>) ...
    ```
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def ExpandSort : Pass<"nxv-expand-sort", "::mlir::func::FuncOp"> {
  let summary = "make each sort a chain of kernels";
  let description = [{
    A short axis is sorted by one kernel, in workgroup memory. A long one is cut
    into tiles; merges, each a kernel, double the length of what is sorted. A sort
    and an argsort of the same operand become one.

    ```mlir
    %0 = nxv.argsort %x {axis = 0 : i64} : (tensor<5000xf32>) -> tensor<5000xi32>
    ```
    becomes
    ```mlir
    %r = tensor.expand_shape %x [[0, 1]] ... into tensor<1x5000xf32>
    %v0, %i0 = nxv.sort_tiles %r {axis = 1 : i64, tile = 2048 : i64, ...} ...
    %v1, %i1 = nxv.merge_runs %v0, %i0 {run = 2048 : i64, ...} ...
    %i2 = nxv.merge_runs %v1, %i1 {run = 4096 : i64, ...} ...
    %0 = tensor.collapse_shape %i2 [[0, 1]] ... into tensor<5000xi32>
    ```
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def ExpandScan : Pass<"nxv-expand-scan", "::mlir::func::FuncOp"> {
  let summary = "make each running combination one or three kernels";
  let description = [{
    A long axis of few rows is cut into chunks that are scanned apart. Then the
    chunks' totals are, and added to the elements.

    ```mlir
    %0 = nxv.cumulative add, %x {axis = 0 : i64} : tensor<100000xf32>
    ```
    becomes
    ```mlir
    %c = nxv.scan_chunks add, %x {axis = 0 : i64, chunk = 2048 : i64} : ...
    %l = linalg.generic ... // the last element of each chunk
    %t = nxv.scan_chunks add, %l {axis = 0 : i64, chunk = 49 : i64} : ...
    %0 = linalg.generic ... ins(%c : tensor<100000xf32>) // + %t of the chunk before
    ```
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect",
    "::mlir::arith::ArithDialect"];
}

def ExpandFft : Pass<"nxv-expand-fft"> {
  let summary = "makes transforms of ones that are kernels";
  let description = [{
    Works on the nxv level. Afterwards every `nxv.fft` takes a whole axis whose
    length one workgroup transforms. Products of primes up to 64 are split in two
    (four-step), other lengths are convolutions with a chirp (Bluestein).

    ```mlir
    %0 = nxv.fft %x {length = 65536, axis = 0} : (tensor<65536xcomplex<f32>>) -> tensor<65536xcomplex<f32>>
    ```
    becomes
    ```mlir
    %1 = nxv.reshape %x : (tensor<65536xcomplex<f32>>) -> tensor<1x256x256x1xcomplex<f32>>
    %2 = nxv.fft %1 {length = 256, axis = 1} : ...
    %3 = nxv.multiply %2, %twiddles : ...
    %4 = nxv.fft %3 {length = 256, axis = 2} : ...
    %5 = nxv.transpose %4 {permutation = array<i64: 0, 2, 1, 3>} : ...
    %0 = nxv.reshape %5 : (tensor<1x256x256x1xcomplex<f32>>) -> tensor<65536xcomplex<f32>>
    ```
  }];
  let dependentDialects = ["::nxv::NxvDialect"];
}

def ExpandSolve : Pass<"nxv-expand-solve"> {
  let summary = "solves all triangular systems forward, large ones by halves";
  let description = [{
    Works on the nxv level. Afterwards every `nxv.triangular_solve` has a lower
    triangular matrix on the left, untransformed, of a size that one workgroup
    substitutes.

    ```mlir
    %x = nxv.triangular_solve %a, %b {leftSide = true, lower = false, ...}
    ```
    becomes
    ```mlir
    %0 = nxv.reverse %a {axes = array<i64: 0, 1>} : tensor<4x4xf32>
    %1 = nxv.reverse %b {axes = array<i64: 0>} : tensor<4x2xf32>
    %2 = nxv.triangular_solve %0, %1 {leftSide = true, lower = true, ...}
    %x = nxv.reverse %2 {axes = array<i64: 0>} : tensor<4x2xf32>
    ```
  }];
  let dependentDialects = ["::nxv::NxvDialect"];
}

def FormGroups : Pass<"nxv-form-groups", "::mlir::func::FuncOp"> {
  let summary = "divide the tensor operations into kernels";
  let description = [{
    Every operation ends up in the `program.group` of each kernel that needs it, or
    is a reshape between groups. What is stored between groups is chosen by the
    bytes that it moves against the arithmetic that recomputing costs.

    ```mlir
    %0 = linalg.generic ... // reduction
    %1 = linalg.generic ... // element-wise, of %0
    ```
    becomes
    ```mlir
    %1 = program.group reduce(%x) : (tensor<4x10xf32>) -> tensor<4xf32> {
    ^bb0(%arg: tensor<4x10xf32>):
      %2 = linalg.generic ... {nxv.root}
      %3 = linalg.generic ...
      program.yield %3 : tensor<4xf32>
    }
    ```
  }];
  let dependentDialects = ["::nxv::program::ProgramDialect"];
}

def SimplifyLoops : Pass<"nxv-simplify-loops"> {
  let summary = "inline the bodies of loops that run once";
  let description = [{
    Works on the linalg level. A loop of which the number of turns is known to be one
    is its body, and one without turns is what it starts from.

    ```mlir
    %zero = arith.constant dense<0> : tensor<i32>
    %r:2 = nxv.while(%zero, %x) ... cond { %i < 1 } do { nxv.yield %i + 1, f(%s) }
    ```
    becomes
    ```mlir
    f(%x)
    ```
  }];
}

def FuseLoops : Pass<"nxv-fuse-loops", "::mlir::func::FuncOp"> {
  let summary = "make one kernel of a loop and what stands around it";
  let description = [{
    A run of groups, loops and branches that suits one workgroup becomes one group
    of the family `loop`: its kernel loops on the device. `nxv.memory` says where
    each value inside lies: in workgroup memory (-1), or in the kernel's result of
    that number. Slices that the loops never mix have a workgroup each
    (`nxv.batch`). A loop that may go on for long makes a number of turns, and a
    loop of the host (`nxv.post_test`) starts its kernel again. Small groups that
    follow one another become such a kernel too.

    ```mlir
    %0 = program.group map(%x) ...
    %1 = nxv.while(%0) ... cond { ... } do { ... }
    ```
    becomes
    ```mlir
    %1 = program.group loop(%x) ... {
      %2 = program.group map(%arg0) ... attributes {nxv.memory = array<i64: -1>}
      %3 = nxv.while(%2) ...
      program.yield %3
    }
    ```
  }];
  let dependentDialects = ["::nxv::program::ProgramDialect"];
}

def EmitKernels : Pass<"nxv-emit-kernels", "::mlir::ModuleOp"> {
  let summary = "turn groups into kernels and the function into a program";
  let description = [{
    Each `program.group` becomes a `gpu.func` by the emitter of its family and a
    `program.dispatch`; the function becomes a `program.program` over buffers.

    ```mlir
    %0 = program.group map(%x) : (tensor<160xf32>) -> tensor<160xf32> { ... }
    ```
    becomes
    ```mlir
    program.dispatch @map_0::@map_0 grid 1 ins(%x) outs(%0)
    gpu.module @map_0 { gpu.func @map_0(...) kernel { ... } }
    ```
  }];
  let dependentDialects = ["::nxv::program::ProgramDialect", "::mlir::gpu::GPUDialect",
    "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect", "::mlir::memref::MemRefDialect",
    "::mlir::vector::VectorDialect", "::mlir::spirv::SPIRVDialect", "::mlir::math::MathDialect"];
}

#endif // NXV_KERNEL_PASSES_TD
