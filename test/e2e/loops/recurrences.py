# recurrences.py - iterative programs of numerics and of learning.
# Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recurrent networks, training loops, iterative solvers; most of them stop when they have converged."""

import math

from programs import Program, complex_parts, counted, programs, put_row, reals, row

TOLERANCES = {"f32": 2e-5, "f64": 1e-11, "c64": 2e-5, "c128": 1e-11}


@programs("recurrences")
def rnn():
    """h = tanh(x_t W + h U + b), with all h stacked; with a batch and without."""
    sizes = [("f32", 20, [4], 8, 16), ("f64", 33, [], 5, 7), ("f32", 6, [64], 48, 64), ("f64", 1, [3], 2, 2)]
    for type, turns, batch, features, hidden in sizes:
        program = Program(f"rnn_{type}_{turns}x{'x'.join(map(str, batch + [features, hidden]))}", TOLERANCES[type])
        g = program.graph
        x = program.input(type, [turns] + batch + [features])
        w, u = program.input(type, [features, hidden]), program.input(type, [hidden, hidden])
        b = program.input(type, [hidden])
        h = g.constant(0.0, type, batch + [hidden])
        stack = g.constant(0.0, type, [turns] + batch + [hidden])

        def body(t, h, stack, x, w, u, b):
            h = g.op("tanh", g.dot(row(g, x, t), w) + g.dot(h, u) + b)
            return [h, put_row(g, stack, h, t), x, w, u, b]

        h, stack, *_ = counted(g, turns, [h, stack, x, w, u, b], body)
        program.finish([stack, h])
        scale = 1 / math.sqrt(hidden)
        yield program.run(
            reals(1, math.prod(x.shape)),
            reals(2, features * hidden, -scale, scale),
            reals(3, hidden * hidden, -scale, scale),
            reals(4, hidden),
        )


@programs("recurrences")
def scan_along_the_middle():
    """Turns go over an axis in the middle, or the last; the axes around are independent."""
    for axis in (1, 2):
        for type in ("f32", "s32"):
            program = Program(f"scan_axis{axis}_{type}", TOLERANCES.get(type, 0))
            g = program.graph
            x = program.input(type, [3, 5, 8])
            rest = [size for i, size in enumerate(x.shape) if i != axis]
            start = program.input(type, rest)

            def body(t, carry, stack, x):
                carry = row(g, x, t, axis) + carry * (0.5 if type == "f32" else 3)
                return [carry, put_row(g, stack, carry, t, axis), x]

            stack = g.constant(0, type, x.shape)
            carry, stack, _ = counted(g, x.shape[axis], [start, stack, x], body)
            program.finish([stack, carry])
            numbers = reals(5, 120 + math.prod(rest), -9, 9)
            numbers = numbers if type == "f32" else [int(n) for n in numbers]
            yield program.run(numbers[:120], numbers[120:])


@programs("recurrences")
def sgd_with_momentum():
    """Least squares by gradient steps, the losses stacked; the number of steps is an input."""
    for type in ("f32", "f64"):
        program = Program(f"sgd_{type}", TOLERANCES[type])
        g = program.graph
        x, y = program.input(type, [64, 8]), program.input(type, [64])
        rate, steps = program.input(type, []), program.input("s32", [])
        zero = g.constant(0.0, type, [8])

        def body(t, w, v, losses, x, y, rate):
            error = g.dot(x, w) - y
            losses = put_row(g, losses, g.sum(error * error) / 64, t)
            v = v * 0.9 - g.dot(x, error, ([0], [0])) * rate / 32
            return [w + v, v, losses, x, y, rate]

        losses = g.constant(0.0, type, [100])
        w, v, losses, *_ = counted(g, steps, [zero, zero, losses, x, y, rate], body)
        program.finish([w, v, losses])
        xs, ys = reals(6, 512), reals(7, 64)
        yield program.run(xs, ys, 0.05, 100).run(xs, ys, 0.05, 3).run(xs, ys, 0.05, 0)


def dominant(seed, size, parts=1):
    """A matrix that is diagonally dominant."""
    numbers = reals(seed, size * size * parts)
    for i in range(size):
        numbers[(i * size + i) * parts] += 2 * size * parts
    return numbers


