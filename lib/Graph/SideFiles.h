//===- SideFiles.h - tensors kept beside a graph
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef NXV_LIB_GRAPH_SIDEFILES_H
#define NXV_LIB_GRAPH_SIDEFILES_H

#include "Json.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MemoryBuffer.h"

namespace nxv::graph {

/// The safetensors files that a graph refers to, each read once.
class SideFiles {
public:
  explicit SideFiles(llvm::StringRef graphPath) : graphPath(graphPath) {}

  /// The bytes of a tensor, which must have the given type.
  std::optional<llvm::ArrayRef<char>> find(llvm::StringRef file,
                                           llvm::StringRef tensor,
                                           mlir::RankedTensorType type,
                                           std::string &error);

private:
  struct File {
    std::unique_ptr<llvm::MemoryBuffer> buffer;
    Json header;
    llvm::ArrayRef<char> data;
  };
  File *open(llvm::StringRef name, std::string &error);
  static bool readHeader(File &file, std::string &error);

  std::string graphPath;
  llvm::StringMap<File> files;
};

} // namespace nxv::graph

#endif // NXV_LIB_GRAPH_SIDEFILES_H
