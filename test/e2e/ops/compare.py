# compare.py - compares what a device gave with what the interpreter did.
# Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Two results agree if they are the same numbers but for a relative error that the case allows."""

import math

from graph_builder import COMPLEX, SMALLEST, is_integer, part, unpack


class Failure(Exception):
    """What failed, and of what kind: in the interpreter, the compiler, at run time, or a mismatch."""


def same(a, b, relative, least):
    if a == b:
        # Zeros may differ in sign: -0 and +0 are the same maximum.
        return True
    if a != a or b != b:
        return a != a and b != b
    if math.isinf(a) or math.isinf(b):
        return False
    return abs(a - b) <= max(relative * max(abs(a), abs(b)), least)


def same_complex(a, b, relative, least):
    """A small part may be lost beside a large one."""
    if all(math.isfinite(v) for v in (*a, *b)):
        a, b = complex(*a), complex(*b)
        return abs(a - b) <= max(relative * max(abs(a), abs(b)), least)
    return all(same(x, y, relative, least) for x, y in zip(a, b))


def pairs(values):
    return list(zip(values[::2], values[1::2]))


def compare(tensor, tolerance, got, wanted):
    """Raises a Failure unless the bytes `got` stand for what the bytes `wanted` do."""
    if got == wanted:
        return
    if len(got) != len(wanted):
        raise Failure(f"mismatch: {len(got)} bytes, interpreted {len(wanted)}")
    a, b = unpack(tensor.kind, got), unpack(tensor.kind, wanted)
    relative, floor = tolerance
    least = 0.0
    if not is_integer(tensor.kind):
        largest = max((abs(v) for v in b if math.isfinite(v)), default=0.0)
        # Subnormal numbers may be flushed.
        least = max(relative * floor * largest, SMALLEST[part(tensor.kind)])
    equal = same
    if tensor.kind in COMPLEX:
        a, b, equal = pairs(a), pairs(b), same_complex
    wrong = [i for i, (x, y) in enumerate(zip(a, b)) if not equal(x, y, relative, least)]
    if wrong:
        i = wrong[0]
        raise Failure(f"mismatch: {len(wrong)} of {len(a)} elements, at {i}: got {a[i]!r}, interpreted {b[i]!r}")
