//===- IndexSpace.cpp - index expressions with known ranges -----*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "nxv/Kernel/IndexSpace.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <limits>
#include <numeric>

using namespace mlir;
using namespace nxv;

static constexpr IndexRange unknownRange{std::numeric_limits<int32_t>::min(),
                                         std::numeric_limits<int32_t>::max()};

AffineExpr IndexSpace::addDim(IndexRange range) {
  ranges.push_back(range);
  return getAffineDimExpr(ranges.size() - 1, context);
}

AffineExpr IndexSpace::constant(int64_t value) const {
  return getAffineConstantExpr(value, context);
}

IndexRange IndexSpace::rangeOf(AffineExpr expr) const {
  if (auto value = dyn_cast<AffineConstantExpr>(expr))
    return {value.getValue(), value.getValue()};
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return ranges[dim.getPosition()];
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return unknownRange;
  IndexRange lhs = rangeOf(binary.getLHS());
  IndexRange rhs = rangeOf(binary.getRHS());
  switch (binary.getKind()) {
  case AffineExprKind::Add:
    return {lhs.low + rhs.low, lhs.high + rhs.high};
  case AffineExprKind::Mul: {
    int64_t a = lhs.low * rhs.low, b = lhs.low * rhs.high;
    int64_t c = lhs.high * rhs.low, d = lhs.high * rhs.high;
    return {std::min({a, b, c, d}), std::max({a, b, c, d})};
  }
  case AffineExprKind::FloorDiv:
    return {llvm::divideFloorSigned(lhs.low, rhs.low),
            llvm::divideFloorSigned(lhs.high, rhs.low)};
  case AffineExprKind::CeilDiv:
    return {llvm::divideCeilSigned(lhs.low, rhs.low),
            llvm::divideCeilSigned(lhs.high, rhs.low)};
  case AffineExprKind::Mod:
    if (lhs.within(0, rhs.low - 1))
      return lhs;
    return {0, rhs.low - 1};
  default:
    return unknownRange;
  }
}

static void addTerm(LinearForm &form, AffineExpr atom, int64_t factor) {
  for (auto &term : form.terms)
    if (term.first == atom) {
      term.second += factor;
      return;
    }
  form.terms.push_back({atom, factor});
}

static void accumulate(LinearForm &form, AffineExpr expr, int64_t factor) {
  if (auto value = dyn_cast<AffineConstantExpr>(expr)) {
    form.constant += value.getValue() * factor;
    return;
  }
  if (auto binary = dyn_cast<AffineBinaryOpExpr>(expr)) {
    if (binary.getKind() == AffineExprKind::Add) {
      accumulate(form, binary.getLHS(), factor);
      accumulate(form, binary.getRHS(), factor);
      return;
    }
    if (binary.getKind() == AffineExprKind::Mul) {
      if (auto value = dyn_cast<AffineConstantExpr>(binary.getRHS())) {
        accumulate(form, binary.getLHS(), factor * value.getValue());
        return;
      }
    }
  }
  addTerm(form, expr, factor);
}

LinearForm IndexSpace::linearize(AffineExpr expr) const {
  LinearForm form;
  accumulate(form, expr, 1);
  llvm::erase_if(form.terms, [](auto &term) { return term.second == 0; });
  return form;
}

/// A total order of expressions that depends on their structure only.
static int compare(AffineExpr a, AffineExpr b) {
  if (a == b)
    return 0;
  if (a.getKind() != b.getKind())
    return a.getKind() == AffineExprKind::DimId ||
                   (b.getKind() != AffineExprKind::DimId &&
                    a.getKind() < b.getKind())
               ? -1
               : 1;
  if (auto dim = dyn_cast<AffineDimExpr>(a))
    return dim.getPosition() < cast<AffineDimExpr>(b).getPosition() ? -1 : 1;
  if (auto value = dyn_cast<AffineConstantExpr>(a))
    return value.getValue() < cast<AffineConstantExpr>(b).getValue() ? -1 : 1;
  auto x = cast<AffineBinaryOpExpr>(a), y = cast<AffineBinaryOpExpr>(b);
  if (int order = compare(x.getLHS(), y.getLHS()))
    return order;
  return compare(x.getRHS(), y.getRHS());
}

