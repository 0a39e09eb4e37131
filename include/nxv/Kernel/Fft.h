//===- Fft.h - which transforms are one kernel ------------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_KERNEL_FFT_H
#define NXV_KERNEL_FFT_H

#include "llvm/ADT/SmallVector.h"

namespace nxv {

/// Workgroup memory that every device has.
inline constexpr int64_t fftMemory = 32 * 1024;

/// The radices of a transform's stages; nothing for lengths with a prime factor
/// that a thread's registers do not hold.
inline llvm::SmallVector<int64_t> fftRadices(int64_t length) {
  llvm::SmallVector<int64_t> radices;
  if (length == 16)
    return {4, 4};
  for (int64_t radix : {13, 11, 7, 5, 8, 6, 4, 3, 2})
    for (; length % radix == 0; length /= radix)
      radices.push_back(radix);
  if (length != 1)
    radices.clear();
  return radices;
}

/// Does one kernel transform `length` numbers whose parts have `partBytes`?
inline bool isFftKernel(int64_t length, int64_t partBytes) {
  return 2 * partBytes * length <= fftMemory && !fftRadices(length).empty();
}

} // namespace nxv

#endif // NXV_KERNEL_FFT_H
