//===- Rebuild.cpp - operations that only carry elements --------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Rebuild.h"

#include "nxv/Dialect/Nxv/IR/Nxv.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace nxv;

namespace {
/// Done once for each part of an element.
bool isPartwise(Operation *op) {
  return isa<tensor::EmptyOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp,
             tensor::ExtractOp, arith::SelectOp, nxv::ScatterOp>(op);
}

/// Done once, with the parts of all operands and results in a row.
bool isStructural(Operation *op) {
  return isa<linalg::YieldOp, scf::IfOp, scf::ForOp, scf::YieldOp,
             func::ReturnOp, nxv::WhileOp, nxv::CaseOp, nxv::TapOp,
             nxv::YieldOp>(op);
}

SmallVector<Value> flatten(ArrayRef<ValueRange> values) {
  SmallVector<Value> flat;
  for (ValueRange parts : values)
    llvm::append_range(flat, parts);
  return flat;
}

/// The results of a rebuilt operation, as the parts of the old results.
void replaceWithParts(Operation *op, ValueRange flat,
                      ArrayRef<SmallVector<Type>> types,
                      ConversionPatternRewriter &rewriter) {
  SmallVector<SmallVector<Value>> parts;
  for (ArrayRef<Type> one : types) {
    parts.emplace_back(flat.take_front(one.size()));
    flat = flat.drop_front(one.size());
  }
  rewriter.replaceOpWithMultiple(op, std::move(parts));
}

struct RebuildPattern : ConversionPattern {
  RebuildPattern(TypeConverter &converter, MLIRContext *context)
      : ConversionPattern(converter, MatchAnyOpTypeTag(), 1, context) {}

  LogicalResult
  matchAndRewrite(Operation *op, ArrayRef<ValueRange> operands,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<SmallVector<Type>> types(op->getNumResults());
    for (auto [type, parts] : llvm::zip(op->getResultTypes(), types))
      if (failed(getTypeConverter()->convertType(type, parts)))
        return rewriter.notifyMatchFailure(op, "a result has no legal type");
    if (isPartwise(op))
      return rebuildParts(op, operands, types, rewriter);
    if (isStructural(op))
      return rebuildWhole(op, operands, types, rewriter);
    return rewriter.notifyMatchFailure(op, "looks at its elements");
  }

private:
  LogicalResult rebuildParts(Operation *op, ArrayRef<ValueRange> operands,
                             ArrayRef<SmallVector<Type>> types,
                             ConversionPatternRewriter &rewriter) const {
    SmallVector<SmallVector<Value>> results(1);
    for (auto [number, type] : llvm::enumerate(types.front())) {
      OperationState state(op->getLoc(), op->getName());
      for (ValueRange parts : operands)
        state.operands.push_back(parts[parts.size() == 1 ? 0 : number]);
      state.addTypes(type);
      state.addAttributes(op->getAttrs());
      results.front().push_back(rewriter.create(state)->getResult(0));
    }
    rewriter.replaceOpWithMultiple(op, std::move(results));
    return success();
  }

