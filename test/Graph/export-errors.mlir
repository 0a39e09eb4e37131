// RUN: not nxv-translate --export-graph -split-input-file %s 2>&1 | FileCheck %s

// CHECK: error: 'nxv.cumulative' op has no counterpart in the graph format
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = nxv.cumulative add, %x {axis = 0} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// CHECK: error: needs a function 'main' of one block
func.func @other() {
  return
}

// -----

// CHECK: error: a graph cannot hold values of type 'index'
func.func @main(%x: index) {
  return
}
