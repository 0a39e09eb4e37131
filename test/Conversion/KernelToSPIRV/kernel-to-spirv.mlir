// RUN: nxv-opt %s -nxv-kernel-to-spirv -split-input-file | FileCheck %s

!f32s = memref<?xf32, #spirv.storage_class<PhysicalStorageBuffer>>

// Neighbouring vectors share their address; both are fully aligned.
// CHECK-LABEL: spirv.module @vectors PhysicalStorageBuffer64 GLSL450
// CHECK-SAME:    requires #spirv.vce<v1.5, [Shader, Int64, SignedZeroInfNanPreserve, PhysicalStorageBufferAddresses], []>
// CHECK-SAME:    nxv.arguments = "push"
// CHECK:         spirv.GlobalVariable @[[PUSH:.*]] : !spirv.ptr<!spirv.struct<(i64 [0], i64 [8]), Block>, PushConstant>
// CHECK:         spirv.func @vectors() "None"
// CHECK:           %[[IN:.*]] = spirv.Load "PushConstant"
// CHECK:           %[[OUT:.*]] = spirv.Load "PushConstant"
// CHECK:           %[[WIDE:.*]] = spirv.SConvert %{{.*}} : i32 to i64
// CHECK:           %[[BYTES:.*]] = spirv.IMul %[[WIDE]], %{{.*}} : i64
// CHECK:           %[[ADDRESS:.*]] = spirv.IAdd %[[IN]], %[[BYTES]] : i64
// CHECK:           %[[P:.*]] = spirv.ConvertUToPtr %[[ADDRESS]] : i64 to !spirv.ptr<vector<4xf32>, PhysicalStorageBuffer>
// CHECK:           spirv.Load "PhysicalStorageBuffer" %[[P]] ["Aligned", 16] : vector<4xf32>
// CHECK:           %[[SIXTEEN:.*]] = spirv.Constant 16 : i64
// CHECK:           spirv.IAdd %[[ADDRESS]], %[[SIXTEEN]] : i64
// CHECK:           spirv.Load "PhysicalStorageBuffer" %{{.*}} ["Aligned", 16] : vector<4xf32>
// CHECK:           spirv.FAdd {{.*}} {no_contraction} : vector<4xf32>
// CHECK:           spirv.IAdd %[[OUT]], %[[BYTES]] : i64
// CHECK:           spirv.Store "PhysicalStorageBuffer" {{.*}} ["Aligned", 16] : vector<4xf32>
// CHECK:         spirv.EntryPoint "GLCompute" @vectors, {{.*}}@[[PUSH]]
// CHECK-NEXT:    spirv.ExecutionMode @vectors "LocalSize", 64, 1, 1
// CHECK-NEXT:    spirv.ExecutionMode @vectors "SignedZeroInfNanPreserve", 32
gpu.module @vectors {
  gpu.func @vectors(%in: !f32s, %out: !f32s) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>, nxv.grid = 1 : i64} {
    %t = gpu.thread_id x
    %c4 = arith.constant 4 : index
    %i = arith.muli %t, %c4 : index
    %j = arith.addi %i, %c4 : index
    %a = vector.load %in[%i] : !f32s, vector<4xf32>
    %b = vector.load %in[%j] : !f32s, vector<4xf32>
    %c = arith.addf %a, %b : vector<4xf32>
    vector.store %c, %out[%i] : !f32s, vector<4xf32>
    gpu.return
  }
}

// -----

!i8s = memref<?xi8, #spirv.storage_class<PhysicalStorageBuffer>>
!f64s = memref<?xf64, #spirv.storage_class<PhysicalStorageBuffer>>

// Only what is used is demanded.
// CHECK-LABEL: spirv.module @types
// CHECK-SAME:    [Shader, Float64, Int64, Int8, StorageBuffer8BitAccess, SignedZeroInfNanPreserve, PhysicalStorageBufferAddresses], []>
// CHECK:           spirv.Load "PhysicalStorageBuffer" {{.*}} ["Aligned", 1] : i8
// CHECK:           spirv.Store "PhysicalStorageBuffer" {{.*}} ["Aligned", 8] : f64
// CHECK:         "SignedZeroInfNanPreserve", 64
gpu.module @types {
  gpu.func @types(%in: !i8s, %out: !f64s) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>, nxv.grid = 1 : i64} {
    %t = gpu.thread_id x
    %a = memref.load %in[%t] : !i8s
    %b = arith.sitofp %a : i8 to f64
    memref.store %b, %out[%t] : !f64s
    gpu.return
  }
}

