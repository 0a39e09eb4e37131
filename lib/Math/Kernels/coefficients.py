#!/usr/bin/env python3
# Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes Coefficients.inc: the polynomials of the arithmetic expansions.

Each one is the least-squares fit of the relative error on Chebyshev nodes, in
80 digits. The coefficients are rounded to the target type one at a time, from
the constant term up, and the rest is fitted again after each rounding. The relative error of
the rounded polynomial stands beside its name.

Usage: coefficients.py > Coefficients.inc     (needs mpmath)
"""

import struct

from mpmath import mp, mpf

mp.dps = 80


def to_float(value, single):
    value = float(value)
    return struct.unpack("f", struct.pack("f", value))[0] if single else value


def chebyshev(lo, hi, count):
    mid, half = (lo + hi) / 2, (hi - lo) / 2
    return [mid + half * mp.cos(mp.pi * (2 * i + 1) / (2 * count))
            for i in range(count)]


def solve(rows, right):
    """Gaussian elimination with pivoting."""
    n = len(right)
    rows = [row + [value] for row, value in zip(rows, right)]
    for i in range(n):
        pivot = max(range(i, n), key=lambda k: abs(rows[k][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for k in range(i + 1, n):
            factor = rows[k][i] / rows[i][i]
            for j in range(i, n + 1):
                rows[k][j] -= factor * rows[i][j]
    out = [mpf(0)] * n
    for i in range(n - 1, -1, -1):
        known = sum((rows[i][j] * out[j] for j in range(i + 1, n)), mpf(0))
        out[i] = (rows[i][n] - known) / rows[i][i]
    return out


def fit(function, lo, hi, count, single):
    """Least squares of the relative error on Chebyshev nodes.

    A function that crosses zero has its absolute error fitted instead."""
    lo, hi = mpf(lo), mpf(hi)
    xs = chebyshev(lo, hi, 4 * count + 2)
    scale = (lambda y: mpf(1)) if function is erf_ratio else (lambda y: 1 / y)
    exact = [function(x) for x in xs]
    powers = [[x**j * scale(y) for j in range(count)] for x, y in zip(xs, exact)]
    targets = [y * scale(y) for y in exact]
    gram = [[sum(p[i] * p[j] for p in powers) for j in range(count)]
            for i in range(count)]
    moments = [sum(p[i] * y for p, y in zip(powers, targets)) for i in range(count)]
    fixed = []
    for i in range(count):
        right = [moments[k] - sum((gram[k][j] * fixed[j] for j in range(i)), mpf(0))
                 for k in range(i, count)]
        free = solve([gram[k][i:] for k in range(i, count)], right)
        fixed.append(mpf(to_float(free[0], single)))
    worst = mpf(0)
    for x in chebyshev(lo, hi, 256):
        value = sum((c * x**j for j, c in enumerate(fixed)), mpf(0))
        worst = max(worst, abs(value - function(x)) * abs(scale(function(x))))
    return fixed, worst


LN2 = mp.log(2)


def exp_tail(r):
    return (mp.expm1(r) - r) / r**2


def sinh_tail(z):
    r = mp.sqrt(z)
    return (mp.sinh(r) - r) / r**3


def cosh_tail(z):
    r = mp.sqrt(z)
    return (mp.cosh(r) - 1 - z / 2) / z**2


def log_tail(f):
    return (mp.log1p(f) - f + f**2 / 2) / f**3


def atanh_tail(z):
    """log((1+s)/(1-s)) = 2s + s * z * tail(z), z = s^2."""
    s = mp.sqrt(z)
    return 2 * (mp.atanh(s) / s - 1) / z


def atanh_tail2(z):
    """atanh(s)/s = 1 + z/3 + z^2 * tail(z)."""
    s = mp.sqrt(z)
    return (mp.atanh(s) / s - 1 - z / 3) / z**2


def sin_tail(z):
    r = mp.sqrt(z)
    return (mp.sin(r) - r) / r**3


def cos_tail(z):
    r = mp.sqrt(z)
    return (mp.cos(r) - 1 + z / 2) / z**2


def asin_tail(z):
    s = mp.sqrt(z)
    return (mp.asin(s) - s) / s**3


def atan_tail(z):
    t = mp.sqrt(z)
    return (mp.atan(t) - t) / t**3


def tanh_tail(z):
    t = mp.sqrt(z)
    return (mp.tanh(t) - t) / t**3


def asinh_tail(z):
    t = mp.sqrt(z)
    return (mp.asinh(t) - t) / t**3


def erf_ratio(z):
    """erf(x) = x + x * ratio(x^2)."""
    x = mp.sqrt(z)
    return mp.erf(x) / x - 1


def log_erfc(a):
    return mp.log(mp.erfc(a)) / a


def erfcx_moebius(pivot):
    """erfcx(x) * (x + pivot) as a function of t = (x - pivot) / (x + pivot)."""
    def function(t):
        x = pivot * (1 + t) / (1 - t)
        return mp.erfc(x) * mp.exp(x * x) * (x + pivot)
    return function


def t_of(x, pivot):
    return (mpf(x) - pivot) / (mpf(x) + pivot)


def erfinv_from_complement(c):
    """Solves erfc(y) = c by Newton's method."""
    y = mp.sqrt(max(-mp.log(c * mp.sqrt(mp.pi) * mp.sqrt(-mp.log(c) + mpf("0.1"))), mpf("0.01")))
    for _ in range(60):
        step = (mp.erfc(y) - c) * mp.sqrt(mp.pi) / 2 * mp.exp(y * y)
        y += step
        if abs(step) < mpf(10) ** -50:
            break
    return y


