//===- Recorder.h - a program as command buffers ----------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The program is cut where the host must look at the device: each stretch
// between is one command buffer, recorded once and submitted again and again.
//
//===----------------------------------------------------------------------===//

#ifndef NXV_RUNTIME_RECORDER_H
#define NXV_RUNTIME_RECORDER_H

#include "Program.h"

namespace nxv::runtime {

/// A place in device memory.
struct Location {
  const Allocation *allocation = nullptr;
  uint64_t offset = 0;

  VkBuffer buffer() const { return allocation->buffer(); }
  uint64_t bufferOffset() const { return allocation->offset() + offset; }
  uint64_t address() const { return allocation->address() + offset; }
  bool operator==(const Location &other) const {
    return allocation == other.allocation && offset == other.offset;
  }
};

struct CopyJob {
  Location source;
  Location target;
  uint64_t bytes = 0;
};

/// What to record.
struct RecordRequest {
  std::vector<Location> buffers; // of the pack, by index
  std::vector<CopyJob> before;   // copies ahead of the program
  std::vector<CopyJob> after;    // copies behind it
  bool taps = false;
  nxv_profile_mode profile = NXV_PROFILE_OFF;
};

/// A timestamp that ends a piece of work.
struct Mark {
  const char *kernel;
  uint64_t grid;
};

struct Segment {
  VkCommandBuffer commands = VK_NULL_HANDLE;
  uint64_t dispatches = 0;
  std::vector<size_t> kernels; // the last few, to name them
  // Queries firstQuery .. firstQuery + marks.size(): the begin and an end each.
  uint32_t firstQuery = 0;
  std::vector<Mark> marks;
};

/// What the host does: submit a segment, or look at the device and decide.
struct Step {
  enum Kind { Submit, While, If, Tap } kind = Submit;
  size_t segment = 0;            // Submit
  size_t slot = 0;               // While, If: place of the predicate
  size_t nextSlot = 0;           // While: that of the later iterations
  const pack::Op *tap = nullptr; // Tap
  std::vector<Step> first;       // While: the body; If: then
  std::vector<Step> second;      // If: else
};

/// The command buffers of one program with its bindings.
class Recording {
public:
  Recording(const Program &program, RecordRequest request);
  ~Recording();
  Recording(const Recording &) = delete;
  Recording &operator=(const Recording &) = delete;

  const std::vector<Step> &steps() const { return root; }
  const Segment &segment(size_t index) const { return segments[index]; }
  const Location &buffer(size_t index) const { return request.buffers[index]; }
  VkQueryPool queries() const { return queryPool; }
  /// The predicate that a submission has copied there.
  bool predicate(size_t slot) const;

private:
  struct Needs {
    uint64_t slots = 0;
    uint64_t queries = 0;
    uint64_t blockBytes = 0;
  };
  void measure(const std::vector<pack::Op> &ops, Needs &needs,
               uint64_t copies) const;
  void prepare();
  void record();
  void recordOps(const std::vector<pack::Op> &ops, std::vector<Step> &steps);
  void recordOp(const pack::Op &op, std::vector<Step> &steps);
  void recordDispatch(const pack::Op &op);
  void recordCopy(const CopyJob &job);
  void recordFill(const pack::Op &op);
  void recordWhile(const pack::Op &op, std::vector<Step> &steps);
  void recordIf(const pack::Op &op, std::vector<Step> &steps);
  size_t recordPredicate(const pack::Arg &predicate, std::vector<Step> &steps);
  void begin();
  void end(std::vector<Step> &steps);
  void barrier();
  void timestamp();
  void mark(const char *kernel, uint64_t grid);
  void destroy();
  Location locate(const pack::Arg &arg) const;

  const Program &program;
  Device &device;
  const VolkDeviceTable &vk;
  RecordRequest request;
  bool serialize;

  VkCommandPool pool = VK_NULL_HANDLE;
  VkQueryPool queryPool = VK_NULL_HANDLE;
  std::unique_ptr<Allocation> readBack; // predicates
  std::unique_ptr<Allocation> blocks;   // arguments
  std::vector<uint8_t> blockData;
  uint64_t blockEnd = 0;
  size_t nextSlot = 0;
  uint32_t nextQuery = 0;
  std::vector<Segment> segments;
  std::vector<Step> root;
  VkCommandBuffer current = VK_NULL_HANDLE; // null between segments
  bool clean = false; // nothing was recorded since the last barrier
};

/// The grid as x, y, z with x * y * z >= grid, each within its limit; false if
/// the limits do not allow it.
bool foldGrid(uint64_t grid, const uint32_t limits[3], uint32_t folded[3]);

} // namespace nxv::runtime

#endif // NXV_RUNTIME_RECORDER_H
