//===- Contractions.cpp - products, convolutions, solves --------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Evaluators.h"

using namespace nxv;
using namespace nxv::reference;

/// sum + a * b; integers wrap in 64 bits and are fitted at the end.
static int64_t multiplyAdd(int64_t sum, int64_t a, int64_t b) {
  return int64_t(uint64_t(sum) + uint64_t(a) * uint64_t(b));
}
static double multiplyAdd(double sum, double a, double b) {
  return sum + a * b;
}
static long double multiplyAdd(long double sum, long double a, long double b) {
  return sum + a * b;
}
template <typename T>
static std::complex<T> multiplyAdd(std::complex<T> sum, std::complex<T> a,
                                   std::complex<T> b) {
  return sum + multiply(a, b);
}

//===----------------------------------------------------------------------===//
// Dot products
//===----------------------------------------------------------------------===//

/// A tensor with its axes in another order.
static Array permute(const Array &operand, Dims order) {
  Shape shape, all = getStrides(operand.getShape());
  View view;
  for (int64_t axis : order) {
    shape.push_back(operand.getShape()[axis]);
    view.strides.push_back(all[axis]);
  }
  Array result(operand.getType().clone(shape));
  copyBox(shape, operand, view, result, wholeOf(shape));
  return result;
}

static Shape getFreeAxes(const Array &operand, Dims batch, Dims contract) {
  Shape axes;
  for (int64_t axis = 0; axis < operand.getRank(); ++axis)
    if (!llvm::is_contained(batch, axis) && !llvm::is_contained(contract, axis))
      axes.push_back(axis);
  return axes;
}

static Shape join(Dims a, Dims b, Dims c) {
  Shape all(a);
  all.append(b.begin(), b.end());
  all.append(c.begin(), c.end());
  return all;
}

static int64_t getSizeOf(const Array &operand, Dims axes) {
  int64_t size = 1;
  for (int64_t axis : axes)
    size *= operand.getShape()[axis];
  return size;
}

/// [rows, depth] times [depth, columns].
template <typename T, typename Wide>
static void multiplyMatrices(const T *lhs, const T *rhs, T *result,
                             int64_t rows, int64_t depth, int64_t columns,
                             Element element, Wide) {
  std::vector<Wide> sums(columns);
  for (int64_t row = 0; row < rows; ++row) {
    sums.assign(columns, Wide(0));
    for (int64_t k = 0; k < depth; ++k) {
      Wide factor(lhs[row * depth + k]);
      const T *line = rhs + k * columns;
      for (int64_t column = 0; column < columns; ++column)
        sums[column] = multiplyAdd(sums[column], factor, Wide(line[column]));
    }
    for (int64_t column = 0; column < columns; ++column)
      result[row * columns + column] = element.fit(sums[column]);
  }
}

static Array dotGeneral(DotGeneralOp op, Operands operands) {
  Dims lhsBatch = op.getLhsBatch(), lhsContract = op.getLhsContract();
  Dims rhsBatch = op.getRhsBatch(), rhsContract = op.getRhsContract();
  Shape lhsFree = getFreeAxes(*operands[0], lhsBatch, lhsContract);
  Shape rhsFree = getFreeAxes(*operands[1], rhsBatch, rhsContract);
  Array lhs = permute(*operands[0], join(lhsBatch, lhsFree, lhsContract));
  Array rhs = permute(*operands[1], join(rhsBatch, rhsContract, rhsFree));
  int64_t batches = getSizeOf(*operands[0], lhsBatch);
  int64_t rows = getSizeOf(*operands[0], lhsFree);
  int64_t depth = getSizeOf(*operands[0], lhsContract);
  int64_t columns = getSizeOf(*operands[1], rhsFree);
  Array result(getResultType(op));
  lhs.visitWide([&](const auto &values, auto wide) {
    using T = typename std::decay_t<decltype(values)>::value_type;
    for (int64_t batch = 0; batch < batches; ++batch)
      multiplyMatrices(values.data() + batch * rows * depth,
                       rhs.get<T>().data() + batch * depth * columns,
                       result.get<T>().data() + batch * rows * columns, rows,
                       depth, columns, result.getElement(), wide);
  });
  return result;
}

//===----------------------------------------------------------------------===//
// Convolution
//===----------------------------------------------------------------------===//

namespace {
/// Offsets within one channel of the input and of the kernel.
struct Tap {
  int64_t input, kernel;
};
} // namespace

/// The kernel's elements that meet an element of the input, neither padding nor
/// a hole of its dilation, for one spatial position of the result.
static std::vector<Tap> getTaps(ConvolutionOp op, Dims position, Dims input,
                                Dims kernel) {
  std::vector<Tap> taps;
  Shape strides = getStrides(input);
  int64_t kernelOffset = -1;
  forEachIndex(kernel, [&](Dims inside) {
    ++kernelOffset;
    int64_t inputOffset = 0;
    for (size_t axis = 0; axis < position.size(); ++axis) {
      int64_t at = position[axis] * op.getStrides()[axis] +
                   inside[axis] * op.getKernelDilation()[axis] -
                   op.getLow()[axis];
      int64_t dilation = op.getInputDilation()[axis];
      if (at < 0 || at % dilation != 0 || at / dilation >= input[axis])
        return;
      inputOffset += at / dilation * strides[axis];
    }
    taps.push_back({inputOffset, kernelOffset});
  });
  return taps;
}

