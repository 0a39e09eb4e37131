# contraction_cases.py - products, convolutions, triangular systems and transforms.
# Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Adds to CASES; see cases.py."""

import math

from cases import case, typed
from graph_builder import COMMON, EPSILON, FLOATS, is_integer, size_of
from values import exact, floating, mixes, positive, small, smalls

# ----------------------------------------------------------------------------------------------------------------------
# Products
# ----------------------------------------------------------------------------------------------------------------------


def dot(g, r, kind, sizes, bound=3):
    """A contraction of random axes; `sizes` are to choose from."""
    batch = [r.choice([1, 2, 3]) for _ in range(r.choice([0, 0, 1, 2]))]
    inner = [r.choice(sizes) for _ in range(r.choice([0, 1, 1, 1, 2]))]
    while size_of(inner) > 600:
        inner.pop()
    left = [r.choice(sizes) for _ in range(r.choice([0, 1, 1, 2]))]
    right = [r.choice(sizes) for _ in range(r.choice([0, 1, 1, 2]))]
    while size_of(batch + inner + left + right) > 300000:
        (left if len(left) >= len(right) else right).pop()

    def side(free):
        """The order of the axes behind the batch, and where each contracted one stands."""
        axes = [("c", i) for i in range(len(inner))] + [("f", i) for i in range(len(free))]
        r.shuffle(axes)
        frees = iter(free)
        shape = batch + [inner[i] if what == "c" else next(frees) for what, i in axes]
        return shape, [len(batch) + axes.index(("c", i)) for i in range(len(inner))], [shape[len(batch) + k] for k, a in enumerate(axes) if a[0] == "f"]

    (ls, lc, lf), (rs, rc, rf) = side(left), side(right)
    x, y = smalls(g, r, kind, ls, bound), smalls(g, r, kind, rs, bound)
    lead = list(range(len(batch)))
    return g.op("dot", [x, y], kind, batch + lf + rf, x.bound * y.bound * size_of(inner), batch=[lead, lead], contract=[lc, rc])


def with_infinities(g, r, kind, shape):
    """Rows of positive numbers, the first ones with an infinity, a NaN, and infinities of both signs."""
    count, columns = size_of(shape), shape[-1]
    values = positive(kind, small(r, kind, count, 1))
    infinity = math.nan if kind == "f8_e4m3fn" else math.inf
    for row, special_values in enumerate(([infinity], [math.nan], [infinity, -infinity])):
        for place, value in zip(r.sample(range(columns), len(special_values)), special_values):
            values[row * columns + place] = value
    return g.input(kind, shape, values)


def product(g, x, y):
    g.output(g.op("dot", [x, y], x.kind, (x.shape[0], y.shape[1]), batch=[[], []], contract=[[1], [0]]))


@typed("dot", "dot")
def typed_dot(g, r, op, kind):
    for sizes in ([1], [1, 2, 3, 5, 7], [1, 3, 17], [1, 16, 17, 33]):
        g.output(dot(g, r, kind, sizes, min(2, exact(kind))))
    for m, k, n in ((3, 0, 5), (0, 3, 5)):
        product(g, g.input(kind, (m, k), []), smalls(g, r, kind, (k, n)))
    if is_integer(kind):
        product(g, mixes(g, r, kind, (5, 13)), mixes(g, r, kind, (13, 3)))
    elif kind in FLOATS:
        ones = g.input(kind, (7, 3), positive(kind, small(r, kind, 21, 1)))
        product(g, with_infinities(g, r, kind, (5, 7)), ones)


for _kind in COMMON:

    @case(f"dot/large/{_kind}")
    def large_dot(g, r, kind=_kind):
        for _ in range(3):
            g.output(dot(g, r, kind, [1, 16, 17, 32, 33, 64, 65], 2))


@case("dot/shapes")
def dot_shapes(g, r):
    for m, n, k in ((1, 1, 1), (1, 1, 1000), (1, 300, 70), (300, 1, 70), (64, 64, 64), (65, 63, 17), (128, 96, 31), (5, 5, 0), (0, 3, 4)):
        for transposed in (0, 1, 2, 3):
            ls, lc = ((m, k), 1) if transposed & 1 == 0 else ((k, m), 0)
            rs, rc = ((k, n), 0) if transposed & 2 == 0 else ((n, k), 1)
            x, y = smalls(g, r, "f32", ls, 2), smalls(g, r, "f32", rs, 2)
            g.output(g.op("dot", [x, y], "f32", (m, n), batch=[[], []], contract=[[lc], [rc]]))


