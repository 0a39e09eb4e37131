// RUN: nxv-opt %s -nxv-kernel-to-spirv -split-input-file -verify-diagnostics

// expected-error @+1 {{expected one kernel and nothing else}}
gpu.module @empty {
}

// -----

gpu.module @k {
  // expected-error @+1 {{expected 'gpu.known_block_size' of three positive sizes}}
  gpu.func @k() kernel attributes {nxv.grid = 1 : i64} {
    gpu.return
  }
}

// -----

gpu.module @k {
  // expected-error @+1 {{expected a positive 'nxv.grid'}}
  gpu.func @k() kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
    gpu.return
  }
}

// -----

gpu.module @k {
  // expected-error @+1 {{a grid of 5000000000 workgroups needs 64-bit indices ('nxv.index64')}}
  gpu.func @k() kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>, nxv.grid = 5000000000 : i64} {
    gpu.return
  }
}

// -----

gpu.module @k {
  // expected-error @+1 {{argument 0 has type 'memref<?xi1, #spirv.storage_class<PhysicalStorageBuffer>>', expected a one-dimensional memref of 8 to 64-bit scalars in storage class PhysicalStorageBuffer}}
  gpu.func @k(%a: memref<?xi1, #spirv.storage_class<PhysicalStorageBuffer>>) kernel
      attributes {gpu.known_block_size = array<i32: 64, 1, 1>, nxv.grid = 1 : i64} {
    gpu.return
  }
}

// -----

gpu.module @k {
  // expected-error @+1 {{argument 0 has type 'f32'}}
  gpu.func @k(%a: f32) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>, nxv.grid = 1 : i64} {
    gpu.return
  }
}

// -----

gpu.module @k {
  gpu.func @k() kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>, nxv.grid = 1 : i64} {
    // expected-error @+1 {{uses type 'bf16', which a kernel cannot hold}}
    %0 = arith.constant 1.0 : bf16
    gpu.return
  }
}

// -----

gpu.module @k {
  gpu.func @k() kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>, nxv.grid = 1 : i64} {
    // expected-error @+1 {{uses type 'vector<8xf32>', which a kernel cannot hold}}
    %0 = arith.constant dense<1.0> : vector<8xf32>
    gpu.return
  }
}

// -----

gpu.module @k {
  gpu.func @k() kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>, nxv.grid = 1 : i64} {
    // expected-error @+1 {{the grid is linear and has dimension x only}}
    %0 = gpu.block_id y
    gpu.return
  }
}

// -----

gpu.module @k {
  gpu.func @k() kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>, nxv.grid = 1 : i64} {
    // expected-error @+1 {{is not available: only gpu.block_id x and gpu.thread_id number a kernel's work items}}
    %0 = gpu.global_id x
    gpu.return
  }
}

// -----

!b = memref<?xf32, #spirv.storage_class<PhysicalStorageBuffer>>
gpu.module @k {
  gpu.func @k(%a: !b) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>, nxv.grid = 1 : i64} {
    %c0 = arith.constant 0 : index
    // expected-error @+1 {{is not a load, a store or an atomic and or or, and a kernel's arguments have no other use}}
    %0 = memref.dim %a, %c0 : !b
    gpu.return
  }
}

// -----

!b = memref<?xf32, #spirv.storage_class<PhysicalStorageBuffer>>
gpu.module @k {
  gpu.func @k(%a: !b) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>, nxv.grid = 1 : i64} {
    %c0 = arith.constant 0 : index
    // expected-error @+1 {{accesses 'vector<3xf32>', expected a vector of 2 or 4 elements}}
    %0 = vector.load %a[%c0] : !b, vector<3xf32>
    gpu.return
  }
}

// -----

!b = memref<?xf64, #spirv.storage_class<PhysicalStorageBuffer>>
gpu.module @k {
  gpu.func @k(%a: !b) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>, nxv.grid = 1 : i64} {
    %c0 = arith.constant 0 : index
    %0 = memref.load %a[%c0] : !b
    // expected-error @+1 {{failed to legalize operation 'math.erf'}}
    %1 = math.erf %0 : f64
    memref.store %1, %a[%c0] : !b
    gpu.return
  }
}