// -----

!f32s = memref<?xf32, #spirv.storage_class<PhysicalStorageBuffer>>

// A grid that fits one dimension is WorkgroupId.x.
// CHECK-LABEL: spirv.module @small
// CHECK-NOT:     NumWorkgroups
gpu.module @small {
  gpu.func @small(%out: !f32s) kernel attributes {gpu.known_block_size = array<i32: 1, 1, 1>, nxv.grid = 65535 : i64} {
    %b = gpu.block_id x
    %c = arith.constant 1.0 : f32
    memref.store %c, %out[%b] : !f32s
    gpu.return
  }
}

// A larger one is rebuilt, and guarded.
// CHECK-LABEL: spirv.module @large
// CHECK:         built_in("NumWorkgroups")
// CHECK:         spirv.IMul
// CHECK:         spirv.IAdd
// CHECK:         spirv.IMul
// CHECK:         %[[ID:.*]] = spirv.IAdd
// CHECK:         %[[GRID:.*]] = spirv.Constant 65536 : i32
// CHECK:         %[[INSIDE:.*]] = spirv.ULessThan %[[ID]], %[[GRID]] : i32
// CHECK:         spirv.mlir.selection
// CHECK:           spirv.BranchConditional %[[INSIDE]]
// CHECK:           spirv.Store "PhysicalStorageBuffer"
gpu.module @large {
  gpu.func @large(%out: !f32s) kernel attributes {gpu.known_block_size = array<i32: 1, 1, 1>, nxv.grid = 65536 : i64} {
    %b = gpu.block_id x
    %c = arith.constant 1.0 : f32
    memref.store %c, %out[%b] : !f32s
    gpu.return
  }
}

// CHECK-LABEL: spirv.module @huge
// CHECK:         spirv.ULessThan %{{.*}}, %{{.*}} : i64
gpu.module @huge {
  gpu.func @huge(%out: !f32s) kernel attributes {gpu.known_block_size = array<i32: 1, 1, 1>, nxv.grid = 5000000000 : i64, nxv.index64} {
    %b = gpu.block_id x
    %c = arith.constant 1.0 : f32
    memref.store %c, %out[%b] : !f32s
    gpu.return
  }
}

// -----

!f32s = memref<?xf32, #spirv.storage_class<PhysicalStorageBuffer>>
!shared = memref<64xf32, #spirv.storage_class<Workgroup>>

// CHECK-LABEL: spirv.module @barriers
// CHECK:         spirv.GlobalVariable @[[SHARED:.*]] : !spirv.ptr<{{.*}}array<64 x f32>{{.*}}, Workgroup>
// CHECK:         spirv.ControlBarrier <Workgroup>, <Workgroup>, <AcquireRelease|WorkgroupMemory>
// CHECK:         spirv.ControlBarrier <Workgroup>, <Workgroup>, <AcquireRelease|UniformMemory|WorkgroupMemory>
// CHECK:         spirv.EntryPoint {{.*}}@[[SHARED]]
gpu.module @barriers {
  gpu.func @barriers(%in: !f32s, %out: !f32s) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>, nxv.grid = 1 : i64} {
    %t = gpu.thread_id x
    %c63 = arith.constant 63 : index
    %r = arith.subi %c63, %t : index
    %shared = memref.alloc() : !shared
    %a = memref.load %in[%t] : !f32s
    memref.store %a, %shared[%t] : !shared
    gpu.barrier
    %b = memref.load %shared[%r] : !shared
    memref.store %b, %out[%t] : !f32s
    gpu.barrier {nxv.device_memory}
    gpu.return
  }
}

// -----

!f32s = memref<?xf32, #spirv.storage_class<PhysicalStorageBuffer>>

// The result is the initial value if there is no iteration: it is stored before
// the loop is left, not behind its body.
// CHECK-LABEL: spirv.module @no_iteration
// CHECK:         %[[RESULT:.*]] = spirv.Variable : !spirv.ptr<f32, Function>
// CHECK:         spirv.mlir.loop
// CHECK:           %[[MORE:.*]] = spirv.SLessThan
// CHECK:           spirv.Store "Function" %[[RESULT]]
// CHECK:           spirv.BranchConditional %[[MORE]]
gpu.module @no_iteration {
  gpu.func @no_iteration(%in: !f32s, %out: !f32s) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>, nxv.grid = 1 : i64} {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    %sum = scf.for %k = %c0 to %t step %c1 iter_args(%s = %zero) -> f32 {
      %a = memref.load %in[%k] : !f32s
      %n = arith.addf %s, %a : f32
      scf.yield %n : f32
    }
    memref.store %sum, %out[%t] : !f32s
    gpu.return
  }
}

