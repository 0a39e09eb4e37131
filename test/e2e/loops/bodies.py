# bodies.py - programs with every family of operations in a loop.
# Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One operation, or a few, around which a loop goes; small, so that a loop can be one kernel, and large, so that it cannot."""

import math

from programs import Program, complex_parts, counted, integers, programs, put_row, reals, row


def repeat(name, type, shape, body, turns=5, tolerance=0.0, seed=1, low=-1.0, high=1.0):
    """A program that applies body(g, turn, x) to a state."""
    program = Program(name, tolerance)
    g = program.graph
    x, n = program.input(type, shape), program.input("s32", [])
    program.finish(counted(g, n, [x], lambda t, x: [body(g, t, x)]))
    count = math.prod(shape) * complex_parts(type)
    numbers = integers(seed, count, int(low), int(high)) if type[0] in "su" else reals(seed, count, low, high)
    return program.run(numbers, turns).run(numbers, 1)


def sorted_along(g, x, axis, op="sort", type=None, direction="asc"):
    attrs = {"axis": axis, "direction": direction, "stable": True}
    return g.node(op, [x], type or x.type, x.shape, attrs)


@programs("bodies")
def orders():
    for rows, size in ((3, 7), (2, 300), (1, 20000)):
        yield repeat(
            f"sort_{rows}x{size}", "s32", [rows, size], lambda g, t, x: sorted_along(g, x, 1) - g.iota("s32", x.shape, 1) * t,
            3, low=-1000, high=1000,
        )

        def ranks(g, t, x):
            return g.cast(sorted_along(g, x, 1, "argsort", "s32", "desc"), "f32") + x

        yield repeat(f"argsort_{rows}x{size}", "f32", [rows, size], ranks, 3, 1e-6)

    def strike_out(g, t, x):
        best = g.node("argmax", [x], "s32", [], {"axis": None, "keep_axis": False, "tie_break": "low"})
        return g.put_slice(x, g.constant(-100.0, "f32", [1]), [best])

    yield repeat("argmax_strike_out", "f32", [50], strike_out, 20)


@programs("bodies")
def indices():
    for size in (9, 500):

        def follow(g, t, x):
            wrapped = g.op("bitwise_and", x, 2 ** (size.bit_length() - 1) - 1)
            indices = g.reshape(wrapped, [size, 1])
            return g.node("gather", [x, indices], "s32", [size], {"axes": [0]}) + t

        yield repeat(f"gather_{size}", "s32", [size], follow, low=0, high=size - 1)

        def histogram(g, t, x):
            indices = g.reshape(g.op("remainder", x, size), [size, 1])
            ones = g.constant(1, "s32", [size])
            return g.node("indexed_add", [x, indices, ones], "s32", [size], {"axes": [0]})

        yield repeat(f"indexed_add_{size}", "s32", [size], histogram, low=0, high=3 * size)

        def scatter(g, t, x):
            indices = g.reshape(g.op("remainder", x * 7 + t, size), [size, 1])
            return g.node("indexed_put", [x, indices, g.iota("s32", [size])], "s32", [size], {"axes": [0]})

        yield repeat(f"indexed_put_{size}", "s32", [size], scatter, low=0, high=size)


@programs("bodies")
def contractions():
    for type, size in (("f32", 5), ("f64", 40), ("s32", 16), ("c64", 6), ("f32", 200)):

        def square(g, t, x):
            product = g.dot(x, x)
            if type in ("s32",):
                return product
            # Kept near 1.
            largest = g.reduce("reduce_max", g.op("abs", product))
            return product / (largest + 1.0)

        tolerance = {"f64": 1e-12, "s32": 0.0}.get(type, 1e-4)
        yield repeat(f"matrix_power_{type}_{size}", type, [size, size], square, 4, tolerance, low=-3, high=3)

    def batch_dot(g, t, x):
        attrs = {"contract": [[2], [1]], "batch": [[0], [0]]}
        return g.node("dot", [x, x], "f32", x.shape, attrs) * 0.2

    yield repeat("batch_dot", "f32", [4, 9, 9], batch_dot, 4, 1e-4)

    def convolve(g, t, x):
        kernel = g.constant(0.3, "f32", [2, 2, 3, 3])
        attrs = {
            "strides": [1, 1],
            "padding": [[1, 1], [1, 1]],
            "input_dilation": [1, 1],
            "kernel_dilation": [1, 1],
            "feature_group_size": 1,
            "batch_group_size": 1,
            "input_permutation": [0, 1, 2, 3],
            "kernel_permutation": [0, 1, 2, 3],
            "output_permutation": [0, 1, 2, 3],
        }
        y = g.node("conv", [x, kernel], "f32", x.shape, attrs)
        return g.op("tanh", y + g.iota("f32", x.shape, 1))

    yield repeat("conv", "f32", [1, 2, 12, 11], convolve, 3, 1e-4)

    def solve(g, t, x):
        size = x.shape[0]
        unit = g.cast(g.node("eye", [], "u8", [size, size], {}), "f64") * 3.0
        attrs = {"lower": True, "left_side": True, "transform_a": "none"}
        right = g.iota("f64", [size, size], 1)
        return g.node("triangular_solve", [x + unit, right], "f64", x.shape, attrs) * 0.1

    for size in (4, 33):
        yield repeat(f"triangular_solve_{size}", "f64", [size, size], solve, 3, 1e-11)


