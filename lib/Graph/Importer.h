//===- Importer.h - graph.json to the nxv dialect
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
// A u8 value of the graph that is known to be 0 or 1 is held as i1; it becomes
// ui8 where a number is needed. That keeps predicates predicates across the
// operations that only move them.

#ifndef NXV_LIB_GRAPH_IMPORTER_H
#define NXV_LIB_GRAPH_IMPORTER_H

#include "ElementType.h"
#include "Json.h"
#include "SideFiles.h"

#include "nxv/Dialect/Nxv/IR/Nxv.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringSet.h"
#include <unordered_map>
#include <unordered_set>

namespace nxv::graph {

using mlir::failed;
using mlir::failure;
using mlir::FailureOr;
using mlir::Location;
using mlir::LogicalResult;
using mlir::RankedTensorType;
using mlir::success;
using mlir::Type;
using mlir::Value;
using Ints = llvm::SmallVector<int64_t>;

/// What a node id stands for.
struct Entry {
  llvm::SmallVector<Value, 1> values;
  bool isTuple = false;
  /// The body of a `fun` node, which has no values.
  const Json *fun = nullptr;
};

/// The nodes that a node may use.
struct Scope {
  /// Null for a closed scope.
  const Scope *parent = nullptr;
  llvm::SmallVector<Value> params;
  std::unordered_map<int64_t, Entry> entries;

  const Entry *find(int64_t id) const;
};

/// A node whose common members have been read.
struct Node {
  explicit Node(Location loc) : loc(loc) {}

  Location loc;
  int64_t id = 0;
  llvm::StringRef op;
  /// The nxv operation that stands for it, for the simple ones.
  llvm::StringRef target;
  llvm::SmallVector<const Entry *> args;
  /// Null for a tuple.
  RankedTensorType type;
  int64_t arity = 1;
  const Json *attrs = nullptr;
  /// The attributes that the importer of the op has asked for.
  llvm::SmallVector<llvm::StringRef, 8> known;
  Scope *scope = nullptr;

  Type element() const { return type.getElementType(); }
  llvm::ArrayRef<int64_t> shape() const { return type.getShape(); }
};

/// The padding, strides and dilations of a window.
struct Window {
  Ints size, strides, dilations, low, high;
};

class Importer {
public:
  Importer(llvm::StringRef path, mlir::MLIRContext *context);

  mlir::OwningOpRef<mlir::ModuleOp> import(llvm::StringRef text);

private:
  using Handler = LogicalResult (Importer::*)(Node &);
  struct OpInfo {
    Handler handler;
    int minArgs, maxArgs;
    llvm::StringRef target;
  };
  static const llvm::StringMap<OpInfo> &opTable();

  // The document.
  struct TensorSpec {
    RankedTensorType type;
    llvm::SmallVector<mlir::NamedAttribute> attrs;
  };
  LogicalResult importDocument(const Json &document, mlir::ModuleOp module);
  LogicalResult checkHeader(const Json &document);
  LogicalResult setModuleAttrs(const Json &document, mlir::ModuleOp module);
  FailureOr<llvm::SmallVector<TensorSpec>> readSpecs(const Json *list,
                                                     Location loc,
                                                     const llvm::Twine &what,
                                                     bool isInput);
  FailureOr<TensorSpec> readSpec(const Json &spec, Location loc,
                                 const llvm::Twine &what, bool isInput);
  LogicalResult readVectorized(const Json &spec, TensorSpec &result,
                               Location loc, const llvm::Twine &what);
  LogicalResult readTree(const Json &tree,
                         llvm::SmallVectorImpl<TensorSpec> &leaves);
  LogicalResult readFields(const Json &fields,
                           llvm::SmallVectorImpl<TensorSpec> &leaves);
  LogicalResult importMain(const Json &graph, const Json &tree,
                           llvm::ArrayRef<TensorSpec> inputs,
                           llvm::ArrayRef<TensorSpec> outputs);
  FailureOr<RankedTensorType> readType(const Json &object, Location loc,
                                       const llvm::Twine &what);

