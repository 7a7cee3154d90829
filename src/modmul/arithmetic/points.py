"""Points of elliptic curves in affine coordinates, by the formulas of textbooks, on GMP.

For the oracle: nothing is shared with the programs of processors, which are projective.  None is
the neutral element: the point at infinity, or (0, 1) on Edwards curves.  Equations are those of
`curves.EQUATIONS`; b is not always 1 here in Montgomery's form.  Those over GF(2^m) are in
`binary_points`."""

from __future__ import annotations

import dataclasses
from typing import NamedTuple

import gmpy2

from modmul.arithmetic import binary_points
from modmul.arithmetic.curves import Curve


class Affine(NamedTuple):
    """A point in affine coordinates, two field elements."""

    x: int
    y: int


Point = Affine | None


def is_on(curve: Curve, x: int, y: int) -> bool:
    if curve.form == "binary":
        return binary_points.is_on(curve, x, y)
    if curve.form == "weierstrass":
        return (y * y - x**3 - curve.a * x - curve.b) % curve.prime == 0
    if curve.form == "edwards":
        return (curve.a * x * x + y * y - 1 - curve.d * x * x * y * y) % curve.prime == 0
    return (curve.b * y * y - x**3 - curve.a * x * x - x) % curve.prime == 0


def negative(curve: Curve, point: Point) -> Point:
    if point is None:
        return None
    if curve.form == "edwards":
        return Affine(-point.x % curve.prime, point.y)
    if curve.form == "binary":
        return Affine(point.x, point.x ^ point.y)
    return Affine(point.x, -point.y % curve.prime)


def add(curve: Curve, first: Point, second: Point) -> Point:
    """P + Q: the third point on the line through both, or on the tangent, mirrored."""
    if first is None or second is None:
        return first or second
    if curve.form == "binary":
        third = binary_points.add(curve, first, second)
        return None if third is None else Affine(*third)
    if curve.form == "edwards":
        return _added(curve, first, second)
    p, montgomery = curve.prime, curve.form == "montgomery"
    scale, shift = (curve.b, curve.a) if montgomery else (1, 0)
    if first.x != second.x:
        slope = (second.y - first.y) * gmpy2.invert(second.x - first.x, p) % p
    elif (first.y + second.y) % p == 0:
        return None
    else:
        rise = 3 * first.x * first.x + (2 * curve.a * first.x + 1 if montgomery else curve.a)
        slope = rise * gmpy2.invert(2 * scale * first.y, p) % p
    x = (scale * slope * slope - shift - first.x - second.x) % p
    return Affine(int(x), int((slope * (first.x - x) - first.y) % p))


def _added(curve: Curve, first: Affine, second: Affine) -> Point:
    """The sum on an Edwards curve, by one formula for all points (RFC 8032, 5.1.4,
    5.2.4)."""
    p = curve.prime
    both = curve.d * first.x * second.x * first.y * second.y % p
    x = (first.x * second.y + first.y * second.x) * gmpy2.invert(1 + both, p) % p
    y = (first.y * second.y - curve.a * first.x * second.x) * gmpy2.invert(1 - both, p) % p
    return None if (x, y) == (0, 1) else Affine(int(x), int(y))


def multiply(curve: Curve, scalar: int, point: Point) -> Point:
    """k*P for any integer k."""
    if scalar < 0:
        return multiply(curve, -scalar, negative(curve, point))
    if curve.form == "binary":
        product = binary_points.multiply(curve, scalar, point)
        return None if product is None else Affine(*product)
    multiple: Point = None
    for bit in format(scalar, "b"):
        multiple = add(curve, multiple, multiple)
        if bit == "1":
            multiple = add(curve, multiple, point)
    return multiple


def in_group(curve: Curve, point: Affine) -> bool:
    """Whether a point of a curve is a multiple of the base point."""
    if curve.cofactor == 1:
        return True
    halved = curve.cofactor in (2, 4) and curve.prime.bit_length() % 2 == 0 and point.x
    if curve.form == "binary" and halved:
        return binary_points.in_group(curve, *point)
    return multiply(curve, curve.order, point) is None


def multiply_x(curve: Curve, scalar: int, x: int) -> int:
    """The x of k*P, where P has this x on a curve in Montgomery's form or on its twist; 0
    for the point at infinity.  x: any number, taken modulo the prime.

    P is (x, 1) on b*y^2 = x^3 + a*x^2 + x with the b for which this holds.  Curve and twist have
    the same multiples of x, so no square root is needed.  If b is 0, P is its own negative."""
    p = curve.prime
    x %= p
    b = (x**3 + curve.a * x * x + x) % p
    if b == 0:
        return x if scalar % 2 else 0
    multiple = multiply(dataclasses.replace(curve, b=b), scalar, Affine(x, 1))
    return 0 if multiple is None else multiple.x


def with_x(curve: Curve, x: int) -> Point:
    """A point with this x; None if there is none.  Of the two such points, it is the one
    whose y is the smaller number, or, over GF(2^m), the one with an even y/x."""
    if curve.form == "binary":
        point = binary_points.with_x(curve, x)
        return None if point is None else Affine(*point)
    p = curve.prime
    square: int = (x**3 + curve.a * x + curve.b) % p
    if curve.form == "montgomery":
        square = (x**3 + curve.a * x * x + x) * gmpy2.invert(curve.b, p) % p
    elif curve.form == "edwards":
        square = (1 - curve.a * x * x) * gmpy2.invert(1 - curve.d * x * x, p) % p
    y = root(int(square), p)
    return None if y is None else Affine(x % p, min(y, -y % p))


def root(value: int, p: int) -> int | None:
    """A square root modulo an odd prime, by Cipolla's method; None if there is none."""
    if value == 0:
        return 0
    if gmpy2.legendre(value, p) != 1:
        return None
    t = next(t for t in range(p) if gmpy2.legendre(t * t - value, p) == -1)
    w = t * t - value  # a non-square: (t + sqrt(w))^((p + 1)/2), in GF(p^2), is a root
    real, imaginary = 1, 0
    for bit in format((p + 1) // 2, "b"):
        square = (real * real + imaginary * imaginary * w) % p
        imaginary, real = 2 * real * imaginary % p, square
        if bit == "1":
            real, imaginary = (real * t + imaginary * w) % p, (real + imaginary * t) % p
    return real
