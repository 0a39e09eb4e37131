//===- WidenIntegers.cpp - the pass nxv-widen-integers ----------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
// A narrow integer is held sign-extended. Operations that take it as unsigned
// clear the copies of the sign first, and results are brought back to this form
// where the wider operation may leave it.
//===----------------------------------------------------------------------===//

#include "Rebuild.h"

#include "nxv/Conversion/LegalizeElements/Passes.h"
#include "nxv/Dialect/Nxv/IR/Nxv.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Func/Transforms/FuncConversions.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

namespace nxv {
#define GEN_PASS_DEF_WIDENINTEGERS
#include "nxv/Conversion/LegalizeElements/Passes.h.inc"
} // namespace nxv

using namespace mlir;
using namespace nxv;
using namespace nxv::legalize;

/// The number of bits of an element that memory cannot hold by itself, else 0.
static unsigned narrowWidth(Type type) {
  auto element = dyn_cast<IntegerType>(getElementTypeOrSelf(type));
  unsigned width = element ? element.getWidth() : 0;
  return width > 1 && width < 8 ? width : 0;
}

static Type widen(Type type) {
  if (!narrowWidth(type))
    return type;
  Type byte = IntegerType::get(type.getContext(), 8);
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return tensor.clone(byte);
  return byte;
}

namespace {
struct IntegerWidener : TypeConverter {
  IntegerWidener() {
    addConversion([](Type type) { return widen(type); });
  }
};

/// Changes between the forms of a narrow integer in a byte.
class Narrow {
public:
  Narrow(OpBuilder &b, Location loc) : b(b), loc(loc) {}

  Value constant(int64_t value) {
    return arith::ConstantOp::create(b, loc, b.getI8IntegerAttr(value));
  }
  Value zeroExtended(Value byte, unsigned width) {
    return arith::AndIOp::create(b, loc, byte, constant((1 << width) - 1));
  }
  /// Not by two shifts: a driver was seen to leave them out after a negation,
  /// which the lowest integer needs them for.
  Value signExtended(Value byte, unsigned width) {
    Value sign = constant(1 << (width - 1));
    Value bits = zeroExtended(byte, width);
    Value flipped = arith::XOrIOp::create(b, loc, bits, sign);
    return arith::SubIOp::create(b, loc, flipped, sign);
  }

private:
  OpBuilder &b;
  Location loc;
};

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

struct ConstantPattern : OpConversionPattern<arith::ConstantOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(arith::ConstantOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!narrowWidth(op.getType()))
      return rewriter.notifyMatchFailure(op, "has a legal type");
    Type byte = rewriter.getI8Type();
    TypedAttr value;
    if (auto number = dyn_cast<IntegerAttr>(op.getValue()))
      value = rewriter.getIntegerAttr(byte, number.getValue().sext(8));
    else if (auto dense = dyn_cast<DenseIntElementsAttr>(op.getValue()))
      value = dense.mapValues(byte, [](const APInt &n) { return n.sext(8); });
    if (!value)
      return rewriter.notifyMatchFailure(op, "not a literal");
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, value);
    return success();
  }
};

/// Extending the sign keeps the order of unsigned numbers too: comparisons and
/// extremes need not care.
bool takesUnsigned(Operation *op) {
  return isa<arith::DivUIOp, arith::RemUIOp, arith::ShLIOp, arith::ShRUIOp,
             arith::ExtUIOp, arith::UIToFPOp, arith::IndexCastUIOp,
             math::CtPopOp, math::CountLeadingZerosOp,
             math::CountTrailingZerosOp>(op);
}

/// Results of sign-extended operands that are sign-extended.
bool keepsForm(Operation *op) {
  return isa<arith::AndIOp, arith::OrIOp, arith::XOrIOp, arith::MaxSIOp,
             arith::MinSIOp, arith::MaxUIOp, arith::MinUIOp, arith::RemSIOp,
             arith::ExtSIOp>(op);
}

struct ComputePattern : ConversionPattern {
  ComputePattern(TypeConverter &converter, MLIRContext *context)
      : ConversionPattern(converter, MatchAnyOpTypeTag(), 1, context) {}

  LogicalResult
  matchAndRewrite(Operation *op, ArrayRef<Value> operands,
                  ConversionPatternRewriter &rewriter) const override {
    if (!isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) ||
        isa<arith::SelectOp, arith::ConstantOp>(op) ||
        op->getNumResults() != 1 || isa<ShapedType>(op->getResult(0).getType()))
      return rewriter.notifyMatchFailure(op, "not scalar arithmetic");
    Narrow narrow(rewriter, op->getLoc());
    SmallVector<Value> given;
    for (auto [was, is] : llvm::zip(op->getOperands(), operands)) {
      unsigned width = narrowWidth(was.getType());
      given.push_back(
          width && takesUnsigned(op) ? narrow.zeroExtended(is, width) : is);
    }
    Type type = widen(op->getResult(0).getType());
    Value result = compute(op, given, type, rewriter);
    unsigned width = narrowWidth(op->getResult(0).getType());
    if (isa<math::CountLeadingZerosOp>(op) && width)
      result = arith::SubIOp::create(rewriter, op->getLoc(), result,
                                     narrow.constant(8 - width));
    if (isa<math::CountTrailingZerosOp>(op) && width)
      result = arith::MinUIOp::create(rewriter, op->getLoc(), result,
                                      narrow.constant(width));
    if (width && !keepsForm(op))
      result = narrow.signExtended(result, width);
    rewriter.replaceOp(op, result);
    return success();
  }

