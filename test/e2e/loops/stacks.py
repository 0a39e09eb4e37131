# stacks.py - loops that write a row of a state in each turn.
# Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A loop may write the row alone, where nothing needs the rest of the old state: here are rows at all kinds of places, and turns
that do more with their stacks. Each with few elements and with many."""

import math

from programs import Program, counted, integers, programs, put_row, row


@programs("stacks")
def one_row():
    """Rows at places that a turn computes: clamped at both ends, from data, the same twice, two in a turn."""
    places = {
        "turn": lambda g, t: t,
        "backwards": lambda g, t: -(t - 5),
        "beyond": lambda g, t: t * 2,
        "before": lambda g, t: t - 3,
        "fixed": lambda g, t: g.constant(2, "s32"),
        "halved": lambda g, t: g.op("right_shift", t, 1),
        "wide": lambda g, t: g.cast(t, "s64"),
        "unsigned": lambda g, t: g.cast(t, "u8"),
    }
    for name, place in places.items():
        for width in (3, 700):
            program = Program(f"row_{name}_{width}")
            g = program.graph
            stack, x, n = program.input("s32", [6, width]), program.input("s32", [width]), program.input("s32", [])

            def body(t, stack, x):
                return [put_row(g, stack, x * 3 + t, place(g, t)), x * 3 + t]

            program.finish(counted(g, n, [stack, x], body))
            values = integers(1, 6 * width, 0, 9), integers(2, width, 0, 9)
            yield program.run(*values, 6).run(*values, 1).run(*values, 0, expect=[values[0], values[1]])


@programs("stacks")
def uses():
    """What else a turn does with the stack that it writes to: it reads it, hands it elsewhere, writes it twice, or not always."""

    def written(g, t, stack, x):
        return put_row(g, stack, x, t)

    def twice(g, t, stack, x, other):
        return [put_row(g, written(g, t, stack, x), x * 2, t + 1), x + 1, other]

    def read_before(g, t, stack, x, other):
        return [written(g, t, stack, x), x + row(g, stack, t), other]

    def read_after(g, t, stack, x, other):
        new = written(g, t, stack, x)
        return [new, x + row(g, new, t) + row(g, new, 0), other]

    def summed_before(g, t, stack, x, other):
        return [written(g, t, stack, x), x + g.sum(stack, [0]), other]

    def summed_after(g, t, stack, x, other):
        new = written(g, t, stack, x)
        return [new, x + g.sum(new, [0]), other]

    def in_two_states(g, t, stack, x, other):
        new = written(g, t, stack, x)
        return [new, x + 1, new]

    def old_in_another(g, t, stack, x, other):
        return [written(g, t, stack, x), x + 1, stack]

    def swapped(g, t, stack, x, other):
        return [other, x + 1, written(g, t, stack, x)]

    def both(g, t, stack, x, other):
        return [written(g, t, stack, x), x + row(g, other, t), put_row(g, other, x - 1, t)]

    def from_the_other(g, t, stack, x, other):
        return [written(g, t, other, x), x + 1, other + 1]

    def with_all(g, t, stack, x, other):
        return [written(g, t, stack, x) + 1, x + 1, other]

    def of_itself(g, t, stack, x, other):
        return [put_row(g, stack, row(g, stack, t) + row(g, stack, t + 1), t + 1), x, other]

    def column(g, t, stack, x, other):
        return [g.put_slice(stack, g.slice(other, [0, t], [8, 1]), [0, t]), x, other]

    def if_odd(g, t, stack, x, other):
        odd = g.op("bitwise_and", t, 1)
        (stack,) = g.cond([(odd, lambda: [written(g, t, stack, x)])], lambda: [stack])
        return [stack, x + 1, other]

    def either(g, t, stack, x, other):
        odd = g.op("bitwise_and", t, 1)
        return g.cond(
            [(odd, lambda: [written(g, t, stack, x), x, other])], lambda: [stack, x * 2, written(g, t, other, x)]
        )

    def in_inner_loop(g, t, stack, x, other):
        stack, x = counted(g, 3, [stack, x], lambda i, stack, x: [put_row(g, stack, x, i), x + 1])
        return [put_row(g, stack, x, t), x, other]

    def tapped(g, t, stack, x, other):
        return [g.tap(written(g, t, stack, x), "stack"), x + 1, other]

    bodies = [twice, read_before, read_after, summed_before, summed_after, in_two_states, old_in_another, swapped, both]
    bodies += [from_the_other, with_all, of_itself, column, if_odd, either, in_inner_loop, tapped]
    for body in bodies:
        for width in (8, 1500):
            program = Program(f"{body.__name__}_{width}")
            g = program.graph
            stack, x = program.input("s32", [8, width]), program.input("s32", [width])
            other, n = program.input("s32", [8, width]), program.input("s32", [])
            program.finish(counted(g, n, [stack, x, other], lambda t, *states: body(g, t, *states)))
            sizes = [math.prod(like["shape"]) for like in g.inputs[:3]]
            values = [integers(3 + i, size, 0, 9) for i, size in enumerate(sizes)]
            yield program.run(*values, 8).run(*values, 3).run(*values, 0, expect=values)
