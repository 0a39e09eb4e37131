//===- TripCountTest.cpp - how often a loop's body runs -------------------===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "nxv/Kernel/TripCount.h"

#include "nxv/Dialect/Program/IR/Program.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

#include <random>
#include <string>

using Count = std::optional<uint64_t>;

namespace {

mlir::MLIRContext &getContext() {
  static mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context
      .loadDialect<nxv::NxvDialect, nxv::program::ProgramDialect,
                   mlir::arith::ArithDialect, mlir::func::FuncDialect,
                   mlir::linalg::LinalgDialect, mlir::tensor::TensorDialect>();
  return context;
}

/// The trip count of the only loop in a function's text.
Count count(const std::string &function) {
  std::string text = "#s = affine_map<() -> ()>\n" + function;
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &getContext());
  if (!module) {
    ADD_FAILURE() << text;
    return std::nullopt;
  }
  nxv::WhileOp loop;
  module->walk<mlir::WalkOrder::PreOrder>([&](nxv::WhileOp op) {
    loop = op;
    return op->hasAttr("outer") ? mlir::WalkResult::advance()
                                : mlir::WalkResult::interrupt();
  });
  return nxv::getTripCount(loop);
}

/// A generic of one element in a group: `code` computes %r from %a and %b.
std::string group(const std::string &a, const std::string &b,
                  const std::string &from, const std::string &to,
                  const std::string &code) {
  std::string in = "tensor<" + from + ">", out = "tensor<" + to + ">";
  return "program.group map(" + a + ", " + b + ") : (" + in + ", " + in +
         ") -> " + out + " {\n^bb0(%x: " + in + ", %y: " + in +
         "):\n%e = tensor.empty() : " + out +
         "\n%g = linalg.generic {indexing_maps = [#s, #s, #s], "
         "iterator_types = []} ins(%x, %y : " +
         in + ", " + in + ") outs(%e : " + out + ") {\n^bb1(%a: " + from +
         ", %b: " + from + ", %o: " + to + "):\n" + code +
         "\nlinalg.yield %r : " + to + "\n} -> " + out +
         "\nprogram.yield %g : " + out + "\n}\n";
}

/// A loop whose states are a counter and what it is compared with. `compare`
/// and `next` compute %r from the counter %a and the bound %b.
std::string loop(const std::string &type, const std::string &first,
                 const std::string &bound, const std::string &compare,
                 const std::string &next) {
  std::string t = "tensor<" + type + ">";
  return "func.func @f() -> " + t + " {\n%first = arith.constant dense<" +
         first + "> : " + t + "\n%bound = arith.constant dense<" + bound +
         "> : " + t + "\n%l:2 = nxv.while(%first, %bound) : " + t + ", " + t +
         " cond {\n^bb0(%i: " + t + ", %n: " + t +
         "):\n%c = " + group("%i", "%n", type, "i1", compare) +
         "nxv.yield %c : tensor<i1>\n} do {\n^bb0(%i: " + t + ", %n: " + t +
         "):\n%c = " + group("%i", "%n", type, type, next) +
         "nxv.yield %c, %n : " + t + ", " + t + "\n}\nreturn %l#0 : " + t +
         "\n}\n";
}

std::string comparison(const std::string &predicate, const std::string &type,
                       bool swapped = false) {
  return "%r = arith.cmpi " + predicate +
         (swapped ? ", %b, %a : " : ", %a, %b : ") + type;
}

std::string addition(const std::string &step, const std::string &type) {
  return "%s = arith.constant " + step + " : " + type +
         "\n%r = arith.addi %a, %s : " + type;
}

Count counted(const std::string &predicate, int64_t first, int64_t bound,
              int64_t step, const std::string &type = "i32",
              bool swapped = false) {
  return count(loop(type, std::to_string(first), std::to_string(bound),
                    comparison(predicate, type, swapped),
                    addition(std::to_string(step), type)));
}