  LogicalResult rebuildWhole(Operation *op, ArrayRef<ValueRange> operands,
                             ArrayRef<SmallVector<Type>> types,
                             ConversionPatternRewriter &rewriter) const {
    OperationState state(op->getLoc(), op->getName());
    state.addOperands(flatten(operands));
    for (ArrayRef<Type> parts : types)
      state.addTypes(parts);
    state.addAttributes(op->getAttrs());
    for (Region &region : op->getRegions())
      rewriter.inlineRegionBefore(region, *state.addRegion(),
                                  state.regions.back()->begin());
    Operation *rebuilt = rewriter.create(state);
    for (Region &region : rebuilt->getRegions())
      if (failed(rewriter.convertRegionTypes(&region, *getTypeConverter())))
        return rewriter.notifyMatchFailure(op, "a region's arguments have no "
                                               "legal type");
    replaceWithParts(op, rebuilt->getResults(), types, rewriter);
    return success();
  }
};

struct GenericPattern : OpConversionPattern<linalg::GenericOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(linalg::GenericOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<SmallVector<Type>> types(op->getNumResults());
    SmallVector<Type> flatTypes;
    for (auto [type, parts] : llvm::zip(op->getResultTypes(), types)) {
      if (failed(getTypeConverter()->convertType(type, parts)))
        return rewriter.notifyMatchFailure(op, "a result has no legal type");
      llvm::append_range(flatTypes, parts);
    }
    // Every part is accessed as the whole was.
    SmallVector<AffineMap> maps;
    unsigned position = 0;
    for (ArrayRef<ValueRange> group :
         {ArrayRef<ValueRange>(adaptor.getInputs()),
          ArrayRef<ValueRange>(adaptor.getOutputs())})
      for (ValueRange parts : group)
        maps.append(parts.size(), op.getIndexingMapsArray()[position++]);
    auto rebuilt = linalg::GenericOp::create(
        rewriter, op.getLoc(), flatTypes, flatten(adaptor.getInputs()),
        flatten(adaptor.getOutputs()), maps, op.getIteratorTypesArray());
    for (NamedAttribute attr : op->getDiscardableAttrs())
      rebuilt->setDiscardableAttr(attr.getName(), attr.getValue());
    rewriter.inlineRegionBefore(op.getRegion(), rebuilt.getRegion(),
                                rebuilt.getRegion().begin());
    if (failed(rewriter.convertRegionTypes(&rebuilt.getRegion(),
                                           *getTypeConverter())))
      return rewriter.notifyMatchFailure(op, "an element has no legal type");
    replaceWithParts(op, rebuilt->getResults(), types, rewriter);
    return success();
  }
};
} // namespace

void legalize::populateRebuildPatterns(TypeConverter &converter,
                                       RewritePatternSet &patterns) {
  patterns.add<RebuildPattern, GenericPattern>(converter,
                                               patterns.getContext());
}

bool legalize::isLegal(Operation *op, const TypeConverter &converter) {
  return converter.isLegal(op) &&
         llvm::all_of(op->getRegions(), [&](Region &region) {
           return converter.isLegal(&region);
         });
}

AffineMap legalize::appendConstant(MLIRContext *context, unsigned rank,
                                   int64_t extra) {
  SmallVector<AffineExpr> results;
  for (unsigned i = 0; i < rank; ++i)
    results.push_back(getAffineDimExpr(i, context));
  results.push_back(getAffineConstantExpr(extra, context));
  return AffineMap::get(rank, 0, results, context);
}

linalg::GenericOp legalize::createParallel(
    OpBuilder &b, Location loc, ArrayRef<RankedTensorType> types,
    ValueRange inputs, ArrayRef<AffineMap> maps,
    llvm::function_ref<SmallVector<Value>(OpBuilder &, Location, ValueRange)>
        payload) {
  unsigned rank = types.front().getRank();
  SmallVector<AffineMap> all(maps);
  SmallVector<Value> inits;
  SmallVector<Type> results;
  for (RankedTensorType type : types) {
    all.push_back(b.getMultiDimIdentityMap(rank));
    inits.push_back(tensor::EmptyOp::create(b, loc, type.getShape(),
                                            type.getElementType()));
    results.push_back(type);
  }
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  return linalg::GenericOp::create(
      b, loc, results, inputs, inits, all, iterators,
      [&](OpBuilder &nested, Location at, ValueRange arguments) {
        linalg::YieldOp::create(nested, at, payload(nested, at, arguments));
      });
}

LogicalResult legalize::convertElements(ModuleOp module,
                                        TypeConverter &converter,
                                        RewritePatternSet patterns) {
  populateRebuildPatterns(converter, patterns);
  populateFunctionOpInterfaceTypeConversionPattern<func::FuncOp>(patterns,
                                                                 converter);
  ConversionTarget target(*module.getContext());
  target.markUnknownOpDynamicallyLegal(
      [&](Operation *op) { return isLegal(op, converter); });
  target.addDynamicallyLegalOp<func::FuncOp>([&](func::FuncOp op) {
    return converter.isSignatureLegal(op.getFunctionType()) &&
           converter.isLegal(&op.getBody());
  });
  return applyPartialConversion(module, target, std::move(patterns));
}
