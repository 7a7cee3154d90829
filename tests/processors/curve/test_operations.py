"""Operations of the processor for curves beside the multiplication of one point: verification,
Edwards curves, blinded scalars, several at once; by the golden machine, against the oracle."""

from __future__ import annotations

import random
from collections import Counter
from functools import cache
from typing import Any

import pytest

from modmul import multipliers
from modmul.arithmetic import curves, points
from modmul.arithmetic.curves import Curve
from modmul.arithmetic.oracle import OracleQuery, right
from modmul.arithmetic.points import Affine
from modmul.errors import SpecError
from modmul.operation import Job
from modmul.processors.contract import Load
from modmul.processors.curve import PrimeCurve
from modmul.processors.curve.operations import (
    DOUBLE_MULTIPLY,
    POINT_ADD,
    POINT_MULTIPLY,
    X_MULTIPLY,
)
from modmul.processors.engine import blinding
from modmul.processors.engine.batches import SUFFIXES, ProgramBatch
from modmul.processors.engine.curve_processor import INVERT
from modmul.spec import Spec

SMALL = ("toy16", "toy16-long", "toy16-edwards", "toy16-twisted")
STANDARD = tuple(
    curve for curve in curves.every() if curve.source and curve.form in ("weierstrass", "edwards")
)
EXCEPTIONAL = {"exceptional": True}


@cache
def processor(width: int = 16, **options: Any) -> PrimeCurve:
    """Without schemes, which have tests of their own."""
    options = {"schemes": "none", **options}
    return PrimeCurve(multiplier=multipliers.find("fpmm")(width=width), **options)


def job(design: PrimeCurve, operation: str, curve: Curve, **operands: int) -> Job:
    asked = Job(design.mode(operation, Load.of(curve)), curve.prime, operands)
    design.check_operands(asked)
    return asked


def oracle(asked: Job) -> dict[str, int]:
    mode = asked.mode
    return right(OracleQuery(mode.operation, asked.operands, asked.modulus, curve=mode.curve))


def agrees(design: PrimeCurve, asked: Job) -> dict[str, int]:
    computed = design.compute(asked)
    assert computed == oracle(asked), asked
    return computed


def base(curve: Curve, suffix: str = "") -> dict[str, int]:
    return {f"x{suffix}": curve.x, f"y{suffix}": curve.y}


def negative(curve: Curve, suffix: str = "") -> dict[str, int]:
    negated = points.negative(curve, Affine(curve.x, curve.y))
    assert negated is not None
    return {f"x{suffix}": negated.x, f"y{suffix}": negated.y}


# ---- sums and verification ---------------------------------------------------------------------


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.short("toy16-edwards", "toy16-twisted")
def test_exceptional_sums(name: str) -> None:
    """P + P, P - P, and what gives them in k*P + l*Q."""
    design, curve = processor(), curves.find(name)
    n, neutral = curve.order, {"x": 0, "y": 1} if curve.form == "edwards" else {"infinity": True}
    twice = agrees(design, job(design, POINT_ADD, curve, **base(curve), **base(curve, "2")))
    assert twice == agrees(design, job(design, POINT_MULTIPLY, curve, scalar=2, **base(curve)))
    opposite = job(design, POINT_ADD, curve, **base(curve), **negative(curve, "2"))
    assert agrees(design, opposite) == neutral
    seen: Counter[str] = Counter()
    for k, second in [(k, second) for k in (0, 1, 2, n - 2, n - 1) for second in range(3)]:
        other = points.multiply(curve, (1, n - 1, 5)[second], Affine(curve.x, curve.y))
        assert other is not None
        for scalar2 in (0, 1, k, n - 1 - k):
            asked = job(
                design,
                DOUBLE_MULTIPLY,
                curve,
                scalar=k,
                **base(curve),
                scalar2=scalar2,
                x2=other.x,
                y2=other.y,
            )
            seen[str(agrees(design, asked) == neutral)] += 1
    assert seen["True"] > 5 and seen["False"] > 20


