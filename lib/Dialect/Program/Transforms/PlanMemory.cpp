//===- PlanMemory.cpp - places intermediates in one arena -------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Accesses.h"

#include "nxv/Dialect/Program/Transforms/Passes.h"

#include "llvm/Support/MathExtras.h"

namespace nxv {
#define GEN_PASS_DEF_NXVPLANMEMORY
#include "nxv/Dialect/Program/Transforms/Passes.h.inc"
} // namespace nxv

using namespace mlir;
using namespace nxv::program;

namespace {

constexpr int64_t kAlignment = 256;

/// The steps during which a buffer's content matters, both ends included.
struct Lifetime {
  int64_t first = std::numeric_limits<int64_t>::max();
  int64_t last = -1;

  bool isUsed() const { return last >= 0; }
  void include(const Lifetime &other) {
    first = std::min(first, other.first);
    last = std::max(last, other.last);
  }
  bool overlaps(const Lifetime &other) const {
    return first <= other.last && other.first <= last;
  }
};

/// One or more buffers with the same place, which follow one another.
struct Slot {
  SmallVector<BufferOp> buffers;
  Lifetime lifetime;
  int64_t size = 0;
  int64_t offset = 0;
};

class MemoryPlanner {
public:
  explicit MemoryPlanner(ProgramOp program) : program(program) {}

  LogicalResult run() {
    if (failed(readInPlacePairs()))
      return failure();
    number(program.getBody());
    donateInputs();
    createSlots();
    mergeInPlace();
    useOutputs();
    placeSlots();
    return success();
  }

private:
  LogicalResult readInPlacePairs();
  void number(Region &region);
  Operation *getTopLevel(Operation *op);
  Operation *getLocalLoop(BufferOp buffer);
  Lifetime getLifetime(BufferOp buffer);
  void donateInputs();
  BufferOp findDonor(BufferOp output, ArrayRef<BufferOp> donors);
  bool canReplace(BufferOp input, BufferOp output);
  bool isInPlace(Operation *op, Value input, Value output);
  void createSlots();
  void mergeInPlace();
  void useOutputs();
  void placeSlots();

