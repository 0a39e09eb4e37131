//===- ElementEmitter.h - tensor elements by index --------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
// Every kernel family is built on one primitive: the value of a tensor at an
// index. Its producers are inlined at the mapped index, so that broadcasts,
// slices, pads, concatenations, reshapes and gathers cost no memory.
//
// Indices are affine expressions of an IndexSpace. One dimension may be the
// lane: an element whose index depends on it is a vector with one entry a lane,
// and a load of consecutive lanes is one wide access.
//===----------------------------------------------------------------------===//

#ifndef NXV_KERNEL_ELEMENTEMITTER_H
#define NXV_KERNEL_ELEMENTEMITTER_H

#include "nxv/Kernel/IndexSpace.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Builders.h"

#include <functional>
#include <optional>

namespace nxv {

class ElementEmitter {
public:
  using Indices = llvm::ArrayRef<mlir::AffineExpr>;
  using Values = llvm::SmallVector<mlir::Value>;
  using KnownIndices = llvm::ArrayRef<std::pair<mlir::Value, mlir::AffineExpr>>;
  /// Gives the value of a bound tensor at an index.
  using Producer = std::function<mlir::Value(Indices)>;

  /// Emits at `builder`'s insertion point. Indices have 32 bits, or 64 if
  /// `wideIndices`.
  ElementEmitter(mlir::OpBuilder &builder, mlir::Location loc,
                 IndexSpace &space, bool wideIndices = false);

  mlir::OpBuilder &getBuilder() { return builder; }
  IndexSpace &getSpace() { return space; }
  mlir::IntegerType getIndexType() const { return indexType; }
  mlir::Location getLoc() const { return loc; }

  //===--------------------------------------------------------------------===//
  // Dimensions
  //===--------------------------------------------------------------------===//

  /// A dimension whose value at run time is `value`, of the index type or a
  /// vector of it.
  mlir::AffineExpr addDim(IndexRange range, mlir::Value value);
  mlir::AffineExpr addDim(int64_t size, mlir::Value value) {
    return addDim(IndexRange{0, size > 0 ? size - 1 : 0}, value);
  }
  /// Makes a new lane dimension of `width` entries current, and gives it back;
  /// the constant 0 if `width` is 1.
  mlir::AffineExpr setLane(int64_t width);
  /// Makes a lane dimension made before current again.
  void useLane(mlir::AffineExpr lane, int64_t width);
  mlir::AffineExpr getLane() const { return lane; }
  int64_t getWidth() const { return width; }
  /// Does the value of `expr` differ between lanes?
  bool isVarying(mlir::AffineExpr expr) const;

  /// The value of an index expression: an integer of the index type, or a
  /// vector of them if it is varying.
  mlir::Value index(mlir::AffineExpr expr);
  /// The same as a value of MLIR's index type, for a memory access.
  mlir::Value memoryIndex(mlir::AffineExpr expr);
  /// The range of an index of which nothing is known.
  IndexRange anyIndex() const;
  /// `expr` limited to [low, high]: itself where its range says so already.
  mlir::AffineExpr clamp(mlir::AffineExpr expr, int64_t low, int64_t high);
  /// The predicate `expr < bound`, a null value where it always holds.
  mlir::Value lessThan(mlir::AffineExpr expr, int64_t bound);

  //===--------------------------------------------------------------------===//
  // Elements
  //===--------------------------------------------------------------------===//

  /// Makes loads of `tensor` read the 1-D memref `buffer`, row-major, whose
  /// first element is the tensor's at the position `base` (null: 0).
  void bindBuffer(mlir::Value tensor, mlir::Value buffer,
                  mlir::AffineExpr base = {});
  /// Makes `producer` give the elements of `tensor`; the results are not kept.
  void bindProducer(mlir::Value tensor, Producer producer);
  void unbind(mlir::Value tensor);
  bool isBound(mlir::Value tensor) const {
    return producers.count(tensor) || buffers.count(tensor);
  }
  mlir::Value getBuffer(mlir::Value tensor) const {
    return buffers.lookup(tensor);
  }

  /// The element of `tensor` at `indices`: of its element type, or a vector of
  /// `getWidth()` of them if it differs between lanes.
  mlir::Value elementAt(mlir::Value tensor, Indices indices);