@programs("recurrences")
def jacobi():
    """Sweeps until the largest change is below a tolerance that is an input; their number depends on the data."""
    for type, size in (("f64", 16), ("f32", 16), ("f64", 100), ("c64", 9)):
        program = Program(f"jacobi_{type}_{size}", TOLERANCES[type])
        g = program.graph
        real = "f32" if type == "c64" else type
        a, b = program.input(type, [size, size]), program.input(type, [size])
        limit = program.input(real, [])
        diagonal = g.sum(a * g.cast(g.node("eye", [], "u8", [size, size], {}), type), [1])
        zero = g.constant(0.0, type, [size])

        def goes_on(sweeps, x, change, a, b, diagonal, limit):
            early = g.op("less", sweeps, 1000)
            return g.op("logical_and", early, g.op("greater", change, limit))

        def body(sweeps, x, change, a, b, diagonal, limit):
            new = x + (b - g.dot(a, x)) / diagonal
            return [sweeps + 1, new, g.reduce("reduce_max", g.op("abs", new - x)), a, b, diagonal, limit]

        first = g.constant("infinity", real)
        state = [g.constant(0, "s32"), zero, first, a, b, diagonal, limit]
        sweeps, x, change, *_ = g.while_loop(state, goes_on, body)
        program.finish([x, sweeps])
        parts = complex_parts(type)
        matrix, right = dominant(8, size, parts), reals(9, size * parts)
        tight = 1e-10 if type == "f64" else 1e-5
        yield program.run(matrix, right, tight).run(matrix, right, 1e-2).run(matrix, right, 1e6)


@programs("recurrences")
def heat():
    """Sweeps over a grid by slices; the number is an input. The largest grid does not fit a workgroup."""
    for type, size in (("f32", 24), ("f64", 96), ("f32", 380)):
        program = Program(f"heat_{type}_{size}", TOLERANCES[type])
        g = program.graph
        grid, sweeps = program.input(type, [size, size]), program.input("s32", [])
        inner = size - 2

        def part(x, i, j):
            return g.slice(x, [i, j], [inner, inner])

        def body(t, x, change):
            mean = (part(x, 0, 1) + part(x, 2, 1) + part(x, 1, 0) + part(x, 1, 2)) * 0.25
            change = g.reduce("reduce_max", g.op("abs", mean - part(x, 1, 1)))
            return [g.put_slice(x, mean, [1, 1]), change]

        grid, change = counted(g, sweeps, [grid, g.constant(0.0, type)], body)
        program.finish([grid, change])
        yield program.run(reals(10, size * size), 10 if size > 300 else 40)


@programs("recurrences")
def power_iteration():
    """The largest eigenvalue of a symmetric or Hermitian matrix, until it changes little."""
    for type, size in (("f64", 32), ("f32", 8), ("c64", 8), ("c128", 5)):
        program = Program(f"power_{type}_{size}", 100 * TOLERANCES[type])
        g = program.graph
        real = {"c64": "f32", "c128": "f64"}.get(type, type)
        a, v, limit = program.input(type, [size, size]), program.input(type, [size]), program.input(real, [])

        def goes_on(value, before, turns, *rest):
            moved = g.op("greater", g.op("abs", value - before), rest[-1])
            return g.op("logical_and", moved, g.op("less", turns, 500))

        def body(value, before, turns, v, a, limit):
            product = g.dot(a, v)
            squares = g.op("abs", product) * g.op("abs", product)
            norm = g.op("sqrt", g.sum(squares))
            return [norm, value, turns + 1, product / norm, a, limit]

        state = [g.constant(1.0, real), g.constant(0.0, real), g.constant(0, "s32"), v, a, limit]
        value, _, _, v, *_ = g.while_loop(state, goes_on, body)
        program.finish([value, v])
        parts = complex_parts(type)
        matrix = reals(11, size * size * parts)
        for i in range(size):
            for j in range(i):
                for part in range(parts):
                    mirrored = matrix[(i * size + j) * parts + part]
                    matrix[(j * size + i) * parts + part] = -mirrored if part else mirrored
            matrix[(i * size + i) * parts] = (3 * i + 1) / size
            if parts == 2:
                matrix[(i * size + i) * parts + 1] = 0.0
        matrix[0] += 5
        yield program.run(matrix, reals(12, size * parts, 0.5, 1), 1e-3 if real == "f32" else 1e-9)


@programs("recurrences")
def bisection():
    """Roots of x^3 = c, all at once; the turns stop when all intervals are short."""
    for type, count in (("f64", 1), ("f64", 300), ("f32", 40)):
        program = Program(f"bisection_{type}_{count}", TOLERANCES[type])
        g = program.graph
        c, limit = program.input(type, [count]), program.input(type, [])
        low, high = g.constant(0.0, type, [count]), g.constant(4.0, type, [count])

        def goes_on(low, high, c, limit):
            return g.reduce("any", g.op("greater", high - low, limit))

        def body(low, high, c, limit):
            middle = (low + high) * 0.5
            above = g.op("greater", middle * middle * middle, c)
            return [g.op("select", above, low, middle), g.op("select", above, middle, high), c, limit]

        low, high, *_ = g.while_loop([low, high, c, limit], goes_on, body)
        program.finish([low, high])
        limit = 1e-13 if type == "f64" else 1e-5
        yield program.run(reals(13, count, 0, 60), limit).run(reals(14, count, 0, 60), 5.0)


