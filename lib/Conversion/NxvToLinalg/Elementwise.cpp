//===- Elementwise.cpp - element-wise operations and constants --*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Support.h"

#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;
using namespace nxv;
using namespace nxv::tolinalg;

namespace {
/// One generic an operation. Splat constants become scalars of the payload.
struct ElementwiseLowering : ConversionPattern {
  ElementwiseLowering(TypeConverter &converter, MLIRContext *ctx)
      : ConversionPattern(converter, MatchAnyOpTypeTag(), 1, ctx) {}

  LogicalResult
  matchAndRewrite(Operation *op, ArrayRef<Value> operands,
                  ConversionPatternRewriter &rewriter) const override {
    if (!isa_and_nonnull<NxvDialect>(op->getDialect()) ||
        !op->hasTrait<OpTrait::Elementwise>())
      return rewriter.notifyMatchFailure(op, "not element-wise");
    RankedTensorType type = signlessType(op->getResult(0));
    // Only the signedness changes.
    if (isa<ConvertOp, BitcastOp>(op) && operands[0].getType() == type) {
      rewriter.replaceOp(op, operands);
      return success();
    }
    SmallVector<Attribute> splats;
    SmallVector<Value> inputs;
    for (auto [original, converted] : llvm::zip(op->getOperands(), operands)) {
      splats.push_back(splatElement(original));
      if (!splats.back())
        inputs.push_back(converted);
    }
    auto payload = [&](PayloadBuilder &b, ValueRange args) {
      SmallVector<Value> scalars;
      for (auto [splat, operand] : llvm::zip(splats, operands)) {
        Type element = tensorType(operand).getElementType();
        if (splat) {
          scalars.push_back(b.constant(splat, element));
        } else {
          scalars.push_back(args.front());
          args = args.drop_front();
        }
      }
      return emitScalar(b, op, scalars);
    };
    rewriter.replaceOp(
        op, createElementwise(rewriter, op->getLoc(), type, inputs, payload));
    return success();
  }
};

/// Literals, whatever way their bytes are held.
struct ConstantLowering : OpConversionPattern<ConstantOp> {
  using OpConversionPattern::OpConversionPattern;

  static DenseElementsAttr fromResource(DenseResourceElementsAttr attr) {
    AsmResourceBlob *blob = attr.getRawHandle().getBlob();
    auto type = cast<RankedTensorType>(attr.getType());
    if (!blob)
      return {};
    if (type.getElementType().isInteger(1)) {
      SmallVector<bool> bits;
      for (char byte : blob->getData())
        bits.push_back(byte != 0);
      if (static_cast<int64_t>(bits.size()) != type.getNumElements())
        return {};
      return DenseElementsAttr::get(type, bits);
    }
    bool isSplat = false;
    if (!DenseElementsAttr::isValidRawBuffer(type, blob->getData(), isSplat))
      return {};
    return DenseElementsAttr::getFromRawBuffer(type, blob->getData());
  }

  LogicalResult
  matchAndRewrite(ConstantOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto dense = dyn_cast<DenseElementsAttr>(op.getValue());
    if (auto resource = dyn_cast<DenseResourceElementsAttr>(op.getValue()))
      dense = fromResource(resource);
    if (!dense)
      return rewriter.notifyMatchFailure(op, "neither dense nor a resource");
    RankedTensorType type = signlessType(op.getResult());
    if (dense.getElementType() != type.getElementType())
      dense = dense.bitcast(type.getElementType());
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, cast<TypedAttr>(dense));
    return success();
  }
};

struct IotaLowering : OpConversionPattern<IotaOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(IotaOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    RankedTensorType type = signlessType(op.getResult());
    int64_t axis = op.getAxis();
    Type to = tensorType(op.getResult()).getElementType();
    Type wide = indexElementType(getContext(), type.getDimSize(axis));
    if (auto integer = dyn_cast<IntegerType>(type.getElementType());
        integer && integer.getWidth() == 64)
      wide = integer;
    auto payload = [&](PayloadBuilder &b, ValueRange) -> Value {
      Value index = linalg::IndexOp::create(b, axis);
      Value integer = arith::IndexCastOp::create(b, wide, index);
      return b.convert(integer, wide, to);
    };
    rewriter.replaceOp(
        op, createParallel(rewriter, op.getLoc(), type, {}, {}, payload));
    return success();
  }
};
} // namespace

void tolinalg::populateElementwisePatterns(TypeConverter &converter,
                                           RewritePatternSet &patterns) {
  patterns.add<ElementwiseLowering, ConstantLowering, IotaLowering>(
      converter, patterns.getContext());
}
