//===- EmulateNarrowTypes.cpp - 8 and 16 bits in words ----------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
// Values: an integer is held sign-extended in an i32, f16 as the f32 of the
// same number. What an operation leaves beyond the narrow type is cut off after
// it, or rounded: f32 has more than twice the digits of f16, so that rounding
// the f32 result of an addition, product, quotient or square root is rounding
// the exact one.
//
// Memory: device and workgroup memory are arrays of i32 that hold the same
// bytes. An element is cut out of its word. A store of less than a word clears
// and sets the element's bits atomically, since other threads may write the
// others at the same time.
//===----------------------------------------------------------------------===//

#include "Kernel.h"

#include "nxv/Conversion/KernelToSPIRV/Passes.h"
#include "nxv/Conversion/LegalizeElements/FloatBits.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/DialectConversion.h"

namespace nxv {
#define GEN_PASS_DEF_NXVEMULATENARROWTYPES
#include "nxv/Conversion/KernelToSPIRV/Passes.h.inc"
} // namespace nxv

using namespace mlir;
using nxv::isNarrow;

namespace {

constexpr unsigned wordBits = 32;

unsigned widthOf(Type type) {
  return getElementTypeOrSelf(type).getIntOrFloatBitWidth();
}

bool isNarrowInteger(Type type) {
  return isNarrow(type) && isa<IntegerType>(getElementTypeOrSelf(type));
}

bool isHalf(Type type) { return getElementTypeOrSelf(type).isF16(); }

Type wordType(MLIRContext *context) { return IntegerType::get(context, 32); }

/// Is the memory shared by threads, so that elements keep their bytes?
bool isPacked(MemRefType type) {
  auto storage =
      dyn_cast_or_null<spirv::StorageClassAttr>(type.getMemorySpace());
  return storage && storage.getValue() != spirv::StorageClass::Function;
}

Type convertValue(Type type) {
  if (!isNarrow(type) || isa<MemRefType>(type))
    return type;
  MLIRContext *context = type.getContext();
  Type element =
      isHalf(type) ? Type(Float32Type::get(context)) : wordType(context);
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.clone(element);
  return element;
}

/// Whole vectors have words of their own, scalars share them.
Type convertMemory(MemRefType type) {
  if (!isNarrow(type))
    return type;
  Type element = wordType(type.getContext());
  SmallVector<int64_t> shape(type.getShape());
  if (!isPacked(type)) {
    element = convertValue(type.getElementType());
  } else if (auto vector = dyn_cast<VectorType>(type.getElementType())) {
    int64_t words =
        llvm::divideCeil(vector.getNumElements() * widthOf(vector), wordBits);
    if (words > 1)
      element = VectorType::get({words}, element);
  } else if (!shape.empty() && !ShapedType::isDynamic(shape.back())) {
    shape.back() = llvm::divideCeil(
        shape.back() * widthOf(type.getElementType()), wordBits);
  }
  return MemRefType::get(shape, element, MemRefLayoutAttrInterface(),
                         type.getMemorySpace());
}

struct Widener : TypeConverter {
  Widener() {
    addConversion([](Type type) { return convertValue(type); });
    addConversion([](MemRefType type) { return convertMemory(type); });
  }
};

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// Makes canonical values.
class Values {
public:
  Values(OpBuilder &b, Location loc) : b(b), loc(loc) {}

