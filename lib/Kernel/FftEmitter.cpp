//===- FftEmitter.cpp - the fft family --------------------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
// Stockham's transform of mixed radix: each stage takes its numbers from
// workgroup memory into registers, transforms `radix` of them at a time, and
// puts them back sorted. The first stage reads the operands, the last one
// writes the results. A workgroup transforms one or several rows.
//===----------------------------------------------------------------------===//

#include "nxv/Dialect/Nxv/IR/Nxv.h"
#include "nxv/Kernel/Fft.h"
#include "nxv/Kernel/KernelBuilder.h"
#include "nxv/Math/Roots.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace nxv;

namespace {
/// The parts of a complex number.
struct Number {
  Value re, im;
};
using Numbers = SmallVector<Number>;

/// Arithmetic on complex numbers, and transforms in registers.
class Butterfly {
public:
  Butterfly(OpBuilder &builder, Location loc, bool inverse)
      : b(builder), loc(loc), inverse(inverse) {}

  Number add(Number x, Number y) { return {add(x.re, y.re), add(x.im, y.im)}; }
  Number subtract(Number x, Number y) {
    return {subtract(x.re, y.re), subtract(x.im, y.im)};
  }
  Number multiply(Number x, Number y) {
    return {subtract(times(x.re, y.re), times(x.im, y.im)),
            add(times(x.re, y.im), times(x.im, y.re))};
  }
  Number scale(Number x, double factor) {
    Value value = constant(x.re.getType(), factor);
    return {times(x.re, value), times(x.im, value)};
  }
  /// The transform of `numbers`, in order.
  void transform(Numbers &numbers);

private:
  void transformPrime(Numbers &numbers);
  Number multiply(Number x, WideComplex root);
  Value add(Value x, Value y) { return arith::AddFOp::create(b, loc, x, y); }
  Value subtract(Value x, Value y) {
    return arith::SubFOp::create(b, loc, x, y);
  }
  Value times(Value x, Value y) { return arith::MulFOp::create(b, loc, x, y); }
  Value negate(Value x) { return arith::NegFOp::create(b, loc, x); }
  Value constant(Type type, double value) {
    return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, value));
  }

  OpBuilder &b;
  Location loc;
  bool inverse;
};

class FftEmitter {
public:
  FftEmitter(program::GroupOp group, nxv::FftPartsOp op);
  gpu::GPUFuncOp emit(ModuleOp module, StringRef name);

private:
  /// The butterflies of one stage; `before` is the product of the radices of
  /// the stages before it.
  struct Stage {
    int64_t radix, before;
    bool first, last;
  };
  void emitStage(KernelBuilder &kernel, const Stage &stage);
  Numbers read(const Stage &stage, AffineExpr butterfly);
  void write(KernelBuilder &kernel, const Stage &stage, AffineExpr butterfly,
             const Numbers &numbers);
  Number root(AffineExpr power);
  SmallVector<AffineExpr> place(AffineExpr row, AffineExpr position);
  AffineExpr sharedPosition(AffineExpr position);

  program::GroupOp group;
  nxv::FftPartsOp op;
  RankedTensorType type;
  int64_t axis, length;
  SmallVector<int64_t> radices, rowShape;
  int64_t rows = 1;
  /// Do neighbouring threads work on neighbouring rows?
  bool acrossRows;
  int64_t rowsEach = 1, threads = 1;
  Value sharedRe, sharedIm;
  AffineExpr row, rowInGroup, lane;
  ElementEmitter *emitter = nullptr;
  IndexSpace *space = nullptr;
};
} // namespace

//===----------------------------------------------------------------------===//
// In registers
//===----------------------------------------------------------------------===//

Number Butterfly::multiply(Number x, WideComplex root) {
  if (root == WideComplex(1))
    return x;
  if (root == WideComplex(-1))
    return {negate(x.re), negate(x.im)};
  if (root == WideComplex(0, 1))
    return {negate(x.im), x.re};
  if (root == WideComplex(0, -1))
    return {x.im, negate(x.re)};
  Type type = x.re.getType();
  return multiply(x, Number{constant(type, double(root.real())),
                            constant(type, double(root.imag()))});
}

