# Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a safetensors file with a good tensor and one that lies outside the file."""

import json
import struct
import sys

header = json.dumps(
    {
        "w": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]},
        "outside": {"dtype": "F32", "shape": [2], "data_offsets": [4, 12]},
    }
).encode()
with open(sys.argv[1], "wb") as file:
    file.write(struct.pack("<Q", len(header)) + header + struct.pack("<2f", 1.5, -2.0))
