//===- KernelBuilder.cpp - a kernel under construction ----------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "nxv/Kernel/KernelBuilder.h"

#include "nxv/Kernel/Storage.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVAttributes.h"

#include <limits>

using namespace mlir;
using namespace nxv;

static Attribute storageClass(MLIRContext *context, spirv::StorageClass which) {
  return spirv::StorageClassAttr::get(context, which);
}

static MemRefType globalMemory(Type tensor) {
  Type element = ElementEmitter::storageType(getElementTypeOrSelf(tensor));
  return MemRefType::get(
      {ShapedType::kDynamic}, element, MemRefLayoutAttrInterface(),
      storageClass(tensor.getContext(),
                   spirv::StorageClass::PhysicalStorageBuffer));
}

/// Do indices of the group's tensors, or numbers of the points of its roots,
/// need 64 bits? What is computed on the way counts as well: no memory holds
/// it, but its elements have indices.
static bool needsWideIndices(program::GroupOp group) {
  bool wide = false;
  auto require = [&](int64_t count) {
    wide |= count > std::numeric_limits<int32_t>::max();
  };
  auto requireAll = [&](ValueRange values) {
    for (Value value : values)
      if (auto tensor = dyn_cast<RankedTensorType>(value.getType()))
        require(tensor.getNumElements());
  };
  requireAll(group.getBody().front().getArguments());
  // A contraction never numbers all of its points: its linear indices run over
  // the rows, the columns or the depth, each a part of some tensor.
  program::Family family = group.getFamily();
  bool numbersPoints =
      family != program::Family::contract && family != program::Family::conv;
  group.getBody().walk([&](Operation *op) {
    requireAll(op->getResults());
    auto generic = dyn_cast<linalg::GenericOp>(op);
    if (!generic || !numbersPoints || !op->hasAttr(rootAttrName))
      return;
    int64_t points = 1;
    for (int64_t extent : generic.getStaticLoopRanges())
      points *= extent;
    require(points);
  });
  return wide;
}

static gpu::GPUFuncOp createFunction(OpBuilder &builder, ModuleOp module,
                                     StringRef name, program::GroupOp group,
                                     int64_t workgroup, int64_t grid) {
  builder.setInsertionPointToEnd(module.getBody());
  auto gpuModule = gpu::GPUModuleOp::create(builder, group.getLoc(), name);
  builder.setInsertionPointToStart(gpuModule.getBody());
  SmallVector<Type> arguments;
  for (Type type : group->getOperandTypes())
    arguments.push_back(globalMemory(type));
  for (Type type : group->getResultTypes())
    arguments.push_back(globalMemory(type));
  auto function = gpu::GPUFuncOp::create(
      builder, group.getLoc(), name, builder.getFunctionType(arguments, {}));
  function->setAttr(gpu::GPUDialect::getKernelFuncAttrName(),
                    builder.getUnitAttr());
  int32_t size[3] = {int32_t(workgroup), 1, 1};
  function.setKnownBlockSize(ArrayRef<int32_t>(size));
  function->setAttr("nxv.grid", builder.getI64IntegerAttr(grid));
  if (needsWideIndices(group))
    function->setAttr("nxv.index64", builder.getUnitAttr());
  builder.setInsertionPointToStart(&function.getBody().front());
  return function;
}

KernelBuilder::KernelBuilder(ModuleOp module, StringRef name,
                             program::GroupOp group, int64_t workgroup,
                             int64_t grid)
    : group(group), builder(module.getContext()), space(module.getContext()),
      function(createFunction(builder, module, name, group, workgroup, grid)),
      emitter(builder, group.getLoc(), space, needsWideIndices(group)) {
  auto id = [&](Value value, int64_t size) {
    Value cast = arith::IndexCastUIOp::create(builder, group.getLoc(),
                                              emitter.getIndexType(), value);
    return emitter.addDim(size, cast);
  };
  workgroupId = id(
      gpu::BlockIdOp::create(builder, group.getLoc(), gpu::Dimension::x), grid);
  threadId =
      id(gpu::ThreadIdOp::create(builder, group.getLoc(), gpu::Dimension::x),
         workgroup);
  ValueRange arguments = function.getBody().getArguments();
  Block &body = group.getBody().front();
  for (auto [tensor, buffer] : llvm::zip(body.getArguments(), arguments))
    emitter.bindBuffer(tensor, buffer);
  for (unsigned i = 0; i < group->getNumResults(); ++i)
    outputs.push_back(arguments[body.getNumArguments() + i]);
}

Value KernelBuilder::allocateShared(Type element, int64_t count) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&function.getBody().front());
  auto type = MemRefType::get(
      {count}, sharedElement(element, count), MemRefLayoutAttrInterface(),
      storageClass(element.getContext(), spirv::StorageClass::Workgroup));
  return memref::AllocOp::create(builder, group.getLoc(), type);
}

void KernelBuilder::barrier(bool deviceMemory) {
  auto op = gpu::BarrierOp::create(builder, group.getLoc());
  if (deviceMemory)
    op->setAttr("nxv.device_memory", builder.getUnitAttr());
}

gpu::GPUFuncOp KernelBuilder::finish() {
  gpu::ReturnOp::create(builder, group.getLoc());
  return function;
}

SmallVector<linalg::GenericOp> nxv::getRoots(program::GroupOp group) {
  SmallVector<linalg::GenericOp> roots;
  for (auto op : group.getBody().getOps<linalg::GenericOp>())
    if (op->hasAttr(rootAttrName))
      roots.push_back(op);
  return roots;
}

ValueRange nxv::getYields(program::GroupOp group) {
  return group.getBody().front().getTerminator()->getOperands();
}
