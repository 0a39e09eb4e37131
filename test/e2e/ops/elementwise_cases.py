# elementwise_cases.py - functions, arithmetic, comparisons and conversions.
# Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Adds to CASES; see cases.py."""

import cmath
import math

from cases import TYPED, case, typed
from graph_builder import (
    BYTE_FLOATS,
    BYTE_VALUES,
    COMMON,
    COMPLEX,
    EPSILON,
    FLOATS,
    KINDS,
    SIGNED,
    UNSIGNED,
    bits,
    is_integer,
    limits,
    part,
    size_of,
)
from values import (
    floating,
    mixed,
    odd_shape,
    positive,
    roomy_shape,
    shape_of,
    single_and_empty,
    small,
    smalls,
    some_shapes,
    special,
)

# ----------------------------------------------------------------------------------------------------------------------
# One operand
# ----------------------------------------------------------------------------------------------------------------------

# The interval that the arguments come from, beside the special ones.
FUNCTIONS = dict(
    exp=(-8, 8), expm1=(-8, 8), log=(0, 9), log1p=(-1, 9), sigmoid=(-9, 9), sin=(-30, 30), cos=(-30, 30), tan=(-9, 9),
    sinh=(-8, 8), cosh=(-8, 8), tanh=(-5, 5), asin=(-1, 1), acos=(-1, 1), atan=(-9, 9), asinh=(-9, 9), acosh=(1, 9),
    atanh=(-1, 1), sqrt=(0, 9), rsqrt=(0, 9), cbrt=(-9, 9), erf=(-4, 4), erfc=(-4, 4), erf_inv=(-1, 1),
)  # fmt: skip


def function_tolerance(kind):
    """Complex functions are formulas of real ones, which may cancel."""
    return (64 if kind in COMPLEX else 16 if kind in ("f32", "f64") else 2) * EPSILON[kind]


def arguments(r, op, kind, count):
    low, high = FUNCTIONS[op]
    if is_integer(kind):
        return mixed(r, kind, count)
    if kind in COMPLEX:
        return [cmath.rect(r.uniform(0.2, 2.0), r.uniform(-3, 3)) for _ in range(count)]
    return [r.uniform(low, high) for _ in range(count)]


@typed("unary", *FUNCTIONS)
def functions(g, r, op, kind):
    out = floating(kind)
    # The special values of complex functions are a choice of the implementation.
    values = [] if kind in COMPLEX else special(kind)
    for shape in [roomy_shape(r, len(values) + 20), *single_and_empty(r)]:
        numbers = (values + arguments(r, op, kind, size_of(shape)))[: size_of(shape)]
        r.shuffle(numbers)
        x = g.input(kind, shape, numbers)
        g.output(g.op(op, [x], out, shape), function_tolerance(out), 2.0**-20 if op in ("sin", "cos", "tan") else 0)


def unary_result(op, kind):
    if op in ("is_nan", "is_infinity"):
        return "u8"
    if op == "conjugate":
        return kind if kind in COMPLEX else "c64"
    return part(kind) if op in ("abs", "real", "imag") else kind


@typed("unary", "negate", "sign", "abs", "floor", "ceil", "round", "is_nan", "is_infinity", "real", "imag", "conjugate")
@typed("unary", "bitwise_not", "population_count", "count_leading_zeros")
def plain(g, r, op, kind):
    rounds = kind in COMPLEX and op in ("abs", "sign")
    for shape in [roomy_shape(r, len(special(kind)) + 8), *single_and_empty(r)]:
        values = small(r, kind, size_of(shape)) if rounds else mixed(r, kind, size_of(shape))
        x = g.input(kind, shape, values)
        out = unary_result(op, kind)
        g.output(g.op(op, [x], out, shape), 4 * EPSILON[out] if rounds else 0)


# ----------------------------------------------------------------------------------------------------------------------
# Two operands
# ----------------------------------------------------------------------------------------------------------------------

COMPARE = ["equal", "not_equal", "less", "less_equal", "greater", "greater_equal"]
LOGICAL = ["logical_and", "logical_or", "logical_xor"]
# In units in the last place.
ERROR = dict(divide=4, pow=32, atan2=16)


def broadcast_pair(r, most=300):
    """Two shapes, and the one that they broadcast to."""
    shape = shape_of(r, r.randint(0, 6), most=most)

    def part():
        kept = [size if r.random() < 0.7 else 1 for size in shape]
        drop = 0
        while drop < len(kept) and kept[drop] == 1 and r.random() < 0.5:
            drop += 1
        return tuple(kept[drop:])

    return (shape, part(), shape) if r.random() < 0.5 else (part(), shape, shape)


def special_pairs(g, kind):
    """Each special number with each: a column and a row."""
    values = special(kind)
    return g.input(kind, (len(values), 1), values), g.input(kind, (len(values),), values), (len(values), len(values))


def binary_result(op, kind):
    return "u8" if op in COMPARE + LOGICAL else floating(kind) if op in ("divide", "atan2") else kind


def left_operands(r, op, kind, count):
    values = small(r, kind, count, 5)
    return positive(kind, values) if op == "pow" and kind in COMPLEX else values


def right_operands(r, op, kind, count):
    """Not 0; complex numbers far from the branch cut of atan2."""
    values = positive(kind, small(r, kind, count, 5))
    return [v + 8 for v in values] if op == "atan2" and kind in COMPLEX else values


