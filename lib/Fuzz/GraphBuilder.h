//===- GraphBuilder.h - builds random operations ----------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_LIB_FUZZ_GRAPHBUILDER_H
#define NXV_LIB_FUZZ_GRAPHBUILDER_H

#include "nxv/Dialect/Nxv/IR/Nxv.h"
#include "nxv/Fuzz/Generator.h"
#include "nxv/Fuzz/Random.h"

#include "mlir/IR/Builders.h"

#include <optional>

namespace nxv::fuzz {

using Shape = llvm::SmallVector<int64_t>;
using TensorType = mlir::RankedTensorType;

/// What one seed's graph is about: a few types and sizes, so that operations
/// meet, and some families of operations rather than all.
struct Theme {
  llvm::SmallVector<mlir::Type> elements;
  llvm::SmallVector<int64_t> sizes;
  int64_t maxRank = 4;
  int64_t maxElements = 4096;
  llvm::SmallVector<double> weights;
};

/// Grows a graph. Every `add` function appends an operation on values at hand
/// and gives its result, or null where nothing at hand suits.
class GraphBuilder {
public:
  GraphBuilder(mlir::MLIRContext *context, Random &random);

  mlir::OwningOpRef<mlir::ModuleOp> run(int64_t numOps);

private:
  /// The values that a block may use.
  struct Scope {
    llvm::SmallVector<mlir::Value> values;
    bool isolated = false; // from the function's arguments
    int depth = 0;
  };

  // Theme.
  void chooseTheme();
  void chooseElements();
  void chooseSizes();
  void chooseWeights();

  // Types.
  mlir::Type pickElement();
  mlir::Type pickIndexElement();
  int64_t pickSize();
  Shape pickShape(int64_t minRank, int64_t maxRank);
  TensorType tensor(llvm::ArrayRef<int64_t> shape, mlir::Type element) {
    return TensorType::get(shape, element);
  }

  // Values at hand.
  mlir::Value pickValue(llvm::function_ref<bool(TensorType)> suits);
  /// A value that suits, or a new one of `element` and at least `minRank`.
  mlir::Value need(llvm::function_ref<bool(mlir::Type)> suits,
                   int64_t minRank = 0, int64_t maxRank = 6);
  mlir::Value valueOf(TensorType type);
  mlir::Value derive(TensorType type);
  mlir::Value fresh(TensorType type);
  mlir::Value literal(TensorType type);
  mlir::Value indexValue(llvm::ArrayRef<int64_t> shape, int64_t size);
  mlir::Value scalarIndex(int64_t size);
  void remember(mlir::Value value) { scope->values.push_back(value); }

  // Building.
  mlir::Operation *build(llvm::StringRef name, mlir::ValueRange operands,
                         mlir::TypeRange types,
                         llvm::ArrayRef<mlir::NamedAttribute> attrs = {},
                         unsigned numRegions = 0);
  mlir::Value make(llvm::StringRef name, mlir::ValueRange operands,
                   TensorType type,
                   llvm::ArrayRef<mlir::NamedAttribute> attrs = {});
  mlir::NamedAttribute axes(llvm::StringRef name,
                            llvm::ArrayRef<int64_t> values);
  mlir::NamedAttribute number(llvm::StringRef name, int64_t value);
  mlir::NamedAttribute flag(llvm::StringRef name);
  mlir::NamedAttribute kind(ReduceKind value);

  // Element-wise.
  mlir::Value addUnary();
  mlir::Value addBinary();
  mlir::Value addCompare();
  mlir::Value addSelect();
  mlir::Value addClassify();
  mlir::Value addConvert();
  mlir::Value addBitcast();
  mlir::Value addComplexPart();
  mlir::Value unaryOf(mlir::Value operand);
  mlir::Value binaryOf(mlir::Value lhs, mlir::Value rhs);
  mlir::Value convertTo(mlir::Value value, mlir::Type element);