def erfinv_central(shift):
    """erf_inv(x) / x as a function of w - shift, w = -log(1 - x^2)."""
    def function(v):
        w = v + shift
        x2 = -mp.expm1(-w)
        if x2 <= 0:
            return mp.sqrt(mp.pi) / 2
        x = mp.sqrt(x2)
        c = mp.exp(-w) / (1 + x)  # 1 - x
        return erfinv_from_complement(c) / x if w > mpf("0.5") else mp.erfinv(x) / x
    return function


def erfinv_tail(shift):
    """The same as a function of sqrt(w) - shift."""
    def function(v):
        w = (v + shift) ** 2
        return erfinv_central(0)(w)
    return function


def cbrt_inverse(m):
    return m ** (-mpf(1) / 3)


R = LN2 / 2 * mpf("1.01")
Q = (mp.pi / 4 * mpf("1.001")) ** 2
LOGLO, LOGHI = mp.sqrt(mpf("0.5")) * mpf("0.9999") - 1, mp.sqrt(2) * mpf("1.0001") - 1
SMAX = (LOGHI / (2 + LOGHI)) ** 2 * mpf("1.001")
ATANMAX = (mp.sqrt(2) - 1) ** 2 * mpf("1.003")

# name, function, low, high, coefficients in f32, coefficients in f64
TABLE = [
    ("Exp", exp_tail, -R, R, 5, 10),
    ("Sinh", sinh_tail, mpf(0), R**2, 3, 6),
    ("Cosh", cosh_tail, mpf(0), R**2, 2, 5),
    ("Log", log_tail, LOGLO, LOGHI, 9, 0),
    ("Atanh", atanh_tail, mpf(0), SMAX, 0, 7),
    ("Pow", atanh_tail2, mpf(0), SMAX, 3, 7),
    ("Sin", sin_tail, mpf(0), Q, 3, 6),
    ("Cos", cos_tail, mpf(0), Q, 3, 6),
    ("Asin", asin_tail, mpf(0), mpf("0.2501"), 5, 13),
    ("Atan", atan_tail, mpf(0), ATANMAX, 5, 12),
    ("Asinh", asinh_tail, mpf(0), mpf("0.25"), 5, 12),
    ("Tanh", tanh_tail, mpf(0), mpf("0.391"), 5, 12),
    ("Erf", erf_ratio, mpf(0), mpf("0.9"), 7, 14),
    ("LogErfc32", log_erfc, mpf("0.875"), mpf(4), 9, 0),
    ("LogErfc64", log_erfc, mpf("0.9375"), mpf(6), 0, 25),
    ("Erfcx32", erfcx_moebius(2), t_of(mpf("0.46875"), 2), t_of(mpf("10.2"), 2), 10, 0),
    ("Erfcx64", erfcx_moebius(4), t_of(mpf("0.46875"), 4), t_of(mpf("27.3"), 4), 0, 21),
    ("Cbrt", cbrt_inverse, mpf(1), mpf(2), 4, 4),
    ("ErfInvA32", erfinv_central(mpf(2)), mpf("-2"), mpf("2"), 10, 0),
    ("ErfInvB32", erfinv_tail(mpf(3)), mpf(-1), mpf("4.1") - 3, 10, 0),
    ("ErfInvA64", erfinv_central(mpf("3.125")), mpf("-3.125"), mpf("3.125"), 0, 25),
    ("ErfInvB64", erfinv_tail(mpf("3.25")), mpf("2.5") - mpf("3.25"), mpf(4) - mpf("3.25"), 0, 20),
    ("ErfInvC64", erfinv_tail(mpf(5)), mpf(-1), mpf("6.1") - 5, 0, 19),
]


def emit(name, coefs, worst, kind):
    bits = mp.log(worst, 2) if worst > 0 else mpf(-99)
    print(f"// {kind}: relative error 2^{float(bits):.1f}")
    body = ",\n    ".join(float(c).hex() for c in coefs)
    print(f"inline constexpr double k{name}[] = {{\n    {body}}};\n")


def main():
    print("// Written by coefficients.py; do not edit.\n")
    for name, function, lo, hi, n32, n64 in TABLE:
        both = n32 and n64
        if n32:
            emit(name + ("32" if both else ""), *fit(function, lo, hi, n32, True), "f32")
        if n64:
            emit(name + ("64" if both else ""), *fit(function, lo, hi, n64, False), "f64")


main()
