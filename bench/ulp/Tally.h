//===- Tally.h - counts errors ----------------------------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_BENCH_ULP_TALLY_H
#define NXV_BENCH_ULP_TALLY_H

#include "Formats.h"
#include "Functions.h"

namespace nxv::ulp {

struct Point {
  double x = 0, y = 0, got = 0, exact = 0;
};

/// The results of one function in one format.
///
/// Points where an argument or the exact result is subnormal are counted apart,
/// as a device may flush such numbers: `flushedResults` are zeros, and
/// `flushedArguments` what the function gives for zeros instead.
struct Tally {
  uint64_t points = 0;
  double ulp = 0; ///< the worst; infinite where one is plainly wrong
  Point worst;
  uint64_t wrong = 0; ///< a NaN, an infinity, a zero or a sign out of place
  Point wrongAt;

  uint64_t subnormal = 0, flushedResults = 0, flushedArguments = 0;
  double subnormalUlp = 0; ///< of those that are not flushed
  Point subnormalWorst;
  uint64_t subnormalWrong = 0;
  Point subnormalWrongAt;

  void merge(const Tally &other);
};

/// Judges results. f64 is compared with the extended type of the processor, and
/// what comes near to the worst again with quadruple precision.
class Judge {
public:
  Judge(const Format &format, const Function &function);

  /// `known` has the worst errors so far; the tally need not be exact below
  /// them.
  void count(double x, double y, double got, const Tally &known,
             Tally &tally) const;

private:
  /// `Exact` judges what W, quicker, cannot.
  template <typename W, typename Exact>
  void countAs(Reference<W> reference, double x, double y, double got,
               const Tally &known, Tally &tally) const;
  template <typename W, typename Exact>
  void countSlowly(double x, double y, double got, W exact, const Tally &known,
                   Tally &tally) const;
  template <typename W>
  void countSubnormal(const Point &point, W exact, double ulp,
                      Tally &tally) const;
  template <typename W>
  bool isPlain(double got, W exact) const;
  template <typename W>
  double error(double got, W exact) const;
  template <typename W>
  W exactly(double x, double y) const;
  bool isSubnormal(double number) const;
  bool hasSubnormal(double x, double y) const;

  const Format &format;
  const Function &function;
  double leastNormal;
  Extended vanishing; ///< half of the least subnormal number
  Extended past;      ///< what would follow the largest number
  int ulpExponent;
};

} // namespace nxv::ulp

#endif // NXV_BENCH_ULP_TALLY_H
