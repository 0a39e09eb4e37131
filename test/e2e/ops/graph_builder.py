# graph_builder.py - makes graphs and tensors of the nxv-graph format.
# Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors as bytes, graphs as JSON, with nothing but the standard library."""

import base64
import json
import math
import struct

SIGNED = ["s2", "s4", "s8", "s16", "s32", "s64"]
UNSIGNED = ["u2", "u4", "u8", "u16", "u32", "u64"]
INTEGERS = SIGNED + UNSIGNED
# Held in a byte each, as those of 8 bits.
NARROW = ["s2", "s4", "u2", "u4"]
BYTE_FLOATS = ["f8_e4m3fn", "f8_e5m2"]
FLOATS = BYTE_FLOATS + ["bf16", "f16", "f32", "f64"]
COMPLEX = ["c64", "c128"]
KINDS = INTEGERS + FLOATS + COMPLEX
# Those that devices know, for graphs where the type matters less.
COMMON = ["f16", "f32", "f64", "s8", "s16", "s32", "s64", "u8", "u16", "u32", "u64"]

CODES = dict(f16="e", f32="f", f64="d", s8="b", s16="h", s32="i", s64="q", u8="B", u16="H", u32="I", u64="Q")
# The relative error of one rounding, and the smallest normal number.
EPSILON = dict(
    f16=2.0**-11, f32=2.0**-24, f64=2.0**-53, bf16=2.0**-8, f8_e5m2=2.0**-3, f8_e4m3fn=2.0**-4, c64=2.0**-24, c128=2.0**-53
)  # fmt: skip
SMALLEST = dict(f16=2.0**-14, f32=2.0**-126, f64=2.0**-1022, bf16=2.0**-126, f8_e5m2=2.0**-14, f8_e4m3fn=2.0**-6)
LARGEST = dict(
    f16=65504.0, f32=(2 - 2.0**-23) * 2.0**127, f64=(2 - 2.0**-52) * 2.0**1023, bf16=255 * 2.0**120, f8_e5m2=57344.0, f8_e4m3fn=448.0
)  # fmt: skip


def is_integer(kind):
    return kind in INTEGERS


def bits(kind):
    return {"bf16": 16, "f8_e5m2": 8, "f8_e4m3fn": 8}.get(kind) or int(kind[1:])


def part(kind):
    """What the parts of a complex number are; other types themselves."""
    return {"c64": "f32", "c128": "f64"}.get(kind, kind)