@pytest.mark.parametrize(
    "name",
    [
        "p256",
        "ed25519",
        *(
            pytest.param(curve.name, marks=pytest.mark.long)
            for curve in STANDARD
            if curve.name not in ("p256", "ed25519")
        ),
    ],
)
def test_verification_on_curves_of_standards(name: str) -> None:
    curve = curves.find(name)
    design, rng = processor(curve.bits), random.Random(name)
    k, m, n = (rng.randrange(curve.order) for _ in range(3))
    other = points.multiply(curve, m, Affine(curve.x, curve.y))
    assert other is not None
    second = {"x2": other.x, "y2": other.y}
    factors = {"scalar": k, "scalar2": n}
    agrees(design, job(design, DOUBLE_MULTIPLY, curve, **factors, **base(curve), **second))
    agrees(design, job(design, POINT_ADD, curve, **base(curve), **second))
    asked = job(
        design,
        DOUBLE_MULTIPLY,
        curve,
        scalar=curve.order - 1,
        **base(curve),
        scalar2=1,
        **base(curve, "2"),
    )
    assert agrees(design, asked) in ({"infinity": True}, {"x": 0, "y": 1})


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(
            curve.name, marks=() if curve.name in ("p256", "ed25519") else pytest.mark.long
        )
        for curve in STANDARD
    ],
)
@pytest.mark.parametrize("formulas", ["ladder", "x-only", "complete"])
@pytest.mark.short("ladder-p256", "complete-ed25519")
def test_scalars_at_the_ends(name: str, formulas: str) -> None:
    """0, 1, 2, n - 3, n - 2, n - 1 as they are declared; n on Edwards curves."""
    curve = curves.find(name)
    design, n = processor(curve.bits, formulas=formulas), curve.order
    lost = {"ladder": (0, 1, n - 2, n - 1), "x-only": (0, n - 1), "complete": ()}[formulas]
    for k in (0, 1, 2, n - 3, n - 2, n - 1, *([n] if curve.form == "edwards" else [])):
        asked = job(design, POINT_MULTIPLY, curve, scalar=k, **base(curve))
        computed = design.compute(asked)
        declined = design.declined(asked)
        ends = curve.form == "weierstrass" and k in lost
        assert declined == (EXCEPTIONAL if ends else None)
        assert computed == (declined or oracle(asked))


def test_points_of_small_order_on_edwards_curves() -> None:
    """The neutral element among them."""
    design = processor()
    for curve in (curves.find("toy16-edwards"), curves.find("toy16-twisted")):
        for point in (Affine(0, 1), Affine(0, curve.prime - 1)):
            for k in (0, 1, 2, 3, (1 << 16) - 1):
                agrees(design, job(design, POINT_MULTIPLY, curve, scalar=k, **point._asdict()))


# ---- blinding ----------------------------------------------------------------------------------


@pytest.mark.parametrize("formulas", ["ladder", "x-only", "complete"])
@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("bits", [1, 7, 17])
@pytest.mark.short(
    "1-toy16-ladder",
    "1-toy16-x-only",
    "7-toy16-complete",
    "7-toy16-long-ladder",
    "7-toy16-long-x-only",
    "7-toy16-edwards-ladder",
    "7-toy16-edwards-x-only",
    "7-toy16-edwards-complete",
    "17-toy16-ladder",
    "17-toy16-x-only",
    "17-toy16-long-complete",
    "17-toy16-twisted-x-only",
)
def test_blinded_scalars(name: str, formulas: str, bits: int) -> None:
    """All kinds of scalars; the ladder may decline what it is not defined for."""
    curve, rng = curves.find(name), random.Random(f"{name} {bits}")
    design = processor(blinding=bits, formulas=formulas, verification=False)
    below = {
        rule.name: rule.below
        for rule in design.operand_rules(design.mode(POINT_MULTIPLY, Load.of(curve)), curve.prime)
    }["scalar"]
    assert below is not None
    right_ones = 0
    for k in (0, 1, curve.order - 1, below - 1, *(rng.randrange(below) for _ in range(6))):
        asked = job(design, POINT_MULTIPLY, curve, scalar=k, **base(curve))
        computed = design.compute(asked)
        assert computed in (oracle(asked), design.declined(asked))
        right_ones += computed == oracle(asked)
    assert right_ones >= 6


