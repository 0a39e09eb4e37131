# states.py - programs whose states are overwritten while they are read.
# Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""States that swap places, that a turn reads at one place and writes at another, that move over themselves, that do not fit
workgroup memory. Each with few elements and with many, so that it lies in workgroup memory and in buffers."""

import itertools

from programs import Program, counted, integers, programs, put_row, reals, row

SIZES = (1, 8, 300, 3000, 200000)


def name(what, size):
    return f"{what}_{size}"


@programs("states")
def swaps():
    """(a, b) -> (b, a + b), and a rotation of four, one of which stands twice."""
    for size in SIZES:
        program = Program(name("fibonacci", size))
        g = program.graph
        a, b, n = program.input("u32", [size]), program.input("u32", [size]), program.input("s32", [])
        program.finish(counted(g, n, [a, b], lambda t, a, b: [b, a + b]))
        x, y = integers(1, size, 0, 9), integers(2, size, 0, 9)
        yield program.run(x, y, 20).run(x, y, 1).run(x, y, 0, expect=[x, y])

    for size in SIZES:
        program = Program(name("rotation", size))
        g = program.graph
        states = [program.input("s32", [size]) for _ in range(4)]
        n = program.input("s32", [])
        program.finish(counted(g, n, states, lambda t, a, b, c, d: [b, c, d, a]))
        values = [integers(3 + i, size, 0, 99) for i in range(4)]
        for turns in (0, 1, 2, 3, 4, 7):
            moved = turns % 4
            program.run(*values, turns, expect=values[moved:] + values[:moved])
        yield program

    # All of it fits workgroup memory once, but not twice.
    program = Program("rotation_of_24")
    g = program.graph
    states = [program.input("f64", [100]) for _ in range(24)]
    program.finish(counted(g, 5, states, lambda t, *states: [*states[1:], states[0]]))
    values = [[float(n) for n in integers(40 + i, 100, 0, 99)] for i in range(24)]
    yield program.run(*values, expect=values[5:] + values[:5])

    for size in SIZES:
        program = Program(name("duplicates", size))
        g = program.graph
        states = [program.input("f32", [size]) for _ in range(3)]
        a, b, c = counted(g, 3, states, lambda t, a, b, c: [b, b, a + c])
        program.finish([a, b, c])
        a, b, c = ([float(n) for n in integers(7 + i, size, 0, 99)] for i in range(3))
        yield program.run(a, b, c, expect=[b, b, [x + z + 2 * y for x, y, z in zip(a, b, c)]])


@programs("states")
def permutations():
    """A turn moves the elements of its state: the new one cannot be written over the old."""
    for size in (2, 7, 40, 400):
        program = Program(name("permutations", size))
        g = program.graph
        x, n = program.input("s32", [size, size]), program.input("s32", [])

        def body(t, x):
            x = g.transpose(x, [1, 0])
            x = g.concatenate([g.slice(x, [1, 0], [size - 1, size]), g.slice(x, [0, 0], [1, size])], 0)
            x = g.node("reverse", [x], "s32", [size, size], {"axes": [1]})
            return [x]

        program.finish(counted(g, n, [x], body))
        yield program.run(list(range(size * size)), 3).run(list(range(size * size)), 2)

    for size in SIZES:
        program = Program(name("shift", size))
        g = program.graph
        x = program.input("f32", [size])

        def body(t, x):
            return [g.concatenate([g.reshape(g.sum(x) * 0.5, [1]), g.slice(x, [0], [size - 1])], 0)]

        program.tolerance = 1e-5
        yield program.finish(counted(g, 4, [x], body)).run(reals(10, size))


@programs("states")
def rows():
    """A turn reads some rows of a state and writes another one."""
    for size in (1, 5, 700):
        program = Program(name("rows", size))
        g = program.graph
        turns = 12
        table = program.input("u64", [turns + 2, size])

        def body(t, table):
            return [put_row(g, table, row(g, table, t) * 3 + row(g, table, t + 1), t + 2)]

        yield program.finish(counted(g, turns, [table], body)).run(integers(11, (turns + 2) * size, 0, 9))

    # Rows that are read after they were written in the same turn, and before.
    program = Program("rows_twice")
    g = program.graph
    x = program.input("s32", [6, 33])

    def body(t, x):
        x = put_row(g, x, row(g, x, t + 1) + row(g, x, t) * 2, t)
        x = put_row(g, x, row(g, x, t) - row(g, x, 5), t + 1)
        return [x]

    yield program.finish(counted(g, 5, [x], body)).run(integers(12, 198, -9, 9))


@programs("states")
def moves():
    """Pieces of a state are copied over each other, by put_slice at places that the turn gives, clamped at the end."""
    for size in (9, 300, 5000):
        program = Program(name("moves", size))
        g = program.graph
        x = program.input("s32", [size])
        length = size // 3

        def body(t, x):
            x = g.put_slice(x, g.slice(x, [t], [length]), [t + 1])
            return [g.put_slice(x, g.slice(x, [t * 2 + 1], [length]), [t])]

        yield program.finish(counted(g, min(size, 40), [x], body)).run(integers(13, size, 0, 999))


@programs("states")
def bubble_sort():
    """Two elements change places, in loops in loops; how often is counted."""
    size = 13
    program = Program("bubble_sort")
    g = program.graph
    x = program.input("f32", [size])

    def outer(i, x, swaps):
        def inner(j, x, swaps):
            a, b = g.slice(x, [j], [1]), g.slice(x, [j + 1], [1])
            wrong = g.op("greater", a, b)
            x = g.put_slice(x, g.op("min", a, b), [j])
            x = g.put_slice(x, g.op("max", a, b), [j + 1])
            return [x, swaps + g.cast(g.squeeze(wrong, [0]), "s32")]

        return counted(g, size - 1, [x, swaps], inner)

    program.finish(counted(g, size, [x, g.constant(0, "s32")], outer))
    values = integers(14, size, 0, 30)
    swaps = sum(values[i] > values[j] for i in range(size) for j in range(i + 1, size))
    yield program.run([float(n) for n in values], expect=[[float(n) for n in sorted(values)], [swaps]])


@programs("states")
def sieve():
    """Multiples are struck out, an element a turn, from a start that depends on what is struck out already."""
    size = 60
    program = Program("sieve")
    g = program.graph
    prime = g.constant(1, "u8", [size])
    n = program.input("s32", [])

    def outer(i, prime, n):
        # The step is a state of its own, since a loop sees nothing outside.
        def run():
            step = i + 2

            def more(at, step, prime):
                return g.op("less", at, size)

            def strike(at, step, prime):
                return [at + step, step, g.put_slice(prime, g.constant(0, "u8", [1]), [at])]

            return [g.while_loop([step * 2, step, prime], more, strike)[2]]

        return [*g.cond([(row(g, prime, i + 2), run)], lambda: [prime]), n]

    prime, _ = counted(g, n, [prime, n], outer)
    program.finish([prime])
    wanted = [1 if n < 2 or all(n % d for d in range(2, n)) else 0 for n in range(size)]
    yield program.run(size - 2, expect=[wanted])


@programs("states")
def edit_distance():
    """A table whose entries depend on three neighbours, filled element by element in two loops."""
    left, right = "kitten sitting on a mat", "sitting kitten at a map"
    program = Program("edit_distance")
    g = program.graph
    a, b = program.input("u8", [len(left)]), program.input("u8", [len(right)])
    table = g.op("add", g.iota("s32", [len(left) + 1, len(right) + 1], 0), g.iota("s32", [len(left) + 1, len(right) + 1], 1))

    def outer(i, table, a, b):
        def inner(j, table, a, b, i):
            def at(k, l):
                return g.reshape(g.slice(table, [k, l], [1, 1]), [])

            same = g.op("equal", row(g, a, i), row(g, b, j))
            changed = at(i, j) + g.op("select", same, g.constant(0, "s32"), g.constant(1, "s32"))
            best = g.op("min", changed, g.op("min", at(i, j + 1), at(i + 1, j)) + 1)
            return [g.put_slice(table, g.reshape(best, [1, 1]), [i + 1, j + 1]), a, b, i]

        return counted(g, len(right), [table, a, b, i], inner)[:3]

    table, _, _ = counted(g, len(left), [table, a, b], outer)
    program.finish([g.slice(table, [len(left), len(right)], [1, 1]), table])
    distances = {}
    for i in range(len(left) + 1):
        for j in range(len(right) + 1):
            distances[i, j] = i + j
            if i and j:
                changed = distances[i - 1, j - 1] + (left[i - 1] != right[j - 1])
                distances[i, j] = min(changed, distances[i - 1, j] + 1, distances[i, j - 1] + 1)
    flat = [distances[i, j] for i in range(len(left) + 1) for j in range(len(right) + 1)]
    yield program.run(list(left.encode()), list(right.encode()), expect=[[flat[-1]], flat])


@programs("states")
def many_states():
    """More state than workgroup memory: many tensors, each of which takes from the next."""
    for type, size in (("f64", 4), ("f64", 100), ("f32", 600), ("s32", 1500)):
        program = Program(f"many_states_{type}_{size}")
        g = program.graph
        states = [program.input(type, [size]) for _ in range(12 if size > 1000 else 20)]
        n = program.input("s32", [])

        def body(t, *states):
            return [a + b for a, b in zip(states, states[1:] + states[:1])]

        program.finish(counted(g, n, states, body))
        values = [[int(n) for n in integers(20 + i, size, -9, 9)] for i in range(len(states))]
        yield program.run(*values, 6).run(*values, 0, expect=values)


@programs("states")
def donated():
    """States that begin as inputs whose memory is given away; some of them change places, one is returned as it was."""
    for size in (7, 3000, 200000):
        program = Program(name("donated", size))
        g = program.graph
        a, b = (program.input("s32", [size], donatable=True) for _ in range(2))
        c, n = program.input("s32", [size], donatable=True), program.input("s32", [])
        x, y, z = counted(g, n, [a, b, c], lambda t, x, y, z: [y + 1, x, z * 3 - x])
        program.finish([x, y, z])
        values = [integers(60 + i, size, 0, 99) for i in range(3)]
        for turns in (0, 1, 4, 5):
            program.run(*values, turns, expect=values if turns == 0 else None)
        yield program

    program = Program("donated_rows")
    g = program.graph
    table, n = program.input("f32", [50, 300], donatable=True), program.input("s32", [])

    def body(t, table):
        return [put_row(g, table, row(g, table, t) + row(g, table, t + 1), t + 2)]

    program.finish([counted(g, n, [table], body)[0], g.sum(table, [0])])
    program.tolerance = 1e-6
    yield program.run(reals(63, 15000), 48).run(reals(63, 15000), 0)


@programs("states")
def through_inner_loops():
    """An inner loop hands on a state of the outer one as it is: its result is the old state, whatever becomes of that."""

    def inner(g, s, y):
        return counted(g, 3, [y, s], lambda j, u, s: [u + s, s])

    def read_later(g, s, y):
        u, old = inner(g, s, y)
        new = s * 2 + 1
        return [new, u + old + g.sum(new)]

    def moved(g, s, y):
        u, old = inner(g, s, y)
        return [s * 2 + u, old]

    def moved_alone(g, s, y):
        u, old = inner(g, s, y)
        return [u, old]

    def twice_inside(g, s, y):
        u, old = inner(g, s, y)
        u, older = counted(g, 2, [u, old], lambda j, u, s: [u - s, s])
        return [u * 2, older + g.sum(u)]

    def in_a_branch(g, s, y):
        def chosen():
            u, old = inner(g, s, y)
            return [s * 2 + u, old]

        return g.cond([(g.op("less", g.sum(s), 1000000), chosen)], lambda: [y, s])

    def sort(g, x):
        return g.node("sort", [x], x.type, x.shape, {"axis": 0, "direction": "asc", "stable": True})

    bodies = (read_later, moved, moved_alone, twice_inside, in_a_branch)
    # With a sort the outer loop is the host's.
    for body, host in itertools.product(bodies, (False, True)):
        for size in (4, 2000):
            program = Program(f"{body.__name__}_{'host_' if host else ''}{size}")
            g = program.graph
            s, y, n = program.input("s32", [size]), program.input("s32", [size]), program.input("s32", [])

            def turned(t, s, y):
                return body(g, s, sort(g, y) if host else y)

            program.finish(counted(g, n, [s, y], turned))
            values = integers(70, size, 0, 9), integers(71, size, 0, 9)
            yield program.run(*values, 4).run(*values, 1).run(*values, 0, expect=list(values))


@programs("states")
def through_shapes_and_branches():
    """States that change places by reshapes, and by branches that hand them on."""

    def reshaped(g, t, a, b, c):
        return [g.reshape(b, a.shape), g.reshape(a, b.shape), c]

    def reshaped_to_itself(g, t, a, b, c):
        return [g.reshape(g.reshape(a, b.shape), a.shape), b + g.reshape(a, b.shape), c]

    def branches_swap(g, t, a, b, c):
        odd = g.op("bitwise_and", t, 1)
        return g.cond([(odd, lambda: [g.reshape(b, a.shape), g.reshape(a, b.shape), c])], lambda: [a, b, c + 1])

    def branches_agree(g, t, a, b, c):
        odd = g.op("bitwise_and", t, 1)
        x, y = g.cond([(odd, lambda: [a, c + 1])], lambda: [a, c * 2])
        return [a + 1, g.reshape(x, b.shape), y]

    def old_and_new(g, t, a, b, c):
        new = a * 2 + c
        return [new, g.reshape(a, b.shape), g.sum(new) - g.sum(b)]

    def one_twice(g, t, a, b, c):
        new = a + c
        return [new, g.reshape(new, b.shape), c + 1]

    def column_of_the_other(g, t, a, b, c):
        return [g.broadcast(g.slice(b, [0, 0], [1, 1]), a.shape, [0, 1]) + a, g.reshape(a, b.shape), c]

    bodies = (reshaped, reshaped_to_itself, branches_swap, branches_agree, old_and_new, one_twice, column_of_the_other)
    for body in bodies:
        for width in (3, 900):
            program = Program(f"{body.__name__}_{width}")
            g = program.graph
            a, b = program.input("s32", [2, width]), program.input("s32", [width, 2])
            c, n = program.input("s32", []), program.input("s32", [])
            program.finish(counted(g, n, [a, b, c], lambda t, *states: body(g, t, *states)))
            values = integers(80, 2 * width, 0, 9), integers(81, 2 * width, 0, 9), 5
            yield program.run(*values, 5).run(*values, 2).run(*values, 0)


@programs("states")
def passed_through():
    """States that no turn changes, states that nothing reads, and results that are inputs."""
    program = Program("passed_through")
    g = program.graph
    x, y = program.input("f32", [17]), program.input("f32", [17])
    unread, kept = g.constant(3.0, "f32", [17]), g.constant(4.0, "f32", [2])
    x2, y2, _, kept2 = counted(g, 3, [x, y, unread, kept], lambda t, x, y, u, k: [x + y, y, u + x, k])
    program.finish([x2, y2, kept2, y, x])
    a, b = ([float(n) for n in integers(30 + i, 17, 0, 9)] for i in range(2))
    yield program.run(a, b, expect=[[x + 3 * y for x, y in zip(a, b)], b, [4.0, 4.0], b, a])

    # The result of one loop is the state of the next, and both are results.
    program = Program("loops_in_a_row")
    g = program.graph
    x, n = program.input("s64", [5]), program.input("s32", [])
    (first,) = counted(g, n, [x], lambda t, x: [x * 2 + g.cast(t, "s64")])
    (second,) = counted(g, n, [first], lambda t, x: [x - 1])
    (third,) = counted(g, n, [first + second], lambda t, x: [g.op("bitwise_xor", x, g.cast(t, "s64"))])
    program.finish([first, second, third, g.sum(third)])
    yield program.run([1, 2, 3, 4, 5], 4).run([1, 2, 3, 4, 5], 0)
