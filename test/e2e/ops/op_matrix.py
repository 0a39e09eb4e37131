# op_matrix.py - writes and checks docs/op-matrix.md.
# Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes docs/op-matrix.md from what tests compared, and checks that the page claims nothing else.

    op_matrix.py --regenerate                       runs the tests, writes the page
    op_matrix.py --ops=REPORT --check               the page's first table is that of the report of `gen.py --fixed`
    op_matrix.py --fuzz=COVERAGE --check            what its second table claims is in the coverage of nxv-fuzz
    op_matrix.py --ops=REPORT --fuzz=COVERAGE       writes the page; without one of them that table stays
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

from graph_builder import KINDS

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "..", "..", ".."))
PAGE = os.path.join(ROOT, "docs", "op-matrix.md")
COMMAND = "python3 test/e2e/ops/op_matrix.py --regenerate --tools=build/bin"
ILLEGAL = "-"

HEAD = f"""# Operations and types

What the tests compare on a device with the interpreter. This page is written by

    {COMMAND}

and the tests fail when it claims what they do not compare.

## Operations of the graph format

A cell is the number of nodes in the graphs of [test/e2e/ops](../test/e2e/ops) whose results were compared; `{ILLEGAL}`: the importer rejects
such a node, for the reason given below the table. The type is that of the first operand, or of the result of operations that make or choose a
value. `as_type T` converts to T. The shapes and numbers of each pair:

* a tensor of one element, of none (where the operation takes one), and of odd sizes; over the types, all ranks from 0 to 6 that the operation takes;
* functions, arithmetic, comparisons, conversions, movement, orders and extremes: zeros, ties, NaN, infinities, the extremes, every number of types of 2
  and 4 bits. Functions, products and quotients of complex numbers: ordinary numbers only, because what they give at special ones is not determined;
* sums, products and contractions: of integers, all numbers; of floats, small integers, which no order of evaluation rounds, and for `sum`, `dot` and
  `conv` rows with NaN and infinities; transforms and triangular systems: small integers.
"""

FUZZ = """
## Operations of the dialect in random graphs

The same for the operations of the `nxv` dialect, which the importer makes of those above, in the 300 graphs that the tests run of
[nxv-fuzz](fuzzing.md); `p` is the predicate, `i1`. Here shapes, combinations and values are random, so that an empty cell only says that
these graphs do not meet it.
"""

# The dialect's names of the types.
DIALECT = {"complex<f32>": "c64", "complex<f64>": "c128", "f8E5M2": "f8_e5m2", "f8E4M3FN": "f8_e4m3fn", "i1": "p"}


def format_kind(name):
    """The graph format's name of a type of the dialect."""
    if name in DIALECT:
        return DIALECT[name]
    if name.startswith("ui"):
        return "u" + name[2:]
    return "s" + name[1:] if name.startswith("i") else name


def table(rows, kinds, cell):
    """A Markdown table of the rows, as narrow as its cells allow."""
    lines = [["", *[kind.replace("f8_", "") for kind in kinds]]]
    lines += [[f"`{row}`", *[cell(row, kind) for kind in kinds]] for row in rows]
    widths = [max(1, *(len(line[i]) for line in lines)) for i in range(len(lines[0]))]
    lines.insert(1, ["-" * max(3, w) for w in widths])
    rule = "|" + "|".join([":--"] + ["--:"] * len(kinds)) + "|"
    text = ["| " + " | ".join(word.rjust(w) if i else word.ljust(w) for i, (word, w) in enumerate(zip(line, widths))) + " |" for line in lines]
    text[1] = rule
    return "\n".join(text) + "\n"


def table_order():
    """The operations in the importer's order; what is not in its table is no operation."""
    with open(os.path.join(ROOT, "lib", "Graph", "ImportOps.cpp"), encoding="utf-8") as file:
        return re.findall(r'\{"(\w+)",\s*\{&I::', file.read())


def ops_rows(report):
    """Every operation of the importer, `as_type` and `block` with what they are given."""
    order = {operation: i for i, operation in enumerate(table_order())}
    seen = set(report["compared"]) | set(report["illegal"])
    plain = {row.split()[0] for row in seen}
    rows = seen | {operation for operation in order if operation not in plain}
    return sorted(rows, key=lambda row: (order.get(row.split()[0], len(order)), KINDS.index(row.split()[1]) if row.startswith("as_type ") else 0, row))


