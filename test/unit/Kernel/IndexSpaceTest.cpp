//===- IndexSpaceTest.cpp - index expressions against their values --------===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
// What a space makes of an expression is compared with the expression at every
// point of small ranges.

#include "nxv/Kernel/IndexSpace.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

#include <functional>
#include <numeric>
#include <random>
#include <string>

using namespace mlir;
using namespace nxv;
using Ints = std::vector<int64_t>;

namespace {

class IndexSpaceTest : public ::testing::Test {
protected:
  IndexSpaceTest() : context(MLIRContext::Threading::DISABLED) {}
  MLIRContext context;
};

std::string print(AffineExpr expr) {
  std::string text;
  llvm::raw_string_ostream(text) << expr;
  return text;
}

int64_t floorDiv(int64_t a, int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

/// The value of `expr`, by the definition of affine expressions.
int64_t valueOf(AffineExpr expr, const Ints &dims) {
  if (auto value = dyn_cast<AffineConstantExpr>(expr))
    return value.getValue();
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  int64_t a = valueOf(binary.getLHS(), dims);
  int64_t b = valueOf(binary.getRHS(), dims);
  switch (binary.getKind()) {
  case AffineExprKind::Add:
    return a + b;
  case AffineExprKind::Mul:
    return a * b;
  case AffineExprKind::FloorDiv:
    return floorDiv(a, b);
  case AffineExprKind::CeilDiv:
    return -floorDiv(-a, b);
  case AffineExprKind::Mod:
    return a - floorDiv(a, b) * b;
  default:
    ADD_FAILURE() << "unexpected " << print(expr);
    return 0;
  }
}

/// Calls `visit` with each point of the ranges.
void forEachPoint(ArrayRef<IndexRange> ranges,
                  const std::function<void(const Ints &)> &visit) {
  Ints point;
  for (IndexRange range : ranges)
    point.push_back(range.low);
  while (true) {
    visit(point);
    size_t axis = ranges.size();
    while (axis > 0 && point[axis - 1] == ranges[axis - 1].high) {
      point[axis - 1] = ranges[axis - 1].low;
      --axis;
    }
    if (axis == 0)
      return;
    ++point[axis - 1];
  }
}

SmallVector<IndexRange> rangesOf(ArrayRef<int64_t> sizes) {
  SmallVector<IndexRange> ranges;
  for (int64_t size : sizes)
    ranges.push_back({0, std::max<int64_t>(size, 1) - 1});
  return ranges;
}

SmallVector<AffineExpr> addDims(IndexSpace &space,
                                ArrayRef<IndexRange> ranges) {
  SmallVector<AffineExpr> dims;
  for (IndexRange range : ranges)
    dims.push_back(space.addDim(range));
  return dims;
}

int64_t sizeOf(ArrayRef<int64_t> shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t(1),
                         std::multiplies<>());
}

int64_t positionOf(const Ints &indices, ArrayRef<int64_t> shape) {
  int64_t position = 0;
  for (size_t axis = 0; axis < shape.size(); ++axis)
    position = position * shape[axis] + indices[axis];
  return position;
}

const SmallVector<SmallVector<int64_t>> kShapes = {
    {},     {1},       {7},       {0},          {1, 1},    {3, 5},
    {8, 4}, {0, 3},    {3, 0, 2}, {1, 13},      {13, 1},   {2, 3, 5},
    {4, 1}, {1, 6, 1}, {7, 1, 2}, {2, 2, 2, 2}, {5, 1, 3}, {3, 1, 1, 4}};

/// Random expressions as kernels have them: positive divisors, sums of
/// multiples.
class Generator {
public:
  Generator(unsigned seed, ArrayRef<AffineExpr> dims)
      : random(seed), dims(dims) {}