@programs("recurrences")
def newton():
    """Complex Newton steps for z^3 = 1 with a count for each point, as a fractal has them."""
    for type, count in (("c64", 30), ("c128", 12)):
        program = Program(f"newton_{type}", 1000 * TOLERANCES[type])
        g = program.graph
        z = program.input(type, [count])
        turns = g.constant(0, "s32", [count])

        def body(t, z, turns):
            square = z * z
            far = g.op("greater", g.op("abs", square * z - 1.0), 1e-2)
            next = z - (square * z - 1.0) / (square * 3.0)
            return [g.op("select", far, next, z), turns + g.cast(far, "s32")]

        z, turns = counted(g, 25, [z, turns], body)
        program.finish([z, turns])
        angles = [2 * math.pi * (i + 0.3) / count for i in range(count)]
        yield program.run([f(angle) * 1.4 for angle in angles for f in (math.cos, math.sin)])


def threefry(g, key0, key1, x0, x1):
    """Threefry-2x32 with 20 rounds, on u32."""
    rotations = ([13, 15, 26, 6], [17, 29, 16, 24])
    keys = [key0, key1, g.op("bitwise_xor", g.op("bitwise_xor", key0, key1), 0x1BD11BDA)]
    x0, x1 = x0 + keys[0], x1 + keys[1]
    for block in range(5):
        for rotation in rotations[block % 2]:
            x0 = x0 + x1
            turned = g.op("bitwise_or", g.op("left_shift", x1, rotation), g.op("right_shift", x1, 32 - rotation))
            x1 = g.op("bitwise_xor", turned, x0)
        x0, x1 = x0 + keys[(block + 1) % 3], x1 + keys[(block + 2) % 3] + (block + 1)
    return x0, x1


def threefry_numbers(key, x):
    """The same on Python's integers."""
    mask = 0xFFFFFFFF
    keys = [*key, key[0] ^ key[1] ^ 0x1BD11BDA]
    x0, x1 = (x[0] + keys[0]) & mask, (x[1] + keys[1]) & mask
    for block in range(5):
        for rotation in ([13, 15, 26, 6], [17, 29, 16, 24])[block % 2]:
            x0 = (x0 + x1) & mask
            x1 = ((x1 << rotation | x1 >> (32 - rotation)) & mask) ^ x0
        x0, x1 = (x0 + keys[(block + 1) % 3]) & mask, (x1 + keys[(block + 2) % 3] + block + 1) & mask
    return x0, x1


@programs("recurrences")
def random_numbers():
    """Threefry numbers of a key that changes each turn; what a turn draws is stacked, as bits and as uniform numbers."""
    for count in (1, 50):
        program = Program(f"threefry_{count}")
        g = program.graph
        key = program.input("u32", [2])
        turns = 7

        def body(t, key0, key1, bits, uniform):
            x0, x1 = threefry(g, key0, key1, g.constant(0, "u32", [count]), g.iota("u32", [count], 0))
            mantissa = g.op("bitwise_or", g.op("right_shift", x0, 9), 0x3F800000)
            number = g.node("bitcast", [mantissa], "f32", [count]) - 1.0
            next0, next1 = threefry(g, key0, key1, g.constant(1, "u32"), g.constant(0, "u32"))
            return [next0, next1, put_row(g, bits, x1, t), put_row(g, uniform, number, t)]

        state = [row(g, key, 0), row(g, key, 1)]
        state += [g.constant(0, "u32", [turns, count]), g.constant(0.0, "f32", [turns, count])]
        key0, key1, bits, uniform = counted(g, turns, state, body)
        program.finish([bits, uniform, key0, key1])
        keys, drawn, numbers = (0x13198A2E, 0x03707344), [], []
        for _ in range(turns):
            pairs = [threefry_numbers(keys, (0, i)) for i in range(count)]
            drawn += [pair[1] for pair in pairs]
            numbers += [(pair[0] >> 9) / 2**23 for pair in pairs]
            keys = threefry_numbers(keys, (1, 0))
        yield program.run([0x13198A2E, 0x03707344], expect=[drawn, numbers, [keys[0]], [keys[1]]])
