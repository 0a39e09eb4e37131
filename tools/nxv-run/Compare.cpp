//===- Compare.cpp - results against recorded ones ------------------------===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Compare.h"

#include "llvm/Support/Format.h"

#include <cmath>

using namespace llvm;
using namespace nxv::run;

namespace {

/// How far an output is from what was recorded.
struct Difference {
  double absolute = 0;
  double relative = 0;
  uint64_t ulp = 0;
  uint64_t worst = 0; // the element of the largest absolute difference
  uint64_t count = 0; // elements that differ
  bool special = false;
  uint64_t firstSpecial = 0; // NaN or infinity against something else
};

bool isFloat(const Tensor &tensor) {
  return tensor.type->kind == ElementKind::Float ||
         tensor.type->kind == ElementKind::Complex;
}

unsigned numParts(const Tensor &tensor) {
  return tensor.type->kind == ElementKind::Complex ? 2 : 1;
}

/// The magnitude of element `i`, or 0 if it is not finite.
double magnitude(const Tensor &tensor, uint64_t i) {
  double value = numParts(tensor) == 2 ? std::hypot(readFloat(tensor, i, 0),
                                                    readFloat(tensor, i, 1))
                                       : std::fabs(readFloat(tensor, i));
  return std::isfinite(value) ? value : 0;
}

double largest(const Tensor &tensor) {
  double value = 0;
  for (uint64_t i = 0; i < tensor.size(); ++i)
    value = std::max(value, magnitude(tensor, i));
  return value;
}

bool sameClass(double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) && std::isnan(b);
  if (std::isinf(a) || std::isinf(b))
    return a == b;
  return true;
}

void compareElement(const Tensor &a, const Tensor &b, uint64_t i,
                    Difference &result) {
  double delta[2] = {0, 0};
  bool differs = false;
  for (unsigned part = 0; part < numParts(a); ++part) {
    double x = readFloat(a, i, part), y = readFloat(b, i, part);
    if (!sameClass(x, y)) {
      if (!result.special)
        result.firstSpecial = i;
      result.special = differs = true;
    } else if (std::isfinite(x)) {
      delta[part] = x - y;
      differs |= x != y;
      result.ulp = std::max(result.ulp, ulpDistance(a, b, i, part));
    }
  }
  result.count += differs;
  double absolute = std::hypot(delta[0], delta[1]);
  if (absolute > result.absolute) {
    result.absolute = absolute;
    result.worst = i;
  }
  double size = magnitude(b, i);
  if (size != 0)
    result.relative = std::max(result.relative, absolute / size);
}

void compareInteger(const Tensor &a, const Tensor &b, uint64_t i,
                    Difference &result) {
  int64_t x = readBits(a, i), y = readBits(b, i);
  if (x == y)
    return;
  ++result.count;
  bool isSigned = a.type->kind == ElementKind::Signed;
  bool less = isSigned ? x < y : uint64_t(x) < uint64_t(y);
  double absolute =
      double(less ? uint64_t(y) - uint64_t(x) : uint64_t(x) - uint64_t(y));
  if (absolute > result.absolute) {
    result.absolute = absolute;
    result.worst = i;
  }
  double size = std::fabs(readFloat(b, i));
  if (size != 0)
    result.relative = std::max(result.relative, absolute / size);
}

Difference compare(const Tensor &a, const Tensor &b) {
  Difference result;
  for (uint64_t i = 0; i < a.size(); ++i)
    if (isFloat(a))
      compareElement(a, b, i, result);
    else
      compareInteger(a, b, i, result);
  return result;
}

/// "[1,3]".
std::string position(const Tensor &tensor, uint64_t i) {
  std::string text = "]";
  for (size_t axis = tensor.shape.size(); axis-- > 0;) {
    text = (axis ? "," : "") + std::to_string(i % tensor.shape[axis]) + text;
    i /= tensor.shape[axis];
  }
  return "[" + text;
}

} // namespace

bool nxv::run::compareOutputs(ArrayRef<Tensor> results,
                              ArrayRef<Tensor> recorded, double tolerance,
                              raw_ostream &out) {
  double scale = 0;
  for (const Tensor &tensor : recorded)
    if (isFloat(tensor))
      scale = std::max(scale, largest(tensor));
  bool all = true;
  for (size_t i = 0; i < results.size(); ++i) {
    const Tensor &a = results[i], &b = recorded[i];
    Difference difference = compare(a, b);
    bool exact = !isFloat(a) || tolerance == 0;
    double bound = exact ? 0 : tolerance * std::max(largest(b), 1e-3 * scale);
    bool agrees = !difference.special && (exact ? difference.count == 0
                                                : difference.absolute <= bound);
    all &= agrees;
    out << "output " << i << ": " << describe(*a.type, a.shape) << " abs "
        << format("%.3g", difference.absolute) << " rel "
        << format("%.3g", difference.relative);
    if (isFloat(a))
      out << " ulp " << difference.ulp;
    out << (agrees ? " ok\n" : " MISMATCH\n");
    if (agrees)
      continue;
    uint64_t at =
        difference.special ? difference.firstSpecial : difference.worst;
    out << "  at " << position(a, at) << ": got " << elementText(a, at)
        << ", recorded " << elementText(b, at) << "; " << difference.count
        << " of " << a.size() << " elements differ, allowed is "
        << format("%.3g", bound) << "\n";
  }
  return all;
}