def test_what_a_blinded_scalar_is() -> None:
    """The bits that the loops take are those of k + r*n and a constant multiple of n: as many for
    all r, and different for different r."""
    curve, bits = curves.find("toy16"), 12
    design = processor(blinding=bits, forms="weierstrass", verification=False)
    seen = set()
    for k in (5, 6, 77):
        asked = job(design, POINT_MULTIPLY, curve, scalar=k, **base(curve))
        run = design.run(asked)
        register, high, low = design.engine.wide, *scalars_of(run)
        length = curve.order.bit_length()
        taken = (high >> register - bits - 3 << length) | low >> register - length
        number = 1 << bits + 3 + length | taken
        assert high % (1 << register - bits - 3) == low % (1 << register - length) == 0
        assert number % curve.order == k
        seen.add(number // curve.order)
    assert len(seen) == 3
    assert max(seen).bit_length() <= bits + 5 and {multiple % 4 for multiple in seen} == {1}


def scalars_of(run: Any) -> tuple[int, int]:
    """What the words SCALAR of the two loops over bits of the scalar read."""
    values: dict[int, int] = {}
    taken = []
    for _, word, value in run.outcome.done:
        if word.op == "SCALAR":
            taken.append(values.get(word.a))
        if word.writes:
            values[word.dst] = value
    assert taken[2] is not None and taken[3] is not None
    return taken[2], taken[3]  # after the scalar as it came, and the random number


def test_blinding_takes_public_time_of_its_own() -> None:
    curve = curves.find("p256")
    plain, blind = processor(256), processor(256, blinding=64)
    cycles = [
        design.cycles(design.mode(POINT_MULTIPLY, Load.of(curve))) for design in (plain, blind)
    ]
    more = cycles[1]["steps"].maximum - cycles[0]["steps"].maximum
    assert 67 * 744 <= more <= 69 * 744
    assert blinding.high_bits("ladder", 64) == 67
    assert "blinding" not in cycles[0] and cycles[1]["blinding"].maximum < 10_000


def test_blinding_beyond_a_register_is_refused() -> None:
    with pytest.raises(SpecError, match="blinding = 32: must be at most 31: a register has 34"):
        processor(16, blinding=32)


# ---- several at once ---------------------------------------------------------------------------


@pytest.mark.parametrize("times", SUFFIXES)
@pytest.mark.short("2")
def test_several_multiplications_at_once(times: int) -> None:
    """All are right, each with a scalar and a point of its own; what is lost of one costs all."""
    design, rng, both = processor(64, batch=times), random.Random(2), ProgramBatch("", times)
    curve, other, edwards = map(curves.find, ("toy64", "toy64-montgomery", "toy64-twisted"))
    n, points_of, in_x = curve.order, POINT_MULTIPLY + SUFFIXES[times], X_MULTIPLY + SUFFIXES[times]

    def multiplied(scalars: list[int], on: Curve) -> Job:
        signs = (base if place % 2 else negative for place in range(times))
        given = [
            each(on, name) | {f"scalar{name}": k}
            for each, name, k in zip(signs, both.operands, scalars, strict=True)
        ]
        return job(design, points_of, on, **{k: v for each in given for k, v in each.items()})

    for scalars in ([5, 6, 7, 8][:times], [rng.randrange(2, n - 2) for _ in range(times)]):
        asked = multiplied(scalars, curve)
        assert design.declined(asked) is None
        assert set(agrees(design, asked)) == set(both.names("x", "y"))
        agrees(
            design,
            job(
                design,
                in_x,
                other,
                **{
                    name: value
                    for k, suffix in zip(scalars, both.operands, strict=True)
                    for name, value in ((f"scalar{suffix}", k), (f"u{suffix}", rng.getrandbits(64)))
                },
            ),
        )
        if times == 2:
            agrees(design, multiplied([0, *scalars[1:]], edwards))
    for place, k in ((0, 0), (times - 1, n - 1), (times - 1, 0), (0, 1)):
        scalars = [5] * times
        scalars[place] = k
        asked = multiplied(scalars, curve)
        assert design.compute(asked) == design.declined(asked) == EXCEPTIONAL
    lost = dict.fromkeys(both.names("scalar"), 4) | dict.fromkeys(both.names("u"), other.x)
    neutral = job(design, in_x, other, **(lost | {f"u{times}": 0}))
    assert design.compute(neutral) == design.declined(neutral) == EXCEPTIONAL


def test_several_at_once_take_less_time_than_one_after_the_other() -> None:
    """Of two, as goals say; of four also on one with so many products in flight that a single
    ladder leaves most of its slots empty."""
    design, goals = processor(256, batch=2), {"curve25519": 185_000, "p256": 205_000}
    for name, most in goals.items():
        curve = curves.find(name)
        alone, pair = (
            design.latency(design.mode(operation, Load.of(curve))).maximum
            for operation in design.programs.operations(curve.form)[:2]
        )
        assert pair < 2 * most and pair < 2 * alone
    wide = Spec.from_options(
        {
            "architecture": "curve",
            "multiplier": "fpmm",
            "width": 256,
            "word": 68,
            "slots": 8,
            "target": "ecp5",
            "batch": 4,
            "forms": "weierstrass",
            "verification": False,
            "schemes": "none",
        }
    ).design
    curve = curves.find("p256")
    alone, four = (
        wide.latency(wide.mode(name, Load.of(curve))).maximum
        for name in (POINT_MULTIPLY, POINT_MULTIPLY + SUFFIXES[4])
    )
    assert four < 1.3 * alone


# ---- what is built -----------------------------------------------------------------------------


def test_forms_that_are_not_built_are_refused() -> None:
    design = processor(64, forms="montgomery")
    with pytest.raises(SpecError, match="of the form montgomery, as `forms` says"):
        design.check_modulus(curves.find("toy64").prime, None, curves.find("toy64"))
    assert design.programs.names == ("inverse", "x")
    assert len(design.programs.build.rom) < 200
    assert processor(64, forms="edwards", verification=False).programs.names == (
        "inverse",
        "twisted",
        "edwards",
        "on-edwards",
    )
    assert [mode.operation for mode in design.modes] == ["x-multiply", INVERT]
