//===- Program.h - the program dialect --------------------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_DIALECT_PROGRAM_IR_PROGRAM_H
#define NXV_DIALECT_PROGRAM_IR_PROGRAM_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "nxv/Dialect/Program/IR/ProgramDialect.h.inc"
#include "nxv/Dialect/Program/IR/ProgramEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "nxv/Dialect/Program/IR/ProgramAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "nxv/Dialect/Program/IR/ProgramTypes.h.inc"

#define GET_OP_CLASSES
#include "nxv/Dialect/Program/IR/ProgramOps.h.inc"

#endif // NXV_DIALECT_PROGRAM_IR_PROGRAM_H