  // Scopes and nodes.
  LogicalResult importScope(const Json &json, Scope &scope, Location loc,
                            const llvm::Twine &what,
                            llvm::ArrayRef<Type> params,
                            llvm::SmallVectorImpl<Value> &results);
  LogicalResult checkParams(const Json &json, Location loc,
                            const llvm::Twine &what,
                            llvm::ArrayRef<Type> params);
  LogicalResult importNode(const Json &json, Scope &scope);
  FailureOr<Node> readNode(const Json &json, Scope &scope);
  LogicalResult readResult(const Json &json, Node &node);
  LogicalResult readArgs(const Json &json, Node &node);
  Location nodeLocation(const Json &json, int64_t id, llvm::StringRef op);
  LogicalResult define(Node &node, Value value);
  LogicalResult defineAll(Node &node, mlir::ValueRange values);

  // Attributes; a null or missing one is nothing where it may be.
  const Json *attr(Node &node, llvm::StringRef name);
  FailureOr<int64_t> intAttr(Node &node, llvm::StringRef name);
  FailureOr<std::optional<int64_t>> optionalInt(Node &node,
                                                llvm::StringRef name);
  FailureOr<Ints> intsAttr(Node &node, llvm::StringRef name);
  FailureOr<std::optional<Ints>> optionalInts(Node &node, llvm::StringRef name);
  FailureOr<bool> boolAttr(Node &node, llvm::StringRef name, bool otherwise);
  FailureOr<llvm::StringRef> stringAttr(Node &node, llvm::StringRef name);
  /// A list of lists of `width` integers, transposed.
  FailureOr<llvm::SmallVector<Ints>>
  tuplesAttr(Node &node, llvm::StringRef name, size_t width);
  FailureOr<Window> windowAttrs(Node &node, bool hasDilations);
  mlir::DenseI64ArrayAttr array(llvm::ArrayRef<int64_t> values) {
    return b.getDenseI64ArrayAttr(values);
  }

  // Values. Each gives null after an error has been emitted.
  template <typename Op, typename... Args>
  Value make(Node &node, Args &&...args) {
    return checked(Op::create(b, node.loc, std::forward<Args>(args)...));
  }
  /// The result of an operation that verifies.
  Value checked(mlir::Operation *op) {
    return failed(mlir::verify(op, /*verifyRecursively=*/false))
               ? Value()
               : op->getResult(0);
  }
  Value raw(Node &node, size_t i) { return node.args[i]->values.front(); }
  Value number(Node &node, size_t i);
  Value convert(Node &node, Value value, Type element);
  Value predicate(Node &node, Value value);
  Value broadcast(Node &node, Value value, llvm::ArrayRef<int64_t> shape);
  Value reshape(Node &node, Value value, llvm::ArrayRef<int64_t> shape);
  Value transpose(Node &node, Value value, llvm::ArrayRef<int64_t> axes);
  /// An operand in the node's element type, which must be able to hold it.
  Value promoted(Node &node, size_t i);
  Value promoted(Node &node, size_t i, Type element);
  /// The same, broadcast to the node's shape; a predicate may still be one.
  Value aligned(Node &node, size_t i, Type element);
  /// The same for an operand that must be a scalar.
  Value scalar(Node &node, size_t i);
  RankedTensorType typeLike(Value value, Type element);
  RankedTensorType predType(llvm::ArrayRef<int64_t> shape);

  // Operations by family.
  LogicalResult importUnary(Node &node);
  LogicalResult importFloatUnary(Node &node);
  LogicalResult importRealFloatUnary(Node &node);
  LogicalResult importAbs(Node &node);
  LogicalResult importComplexPart(Node &node);
  LogicalResult importClassify(Node &node);
  LogicalResult importAsType(Node &node);
  LogicalResult importBitcast(Node &node);
  LogicalResult importBinary(Node &node);
  LogicalResult importAtan2(Node &node);
  /// A splat of a real number of the node's element type.
  Value splat(Node &node, double re, double im);
  LogicalResult importCompare(Node &node);
  LogicalResult importLogical(Node &node);
  LogicalResult importSelect(Node &node);
  LogicalResult importClip(Node &node);
  Value compareWithZero(Node &node);