  /// An i32, or a vector of them, like `like`.
  Value num(Type like, uint32_t value) {
    TypedAttr attr = b.getIntegerAttr(b.getI32Type(), APInt(32, value));
    if (auto vector = dyn_cast<VectorType>(like))
      attr =
          DenseElementsAttr::get(vector.clone(b.getI32Type()), Attribute(attr));
    return arith::ConstantOp::create(b, loc, attr);
  }
  Value zeroExtended(Value value, unsigned width) {
    return arith::AndIOp::create(b, loc, value,
                                 num(value.getType(), (1u << width) - 1));
  }
  Value signExtended(Value value, unsigned width) {
    Value by = num(value.getType(), wordBits - width);
    Value high = arith::ShLIOp::create(b, loc, value, by);
    return arith::ShRSIOp::create(b, loc, high, by);
  }
  /// The value of the narrow type `type` whose bits are the low ones of `bits`.
  Value fromBits(Value bits, Type type) {
    if (!isHalf(type))
      return signExtended(bits, widthOf(type));
    return nxv::FloatCoder(b, loc).decode(zeroExtended(bits, 16), half());
  }
  /// The bits of a value of the narrow type `type`; the others are 0.
  Value toBits(Value value, Type type) {
    if (!isHalf(type))
      return zeroExtended(value, widthOf(type));
    return nxv::FloatCoder(b, loc).encode(value, half());
  }
  /// The f16 that is nearest to an f32.
  Value rounded(Value value) {
    nxv::FloatCoder coder(b, loc);
    return coder.decode(coder.encode(value, half()), half());
  }
  Value roundedToOdd(Value value);

private:
  nxv::FloatFormat half() { return nxv::FloatFormat(b.getF16Type()); }

  OpBuilder &b;
  Location loc;
};

/// An f64 as an f32 whose last bit says whether it is exact, so that rounding
/// it once more rounds the f64.
Value Values::roundedToOdd(Value value) {
  Type wide = value.getType(), f32 = b.getF32Type(), i32 = b.getI32Type();
  if (auto vector = dyn_cast<VectorType>(wide)) {
    f32 = vector.clone(f32);
    i32 = vector.clone(i32);
  }
  Value near = arith::TruncFOp::create(b, loc, f32, value);
  Value back = arith::ExtFOp::create(b, loc, wide, near);
  Value exact =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UEQ, back, value);
  Value below =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT,
                            math::AbsFOp::create(b, loc, back).getResult(),
                            math::AbsFOp::create(b, loc, value).getResult());
  Value bits = arith::BitcastOp::create(b, loc, i32, near);
  Value odd = arith::AndIOp::create(b, loc, bits, num(i32, 1));
  Value isOdd =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, odd, num(i32, 0));
  Value step = arith::SelectOp::create(b, loc, below, num(i32, 1),
                                       num(i32, ~uint32_t(0)));
  Value keep = arith::OrIOp::create(b, loc, exact, isOdd);
  step = arith::SelectOp::create(b, loc, keep, num(i32, 0), step);
  bits = arith::AddIOp::create(b, loc, bits, step);
  return arith::BitcastOp::create(b, loc, f32, bits);
}

/// The operation on canonical values, with its attributes.
Operation *rebuild(Operation *op, ValueRange operands, TypeRange types,
                   OpBuilder &b) {
  OperationState state(op->getLoc(), op->getName(), operands, types,
                       op->getAttrs());
  return b.create(state);
}

struct ConstantPattern : OpConversionPattern<arith::ConstantOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(arith::ConstantOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!isNarrow(op.getType()))
      return rewriter.notifyMatchFailure(op, "has a legal type");
    auto convert = [](Attribute attr) -> Attribute {
      Builder b(attr.getContext());
      if (auto integer = dyn_cast<IntegerAttr>(attr))
        return b.getIntegerAttr(b.getI32Type(), integer.getValue().sext(32));
      APFloat number = cast<FloatAttr>(attr).getValue();
      bool inexact = false;
      number.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven,
                     &inexact);
      return b.getFloatAttr(b.getF32Type(), number);
    };
    TypedAttr value;
    if (auto dense = dyn_cast<DenseElementsAttr>(op.getValue())) {
      SmallVector<Attribute> elements;
      for (Attribute element : dense.getValues<Attribute>())
        elements.push_back(convert(element));
      value = DenseElementsAttr::get(
          cast<ShapedType>(convertValue(op.getType())), elements);
    } else {
      value = cast<TypedAttr>(convert(op.getValue()));
    }
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, value);
    return success();
  }
};

