//===- FinishModule.cpp - completes a SPIR-V module -------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// MLIR's own passes lower the version to the least possible one and miss some
// capabilities, so that the version, the capabilities and the interface are
// worked out here: version 1.5 (core in Vulkan 1.2, where physical storage
// buffers and 8-bit storage need no extension), or 1.6 for cooperative
// matrices, and exactly what the operations and types need.
//
//===----------------------------------------------------------------------===//

#include "Kernel.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;
using spirv::Capability;

namespace {

class RequirementCollector {
public:
  void run(spirv::ModuleOp module) {
    add(Capability::Shader);
    add(Capability::PhysicalStorageBufferAddresses);
    module.walk([&](Operation *op) {
      for (Type type : op->getOperandTypes())
        visit(type, std::nullopt);
      for (Type type : op->getResultTypes())
        visit(type, std::nullopt);
      if (auto variable = dyn_cast<spirv::GlobalVariableOp>(op))
        visitVariable(variable);
      visitInterfaces(op);
    });
    resolveChoices();
  }

  spirv::VerCapExtAttr getTriple(MLIRContext *context) {
    auto sorted = llvm::to_vector(capabilities);
    llvm::sort(sorted);
    auto names = llvm::to_vector(extensions);
    llvm::sort(names);
    spirv::Version version =
        capabilities.contains(Capability::CooperativeMatrixKHR)
            ? spirv::Version::V_1_6
            : spirv::Version::V_1_5;
    return spirv::VerCapExtAttr::get(version, sorted, names, context);
  }

private:
  void add(Capability capability) { capabilities.insert(capability); }

  void visit(Type type, std::optional<spirv::StorageClass> storage) {
    if (auto pointer = dyn_cast<spirv::PointerType>(type))
      return visit(pointer.getPointeeType(), pointer.getStorageClass());
    if (auto array = dyn_cast<spirv::ArrayType>(type))
      return visit(array.getElementType(), storage);
    if (auto array = dyn_cast<spirv::RuntimeArrayType>(type))
      return visit(array.getElementType(), storage);
    if (auto record = dyn_cast<spirv::StructType>(type)) {
      for (Type member : record.getElementTypes())
        visit(member, storage);
      return;
    }
    if (auto matrix = dyn_cast<spirv::CooperativeMatrixType>(type)) {
      add(Capability::CooperativeMatrixKHR);
      extensions.insert(spirv::Extension::SPV_KHR_cooperative_matrix);
      return visit(matrix.getElementType(), storage);
    }
    if (auto vector = dyn_cast<VectorType>(type))
      return visit(vector.getElementType(), storage);
    visitScalar(type, storage);
  }

  void visitScalar(Type type, std::optional<spirv::StorageClass> storage) {
    if (!type.isIntOrFloat() || type.isInteger(1))
      return;
    unsigned width = type.getIntOrFloatBitWidth();
    bool isFloat = isa<FloatType>(type);
    bool inDevice = storage == spirv::StorageClass::PhysicalStorageBuffer ||
                    storage == spirv::StorageClass::StorageBuffer;
    if (width == 8) {
      add(Capability::Int8);
      if (inDevice)
        add(Capability::StorageBuffer8BitAccess);
    } else if (width == 16) {
      add(isFloat ? Capability::Float16 : Capability::Int16);
      if (inDevice)
        add(Capability::StorageBuffer16BitAccess);
    } else if (width == 64) {
      add(isFloat ? Capability::Float64 : Capability::Int64);
    }
  }

  void visitVariable(spirv::GlobalVariableOp variable) {
    visit(variable.getType(), std::nullopt);
    std::optional<StringRef> name = variable.getBuiltIn();
    if (!name)
      return;
    static constexpr StringLiteral subgroup[] = {"NumSubgroups", "SubgroupId",
                                                 "SubgroupSize",
                                                 "SubgroupLocalInvocationId"};
    if (llvm::is_contained(subgroup, *name))
      add(Capability::GroupNonUniform);
  }

  void visitInterfaces(Operation *op) {
    if (auto query = dyn_cast<spirv::QueryCapabilityInterface>(op))
      for (ArrayRef<Capability> choice : query.getCapabilities())
        choices.push_back(llvm::to_vector(choice));
    if (auto query = dyn_cast<spirv::QueryExtensionInterface>(op))
      for (ArrayRef<spirv::Extension> choice : query.getExtensions())
        if (!choice.empty() && llvm::none_of(choice, isCore))
          extensions.insert(choice.front());
    bool is64BitAtomic =
        op->getName().getStringRef().starts_with("spirv.Atomic") &&
        llvm::any_of(op->getResultTypes(),
                     [](Type type) { return type.isInteger(64); });
    if (is64BitAtomic)
      add(Capability::Int64Atomics);
    if (isa<spirv::EXTAtomicFAddOp>(op))
      add(op->getResult(0).getType().isF64() ? Capability::AtomicFloat64AddEXT
                                             : Capability::AtomicFloat32AddEXT);
  }

