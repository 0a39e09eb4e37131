//===- Order.cpp - sorts and Fourier transforms -----------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Evaluators.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace nxv;
using namespace nxv::reference;

//===----------------------------------------------------------------------===//
// Sorting
//===----------------------------------------------------------------------===//

/// The stable order of `size` values that are `stride` apart.
template <typename T>
static std::vector<int64_t> getOrder(const T *line, int64_t size,
                                     int64_t stride, Element element,
                                     bool descending) {
  std::vector<int64_t> order(size);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    T x = line[a * stride], y = line[b * stride];
    return descending ? isBefore(element, y, x) : isBefore(element, x, y);
  });
  return order;
}

/// Calls `fn(offset of the line, its order)` for each line of the axis.
template <typename Op, typename Fn>
static void forEachOrder(Op op, const Array &operand, Fn fn) {
  int64_t axis = op.getAxis();
  int64_t stride = getStrides(operand.getShape())[axis];
  operand.visit([&](const auto &values) {
    using T = typename std::decay_t<decltype(values)>::value_type;
    if constexpr (!std::is_same_v<T, Complex>)
      forEachLine(operand.getShape(), axis, [&](int64_t first) {
        fn(first, stride,
           getOrder(values.data() + first, operand.getShape()[axis], stride,
                    operand.getElement(), op.getDescending()));
      });
  });
}

static Array sort(SortOp op, Operands operands) {
  Array result(getResultType(op));
  forEachOrder(
      op, *operands[0], [&](int64_t first, int64_t stride, auto order) {
        result.visit([&](auto &target) {
          using T = typename std::decay_t<decltype(target)>::value_type;
          const std::vector<T> &source = operands[0]->get<T>();
          for (size_t i = 0; i < order.size(); ++i)
            target[first + i * stride] = source[first + order[i] * stride];
        });
      });
  return result;
}

static Array argSort(ArgSortOp op, Operands operands) {
  Array result(getResultType(op));
  std::vector<int64_t> &target = result.get<int64_t>();
  forEachOrder(
      op, *operands[0], [&](int64_t first, int64_t stride, auto order) {
        for (size_t i = 0; i < order.size(); ++i)
          target[first + i * stride] = result.getElement().fit(order[i]);
      });
  return result;
}

//===----------------------------------------------------------------------===//
// Fourier transforms
//===----------------------------------------------------------------------===//

static int64_t getSmallestFactor(int64_t n) {
  for (int64_t factor = 2; factor * factor <= n; ++factor)
    if (n % factor == 0)
      return factor;
  return n;
}

/// The transform of `n` values that are `stride` apart, by its definition for a
/// prime n and from the transforms of every factor-th value otherwise.
/// `roots[k]` is the k-th power of a root of unity of order `roots.size()`.
static std::vector<WideComplex> transform(const WideComplex *input, int64_t n,
                                          int64_t stride,
                                          llvm::ArrayRef<WideComplex> roots) {
  if (n == 1)
    return {*input};
  int64_t factor = getSmallestFactor(n), rest = n / factor;
  int64_t power = roots.size() / n;
  std::vector<std::vector<WideComplex>> parts;
  for (int64_t part = 0; part < factor; ++part)
    parts.push_back(
        transform(input + part * stride, rest, stride * factor, roots));
  std::vector<WideComplex> output(n);
  for (int64_t k = 0; k < n; ++k)
    for (int64_t part = 0; part < factor; ++part)
      output[k] += multiply(parts[part][k % rest], roots[part * k % n * power]);
  return output;
}

static std::vector<WideComplex> getRoots(int64_t n, bool inverse) {
  std::vector<WideComplex> roots;
  long double turn = 2 * std::acos(-1.0L) * (inverse ? 1 : -1);
  for (int64_t k = 0; k < n; ++k)
    roots.push_back({std::cos(turn * k / n), std::sin(turn * k / n)});
  return roots;
}

static Array fft(FftOp op, Operands operands) {
  const Array &operand = *operands[0];
  Array result(getResultType(op));
  int64_t axis = op.getAxis(), length = op.getLength();
  int64_t present = std::min(length, operand.getShape()[axis]);
  int64_t stride = getStrides(operand.getShape())[axis];
  int64_t resultStride = getStrides(result.getShape())[axis];
  std::vector<WideComplex> roots = getRoots(length, op.getInverse());
  // Lines of the operand and of the result go together.
  Shape lines(result.getShape());
  lines[axis] = 1;
  const std::vector<Complex> &source = operand.get<Complex>();
  std::vector<Complex> &target = result.get<Complex>();
  walk(lines, wholeOf(operand.getShape()), wholeOf(result.getShape()),
       [&](int64_t from, int64_t to) {
         std::vector<WideComplex> line(length);
         for (int64_t i = 0; i < present; ++i)
           line[i] = source[from + i * stride];
         line = transform(line.data(), length, 1, roots);
         for (int64_t i = 0; i < length; ++i)
           target[to + i * resultStride] = result.getElement().fit(
               op.getInverse() ? line[i] / WideComplex(length) : line[i]);
       });
  return result;
}

void nxv::reference::addOrder(Evaluators &evaluators) {
  evaluators.add<SortOp>(sort);
  evaluators.add<ArgSortOp>(argSort);
  evaluators.add<FftOp>(fft);
}
