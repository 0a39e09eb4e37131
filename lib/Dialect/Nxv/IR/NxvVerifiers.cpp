//===- NxvVerifiers.cpp - v
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "mlir/IR/PatternMatch.h"
#include "nxv/Dialect/Nxv/IR/Nxv.h"
using namespace nxv;
using namespace mlir;
LogicalResult AbsOp::verify() { return success(); }
LogicalResult ArgMaxOp::verify() { return success(); }
LogicalResult ArgMinOp::verify() { return success(); }
LogicalResult ArgSortOp::verify() { return success(); }
LogicalResult BitcastOp::verify() { return success(); }
LogicalResult BlockOp::verify() { return success(); }
LogicalResult BroadcastInDimOp::verify() { return success(); }
LogicalResult CaseOp::verify() { return success(); }
LogicalResult CompareOp::verify() { return success(); }
LogicalResult ConcatenateOp::verify() { return success(); }
LogicalResult ConvolutionOp::verify() { return success(); }
LogicalResult CumulativeOp::verify() { return success(); }
LogicalResult DotGeneralOp::verify() { return success(); }
LogicalResult DynamicSliceOp::verify() { return success(); }
LogicalResult DynamicUpdateSliceOp::verify() { return success(); }
LogicalResult FftOp::verify() { return success(); }
LogicalResult GatherOp::verify() { return success(); }
LogicalResult ImagOp::verify() { return success(); }
LogicalResult IotaOp::verify() { return success(); }
LogicalResult PadOp::verify() { return success(); }
LogicalResult RealOp::verify() { return success(); }
LogicalResult ReduceFnOp::verify() { return success(); }
LogicalResult ReduceOp::verify() { return success(); }
LogicalResult ReshapeOp::verify() { return success(); }
LogicalResult ReverseOp::verify() { return success(); }
LogicalResult ScatterOp::verify() { return success(); }
LogicalResult SelectAndScatterOp::verify() { return success(); }
LogicalResult SliceOp::verify() { return success(); }
LogicalResult SortOp::verify() { return success(); }
LogicalResult TransposeOp::verify() { return success(); }
LogicalResult TriangularSolveOp::verify() { return success(); }
LogicalResult WhileOp::verify() { return success(); }
LogicalResult WindowReduceFnOp::verify() { return success(); }
LogicalResult WindowReduceOp::verify() { return success(); }
