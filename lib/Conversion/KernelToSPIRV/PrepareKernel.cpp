//===- PrepareKernel.cpp - accesses through addresses ----------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The step before the dialect conversion: a spirv.func without arguments, the
// linear workgroup number, and SPIR-V accesses to device memory.
//
//===----------------------------------------------------------------------===//

#include "Kernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"

using namespace mlir;

namespace {

constexpr int64_t kMaxPushArguments = 16;
/// What every device offers in each dimension of a grid.
constexpr int64_t kMaxGridAxis = 65535;

bool isInStorage(Type type, spirv::StorageClass storage) {
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref)
    return false;
  auto attr =
      dyn_cast_or_null<spirv::StorageClassAttr>(memref.getMemorySpace());
  return attr && attr.getValue() == storage;
}

bool isDevice(Type type) {
  return isInStorage(type, spirv::StorageClass::PhysicalStorageBuffer);
}

bool isScalar(Type type) {
  return type.isIndex() || type.isSignlessInteger(1) ||
         type.isSignlessInteger(8) || type.isSignlessInteger(16) ||
         type.isSignlessInteger(32) || type.isSignlessInteger(64) ||
         type.isF16() || type.isF32() || type.isF64();
}

/// Narrow floats must be gone: MLIR would quietly widen them in memory.
bool isKernelType(Type type) {
  if (auto memref = dyn_cast<MemRefType>(type))
    type = memref.getElementType();
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.getRank() <= 1 && !vector.isScalable() &&
           vector.getNumElements() <= 4 && isScalar(vector.getElementType());
  return isScalar(type);
}

int64_t getByteWidth(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  int64_t lanes = vector ? vector.getNumElements() : 1;
  return lanes * getElementTypeOrSelf(type).getIntOrFloatBitWidth() / 8;
}

/// The kernel's arguments as addresses: an i64, or, where there are no integers
/// of 64 bits, a pointer to an array that accesses index.
class Addresses {
public:
  Addresses(OpBuilder &builder, bool asPointers)
      : builder(builder), asPointers(asPointers) {}

  /// The type of the address of `memory`.
  Type getType(MemRefType memory) const;
  /// The address that is number `number` of those in the record at `record`.
  Value load(Location loc, Value record, int64_t number);
  /// The pointer to a `pointee` at the element `index` + `offset`; a null index
  /// is 0.
  Value getPointer(Location loc, Value address, MemRefType memory, Value index,
                   int64_t offset, Type pointee);
  /// The type of a pointer to a record of addresses.
  spirv::PointerType getRecord(TypeRange members,
                               spirv::StorageClass storage) const;
  bool arePointers() const { return asPointers; }

private:
  Value getElement(Location loc, Value address, Value index, int64_t offset,
                   Type pointee);

  OpBuilder &builder;
  bool asPointers;
};

class KernelPreparer {
public:
  KernelPreparer(gpu::GPUFuncOp kernel, spirv::ModuleOp module, bool asPointers)
      : kernel(kernel), module(module), builder(kernel.getContext()),
        access(builder, asPointers) {}

  LogicalResult run() {
    if (failed(checkKernel()) || failed(checkBody()))
      return failure();
    createFunction();
    createArguments();
    if (failed(lowerGrid()) || failed(lowerAccesses()))
      return failure();
    lowerBarriers();
    hoist();
    lowerCountedLoops();
    return success();
  }

private:
  LogicalResult checkKernel();
  LogicalResult checkBody();
  void createFunction();
  void createArguments();
  Value loadArgument(spirv::GlobalVariableOp push, TypeRange members,
                     int64_t number, bool block);
  LogicalResult lowerGrid();
  Value createGuard(Location loc);
  LogicalResult lowerAccesses();
  LogicalResult lowerAccess(Operation *op);
  void lowerAtomic(memref::AtomicRMWOp op, Value pointer);
  Value createPointer(Location loc, Value memref, ValueRange indices,
                      Type type);
  LogicalResult splitWorkgroupAccess(Operation *op);
  void lowerBarriers();
  void hoist();
  void lowerCountedLoops();

  gpu::GPUFuncOp kernel;
  spirv::ModuleOp module;
  OpBuilder builder;
  Addresses access;
  spirv::FuncOp function;
  /// The address of each argument; null where it is not used.
  SmallVector<Value> addresses;
  int64_t grid = 0;
  ArrayRef<int32_t> blockSize;
};

