//===- NxvToLinalg.cpp - the pass nxv-to-linalg -----------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "nxv/Conversion/NxvToLinalg/Passes.h"

#include "Support.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Func/Transforms/FuncConversions.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace nxv {
#define GEN_PASS_DEF_NXVTOLINALG
#include "nxv/Conversion/NxvToLinalg/Passes.h.inc"
} // namespace nxv

using namespace nxv;
using namespace nxv::tolinalg;

//===----------------------------------------------------------------------===//
// What cannot be lowered
//===----------------------------------------------------------------------===//

static LogicalResult checkReduction(Operation *op, ReduceKind kind, Value v) {
  Type element = tensorType(v).getElementType();
  if (isReducible(kind, element))
    return success();
  return op->emitOpError() << "cannot be lowered: '"
                           << stringifyReduceKind(kind)
                           << "' is not defined on elements of type "
                           << element;
}

static LogicalResult checkRegion(Operation *op, Region &region) {
  Operation *culprit = findNonScalarOp(region);
  if (!culprit)
    return success();
  InFlightDiagnostic diag =
      op->emitOpError()
      << "cannot be lowered: its function may only compute on "
         "scalars element-wise";
  diag.attachNote(culprit->getLoc())
      << "'" << culprit->getName() << "' is in it";
  return diag;
}

static LogicalResult checkGather(GatherOp op) {
  RankedTensorType type = tensorType(op.getOperand());
  if (tensorType(op.getResult()).getNumElements() == 0)
    return success();
  for (int64_t axis : op.getAxes())
    if (type.getDimSize(axis) == 0)
      return op.emitOpError() << "cannot be lowered: axis " << axis << " of "
                              << type << " has no element to gather";
  return success();
}

static LogicalResult checkConvolution(ConvolutionOp op) {
  if (op.getFeatureGroups() == 1 || op.getBatchGroups() == 1)
    return success();
  return op.emitOpError() << "cannot be lowered: feature groups ("
                          << op.getFeatureGroups() << ") and batch groups ("
                          << op.getBatchGroups() << ") exclude each other";
}

static LogicalResult checkElementwise(Operation *op) {
  StringRef reason =
      op->hasTrait<OpTrait::Elementwise>() ? whyNotScalar(op) : StringRef();
  if (reason.empty())
    return success();
  return op->emitOpError() << "on " << op->getOperand(0).getType()
                           << " cannot be lowered: " << reason;
}

/// One error for an operation that no pattern can lower.
static LogicalResult checkLowerable(Operation *op) {
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case<BlockOp>([](BlockOp block) {
        return block.emitOpError()
               << "cannot be lowered: '" << block.getName()
               << "' has not been expanded; run -nxv-expand-blocks first";
      })
      .Case<ReduceOp, WindowReduceOp>([](auto reduce) {
        return checkReduction(reduce, reduce.getKind(), reduce.getOperand());
      })
      .Case<SelectAndScatterOp>([](SelectAndScatterOp scatter) {
        Type element = tensorType(scatter.getOperand()).getElementType();
        if (!element.isInteger(1))
          return success();
        return LogicalResult(
            scatter.emitOpError()
            << "cannot be lowered: predicates cannot be added");
      })
      .Case<ReduceFnOp, WindowReduceFnOp>(
          [](auto reduce) { return checkRegion(reduce, reduce.getBody()); })
      .Case<GatherOp>(checkGather)
      .Case<ConvolutionOp>(checkConvolution)
      .Default(checkElementwise);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Operands that a pattern looked through may have lost their last use.
static void eraseDeadOps(ModuleOp module) {
  SmallVector<Operation *> ops;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
  for (Operation *op : llvm::reverse(ops))
    if (isOpTriviallyDead(op))
      op->erase();
}

namespace {
struct NxvToLinalgPass : nxv::impl::NxvToLinalgBase<NxvToLinalgPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    bool bad = false;
    module.walk([&](Operation *op) {
      if (isa_and_nonnull<NxvDialect>(op->getDialect()))
        bad |= failed(checkLowerable(op));
    });
    module.walk(nameTapped);
    if (bad || failed(convert(module)))
      return signalPassFailure();
    eraseDeadOps(module);
  }

  LogicalResult convert(ModuleOp module) {
    SignlessConverter converter;
    RewritePatternSet patterns(&getContext());
    populateElementwisePatterns(converter, patterns);
    populateMovementPatterns(converter, patterns);
    populateReductionPatterns(converter, patterns);
    populateContractionPatterns(converter, patterns);
    populateConvolutionPatterns(converter, patterns);
    populateWindowPatterns(converter, patterns);
    populateCumulativePatterns(converter, patterns);
    populateStructuralPatterns(converter, patterns);
    populateFunctionOpInterfaceTypeConversionPattern<func::FuncOp>(patterns,
                                                                   converter);
    populateReturnOpTypeConversionPattern(patterns, converter);
    populateCallOpTypeConversionPattern(patterns, converter);

    ConversionTarget target(getContext());
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    target.addDynamicallyLegalDialect<NxvDialect>(
        [&](Operation *op) { return isLegal(op, converter); });
    target.addDynamicallyLegalOp<func::FuncOp>([&](func::FuncOp op) {
      return converter.isSignatureLegal(op.getFunctionType()) &&
             converter.isLegal(&op.getBody());
    });
    target.addDynamicallyLegalOp<func::ReturnOp, func::CallOp>(
        [&](Operation *op) { return converter.isLegal(op); });
    return applyPartialConversion(module, target, std::move(patterns));
  }

  static bool isLegal(Operation *op, const TypeConverter &converter) {
    if (isa<SigmoidOp, ErfInvOp>(op) &&
        !isa<ShapedType>(op->getResult(0).getType()))
      return true;
    if (!isa<ScatterOp, SortOp, ArgSortOp, FftOp, TriangularSolveOp, WhileOp,
             CaseOp, TapOp, CumulativeOp, YieldOp>(op))
      return false;
    if (isa<CumulativeOp>(op) &&
        isa<ComplexType>(getElementTypeOrSelf(op->getResult(0).getType())))
      return false;
    // A result without elements is a literal.
    if (isPure(op) && op->getNumResults() == 1 &&
        tensorType(op->getResult(0)).getNumElements() == 0)
      return false;
    return converter.isLegal(op) &&
           llvm::all_of(op->getRegions(), [&](Region &region) {
             return converter.isLegal(&region);
           });
  }
};
} // namespace

std::unique_ptr<Pass> nxv::createNxvToLinalgPass() {
  return std::make_unique<NxvToLinalgPass>();
}

void nxv::registerNxvToLinalgPasses() {
  registerPass([] { return createNxvToLinalgPass(); });
}
