//===- SpvpackToProgram.cpp - reads packs -----------------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "nxv/Target/Spvpack/Spvpack.h"

#include "Pack.h"
#include "nxv/Dialect/Program/IR/Program.h"

#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Target/SPIRV/Deserialization.h"

#include <cstring>

using namespace mlir;
using namespace nxv;

namespace {

class ProgramBuilder {
public:
  ProgramBuilder(const pack::Pack &pack, MLIRContext *context)
      : pack(pack), builder(context), loc(builder.getUnknownLoc()) {}

  OwningOpRef<ModuleOp> run();

private:
  LogicalResult addVariant(const pack::Kernel &kernel, size_t number);
  LogicalResult addKernels(ModuleOp module);
  DictionaryAttr getTensor(const pack::Tensor &tensor);
  void addBuffers();
  void addOps(const std::vector<pack::Op> &ops);
  void addOp(const pack::Op &op);
  LogicalResult checkOffsets(const std::vector<pack::Op> &ops);

  const pack::Pack &pack;
  OpBuilder builder;
  Location loc;
  SmallVector<std::string> entries;
  SmallVector<Value> buffers;
};

LogicalResult ProgramBuilder::addVariant(const pack::Kernel &kernel,
                                         size_t number) {
  const pack::Variant &variant = kernel.variants[number];
  const pack::Blob &blob = pack.blobs[variant.blob];
  std::vector<uint32_t> words(blob.size() / sizeof(uint32_t));
  std::memcpy(words.data(), blob.data(), words.size() * sizeof(uint32_t));
  OwningOpRef<spirv::ModuleOp> read =
      spirv::deserialize(words, builder.getContext());
  if (!read)
    return emitError(loc, "kernel '")
           << kernel.name << "' cannot be read as SPIR-V";
  (*read)->setAttr(
      "nxv.arguments",
      builder.getStringAttr(
          variant.arguments == pack::Arguments::Block ? "block" : "push"));
  std::string name = kernel.name;
  if (number) {
    (*read)->setAttr("nxv.variant_of", builder.getStringAttr(name));
    name += "_variant" + std::to_string(number);
  }
  (*read)->setAttr(SymbolTable::getSymbolAttrName(),
                   builder.getStringAttr(name));
  builder.insert(read.release());
  return success();
}

LogicalResult ProgramBuilder::addKernels(ModuleOp module) {
  builder.setInsertionPointToEnd(module.getBody());
  for (const pack::Kernel &kernel : pack.kernels)
    for (size_t i = 0; i < kernel.variants.size(); ++i)
      if (failed(addVariant(kernel, i)))
        return failure();
  return success();
}

DictionaryAttr ProgramBuilder::getTensor(const pack::Tensor &tensor) {
  NamedAttrList attrs;
  if (!tensor.name.empty())
    attrs.append("name", builder.getStringAttr(tensor.name));
  attrs.append("type", builder.getStringAttr(tensor.type));
  attrs.append("shape", builder.getDenseI64ArrayAttr(tensor.shape));
  if (tensor.donatable)
    attrs.append("donatable", builder.getBoolAttr(true));
  return attrs.getDictionary(builder.getContext());
}

void ProgramBuilder::addBuffers() {
  SmallVector<std::optional<int64_t>> index(pack.buffers.size());
  for (auto [i, output] : llvm::enumerate(pack.outputs))
    if (pack.buffers[output.buffer].kind == pack::BufferKind::Output)
      index[output.buffer] = i;
  for (auto [i, input] : llvm::enumerate(pack.inputs))
    index[input.buffer] = i;
  for (auto [i, buffer] : llvm::enumerate(pack.buffers)) {
    IntegerAttr number, offset;
    ElementsAttr value;
    auto kind = program::BufferKind::arena;
    switch (buffer.kind) {
    case pack::BufferKind::Input:
      kind = program::BufferKind::input;
      number = builder.getI64IntegerAttr(index[i].value_or(0));
      break;
    case pack::BufferKind::Output:
      kind = program::BufferKind::output;
      number = builder.getI64IntegerAttr(index[i].value_or(0));
      break;
    case pack::BufferKind::Constant: {
      kind = program::BufferKind::constant;
      const pack::Blob &blob = pack.blobs[buffer.blob];
      auto type = RankedTensorType::get({static_cast<int64_t>(blob.size())},
                                        builder.getI8Type());
      value = DenseElementsAttr::getFromRawBuffer(
          type, ArrayRef<char>(reinterpret_cast<const char *>(blob.data()),
                               blob.size()));
      break;
    }
    case pack::BufferKind::Arena:
      offset = builder.getI64IntegerAttr(buffer.offset);
      break;
    }
    buffers.push_back(program::BufferOp::create(
        builder, loc, program::BufferType::get(builder.getContext()), kind,
        buffer.bytes, number, offset, value));
  }
}

void ProgramBuilder::addOps(const std::vector<pack::Op> &ops) {
  for (const pack::Op &op : ops)
    addOp(op);
}

void ProgramBuilder::addOp(const pack::Op &op) {
  auto at = [&](const pack::Arg &arg) { return buffers[arg.buffer]; };
  auto fillRegion = [&](Region &region, const std::vector<pack::Op> &ops) {
    if (ops.empty())
      return;
    OpBuilder::InsertionGuard guard(builder);
    builder.createBlock(&region);
    addOps(ops);
  };
  switch (op.kind) {
  case pack::OpKind::Dispatch: {
    const pack::Kernel &kernel = pack.kernels[op.kernel];
    auto symbol = SymbolRefAttr::get(
        builder.getContext(), kernel.name,
        {FlatSymbolRefAttr::get(builder.getContext(),
                                kernel.variants.front().entry)});
    // Which arguments are written is not in a pack.
    SmallVector<Value> args = llvm::map_to_vector(op.args, at);
    program::DispatchOp::create(builder, loc, symbol, op.grid, ValueRange(),
                                args);
    break;
  }
  case pack::OpKind::Barrier:
    program::BarrierOp::create(builder, loc);
    break;
  case pack::OpKind::Copy:
    program::CopyOp::create(builder, loc, at(op.src), at(op.dst), op.bytes);
    break;
  case pack::OpKind::Fill:
    program::FillOp::create(builder, loc, at(op.dst), op.bytes, op.value);
    break;
  case pack::OpKind::While: {
    auto loop = program::WhileOp::create(builder, loc, at(op.predicate));
    fillRegion(loop.getCondition(), op.first);
    fillRegion(loop.getBody(), op.second);
    break;
  }
  case pack::OpKind::Repeat: {
    auto loop = program::RepeatOp::create(builder, loc, op.count);
    fillRegion(loop.getBody(), op.first);
    break;
  }
  case pack::OpKind::If: {
    auto branch = program::IfOp::create(builder, loc, at(op.predicate));
    fillRegion(branch.getThenRegion(), op.first);
    fillRegion(branch.getElseRegion(), op.second);
    break;
  }
  case pack::OpKind::Tap:
    program::TapOp::create(builder, loc, op.name, op.type, op.shape,
                           at(op.src));
    break;
  }
}

/// The dialect names whole buffers only.
LogicalResult ProgramBuilder::checkOffsets(const std::vector<pack::Op> &ops) {
  for (const pack::Op &op : ops) {
    bool whole =
        op.src.offset == 0 && op.dst.offset == 0 && op.predicate.offset == 0 &&
        llvm::all_of(op.args,
                     [](const pack::Arg &arg) { return arg.offset == 0; });
    if (!whole)
      return emitError(loc, "the program addresses the inside of a buffer, "
                            "which cannot be shown");
    if (failed(checkOffsets(op.first)) || failed(checkOffsets(op.second)))
      return failure();
  }
  return success();
}

OwningOpRef<ModuleOp> ProgramBuilder::run() {
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  if (!pack.name.empty())
    (*module)->setAttr("nxv.graph_name", builder.getStringAttr(pack.name));
  if (failed(checkOffsets(pack.program)) || failed(addKernels(*module)))
    return {};
  auto getTensors = [&](const std::vector<pack::Tensor> &tensors) {
    return builder.getArrayAttr(
        llvm::map_to_vector(tensors, [&](const pack::Tensor &t) -> Attribute {
          return getTensor(t);
        }));
  };
  StringAttr tree;
  if (!pack.outputTree.empty())
    tree = builder.getStringAttr(pack.outputTree);
  auto program = program::ProgramOp::create(
      builder, loc, builder.getStringAttr("main"), getTensors(pack.inputs),
      getTensors(pack.outputs), tree,
      builder.getI64IntegerAttr(pack.arenaBytes),
      builder.getI64IntegerAttr(pack.intermediateBytes));
  builder.createBlock(&program.getBody());
  addBuffers();
  addOps(pack.program);
  auto results = llvm::map_to_vector(
      pack.outputs, [&](const pack::Tensor &t) { return buffers[t.buffer]; });
  program::ResultsOp::create(builder, loc, results);
  return module;
}

} // namespace

OwningOpRef<ModuleOp> nxv::translateSpvpackToProgram(StringRef bytes,
                                                     MLIRContext *context) {
  context->loadDialect<program::ProgramDialect, spirv::SPIRVDialect>();
  pack::Pack pack;
  std::string error;
  if (!pack::parse(reinterpret_cast<const uint8_t *>(bytes.data()),
                   bytes.size(), pack, error)) {
    emitError(UnknownLoc::get(context), error);
    return {};
  }
  return ProgramBuilder(pack, context).run();
}
