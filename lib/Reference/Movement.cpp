//===- Movement.cpp - creation and data movement ----------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Evaluators.h"

#include <algorithm>

using namespace nxv;
using namespace nxv::reference;

static Array iota(IotaOp op, Operands) {
  Array result(getResultType(op));
  Element element = result.getElement();
  int64_t axis = op.getAxis();
  int64_t stride = getStrides(result.getShape())[axis];
  int64_t size = result.getShape()[axis];
  result.visit([&](auto &values) {
    using T = typename std::decay_t<decltype(values)>::value_type;
    for (size_t i = 0, e = values.size(); i < e; ++i)
      values[i] = element.fit(T(int64_t(i) / stride % size));
  });
  return result;
}

/// result[index] = operand[view of index].
static Array readThrough(mlir::RankedTensorType type, const Array &operand,
                         const View &view) {
  Array result(type);
  copyBox(type.getShape(), operand, view, result, wholeOf(type.getShape()));
  return result;
}

static Array reshape(ReshapeOp op, Operands operands) {
  Array result(getResultType(op));
  result.visit([&](auto &target) {
    using T = typename std::decay_t<decltype(target)>::value_type;
    target = operands[0]->get<T>();
  });
  return result;
}

static Array broadcastInDim(BroadcastInDimOp op, Operands operands) {
  const Array &operand = *operands[0];
  Shape strides = getStrides(operand.getShape());
  View view;
  view.strides.assign(getResultType(op).getRank(), 0);
  for (auto [i, axis] : llvm::enumerate(op.getAxes()))
    if (operand.getShape()[i] != 1)
      view.strides[axis] = strides[i];
  return readThrough(getResultType(op), operand, view);
}

static Array transpose(TransposeOp op, Operands operands) {
  Shape strides = getStrides(operands[0]->getShape());
  View view;
  for (int64_t axis : op.getPermutation())
    view.strides.push_back(strides[axis]);
  return readThrough(getResultType(op), *operands[0], view);
}

static Array reverse(ReverseOp op, Operands operands) {
  Dims shape = operands[0]->getShape();
  View view = wholeOf(shape);
  for (int64_t axis : op.getAxes()) {
    view.start += (shape[axis] - 1) * view.strides[axis];
    view.strides[axis] = -view.strides[axis];
  }
  return readThrough(getResultType(op), *operands[0], view);
}

/// All elements equal to a scalar array.
static Array fill(mlir::RankedTensorType type, const Array &scalar) {
  Array result(type);
  result.visit([&](auto &values) {
    using T = typename std::decay_t<decltype(values)>::value_type;
    values.assign(values.size(), scalar.get<T>()[0]);
  });
  return result;
}

static int64_t ceilDivide(int64_t a, int64_t b) {
  return a >= 0 ? (a + b - 1) / b : -(-a / b);
}

static Array pad(PadOp op, Operands operands) {
  const Array &operand = *operands[0];
  Array result = fill(getResultType(op), *operands[1]);
  View from = wholeOf(operand.getShape()), to = wholeOf(result.getShape());
  Shape box;
  for (int64_t axis = 0; axis < operand.getRank(); ++axis) {
    // Element i goes to low + i * step; those from `first` to `last` fit.
    int64_t low = op.getLow()[axis], step = op.getInterior()[axis] + 1;
    int64_t first = std::max<int64_t>(0, ceilDivide(-low, step));
    int64_t last = std::min(operand.getShape()[axis],
                            ceilDivide(result.getShape()[axis] - low, step));
    box.push_back(std::max<int64_t>(0, last - first));
    from.start += first * from.strides[axis];
    to.start += (low + first * step) * to.strides[axis];
    to.strides[axis] *= step;
  }
  copyBox(box, operand, from, result, to);
  return result;
}

static Array concatenate(ConcatenateOp op, Operands operands) {
  Array result(getResultType(op));
  int64_t axis = op.getAxis();
  View to = wholeOf(result.getShape());
  for (const ArrayPtr &operand : operands) {
    copyBox(operand->getShape(), *operand, wholeOf(operand->getShape()), result,
            to);
    to.start += operand->getShape()[axis] * to.strides[axis];
  }
  return result;
}

static Array readSlice(mlir::RankedTensorType type, const Array &operand,
                       Dims starts, Dims strides) {
  View view = wholeOf(operand.getShape());
  for (int64_t axis = 0; axis < operand.getRank(); ++axis) {
    view.start += starts[axis] * view.strides[axis];
    view.strides[axis] *= strides[axis];
  }
  return readThrough(type, operand, view);
}

static Array slice(SliceOp op, Operands operands) {
  return readSlice(getResultType(op), *operands[0], op.getStarts(),
                   op.getStrides());
}

/// An index as a position in an axis of `size`, for boxes of `length`.
static int64_t clampIndex(const Array &indices, int64_t i, int64_t size,
                          int64_t length) {
  int64_t index = indices.get<int64_t>()[i];
  // An unsigned 64-bit index beyond int64_t is beyond every axis too.
  if (!indices.getElement().isSigned() && index < 0)
    return size - length;
  return std::clamp<int64_t>(index, 0, size - length);
}

