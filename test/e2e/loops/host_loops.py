# host_loops.py - loops whose bodies do not fit one workgroup.
# Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every body sorts, which no kernel does for a loop: so the program loops, and the runtime submits turns ahead of their conditions
(docs/runtime.md). Counters of all kinds, for the compiler counts the turns where it can."""

import itertools

from programs import Program, counted, integers, programs

# Around the turns that are submitted at once.
COUNTS = (0, 1, 2, 3, 4, 5, 11, 12, 13, 27, 28, 29, 60, 61, 125, 300)

COMPARE = {
    "less": lambda a, b: a < b,
    "less_equal": lambda a, b: a <= b,
    "greater": lambda a, b: a > b,
    "greater_equal": lambda a, b: a >= b,
    "equal": lambda a, b: a == b,
    "not_equal": lambda a, b: a != b,
}

# Type, first, step, comparison and limit of a counter; some go round the end of their type.
COUNTERS = [
    ("s32", 0, 1, "less", 7),
    ("s32", 5, 1, "less", 5),
    ("s32", 6, 1, "less", 5),
    ("s32", 0, 1, "less_equal", 7),
    ("s32", 0, 3, "less", 7),
    ("s32", 0, 3, "less", 9),
    ("s32", 0, 3, "less_equal", 9),
    ("s32", 9, -1, "greater", 0),
    ("s32", 9, -2, "greater", 0),
    ("s32", 9, -2, "greater_equal", 1),
    ("s32", -5, 1, "less", -2),
    ("s32", 3, 1, "equal", 3),
    ("s32", 3, 1, "equal", 4),
    ("s32", 0, 2, "not_equal", 8),
    ("s32", 2**31 - 4, 1, "greater", 0),
    ("s32", -(2**31), 2**30, "less", 0),
    ("s64", 2**40, 2**38, "less", 2**41),
    ("u32", 2**32 - 3, 1, "greater", 5),
    ("u32", 2**31 - 2, 1, "less", 2**31 + 2),
    ("u64", 0, 1, "less", 4),
    ("u8", 250, 3, "greater_equal", 5),
    ("u8", 1, 3, "not_equal", 0),
    ("u8", 3, -1, "less", 4),
    ("s8", 120, 5, "greater", 0),
    ("s16", -4, 1, "not_equal", 0),
    ("u16", 65530, 1, "greater", 9),
    ("f32", 0, 1, "less", 6),
    ("f64", 3, -1, "greater", -1),
]


def wrap(type, number):
    bits = int(type[1:])
    if type[0] == "f":
        return number
    number &= 2**bits - 1
    return number - 2**bits if type[0] == "s" and number >= 2 ** (bits - 1) else number


def turns_of(type, first, step, op, limit):
    turns, number = 0, first
    while COMPARE[op](number, limit):
        number, turns = wrap(type, number + step), turns + 1
    return turns, number


def shuffle(g, x):
    """Sorted and changed: not sorted again."""
    ordered = g.node("sort", [x], x.type, x.shape, {"axis": 0, "direction": "asc", "stable": True})
    return g.op("bitwise_xor", ordered, g.iota(x.type, x.shape, 0)) + 1


@programs("host_loops")
def counters():
    """Counters of all kinds, on the left and on the right of the comparison; in kernels too."""
    for (number, counter), host in itertools.product(enumerate(COUNTERS), (True, False)):
        yield counter_program(number, *counter, host)


def counter_program(number, type, first, step, op, limit, host):
    program = Program(f"{'host' if host else 'kernel'}_counter_{number}_{type}_{op}")
    g = program.graph
    x = program.input("s32", [9])
    mirrored = {"less": "greater", "greater": "less", "less_equal": "greater_equal", "greater_equal": "less_equal"}

    def goes_on(i, t, x):
        if number % 2:
            return g.op(mirrored.get(op, op), g.constant(limit, type), i)
        return g.op(op, i, limit)

    def body(i, t, x):
        # A step that type has no number for is taken the other way.
        next = i - -step if step < 0 and type[0] == "u" else i + step
        return [next, t + 1, shuffle(g, x) if host else x * 3 + t]

    state = [g.constant(first, type), g.constant(0, "s32"), x]
    i, t, x = g.while_loop(state, goes_on, body)
    program.finish([t, i, x])
    turns, last = turns_of(type, first, step, op, limit)
    return program.run(integers(1, 9, -99, 99), expect=[[turns], [last], None])


@programs("host_loops")
def counts_from_inputs():
    """Loops that the runtime submits ahead: none, one and many turns."""
    program = Program("count_from_input")
    g = program.graph
    x, n = program.input("s32", [5]), program.input("s64", [])
    turns, x = counted(g, n, [g.constant(0, "s32"), x], lambda t, turns, x: [turns + 1, shuffle(g, x)])
    program.finish([turns, x])
    for count in COUNTS:
        program.run([3, 1, 4, 1, 5], count, expect=[[count], None])
    yield program

    # The states lie at odd places, and have odd sizes.
    program = Program("odd_sizes")
    g = program.graph
    states = [program.input("u8", [size]) for size in (1, 3, 17, 33)]
    n = program.input("s32", [])
    program.finish(counted(g, n, states, lambda t, a, b, c, d: [a + 3, shuffle(g, b), shuffle(g, c), d + g.sum(c)]))
    yield program.run(*[integers(2 + i, size, 0, 255) for i, size in enumerate((1, 3, 17, 33))], 13)

    program = Program("swapped_by_the_host")
    g = program.graph
    states = [program.input("s32", [7]) for _ in range(3)]
    n = program.input("s32", [])
    program.finish(counted(g, n, states, lambda t, a, b, c: [b, shuffle(g, c), a]))
    for count in (0, 1, 2, 3, 14):
        program.run(*[integers(6 + i, 7, 0, 99) for i in range(3)], count)
    yield program


@programs("host_loops")
def until_data_says():
    """Conditions that take a kernel, or several, and end anywhere."""
    program = Program("sum_grows")
    g = program.graph
    x, limit = program.input("s32", [11]), program.input("s32", [])

    def goes_on(t, x, limit):
        return g.op("less", g.sum(shuffle(g, x)), limit)

    t, x, _ = g.while_loop(
        [g.constant(0, "s32"), x, limit], goes_on, lambda t, x, limit: [t + 1, shuffle(g, x) + t, limit]
    )
    program.finish([t, x])
    for limit in (-1000, 60, 100, 300, 1000, 9000):
        program.run(integers(9, 11, 0, 9), limit)
    yield program


@programs("host_loops")
def nests():
    """Loops of the host in each other, of known and unknown turns, with branches; and loops that kernels do in them."""
    program = Program("host_nest")
    g = program.graph
    x, n, m = program.input("s32", [6]), program.input("s32", []), program.input("s32", [])

    def outer(i, x, m):
        (x,) = counted(g, 3, [x], lambda j, x: [shuffle(g, x)])
        x, _ = counted(g, m, [x, m], lambda j, x, m: [shuffle(g, x) + j, m])
        return [x - i, m]

    program.finish(counted(g, n, [x, m], outer)[:1])
    for n, m in ((0, 3), (3, 0), (1, 1), (4, 7), (2, 30)):
        program.run(integers(10, 6, 0, 99), n, m)
    yield program

    program = Program("host_branches")
    g = program.graph
    x, n = program.input("s32", [6]), program.input("s32", [])

    def body(t, x, taken):
        def sorting():
            (y,) = counted(g, 2, [x], lambda j, y: [shuffle(g, y)])
            return [y, taken + 1]

        def counting():
            (y,) = counted(g, 4, [x], lambda j, y: [y * 3 + j])
            return [y, taken]

        def neither():
            return [x, taken + 100]

        bits = g.op("bitwise_and", t, 3)
        return g.cond([(g.op("equal", bits, 1), sorting), (g.op("equal", bits, 2), counting)], neither)

    program.finish(counted(g, n, [x, g.constant(0, "s32")], body))
    for count in (0, 1, 2, 3, 4, 13, 40):
        program.run(integers(11, 6, 0, 99), count)
    yield program

    program = Program("branch_around_host_loop")
    g = program.graph
    x, way = program.input("s32", [6]), program.input("s32", [])

    def long():
        return [counted(g, 9, [x], lambda t, x: [shuffle(g, x)])[0]]

    def as_it_says():
        return [counted(g, way, [x], lambda t, x: [shuffle(g, x)])[0]]

    program.finish(g.cond([(g.op("greater", way, 5), long), (way, as_it_says)], lambda: [x]))
    for way in (9, 5, 1, 0, -1):
        program.run(integers(12, 6, 0, 99), way)
    yield program


@programs("host_loops")
def taps():
    """What the host sees of its loops: as many values as turns, none of the turns behind the end."""
    program = Program("tap_in_host_loop")
    g = program.graph
    x, n = program.input("s32", [2]), program.input("s32", [])

    def body(t, x):
        ordered = g.node("sort", [x], "s32", [2], {"axis": 0, "direction": "desc", "stable": True})
        return [g.tap(g.op("subtract", ordered, t), "step")]

    program.finish(counted(g, n, [x], body))
    program.taps = [[("step", [7, 5]), ("step", [6, 4]), ("step", [4, 2])], [], [("step", [9, 1])]]
    yield program.run([5, 7], 3).run([5, 7], 0, expect=[[5, 7]]).run([1, 9], 1)

    program = Program("tap_in_counted_loop")
    g = program.graph
    x = program.input("s32", [2])
    program.finish(counted(g, 3, [x], body))
    program.taps = [[("step", [7, 5]), ("step", [6, 4]), ("step", [4, 2])]]
    yield program.run([5, 7])
