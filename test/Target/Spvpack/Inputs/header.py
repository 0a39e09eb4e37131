# Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the header of a pack, one entry a line."""

import json
import struct
import sys

with open(sys.argv[1], "rb") as file:
    data = file.read()
(size,) = struct.unpack("<Q", data[16:24])
header = json.loads(data[32 : 32 + size])
for key, value in header.items():
    if not isinstance(value, list):
        print(key, json.dumps(value))
        continue
    for item in value:
        print(key, json.dumps(item))