TEST(TripCount, Upwards) {
  EXPECT_EQ(counted("slt", 0, 1000, 1), Count(1000));
  EXPECT_EQ(counted("sle", 0, 1000, 1), Count(1001));
  EXPECT_EQ(counted("slt", -5, 6, 3), Count(4));
  EXPECT_EQ(counted("slt", 7, 7, 1), Count(0));
  EXPECT_EQ(counted("ne", 3, 33, 10), Count(3));
  EXPECT_EQ(counted("eq", 3, 3, 10), Count(1));
  EXPECT_EQ(counted("sgt", 0, 12, 5, "i64", true), Count(3));
}

TEST(TripCount, Downwards) {
  EXPECT_EQ(counted("sgt", 10, 0, -1), Count(10));
  EXPECT_EQ(counted("sge", 10, 0, -4), Count(3));
  EXPECT_EQ(counted("ugt", 10, 0, -1), Count(10));
  // i >= 0 is true of every unsigned number.
  EXPECT_EQ(counted("uge", 10, 0, -1), std::nullopt);
}

TEST(TripCount, Endless) {
  EXPECT_EQ(counted("slt", 0, 5, 0), std::nullopt);
  EXPECT_EQ(counted("slt", 0, 5, -1), std::nullopt);
  EXPECT_EQ(counted("ne", 0, 5, 2), std::nullopt);
}

TEST(TripCount, AtTheEdgesOfTypes) {
  EXPECT_EQ(counted("sle", 0, 127, 1, "i8"), std::nullopt);
  EXPECT_EQ(counted("slt", 0, 127, 1, "i8"), Count(127));
  EXPECT_EQ(counted("slt", 0, 127, 2, "i8"), std::nullopt);
  EXPECT_EQ(counted("ult", 0, -1, 1, "i8"), Count(255));
  EXPECT_EQ(counted("slt", 0, 4000000000, 1, "i64"), Count(4000000000));
  EXPECT_EQ(counted("slt", INT64_MIN, INT64_MAX, 1, "i64"), std::nullopt);
  EXPECT_EQ(counted("slt", INT64_MIN, INT64_MAX, INT64_MAX, "i64"),
            std::nullopt);
}

/// What the loop does, counted; more than 300 turns of i8 are endless.
Count simulate(const std::string &predicate, uint8_t value, uint8_t bound,
               uint8_t step) {
  for (uint64_t turns = 0; turns < 300; ++turns, value += step) {
    int a = value, b = bound;
    if (predicate[0] == 's')
      a = int8_t(value), b = int8_t(bound);
    std::string kind = predicate.substr(predicate.size() - 2);
    bool goes = kind == "lt"   ? a < b
                : kind == "le" ? a <= b
                : kind == "gt" ? a > b
                : kind == "ge" ? a >= b
                : kind == "eq" ? a == b
                               : a != b;
    if (!goes)
      return turns;
  }
  return std::nullopt;
}

TEST(TripCount, AgreesWithTheLoop) {
  std::mt19937 random(7);
  const char *predicates[] = {"slt", "sle", "sgt", "sge", "ult",
                              "ule", "ugt", "uge", "eq",  "ne"};
  int known = 0, ended = 0;
  for (int i = 0; i < 400; ++i) {
    const char *predicate = predicates[i % 10];
    int8_t first = int8_t(random()), bound = int8_t(random());
    int8_t step = int8_t(int(random() % 15) - 7);
    Count expected = simulate(predicate, first, bound, step);
    Count found = counted(predicate, first, bound, step, "i8");
    ended += expected.has_value();
    known += found.has_value();
    if (found)
      EXPECT_EQ(found, expected) << predicate << " " << int(first) << " "
                                 << int(bound) << " " << int(step);
  }
  EXPECT_GE(known, ended / 2);
}