@typed("binary", "add", "subtract", "multiply", "divide", "quotient", "remainder", "pow", "max", "min", "atan2")
@typed("binary", "bitwise_and", "bitwise_or", "bitwise_xor", *COMPARE, *LOGICAL)
def binary(g, r, op, kind):
    out = binary_result(op, kind)
    tolerance = 64 * EPSILON[out] if out in COMPLEX else ERROR.get(op, 0) * EPSILON.get(out, 0)
    determined = kind not in COMPLEX or op in ("add", "subtract") + tuple(COMPARE + LOGICAL)
    if determined:
        x, y, shape = special_pairs(g, kind)
        g.output(g.op(op, [x, y], out, shape), tolerance)
    for left, right, shape in [broadcast_pair(r)] + [(s, s, s) for s in single_and_empty(r)]:
        x = g.input(kind, left, left_operands(r, op, kind, size_of(left)))
        y = g.input(kind, right, right_operands(r, op, kind, size_of(right)))
        g.output(g.op(op, [x, y], out, shape), tolerance)


@typed("binary", "left_shift", "right_shift")
def shift(g, r, op, kind):
    values = special(kind) if is_integer(kind) else [1.0]
    amounts = [0, 1, 3, bits(kind) - 1, bits(kind), bits(kind) + 1, 100]
    amounts = [n for n in amounts if n <= limits(kind)[1]] if is_integer(kind) else [1.0]
    x = g.input(kind, (len(values), 1), values)
    y = g.input(kind, (len(amounts),), amounts)
    g.output(g.op(op, [x, y], kind, (len(values), len(amounts))))
    for shape in [odd_shape(r, r.randint(3, 6)), *single_and_empty(r)]:
        x = g.input(kind, shape, mixed(r, kind, size_of(shape)))
        y = g.input(kind, shape, [abs(v) for v in small(r, kind, size_of(shape), 1)])
        g.output(g.op(op, [x, y], kind, shape))


def merged(a, b):
    """The common type of two real ones."""
    if a in FLOATS or b in FLOATS:
        floats = [k for k in (a, b) if k in FLOATS]
        return max(floats, key=bits)
    if (a in SIGNED) == (b in SIGNED):
        return max(a, b, key=bits)
    signed, unsigned = (a, b) if a in SIGNED else (b, a)
    return f"s{max(bits(signed), min(2 * bits(unsigned), 64))}"


@case("binary/mixed")
def mixed_types(g, r):
    for _ in range(6):
        a, b = r.choice(COMMON), r.choice(COMMON)
        left, right, shape = broadcast_pair(r, 60)
        x, y = smalls(g, r, a, left), smalls(g, r, b, right)
        kind = merged(a, b)
        g.output(g.op("add", [x, y], kind, shape))
        g.output(g.op("less", [x, y], "u8", shape))


# ----------------------------------------------------------------------------------------------------------------------
# Choices
# ----------------------------------------------------------------------------------------------------------------------


@typed("choice", "select")
def select(g, r, op, kind):
    for shape in [(31,), *some_shapes(r)]:
        pick = r.choice(KINDS)
        predicate = smalls(g, r, pick, shape if r.random() < 0.7 else (), 1)
        x, y = g.input(kind, shape, mixed(r, kind, size_of(shape))), smalls(g, r, kind, r.choice([shape, ()]))
        g.output(g.op(op, [predicate, x, y], kind, shape))


@typed("choice", "clip")
def clip(g, r, op, kind):
    low, high = g.constant(kind, 0 if kind in UNSIGNED else -1), g.constant(kind, 1)
    for shape in [(31,), *some_shapes(r)]:
        x = g.input(kind, shape, mixed(r, kind, size_of(shape)))
        g.output(g.op(op, [x, low, high], kind, shape))


# ----------------------------------------------------------------------------------------------------------------------
# Conversions
# ----------------------------------------------------------------------------------------------------------------------


def around(kind):
    """The numbers of a narrow type and the ties between them."""
    if kind in BYTE_FLOATS:
        numbers = sorted({v for v in BYTE_VALUES[kind] if math.isfinite(v) and abs(v) < 30000})
        return [v for a, b in zip(numbers, numbers[1:]) for v in (a, (a + b) / 2)]
    if kind == "bf16":
        return [sign * (1 + i / 256) * 2.0**e for sign in (1, -1) for i in range(0, 9) for e in (-3, 0, 5)]
    return []


def conversion(source, target):
    def build(g, r):
        values = mixed(r, source, 40)
        if not is_integer(source) and source not in COMPLEX:
            values += [v for v in (1e9, -1e9, 127.5, -128.5, 255.7, 65504.0) if abs(v) < 400 or source in ("f32", "f64", "bf16")]
        if source in ("f16", "f32", "f64"):
            values += around(target)
        x = g.input(source, (len(values),), values)
        g.output(g.op("as_type", [x], target, x.shape))
        x = g.input(source, (), mixed(r, source, 1))
        g.output(g.op("as_type", [x], target, ()))

    return build


for _source in KINDS:
    for _target in KINDS:
        if _source != _target:
            case(f"convert/{_source}/{_target}")(conversion(_source, _target))
            TYPED[f"convert/{_source}/{_target}"] = (f"as_type {_target}", _source)


def as_wide(kind):
    """The other types of the same width."""
    return [k for k in KINDS if bits(k) == bits(kind) and k != kind and k not in COMPLEX]


@typed("convert", "bitcast")
def bitcast(g, r, op, kind):
    for target in as_wide(kind):
        values = [v for v in mixed(r, kind, 30) if v == v]
        x = g.input(kind, (len(values),), values)
        g.output(g.op(op, [x], target, x.shape))
    for shape in some_shapes(r):
        target = r.choice(as_wide(kind) or [kind])
        values = [v if v == v else 1.0 for v in mixed(r, kind, size_of(shape))]
        g.output(g.op(op, [g.input(kind, shape, values)], target, shape))
