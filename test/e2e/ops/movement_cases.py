# movement_cases.py - creation and movement of elements.
# Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Adds to CASES; see cases.py. MOVEMENT maps a name to a function of (graph, random source, tensor)."""

from cases import case, typed
from graph_builder import INTEGERS, is_integer, limits, size_of
from values import axes_of, empty_shape, exact, mixed, mixes, odd_shape, shape_of, small, smalls, some_shapes, special

# ----------------------------------------------------------------------------------------------------------------------
# Creation
# ----------------------------------------------------------------------------------------------------------------------


@typed("create", "constant", "tensor", "iota", "eye")
def creation(g, r, op, kind):
    for shape in [*some_shapes(r, 2 if op == "eye" else 0), odd_shape(r, 1 if op != "eye" else 2)]:
        if op == "constant":
            g.output(g.constant(kind, r.choice(special(kind)), shape))
        elif op == "tensor":
            g.output(g.literal(kind, shape, mixed(r, kind, size_of(shape))))
        elif op == "eye":
            g.output(g.op(op, [], kind, shape))
        else:
            axis = r.choice([None, *range(len(shape))])
            g.output(g.op(op, [], kind, shape, axis=axis))


# ----------------------------------------------------------------------------------------------------------------------
# Movement
# ----------------------------------------------------------------------------------------------------------------------


def factorized(r, size, rank):
    """A shape of that many elements."""
    shape = [1] * rank
    while size > 1 and rank:
        p = next(p for p in range(2, size + 1) if size % p == 0)
        shape[r.randrange(rank)] *= p
        size //= p
    return tuple(shape)


def do_reshape(g, r, x):
    rank = r.randint(0 if x.size == 1 else 1, 6)
    shape = factorized(r, x.size, rank) if x.size else x.shape
    return g.op("reshape", [x], x.kind, shape, x.bound)


def do_squeeze(g, r, x):
    ones = [a for a, size in enumerate(x.shape) if size == 1]
    axes = sorted(r.sample(ones, r.randint(0, len(ones))))
    shape = [size for a, size in enumerate(x.shape) if a not in axes]
    return g.op("squeeze", [x], x.kind, shape, x.bound, axes=axes)


def do_broadcast(g, r, x, most=6000):
    room = 6 - x.rank
    added = r.randint(0, min(room, 2))
    rank = x.rank + added
    axes = sorted(r.sample(range(rank), x.rank))
    shape = []
    for a in range(rank):
        size = x.shape[axes.index(a)] if a in axes else 1
        if size == 1 and r.random() < 0.8:
            size = r.choice([1, 2, 3, 4, 5, 8])
        shape.append(size)
    if size_of(shape) > most:
        return x
    return g.op("broadcast", [x], x.kind, shape, x.bound, shape=shape, axes=axes)


def do_transpose(g, r, x):
    axes = r.sample(range(x.rank), x.rank)
    return g.op("transpose", [x], x.kind, [x.shape[a] for a in axes], x.bound, axes=axes)


def do_reverse(g, r, x):
    return g.op("reverse", [x], x.kind, x.shape, x.bound, axes=axes_of(r, x.rank))


def do_pad(g, r, x, most=6000):
    config, shape = [], []
    for size in x.shape:
        inside = r.choice([0, 0, 0, 1, 2])
        dilated = max(0, size + (size - 1) * inside) if size else 0
        low = r.choice([0, 0, 1, 2, 3, -1])
        high = r.choice([0, 0, 1, 2, 3, -1])
        if dilated + low + high < 0:
            low = high = 0
        config.append([low, high, inside])
        shape.append(dilated + low + high)
    if size_of(shape) > most:
        return x
    value = g.constant(x.kind, held(x.kind, r.randint(0, 3)) if is_integer(x.kind) else float(r.randint(0, 3)))
    return g.op("pad", [x, value], x.kind, shape, max(x.bound, 3), config=config)


