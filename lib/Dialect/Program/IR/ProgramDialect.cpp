//===- ProgramDialect.cpp - the program dialect -----------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "nxv/Dialect/Program/IR/Program.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

#include "nxv/Dialect/Program/IR/ProgramDialect.cpp.inc"
#include "nxv/Dialect/Program/IR/ProgramEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "nxv/Dialect/Program/IR/ProgramAttrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "nxv/Dialect/Program/IR/ProgramTypes.cpp.inc"

#define GET_OP_CLASSES
#include "nxv/Dialect/Program/IR/ProgramOps.cpp.inc"

using namespace mlir;
using namespace nxv::program;

void ProgramDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "nxv/Dialect/Program/IR/ProgramAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "nxv/Dialect/Program/IR/ProgramTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "nxv/Dialect/Program/IR/ProgramOps.cpp.inc"
      >();
}

LogicalResult GroupOp::verify() {
  Block &block = getBody().front();
  if (block.getNumArguments() != getInputs().size())
    return emitOpError("expected ")
           << getInputs().size() << " region arguments, got "
           << block.getNumArguments();
  for (auto [argument, input] : llvm::zip(block.getArguments(), getInputs()))
    if (argument.getType() != input.getType())
      return emitOpError("expected a region argument of type ")
             << input.getType() << ", got " << argument.getType();
  if (block.getTerminator()->getOperandTypes() != getResultTypes())
    return emitOpError("expected the region to yield the result types");
  return success();
}

LogicalResult BufferOp::verify() {
  int64_t bytes = getBytesAttr().getInt();
  if (bytes < 0)
    return emitOpError("expected a size of 0 bytes or more, got ") << bytes;
  if (getOffsetAttr() && getOffsetAttr().getInt() < 0)
    return emitOpError("expected an offset of 0 or more, got ")
           << getOffsetAttr().getInt();
  bool boundary =
      getKind() == BufferKind::input || getKind() == BufferKind::output;
  if (boundary != getIndex().has_value())
    return emitOpError("expected an index exactly for inputs and outputs");
  if ((getKind() == BufferKind::constant) != getValue().has_value())
    return emitOpError("expected a value exactly for constants");
  if (getOffset() && getKind() != BufferKind::arena)
    return emitOpError("expected an offset for arena buffers only");
  return success();
}

LogicalResult DispatchOp::verify() {
  int64_t grid = getGridAttr().getInt();
  if (grid < 1)
    return emitOpError("expected a grid of 1 workgroup or more, got ") << grid;
  return success();
}

LogicalResult RepeatOp::verify() {
  int64_t count = getCountAttr().getInt();
  if (count < 1)
    return emitOpError("expected a count of 1 or more, got ") << count;
  return success();
}