AffineExpr IndexSpace::fromLinear(LinearForm form) {
  llvm::erase_if(form.terms, [](auto &term) { return term.second == 0; });
  llvm::sort(form.terms,
             [](auto &a, auto &b) { return compare(a.first, b.first) < 0; });
  AffineExpr sum;
  for (auto &[atom, factor] : form.terms) {
    AffineExpr term = factor == 1 ? atom : atom * factor;
    sum = sum ? getAffineBinaryOpExpr(AffineExprKind::Add, sum, term) : term;
  }
  if (!sum)
    return constant(form.constant);
  return form.constant ? sum + form.constant : sum;
}

static bool matchDiv(AffineExpr expr, AffineExpr &numerator, int64_t &divisor) {
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary || binary.getKind() != AffineExprKind::FloorDiv)
    return false;
  auto value = dyn_cast<AffineConstantExpr>(binary.getRHS());
  if (!value)
    return false;
  numerator = binary.getLHS();
  divisor = value.getValue();
  return true;
}

static bool matchMod(AffineExpr expr, AffineExpr &numerator, int64_t &divisor) {
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary || binary.getKind() != AffineExprKind::Mod)
    return false;
  auto value = dyn_cast<AffineConstantExpr>(binary.getRHS());
  if (!value)
    return false;
  numerator = binary.getLHS();
  divisor = value.getValue();
  return true;
}

/// Puts back together what a division tore apart:
///   (e mod c) k + ((e div c) mod d) k c = (e mod c d) k
///   (e mod c) k + (e div c) k c         = e k
void IndexSpace::recombine(LinearForm &form) {
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < form.terms.size() && !changed; ++i) {
      AffineExpr numerator;
      int64_t c = 0;
      if (!matchMod(form.terms[i].first, numerator, c))
        continue;
      int64_t k = form.terms[i].second;
      // The quotient that belongs to this remainder, in its canonical form.
      AffineExpr quotient = simplifyDiv(numerator, c);
      LinearForm parts = linearize(quotient);
      for (size_t j = 0; j < form.terms.size() && !changed; ++j) {
        if (j == i)
          continue;
        AffineExpr inner;
        int64_t d = 0;
        if (form.terms[j].second == k * c &&
            matchMod(form.terms[j].first, inner, d) && inner == quotient) {
          AffineExpr merged = simplifyMod(numerator, c * d);
          form.terms.erase(form.terms.begin() + std::max(i, j));
          form.terms.erase(form.terms.begin() + std::min(i, j));
          accumulate(form, merged, k);
          changed = true;
        }
      }
      if (changed || parts.terms.empty())
        continue;
      // All terms of the quotient, times k c, must be present.
      bool present = llvm::all_of(parts.terms, [&](auto &part) {
        return llvm::any_of(form.terms, [&](auto &term) {
          return term.first == part.first && term.second == part.second * k * c;
        });
      });
      if (!present)
        continue;
      for (auto &part : parts.terms)
        addTerm(form, part.first, -part.second * k * c);
      form.constant -= parts.constant * k * c;
      addTerm(form, form.terms[i].first, -k);
      accumulate(form, numerator, k);
      llvm::erase_if(form.terms, [](auto &term) { return term.second == 0; });
      changed = true;
    }
  }
}

