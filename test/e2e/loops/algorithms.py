# algorithms.py - whole algorithms, as users write them.
# Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Samplers, filters, decoders and optimisers with all that they consist of: loops with branches, random numbers, reductions,
products and tables that grow."""

import math

from programs import Program, counted, integers, programs, put_row, reals, row
from recurrences import threefry


def uniform(g, key0, key1, counter, count):
    """Numbers in [0, 1) with 23 bits, from a key and a counter, both u32."""
    x0, _ = threefry(g, key0, key1, counter, g.iota("u32", [count], 0))
    mantissa = g.op("bitwise_or", g.op("right_shift", x0, 9), 0x3F800000)
    return g.node("bitcast", [mantissa], "f32", [count]) - 1.0


@programs("algorithms")
def metropolis():
    """A random walk that is accepted or not, several walks at once and one alone; the states are stacked."""
    for walks in (1, 40):
        program = Program(f"metropolis_{walks}", 1e-4)
        g = program.graph
        x, key, turns = program.input("f32", [walks, 3]), program.input("u32", [2]), program.input("s32", [])

        def log_density(x):
            return -g.sum(x * x + g.op("cos", x * 2.0), [1])

        def body(t, x, density, accepted, stack, key0, key1):
            step = g.reshape(uniform(g, key0, key1, g.cast(t, "u32"), walks * 3), [walks, 3]) * 2.0 - 1.0
            chance = uniform(g, key0, key1, g.cast(t, "u32") + 1000, walks)
            moved = x + step
            new = log_density(moved)
            # Half way between the uniform numbers there are: no rounding decides.
            accept = g.op("less", g.op("log", chance + 2**-24), new - density)
            x = g.op("select", g.broadcast(accept, [walks, 3], [0]), moved, x)
            density = g.op("select", accept, new, density)
            return [x, density, accepted + g.cast(accept, "s32"), put_row(g, stack, x, t), key0, key1]

        stack = g.constant(0.0, "f32", [50, walks, 3])
        state = [x, log_density(x), g.constant(0, "s32", [walks]), stack, row(g, key, 0), row(g, key, 1)]
        results = counted(g, turns, state, body)
        program.finish(results[:4])
        start = reals(1, walks * 3)
        yield program.run(start, [7, 8], 50).run(start, [9, 1], 2)


@programs("algorithms")
def kalman():
    """A filter with 2 x 2 and 3 x 3 products in a turn, the estimates and their variances stacked."""
    for size, seen, turns in ((2, 1, 30), (3, 2, 12), (17, 5, 6)):
        program = Program(f"kalman_{size}_{seen}", 1e-10)
        g = program.graph
        motion, look = program.input("f64", [size, size]), program.input("f64", [seen, size])
        data = program.input("f64", [turns, seen])
        unit = g.cast(g.node("eye", [], "u8", [size, size], {}), "f64")
        noise = g.cast(g.node("eye", [], "u8", [seen, seen], {}), "f64")

        def inverse(s):
            # Newton's iteration: the loop in the loop is a matrix inverse.
            scale = g.reduce("reduce_max", g.sum(g.op("abs", s), [1]))
            start = g.transpose(s, [1, 0]) / (scale * scale)

            def closer(i, x, s):
                return [x * 2.0 - g.dot(x, g.dot(s, x)), s]

            return counted(g, 60, [start, s], closer)[0]

        def body(t, x, p, xs, ps, motion, look, data, unit, noise):
            x = g.dot(motion, x)
            p = g.dot(g.dot(motion, p), g.transpose(motion, [1, 0])) + unit * 0.1
            s = g.dot(g.dot(look, p), g.transpose(look, [1, 0])) + noise
            gain = g.dot(g.dot(p, g.transpose(look, [1, 0])), inverse(s))
            x = x + g.dot(gain, row(g, data, t) - g.dot(look, x))
            p = g.dot(unit - g.dot(gain, look), p)
            return [x, p, put_row(g, xs, x, t), put_row(g, ps, p, t), motion, look, data, unit, noise]

        state = [g.constant(0.0, "f64", [size]), unit]
        state += [g.constant(0.0, "f64", [turns, size]), g.constant(0.0, "f64", [turns, size, size])]
        state += [motion, look, data, unit, noise]
        x, p, xs, ps, *_ = counted(g, turns, state, body)
        program.finish([xs, ps])
        near_unit = [n * 0.2 + (0.9 if i % (size + 1) == 0 else 0) for i, n in enumerate(reals(2, size * size))]
        yield program.run(near_unit, reals(3, seen * size), reals(4, turns * seen, -3, 3))


@programs("algorithms")
def conjugate_gradients():
    """A symmetric system, until the residual is small or as many turns are over as there are unknowns."""
    for size in (6, 50):
        program = Program(f"conjugate_gradients_{size}", 1e-9)
        g = program.graph
        a, b, limit = program.input("f64", [size, size]), program.input("f64", [size]), program.input("f64", [])
        a = g.dot(g.transpose(a, [1, 0]), a) + g.cast(g.node("eye", [], "u8", [size, size], {}), "f64") * (3.0 * size)

        def goes_on(t, x, r, p, square, a, limit):
            return g.op("logical_and", g.op("less", t, size), g.op("greater", square, limit))

        def body(t, x, r, p, square, a, limit):
            product = g.dot(a, p)
            length = square / g.sum(p * product)
            r = r - product * length
            new = g.sum(r * r)
            return [t + 1, x + p * length, r, r + p * (new / square), new, a, limit]

        state = [g.constant(0, "s32"), g.constant(0.0, "f64", [size]), b, b, g.sum(b * b), a, limit]
        t, x, *_ = g.while_loop(state, goes_on, body)
        program.finish([x, t])
        yield program.run(reals(5, size * size), reals(6, size), 1e-16).run(reals(5, size * size), reals(6, size), 1e9)


@programs("algorithms")
def viterbi():
    """The likeliest path through a hidden Markov model: forwards with a table of choices, then backwards through it."""
    for states, turns in ((3, 20), (40, 9)):
        program = Program(f"viterbi_{states}_{turns}", 1e-5)
        g = program.graph
        moves, seen = program.input("f32", [states, states]), program.input("f32", [turns, states])

        def forward(t, best, choices, moves, seen):
            paths = g.reshape(best, [states, 1]) + moves
            attrs = {"axis": 0, "keep_axis": False, "tie_break": "low"}
            choice = g.node("argmax", [paths], "s32", [states], attrs)
            best = g.reduce("reduce_max", paths, [0]) + row(g, seen, t)
            return [best, put_row(g, choices, choice, t), moves, seen]

        choices = g.constant(0, "s32", [turns, states])
        best, choices, *_ = counted(g, turns, [g.constant(0.0, "f32", [states]), choices, moves, seen], forward)
        attrs = {"axis": None, "keep_axis": False, "tie_break": "low"}
        last = g.node("argmax", [best], "s32", [], attrs)

        def backward(t, at, path, choices):
            back = -(t - (turns - 1))
            path = put_row(g, path, at, back)
            at = g.reshape(g.slice(choices, [back, at], [1, 1]), [])
            return [at, path, choices]

        _, path, _ = counted(g, turns, [last, g.constant(-1, "s32", [turns]), choices], backward)
        program.finish([path, best])
        # Multiples of 1/8: no rounding chooses between paths.
        eighths = [n / 8 for n in integers(7, states * states, -40, 0)]
        yield program.run(eighths, [n / 8 for n in integers(8, turns * states, -40, 0)])


@programs("algorithms")
def decoding():
    """Attention with a cache of keys and values that a turn extends; the token of the next turn is the best of this one."""
    width, words, length, heads = 16, 23, 10, 2
    program = Program("decoding", 1e-3)
    g = program.graph
    shapes = [[words, width], [width, 3 * width], [width, width], [width, words]]
    embedding, mix, out, logits = (program.input("f32", shape) for shape in shapes)
    first = program.input("s32", [])

    def body(t, token, keys, values, tokens, embedding, mix, out, logits):
        x = g.reshape(g.slice(embedding, [token, g.constant(0, "s32")], [1, width]), [width])
        mixed = g.reshape(g.dot(x, mix), [3, heads, width // heads])
        q, k, v = (row(g, mixed, i) for i in range(3))
        keys, values = put_row(g, keys, k, t), put_row(g, values, v, t)
        scores = g.sum(keys * q, [2]) * 0.35
        future = g.op("greater", g.iota("s32", [length, heads], 0), t)
        scores = g.op("select", future, g.constant("-infinity", "f32"), scores)
        raised = g.op("exp", scores - g.reduce("reduce_max", scores, [0], keep=True))
        weights = raised / g.sum(raised, [0], keep=True)
        heard = g.sum(values * g.reshape(weights, [length, heads, 1]), [0])
        x = x + g.dot(g.reshape(heard, [width]), out)
        attrs = {"axis": None, "keep_axis": False, "tie_break": "low"}
        token = g.node("argmax", [g.dot(x, logits)], "s32", [], attrs)
        return [token, keys, values, put_row(g, tokens, token, t), embedding, mix, out, logits]

    cache = g.constant(0.0, "f32", [length, heads, width // heads])
    state = [first, cache, cache, g.constant(-1, "s32", [length]), embedding, mix, out, logits]
    token, keys, values, tokens, *_ = counted(g, length, state, body)
    program.finish([tokens, keys, values])
    weights = [reals(9 + i, math.prod(shape), -0.6, 0.6) for i, shape in enumerate(shapes)]
    yield program.run(*weights, 3).run(*weights, 19)


@programs("algorithms")
def mixture_by_expectation():
    """Expectation and maximisation for a mixture of normal distributions, the log likelihoods stacked."""
    program = Program("expectation_maximisation", 1e-9)
    g = program.graph
    parts, points, turns = 3, 90, 15
    x, means = program.input("f64", [points]), program.input("f64", [parts])

    def body(t, means, variances, weights, stack, x):
        distance = g.reshape(x, [points, 1]) - means
        logs = g.op("log", weights) - distance * distance / (variances * 2.0) - g.op("log", variances) * 0.5
        largest = g.reduce("reduce_max", logs, [1], keep=True)
        raised = g.op("exp", logs - largest)
        total = g.sum(raised, [1], keep=True)
        shares = raised / total
        counts = g.sum(shares, [0])
        means = g.sum(shares * g.reshape(x, [points, 1]), [0]) / counts
        distance = g.reshape(x, [points, 1]) - means
        variances = g.sum(shares * distance * distance, [0]) / counts + 0.01
        likelihood = g.sum(g.op("log", total) + largest)
        return [means, variances, counts / float(points), put_row(g, stack, likelihood, t), x]

    ones = g.constant(1.0, "f64", [parts])
    state = [means, ones, ones / float(parts), g.constant(0.0, "f64", [turns]), x]
    means, variances, weights, stack, _ = counted(g, turns, state, body)
    program.finish([means, variances, weights, stack])
    clusters = [c + n for c, n in zip([-4.0, 0.0, 5.0] * 30, reals(20, points))]
    yield program.run(clusters, [-2.0, 0.5, 2.0])


@programs("algorithms")
def adaptive_steps():
    """An orbit by Runge-Kutta steps whose length follows the error: a step is taken or tried again."""
    program = Program("adaptive_steps", 1e-8)
    g = program.graph
    y, end, wanted = program.input("f64", [4]), program.input("f64", []), program.input("f64", [])

    def slope(y):
        place, speed = g.slice(y, [0], [2]), g.slice(y, [2], [2])
        square = g.sum(place * place)
        return g.concatenate([speed, -(place / (square * g.op("sqrt", square)))], 0)

    def goes_on(time, step, y, taken, refused, end, wanted):
        open = g.op("less", time, end)
        return g.op("logical_and", open, g.op("less", taken + refused, 3000))

    def body(time, step, y, taken, refused, end, wanted):
        step = g.op("min", step, end - time)
        k1 = slope(y)
        k2 = slope(y + k1 * step * 0.5)
        k3 = slope(y + k2 * step * 0.75)
        new = y + (k1 * 2.0 + k2 * 3.0 + k3 * 4.0) * step / 9.0
        k4 = slope(new)
        error = (k1 * -5.0 + k2 * 6.0 + k3 * 8.0 + k4 * -9.0) * step / 72.0
        size = g.reduce("reduce_max", g.op("abs", error)) + 1e-300

        def take():
            grown = step * g.op("min", g.constant(2.0, "f64"), g.op("cbrt", wanted / size) * 0.9)
            return [time + step, grown, new, taken + 1, refused]

        def again():
            return [time, step * g.op("max", g.constant(0.2, "f64"), g.op("cbrt", wanted / size) * 0.9), y, taken, refused + 1]

        return [*g.cond([(g.op("less_equal", size, wanted), take)], again), end, wanted]

    zero = g.constant(0, "s32")
    state = [g.constant(0.0, "f64"), g.constant(0.5, "f64"), y, zero, zero, end, wanted]
    time, _, y, taken, refused, *_ = g.while_loop(state, goes_on, body)
    program.finish([y, time, taken, refused])
    yield program.run([1, 0, 0, 0.9], 8.0, 1e-6).run([1, 0, 0, 0.5], 2.0, 1e-4).run([1, 0, 0, 1], 0.0, 1e-6)


@programs("algorithms")
def lstm():
    """Two layers of a recurrent network, each a loop, with gates that are slices of one product; a mask ends sequences early."""
    for batch, turns, width in ((1, 7, 4), (5, 12, 20)):
        program = Program(f"lstm_{batch}x{turns}x{width}", 1e-4)
        g = program.graph
        x, lengths = program.input("f32", [batch, turns, width]), program.input("s32", [batch])
        kernels = [program.input("f32", [2 * width, 4 * width]) for _ in range(2)]

        def body(t, h, c, stack, x, kernel, lengths):
            joined = g.concatenate([row(g, x, t, 1), h], 1)
            gates = g.dot(joined, kernel)
            i, f, o, n = (g.slice(gates, [0, k * width], [batch, width]) for k in range(4))
            new_c = g.op("sigmoid", f) * c + g.op("sigmoid", i) * g.op("tanh", n)
            new_h = g.op("sigmoid", o) * g.op("tanh", new_c)
            open = g.broadcast(g.op("less", t, lengths), [batch, width], [0])
            h, c = g.op("select", open, new_h, h), g.op("select", open, new_c, c)
            return [h, c, put_row(g, stack, h, t, 1), x, kernel, lengths]

        for kernel in kernels:
            zero, stack = g.constant(0.0, "f32", [batch, width]), g.constant(0.0, "f32", x.shape)
            h, c, x, *_ = counted(g, turns, [zero, zero, stack, x, kernel, lengths], body)
        program.finish([x, h, c])
        numbers = reals(30, batch * turns * width)
        weights = [reals(31 + i, 8 * width * width, -0.5, 0.5) for i in range(2)]
        yield program.run(numbers, integers(33, batch, 1, turns), *weights)
