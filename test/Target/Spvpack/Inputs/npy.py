# Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the elements of .npy files of one dimension, one file a line."""

import array
import ast
import sys

TYPES = {"<f4": "f", "<f8": "d", "<i4": "i", "<i8": "q", "|i1": "b", "|u1": "B"}
for name in sys.argv[1:]:
    with open(name, "rb") as file:
        data = file.read()
    length = int.from_bytes(data[8:10], "little")
    header = ast.literal_eval(data[10 : 10 + length].decode())
    values = array.array(TYPES[header["descr"]], data[10 + length :])
    print(*values)