static Shape clampStarts(Operands starts, Dims shape, Dims lengths) {
  Shape clamped;
  for (size_t axis = 0; axis < shape.size(); ++axis)
    clamped.push_back(clampIndex(*starts[axis], 0, shape[axis], lengths[axis]));
  return clamped;
}

static Array dynamicSlice(DynamicSliceOp op, Operands operands) {
  const Array &operand = *operands[0];
  Shape starts =
      clampStarts(operands.drop_front(), operand.getShape(), op.getLengths());
  return readSlice(getResultType(op), operand, starts, op.getStrides());
}

static Array dynamicUpdateSlice(DynamicUpdateSliceOp op, Operands operands) {
  Array result = *operands[0];
  const Array &update = *operands[1];
  Shape starts =
      clampStarts(operands.drop_front(2), result.getShape(), update.getShape());
  View to = wholeOf(result.getShape());
  for (int64_t axis = 0; axis < result.getRank(); ++axis)
    to.start += starts[axis] * to.strides[axis];
  copyBox(update.getShape(), update, wholeOf(update.getShape()), result, to);
  return result;
}

/// The axes of a tensor that an index does not reach, with their strides.
static void getOtherAxes(Dims shape, Dims axes, Shape &sizes, Shape &strides) {
  Shape all = getStrides(shape);
  for (int64_t axis = 0; axis < int64_t(shape.size()); ++axis)
    if (!llvm::is_contained(axes, axis)) {
      sizes.push_back(shape[axis]);
      strides.push_back(all[axis]);
    }
}

static Array gather(GatherOp op, Operands operands) {
  const Array &operand = *operands[0], &indices = *operands[1];
  Array result(getResultType(op));
  Dims axes = op.getAxes();
  Shape strides = getStrides(operand.getShape());
  Shape box;
  View from;
  getOtherAxes(operand.getShape(), axes, box, from.strides);
  View to = wholeOf(box);
  int64_t rows = getProduct(indices.getShape().drop_back());
  for (int64_t row = 0; row < rows; ++row) {
    from.start = 0;
    for (auto [i, axis] : llvm::enumerate(axes))
      from.start += strides[axis] * clampIndex(indices, row * axes.size() + i,
                                               operand.getShape()[axis], 1);
    to.start = row * getProduct(box);
    copyBox(box, operand, from, result, to);
  }
  return result;
}

/// The offset that a row of indices stands for, or -1 outside the operand.
static int64_t getRowOffset(const Array &indices, int64_t row, Dims shape,
                            Dims axes) {
  Shape strides = getStrides(shape);
  int64_t offset = 0;
  for (auto [i, axis] : llvm::enumerate(axes)) {
    int64_t index = indices.get<int64_t>()[row * axes.size() + i];
    if (index < 0 || index >= shape[axis])
      return -1;
    offset += index * strides[axis];
  }
  return offset;
}

/// Sums run in the wide type and are rounded at the end.
template <typename T, typename Wide>
static void scatterInto(ScatterOp op, Array &result, const Array &indices,
                        const Array &updates, std::vector<T> &target, Wide) {
  Element element = result.getElement();
  bool add = op.getKind() == ScatterKind::add;
  std::vector<Wide> sums(target.begin(), target.end());
  const std::vector<T> &source = updates.get<T>();
  Shape sizes;
  View to;
  getOtherAxes(result.getShape(), op.getAxes(), sizes, to.strides);
  Dims box = updates.getShape().drop_front();
  View from = wholeOf(box);
  for (int64_t row = 0; row < updates.getShape()[0]; ++row) {
    to.start = getRowOffset(indices, row, result.getShape(), op.getAxes());
    if (to.start < 0)
      continue;
    from.start = row * getProduct(box);
    walk(box, from, to, [&](int64_t f, int64_t t) {
      sums[t] =
          add ? combine(ReduceKind::add, element, sums[t], Wide(source[f]))
              : Wide(source[f]);
    });
  }
  for (size_t i = 0, e = target.size(); i < e; ++i)
    target[i] = element.fit(sums[i]);
}

static Array scatter(ScatterOp op, Operands operands) {
  Array result = *operands[0];
  operands[0]->visitWide([&](const auto &values, auto wide) {
    using T = typename std::decay_t<decltype(values)>::value_type;
    scatterInto(op, result, *operands[1], *operands[2], result.get<T>(), wide);
  });
  return result;
}

void nxv::reference::addMovement(Evaluators &evaluators) {
  evaluators.add<IotaOp>(iota);
  evaluators.add<ReshapeOp>(reshape);
  evaluators.add<BroadcastInDimOp>(broadcastInDim);
  evaluators.add<TransposeOp>(transpose);
  evaluators.add<ReverseOp>(reverse);
  evaluators.add<PadOp>(pad);
  evaluators.add<ConcatenateOp>(concatenate);
  evaluators.add<SliceOp>(slice);
  evaluators.add<DynamicSliceOp>(dynamicSlice);
  evaluators.add<DynamicUpdateSliceOp>(dynamicUpdateSlice);
  evaluators.add<GatherOp>(gather);
  evaluators.add<ScatterOp>(scatter);
}
