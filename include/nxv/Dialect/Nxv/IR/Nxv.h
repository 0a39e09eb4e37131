//===- Nxv.h - the nxv dialect ----------------------------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_DIALECT_NXV_IR_NXV_H
#define NXV_DIALECT_NXV_IR_NXV_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "nxv/Dialect/Nxv/IR/NxvDialect.h.inc"
#include "nxv/Dialect/Nxv/IR/NxvEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "nxv/Dialect/Nxv/IR/NxvAttrs.h.inc"

#define GET_OP_CLASSES
#include "nxv/Dialect/Nxv/IR/NxvOps.h.inc"

#endif // NXV_DIALECT_NXV_IR_NXV_H
