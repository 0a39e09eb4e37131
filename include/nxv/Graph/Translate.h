//===- Translate.h - graph translations of nxv-translate --------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_GRAPH_TRANSLATE_H
#define NXV_GRAPH_TRANSLATE_H

namespace nxv {

/// Registers --import-graph and --export-graph.
void registerGraphTranslations();

} // namespace nxv

#endif // NXV_GRAPH_TRANSLATE_H
