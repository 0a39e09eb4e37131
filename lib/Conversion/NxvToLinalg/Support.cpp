//===- Support.cpp - what the lowerings to linalg share ---------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Support.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace nxv;
using namespace nxv::tolinalg;
using FP = arith::CmpFPredicate;
using IP = arith::CmpIPredicate;

//===----------------------------------------------------------------------===//
// Types and constants
//===----------------------------------------------------------------------===//

SignlessConverter::SignlessConverter() {
  addConversion([](Type type) { return type; });
  addConversion([](IntegerType type) { return signlessElement(type); });
  addConversion([](RankedTensorType type) -> Type {
    return type.clone(signlessElement(type.getElementType()));
  });
}

RankedTensorType tolinalg::signlessType(Value v) {
  RankedTensorType type = tensorType(v);
  return type.clone(signlessElement(type.getElementType()));
}

Attribute tolinalg::splatElement(Value v) {
  SplatElementsAttr splat;
  if (!matchPattern(v, m_Constant(&splat)))
    return {};
  return splat.getSplatValue<Attribute>();
}

Type tolinalg::indexElementType(MLIRContext *ctx, int64_t elements) {
  bool small = elements <= std::numeric_limits<int32_t>::max();
  return IntegerType::get(ctx, small ? 32 : 64);
}

Value tolinalg::createEmpty(OpBuilder &b, Location loc, RankedTensorType type) {
  return tensor::EmptyOp::create(b, loc, type.getShape(),
                                 type.getElementType());
}

static DenseElementsAttr splatOf(RankedTensorType type, double value) {
  Type element = type.getElementType();
  Builder b(type.getContext());
  if (auto complex = dyn_cast<ComplexType>(element)) {
    Type part = complex.getElementType();
    std::complex<APFloat> z(b.getFloatAttr(part, value).getValue(),
                            b.getFloatAttr(part, 0.0).getValue());
    return DenseElementsAttr::get(type, z);
  }
  if (isa<FloatType>(element))
    return DenseElementsAttr::get(type,
                                  Attribute(b.getFloatAttr(element, value)));
  return DenseElementsAttr::get(
      type, Attribute(b.getIntegerAttr(element, static_cast<int64_t>(value))));
}

Value tolinalg::createZeroSplat(OpBuilder &b, Location loc,
                                RankedTensorType type) {
  return arith::ConstantOp::create(b, loc, splatOf(type, 0.0));
}

//===----------------------------------------------------------------------===//
// Generics
//===----------------------------------------------------------------------===//

