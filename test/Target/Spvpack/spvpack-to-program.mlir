// RUN: nxv-translate --program-to-spvpack %s -o %t.spvpack
// RUN: nxv-translate --spvpack-to-program %t.spvpack -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: nxv-translate --program-to-spvpack %t.mlir -o %t.again
// RUN: nxv-translate --spvpack-to-program %t.again | diff %t.mlir -

// CHECK:      module attributes {nxv.graph_name = "fill"}
// CHECK-NEXT:   spirv.module @k PhysicalStorageBuffer64 GLSL450 requires #spirv.vce<v1.5, [Shader, Int64, PhysicalStorageBufferAddresses], []> attributes {nxv.arguments = "push"} {
// CHECK:          spirv.func @main() "None"
// CHECK:            spirv.Store "PhysicalStorageBuffer" %{{.*}}, %{{.*}} ["Aligned", 4] : i32
// CHECK:          spirv.EntryPoint "GLCompute" @main
// CHECK-NEXT:     spirv.ExecutionMode @main "LocalSize", 1, 1, 1
// CHECK:        program.program @main inputs [{name = "x", shape = array<i64: 4>, type = "f32"}] outputs [{shape = array<i64: 4>, type = "f32"}] attributes {arena_bytes = 256 : i64, intermediate_bytes = 256 : i64} {
// CHECK-NEXT:     %[[X:.*]] = program.buffer input 16 {index = 0 : i64}
// CHECK-NEXT:     %[[Y:.*]] = program.buffer output 16 {index = 0 : i64}
// CHECK-NEXT:     %[[P:.*]] = program.buffer arena 1 {offset = 0 : i64}
// CHECK-NEXT:     %[[C:.*]] = program.buffer constant 2 {value = dense<[1, 2]> : tensor<2xi8>}
// CHECK-NEXT:     program.dispatch @k::@main grid 3 ins() outs(%[[Y]])
// CHECK-NEXT:     program.if %[[P]] then {
// CHECK-NEXT:       program.copy %[[X]] to %[[Y]] bytes 16
// CHECK-NEXT:     } else {
// CHECK-NEXT:       program.fill %[[Y]] bytes 16 value 7
// CHECK-NEXT:     }
// CHECK-NEXT:     program.repeat 9 do {
// CHECK-NEXT:       program.copy %[[X]] to %[[Y]] bytes 16
// CHECK-NEXT:     }
// CHECK-NEXT:     program.results %[[Y]]

module attributes {nxv.graph_name = "fill"} {
  program.program @main inputs [{name = "x", type = "f32", shape = array<i64: 4>}] outputs [{type = "f32", shape = array<i64: 4>}]
      attributes {arena_bytes = 256 : i64, intermediate_bytes = 256 : i64} {
    %x = program.buffer input 16 {index = 0}
    %y = program.buffer output 16 {index = 0}
    %p = program.buffer arena 1 {offset = 0}
    %c = program.buffer constant 2 {value = dense<[1, 2]> : tensor<2xi8>}
    program.dispatch @k::@k grid 3 ins() outs(%y)
    program.if %p then {
      program.copy %x to %y bytes 16
    } else {
      program.fill %y bytes 16 value 7
    }
    program.repeat 9 do {
      program.copy %x to %y bytes 16
    }
    program.results %y
  }
  spirv.module @k PhysicalStorageBuffer64 GLSL450 requires #spirv.vce<v1.5, [Shader, Int64, PhysicalStorageBufferAddresses], []> attributes {nxv.arguments = "push"} {
    spirv.GlobalVariable @push : !spirv.ptr<!spirv.struct<(i64 [0]), Block>, PushConstant>
    spirv.func @k() "None" {
      %0 = spirv.mlir.addressof @push : !spirv.ptr<!spirv.struct<(i64 [0]), Block>, PushConstant>
      %1 = spirv.Constant 0 : i32
      %2 = spirv.AccessChain %0[%1] : !spirv.ptr<!spirv.struct<(i64 [0]), Block>, PushConstant>, i32 -> !spirv.ptr<i64, PushConstant>
      %3 = spirv.Load "PushConstant" %2 : i64
      %4 = spirv.ConvertUToPtr %3 : i64 to !spirv.ptr<i32, PhysicalStorageBuffer>
      spirv.Store "PhysicalStorageBuffer" %4, %1 ["Aligned", 4] : i32
      spirv.Return
    }
    spirv.EntryPoint "GLCompute" @k, @push
    spirv.ExecutionMode @k "LocalSize", 1, 1, 1
  }
}
