//===- Check.h - compiled against interpreted -------------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_FUZZ_CHECK_H
#define NXV_FUZZ_CHECK_H

#include "nxv/Fuzz/Generator.h"

#include <string>

struct nxv_device;

namespace nxv::fuzz {

enum class Verdict {
  Agrees,
  Unsupported, // one of the reasons that are known and said so
  Invalid,     // the graph itself: an error of the generator
  Graph,       // export and import do not give the same graph
  Compiler,    // an unexpected error of the compiler
  Runtime,     // an error of the runtime
  Mismatch     // other results than the interpreter's
};

llvm::StringRef getName(Verdict verdict);
bool isFailure(Verdict verdict);

struct Outcome {
  Verdict verdict = Verdict::Agrees;
  /// What was wrong, or which reason.
  std::string message;
  /// Elements of the outputs, and those of them that any value would do for:
  /// correct implementations differ there.
  uint64_t elements = 0;
  uint64_t waived = 0;
};

/// Compiles cases, runs them on a device and compares with the interpreter.
class Checker {
public:
  /// Opens the device `selector`, or the first if empty, when it is needed.
  explicit Checker(std::string selector) : selector(std::move(selector)) {}
  ~Checker();

  Outcome check(const Case &test);

private:
  Outcome runDevice(const std::string &pack, const Case &test,
                    std::vector<std::vector<uint8_t>> &results);

  std::string selector;
  nxv_device *device = nullptr;
};

/// The registered passes and dialects that a Checker needs.
void registerForChecks();
std::unique_ptr<mlir::MLIRContext> createContext();

/// Compares a device's results with the interpreter's; where they differ, with
/// those that the interpreter gives under disturbances.
Outcome compareResults(mlir::func::FuncOp main, const Case &test,
                       llvm::ArrayRef<Tensor> expected,
                       llvm::ArrayRef<std::vector<uint8_t>> results);

} // namespace nxv::fuzz

#endif // NXV_FUZZ_CHECK_H
