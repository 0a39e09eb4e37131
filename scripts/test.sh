#!/bin/sh
# test.sh - builds nxv and runs every test. The end-to-end tests run on Mesa's CPU device (lavapipe), so that they need
# no GPU and give the same answer everywhere.
#   NXV_DEVICE=NAME or INDEX  run the end-to-end tests on that device
# Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -eu
. "$(dirname "$0")/common.sh"

build

say "Checking the sources' form"
sh "$ROOT/scripts/lint.sh"

say "Running the tests"
export MESA_SHADER_CACHE_DIR="$BUILD/mesa-cache"
export LP_NUM_THREADS="${LP_NUM_THREADS:-2}"
export NXV_DEVICE="${NXV_DEVICE:-llvmpipe}"
mkdir -p "$MESA_SHADER_CACHE_DIR"
ctest --test-dir "$BUILD" --output-on-failure --no-tests=error
say "All tests passed"
