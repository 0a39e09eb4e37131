//===- GraphBuilder.cpp - themes and values at hand -----------------------===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "GraphBuilder.h"

using namespace mlir;
using namespace nxv;
using namespace nxv::fuzz;

GraphBuilder::GraphBuilder(MLIRContext *context, Random &random)
    : builder(context), loc(UnknownLoc::get(context)), random(random) {}

//===----------------------------------------------------------------------===//
// Theme
//===----------------------------------------------------------------------===//

void GraphBuilder::chooseElements() {
  MLIRContext *context = builder.getContext();
  Type f32 = builder.getF32Type(), f64 = builder.getF64Type();
  SmallVector<Type> plain = {f32, f32, f32, f32, f64, builder.getF16Type()};
  SmallVector<Type> integers;
  for (unsigned width : {8, 16, 32, 32, 64})
    for (auto sign : {IntegerType::Signless, IntegerType::Unsigned})
      integers.push_back(IntegerType::get(context, width, sign));
  SmallVector<Type> narrow = {builder.getBF16Type(), builder.getBF16Type(),
                              Float8E5M2Type::get(context),
                              Float8E4M3FNType::get(context)};
  for (unsigned width : {2, 4})
    for (auto sign : {IntegerType::Signless, IntegerType::Unsigned})
      narrow.push_back(IntegerType::get(context, width, sign));
  SmallVector<Type> complex = {ComplexType::get(f32), ComplexType::get(f32),
                               ComplexType::get(f64)};
  const double weights[] = {5, 3, 1.4, 1.2};
  const SmallVector<Type> *kinds[] = {&plain, &integers, &narrow, &complex};
  // What is rare stands in graphs of its own: one type that a device lacks
  // would keep the others from being compared.
  const auto &first = *kinds[random.weighted(weights)];
  theme.elements.push_back(random.pick(ArrayRef(first)));
  theme.elements.push_back(random.pick(ArrayRef(first)));
  if (random.oneIn(2))
    theme.elements.push_back(random.pick(ArrayRef(integers)));
  if (random.oneIn(3))
    theme.elements.push_back(random.pick(ArrayRef(plain)));
}

void GraphBuilder::chooseSizes() {
  const int64_t tiny[] = {1, 1, 2, 3, 4, 5, 7, 8};
  const int64_t small[] = {1, 2, 3, 5, 7, 8, 13, 16, 17, 31, 32, 33};
  const int64_t medium[] = {1, 3, 8, 31, 64, 65, 100, 127, 128, 257, 512, 1000};
  const int64_t large[] = {2, 3, 64, 255, 1024, 1031, 4097, 16384};
  const int64_t rows[] = {1, 2, 3, 5, 8};
  const double weights[] = {4, 5, 2, 0.4, 0.1};
  const ArrayRef<int64_t> sizes[] = {tiny, small, medium, large, rows};
  const int64_t limits[] = {256, 4096, 32768, 262144, 1 << 20};
  size_t which = random.weighted(weights);
  theme.maxElements = limits[which];
  theme.maxRank = random.between(1, random.oneIn(3) ? 6 : 4);
  int64_t count = random.between(2, 4);
  for (int64_t i = 0; i < count; ++i)
    theme.sizes.push_back(random.pick(sizes[which]));
  if (which == 4) {
    const int64_t many[] = {65535, 65536, 65537, 70001};
    theme.sizes.push_back(random.pick(ArrayRef(many)));
  }
  if (random.oneIn(12))
    theme.sizes.push_back(0);
}

void GraphBuilder::chooseWeights() {
  // Some themes are raised, the rare ones mostly left out.
  llvm::StringMap<double> factors;
  for (const Family &family : getFamilies())
    factors.try_emplace(family.theme, 0.3 + 2 * random.unit() * random.unit());
  factors["order"] = random.oneIn(8) ? 2 : 0;
  factors["control"] = random.oneIn(4) ? 1.5 : 0;
  factors["solve"] = random.oneIn(9) ? 2 : 0;
  factors["rare"] = random.oneIn(10) ? 1 : 0;
  for (const Family &family : getFamilies())
    theme.weights.push_back(family.weight * factors[family.theme]);
}

