# Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that enough graphs and operations were compared: FILE GRAPHS OPERATIONS."""

import json
import sys

path, graphs, operations = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
with open(path, encoding="utf-8") as file:
    coverage = json.load(file)
if coverage["compared"] < graphs:
    sys.exit(f"{coverage['compared']} graphs were compared, expected {graphs}")
if len(coverage["operations"]) < operations:
    sys.exit(f"{len(coverage['operations'])} operations were compared, expected {operations}")
