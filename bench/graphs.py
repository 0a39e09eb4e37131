# graphs.py - the graphs that bench/run.py times, written by a small builder.
# Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each case is (graph, work): the graph in nxv-graph format, and what it must move or compute at least."""

import math

WIDTH = {"f16": 2, "bf16": 2, "f32": 4, "f64": 8, "s32": 4, "u8": 1, "c64": 8}


class Builder:
    """Nodes of one graph, in order; every method returns the id of the node it adds."""

    def __init__(self, name):
        self.name = name
        self.inputs = []
        self.nodes = []

    def node(self, op, args, type, shape, **attrs):
        node = {"id": len(self.nodes), "op": op, "args": list(args), "type": type, "shape": list(shape)}
        if attrs:
            node["attrs"] = attrs
        self.nodes.append(node)
        return node["id"]

    def input(self, name, type, shape):
        self.inputs.append({"name": name, "type": type, "shape": list(shape)})
        return self.node("parameter", [], type, shape, index=len(self.inputs) - 1)

    def constant(self, value, type):
        return self.node("constant", [], type, [], value=value)

    def type(self, id):
        return self.nodes[id]["type"]

    def shape(self, id):
        return self.nodes[id]["shape"]

    def unary(self, op, x):
        return self.node(op, [x], self.type(x), self.shape(x))

    def binary(self, op, x, y):
        wide = max(x, y, key=lambda id: math.prod(self.shape(id)) * (1 + len(self.shape(id))))
        return self.node(op, [x, y], self.type(x), self.shape(wide))

    def reduce(self, op, x, axis, keep=True):
        shape = list(self.shape(x))
        shape[axis] = 1
        if not keep:
            del shape[axis]
        return self.node(op, [x], self.type(x), shape, axes=[axis], keep_axes=keep)

    def graph(self, result):
        leaf = {"type": self.type(result), "shape": self.shape(result)}
        params = [{"type": i["type"], "shape": i["shape"]} for i in self.inputs]
        return {
            "format": "nxv-graph",
            "version": 1,
            "producer": {"name": "bench", "version": "1"},
            "name": self.name,
            "inputs": self.inputs,
            "outputs": {"leaf": leaf},
            "graph": {"params": params, "nodes": self.nodes, "results": [result]},
        }


def traffic(graph):
    """Bytes of the inputs and the output: what no implementation can do without."""
    leaves = graph["inputs"] + [graph["outputs"]["leaf"]]
    return sum(WIDTH[leaf["type"]] * math.prod(leaf["shape"]) for leaf in leaves)


def memory_bound(builder, result):
    graph = builder.graph(result)
    return graph, {"bytes": traffic(graph)}


def copy(rows, columns):
    b = Builder("copy")
    return memory_bound(b, b.unary("negate", b.input("x", "f32", [rows, columns])))


def chain(rows, columns):
    """tanh(x * w + 0.5) * sigmoid(x)"""
    b = Builder("chain")
    x = b.input("x", "f32", [rows, columns])
    w = b.input("w", "f32", [columns])
    t = b.unary("tanh", b.binary("add", b.binary("multiply", x, w), b.constant(0.5, "f32")))
    return memory_bound(b, b.binary("multiply", t, b.unary("sigmoid", x)))


def softmax(rows, columns):
    b = Builder("softmax")
    x = b.input("x", "f32", [rows, columns])
    e = b.unary("exp", b.binary("subtract", x, b.reduce("reduce_max", x, 1)))
    return memory_bound(b, b.binary("divide", e, b.reduce("sum", e, 1)))


def layer_norm(rows, columns):
    b = Builder("layer_norm")
    x = b.input("x", "f32", [rows, columns])
    gamma = b.input("gamma", "f32", [columns])
    beta = b.input("beta", "f32", [columns])
    n = b.constant(float(columns), "f32")
    centred = b.binary("subtract", x, b.binary("divide", b.reduce("sum", x, 1), n))
    square = b.binary("multiply", centred, centred)
    variance = b.binary("divide", b.reduce("sum", square, 1), n)
    scale = b.unary("rsqrt", b.binary("add", variance, b.constant(1e-5, "f32")))
    normal = b.binary("multiply", centred, scale)
    return memory_bound(b, b.binary("add", b.binary("multiply", normal, gamma), beta))


