//===- ExpandFft.cpp - the pass nxv-expand-fft ------------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
// A transform that one kernel cannot do is made of ones it can: by the
// four-step algorithm for products of small primes, by the definition for short
// lengths, and by Bluestein's algorithm for all others. What is computed here
// from sines and cosines is rounded once.
//===----------------------------------------------------------------------===//

#include "nxv/Dialect/Nxv/IR/Nxv.h"
#include "nxv/Kernel/Fft.h"
#include "nxv/Kernel/Passes.h"
#include "nxv/Math/Roots.h"

#include "mlir/IR/Builders.h"

#include <vector>

namespace nxv {
#define GEN_PASS_DEF_EXPANDFFT
#include "nxv/Kernel/Passes.h.inc"
} // namespace nxv

using namespace mlir;
using namespace nxv;
using Wides = std::vector<WideComplex>;

/// Lengths up to which the definition is used, as a product with a matrix.
static constexpr int64_t maxDense = 64;
/// Twiddle factors up to this many are one table, more are products from two.
static constexpr int64_t maxTwiddles = 1 << 16;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

static int64_t largestFactor(int64_t n) {
  int64_t largest = 1;
  for (int64_t factor = 2; factor * factor <= n; ++factor)
    for (; n % factor == 0; n /= factor)
      largest = factor;
  return std::max(n, largest);
}

/// The largest divisor of `n` up to its square root.
static int64_t middleDivisor(int64_t n) {
  int64_t divisor = 1;
  for (int64_t i = 1; i * i <= n; ++i)
    if (n % i == 0)
      divisor = i;
  return divisor;
}

/// The least length from `least` on that is a product of 2, 3 and 5.
static int64_t smoothLength(int64_t least) {
  int64_t best = llvm::PowerOf2Ceil(least);
  for (int64_t fives = 1; fives < best; fives *= 5)
    for (int64_t odd = fives; odd < best; odd *= 3) {
      int64_t length = odd;
      while (length < least)
        length *= 2;
      best = std::min(best, length);
    }
  return best;
}

/// The transform of every `stride`-th number from `first` on, in the precision
/// of the tables.
static Wides transformWide(const Wides &input, const Wides &roots, size_t first,
                           size_t stride) {
  size_t size = input.size() / stride;
  if (size == 1)
    return {input[first]};
  size_t factor = 2;
  while (size % factor != 0)
    ++factor;
  size_t rest = size / factor;
  std::vector<Wides> parts;
  for (size_t i = 0; i < factor; ++i)
    parts.push_back(
        transformWide(input, roots, first + i * stride, stride * factor));
  Wides output(size);
  for (size_t k = 0; k < size; ++k)
    for (size_t i = 0; i < factor; ++i)
      output[k] += parts[i][k % rest] * roots[i * k % size * stride];
  return output;
}

namespace {
class FftExpander {
public:
  explicit FftExpander(FftOp op)
      : builder(op), loc(op.getLoc()),
        element(cast<ComplexType>(typeOf(op.getResult()).getElementType())) {}

  /// `operand` cut or filled with zeros to `length`.
  Value fit(Value operand, int64_t axis, int64_t length);
  Value transform(Value x, int64_t axis, bool inverse);

private:
  /// Does one operation transform this length?
  bool isDirect(int64_t length) const {
    return length <= maxDense || isKernel(length);
  }
  bool isKernel(int64_t length) const {
    return isFftKernel(length,
                       element.getElementType().getIntOrFloatBitWidth() / 8);
  }
  bool readsScattered(Value x, int64_t axis) const;
  int64_t chooseSplit(int64_t length) const;
  Value transformDense(Value x, int64_t axis, bool inverse);
  Value transformFourStep(Value x, int64_t axis, bool inverse);
  Value transformBluestein(Value x, int64_t axis, bool inverse);
  Value multiplyTwiddles(Value x, bool inverse);

  Value constant(ArrayRef<int64_t> shape, const Wides &values);
  Value multiply(Value x, const Wides &values, ArrayRef<int64_t> axes);
  Value reshape(Value x, ArrayRef<int64_t> shape);
  Value transpose(Value x, ArrayRef<int64_t> permutation);

  OpBuilder builder;
  Location loc;
  ComplexType element;
};
} // namespace

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

