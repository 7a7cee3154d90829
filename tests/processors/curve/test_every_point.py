"""Every point of every curve over small fields, on the golden machine, against affine formulas."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import gmpy2
import pytest

from modmul import multipliers
from modmul.arithmetic import points
from modmul.arithmetic.curves import Curve
from modmul.arithmetic.oracle import OracleQuery, right
from modmul.arithmetic.points import Affine
from modmul.errors import SpecError
from modmul.operation import Job
from modmul.processors.contract import Load
from modmul.processors.curve import PrimeCurve

pytestmark = pytest.mark.timeout(1800)  # thousands of operations, on a machine that may be busy


@cache
def processor(**options: str | int) -> PrimeCurve:
    return PrimeCurve(multiplier=multipliers.find("fpmm")(width=9), **options)


def compare(design: PrimeCurve, curve: Curve, operation: str, **operands: int) -> dict[str, int]:
    """Compare the answer of a processor with that of affine formulas, and return it."""
    asked = Job(design.mode(operation, Load.of(curve)), curve.prime, operands)
    wanted = right(OracleQuery(operation, operands, curve.prime, curve=curve))
    assert design.compute(asked) == wanted, (curve, asked)
    return wanted


# ---- Edwards curves --------------------------------------------------------------------------


def edwards(p: int) -> Iterator[tuple[Curve, list[Affine]]]:
    """Every curve over GF(p) with a square a and a d that is none, with its points."""
    squares = {x * x % p for x in range(1, p)}
    for a, d in itertools.product(sorted(squares), range(1, p)):
        if d in squares:
            continue
        shape = Curve("", "edwards", p, a, 1, 0, 1, 1, d=d)
        found = [Affine(x, y) for x in range(p) for y in range(p) if points.is_on(shape, x, y)]
        size = len(found)
        order = max(n for n in range(2, size + 1) if size % n == 0 and gmpy2.is_prime(n))
        if order == 2:  # no curve that can be given has this order
            continue
        base = next(point for point in found[1:] if points.multiply(shape, order, point) is None)
        yield Curve(f"a={a}, d={d}", "edwards", p, a, 1, *base, order, size // order, d), found


@pytest.mark.parametrize("p", [7, 11, 13])
@pytest.mark.parametrize("blinding", [0, 3])
@pytest.mark.short("0-7")
def test_every_multiple_on_edwards_curves(p: int, blinding: int) -> None:
    design = processor(forms="edwards", blinding=blinding)
    for curve, found in edwards(p):
        for (x, y), k in itertools.product(found, range(1 << p.bit_length())):
            compare(design, curve, "point-multiply", scalar=k, x=x, y=y)


def test_blinded_scalars_that_are_longer_than_the_number_of_points() -> None:
    design, shorter = processor(forms="edwards", blinding=3), 0
    for curve, _ in edwards(17):
        if curve.size.bit_length() < curve.scalar_bits:
            compare(design, curve, "point-multiply", scalar=31, x=curve.x, y=curve.y)
            shorter += 1
    assert shorter


@pytest.mark.parametrize("p", [7, *(pytest.param(p, marks=pytest.mark.long) for p in (11, 13))])
def test_every_sum_on_edwards_curves(p: int) -> None:
    """And a sum of two multiples for each tenth pair of points."""
    design, rng, full = processor(forms="edwards"), random.Random(p), 1 << p.bit_length()
    for curve, found in edwards(p):
        for first, second in itertools.product(found, repeat=2):
            operands = {**first._asdict(), "x2": second.x, "y2": second.y}
            compare(design, curve, "point-add", **operands)
            if rng.random() < 0.1:
                scalars = {"scalar": rng.randrange(full), "scalar2": rng.randrange(full)}
                compare(design, curve, "double-multiply", **operands, **scalars)
        for x, y in itertools.product(range(p), repeat=2):
            compare(design, curve, "point-check", x=x, y=y)


@pytest.mark.parametrize("p", [7, *(pytest.param(p, marks=pytest.mark.long) for p in (11, 13))])
def test_pairs_and_signatures_on_edwards_curves(p: int) -> None:
    design, rng = processor(forms="edwards", batch=2), random.Random(p)
    for curve, found in edwards(p):
        for first in found:
            second = rng.choice(found)
            pair = {**first._asdict(), "x2": second.x, "y2": second.y}
            scalars = {"scalar": rng.randrange(p), "scalar2": rng.randrange(p)}
            compare(design, curve, "point-multiply-pair", **scalars, **pair)
        if "eddsa-verify" not in design.operations_on(Load.of(curve)):
            continue
        base = Affine(curve.x, curve.y)
        for public, s in itertools.product(found, range(curve.order)):
            h = rng.randrange(curve.order)
            other = points.multiply(curve, -h, public)
            made = points.add(curve, points.multiply(curve, s, base), other) or Affine(0, 1)
            for point in (made, rng.choice(found)):
                operands = {"x": public.x, "y": public.y, "x2": point.x, "y2": point.y}
                compare(design, curve, "eddsa-verify", s=s, challenge=h, **operands)


# ---- curves in Weierstrass' form -------------------------------------------------------------


class Group(NamedTuple):
    """A curve, and the points of the group of its base point, which are all that are multiplied."""

    curve: Curve
    points: list[Affine]


def weierstrass(p: int) -> Iterator[Group]:
    """Every group of a prime order from 5 on every curve over GF(p).  Where x = 0 is in the group,
    the base point has it."""
    for a, b in itertools.product(range(p), repeat=2):
        shape = Curve("", "weierstrass", p, a, b, 0, 0, 0)
        found = [Affine(x, y) for x in range(p) for y in range(p) if points.is_on(shape, x, y)]
        size = len(found) + 1
        order = max(
            n for n in range(1, size + 1) if size % n == 0 and (n == 1 or gmpy2.is_prime(n))
        )
        if order < 5 or (4 * a**3 + 27 * b * b) % p == 0:
            continue
        inside = [point for point in found if points.multiply(shape, order, point) is None]
        x, y = inside[0]
        curve = Curve(f"a={a}, b={b}", "weierstrass", p, a, b, x, y, order, size // order)
        yield Group(curve, inside)


LOST = {"ladder": (0, 1, -2, -1), "x-only": (0, -1), "complete": ()}
LONG = [7, *(pytest.param(p, marks=pytest.mark.long) for p in (11, 13))]


@pytest.mark.parametrize("p", [7, 11, 13])
@pytest.mark.parametrize("formulas", LOST)
@pytest.mark.short("ladder-7", "x-only-7")
def test_every_multiple_in_weierstrass_form(p: int, formulas: str) -> None:
    """A ladder gives no result for a few scalars, and for no other reason: not for x = 0."""
    design, zero = processor(forms="weierstrass", schemes="none", formulas=formulas), 0
    for curve, inside in weierstrass(p):
        lost = {scalar % curve.order for scalar in LOST[formulas]}
        for (x, y), k in itertools.product(inside, range(curve.order)):
            if k not in lost:
                compare(design, curve, "point-multiply", scalar=k, x=x, y=y)
                zero += x == 0
    assert zero


@pytest.mark.parametrize("p", [5, *LONG])
@pytest.mark.short("5")
def test_every_agreement_in_weierstrass_form(p: int) -> None:
    """Here every private key has its result."""
    design = processor(forms="weierstrass", schemes="ecdsa-cofactor")
    for curve, inside in weierstrass(p):
        for (x, y), k in itertools.product(inside, range(1, curve.order)):
            compare(design, curve, "ecdh", private=k, x=x, y=y)


@pytest.mark.parametrize("p", [5, *LONG])
@pytest.mark.short("5")
def test_every_sum_in_weierstrass_form(p: int) -> None:
    """And for each tenth pair of points a sum of two multiples."""
    design, rng = processor(forms="weierstrass", schemes="none"), random.Random(p)
    for curve, inside in weierstrass(p):
        for first, second in itertools.product(inside, repeat=2):
            operands = {**first._asdict(), "x2": second.x, "y2": second.y}
            compare(design, curve, "point-add", **operands)
            if rng.random() < 0.1:
                scalars = {name: rng.randrange(curve.order) for name in ("scalar", "scalar2")}
                compare(design, curve, "double-multiply", **operands, **scalars)


def test_sums_that_an_even_cofactor_makes_exceptions() -> None:
    """Of points whose difference has the order 2; one of them is in no group of odd order."""
    design, wrong = processor(forms="weierstrass", schemes="none"), 0
    for curve, inside in (group for group in weierstrass(7) if group.curve.cofactor % 2 == 0):
        found = [Affine(x, y) for x in range(7) for y in range(7) if points.is_on(curve, x, y)]
        for first, second in itertools.product(found, repeat=2):
            operands = {**first._asdict(), "x2": second.x, "y2": second.y}
            asked = Job(design.mode("point-add", Load.of(curve)), 7, operands)
            if {first, second} <= {*inside}:
                design.check_operands(asked)
                continue
            with pytest.raises(SpecError, match="of a point of the group of prime order"):
                design.check_operands(asked)
            oracle = right(OracleQuery("point-add", operands, 7, curve=curve))
            wrong += design.compute(asked) != oracle
    assert wrong


@pytest.mark.parametrize("p", LONG)
def test_signatures_in_weierstrass_form(p: int) -> None:
    """With a base point whose x is 0; also where the two multiples that are added to verify a
    signature are equal or opposite."""
    design = processor(forms="weierstrass", schemes="ecdsa-cofactor")
    rng, seen = random.Random(p), Counter[bool]()
    for curve, _ in (group for group in weierstrass(p) if group.curve.x == 0):
        n, base = curve.order, Affine(curve.x, curve.y)
        for k in range(1, n):
            numbers = {"digest": rng.randrange(n), "private": rng.randrange(1, n)}
            compare(design, curve, "ecdsa-sign", nonce=k, **numbers)
        for key in range(1, n):
            public, r = points.multiply(curve, key, base), rng.randrange(1, n)
            assert public is not None
            for z in (rng.randrange(n), r * key % n, -r * key % n):
                operands = {"digest": z, "r": r, "s": 1 + z % (n - 1), **public._asdict()}
                seen[bool(compare(design, curve, "ecdsa-verify", **operands)["valid"])] += 1
    assert min(seen[False], seen[True]) > 5


@pytest.mark.parametrize("p", [5, 7, 11, 13])
@pytest.mark.parametrize("batch", [2, 4])
@pytest.mark.short("2-5", "4-5")
def test_batches_in_weierstrass_form(p: int, batch: int) -> None:
    """All scalars for which the ladder is defined, with all points next to others."""
    design, rng = processor(forms="weierstrass", schemes="none", batch=batch), random.Random(p)
    operation = "point-multiply-pair" if batch == 2 else "point-multiply-four"
    for curve, inside in weierstrass(p):
        for point, k in itertools.product(inside, range(2, curve.order - 2)):
            operands = {"scalar": k, **point._asdict()}
            for suffix in range(2, batch + 1):
                other, scalar = rng.choice(inside), rng.randrange(2, curve.order - 2)
                operands |= {
                    f"scalar{suffix}": scalar,
                    f"x{suffix}": other.x,
                    f"y{suffix}": other.y,
                }
            compare(design, curve, operation, **operands)


# ---- curves in Montgomery's form -------------------------------------------------------------


@pytest.mark.parametrize("p", [7, *(pytest.param(p, marks=pytest.mark.long) for p in (5, 11, 13))])
def test_every_multiple_in_montgomery_form(p: int) -> None:
    """Every u, of points of small order and of the twist, too, and beyond the prime; in a pair with
    another, where infinity loses both."""
    design, rng = processor(forms="montgomery", batch=2), random.Random(p)
    squares, full = {x * x % p for x in range(p)}, 1 << p.bit_length()
    for a in (a for a in range(p) if (a * a - 4) % p not in squares):
        curve = Curve(f"a={a}", "montgomery", p, a, 1, 0, 0, 1)
        for u, k in itertools.product(range(full), repeat=2):
            compare(design, curve, "x-multiply", scalar=k, u=u)
            pair = {"scalar": k, "u": u, "scalar2": rng.randrange(full), "u2": rng.randrange(full)}
            asked = Job(design.mode("x-multiply-pair", Load.of(curve)), p, pair)
            wanted = right(OracleQuery("x-multiply-pair", pair, p, curve=curve))
            lost = None if all(wanted.values()) else {"exceptional": True}  # infinity is 0, too
            assert design.compute(asked) in (wanted, lost)
