//===- Support.h - what the lowerings to linalg share -----------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_LIB_CONVERSION_NXVTOLINALG_SUPPORT_H
#define NXV_LIB_CONVERSION_NXVTOLINALG_SUPPORT_H

#include "Payload.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/DialectConversion.h"

namespace nxv::tolinalg {

/// Names of the discardable attributes that kernels are chosen by.
inline constexpr llvm::StringLiteral kArgReduce = "nxv.arg_reduce";
inline constexpr llvm::StringLiteral kTieHigh = "nxv.tie_high";
inline constexpr llvm::StringLiteral kOrdered = "nxv.ordered";
inline constexpr llvm::StringLiteral kConv = "nxv.conv";
inline constexpr llvm::StringLiteral kUnsigned = "nxv.unsigned";
inline constexpr llvm::StringLiteral kElements = "nxv.elements";

/// Names what the host shall take the elements of a tap for: its types lose
/// their signedness.
void nameTapped(TapOp op);

/// Removes signedness from tensor types.
class SignlessConverter : public mlir::TypeConverter {
public:
  SignlessConverter();
};

/// The type of a tensor value.
inline mlir::RankedTensorType tensorType(mlir::Value v) {
  return llvm::cast<mlir::RankedTensorType>(v.getType());
}
/// The signless type of a result, before the operation is converted.
mlir::RankedTensorType signlessType(mlir::Value v);

/// The element of a constant splat, null for every other value.
mlir::Attribute splatElement(mlir::Value v);

mlir::Value createEmpty(mlir::OpBuilder &b, mlir::Location loc,
                        mlir::RankedTensorType type);
mlir::Value createZeroSplat(mlir::OpBuilder &b, mlir::Location loc,
                            mlir::RankedTensorType type);

using PayloadFn =
    llvm::function_ref<mlir::Value(PayloadBuilder &, mlir::ValueRange)>;
using IndexedFn =
    llvm::function_ref<mlir::Value(PayloadBuilder &, mlir::ValueRange indices)>;

/// An all-parallel generic over the result's space.
mlir::Value createParallel(mlir::OpBuilder &b, mlir::Location loc,
                           mlir::RankedTensorType type, mlir::ValueRange inputs,
                           llvm::ArrayRef<mlir::AffineMap> inputMaps,
                           PayloadFn payload);

/// createParallel with identity maps.
mlir::Value createElementwise(mlir::OpBuilder &b, mlir::Location loc,
                              mlir::RankedTensorType type,
                              mlir::ValueRange inputs, PayloadFn payload);

/// An all-parallel generic without inputs whose payload computes an element
/// from its indices.
mlir::Value createFromIndices(mlir::OpBuilder &b, mlir::Location loc,
                              mlir::RankedTensorType type, IndexedFn payload);

/// nxv.convert of a tensor; the element types carry signedness. Returns the
/// operand itself when both have the same signless type.
mlir::Value createConvert(mlir::OpBuilder &b, mlir::Location loc,
                          mlir::Value tensor, mlir::Type from, mlir::Type to);

/// A tensor of `type` filled with the scalar tensor `scalar`.
mlir::Value createFill(mlir::OpBuilder &b, mlir::Location loc,
                       mlir::RankedTensorType type, mlir::Value scalar);

/// nxv.pad with a padding value made by `value`; the operand itself when there
/// is nothing to pad. `interior` may be empty.
mlir::Value createPad(mlir::OpBuilder &b, mlir::Location loc,
                      mlir::Value operand,
                      llvm::function_ref<mlir::Value(PayloadBuilder &)> value,
                      llvm::ArrayRef<int64_t> low, llvm::ArrayRef<int64_t> high,
                      llvm::ArrayRef<int64_t> interior);

/// nxv.reshape as collapse_shape and expand_shape.
mlir::Value createReshape(mlir::OpBuilder &b, mlir::Location loc,
                          mlir::Value operand, llvm::ArrayRef<int64_t> shape);

/// An operand of a contraction: a tensor and, for each axis that the operation
/// names, the axis of the tensor that it is.
struct ViewedOperand {
  mlir::Value tensor;
  llvm::SmallVector<int64_t> axisOf;
};

/// Looks through transposes: the indexing map reads them for nothing.
ViewedOperand viewThroughTransposes(mlir::Value original, mlir::Value converted,
                                    mlir::ConversionPatternRewriter &rewriter);

/// An affine.apply of `expr` in d0 on one index; constants and `d0` fold.
mlir::Value applyAffine(PayloadBuilder &b, mlir::AffineExpr expr,
                        mlir::ValueRange operands);

/// A linear index as i32, or i64 when `elements` needs it.
mlir::Type indexElementType(mlir::MLIRContext *ctx, int64_t elements);

/// What a reduction accumulates in: f32 for bf16 and f8, and for sums and
/// products of f16; else the signless element type.
mlir::Type accumulatorType(ReduceKind kind, mlir::Type element);
/// The neutral element as a splat.
mlir::DenseElementsAttr
neutralSplat(ReduceKind kind, mlir::RankedTensorType type, bool isUnsigned);
/// One step of a reduction.
mlir::Value emitCombine(PayloadBuilder &b, ReduceKind kind, mlir::Value element,
                        mlir::Value accumulator, bool isUnsigned);
/// True if `kind` is defined on elements of this type.
bool isReducible(ReduceKind kind, mlir::Type element);

/// One step of an arg-reduction: returns the new {value, index}.
std::pair<mlir::Value, mlir::Value>
emitArgCombine(PayloadBuilder &b, bool isMax, bool tieHigh, bool isUnsigned,
               mlir::Value value, mlir::Value index, mlir::Value accValue,
               mlir::Value accIndex);

/// Copies a region of scalar tensor operations into a payload.
mlir::Value emitRegion(PayloadBuilder &b, mlir::Region &region,
                       mlir::ValueRange args);
/// The operation of a region that emitRegion cannot copy, or null.
mlir::Operation *findNonScalarOp(mlir::Region &region);

void populateElementwisePatterns(mlir::TypeConverter &,
                                 mlir::RewritePatternSet &);
void populateMovementPatterns(mlir::TypeConverter &, mlir::RewritePatternSet &);
void populateReductionPatterns(mlir::TypeConverter &,
                               mlir::RewritePatternSet &);
void populateWindowPatterns(mlir::TypeConverter &, mlir::RewritePatternSet &);
void populateContractionPatterns(mlir::TypeConverter &,
                                 mlir::RewritePatternSet &);
void populateConvolutionPatterns(mlir::TypeConverter &,
                                 mlir::RewritePatternSet &);
void populateCumulativePatterns(mlir::TypeConverter &,
                                mlir::RewritePatternSet &);
void populateStructuralPatterns(mlir::TypeConverter &,
                                mlir::RewritePatternSet &);

} // namespace nxv::tolinalg

#endif // NXV_LIB_CONVERSION_NXVTOLINALG_SUPPORT_H