Value FftExpander::constant(ArrayRef<int64_t> shape, const Wides &values) {
  auto type = RankedTensorType::get(shape, element);
  DenseElementsAttr attr;
  if (element.getElementType().isF32()) {
    std::vector<std::complex<float>> rounded(values.begin(), values.end());
    attr = DenseElementsAttr::get(type, ArrayRef(rounded));
  } else {
    std::vector<std::complex<double>> rounded(values.begin(), values.end());
    attr = DenseElementsAttr::get(type, ArrayRef(rounded));
  }
  return nxv::ConstantOp::create(builder, loc, type, attr);
}

/// `x` times `values`, which run over `axes` of it.
Value FftExpander::multiply(Value x, const Wides &values,
                            ArrayRef<int64_t> axes) {
  SmallVector<int64_t> shape;
  for (int64_t axis : axes)
    shape.push_back(typeOf(x).getDimSize(axis));
  Value factors = BroadcastInDimOp::create(builder, loc, x.getType(),
                                           constant(shape, values), axes);
  return MultiplyOp::create(builder, loc, x.getType(), x, factors);
}

Value FftExpander::reshape(Value x, ArrayRef<int64_t> shape) {
  return ReshapeOp::create(builder, loc, typeOf(x).clone(shape), x);
}

Value FftExpander::transpose(Value x, ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> shape;
  for (int64_t axis : permutation)
    shape.push_back(typeOf(x).getDimSize(axis));
  return TransposeOp::create(builder, loc, typeOf(x).clone(shape), x,
                             permutation);
}

Value FftExpander::fit(Value operand, int64_t axis, int64_t length) {
  RankedTensorType type = typeOf(operand);
  int64_t size = type.getDimSize(axis);
  if (size == length)
    return operand;
  SmallVector<int64_t> shape(type.getShape()), zeros(shape.size(), 0);
  shape[axis] = length;
  if (size > length)
    return SliceOp::create(builder, loc, type.clone(shape), operand, zeros,
                           shape, SmallVector<int64_t>(shape.size(), 1));
  SmallVector<int64_t> high(zeros);
  high[axis] = length - size;
  return PadOp::create(builder, loc, type.clone(shape), operand,
                       constant({}, {0}), zeros, high, zeros);
}

//===----------------------------------------------------------------------===//
// Algorithms
//===----------------------------------------------------------------------===//

/// Would one kernel read a large tensor along an axis whose elements are far
/// from each other, with too little memory for the neighbouring rows that share
/// their cache lines? Transforms of two factors move everything twice, but
/// whole lines.
bool FftExpander::readsScattered(Value x, int64_t axis) const {
  constexpr int64_t neighbours = 4, large = 1 << 22;
  RankedTensorType type = typeOf(x);
  int64_t length = type.getDimSize(axis), inner = 1;
  for (int64_t size : type.getShape().drop_front(axis + 1))
    inner *= size;
  int64_t numberBytes =
      2 * element.getElementType().getIntOrFloatBitWidth() / 8;
  return inner > 1 && type.getNumElements() * numberBytes >= large &&
         numberBytes * length * std::min(inner, neighbours) > fftMemory &&
         middleDivisor(length) > 1;
}

Value FftExpander::transform(Value x, int64_t axis, bool inverse) {
  int64_t length = typeOf(x).getDimSize(axis);
  if (length == 1)
    return x;
  if (isKernel(length) && readsScattered(x, axis))
    return transformFourStep(x, axis, inverse);
  if (isKernel(length))
    return FftOp::create(builder, loc, x.getType(), x,
                         builder.getI64IntegerAttr(length),
                         builder.getI64IntegerAttr(axis),
                         inverse ? builder.getUnitAttr() : UnitAttr());
  if (length <= maxDense)
    return transformDense(x, axis, inverse);
  if (largestFactor(length) <= maxDense)
    return transformFourStep(x, axis, inverse);
  return transformBluestein(x, axis, inverse);
}

Value FftExpander::transformDense(Value x, int64_t axis, bool inverse) {
  int64_t length = typeOf(x).getDimSize(axis);
  Wides matrix;
  for (int64_t i = 0; i < length * length; ++i) {
    matrix.push_back(rootOfUnity(i / length * (i % length), length, inverse));
    if (inverse)
      matrix.back() /= WideComplex(length);
  }
  SmallVector<int64_t> shape, permutation;
  for (int64_t i = 0, rank = typeOf(x).getRank(); i < rank; ++i) {
    permutation.push_back(i == axis ? rank - 1 : i - (i > axis));
    if (i != axis)
      shape.push_back(typeOf(x).getDimSize(i));
  }
  shape.push_back(length);
  Value product = DotGeneralOp::create(builder, loc, typeOf(x).clone(shape), x,
                                       constant({length, length}, matrix),
                                       ArrayRef<int64_t>{}, {axis},
                                       ArrayRef<int64_t>{}, {0});
  return transpose(product, permutation);
}

