//===- Disturb.cpp - what implementations may do differently --------------===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Disturb.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace nxv;
using namespace nxv::reference;

static constexpr double kLowestNormalF32 = 0x1p-126;

/// The relative distance of neighbouring numbers.
static double getPrecision(Type type) {
  type = getElementTypeOrSelf(type);
  if (auto complex = dyn_cast<ComplexType>(type))
    type = complex.getElementType();
  return std::ldexp(1.0, 1 - int(cast<FloatType>(type).getFPMantissaWidth()));
}

static double getLowestNormal(Type type) {
  type = getElementTypeOrSelf(type);
  if (auto complex = dyn_cast<ComplexType>(type))
    type = complex.getElementType();
  const llvm::fltSemantics &semantics =
      cast<FloatType>(type).getFloatSemantics();
  return std::ldexp(1.0, llvm::APFloat::semanticsMinExponent(semantics));
}

static bool isFloat(Type type) {
  return isa<FloatType, ComplexType>(getElementTypeOrSelf(type));
}

static bool isFinite(double value) { return std::isfinite(value); }
static bool isFinite(Complex value) {
  return std::isfinite(value.real()) && std::isfinite(value.imag());
}

//===----------------------------------------------------------------------===//
// What may differ by how much
//===----------------------------------------------------------------------===//

/// Units in the last place by which results of element-wise operations may
/// differ; 0 for those whose result is determined.
static double getUnits(Operation *op) {
  Type type = getElementTypeOrSelf(op->getResult(0).getType());
  Type from = op->getNumOperands()
                  ? getElementTypeOrSelf(op->getOperand(0).getType())
                  : type;
  if (isa<ComplexType>(from) || isa<ComplexType>(type)) {
    bool exact = isa<NegateOp, ConjugateOp, RealOp, ImagOp, ConvertOp, SelectOp,
                     AddOp, SubtractOp>(op);
    return exact ? 0 : isa<MultiplyOp>(op) ? 2 : 16;
  }
  if (isa<ExpOp, Expm1Op, LogOp, Log1pOp, SigmoidOp, SinOp, CosOp, TanOp,
          SinhOp, CoshOp, TanhOp, AsinOp, AcosOp, AtanOp, AsinhOp, AcoshOp,
          AtanhOp, SqrtOp, RsqrtOp, CbrtOp, ErfOp, ErfcOp, ErfInvOp>(op))
    return 4;
  if (isa<PowOp, Atan2Op>(op))
    return 6;
  if (isa<DivideOp>(op))
    return 3;
  return 0;
}

/// The number of elements that one element of a sum is made of.
static double countTerms(Operation *op) {
  auto sizeOf = [](Value value) {
    return double(cast<RankedTensorType>(value.getType()).getNumElements());
  };
  auto product = [](ArrayRef<int64_t> sizes) {
    double result = 1;
    for (int64_t size : sizes)
      result *= double(size);
    return result;
  };
  if (auto dot = dyn_cast<DotGeneralOp>(op)) {
    double depth = 1;
    auto shape = cast<RankedTensorType>(dot.getLhs().getType()).getShape();
    for (int64_t axis : dot.getLhsContract())
      depth *= double(shape[axis]);
    return depth;
  }
  if (auto conv = dyn_cast<ConvolutionOp>(op))
    return product(cast<RankedTensorType>(conv.getKernel().getType())
                       .getShape()
                       .drop_front());
  if (auto window = dyn_cast<WindowReduceOp>(op))
    return product(window.getWindow());
  if (auto scatter = dyn_cast<SelectAndScatterOp>(op))
    return product(scatter.getWindow());
  if (auto scatter = dyn_cast<ScatterOp>(op))
    return sizeOf(scatter.getIndices());
  if (auto cumulative = dyn_cast<CumulativeOp>(op))
    return double(cast<RankedTensorType>(op->getResult(0).getType())
                      .getShape()[cumulative.getAxis()]);
  return sizeOf(op->getOperand(0)) / std::max(1.0, sizeOf(op->getResult(0)));
}

static std::optional<ReduceKind> getKind(Operation *op) {
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return reduce.getKind();
  if (auto reduce = dyn_cast<WindowReduceOp>(op))
    return reduce.getKind();
  if (auto reduce = dyn_cast<CumulativeOp>(op))
    return reduce.getKind();
  return std::nullopt;
}

static bool isSum(Operation *op) {
  if (auto kind = getKind(op))
    return *kind == ReduceKind::add;
  if (auto scatter = dyn_cast<ScatterOp>(op))
    return scatter.getKind() == ScatterKind::add;
  return isa<DotGeneralOp, ConvolutionOp, SelectAndScatterOp>(op);
}

/// Operations that multiply complex numbers: of those that are not finite,
/// which part becomes NaN is not determined.
static bool multiplies(Operation *op) {
  return op->hasTrait<OpTrait::Elementwise>() ||
         getKind(op) == ReduceKind::mul ||
         isa<DotGeneralOp, ConvolutionOp, FftOp, TriangularSolveOp>(op);
}

