//===- Accesses.cpp - what a program's steps read and write -----*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Accesses.h"

using namespace mlir;
using namespace nxv::program;

Accesses nxv::program::getAccesses(Operation *op) {
  Accesses accesses;
  if (auto dispatch = dyn_cast<DispatchOp>(op)) {
    accesses.reads = llvm::to_vector(dispatch.getInputs());
    accesses.writes = llvm::to_vector(dispatch.getOutputs());
  } else if (auto copy = dyn_cast<CopyOp>(op)) {
    accesses.reads.push_back(copy.getSource());
    accesses.writes.push_back(copy.getTarget());
  } else if (auto fill = dyn_cast<FillOp>(op)) {
    accesses.writes.push_back(fill.getTarget());
  } else if (isa<WhileOp, IfOp, TapOp, ResultsOp>(op)) {
    accesses.reads = llvm::to_vector(op->getOperands());
  }
  return accesses;
}

static bool readPair(Attribute attr, std::pair<int64_t, int64_t> &pair) {
  if (auto dense = dyn_cast<DenseI64ArrayAttr>(attr)) {
    if (dense.size() != 2)
      return false;
    pair = {dense[0], dense[1]};
    return true;
  }
  auto array = dyn_cast<ArrayAttr>(attr);
  if (!array || array.size() != 2)
    return false;
  auto input = dyn_cast<IntegerAttr>(array[0]);
  auto output = dyn_cast<IntegerAttr>(array[1]);
  if (!input || !output)
    return false;
  pair = {input.getInt(), output.getInt()};
  return true;
}

FailureOr<SmallVector<std::pair<int64_t, int64_t>>>
nxv::program::getInPlacePairs(DispatchOp op) {
  SmallVector<std::pair<int64_t, int64_t>> pairs;
  Attribute attr = op->getAttr("in_place");
  if (!attr)
    return pairs;
  auto list = dyn_cast<ArrayAttr>(attr);
  if (!list)
    return op.emitOpError("expected 'in_place' to be a list of pairs");
  for (Attribute element : list) {
    std::pair<int64_t, int64_t> pair;
    if (!readPair(element, pair))
      return op.emitOpError("expected a pair of numbers in 'in_place', got ")
             << element;
    if (pair.first < 0 || pair.second < 0 ||
        pair.first >= static_cast<int64_t>(op.getInputs().size()) ||
        pair.second >= static_cast<int64_t>(op.getOutputs().size()))
      return op.emitOpError("has no input ")
             << pair.first << " or no output " << pair.second
             << ", which 'in_place' names";
    pairs.push_back(pair);
  }
  return pairs;
}