/// The first factor of a product of two lengths.
int64_t FftExpander::chooseSplit(int64_t length) const {
  int64_t largest = 1;
  for (int64_t i = middleDivisor(length); i > 1; --i) {
    if (length % i != 0 || !isDirect(i))
      continue;
    if (isDirect(length / i))
      return i;
    largest = std::max(largest, i);
  }
  return largest > 1 ? largest : largestFactor(length);
}

/// x[.., n1, n2, ..] times the root of unity of order n1 n2 to the power
/// of the product of the indices.
Value FftExpander::multiplyTwiddles(Value x, bool inverse) {
  SmallVector<int64_t> shape(typeOf(x).getShape());
  int64_t rows = shape[1], columns = shape[2], length = rows * columns;
  auto table = [&](int64_t count, int64_t step) {
    Wides values;
    for (int64_t i = 0; i < rows * count; ++i)
      values.push_back(
          rootOfUnity(i / count * (i % count) * step, length, inverse));
    return values;
  };
  int64_t fine = middleDivisor(columns);
  if (length <= maxTwiddles || fine == 1)
    return multiply(x, table(columns, 1), {1, 2});
  x = reshape(x, {shape[0], rows, columns / fine, fine, shape[3]});
  x = multiply(x, table(columns / fine, fine), {1, 2});
  x = multiply(x, table(fine, 1), {1, 3});
  return reshape(x, shape);
}

/// With n = columns * n1 + n2 and k = k1 + rows * k2: transforms over n1, takes
/// the twiddle factors of n2 k1, and transforms over n2.
Value FftExpander::transformFourStep(Value x, int64_t axis, bool inverse) {
  RankedTensorType type = typeOf(x);
  int64_t length = type.getDimSize(axis), outer = 1, inner = 1;
  for (auto [i, size] : llvm::enumerate(type.getShape()))
    if (int64_t(i) != axis)
      (int64_t(i) < axis ? outer : inner) *= size;
  int64_t rows = chooseSplit(length), columns = length / rows;
  x = reshape(x, {outer, rows, columns, inner});
  x = transform(x, 1, inverse);
  x = multiplyTwiddles(x, inverse);
  x = transform(x, 2, inverse);
  return reshape(transpose(x, {0, 2, 1, 3}), type.getShape());
}

/// n k = (n^2 + k^2 - (k - n)^2) / 2 makes a convolution with a chirp of the
/// transform, which two transforms of a longer, smooth length compute.
Value FftExpander::transformBluestein(Value x, int64_t axis, bool inverse) {
  int64_t length = typeOf(x).getDimSize(axis);
  int64_t longer = smoothLength(2 * length - 1);
  Wides chirp, scaled, filter(longer), roots;
  for (int64_t n = 0; n < length; ++n) {
    __int128 square = static_cast<__int128>(n) * n % (2 * length);
    chirp.push_back(rootOfUnity(int64_t(square), 2 * length, inverse));
    scaled.push_back(inverse ? chirp.back() / WideComplex(length)
                             : chirp.back());
    filter[n] = filter[(longer - n) % longer] = std::conj(chirp.back());
  }
  for (int64_t k = 0; k < longer; ++k)
    roots.push_back(rootOfUnity(k, longer, false));
  Value y = fit(multiply(x, chirp, {axis}), axis, longer);
  y = transform(y, axis, false);
  y = multiply(y, transformWide(filter, roots, 0, 1), {axis});
  y = transform(y, axis, true);
  return multiply(fit(y, axis, length), scaled, {axis});
}

namespace {
struct ExpandFft : nxv::impl::ExpandFftBase<ExpandFft> {
  void runOnOperation() override {
    SmallVector<FftOp> transforms;
    getOperation()->walk([&](FftOp op) { transforms.push_back(op); });
    for (FftOp op : transforms) {
      if (typeOf(op.getResult()).getNumElements() == 0)
        continue;
      FftExpander expander(op);
      Value x = expander.fit(op.getOperand(), op.getAxis(), op.getLength());
      op.replaceAllUsesWith(
          expander.transform(x, op.getAxis(), op.getInverse()));
      op.erase();
    }
  }
};
} // namespace
