//===- SplitComplex.cpp - the pass nxv-split-complex ------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Rebuild.h"

#include "nxv/Conversion/LegalizeElements/Passes.h"
#include "nxv/Dialect/Nxv/IR/Nxv.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

#include <complex>

namespace nxv {
#define GEN_PASS_DEF_SPLITCOMPLEX
#include "nxv/Conversion/LegalizeElements/Passes.h.inc"
} // namespace nxv

using namespace mlir;
using namespace nxv;
using namespace nxv::legalize;

/// The type of the parts, null for every other type.
static Type partOf(Type type) {
  auto complex = dyn_cast<ComplexType>(getElementTypeOrSelf(type));
  return complex ? complex.getElementType() : Type();
}

namespace {
struct ComplexSplitter : TypeConverter {
  ComplexSplitter() {
    addConversion([](Type type) { return type; });
    addConversion([](ComplexType type, SmallVectorImpl<Type> &parts) {
      parts.append(2, type.getElementType());
      return success();
    });
    addConversion(
        [](RankedTensorType type,
           SmallVectorImpl<Type> &parts) -> std::optional<LogicalResult> {
          Type part = partOf(type);
          if (!part)
            return std::nullopt;
          parts.append(2, type.clone(part));
          return success();
        });
  }
};

//===----------------------------------------------------------------------===//
// Operations that see the parts
//===----------------------------------------------------------------------===//

struct CreatePattern : OpConversionPattern<complex::CreateOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(complex::CreateOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<SmallVector<Value>> parts{
        {adaptor.getReal(), adaptor.getImaginary()}};
    rewriter.replaceOpWithMultiple(op, std::move(parts));
    return success();
  }
};

template <typename Op, unsigned number>
struct PartPattern : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;
  using OneToNOpAdaptor = typename OpConversionPattern<Op>::OneToNOpAdaptor;
  LogicalResult
  matchAndRewrite(Op op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, adaptor.getComplex()[number]);
    return success();
  }
};

struct ScalarConstantPattern : OpConversionPattern<complex::ConstantOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(complex::ConstantOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<SmallVector<Value>> parts(1);
    for (Attribute part : op.getValue())
      parts.front().push_back(arith::ConstantOp::create(rewriter, op.getLoc(),
                                                        cast<TypedAttr>(part)));
    rewriter.replaceOpWithMultiple(op, std::move(parts));
    return success();
  }
};

struct TensorConstantPattern : OpConversionPattern<arith::ConstantOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(arith::ConstantOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto value = dyn_cast<DenseElementsAttr>(op.getValue());
    Type part = partOf(op.getType());
    if (!value || !part)
      return rewriter.notifyMatchFailure(op,
                                         "not a literal of complex numbers");
    auto type = cast<RankedTensorType>(op.getType()).clone(part);
    SmallVector<APFloat> re, im;
    using Number = std::complex<APFloat>;
    if (value.isSplat()) {
      auto splat = value.getSplatValue<Number>();
      re.push_back(splat.real());
      im.push_back(splat.imag());
    } else {
      for (const Number &number : value.getValues<Number>()) {
        re.push_back(number.real());
        im.push_back(number.imag());
      }
    }
    SmallVector<SmallVector<Value>> parts(1);
    for (ArrayRef<APFloat> numbers : {ArrayRef(re), ArrayRef(im)})
      parts.front().push_back(arith::ConstantOp::create(
          rewriter, op.getLoc(), DenseElementsAttr::get(type, numbers)));
    rewriter.replaceOpWithMultiple(op, std::move(parts));
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// Adds the operations of `body` that `value` needs to `slice`, and the
/// arguments that it needs to `arguments`.
void collectSlice(Value value, Block &body, llvm::SetVector<Operation *> &slice,
                  llvm::SmallSetVector<BlockArgument, 8> &arguments) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner() == &body)
      arguments.insert(argument);
    return;
  }
  Operation *op = value.getDefiningOp();
  if (op->getBlock() != &body || !slice.insert(op))
    return;
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (!op->isProperAncestor(operand.getParentBlock()->getParentOp()))
        collectSlice(operand, body, slice, arguments);
  });
}

