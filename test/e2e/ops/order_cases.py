# order_cases.py - graphs of sorts and running combinations.
# Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Adds to CASES; see cases.py."""

from cases import case, typed
from graph_builder import COMMON, FLOATS, is_integer, size_of
from values import mixed, odd_shape, single_and_empty, small, some_shapes

# ----------------------------------------------------------------------------------------------------------------------
# Sorts
# ----------------------------------------------------------------------------------------------------------------------


def numbers(r, kind, count):
    """Few different numbers or many; special ones among them, each several times."""
    some = mixed(r, kind, min(count, r.choice([5, 40, 4000])))
    values = r.choices(some, k=count) if some else []
    if kind in FLOATS and count > 4:
        for i, v in zip(r.sample(range(count), 4), (0.0, -0.0, float("nan"), 0.0)):
            values[i] = v
    return values


def sorts(g, r, kind, shape, axis, op=None):
    x = g.input(kind, shape, numbers(r, kind, size_of(shape)))
    attrs = dict(axis=axis, direction=r.choice(["asc", "desc"]), stable=r.choice([True, False]))
    for which in [op] if op else r.choice([["sort"], ["argsort"], ["sort", "argsort"]]):
        g.output(g.op(which, [x], kind if which == "sort" else "s32", shape, **attrs))


@typed("order", "sort", "argsort")
def typed_sorts(g, r, op, kind):
    for shape in (*single_and_empty(r, 1), odd_shape(r, r.randint(1, 6)), (2, 257)):
        sorts(g, r, kind, shape, r.randrange(len(shape)), op)


for _kind in COMMON + ["bf16"]:

    @case(f"order/long/{_kind}")
    def long_sort(g, r, kind=_kind):
        sorts(g, r, kind, (5000,), 0)
        sorts(g, r, kind, (3, 2100), 1)
        sorts(g, r, kind, (2, 2500, 2), 1)

    @case(f"order/inlined/{_kind}")
    def inlined_sort(g, r, kind=_kind):
        shape = (6, 33)
        x = g.input(kind, shape, small(r, kind, size_of(shape)))
        y = g.op("reverse", [g.op("transpose", [x], kind, (33, 6), axes=[1, 0])], kind, (33, 6), axes=[0])
        g.output(g.op("sort", [y], kind, (33, 6), axis=0, direction="asc", stable=True))
        g.output(g.op("argsort", [y], "s32", (33, 6), axis=1, direction="desc", stable=True))


for _size in (0, 1, 2, 3, 1000, 1024, 1025, 2048, 2049, 4096, 4097, 6144, 65537):

    @case(f"order/size/{_size}")
    def sized_sort(g, r, size=_size):
        for _ in range(3):
            sorts(g, r, "f32", (size,), 0)
        sorts(g, r, "u8", (2, size), 1)


# ----------------------------------------------------------------------------------------------------------------------
# Running combinations
# ----------------------------------------------------------------------------------------------------------------------

COMBINE = dict(sum="add", product="multiply", min="min", max="max")


def cumulative(g, x, what, axis, reverse):
    """The block and its definition: combines with what stands 1, 2, 4... before."""
    outer, g.nodes = g.nodes, []
    y = g.op("parameter", [], x.kind, x.shape, index=0)
    step = 1
    while step < x.shape[axis]:
        # What comes from outside combines with nothing: the element itself stays.
        config = [[0, 0, 0] for _ in x.shape]
        config[axis] = [-step, step, 0] if reverse else [step, -step, 0]
        zero = g.constant(x.kind, 0)
        moved = g.op("pad", [y, zero], x.kind, x.shape, config=config)
        place = g.op("iota", [], "s32", x.shape, axis=axis)
        bound = g.constant("s32", x.shape[axis] - step if reverse else step)
        stays = g.op("greater_equal" if reverse else "less", [place, bound], "u8", x.shape)
        both = g.op(COMBINE[what], [moved, y], x.kind, x.shape)
        y = g.op("select", [stays, y, both], x.kind, x.shape)
        step *= 2
    default = {"params": [{"type": x.kind, "shape": list(x.shape)}], "nodes": g.nodes, "results": [y.number]}
    g.nodes = outer
    options = {"axis": axis, "reverse": reverse}
    return g.op("block", [x], x.kind, x.shape, name=f"cumulative_{what}", options=options, default=default)


def running(g, r, kind, what, shape, axis):
    count = size_of(shape)
    if what in ("min", "max"):
        values = numbers(r, kind, count)
        if r.random() < 0.5:  # a NaN stays to the end
            values = [0.0 if v != v else v for v in values]
    elif is_integer(kind):
        values = mixed(r, kind, count)
    elif what == "sum":
        values = small(r, kind, count, 1)
    else:
        values = [r.choice([1.0, -1.0]) for _ in range(count)]
        values[:: max(1, count // 5)] = [2.0 for _ in values[:: max(1, count // 5)]]
    # Sums of up to 256 numbers of magnitude 1 are exact in types of more than 8 bits.
    g.output(cumulative(g, g.input(kind, shape, values), what, axis, r.choice([True, False])))


@typed("order", *[f"block cumulative_{what}" for what in COMBINE])
def typed_running(g, r, op, kind):
    what = op.split("_")[1]
    for shape in some_shapes(r, 1):
        running(g, r, kind, what, shape, r.randrange(len(shape)))


for _kind in COMMON + ["bf16"]:
    for _what in COMBINE:

        @case(f"order/running/{_what}/{_kind}")
        def wide_running(g, r, kind=_kind, what=_what):
            running(g, r, kind, what, (250,), 0)
            running(g, r, kind, what, (3, 120, 40), 1)

        @case(f"order/long_running/{_what}/{_kind}")
        def long_running(g, r, kind=_kind, what=_what):
            running(g, r, kind, what, (5000,), 0)
            running(g, r, kind, what, (2, 2500, 3), 1)
            running(g, r, kind, what, (2, 4097), 1)
            running(g, r, kind, what, (2, 4500, 2), 1)