AffineExpr IndexSpace::simplifyDiv(AffineExpr numerator, int64_t divisor) {
  if (divisor == 1)
    return numerator;
  LinearForm form = linearize(numerator);
  LinearForm quotient, rest;
  for (auto &[atom, factor] : form.terms)
    addTerm(factor % divisor == 0 ? quotient : rest, atom,
            factor % divisor == 0 ? factor / divisor : factor);
  quotient.constant = llvm::divideFloorSigned(form.constant, divisor);
  rest.constant = form.constant - quotient.constant * divisor;
  AffineExpr remaining = fromLinear(rest);
  if (rangeOf(remaining).within(0, divisor - 1))
    return fromLinear(quotient);

  auto finish = [&](AffineExpr atom) {
    LinearForm result = quotient;
    accumulate(result, atom, 1);
    return fromLinear(result);
  };
  // (g x + y) div c = x div (c / g) where g divides c and 0 <= y < g.
  llvm::SmallVector<int64_t> candidates;
  for (auto &term : rest.terms)
    if (int64_t g = std::gcd(std::abs(term.second), divisor); g > 1)
      candidates.push_back(g);
  llvm::sort(candidates, std::greater<>());
  for (int64_t g : candidates) {
    LinearForm x, y;
    for (auto &[atom, factor] : rest.terms)
      addTerm(factor % g == 0 ? x : y, atom,
              factor % g == 0 ? factor / g : factor);
    x.constant = llvm::divideFloorSigned(rest.constant, g);
    y.constant = rest.constant - x.constant * g;
    if (rangeOf(fromLinear(y)).within(0, g - 1))
      return finish(simplifyDiv(fromLinear(x), divisor / g));
  }
  // (e div a) div b = e div (a b).
  AffineExpr inner;
  int64_t a = 0;
  if (rest.constant == 0 && rest.terms.size() == 1 &&
      rest.terms[0].second == 1 && matchDiv(rest.terms[0].first, inner, a))
    return finish(simplifyDiv(inner, a * divisor));
  // (e mod (a b)) div a stays: it is (e div a) mod b, the canonical form.
  if (rest.constant == 0 && rest.terms.size() == 1 &&
      rest.terms[0].second == 1 && matchMod(rest.terms[0].first, inner, a) &&
      a % divisor == 0)
    return finish(simplifyMod(simplifyDiv(inner, divisor), a / divisor));
  return finish(getAffineBinaryOpExpr(AffineExprKind::FloorDiv, remaining,
                                      constant(divisor)));
}

AffineExpr IndexSpace::simplifyMod(AffineExpr numerator, int64_t divisor) {
  if (divisor == 1)
    return constant(0);
  LinearForm form = linearize(numerator);
  LinearForm rest;
  for (auto &[atom, factor] : form.terms)
    if (factor % divisor != 0)
      addTerm(rest, atom, factor);
  rest.constant =
      form.constant - llvm::divideFloorSigned(form.constant, divisor) * divisor;
  AffineExpr remaining = fromLinear(rest);
  if (rangeOf(remaining).within(0, divisor - 1))
    return remaining;

  // (g x + y) mod c = g (x mod (c / g)) + y where g divides c and 0 <= y < g.
  llvm::SmallVector<int64_t> candidates;
  for (auto &term : rest.terms)
    if (int64_t g = std::gcd(std::abs(term.second), divisor); g > 1)
      candidates.push_back(g);
  llvm::sort(candidates, std::greater<>());
  for (int64_t g : candidates) {
    LinearForm x, y;
    for (auto &[atom, factor] : rest.terms)
      addTerm(factor % g == 0 ? x : y, atom,
              factor % g == 0 ? factor / g : factor);
    x.constant = llvm::divideFloorSigned(rest.constant, g);
    y.constant = rest.constant - x.constant * g;
    if (!rangeOf(fromLinear(y)).within(0, g - 1))
      continue;
    accumulate(y, simplifyMod(fromLinear(x), divisor / g), g);
    return fromLinear(y);
  }
  // (e mod a) mod b = e mod b where b divides a.
  AffineExpr inner;
  int64_t a = 0;
  if (rest.constant == 0 && rest.terms.size() == 1 &&
      rest.terms[0].second == 1 && matchMod(rest.terms[0].first, inner, a) &&
      a % divisor == 0)
    return simplifyMod(inner, divisor);
  return getAffineBinaryOpExpr(AffineExprKind::Mod, remaining,
                               constant(divisor));
}

