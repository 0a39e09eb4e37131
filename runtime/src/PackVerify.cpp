//===- PackVerify.cpp - checks inside a pack ------------------------------===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Everything the runtime relies on once a pack is read: indices, ranges and the
// agreement of sizes. The writer is held to the same rules as the file.
//
//===----------------------------------------------------------------------===//

#include "Pack.h"

#include <cstring>
#include <set>

using namespace nxv::pack;

namespace {

constexpr uint64_t kMaxGrid = uint64_t(1) << 62;
constexpr uint64_t kMaxCount = uint64_t(1) << 62;
constexpr uint64_t kArenaAlignment = 256;
constexpr uint64_t kMaxPushBytes = 128;
constexpr uint32_t kSpirvMagic = 0x07230203;

std::string str(uint64_t value) { return std::to_string(value); }

std::string at(const std::string &where, const char *list, size_t index) {
  return where + list + "[" + str(index) + "]";
}

/// True if the range ends within `size`; sums may not wrap.
bool inRange(uint64_t offset, uint64_t bytes, uint64_t size) {
  return offset <= size && bytes <= size - offset;
}

class Verifier {
public:
  explicit Verifier(const Pack &pack) : pack(pack) {}

  std::string run() {
    if (buffers() && signature() && kernels())
      ops(pack.program, "program", 0);
    return message;
  }

private:
  bool fail(const std::string &where, const std::string &text) {
    if (message.empty())
      message = where + ": " + text;
    return false;
  }

  bool index(const std::string &where, const char *what, uint64_t value,
             size_t count) {
    if (value < count)
      return true;
    return fail(where, std::string(what) + " " + str(value) +
                           " does not exist, there are " + str(count));
  }

  //===--------------------------------------------------------------------===//
  // Buffers and the entry point
  //===--------------------------------------------------------------------===//

  bool buffers() {
    if (pack.arenaBytes > uint64_t(INT64_MAX))
      return fail("arena_bytes", str(pack.arenaBytes) + " is too large");
    for (size_t i = 0; i < pack.buffers.size(); ++i)
      if (!buffer(at("", "buffers", i), pack.buffers[i]))
        return false;
    return true;
  }

  bool buffer(const std::string &where, const Buffer &buffer) {
    if (buffer.bytes > uint64_t(INT64_MAX))
      return fail(where, "size " + str(buffer.bytes) + " is too large");
    if (buffer.kind == BufferKind::Constant) {
      if (!index(where, "blob", buffer.blob, pack.blobs.size()))
        return false;
      if (pack.blobs[buffer.blob].size() != buffer.bytes)
        return fail(where, "has " + str(buffer.bytes) + " bytes, its blob " +
                               str(pack.blobs[buffer.blob].size()));
    }
    if (buffer.kind == BufferKind::Arena) {
      if (buffer.offset % kArenaAlignment != 0)
        return fail(where, "offset " + str(buffer.offset) +
                               " is not a multiple of 256");
      if (!inRange(buffer.offset, buffer.bytes, pack.arenaBytes))
        return fail(where, "offset " + str(buffer.offset) + " and size " +
                               str(buffer.bytes) + " end after the arena of " +
                               str(pack.arenaBytes) + " bytes");
    }
    return true;
  }

  bool tensor(const std::string &where, const Tensor &tensor) {
    uint64_t bytes = 0;
    if (elementBytes(tensor.type) == 0)
      return fail(where, "unknown type '" + tensor.type + "'");
    if (!tensorBytes(tensor.type, tensor.shape, bytes))
      return fail(where, "the shape's size is not a number of 63 bits");
    if (!index(where, "buffer", tensor.buffer, pack.buffers.size()))
      return false;
    if (pack.buffers[tensor.buffer].bytes != bytes)
      return fail(where, "has " + str(bytes) + " bytes, its buffer " +
                             str(pack.buffers[tensor.buffer].bytes));
    return true;
  }

  bool signature() {
    std::vector<bool> named(pack.buffers.size());
    donatable.assign(pack.buffers.size(), false);
    for (size_t i = 0; i < pack.inputs.size(); ++i)
      if (!input(at("", "inputs", i), pack.inputs[i], named))
        return false;
    for (size_t i = 0; i < pack.outputs.size(); ++i)
      if (!output(at("", "outputs", i), pack.outputs[i], named))
        return false;
    for (size_t i = 0; i < pack.buffers.size(); ++i) {
      BufferKind kind = pack.buffers[i].kind;
      if (!named[i] && kind == BufferKind::Input)
        return fail(at("", "buffers", i), "is of no input");
      if (!named[i] && kind == BufferKind::Output)
        return fail(at("", "buffers", i), "is of no output");
    }
    return true;
  }

