# values.py - the numbers and shapes that cases are made of.
# Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numbers are small integers wherever the arithmetic allows, so that any order of evaluation gives the same bits and a
wrong index shows.
"""

import math

from graph_builder import BYTE_FLOATS, COMPLEX, LARGEST, NARROW, SMALLEST, UNSIGNED, is_integer, limits, part, size_of


def small(r, kind, count, bound=4):
    """Integral numbers of at most that magnitude; complex ones have two such parts."""
    low, high = (-bound, bound) if kind not in UNSIGNED else (0, bound)
    if kind in COMPLEX:
        return [complex(r.randint(low, high), r.randint(low, high)) for _ in range(count)]
    if kind in NARROW:
        low, high = max(low, limits(kind)[0]), min(high, limits(kind)[1])
    values = r.choices(range(low, high + 1), k=count)
    return values if is_integer(kind) else [float(v) for v in values]


def positive(kind, values):
    """The same without zeros and what is below."""
    one = 1 if is_integer(kind) else 1.0
    return [v if v != 0 and (kind in COMPLEX or v > 0) else one for v in values]


def special_floats(kind):
    infinity = LARGEST[kind] if kind == "f8_e4m3fn" else math.inf
    values = [0.0, 1.0, 0.5, 2.5, 3.0, LARGEST[kind], SMALLEST[kind], infinity, 0.49999, 1.5]
    return values + [-v for v in values] + [math.nan]


def special(kind):
    """What an operation may treat as special: zeros, ties, extremes, infinities and NaN."""
    if kind in NARROW:
        return list(range(limits(kind)[0], limits(kind)[1] + 1))
    if is_integer(kind):
        low, high = limits(kind)
        return sorted({low, high, 0, 1, 2, 7, low + 1, high - 1, high // 2} | ({-1, -2, -7} if low else set()))
    if kind in COMPLEX:
        inf, nan, big = math.inf, math.nan, LARGEST[part(kind)]
        parts = [(0, 0), (1, 0), (0, 1), (-1, 0), (0, -1), (3, 4), (-0.5, 2), (big, 0), (inf, 1), (1, -inf), (nan, 0), (0, nan)]
        return [complex(*p) for p in parts]
    return special_floats(kind)


def mixed(r, kind, count, low=-3.0, high=3.0):
    """Special numbers first, then ordinary ones."""
    values = special(kind)[:count]
    r.shuffle(values)
    while len(values) < count:
        if is_integer(kind):
            values.append(r.randint(*limits(kind)))
        elif kind in COMPLEX:
            values.append(complex(r.uniform(low, high), r.uniform(low, high)))
        else:
            values.append(r.uniform(low, high))
    return values


def smalls(g, r, kind, shape, bound=4):
    return g.input(kind, shape, small(r, kind, size_of(shape), bound), bound)


def mixes(g, r, kind, shape):
    return g.input(kind, shape, mixed(r, kind, size_of(shape)))


def exact(kind):
    """A bound of numbers, the sums and products of a few of which are exact."""
    return 1 if kind in BYTE_FLOATS + NARROW else 4


def shape_of(r, rank=None, low=1, high=7, most=4000):
    rank = r.randint(0, 6) if rank is None else rank
    while True:
        shape = tuple(r.choice([1, 2, 3, 4, 5, 7, 8, 12]) if low else r.randint(0, high) for _ in range(rank))
        if size_of(shape) <= most:
            return shape


def odd_shape(r, rank, most=300):
    """Of sizes that no vector divides."""
    while True:
        shape = tuple(r.choice([1, 3, 5, 7, 13, 31]) for _ in range(rank))
        if size_of(shape) <= most and (1 < size_of(shape) or not rank):
            return shape


def empty_shape(r, rank):
    """Of no element: at least one size is 0."""
    shape = [r.choice([0, 1, 2, 3]) for _ in range(rank)]
    shape[r.randrange(rank)] = 0
    return tuple(shape)


def single_and_empty(r, least=0):
    """A shape of one element and one of none, of a rank of at least `least`."""
    return [(1,) * max(least, r.choice([0, 1, 2])), empty_shape(r, r.randint(max(1, least), 6))]


def some_shapes(r, least=0):
    """Those and two of more elements: of rank up to 3, of rank 4 to 6."""
    return [*single_and_empty(r, least), odd_shape(r, r.randint(max(1, least), 3)), odd_shape(r, r.randint(4, 6))]


def roomy_shape(r, count):
    """Of any rank from 1 on, of odd sizes and of `count` elements or a few more."""
    while True:
        shape = odd_shape(r, r.randint(1, 5), max(2 * count, 13))
        if size_of(shape) >= count:
            return shape


def axes_of(r, rank, least=0):
    return sorted(r.sample(range(rank), r.randint(least, rank)))


def floating(kind):
    """The type of functions of that type."""
    return "f32" if is_integer(kind) else kind


def aggregate(kind):
    """The type of sums of that type."""
    if not is_integer(kind) or kind in ("s64", "u64"):
        return kind
    return "u32" if kind in UNSIGNED else "s32"
