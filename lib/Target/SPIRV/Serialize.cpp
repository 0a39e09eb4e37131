//===- Serialize.cpp - kernels as SPIR-V words ------------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "nxv/Target/SPIRV/Serialize.h"

#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Target/SPIRV/Serialization.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace {

struct Layout {
  uint64_t size = 0;
  uint64_t alignment = 1;
};

/// Size and alignment in workgroup memory or the push constants.
Layout getLayout(Type type) {
  if (auto array = dyn_cast<spirv::ArrayType>(type)) {
    Layout element = getLayout(array.getElementType());
    uint64_t stride = llvm::alignTo(element.size, element.alignment);
    return {stride * array.getNumElements(), element.alignment};
  }
  if (auto record = dyn_cast<spirv::StructType>(type)) {
    Layout layout;
    for (Type member : record.getElementTypes()) {
      Layout inner = getLayout(member);
      layout.size = llvm::alignTo(layout.size, inner.alignment) + inner.size;
      layout.alignment = std::max(layout.alignment, inner.alignment);
    }
    layout.size = llvm::alignTo(layout.size, layout.alignment);
    return layout;
  }
  if (auto vector = dyn_cast<VectorType>(type)) {
    Layout element = getLayout(vector.getElementType());
    uint64_t size = element.size * vector.getNumElements();
    return {size, llvm::PowerOf2Ceil(size)};
  }
  if (isa<spirv::PointerType>(type))
    return {8, 8};
  // A boolean has no size of its own; drivers take a word.
  uint64_t bits = type.isInteger(1) ? 32 : type.getIntOrFloatBitWidth();
  return {bits / 8, bits / 8};
}

void measureVariables(spirv::ModuleOp module, nxv::SerializedKernel &kernel) {
  for (auto variable : module.getOps<spirv::GlobalVariableOp>()) {
    auto pointer = cast<spirv::PointerType>(variable.getType());
    Layout layout = getLayout(pointer.getPointeeType());
    if (pointer.getStorageClass() == spirv::StorageClass::PushConstant)
      kernel.pushBytes += layout.size;
    if (pointer.getStorageClass() == spirv::StorageClass::Workgroup)
      kernel.sharedBytes =
          llvm::alignTo(kernel.sharedBytes, layout.alignment) + layout.size;
  }
}

LogicalResult readTriple(spirv::ModuleOp module,
                         nxv::SerializedKernel &kernel) {
  std::optional<spirv::VerCapExtAttr> triple = module.getVceTriple();
  if (!triple)
    return module.emitOpError("expected a version, capabilities and "
                              "extensions");
  kernel.spirv = spirv::stringifyVersion(triple->getVersion()).drop_front();
  kernel.vulkan = triple->getVersion() >= spirv::Version::V_1_6 ? "1.3" : "1.2";
  for (spirv::Capability capability : triple->getCapabilities())
    kernel.capabilities.push_back(spirv::stringifyCapability(capability).str());
  for (spirv::Extension extension : triple->getExtensions())
    kernel.extensions.push_back(spirv::stringifyExtension(extension).str());
  llvm::sort(kernel.capabilities);
  llvm::sort(kernel.extensions);
  return success();
}

LogicalResult readEntry(spirv::ModuleOp module, nxv::SerializedKernel &kernel) {
  auto entries = module.getOps<spirv::EntryPointOp>();
  if (!llvm::hasSingleElement(entries))
    return module.emitOpError("expected one entry point");
  spirv::EntryPointOp entry = *entries.begin();
  kernel.entry = entry.getFn().str();
  bool sized = false;
  for (auto mode : module.getOps<spirv::ExecutionModeOp>()) {
    if (mode.getExecutionMode() != spirv::ExecutionMode::LocalSize)
      continue;
    if (mode.getValues().size() != 3)
      return mode.emitOpError("expected three sizes");
    for (auto [i, value] : llvm::enumerate(mode.getValues()))
      kernel.workgroup[i] = cast<IntegerAttr>(value).getInt();
    sized = true;
  }
  if (!sized)
    return module.emitOpError("expected an execution mode LocalSize");
  if (auto arguments = module->getAttrOfType<StringAttr>("nxv.arguments"))
    kernel.argumentsInBlock = arguments == "block";
  return success();
}

/// Renames the entry point of `module` to "main".
void renameEntry(spirv::ModuleOp module, StringRef name) {
  if (name == "main")
    return;
  auto symbol = FlatSymbolRefAttr::get(module.getContext(), "main");
  for (Operation &op : *module.getBody()) {
    if (auto entry = dyn_cast<spirv::EntryPointOp>(op))
      entry.setFnAttr(symbol);
    else if (auto mode = dyn_cast<spirv::ExecutionModeOp>(op))
      mode.setFnAttr(symbol);
    else if (auto function = dyn_cast<spirv::FuncOp>(op))
      if (function.getName() == name)
        function.setName("main");
  }
}

} // namespace

FailureOr<nxv::SerializedKernel> nxv::serializeKernel(spirv::ModuleOp module) {
  SerializedKernel kernel;
  if (failed(readTriple(module, kernel)) || failed(readEntry(module, kernel)))
    return failure();
  measureVariables(module, kernel);

  OwningOpRef<spirv::ModuleOp> copy = module.clone();
  renameEntry(*copy, kernel.entry);
  kernel.entry = "main";
  spirv::SerializationOptions options;
  options.emitSymbolName = false;
  SmallVector<uint32_t, 0> words;
  if (failed(spirv::serialize(*copy, words, options)))
    return module.emitOpError("cannot be serialised");
  if (failed(validateSPIRV(words, module.getLoc())))
    return failure();
  kernel.words.assign(words.begin(), words.end());
  return kernel;
}