def do_slice(g, r, x):
    starts, lengths, strides, shape = [], [], [], []
    for size in x.shape:
        length = r.randint(min(size, 1), size)
        starts.append(r.randint(0, size - length))
        lengths.append(length)
        strides.append(r.choice([1, 1, 1, 2, 3]))
        shape.append(-(-length // strides[-1]))
    return g.op("slice", [x], x.kind, shape, x.bound, starts=starts, lengths=lengths, strides=strides)


def held(kind, value):
    """The nearest number of an integer type."""
    return min(max(value, limits(kind)[0]), limits(kind)[1])


def some_starts(g, r, rank):
    """Starts given at run time, in and out of bounds."""
    return [g.input(kind, (), [held(kind, r.choice([-3, 0, 1, 2, 9, limits(kind)[1]]))]) for kind in r.choices(INTEGERS, k=rank)]


def do_dynamic_slice(g, r, x):
    lengths = [r.randint(min(size, 1), size) for size in x.shape]
    strides = [r.choice([1, 1, 2]) for _ in x.shape]
    shape = [-(-n // s) for n, s in zip(lengths, strides)]
    fixed = [r.random() < 0.3 for _ in x.shape]
    if all(fixed):
        return do_slice(g, r, x)
    operands = iter(some_starts(g, r, fixed.count(False)))
    starts = [r.randint(0, size) if f else None for f, size in zip(fixed, x.shape)]
    return g.op("slice", [x, *operands], x.kind, shape, x.bound, starts=starts, lengths=lengths, strides=strides)


def do_put_slice(g, r, x):
    shape = tuple(r.randint(min(size, 1), size) for size in x.shape)
    update = smalls(g, r, x.kind, shape)
    bound = max(x.bound, update.bound)
    return g.op("put_slice", [x, update, *some_starts(g, r, x.rank)], x.kind, x.shape, bound)


def do_concatenate(g, r, x):
    if not x.rank:
        return g.op("stack", [x, x], x.kind, (2,), x.bound, axis=0)
    axis = r.randrange(x.rank)
    parts = [x]
    for _ in range(r.choice([0, 1, 1, 2, 4])):
        shape = list(x.shape)
        shape[axis] = r.choice([0, 1, 1, 2, 3, 4])
        parts.append(r.choice([x, smalls(g, r, x.kind, shape)]))
    r.shuffle(parts)
    shape = list(x.shape)
    shape[axis] = sum(p.shape[axis] for p in parts)
    return g.op("concatenate", parts, x.kind, shape, max(p.bound for p in parts), axis=axis)


def do_stack(g, r, x):
    if x.rank > 5:
        return x
    axis = r.randint(0, x.rank)
    parts = [r.choice([x, smalls(g, r, x.kind, x.shape)]) for _ in range(r.randint(1, 4))]
    shape = list(x.shape)
    shape.insert(axis, len(parts))
    return g.op("stack", parts, x.kind, shape, max(p.bound for p in parts), axis=axis)


def some_indices(g, r, count, sizes):
    """`count` rows of indices into axes of these sizes: duplicates, a few out of bounds."""
    kind = r.choice(["s32", "s64", *INTEGERS])
    outside = [-2, limits(kind)[0], limits(kind)[1]]
    values = [r.randint(0, max(size - 1, 0)) if r.random() < 0.85 else r.choice([size, size + 3, *outside]) for _ in range(count) for size in sizes]
    return kind, [held(kind, v) for v in values]


def do_gather(g, r, x):
    axes = axes_of(r, x.rank, 1) if x.rank else []
    if not axes:
        return x
    # Nothing can be read from a tensor of no elements.
    lead = shape_of(r, r.randint(0, 2), most=12) if x.size else (0,)
    kind, values = some_indices(g, r, size_of(lead), [x.shape[a] for a in axes])
    indices = g.input(kind, (*lead, len(axes)), values)
    rest = [size for a, size in enumerate(x.shape) if a not in axes]
    if size_of([*lead, *rest]) > 6000:
        return x
    return g.op("gather", [x, indices], x.kind, [*lead, *rest], x.bound, axes=axes)


def do_scatter(g, r, x, op=None):
    axes = axes_of(r, x.rank, 1) if x.rank else []
    if not axes:
        return x
    count = r.choice([0, 1, 3, 8, 17])
    kind, values = some_indices(g, r, count, [x.shape[a] for a in axes])
    indices = g.input(kind, (count, len(axes)), values)
    rest = [size if r.random() < 0.7 else r.randint(min(1, size), size) for a, size in enumerate(x.shape) if a not in axes]
    updates = smalls(g, r, x.kind, (count, *rest), exact(x.kind))
    op = op or r.choice(["indexed_add", "indexed_put"])
    return g.op(op, [x, indices, updates], x.kind, x.shape, x.bound + count * updates.bound, axes=axes)


MOVEMENT = dict(
    reshape=do_reshape, squeeze=do_squeeze, broadcast=do_broadcast, transpose=do_transpose, reverse=do_reverse,
    pad=do_pad, slice=do_slice, dynamic_slice=do_dynamic_slice, put_slice=do_put_slice, concatenate=do_concatenate,
    stack=do_stack, gather=do_gather, scatter=do_scatter,
)  # fmt: skip


def move(g, r, op, x):
    if op == "slice":
        return r.choice([do_slice, do_dynamic_slice])(g, r, x)
    if op in ("indexed_add", "indexed_put"):
        return do_scatter(g, r, x, op)
    return MOVEMENT[op](g, r, x)


@typed("move", "reshape", "squeeze", "broadcast", "transpose", "reverse", "pad", "slice", "put_slice", "concatenate")
@typed("move", "stack", "gather", "indexed_add", "indexed_put")
def movement(g, r, op, kind):
    least = 1 if op in ("concatenate", "gather", "indexed_add", "indexed_put") else 0
    for shape in [*some_shapes(r, least), odd_shape(r, r.choice([1, 2, 3]))]:
        rounds = op == "indexed_add" and not is_integer(kind)
        x = smalls(g, r, kind, shape, exact(kind)) if rounds else mixes(g, r, kind, shape)
        g.output(move(g, r, op, x))


@case("move/empty")
def empty(g, r):
    for name in MOVEMENT:
        for rank in (1, 2, 4):
            shape = empty_shape(r, rank)
            g.output(MOVEMENT[name](g, r, g.input("f32", shape, [])))


# Large enough for tiles of a transposition.
for _kind in ["f32", "u8", "f16", "f64"]:

    @case(f"move/tiles/{_kind}")
    def transposition(g, r, kind=_kind):
        for shape, axes in (((70, 67), (1, 0)), ((3, 65, 33), (2, 0, 1)), ((33, 5, 64), (2, 1, 0)), ((2, 3, 40, 41), (1, 3, 0, 2)), ((64, 128), (1, 0))):
            x = smalls(g, r, kind, shape, 9)
            t = g.op("transpose", [x], kind, [shape[a] for a in axes], 9, axes=list(axes))
            y = smalls(g, r, kind, t.shape, 9)
            g.output(t)
            g.output(g.op("add", [t, y], kind, t.shape))
