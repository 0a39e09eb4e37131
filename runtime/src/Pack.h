//===- Pack.h - the .spvpack file as a structure ----------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// What docs/spvpack-format.md describes. The compiler fills a `Pack` and writes
// it with `serialize`; the runtime gets one from `parse`, which believes
// nothing the file says. No exceptions, no LLVM.
//
//===----------------------------------------------------------------------===//

#ifndef NXV_RUNTIME_PACK_H
#define NXV_RUNTIME_PACK_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nxv::pack {

/// Bytes that are either owned (and shared by copies) or lie in the memory that
/// was given to `parse`.
class Blob {
public:
  Blob() = default;
  Blob(std::vector<uint8_t> owned)
      : storage(std::make_shared<const std::vector<uint8_t>>(std::move(owned))),
        begin(storage->data()), count(storage->size()) {}
  static Blob view(const uint8_t *data, size_t size) {
    Blob blob;
    blob.begin = data;
    blob.count = size;
    return blob;
  }

  const uint8_t *data() const { return begin; }
  size_t size() const { return count; }

private:
  std::shared_ptr<const std::vector<uint8_t>> storage;
  const uint8_t *begin = nullptr;
  size_t count = 0;
};

/// An input or output of the entry point. `type` is a name of the graph format.
struct Tensor {
  std::string name; // empty: none; outputs have none
  std::string type;
  std::vector<int64_t> shape;
  uint64_t buffer = 0;
  bool donatable = false; // inputs only
};

enum class BufferKind { Input, Output, Constant, Arena };

struct Buffer {
  BufferKind kind = BufferKind::Arena;
  uint64_t bytes = 0;
  uint64_t blob = 0;   // constants only
  uint64_t offset = 0; // arena buffers only; a multiple of 256
};

/// What a device must offer to run a kernel variant.
struct Requirements {
  std::string vulkan = "1.2";
  std::string spirv = "1.3";
  std::vector<std::string> capabilities;
  std::vector<std::string> extensions;
  uint64_t sharedBytes = 0;
  uint64_t pushBytes = 0;
  uint64_t subgroupSize = 0; // 0: any
};

enum class Arguments { Push, Block };

struct Variant {
  uint64_t blob = 0;
  std::string entry;
  uint64_t workgroup[3] = {1, 1, 1};
  Arguments arguments = Arguments::Push;
  Requirements requirements;
};

struct Kernel {
  std::string name;
  std::vector<Variant> variants; // in order of preference, at least one
};

/// An address: a byte of a buffer.
struct Arg {
  uint64_t buffer = 0;
  uint64_t offset = 0;
};

enum class OpKind { Dispatch, Barrier, Copy, Fill, While, Repeat, If, Tap };
constexpr unsigned kNumOpKinds = 8;

/// One step of the program; only the fields of its kind are used.
struct Op {
  OpKind kind = OpKind::Barrier;

  // Dispatch.
  uint64_t kernel = 0;
  uint64_t grid = 1;
  std::vector<Arg> args;

  // Copy and Fill.
  Arg src; // Copy and Tap
  Arg dst;
  uint64_t bytes = 0;
  uint32_t value = 0; // Fill

  // While (`first` is the condition, `second` the body), If (then, else) and
  // Repeat (`first` is the body).
  Arg predicate;
  std::vector<Op> first;
  std::vector<Op> second;
  uint64_t count = 1; // Repeat

  // Tap.
  std::string name;
  std::string type;
  std::vector<int64_t> shape;
};

struct Pack {
  std::string producerName = "nxv";
  std::string producerVersion;
  std::string name;
  std::vector<Tensor> inputs;
  std::vector<Tensor> outputs;
  std::string outputTree; // JSON text; empty: none
  uint64_t arenaBytes = 0;
  uint64_t intermediateBytes = 0;
  std::vector<Buffer> buffers;
  std::vector<Kernel> kernels;
  std::vector<Op> program;
  std::vector<Blob> blobs;
};

/// The most nested `while`, `repeat` and `if` a program may have.
constexpr unsigned kMaxNesting = 32;

/// Bytes of one element in memory, 0 for an unknown type.
uint64_t elementBytes(std::string_view type);

/// Bytes of a dense tensor; false if the type is unknown, a size is negative or
/// the product does not fit 63 bits.
bool tensorBytes(std::string_view type, const std::vector<int64_t> &shape,
                 uint64_t &bytes);

/// The file's bytes; the same pack gives the same bytes. The pack must pass
/// `verify`.
std::vector<uint8_t> serialize(const Pack &pack);

/// Checks every reference, size and range inside `pack`. Returns an empty
/// string or what is wrong first.
std::string verify(const Pack &pack);

/// Reads a file from a stranger. On success the blobs of `pack` point into
/// `data`, which must outlive them. On failure `error` says what is wrong
/// first.
bool parse(const uint8_t *data, size_t size, Pack &pack, std::string &error);

} // namespace nxv::pack

#endif // NXV_RUNTIME_PACK_H