  LogicalResult importConstant(Node &node);
  LogicalResult importTensor(Node &node);
  LogicalResult importIota(Node &node);
  LogicalResult importEye(Node &node);
  LogicalResult importReshape(Node &node);
  LogicalResult importSqueeze(Node &node);
  LogicalResult importBroadcast(Node &node);
  LogicalResult importTranspose(Node &node);
  LogicalResult importReverse(Node &node);
  LogicalResult importPad(Node &node);
  LogicalResult importConcatenate(Node &node);
  LogicalResult importStack(Node &node);
  LogicalResult importSlice(Node &node);
  Value staticSlice(Node &node, llvm::ArrayRef<int64_t> starts,
                    const Ints &lengths, const Ints &strides);
  Value dynamicSlice(Node &node, const Json &starts, const Ints &lengths,
                     const Ints &strides);
  LogicalResult importPutSlice(Node &node);
  LogicalResult importGather(Node &node);
  LogicalResult importScatter(Node &node);

  FailureOr<Ints> reducedAxes(Node &node, size_t rank);
  Value keepAxes(Node &node, Value value, bool keep,
                 llvm::ArrayRef<int64_t> axes, llvm::ArrayRef<int64_t> shape);
  LogicalResult importReduce(Node &node);
  LogicalResult importAllAny(Node &node);
  LogicalResult importArgReduce(Node &node);
  LogicalResult importReduceFn(Node &node);
  LogicalResult importWindowReduce(Node &node);
  LogicalResult importWindowReduceFn(Node &node);
  LogicalResult importWindowScatter(Node &node);
  LogicalResult importSort(Node &node);
  LogicalResult importFft(Node &node);
  LogicalResult importDot(Node &node);
  LogicalResult importConv(Node &node);
  LogicalResult importTriangularSolve(Node &node);

  LogicalResult importParameter(Node &node);
  LogicalResult importElem(Node &node);
  LogicalResult importFun(Node &node);
  LogicalResult importFold(Node &node, const Json &fun, mlir::Region &region);
  LogicalResult importWhile(Node &node);
  LogicalResult importCond(Node &node);
  LogicalResult importBlock(Node &node);
  LogicalResult importIoCall(Node &node);
  LogicalResult importRuntimeCall(Node &node);
  FailureOr<llvm::SmallVector<Value>> operandsAsNumbers(Node &node);
  /// Fills a region with a scope that is closed unless `parent` is given.
  LogicalResult importRegion(Node &node, const Json &json,
                             const llvm::Twine &what, mlir::Region &region,
                             llvm::ArrayRef<Type> params, const Scope *parent,
                             llvm::ArrayRef<Type> results, bool asPredicate);
  FailureOr<llvm::SmallVector<Type>> resultTypes(Node &node, const Json &scope,
                                                 const llvm::Twine &what);
  mlir::Attribute optionToAttr(const Json &value);

  LogicalResult fail(Location loc, const llvm::Twine &message) {
    return mlir::emitError(loc) << message;
  }
  Value failValue(Node &node, const llvm::Twine &message) {
    (void)fail(node.loc, message);
    return {};
  }

  std::string path;
  mlir::OpBuilder b;
  Location fileLoc;
  SideFiles sideFiles;
  // Any 64-bit integer may be an id, the sentinels of DenseSet included.
  std::unordered_set<int64_t> ids;
  llvm::DenseSet<const Json *> importedFuns;
  /// A `fun` that several nodes use is imported for each of them.
  bool isRepeating = false;
};

/// "[4, 10]".
std::string formatShape(llvm::ArrayRef<int64_t> shape);
/// "f32[4, 10]"; predicates are u8.
std::string formatType(Type type);
/// The type a value has in the graph: i1 stands for u8.
RankedTensorType graphType(Value value);

} // namespace nxv::graph

#endif // NXV_LIB_GRAPH_IMPORTER_H
