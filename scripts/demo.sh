#!/bin/sh
# demo.sh [GRAPH] - builds nxv, compiles a graph and runs it on the best Vulkan device there is, comparing its results
# with recorded ones. GRAPH is the path, without .json, of a graph with its .io.json; the default is a transformer block.
#   NXV_DEVICE=NAME or INDEX  run on that device
# Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -eu
. "$(dirname "$0")/common.sh"

GRAPH=${1:-$ROOT/test/e2e/graphs/workloads/transformer_block}
PACK=$BUILD/demo/$(basename "$GRAPH").spvpack

build
mkdir -p "$BUILD/demo"

say "Compiling $GRAPH.json"
"$BUILD/bin/nxv-compile" "$GRAPH.json" -o "$PACK" --stats

say "Devices"
"$BUILD/bin/nxv-run" --list-devices

say "Running $PACK and comparing with the recorded outputs"
"$BUILD/bin/nxv-run" "$PACK" --io="$GRAPH.io.json"

say "Timing"
"$BUILD/bin/nxv-run" "$PACK" --random-inputs --benchmark