  bool input(const std::string &where, const Tensor &input,
             std::vector<bool> &named) {
    if (!tensor(where, input))
      return false;
    if (pack.buffers[input.buffer].kind != BufferKind::Input)
      return fail(where,
                  "buffer " + str(input.buffer) + " is not of kind input");
    if (named[input.buffer])
      return fail(where, "buffer " + str(input.buffer) +
                             " is another input's already");
    named[input.buffer] = true;
    donatable[input.buffer] = input.donatable;
    return true;
  }

  bool output(const std::string &where, const Tensor &output,
              std::vector<bool> &named) {
    if (!tensor(where, output))
      return false;
    if (output.donatable)
      return fail(where, "an output cannot be donatable");
    if (pack.buffers[output.buffer].kind == BufferKind::Arena)
      return fail(where, "buffer " + str(output.buffer) + " is in the arena");
    named[output.buffer] = true;
    return true;
  }

  //===--------------------------------------------------------------------===//
  // Kernels
  //===--------------------------------------------------------------------===//

  bool kernels() {
    std::set<std::string> names;
    for (size_t i = 0; i < pack.kernels.size(); ++i) {
      const Kernel &kernel = pack.kernels[i];
      std::string where = at("", "kernels", i);
      if (kernel.name.empty())
        return fail(where, "has no name");
      if (!names.insert(kernel.name).second)
        return fail(where, "duplicate name '" + kernel.name + "'");
      if (kernel.variants.empty())
        return fail(where, "has no variant");
      for (size_t k = 0; k < kernel.variants.size(); ++k)
        if (!variant(at(where, ".variants", k), kernel.variants[k]))
          return false;
    }
    return true;
  }

  bool variant(const std::string &where, const Variant &variant) {
    if (!index(where, "blob", variant.blob, pack.blobs.size()))
      return false;
    if (variant.entry.empty())
      return fail(where, "has no entry point");
    uint64_t lanes = 1;
    for (uint64_t size : variant.workgroup)
      if (size == 0 || size > UINT32_MAX ||
          __builtin_mul_overflow(lanes, size, &lanes) || lanes > UINT32_MAX)
        return fail(where, "the workgroup's size " + str(variant.workgroup[0]) +
                               "x" + str(variant.workgroup[1]) + "x" +
                               str(variant.workgroup[2]) + " is out of range");
    const Requirements &needs = variant.requirements;
    if (!isVersion(needs.vulkan))
      return fail(where, "'" + needs.vulkan + "' is no Vulkan version");
    if (!isVersion(needs.spirv))
      return fail(where, "'" + needs.spirv + "' is no SPIR-V version");
    if (needs.pushBytes % 8 != 0 || needs.pushBytes > kMaxPushBytes)
      return fail(where, str(needs.pushBytes) +
                             " bytes of push constants are not a multiple of "
                             "8 up to 128");
    if (variant.arguments == Arguments::Block && needs.pushBytes != 8)
      return fail(where, "an argument block takes 8 bytes of push constants, "
                         "not " +
                             str(needs.pushBytes));
    return module(where, variant);
  }

  static bool isVersion(const std::string &text) {
    return text.size() == 3 && text[0] >= '1' && text[0] <= '9' &&
           text[1] == '.' && text[2] >= '0' && text[2] <= '9';
  }

  /// The words must be instructions that end where the blob ends, and have the
  /// entry point.
  bool module(const std::string &where, const Variant &variant) {
    const Blob &blob = pack.blobs[variant.blob];
    if (blob.size() % 4 != 0 || blob.size() < 20)
      return fail(where, "a blob of " + str(blob.size()) +
                             " bytes is no SPIR-V module");
    size_t count = blob.size() / 4;
    auto word = [&](size_t i) {
      uint32_t value;
      std::memcpy(&value, blob.data() + 4 * i, 4);
      return value;
    };
    if (word(0) != kSpirvMagic)
      return fail(where, "the blob does not begin with SPIR-V's magic number");
    bool found = false;
    for (size_t i = 5; i < count;) {
      size_t length = word(i) >> 16;
      if (length == 0 || length > count - i)
        return fail(where, "the instruction at word " + str(i) + " has " +
                               str(length) + " words, " + str(count - i) +
                               " are left");
      // OpEntryPoint: execution model, id, name.
      if ((word(i) & 0xffff) == 15 && length >= 4)
        found |=
            nameIs(blob.data() + 4 * (i + 3), 4 * (length - 3), variant.entry);
      i += length;
    }
    if (!found)
      return fail(where,
                  "the module has no entry point '" + variant.entry + "'");
    return true;
  }

  static bool nameIs(const uint8_t *text, size_t room,
                     const std::string &name) {
    return name.size() < room &&
           std::memcmp(text, name.data(), name.size()) == 0 &&
           text[name.size()] == 0;
  }