  /// The results of `op`'s payload at the loop indices `loops`. `accumulators`
  /// stand for the output arguments; the payload's index values in `known` are
  /// taken as given.
  Values payloadAt(mlir::linalg::GenericOp op, Indices loops,
                   mlir::ValueRange accumulators = {}, KnownIndices known = {});
  /// As payloadAt with the input arguments given in `inputs` instead of read
  /// (null, or behind the last given one: read it).
  Values payloadOf(mlir::linalg::GenericOp op, Indices loops,
                   mlir::ValueRange inputs, mlir::ValueRange accumulators,
                   KnownIndices known = {});
  /// The index value `wanted` of `op`'s payload, which may not depend on where
  /// in its iteration space the payload is.
  mlir::AffineExpr uniformIndex(mlir::linalg::GenericOp op, mlir::Value wanted);

  /// Loads from a 1-D memref at a flat position.
  mlir::Value load(mlir::Value buffer, mlir::Type element,
                   mlir::AffineExpr position);
  /// Stores `value` (of type `element` or a vector of it) into a 1-D memref.
  void store(mlir::Value buffer, mlir::Type element, mlir::AffineExpr position,
             mlir::Value value);

  //===--------------------------------------------------------------------===//
  // Structure
  //===--------------------------------------------------------------------===//

  /// A loop over [low, high) that carries `inits`.
  Values loop(int64_t low, int64_t high, int64_t step, mlir::ValueRange inits,
              std::function<Values(mlir::AffineExpr, mlir::ValueRange)> body);
  /// Runs `body` where `condition` holds; always where it is null.
  void guarded(mlir::Value condition, std::function<void()> body);
  /// What is emitted between the two is not remembered after.
  void pushScope() { scopes.emplace_back(); }
  void popScope() { scopes.pop_back(); }

  mlir::Value constantIndex(int64_t value);
  mlir::Value constant(mlir::TypedAttr value);
  mlir::Value constantLike(mlir::Type type, mlir::TypedAttr scalar);
  /// `value` as a vector over the lanes if it is a scalar.
  mlir::Value splat(mlir::Value value);
  /// Entry `lane` of `value`; itself if it is a scalar.
  mlir::Value extractLane(mlir::Value value, int64_t lane);
  mlir::Value joinLanes(mlir::ValueRange values);
  /// What device memory holds an element as: predicates are bytes.
  static mlir::Type storageType(mlir::Type element);

private:
  struct PayloadValue;
  struct Environment;
  struct Scope {
    llvm::DenseMap<std::pair<void *, mlir::AffineMap>, Values> elements;
    llvm::DenseMap<mlir::AffineExpr, mlir::Value> indices;
  };

  mlir::Value compute(mlir::Value tensor, Indices indices);
  Values reduceInline(mlir::linalg::GenericOp op, Indices result);
  void evaluate(mlir::Block &block, Environment &env);
  void evaluateOp(mlir::Operation &op, Environment &env);
  void evaluateNeeded(mlir::Value value, mlir::Block &block, Environment &env);
  bool evaluateIndexOp(mlir::Operation &op, Environment &env);
  void evaluateIf(mlir::Operation &op, Environment &env);
  void evaluateByLane(mlir::Operation &op, Environment &env);
  void evaluateExtract(mlir::Operation &op, Environment &env);
  PayloadValue limit(mlir::Operation &op, PayloadValue lhs, PayloadValue rhs,
                     bool upper);
  PayloadValue compareIndices(mlir::Operation &op, PayloadValue lhs,
                              PayloadValue rhs);
  mlir::AffineExpr asIndex(const PayloadValue &value);
  /// An integer or a vector of them, extended or cut to `element`.
  mlir::Value resize(mlir::Value value, mlir::Type element, bool isUnsigned);
  mlir::Value asValue(const PayloadValue &value);
  mlir::Value vectorized(mlir::Operation &op, Values operands);
  mlir::Value emitIndex(mlir::AffineExpr expr);
  mlir::Value divide(mlir::Value value, mlir::AffineExpr numerator,
                     int64_t divisor, bool remainder);
  mlir::AffineMap key(Indices indices) const;
  mlir::Type lanesOf(mlir::Type scalar) const;
  std::pair<mlir::Value, mlir::Value> unify(mlir::Value lhs, mlir::Value rhs);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  IndexSpace &space;
  mlir::IntegerType indexType;
  mlir::AffineExpr lane;
  int64_t width = 1;
  llvm::DenseMap<mlir::AffineExpr, mlir::Value> dimValues;
  llvm::DenseMap<mlir::AffineExpr, int64_t> laneWidths;
  llvm::DenseMap<mlir::Value, mlir::Value> buffers;
  llvm::DenseMap<mlir::Value, mlir::AffineExpr> bases;
  llvm::DenseMap<mlir::Value, Producer> producers;
  llvm::SmallVector<Scope> scopes;
  /// Indices of elements whose value may not be used have to be limited.
  int speculating = 0;
};

} // namespace nxv

#endif // NXV_KERNEL_ELEMENTEMITTER_H
