//===- Compare.cpp - a device against the interpreter ---------------------===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

// A fixed tolerance is either too wide for what is determined or too narrow for
// what is not. So the interpreter runs again with results disturbed as another
// implementation may round them: an element may be as far off as it moves then.

#include "nxv/Fuzz/Check.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/Support/Format.h"

#include <cmath>
#include <cstring>

using namespace mlir;
using namespace nxv;
using namespace nxv::fuzz;

namespace {
/// Reads the elements of a tensor: integers as bits, floats as doubles.
class Reader {
public:
  Reader(RankedTensorType type, ArrayRef<uint8_t> bytes)
      : bytes(bytes), size(getReferenceByteSize(type.getElementType())) {
    Type element = type.getElementType();
    if (auto complex = dyn_cast<ComplexType>(element)) {
      element = complex.getElementType();
      size /= 2;
    }
    floats = dyn_cast<FloatType>(element);
  }

  bool isFloat() const { return bool(floats); }
  /// Complex numbers count as two.
  size_t count() const { return bytes.size() / size; }
  uint64_t getBits(size_t i) const {
    uint64_t bits = 0;
    std::memcpy(&bits, bytes.data() + i * size, size);
    return bits;
  }
  double get(size_t i) const {
    llvm::APFloat value(floats.getFloatSemantics(),
                        APInt(unsigned(size) * 8, getBits(i)));
    bool loses;
    value.convert(llvm::APFloat::IEEEdouble(),
                  llvm::APFloat::rmNearestTiesToEven, &loses);
    return value.convertToDouble();
  }
  /// The distance of a number from its neighbour.
  double ulp(double value) const {
    const llvm::fltSemantics &semantics = floats.getFloatSemantics();
    int exponent =
        std::max(value == 0 ? -1100 : std::ilogb(value),
                 int(llvm::APFloat::semanticsMinExponent(semantics)));
    return std::ldexp(
        1.0, exponent + 1 - int(llvm::APFloat::semanticsPrecision(semantics)));
  }
  double highest() const {
    return llvm::APFloat::getLargest(floats.getFloatSemantics())
        .convertToDouble();
  }

private:
  ArrayRef<uint8_t> bytes;
  size_t size;
  FloatType floats;
};

/// What the disturbances leave of one element.
enum class Element { Equal, Near, Waived, Wrong };
} // namespace

static bool sameClass(double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) && std::isnan(b);
  if (std::isinf(a) || std::isinf(b))
    return a == b;
  return true;
}

static bool isEqual(const Reader &a, const Reader &b, size_t i) {
  if (a.getBits(i) == b.getBits(i))
    return true;
  // Zeros of both signs, NaNs of all bits.
  return a.isFloat() && (a.get(i) == b.get(i) ||
                         (std::isnan(a.get(i)) && std::isnan(b.get(i))));
}

static Element classify(const Reader &expected, const Reader &result,
                        ArrayRef<Reader> others, size_t i) {
  if (isEqual(expected, result, i))
    return Element::Equal;
  if (!expected.isFloat()) {
    for (const Reader &other : others)
      if (other.getBits(i) != expected.getBits(i))
        return Element::Waived;
    return Element::Wrong;
  }
  double value = expected.get(i), got = result.get(i), spread = 0;
  for (const Reader &other : others) {
    if (!sameClass(other.get(i), value))
      return Element::Waived;
    if (std::isfinite(value))
      spread = std::max(spread, std::fabs(other.get(i) - value));
  }
  if (spread == 0 || !std::isfinite(value))
    return Element::Wrong;
  double bound = 4 * spread + expected.ulp(value);
  // Next to a pole another result may be the pole itself.
  if (!std::isfinite(got) && bound >= std::fabs(value))
    return Element::Waived;
  if (!std::isfinite(got))
    return !std::isnan(got) && std::fabs(value) + bound > expected.highest()
               ? Element::Near
               : Element::Wrong;
  return std::fabs(got - value) <= bound ? Element::Near : Element::Wrong;
}

static std::string describe(const Reader &reader, size_t i) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (reader.isFloat())
    stream << llvm::format("%.17g", reader.get(i));
  else
    stream << llvm::format_hex(reader.getBits(i), 4);
  return text;
}

/// The interpreter's results under disturbances of a scale, each both ways.
static SmallVector<SmallVector<Tensor>>
disturbed(func::FuncOp main, const Case &test, int pairs, double scale) {
  SmallVector<SmallVector<Tensor>> all;
  for (int i = 0; i < 2 * pairs; ++i) {
    Disturbance disturbance;
    disturbance.seed = uint64_t(i / 2) + 1000 * uint64_t(scale);
    disturbance.mirrored = i & 1;
    disturbance.flushes = (i / 2) & 1;
    disturbance.scale = scale;
    auto results = interpret(main, test.inputs, disturbance);
    if (succeeded(results))
      all.push_back(std::move(*results));
  }
  return all;
}

static Outcome compareAll(ArrayRef<Tensor> expected,
                          ArrayRef<std::vector<uint8_t>> results,
                          ArrayRef<SmallVector<Tensor>> others) {
  Outcome outcome;
  uint64_t wrong = 0;
  for (auto [index, tensor] : llvm::enumerate(expected)) {
    if (tensor.data.size() != results[index].size())
      return {Verdict::Mismatch,
              "output " + std::to_string(index) + " has another size"};
    Reader base(tensor.type, tensor.data), result(tensor.type, results[index]);
    SmallVector<Reader> moved;
    for (const auto &other : others)
      moved.emplace_back(other[index].type, other[index].data);
    for (size_t i = 0; i < base.count(); ++i) {
      ++outcome.elements;
      Element element = classify(base, result, moved, i);
      outcome.waived += element == Element::Waived;
      if (element != Element::Wrong)
        continue;
      if (wrong++ == 0) {
        llvm::raw_string_ostream(outcome.message)
            << "output " << index << " " << tensor.type << " at " << i
            << ": got " << describe(result, i) << ", expected "
            << describe(base, i);
      }
    }
  }
  if (wrong) {
    outcome.verdict = Verdict::Mismatch;
    outcome.message += "; " + std::to_string(wrong) + " of " +
                       std::to_string(outcome.elements) + " elements";
  }
  return outcome;
}

Outcome nxv::fuzz::compareResults(func::FuncOp main, const Case &test,
                                  ArrayRef<Tensor> expected,
                                  ArrayRef<std::vector<uint8_t>> results) {
  Outcome outcome = compareAll(expected, results, {});
  auto others = disturbed(main, test, 0, 1);
  // A border may be missed by a few disturbances, hardly by many.
  for (auto [pairs, scale] :
       {std::pair(2, 1.0), std::pair(6, 2.0), std::pair(6, 4.0)}) {
    if (outcome.verdict == Verdict::Agrees)
      break;
    llvm::append_range(others, disturbed(main, test, pairs, scale));
    outcome = compareAll(expected, results, others);
  }
  return outcome;
}
