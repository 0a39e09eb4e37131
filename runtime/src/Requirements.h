//===- Requirements.h - kernels against a device ----------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_RUNTIME_REQUIREMENTS_H
#define NXV_RUNTIME_REQUIREMENTS_H

#include "Features.h"
#include "Pack.h"

namespace nxv::runtime {

/// The first thing that the device lacks to run the variant, with both numbers;
/// empty if it lacks nothing.
std::string firstUnmet(const pack::Variant &variant, const pack::Blob &module,
                       const FeatureSet &device);

/// Throws if the module declares what its record does not say, or is at odds
/// with it: a record that lies would get unchecked code to the driver.
void checkRecord(const pack::Kernel &kernel, const pack::Variant &variant,
                 const pack::Blob &module);

/// True if the device has the capability of that SPIR-V name.
bool hasCapability(std::string_view name, const FeatureSet &device);

} // namespace nxv::runtime

#endif // NXV_RUNTIME_REQUIREMENTS_H