  ProgramOp program;
  /// Every step's number and the last number inside it.
  DenseMap<Operation *, Lifetime> spans;
  int64_t steps = 0;
  DenseMap<Operation *, SmallVector<std::pair<Value, Value>>> inPlace;
  std::vector<Slot> slots;
  /// Bytes of the intermediates that outputs hold.
  int64_t bytesInOutputs = 0;
};

LogicalResult MemoryPlanner::readInPlacePairs() {
  WalkResult result = program.walk([&](DispatchOp op) {
    auto pairs = getInPlacePairs(op);
    if (failed(pairs))
      return WalkResult::interrupt();
    for (auto [input, output] : *pairs) {
      Value from = op.getInputs()[input];
      // The pair says nothing about other operands that are the same buffer.
      if (llvm::count(op->getOperands(), from) == 1)
        inPlace[op].emplace_back(from, op.getOutputs()[output]);
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

void MemoryPlanner::number(Region &region) {
  if (region.empty())
    return;
  for (Operation &op : region.front()) {
    Lifetime span;
    span.first = steps++;
    for (Region &nested : op.getRegions())
      number(nested);
    // The end of a loop is a step of its own: its predicate is read there.
    span.last = op.getNumRegions() ? steps++ : span.first;
    spans[&op] = span;
  }
}

Operation *MemoryPlanner::getTopLevel(Operation *op) {
  while (op->getParentOp() != program)
    op = op->getParentOp();
  return op;
}

/// The loop or branch whose region holds every use of `buffer` in one block, if
/// each pass through it starts by writing the whole buffer: nothing survives
/// from one iteration to the next.
Operation *MemoryPlanner::getLocalLoop(BufferOp buffer) {
  Operation *first = nullptr;
  Block *block = nullptr;
  for (Operation *user : buffer->getUsers()) {
    if (block && user->getBlock() != block)
      return nullptr;
    block = user->getBlock();
    if (!first || user->isBeforeInBlock(first))
      first = user;
  }
  if (!first || block->getParentOp() == program)
    return nullptr;
  Value value = buffer.getResult();
  if (auto dispatch = dyn_cast<DispatchOp>(first)) {
    if (llvm::is_contained(dispatch.getInputs(), value))
      return nullptr;
  } else if (auto copy = dyn_cast<CopyOp>(first)) {
    if (copy.getSource() == value || copy.getBytes() < buffer.getBytes())
      return nullptr;
  } else if (auto fill = dyn_cast<FillOp>(first)) {
    if (fill.getBytes() < buffer.getBytes())
      return nullptr;
  } else {
    return nullptr;
  }
  return block->getParentOp();
}

Lifetime MemoryPlanner::getLifetime(BufferOp buffer) {
  bool isLocal = getLocalLoop(buffer) != nullptr;
  Lifetime lifetime;
  for (Operation *user : buffer->getUsers())
    lifetime.include(spans.lookup(isLocal ? user : getTopLevel(user)));
  return lifetime;
}

//===----------------------------------------------------------------------===//
// Donated inputs
//===----------------------------------------------------------------------===//

bool isDonatable(Attribute attr) {
  auto dict = dyn_cast<DictionaryAttr>(attr);
  Attribute flag = dict ? dict.get("donatable") : Attribute();
  auto value = dyn_cast_or_null<BoolAttr>(flag);
  return flag && (!value || value.getValue());
}

bool MemoryPlanner::isInPlace(Operation *op, Value input, Value output) {
  auto it = inPlace.find(op);
  return it != inPlace.end() &&
         llvm::is_contained(it->second, std::make_pair(input, output));
}

/// Whether all that reads `input` is over when `output` is first written.
bool MemoryPlanner::canReplace(BufferOp input, BufferOp output) {
  if (input.getBytes() != output.getBytes() || input.getBytes() == 0)
    return false;
  // An input that is handed through as a result must keep its content.
  if (llvm::any_of(input->getUsers(),
                   [](Operation *user) { return isa<ResultsOp>(user); }))
    return false;
  Lifetime before = getLifetime(input), after = getLifetime(output);
  if (!after.isUsed() || before.last < after.first)
    return true;
  if (before.last != after.first)
    return false;
  for (Operation *user : output->getUsers())
    if (spans.lookup(user).first == after.first)
      return isInPlace(user, input.getResult(), output.getResult());
  return false;
}

BufferOp MemoryPlanner::findDonor(BufferOp output, ArrayRef<BufferOp> donors) {
  // In place first: that input is busy until then and fits no other output.
  for (BufferOp input : donors)
    for (Operation *user : input->getUsers())
      if (isInPlace(user, input.getResult(), output.getResult()) &&
          canReplace(input, output))
        return input;
  for (BufferOp input : donors)
    if (canReplace(input, output))
      return input;
  return {};
}

void MemoryPlanner::donateInputs() {
  SmallVector<BufferOp> donors, outputs;
  for (auto buffer : program.getBody().getOps<BufferOp>()) {
    if (buffer.getKind() == BufferKind::output)
      outputs.push_back(buffer);
    if (buffer.getKind() == BufferKind::input &&
        *buffer.getIndex() < program.getInputs().size() &&
        isDonatable(program.getInputs()[*buffer.getIndex()]))
      donors.push_back(buffer);
  }
  for (BufferOp output : outputs) {
    BufferOp input = findDonor(output, donors);
    if (!input)
      continue;
    llvm::erase(donors, input);
    if (!input->isBeforeInBlock(output))
      input->moveBefore(output);
    output.getResult().replaceAllUsesWith(input.getResult());
    output.erase();
  }
}

//===----------------------------------------------------------------------===//
// The arena
//===----------------------------------------------------------------------===//

void MemoryPlanner::createSlots() {
  program.walk([&](BufferOp buffer) {
    if (buffer.getKind() != BufferKind::arena)
      return;
    Slot slot;
    slot.buffers.push_back(buffer);
    slot.lifetime = getLifetime(buffer);
    slot.size = llvm::alignTo(buffer.getBytes(), kAlignment);
    slots.push_back(slot);
  });
}

/// Puts an intermediate into the place of one that dies where it is born.
void MemoryPlanner::mergeInPlace() {
  DenseMap<Value, size_t> slotOf;
  for (auto [i, slot] : llvm::enumerate(slots))
    slotOf[slot.buffers.front().getResult()] = i;
  for (Operation &op : program.getBody().front()) {
    auto it = inPlace.find(&op);
    if (it == inPlace.end())
      continue;
    for (auto [input, output] : it->second) {
      if (!slotOf.count(input) || !slotOf.count(output))
        continue;
      Slot &from = slots[slotOf[output]], &into = slots[slotOf[input]];
      int64_t now = spans.lookup(&op).first;
      if (&from == &into || into.lifetime.last != now ||
          from.lifetime.first != now || from.size != into.size)
        continue;
      into.lifetime.include(from.lifetime);
      llvm::append_range(into.buffers, from.buffers);
      from.buffers.clear();
      slotOf[output] = slotOf[input];
    }
  }
  llvm::erase_if(slots, [](const Slot &slot) { return slot.buffers.empty(); });
}

/// Puts intermediates into outputs that are written only after their last use.
void MemoryPlanner::useOutputs() {
  struct Host {
    BufferOp output;
    Lifetime lifetime;
    SmallVector<Lifetime> guests;
  };
  SmallVector<Host> hosts;
  for (auto buffer : program.getBody().getOps<BufferOp>())
    if (buffer.getKind() == BufferKind::output)
      hosts.push_back({buffer, getLifetime(buffer), {}});
  llvm::stable_sort(hosts, [](const Host &a, const Host &b) {
    BufferOp x = a.output, y = b.output;
    return x.getBytes() < y.getBytes();
  });
  llvm::stable_sort(
      slots, [](const Slot &a, const Slot &b) { return a.size > b.size; });
  for (Slot &slot : slots) {
    int64_t bytes = 0;
    for (BufferOp buffer : slot.buffers)
      bytes = std::max(bytes, int64_t(buffer.getBytes()));
    if (bytes == 0 || !slot.lifetime.isUsed())
      continue;
    for (Host &host : hosts) {
      if (int64_t(host.output.getBytes()) < bytes ||
          host.lifetime.first <= slot.lifetime.last ||
          llvm::any_of(host.guests, [&](const Lifetime &guest) {
            return guest.overlaps(slot.lifetime);
          }))
        continue;
      host.guests.push_back(slot.lifetime);
      bytesInOutputs += slot.size * slot.buffers.size();
      for (BufferOp buffer : slot.buffers) {
        if (buffer->getBlock() == host.output->getBlock() &&
            buffer->isBeforeInBlock(host.output))
          host.output->moveBefore(buffer);
        buffer.getResult().replaceAllUsesWith(host.output.getResult());
        buffer.erase();
      }
      slot.buffers.clear();
      break;
    }
  }
  llvm::erase_if(slots, [](const Slot &slot) { return slot.buffers.empty(); });
}

/// The smallest gap between `others` (sorted by offset) that holds `size`.
int64_t findOffset(int64_t size, ArrayRef<const Slot *> others) {
  int64_t end = 0, best = -1, bestGap = std::numeric_limits<int64_t>::max();
  for (const Slot *other : others) {
    int64_t gap = other->offset - end;
    if (gap >= size && gap < bestGap) {
      best = end;
      bestGap = gap;
    }
    end = std::max(end, other->offset + other->size);
  }
  return best >= 0 ? best : end;
}

void MemoryPlanner::placeSlots() {
  SmallVector<Slot *> order;
  int64_t sum = bytesInOutputs, peak = 0;
  for (Slot &slot : slots) {
    sum += slot.size * slot.buffers.size();
    order.push_back(&slot);
  }
  llvm::stable_sort(
      order, [](const Slot *a, const Slot *b) { return a->size > b->size; });
  // Sorted by offset.
  SmallVector<const Slot *> placed;
  for (Slot *slot : order) {
    SmallVector<const Slot *> alive;
    for (const Slot *other : placed)
      if (other->size && slot->lifetime.overlaps(other->lifetime))
        alive.push_back(other);
    if (slot->size && slot->lifetime.isUsed())
      slot->offset = findOffset(slot->size, alive);
    peak = std::max(peak, slot->offset + slot->size);
    auto position = llvm::upper_bound(placed, slot->offset,
                                      [](int64_t offset, const Slot *other) {
                                        return offset < other->offset;
                                      });
    placed.insert(position, slot);
    for (BufferOp buffer : slot->buffers)
      buffer.setOffset(slot->offset);
  }
  program.setArenaBytes(peak);
  program.setIntermediateBytes(sum);
}

struct PlanMemory : nxv::impl::NxvPlanMemoryBase<PlanMemory> {
  void runOnOperation() override {
    for (auto program : getOperation().getOps<ProgramOp>())
      if (failed(MemoryPlanner(program).run()))
        return signalPassFailure();
  }
};

} // namespace