def column_sum(rows, columns):
    b = Builder("column_sum")
    return memory_bound(b, b.reduce("sum", b.input("x", "f32", [rows, columns]), 0, keep=False))


def row_sum(rows, columns):
    b = Builder("row_sum")
    return memory_bound(b, b.reduce("sum", b.input("x", "f32", [rows, columns]), 1, keep=False))


def transpose(rows, columns):
    b = Builder("transpose")
    x = b.input("x", "f32", [rows, columns])
    return memory_bound(b, b.node("transpose", [x], "f32", [columns, rows], axes=[1, 0]))


def matmul(n, type):
    b = Builder(f"matmul_{type}")
    x = b.input("x", type, [n, n])
    y = b.input("y", type, [n, n])
    product = b.node("dot", [x, y], type, [n, n], contract=[[1], [0]], batch=[[], []])
    return b.graph(product), {"flops": 2 * n**3, "type": type}


def sort(name, op, shape, type="f32"):
    b = Builder(name)
    x = b.input("x", "f32", shape)
    result = b.node(op, [x], type, shape, axis=len(shape) - 1, direction="asc", stable=True)
    return memory_bound(b, result)


def cumulative_sum(name, shape):
    b = Builder(name)
    x = b.input("x", "f32", shape)
    tensor = {"type": "f32", "shape": shape}
    axis, id = len(shape) - 1, 2
    sizes, padding = [1] * axis + [shape[axis]], [[0, 0]] * axis + [[shape[axis] - 1, 0]]
    window = {"window_dimensions": sizes, "padding": padding, "strides": [1] * (axis + 1), "window_dilations": [1] * (axis + 1)}
    nodes = [
        {"id": id, "op": "parameter", "args": [], **tensor, "attrs": {"index": 0}},
        {"id": id + 1, "op": "window_sum", "args": [id], **tensor, "attrs": window},
    ]
    default = {"params": [tensor], "nodes": nodes, "results": [id + 1]}
    options = {"axis": axis, "reverse": False}
    return memory_bound(b, b.node("block", [x], "f32", shape, name="cumulative_sum", options=options, default=default))


def fft(name, shape, axes):
    b = Builder(name)
    x = b.input("x", "c64", shape)
    for axis in axes:
        x = b.node("fft", [x], "c64", shape, length=shape[axis], axis=axis, eps=0.0)
    return memory_bound(b, x)


def tiny():
    b = Builder("tiny")
    x = b.input("x", "f32", [4])
    return b.graph(b.binary("add", x, b.constant(1.0, "f32"))), {}


def cases(small=False):
    """{name: (graph, work)}; small ones are for a CPU device, where only that they run matters."""
    rows, n = (1024, 256) if small else (32768, 4096)
    many, side = (1 << 16, 256) if small else (1 << 24, 4096)
    chain_rows = 2 * rows
    return {
        "copy": copy(chain_rows, 1024),
        "chain": chain(chain_rows, 1024),
        "softmax": softmax(rows, 1024),
        "layer_norm": layer_norm(rows, 1024),
        "row_sum": row_sum(rows, 1024),
        "column_sum": column_sum(rows, 1024),
        "transpose": transpose(rows, 1024),
        "matmul_f32": matmul(n, "f32"),
        "matmul_f64": matmul(n, "f64"),
        "sort_1m": sort("sort_1m", "sort", [1 << 20]),
        "sort_16m": sort("sort_16m", "sort", [many]),
        "argsort_16m": sort("argsort_16m", "argsort", [many], "s32"),
        "sort_rows": sort("sort_rows", "sort", [rows // 2, 1024]),
        "cumulative_sum": cumulative_sum("cumulative_sum", [many]),
        "cumulative_sum_rows": cumulative_sum("cumulative_sum_rows", [rows // 2, 1024]),
        "fft": fft("fft", [1024, 1024], [1]),
        "fft2": fft("fft2", [side, side], [1, 0]),
        "tiny": tiny(),
    }
