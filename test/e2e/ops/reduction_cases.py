# reduction_cases.py - reductions and windows.
# Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Adds to CASES; see cases.py."""

import math

from cases import case, typed
from graph_builder import COMMON, COMPLEX, FLOATS, UNSIGNED, is_integer, limits, size_of
from values import aggregate, axes_of, exact, mixes, odd_shape, shape_of, single_and_empty, small, smalls, some_shapes, special

REDUCTIONS = ["sum", "product", "reduce_max", "reduce_min", "all", "any", "argmax", "argmin"]


# ----------------------------------------------------------------------------------------------------------------------
# Reductions
# ----------------------------------------------------------------------------------------------------------------------


def reduced(shape, axes, keep):
    axes = range(len(shape)) if axes is None else axes
    return [1 if a in axes else size for a, size in enumerate(shape) if keep or a not in axes]


def reduce_op(g, op, x, axes, keep):
    """One reduction of `x`; the magnitudes of sums are in the bound."""
    shape = reduced(x.shape, axes, keep)
    count = x.size // max(1, size_of(shape))
    if op in ("argmax", "argmin"):
        return g.op(op, [x], "s32", shape, max(x.shape, default=1), axis=axes[0], keep_axis=keep, tie_break="low")
    kind, bound = x.kind, x.bound
    if op in ("sum", "product"):
        kind, bound = aggregate(kind), bound * max(count, 1)
    elif op in ("all", "any"):
        kind, bound = "u8", 1
    return g.op(op, [x], kind, shape, bound, axes=axes, keep_axes=keep)


def some_axes(r, op, rank):
    if op in ("argmax", "argmin"):
        return [r.randrange(rank)]
    return r.choice([None, axes_of(r, rank, 1), [rank - 1], [0]])


def operand(g, r, op, kind, shape):
    count = size_of(shape)
    if op == "product":
        # Few of a magnitude beside 1, so that no order of evaluation overflows.
        one = 1 if is_integer(kind) else 1.0
        units = [one] if kind in UNSIGNED else [one, -one] + ([1j] if kind in COMPLEX else [])
        values = [0 * one if r.random() < 0.01 else r.choice(units) for _ in range(count)]
        if not is_integer(kind) or limits(kind)[1] > 1:
            for i in r.sample(range(count), min(count, 5)):
                values[i] *= 2
        return g.input(kind, shape, values, 2)
    if op == "all":
        return g.input(kind, shape, [v if r.random() < 0.05 else type(v)(1) for v in small(r, kind, count, 1)], 1)
    if op == "any":
        return g.input(kind, shape, [v if r.random() < 0.05 else type(v)(0) for v in small(r, kind, count, 1)], 1)
    return smalls(g, r, kind, shape, 9 if kind in COMMON else exact(kind))


@typed("reduce", *REDUCTIONS)
def reduction(g, r, op, kind):
    for shape in [*single_and_empty(r, 1), odd_shape(r, r.randint(4, 6)), shape_of(r, r.randint(1, 3), most=1000)]:
        if 0 in shape and op in ("argmax", "argmin"):
            continue
        x = operand(g, r, op, kind, shape)
        g.output(reduce_op(g, op, x, some_axes(r, op, len(shape)), r.random() < 0.5))
    if is_integer(kind) or op not in ("sum", "product"):
        x = g.input(kind, (5, len(special(kind))), r.choices(special(kind), k=5 * len(special(kind))))
        g.output(reduce_op(g, op, x, [r.choice([0, 1])], False))
    if op == "sum" and kind in FLOATS:
        for value in (math.nan, math.inf, -math.inf):
            if kind != "f8_e4m3fn" or value != value:
                x = g.input(kind, (3,), [1.0, value, 2.0])
                g.output(reduce_op(g, op, x, [0], False))


def difference(g, kind):
    """Neither commutative nor associative: the order shows."""
    return g.fun(kind, lambda h, a, b: h.op("subtract", [a, b], kind, ()))


@typed("reduce", "reduce")
def reduce_by(g, r, op, kind):
    for shape in [*some_shapes(r), odd_shape(r, 2, 100)]:
        axes = r.choice([None, axes_of(r, len(shape), 1)]) if shape else None
        x, init = smalls(g, r, kind, shape, 1), g.constant(kind, 1)
        g.output(g.op(op, [x, init, difference(g, kind)], kind, reduced(shape, axes, False), axes=axes, keep_axes=False))


def oriented(elements, points):
    """Rows, columns, and columns in the middle."""
    def build(g, r):
        op = r.choice(REDUCTIONS)
        kind = r.choice(["f32", "s32", "f16", "u8", "f64"])
        if kind == "f16" and op == "sum":
            # Rounds, and in which order is open.
            kind = "f32"
        outer = r.choice([2, 3])
        for shape, axis in (((points, elements), 1), ((elements, points), 0), ((outer, elements, points), 1)):
            if size_of(shape) <= 400000:
                g.output(reduce_op(g, op, operand(g, r, op, kind, shape), [axis], False))

    return build


for _elements in (1, 2, 3, 63, 64, 257, 1000, 5000):
    for _points in (1, 2, 3, 5, 32, 100, 1000, 5000):
        if _elements * _points <= 400000:
            case(f"reduce/shape/{_elements}of{_points}")(oriented(_elements, _points))


