//===- ElementType.cpp - the graph's element types
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "ElementType.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;

static Type parseInteger(StringRef name, MLIRContext *context) {
  unsigned bits;
  if (name.size() < 2 || name.drop_front().getAsInteger(10, bits))
    return {};
  if (!llvm::is_contained({2u, 4u, 8u, 16u, 32u, 64u}, bits) ||
      name.drop_front() != std::to_string(bits))
    return {};
  if (name.front() == 's')
    return IntegerType::get(context, bits);
  if (name.front() == 'u')
    return IntegerType::get(context, bits, IntegerType::Unsigned);
  return {};
}

Type nxv::graph::parseElementType(StringRef name, MLIRContext *context) {
  Builder b(context);
  Type type = llvm::StringSwitch<Type>(name)
                  .Cases({"f8", "f8_e5m2"}, Float8E5M2Type::get(context))
                  .Case("f8_e4m3fn", Float8E4M3FNType::get(context))
                  .Case("bf16", b.getBF16Type())
                  .Case("f16", b.getF16Type())
                  .Case("f32", b.getF32Type())
                  .Case("f64", b.getF64Type())
                  .Case("c64", ComplexType::get(b.getF32Type()))
                  .Case("c128", ComplexType::get(b.getF64Type()))
                  .Default({});
  return type ? type : parseInteger(name, context);
}

static StringRef integerName(IntegerType type) {
  static constexpr StringRef kSigned[] = {"s2",  "s4",  "s8",
                                          "s16", "s32", "s64"};
  static constexpr StringRef kUnsigned[] = {"u2",  "u4",  "u8",
                                            "u16", "u32", "u64"};
  unsigned bits = type.getWidth();
  if (bits == 1)
    return "u8";
  if (bits < 2 || bits > 64 || !llvm::isPowerOf2_32(bits))
    return {};
  unsigned index = llvm::Log2_32(bits) - 1;
  return type.isUnsigned() ? kUnsigned[index] : kSigned[index];
}

StringRef nxv::graph::elementTypeName(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return integerName(integer);
  if (auto complex = dyn_cast<ComplexType>(type))
    return complex.getElementType().isF64() ? "c128" : "c64";
  if (isa<Float8E5M2Type>(type))
    return "f8_e5m2";
  if (isa<Float8E4M3FNType>(type))
    return "f8_e4m3fn";
  if (type.isBF16())
    return "bf16";
  if (type.isF16())
    return "f16";
  if (type.isF32())
    return "f32";
  if (type.isF64())
    return "f64";
  return {};
}

int nxv::graph::kindRank(Type type) {
  if (isa<ComplexType>(type))
    return 2;
  return isa<FloatType>(type) ? 1 : 0;
}

static Type mergeIntegers(IntegerType a, IntegerType b) {
  if (a.isUnsigned() == b.isUnsigned())
    return a.getWidth() >= b.getWidth() ? a : b;
  unsigned fromUnsigned = (a.isUnsigned() ? a : b).getWidth();
  unsigned fromSigned = (a.isUnsigned() ? b : a).getWidth();
  return IntegerType::get(
      a.getContext(), std::max(std::min(2 * fromUnsigned, 64u), fromSigned));
}

/// bf16 gives way to every other float; else the wider one.
static Type mergeFloats(Type a, Type b) {
  if (a.isBF16() || b.isBF16())
    return a.isBF16() ? b : a;
  return a.getIntOrFloatBitWidth() >= b.getIntOrFloatBitWidth() ? a : b;
}

static Type mergeComplex(ComplexType complex, Type other) {
  if (auto otherComplex = dyn_cast<ComplexType>(other))
    other = otherComplex.getElementType();
  return other.isF64() ? ComplexType::get(other) : complex;
}

Type nxv::graph::mergeElementTypes(Type a, Type b) {
  if (a == b)
    return a;
  if (auto complex = dyn_cast<ComplexType>(a))
    return mergeComplex(complex, b);
  if (auto complex = dyn_cast<ComplexType>(b))
    return mergeComplex(complex, a);
  if (kindRank(a) != kindRank(b))
    return kindRank(a) > kindRank(b) ? a : b;
  if (isa<FloatType>(a))
    return mergeFloats(a, b);
  return mergeIntegers(cast<IntegerType>(a), cast<IntegerType>(b));
}

int64_t nxv::graph::elementBytes(Type type) {
  if (auto complex = dyn_cast<ComplexType>(type))
    return 2 * elementBytes(complex.getElementType());
  return llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
}

std::optional<int64_t> nxv::graph::countElements(ArrayRef<int64_t> shape,
                                                 Type element) {
  // Sizes beside a 0 must multiply, too: index arithmetic uses them. A byte
  // count stays below 2^60, so that bit counts do not overflow.
  std::optional<int64_t> bytes = elementBytes(element);
  for (int64_t size : shape) {
    bytes = llvm::checkedMul(*bytes, std::max<int64_t>(size, 1));
    if (!bytes || *bytes >= (int64_t(1) << 60))
      return std::nullopt;
  }
  return llvm::is_contained(shape, 0) ? 0 : *bytes / elementBytes(element);
}
