//===- nxv-translate.cpp - reads and writes other formats -------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "nxv/Target/Spvpack/Spvpack.h"

#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"

int main(int argc, char **argv) {
  nxv::registerSpvpackTranslations();
  return mlir::failed(
      mlir::mlirTranslateMain(argc, argv, "nxv translation driver"));
}