LogicalResult KernelPreparer::checkKernel() {
  if (!kernel.isKernel() || !kernel.getBody().hasOneBlock())
    return kernel.emitOpError("expected a kernel of one block");
  if (kernel.getNumWorkgroupAttributions() ||
      kernel.getNumPrivateAttributions())
    return kernel.emitOpError("expected memref.alloc and memref.alloca "
                              "instead of memory attributions");
  // The attribute is written with and without the dialect's prefix.
  std::optional<ArrayRef<int32_t>> size = kernel.getKnownBlockSize();
  if (auto attr =
          kernel->getAttrOfType<DenseI32ArrayAttr>("gpu.known_block_size"))
    size = attr.asArrayRef();
  if (!size || size->size() != 3 ||
      llvm::any_of(*size, [](int32_t n) { return n < 1; }))
    return kernel.emitOpError("expected 'gpu.known_block_size' of three "
                              "positive sizes");
  blockSize = *size;
  auto gridAttr = kernel->getAttrOfType<IntegerAttr>("nxv.grid");
  if (!gridAttr || gridAttr.getInt() < 1)
    return kernel.emitOpError("expected a positive 'nxv.grid'");
  grid = gridAttr.getInt();
  if (grid > std::numeric_limits<int32_t>::max() &&
      !kernel->hasAttr("nxv.index64"))
    return kernel.emitOpError("a grid of ")
           << grid << " workgroups needs 64-bit indices ('nxv.index64')";
  for (auto [number, type] : llvm::enumerate(kernel.getArgumentTypes())) {
    auto memref = dyn_cast<MemRefType>(type);
    if (!memref || !isDevice(type) || memref.getRank() > 1 ||
        !memref.getLayout().isIdentity() ||
        !isScalar(memref.getElementType()) ||
        memref.getElementType().isIndex() ||
        memref.getElementType().isInteger(1))
      return kernel.emitOpError("argument ")
             << number << " has type " << type
             << ", expected a one-dimensional memref of 8 to 64-bit scalars "
                "in storage class PhysicalStorageBuffer";
  }
  return success();
}