private:
  static Value compute(Operation *op, ArrayRef<Value> given, Type type,
                       OpBuilder &b) {
    bool resizes =
        isa<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, arith::BitcastOp>(
            op);
    if (resizes && given.front().getType() == type)
      return given.front();
    OperationState state(op->getLoc(), op->getName(), given, type,
                         op->getAttrs());
    return b.create(state)->getResult(0);
  }
};

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

Value recode(OpBuilder &b, Value tensor, unsigned width, bool isUnsigned) {
  auto type = cast<RankedTensorType>(tensor.getType());
  AffineMap map = b.getMultiDimIdentityMap(type.getRank());
  return createParallel(b, tensor.getLoc(), type, tensor, map,
                        [&](OpBuilder &nested, Location loc, ValueRange v) {
                          Narrow narrow(nested, loc);
                          return SmallVector<Value>{
                              isUnsigned ? narrow.zeroExtended(v[0], width)
                                         : narrow.signExtended(v[0], width)};
                        })
      .getResult(0);
}

/// Operations on whole tensors that compare or add elements.
struct TensorPattern : ConversionPattern {
  TensorPattern(TypeConverter &converter, MLIRContext *context)
      : ConversionPattern(converter, MatchAnyOpTypeTag(), 2, context) {}

  LogicalResult
  matchAndRewrite(Operation *op, ArrayRef<Value> operands,
                  ConversionPatternRewriter &rewriter) const override {
    if (!isa<nxv::SortOp, nxv::ArgSortOp, nxv::CumulativeOp, nxv::ScatterOp>(
            op))
      return rewriter.notifyMatchFailure(op, "does not look at its elements");
    bool isUnsigned = op->hasAttr("nxv.unsigned");
    OperationState state(op->getLoc(), op->getName());
    for (auto [was, is] : llvm::zip(op->getOperands(), operands)) {
      unsigned width = narrowWidth(was.getType());
      state.operands.push_back(
          width && isUnsigned ? recode(rewriter, is, width, true) : is);
    }
    for (Type type : op->getResultTypes())
      state.types.push_back(widen(type));
    state.addAttributes(op->getAttrs());
    Operation *wide = rewriter.create(state);
    SmallVector<Value> results;
    for (auto [was, is] : llvm::zip(op->getResults(), wide->getResults())) {
      unsigned width = narrowWidth(was.getType());
      results.push_back(width ? recode(rewriter, is, width, false) : is);
    }
    rewriter.replaceOp(op, results);
    return success();
  }
};

/// Marks reductions of narrow integers while their types change.
constexpr StringLiteral narrowAttrName = "nxv.narrow";

void markReduction(linalg::GenericOp op) {
  if (op.getNumReductionLoops() != 0 && op.getNumDpsInits() == 1 &&
      narrowWidth(op.getResult(0).getType()))
    op->setDiscardableAttr(narrowAttrName, UnitAttr::get(op.getContext()));
}

/// The sum or product that `value` is once it is brought to form, else null;
/// and the width.
Value beforeForm(Value value, unsigned &width) {
  auto sub = value.getDefiningOp<arith::SubIOp>();
  auto flip = sub ? sub.getLhs().getDefiningOp<arith::XOrIOp>() : nullptr;
  auto bits = flip ? flip.getLhs().getDefiningOp<arith::AndIOp>() : nullptr;
  APInt sign;
  if (!bits || !bits.getType().isInteger(8) || sub.getRhs() != flip.getRhs() ||
      !matchPattern(sub.getRhs(), m_ConstantInt(&sign)) || !sign.isPowerOf2())
    return {};
  width = sign.logBase2() + 1;
  Operation *op = bits.getLhs().getDefiningOp();
  return isa_and_nonnull<arith::AddIOp, arith::MulIOp>(op) ? bits.getLhs()
                                                           : Value();
}

