# control.py - programs of loops and branches in each other.
# Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Conditions of any type, turns that depend on data, loops in loops, branches in loops in branches, taps."""

import math

from programs import Program, complex_parts, counted, integers, programs, put_row, reals, row


def collatz_length(n):
    turns = 0
    while n != 1:
        n, turns = (3 * n + 1 if n % 2 else n // 2), turns + 1
    return turns


@programs("control")
def collatz():
    """How many turns a number takes to 1: for one, and for many at once."""
    for type, shape in (("s32", []), ("s64", []), ("u64", [70]), ("s32", [2000])):
        program = Program(f"collatz_{type}_{'x'.join(map(str, shape))}")
        g = program.graph
        n = program.input(type, shape)
        turns = g.constant(0, "s32", shape)

        def goes_on(n, turns):
            active = g.op("not_equal", n, 1)
            return g.reduce("any", active) if shape else active

        def body(n, turns):
            active = g.op("not_equal", n, 1)
            odd = g.op("bitwise_and", n, 1)
            next = g.op("select", odd, n * 3 + 1, g.op("quotient", n, 2))
            return [g.op("select", active, next, n), turns + g.cast(active, "s32")]

        n, turns = g.while_loop([n, turns], goes_on, body)
        program.finish([n, turns])
        if shape:
            values = list(range(1, shape[0] + 1))
            yield program.run(values, expect=[[1] * len(values), [collatz_length(n) for n in values]])
        else:
            for value in (1, 2, 27, 77031):
                program.run(value, expect=[[1], [collatz_length(value)]])
            yield program


@programs("control")
def countdown():
    """The condition is the state itself, of any type: it goes on while it is not 0."""
    for type in ("s32", "u8", "s64", "f32", "f64", "u16", "bf16", "f16"):
        program = Program(f"countdown_{type}")
        g = program.graph
        n = program.input("s32", [])
        start = g.cast(n, type)
        n, sum = g.while_loop(
            [start, g.constant(0.0, "f32")],
            lambda n, sum: n,
            lambda n, sum: [g.op("subtract", n, 1), sum + g.cast(n, "f32")],
        )
        program.finish([g.cast(n, "s32"), sum])
        for value in (0, 1, 2, 37):
            program.run(value, expect=[[0], [value * (value + 1) / 2]])
        yield program


@programs("control")
def zero_turns():
    """A loop that is never entered hands its state on, inputs among it, and one that is never left early."""
    for type, shape in (("f64", [5]), ("u8", [3, 4]), ("c64", [2]), ("f32", [0, 3]), ("f32", [60, 60]), ("f32", [100, 100])):
        program = Program(f"zero_turns_{type}_{'x'.join(map(str, shape))}")
        g = program.graph
        x, y, limit = program.input(type, shape), program.input(type, shape), program.input("s32", [])
        x2, y2 = counted(g, limit, [x, y], lambda t, x, y: [x + y, x])
        program.finish([x2, y2, x])
        count = math.prod(shape) * complex_parts(type)
        a, b = integers(1, count, 0, 20), integers(2, count, 0, 20)
        for limit in (0, -3, 1, 3):
            expect = [a, b, a] if limit <= 0 else None
            program.run(a, b, limit, expect=expect)
        yield program


@programs("control")
def nested():
    """The turns of the inner loop depend on the outer one's, on data, and on nothing."""
    program = Program("nested_triangle")
    g = program.graph
    n = program.input("s32", [])

    def outer(i, total, visits):
        def inner(j, total, visits):
            return [total + j * 10, visits + 1]

        return counted(g, i, [total, visits], inner)

    zero = g.constant(0, "s32")
    program.finish(counted(g, n, [zero, zero], outer))
    for value in (0, 1, 2, 9, 40):
        pairs = [j for i in range(value) for j in range(i)]
        program.run(value, expect=[[10 * sum(pairs)], [len(pairs)]])
    yield program

    program = Program("nested_from_data")
    g = program.graph
    counts, x = program.input("s64", [6]), program.input("f64", [6, 4])

    def outer(i, result, counts, x):
        line, _ = counted(
            g,
            row(g, counts, i),
            [row(g, x, i), row(g, counts, i)],
            lambda j, line, count: [line * 0.5 + g.cast(j, "f64"), count],
        )
        return [put_row(g, result, line, i), counts, x]

    result, *_ = counted(g, 6, [g.constant(-1.0, "f64", [6, 4]), counts, x], outer)
    program.tolerance = 1e-14
    yield program.finish([result]).run([3, 0, 1, 7, -2, 2], reals(3, 24))

    program = Program("nested_thrice")
    g = program.graph
    n, x = program.input("s32", []), program.input("u32", [3])

    def level(depth):
        def body(i, x, n):
            if depth == 0:
                return [x * 5 + g.cast(i, "u32"), n]
            x, n = counted(g, n, [x, n], level(depth - 1))
            return [g.op("bitwise_xor", x, g.cast(i, "u32")), n]

        return body

    x, _ = counted(g, n, [x, n], level(3))
    program.finish([x])
    yield program.run(3, [1, 2, 3]).run(0, [1, 2, 3]).run(1, [7, 8, 9])


@programs("control")
def branches():
    """A branch in a loop in a branch, that takes what is outside; and one whose branches loop."""
    program = Program("cond_while_cond")
    g = program.graph
    x, n, sign = program.input("f32", [6]), program.input("s32", []), program.input("s32", [])
    outside = x * 3.0

    def looping():
        def body(t, y, x):
            (next,) = g.cond(
                [
                    (g.op("equal", g.op("bitwise_and", t, 1), 1), lambda: [y + x]),
                    (g.op("greater", t, 4), lambda: [y * 0.5]),
                ],
                lambda: [-y],
            )
            return [next, x]

        return [counted(g, n, [outside, x], body)[0]]

    (result,) = g.cond([(g.op("less", sign, 0), lambda: [outside * 2.0]), (sign, looping)], lambda: [x])
    program.tolerance = 1e-6
    program.finish([result, outside])
    values = reals(4, 6)
    for n, sign in ((5, 1), (9, 3), (0, 1), (5, 0), (5, -1), (6, 1)):
        program.run(values, n, sign)
    yield program

    program = Program("branches_that_loop")
    g = program.graph
    x, turns = program.input("s64", []), program.input("s32", [])

    def body(t, x, turns):
        def longer():
            return counted(g, turns, [x, turns], lambda i, x, turns: [x * 3 + g.cast(i, "s64"), turns])

        def shorter():
            return [g.op("quotient", x, 2), turns + 1]

        return g.cond([(g.op("bitwise_and", x, 1), longer)], shorter)

    program.finish(counted(g, 8, [x, turns], body))
    yield program.run(7, 2).run(64, 1).run(-3, 0)


@programs("control")
def predicates():
    """Conditions of one element that is not a scalar's comparison: NaN is true, -0 is not, a sum of bits may be."""
    program = Program("nan_goes_on")
    g = program.graph
    x = program.input("f64", [])
    # NaN is true: the loop stops by its counter's share of the condition only.
    state = [x, g.constant(0, "s32")]

    def goes_on(x, t):
        (more,) = g.cond([(x, lambda: [g.op("less", t, 5)])], lambda: [g.constant(0, "u8")])
        return more

    x, t = g.while_loop(state, goes_on, lambda x, t: [x * 0.5, t + 1])
    program.finish([x, t])
    nan = float("nan")
    program.run(nan, expect=[[nan], [5]]).run(0.0, expect=[[0.0], [0]]).run(-0.0, expect=[[-0.0], [0]])
    yield program.run(1e-320).run(float("inf"), expect=[[float("inf")], [5]])

    program = Program("all_and_any")
    g = program.graph
    x, limit = program.input("s32", [7, 9]), program.input("s32", [7, 1])

    def all_less(x, limit, t):
        return g.reduce("all", g.reduce("any", g.op("less", x, limit), [1]), [0])

    x, _, t = g.while_loop(
        [x, limit, g.constant(0, "s32")], all_less, lambda x, limit, t: [x + g.iota("s32", [7, 9], 1) + 1, limit, t + 1]
    )
    yield program.finish([x, t]).run(integers(5, 63, -50, 0), [30] * 7).run(integers(6, 63, 1, 2), [0] * 7)


@programs("control")
def taps():
    """The host sees a value in each turn."""
    program = Program("tap_in_loop")
    g = program.graph
    x, n = program.input("s32", [2]), program.input("s32", [])

    def body(t, x):
        return [g.tap(x + t, "step")]

    (x,) = counted(g, n, [x], body)
    program.finish([g.tap(x, "end") * 2])
    program.taps = [[("step", [5, 7]), ("step", [6, 8]), ("step", [8, 10]), ("end", [8, 10])], [("end", [5, 7])]]
    yield program.run([5, 7], 3, expect=[[16, 20]]).run([5, 7], 0, expect=[[10, 14]])

    program = Program("tap_in_branch")
    g = program.graph
    x = program.input("f32", [])

    def body(t, x):
        odd = g.op("bitwise_and", t, 1)
        return g.cond([(odd, lambda: [g.tap(x * 2.0, "odd")])], lambda: [x + 1.0])

    (x,) = counted(g, 5, [x], body)
    program.finish([x])
    program.taps = [[("odd", [2]), ("odd", [6])]]
    yield program.run(0.0, expect=[[7.0]])