/// Scalar and vector arithmetic.
struct ArithmeticPattern : ConversionPattern {
  ArithmeticPattern(TypeConverter &converter, MLIRContext *context)
      : ConversionPattern(converter, MatchAnyOpTypeTag(), 1, context) {}

  LogicalResult
  matchAndRewrite(Operation *op, ArrayRef<Value> operands,
                  ConversionPatternRewriter &rewriter) const override {
    if (!isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) ||
        isa<arith::ConstantOp>(op) || op->getNumResults() != 1)
      return rewriter.notifyMatchFailure(op, "not arithmetic of one result");
    Values values(rewriter, op->getLoc());
    SmallVector<Value> inputs(operands);
    if (isUnsigned(op))
      for (auto [input, was] : llvm::zip(inputs, op->getOperandTypes()))
        if (isNarrowInteger(was))
          input = values.zeroExtended(input, widthOf(was));
    Type was = op->getResult(0).getType();
    Value result = convertCast(op, inputs, values, rewriter);
    if (!result)
      result = convertCount(op, inputs, values, rewriter);
    if (!result) {
      Operation *wide = rebuild(op, inputs, convertValue(was), rewriter);
      result = finish(wide, was, values);
    }
    rewriter.replaceOp(op, result);
    return success();
  }

private:
  /// Does the operation take its operands for unsigned numbers, where that
  /// makes a difference? The order of sign-extended numbers is that of unsigned
  /// ones as well.
  static bool isUnsigned(Operation *op) {
    return isa<arith::DivUIOp, arith::RemUIOp, arith::ShRUIOp, arith::UIToFPOp,
               arith::ExtUIOp, arith::IndexCastUIOp, math::CtPopOp,
               math::CountLeadingZerosOp, math::CountTrailingZerosOp>(op);
  }

  /// Cuts or rounds a result to what the narrow type holds.
  static Value finish(Operation *wide, Type was, Values &values) {
    Value result = wide->getResult(0);
    if (isNarrowInteger(was)) {
      bool closed =
          isa<arith::AndIOp, arith::OrIOp, arith::XOrIOp, arith::ShRSIOp,
              arith::SelectOp, arith::MaxSIOp, arith::MinSIOp, arith::MaxUIOp,
              arith::MinUIOp, arith::RemSIOp>(wide);
      return closed ? result : values.signExtended(result, widthOf(was));
    }
    if (!isHalf(was))
      return result;
    bool exact =
        isa<arith::SelectOp, arith::NegFOp, arith::MaximumFOp,
            arith::MinimumFOp, arith::MaxNumFOp, arith::MinNumFOp, math::AbsFOp,
            math::CopySignOp, math::FloorOp, math::CeilOp, math::RoundOp,
            math::RoundEvenOp, math::TruncOp>(wide);
    return exact ? result : values.rounded(result);
  }

  /// Conversions between types, or null. The inputs of unsigned ones are
  /// zero-extended.
  static Value convertCast(Operation *op, ArrayRef<Value> inputs,
                           Values &values, OpBuilder &b) {
    if (!isa<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, arith::ExtFOp,
             arith::TruncFOp, arith::BitcastOp, arith::IndexCastOp,
             arith::IndexCastUIOp>(op))
      return {};
    Value input = inputs.front();
    Type from = op->getOperand(0).getType(), to = op->getResult(0).getType();
    if (isa<arith::BitcastOp>(op))
      return values.fromBits(values.toBits(input, from), to);
    Type type = convertValue(to);
    if (isa<arith::TruncFOp>(op)) {
      if (widthOf(from) == 64)
        input = values.roundedToOdd(input);
      return values.rounded(input);
    }
    if (input.getType() != type)
      input = rebuild(op, input, type, b)->getResult(0);
    bool cut = isa<arith::TruncIOp>(op) ||
               (getElementTypeOrSelf(from).isIndex() && isNarrow(to));
    return cut && isNarrow(to) ? values.signExtended(input, widthOf(to))
                               : input;
  }

  /// Counts of bits, of zero-extended inputs; or null.
  static Value convertCount(Operation *op, ArrayRef<Value> inputs,
                            Values &values, OpBuilder &b) {
    if (!isa<math::CountLeadingZerosOp, math::CountTrailingZerosOp>(op))
      return {};
    Value input = inputs.front();
    unsigned width = widthOf(op->getResult(0).getType());
    bool leading = isa<math::CountLeadingZerosOp>(op);
    // Makes the first bit beyond the narrow number the last that counts.
    if (!leading)
      input = arith::OrIOp::create(b, op->getLoc(), input,
                                   values.num(input.getType(), 1u << width));
    Value count = rebuild(op, input, input.getType(), b)->getResult(0);
    if (!leading)
      return count;
    return arith::SubIOp::create(b, op->getLoc(), count,
                                 values.num(input.getType(), wordBits - width));
  }
};