//===----------------------------------------------------------------------===//
// Movements
//===----------------------------------------------------------------------===//

void Disturber::lose(double &value) const {
  value = disturbance.seed & 1 ? 0 : std::numeric_limits<double>::quiet_NaN();
}
void Disturber::lose(Complex &value) const {
  double part;
  lose(part);
  value = Complex(part, part);
}

double Disturber::direction(size_t i) const {
  uint64_t z = disturbance.seed * 0x9e3779b97f4a7c15 + numOps;
  z = (z + i) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  bool negative = (z >> 40) & 1;
  // Of several sizes: steps of equal size cancel too often.
  double size = 0.5 + double((z >> 32) & 127) / 256;
  return negative != disturbance.mirrored ? -size : size;
}

/// The size of what is finite of a value.
static double finiteSize(double value) {
  return isFinite(value) ? std::fabs(value) : 0;
}
static double finiteSize(Complex value) {
  return std::hypot(finiteSize(value.real()), finiteSize(value.imag()));
}

/// Moves what is finite of a value.
static double moved(double value, double step, double) {
  return isFinite(value) ? value + step : value;
}
static Complex moved(Complex value, double step, double other) {
  return {moved(value.real(), step, other), moved(value.imag(), other, step)};
}

void Disturber::moveRelative(Array &result, double units) const {
  double factor = units * disturbance.scale * getPrecision(result.getType());
  double lowest = getLowestNormal(result.getType());
  Element element = result.getElement();
  auto move = [&](auto &values) {
    using T = typename std::decay_t<decltype(values)>::value_type;
    for (size_t i = 0; i < values.size(); ++i) {
      double size = finiteSize(values[i]);
      if (size == 0)
        continue;
      double step = factor * std::max(size, lowest);
      values[i] = element.fit(
          T(moved(values[i], step * direction(i), step * direction(~i))));
    }
  };
  if (element.isComplex())
    move(result.get<Complex>());
  else
    move(result.get<double>());
}

/// The array with `fn(|x|)` of each element.
template <typename Fn>
static ArrayPtr mapMagnitudes(const Array &array, Fn fn) {
  auto result = std::make_shared<Array>(array.getType());
  if (array.getElement().isComplex())
    llvm::transform(
        array.get<Complex>(), result->get<Complex>().begin(), [&](Complex z) {
          return Complex(
              fn(std::min(finiteSize(z.real()) + finiteSize(z.imag()),
                          std::numeric_limits<double>::max())));
        });
  else
    llvm::transform(array.get<double>(), result->get<double>().begin(),
                    [&](double v) { return fn(std::fabs(v)); });
  return result;
}

static double getReal(const Array &array, size_t i) {
  return array.getElement().isComplex() ? array.get<Complex>()[i].real()
                                        : array.get<double>()[i];
}

/// The operation's result on the magnitudes of its float operands.
template <typename Fn>
static Array evaluateMagnitudes(const Evaluators &evaluators, Operation *op,
                                Operands operands, Fn fn) {
  SmallVector<ArrayPtr> sizes(operands);
  for (auto [index, operand] : llvm::enumerate(sizes)) {
    bool selects = isa<SelectAndScatterOp>(op) && index == 0;
    if (!operand->getElement().isInteger() && !selects)
      operand = mapMagnitudes(*operand, fn);
  }
  return (*evaluators.find(op))(op, sizes);
}

void Disturber::moveSums(Operation *op, Operands operands,
                         Array &result) const {
  Array sizes = evaluateMagnitudes(evaluators, op, operands, [](double size) {
    return std::isfinite(size) ? size : 0.0;
  });
  double terms = countTerms(op);
  // Products accumulate in f32 at least, and are then rounded once.
  bool wide = isa<DotGeneralOp, ConvolutionOp>(op);
  double precision = getPrecision(result.getType());
  double factor = wide ? std::min(precision, 0x1p-23) : precision;
  factor *= disturbance.scale * (1 + std::sqrt(terms) / 2);
  if (wide && precision > 0x1p-23)
    moveRelative(result, 1);
  Element element = result.getElement();
  auto move = [&](auto &values) {
    using T = typename std::decay_t<decltype(values)>::value_type;
    for (size_t i = 0; i < values.size(); ++i) {
      double size = getReal(sizes, i);
      if (!std::isfinite(size)) {
        // Another order may overflow on the way, or not.
        if (disturbance.mirrored)
          lose(values[i]);
        continue;
      }
      if (values[i] == T(0) && disturbance.mirrored)
        values[i] = -values[i];
      double step = factor * size;
      if (step != 0)
        values[i] = element.fit(
            T(moved(values[i], step * direction(i), step * direction(~i))));
    }
  };
  if (element.isComplex())
    move(result.get<Complex>());
  else
    move(result.get<double>());
}

