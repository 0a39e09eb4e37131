// RUN: nxv-opt %s -nxv-plan-memory -split-input-file | FileCheck %s

// Buffers that are not alive together share memory.
// CHECK-LABEL: program.program @chain
// CHECK-SAME:    arena_bytes = 1536 : i64
// CHECK-SAME:    intermediate_bytes = 2560 : i64
// CHECK:         arena 1024 {offset = 0 : i64}
// CHECK:         arena 512 {offset = 1024 : i64}
// CHECK:         arena 1024 {offset = 0 : i64}
program.program @chain inputs [{type = "f32", shape = array<i64: 4>}] outputs [{type = "f32", shape = array<i64: 4>}] {
  %x = program.buffer input 16 {index = 0}
  %y = program.buffer output 16 {index = 0}
  %0 = program.buffer arena 1024
  %1 = program.buffer arena 512
  %2 = program.buffer arena 1024
  program.dispatch @a::@a grid 1 ins(%x) outs(%0)
  program.dispatch @b::@b grid 1 ins(%0) outs(%1)
  program.dispatch @c::@c grid 1 ins(%1) outs(%2)
  program.dispatch @d::@d grid 1 ins(%2) outs(%y)
  program.results %y
}

// -----

// The smallest gap that fits is taken, and offsets are multiples of 256.
// CHECK-LABEL: program.program @gaps
// CHECK:         arena 1000 {offset = 0 : i64}
// CHECK:         arena 700 {offset = 1024 : i64}
// CHECK:         arena 300 {offset = 1024 : i64}
// CHECK:         arena 1 {offset = 1536 : i64}
program.program @gaps inputs [] outputs [{type = "u8", shape = array<i64: 1>}] {
  %y = program.buffer output 1 {index = 0}
  %0 = program.buffer arena 1000
  %1 = program.buffer arena 700
  %2 = program.buffer arena 300
  %3 = program.buffer arena 1
  program.dispatch @a::@a grid 1 ins() outs(%0)
  program.dispatch @a::@a grid 1 ins() outs(%1)
  program.dispatch @a::@a grid 1 ins(%1) outs(%y)
  program.dispatch @a::@a grid 1 ins() outs(%2)
  program.dispatch @a::@a grid 1 ins() outs(%3)
  program.dispatch @a::@a grid 1 ins(%0, %2, %3) outs(%y)
  program.results %y
}

// -----

// What a loop reads again lives through all of it; what each iteration writes
// anew does not. The predicate is kept in the output, which is written last.
// CHECK-LABEL: program.program @loop
// CHECK:         %[[Y:.*]] = program.buffer output 256 {index = 0 : i64}
// CHECK:         %[[STATE:.*]] = program.buffer arena 256 {offset = 0 : i64}
// CHECK:         %[[A:.*]] = program.buffer arena 256 {offset = 256 : i64}
// CHECK:         %[[B:.*]] = program.buffer arena 256 {offset = 512 : i64}
// CHECK:         %[[C:.*]] = program.buffer arena 256 {offset = 256 : i64}
// CHECK:         program.while %[[Y]]
program.program @loop inputs [{type = "f32", shape = array<i64: 64>}] outputs [{type = "f32", shape = array<i64: 64>}] {
  %x = program.buffer input 256 {index = 0}
  %y = program.buffer output 256 {index = 0}
  %s = program.buffer arena 256
  %p = program.buffer arena 1
  %a = program.buffer arena 256
  %b = program.buffer arena 256
  %c = program.buffer arena 256
  program.copy %x to %s bytes 256
  program.while %p cond {
    program.dispatch @a::@a grid 1 ins(%s) outs(%p)
  } do {
    program.dispatch @a::@a grid 1 ins(%s) outs(%a)
    program.dispatch @a::@a grid 1 ins(%a) outs(%b)
    program.dispatch @a::@a grid 1 ins(%b) outs(%c)
    program.dispatch @a::@a grid 1 ins(%c) outs(%s)
  }
  program.copy %s to %y bytes 256
  program.results %y
}

// -----

