//===- SideFiles.cpp - tensors kept beside a graph
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "SideFiles.h"
#include "ElementType.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace nxv::graph;

/// A graph may only name files in or below its own directory.
static bool staysBelow(llvm::StringRef name) {
  if (name.empty() || name.contains('\0') || llvm::sys::path::is_absolute(name))
    return false;
  for (auto part = llvm::sys::path::begin(name),
            end = llvm::sys::path::end(name);
       part != end; ++part)
    if (*part == "..")
      return false;
  return true;
}

bool SideFiles::readHeader(File &file, std::string &error) {
  llvm::StringRef text = file.buffer->getBuffer();
  if (text.size() < 8) {
    error = "is shorter than a safetensors header";
    return false;
  }
  uint64_t length = llvm::support::endian::read64le(text.data());
  if (length > text.size() - 8) {
    error = "has a header that is longer than the file";
    return false;
  }
  std::string reason;
  auto header = parseJson(text.substr(8, length), reason);
  if (!header || !header->is_object()) {
    error = "has a header that is " +
            (reason.empty() ? std::string("not an object") : reason);
    return false;
  }
  file.header = std::move(*header);
  llvm::StringRef data = text.substr(8 + length);
  file.data = {data.data(), data.size()};
  return true;
}

SideFiles::File *SideFiles::open(llvm::StringRef name, std::string &error) {
  auto found = files.find(name);
  if (found != files.end())
    return &found->second;
  if (!staysBelow(name)) {
    error = "must name a file in or below the graph's directory";
    return nullptr;
  }
  llvm::SmallString<128> path(llvm::sys::path::parent_path(graphPath));
  llvm::sys::path::append(path, name);
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer) {
    error = "cannot be read: " + buffer.getError().message();
    return nullptr;
  }
  File file;
  file.buffer = std::move(*buffer);
  if (!readHeader(file, error))
    return nullptr;
  return &files.try_emplace(name, std::move(file)).first->second;
}

static llvm::StringRef elementNameOf(llvm::StringRef dtype) {
  return llvm::StringSwitch<llvm::StringRef>(dtype)
      .Case("F64", "f64")
      .Case("F32", "f32")
      .Case("F16", "f16")
      .Case("BF16", "bf16")
      .Case("F8_E5M2", "f8_e5m2")
      .Case("F8_E4M3", "f8_e4m3fn")
      .Case("I64", "s64")
      .Case("I32", "s32")
      .Case("I16", "s16")
      .Case("I8", "s8")
      .Case("U64", "u64")
      .Case("U32", "u32")
      .Case("U16", "u16")
      .Cases({"U8", "BOOL"}, "u8")
      .Case("C64", "c64")
      .Default("");
}

/// Whether a tensor's entry in the header has the type the graph says.
static bool entryFits(const Json &entry, RankedTensorType type,
                      std::string &error) {
  auto dtype = asString(member(entry, "dtype"));
  auto shape = asIntegers(member(entry, "shape"));
  if (!dtype || !shape) {
    error = "has a malformed entry";
    return false;
  }
  if (elementNameOf(*dtype) != elementTypeName(type.getElementType())) {
    error = "has element type " + dtype->str() + ", not " +
            elementTypeName(type.getElementType()).str();
    return false;
  }
  if (llvm::ArrayRef<int64_t>(*shape) != type.getShape()) {
    error = "has another shape than the node";
    return false;
  }
  return true;
}

std::optional<llvm::ArrayRef<char>> SideFiles::find(llvm::StringRef name,
                                                    llvm::StringRef tensor,
                                                    RankedTensorType type,
                                                    std::string &error) {
  File *file = open(name, error);
  if (!file) {
    error = "file '" + name.str() + "' " + error;
    return std::nullopt;
  }
  std::string what =
      "tensor '" + tensor.str() + "' of file '" + name.str() + "' ";
  const Json *entry = member(file->header, tensor);
  if (!entry) {
    error = what + "does not exist";
    return std::nullopt;
  }
  if (!entryFits(*entry, type, error)) {
    error = what + error;
    return std::nullopt;
  }
  auto offsets = asIntegers(member(*entry, "data_offsets"));
  int64_t size = file->data.size();
  if (!offsets || offsets->size() != 2 || (*offsets)[0] < 0 ||
      (*offsets)[1] < (*offsets)[0] || (*offsets)[1] > size) {
    error = what + "has offsets outside the file";
    return std::nullopt;
  }
  return file->data.slice((*offsets)[0], (*offsets)[1] - (*offsets)[0]);
}