LogicalResult KernelPreparer::checkBody() {
  WalkResult result = kernel.getBody().walk([](Operation *op) {
    auto check = [&](Type type) {
      if (isKernelType(type))
        return true;
      op->emitOpError("uses type ") << type << ", which a kernel cannot hold";
      return false;
    };
    if (!llvm::all_of(op->getOperandTypes(), check) ||
        !llvm::all_of(op->getResultTypes(), check))
      return WalkResult::interrupt();
    for (Region &region : op->getRegions())
      for (Block &block : region)
        if (!llvm::all_of(block.getArgumentTypes(), check))
          return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

void KernelPreparer::createFunction() {
  builder.setInsertionPointToStart(module.getBody());
  function = spirv::FuncOp::create(builder, kernel.getLoc(), kernel.getName(),
                                   builder.getFunctionType({}, {}));
  function.getBody().takeBody(kernel.getBody());
  module->setAttr(nxv::kBlockSizeAttr, builder.getI32ArrayAttr(blockSize));
  if (kernel->hasAttr("nxv.index64"))
    module->setAttr("nxv.index64", builder.getUnitAttr());
}

void KernelPreparer::createArguments() {
  Block &entry = function.getBody().front();
  int64_t count = entry.getNumArguments();
  addresses.resize(count);
  bool block = count > kMaxPushArguments;
  module->setAttr(nxv::kArgumentsAttr,
                  builder.getStringAttr(block ? "block" : "push"));
  if (count == 0)
    return;

  // The record holds every argument, used or not: its size is part of the ABI.
  SmallVector<Type> members;
  for (Type type : entry.getArgumentTypes())
    members.push_back(access.getType(cast<MemRefType>(type)));
  using Storage = spirv::StorageClass;
  spirv::PointerType record = access.getRecord(members, Storage::PushConstant);
  if (block) {
    record = access.getRecord(members, Storage::PhysicalStorageBuffer);
    Type address = access.arePointers() ? Type(record) : builder.getI64Type();
    record = access.getRecord(address, Storage::PushConstant);
  }
  builder.setInsertionPoint(function);
  auto push = spirv::GlobalVariableOp::create(
      builder, kernel.getLoc(), TypeAttr::get(record),
      builder.getStringAttr("__push_constants__"));

  builder.setInsertionPointToStart(&entry);
  for (int64_t i = 0; i < count; ++i)
    if (!entry.getArgument(i).use_empty())
      addresses[i] = loadArgument(push, members, i, block);
}

Value KernelPreparer::loadArgument(spirv::GlobalVariableOp push,
                                   TypeRange members, int64_t number,
                                   bool block) {
  Location loc = kernel.getLoc();
  Value base = spirv::AddressOfOp::create(builder, loc, push);
  Value value = access.load(loc, base, block ? 0 : number);
  if (!block)
    return value;
  if (!access.arePointers()) {
    auto type =
        access.getRecord(members, spirv::StorageClass::PhysicalStorageBuffer);
    value = spirv::ConvertUToPtrOp::create(builder, loc, type, value);
  }
  return access.load(loc, value, number);
}

//===----------------------------------------------------------------------===//
// The grid
//===----------------------------------------------------------------------===//

LogicalResult KernelPreparer::lowerGrid() {
  SmallVector<Operation *> blockIds;
  WalkResult result = function.walk([&](Operation *op) {
    if (auto id = dyn_cast<gpu::BlockIdOp>(op)) {
      if (id.getDimension() != gpu::Dimension::x) {
        op->emitOpError("the grid is linear and has dimension x only");
        return WalkResult::interrupt();
      }
      blockIds.push_back(op);
    } else if (auto dim = dyn_cast<gpu::BlockDimOp>(op)) {
      OpBuilder b(op);
      auto size = arith::ConstantIndexOp::create(
          b, op->getLoc(), blockSize[static_cast<int>(dim.getDimension())]);
      op->replaceAllUsesWith(size);
      op->erase();
    } else if (isa<gpu::GridDimOp, gpu::GlobalIdOp>(op)) {
      op->emitOpError("is not available: only gpu.block_id x and "
                      "gpu.thread_id number a kernel's work items");
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  if (grid <= kMaxGridAxis)
    return success();
  Value id = createGuard(kernel.getLoc());
  for (Operation *op : blockIds) {
    op->replaceAllUsesWith(ValueRange(id));
    op->erase();
  }
  return success();
}

/// The runtime folds a large grid into x, y and z, rounded up. Rebuilds the
/// number and wraps the body into a branch that is uniform in a workgroup.
Value KernelPreparer::createGuard(Location loc) {
  Block &entry = function.getBody().front();
  // Behind the loads of the arguments, in front of the kernel's own code.
  Operation *first = &entry.front();
  while (first->getDialect() && isa<spirv::SPIRVDialect>(first->getDialect()))
    first = first->getNextNode();
  Block *rest = entry.splitBlock(first);
  builder.setInsertionPointToEnd(&entry);

  using gpu::Dimension;
  auto id = [&](Dimension d) -> Value {
    return gpu::BlockIdOp::create(builder, loc, d);
  };
  auto size = [&](Dimension d) -> Value {
    return gpu::GridDimOp::create(builder, loc, d);
  };
  Value number =
      arith::MulIOp::create(builder, loc, size(Dimension::y), id(Dimension::z));
  number = arith::AddIOp::create(builder, loc, number, id(Dimension::y));
  number = arith::MulIOp::create(builder, loc, number, size(Dimension::x));
  number = arith::AddIOp::create(builder, loc, number, id(Dimension::x));
  Value limit = arith::ConstantIndexOp::create(builder, loc, grid);
  Value inside = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                       number, limit);
  auto guard = scf::IfOp::create(builder, loc, inside, /*withElse=*/false);

  Operation *end = rest->getTerminator();
  Block *body = guard.thenBlock();
  body->getOperations().splice(body->begin(), rest->getOperations(),
                               rest->begin(), end->getIterator());
  end->moveAfter(guard);
  rest->erase();
  return number;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

LogicalResult KernelPreparer::lowerAccesses() {
  SmallVector<Operation *> accesses, splits;
  WalkResult result = function.walk([&](Operation *op) {
    auto isWorkgroup = [](Type type) {
      return isInStorage(type, spirv::StorageClass::Workgroup) ||
             isInStorage(type, spirv::StorageClass::Function);
    };
    if (llvm::any_of(op->getOperandTypes(), isDevice)) {
      auto atomic = dyn_cast<memref::AtomicRMWOp>(op);
      bool setsBits =
          atomic && (atomic.getKind() == arith::AtomicRMWKind::andi ||
                     atomic.getKind() == arith::AtomicRMWKind::ori);
      if (!setsBits && !isa<memref::LoadOp, memref::StoreOp, vector::LoadOp,
                            vector::StoreOp>(op)) {
        op->emitOpError("is not a load, a store or an atomic and or or, and a "
                        "kernel's arguments have no other use");
        return WalkResult::interrupt();
      }
      accesses.push_back(op);
    } else if (isa<vector::LoadOp, vector::StoreOp>(op) &&
               llvm::any_of(op->getOperandTypes(), isWorkgroup)) {
      splits.push_back(op);
    }
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  for (Operation *op : accesses)
    if (failed(lowerAccess(op)))
      return failure();
  for (Operation *op : splits)
    if (failed(splitWorkgroupAccess(op)))
      return failure();
  Block &entry = function.getBody().front();
  entry.eraseArguments(0, entry.getNumArguments());
  return success();
}

Type Addresses::getType(MemRefType memory) const {
  if (!asPointers)
    return builder.getI64Type();
  Type element = memory.getElementType();
  auto array = spirv::RuntimeArrayType::get(element, getByteWidth(element));
  return getRecord(Type(array), spirv::StorageClass::PhysicalStorageBuffer);
}

spirv::PointerType Addresses::getRecord(TypeRange members,
                                        spirv::StorageClass storage) const {
  SmallVector<uint32_t> offsets;
  for (size_t i = 0; i < members.size(); ++i)
    offsets.push_back(8 * i);
  spirv::StructType::StructDecorationInfo block(spirv::Decoration::Block,
                                                builder.getUnitAttr());
  auto record =
      spirv::StructType::get(llvm::to_vector(members), offsets, {}, {block});
  return spirv::PointerType::get(record, storage);
}

Value Addresses::load(Location loc, Value record, int64_t number) {
  Value member = spirv::ConstantOp::create(builder, loc, builder.getI32Type(),
                                           builder.getI32IntegerAttr(number));
  Value pointer = spirv::AccessChainOp::create(builder, loc, record, member);
  auto type = cast<spirv::PointerType>(record.getType());
  if (type.getStorageClass() == spirv::StorageClass::PushConstant)
    return spirv::LoadOp::create(builder, loc, pointer);
  return spirv::LoadOp::create(
      builder, loc, pointer,
      spirv::MemoryAccessAttr::get(builder.getContext(),
                                   spirv::MemoryAccess::Aligned),
      builder.getI32IntegerAttr(8));
}

/// Indexes an array; what is wider than its elements is reinterpreted.
Value Addresses::getElement(Location loc, Value address, Value index,
                            int64_t offset, Type pointee) {
  Type i32 = builder.getI32Type();
  Value number = spirv::ConstantOp::create(builder, loc, i32,
                                           builder.getI32IntegerAttr(offset));
  if (index) {
    Value word = arith::IndexCastOp::create(builder, loc, i32, index);
    number = offset ? Value(arith::AddIOp::create(builder, loc, word, number))
                    : word;
  }
  Value zero = spirv::ConstantOp::create(builder, loc, i32,
                                         builder.getI32IntegerAttr(0));
  Value element = spirv::AccessChainOp::create(builder, loc, address,
                                               ValueRange{zero, number});
  auto type = spirv::PointerType::get(
      pointee, spirv::StorageClass::PhysicalStorageBuffer);
  if (element.getType() == type)
    return element;
  return spirv::BitcastOp::create(builder, loc, type, element);
}

Value Addresses::getPointer(Location loc, Value address, MemRefType memory,
                            Value index, int64_t offset, Type pointee) {
  if (asPointers)
    return getElement(loc, address, index, offset, pointee);
  int64_t size = getByteWidth(memory.getElementType());
  Type i64 = builder.getI64Type();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getI64IntegerAttr(value));
  };
  if (index) {
    Value wide = arith::IndexCastOp::create(builder, loc, i64, index);
    Value bytes = arith::MulIOp::create(builder, loc, wide, constant(size));
    address = arith::AddIOp::create(builder, loc, address, bytes);
  }
  if (offset)
    address =
        arith::AddIOp::create(builder, loc, address, constant(offset * size));
  auto pointer = spirv::PointerType::get(
      pointee, spirv::StorageClass::PhysicalStorageBuffer);
  return spirv::ConvertUToPtrOp::create(builder, loc, pointer, address);
}

/// address + index * size. Constant addends of the index are kept apart, so
/// that neighbouring accesses share their variable part; an index is in bounds
/// and is computed without overflow, which makes the sum in 64 bits the same.
Value KernelPreparer::createPointer(Location loc, Value memref,
                                    ValueRange indices, Type type) {
  auto argument = cast<BlockArgument>(memref);
  Value address = addresses[argument.getArgNumber()];
  int64_t offset = 0;
  Value index = indices.empty() ? Value() : indices.front();
  while (index) {
    IntegerAttr number;
    if (matchPattern(index, m_Constant(&number))) {
      offset += number.getInt();
      index = Value();
      break;
    }
    auto sum = index.getDefiningOp<arith::AddIOp>();
    if (!sum || !matchPattern(sum.getRhs(), m_Constant(&number)))
      break;
    offset += number.getInt();
    index = sum.getLhs();
  }
  return access.getPointer(loc, address, cast<MemRefType>(memref.getType()),
                           index, offset, type);
}

LogicalResult KernelPreparer::lowerAccess(Operation *op) {
  Value memref, stored;
  ValueRange indices;
  if (auto load = dyn_cast<memref::LoadOp>(op)) {
    memref = load.getMemRef();
    indices = load.getIndices();
  } else if (auto store = dyn_cast<memref::StoreOp>(op)) {
    memref = store.getMemRef();
    indices = store.getIndices();
    stored = store.getValueToStore();
  } else if (auto load = dyn_cast<vector::LoadOp>(op)) {
    memref = load.getBase();
    indices = load.getIndices();
  } else if (auto atomic = dyn_cast<memref::AtomicRMWOp>(op)) {
    memref = atomic.getMemref();
    indices = atomic.getIndices();
    stored = atomic.getValue();
  } else {
    auto vectorStore = cast<vector::StoreOp>(op);
    memref = vectorStore.getBase();
    indices = vectorStore.getIndices();
    stored = vectorStore.getValueToStore();
  }
  if (!isa<BlockArgument>(memref) ||
      memref.getParentBlock() != &function.getBody().front())
    return op->emitOpError("accesses device memory that is not an argument of "
                           "the kernel");
  Type type = stored ? stored.getType() : op->getResult(0).getType();
  if (auto vector = dyn_cast<VectorType>(type))
    if (vector.getRank() != 1 ||
        (vector.getNumElements() != 2 && vector.getNumElements() != 4))
      return op->emitOpError("accesses ")
             << type << ", expected a vector of 2 or 4 elements";

  Location loc = op->getLoc();
  builder.setInsertionPoint(op);
  Value pointer = createPointer(loc, memref, indices, type);
  if (auto atomic = dyn_cast<memref::AtomicRMWOp>(op)) {
    lowerAtomic(atomic, pointer);
    return success();
  }
  auto access = spirv::MemoryAccessAttr::get(builder.getContext(),
                                             spirv::MemoryAccess::Aligned);
  auto alignment = builder.getI32IntegerAttr(getByteWidth(type));
  if (stored) {
    spirv::StoreOp::create(builder, loc, pointer, stored, access, alignment);
  } else {
    Value loaded =
        spirv::LoadOp::create(builder, loc, pointer, access, alignment);
    op->replaceAllUsesWith(ValueRange(loaded));
  }
  op->erase();
  return success();
}

void KernelPreparer::lowerAtomic(memref::AtomicRMWOp op, Value pointer) {
  Location loc = op.getLoc();
  auto scope = spirv::Scope::Device;
  auto semantics = spirv::MemorySemantics::None;
  Value old;
  if (op.getKind() == arith::AtomicRMWKind::andi)
    old = spirv::AtomicAndOp::create(builder, loc, pointer, scope, semantics,
                                     op.getValue());
  else
    old = spirv::AtomicOrOp::create(builder, loc, pointer, scope, semantics,
                                    op.getValue());
  op.replaceAllUsesWith(old);
  op.erase();
}

/// Workgroup and private memory have logical pointers, which cannot be
/// reinterpreted: a vector of scalars there is accessed one by one.
LogicalResult KernelPreparer::splitWorkgroupAccess(Operation *op) {
  auto load = dyn_cast<vector::LoadOp>(op);
  auto store = dyn_cast<vector::StoreOp>(op);
  Value memref = load ? load.getBase() : store.getBase();
  SmallVector<Value> indices(load ? load.getIndices() : store.getIndices());
  auto vector = load ? load.getVectorType() : store.getVectorType();
  if (isa<VectorType>(cast<MemRefType>(memref.getType()).getElementType()) ||
      vector.getRank() != 1 || indices.empty())
    return op->emitOpError("expected a one-dimensional vector of the memory's "
                           "scalars");
  Location loc = op->getLoc();
  builder.setInsertionPoint(op);
  SmallVector<Value> elements;
  Value first = indices.back();
  for (int64_t i = 0, e = vector.getNumElements(); i < e; ++i) {
    Value step = arith::ConstantIndexOp::create(builder, loc, i);
    indices.back() = arith::AddIOp::create(builder, loc, first, step);
    if (load) {
      elements.push_back(memref::LoadOp::create(builder, loc, memref, indices));
      continue;
    }
    Value element =
        vector::ExtractOp::create(builder, loc, store.getValueToStore(), i);
    memref::StoreOp::create(builder, loc, element, memref, indices);
  }
  if (load)
    load.replaceAllUsesWith(
        vector::FromElementsOp::create(builder, loc, vector, elements)
            .getResult());
  op->erase();
  return success();
}

/// A barrier orders workgroup memory; with the unit attribute
/// `nxv.device_memory` also what the workgroup itself wrote to device memory.
void KernelPreparer::lowerBarriers() {
  SmallVector<gpu::BarrierOp> barriers;
  function.walk([&](gpu::BarrierOp op) { barriers.push_back(op); });
  for (gpu::BarrierOp op : barriers) {
    builder.setInsertionPoint(op);
    auto semantics = spirv::MemorySemantics::AcquireRelease |
                     spirv::MemorySemantics::WorkgroupMemory;
    if (op->hasAttr("nxv.device_memory"))
      semantics = semantics | spirv::MemorySemantics::UniformMemory;
    spirv::ControlBarrierOp::create(builder, op.getLoc(),
                                    spirv::Scope::Workgroup,
                                    spirv::Scope::Workgroup, semantics);
    op->erase();
  }
}

/// Addresses are arithmetic now: shares them and moves them out of loops.
void KernelPreparer::hoist() {
  IRRewriter rewriter(function.getContext());
  DominanceInfo dominance(function);
  eliminateCommonSubExpressions(rewriter, dominance, function);
  function.walk([](LoopLikeOpInterface loop) { moveLoopInvariantCode(loop); });
}

bool runsAtLeastOnce(scf::ForOp loop) {
  APInt lower, upper;
  if (!matchPattern(loop.getLowerBound(), m_ConstantInt(&lower)) ||
      !matchPattern(loop.getUpperBound(), m_ConstantInt(&upper)))
    return false;
  return loop.getUnsignedCmp() ? lower.ult(upper) : lower.slt(upper);
}

/// for (i = lower; i < upper; i += step) with the counter as first state.
void lowerToWhile(scf::ForOp loop) {
  IRRewriter rewriter(loop.getContext());
  rewriter.setInsertionPoint(loop);
  Location loc = loop.getLoc();
  SmallVector<Value> state{loop.getLowerBound()};
  llvm::append_range(state, loop.getInitArgs());
  auto predicate = loop.getUnsignedCmp() ? arith::CmpIPredicate::ult
                                         : arith::CmpIPredicate::slt;
  auto lowered = scf::WhileOp::create(
      rewriter, loc, TypeRange(ValueRange(state)), state,
      [&](OpBuilder &b, Location loc, ValueRange args) {
        Value more = arith::CmpIOp::create(b, loc, predicate, args.front(),
                                           loop.getUpperBound());
        scf::ConditionOp::create(b, loc, more, args);
      },
      [](OpBuilder &, Location, ValueRange) {});
  Block *body = lowered.getAfterBody();
  auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
  rewriter.setInsertionPoint(yield);
  SmallVector<Value> next{arith::AddIOp::create(
      rewriter, loc, loop.getInductionVar(), loop.getStep())};
  llvm::append_range(next, yield.getOperands());
  rewriter.replaceOpWithNewOp<scf::YieldOp>(yield, next);
  rewriter.mergeBlocks(loop.getBody(), body, body->getArguments());
  rewriter.replaceOp(loop, lowered.getResults().drop_front());
}

/// Compares an extended integer with a constant in the integer's own width:
/// less work on every device, and Mesa's drivers fold the wide form wrongly.
void narrowComparison(arith::CmpIOp op) {
  Operation *extension = op.getLhs().getDefiningOp();
  Attribute attr;
  if (!isa_and_nonnull<arith::ExtSIOp, arith::ExtUIOp>(extension) ||
      !matchPattern(op.getRhs(), m_Constant(&attr)))
    return;
  Value narrow = extension->getOperand(0);
  Type type = getElementTypeOrSelf(narrow.getType());
  auto splat = dyn_cast<SplatElementsAttr>(attr);
  auto value = splat ? splat.getSplatValue<Attribute>() : attr;
  auto integer = dyn_cast<IntegerAttr>(value);
  unsigned width = type.getIntOrFloatBitWidth();
  if (!integer || width == 1)
    return;
  APInt constant = integer.getValue();
  bool isSigned = isa<arith::ExtSIOp>(extension);
  // An unsigned order of sign-extended numbers, or a signed one of
  // zero-extended ones with a negative constant, is not that of the narrow
  // numbers.
  auto predicate = op.getPredicate();
  bool equality = predicate == arith::CmpIPredicate::eq ||
                  predicate == arith::CmpIPredicate::ne;
  bool unsignedOrder = predicate >= arith::CmpIPredicate::ult;
  bool fits = isSigned ? constant.isSignedIntN(width) : constant.isIntN(width);
  if (!fits || (!equality && isSigned && unsignedOrder))
    return;
  if (!isSigned && !equality && !unsignedOrder)
    predicate = arith::CmpIPredicate(unsigned(predicate) + 4);
  OpBuilder builder(op);
  auto cut = builder.getIntegerAttr(type, constant.trunc(width));
  TypedAttr other = cut;
  if (auto vector = dyn_cast<VectorType>(narrow.getType()))
    other = DenseElementsAttr::get(vector, Attribute(cut));
  Value limit = arith::ConstantOp::create(builder, op.getLoc(), other);
  op.replaceAllUsesWith(
      arith::CmpIOp::create(builder, op.getLoc(), predicate, narrow, limit)
          .getResult());
  op.erase();
}

void narrowComparisons(gpu::GPUFuncOp kernel) {
  SmallVector<arith::CmpIOp> comparisons;
  kernel.walk([&](arith::CmpIOp op) { comparisons.push_back(op); });
  for (arith::CmpIOp op : comparisons)
    narrowComparison(op);
}

/// MLIR's lowering of scf.for leaves the results undefined if there is no
/// iteration, and compares signed only; that of scf.while is right.
void KernelPreparer::lowerCountedLoops() {
  SmallVector<scf::ForOp> loops;
  function.walk([&](scf::ForOp loop) {
    if (loop.getUnsignedCmp() ||
        (loop.getNumResults() && !runsAtLeastOnce(loop)))
      loops.push_back(loop);
  });
  for (scf::ForOp loop : loops)
    lowerToWhile(loop);
}

} // namespace

spirv::ModuleOp nxv::prepareKernel(gpu::GPUModuleOp source) {
  auto kernels = source.getOps<gpu::GPUFuncOp>();
  if (!llvm::hasSingleElement(kernels) ||
      !llvm::hasSingleElement(*source.getBody())) {
    source.emitOpError("expected one kernel and nothing else");
    return {};
  }
  gpu::GPUFuncOp kernel = *kernels.begin();
  narrowComparisons(kernel);
  OpBuilder builder(source);
  auto module = spirv::ModuleOp::create(
      builder, source.getLoc(), spirv::AddressingModel::PhysicalStorageBuffer64,
      spirv::MemoryModel::GLSL450, std::nullopt, source.getName());
  bool asPointers = source->hasAttr(nxv::kWithoutInt64Attr);
  if (failed(KernelPreparer(kernel, module, asPointers).run())) {
    module.erase();
    return {};
  }
  return module;
}