// An output is placed into a donated input that is no longer read.
// CHECK-LABEL: program.program @donated
// CHECK:         %[[X:.*]] = program.buffer input 16
// CHECK-NOT:     program.buffer output
// CHECK:         program.dispatch @a::@a grid 1 ins(%[[T:.*]]) outs(%[[X]])
// CHECK:         program.results %[[X]]
program.program @donated inputs [{type = "f32", shape = array<i64: 4>, donatable = true}] outputs [{type = "f32", shape = array<i64: 4>}] {
  %x = program.buffer input 16 {index = 0}
  %y = program.buffer output 16 {index = 0}
  %t = program.buffer arena 16
  program.dispatch @a::@a grid 1 ins(%x) outs(%t)
  program.dispatch @a::@a grid 1 ins(%t) outs(%y)
  program.results %y
}

// -----

// It is still read by the dispatch that writes the output.
// CHECK-LABEL: program.program @busy
// CHECK:         program.buffer output
program.program @busy inputs [{type = "f32", shape = array<i64: 4>, donatable = true}] outputs [{type = "f32", shape = array<i64: 4>}] {
  %x = program.buffer input 16 {index = 0}
  %y = program.buffer output 16 {index = 0}
  program.dispatch @a::@a grid 1 ins(%x) outs(%y)
  program.results %y
}

// -----

// But that dispatch may work in place.
// CHECK-LABEL: program.program @in_place
// CHECK:         %[[W:.*]] = program.buffer input 16 {index = 1
// CHECK-NOT:     program.buffer output
// CHECK:         program.dispatch @a::@a grid 1 ins(%{{.*}}, %[[W]]) outs(%[[W]])
program.program @in_place inputs [{type = "f32", shape = array<i64: 4>}, {type = "f32", shape = array<i64: 4>, donatable = true}]
    outputs [{type = "f32", shape = array<i64: 4>}] {
  %x = program.buffer input 16 {index = 0}
  %w = program.buffer input 16 {index = 1}
  %y = program.buffer output 16 {index = 0}
  program.dispatch @a::@a grid 1 ins(%x, %w) outs(%y) {in_place = [array<i64: 1, 0>]}
  program.results %y
}

// -----

// The same buffer twice: one of the two reads is not covered.
// CHECK-LABEL: program.program @twice
// CHECK:         program.buffer output
program.program @twice inputs [{type = "f32", shape = array<i64: 4>, donatable = true}] outputs [{type = "f32", shape = array<i64: 4>}] {
  %w = program.buffer input 16 {index = 0}
  %y = program.buffer output 16 {index = 0}
  program.dispatch @a::@a grid 1 ins(%w, %w) outs(%y) {in_place = [array<i64: 1, 0>]}
  program.results %y
}

// -----

// An input handed through keeps its content.
// CHECK-LABEL: program.program @handed_through
// CHECK:         program.buffer output
program.program @handed_through inputs [{type = "f32", shape = array<i64: 4>, donatable = true}]
    outputs [{type = "f32", shape = array<i64: 4>}, {type = "f32", shape = array<i64: 4>}] {
  %x = program.buffer input 16 {index = 0}
  %y = program.buffer output 16 {index = 0}
  program.fill %y bytes 16 value 0
  program.results %y, %x
}

// -----

// Intermediates follow one another in place.
// CHECK-LABEL: program.program @intermediates
// CHECK-SAME:    arena_bytes = 256 : i64
// CHECK-SAME:    intermediate_bytes = 512 : i64
program.program @intermediates inputs [{type = "f32", shape = array<i64: 4>}] outputs [{type = "f32", shape = array<i64: 4>}] {
  %x = program.buffer input 16 {index = 0}
  %y = program.buffer output 16 {index = 0}
  %0 = program.buffer arena 16
  %1 = program.buffer arena 16
  program.dispatch @a::@a grid 1 ins(%x) outs(%0)
  program.dispatch @a::@a grid 1 ins(%0) outs(%1) {in_place = [array<i64: 0, 0>]}
  program.dispatch @a::@a grid 1 ins(%1) outs(%y)
  program.results %y
}