/// By the definition, in which the roots of x[q] and x[size - q] are
/// conjugates.
void Butterfly::transformPrime(Numbers &x) {
  int64_t size = x.size();
  if (size == 2) {
    x = {add(x[0], x[1]), subtract(x[0], x[1])};
    return;
  }
  Numbers result(size);
  SmallVector<std::pair<Number, Number>> pairs;
  result[0] = x[0];
  for (int64_t q = 1; q <= size / 2; ++q) {
    pairs.push_back({add(x[q], x[size - q]), subtract(x[q], x[size - q])});
    result[0] = add(result[0], pairs.back().first);
  }
  for (int64_t k = 1; k <= size / 2; ++k) {
    Number even = x[0], odd;
    for (int64_t q = 1; q <= size / 2; ++q) {
      WideComplex root = rootOfUnity(q * k, size, inverse);
      auto [sum, difference] = pairs[q - 1];
      even = add(even, scale(sum, double(root.real())));
      Number term = scale(difference, double(root.imag()));
      odd = q == 1 ? term : add(odd, term);
    }
    // even + i odd and even - i odd.
    result[k] = {subtract(even.re, odd.im), add(even.im, odd.re)};
    result[size - k] = {add(even.re, odd.im), subtract(even.im, odd.re)};
  }
  x = std::move(result);
}

void Butterfly::transform(Numbers &x) {
  int64_t size = x.size(), factor = 2;
  while (factor < size && size % factor != 0)
    ++factor;
  if (factor >= size)
    return transformPrime(x);
  int64_t rest = size / factor;
  SmallVector<Numbers> parts(factor);
  for (int64_t s = 0; s < factor; ++s) {
    for (int64_t i = 0; i < rest; ++i)
      parts[s].push_back(x[s + factor * i]);
    transform(parts[s]);
  }
  for (int64_t k = 0; k < rest; ++k) {
    Numbers column;
    for (int64_t s = 0; s < factor; ++s)
      column.push_back(
          multiply(parts[s][k], rootOfUnity(s * k, size, inverse)));
    transformPrime(column);
    for (int64_t q = 0; q < factor; ++q)
      x[k + rest * q] = column[q];
  }
}

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

FftEmitter::FftEmitter(program::GroupOp group, nxv::FftPartsOp op)
    : group(group), op(op), type(cast<RankedTensorType>(op.getRe().getType())),
      axis(op.getAxis()), length(type.getDimSize(axis)),
      radices(fftRadices(length)) {
  int64_t inner = 1;
  for (auto [i, size] : llvm::enumerate(type.getShape())) {
    if (int64_t(i) == axis)
      continue;
    rowShape.push_back(size);
    rows *= size;
    inner *= int64_t(i) > axis ? size : 1;
  }
  acrossRows = inner > 1;
  constexpr int64_t numbersEach = 8, maxThreads = 256, fewThreads = 128;
  int64_t partBytes = type.getElementTypeBitWidth() / 8;
  threads = std::clamp<int64_t>(length / numbersEach, 1, maxThreads);
  rowsEach = std::max<int64_t>(1, fewThreads / threads);
  if (acrossRows)
    rowsEach = std::max<int64_t>(rowsEach, 8);
  rowsEach = std::min<int64_t>(rowsEach, llvm::PowerOf2Ceil(rows));
  if (radices.size() > 1)
    rowsEach = std::min(rowsEach, fftMemory / (2 * partBytes * length));
  threads = std::min(threads, maxThreads / rowsEach);
}

SmallVector<AffineExpr> FftEmitter::place(AffineExpr atRow,
                                          AffineExpr position) {
  SmallVector<AffineExpr> indices = space->unflatten(atRow, rowShape);
  indices.insert(indices.begin() + axis, position);
  return indices;
}

AffineExpr FftEmitter::sharedPosition(AffineExpr position) {
  return acrossRows ? position * rowsEach + rowInGroup
                    : rowInGroup * length + position;
}

Number FftEmitter::root(AffineExpr power) {
  return {emitter->elementAt(op.getRoots(), {power, space->constant(0)}),
          emitter->elementAt(op.getRoots(), {power, space->constant(1)})};
}