/// A term of a reduced sum: the sign and the value.
using Term = std::pair<bool, Value>;

/// The terms of a sum of real numbers.
void collectTerms(Value value, Value accumulator, bool negative,
                  SmallVectorImpl<Term> &terms) {
  auto add = value.getDefiningOp<arith::AddFOp>();
  auto sub = value.getDefiningOp<arith::SubFOp>();
  if (value != accumulator && (add || sub)) {
    Operation *op = value.getDefiningOp();
    collectTerms(op->getOperand(0), accumulator, negative, terms);
    collectTerms(op->getOperand(1), accumulator, negative ^ bool(sub), terms);
    return;
  }
  terms.push_back({negative, value});
}

/// Makes one reduction a result of a generic whose results do not meet.
class ReductionSplitter {
public:
  ReductionSplitter(linalg::GenericOp op)
      : op(op), body(*op.getBody()), builder(op) {}

  bool run() {
    if (op.getNumReductionLoops() == 0 || op.getNumDpsInits() < 2 ||
        op->hasAttr("nxv.arg_reduce"))
      return false;
    SmallVector<Value> yields(body.getTerminator()->getOperands());
    for (auto [number, value] : llvm::enumerate(yields))
      if (!isAlone(value, number))
        return false;
    SmallVector<Value> results;
    for (auto [number, value] : llvm::enumerate(yields))
      results.push_back(splitSum(value, number));
    op->replaceAllUsesWith(results);
    op->erase();
    return true;
  }

private:
  BlockArgument accumulator(unsigned number) {
    return body.getArgument(op.getNumDpsInputs() + number);
  }

  bool isAlone(Value value, unsigned number) {
    llvm::SetVector<Operation *> slice;
    llvm::SmallSetVector<BlockArgument, 8> arguments;
    collectSlice(value, body, slice, arguments);
    for (BlockArgument argument : arguments)
      if (argument.getArgNumber() >= op.getNumDpsInputs() &&
          argument != accumulator(number))
        return false;
    return true;
  }

  /// A sum of two products is the sum of two contractions.
  Value splitSum(Value value, unsigned number) {
    SmallVector<Term> terms;
    BlockArgument own = accumulator(number);
    collectTerms(value, own, false, terms);
    bool contraction = terms.size() == 3 && own.hasOneUse();
    for (Term term : terms)
      contraction &= term.second == own || isa_and_nonnull<arith::MulFOp>(
                                               term.second.getDefiningOp());
    if (!contraction)
      return createOne(value, {}, number);
    Value sum;
    for (auto [negative, product] : terms) {
      if (product == own)
        continue;
      Value one = createOne(product, own, number);
      sum = sum ? combine(sum, one, negative) : negate(one, negative);
    }
    Value init = op.getDpsInitOperand(number)->get();
    return combine(init, sum, false);
  }

  RankedTensorType typeOf(unsigned number) {
    return cast<RankedTensorType>(op->getResult(number).getType());
  }

  Value negate(Value value, bool negative) {
    if (!negative)
      return value;
    auto type = cast<RankedTensorType>(value.getType());
    AffineMap map = builder.getMultiDimIdentityMap(type.getRank());
    return createParallel(builder, op.getLoc(), type, value, map,
                          [](OpBuilder &b, Location loc, ValueRange v) {
                            return SmallVector<Value>{
                                arith::NegFOp::create(b, loc, v[0])};
                          })
        .getResult(0);
  }

  Value combine(Value lhs, Value rhs, bool negative) {
    if (auto cst = lhs.getDefiningOp<arith::ConstantOp>())
      if (auto splat = dyn_cast<SplatElementsAttr>(cst.getValue());
          splat && splat.getSplatValue<APFloat>().isZero() && !negative)
        return rhs;
    auto type = cast<RankedTensorType>(lhs.getType());
    AffineMap map = builder.getMultiDimIdentityMap(type.getRank());
    return createParallel(
               builder, op.getLoc(), type, {lhs, rhs}, {map, map},
               [&](OpBuilder &b, Location loc, ValueRange v) {
                 return SmallVector<Value>{
                     negative
                         ? arith::SubFOp::create(b, loc, v[0], v[1]).getResult()
                         : arith::AddFOp::create(b, loc, v[0], v[1])
                               .getResult()};
               })
        .getResult(0);
  }

