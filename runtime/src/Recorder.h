//===- Recorder.h - a program as command buffers ----------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The program is cut where the host must look at the device or a loop begins or
// ends: each stretch between is one command buffer, recorded once and submitted
// again and again.
//
// Where the device alone can decide what runs, a gate stands for the decision:
// a flag in its memory, and a table of workgroup counts for what is behind the
// gate, which are all zero while it is closed.
//
//===----------------------------------------------------------------------===//

#ifndef NXV_RUNTIME_RECORDER_H
#define NXV_RUNTIME_RECORDER_H

#include "Barriers.h"
#include "Program.h"
#include "Scratch.h"

#include <array>
#include <deque>
#include <optional>

namespace nxv::runtime {

struct CopyJob {
  Location source;
  Location target;
  uint64_t bytes = 0;
  bool byKernel = false; // if a kernel may do it
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
  uint64_t dispatches = 0;     // without those behind gates
  bool handsOver = false;      // to the host, at its end
  std::vector<size_t> kernels; // the last few, to name them
  // Queries firstQuery .. firstQuery + marks.size(): the begin and an end each.
  uint32_t firstQuery = 0;
  std::vector<Mark> marks;
};

/// What the host does: submit a segment, or look at the device and decide.
struct Step {
  enum Kind {
    Submit,
    Repeat, // submit a number of turns
    While,  // read a predicate, submit a turn
    Ahead,  // submit some turns behind a gate, then look at the gate
    If,
    Tap
  } kind = Submit;
  size_t segment = 0;            // Submit
  uint64_t count = 0;            // Repeat
  size_t loop = 0;               // Repeat, Ahead: its number
  size_t slot = 0;               // While, If: place of the predicate
  size_t nextSlot = 0;           // While: that of the later iterations
  size_t gate = 0;               // Ahead
  const pack::Op *tap = nullptr; // Tap
  std::vector<Step> first;       // loops: a turn; If: then
  std::vector<Step> second;      // If: else; Ahead: fetches the gate's state
};

/// Workgroup counts x, y and z in a table.
constexpr uint64_t kGridBytes = 12;

/// A decision that the device takes.
struct Gate {
  size_t index = 0;
  Location sizes; // their number and the workgroup counts behind the gate
  Location table; // the same, or zeros
  uint64_t capacity = 0;
  std::vector<std::array<uint32_t, 3>> grids;
  uint64_t dispatches = 0; // each time that it is open
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
  /// Around each submission where its time is asked for: queries 0 and 1.
  VkCommandBuffer stamp(size_t index) const { return stamps[index]; }
  /// At the end of each submission: lets the host read.
  VkCommandBuffer handOver() const { return handOverCommands; }
  /// The host sees each turn of a loop by itself.
  bool turnByTurn() const { return stepwise; }
  size_t numLoops() const { return loops; }
  size_t numGates() const { return gates.size(); }
  /// The predicate that a submission has copied there.
  bool predicate(size_t slot) const { return *slots[slot].host() != 0; }
  /// The state of a gate, and how often it was open since the reset.
  bool isOpen(size_t gate) const;
  uint32_t openings(size_t gate) const;
  /// The dispatches behind gates since there were the openings that were seen;
  /// these become those of now.
  uint64_t gatedDispatches(std::vector<uint32_t> &seen) const;
  /// No gate has been open.
  void resetGates();

private:
  uint64_t countQueries(const std::vector<pack::Op> &ops) const;
  void prepare();
  void recordStamp(size_t index);
  void recordHandOver();
  void record();
  void recordOps(const std::vector<pack::Op> &ops, std::vector<Step> &steps);
  void recordOp(const pack::Op &op, std::vector<Step> &steps);
  void recordDispatch(const pack::Op &op);
  bool checkCopy(const CopyJob &job) const;
  void recordCopy(const CopyJob &job);
  void recordKernelCopy(const CopyJob &job);
  void recordFill(const pack::Op &op);
  void launch(const uint32_t groups[3]);
  VkCommandBuffer newCommands(VkCommandBufferUsageFlags usage);
  void begin();
  void end(std::vector<Step> &steps);
  void timestamp(uint32_t query);
  void mark(const char *kernel, uint64_t grid);
  void destroy();
  Location locate(const pack::Arg &arg) const;

  // RecordControl.cpp.
  void recordRepeat(const pack::Op &op, std::vector<Step> &steps);
  void recordWhile(const pack::Op &op, std::vector<Step> &steps);
  void recordEachTurn(const pack::Op &op, std::vector<Step> &steps);
  void recordAhead(const pack::Op &op, uint64_t cost, std::vector<Step> &steps);
  void recordIf(const pack::Op &op, std::vector<Step> &steps);
  void recordGatedIf(const pack::Op &op, uint64_t cost,
                     std::vector<Step> &steps);
  size_t recordPredicate(const pack::Arg &predicate, std::vector<Step> &steps);
  std::optional<uint64_t> gatedCost(const std::vector<pack::Op> &ops) const;
  std::optional<uint64_t> gatedCost(const pack::Op &op) const;
  bool isForKernel(const pack::Op &copy) const;
  bool canGate(const pack::Op &copy) const;
  bool mayGate() const;
  Gate &makeGate(uint64_t capacity);
  void recordGate(const Gate &gate, const Gate *parent,
                  const pack::Arg &predicate, bool invert);
  void fetchGates(size_t index, size_t count);
  bool fetchesAll() const;
  uint64_t gateAddress(const Gate *gate) const;

  const Program &program;
  Device &device;
  const VolkDeviceTable &vk;
  RecordRequest request;
  bool serialize;

  bool stepwise; // loops and branches are the host's
  bool onCpu;

  VkCommandPool pool = VK_NULL_HANDLE;
  VkQueryPool queryPool = VK_NULL_HANDLE;
  VkCommandBuffer stamps[2] = {};
  VkCommandBuffer handOverCommands = VK_NULL_HANDLE;
  bool isEnding = false; // nothing of the program is left to record
  Scratch readBack;      // predicates
  Scratch arguments;     // of kernels, and sizes of gates
  std::vector<Location> slots;
  std::unique_ptr<Allocation> gateStates; // open and openings of each gate
  std::unique_ptr<Allocation> fetchedStates;
  std::deque<Gate> gates;
  uint32_t nextQuery = 0;
  std::vector<Segment> segments;
  std::vector<Step> root;
  VkCommandBuffer current = VK_NULL_HANDLE; // null between segments
  Barriers barriers;
  Gate *gate = nullptr; // that everything is recorded behind
  size_t depth = 0;     // of loops
  size_t loops = 0;
};

/// The grid as x, y, z with x * y * z >= grid, each within its limit; false if
/// the limits do not allow it.
bool foldGrid(uint64_t grid, const uint32_t limits[3], uint32_t folded[3]);

} // namespace nxv::runtime

#endif // NXV_RUNTIME_RECORDER_H
