//===- NxvDialect.cpp - the nxv dialect -------------------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "nxv/Dialect/Nxv/IR/Nxv.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

#include "nxv/Dialect/Nxv/IR/NxvDialect.cpp.inc"
#include "nxv/Dialect/Nxv/IR/NxvEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "nxv/Dialect/Nxv/IR/NxvAttrs.cpp.inc"

#define GET_OP_CLASSES
#include "nxv/Dialect/Nxv/IR/NxvOps.cpp.inc"

using namespace nxv;

void NxvDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "nxv/Dialect/Nxv/IR/NxvAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "nxv/Dialect/Nxv/IR/NxvOps.cpp.inc"
      >();
}

mlir::Operation *NxvDialect::materializeConstant(mlir::OpBuilder &builder,
                                                 mlir::Attribute value,
                                                 mlir::Type type,
                                                 mlir::Location loc) {
  auto elements = llvm::dyn_cast<mlir::ElementsAttr>(value);
  if (!elements || elements.getType() != type)
    return nullptr;
  return ConstantOp::create(builder, loc, elements);
}