/// What moves values without looking at them.
struct MovePattern : ConversionPattern {
  MovePattern(TypeConverter &converter, MLIRContext *context)
      : ConversionPattern(converter, MatchAnyOpTypeTag(), 1, context) {}

  LogicalResult
  matchAndRewrite(Operation *op, ArrayRef<Value> operands,
                  ConversionPatternRewriter &rewriter) const override {
    if (!isa<vector::BroadcastOp, vector::ExtractOp, vector::InsertOp,
             vector::FromElementsOp, vector::ToElementsOp, vector::ShuffleOp,
             memref::AllocOp, memref::AllocaOp, ub::PoisonOp>(op))
      return rewriter.notifyMatchFailure(op, "may look at values");
    SmallVector<Type> types;
    if (failed(getTypeConverter()->convertTypes(op->getResultTypes(), types)))
      return rewriter.notifyMatchFailure(op, "has a type without a wide one");
    rewriter.replaceOp(op, rebuild(op, operands, types, rewriter));
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Elements of memory that is made of words.
class WordMemory {
public:
  WordMemory(OpBuilder &b, Location loc, Value words, Type element)
      : b(b), loc(loc), words(words), element(element), width(widthOf(element)),
        values(b, loc) {}

  /// The bits of the scalar at `index`; those above it are any.
  Value loadScalar(Value index) {
    Value word = memref::LoadOp::create(b, loc, words, wordOf(index));
    return arith::ShRUIOp::create(b, loc, word, shiftOf(index));
  }

  /// Sets the `bits` bits from the element at `index` on, all of one word.
  void storeBits(Value index, Value value, unsigned bits) {
    Value shift = shiftOf(index);
    Type i32 = b.getI32Type();
    Value mask = values.num(i32, uint32_t((uint64_t(1) << bits) - 1));
    mask = arith::ShLIOp::create(b, loc, mask, shift);
    mask = arith::XOrIOp::create(b, loc, mask, values.num(i32, ~uint32_t(0)));
    value = arith::ShLIOp::create(b, loc, value, shift);
    Value word = wordOf(index);
    memref::AtomicRMWOp::create(b, loc, arith::AtomicRMWKind::andi, mask, words,
                                word);
    memref::AtomicRMWOp::create(b, loc, arith::AtomicRMWKind::ori, value, words,
                                word);
  }

  /// The bits of each lane of whole words, or of the low part of one.
  Value unpack(ArrayRef<Value> parts, VectorType vector) {
    SmallVector<Value> lanes;
    for (int64_t i = 0; i < vector.getNumElements(); ++i) {
      unsigned bit = i * width;
      Value shift = values.num(b.getI32Type(), bit % wordBits);
      lanes.push_back(
          arith::ShRUIOp::create(b, loc, parts[bit / wordBits], shift));
    }
    return vector::FromElementsOp::create(b, loc, vector.clone(b.getI32Type()),
                                          lanes);
  }

  /// Lanes of bits as words.
  SmallVector<Value> pack(Value bits, VectorType vector) {
    SmallVector<Value> parts;
    for (int64_t i = 0; i < vector.getNumElements(); ++i) {
      unsigned bit = i * width;
      Value lane = vector::ExtractOp::create(b, loc, bits, i);
      if (bit % wordBits == 0) {
        parts.push_back(lane);
        continue;
      }
      Value shift = values.num(b.getI32Type(), bit % wordBits);
      Value moved = arith::ShLIOp::create(b, loc, lane, shift);
      parts.back() = arith::OrIOp::create(b, loc, parts.back(), moved);
    }
    return parts;
  }

  /// The number of the word that holds the element at `index`.
  Value wordOf(Value index) {
    return arith::ShRUIOp::create(b, loc, index, position(logOfPerWord()));
  }

private:
  unsigned logOfPerWord() { return width == 8 ? 2 : 1; }
  Value position(int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }
  /// Where in its word the element at `index` starts.
  Value shiftOf(Value index) {
    Value in = arith::AndIOp::create(b, loc, index,
                                     position((1 << logOfPerWord()) - 1));
    Value number = arith::IndexCastOp::create(b, loc, b.getI32Type(), in);
    return arith::MulIOp::create(b, loc, number,
                                 values.num(number.getType(), width));
  }

  OpBuilder &b;
  Location loc;
  Value words;
  Type element;
  unsigned width;
  Values values;
};

/// An access of a scalar or a vector.
struct Access {
  MemRefType memory;
  Value words;
  ValueRange indices;
  Type type; // of what is loaded or stored
  VectorType vector() const { return dyn_cast<VectorType>(type); }
  bool ofWholeElement() const { return type == memory.getElementType(); }
  bool inDevice() const {
    auto storage =
        dyn_cast_or_null<spirv::StorageClassAttr>(memory.getMemorySpace());
    return storage &&
           storage.getValue() == spirv::StorageClass::PhysicalStorageBuffer;
  }
};

Value loadFrom(OpBuilder &b, Location loc, const Access &access) {
  Type narrow = getElementTypeOrSelf(access.type);
  WordMemory memory(b, loc, access.words, narrow);
  VectorType vector = access.vector();
  if (!vector)
    return memory.loadScalar(access.indices.front());
  unsigned bits = vector.getNumElements() * widthOf(narrow);
  SmallVector<Value> parts;
  if (access.ofWholeElement()) {
    Value held = memref::LoadOp::create(b, loc, access.words, access.indices);
    if (auto many = dyn_cast<VectorType>(held.getType()))
      for (int64_t i = 0; i < many.getNumElements(); ++i)
        parts.push_back(vector::ExtractOp::create(b, loc, held, i));
    else
      parts.push_back(held);
    return memory.unpack(parts, vector);
  }
  Value first = access.indices.front();
  // In device memory vectors lie at multiples of their size.
  if (access.inDevice() && bits <= wordBits)
    return memory.unpack({memory.loadScalar(first)}, vector);
  if (access.inDevice()) {
    auto words = VectorType::get({int64_t(bits / wordBits)}, b.getI32Type());
    Value held = vector::LoadOp::create(b, loc, words, access.words,
                                        memory.wordOf(first));
    for (int64_t i = 0; i < words.getNumElements(); ++i)
      parts.push_back(vector::ExtractOp::create(b, loc, held, i));
    return memory.unpack(parts, vector);
  }
  for (int64_t i = 0; i < vector.getNumElements(); ++i) {
    Value at = arith::AddIOp::create(
        b, loc, first, arith::ConstantIndexOp::create(b, loc, i).getResult());
    parts.push_back(memory.loadScalar(at));
  }
  return vector::FromElementsOp::create(b, loc, vector.clone(b.getI32Type()),
                                        parts);
}

void storeTo(OpBuilder &b, Location loc, const Access &access, Value bits) {
  Type narrow = getElementTypeOrSelf(access.type);
  WordMemory memory(b, loc, access.words, narrow);
  VectorType vector = access.vector();
  if (!vector)
    return memory.storeBits(access.indices.front(), bits, widthOf(narrow));
  unsigned width = vector.getNumElements() * widthOf(narrow);
  auto joined = [&](ArrayRef<Value> parts) -> Value {
    if (parts.size() == 1)
      return parts.front();
    auto type = VectorType::get({int64_t(parts.size())}, b.getI32Type());
    return vector::FromElementsOp::create(b, loc, type, parts);
  };
  if (access.ofWholeElement()) {
    memref::StoreOp::create(b, loc, joined(memory.pack(bits, vector)),
                            access.words, access.indices);
    return;
  }
  Value first = access.indices.front();
  if (access.inDevice()) {
    SmallVector<Value> parts = memory.pack(bits, vector);
    if (width < wordBits)
      return memory.storeBits(first, parts.front(), width);
    Value word = memory.wordOf(first);
    if (parts.size() == 1)
      memref::StoreOp::create(b, loc, parts.front(), access.words, word);
    else
      vector::StoreOp::create(b, loc, joined(parts), access.words, word);
    return;
  }
  for (int64_t i = 0; i < vector.getNumElements(); ++i) {
    Value at = arith::AddIOp::create(
        b, loc, first, arith::ConstantIndexOp::create(b, loc, i).getResult());
    memory.storeBits(at, vector::ExtractOp::create(b, loc, bits, i),
                     widthOf(narrow));
  }
}

template <typename Op>
struct LoadPattern : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;
  LogicalResult
  matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto memory = cast<MemRefType>(op->getOperand(0).getType());
    Type type = op.getResult().getType();
    Value from = adaptor.getOperands().front();
    if (!isPacked(memory)) {
      rewriter.replaceOp(
          op, rebuild(op, adaptor.getOperands(), convertValue(type), rewriter));
      return success();
    }
    if (adaptor.getIndices().size() != 1)
      return rewriter.notifyMatchFailure(op, "expected one dimension");
    Access access{memory, from, adaptor.getIndices(), type};
    Value bits = loadFrom(rewriter, op.getLoc(), access);
    rewriter.replaceOp(op, Values(rewriter, op.getLoc()).fromBits(bits, type));
    return success();
  }
};

