# long_loops.py - programs of many turns.
# Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The number of turns is an input, and may be beyond what drivers let one kernel do."""

from programs import Program, counted, programs

COUNTS = (0, 1, 65534, 65535, 65536, 70000)
MASK = 0xFFFFFFFF


def generate(x, turns):
    """A linear congruential generator: a wrong number of turns gives another number."""
    for _ in range(turns):
        x = (x * 1664525 + 1013904223) & MASK
    return x


@programs("long_loops")
def counted_by_an_input():
    program = Program("generator")
    g = program.graph
    x, n = program.input("u32", [2]), program.input("s32", [])

    def body(t, x, sum):
        return [x * 1664525 + 1013904223, sum + g.cast(t, "s64")]

    program.finish(counted(g, n, [x, g.constant(0, "s64")], body))
    for turns in COUNTS:
        expect = [[generate(1, turns), generate(2, turns)], [turns * (turns - 1) // 2]]
        program.run([1, 2], turns, expect=expect)
    yield program


@programs("long_loops")
def until_it_is_found():
    """No turn knows how many there will be."""
    program = Program("search")
    g = program.graph
    wanted = program.input("u32", [])
    state = [g.constant(7, "u32"), g.constant(0, "s32"), wanted]

    def goes_on(x, t, wanted):
        return g.op("not_equal", x, wanted)

    x, t, _ = g.while_loop(state, goes_on, lambda x, t, wanted: [x * 1664525 + 1013904223, t + 1, wanted])
    program.finish([x, t])
    for turns in (0, 1000, 66000):
        program.run(generate(7, turns), expect=[[generate(7, turns)], [turns]])
    yield program


@programs("long_loops")
def loops_in_loops():
    """Each loop is short, all of them together are long; and a long one in a short one."""
    program = Program("many_short_loops")
    g = program.graph
    outer, inner = program.input("s32", []), program.input("s32", [])

    def body(i, x, inner):
        return counted(g, inner, [x, inner], lambda j, x, inner: [x * 1664525 + 1013904223, inner])

    x, _ = counted(g, outer, [g.constant(3, "u32"), inner], body)
    program.finish([x])
    for outer, inner in ((300, 300), (70000, 1), (70000, 0), (2, 70000), (0, 70000)):
        program.run(outer, inner, expect=[[generate(3, outer * inner)]])
    yield program


@programs("long_loops")
def known_counts():
    """The number of turns is a constant."""
    for turns in (65535, 70000):
        program = Program(f"constant_{turns}")
        g = program.graph
        x = program.input("u32", [])
        program.finish(counted(g, turns, [x], lambda t, x: [x * 1664525 + 1013904223]))
        yield program.run(5, expect=[[generate(5, turns)]])


@programs("long_loops")
def long_reduction():
    """A turn sums over elements: turns of the loop and of the sum count together."""
    program = Program("sums_in_turns")
    g = program.graph
    x, n = program.input("u32", [40, 50]), program.input("s32", [])

    def body(t, total, x):
        return [total * 3 + g.sum(x + g.cast(t, "u32")), x]

    program.finish(counted(g, n, [g.constant(0, "u32"), x], body)[:1])
    for turns in (3, 9000):
        total = 0
        for t in range(turns):
            total = (total * 3 + 2000 * 1999 // 2 + 2000 * t) & MASK
        program.run(list(range(2000)), turns, expect=[[total]])
    yield program
