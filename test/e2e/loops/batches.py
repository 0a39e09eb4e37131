# batches.py - loops over batches, and loops that only look so.
# Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Slices along the first axis that have nothing to do with each other may be computed apart. Here are programs where that is so,
and where one operation, somewhere, mixes them; with sizes that coincide, so that a shape says nothing."""

from programs import Program, counted, integers, programs, put_row, reals, row


# Slices and elements of each; a workgroup takes slices of 128 elements or more together.
SIZES = ((2, 150), (5, 5), (64, 5), (6, 44), (130, 130))


def along_batch(name, batch, columns, body, type="s32", turns=4, tolerance=0.0):
    """A program whose turn is body(g, t, x, w): x is [batch, columns], and w a vector of `columns` that all slices have."""
    program = Program(f"{name}_{batch}x{columns}_{type}", tolerance)
    g = program.graph
    x, w, n = program.input(type, [batch, columns]), program.input(type, [columns]), program.input("s32", [])

    def turned(t, x, w, last):
        return [body(g, t, x, w), w + t, t]

    program.finish(counted(g, n, [x, w, g.constant(-1, "s32")], turned))
    if type[0] == "f":
        values = reals(1, batch * columns), reals(2, columns)
    else:
        values = integers(1, batch * columns, -9, 9), integers(2, columns, -9, 9)
    return program.run(*values, turns).run(*values, 1).run(*values, 0, expect=[*values, [-1]])


def some_rows(g, x, first, count):
    return g.slice(x, [first, 0], [count, x.shape[1]])


def reverse(g, x, axis):
    return g.node("reverse", [x], x.type, x.shape, {"axes": [axis]})


APART = {
    "weights": lambda g, t, x, w: x * 2 + w + t,
    "row_sums": lambda g, t, x, w: x * w - g.sum(x, [1], keep=True),
    "reversed_rows": lambda g, t, x, w: reverse(g, x, 1) + x,
    "own_number": lambda g, t, x, w: x + g.iota("s32", x.shape, 0) * t,
    "rolled_rows": lambda g, t, x, w: g.concatenate(
        [g.slice(x, [0, 1], [x.shape[0], x.shape[1] - 1]), g.slice(x, [0, 0], [x.shape[0], 1])], 1
    ),
    "two_rows_of_their_own": lambda g, t, x, w: g.put_slice(x, some_rows(g, x, 0, 2) * 3, [0, 0]),
    "last_row_of_its_own": lambda g, t, x, w: g.put_slice(
        x, some_rows(g, x, x.shape[0] - 1, 1) * 3 + w, [x.shape[0] - 1, 0]
    ),
    "column_at_turn": lambda g, t, x, w: g.put_slice(x, g.slice(x, [t, t], [x.shape[0], 1]) + 1, [0, t]),
}

MIXED = {
    "column_sums": lambda g, t, x, w: x - g.sum(x, [0]) + w,
    "reversed_batch": lambda g, t, x, w: reverse(g, x, 0) + x,
    "first_row": lambda g, t, x, w: x + row(g, x, 0),
    "rows_from_elsewhere": lambda g, t, x, w: g.put_slice(x, some_rows(g, x, 1, 1) * 3, [0, 0]),
    "row_at_turn": lambda g, t, x, w: x * 3 + row(g, x, t),
    "put_row_at_turn": lambda g, t, x, w: put_row(g, x, g.sum(x, [1]) if x.shape[0] == x.shape[1] else w, t),
    "rolled_batch": lambda g, t, x, w: g.concatenate(
        [g.slice(x, [1, 0], [x.shape[0] - 1, x.shape[1]]), g.slice(x, [0, 0], [1, x.shape[1]])], 0
    ),
    "all_sum": lambda g, t, x, w: x + g.sum(x),
}


@programs("batches")
def slices():
    """One operation, on slices apart or across them; with as many rows as columns, and not."""
    for name, body in {**APART, **MIXED}.items():
        for batch, columns in SIZES:
            yield along_batch(name, batch, columns, body)

    def transposed(g, t, x, w):
        return g.transpose(x, [1, 0]) * 2 + x

    for size in (5, 130):
        yield along_batch("transposed", size, size, transposed)

    def by_matrix(g, t, x, w):
        size = w.shape[0]
        return g.op("tanh", g.dot(x, g.reshape(w, [size, 1]) * w) / float(size))

    def by_itself(g, t, x, w):
        return g.op("tanh", g.dot(x, x) / float(x.shape[0]))

    for batch, columns in SIZES:
        yield along_batch("by_matrix", batch, columns, by_matrix, "f64", tolerance=1e-12)
    for size in (5, 40, 130):
        yield along_batch("by_itself", size, size, by_itself, "f64", tolerance=1e-12)

    def gathered(g, t, x, w):
        indices = g.reshape(g.op("bitwise_and", g.iota("s32", [x.shape[0]]) + t, 1), [x.shape[0], 1])
        return g.node("gather", [x, indices], "s32", x.shape, {"axes": [0]}) + x

    for batch, columns in SIZES[:3]:
        yield along_batch("gathered", batch, columns, gathered)


@programs("batches")
def shared_conditions():
    """The turns depend on all slices together, on one of them, or on a number that all slices have."""
    for name in ("any", "all", "first", "sum"):
        for batch, columns in ((40, 4), (3, 200)):
            program = Program(f"until_{name}_{batch}x{columns}")
            g = program.graph
            x, limit = program.input("s32", [batch, columns]), program.input("s32", [])

            def goes_on(x, t, limit, name=name):
                less = g.op("less", g.sum(x, [1]), limit)
                if name == "first":
                    return row(g, less, 0)
                if name == "sum":
                    return g.op("less", g.sum(x), limit)
                return g.reduce(name, less)

            def body(x, t, limit):
                return [x + g.op("abs", g.reduce("reduce_max", x, [1], keep=True)) + 1, t + 1, limit]

            x, t, _ = g.while_loop([x, g.constant(0, "s32"), limit], goes_on, body)
            yield program.finish([x, t]).run(
                integers(3, batch * columns, -20, 5), 100 * columns
            ).run(integers(3, batch * columns, 0, 5), -1)


@programs("batches")
def own_turns():
    """Slices that loop as often as they need, in an inner loop, or under a mask; and branches that all take."""
    for batch, columns in ((17, 6), (3, 140)):
        program = Program(f"masked_turns_{batch}x{columns}")
        g = program.graph
        x, counts = program.input("s64", [batch, columns]), program.input("s32", [batch])

        def goes_on(t, x, counts):
            return g.op("less", t, g.reduce("reduce_max", counts))

        def body(t, x, counts):
            open = g.broadcast(g.op("less", t, counts), x.shape, [0])
            return [t + 1, g.op("select", open, x * 3 + 1, x), counts]

        t, x, _ = g.while_loop([g.constant(0, "s32"), x, counts], goes_on, body)
        yield program.finish([x, t]).run(integers(4, batch * columns, -9, 9), integers(5, batch, 0, 6))

        program = Program(f"batch_in_nest_{batch}x{columns}", 1e-12)
        g = program.graph
        x, n = program.input("f64", [batch, columns]), program.input("s32", [])

        def outer(i, x, n):
            x, _ = counted(g, n, [x, n], lambda j, x, n: [x * 0.5 + g.sum(x, [1], keep=True) / (columns + 1.0), n])
            odd = g.op("bitwise_and", i, 1)
            (x,) = g.cond([(odd, lambda: [g.op("sin", x)])], lambda: [x - g.reduce("reduce_min", x, [1], keep=True)])
            return [x, n]

        program.finish(counted(g, 4, [x, n], outer)[:1])
        yield program.run(reals(6, batch * columns), 3).run(reals(6, batch * columns), 0)


@programs("batches")
def with_stacks():
    """Stacks of all slices: [batch, turns, ...], [turns, batch, ...], with as many turns as slices, and not."""
    for batch, turns, columns in ((4, 4, 150), (3, 7, 3), (33, 5, 60), (3, 7, 600)):
        for axis in (0, 1):
            program = Program(f"stack_axis{axis}_{batch}x{turns}x{columns}", 1e-12)
            g = program.graph
            x, n = program.input("f64", [batch, columns]), program.input("s32", [])
            shape = [turns, batch] if axis == 0 else [batch, turns]

            def body(t, x, stack, sums):
                x = x * 0.9 + g.sum(x, [1], keep=True) / (columns + 2.0)
                return [x, put_row(g, stack, x, t, axis), put_row(g, sums, g.sum(x, [1]), t, axis)]

            state = [x, g.constant(7.0, "f64", [*shape, columns]), g.constant(0.0, "f64", shape)]
            program.finish(counted(g, n, state, body))
            values = reals(7, batch * columns)
            yield program.run(values, turns).run(values, 2).run(values, turns + 3)


@programs("batches")
def same_bits():
    """Reductions of many elements in each slice: every slice of equal slices gives the same."""
    for batch, count in ((4, 300), (16, 77), (5, 2000), (3, 129)):
        program = Program(f"equal_slices_{batch}x{count}", 1e-12)
        g = program.graph
        x = program.input("f64", [batch, count])

        def body(t, x, total):
            total = g.sum(g.op("exp", -(x * x)), [1])
            return [x + g.reshape(total, [batch, 1]) / (3.0 * count), total]

        x, total = counted(g, 6, [x, g.constant(0.0, "f64", [batch])], body)
        # The difference to the first slice is 0, not nearly 0.
        program.finish([x, total, g.cast(g.op("not_equal", total, row(g, total, 0)), "s32")])
        yield program.run(reals(8, count) * batch, expect=[None, None, [0] * batch])
