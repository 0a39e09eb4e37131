//===- Passes.td - passes on programs ---------------------------*- tablegen -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_DIALECT_PROGRAM_TRANSFORMS_PASSES_TD
#define NXV_DIALECT_PROGRAM_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def NxvInsertBarriers : Pass<"nxv-insert-barriers", "::mlir::ModuleOp"> {
  let summary = "Puts barriers where one step waits for another";
  let description = [{
    A barrier stands in front of a step that reads what was written, or writes
    what was read or written, since the last barrier. Arena buffers share memory
    where their ranges overlap. Steps in front of, inside and behind a loop or a
    branch are always kept apart, as the host looks at the device in between.

    Before:

    ```mlir
    program.dispatch @k0::@k0 grid 1 ins(%x) outs(%0)
    program.dispatch @k1::@k1 grid 1 ins(%x) outs(%1)
    program.dispatch @k2::@k2 grid 1 ins(%0, %1) outs(%y)
    ```

    After:

    ```mlir
    program.dispatch @k0::@k0 grid 1 ins(%x) outs(%0)
    program.dispatch @k1::@k1 grid 1 ins(%x) outs(%1)
    program.barrier
    program.dispatch @k2::@k2 grid 1 ins(%0, %1) outs(%y)
    ```
  }];
  let dependentDialects = ["::nxv::program::ProgramDialect"];
}

def NxvPlanMemory : Pass<"nxv-plan-memory", "::mlir::ModuleOp"> {
  let summary = "Places the intermediates in one arena";
  let description = [{
    Every arena buffer gets an offset, a multiple of 256; buffers that are never
    alive together may share memory. The largest are placed first, each into the
    smallest gap that holds it. `arena_bytes` becomes the size of the arena and
    `intermediate_bytes` what it would be without sharing.

    An output is placed into a donatable input of the same size if nothing uses
    the input any more when the output is first written, or if that dispatch
    says that it can work in place: its attribute `in_place` lists pairs of an
    input's and an output's number. Intermediates are treated alike. An
    intermediate that is dead before some output of its size or larger is first
    written lies in that output, and takes no room in the arena.

    Before:

    ```mlir
    %0 = program.buffer arena 1024
    %1 = program.buffer arena 512
    %2 = program.buffer arena 1024
    program.dispatch @a::@a grid 1 ins(%x) outs(%0)
    program.dispatch @b::@b grid 1 ins(%0) outs(%1)
    program.dispatch @c::@c grid 1 ins(%1) outs(%2)
    program.dispatch @d::@d grid 1 ins(%2) outs(%y)
    ```

    After:

    ```mlir
    %0 = program.buffer arena 1024 {offset = 0 : i64}
    %1 = program.buffer arena 512 {offset = 1024 : i64}
    %2 = program.buffer arena 1024 {offset = 0 : i64}
    ```
  }];
  let dependentDialects = ["::nxv::program::ProgramDialect"];
}

#endif // NXV_DIALECT_PROGRAM_TRANSFORMS_PASSES_TD