  // Movement.
  mlir::Value addIota();
  mlir::Value addReshape();
  mlir::Value addBroadcast();
  mlir::Value addTranspose();
  mlir::Value addReverse();
  mlir::Value addPad();
  mlir::Value addConcatenate();
  mlir::Value addSlice();
  mlir::Value addDynamicSlice();
  mlir::Value addDynamicUpdateSlice();
  mlir::Value addGather();
  mlir::Value addScatter();
  mlir::Value broadcastTo(mlir::Value value, llvm::ArrayRef<int64_t> shape,
                          llvm::ArrayRef<int64_t> axes);

  // Reductions.
  mlir::Value addReduce();
  mlir::Value addReduceFn();
  mlir::Value addArgReduce();
  mlir::Value addWindowReduce();
  mlir::Value addWindowReduceFn();
  mlir::Value addSelectAndScatter();
  mlir::Value addCumulative();
  mlir::Value addNormalization();
  mlir::Value reduceOf(mlir::Value operand, ReduceKind kind,
                       llvm::ArrayRef<int64_t> axes);
  ReduceKind pickReduceKind(mlir::Type element);
  mlir::Value addFoldBranch(mlir::Value value, mlir::Value accumulator);
  void addFoldBody(mlir::Region &region, mlir::Type element);
  struct Window {
    Shape window, strides, dilations, low, high, result;
  };
  Window pickWindow(llvm::ArrayRef<int64_t> shape, bool dilates);

  // Contractions and order.
  mlir::Value addDot();
  mlir::Value addLayer();
  mlir::Value addConvolution();
  mlir::Value addTriangularSolve();
  mlir::Value addSort();
  mlir::Value addArgSort();
  mlir::Value addFft();

  // Control flow.
  mlir::Value addWhile();
  mlir::Value addCase();
  mlir::Value addBlock();
  mlir::Value addTap();
  mlir::Value somePredicate(mlir::ValueRange values);
  void fillRegion(mlir::Region &region, mlir::TypeRange arguments,
                  mlir::TypeRange results, bool isolated, bool counts);

  mlir::Value addOperation();
  void addOutputs(mlir::func::FuncOp main);

  using Member = mlir::Value (GraphBuilder::*)();
  struct Family {
    const char *theme;
    double weight;
    Member add;
  };
  static llvm::ArrayRef<Family> getFamilies();

  mlir::OpBuilder builder;
  mlir::Location loc;
  Random &random;
  Theme theme;
  Scope *scope = nullptr;
  mlir::func::FuncOp main;
  int64_t work = 0; // elements that the graph computes, about
};

inline TensorType typeOf(mlir::Value value) {
  return llvm::cast<TensorType>(value.getType());
}
inline llvm::ArrayRef<int64_t> shapeOf(mlir::Value value) {
  return typeOf(value).getShape();
}
inline mlir::Type elementOf(mlir::Value value) {
  return typeOf(value).getElementType();
}
inline bool isPred(mlir::Type type) { return type.isInteger(1); }
inline bool isInteger(mlir::Type type) {
  return llvm::isa<mlir::IntegerType>(type) && !isPred(type);
}
inline bool isFloat(mlir::Type type) {
  return llvm::isa<mlir::FloatType>(type);
}
inline bool isComplex(mlir::Type type) {
  return llvm::isa<mlir::ComplexType>(type);
}

/// Random elements of a type, special values among them.
std::vector<uint8_t> randomElements(TensorType type, Random &random);
/// Integers from `low` to `high`.
std::vector<uint8_t> randomIntegers(TensorType type, int64_t low, int64_t high,
                                    Random &random);
/// A literal of such elements.
mlir::DenseElementsAttr makeLiteral(TensorType type,
                                    llvm::ArrayRef<uint8_t> bytes);

} // namespace nxv::fuzz

#endif // NXV_LIB_FUZZ_GRAPHBUILDER_H
