//===- ProgramToSpvpack.cpp - writes packs ----------------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "nxv/Target/Spvpack/Spvpack.h"

#include "Pack.h"
#include "nxv/Dialect/Program/IR/Program.h"
#include "nxv/Target/SPIRV/Serialize.h"

#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace nxv;

namespace {

class PackBuilder {
public:
  explicit PackBuilder(ModuleOp module) : module(module), symbols(module) {}

  LogicalResult run();
  const pack::Pack &getPack() const { return pack; }

private:
  LogicalResult addBuffers(program::ProgramOp program);
  LogicalResult addBuffer(program::BufferOp op, program::ProgramOp program);
  LogicalResult addInputs(program::ProgramOp program);
  LogicalResult addOutputs(program::ProgramOp program);
  LogicalResult readTensor(Attribute attr, Operation *op, pack::Tensor &tensor);
  LogicalResult addOps(Region &region, std::vector<pack::Op> &ops);
  FailureOr<pack::Op> convert(Operation &op);
  FailureOr<uint64_t> getKernel(program::DispatchOp op);
  LogicalResult addVariant(spirv::ModuleOp source, pack::Kernel &kernel);
  uint64_t getBlob(std::string bytes);
  pack::Arg getArg(Value buffer) { return {bufferNumbers.lookup(buffer), 0}; }