  /// Part of every version from 1.5 on.
  static bool isCore(spirv::Extension extension) {
    using E = spirv::Extension;
    switch (extension) {
    case E::SPV_EXT_physical_storage_buffer:
    case E::SPV_KHR_physical_storage_buffer:
    case E::SPV_KHR_storage_buffer_storage_class:
    case E::SPV_KHR_8bit_storage:
    case E::SPV_KHR_16bit_storage:
    case E::SPV_KHR_float_controls:
    case E::SPV_KHR_no_integer_wrap_decoration:
    case E::SPV_KHR_variable_pointers:
    case E::SPV_KHR_vulkan_memory_model:
      return true;
    default:
      return false;
    }
  }

  /// An operation names alternatives; takes one that is there anyway if it can.
  void resolveChoices() {
    for (ArrayRef<Capability> choice : choices) {
      bool met = llvm::any_of(choice, [&](Capability capability) {
        if (capabilities.contains(capability))
          return true;
        // Shader is always there and implies Matrix.
        return capability == Capability::Matrix;
      });
      if (met || choice.empty())
        continue;
      const Capability *usable =
          llvm::find_if(choice, [](Capability capability) {
            return capability != Capability::Kernel &&
                   capability != Capability::Addresses;
          });
      add(usable == choice.end() ? choice.front() : *usable);
    }
  }

  llvm::SetVector<Capability> capabilities;
  llvm::SetVector<spirv::Extension> extensions;
  SmallVector<SmallVector<Capability>> choices;
};

void addNoContraction(spirv::FuncOp function) {
  auto unit = UnitAttr::get(function.getContext());
  function.walk([&](Operation *op) {
    if (isa<spirv::FAddOp, spirv::FSubOp, spirv::FMulOp, spirv::FDivOp>(op))
      op->setAttr("no_contraction", unit);
  });
}

/// Before SPIR-V 1.4 only inputs and outputs were listed; now all variables in
/// use are.
SmallVector<Attribute> getInterface(spirv::ModuleOp module) {
  SmallVector<Attribute> interface;
  for (auto variable : module.getOps<spirv::GlobalVariableOp>())
    interface.push_back(FlatSymbolRefAttr::get(variable));
  return interface;
}

/// MLIR's writer takes the header of a loop for the block that enters a loop
/// inside of the header, although it ends the header in front of that one: what
/// a header computes gets a block of its own.
void splitLoopHeaders(spirv::FuncOp function) {
  OpBuilder builder(function.getContext());
  function.walk([&](spirv::LoopOp loop) {
    Block *header = loop.getHeaderBlock();
    auto isNested = [](Operation &op) { return op.getNumRegions() != 0; };
    if (llvm::none_of(*header, isNested))
      return;
    Block *rest = header->splitBlock(header->begin());
    builder.setInsertionPointToEnd(header);
    spirv::BranchOp::create(builder, loop.getLoc(), rest);
  });
}

void eraseUnusedVariables(spirv::ModuleOp module, spirv::FuncOp function) {
  llvm::SmallDenseSet<StringAttr> used;
  function.walk([&](spirv::AddressOfOp op) {
    used.insert(op.getVariableAttr().getAttr());
  });
  // The push constants stay: their size is the kernel's signature.
  for (auto variable :
       llvm::make_early_inc_range(module.getOps<spirv::GlobalVariableOp>()))
    if (!used.contains(variable.getSymNameAttr()) &&
        variable.storageClass() != spirv::StorageClass::PushConstant)
      variable.erase();
}

/// Without this mode a driver may assume that there is no NaN, infinity or
/// negative zero, and Mesa's does. Vulkan makes it optional, for each width,
/// but the drivers known to hold f16 or f64 at all have it too; the runtime
/// looks.
void addFloatControls(spirv::FuncOp function, OpBuilder &builder) {
  llvm::SmallSet<int32_t, 4> widths;
  function.walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      if (auto element = dyn_cast<FloatType>(getElementTypeOrSelf(type)))
        widths.insert(element.getWidth());
  });
  for (int32_t width : {16, 32, 64})
    if (widths.contains(width))
      spirv::ExecutionModeOp::create(
          builder, function.getLoc(), function,
          spirv::ExecutionMode::SignedZeroInfNanPreserve, {width});
}

} // namespace

LogicalResult nxv::finishModule(spirv::ModuleOp module, bool floatControls) {
  auto function = *module.getOps<spirv::FuncOp>().begin();
  addNoContraction(function);
  eraseUnusedVariables(module, function);
  splitLoopHeaders(function);

  OpBuilder builder(module.getContext());
  builder.setInsertionPointToEnd(module.getBody());
  spirv::EntryPointOp::create(builder, function.getLoc(),
                              spirv::ExecutionModel::GLCompute, function,
                              getInterface(module));
  SmallVector<int32_t> size;
  for (Attribute n : module->getAttrOfType<ArrayAttr>(kBlockSizeAttr))
    size.push_back(cast<IntegerAttr>(n).getInt());
  spirv::ExecutionModeOp::create(builder, function.getLoc(), function,
                                 spirv::ExecutionMode::LocalSize, size);
  if (floatControls)
    addFloatControls(function, builder);
  module->removeAttr(kBlockSizeAttr);
  module->removeAttr("nxv.index64");

  RequirementCollector collector;
  collector.run(module);
  module.setVceTripleAttr(collector.getTriple(module.getContext()));
  return success();
}
