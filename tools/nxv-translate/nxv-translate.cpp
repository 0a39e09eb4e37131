//===- nxv-translate.cpp - translates to and from nxv modules
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "nxv/Graph/Translate.h"
#include "nxv/Target/Spvpack/Spvpack.h"

#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"

int main(int argc, char **argv) {
  nxv::registerGraphTranslations();
  nxv::registerSpvpackTranslations();
  return mlir::failed(
      mlir::mlirTranslateMain(argc, argv, "nxv translation driver"));
}