@case("reduce/split")
def split_reduction(g, r):
    """Long enough to be spread over the device."""
    for shape, axis in (((262144,), 0), ((3, 100000), 1), ((100000, 4), 0)):
        x = smalls(g, r, "f32", shape)
        g.output(reduce_op(g, "sum", x, [axis], False))
        g.output(reduce_op(g, r.choice(["reduce_max", "argmax"]), x, [axis], False))


@case("reduce/ties")
def reduce_ties(g, r):
    for op in ("argmax", "argmin"):
        for tie in ("low", "high"):
            for kind in ("f32", "s32", "u8", "s64", "u64", "f16"):
                shape = (r.choice([5, 33]), r.choice([7, 300]))
                x = smalls(g, r, kind, shape, 2)
                for axis in (0, 1):
                    g.output(g.op(op, [x], r.choice(["s32", "s64", "u8"] if max(shape) < 200 else ["s32", "s64"]), [shape[1 - axis]], axis=axis, keep_axis=False, tie_break=tie))
                g.output(g.op(op, [x], "s64", (), axis=None, keep_axis=False, tie_break=tie))


@case("reduce/function")
def reduce_function(g, r):
    for shape, axes in (((4, 9), [1]), ((9, 4), [0]), ((3, 5, 7), [0, 2]), ((300,), [0]), ((6,), None)):
        x = smalls(g, r, "f32", shape)
        init = g.constant("f32", 2.0)
        # Neither commutative nor associative: the order shows.
        fun = g.fun("f32", lambda h, a, b: h.op("max", [h.op("subtract", [a, b], "f32", ()), h.constant("f32", -3.0)], "f32", ()))
        g.output(g.op("reduce", [x, init, fun], "f32", reduced(shape, axes, False), axes=axes, keep_axes=False))


# ----------------------------------------------------------------------------------------------------------------------
# Windows
# ----------------------------------------------------------------------------------------------------------------------


def window_of(r, shape, dilate=True):
    """A window over `shape` that fits: dimensions, strides, dilations, padding, and the result's shape."""
    dims, strides, dilations, padding, out = [], [], [], [], []
    for size in shape:
        low, high = r.choice([(0, 0), (0, 1), (1, 1), (2, 0), (3, 2)] if size else [(0, 1), (2, 0)])
        dim = r.randint(1, min(4, size + low + high))
        dilation = r.choice([1, 1, 2, 3]) if dilate else 1
        while (dim - 1) * dilation + 1 > size + low + high:
            dilation -= 1
        stride = r.choice([1, 1, 2, 3])
        dims.append(dim)
        strides.append(stride)
        dilations.append(dilation)
        padding.append([low, high])
        out.append((size + low + high - (dim - 1) * dilation - 1) // stride + 1)
    attrs = dict(window_dimensions=dims, strides=strides, padding=padding)
    if dilate:
        attrs["window_dilations"] = dilations
    return attrs, out


def large_window(r):
    """A shape, the attributes of a few windows of hundreds of elements over it, and the result's shape."""
    shape = r.choice([(401,), (2, 307), (19, 23)])
    dims = [size if size < 19 else size - r.choice([0, 1, 2]) for size in shape]
    out = [size - dim + 1 for size, dim in zip(shape, dims)]
    return shape, dict(window_dimensions=dims, strides=[1] * len(shape), padding=[[0, 0]] * len(shape)), out


@typed("window", "window_sum", "window_product", "window_max", "window_min", "window_reduce")
def window(g, r, op, kind):
    windows = [(shape, *window_of(r, shape)) for shape in [(1,), (0, 3), odd_shape(r, r.randint(2, 3), 120), odd_shape(r, r.randint(4, 6), 120)]]
    shape, attrs, out = large_window(r)
    for shape, attrs, out in [*windows, (shape, {**attrs, "window_dilations": [1] * len(shape)}, out)]:
        if op == "window_reduce":
            x = smalls(g, r, kind, shape, 1)
            g.output(g.op(op, [x, g.constant(kind, 1), difference(g, kind)], kind, out, **attrs))
        else:
            g.output(g.op(op, [operand(g, r, "product" if op == "window_product" else op, kind, shape)], kind, out, **attrs))
    if is_integer(kind) and op != "window_reduce" or op in ("window_max", "window_min"):
        x = mixes(g, r, kind, (37,))
        g.output(g.op(op, [x], kind, (35,), window_dimensions=[3], strides=[1], padding=[[0, 0]], window_dilations=[1]))


@typed("window", "window_scatter_max", "window_scatter_min")
def window_scatter(g, r, op, kind):
    windows = [(shape, *window_of(r, shape, dilate=False)) for shape in [(1,), odd_shape(r, r.randint(1, 3), 60), odd_shape(r, r.randint(4, 6), 60)]]
    for shape, attrs, out in [*windows, large_window(r)]:
        x, source = smalls(g, r, kind, shape), smalls(g, r, kind, out, exact(kind))
        g.output(g.op(op, [x, source, g.constant(kind, 1)], kind, shape, **attrs))


@case("window/function")
def window_function(g, r):
    for rank in (1, 2, 3):
        shape = shape_of(r, rank, most=200)
        attrs, out = window_of(r, shape)
        x, init = smalls(g, r, "f32", shape), g.constant("f32", 1.0)
        fun = g.fun("f32", lambda h, a, b: h.op("max", [h.op("subtract", [a, b], "f32", ()), h.constant("f32", -3.0)], "f32", ()))
        g.output(g.op("window_reduce", [x, init, fun], "f32", out, **attrs))