  /// The reduction that ends in `value`, or that sums `value` from 0 if there
  /// is a `sum`.
  Value createOne(Value value, Value sum, unsigned number) {
    llvm::SetVector<Operation *> slice;
    llvm::SmallSetVector<BlockArgument, 8> arguments;
    collectSlice(value, body, slice, arguments);
    SmallVector<Value> inputs;
    SmallVector<BlockArgument> used;
    SmallVector<AffineMap> maps;
    for (OpOperand *input : op.getDpsInputOperands()) {
      BlockArgument argument = op.getMatchingBlockArgument(input);
      // One that nothing reads gives a loop its size.
      if (!arguments.contains(argument) && !argument.use_empty())
        continue;
      inputs.push_back(input->get());
      used.push_back(argument);
      maps.push_back(op.getMatchingIndexingMap(input));
    }
    OpOperand *init = op.getDpsInitOperand(number);
    maps.push_back(op.getMatchingIndexingMap(init));
    Value start = init->get();
    if (sum)
      start = arith::ConstantOp::create(builder, op.getLoc(),
                                        builder.getZeroAttr(typeOf(number)));
    auto one = linalg::GenericOp::create(
        builder, op.getLoc(), TypeRange{typeOf(number)}, inputs,
        ValueRange{start}, maps, op.getIteratorTypesArray(),
        [&](OpBuilder &b, Location loc, ValueRange given) {
          IRMapping mapping;
          for (auto [from, to] : llvm::zip(used, given))
            mapping.map(from, to);
          mapping.map(accumulator(number), given.back());
          for (Operation &inner : body.without_terminator())
            if (slice.contains(&inner))
              b.clone(inner, mapping);
          Value result = mapping.lookupOrDefault(value);
          if (sum)
            result = arith::AddFOp::create(b, loc, result, given.back());
          linalg::YieldOp::create(b, loc, result);
        });
    for (NamedAttribute attr : op->getDiscardableAttrs())
      one->setDiscardableAttr(attr.getName(), attr.getValue());
    return one.getResult(0);
  }

  linalg::GenericOp op;
  Block &body;
  OpBuilder builder;
};

//===----------------------------------------------------------------------===//
// The function's boundary
//===----------------------------------------------------------------------===//

/// The two parts of an element side by side in memory.
RankedTensorType interleaved(RankedTensorType type) {
  SmallVector<int64_t> shape(type.getShape());
  shape.push_back(2);
  return RankedTensorType::get(shape, partOf(type));
}

StringAttr elementName(Type type) {
  return StringAttr::get(type.getContext(),
                         partOf(type).isF64() ? "c128" : "c64");
}

Value readArgument(OpBuilder &b, Location loc, Value argument,
                   RankedTensorType type) {
  unsigned rank = type.getRank();
  SmallVector<AffineMap> maps{appendConstant(b.getContext(), rank, 0),
                              appendConstant(b.getContext(), rank, 1)};
  return createParallel(b, loc, type, {argument, argument}, maps,
                        [&](OpBuilder &nested, Location at, ValueRange v) {
                          return SmallVector<Value>{complex::CreateOp::create(
                              nested, at, type.getElementType(), v[0], v[1])};
                        })
      .getResult(0);
}

Value interleave(OpBuilder &b, Location loc, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  unsigned rank = type.getRank();
  SmallVector<AffineExpr> axes;
  for (unsigned i = 0; i < rank; ++i)
    axes.push_back(b.getAffineDimExpr(i));
  AffineMap map = AffineMap::get(rank + 1, 0, axes, b.getContext());
  return createParallel(
             b, loc, interleaved(type), value, map,
             [&](OpBuilder &nested, Location at, ValueRange v) {
               Value part = linalg::IndexOp::create(nested, at, rank);
               Value zero = arith::ConstantIndexOp::create(nested, at, 0);
               Value isRe = arith::CmpIOp::create(
                   nested, at, arith::CmpIPredicate::eq, part, zero);
               Value re = complex::ReOp::create(nested, at, v[0]);
               Value im = complex::ImOp::create(nested, at, v[0]);
               return SmallVector<Value>{
                   arith::SelectOp::create(nested, at, isRe, re, im)};
             })
      .getResult(0);
}

