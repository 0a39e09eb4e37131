# grids.py TOOLS FOLDER - runs each kernel family with more than 65535 workgroups and checks every element.
# Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The rows of each graph (the axis that workgroups are laid over) are independent, and its inputs repeat after PERIOD rows,
a prime, so that no two workgroups at the same place modulo a power of two have the same work. The results must repeat
likewise, and the first PERIOD rows must be what the interpreter computes of a graph of PERIOD rows."""

import array
import json
import math
import random
import re
import subprocess
import sys

sys.path.insert(0, __file__.rsplit("/", 4)[0] + "/bench")
from graphs import Builder

PERIOD = 4093
FEWEST = 65536
DESCR = {"u8": "|u1", "u32": "<u4", "s32": "<i4", "f32": "<f4", "c64": "<c8"}
BYTES = {"u8": 1, "u32": 4, "s32": 4, "f32": 4, "c64": 8}


def map_graph(b, rows):
    return b.unary("bitwise_not", b.input("x", "u8", [rows]))


def transpose(b, rows):
    return b.node("transpose", [b.input("x", "u8", [rows, 9])], "u8", [9, rows], axes=[1, 0])


def reduce(b, rows):
    return b.node("sum", [b.input("x", "u8", [rows, 100])], "u32", [rows], axes=[1], keep_axes=False)


def column_reduce(b, rows):
    return b.reduce("reduce_max", b.input("x", "u8", [2, rows]), 0, keep=False)


def contract(b, rows):
    x, y = b.input("x", "u8", [rows, 2, 3]), b.input("y", "u8", [rows, 3, 2])
    return b.node("dot", [x, y], "u8", [rows, 2, 2], contract=[[2], [1]], batch=[[0], [0]])


def conv(b, rows):
    x, k = b.input("x", "f32", [1, rows, 5]), b.input("k", "f32", [rows, 1, 3])
    order = {f"{name}_permutation": [0, 1, 2] for name in ("input", "kernel", "output")}
    return b.node("conv", [x, k], "f32", [1, rows, 3], strides=[1], padding=[[0, 0]], input_dilation=[1],
                  kernel_dilation=[1], feature_group_size=rows, batch_group_size=1, **order)


def scatter(b, rows):
    x, i, u = b.input("x", "u8", [2, rows]), b.input("i", "s32", [3, 1]), b.input("u", "u8", [3, rows])
    return b.node("indexed_add", [x, i, u], "u8", [2, rows], axes=[0])


def sort(b, rows):
    return b.node("sort", [b.input("x", "u8", [rows, 2])], "u8", [rows, 2], axis=1, direction="asc", stable=True)


def scan(b, rows):
    x = b.input("x", "u8", [rows, 2])
    tensor = {"type": "u8", "shape": [rows, 2]}
    first = len(b.nodes) + 1
    default = {"params": [tensor], "results": [first + 1], "nodes": [
        {"id": first, "op": "parameter", "args": [], **tensor, "attrs": {"index": 0}},
        {"id": first + 1, "op": "window_sum", "args": [first], **tensor, "attrs": {
            "window_dimensions": [1, 2], "padding": [[0, 0], [1, 0]], "strides": [1, 1], "window_dilations": [1, 1]}}]}
    return b.node("block", [x], "u8", [rows, 2], name="cumulative_sum", options={"axis": 1, "reverse": False}, default=default)


def fft(b, rows):
    return b.node("fft", [b.input("x", "c64", [rows, 2])], "c64", [rows, 2], length=2, axis=1, eps=0.0)


def solve(b, rows):
    a, y = b.input("a", "f32", [2, 2]), b.input("y", "f32", [2, rows])
    return b.node("triangular_solve", [a, y], "f32", [2, rows], lower=True, left_side=True, transform_a="none")


def loop(b, rows):
    """Three times x = 3 x + the two of each row exchanged."""
    x = b.input("x", "u8", [rows, 2])
    start = b.constant(0, "s32")
    counter, row = {"type": "s32", "shape": []}, {"type": "u8", "shape": [rows, 2]}
    # The loop and its element come first: the builder's ids are places in its list.
    loop_id = len(b.nodes)
    ids = iter(range(loop_id + 2, loop_id + 100))

    def node(nodes, op, args, like, **attrs):
        nodes.append({"id": next(ids), "op": op, "args": args, **like, "attrs": attrs})
        return nodes[-1]["id"]

    def scope(results, nodes):
        return {"params": [counter, row], "nodes": nodes, "results": results}

    test = []
    turn = node(test, "parameter", [], counter, index=0)
    more = node(test, "less", [turn, node(test, "constant", [], counter, value=3)], {"type": "u8", "shape": []})
    body = []
    turn = node(body, "parameter", [], counter, index=0)
    state = node(body, "parameter", [], row, index=1)
    tripled = node(body, "multiply", [state, node(body, "constant", [], {"type": "u8", "shape": []}, value=3)], row)
    exchanged = node(body, "reverse", [state], row, axes=[1])
    next_state = node(body, "add", [tripled, exchanged], row)
    next_turn = node(body, "add", [turn, node(body, "constant", [], counter, value=1)], counter)
    b.nodes.append({"id": loop_id, "op": "while", "args": [start, x], "type": "tuple", "arity": 2,
                    "attrs": {"cond": scope([more], test), "body": scope([next_turn, next_state], body)}})
    b.nodes.append({"id": loop_id + 1, "op": "elem", "args": [loop_id], **row, "attrs": {"index": 1}})
    return loop_id + 1


# The families: how many rows, the graph, and the values of inputs without rows.
CASES = {
    "map": (66000 * 1024, map_graph, {}),
    "transpose": (66000 * 64, transpose, {}),
    "reduce": (66000 * 8, reduce, {}),
    "reduce.columns": (66000 * 256, column_reduce, {}),
    "contract": (66000, contract, {}),
    "conv": (66000, conv, {}),
    "scatter": (66000 * 64, scatter, {"i": array.array("i", [1, 0, 1])}),
    "sort": (66000 * 256, sort, {}),
    "scan": (66000 * 256, scan, {}),
    "fft": (66000 * 128, fft, {}),
    "loop": (66000 * 64, loop, {}),
    "solve": (66000 * 256, solve, {"a": array.array("f", [2, 0, 1, 4])}),
}


def write_npy(path, type, shape, data):
    text = f"{{'descr': '{DESCR[type]}', 'fortran_order': False, 'shape': {tuple(shape)}, }}"
    text += " " * (-(11 + len(text)) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode() + data)


def read_npy(path):
    with open(path, "rb") as file:
        data = file.read()
    return memoryview(data)[10 + int.from_bytes(data[8:10], "little"):]


def blocks(shape, rows, type):
    """(how many axes' worth of blocks come before the rows, bytes of one row in a block)"""
    axis = shape.index(rows)
    return math.prod(shape[:axis]), math.prod(shape[axis + 1:]) * BYTES[type]


def repeat(period, rows, size):
    return (period * (rows // PERIOD + 1))[: rows * size]


def make_input(folder, name, type, shape, rows, fixed):
    path = f"{folder}/{name}.npy"
    if rows not in shape:
        write_npy(path, type, shape, fixed[name].tobytes())
        return path
    outer, size = blocks(shape, rows, type)
    rng = random.Random(name)
    count = outer * PERIOD * size
    if type == "u8":
        period = bytes(rng.randrange(256) for _ in range(count))
    else:
        period = array.array("f", [rng.randrange(-8, 9) for _ in range(count // 4)]).tobytes()
    part = PERIOD * size
    write_npy(path, type, shape, b"".join(repeat(period[k * part: (k + 1) * part], rows, size) for k in range(outer)))
    return path


def call(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stdout}")
    return done.stdout


def run(tools, folder, rows, make, fixed, reference):
    """The bytes, type and shape of the result of the graph of so many rows."""
    b = Builder("grids")
    result = make(b, rows)
    graph, pack, out = f"{folder}/graph.json", f"{folder}/graph.spvpack", f"{folder}/out.npy"
    with open(graph, "w", encoding="utf-8") as file:
        json.dump(b.graph(result), file)
    inputs = []
    for i in b.inputs:
        path = make_input(folder, i["name"], i["type"], i["shape"], rows, fixed)
        inputs.append(f"--input={'x'.join(map(str, i['shape'] + [i['type']]))}=@{path}")
    if reference:
        call(f"{tools}/nxv-run", graph, "--reference", *inputs, f"--output=@{out}")
    else:
        grids = re.findall(r"grid (\d+)", call(f"{tools}/nxv-compile", graph, "--emit=program"))
        if max(map(int, grids)) < FEWEST:
            sys.exit(f"a grid of {max(map(int, grids))} is none of {FEWEST} workgroups and more")
        call(f"{tools}/nxv-compile", graph, "-o", pack)
        call(f"{tools}/nxv-run", pack, *inputs, f"--output=@{out}")
    return read_npy(out), b.type(result), b.shape(result)


def check(name, got, want, type, shape, rows):
    outer, size = blocks(shape, rows, type)
    for k in range(outer):
        block = got[k * rows * size: (k + 1) * rows * size]
        expected = want[k * PERIOD * size: (k + 1) * PERIOD * size]
        first = bytes(block[: PERIOD * size])
        if type in ("f32", "c64"):
            pairs = zip(array.array("f", first), array.array("f", bytes(expected)))
            right = all(abs(x - y) <= 1e-5 for x, y in pairs)
        else:
            right = first == expected
        if not right:
            sys.exit(f"{name}: the first rows are not the interpreter's")
        if block != repeat(first, rows, size):
            sys.exit(f"{name}: later rows differ from the first")


def main(tools, folder):
    for name, (rows, make, fixed) in CASES.items():
        want = run(tools, folder, PERIOD, make, fixed, True)[0]
        got, type, shape = run(tools, folder, rows, make, fixed, False)
        check(name, got, want, type, shape, rows)


if __name__ == "__main__":
    main(*sys.argv[1:])
