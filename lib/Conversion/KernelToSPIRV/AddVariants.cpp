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

bool usesNarrowTypes(gpu::GPUModuleOp module) {
  return module
      .walk([](Operation *op) {
        bool uses = llvm::any_of(op->getOperandTypes(), nxv::isNarrow) ||
                    llvm::any_of(op->getResultTypes(), nxv::isNarrow);
        // An argument that nothing reads is an address and no more.
        return uses ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

struct AddVariants : nxv::impl::NxvAddVariantsBase<AddVariants> {
  using NxvAddVariantsBase::NxvAddVariantsBase;

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    auto kernels = llvm::to_vector(getOperation().getOps<gpu::GPUModuleOp>());
    for (gpu::GPUModuleOp kernel : kernels)
      if (usesNarrowTypes(kernel))
        addVariant(symbols, kernel);
  }

  void addVariant(SymbolTable &symbols, gpu::GPUModuleOp kernel) {
    Builder builder(&getContext());
    gpu::GPUModuleOp variant = kernel.clone();
    variant.setName((kernel.getName() + "_wide").str());
    variant->setAttr(nxv::kVariantOfAttr,
                     builder.getStringAttr(kernel.getName()));
    variant->setAttr(nxv::kWithoutNarrowAttr, builder.getUnitAttr());
    symbols.insert(variant, std::next(Block::iterator(kernel)));
  }
};

} // namespace