/// The host takes complex numbers as they lie in memory.
void splitTap(nxv::TapOp tap) {
  OpBuilder builder(tap);
  for (OpOperand &operand : tap->getOpOperands()) {
    Value result = tap->getResult(operand.getOperandNumber());
    auto type = cast<RankedTensorType>(result.getType());
    if (!partOf(type))
      continue;
    builder.setInsertionPoint(tap);
    operand.set(interleave(builder, tap.getLoc(), operand.get()));
    result.setType(operand.get().getType());
    builder.setInsertionPointAfter(tap);
    Value whole = readArgument(builder, tap.getLoc(), result, type);
    result.replaceUsesWithIf(whole, [&](OpOperand &use) {
      return use.getOwner() != whole.getDefiningOp();
    });
  }
}

void splitBoundary(func::FuncOp function) {
  Block &body = function.getBody().front();
  OpBuilder builder = OpBuilder::atBlockBegin(&body);
  for (BlockArgument argument : body.getArguments()) {
    if (!partOf(argument.getType()))
      continue;
    auto type = cast<RankedTensorType>(argument.getType());
    unsigned number = argument.getArgNumber();
    function.setArgAttr(number, "nxv.element", elementName(type));
    argument.setType(interleaved(type));
    if (argument.use_empty())
      continue;
    Value whole = readArgument(builder, argument.getLoc(), argument, type);
    argument.replaceUsesWithIf(whole, [&](OpOperand &use) {
      return use.getOwner() != whole.getDefiningOp();
    });
  }
  Operation *end = body.getTerminator();
  builder.setInsertionPoint(end);
  for (OpOperand &operand : end->getOpOperands()) {
    Type type = operand.get().getType();
    if (!partOf(type))
      continue;
    function.setResultAttr(operand.getOperandNumber(), "nxv.element",
                           elementName(type));
    operand.set(interleave(builder, end->getLoc(), operand.get()));
  }
  function.setType(FunctionType::get(
      function.getContext(), body.getArgumentTypes(), end->getOperandTypes()));
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

struct SplitComplex : nxv::impl::SplitComplexBase<SplitComplex> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    bool any = false;
    module.walk([&](Operation *op) {
      any |= llvm::any_of(op->getOperandTypes(), partOf) ||
             llvm::any_of(op->getResultTypes(), partOf);
    });
    for (auto function : module.getOps<func::FuncOp>())
      any |= llvm::any_of(function.getArgumentTypes(), partOf);
    if (!any)
      return;
    for (auto function : module.getOps<func::FuncOp>())
      splitBoundary(function);
    module.walk(splitTap);
    if (failed(convert(module)))
      return signalPassFailure();
    SmallVector<linalg::GenericOp> generics;
    module.walk([&](linalg::GenericOp op) { generics.push_back(op); });
    for (linalg::GenericOp op : generics)
      ReductionSplitter(op).run();
  }

  LogicalResult convert(ModuleOp module) {
    ComplexSplitter converter;
    RewritePatternSet patterns(&getContext());
    populateRebuildPatterns(converter, patterns);
    populateSplitTransformPatterns(converter, patterns);
    patterns.add<CreatePattern, PartPattern<complex::ReOp, 0>,
                 PartPattern<complex::ImOp, 1>, ScalarConstantPattern,
                 TensorConstantPattern>(converter, &getContext());
    ConversionTarget target(getContext());
    target.markUnknownOpDynamicallyLegal([&](Operation *op) {
      return isa<ModuleOp, func::FuncOp>(op) || isLegal(op, converter);
    });
    return applyPartialConversion(module, target, std::move(patterns));
  }
};
} // namespace