def reasons(report):
    """{reason: operations}; what the reason says of the very shape and type is left out."""
    found = {}
    for operation, kinds in report["illegal"].items():
        for kind in kinds.values():
            text = re.sub(r"^'nxv\.\w+' op ", "", kind)
            text = re.sub(r", but got .*", "", re.sub(r"type 'complex<f\d+>'", "a complex type", text))
            found.setdefault(text, set()).add(operation)
    return found


def ops_part(report):
    def cell(row, kind):
        if kind in report["illegal"].get(row, {}):
            return ILLEGAL
        count = report["compared"].get(row, {}).get(kind, 0)
        if row.startswith("as_type ") and row.split()[1] == kind:
            return ""
        return str(count)

    text = HEAD + "\n" + table(ops_rows(report), KINDS, cell) + "\nThe importer's reasons:\n\n"
    for reason, operations in sorted(reasons(report).items()):
        text += f"* {', '.join(f'`{o}`' for o in sorted(operations))}: {reason}\n"
    return text


def fuzz_counts(coverage):
    return {op: {format_kind(k): n for k, n in kinds.items()} for op, kinds in coverage["operations"].items()}


def fuzz_part(coverage):
    counts = fuzz_counts(coverage)
    return FUZZ + "\n" + table(sorted(counts), ["p", *KINDS], lambda row, kind: str(counts[row].get(kind, "")))


def split_page():
    with open(PAGE, encoding="utf-8") as file:
        text = file.read()
    first, mark, second = text.partition(FUZZ)
    return first, mark + second


def claims(text):
    """{(operation, type)} of the cells of a table that hold a number."""
    lines = [[word.strip() for word in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("|")]
    kinds = [f"f8_{kind}" if kind in ("e4m3fn", "e5m2") else kind for kind in lines[0]]
    return {(line[0].strip("`"), kind) for line in lines[2:] for kind, word in zip(kinds[1:], line[1:]) if word}


def check_ops(report):
    wanted, page = ops_part(report).splitlines(), split_page()[0].splitlines()
    wrong = [(a, b) for a, b in zip(wanted, page) if a != b]
    if not wrong and len(wanted) == len(page):
        return 0
    for new, old in wrong[:5]:
        print(f"docs/op-matrix.md:\n- {old}\n+ {new}", file=sys.stderr)
    return 1


def check_fuzz(coverage):
    counts = fuzz_counts(coverage)
    claimed = claims(split_page()[1])
    wrong = sorted((op, kind) for op, kind in claimed if not counts.get(op, {}).get(kind))
    for op, kind in wrong[:10]:
        print(f"docs/op-matrix.md: {op} of {kind} is claimed and was not compared", file=sys.stderr)
    return 1 if wrong or not claimed else 0


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def run_tests(tools, folder):
    """The paths of what the tests reported."""
    tool = os.path.join(tools, "nxv-fuzz") if tools else "nxv-fuzz"
    ops, fuzz = os.path.join(folder, "ops.json"), os.path.join(folder, "fuzz.json")
    environment = {**os.environ, "LP_NUM_THREADS": "0"}
    gen = [sys.executable, os.path.join(HERE, "gen.py"), "--fixed", f"--report={ops}"]
    subprocess.run([*gen, f"--tools={tools}"], check=True, env=environment)
    subprocess.run([tool, "--seeds=1..300", f"--coverage={fuzz}"], check=True, env=environment)
    return ops, fuzz


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--regenerate", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--ops", default="")
    parser.add_argument("--fuzz", default="")
    parser.add_argument("--tools", default="", help="where nxv-compile, nxv-run and nxv-fuzz are")
    options = parser.parse_args()
    if options.check:
        status = check_ops(load(options.ops)) if options.ops else 0
        status |= check_fuzz(load(options.fuzz)) if options.fuzz else 0
        if status:
            print(f"docs/op-matrix.md is not what the tests compare; write it again with\n    {COMMAND}", file=sys.stderr)
        return status
    with tempfile.TemporaryDirectory() as folder:
        ops, fuzz = run_tests(options.tools, folder) if options.regenerate else (options.ops, options.fuzz)
        first = ops_part(load(ops)) if ops else split_page()[0]
        second = fuzz_part(load(fuzz)) if fuzz else split_page()[1]
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write(first + second)
    return 0


if __name__ == "__main__":
    sys.exit(main())
