#!/usr/bin/env python3
# table.py - the lines of nxv-ulp as the tables of docs/numerics.md.
# Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints Markdown tables of the worst errors in one or more files of lines that nxv-ulp wrote.

Each device has tables of its own. Of several lines for one function and type the worst figures count, and their points
are added up, except that one exhaustive line is all there is to know; lines of measurements that were cut short are
left out. With --replace=docs/numerics.md the text between the file's marks is replaced:

    <!-- table.py: begin -->
    <!-- table.py: end -->

Usage: table.py RESULTS.jsonl... [--replace=FILE]
"""

import argparse
import json
import sys

BEGIN, END = "<!-- table.py: begin -->", "<!-- table.py: end -->"
WIDE, NARROW = ["f32", "f64"], ["f16", "bf16", "f8_e5m2", "f8_e4m3fn"]


def fail(message):
    print(f"error: {message}", file=sys.stderr)
    sys.exit(1)


def worse(a, b):
    """Two lines for the same function and type as one."""
    if a["exhaustive"]:
        return a
    if b["exhaustive"]:
        return b
    best = dict(a if float(a["ulp"]) >= float(b["ulp"]) else b)
    best["points"] = a["points"] + b["points"]
    best["wrong"] = a["wrong"] + b["wrong"]
    one, two = a["subnormal"], b["subnormal"]
    best["subnormal"] = dict(one if float(one["ulp"]) >= float(two["ulp"]) else two)
    for key in ["points", "wrong", "flushed_results", "flushed_arguments"]:
        best["subnormal"][key] = one[key] + two[key]
    return best


def read(paths):
    """{device: {(function, type): line}}, in the order of the files."""
    devices = {}
    for path in paths:
        with open(path, encoding="utf-8") as file:
            for line in map(json.loads, file):
                if not line["complete"]:
                    continue
                lines = devices.setdefault(f"{line['device']}; {line['driver']}", {})
                key = line["function"], line["type"]
                lines[key] = worse(lines[key], line) if key in lines else line
    return devices


def power(count):
    """4294967296 as 2^32, 123456789 as 1.2e8."""
    if count & (count - 1) == 0 and count > 1 << 12:
        return f"2^{count.bit_length() - 1}"
    digits = f"{count:.1e}".replace("e+0", "e").replace("e+", "e")
    return digits


def place(line):
    if "at" not in line:
        return ""
    at = line["at"]
    numbers = [at[key] for key in ["x", "y"] if key in at]
    return " ".join(f"`{float.fromhex(number):.{9 if line['type'] == 'f32' else 17}g}`" for number in numbers)


def ulp(value):
    return f"{float(value):.2f}" if float(value) else "0"


def cells(line):
    if line is None:
        return ["", "", ""]
    worst = ulp(line["ulp"]) if not line["wrong"] else f"{line['wrong']} wrong"
    return [worst, place(line), power(line["points"])]


def row(items):
    return "| " + " | ".join(items) + " |"


def wide_table(lines, functions):
    head = ["function"]
    for type in WIDE:
        head += [type, "at", "points"]
    out = [row(head), "|" + "---|" * len(head)]
    for function in functions:
        found = [lines.get((function, type)) for type in WIDE]
        if any(found):
            out.append(row([function] + cells(found[0]) + cells(found[1])))
    return out + [""]


def narrow_table(lines, functions):
    out = [row(["function"] + NARROW), "|" + "---|" * (1 + len(NARROW))]
    for function in functions:
        found = [lines.get((function, type)) for type in NARROW]
        if any(found):
            out.append(row([function] + [cells(line)[0] for line in found]))
    return out + [""] if len(out) > 2 else []


def subnormal_list(lines, functions):
    """Where subnormal numbers were not kept."""
    out = []
    for type in WIDE + NARROW:
        for key, text in [("flushed_results", "subnormal results are zeros"),
                          ("flushed_arguments", "subnormal arguments are taken for zeros"),
                          ("wrong", "subnormal arguments or results are neither kept nor flushed")]:
            names = [f for f in functions if (f, type) in lines and lines[f, type]["subnormal"][key]]
            if names:
                out.append(f"* {type}: {text}: " + ", ".join(f"`{name}`" for name in names))
    return out


def tables(device, lines):
    functions = list(dict.fromkeys(function for function, _ in lines))
    out = [f"**{device}**", ""] + wide_table(lines, functions) + narrow_table(lines, functions)
    subnormal = subnormal_list(lines, functions)
    return out + (subnormal + [""] if subnormal else [])


def replace(path, text):
    with open(path, encoding="utf-8") as file:
        old = file.read()
    if old.count(BEGIN) != 1 or old.count(END) != 1:
        fail(f"{path} needs one '{BEGIN}' and one '{END}'")
    before, rest = old.split(BEGIN)
    with open(path, "w", encoding="utf-8") as file:
        file.write(before + BEGIN + "\n\n" + text + END + rest.split(END)[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", nargs="+")
    parser.add_argument("--replace")
    options = parser.parse_args()
    text = "".join("\n".join(tables(device, lines)) + "\n" for device, lines in read(options.results).items())
    if options.replace:
        replace(options.replace, text)
    else:
        print(text, end="")


main()
