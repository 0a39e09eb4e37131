#!/bin/sh
# build.sh - installs what is missing (Debian 12 and later) and builds nxv.
#   NXV_BUILD_DIR=DIR  build there rather than in build/
#   NXV_JOBS=N         compile N files at once
# Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -eu
. "$(dirname "$0")/common.sh"

build
say "Done: the tools are in $BUILD/bin"
