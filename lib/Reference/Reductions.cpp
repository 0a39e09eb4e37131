//===- Reductions.cpp - reductions and windows ------------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Evaluators.h"

#include <cmath>

using namespace nxv;
using namespace nxv::reference;

//===----------------------------------------------------------------------===//
// Combining
//===----------------------------------------------------------------------===//

int64_t nxv::reference::combine(ReduceKind kind, Element element, int64_t a,
                                int64_t b) {
  switch (kind) {
  case ReduceKind::add:
    // Two true predicates are true.
    return element.isPred() ? a | b
                            : element.fit(int64_t(uint64_t(a) + uint64_t(b)));
  case ReduceKind::mul:
    return element.fit(int64_t(uint64_t(a) * uint64_t(b)));
  case ReduceKind::max:
    return isLess(element, a, b) ? b : a;
  case ReduceKind::min:
    return isLess(element, b, a) ? b : a;
  case ReduceKind::and_:
    return a & b;
  case ReduceKind::or_:
    return a | b;
  }
  return a;
}

/// NaN wins; of two zeros the positive one is the greater.
template <typename T>
static T getMaximum(T a, T b) {
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) ? a : b;
  if (a == b)
    return std::signbit(a) ? b : a;
  return a < b ? b : a;
}

template <typename T>
static T combineReal(ReduceKind kind, T a, T b) {
  switch (kind) {
  case ReduceKind::add:
    return a + b;
  case ReduceKind::mul:
    return a * b;
  case ReduceKind::max:
    return getMaximum(a, b);
  case ReduceKind::min:
    return -getMaximum(-a, -b);
  case ReduceKind::and_:
  case ReduceKind::or_:
    break; // the verifier allows them on integers only
  }
  return a;
}

double nxv::reference::combine(ReduceKind kind, Element, double a, double b) {
  return combineReal(kind, a, b);
}
long double nxv::reference::combine(ReduceKind kind, Element, long double a,
                                    long double b) {
  return combineReal(kind, a, b);
}
Complex nxv::reference::combine(ReduceKind kind, Element, Complex a,
                                Complex b) {
  return kind == ReduceKind::mul ? multiply(a, b) : a + b;
}
WideComplex nxv::reference::combine(ReduceKind kind, Element, WideComplex a,
                                    WideComplex b) {
  return kind == ReduceKind::mul ? multiply(a, b) : a + b;
}

namespace nxv::reference {
template <>
int64_t getNeutral(ReduceKind kind, Element element) {
  switch (kind) {
  case ReduceKind::add:
  case ReduceKind::or_:
    return 0;
  case ReduceKind::mul:
    return 1;
  case ReduceKind::max:
    return element.lowestInteger();
  case ReduceKind::min:
    return element.highestInteger();
  case ReduceKind::and_:
    return element.fit(int64_t(-1));
  }
  return 0;
}
template <>
double getNeutral(ReduceKind kind, Element element) {
  if (kind == ReduceKind::max)
    return -element.highestReal();
  if (kind == ReduceKind::min)
    return element.highestReal();
  return kind == ReduceKind::mul ? 1 : 0;
}
template <>
long double getNeutral(ReduceKind kind, Element element) {
  return getNeutral<double>(kind, element);
}
template <>
Complex getNeutral(ReduceKind kind, Element) {
  return kind == ReduceKind::mul ? 1 : 0;
}
template <>
WideComplex getNeutral(ReduceKind kind, Element) {
  return kind == ReduceKind::mul ? 1 : 0;
}
} // namespace nxv::reference

//===----------------------------------------------------------------------===//
// Reductions along axes
//===----------------------------------------------------------------------===//

template <typename T, typename Wide>
static void finish(Array &result, const std::vector<Wide> &sums) {
  std::vector<T> &target = result.get<T>();
  for (size_t i = 0, e = target.size(); i < e; ++i)
    target[i] = result.getElement().fit(sums[i]);
}

/// The view of a reduction's result along the operand's axes: the reduced ones
/// stand still.
static View getReducedView(Dims shape, Dims axes) {
  Shape kept(shape);
  for (int64_t axis : axes)
    kept[axis] = 1;
  View view = wholeOf(kept);
  for (int64_t axis : axes)
    view.strides[axis] = 0;
  return view;
}

static Array reduce(ReduceOp op, Operands operands) {
  const Array &operand = *operands[0];
  Array result(getResultType(op));
  Element element = operand.getElement();
  ReduceKind kind = op.getKind();
  View to = getReducedView(operand.getShape(), op.getAxes());
  operand.visitWide([&](const auto &values, auto wide) {
    using T = typename std::decay_t<decltype(values)>::value_type;
    using Wide = decltype(wide);
    std::vector<Wide> sums(result.getSize(), getNeutral<Wide>(kind, element));
    walk(operand.getShape(), wholeOf(operand.getShape()), to,
         [&](int64_t f, int64_t t) {
           sums[t] = combine(kind, element, sums[t], Wide(values[f]));
         });
    finish<T>(result, sums);
  });
  return result;
}

