# sizes.py - loops around the sizes at which they are run in another way.
# Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""States and bodies just below and just above what fits: workgroup memory, the elements a workgroup walks over, the steps and the
buffers of a kernel (docs/loops.md). And loops of which only a part fits."""

import math

from programs import Program, counted, integers, programs, put_row, reals, row


@programs("sizes")
def state_bytes():
    """Around 4 KiB a state and 20 KiB in all, with a reduction that needs workgroup memory too."""
    for type, size in (("f32", 1024), ("f32", 1025), ("f64", 512), ("f64", 513), ("u8", 4096), ("u8", 4097), ("s32", 32768)):
        program = Program(f"state_of_{size}_{type}", 1e-4)
        g = program.graph
        x, n = program.input(type, [size]), program.input("s32", [])

        def body(t, x):
            if type[0] == "f":
                return [x * 0.5 + g.sum(x) / float(size)]
            return [x + g.cast(g.reduce("reduce_max", x), type)]

        program.finish(counted(g, n, [x], body))
        numbers = reals(1, size) if type[0] == "f" else integers(1, size, 0, 100)
        yield program.run(numbers, 4)

    for count, size in ((4, 500), (5, 500), (6, 512), (20, 128), (21, 128)):
        program = Program(f"{count}_states_of_{size}", 1e-4)
        g = program.graph
        states = [program.input("f64", [size]) for _ in range(count)]

        def body(t, *states):
            total = g.sum(states[0])
            return [b * 0.5 + total / 1000.0 for b in (*states[1:], states[0])]

        program.finish(counted(g, 3, states, body))
        yield program.run(*[reals(2 + i, size) for i in range(count)])


@programs("sizes")
def walked_elements():
    """Around 2^13 and 2^17 elements a step, in the loop and beside it."""
    for size in (8192, 8193, 131072, 131073):
        program = Program(f"walk_of_{size}", 1e-4)
        g = program.graph
        x, n = program.input("f32", [size]), program.input("s32", [])
        before = g.op("sin", x)

        def body(t, x, y):
            return [x * 0.5 + y, y + g.sum(x) / float(size)]

        x, y = counted(g, n, [before, g.constant(0.0, "f32")], body)
        program.finish([x, y, g.sum(x * x)])
        yield program.run(reals(3, size), 3).run(reals(3, size), 0)

    for rows, columns in ((1, 140000), (140000, 1), (400, 400), (2, 70000), (70000, 2)):
        program = Program(f"sums_of_{rows}x{columns}", 1e-4)
        g = program.graph
        x = program.input("f32", [rows, columns])

        def body(t, by_row, by_column, x):
            weighted = x * by_column + g.reshape(by_row, [rows, 1])
            return [g.sum(weighted, [1]) / float(columns), g.sum(weighted, [0]) / float(rows), x]

        state = [g.constant(1.0, "f32", [rows]), g.constant(1.0, "f32", [columns]), x]
        program.finish(counted(g, 2, state, body)[:2])
        yield program.run(reals(4, rows * columns))


@programs("sizes")
def many_steps():
    """A body of many steps, each of which needs the one before as a whole."""
    for steps in (3, 30):
        program = Program(f"{steps}_steps", 1e-3)
        g = program.graph
        x, n = program.input("f32", [19]), program.input("s32", [])

        def body(t, x):
            for step in range(steps):
                x = x - g.sum(x) / (19.0 + step % 3)
            return [x + 1.0]

        program.finish(counted(g, n, [x], body))
        yield program.run(reals(5, 19), 3)


@programs("sizes")
def many_buffers():
    """More states than a kernel has operands."""
    for count in (30, 70):
        program = Program(f"{count}_states")
        g = program.graph
        states = [program.input("s32", [3]) for _ in range(count)]
        n = program.input("s32", [])
        program.finish(counted(g, n, states, lambda t, *s: [a * 2 + b for a, b in zip(s, (*s[1:], s[0]))]))
        yield program.run(*[integers(6 + i, 3, -9, 9) for i in range(count)], 4)


@programs("sizes")
def parts_that_fit():
    """A loop whose body has a loop that fits a workgroup and a step that does not; and a condition that does not."""
    program = Program("inner_loop_fits", 1e-4)
    g = program.graph
    x, n = program.input("f32", [600, 300]), program.input("s32", [])

    def outer(t, x):
        line = g.sum(x, [0]) / 600.0
        (line,) = counted(g, 5, [line], lambda i, line: [line * 0.5 + g.reduce("reduce_max", line)])
        return [x * 0.5 + line]

    program.finish(counted(g, n, [x], outer))
    yield program.run(reals(7, 180000), 2)

    program = Program("large_condition", 1e-4)
    g = program.graph
    x, limit = program.input("f32", [500, 400]), program.input("f32", [])

    def goes_on(x, t, limit):
        return g.op("greater", g.sum(x * x), limit)

    x, t, _ = g.while_loop([x, g.constant(0, "s32"), limit], goes_on, lambda x, t, limit: [x * 0.7, t + 1, limit])
    program.finish([x, t])
    yield program.run(reals(8, 200000), 1000.0).run(reals(8, 200000), 1e9)

    program = Program("large_branch", 1e-4)
    g = program.graph
    x, n = program.input("f32", [500, 400]), program.input("s32", [])

    def body(t, x, total):
        odd = g.op("bitwise_and", t, 1)
        (x,) = g.cond([(odd, lambda: [x - g.sum(x) / 200000.0])], lambda: [g.op("cos", x)])
        (total,) = g.cond([(odd, lambda: [total + 1.0])], lambda: [total + g.sum(x)])
        return [x, total]

    program.finish(counted(g, n, [x, g.constant(0.0, "f32")], body))
    yield program.run(reals(9, 200000), 3)

    program = Program("large_table", 0)
    g = program.graph
    table, n = program.input("s32", [3, 100000]), program.input("s32", [])

    def fill(t, table, last):
        last = row(g, table, g.op("bitwise_and", t, 1)) + last
        return [put_row(g, table, last, t), last]

    program.finish(counted(g, n, [table, g.constant(1, "s32", [100000])], fill))
    yield program.run(integers(10, 300000, 0, 9), 5)


@programs("sizes")
def axes():
    """The same with one axis, with many, and with sizes of 1 between."""
    for shape in ([6], [1, 6], [6, 1], [2, 1, 3, 1], [1, 1, 1, 1, 1], [2, 3, 2, 3, 2], []):
        program = Program(f"axes_{'x'.join(map(str, shape))}", 1e-12)
        g = program.graph
        x, n = program.input("f64", shape), program.input("s32", [])
        count = math.prod(shape)

        def body(t, x, stack):
            x = x * 0.9 + g.sum(x) / float(count + 1)
            return [x, put_row(g, stack, g.reshape(x, [count]), t)]

        program.finish(counted(g, n, [x, g.constant(0.0, "f64", [4, count])], body))
        yield program.run(reals(11, count), 4).run(reals(11, count), 0)