void Disturber::moveProducts(Operation *op, Operands operands,
                             Array &result) const {
  moveRelative(result, 1 + std::sqrt(countTerms(op)));
  if (!disturbance.mirrored)
    return;
  Array large = evaluateMagnitudes(evaluators, op, operands, [](double size) {
    return std::isfinite(size) ? std::max(size, 1.0) : 1.0;
  });
  Array small = evaluateMagnitudes(evaluators, op, operands, [](double size) {
    return size > 0 ? std::min(size, 1.0) : 1.0;
  });
  double lowest = getLowestNormal(result.getType());
  auto move = [&](auto &values) {
    for (size_t i = 0; i < values.size(); ++i)
      if (!std::isfinite(getReal(large, i)) || getReal(small, i) < lowest)
        lose(values[i]);
  };
  if (result.getElement().isComplex())
    move(result.get<Complex>());
  else
    move(result.get<double>());
}

/// Zeros of the padding times a kernel's infinity may be left out, or be NaN.
void Disturber::loseAll(Array &result) const {
  if (result.getElement().isComplex())
    for (Complex &value : result.get<Complex>())
      lose(value);
  else
    for (double &value : result.get<double>())
      lose(value);
}

static bool hasNonFinite(const Array &array) {
  auto isBad = [](auto value) { return !isFinite(value); };
  return array.getElement().isComplex()
             ? llvm::any_of(array.get<Complex>(), isBad)
             : llvm::any_of(array.get<double>(), isBad);
}

void Disturber::moveOperands(Operation *op, Operands operands, Array &result,
                             double units) const {
  SmallVector<ArrayPtr> others;
  for (const ArrayPtr &operand : operands) {
    auto other = std::make_shared<Array>(*operand);
    if (!operand->getElement().isInteger())
      moveRelative(*other, units);
    others.push_back(other);
  }
  result = (*evaluators.find(op))(op, others);
}

/// Powers of complex numbers are exponentials of products: a relative error of
/// an operand is multiplied, and infinities on the way may become NaN.
void Disturber::movePowers(Operation *op, Operands operands,
                           Array &result) const {
  std::vector<Complex> logs;
  for (auto [base, exponent] :
       llvm::zip(operands[0]->get<Complex>(), operands[1]->get<Complex>()))
    logs.push_back(base == Complex(0) ? exponent : exponent * std::log(base));
  moveOperands(op, operands, result, 4);
  moveRelative(result, 16);
  if (!disturbance.mirrored)
    return;
  for (auto [value, log] : llvm::zip(result.get<Complex>(), logs))
    if (!isFinite(log))
      lose(value);
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// NaNs have no determined bits.
static void changeNaNBits(const Array &operand, Array &result) {
  if (!operand.getElement().isReal() || !result.getElement().isInteger())
    return;
  std::vector<int64_t> &bits = result.get<int64_t>();
  for (size_t i = 0; i < bits.size(); ++i)
    if (std::isnan(operand.get<double>()[i]))
      bits[i] ^= 1;
}

/// Nor have the parts of complex numbers that are not finite.
void Disturber::loseNonFinite(Array &result) const {
  for (Complex &value : result.get<Complex>())
    if (!isFinite(value))
      lose(value);
}

void Disturber::disturb(Operation *op, Operands operands, Array &result) {
  ++numOps;
  if (isa<BitcastOp>(op) && disturbance.mirrored)
    changeNaNBits(*operands[0], result);
  if (!isFloat(op->getResult(0).getType()))
    return;
  if (isa<ConvolutionOp>(op) && hasNonFinite(*operands[1]))
    loseAll(result);
  else if (isSum(op))
    moveSums(op, operands, result);
  else if (getKind(op) == ReduceKind::mul)
    moveProducts(op, operands, result);
  else if (isa<FftOp, TriangularSolveOp>(op))
    moveOperands(op, operands, result, 16);
  else if (isa<PowOp>(op) && result.getElement().isComplex())
    movePowers(op, operands, result);
  else if (double units = getUnits(op))
    moveRelative(result, units);
  if (result.getElement().isComplex() && disturbance.mirrored && multiplies(op))
    loseNonFinite(result);
  flushInPlace(result);
}

static bool isFlushed(Type type) {
  type = getElementTypeOrSelf(type);
  if (auto complex = dyn_cast<ComplexType>(type))
    type = complex.getElementType();
  return type.isF32() || type.isBF16();
}

void Disturber::flushInPlace(Array &array) const {
  if (!disturbance.flushes || !isFlushed(array.getType()))
    return;
  auto flushed = [](double value) {
    return std::fabs(value) < kLowestNormalF32 ? std::copysign(0.0, value)
                                               : value;
  };
  if (array.getElement().isComplex())
    for (Complex &value : array.get<Complex>())
      value = Complex(flushed(value.real()), flushed(value.imag()));
  else
    for (double &value : array.get<double>())
      value = flushed(value);
}

ArrayPtr Disturber::flush(ArrayPtr array) const {
  if (!disturbance.flushes || !isFlushed(array->getType()))
    return array;
  auto result = std::make_shared<Array>(*array);
  flushInPlace(*result);
  return result;
}