  //===--------------------------------------------------------------------===//
  // The program
  //===--------------------------------------------------------------------===//

  bool ops(const std::vector<Op> &list, const std::string &where,
           unsigned depth) {
    if (depth > kMaxNesting)
      return fail(where, "is nested more than " + str(kMaxNesting) + " deep");
    for (size_t i = 0; i < list.size(); ++i)
      if (!op(at(where, "", i), list[i], depth))
        return false;
    return true;
  }

  bool op(const std::string &where, const Op &op, unsigned depth) {
    switch (op.kind) {
    case OpKind::Barrier:
      return true;
    case OpKind::Dispatch:
      return dispatch(where, op);
    case OpKind::Copy:
      return range(where + ".src", op.src, op.bytes) &&
             range(where + ".dst", op.dst, op.bytes) &&
             writable(where + ".dst", op.dst);
    case OpKind::Fill:
      return fill(where, op);
    case OpKind::While:
      return range(where + ".predicate", op.predicate, 1) &&
             ops(op.first, where + ".condition", depth + 1) &&
             ops(op.second, where + ".body", depth + 1);
    case OpKind::Repeat:
      if (op.count == 0 || op.count > kMaxCount)
        return fail(where, "count " + str(op.count) + " is not from 1 to 2^62");
      return ops(op.first, where + ".body", depth + 1);
    case OpKind::If:
      return range(where + ".predicate", op.predicate, 1) &&
             ops(op.first, where + ".then", depth + 1) &&
             ops(op.second, where + ".else", depth + 1);
    case OpKind::Tap:
      return tap(where, op);
    }
    return fail(where, "unknown kind");
  }

  bool dispatch(const std::string &where, const Op &op) {
    if (!index(where, "kernel", op.kernel, pack.kernels.size()))
      return false;
    if (op.grid == 0 || op.grid > kMaxGrid)
      return fail(where, "grid " + str(op.grid) + " is not from 1 to 2^62");
    for (size_t i = 0; i < op.args.size(); ++i)
      if (!range(at(where, ".args", i), op.args[i], 0))
        return false;
    for (const Variant &variant : pack.kernels[op.kernel].variants)
      if (variant.arguments == Arguments::Push &&
          variant.requirements.pushBytes != 8 * op.args.size())
        return fail(where, str(op.args.size()) + " arguments take " +
                               str(8 * op.args.size()) +
                               " bytes of push constants, kernel '" +
                               pack.kernels[op.kernel].name + "' has " +
                               str(variant.requirements.pushBytes));
    return true;
  }

  bool fill(const std::string &where, const Op &op) {
    if (!index(where + ".dst", "buffer", op.dst.buffer, pack.buffers.size()))
      return false;
    if (op.bytes % 4 != 0)
      return fail(where, str(op.bytes) + " bytes are not a multiple of 4");
    if (op.dst.offset % 4 != 0)
      return fail(where,
                  "offset " + str(op.dst.offset) + " is not a multiple of 4");
    // Up to the end of the padding.
    uint64_t size = (pack.buffers[op.dst.buffer].bytes + 15) & ~uint64_t(15);
    if (!inRange(op.dst.offset, op.bytes, size))
      return fail(where, "offset " + str(op.dst.offset) + " and " +
                             str(op.bytes) + " bytes end after the buffer's " +
                             str(size));
    return writable(where + ".dst", op.dst);
  }

  bool tap(const std::string &where, const Op &op) {
    uint64_t bytes = 0;
    if (!tensorBytes(op.type, op.shape, bytes))
      return fail(where, "no size for type '" + op.type + "' and its shape");
    return range(where + ".src", op.src, bytes);
  }

  bool range(const std::string &where, const Arg &arg, uint64_t bytes) {
    if (!index(where, "buffer", arg.buffer, pack.buffers.size()))
      return false;
    uint64_t size = pack.buffers[arg.buffer].bytes;
    if (!inRange(arg.offset, bytes, size))
      return fail(where, "offset " + str(arg.offset) + " and " + str(bytes) +
                             " bytes end after the buffer's " + str(size));
    return true;
  }

  bool writable(const std::string &where, const Arg &arg) {
    BufferKind kind = pack.buffers[arg.buffer].kind;
    if (kind == BufferKind::Constant)
      return fail(where, "buffer " + str(arg.buffer) + " is constant");
    if (kind == BufferKind::Input && !donatable[arg.buffer])
      return fail(where, "buffer " + str(arg.buffer) +
                             " is an input that is not donatable");
    return true;
  }

  const Pack &pack;
  std::vector<bool> donatable;
  std::string message;
};

} // namespace

std::string nxv::pack::verify(const Pack &pack) { return Verifier(pack).run(); }
