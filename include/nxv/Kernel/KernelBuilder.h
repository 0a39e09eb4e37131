//===- KernelBuilder.h - a kernel under construction ------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_KERNEL_KERNELBUILDER_H
#define NXV_KERNEL_KERNELBUILDER_H

#include "nxv/Dialect/Program/IR/Program.h"
#include "nxv/Kernel/ElementEmitter.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace nxv {

/// Creates the `gpu.module` and `gpu.func` of one group: one memref argument
/// for each operand of the group, then one for each result, all bound in
/// `emitter`. Emission happens at the end of the function's body.
class KernelBuilder {
public:
  /// `workgroup` threads in each of `grid` workgroups.
  KernelBuilder(mlir::ModuleOp module, llvm::StringRef name,
                program::GroupOp group, int64_t workgroup, int64_t grid);

  /// The workgroup's number, in [0, grid), and the thread's in it.
  mlir::AffineExpr getWorkgroupId() const { return workgroupId; }
  mlir::AffineExpr getThreadId() const { return threadId; }
  mlir::Value getOutputBuffer(unsigned i) const { return outputs[i]; }
  ElementEmitter &getEmitter() { return emitter; }
  IndexSpace &getSpace() { return space; }
  mlir::OpBuilder &getBuilder() { return builder; }
  program::GroupOp getGroup() const { return group; }

  /// Workgroup memory for `count` elements of a tensor; `element` may be a
  /// vector type.
  mlir::Value allocateShared(mlir::Type element, int64_t count);
  /// Waits for the workgroup; its memory is visible to all of it after, and
  /// with `deviceMemory` what it wrote to buffers as well.
  void barrier(bool deviceMemory = false);
  /// Ends the function.
  mlir::gpu::GPUFuncOp finish();

private:
  program::GroupOp group;
  mlir::OpBuilder builder;
  IndexSpace space;
  mlir::gpu::GPUFuncOp function;
  ElementEmitter emitter;
  mlir::AffineExpr workgroupId, threadId;
  llvm::SmallVector<mlir::Value> outputs;
};

/// The attribute that marks the operations of a group that its family lays out:
/// the contraction, or the reductions kept as stages.
inline constexpr llvm::StringLiteral rootAttrName = "nxv.root";

/// The operations of `group` marked as its roots, in order.
llvm::SmallVector<mlir::linalg::GenericOp> getRoots(program::GroupOp group);
/// The values that `group` yields.
mlir::ValueRange getYields(program::GroupOp group);

/// The family of an operation that is a kernel of its own: it reads its
/// operands through ElementEmitter and writes its results, and nothing joins
/// it. Nothing for operations that families share.
std::optional<program::Family> getOwnFamily(mlir::Operation *op);

/// Emits the kernel of `group` into `module` by the emitter of its family.
mlir::FailureOr<mlir::gpu::GPUFuncOp>
emitKernel(program::GroupOp group, mlir::ModuleOp module, llvm::StringRef name);

// The emitters, one file a family.
mlir::FailureOr<mlir::gpu::GPUFuncOp>
emitBlock(program::GroupOp group, mlir::ModuleOp module, llvm::StringRef name);
mlir::FailureOr<mlir::gpu::GPUFuncOp>
emitLoop(program::GroupOp group, mlir::ModuleOp module, llvm::StringRef name);
mlir::FailureOr<mlir::gpu::GPUFuncOp> emitTranspose(program::GroupOp group,
                                                    mlir::ModuleOp module,
                                                    llvm::StringRef name);
mlir::FailureOr<mlir::gpu::GPUFuncOp> emitContract(program::GroupOp group,
                                                   mlir::ModuleOp module,
                                                   llvm::StringRef name);
mlir::FailureOr<mlir::gpu::GPUFuncOp> emitScatter(program::GroupOp group,
                                                  mlir::ModuleOp module,
                                                  llvm::StringRef name);
mlir::FailureOr<mlir::gpu::GPUFuncOp>
emitSort(program::GroupOp group, mlir::ModuleOp module, llvm::StringRef name);
mlir::FailureOr<mlir::gpu::GPUFuncOp>
emitScan(program::GroupOp group, mlir::ModuleOp module, llvm::StringRef name);
mlir::FailureOr<mlir::gpu::GPUFuncOp>
emitFft(program::GroupOp group, mlir::ModuleOp module, llvm::StringRef name);
mlir::FailureOr<mlir::gpu::GPUFuncOp>
emitSolve(program::GroupOp group, mlir::ModuleOp module, llvm::StringRef name);

} // namespace nxv

#endif // NXV_KERNEL_KERNELBUILDER_H
