//===- Tensor.h - tensors on the host ---------------------------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_RUN_TENSOR_H
#define NXV_RUN_TENSOR_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <complex>
#include <cstdint>
#include <string>
#include <vector>

namespace nxv::run {

/// How the elements of a type are read.
enum class ElementKind { Signed, Unsigned, Float, Complex };

/// What is to know of an element type of the graph format.
struct ElementType {
  const char *name;
  ElementKind kind;
  unsigned bytes; ///< of an element
  unsigned bits;  ///< of an integer, or of one component
  unsigned exponentBits;
  unsigned mantissaBits;
  bool finiteOnly; ///< no infinities: f8_e4m3fn
};

/// Null for an unknown name. "f8" is "f8_e5m2".
const ElementType *findElementType(llvm::StringRef name);

/// A dense row-major tensor.
struct Tensor {
  const ElementType *type = nullptr;
  std::vector<int64_t> shape;
  std::vector<uint8_t> data;

  uint64_t size() const { return type ? data.size() / type->bytes : 0; }
};

/// "f32[4,10]".
std::string describe(const ElementType &type, llvm::ArrayRef<int64_t> shape);

/// Bytes of a tensor, or an error if there are too many.
llvm::Expected<uint64_t> byteSize(const ElementType &type,
                                  llvm::ArrayRef<int64_t> shape);

/// The bits of component `part` of element `i`, sign-extended for signed types.
int64_t readBits(const Tensor &tensor, uint64_t i, unsigned part = 0);
/// The element, or its real or imaginary part, as a double.
double readFloat(const Tensor &tensor, uint64_t i, unsigned part = 0);
/// Stores the nearest value of the type; integers wrap.
void writeFloat(Tensor &tensor, uint64_t i, double value, unsigned part = 0);
void writeInteger(Tensor &tensor, uint64_t i, int64_t value);

/// The distance of two components in units of the last place.
uint64_t ulpDistance(const Tensor &a, const Tensor &b, uint64_t i,
                     unsigned part);

/// "1.5", "-3", "(1,2)".
std::string elementText(const Tensor &tensor, uint64_t i);

} // namespace nxv::run

#endif // NXV_RUN_TENSOR_H