AffineExpr IndexSpace::simplify(AffineExpr expr) {
  if (auto found = simplified.find(expr); found != simplified.end())
    return found->second;
  AffineExpr result = expr;
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    IndexRange range = ranges[dim.getPosition()];
    if (range.low == range.high)
      result = constant(range.low);
  } else if (auto binary = dyn_cast<AffineBinaryOpExpr>(expr)) {
    AffineExpr lhs = simplify(binary.getLHS());
    AffineExpr rhs = simplify(binary.getRHS());
    auto value = dyn_cast<AffineConstantExpr>(rhs);
    switch (binary.getKind()) {
    case AffineExprKind::FloorDiv:
      result = value ? simplifyDiv(lhs, value.getValue()) : lhs.floorDiv(rhs);
      break;
    case AffineExprKind::CeilDiv:
      result = value
                   ? simplifyDiv(lhs + (value.getValue() - 1), value.getValue())
                   : lhs.ceilDiv(rhs);
      break;
    case AffineExprKind::Mod:
      result = value ? simplifyMod(lhs, value.getValue()) : lhs % rhs;
      break;
    default: {
      LinearForm form;
      accumulate(form, getAffineBinaryOpExpr(binary.getKind(), lhs, rhs), 1);
      llvm::erase_if(form.terms, [](auto &term) { return term.second == 0; });
      recombine(form);
      result = fromLinear(form);
    }
    }
  }
  simplified[expr] = result;
  return result;
}

bool IndexSpace::isMultipleOf(AffineExpr expr, int64_t factor) const {
  if (factor == 1)
    return true;
  LinearForm form = linearize(expr);
  if (form.constant % factor != 0)
    return false;
  return llvm::all_of(form.terms, [&](auto &term) {
    if (term.second % factor == 0)
      return true;
    AffineExpr inner;
    int64_t c = 0;
    return matchMod(term.first, inner, c) && c % factor == 0 &&
           isMultipleOf(inner, factor);
  });
}

bool IndexSpace::dependsOn(AffineExpr expr, AffineExpr dim) {
  return expr.isFunctionOfDim(cast<AffineDimExpr>(dim).getPosition());
}

AffineExpr IndexSpace::substitute(AffineExpr expr, AffineExpr dim,
                                  AffineExpr replacement) {
  if (!dependsOn(expr, dim))
    return expr;
  return simplify(expr.replace(dim, replacement));
}

AffineExpr IndexSpace::flatten(ArrayRef<AffineExpr> indices,
                               ArrayRef<int64_t> shape) {
  AffineExpr position = constant(0);
  for (auto [index, size] : llvm::zip(indices, shape))
    position = position * size + index;
  return simplify(position);
}

SmallVector<AffineExpr> IndexSpace::unflatten(AffineExpr position,
                                              ArrayRef<int64_t> shape) {
  SmallVector<AffineExpr> indices(shape.size(), constant(0));
  int64_t stride = 1;
  for (int64_t axis = shape.size() - 1; axis >= 0; --axis) {
    if (shape[axis] <= 0)
      continue;
    AffineExpr quotient = simplify(position.floorDiv(stride));
    // The outermost index needs no remainder: the position is in range.
    bool outermost = llvm::all_of(shape.take_front(axis),
                                  [](int64_t size) { return size == 1; });
    indices[axis] = outermost ? quotient : simplify(quotient % shape[axis]);
    stride *= shape[axis];
    if (outermost)
      break;
  }
  return indices;
}

