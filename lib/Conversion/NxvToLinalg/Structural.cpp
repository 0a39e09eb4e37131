//===- Structural.cpp - operations that stay, on signless types -*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Support.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace nxv;
using namespace nxv::tolinalg;

/// An element type's name in graphs; a predicate is a byte.
static StringRef elementName(Type type) {
  static constexpr StringLiteral signedNames[] = {"s2",  "s4",  "s8",
                                                  "s16", "s32", "s64"};
  static constexpr StringLiteral unsignedNames[] = {"u2",  "u4",  "u8",
                                                    "u16", "u32", "u64"};
  return TypeSwitch<Type, StringRef>(type)
      .Case<IntegerType>([](IntegerType integer) -> StringRef {
        if (integer.getWidth() == 1)
          return "u8";
        unsigned index = llvm::Log2_32(integer.getWidth()) - 1;
        return integer.isUnsigned() ? unsignedNames[index] : signedNames[index];
      })
      .Case<ComplexType>([](ComplexType complex) {
        return complex.getElementType().isF64() ? "c128" : "c64";
      })
      .Case<Float8E5M2Type>([](Type) { return "f8_e5m2"; })
      .Case<Float8E4M3FNType>([](Type) { return "f8_e4m3fn"; })
      .Case<BFloat16Type>([](Type) { return "bf16"; })
      .Case<Float16Type>([](Type) { return "f16"; })
      .Case<Float64Type>([](Type) { return "f64"; })
      .Default([](Type) { return "f32"; });
}

namespace {
/// Rebuilds an operation on signless types, regions included.
struct SignlessRebuild : ConversionPattern {
  SignlessRebuild(TypeConverter &converter, MLIRContext *ctx)
      : ConversionPattern(converter, MatchAnyOpTypeTag(), 1, ctx) {}

  /// Operations whose meaning depends on the signedness of the element.
  static bool dependsOnSign(Operation *op) {
    return isa<SortOp, ArgSortOp, CumulativeOp, ScatterOp>(op);
  }
  /// Of a scatter the indices' signedness counts, else the operand's.
  static Type signElement(Operation *op) {
    Value v = isa<ScatterOp>(op) ? cast<ScatterOp>(op).getIndices()
                                 : op->getOperand(0);
    return tensorType(v).getElementType();
  }

  LogicalResult
  matchAndRewrite(Operation *op, ArrayRef<Value> operands,
                  ConversionPatternRewriter &rewriter) const override {
    if (!isa<ScatterOp, SortOp, ArgSortOp, FftOp, TriangularSolveOp, WhileOp,
             CaseOp, TapOp, CumulativeOp, YieldOp>(op))
      return rewriter.notifyMatchFailure(op, "not kept as an nxv operation");
    SmallVector<Type> results;
    if (failed(getTypeConverter()->convertTypes(op->getResultTypes(), results)))
      return rewriter.notifyMatchFailure(op, "a result type has no signless "
                                             "form");
    OperationState state(op->getLoc(), op->getName(), operands, results,
                         op->getAttrs());
    for (Region &region : op->getRegions())
      rewriter.inlineRegionBefore(region, *state.addRegion(),
                                  state.regions.back()->begin());
    if (dependsOnSign(op) && isUnsignedElement(signElement(op)))
      state.addAttribute(kUnsigned, rewriter.getUnitAttr());
    Operation *rebuilt = rewriter.create(state);
    for (Region &region : rebuilt->getRegions())
      if (failed(rewriter.convertRegionTypes(&region, *getTypeConverter())))
        return rewriter.notifyMatchFailure(op, "a region's arguments have no "
                                               "signless form");
    rewriter.replaceOp(op, rebuilt->getResults());
    return success();
  }
};

/// A pure operation whose result has no element is a literal without elements.
struct NoElements : ConversionPattern {
  NoElements(TypeConverter &converter, MLIRContext *ctx)
      : ConversionPattern(converter, MatchAnyOpTypeTag(), /*benefit=*/10, ctx) {
  }

  LogicalResult
  matchAndRewrite(Operation *op, ArrayRef<Value>,
                  ConversionPatternRewriter &rewriter) const override {
    if (!isa_and_nonnull<NxvDialect>(op->getDialect()) || !isPure(op) ||
        op->getNumResults() != 1)
      return rewriter.notifyMatchFailure(op, "not a pure nxv operation");
    RankedTensorType type = signlessType(op->getResult(0));
    if (type.getNumElements() != 0)
      return rewriter.notifyMatchFailure(op, "the result has elements");
    auto none = DenseElementsAttr::get(type, ArrayRef<Attribute>{});
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, cast<TypedAttr>(none));
    return success();
  }
};
} // namespace

void tolinalg::nameTapped(TapOp op) {
  SmallVector<StringRef> names;
  for (Value operand : op.getOperands())
    names.push_back(elementName(tensorType(operand).getElementType()));
  op->setAttr(kElements, Builder(op.getContext()).getStrArrayAttr(names));
}

void tolinalg::populateStructuralPatterns(TypeConverter &converter,
                                          RewritePatternSet &patterns) {
  patterns.add<SignlessRebuild, NoElements>(converter, patterns.getContext());
}