void GraphBuilder::chooseTheme() {
  chooseElements();
  chooseSizes();
  chooseWeights();
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

Type GraphBuilder::pickElement() {
  return random.pick(ArrayRef(theme.elements));
}

Type GraphBuilder::pickIndexElement() {
  MLIRContext *context = builder.getContext();
  const unsigned widths[] = {32, 32, 64, 16, 8};
  unsigned width = random.pick(ArrayRef(widths));
  bool isUnsigned = random.oneIn(3);
  return IntegerType::get(context, width,
                          isUnsigned ? IntegerType::Unsigned
                                     : IntegerType::Signless);
}

int64_t GraphBuilder::pickSize() {
  if (random.oneIn(8))
    return random.between(1, 9);
  return random.pick(ArrayRef(theme.sizes));
}

Shape GraphBuilder::pickShape(int64_t minRank, int64_t maxRank) {
  int64_t low = std::min(minRank, maxRank);
  int64_t rank =
      random.between(low, std::max(low, std::min(maxRank, theme.maxRank)));
  Shape shape;
  int64_t elements = 1;
  for (int64_t i = 0; i < rank; ++i) {
    int64_t size = pickSize();
    if (elements * size > theme.maxElements)
      size = random.between(1, 3);
    if (elements * size > theme.maxElements)
      size = 1;
    elements *= size;
    shape.push_back(size);
  }
  // The largest size first as often as last.
  if (shape.size() > 1 && random.oneIn(3))
    std::swap(shape.front(), shape.back());
  return shape;
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

Operation *GraphBuilder::build(StringRef name, ValueRange operands,
                               TypeRange types, ArrayRef<NamedAttribute> attrs,
                               unsigned numRegions) {
  OperationState state(loc, ("nxv." + name).str());
  state.addOperands(operands);
  state.addTypes(types);
  state.addAttributes(attrs);
  for (unsigned i = 0; i < numRegions; ++i)
    state.addRegion();
  for (Type type : types)
    work += cast<TensorType>(type).getNumElements();
  return builder.create(state);
}

Value GraphBuilder::make(StringRef name, ValueRange operands, TensorType type,
                         ArrayRef<NamedAttribute> attrs) {
  return build(name, operands, {type}, attrs)->getResult(0);
}

NamedAttribute GraphBuilder::axes(StringRef name, ArrayRef<int64_t> values) {
  return builder.getNamedAttr(name, builder.getDenseI64ArrayAttr(values));
}
NamedAttribute GraphBuilder::number(StringRef name, int64_t value) {
  return builder.getNamedAttr(name, builder.getI64IntegerAttr(value));
}
NamedAttribute GraphBuilder::flag(StringRef name) {
  return builder.getNamedAttr(name, builder.getUnitAttr());
}
NamedAttribute GraphBuilder::kind(ReduceKind value) {
  return builder.getNamedAttr("kind",
                              ReduceKindAttr::get(builder.getContext(), value));
}

//===----------------------------------------------------------------------===//
// Values at hand
//===----------------------------------------------------------------------===//

Value GraphBuilder::pickValue(llvm::function_ref<bool(TensorType)> suits) {
  SmallVector<Value> found;
  SmallVector<double> weights;
  for (auto [index, value] : llvm::enumerate(scope->values))
    if (suits(typeOf(value))) {
      found.push_back(value);
      // Recent ones rather, and those without a use.
      double age = double(scope->values.size() - index);
      weights.push_back((value.use_empty() ? 3 : 1) / (1 + age / 3));
    }
  if (found.empty())
    return nullptr;
  return found[random.weighted(weights)];
}

Value GraphBuilder::need(llvm::function_ref<bool(Type)> suits, int64_t minRank,
                         int64_t maxRank) {
  if (!random.oneIn(10))
    if (Value value = pickValue([&](TensorType type) {
          return suits(type.getElementType()) && type.getRank() >= minRank &&
                 type.getRank() <= maxRank;
        }))
      return value;
  for (int tries = 0; tries < 8; ++tries) {
    Type element = pickElement();
    if (suits(element))
      return fresh(tensor(pickShape(minRank, maxRank), element));
  }
  return nullptr;
}

Value GraphBuilder::valueOf(TensorType type) {
  if (!random.oneIn(5))
    if (Value value =
            pickValue([&](TensorType other) { return other == type; }))
      return value;
  if (random.oneIn(2))
    if (Value value = derive(type))
      return value;
  return fresh(type);
}

/// From a value of another type: of the same shape or the same number of
/// elements, or one that can be repeated.
Value GraphBuilder::derive(TensorType type) {
  Value value = pickValue([&](TensorType other) {
    return other.getNumElements() == type.getNumElements() ||
           (other.getRank() <= 1 &&
            other.getElementType() == type.getElementType());
  });
  if (!value)
    return nullptr;
  if (typeOf(value).getNumElements() == type.getNumElements()) {
    if (shapeOf(value) != type.getShape())
      value = make("reshape", value, typeOf(value).clone(type.getShape()));
    return convertTo(value, type.getElementType());
  }
  if (shapeOf(value).empty())
    return broadcastTo(value, type.getShape(), {});
  for (int64_t axis = 0; axis < type.getRank(); ++axis)
    if (type.getDimSize(axis) == shapeOf(value)[0])
      return broadcastTo(value, type.getShape(), {axis});
  return nullptr;
}

Value GraphBuilder::literal(TensorType type) {
  bool splat = type.getNumElements() > 512 || random.oneIn(3);
  TensorType stored = splat ? type.clone(ArrayRef<int64_t>()) : type;
  DenseElementsAttr value = makeLiteral(stored, randomElements(stored, random));
  if (splat)
    value = value.reshape(stored).resizeSplat(type);
  auto op = ConstantOp::create(builder, loc, type, value);
  return op.getResult();
}

Value GraphBuilder::fresh(TensorType type) {
  bool input = !scope->isolated && scope->depth == 0 && !random.oneIn(6);
  if (input) {
    unsigned index = main.getNumArguments();
    NamedAttrList attrs;
    if (random.oneIn(3))
      attrs.append(flag("nxv.donatable"));
    if (isPred(type.getElementType()))
      return convertTo(fresh(type.clone(IntegerType::get(
                           builder.getContext(), 8, IntegerType::Unsigned))),
                       type.getElementType());
    if (failed(main.insertArgument(
            index, type, attrs.getDictionary(builder.getContext()), loc)))
      return nullptr;
    remember(main.getArgument(index));
    return main.getArgument(index);
  }
  bool steps =
      isInteger(type.getElementType()) || isFloat(type.getElementType());
  if (steps && type.getRank() > 0 && random.oneIn(3))
    return make("iota", {}, type,
                number("axis", random.between(0, type.getRank() - 1)));
  return literal(type);
}

/// Indices into an axis of `size`, some of them outside.
Value GraphBuilder::indexValue(ArrayRef<int64_t> shape, int64_t size) {
  TensorType type = tensor(shape, pickIndexElement());
  if (random.oneIn(3))
    if (Value value = pickValue([&](TensorType other) {
          return other.getShape() == shape && isInteger(other.getElementType());
        }))
      return value;
  if (random.oneIn(4))
    return fresh(type);
  int64_t slack = random.oneIn(3) ? 3 : 0;
  std::vector<uint8_t> bytes = randomIntegers(
      type, -slack, std::max<int64_t>(size, 1) - 1 + slack, random);
  return ConstantOp::create(builder, loc, type, makeLiteral(type, bytes));
}

Value GraphBuilder::scalarIndex(int64_t size) { return indexValue({}, size); }

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

Value GraphBuilder::addOperation() {
  for (int tries = 0; tries < 20; ++tries) {
    const Family &family = getFamilies()[random.weighted(theme.weights)];
    bool isDeep = scope->depth >= 3 || (scope->depth == 2 && random.oneIn(2));
    if (isDeep && StringRef(family.theme) == "control")
      continue;
    if (Value value = (this->*family.add)()) {
      remember(value);
      return value;
    }
  }
  return nullptr;
}

/// Every value without a use, and a few others.
void GraphBuilder::addOutputs(func::FuncOp main) {
  SmallVector<Value> outputs;
  for (Value value : llvm::reverse(scope->values))
    if (outputs.size() < 6 &&
        (value.use_empty() ? value.getDefiningOp() != nullptr
                           : random.oneIn(12)))
      outputs.push_back(value);
  if (outputs.empty())
    outputs.push_back(scope->values.back());
  if (random.oneIn(2))
    std::reverse(outputs.begin(), outputs.end());
  Type u8 = IntegerType::get(builder.getContext(), 8, IntegerType::Unsigned);
  for (Value &output : outputs)
    if (isPred(elementOf(output)))
      output = convertTo(output, u8);
  func::ReturnOp::create(builder, loc, outputs);
  main.setFunctionType(builder.getFunctionType(main.getArgumentTypes(),
                                               ValueRange(outputs).getTypes()));
}

/// Drops operations whose results nothing uses.
static void eraseDeadOps(func::FuncOp main) {
  SmallVector<Operation *> ops;
  for (Operation &op : main.front().without_terminator())
    ops.push_back(&op);
  for (Operation *op : llvm::reverse(ops))
    if (op->use_empty() && !isa<TapOp>(op))
      op->erase();
}

OwningOpRef<ModuleOp> GraphBuilder::run(int64_t numOps) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  builder.setInsertionPointToEnd(module->getBody());
  main = func::FuncOp::create(builder, loc, "main",
                              builder.getFunctionType({}, {}));
  builder.setInsertionPointToStart(main.addEntryBlock());
  Scope outer;
  scope = &outer;
  chooseTheme();
  fresh(tensor(pickShape(1, theme.maxRank), pickElement()));
  for (int64_t i = 0; i < numOps && work < 4 * theme.maxElements + 100000; ++i)
    addOperation();
  if (outer.values.empty())
    outer.values.push_back(fresh(tensor({2}, pickElement())));
  addOutputs(main);
  eraseDeadOps(main);
  return module;
}

Case nxv::fuzz::generateCase(MLIRContext *context, uint64_t seed,
                             const GeneratorOptions &options) {
  Random random(seed * 0x9e3779b97f4a7c15 + 1);
  // Many small graphs find more than few large ones.
  int64_t numOps =
      1 + int64_t(double(options.maxOps) * random.unit() * random.unit());
  Case result;
  result.module = GraphBuilder(context, random).run(numOps);
  for (Type type : result.getMain().getArgumentTypes()) {
    auto tensor = cast<TensorType>(type);
    result.inputs.push_back({tensor, randomElements(tensor, random)});
  }
  return result;
}

func::FuncOp Case::getMain() const {
  return module.get().lookupSymbol<func::FuncOp>("main");
}

Case Case::clone() const {
  return {OwningOpRef<ModuleOp>(module.get().clone()), inputs};
}
