"""Every point of every curve over small fields, on the golden machine, against affine formulas."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from functools import cache

import gmpy2
import pytest

from modmul import multipliers
from modmul.arithmetic import points
from modmul.arithmetic.curves import Curve
from modmul.arithmetic.oracle import OracleQuery, right
from modmul.arithmetic.points import Affine
from modmul.operation import Job
from modmul.processors.contract import Load
from modmul.processors.curve import PrimeCurve


@cache
def processor(**options: str | int) -> PrimeCurve:
    return PrimeCurve(multiplier=multipliers.find("fpmm")(width=9), **options)


def compare(design: PrimeCurve, curve: Curve, operation: str, **operands: int) -> None:
    asked = Job(design.mode(operation, Load.of(curve)), curve.prime, operands)
    wanted = right(OracleQuery(operation, operands, curve.prime, curve=curve))
    assert design.compute(asked) == wanted, (curve, asked)


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


@pytest.mark.parametrize("p", [7, *(pytest.param(p, marks=pytest.mark.long) for p in (11, 13, 17))])
@pytest.mark.parametrize("blinding", [0, 3])
def test_every_multiple_on_edwards_curves(p: int, blinding: int) -> None:
    design = processor(forms="edwards", blinding=blinding)
    for curve, found in edwards(p):
        for (x, y), k in itertools.product(found, range(1 << p.bit_length())):
            compare(design, curve, "point-multiply", scalar=k, x=x, y=y)


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
