//===- Functions.h - what is measured, and what it should be ----*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_BENCH_ULP_FUNCTIONS_H
#define NXV_BENCH_ULP_FUNCTIONS_H

#include <string>
#include <vector>

namespace nxv::ulp {

using Extended = long double;
using Quad = __float128;

/// Exact values, to the precision of the type. A unary function ignores y.
template <typename W>
using Reference = W (*)(W x, W y);

/// Where a function of f64 is looked at: every range of its arguments that has
/// an interesting result, and the arguments where something happens: zeros,
/// poles, ends of the domain, and where the expansion changes its method.
struct Range {
  double low, high; // of one sign
};

struct Function {
  const char *name; // of the graph format
  bool isBinary;
  bool isMirrored; // ranges and spots have both signs
  Reference<double> twice;
  Reference<Extended> extended;
  Reference<Quad> quad;
  std::vector<Range> ranges;
  std::vector<double> spots;
};

const std::vector<Function> &functions();
const Function *findFunction(const std::string &name);

} // namespace nxv::ulp

#endif // NXV_BENCH_ULP_FUNCTIONS_H