  AffineExpr make(unsigned depth) {
    if (depth == 0 || pick(6) == 0)
      return dims[pick(dims.size())];
    AffineExpr lhs = make(depth - 1);
    switch (pick(6)) {
    case 0:
      return lhs.floorDiv(divisor());
    case 1:
      return lhs % divisor();
    case 2:
      return lhs.ceilDiv(divisor());
    case 3:
      return lhs * (int64_t(pick(13)) - 4);
    case 4:
      return lhs + (int64_t(pick(17)) - 8);
    default:
      return lhs + make(depth - 1) * multiple();
    }
  }

private:
  size_t pick(size_t count) { return random() % count; }
  int64_t divisor() {
    const int64_t some[] = {1, 2, 3, 4, 5, 6, 7, 8, 12, 16};
    return some[pick(10)];
  }
  int64_t multiple() {
    const int64_t some[] = {1, 1, 2, 3, 4, 8, 12, -1, -3};
    return some[pick(9)];
  }

  std::mt19937 random;
  ArrayRef<AffineExpr> dims;
};

/// Ranges that dimensions of kernels have: of sizes 0, 1, powers of two,
/// primes; and what run-time values may be.
SmallVector<IndexRange> pickRanges(unsigned seed) {
  const IndexRange some[] = {{0, 0},  {0, 1},  {0, 2},  {0, 6}, {0, 7},
                             {0, 12}, {0, 15}, {-3, 4}, {2, 9}, {-5, -1}};
  std::mt19937 random(seed);
  SmallVector<IndexRange> ranges;
  for (int i = 0; i < 3; ++i)
    ranges.push_back(some[random() % 10]);
  return ranges;
}

//===----------------------------------------------------------------------===//
// Properties of random expressions
//===----------------------------------------------------------------------===//

TEST_F(IndexSpaceTest, SimplifiedExpressionsHaveTheSameValues) {
  for (unsigned seed = 0; seed < 3000; ++seed) {
    IndexSpace space(&context);
    SmallVector<IndexRange> ranges = pickRanges(seed);
    SmallVector<AffineExpr> dims = addDims(space, ranges);
    AffineExpr expr = Generator(seed, dims).make(4);
    AffineExpr simple = space.simplify(expr);
    IndexRange known = space.rangeOf(simple), before = space.rangeOf(expr);
    unsigned wrong = 0;
    forEachPoint(ranges, [&](const Ints &point) {
      int64_t value = valueOf(expr, point);
      wrong += valueOf(simple, point) != value;
      wrong += value < known.low || value > known.high;
      wrong += value < before.low || value > before.high;
    });
    ASSERT_EQ(wrong, 0u) << "seed " << seed << ": " << print(expr) << " became "
                         << print(simple) << " in [" << known.low << ", "
                         << known.high << "]";
  }
}

TEST_F(IndexSpaceTest, SimplifyingAgainChangesNoValue) {
  for (unsigned seed = 0; seed < 1000; ++seed) {
    IndexSpace space(&context), other(&context);
    SmallVector<IndexRange> ranges = pickRanges(seed);
    SmallVector<AffineExpr> dims = addDims(space, ranges);
    addDims(other, ranges);
    AffineExpr once = space.simplify(Generator(seed, dims).make(4));
    AffineExpr twice = other.simplify(once);
    unsigned wrong = 0;
    forEachPoint(ranges, [&](const Ints &point) {
      wrong += valueOf(once, point) != valueOf(twice, point);
    });
    ASSERT_EQ(wrong, 0u) << print(once) << " became " << print(twice);
  }
}

TEST_F(IndexSpaceTest, MultiplesAreMultiples) {
  unsigned found = 0;
  for (unsigned seed = 0; seed < 2000; ++seed) {
    IndexSpace space(&context);
    SmallVector<IndexRange> ranges = pickRanges(seed);
    SmallVector<AffineExpr> dims = addDims(space, ranges);
    AffineExpr expr = space.simplify(Generator(seed, dims).make(3));
    for (int64_t factor : {2, 3, 4, 8}) {
      if (!space.isMultipleOf(expr, factor))
        continue;
      ++found;
      unsigned wrong = 0;
      forEachPoint(ranges, [&](const Ints &point) {
        wrong += valueOf(expr, point) % factor != 0;
      });
      ASSERT_EQ(wrong, 0u) << print(expr) << " by " << factor;
    }
  }
  EXPECT_GT(found, 100u);
}

TEST_F(IndexSpaceTest, LinearFormsAreTheSame) {
  for (unsigned seed = 0; seed < 1000; ++seed) {
    IndexSpace space(&context);
    SmallVector<IndexRange> ranges = pickRanges(seed);
    SmallVector<AffineExpr> dims = addDims(space, ranges);
    AffineExpr expr = space.simplify(Generator(seed, dims).make(4));
    AffineExpr back = space.fromLinear(space.linearize(expr));
    unsigned wrong = 0;
    forEachPoint(ranges, [&](const Ints &point) {
      wrong += valueOf(expr, point) != valueOf(back, point);
    });
    ASSERT_EQ(wrong, 0u) << print(expr) << " became " << print(back);
  }
}

TEST_F(IndexSpaceTest, SubstitutionReplaces) {
  for (unsigned seed = 0; seed < 500; ++seed) {
    IndexSpace space(&context);
    SmallVector<IndexRange> ranges = pickRanges(seed);
    // What stands for a dimension has values in its range.
    ranges[0] = {0, 11};
    ranges[1] = {0, 2};
    ranges[2] = {0, 3};
    SmallVector<AffineExpr> dims = addDims(space, ranges);
    AffineExpr expr = Generator(seed, dims).make(3);
    AffineExpr replaced =
        space.substitute(expr, dims[0], dims[1] * 4 + dims[2]);
    EXPECT_FALSE(IndexSpace::dependsOn(replaced, dims[0]));
    unsigned wrong = 0;
    forEachPoint(ranges, [&](const Ints &point) {
      Ints at = point;
      at[0] = point[1] * 4 + point[2];
      wrong += valueOf(replaced, point) != valueOf(expr, at);
    });
    ASSERT_EQ(wrong, 0u) << print(expr) << " became " << print(replaced);
  }
}

//===----------------------------------------------------------------------===//
// Canonical forms
//===----------------------------------------------------------------------===//

TEST_F(IndexSpaceTest, DivisionsDisappear) {
  IndexSpace space(&context);
  AffineExpr a = space.addDim(8), b = space.addDim(5), one = space.addDim(1),
             none = space.addDim(0);
  EXPECT_EQ(space.simplify(a.floorDiv(8)), space.constant(0));
  EXPECT_EQ(space.simplify(a % 8), a);
  EXPECT_EQ(space.simplify(a.ceilDiv(1)), a);
  EXPECT_EQ(space.simplify((b * 8 + a).floorDiv(8)), b);
  EXPECT_EQ(space.simplify((b * 8 + a) % 8), a);
  // A sum that carries keeps its division.
  EXPECT_EQ(space.simplify((b * 8 + a + 3).floorDiv(16)),
            (a + b * 8 + 3).floorDiv(16));
  EXPECT_EQ(space.simplify(one), space.constant(0));
  EXPECT_EQ(space.simplify(none * 7 + one), space.constant(0));
  // A part that cannot carry stays out of the division.
  EXPECT_EQ(space.simplify((b * 12 + a % 4).floorDiv(8)),
            space.simplify((b * 3).floorDiv(2)));
  EXPECT_EQ(space.simplify(a.floorDiv(2).floorDiv(3)),
            space.simplify(a.floorDiv(6)));
  EXPECT_EQ(space.simplify((a % 6) % 3), space.simplify(a % 3));
}

TEST_F(IndexSpaceTest, WhatADivisionToreApartJoins) {
  IndexSpace space(&context);
  AffineExpr a = space.addDim(105), b = space.addDim(1000);
  EXPECT_EQ(space.simplify(a.floorDiv(7) * 7 + a % 7), a);
  EXPECT_EQ(space.simplify((a.floorDiv(7) % 5) * 7 + a % 7),
            space.simplify(a % 35));
  EXPECT_EQ(
      space.simplify((a.floorDiv(35) * 5 + a.floorDiv(7) % 5) * 7 + a % 7 + b),
      space.simplify(a + b));
  // Other weights do not belong together.
  EXPECT_NE(space.simplify(a.floorDiv(7) * 6 + a % 7), a);
}

TEST_F(IndexSpaceTest, TermsHaveOneOrder) {
  IndexSpace space(&context);
  AffineExpr a = space.addDim(9), b = space.addDim(9);
  EXPECT_EQ(space.simplify(b * 2 + a.floorDiv(2) + a),
            space.simplify(a + a.floorDiv(2) + b + b));
  EXPECT_EQ(space.simplify(a - a), space.constant(0));
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

TEST_F(IndexSpaceTest, FlatteningCountsRowMajor) {
  for (ArrayRef<int64_t> shape : kShapes) {
    IndexSpace space(&context);
    SmallVector<IndexRange> ranges = rangesOf(shape);
    SmallVector<AffineExpr> dims = addDims(space, ranges);
    AffineExpr position = space.flatten(dims, shape);
    if (sizeOf(shape) == 0)
      continue; // No point has to be right, but nothing may crash.
    forEachPoint(ranges, [&](const Ints &point) {
      EXPECT_EQ(valueOf(position, point), positionOf(point, shape));
    });
  }
}

TEST_F(IndexSpaceTest, UnflatteningUndoesFlattening) {
  for (ArrayRef<int64_t> shape : kShapes) {
    IndexSpace space(&context);
    SmallVector<AffineExpr> dims = addDims(space, rangesOf(shape));
    SmallVector<AffineExpr> back =
        space.unflatten(space.flatten(dims, shape), shape);
    ASSERT_EQ(back.size(), shape.size());
    if (sizeOf(shape) == 0)
      continue;
    for (auto [expr, dim] : llvm::zip(back, dims))
      EXPECT_EQ(expr, space.simplify(dim)) << print(expr);
  }
}

TEST_F(IndexSpaceTest, FlatteningUndoesUnflattening) {
  for (ArrayRef<int64_t> shape : kShapes) {
    IndexSpace space(&context);
    AffineExpr position = space.addDim(sizeOf(shape));
    SmallVector<AffineExpr> indices = space.unflatten(position, shape);
    if (sizeOf(shape) == 0)
      continue;
    EXPECT_EQ(space.flatten(indices, shape), space.simplify(position));
    for (int64_t at = 0; at < sizeOf(shape); ++at) {
      Ints point;
      for (AffineExpr index : indices)
        point.push_back(valueOf(index, {at}));
      EXPECT_EQ(positionOf(point, shape), at);
      for (size_t axis = 0; axis < shape.size(); ++axis)
        EXPECT_TRUE(point[axis] >= 0 && point[axis] < shape[axis]);
    }
  }
}

TEST_F(IndexSpaceTest, ReshapesKeepPositions) {
  unsigned pairs = 0;
  for (ArrayRef<int64_t> result : kShapes)
    for (ArrayRef<int64_t> operand : kShapes) {
      if (sizeOf(result) != sizeOf(operand))
        continue;
      IndexSpace space(&context);
      SmallVector<IndexRange> ranges = rangesOf(result);
      SmallVector<AffineExpr> indices =
          reshapeIndices(space, addDims(space, ranges), result, operand);
      ASSERT_EQ(indices.size(), operand.size());
      ++pairs;
      if (sizeOf(result) == 0)
        continue;
      forEachPoint(ranges, [&](const Ints &point) {
        Ints at;
        for (AffineExpr index : indices)
          at.push_back(valueOf(index, point));
        EXPECT_EQ(positionOf(at, operand), positionOf(point, result));
      });
    }
  EXPECT_GT(pairs, 30u);
}

//===----------------------------------------------------------------------===//
// Inverses
//===----------------------------------------------------------------------===//

struct Inverse {
  SmallVector<AffineExpr> exprs;
  SmallVector<IndexRange> targets;
};

/// The inverse of an access over dimensions of these sizes, over targets that
/// are numbered behind them.
std::optional<Inverse>
invert(MLIRContext &context, ArrayRef<int64_t> sizes, ArrayRef<int64_t> shape,
       const std::function<SmallVector<AffineExpr>(
           IndexSpace &, ArrayRef<AffineExpr>)> &makeAccess,
       SmallVector<AffineExpr> &access) {
  IndexSpace space(&context);
  SmallVector<AffineExpr> dims = addDims(space, rangesOf(sizes));
  SmallVector<AffineExpr> targets = addDims(space, rangesOf(shape));
  access = makeAccess(space, dims);
  auto inverse = invertAccess(space, access, shape, dims, sizes, targets);
  if (!inverse)
    return std::nullopt;
  return Inverse{*inverse, rangesOf(shape)};
}

/// Checks that the inverse finds, for every target, the point that accesses it.
void expectInverse(const Inverse &inverse, ArrayRef<AffineExpr> access,
                   size_t numDims) {
  forEachPoint(inverse.targets, [&](const Ints &target) {
    Ints all(numDims, 0);
    all.insert(all.end(), target.begin(), target.end());
    Ints point;
    for (AffineExpr expr : inverse.exprs)
      point.push_back(valueOf(expr, all));
    for (size_t axis = 0; axis < access.size(); ++axis)
      EXPECT_EQ(valueOf(access[axis], point), target[axis]);
  });
}

TEST_F(IndexSpaceTest, PermutationsInvert) {
  SmallVector<AffineExpr> access;
  auto inverse = invert(
      context, {3, 1, 5}, {5, 3, 1},
      [](IndexSpace &space, ArrayRef<AffineExpr> dims) {
        return SmallVector<AffineExpr>{dims[2], dims[0], dims[1]};
      },
      access);
  ASSERT_TRUE(inverse);
  expectInverse(*inverse, access, 3);
}

TEST_F(IndexSpaceTest, ReshapesInvert) {
  for (ArrayRef<int64_t> sizes : kShapes)
    for (ArrayRef<int64_t> shape : kShapes) {
      if (sizeOf(sizes) != sizeOf(shape) || sizeOf(shape) == 0)
        continue;
      SmallVector<AffineExpr> access;
      auto inverse = invert(
          context, sizes, shape,
          [&](IndexSpace &space, ArrayRef<AffineExpr> dims) {
            return space.unflatten(space.flatten(dims, sizes), shape);
          },
          access);
      ASSERT_TRUE(inverse);
      expectInverse(*inverse, access, sizes.size());
    }
}

TEST_F(IndexSpaceTest, TransposedReshapesInvert) {
  SmallVector<AffineExpr> access;
  auto inverse = invert(
      context, {6, 7}, {2, 7, 3},
      [](IndexSpace &space, ArrayRef<AffineExpr> dims) {
        return SmallVector<AffineExpr>{space.simplify(dims[0].floorDiv(3)),
                                       dims[1], space.simplify(dims[0] % 3)};
      },
      access);
  ASSERT_TRUE(inverse);
  expectInverse(*inverse, access, 2);
}

TEST_F(IndexSpaceTest, WhatIsNoBijectionDoesNotInvert) {
  SmallVector<AffineExpr> access;
  auto same = [](IndexSpace &, ArrayRef<AffineExpr> dims) {
    return SmallVector<AffineExpr>{dims[0], dims[0]};
  };
  EXPECT_FALSE(invert(context, {3, 3}, {3, 3}, same, access));
  auto moved = [](IndexSpace &, ArrayRef<AffineExpr> dims) {
    return SmallVector<AffineExpr>{dims[1] + 1, dims[0]};
  };
  EXPECT_FALSE(invert(context, {3, 3}, {3, 3}, moved, access));
  auto fewer = [](IndexSpace &, ArrayRef<AffineExpr> dims) {
    return SmallVector<AffineExpr>{dims[0]};
  };
  EXPECT_FALSE(invert(context, {3, 2}, {3}, fewer, access));
}

} // namespace
