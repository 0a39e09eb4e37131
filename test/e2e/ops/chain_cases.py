# chain_cases.py - graphs of several operations that fuse.
# Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Common patterns over every axis, and random chains of operations with several outputs."""

from cases import case
from contraction_cases import conv, dot
from graph_builder import EPSILON, size_of
from movement_cases import MOVEMENT
from reduction_cases import reduce_op, reduced, some_axes, window_of
from values import shape_of, smalls

# ----------------------------------------------------------------------------------------------------------------------
# Patterns
# ----------------------------------------------------------------------------------------------------------------------


def wave(g, r, kind, shape):
    return g.input(kind, shape, [r.uniform(-2, 2) for _ in range(size_of(shape))])


def softmax(g, x, axes):
    kept = reduced(x.shape, axes, True)
    top = g.op("reduce_max", [x], x.kind, kept, axes=axes, keep_axes=True)
    e = g.op("exp", [g.op("subtract", [x, top], x.kind, x.shape)], x.kind, x.shape)
    total = g.op("sum", [e], x.kind, kept, axes=axes, keep_axes=True)
    return g.op("divide", [e, total], x.kind, x.shape), total


def normalize(g, x, axes, scale, offset):
    """(x - mean) / sqrt(variance + epsilon) * scale + offset."""
    kept = reduced(x.shape, axes, True)
    count = g.constant(x.kind, float(x.size // size_of(kept)))
    mean = g.op("divide", [g.op("sum", [x], x.kind, kept, axes=axes, keep_axes=True), count], x.kind, kept)
    centred = g.op("subtract", [x, mean], x.kind, x.shape)
    squares = g.op("multiply", [centred, centred], x.kind, x.shape)
    variance = g.op("divide", [g.op("sum", [squares], x.kind, kept, axes=axes, keep_axes=True), count], x.kind, kept)
    root = g.op("rsqrt", [g.op("add", [variance, g.constant(x.kind, 0.001)], x.kind, kept)], x.kind, kept)
    result = g.op("multiply", [centred, root], x.kind, x.shape)
    result = g.op("multiply", [result, scale], x.kind, x.shape)
    return g.op("add", [result, offset], x.kind, x.shape), mean, variance


PATTERN_SHAPES = [(1,), (3,), (257,), (1000,), (5000,), (4, 10), (33, 7), (7, 64), (300, 5), (2, 1000), (3, 5, 7), (2, 64, 6), (4, 1, 9), (2, 3, 4, 5)]


def patterns(shape, kind):
    def build(g, r):
        tolerance = 64 * EPSILON[kind]
        for axis in range(len(shape)):
            x = wave(g, r, kind, shape)
            result, total = softmax(g, x, [axis])
            g.output(result, tolerance, 1.0)
            if r.random() < 0.5:
                g.output(total, tolerance, 1.0)
            # As layer norm over one axis, or batch norm over all others.
            axes = [axis] if r.random() < 0.5 else [a for a in range(len(shape)) if a != axis] or [0]
            weights = [size if a in axes else 1 for a, size in enumerate(shape)] if r.random() < 0.5 else [1 if a in axes else size for a, size in enumerate(shape)]
            result, mean, variance = normalize(g, wave(g, r, kind, shape), axes, wave(g, r, kind, weights), wave(g, r, kind, weights))
            g.output(result, 4 * tolerance, 1.0)
            if r.random() < 0.5:
                g.output(mean, tolerance, 4.0)
                g.output(variance, tolerance, 1.0)

    return build


for _shape in PATTERN_SHAPES:
    for _kind in ("f32", "f64", "f16"):
        if _kind == "f32" or size_of(_shape) <= 300:
            case(f"pattern/{'x'.join(map(str, _shape))}/{_kind}")(patterns(_shape, _kind))


@case("pattern/shared")
def shared_walk(g, r):
    """Several reductions of one tensor, their results used together and apart."""
    for shape, axis in (((5, 33), 1), ((33, 5), 0), ((4, 7, 6), 1)):
        x = smalls(g, r, "f32", shape)
        low = reduce_op(g, "reduce_min", x, [axis], True)
        high = reduce_op(g, "reduce_max", x, [axis], True)
        total = reduce_op(g, "sum", x, [axis], True)
        place = reduce_op(g, "argmax", x, [axis], True)
        spread = g.op("subtract", [high, low], "f32", high.shape)
        g.output(g.op("multiply", [x, spread], "f32", x.shape))
        g.output(g.op("add", [total, spread], "f32", high.shape))
        g.output(place)


@case("pattern/many-inputs")
def many_inputs(g, r):
    """One element of many tensors."""
    for count in (8, 20, 40):
        total = smalls(g, r, "f32", (6,))
        for _ in range(count):
            total = g.op("add", [total, smalls(g, r, "f32", (6,))], "f32", (6,))
        g.output(total)


@case("pattern/same-output")
def same_output(g, r):
    """An output twice, an input and a constant as outputs, an output that another one is computed from."""
    x = smalls(g, r, "f32", (3, 4))
    y = g.op("add", [x, x], "f32", (3, 4))
    for tensor in (x, y, y, g.op("reshape", [y], "f32", (12,)), g.constant("f32", 3.0, (2,)), g.op("reshape", [x], "f32", (4, 3)), g.op("negate", [y], "f32", (3, 4)), x):
        g.output(tensor)


# ----------------------------------------------------------------------------------------------------------------------
# Random chains
# ----------------------------------------------------------------------------------------------------------------------

# Every number of that magnitude is exact in the type.
EXACT = dict(f32=2**24, f64=2**53, f16=2**11, s32=2**31 - 1, s64=2**63 - 1, u8=0, s8=127, u32=0)


def tame(g, r, x):
    """A tensor of small numbers again."""
    limit = 3
    if x.kind in ("u8", "u32"):
        return g.op("min", [x, g.constant(x.kind, limit)], x.kind, x.shape, limit)
    return g.op("clip", [x, g.constant(x.kind, -limit), g.constant(x.kind, limit)], x.kind, x.shape, limit)


def fits(kind, bound):
    return EXACT[kind] == 0 or bound <= EXACT[kind]


def combine(g, r, x, y):
    """An element-wise operation of two tensors whose shapes broadcast."""
    rank = max(x.rank, y.rank)
    shapes = [(1,) * (rank - t.rank) + t.shape for t in (x, y)]
    shape = [b if a == 1 else a for a, b in zip(*shapes)]
    op = r.choice(["add", "subtract", "multiply", "max", "min", "less", "equal", "select"])
    if op in ("less", "equal"):
        return g.op(op, [x, y], "u8", shape, 1)
    bound = {"multiply": x.bound * y.bound, "add": x.bound + y.bound, "subtract": x.bound + y.bound}.get(op, max(x.bound, y.bound))
    if not fits(x.kind, bound):
        op, bound = "max", max(x.bound, y.bound)
    if op == "select":
        one = x.shape if len(x.shape) == rank and list(x.shape) == shape else y.shape
        if list(one) != shape:
            return g.op("min", [x, y], x.kind, shape, bound)
        predicate = smalls(g, r, "u8", r.choice([tuple(shape), ()]), 1)
        return g.op("select", [predicate, x, y], x.kind, shape, bound)
    return g.op(op, [x, y], x.kind, shape, bound)


def broadcasts(x, y):
    rank = max(x.rank, y.rank)
    shapes = [(1,) * (rank - t.rank) + t.shape for t in (x, y)]
    return x.kind == y.kind and all(a == b or 1 in (a, b) for a, b in zip(*shapes)) and size_of([max(p) if 0 not in p else 0 for p in zip(*shapes)]) <= 20000


def reduce_some(g, r, x):
    if not x.rank:
        return x
    op = r.choice(["sum", "sum", "reduce_max", "reduce_min", "argmax", "all", "any"])
    if not fits(x.kind, x.bound * max(1, x.size)) and op == "sum":
        op = "reduce_max"
    if not x.size and op not in ("sum", "all", "any"):
        return x
    return reduce_op(g, op, x, some_axes(r, op, x.rank), r.random() < 0.6)


def window_some(g, r, x):
    if not 1 <= x.rank <= 3 or not x.size or x.size > 2000:
        return x
    attrs, out = window_of(r, x.shape)
    op = r.choice(["window_sum", "window_max", "window_min"])
    bound = x.bound * size_of(attrs["window_dimensions"]) if op == "window_sum" else 2**40
    if op == "window_sum" and not fits(x.kind, bound) or not x.size:
        return x
    result = g.op(op, [x], x.kind, out, bound, **attrs)
    # Windows of padding only give the neutral element, which is not small.
    return tame(g, r, result)


def contract_some(g, r, x):
    """A dot with a new tensor over one axis."""
    if not x.rank or x.rank > 4:
        return x
    axis = r.randrange(x.rank)
    width = r.choice([1, 2, 3, 5, 16])
    if x.size // max(1, x.shape[axis]) * width > 8000 or not fits(x.kind, x.bound * 2 * x.shape[axis]):
        return x
    y = smalls(g, r, x.kind, r.choice([(x.shape[axis], width), (width, x.shape[axis])]), 2)
    free = [size for a, size in enumerate(x.shape) if a != axis]
    inner = 0 if y.shape[1] == width and y.shape[0] == x.shape[axis] else 1
    return g.op("dot", [x, y], x.kind, [*free, width], x.bound * 2 * x.shape[axis], batch=[[], []], contract=[[axis], [inner]])


def convert(g, r, x):
    kind = r.choice(["f32", "s32", "f64", "s64", "f32"])
    return x if kind == x.kind else g.op("as_type", [x], kind, x.shape, x.bound)


def unary(g, r, x):
    op = r.choice(["negate", "abs", "sign"] if x.kind not in ("u8", "u32") else ["sign"])
    return g.op(op, [x], x.kind, x.shape, 1 if op == "sign" else x.bound)


def step(g, r, pool, movement):
    x = r.choice(pool[-4:])
    if not fits(x.kind, 16 * x.bound):
        return tame(g, r, x)
    what = r.random()
    if what < 0.25:
        others = [y for y in pool if broadcasts(x, y)]
        return combine(g, r, x, r.choice(others or [x]))
    if what < 0.33:
        return combine(g, r, x, smalls(g, r, x.kind, x.shape))
    if what < 0.48:
        return reduce_some(g, r, x)
    if what < 0.52:
        return window_some(g, r, x)
    if what < 0.56:
        return contract_some(g, r, x)
    if what < 0.61:
        return convert(g, r, x)
    if what < 0.66:
        return unary(g, r, x)
    return MOVEMENT[r.choice(movement)](g, r, x)


def chain_of(g, r, x, length, movement=tuple(MOVEMENT)):
    """What that many random operations make of `x`."""
    pool = [x]
    for _ in range(length):
        made = step(g, r, pool, movement)
        if made.size <= 20000:
            pool.append(made)
    return pool[-1]


def chain(length, movement=tuple(MOVEMENT), empty=False):
    def build(g, r):
        kind = r.choice(["f32", "f32", "f32", "s32", "f16", "f64", "u8", "s64"])
        shape = shape_of(r, r.randint(1, 4), low=0, high=3, most=600) if empty else shape_of(r, r.randint(0, 4), most=600)
        pool = [smalls(g, r, kind, shape, 3)]
        for _ in range(length):
            made = step(g, r, pool, movement)
            if made.size <= 20000:
                pool.append(made)
        outputs = [pool[-1]] + [t for t in pool[1:-1] if r.random() < 0.25]
        r.shuffle(outputs)
        for tensor in outputs:
            g.output(tensor)

    return build


case("chain/short")(chain(4))
case("chain/medium")(chain(9))
case("chain/long")(chain(20))
case("chain/shapes")(chain(8, ("reshape", "transpose", "broadcast", "slice", "squeeze")))
case("chain/edges")(chain(7, ("pad", "concatenate", "slice", "dynamic_slice", "put_slice", "reverse")))
case("chain/indexed")(chain(6, ("gather", "scatter", "reshape", "transpose", "slice")))
case("chain/empty")(chain(6, empty=True))


@case("chain/large")
def large(g, r):
    """Over tiles, stripes and rows of several workgroups."""
    kind = r.choice(["f32", "f32", "s32", "f16", "u8"])
    shape = r.choice([(300, 130), (5, 4000), (4000, 5), (7, 70, 65), (64, 64, 8), (20000,), (2, 33, 3, 40), (1, 9000)])
    pool = [smalls(g, r, kind, shape, 3)]
    for _ in range(r.randint(3, 7)):
        made = step(g, r, pool, ("transpose", "reverse", "slice", "reshape", "squeeze", "transpose", "pad"))
        if made.size <= 60000:
            pool.append(made)
    g.output(pool[-1])
    for t in pool[1:-1]:
        if r.random() < 0.25:
            g.output(t)


@case("chain/contractions")
def contractions(g, r):
    """What stands before and after a dot or a convolution."""
    kind = r.choice(["f32", "f32", "f16", "f64", "s32"])
    y = dot(g, r, kind, [1, 2, 3, 8, 17, 32], 1) if kind == "s32" or r.random() < 0.6 else conv(g, r, kind, r.choice([1, 2]))
    pool = [tame(g, r, y) if not fits(kind, 8 * y.bound) else y]
    for _ in range(4):
        pool.append(step(g, r, pool, ("transpose", "reshape", "slice", "broadcast", "pad")))
    g.output(pool[-1])
    if r.random() < 0.5:
        g.output(y)


# Drawn with a new seed each time by `gen.py --cases`.
RANDOM = [
    "chain/short", "chain/medium", "chain/medium", "chain/medium", "chain/long", "chain/shapes", "chain/edges",
    "chain/edges", "chain/indexed", "chain/empty", "chain/contractions", "chain/large", "chain/large",
]  # fmt: skip
