// RUN: nxv-translate --program-to-spvpack %s -split-input-file -verify-diagnostics

// expected-error @+1 {{expected one program.program}}
module {
}

// -----

program.program @main inputs [{type = "f32"}] outputs [] {
  %x = program.buffer input 16 {index = 1}
  // expected-error @-1 {{names input 1, but the program has 1}}
  program.results
}

// -----

// expected-error @+1 {{expected inputs and outputs to be dictionaries with a 'type' and a 'shape'}}
program.program @main inputs [{type = "f32"}] outputs [] {
  %x = program.buffer input 16 {index = 0}
  program.results
}

// -----

// expected-error @+1 {{makes a malformed pack: inputs[0]}}
program.program @main inputs [{type = "f32", shape = array<i64: 4>}] outputs [] {
  %x = program.buffer input 20 {index = 0}
  program.results
}

// -----

// expected-error @+1 {{has 1 outputs, but 0 results}}
program.program @main inputs [] outputs [{type = "f32", shape = array<i64: 4>}] {
  program.results
}

// -----

program.program @main inputs [] outputs [] {
  // expected-error @+1 {{has no offset: run nxv-plan-memory first}}
  %x = program.buffer arena 20
  program.results
}

// -----

program.program @main inputs [] outputs [] {
  // expected-error @+1 {{has a value of 8 bytes in a buffer of 4}}
  %x = program.buffer constant 4 {value = dense<1> : tensor<2xi32>}
  program.results
}

// -----

program.program @main inputs [] outputs [{type = "f32", shape = array<i64: 4>}] {
  %y = program.buffer output 16 {index = 0}
  // expected-error @+1 {{dispatches @k, which is not a spirv.module}}
  program.dispatch @k::@k grid 1 ins() outs(%y)
  program.results %y
}

// -----

program.program @main inputs [] outputs [{type = "f32", shape = array<i64: 4>}] {
  %y = program.buffer output 16 {index = 0}
  program.dispatch @k::@k grid 1 ins() outs(%y)
  program.results %y
}
// The module does not declare the capability for what it uses.
// expected-error @+1 {{invalid SPIR-V: }}
spirv.module @k PhysicalStorageBuffer64 GLSL450 requires #spirv.vce<v1.5, [Shader, PhysicalStorageBufferAddresses], []> {
  spirv.func @k() "None" {
    %0 = spirv.Constant 1 : i64
    %1 = spirv.IAdd %0, %0 : i64
    spirv.Return
  }
  spirv.EntryPoint "GLCompute" @k
  spirv.ExecutionMode @k "LocalSize", 1, 1, 1
}

// -----

program.program @main inputs [] outputs [{type = "f32", shape = array<i64: 4>}] {
  %y = program.buffer output 16 {index = 0}
  program.dispatch @k::@k grid 1 ins() outs(%y)
  program.results %y
}
// expected-error @+1 {{expected an execution mode LocalSize}}
spirv.module @k PhysicalStorageBuffer64 GLSL450 requires #spirv.vce<v1.5, [Shader, PhysicalStorageBufferAddresses], []> {
  spirv.func @k() "None" {
    spirv.Return
  }
  spirv.EntryPoint "GLCompute" @k
}
