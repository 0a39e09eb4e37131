// RUN: nxv-translate --program-to-spvpack %s -o %t.spvpack
// RUN: %{python} %S/Inputs/header.py %t.spvpack | FileCheck %s
// RUN: nxv-translate --program-to-spvpack %s -o %t.again
// RUN: cmp %t.spvpack %t.again

// CHECK:      name "add"
// CHECK-NEXT: inputs {"name": "x", "type": "f32", "shape": [4], "buffer": 0, "donatable": true}
// CHECK-NEXT: inputs {"name": "unused", "type": "f64", "shape": [2, 3], "buffer": 8}
// CHECK-NEXT: outputs {"type": "f32", "shape": [4], "buffer": 1}
// CHECK-NEXT: output_tree {"leaf": {"type": "f32", "shape": [4]}}
// CHECK-NEXT: arena_bytes 256
// CHECK-NEXT: intermediate_bytes 512
// CHECK-NEXT: buffers {"kind": "input", "bytes": 16}
// CHECK-NEXT: buffers {"kind": "output", "bytes": 16}
// CHECK-NEXT: buffers {"kind": "constant", "bytes": 4, "blob": 0}
// Equal constants share their bytes.
// CHECK-NEXT: buffers {"kind": "constant", "bytes": 4, "blob": 0}
// CHECK-NEXT: buffers {"kind": "constant", "bytes": 16, "blob": 1}
// CHECK-NEXT: buffers {"kind": "constant", "bytes": 3, "blob": 2}
// CHECK-NEXT: buffers {"kind": "arena", "bytes": 16, "offset": 0}
// CHECK-NEXT: buffers {"kind": "arena", "bytes": 1, "offset": 0}
// CHECK-NEXT: buffers {"kind": "input", "bytes": 48}
// @same has the words of @store.
// CHECK-NEXT: kernels {"name": "store", "variants": [{"blob": 3, "entry": "main", "workgroup": [8, 2, 1], "arguments": "push",
// CHECK-SAME:   "requirements": {"vulkan": "1.2", "spirv": "1.5", "capabilities": ["Int64", "PhysicalStorageBufferAddresses", "Shader"], "extensions": [], "shared_bytes": 256, "push_bytes": 8}}]}
// CHECK-NEXT: program {"op": "dispatch", "kernel": 0, "grid": 5, "args": [{"buffer": 6, "offset": 0}]}
// CHECK-NEXT: program {"op": "barrier"}
// CHECK-NEXT: program {"op": "dispatch", "kernel": 0, "grid": 6, "args": [{"buffer": 1, "offset": 0}]}
// CHECK-NEXT: program {"op": "while", "condition": [{"op": "fill", "dst": {"buffer": 7, "offset": 0}, "bytes": 4, "value": 0}], "predicate": {"buffer": 7, "offset": 0}, "body": [{"op": "barrier"}]}
// CHECK-NEXT: program {"op": "repeat", "count": 12, "body": [{"op": "barrier"}]}
// CHECK-NEXT: program {"op": "if", "predicate": {"buffer": 7, "offset": 0}, "then": [], "else": [{"op": "barrier"}]}
// CHECK-NEXT: program {"op": "copy", "src": {"buffer": 0, "offset": 0}, "dst": {"buffer": 1, "offset": 0}, "bytes": 16}
// CHECK-NEXT: program {"op": "tap", "name": "seen", "type": "f32", "shape": [4], "src": {"buffer": 1, "offset": 0}}
// CHECK-NEXT: blobs {"offset": 0, "bytes": 4,
// CHECK-NEXT: blobs {"offset": 64, "bytes": 16,
// CHECK-NEXT: blobs {"offset": 128, "bytes": 3,
// CHECK-NEXT: blobs {"offset": 192,

module attributes {nxv.graph_name = "add"} {
  program.program @main
      inputs [{name = "x", type = "f32", shape = array<i64: 4>, donatable}, {name = "unused", type = "f64", shape = array<i64: 2, 3>}]
      outputs [{type = "f32", shape = array<i64: 4>}]
      attributes {output_tree = "{\"leaf\":{\"type\":\"f32\",\"shape\":[4]}}", arena_bytes = 256 : i64, intermediate_bytes = 512 : i64} {
    %x = program.buffer input 16 {index = 0}
    %y = program.buffer output 16 {index = 0}
    %a = program.buffer constant 4 {value = dense<[1, 0, 1, 0]> : tensor<4xi8>}
    %b = program.buffer constant 4 {value = dense<[true, false, true, false]> : tensor<4xi1>}
    %c = program.buffer constant 16 {value = dense<(1.0, 2.0)> : tensor<2xcomplex<f32>>}
    %d = program.buffer constant 3 {value = dense<[-1, 7, -8]> : tensor<3xi4>}
    %t = program.buffer arena 16 {offset = 0}
    %p = program.buffer arena 1 {offset = 0}
    program.dispatch @store::@store grid 5 ins() outs(%t)
    program.barrier
    program.dispatch @same::@same grid 6 ins() outs(%y)
    program.while %p cond {
      program.fill %p bytes 4 value 0
    } do {
      program.barrier
    }
    program.repeat 12 do {
      program.barrier
    }
    program.if %p then {
    } else {
      program.barrier
    }
    program.copy %x to %y bytes 16
    program.tap "seen" "f32" [4] %y
    program.results %y
  }
  spirv.module @store PhysicalStorageBuffer64 GLSL450 requires #spirv.vce<v1.5, [Shader, Int64, PhysicalStorageBufferAddresses], []> attributes {nxv.arguments = "push"} {
    spirv.GlobalVariable @shared : !spirv.ptr<!spirv.struct<(!spirv.array<64 x f32>)>, Workgroup>
    spirv.GlobalVariable @push : !spirv.ptr<!spirv.struct<(i64 [0]), Block>, PushConstant>
    spirv.func @store() "None" {
      spirv.Return
    }
    spirv.EntryPoint "GLCompute" @store, @shared, @push
    spirv.ExecutionMode @store "LocalSize", 8, 2, 1
  }
  spirv.module @same PhysicalStorageBuffer64 GLSL450 requires #spirv.vce<v1.5, [Shader, Int64, PhysicalStorageBufferAddresses], []> attributes {nxv.arguments = "push"} {
    spirv.GlobalVariable @shared : !spirv.ptr<!spirv.struct<(!spirv.array<64 x f32>)>, Workgroup>
    spirv.GlobalVariable @push : !spirv.ptr<!spirv.struct<(i64 [0]), Block>, PushConstant>
    spirv.func @same() "None" {
      spirv.Return
    }
    spirv.EntryPoint "GLCompute" @same, @shared, @push
    spirv.ExecutionMode @same "LocalSize", 8, 2, 1
  }
}