template <typename Op>
struct StorePattern : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;
  LogicalResult
  matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto memory = cast<MemRefType>(op->getOperand(1).getType());
    Value value = adaptor.getOperands().front();
    Type type = op->getOperand(0).getType();
    if (!isPacked(memory)) {
      rewriter.replaceOp(op, rebuild(op, adaptor.getOperands(), {}, rewriter));
      return success();
    }
    if (adaptor.getIndices().size() != 1)
      return rewriter.notifyMatchFailure(op, "expected one dimension");
    Value bits = Values(rewriter, op.getLoc()).toBits(value, type);
    Access access{memory, adaptor.getOperands()[1], adaptor.getIndices(), type};
    storeTo(rewriter, op.getLoc(), access, bits);
    rewriter.eraseOp(op);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

struct EmulateNarrowTypes
    : nxv::impl::NxvEmulateNarrowTypesBase<EmulateNarrowTypes> {
  void runOnOperation() override {
    if (!getOperation()->hasAttr(nxv::kWithoutNarrowAttr))
      return;
    Widener converter;
    RewritePatternSet patterns(&getContext());
    patterns.add<ConstantPattern, LoadPattern<memref::LoadOp>,
                 LoadPattern<vector::LoadOp>, StorePattern<memref::StoreOp>,
                 StorePattern<vector::StoreOp>>(converter, &getContext());
    patterns.add<ArithmeticPattern, MovePattern>(converter, &getContext());
    if (failed(
            nxv::convertTypes(getOperation(), converter, std::move(patterns))))
      return signalPassFailure();
    getOperation()->removeAttr(nxv::kWithoutNarrowAttr);
  }
};

} // namespace
