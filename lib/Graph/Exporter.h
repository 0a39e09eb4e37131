//===- Exporter.h - the nxv dialect to graph.json
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_LIB_GRAPH_EXPORTER_H
#define NXV_LIB_GRAPH_EXPORTER_H

#include "nxv/Dialect/Nxv/IR/Nxv.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include <nlohmann/json.hpp>

namespace nxv::graph {

using OrderedJson = nlohmann::ordered_json;

class Exporter {
public:
  mlir::LogicalResult run(mlir::ModuleOp module, llvm::raw_ostream &os);

private:
  mlir::LogicalResult exportSignature(mlir::func::FuncOp func,
                                      OrderedJson &inputs,
                                      OrderedJson &outputs);
  mlir::FailureOr<OrderedJson> exportTree(mlir::func::FuncOp func);

  /// A block as a scope; its nodes are appended in order.
  mlir::FailureOr<OrderedJson> exportScope(mlir::Block &block);
  mlir::LogicalResult exportOp(mlir::Operation *op);
  /// Gives what the operation is in the graph; sets `attrs`.
  mlir::LogicalResult describe(mlir::Operation *op, std::string &name,
                               OrderedJson &attrs);
  mlir::LogicalResult describeMove(mlir::Operation *op, std::string &name,
                                   OrderedJson &attrs);
  mlir::LogicalResult describeReduction(mlir::Operation *op, std::string &name,
                                        OrderedJson &attrs);
  mlir::LogicalResult describeContraction(mlir::Operation *op,
                                          std::string &name,
                                          OrderedJson &attrs);
  mlir::LogicalResult describeControl(mlir::Operation *op, std::string &name,
                                      OrderedJson &attrs);
  mlir::LogicalResult exportConvert(ConvertOp op);
  mlir::LogicalResult exportNot(NotOp op);
  mlir::LogicalResult exportConstant(ConstantOp op);
  mlir::LogicalResult exportFold(mlir::Operation *op, mlir::Region &body,
                                 llvm::StringRef name, OrderedJson attrs);
  mlir::LogicalResult exportUpdateSlice(DynamicUpdateSliceOp op);
  mlir::LogicalResult exportTriangularSolve(TriangularSolveOp op);
  mlir::LogicalResult unsupported(mlir::Operation *op);

  OrderedJson typeOf(mlir::Type type);
  /// Appends a node of one value.
  int64_t append(llvm::StringRef name, llvm::ArrayRef<int64_t> args,
                 mlir::Type type, OrderedJson attrs, mlir::Location loc);
  /// Appends a node and gives the operation's results their ids.
  void define(mlir::Operation *op, int64_t id, llvm::StringRef name,
              llvm::ArrayRef<int64_t> args, OrderedJson attrs);
  OrderedJson makeNode(int64_t id, llvm::StringRef name,
                       llvm::ArrayRef<int64_t> args, OrderedJson attrs,
                       mlir::Location loc);
  llvm::SmallVector<int64_t> idsOf(mlir::ValueRange values);

  llvm::DenseMap<mlir::Value, int64_t> ids;
  OrderedJson *nodes = nullptr;
  int64_t nextId = 0;
};

/// The attributes of a node for a literal: a "value", or "data".
bool describeLiteral(mlir::DenseElementsAttr literal, std::string &name,
                     OrderedJson &attrs);

} // namespace nxv::graph

#endif // NXV_LIB_GRAPH_EXPORTER_H
