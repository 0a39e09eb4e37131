//===- Listing.h - what there is --------------------------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_RUN_LISTING_H
#define NXV_RUN_LISTING_H

#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace nxv::run {

/// One line for each Vulkan device.
llvm::Error listDevices(llvm::raw_ostream &out);

/// The entry point, kernels and program of a pack; takes no device.
llvm::Error listPack(llvm::StringRef path, llvm::raw_ostream &out);

} // namespace nxv::run

#endif // NXV_RUN_LISTING_H