def conv(g, r, kind, rank, most=20000):
    groups, batch_groups = r.choice([(1, 1), (1, 1), (2, 1), (3, 1), (1, 2)])
    n = batch_groups * r.choice([1, 2, 3])
    c = groups * r.choice([1, 2, 3, 4])
    o = groups * batch_groups * r.choice([1, 2, 3, 4])
    spatial, kernel, strides, padding, id_, kd, out = [], [], [], [], [], [], []
    for _ in range(rank):
        size, dim = r.choice([3, 4, 5, 7, 9]), r.choice([1, 2, 3])
        inside, dilation = r.choice([1, 1, 1, 2]), r.choice([1, 1, 1, 2])
        low, high = r.choice([(0, 0), (1, 1), (2, 0), (0, 3), (-1, 1)])
        dilated = (size - 1) * inside + 1
        while (dim - 1) * dilation + 1 > dilated + low + high:
            dim -= 1
        stride = r.choice([1, 1, 2, 3])
        spatial.append(size)
        kernel.append(dim)
        strides.append(stride)
        padding.append([low, high])
        id_.append(inside)
        kd.append(dilation)
        out.append((dilated + low + high - (dim - 1) * dilation - 1) // stride + 1)

    def permuted(shape):
        """A tensor's shape whose transposition by the permutation has `shape`."""
        axes = r.choice([list(range(len(shape))), r.sample(range(len(shape)), len(shape))])
        stored = [0] * len(shape)
        for i, a in enumerate(axes):
            stored[a] = shape[i]
        return stored, axes

    xs, xp = permuted([n, c, *spatial])
    ks, kp = permuted([o, c // groups, *kernel])
    ys, yp = permuted([n // batch_groups, o, *out])
    bound = min(2, exact(kind))
    x, k = smalls(g, r, kind, xs, bound), smalls(g, r, kind, ks, bound)
    return g.op(
        "conv", [x, k], floating(kind), ys, 4 * c * size_of(kernel), strides=strides, padding=padding, input_dilation=id_,
        kernel_dilation=kd, feature_group_size=groups, batch_group_size=batch_groups, input_permutation=xp,
        kernel_permutation=kp, output_permutation=yp,
    )  # fmt: skip


def filtered(g, x, k):
    """A convolution of one axis, without strides or padding."""
    shape = (x.shape[0], k.shape[0], x.shape[2] - k.shape[2] + 1)
    unit = dict(strides=[1], padding=[[0, 0]], input_dilation=[1], kernel_dilation=[1], feature_group_size=1, batch_group_size=1)
    order = [0, 1, 2]
    g.output(g.op("conv", [x, k], floating(x.kind), shape, **unit, input_permutation=order, kernel_permutation=order, output_permutation=order))


@typed("conv", "conv")
def typed_conv(g, r, op, kind):
    for rank in (1, 2, 3):
        g.output(conv(g, r, kind, rank))
    filtered(g, g.input(kind, (0, 2, 5), []), smalls(g, r, kind, (3, 2, 3), 1))
    filtered(g, smalls(g, r, kind, (1, 1, 1), 1), smalls(g, r, kind, (1, 1, 1), 1))
    if kind in FLOATS:
        ones = g.input(kind, (2, 1, 3), positive(kind, small(r, kind, 6, 1)))
        filtered(g, with_infinities(g, r, kind, (3, 1, 13)), ones)


# ----------------------------------------------------------------------------------------------------------------------
# Triangular systems and transforms
# ----------------------------------------------------------------------------------------------------------------------


def triangle(g, r, kind, shape):
    """Matrices of small numbers with a diagonal that keeps the solutions small."""
    n = shape[-1]
    values = small(r, kind, size_of(shape), 1)
    for i, value in enumerate(values):
        if i // n % n == i % n:
            values[i] = type(value)(1)
    return g.input(kind, shape, values, 1)


@typed("solve", "triangular_solve")
def solve(g, r, op, kind):
    out = floating(kind)
    for n, columns, batch in ((1, 1, ()), (3, None, ()), (5, 2, (2,)), (4, 3, (1, 3)), (2, 0, ())):
        left = columns is None or r.random() < 0.6
        a = triangle(g, r, kind, (*batch, n, n))
        b = smalls(g, r, kind, (*batch, *([n] if columns is None else [n, columns] if left else [columns, n])), 2)
        attrs = dict(lower=r.random() < 0.5, left_side=left, transform_a=r.choice(["none", "transpose", "conjugate"]))
        g.output(g.op(op, [a, b], out, b.shape, **attrs), 16 * EPSILON[out], 1.0)


@typed("transform", "fft", "ifft")
def transform(g, r, op, kind):
    out = "c128" if kind in ("f64", "c128") else "c64"
    for shape, length in (((1,), 1), ((31,), 31), ((2, 1, 3, 5), 8), ((0, 3), 3)):
        axis = r.randrange(len(shape)) if len(shape) > 2 else len(shape) - 1
        x = smalls(g, r, kind, shape, exact(kind))
        result = [length if a == axis else size for a, size in enumerate(shape)]
        g.output(g.op(op, [x], out, result, length=length, axis=axis, eps=1e-10), 64 * EPSILON[out], 1.0)