Value tolinalg::createParallel(OpBuilder &b, Location loc,
                               RankedTensorType type, ValueRange inputs,
                               ArrayRef<AffineMap> inputMaps,
                               PayloadFn payload) {
  SmallVector<AffineMap> maps(inputMaps);
  maps.push_back(b.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  auto body = [&](OpBuilder &nested, Location at, ValueRange args) {
    PayloadBuilder p(nested, at);
    linalg::YieldOp::create(p, payload(p, args.drop_back()));
  };
  auto generic = linalg::GenericOp::create(b, loc, TypeRange{type}, inputs,
                                           createEmpty(b, loc, type), maps,
                                           iterators, body);
  return generic.getResult(0);
}

Value tolinalg::createElementwise(OpBuilder &b, Location loc,
                                  RankedTensorType type, ValueRange inputs,
                                  PayloadFn payload) {
  SmallVector<AffineMap> maps(inputs.size(),
                              b.getMultiDimIdentityMap(type.getRank()));
  return createParallel(b, loc, type, inputs, maps, payload);
}

Value tolinalg::createFromIndices(OpBuilder &b, Location loc,
                                  RankedTensorType type, IndexedFn payload) {
  return createParallel(b, loc, type, {}, {},
                        [&](PayloadBuilder &p, ValueRange) {
                          SmallVector<Value> indices;
                          for (int64_t dim = 0; dim < type.getRank(); ++dim)
                            indices.push_back(linalg::IndexOp::create(p, dim));
                          return payload(p, indices);
                        });
}

Value tolinalg::createConvert(OpBuilder &b, Location loc, Value tensor,
                              Type from, Type to) {
  RankedTensorType type = tensorType(tensor).clone(signlessElement(to));
  if (tensor.getType() == type)
    return tensor;
  return createElementwise(b, loc, type, tensor,
                           [&](PayloadBuilder &p, ValueRange v) {
                             return p.convert(v[0], from, to);
                           });
}

Value tolinalg::createFill(OpBuilder &b, Location loc, RankedTensorType type,
                           Value scalar) {
  DenseElementsAttr known;
  if (matchPattern(scalar, m_Constant(&known)) && known.isSplat())
    return arith::ConstantOp::create(b, loc, known.resizeSplat(type));
  AffineMap map = AffineMap::get(type.getRank(), 0, b.getContext());
  return createParallel(b, loc, type, scalar, map,
                        [](PayloadBuilder &, ValueRange v) { return v[0]; });
}

ViewedOperand
tolinalg::viewThroughTransposes(Value original, Value converted,
                                ConversionPatternRewriter &rewriter) {
  ViewedOperand view{converted, {}};
  int64_t rank = tensorType(converted).getRank();
  for (int64_t axis = 0; axis < rank; ++axis)
    view.axisOf.push_back(axis);
  while (auto transpose = original.getDefiningOp<TransposeOp>()) {
    Value source = rewriter.getRemappedValue(transpose.getOperand());
    if (!source)
      break;
    for (int64_t &axis : view.axisOf)
      axis = transpose.getPermutation()[axis];
    view.tensor = source;
    original = transpose.getOperand();
  }
  return view;
}

Value tolinalg::applyAffine(PayloadBuilder &b, AffineExpr expr,
                            ValueRange operands) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return b.index(constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return operands[dim.getPosition()];
  AffineMap map = AffineMap::get(operands.size(), 0, expr);
  return affine::AffineApplyOp::create(b, map, operands);
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

bool tolinalg::isReducible(ReduceKind kind, Type element) {
  bool isInt = isa<IntegerType>(element);
  switch (kind) {
  case ReduceKind::add:
  case ReduceKind::mul:
    return !element.isInteger(1);
  case ReduceKind::max:
  case ReduceKind::min:
    return !isa<ComplexType>(element);
  case ReduceKind::and_:
  case ReduceKind::or_:
    return isInt;
  }
  llvm_unreachable("a reduction has one of six kinds");
}

Type tolinalg::accumulatorType(ReduceKind kind, Type element) {
  bool sums = kind == ReduceKind::add || kind == ReduceKind::mul;
  auto type = dyn_cast<FloatType>(element);
  if (type && (type.getWidth() == 8 || type.isBF16() || (type.isF16() && sums)))
    return Float32Type::get(element.getContext());
  return signlessElement(element);
}

DenseElementsAttr tolinalg::neutralSplat(ReduceKind kind, RankedTensorType type,
                                         bool isUnsigned) {
  if (kind == ReduceKind::add)
    return splatOf(type, 0.0);
  if (kind == ReduceKind::mul)
    return splatOf(type, 1.0);
  Type element = type.getElementType();
  bool highest = kind == ReduceKind::min || kind == ReduceKind::and_;
  if (auto f = dyn_cast<FloatType>(element))
    return DenseElementsAttr::get(
        type, APFloat::getInf(f.getFloatSemantics(), /*Negative=*/!highest));
  unsigned width = element.getIntOrFloatBitWidth();
  bool bits = kind == ReduceKind::and_ || kind == ReduceKind::or_;
  if (isUnsigned || bits)
    return DenseElementsAttr::get(type, highest ? APInt::getAllOnes(width)
                                                : APInt::getZero(width));
  return DenseElementsAttr::get(type, highest
                                          ? APInt::getSignedMaxValue(width)
                                          : APInt::getSignedMinValue(width));
}

Value tolinalg::emitCombine(PayloadBuilder &b, ReduceKind kind, Value element,
                            Value acc, bool isUnsigned) {
  if (kind == ReduceKind::add)
    return emitAdd(b, element, acc);
  if (kind == ReduceKind::mul)
    return emitMul(b, element, acc);
  Type type = element.getType();
  bool isMax = kind == ReduceKind::max;
  if (kind == ReduceKind::and_ ||
      (type.isInteger(1) && !isMax && kind != ReduceKind::or_))
    return b.andi(element, acc);
  if (kind == ReduceKind::or_ || type.isInteger(1))
    return b.ori(element, acc);
  if (isa<FloatType>(type))
    return isMax ? arith::MaximumFOp::create(b, element, acc).getResult()
                 : arith::MinimumFOp::create(b, element, acc).getResult();
  if (isUnsigned)
    return isMax ? arith::MaxUIOp::create(b, element, acc).getResult()
                 : arith::MinUIOp::create(b, element, acc).getResult();
  return isMax ? arith::MaxSIOp::create(b, element, acc).getResult()
               : arith::MinSIOp::create(b, element, acc).getResult();
}

std::pair<Value, Value> tolinalg::emitArgCombine(PayloadBuilder &b, bool isMax,
                                                 bool tieHigh, bool isUnsigned,
                                                 Value value, Value index,
                                                 Value accValue,
                                                 Value accIndex) {
  Value better, equal;
  Value lower = b.cmp(IP::slt, index, accIndex);
  Value wins = tieHigh ? b.cmp(IP::sgt, index, accIndex) : lower;
  if (isa<FloatType>(value.getType())) {
    Value nan = b.isNan(value), accNan = b.isNan(accValue);
    better = b.cmp(isMax ? FP::OGT : FP::OLT, value, accValue);
    Value number = b.cmp(FP::ORD, accValue, accValue);
    better = b.ori(better, b.andi(nan, number));
    equal = b.andi(b.cmp(FP::OEQ, value, accValue), wins);
    equal = b.ori(equal, b.andi(b.andi(nan, accNan), lower));
  } else {
    IP p =
        isUnsigned ? (isMax ? IP::ugt : IP::ult) : (isMax ? IP::sgt : IP::slt);
    better = b.cmp(p, value, accValue);
    equal = b.andi(b.cmp(IP::eq, value, accValue), wins);
  }
  Value take = b.ori(better, equal);
  return {b.select(take, value, accValue), b.select(take, index, accIndex)};
}

//===----------------------------------------------------------------------===//
// Regions of scalar tensors
//===----------------------------------------------------------------------===//

Operation *tolinalg::findNonScalarOp(Region &region) {
  for (Operation &op : region.front().without_terminator()) {
    bool ranked = llvm::any_of(op.getResultTypes(), [](Type type) {
      auto shaped = dyn_cast<ShapedType>(type);
      return !shaped || shaped.getRank() != 0;
    });
    if (ranked)
      return &op;
    if (!isa<CaseOp>(op)) {
      if (!isScalarOp(&op) || !whyNotScalar(&op).empty())
        return &op;
      continue;
    }
    for (Region &branch : op.getRegions())
      if (Operation *culprit = findNonScalarOp(branch))
        return culprit;
  }
  return nullptr;
}

static SmallVector<Value> emitBlock(PayloadBuilder &b, Block &block,
                                    IRMapping &mapping);

/// All branches, and of their results those of the first that is chosen.
static SmallVector<Value> emitBranches(PayloadBuilder &b, CaseOp op,
                                       IRMapping &mapping) {
  SmallVector<SmallVector<Value>> branches;
  for (Region &branch : op->getRegions())
    branches.push_back(emitBlock(b, branch.front(), mapping));
  SmallVector<Value> results = branches.pop_back_val();
  for (Value predicate : llvm::reverse(op.getPredicates())) {
    SmallVector<Value> branch = branches.pop_back_val();
    for (auto [result, value] : llvm::zip(results, branch))
      result = b.select(mapping.lookup(predicate), value, result);
  }
  return results;
}

static SmallVector<Value> emitBlock(PayloadBuilder &b, Block &block,
                                    IRMapping &mapping) {
  for (Operation &op : block.without_terminator()) {
    PayloadBuilder at(b, op.getLoc());
    if (auto branches = dyn_cast<CaseOp>(op)) {
      mapping.map(op.getResults(), emitBranches(at, branches, mapping));
      continue;
    }
    SmallVector<Value> operands;
    for (Value operand : op.getOperands())
      operands.push_back(mapping.lookup(operand));
    mapping.map(op.getResult(0), emitScalar(at, &op, operands));
  }
  return llvm::map_to_vector(
      block.getTerminator()->getOperands(),
      [&](Value value) { return mapping.lookup(value); });
}

Value tolinalg::emitRegion(PayloadBuilder &b, Region &region, ValueRange args) {
  IRMapping mapping;
  mapping.map(region.front().getArguments(), args);
  return emitBlock(b, region.front(), mapping).front();
}