/// A reduction's payload ends in the operation that combines: sums and products
/// are brought to form after all of it.
void recodeAfter(linalg::GenericOp op) {
  if (!op->removeDiscardableAttr(narrowAttrName) || op->hasAttr("nxv.ordered"))
    return;
  Operation *end = op.getBody()->getTerminator();
  unsigned width, ignored;
  Value combined = beforeForm(end->getOperand(0), width);
  if (!combined)
    return;
  end->setOperand(0, combined);
  // So is a product before it is added.
  for (OpOperand &operand : combined.getDefiningOp()->getOpOperands())
    if (Value product = beforeForm(operand.get(), ignored))
      operand.set(product);
  OpBuilder builder(op);
  builder.setInsertionPointAfter(op);
  Value result = op.getResult(0);
  Value inner = recode(builder, result, width, false);
  result.replaceUsesWithIf(inner, [&](OpOperand &use) {
    return use.getOwner() != inner.getDefiningOp();
  });
}

//===----------------------------------------------------------------------===//
// The function's boundary
//===----------------------------------------------------------------------===//

bool isUnsignedName(Attribute name) {
  auto text = dyn_cast_or_null<StringAttr>(name);
  return text && text.getValue().starts_with("u");
}

/// Outside an unsigned integer is zero-extended. What comes from there is not
/// trusted to be extended at all.
void recodeBoundary(func::FuncOp function, ArrayRef<unsigned> arguments,
                    ArrayRef<unsigned> results) {
  Block &body = function.getBody().front();
  OpBuilder builder = OpBuilder::atBlockBegin(&body);
  for (auto [number, width] : llvm::enumerate(arguments)) {
    BlockArgument argument = body.getArgument(number);
    if (!width || argument.use_empty())
      continue;
    Value inner = recode(builder, argument, width, /*isUnsigned=*/false);
    argument.replaceUsesWithIf(inner, [&](OpOperand &use) {
      return use.getOwner() != inner.getDefiningOp();
    });
  }
  Operation *end = body.getTerminator();
  builder.setInsertionPoint(end);
  for (auto [number, width] : llvm::enumerate(results))
    if (width && isUnsignedName(function.getResultAttr(number, "nxv.element")))
      end->setOperand(number, recode(builder, end->getOperand(number), width,
                                     /*isUnsigned=*/true));
}

/// The same for values that the host looks at on the way.
void recodeTap(nxv::TapOp tap) {
  auto names = tap->getAttrOfType<ArrayAttr>("nxv.elements");
  OpBuilder builder(tap);
  for (OpOperand &operand : tap->getOpOperands()) {
    unsigned number = operand.getOperandNumber();
    Attribute name = names ? names[number] : Attribute();
    if (!isUnsignedName(name))
      continue;
    unsigned width = 0;
    if (cast<StringAttr>(name).getValue().drop_front().getAsInteger(10,
                                                                    width) ||
        width >= 8)
      continue;
    builder.setInsertionPoint(tap);
    Value inner = operand.get();
    operand.set(recode(builder, inner, width, /*isUnsigned=*/true));
    tap->getResult(number).replaceAllUsesWith(inner);
  }
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

struct WidenIntegers : nxv::impl::WidenIntegersBase<WidenIntegers> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<std::pair<func::FuncOp, SmallVector<unsigned>>> inputs;
    SmallVector<SmallVector<unsigned>> outputs;
    for (auto function : module.getOps<func::FuncOp>()) {
      inputs.push_back(
          {function,
           llvm::map_to_vector(function.getArgumentTypes(), narrowWidth)});
      outputs.push_back(
          llvm::map_to_vector(function.getResultTypes(), narrowWidth));
      nameElements(function);
    }
    module.walk(markReduction);
    if (failed(convert(module)))
      return signalPassFailure();
    for (auto [input, output] : llvm::zip(inputs, outputs))
      recodeBoundary(input.first, input.second, output);
    module.walk(recodeTap);
    SmallVector<linalg::GenericOp> generics;
    module.walk([&](linalg::GenericOp op) { generics.push_back(op); });
    llvm::for_each(generics, recodeAfter);
  }

  /// A byte keeps the name of what it holds; without a name that is signed.
  static void nameElements(func::FuncOp function) {
    Builder b(function.getContext());
    auto name = [&](Type type) {
      return b.getStringAttr("s" + Twine(narrowWidth(type)));
    };
    for (auto [number, type] : llvm::enumerate(function.getArgumentTypes()))
      if (narrowWidth(type) && !function.getArgAttr(number, "nxv.element"))
        function.setArgAttr(number, "nxv.element", name(type));
    for (auto [number, type] : llvm::enumerate(function.getResultTypes()))
      if (narrowWidth(type) && !function.getResultAttr(number, "nxv.element"))
        function.setResultAttr(number, "nxv.element", name(type));
  }

  LogicalResult convert(ModuleOp module) {
    IntegerWidener converter;
    RewritePatternSet patterns(&getContext());
    patterns.add<ConstantPattern, ComputePattern, TensorPattern>(converter,
                                                                 &getContext());
    return convertElements(module, converter, std::move(patterns));
  }
};
} // namespace
