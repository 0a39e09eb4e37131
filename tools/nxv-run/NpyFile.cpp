//===- NpyFile.cpp - NumPy arrays in files --------------------------------===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Files.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>

using namespace llvm;
using namespace nxv::run;

/// The type's name in NumPy. Narrow and unusual floats are bit patterns.
static std::string npyType(const ElementType &type) {
  std::string order = type.bytes == 1 ? "|" : "<";
  std::string bytes = std::to_string(type.bytes);
  switch (type.kind) {
  case ElementKind::Signed:
    return order + "i" + bytes;
  case ElementKind::Unsigned:
    return order + "u" + bytes;
  case ElementKind::Float:
    if (type.bytes == 1 || StringRef(type.name) == "bf16")
      return order + "u" + bytes;
    return order + "f" + bytes;
  case ElementKind::Complex:
    return order + "c" + bytes;
  }
  return "";
}

static std::string npyShape(ArrayRef<int64_t> shape) {
  std::string text = "(";
  for (int64_t size : shape)
    text += std::to_string(size) + ", ";
  // "(3,)" and "(2, 3)".
  if (shape.size() == 1)
    text.pop_back();
  else if (shape.size() > 1)
    text.resize(text.size() - 2);
  return text + ")";
}

/// What stands behind `'key':` up to its end, without spaces.
static std::string field(StringRef header, StringRef key) {
  size_t at = header.find(("'" + key + "':").str());
  if (at == StringRef::npos)
    return "";
  StringRef rest = header.substr(at + key.size() + 3).ltrim();
  size_t end =
      rest.starts_with("(") ? rest.find(')') + 1 : rest.find_first_of(",}");
  std::string text;
  for (char c : rest.substr(0, end))
    if (c != ' ')
      text += c;
  return text;
}

static std::string withoutSpaces(std::string text) {
  erase(text, ' ');
  return text;
}

static Error checkHeader(StringRef header, const ElementType &type,
                         ArrayRef<int64_t> shape) {
  std::string wanted = "'" + npyType(type) + "'";
  std::string found = field(header, "descr");
  // A boolean is a byte.
  if (found == "'|b1'" && type.bytes == 1)
    found = wanted;
  if (found != wanted)
    return createStringError("has elements of type %s, %s takes %s",
                             found.c_str(), type.name, wanted.c_str());
  std::string foundShape = field(header, "shape");
  std::string wantedShape = withoutSpaces(npyShape(shape));
  if (foundShape != wantedShape)
    return createStringError("has shape %s, not %s", foundShape.c_str(),
                             wantedShape.c_str());
  if (field(header, "fortran_order") == "True" && shape.size() > 1)
    return createStringError("is in column order, which is not read");
  return Error::success();
}

static Expected<Tensor> parseNpy(StringRef file, const ElementType &type,
                                 ArrayRef<int64_t> shape) {
  const char *bytes = file.data();
  if (file.size() < 10 || !file.starts_with("\x93NUMPY"))
    return createStringError("is no NumPy array");
  bool longHeader = uint8_t(bytes[6]) >= 2;
  size_t start = longHeader ? 12 : 10;
  uint32_t length = 0;
  if (file.size() >= start)
    std::memcpy(&length, bytes + 8, longHeader ? 4 : 2);
  if (file.size() < start || length > file.size() - start)
    return createStringError("ends in its header");
  if (Error error = checkHeader(file.substr(start, length), type, shape))
    return error;
  Tensor tensor;
  tensor.type = &type;
  tensor.shape = shape.vec();
  Expected<uint64_t> size = byteSize(type, shape);
  if (!size)
    return size.takeError();
  StringRef data = file.substr(start + length);
  if (data.size() != *size)
    return createStringError("has %zu bytes of data, %llu are needed",
                             data.size(), (unsigned long long)*size);
  tensor.data.assign(data.bytes_begin(), data.bytes_end());
  return tensor;
}

Expected<Tensor> nxv::run::readNpy(StringRef path, const ElementType &type,
                                   ArrayRef<int64_t> shape) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> buffer =
      MemoryBuffer::getFile(path, /*IsText=*/false,
                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return createStringError("cannot read '%s': %s", path.str().c_str(),
                             buffer.getError().message().c_str());
  Expected<Tensor> tensor = parseNpy((*buffer)->getBuffer(), type, shape);
  if (!tensor)
    return createStringError("'%s' %s", path.str().c_str(),
                             toString(tensor.takeError()).c_str());
  return tensor;
}

Error nxv::run::writeNpy(StringRef path, const Tensor &tensor) {
  std::string header =
      "{'descr': '" + npyType(*tensor.type) +
      "', 'fortran_order': False, 'shape': " + npyShape(tensor.shape) + ", }";
  // The data starts at a multiple of 64.
  size_t total = (10 + header.size() + 1 + 63) / 64 * 64;
  header.resize(total - 10 - 1, ' ');
  header += '\n';
  std::error_code code;
  raw_fd_ostream out(path, code);
  if (!code) {
    out << StringRef("\x93NUMPY\x01\x00", 8) << char(header.size() & 0xff)
        << char(header.size() >> 8) << header;
    out.write(reinterpret_cast<const char *>(tensor.data.data()),
              tensor.data.size());
    out.close();
    code = out.error();
    out.clear_error();
  }
  if (code)
    return createStringError("cannot write '%s': %s", path.str().c_str(),
                             code.message().c_str());
  return Error::success();
}
