//===- Listing.cpp - what there is ----------------------------------------===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Listing.h"
#include "Session.h"

#include "Pack.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;
using namespace nxv::pack;

static const char *typeName(nxv_device_type type) {
  switch (type) {
  case NXV_DEVICE_INTEGRATED:
    return "integrated";
  case NXV_DEVICE_DISCRETE:
    return "discrete";
  case NXV_DEVICE_VIRTUAL:
    return "virtual";
  case NXV_DEVICE_CPU:
    return "cpu";
  case NXV_DEVICE_OTHER:
    break;
  }
  return "other";
}

Error nxv::run::listDevices(raw_ostream &out) {
  size_t count = 0;
  if (nxv_device_count(&count))
    return runtimeError();
  if (count == 0)
    return createStringError("no Vulkan device was found");
  for (size_t i = 0; i < count; ++i) {
    nxv_device_info info = {};
    info.struct_size = sizeof(info);
    if (nxv_device_describe(i, &info))
      return runtimeError();
    out << i << ": " << info.name << " (" << typeName(info.type) << ", Vulkan "
        << info.vulkan_major << "." << info.vulkan_minor << ", "
        << (info.memory_bytes >> 20) << " MiB"
        << (info.host_visible ? ", host visible" : "") << ", "
        << info.shared_bytes << " bytes shared, subgroups of "
        << info.subgroup_size << "; " << info.driver << ")\n";
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Packs
//===----------------------------------------------------------------------===//

static std::string shapeText(const std::vector<int64_t> &shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i ? "," : "") + std::to_string(shape[i]);
  return text + "]";
}

static void printTensor(raw_ostream &out, StringRef what, size_t index,
                        const nxv::pack::Tensor &tensor) {
  out << what << " " << index << ": ";
  if (!tensor.name.empty())
    out << tensor.name << " ";
  out << tensor.type << shapeText(tensor.shape) << " buffer " << tensor.buffer
      << (tensor.donatable ? " donatable" : "") << "\n";
}

static void printBuffer(raw_ostream &out, size_t index, const Buffer &buffer) {
  static const char *const kinds[] = {"input", "output", "constant", "arena"};
  out << "buffer " << index << ": " << kinds[int(buffer.kind)] << " "
      << buffer.bytes << " bytes";
  if (buffer.kind == BufferKind::Constant)
    out << " blob " << buffer.blob;
  if (buffer.kind == BufferKind::Arena)
    out << " at " << buffer.offset;
  out << "\n";
}

static void printKernel(raw_ostream &out, size_t index, const Kernel &kernel,
                        const Pack &pack) {
  out << "kernel " << index << ": " << kernel.name << "\n";
  for (const Variant &variant : kernel.variants) {
    const Requirements &needs = variant.requirements;
    out << "  " << variant.entry << ": workgroup " << variant.workgroup[0]
        << "x" << variant.workgroup[1] << "x" << variant.workgroup[2] << ", "
        << pack.blobs[variant.blob].size() << " bytes, SPIR-V " << needs.spirv
        << ", Vulkan " << needs.vulkan << ", shared " << needs.sharedBytes
        << ", push " << needs.pushBytes
        << (variant.arguments == Arguments::Block ? " (block)" : "");
    if (needs.subgroupSize != 0)
      out << ", subgroups of " << needs.subgroupSize;
    out << "\n   ";
    for (const std::string &name : needs.capabilities)
      out << " " << name;
    for (const std::string &name : needs.extensions)
      out << " " << name;
    out << "\n";
  }
}

static std::string argText(const Arg &arg) {
  std::string text = "b" + std::to_string(arg.buffer);
  if (arg.offset != 0)
    text += "+" + std::to_string(arg.offset);
  return text;
}

static void printOps(raw_ostream &out, const std::vector<Op> &ops,
                     const Pack &pack, unsigned indent);

static void printOp(raw_ostream &out, const Op &op, const Pack &pack,
                    unsigned indent) {
  out.indent(indent);
  switch (op.kind) {
  case OpKind::Dispatch: {
    out << "dispatch " << pack.kernels[op.kernel].name << " grid " << op.grid
        << " (";
    const char *separator = "";
    for (const Arg &arg : op.args) {
      out << separator << argText(arg);
      separator = ", ";
    }
    out << ")\n";
    break;
  }
  case OpKind::Barrier:
    out << "barrier\n";
    break;
  case OpKind::Copy:
    out << "copy " << argText(op.src) << " to " << argText(op.dst) << " bytes "
        << op.bytes << "\n";
    break;
  case OpKind::Fill:
    out << "fill " << argText(op.dst) << " bytes " << op.bytes << " value "
        << op.value << "\n";
    break;
  case OpKind::While:
    out << "while " << argText(op.predicate) << "\n";
    printOps(out, op.first, pack, indent + 2);
    out.indent(indent) << "do\n";
    printOps(out, op.second, pack, indent + 2);
    break;
  case OpKind::Repeat:
    out << "repeat " << op.count << "\n";
    printOps(out, op.first, pack, indent + 2);
    break;
  case OpKind::If:
    out << "if " << argText(op.predicate) << "\n";
    printOps(out, op.first, pack, indent + 2);
    out.indent(indent) << "else\n";
    printOps(out, op.second, pack, indent + 2);
    break;
  case OpKind::Tap:
    out << "tap " << op.name << " " << op.type << shapeText(op.shape) << " "
        << argText(op.src) << "\n";
    break;
  }
}

static void printOps(raw_ostream &out, const std::vector<Op> &ops,
                     const Pack &pack, unsigned indent) {
  for (const Op &op : ops)
    printOp(out, op, pack, indent);
}

Error nxv::run::listPack(StringRef path, raw_ostream &out) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> file =
      MemoryBuffer::getFile(path, /*IsText=*/false,
                            /*RequiresNullTerminator=*/false);
  if (!file)
    return createStringError("cannot open '%s': %s", path.str().c_str(),
                             file.getError().message().c_str());
  Pack pack;
  std::string error;
  StringRef bytes = (*file)->getBuffer();
  if (!parse(bytes.bytes_begin(), bytes.size(), pack, error))
    return createStringError("'%s': %s", path.str().c_str(), error.c_str());
  out << "pack " << pack.name << " by " << pack.producerName << " "
      << pack.producerVersion << "\n";
  for (size_t i = 0; i < pack.inputs.size(); ++i)
    printTensor(out, "input", i, pack.inputs[i]);
  for (size_t i = 0; i < pack.outputs.size(); ++i)
    printTensor(out, "output", i, pack.outputs[i]);
  out << "arena " << pack.arenaBytes << " bytes, intermediates "
      << pack.intermediateBytes << " bytes\n";
  for (size_t i = 0; i < pack.buffers.size(); ++i)
    printBuffer(out, i, pack.buffers[i]);
  for (size_t i = 0; i < pack.kernels.size(); ++i)
    printKernel(out, i, pack.kernels[i], pack);
  out << "program\n";
  printOps(out, pack.program, pack, 2);
  return Error::success();
}
