#!/usr/bin/env python3
# packs.py - the graphs that nxv-ulp runs, compiled.
# Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes DIR/FUNCTION.TYPE.spvpack for every function and type that nxv-ulp measures.

A graph makes its arguments itself: the bit pattern of element i is base + i * factor, and of functions of two operands
base + (i * factor) % span for each, in u64 for f64 and in u32 for all others, of which narrow types take the low bits.

Usage: packs.py NXV-COMPILE DIR [--size=N] [--types=f32,f64] [--functions=exp,sin]
"""

import argparse
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import graphs

UNARY = """exp expm1 log log1p sigmoid sin cos tan sinh cosh tanh asin acos atan asinh acosh atanh sqrt rsqrt cbrt erf
    erfc erf_inv""".split()
BINARY = "pow atan2 divide remainder".split()
WIDTH = {"f8_e5m2": 8, "f8_e4m3fn": 8, "f16": 16, "bf16": 16, "f32": 32, "f64": 64}


def operand(builder, name, type, index, spanned):
    word = builder.type(index)
    numbers = [builder.input(f"{name}_{part}", word, []) for part in ("base", "factor", "span")[: 3 if spanned else 2]]
    step = builder.binary("multiply", index, numbers[1])
    if spanned:
        step = builder.binary("remainder", step, numbers[2])
    pattern = builder.binary("add", step, numbers[0])
    if WIDTH[type] < 32:
        pattern = builder.node("as_type", [pattern], f"u{WIDTH[type]}", builder.shape(pattern))
    return builder.node("bitcast", [pattern], type, builder.shape(pattern))


def graph(function, type, size):
    builder = graphs.Builder(f"{function}_{type}")
    index = builder.node("iota", [], f"u{max(WIDTH[type], 32)}", [size], axis=0)
    x = operand(builder, "x", type, index, function in BINARY)
    if function in UNARY:
        return builder.graph(builder.unary(function, x))
    return builder.graph(builder.binary(function, x, operand(builder, "y", type, index, True)))


def size_of(function, type, size):
    """Narrow types have few numbers, and all of f32's are taken in large chunks."""
    if function in UNARY and WIDTH[type] <= 16:
        return 1 << WIDTH[type]
    if WIDTH[type] == 8:
        return 1 << 16
    if function in UNARY and type == "f32":
        return size * 16
    return size


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("compiler")
    parser.add_argument("folder")
    parser.add_argument("--size", type=int, default=1 << 20, help="points of a run (%(default)s)")
    parser.add_argument("--types", default=",".join(WIDTH))
    parser.add_argument("--functions", default=",".join(UNARY + BINARY))
    options = parser.parse_args()
    os.makedirs(options.folder, exist_ok=True)
    for type in options.types.split(","):
        for function in options.functions.split(","):
            stem = os.path.join(options.folder, f"{function}.{type}")
            with open(stem + ".json", "w", encoding="utf-8") as file:
                json.dump(graph(function, type, size_of(function, type, options.size)), file)
            subprocess.run([options.compiler, stem + ".json", "-o", stem + ".spvpack"], check=True)
            os.remove(stem + ".json")


main()
