//===- AddVariants.cpp - kernels for lesser devices -------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Kernel.h"

#include "nxv/Conversion/KernelToSPIRV/Passes.h"

namespace nxv {
#define GEN_PASS_DEF_NXVADDVARIANTS
#include "nxv/Conversion/KernelToSPIRV/Passes.h.inc"
} // namespace nxv

using namespace mlir;

bool nxv::isNarrow(Type type) {
  if (auto memref = dyn_cast<MemRefType>(type))
    type = memref.getElementType();
  type = getElementTypeOrSelf(type);
  return type.isInteger(8) || type.isInteger(16) || type.isF16();
}

namespace {

/// Does an operation of `module` use a type of which `predicate` holds? An
/// argument that nothing reads is an address and no more.
bool usesType(gpu::GPUModuleOp module, bool (*predicate)(Type)) {
  return module
      .walk([&](Operation *op) {
        bool uses = llvm::any_of(op->getOperandTypes(), predicate) ||
                    llvm::any_of(op->getResultTypes(), predicate);
        return uses ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Do the kernel's tensors have so many elements that their numbers need 64
/// bits?
bool hasWideIndices(gpu::GPUModuleOp module) {
  return llvm::any_of(module.getOps<gpu::GPUFuncOp>(), [](auto kernel) {
    return kernel->hasAttr("nxv.index64");
  });
}

struct AddVariants : nxv::impl::NxvAddVariantsBase<AddVariants> {
  using NxvAddVariantsBase::NxvAddVariantsBase;

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    auto kernels = llvm::to_vector(getOperation().getOps<gpu::GPUModuleOp>());
    for (gpu::GPUModuleOp kernel : kernels) {
      gpu::GPUModuleOp last = kernel;
      bool narrow = usesType(kernel, nxv::isNarrow);
      if (narrow)
        last = addVariant(symbols, kernel, last, "_wide", true, false);
      if (withoutInt64 && !hasWideIndices(kernel))
        addVariant(symbols, kernel, last, "_words", narrow, true);
    }
  }

  gpu::GPUModuleOp addVariant(SymbolTable &symbols, gpu::GPUModuleOp kernel,
                              gpu::GPUModuleOp last, StringRef suffix,
                              bool noNarrow, bool noInt64) {
    Builder builder(&getContext());
    gpu::GPUModuleOp variant = kernel.clone();
    variant.setName((kernel.getName() + suffix).str());
    variant->setAttr(nxv::kVariantOfAttr,
                     builder.getStringAttr(kernel.getName()));
    if (noNarrow)
      variant->setAttr(nxv::kWithoutNarrowAttr, builder.getUnitAttr());
    if (noInt64)
      variant->setAttr(nxv::kWithoutInt64Attr, builder.getUnitAttr());
    symbols.insert(variant, std::next(Block::iterator(last)));
    return variant;
  }
};

} // namespace
