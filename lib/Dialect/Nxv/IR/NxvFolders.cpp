//===- NxvFolders.cpp - f
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "mlir/IR/PatternMatch.h"
#include "nxv/Dialect/Nxv/IR/Nxv.h"
using namespace nxv;
using namespace mlir;
OpFoldResult AddOp::fold(FoldAdaptor a) { return {}; }
OpFoldResult BitcastOp::fold(FoldAdaptor a) { return {}; }
OpFoldResult BroadcastInDimOp::fold(FoldAdaptor a) { return {}; }
OpFoldResult CompareOp::fold(FoldAdaptor a) { return {}; }
OpFoldResult ConstantOp::fold(FoldAdaptor a) { return getValue(); }
OpFoldResult ConvertOp::fold(FoldAdaptor a) { return {}; }
OpFoldResult DivideOp::fold(FoldAdaptor a) { return {}; }
OpFoldResult MultiplyOp::fold(FoldAdaptor a) { return {}; }
OpFoldResult ReduceOp::fold(FoldAdaptor a) { return {}; }
OpFoldResult ReshapeOp::fold(FoldAdaptor a) { return {}; }
OpFoldResult SelectOp::fold(FoldAdaptor a) { return {}; }
OpFoldResult SliceOp::fold(FoldAdaptor a) { return {}; }
OpFoldResult SubtractOp::fold(FoldAdaptor a) { return {}; }
OpFoldResult TransposeOp::fold(FoldAdaptor a) { return {}; }
void ConvertOp::getCanonicalizationPatterns(RewritePatternSet &,
                                            MLIRContext *) {}
