//===- ControlFlowTest.cpp --------------------------------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Evaluate.h"

using namespace nxv;
using namespace nxv::test;

using Ints = std::vector<int32_t>;

static Tensor scalar(int32_t value) { return s32("tensor<i32>", {value}); }

static Ints evaluateInt(const std::string &body,
                        const std::vector<Tensor> &inputs) {
  return read<int32_t>(evaluate(body, "tensor<i32>", inputs));
}

TEST(ControlFlow, While) {
  const char *body = R"(
    %one = nxv.constant dense<1> : tensor<i32>
    %r, %n = nxv.while (%one, %0) : tensor<i32>, tensor<i32> cond {
    ^bb0(%product: tensor<i32>, %left: tensor<i32>):
      %zero = nxv.constant dense<0> : tensor<i32>
      %more = nxv.compare gt, %left, %zero
        : (tensor<i32>, tensor<i32>) -> tensor<i1>
      nxv.yield %more : tensor<i1>
    } do {
    ^bb0(%product: tensor<i32>, %left: tensor<i32>):
      %step = nxv.constant dense<1> : tensor<i32>
      %next = nxv.multiply %product, %left : tensor<i32>
      %rest = nxv.subtract %left, %step : tensor<i32>
      nxv.yield %next, %rest : tensor<i32>, tensor<i32>
    })";
  EXPECT_EQ(evaluateInt(body, {scalar(5)}), (Ints{120}));
  EXPECT_EQ(evaluateInt(body, {scalar(0)}), (Ints{1}));
}

TEST(ControlFlow, CaseTakesTheFirstTrueBranch) {
  const char *body = R"(
    %r = nxv.case (%0, %1) : (tensor<i1>, tensor<i1>) -> tensor<i32> {
      nxv.yield %2 : tensor<i32>
    }, {
      %twice = nxv.add %2, %2 : tensor<i32>
      nxv.yield %twice : tensor<i32>
    }, {
      %zero = nxv.constant dense<0> : tensor<i32>
      nxv.yield %zero : tensor<i32>
    })";
  auto run = [&](uint8_t first, uint8_t second) {
    return evaluateInt(body,
                       {make<uint8_t>("tensor<i1>", {first}),
                        make<uint8_t>("tensor<i1>", {second}), scalar(7)})[0];
  };
  EXPECT_EQ(run(1, 1), 7);
  EXPECT_EQ(run(0, 1), 14);
  EXPECT_EQ(run(0, 0), 0);
}

TEST(ControlFlow, Block) {
  EXPECT_EQ(evaluateInt(R"(
    %r = nxv.block "twice" (%0) : (tensor<i32>) -> tensor<i32> {
    ^bb0(%x: tensor<i32>):
      %y = nxv.add %x, %x : tensor<i32>
      nxv.yield %y : tensor<i32>
    })",
                        {scalar(4)}),
            (Ints{8}));
}

TEST(ControlFlow, TapHandsItsOperandsOn) {
  EXPECT_EQ(
      evaluateInt(R"(%r = nxv.tap "seen" (%0) : tensor<i32>)", {scalar(4)}),
      (Ints{4}));
}

TEST(ControlFlow, ValuesLiveAsLongAsTheirUses) {
  // %0 is used again after a region that used it, %y by a later operation only.
  const char *body = R"(
    %y = nxv.add %0, %0 : tensor<i32>
    %p = nxv.constant dense<true> : tensor<i1>
    %z = nxv.case (%p) : (tensor<i1>) -> tensor<i32> {
      nxv.yield %0 : tensor<i32>
    }, {
      nxv.yield %y : tensor<i32>
    }
    %w = nxv.multiply %z, %0 : tensor<i32>
    %r = nxv.add %w, %y : tensor<i32>)";
  EXPECT_EQ(evaluateInt(body, {scalar(3)}), (Ints{15}));
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

static std::string getError(const std::string &text,
                            const std::vector<Tensor> &inputs) {
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &getContext());
  std::string message;
  mlir::ScopedDiagnosticHandler handler(&getContext(),
                                        [&](mlir::Diagnostic &diagnostic) {
                                          message = diagnostic.str();
                                          return mlir::success();
                                        });
  auto function = module->lookupSymbol<mlir::func::FuncOp>("main");
  EXPECT_TRUE(mlir::failed(interpret(function, inputs)));
  return message;
}

TEST(Errors, WrongInputs) {
  const std::string text =
      "func.func @main(%0: tensor<2xf32>) -> tensor<2xf32> {\n"
      "return %0 : tensor<2xf32>\n}";
  EXPECT_EQ(getError(text, {}), "got 0 inputs, expected 1");
  EXPECT_EQ(getError(text, {s32("tensor<2xi32>", {1, 2})}),
            "input 0 is 'tensor<2xi32>', expected 'tensor<2xf32>'");
  EXPECT_EQ(getError(text, {f32("tensor<2xf32>", {1})}),
            "input 0 has 4 bytes, expected 8");
}

TEST(Errors, UnknownOperation) {
  const std::string text = "func.func private @other() -> tensor<i32>\n"
                           "func.func @main() -> tensor<i32> {\n"
                           "%r = func.call @other() : () -> tensor<i32>\n"
                           "return %r : tensor<i32>\n}";
  EXPECT_EQ(getError(text, {}), "'func.call' op is not an operation that the "
                                "reference interpreter runs");
}
