//===- Evaluate.h - runs one operation --------------------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
// Tensors are made from and read as their raw elements, so that the tests do
// not rest on the interpreter's own decoding.

#ifndef NXV_TEST_REFERENCE_EVALUATE_H
#define NXV_TEST_REFERENCE_EVALUATE_H

#include "nxv/Dialect/Nxv/IR/Nxv.h"
#include "nxv/Reference/Interpreter.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

#include <cmath>
#include <limits>
#include <string>

namespace nxv::test {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

inline mlir::MLIRContext &getContext() {
  static mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<NxvDialect, mlir::func::FuncDialect>();
  return context;
}

/// A tensor of the raw elements T; a complex one takes two of them an element.
template <typename T>
Tensor make(const std::string &type, const std::vector<T> &elements) {
  Tensor tensor;
  tensor.type =
      llvm::cast<mlir::RankedTensorType>(mlir::parseType(type, &getContext()));
  auto *bytes = reinterpret_cast<const uint8_t *>(elements.data());
  tensor.data.assign(bytes, bytes + elements.size() * sizeof(T));
  return tensor;
}

inline Tensor f32(const std::string &type, const std::vector<float> &elements) {
  return make<float>(type, elements);
}
inline Tensor s32(const std::string &type,
                  const std::vector<int32_t> &elements) {
  return make<int32_t>(type, elements);
}

template <typename T>
std::vector<T> read(const Tensor &tensor) {
  auto *values = reinterpret_cast<const T *>(tensor.data.data());
  std::vector<T> elements(values, values + tensor.data.size() / sizeof(T));
  return elements;
}

inline std::string print(mlir::Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// Runs the statements `body`, in which the inputs are %0, %1 ..., and gives
/// the value %r, of type `type`.
inline Tensor evaluate(const std::string &body, const std::string &type,
                       const std::vector<Tensor> &inputs,
                       const Disturbance *disturbance = nullptr) {
  std::string text = "func.func @main(";
  for (size_t i = 0; i < inputs.size(); ++i)
    text +=
        (i ? ", %" : "%") + std::to_string(i) + ": " + print(inputs[i].type);
  text += ") -> " + type + " {\n" + body + "\nreturn %r : " + type + "\n}";
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &getContext());
  if (!module) {
    ADD_FAILURE() << "does not parse: " << text;
    return {};
  }
  auto function = module->lookupSymbol<mlir::func::FuncOp>("main");
  auto results = disturbance ? interpret(function, inputs, *disturbance)
                             : interpret(function, inputs);
  if (mlir::failed(results)) {
    ADD_FAILURE() << "does not run: " << text;
    return {};
  }
  return (*results)[0];
}

/// An operation on operands and a result of one type.
template <typename T>
std::vector<T> apply(const std::string &op, const std::string &type,
                     const std::vector<std::vector<T>> &operands) {
  std::string body = "%r = nxv." + op;
  std::vector<Tensor> inputs;
  for (const std::vector<T> &operand : operands) {
    body += (inputs.empty() ? " %" : ", %") + std::to_string(inputs.size());
    inputs.push_back(make<T>(type, operand));
  }
  return read<T>(evaluate(body + " : " + type, type, inputs));
}

/// An operation whose types are written "(operands) -> result".
inline Tensor applyTo(const std::string &op, const std::string &result,
                      const std::vector<Tensor> &inputs,
                      const std::string &attributes = "") {
  std::string body = "%r = nxv." + op, types;
  bool first = op.find(' ') == std::string::npos;
  for (size_t i = 0; i < inputs.size(); ++i) {
    body += (first ? " %" : ", %") + std::to_string(i);
    types += (i ? ", " : "") + print(inputs[i].type);
    first = false;
  }
  if (!attributes.empty())
    body += " {" + attributes + "}";
  return evaluate(body + " : (" + types + ") -> " + result, result, inputs);
}

/// Equal, NaN to NaN and the sign of zero included.
template <typename T>
void expectSame(const std::vector<T> &actual, const std::vector<T> &expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i) {
    if (std::isnan(expected[i])) {
      EXPECT_TRUE(std::isnan(actual[i])) << "element " << i;
      continue;
    }
    EXPECT_EQ(actual[i], expected[i]) << "element " << i;
    EXPECT_EQ(std::signbit(actual[i]), std::signbit(expected[i]))
        << "element " << i;
  }
}

template <typename T>
void expectNear(const std::vector<T> &actual, const std::vector<T> &expected,
                double tolerance = 1e-6) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i)
    EXPECT_NEAR(actual[i], expected[i], tolerance) << "element " << i;
}

} // namespace nxv::test

#endif // NXV_TEST_REFERENCE_EVALUATE_H
