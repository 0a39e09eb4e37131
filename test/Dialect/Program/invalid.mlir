// RUN: nxv-opt %s -nxv-plan-memory -nxv-insert-barriers -split-input-file -verify-diagnostics

program.program @p inputs [] outputs [] {
  // expected-error @+1 {{expected a size of 0 bytes or more, got -1}}
  %0 = program.buffer arena -1
}

// -----

program.program @p inputs [] outputs [] {
  // expected-error @+1 {{expected an index exactly for inputs and outputs}}
  %0 = program.buffer input 16
}

// -----

program.program @p inputs [] outputs [] {
  // expected-error @+1 {{expected a value exactly for constants}}
  %0 = program.buffer constant 16
}

// -----

program.program @p inputs [] outputs [] {
  %0 = program.buffer arena 16
  // expected-error @+1 {{expected a grid of 1 workgroup or more, got 0}}
  program.dispatch @a::@a grid 0 ins() outs(%0)
}

// -----

program.program @p inputs [] outputs [] {
  // expected-error @+1 {{expected a count of 1 or more, got 0}}
  program.repeat 0 do {
  }
}

// -----

program.program @p inputs [] outputs [] {
  %0 = program.buffer arena 16
  // expected-error @+1 {{expected 'in_place' to be a list of pairs}}
  program.dispatch @a::@a grid 1 ins() outs(%0) {in_place = 1 : i64}
}

// -----

program.program @p inputs [] outputs [] {
  %0 = program.buffer arena 16
  // expected-error @+1 {{has no input 0 or no output 0, which 'in_place' names}}
  program.dispatch @a::@a grid 1 ins() outs(%0) {in_place = [array<i64: 0, 0>]}
}

// -----

program.program @p inputs [] outputs [] {
  %0 = program.buffer arena 16
  // expected-error @+1 {{expected a pair of numbers in 'in_place'}}
  program.dispatch @a::@a grid 1 ins(%0) outs(%0) {in_place = [array<i64: 0>]}
}