template <typename Op>
static Array argReduce(Op op, const Array &operand, bool largest) {
  Array result(getResultType(op));
  Element element = operand.getElement();
  int64_t axis = op.getAxis(), size = operand.getShape()[axis];
  int64_t stride = getStrides(operand.getShape())[axis];
  bool tieHigh = op.getTieHigh();
  int64_t next = 0;
  operand.visit([&](const auto &values) {
    using T = typename std::decay_t<decltype(values)>::value_type;
    if constexpr (!std::is_same_v<T, Complex>)
      forEachLine(operand.getShape(), axis, [&](int64_t first) {
        int64_t best = 0;
        for (int64_t i = 1; i < size; ++i) {
          T chosen = values[first + best * stride];
          T candidate = values[first + i * stride];
          if (chosen != chosen) // a NaN: nothing beats the first one
            break;
          bool better = candidate != candidate ||
                        (largest ? isLess(element, chosen, candidate)
                                 : isLess(element, candidate, chosen));
          if (better || (tieHigh && candidate == chosen))
            best = i;
        }
        result.get<int64_t>()[next++] = result.getElement().fit(best);
      });
  });
  return result;
}

static Array cumulative(CumulativeOp op, Operands operands) {
  const Array &operand = *operands[0];
  Array result(getResultType(op));
  Element element = operand.getElement();
  ReduceKind kind = op.getKind();
  int64_t axis = op.getAxis(), size = operand.getShape()[axis];
  int64_t stride = getStrides(operand.getShape())[axis];
  operand.visitWide([&](const auto &values, auto wide) {
    using T = typename std::decay_t<decltype(values)>::value_type;
    using Wide = decltype(wide);
    std::vector<T> &target = result.get<T>();
    forEachLine(operand.getShape(), axis, [&](int64_t first) {
      Wide sum = getNeutral<Wide>(kind, element);
      for (int64_t i = 0; i < size; ++i) {
        int64_t at = first + (op.getReverse() ? size - 1 - i : i) * stride;
        sum = combine(kind, element, sum, Wide(values[at]));
        target[at] = element.fit(sum);
      }
    });
  });
  return result;
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

void nxv::reference::forEachInWindow(const Windows &windows, Dims position,
                                     llvm::function_ref<void(int64_t)> fn) {
  Shape strides = getStrides(windows.shape);
  forEachIndex(windows.window, [&](Dims inside) {
    int64_t offset = 0;
    for (size_t axis = 0; axis < position.size(); ++axis) {
      int64_t at = position[axis] * windows.strides[axis] +
                   inside[axis] * windows.dilations[axis] - windows.low[axis];
      if (at < 0 || at >= windows.shape[axis])
        return fn(-1);
      offset += at * strides[axis];
    }
    fn(offset);
  });
}

static Array windowReduce(WindowReduceOp op, Operands operands) {
  const Array &operand = *operands[0];
  Array result(getResultType(op));
  Element element = operand.getElement();
  ReduceKind kind = op.getKind();
  Windows windows{operand.getShape(), op.getWindow(), op.getStrides(),
                  op.getDilations(), op.getLow()};
  operand.visitWide([&](const auto &values, auto wide) {
    using T = typename std::decay_t<decltype(values)>::value_type;
    using Wide = decltype(wide);
    std::vector<Wide> sums(result.getSize(), getNeutral<Wide>(kind, element));
    int64_t next = 0;
    forEachIndex(result.getShape(), [&](Dims position) {
      Wide &sum = sums[next++];
      forEachInWindow(windows, position, [&](int64_t at) {
        if (at >= 0)
          sum = combine(kind, element, sum, Wide(values[at]));
      });
    });
    finish<T>(result, sums);
  });
  return result;
}

/// The element of a window that is its extreme, the first NaN or the last among
/// equals; -1 if it is all padding.
template <typename T>
static int64_t selectInWindow(const Windows &windows, Dims position,
                              bool largest, Element element,
                              const std::vector<T> &values) {
  int64_t chosen = -1;
  forEachInWindow(windows, position, [&](int64_t at) {
    if (at < 0)
      return;
    if (chosen < 0) {
      chosen = at;
      return;
    }
    T best = values[chosen], value = values[at];
    bool keep = best != best || (largest ? isLess(element, value, best)
                                         : isLess(element, best, value));
    if (!keep)
      chosen = at;
  });
  return chosen;
}

static Array selectAndScatter(SelectAndScatterOp op, Operands operands) {
  const Array &operand = *operands[0], &source = *operands[1];
  Array result(getResultType(op));
  Element element = operand.getElement();
  bool largest = op.getKind() == ReduceKind::max;
  Shape dilations(operand.getRank(), 1);
  Windows windows{operand.getShape(), op.getWindow(), op.getStrides(),
                  dilations, op.getLow()};
  operand.visitWide([&](const auto &values, auto wide) {
    using T = typename std::decay_t<decltype(values)>::value_type;
    using Wide = decltype(wide);
    if constexpr (!std::is_same_v<T, Complex>) {
      std::vector<Wide> sums(result.getSize(), Wide(operands[2]->get<T>()[0]));
      int64_t next = 0;
      forEachIndex(source.getShape(), [&](Dims position) {
        Wide value(source.get<T>()[next++]);
        int64_t at =
            selectInWindow(windows, position, largest, element, values);
        if (at >= 0)
          sums[at] = combine(ReduceKind::add, element, sums[at], value);
      });
      finish<T>(result, sums);
    }
  });
  return result;
}

void nxv::reference::addReductions(Evaluators &evaluators) {
  evaluators.add<ReduceOp>(reduce);
  evaluators.add<ArgMaxOp>([](ArgMaxOp op, Operands operands) {
    return argReduce(op, *operands[0], /*largest=*/true);
  });
  evaluators.add<ArgMinOp>([](ArgMinOp op, Operands operands) {
    return argReduce(op, *operands[0], /*largest=*/false);
  });
  evaluators.add<CumulativeOp>(cumulative);
  evaluators.add<WindowReduceOp>(windowReduce);
  evaluators.add<SelectAndScatterOp>(selectAndScatter);
}
