"""Curves over GF(2^m) and their affine points against known answers and brute force."""

from __future__ import annotations

import itertools
import random

import gmpy2
import pytest

from known_answers import load
from modmul.arithmetic import binary, binary_points, curves, points
from modmul.arithmetic.curves import Curve
from modmul.arithmetic.points import Affine

EVERY = tuple(curve for curve in curves.every() if curve.form == "binary")
SMALL = curves.find("toy7-binary")
_LONG = 300  # bits above which the longest runs alone have a curve


def named(*chosen: Curve) -> pytest.MarkDecorator:
    return pytest.mark.parametrize(
        "curve",
        [
            pytest.param(curve, marks=pytest.mark.long if curve.bits > _LONG else (), id=curve.name)
            for curve in chosen
        ],
    )


@named(*EVERY)
def test_the_base_point_has_the_order(curve: Curve) -> None:
    base = Affine(curve.x, curve.y)
    assert points.is_on(curve, *base)
    assert points.multiply(curve, curve.order, base) is None
    assert points.multiply(curve, curve.order - 1, base) == points.negative(curve, base)
    assert binary.is_irreducible(curve.prime) and gmpy2.is_prime(curve.order, 40)
    points_less_1 = curve.order * curve.cofactor - curve.elements - 1
    assert points_less_1**2 <= 4 * curve.elements  # Hasse: so there are no other points
    assert curve.field == "binary" and curve.coefficients == {"a": curve.a, "b": curve.b}


def test_they_are_those_of_the_standards() -> None:
    """Against a transcription of its own."""
    remaining = {curve.name: curve for curve in EVERY if curve.source}
    for name, wanted in load("curves")["binary"].items():
        curve = curves.find(name)
        numbers = (curve.prime, curve.a, curve.b, curve.x, curve.y, curve.order, curve.cofactor)
        keys = ("p", "a", "b", "gx", "gy", "n", "h")
        assert numbers == tuple(int(str(wanted[key]), 0) for key in keys)
        del remaining[curve.name]
    assert remaining == {}


def test_all_points_of_a_small_curve() -> None:
    every = [
        Affine(x, y)
        for x, y in itertools.product(range(SMALL.elements), repeat=2)
        if points.is_on(SMALL, x, y)
    ]
    assert 1 + len(every) == SMALL.order * SMALL.cofactor
    assert not points.is_on(SMALL, every[0].x | SMALL.elements, every[0].y)
    base = Affine(SMALL.x, SMALL.y)
    multiples = [points.multiply(SMALL, k, base) for k in range(SMALL.order)]
    assert len(set(multiples)) == SMALL.order
    for i, j in itertools.product(range(SMALL.order), repeat=2):
        wanted = multiples[(i + j) % SMALL.order]
        assert points.add(SMALL, multiples[i], multiples[j]) == wanted
    two = next(point for point in every if point.x == 0)  # the point that is its own negative
    assert points.multiply(SMALL, 2, two) is None


@named(*EVERY[::3])
def test_sums_in_any_order(curve: Curve) -> None:
    base, rng = Affine(curve.x, curve.y), random.Random(curve.name)
    some, other = (points.multiply(curve, rng.randrange(curve.order), base) for _ in range(2))
    left = points.add(curve, points.add(curve, some, other), base)
    assert left == points.add(curve, some, points.add(curve, other, base))
    assert points.multiply(curve, -3, base) == points.negative(
        curve, points.multiply(curve, 3, base)
    )


def test_inverses() -> None:
    """By those of the other module, which are Euclid's."""
    for value in (1, 2, 0x53, SMALL.elements - 1):
        assert binary_points.invert(value, SMALL.prime) == binary.inverse(value, SMALL.prime)
    assert binary_points.invert(0, SMALL.prime) == 0


@named(*(curve for curve in EVERY if not curve.source))
def test_points_with_an_x_and_their_groups(curve: Curve) -> None:
    """Against brute force over every y, and multiplication by the order."""
    small, rng = curve.elements <= 1 << 7, random.Random(curve.name)
    seen = set()
    for x in range(curve.elements) if small else (0, *rng.sample(range(curve.elements), 40)):
        point = points.with_x(curve, x)
        if point is None:
            assert not small or not any(points.is_on(curve, x, y) for y in range(curve.elements))
            continue
        assert point.x == x and points.is_on(curve, *point)
        for member in (point, points.negative(curve, point)):
            assert member is not None
            inside = points.multiply(curve, curve.order, member) is None
            assert points.in_group(curve, member) == inside
            seen.add(inside)
    assert seen == {True, False}


@pytest.mark.parametrize("name", ["k163", "b163", "b571"])
def test_groups_of_curves_of_standards(name: str) -> None:
    curve = curves.find(name)
    base, two = Affine(curve.x, curve.y), points.with_x(curve, 0)
    assert points.in_group(curve, base)
    for k in (1, 2, 12345):
        inside = points.multiply(curve, k, base)
        outside = points.add(curve, inside, two)
        assert inside is not None and outside is not None
        assert points.in_group(curve, inside) and not points.in_group(curve, outside)