TEST(TripCount, ThroughConversions) {
  // A counter of 32 bits, compared as one of 64.
  std::string wide = "%0 = arith.extsi %a : i32 to i64\n"
                     "%1 = arith.constant 10 : i64\n"
                     "%r = arith.cmpi slt, %0, %1 : i64";
  EXPECT_EQ(count(loop("i32", "-2", "0", wide, addition("1", "i32"))),
            Count(12));
  // The edge of the narrow type comes first.
  std::string far = "%0 = arith.extui %a : i8 to i32\n"
                    "%1 = arith.constant 300 : i32\n"
                    "%r = arith.cmpi slt, %0, %1 : i32";
  EXPECT_EQ(count(loop("i8", "0", "0", far, addition("1", "i8"))),
            std::nullopt);
  std::string near = "%0 = arith.extui %a : i8 to i32\n"
                     "%1 = arith.constant 200 : i32\n"
                     "%r = arith.cmpi slt, %0, %1 : i32";
  EXPECT_EQ(count(loop("i8", "0", "0", near, addition("1", "i8"))), Count(200));
}

TEST(TripCount, OfACounterPlusAConstant) {
  std::string shifted = "%0 = arith.constant 2 : i32\n"
                        "%1 = arith.addi %a, %0 : i32\n"
                        "%r = arith.cmpi sle, %1, %b : i32";
  EXPECT_EQ(count(loop("i32", "0", "10", shifted, addition("1", "i32"))),
            Count(9));
  std::string less = "%0 = arith.constant 3 : i32\n"
                     "%r = arith.subi %a, %0 : i32";
  EXPECT_EQ(count(loop("i32", "10", "0", comparison("sgt", "i32"), less)),
            Count(4));
  // i + 2 wraps around before i + 2 > 127 could be.
  std::string wraps = "%0 = arith.constant 2 : i8\n"
                      "%1 = arith.addi %a, %0 : i8\n"
                      "%r = arith.cmpi slt, %1, %b : i8";
  EXPECT_EQ(count(loop("i8", "0", "127", wraps, addition("3", "i8"))),
            std::nullopt);
}

TEST(TripCount, UnknownLoops) {
  // The bound changes.
  std::string text =
      loop("i32", "0", "10", comparison("slt", "i32"), addition("1", "i32"));
  size_t at = text.find("nxv.yield %c, %n");
  EXPECT_EQ(count(text.replace(at, 16, "nxv.yield %c, %c")), std::nullopt);
  // The step is no constant; the counter is multiplied.
  EXPECT_EQ(count(loop("i32", "1", "10", comparison("slt", "i32"),
                       "%r = arith.addi %a, %b : i32\n")),
            Count(1));
  EXPECT_EQ(count(loop("i32", "1", "10", comparison("slt", "i32"),
                       "%r = arith.muli %a, %b : i32\n")),
            std::nullopt);
}

TEST(TripCount, OfANestedLoop) {
  // The counter starts anew in each turn, its bound comes from outside.
  EXPECT_EQ(count(R"(
func.func @f() -> tensor<i32> {
  %zero = arith.constant dense<0> : tensor<i32>
  %ten = program.group map() : () -> tensor<1xi32> {
    %0 = arith.constant dense<10> : tensor<1xi32>
    program.yield %0 : tensor<1xi32>
  }
  %o:2 = nxv.while(%zero, %ten) attributes {outer} : tensor<i32>, tensor<1xi32> cond {
  ^bb0(%i: tensor<i32>, %n: tensor<1xi32>):
    %0 = arith.constant dense<true> : tensor<i1>
    nxv.yield %0 : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %n: tensor<1xi32>):
    %start = arith.constant dense<4> : tensor<i32>
    %flat = tensor.collapse_shape %n [] : tensor<1xi32> into tensor<i32>
    %l:2 = nxv.while(%start, %flat) : tensor<i32>, tensor<i32> cond {
    ^bb0(%k: tensor<i32>, %m: tensor<i32>):
      %c = )" + group("%k", "%m", "i32", "i1", comparison("slt", "i32")) +
                  R"(
      nxv.yield %c : tensor<i1>
    } do {
    ^bb0(%k: tensor<i32>, %m: tensor<i32>):
      %c = )" + group("%k", "%m", "i32", "i32", addition("1", "i32")) +
                  R"(
      nxv.yield %c, %m : tensor<i32>, tensor<i32>
    }
    nxv.yield %l#0, %n : tensor<i32>, tensor<1xi32>
  }
  return %o#0 : tensor<i32>
})"),
            Count(6));
}

} // namespace