// -----

!b = memref<?xi32, #spirv.storage_class<PhysicalStorageBuffer>>

// More than 16 arguments lie in a block.
// CHECK-LABEL: spirv.module @many
// CHECK-SAME:    nxv.arguments = "block"
// CHECK:         !spirv.ptr<!spirv.struct<(i64 [0]), Block>, PushConstant>
// CHECK:         %[[BLOCK:.*]] = spirv.Load "PushConstant"
// CHECK:         %[[RECORD:.*]] = spirv.ConvertUToPtr %[[BLOCK]]
// CHECK:         %[[NUMBER:.*]] = spirv.Constant 16 : i32
// CHECK:         %[[SLOT:.*]] = spirv.AccessChain %[[RECORD]][%[[NUMBER]]]
// CHECK:         spirv.Load "PhysicalStorageBuffer" %[[SLOT]] ["Aligned", 8] : i64
gpu.module @many {
  gpu.func @many(%0: !b, %1: !b, %2: !b, %3: !b, %4: !b, %5: !b, %6: !b, %7: !b, %8: !b,
                 %9: !b, %10: !b, %11: !b, %12: !b, %13: !b, %14: !b, %15: !b, %16: !b)
      kernel attributes {gpu.known_block_size = array<i32: 1, 1, 1>, nxv.grid = 1 : i64} {
    %t = gpu.thread_id x
    %c = arith.constant 7 : i32
    memref.store %c, %16[%t] : !b
    gpu.return
  }
}

// -----

!b = memref<?xi32, #spirv.storage_class<PhysicalStorageBuffer>>

// A signed remainder is what the quotient leaves, also of the lowest value,
// which has no magnitude.
// CHECK-LABEL: spirv.module @remainder
// CHECK-NOT:     spirv.GL.SAbs
// CHECK-NOT:     spirv.SRem
// CHECK:         %[[QUOTIENT:.*]] = spirv.SDiv %[[A:.*]], %[[B:.*]] : i32
// CHECK:         %[[WHOLE:.*]] = spirv.IMul %[[QUOTIENT]], %[[B]] : i32
// CHECK:         spirv.ISub %[[A]], %[[WHOLE]] : i32
gpu.module @remainder {
  gpu.func @remainder(%in: !b, %out: !b) kernel attributes {gpu.known_block_size = array<i32: 1, 1, 1>, nxv.grid = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %a = memref.load %in[%c0] : !b
    %b = memref.load %in[%c1] : !b
    %r = arith.remsi %a, %b : i32
    memref.store %r, %out[%c0] : !b
    gpu.return
  }
}

// -----

// Without 64-bit integers addresses are pointers to arrays.
// CHECK-LABEL: spirv.module @pointers
// CHECK-SAME: [Shader, SignedZeroInfNanPreserve, PhysicalStorageBufferAddresses]
// CHECK: spirv.GlobalVariable @__push_constants__ : !spirv.ptr<!spirv.struct<(!spirv.ptr<!spirv.struct<(!spirv.rtarray<f32, stride=4> [0]), Block>, PhysicalStorageBuffer> [0]), Block>, PushConstant>
// CHECK: spirv.AccessChain
// CHECK: spirv.Bitcast %{{.*}} : !spirv.ptr<f32, PhysicalStorageBuffer> to !spirv.ptr<vector<4xf32>, PhysicalStorageBuffer>
// CHECK: spirv.Load "PhysicalStorageBuffer" {{.*}} ["Aligned", 16] : vector<4xf32>
gpu.module @pointers attributes {nxv.without_int64} {
  gpu.func @pointers(%in: memref<?xf32, #spirv.storage_class<PhysicalStorageBuffer>>) kernel
      attributes {gpu.known_block_size = array<i32: 64, 1, 1>, nxv.grid = 1 : i64} {
    %i = gpu.thread_id x
    %0 = vector.load %in[%i] : memref<?xf32, #spirv.storage_class<PhysicalStorageBuffer>>, vector<4xf32>
    %1 = arith.negf %0 : vector<4xf32>
    vector.store %1, %in[%i] : memref<?xf32, #spirv.storage_class<PhysicalStorageBuffer>>, vector<4xf32>
    gpu.return
  }
}