def bytes_of(kind):
    return max(1, bits(kind) // 8)


def limits(kind):
    """The range of an integer type."""
    n = bits(kind)
    return (-(2 ** (n - 1)), 2 ** (n - 1) - 1) if kind[0] == "s" else (0, 2**n - 1)


def size_of(shape):
    return math.prod(shape)


def byte_float(kind, byte):
    """The number that a float of 8 bits stands for."""
    exponent_bits, bias = (5, 15) if kind == "f8_e5m2" else (4, 7)
    mantissa_bits = 7 - exponent_bits
    sign = -1.0 if byte & 0x80 else 1.0
    exponent, mantissa = (byte & 0x7F) >> mantissa_bits, byte & ((1 << mantissa_bits) - 1)
    top = exponent == (1 << exponent_bits) - 1
    if kind == "f8_e4m3fn" and byte & 0x7F == 0x7F or kind == "f8_e5m2" and top and mantissa:
        return math.nan
    if kind == "f8_e5m2" and top:
        return sign * math.inf
    scaled = mantissa / (1 << mantissa_bits)
    return sign * (scaled * 2.0 ** (1 - bias) if exponent == 0 else (1 + scaled) * 2.0 ** (exponent - bias))


BYTE_VALUES = {kind: [byte_float(kind, byte) for byte in range(256)] for kind in BYTE_FLOATS}


def pack_byte_floats(kind, values):
    """The nearest number of each; either of two that are as near."""
    finite = [(v, byte) for byte, v in enumerate(BYTE_VALUES[kind]) if math.isfinite(v)]
    known = {v: byte for v, byte in finite if v != 0}

    def encode(value):
        if value != value:
            return 0x7F
        if math.isinf(value) and kind == "f8_e5m2":
            return 0x7C if value > 0 else 0xFC
        if value == 0:
            return 0x80 if math.copysign(1, value) < 0 else 0
        return known.get(value) or min(finite, key=lambda entry: abs(entry[0] - value))[1]

    return bytes(encode(v) for v in values)


def pack(kind, values):
    if kind in BYTE_FLOATS:
        return pack_byte_floats(kind, values)
    if kind in NARROW:
        kind = kind[0] + "8"
    if kind == "bf16":
        words = [struct.unpack("<I", struct.pack("<f", v))[0] for v in values]
        return struct.pack(f"<{len(words)}H", *[(w + 0x7FFF + (w >> 16 & 1)) >> 16 & 0xFFFF if w & 0x7FFFFFFF <= 0x7F800000 else 0x7FC0 for w in words])
    if kind in COMPLEX:
        code = "f" if kind == "c64" else "d"
        return struct.pack(f"<{2 * len(values)}{code}", *[part for v in values for part in (v.real, v.imag)])
    return struct.pack(f"<{len(values)}{CODES[kind]}", *values)


def unpack(kind, data):
    """The numbers of a tensor; both parts of each complex one."""
    if kind in BYTE_FLOATS:
        return [BYTE_VALUES[kind][byte] for byte in data]
    if kind in NARROW:
        kind = kind[0] + "8"
    if kind == "bf16":
        words = struct.unpack(f"<{len(data) // 2}H", data)
        return struct.unpack(f"<{len(words)}f", b"".join(struct.pack("<I", w << 16) for w in words))
    code = {"c64": "f", "c128": "d"}.get(kind) or CODES[kind]
    return struct.unpack(f"<{len(data) // struct.calcsize(code)}{code}", data)


class Tensor:
    """A node of one value. `bound` limits the magnitude of its integral numbers."""

    def __init__(self, number, kind, shape, bound=0):
        self.number, self.kind, self.shape, self.bound = number, kind, tuple(shape), bound

    @property
    def rank(self):
        return len(self.shape)

    @property
    def size(self):
        return size_of(self.shape)


class Graph:
    def __init__(self):
        self.inputs, self.nodes, self.outputs = [], [], []
        self.next_number = 0

    def _node(self, op, args, kind, shape, attrs):
        node = {"id": self.next_number, "op": op, "args": [a.number for a in args], "type": kind, "shape": list(shape)}
        if attrs:
            node["attrs"] = attrs
        self.next_number += 1
        return node

    def op(self, op, args, kind, shape, bound=0, /, **attrs):
        node = self._node(op, args, kind, shape, attrs)
        self.nodes.append(node)
        return Tensor(node["id"], kind, shape, bound)

    def input(self, kind, shape, values, bound=0):
        """An input of the graph with the numbers it has in this run."""
        data = values if isinstance(values, bytes) else pack(kind, values)
        assert len(data) == size_of(shape) * bytes_of(kind), (kind, shape, len(data))
        self.inputs.append({"type": kind, "shape": list(shape), "data": data})
        return self.op("parameter", [], kind, shape, bound, index=len(self.inputs) - 1)

    def constant(self, kind, value, shape=(), bound=0):
        if isinstance(value, complex):
            value = [self._number(value.real), self._number(value.imag)]
        return self.op("constant", [], kind, shape, bound, value=self._number(value))

    @staticmethod
    def _number(value):
        if isinstance(value, float) and not math.isfinite(value):
            return "nan" if math.isnan(value) else "infinity" if value > 0 else "-infinity"
        return value

    def literal(self, kind, shape, values, bound=0):
        data = base64.b64encode(pack(kind, values)).decode()
        return self.op("tensor", [], kind, shape, bound, data=data)

    def fun(self, kind, build):
        """A function of two scalars; `build(graph, x, y)` gives its result."""
        params = [{"type": kind, "shape": []}] * 2
        outer, self.nodes = self.nodes, []
        x, y = (self.op("parameter", [], kind, (), index=i) for i in (0, 1))
        result = build(self, x, y)
        body = {"params": params, "nodes": self.nodes, "results": [result.number]}
        self.nodes = outer
        return self.op("fun", [], result.kind, (), params=params, body=body)

    def output(self, tensor, tolerance=0.0, floor=0.0):
        """Each element may be off by `tolerance` times the larger of itself and `floor` times the largest one."""
        self.outputs.append((tensor, (tolerance, floor)))

    def json(self, name="ops"):
        def spec(t):
            return {"type": t["type"], "shape": t["shape"]}

        leaves = [{"leaf": {"type": t.kind, "shape": list(t.shape)}} for t, _ in self.outputs]
        return json.dumps(
            {
                "format": "nxv-graph",
                "version": 1,
                "name": name,
                "inputs": [spec(t) for t in self.inputs],
                "outputs": {"tuple": leaves},
                "graph": {
                    "params": [spec(t) for t in self.inputs],
                    "nodes": self.nodes,
                    "results": [t.number for t, _ in self.outputs],
                },
            }
        )

    def io_json(self, name, recorded):
        """The inputs and given outputs as a NAME.io.json."""

        def entry(kind, shape, data):
            return {"type": kind, "shape": list(shape), "data": base64.b64encode(data).decode()}

        return json.dumps(
            {
                "name": name,
                "reference": "nxv-run --reference",
                "tolerance": max((relative for _, (relative, _) in self.outputs), default=0),
                "inputs": [entry(t["type"], t["shape"], t["data"]) for t in self.inputs],
                "outputs": [entry(t.kind, t.shape, d) for (t, _), d in zip(self.outputs, recorded)],
            }
        )

    def pairs(self):
        """(operation, type) of every node, those of inner scopes too."""
        kinds = {}
        yield from pairs_of(self.nodes, kinds)


# These are of the type that they give, not of their first operand's.
OF_RESULT = {"constant", "tensor", "iota", "eye", "parameter", "elem", "fun", "select", "cond"}


def pairs_of(nodes, kinds):
    for node in nodes:
        attrs = node.get("attrs", {})
        for scope in [attrs.get(key) for key in ("cond", "body", "default")] + attrs.get("branches", []):
            yield from pairs_of(scope["nodes"] if scope else [], kinds)
        kinds[node["id"]] = node["type"]
        if node["type"] == "tuple":
            kinds[node["id"]] = kinds[node["args"][0]] if node["op"] != "cond" else branch_kind(attrs["default"], kinds)
        operation = node["op"]
        if operation == "as_type":
            operation += f" {node['type']}"
        elif operation == "block":
            operation += f" {attrs['name']}"
        of_result = node["op"] in OF_RESULT or not node["args"]
        yield operation, kinds[node["id"] if of_result else node["args"][0]]


def branch_kind(scope, kinds):
    return kinds[scope["results"][0]]