namespace {
/// The sizes of a convolution.
struct Extents {
  int64_t batch, channels, out, perGroup, inputSize, kernelSize, resultSize;
  int64_t featureGroups, batchGroups;
};
} // namespace

/// One element of the result: its batch `n`, its channel `o`.
template <typename T, typename Wide>
static Wide convolveAt(const Extents &extents, int64_t n, int64_t o,
                       llvm::ArrayRef<Tap> taps, const std::vector<T> &input,
                       const std::vector<T> &kernel, Wide) {
  int64_t group = o / (extents.out / extents.featureGroups);
  int64_t batchGroup = o / (extents.out / extents.batchGroups);
  int64_t from = batchGroup * extents.batch + n;
  Wide sum(0);
  for (int64_t c = 0; c < extents.perGroup; ++c) {
    int64_t channel = group * extents.perGroup + c;
    const T *x =
        input.data() + (from * extents.channels + channel) * extents.inputSize;
    const T *w =
        kernel.data() + (o * extents.perGroup + c) * extents.kernelSize;
    for (const Tap &tap : taps)
      sum = multiplyAdd(sum, Wide(x[tap.input]), Wide(w[tap.kernel]));
  }
  return sum;
}

static Array convolution(ConvolutionOp op, Operands operands) {
  const Array &input = *operands[0], &kernel = *operands[1];
  Array result(getResultType(op));
  Dims inputSpace = input.getShape().drop_front(2);
  Dims kernelSpace = kernel.getShape().drop_front(2);
  Dims space = result.getShape().drop_front(2);
  Extents extents{result.getShape()[0],        input.getShape()[1],
                  result.getShape()[1],        kernel.getShape()[1],
                  getProduct(inputSpace),      getProduct(kernelSpace),
                  getProduct(space),           int64_t(op.getFeatureGroups()),
                  int64_t(op.getBatchGroups())};
  input.visitWide([&](const auto &values, auto wide) {
    using T = typename std::decay_t<decltype(values)>::value_type;
    std::vector<T> &target = result.get<T>();
    int64_t at = 0;
    forEachIndex(space, [&](Dims position) {
      std::vector<Tap> taps = getTaps(op, position, inputSpace, kernelSpace);
      for (int64_t n = 0; n < extents.batch; ++n)
        for (int64_t o = 0; o < extents.out; ++o)
          target[(n * extents.out + o) * extents.resultSize + at] =
              result.getElement().fit(convolveAt(extents, n, o, taps, values,
                                                 kernel.get<T>(), wide));
      ++at;
    });
  });
  return result;
}

//===----------------------------------------------------------------------===//
// Triangular solve
//===----------------------------------------------------------------------===//

static double conjugate(double value) { return value; }
static Complex conjugate(Complex value) { return std::conj(value); }

namespace {
/// The matrix of a solve that always reads `m x = b`: with the right side,
/// `x op(a) = b` is `op(a)^T x^T = b^T`.
template <typename T>
struct Matrix {
  const T *data;
  int64_t size;
  bool transposed, conjugated, lower;

  T at(int64_t row, int64_t column) const {
    T value =
        transposed ? data[column * size + row] : data[row * size + column];
    return conjugated ? conjugate(value) : value;
  }
};
} // namespace

/// Substitutes along one line of b, whose elements are `stride` apart.
template <typename T, typename Wide>
static void substitute(const Matrix<T> &matrix, T *line, int64_t stride,
                       Element element, Wide) {
  int64_t size = matrix.size;
  std::vector<Wide> x(size);
  for (int64_t step = 0; step < size; ++step) {
    int64_t row = matrix.lower ? step : size - 1 - step;
    Wide rest(line[row * stride]);
    int64_t first = matrix.lower ? 0 : row + 1;
    int64_t last = matrix.lower ? row : size;
    for (int64_t column = first; column < last; ++column)
      rest = multiplyAdd(rest, -Wide(matrix.at(row, column)), x[column]);
    x[row] = rest / Wide(matrix.at(row, row));
  }
  for (int64_t row = 0; row < size; ++row)
    line[row * stride] = element.fit(x[row]);
}

static Array triangularSolve(TriangularSolveOp op, Operands operands) {
  const Array &a = *operands[0];
  Array result = *operands[1];
  int64_t size = a.getShape().back();
  Dims shape = result.getShape().take_back(2);
  int64_t rows = shape[0], columns = shape[1];
  bool left = op.getLeftSide();
  TransformA transform = op.getTransformA();
  bool transposed = (transform != TransformA::none) == left;
  int64_t batches = getProduct(a.getShape().drop_back(2));
  a.visitWide([&](const auto &values, auto wide) {
    using T = typename std::decay_t<decltype(values)>::value_type;
    if constexpr (!std::is_same_v<T, int64_t>)
      for (int64_t batch = 0; batch < batches; ++batch) {
        Matrix<T> matrix{values.data() + batch * size * size, size, transposed,
                         transform == TransformA::conjugate,
                         op.getLower() != transposed};
        T *b = result.get<T>().data() + batch * rows * columns;
        for (int64_t i = 0, e = left ? columns : rows; i < e; ++i)
          substitute(matrix, left ? b + i : b + i * columns, left ? columns : 1,
                     result.getElement(), wide);
      }
  });
  return result;
}

void nxv::reference::addContractions(Evaluators &evaluators) {
  evaluators.add<DotGeneralOp>(dotGeneral);
  evaluators.add<ConvolutionOp>(convolution);
  evaluators.add<TriangularSolveOp>(triangularSolve);
}