SmallVector<AffineExpr> nxv::reshapeIndices(IndexSpace &space,
                                            ArrayRef<AffineExpr> indices,
                                            ArrayRef<int64_t> resultShape,
                                            ArrayRef<int64_t> operandShape) {
  // Walk both shapes from the left and pair the runs of axes with equal
  // products, so that only the axes that really change are divided.
  SmallVector<AffineExpr> result;
  size_t i = 0, j = 0;
  while (i < resultShape.size() || j < operandShape.size()) {
    size_t firstI = i, firstJ = j;
    int64_t left = i < resultShape.size() ? resultShape[i++] : 1;
    int64_t right = j < operandShape.size() ? operandShape[j++] : 1;
    while (left != right) {
      if (left < right && i < resultShape.size())
        left *= resultShape[i++];
      else if (right < left && j < operandShape.size())
        right *= operandShape[j++];
      else
        break;
    }
    AffineExpr position = space.flatten(indices.slice(firstI, i - firstI),
                                        resultShape.slice(firstI, i - firstI));
    llvm::append_range(
        result,
        space.unflatten(position, operandShape.slice(firstJ, j - firstJ)));
  }
  return result;
}

namespace {
/// One digit of an access: index `axis` of the target space holds, at weight
/// `stride`, the part `(dim div divisor) mod size`.
struct Digit {
  unsigned axis;
  int64_t stride;
  unsigned dim;
  int64_t divisor;
  int64_t size;
};
} // namespace

static std::optional<Digit> matchDigit(AffineExpr atom,
                                       ArrayRef<AffineExpr> dims,
                                       ArrayRef<int64_t> sizes) {
  Digit digit{0, 1, 0, 1, 0};
  AffineExpr inner;
  int64_t c = 0;
  int64_t modulus = 0;
  if (matchMod(atom, inner, c)) {
    modulus = c;
    atom = inner;
  }
  if (matchDiv(atom, inner, c)) {
    digit.divisor = c;
    atom = inner;
  }
  auto *found = llvm::find(dims, atom);
  if (found == dims.end())
    return std::nullopt;
  digit.dim = found - dims.begin();
  digit.size =
      modulus ? modulus : llvm::divideCeil(sizes[digit.dim], digit.divisor);
  return digit;
}

std::optional<SmallVector<AffineExpr>>
nxv::invertAccess(IndexSpace &space, ArrayRef<AffineExpr> access,
                  ArrayRef<int64_t> shape, ArrayRef<AffineExpr> dims,
                  ArrayRef<int64_t> sizes, ArrayRef<AffineExpr> targets) {
  int64_t count = 1, targetCount = 1;
  for (int64_t size : sizes)
    count *= size;
  for (int64_t size : shape)
    targetCount *= size;
  if (count != targetCount)
    return std::nullopt;
  // Row-major order kept: one division chain says it all.
  if (space.flatten(access, shape) == space.flatten(dims, sizes))
    return space.unflatten(space.flatten(targets, shape), sizes);

  SmallVector<Digit> digits;
  for (unsigned axis = 0; axis < access.size(); ++axis) {
    LinearForm form = space.linearize(access[axis]);
    if (form.constant != 0)
      return std::nullopt;
    for (auto &[atom, factor] : form.terms) {
      std::optional<Digit> digit = matchDigit(atom, dims, sizes);
      if (!digit || factor < 1)
        return std::nullopt;
      digit->axis = axis;
      digit->stride = factor;
      digits.push_back(*digit);
    }
  }
  SmallVector<AffineExpr> inverse(dims.size(), space.constant(0));
  for (Digit &digit : digits) {
    AffineExpr part = targets[digit.axis].floorDiv(digit.stride);
    if (digit.stride * digit.size < shape[digit.axis])
      part = part % digit.size;
    inverse[digit.dim] = inverse[digit.dim] + part * digit.divisor;
  }
  for (AffineExpr &expr : inverse)
    expr = space.simplify(expr);
  // Proof: the inverse, put into the access, gives the targets back.
  for (auto [expr, target] : llvm::zip(access, targets)) {
    DenseMap<AffineExpr, AffineExpr> replacements;
    for (auto [dim, value] : llvm::zip(dims, inverse))
      replacements[dim] = value;
    if (space.simplify(expr.replace(replacements)) != space.simplify(target))
      return std::nullopt;
  }
  return inverse;
}
