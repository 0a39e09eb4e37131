// RUN: nxv-opt %s -nxv-insert-barriers -split-input-file | FileCheck %s

// Independent steps run together; a read waits for its write.
// CHECK-LABEL: program.program @read_after_write
// CHECK:         program.dispatch @a::@a
// CHECK-NEXT:    program.dispatch @b::@b
// CHECK-NEXT:    program.barrier
// CHECK-NEXT:    program.dispatch @c::@c
// CHECK-NEXT:    program.results
program.program @read_after_write inputs [{type = "f32", shape = array<i64: 4>}] outputs [{type = "f32", shape = array<i64: 4>}] {
  %x = program.buffer input 16 {index = 0}
  %y = program.buffer output 16 {index = 0}
  %0 = program.buffer arena 16 {offset = 0}
  %1 = program.buffer arena 16 {offset = 256}
  program.dispatch @a::@a grid 1 ins(%x) outs(%0)
  program.dispatch @b::@b grid 1 ins(%x) outs(%1)
  program.dispatch @c::@c grid 1 ins(%0, %1) outs(%y)
  program.results %y
}

// -----

// Write after read and write after write, through memory that is shared.
// CHECK-LABEL: program.program @overlap
// CHECK:         program.dispatch @a::@a
// CHECK-NEXT:    program.barrier
// CHECK-NEXT:    program.dispatch @b::@b
// CHECK-NEXT:    program.barrier
// CHECK-NEXT:    program.dispatch @c::@c
// CHECK-NEXT:    program.barrier
// CHECK-NEXT:    program.fill
// CHECK-NEXT:    program.results
program.program @overlap inputs [] outputs [{type = "f32", shape = array<i64: 4>}] {
  %y = program.buffer output 16 {index = 0}
  %0 = program.buffer arena 512 {offset = 0}
  %1 = program.buffer arena 256 {offset = 256}
  program.dispatch @a::@a grid 1 ins() outs(%0)
  program.dispatch @b::@b grid 1 ins(%0) outs(%y)
  program.dispatch @c::@c grid 1 ins() outs(%1)
  program.fill %0 bytes 512 value 0
  program.results %y
}

// -----

// A barrier covers all that came before it.
// CHECK-LABEL: program.program @once
// CHECK-COUNT-1: program.barrier
// CHECK-NOT:     program.barrier
program.program @once inputs [] outputs [{type = "f32", shape = array<i64: 4>}, {type = "f32", shape = array<i64: 4>}] {
  %y = program.buffer output 16 {index = 0}
  %z = program.buffer output 16 {index = 1}
  %0 = program.buffer arena 16 {offset = 0}
  %1 = program.buffer arena 16 {offset = 256}
  program.dispatch @a::@a grid 1 ins() outs(%0)
  program.dispatch @a::@a grid 1 ins() outs(%1)
  program.dispatch @a::@a grid 1 ins(%0) outs(%y)
  program.dispatch @a::@a grid 1 ins(%1) outs(%z)
  program.results %y, %z
}

// -----

// CHECK-LABEL: program.program @loop
// CHECK:         program.copy
// CHECK-NEXT:    program.barrier
// CHECK-NEXT:    program.while
// CHECK-NEXT:      program.dispatch
// CHECK-NEXT:      program.barrier
// CHECK-NEXT:    } do {
// CHECK-NEXT:      program.dispatch
// CHECK-NEXT:      program.barrier
// CHECK-NEXT:    }
// CHECK-NEXT:    program.copy
// CHECK-NEXT:    program.results
program.program @loop inputs [{type = "f32", shape = array<i64: 4>}] outputs [{type = "f32", shape = array<i64: 4>}] {
  %x = program.buffer input 16 {index = 0}
  %y = program.buffer output 16 {index = 0}
  %s = program.buffer arena 16 {offset = 0}
  %p = program.buffer arena 1 {offset = 256}
  program.copy %x to %s bytes 16
  program.while %p cond {
    program.dispatch @a::@a grid 1 ins(%s) outs(%p)
  } do {
    program.dispatch @a::@a grid 1 ins(%s) outs(%s)
  }
  program.copy %s to %y bytes 16
  program.results %y
}

// -----

// A turn ends with nothing pending.
// CHECK-LABEL: program.program @repeat
// CHECK:         program.copy
// CHECK-NEXT:    program.barrier
// CHECK-NEXT:    program.repeat 7 do {
// CHECK-NEXT:      program.dispatch
// CHECK-NEXT:      program.barrier
// CHECK-NEXT:    }
// CHECK-NEXT:    program.copy
// CHECK-NEXT:    program.results
program.program @repeat inputs [{type = "f32", shape = array<i64: 4>}] outputs [{type = "f32", shape = array<i64: 4>}] {
  %x = program.buffer input 16 {index = 0}
  %y = program.buffer output 16 {index = 0}
  %s = program.buffer arena 16 {offset = 0}
  program.copy %x to %s bytes 16
  program.repeat 7 do {
    program.dispatch @a::@a grid 1 ins(%s) outs(%s)
  }
  program.copy %s to %y bytes 16
  program.results %y
}