@programs("bodies")
def windows():
    def window(op, size):
        def body(g, t, x):
            attrs = {
                "window_dimensions": [1, size],
                "padding": [[0, 0], [size // 2, (size - 1) // 2]],
                "strides": [1, 1],
                "window_dilations": [1, 1],
            }
            y = g.node(op, [x], x.type, x.shape, attrs)
            return y * 0.25 + x if x.type[0] == "f" else y - x

        return body

    yield repeat("window_sum", "f32", [3, 40], window("window_sum", 5), 5, 1e-5)
    yield repeat("window_max", "s32", [3, 40], window("window_max", 4), 5, low=-99, high=99)

    def running(g, t, x):
        attrs = {"name": "cumulative_sum", "options": {"axis": 0, "reverse": False}}
        state = [x]
        total = g.node("block", state, x.type, x.shape, attrs)
        attrs["default"] = g.closed(state, lambda y: [windowed(g, y)])
        return total

    def windowed(g, y):
        size = y.shape[0]
        attrs = {
            "window_dimensions": [size],
            "padding": [[size - 1, 0]],
            "strides": [1],
            "window_dilations": [1],
        }
        return g.node("window_sum", [y], y.type, y.shape, attrs)

    yield repeat("cumulative_sum_20", "s32", [20], running, 4, low=-3, high=3)
    yield repeat("cumulative_sum_5000", "u32", [5000], running, 3, low=0, high=3)


@programs("bodies")
def transforms():
    for type, size in (("c64", 8), ("c128", 12), ("c64", 600)):

        def body(g, t, x):
            attrs = {"length": size, "axis": 0, "eps": 0.0}
            spectrum = g.node("fft", [x], type, x.shape, attrs)
            return g.node("ifft", [spectrum * spectrum], type, x.shape, attrs)

        tolerance = 1e-11 if type == "c128" else 1e-4
        yield repeat(f"fft_{type}_{size}", type, [size], body, 2, tolerance, low=-0.3, high=0.3)


@programs("bodies")
def shapes():
    def body(g, t, x):
        x = g.node("pad", [x, g.cast(t, x.type)], x.type, [8, 9], {"config": [[1, 1, 0], [0, 0, 0]]})
        x = g.slice(x, [1, 0], [7, 9])
        x = g.node("reverse", [x], x.type, [7, 9], {"axes": [0, 1]})
        x = g.concatenate([g.slice(x, [0, 3], [7, 6]), g.slice(x, [0, 0], [7, 3])], 1)
        return g.slice(g.reshape(g.transpose(x, [1, 0]), [7, 9]), [1, 0], [6, 9])

    for type in ("s32", "f64", "u8", "c64", "s64"):
        yield repeat(f"movement_{type}", type, [6, 9], body, 6, low=0, high=99)

    def ends(g, t, x):
        total = g.reshape(g.sum(x, [0], keep=True), [1, 33])
        return g.concatenate([g.slice(x, [1, 0], [3, 33]), total], 0)

    yield repeat("rows_and_sum", "s32", [4, 33], ends, 9, low=-9, high=9)


@programs("bodies")
def narrow_types():
    """Elements that kernels hold in another form: bf16, 8-bit floats, narrow integers."""
    for type in ("bf16", "f16", "s8", "u8", "s16", "u16", "f8_e4m3fn", "s4", "u2"):
        program = Program(f"narrow_{type}")
        g = program.graph
        x, n = program.input("f32", [37]), program.input("s32", [])
        state = g.cast(x, type)

        def body(t, x):
            if type[0] in "su":
                return [x * 3 + 1]
            return [x * 0.75 + 0.125]

        def typed(t, x):
            (y,) = body(t, x)
            return [g.cast(y, type)] if y.type != type else [y]

        (y,) = counted(g, n, [state], typed)
        program.finish([g.cast(y, "f32")])
        low = 0 if type[0] == "u" else -2
        numbers = [float(n) for n in integers(2, 37, low, 1 if type in ("s4", "u2") else 2)]
        yield program.run(numbers, 5).run(numbers, 0, expect=[numbers])


@programs("bodies")
def reductions():
    """Results of reductions, over many elements and few, that the next turn takes for all."""
    for type, shape in (("f64", [1000]), ("f32", [3, 70]), ("f32", [70, 3]), ("f64", [1]), ("f32", [300, 300])):

        def softmax(g, t, x):
            axis = len(shape) - 1
            raised = g.op("exp", x - g.reduce("reduce_max", x, [axis], keep=True))
            return raised / g.sum(raised, [axis], keep=True) + x * 0.5

        tolerance = 1e-12 if type == "f64" else 2e-5
        yield repeat(f"softmax_{type}_{'x'.join(map(str, shape))}", type, shape, softmax, 5, tolerance)

    def centre(g, t, x):
        columns = g.sum(x, [0], keep=True) / x.shape[0]
        x = x - columns
        return x - g.sum(x, [1], keep=True) / x.shape[1] + g.op("sin", x)

    yield repeat("centre_both_ways", "f64", [20, 30], centre, 5, 1e-11)

    def products(g, t, x):
        return x + g.reduce("product", x, [1], keep=True) + g.reduce("reduce_min", x, [0], keep=True)

    yield repeat("product_and_min", "s64", [9, 5], products, 4, low=-2, high=2)


@programs("bodies")
def generations():
    """The game of life on a torus, until nothing changes or the turns are over; and one histogram a turn."""
    program = Program("life")
    g = program.graph
    size = 20
    cells, limit = program.input("u8", [size, size]), program.input("s32", [])

    def rolled(x, axis, by):
        lengths = [size, size]
        lengths[axis] = by
        low = g.slice(x, [0, 0], lengths)
        starts = [0, 0]
        starts[axis], lengths[axis] = by, size - by
        return g.concatenate([g.slice(x, starts, lengths), low], axis)

    def goes_on(t, cells, changed, limit):
        return g.op("logical_and", g.op("less", t, limit), changed)

    def body(t, cells, changed, limit):
        sides = rolled(cells, 0, 1) + cells + rolled(cells, 0, size - 1)
        total = rolled(sides, 1, 1) + sides + rolled(sides, 1, size - 1)
        three, four = g.op("equal", total, 3), g.op("equal", total, 4)
        new = g.op("logical_or", three, g.op("logical_and", four, cells))
        return [t + 1, new, g.reduce("any", g.op("not_equal", new, cells)), limit]

    state = [g.constant(0, "s32"), cells, g.constant(1, "u8"), limit]
    t, cells, changed, _ = g.while_loop(state, goes_on, body)
    program.finish([cells, t, changed])
    block = [1 if (i // size, i % size) in ((3, 3), (3, 4), (4, 3), (4, 4)) else 0 for i in range(size * size)]
    yield program.run(integers(3, size * size, 0, 1), 12).run(block, 12, expect=[block, [1], [0]])

    program = Program("histograms")
    g = program.graph
    x = program.input("s32", [64])

    def body(t, x, stack):
        indices = g.reshape(g.op("bitwise_and", x, 7), [64, 1])
        counts = g.node(
            "indexed_add", [g.constant(0, "s32", [8]), indices, g.constant(1, "s32", [64])], "s32", [8], {"axes": [0]}
        )
        return [x + row(g, counts, 2) + g.iota("s32", [64]), put_row(g, stack, counts, t)]

    x, stack = counted(g, 6, [x, g.constant(0, "s32", [6, 8])], body)
    yield program.finish([x, stack]).run(integers(4, 64, 0, 99))