  ModuleOp module;
  SymbolTable symbols;
  pack::Pack pack;
  DenseMap<Value, uint64_t> bufferNumbers;
  /// The buffer of each input.
  SmallVector<std::optional<uint64_t>> inputBuffers;
  /// The later variants of the kernel of a name, in order.
  llvm::StringMap<SmallVector<spirv::ModuleOp>> laterVariants;
  /// Kernels by the symbol of their module, and by their words.
  llvm::StringMap<uint64_t> kernelsByName;
  DenseMap<uint64_t, uint64_t> kernelsByBlob;
  llvm::StringMap<uint64_t> blobNumbers;
};

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// One element in the pack's form: a type narrower than a byte takes one byte.
void appendInteger(const APInt &value, bool isUnsigned, std::string &bytes) {
  unsigned width = value.getBitWidth();
  unsigned size = llvm::divideCeil(width, 8);
  APInt wide = isUnsigned || width == 1 ? value.zextOrTrunc(8 * size)
                                        : value.sextOrTrunc(8 * size);
  for (unsigned i = 0; i < size; ++i)
    bytes.push_back(static_cast<char>(wide.extractBitsAsZExtValue(8, 8 * i)));
}

LogicalResult appendDense(DenseElementsAttr dense, std::string &bytes) {
  Type element = dense.getElementType();
  unsigned width =
      isa<ComplexType>(element) ? 8 : element.getIntOrFloatBitWidth();
  if (!dense.isSplat() && width >= 8 && width % 8 == 0) {
    ArrayRef<char> raw = dense.getRawData();
    bytes.append(raw.begin(), raw.end());
    return success();
  }
  std::string one;
  if (auto integer = dyn_cast<IntegerType>(element)) {
    for (const APInt &value : dense.getValues<APInt>()) {
      appendInteger(value, integer.isUnsigned(), bytes);
      if (dense.isSplat())
        break;
    }
  } else {
    ArrayRef<char> raw = dense.getRawData();
    bytes.append(raw.begin(), raw.end());
  }
  if (dense.isSplat() && dense.getNumElements() > 0) {
    one = bytes;
    bytes.reserve(one.size() * dense.getNumElements());
    for (int64_t i = 1, e = dense.getNumElements(); i < e; ++i)
      bytes += one;
  }
  if (dense.getNumElements() == 0)
    bytes.clear();
  return success();
}

LogicalResult getBytes(ElementsAttr value, std::string &bytes) {
  if (auto dense = dyn_cast<DenseElementsAttr>(value))
    return appendDense(dense, bytes);
  auto resource = dyn_cast<DenseResourceElementsAttr>(value);
  if (!resource)
    return failure();
  AsmResourceBlob *blob = resource.getRawHandle().getBlob();
  if (!blob)
    return failure();
  ArrayRef<char> raw = blob->getData();
  bytes.assign(raw.begin(), raw.end());
  return success();
}

//===----------------------------------------------------------------------===//
// Buffers and the signature
//===----------------------------------------------------------------------===//

LogicalResult PackBuilder::addBuffer(program::BufferOp op,
                                     program::ProgramOp program) {
  uint64_t number = pack.buffers.size();
  bufferNumbers[op.getResult()] = number;
  pack::Buffer buffer;
  buffer.bytes = op.getBytes();
  switch (op.getKind()) {
  case program::BufferKind::input: {
    buffer.kind = pack::BufferKind::Input;
    uint64_t index = *op.getIndex();
    if (index >= inputBuffers.size())
      return op.emitOpError("names input ")
             << index << ", but the program has " << inputBuffers.size();
    if (inputBuffers[index])
      return op.emitOpError("is the second buffer of input ") << index;
    inputBuffers[index] = number;
    break;
  }
  case program::BufferKind::output:
    buffer.kind = pack::BufferKind::Output;
    break;
  case program::BufferKind::constant: {
    buffer.kind = pack::BufferKind::Constant;
    std::string bytes;
    if (failed(getBytes(*op.getValue(), bytes)))
      return op.emitOpError("has a value whose bytes are not available");
    if (bytes.size() != op.getBytes())
      return op.emitOpError("has a value of ")
             << bytes.size() << " bytes in a buffer of " << op.getBytes();
    buffer.blob = getBlob(std::move(bytes));
    break;
  }
  case program::BufferKind::arena:
    buffer.kind = pack::BufferKind::Arena;
    if (!op.getOffset())
      return op.emitOpError("has no offset: run nxv-plan-memory first");
    buffer.offset = *op.getOffset();
    break;
  }
  pack.buffers.push_back(buffer);
  return success();
}

LogicalResult PackBuilder::addBuffers(program::ProgramOp program) {
  inputBuffers.resize(program.getInputs().size());
  WalkResult result = program.walk(
      [&](program::BufferOp op) { return WalkResult(addBuffer(op, program)); });
  return failure(result.wasInterrupted());
}

LogicalResult PackBuilder::readTensor(Attribute attr, Operation *op,
                                      pack::Tensor &tensor) {
  auto dict = dyn_cast<DictionaryAttr>(attr);
  auto type = dict ? dict.getAs<StringAttr>("type") : StringAttr();
  auto shape =
      dict ? dict.getAs<DenseI64ArrayAttr>("shape") : DenseI64ArrayAttr();
  if (!type || !shape)
    return op->emitOpError("expected inputs and outputs to be dictionaries "
                           "with a 'type' and a 'shape', got ")
           << attr;
  if (auto name = dict.getAs<StringAttr>("name"))
    tensor.name = name.str();
  tensor.type = type.str();
  tensor.shape.assign(shape.asArrayRef().begin(), shape.asArrayRef().end());
  if (Attribute donatable = dict.get("donatable")) {
    auto flag = dyn_cast<BoolAttr>(donatable);
    tensor.donatable = !flag || flag.getValue();
  }
  return success();
}

LogicalResult PackBuilder::addInputs(program::ProgramOp program) {
  for (auto [index, attr] : llvm::enumerate(program.getInputs())) {
    pack::Tensor tensor;
    if (failed(readTensor(attr, program, tensor)))
      return failure();
    if (!inputBuffers[index]) {
      // Nothing reads this input; the host still has to be able to give it.
      pack::Buffer buffer;
      buffer.kind = pack::BufferKind::Input;
      if (!pack::tensorBytes(tensor.type, tensor.shape, buffer.bytes))
        return program.emitOpError("has an impossible input ") << index;
      inputBuffers[index] = pack.buffers.size();
      pack.buffers.push_back(buffer);
    }
    tensor.buffer = *inputBuffers[index];
    pack.inputs.push_back(std::move(tensor));
  }
  return success();
}

LogicalResult PackBuilder::addOutputs(program::ProgramOp program) {
  auto results = program.getBody().getOps<program::ResultsOp>();
  if (!llvm::hasSingleElement(results))
    return program.emitOpError("expected one program.results");
  OperandRange buffers = (*results.begin()).getBuffers();
  if (buffers.size() != program.getOutputs().size())
    return program.emitOpError("has ")
           << program.getOutputs().size() << " outputs, but " << buffers.size()
           << " results";
  for (auto [attr, buffer] : llvm::zip(program.getOutputs(), buffers)) {
    pack::Tensor tensor;
    if (failed(readTensor(attr, program, tensor)))
      return failure();
    tensor.name.clear();
    tensor.donatable = false;
    tensor.buffer = bufferNumbers.lookup(buffer);
    pack.outputs.push_back(std::move(tensor));
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

uint64_t PackBuilder::getBlob(std::string bytes) {
  auto [it, isNew] = blobNumbers.try_emplace(bytes, pack.blobs.size());
  if (isNew)
    pack.blobs.emplace_back(std::vector<uint8_t>(bytes.begin(), bytes.end()));
  return it->second;
}

pack::Variant getVariant(const SerializedKernel &kernel, uint64_t blob) {
  pack::Variant variant;
  variant.blob = blob;
  variant.entry = kernel.entry;
  std::copy_n(kernel.workgroup, 3, variant.workgroup);
  variant.arguments =
      kernel.argumentsInBlock ? pack::Arguments::Block : pack::Arguments::Push;
  pack::Requirements &requirements = variant.requirements;
  requirements.vulkan = kernel.vulkan;
  requirements.spirv = kernel.spirv;
  requirements.capabilities = kernel.capabilities;
  requirements.extensions = kernel.extensions;
  requirements.sharedBytes = kernel.sharedBytes;
  requirements.pushBytes = kernel.pushBytes;
  return variant;
}

LogicalResult PackBuilder::addVariant(spirv::ModuleOp source,
                                      pack::Kernel &kernel) {
  FailureOr<SerializedKernel> words = serializeKernel(source);
  if (failed(words))
    return failure();
  uint64_t blob =
      getBlob(std::string(reinterpret_cast<const char *>(words->words.data()),
                          words->words.size() * sizeof(uint32_t)));
  kernel.variants.push_back(getVariant(*words, blob));
  return success();
}

FailureOr<uint64_t> PackBuilder::getKernel(program::DispatchOp op) {
  StringRef name = op.getKernel().getRootReference();
  auto known = kernelsByName.find(name);
  if (known != kernelsByName.end())
    return known->second;
  auto source = symbols.lookup<spirv::ModuleOp>(name);
  if (!source)
    return op.emitOpError("dispatches @")
           << name << ", which is not a spirv.module";
  pack::Kernel kernel{name.str(), {}};
  if (failed(addVariant(source, kernel)))
    return failure();
  // Equal words are one pipeline.
  auto [it, isNew] = kernelsByBlob.try_emplace(kernel.variants.front().blob,
                                               pack.kernels.size());
  if (isNew) {
    for (spirv::ModuleOp later : laterVariants.lookup(name))
      if (failed(addVariant(later, kernel)))
        return failure();
    pack.kernels.push_back(std::move(kernel));
  }
  kernelsByName[name] = it->second;
  return it->second;
}

//===----------------------------------------------------------------------===//
// The program
//===----------------------------------------------------------------------===//

FailureOr<pack::Op> PackBuilder::convert(Operation &op) {
  pack::Op result;
  if (auto dispatch = dyn_cast<program::DispatchOp>(op)) {
    FailureOr<uint64_t> kernel = getKernel(dispatch);
    if (failed(kernel))
      return failure();
    result.kind = pack::OpKind::Dispatch;
    result.kernel = *kernel;
    result.grid = dispatch.getGrid();
    for (Value buffer : dispatch->getOperands())
      result.args.push_back(getArg(buffer));
  } else if (isa<program::BarrierOp>(op)) {
    result.kind = pack::OpKind::Barrier;
  } else if (auto copy = dyn_cast<program::CopyOp>(op)) {
    result.kind = pack::OpKind::Copy;
    result.src = getArg(copy.getSource());
    result.dst = getArg(copy.getTarget());
    result.bytes = copy.getBytes();
  } else if (auto fill = dyn_cast<program::FillOp>(op)) {
    result.kind = pack::OpKind::Fill;
    result.dst = getArg(fill.getTarget());
    result.bytes = fill.getBytes();
    result.value = fill.getValue();
  } else if (auto loop = dyn_cast<program::WhileOp>(op)) {
    result.kind = pack::OpKind::While;
    result.predicate = getArg(loop.getPredicate());
    if (failed(addOps(loop.getCondition(), result.first)) ||
        failed(addOps(loop.getBody(), result.second)))
      return failure();
  } else if (auto loop = dyn_cast<program::RepeatOp>(op)) {
    result.kind = pack::OpKind::Repeat;
    result.count = loop.getCount();
    if (failed(addOps(loop.getBody(), result.first)))
      return failure();
  } else if (auto branch = dyn_cast<program::IfOp>(op)) {
    result.kind = pack::OpKind::If;
    result.predicate = getArg(branch.getPredicate());
    if (failed(addOps(branch.getThenRegion(), result.first)) ||
        failed(addOps(branch.getElseRegion(), result.second)))
      return failure();
  } else if (auto tap = dyn_cast<program::TapOp>(op)) {
    result.kind = pack::OpKind::Tap;
    result.name = tap.getName().str();
    result.type = tap.getType().str();
    result.shape.assign(tap.getShape().begin(), tap.getShape().end());
    result.src = getArg(tap.getSource());
  } else {
    return op.emitOpError("has no place in a pack");
  }
  return result;
}

LogicalResult PackBuilder::addOps(Region &region, std::vector<pack::Op> &ops) {
  if (region.empty())
    return success();
  for (Operation &op : region.front()) {
    if (isa<program::BufferOp, program::ResultsOp, program::YieldOp>(op))
      continue;
    FailureOr<pack::Op> converted = convert(op);
    if (failed(converted))
      return failure();
    ops.push_back(std::move(*converted));
  }
  return success();
}

LogicalResult PackBuilder::run() {
  auto programs = module.getOps<program::ProgramOp>();
  if (!llvm::hasSingleElement(programs))
    return module.emitOpError("expected one program.program");
  program::ProgramOp program = *programs.begin();
  for (auto source : module.getOps<spirv::ModuleOp>())
    if (auto name = source->getAttrOfType<StringAttr>("nxv.variant_of"))
      laterVariants[name.getValue()].push_back(source);
  pack.producerVersion = NXV_VERSION;
  if (auto name = module->getAttrOfType<StringAttr>("nxv.graph_name"))
    pack.name = name.str();
  pack.outputTree = program.getOutputTree().value_or("").str();
  pack.arenaBytes = program.getArenaBytes().value_or(0);
  pack.intermediateBytes = program.getIntermediateBytes().value_or(0);
  if (failed(addBuffers(program)) || failed(addInputs(program)) ||
      failed(addOutputs(program)) ||
      failed(addOps(program.getBody(), pack.program)))
    return failure();
  std::string problem = pack::verify(pack);
  if (!problem.empty())
    return program.emitOpError("makes a malformed pack: ") << problem;
  return success();
}

} // namespace

LogicalResult nxv::translateProgramToSpvpack(ModuleOp module,
                                             raw_ostream &output) {
  PackBuilder builder(module);
  if (failed(builder.run()))
    return failure();
  std::vector<uint8_t> bytes = pack::serialize(builder.getPack());
  output.write(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  return success();
}