Numbers FftEmitter::read(const Stage &stage, AffineExpr butterfly) {
  Butterfly arithmetic(emitter->getBuilder(), op.getLoc(), op.getInverse());
  Type element = type.getElementType();
  Numbers numbers;
  int64_t stride = length / stage.radix;
  for (int64_t q = 0; q < stage.radix; ++q) {
    AffineExpr position = butterfly + q * stride;
    if (stage.first) {
      SmallVector<AffineExpr> at =
          place(emitter->clamp(row, 0, rows - 1), position);
      numbers.push_back({emitter->elementAt(op.getRe(), at),
                         emitter->elementAt(op.getIm(), at)});
      continue;
    }
    AffineExpr at = sharedPosition(position);
    Number number{emitter->load(sharedRe, element, at),
                  emitter->load(sharedIm, element, at)};
    if (q != 0) {
      AffineExpr power = (butterfly % stage.before) *
                         (q * (length / (stage.before * stage.radix)));
      number = arithmetic.multiply(number, root(power));
    }
    numbers.push_back(number);
  }
  arithmetic.transform(numbers);
  if (stage.last && op.getInverse())
    for (Number &number : numbers)
      number = arithmetic.scale(number, 1.0 / length);
  return numbers;
}

void FftEmitter::write(KernelBuilder &kernel, const Stage &stage,
                       AffineExpr butterfly, const Numbers &numbers) {
  Type element = type.getElementType();
  AffineExpr inside = butterfly % stage.before;
  AffineExpr first =
      butterfly.floorDiv(stage.before) * (stage.before * stage.radix) + inside;
  for (auto [q, number] : llvm::enumerate(numbers)) {
    AffineExpr position = first + q * stage.before;
    Value re = stage.last ? kernel.getOutputBuffer(0) : sharedRe;
    Value im = stage.last ? kernel.getOutputBuffer(1) : sharedIm;
    AffineExpr at = stage.last
                        ? space->flatten(place(row, position), type.getShape())
                        : sharedPosition(position);
    emitter->store(re, element, at, number.re);
    emitter->store(im, element, at, number.im);
  }
}

void FftEmitter::emitStage(KernelBuilder &kernel, const Stage &stage) {
  int64_t count = length / stage.radix;
  int64_t each = llvm::divideCeil(count, threads);
  SmallVector<Numbers> held;
  for (int64_t i = 0; i < each; ++i)
    held.push_back(
        read(stage, emitter->clamp(lane + i * threads, 0, count - 1)));
  if (!stage.first && !stage.last)
    kernel.barrier();
  Value rowInside = stage.last ? emitter->lessThan(row, rows) : Value();
  emitter->guarded(rowInside, [&] {
    for (int64_t i = 0; i < each; ++i) {
      AffineExpr butterfly = space->simplify(lane + i * threads);
      emitter->guarded(emitter->lessThan(butterfly, count),
                       [&] { write(kernel, stage, butterfly, held[i]); });
    }
  });
  if (!stage.last)
    kernel.barrier();
}

gpu::GPUFuncOp FftEmitter::emit(ModuleOp module, StringRef name) {
  int64_t groups = llvm::divideCeil(std::max<int64_t>(rows, 1), rowsEach);
  KernelBuilder kernel(module, name, group, rowsEach * threads, groups);
  emitter = &kernel.getEmitter();
  space = &kernel.getSpace();
  AffineExpr id = kernel.getThreadId();
  rowInGroup =
      space->simplify(acrossRows ? id % rowsEach : id.floorDiv(threads));
  lane = space->simplify(acrossRows ? id.floorDiv(rowsEach) : id % threads);
  row = space->simplify(kernel.getWorkgroupId() * rowsEach + rowInGroup);
  if (radices.size() > 1) {
    sharedRe = kernel.allocateShared(type.getElementType(), rowsEach * length);
    sharedIm = kernel.allocateShared(type.getElementType(), rowsEach * length);
  }
  int64_t before = 1;
  for (int64_t radix : radices) {
    emitStage(kernel, {radix, before, before == 1, before * radix == length});
    before *= radix;
  }
  return kernel.finish();
}

FailureOr<gpu::GPUFuncOp> nxv::emitFft(program::GroupOp group, ModuleOp module,
                                       StringRef name) {
  for (auto op : group.getBody().getOps<nxv::FftPartsOp>()) {
    int64_t length =
        cast<RankedTensorType>(op.getRe().getType()).getDimSize(op.getAxis());
    Type element = getElementTypeOrSelf(op.getRe().getType());
    if (!isFftKernel(length, element.getIntOrFloatBitWidth() / 8))
      return op.emitError("a transform of length ")
             << length << " is not one kernel";
    return FftEmitter(group, op).emit(module, name);
  }
  return group.emitOpError("expected a transform in a group of that family");
}
