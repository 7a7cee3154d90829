"""The processor for curves without hardware: parameters, golden model, streams, what is refused."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

import pytest

from known_answers import load
from modmul import multipliers
from modmul.arithmetic import curves, points
from modmul.arithmetic.oracle import OracleQuery, right
from modmul.arithmetic.points import Affine
from modmul.errors import SpecError
from modmul.export import points as drawing
from modmul.operation import Job
from modmul.processors.contract import Load
from modmul.processors.curve import PrimeCurve
from modmul.processors.curve.operations import (
    DOUBLE_MULTIPLY,
    POINT_ADD,
    POINT_CHECK,
    POINT_MULTIPLY,
    X_MULTIPLY,
)
from modmul.processors.engine import stored
from modmul.processors.engine.assembler import Image
from modmul.processors.engine.batches import SUFFIXES
from modmul.processors.engine.curve_processor import INVERT
from modmul.processors.engine.processor import QUIET


@cache
def processor(name: str = "fpmm", width: int = 64, **options: Any) -> PrimeCurve:
    """Without schemes, which have tests of their own."""
    options = {"schemes": "none", **options}
    return PrimeCurve(multiplier=multipliers.find(name)(width=width), **options)


def job(operation: str, curve: str, design: PrimeCurve | None = None, **operands: int) -> Job:
    named = curves.find(curve)
    design = design or processor(width=max(64, named.bits))
    return Job(design.mode(operation, Load.of(named)), named.prime, operands)


def oracle(asked: Job) -> dict[str, int]:
    mode = asked.mode
    return right(OracleQuery(mode.operation, asked.operands, asked.modulus, curve=mode.curve))


def base(curve: str) -> dict[str, int]:
    named = curves.find(curve)
    return {"x": named.x, "y": named.y}


# The first has every form and every scheme; the others have them one by one.
EXAMPLES = pytest.mark.parametrize("design", PrimeCurve.examples(), ids=lambda design: design.title)
QUICKER = pytest.mark.parametrize(
    "design",
    [
        pytest.param(example, id=example.title, marks=() if place else pytest.mark.long)
        for place, example in enumerate(PrimeCurve.examples())
    ],
)


@QUICKER
@pytest.mark.short(
    "curve-ladder-weierstrass-secrets-points-four-powers-distributed-fips-32-w8-m1-l1",
    "curve-ladder-edwards-secrets-eddsa-montgomery-lookahead-32-w32",
)
def test_edges_of_every_operation_on_every_curve(design: PrimeCurve) -> None:
    """By the golden machine; the beats of its answer say the same."""
    rng, seen = random.Random(design.title), set()
    for place in drawing.edge_loads(design):
        for operation in filter(drawing.known, design.operations_on(place)):
            mode = design.mode(operation, place)
            rules = {rule.name: rule for rule in design.operand_rules(mode, place.modulus)}
            edges = drawing.edges(operation, place, rules, rng)
            for operands in [*edges[:3], rng.choice(edges)]:
                asked = Job(mode, place.modulus, operands)
                design.check_operands(asked)
                computed, answer = design.compute(asked), design.answer(asked)
                assert computed in (oracle(asked), design.declined(asked)), (place, asked)
                assert design.reply(mode, answer) == computed
                assert len(answer) == design.reply_beats(mode, place.modulus)
                told = {name for name, value in computed.items() if value is not False}
                seen |= {(operation, name) for name in told}
    assert seen >= {(POINT_MULTIPLY, "x"), (POINT_MULTIPLY, "y"), (POINT_CHECK, "valid")}
    known = {
        operation
        for place in drawing.edge_loads(design)
        for operation in filter(drawing.known, design.operations_on(place))
    }
    assert {operation for operation, _ in seen} == known
    assert (X_MULTIPLY in known) == (DOUBLE_MULTIPLY in known) == (design.forms == "all")
    if design.forms != "edwards":
        flag = "infinity" if design.formulas == "complete" else "exceptional"
        assert (POINT_MULTIPLY, flag) in seen


@pytest.mark.parametrize(
    "k", [0, 2, -1, *(pytest.param(k, marks=pytest.mark.long) for k in (1, -3, -2))]
)
def test_where_the_ladder_is_not_defined(k: int) -> None:
    """On a curve of a standard these four scalars are declined, and no other one."""
    scalar = k % curves.find("p256").order
    asked = job(POINT_MULTIPLY, "p256", scalar=scalar, **base("p256"))
    design = processor(width=256)
    if k in (2, -3):
        assert design.declined(asked) is None
        assert design.compute(asked) == oracle(asked)
    else:
        assert design.compute(asked) == design.declined(asked) == {"exceptional": True}


def test_complete_formulas_have_no_exceptions() -> None:
    design = processor(width=64, formulas="complete")
    order = curves.find("toy64").order
    for scalar in (0, 1, 2, order - 2, order - 1):
        asked = job(POINT_MULTIPLY, "toy64", design, scalar=scalar, **base("toy64"))
        assert design.declined(asked) is None
        assert design.compute(asked) == oracle(asked)


def test_the_program_fits_the_coefficient_a() -> None:
    design = processor(width=256, formulas="complete")
    wanted = {"p256": "complete-3", "secp256k1": "complete0", "brainpoolp256r1": "complete"}
    for name, program in wanted.items():
        assert design.programs.name(POINT_MULTIPLY, curves.find(name)) == program


@pytest.mark.parametrize(
    "name",
    [
        "secp256k1",
        *(
            pytest.param(name, marks=pytest.mark.long)
            for name in ("brainpoolp256r1", "sm2", "bn254")
        ),
    ],
)
@pytest.mark.parametrize("formulas", ["ladder", "complete"])
def test_other_curves(name: str, formulas: str) -> None:
    design, curve = processor(width=256, formulas=formulas), curves.find(name)
    k = random.Random(name).randrange(2, curve.order - 2)
    asked = job(POINT_MULTIPLY, name, design, scalar=k, **base(name))
    assert design.compute(asked) == oracle(asked)


DOUBLE = 10031262171927540148667355526369034398030886437092045105752248699557385197826


def test_baby_jubjub() -> None:
    """Whose a is a square, but not 1; x of twice the base point as others publish it."""
    design, curve = processor(width=254, forms="edwards"), curves.find("babyjubjub")
    twice = job(POINT_MULTIPLY, curve.name, design, scalar=2, **base(curve.name))
    assert design.compute(twice)["x"] == DOUBLE
    k = random.Random(curve.name).randrange(1 << 254)
    second = points.multiply(curve, 77, Affine(curve.x, curve.y))
    assert second is not None
    for operation, operands in (
        (POINT_MULTIPLY, {"scalar": k}),
        (DOUBLE_MULTIPLY, {"scalar": 5, "scalar2": k, "x2": second.x, "y2": second.y}),
    ):
        asked = job(operation, curve.name, design, **operands, **base(curve.name))
        assert design.compute(asked) == oracle(asked)


def test_random_numbers_change_beats_and_no_results() -> None:
    plain, randomised = processor(randomise=False), processor(randomise=True)
    of = {"scalar": 77, **base("toy64")}
    asked = [job(POINT_MULTIPLY, "toy64", design, **of) for design in (plain, randomised)]
    assert plain.compute(asked[0]) == randomised.compute(asked[1])
    assert "random" not in plain.request(asked[0])
    assert "random" not in {stream.name for stream in plain.streams}
    assert len(randomised.request(asked[1])["random"]) == randomised.engine.machine.beats


def test_vectors_of_rfc_7748() -> None:
    """u beyond the prime is taken modulo it, as the RFC has it."""
    design = processor(width=256)
    test = load("x_rfc7748")["tests"][0]
    k, u, out = (int.from_bytes(bytes.fromhex(test[key]), "little") for key in ("k", "u", "out"))
    k = k & ~7 & ~(1 << 255) | 1 << 254
    assert design.compute(job(X_MULTIPLY, "x25519", design, scalar=k, u=u)) == {"u": out}
    high = job(X_MULTIPLY, "x25519", design, scalar=k, u=2**255 - 1)
    assert design.compute(high) == design.compute(job(X_MULTIPLY, "x25519", design, scalar=k, u=18))


def test_what_a_forecast_assembles_roughly_is_its_own() -> None:
    """Processors share images, but not those whose schedules were searched less."""

    def image() -> Image:
        design = PrimeCurve(multiplier=multipliers.find("fpmm")(width=64), forms="montgomery")
        return design.programs.image("x")

    with stored.roughly():
        rough = image()
        assert image() is rough
    assert image() is image() is not rough


def test_loads_of_curves_with_one_prime_differ() -> None:
    design = processor()
    loads = [Load.of(curves.find(name)) for name in ("toy64", "toy64-long", "toy64-montgomery")]
    loads.append(Load(loads[0].modulus))
    assert len({place.modulus for place in loads}) == 1
    beats = [tuple(beat["data"] for beat in design.load(*place)["modulus"]) for place in loads]
    assert len(set(beats)) == len(loads) and len(set(map(len, beats))) == 1
    for place, told in zip(loads, beats, strict=True):
        assert tuple(beat.value for beat in design.constants(*place)) == told
    assert len({beat.name for beat in design.constants(*loads[0])}) > 20


def test_operations_are_those_of_the_form() -> None:
    design = processor()
    told = {
        name: design.operations_on(Load.of(curves.find(name))) for name in ("toy64", "toy64-long")
    }
    every = POINT_MULTIPLY, DOUBLE_MULTIPLY, POINT_ADD, POINT_CHECK, INVERT
    assert set(told.values()) == {every}
    edwards = curves.find("toy64-edwards"), curves.find("toy64-twisted")
    assert {design.operations_on(Load.of(each)) for each in edwards} == {every}
    less = processor(verification=False, forms="edwards")
    assert less.operations_on(Load.of(edwards[0])) == (POINT_MULTIPLY, POINT_CHECK, INVERT)
    for times, suffix in SUFFIXES.items():
        several = processor(batch=times)
        for name, operation in (
            ("toy64", POINT_MULTIPLY + suffix),
            ("toy64-montgomery", X_MULTIPLY + suffix),
            ("toy64-twisted", POINT_MULTIPLY + SUFFIXES[2]),
        ):
            assert several.operations_on(Load.of(curves.find(name)))[1] == operation
        complete = processor(batch=times, formulas="complete").programs
        assert POINT_MULTIPLY + suffix not in complete.operations("weierstrass")
    assert design.operations_on(Load.of(curves.find("toy64-montgomery"))) == (X_MULTIPLY, INVERT)
    assert design.operations_on(Load(101)) == (INVERT,)


def test_cycles_are_terms_and_depend_on_the_length_alone() -> None:
    design = processor()
    short, long = (
        design.mode(POINT_MULTIPLY, Load.of(curve))
        for curve in map(curves.find, ("toy64", "toy64-long"))
    )
    assert long.length == (short.length or 0) + 1
    step = design.latency(long).maximum - design.latency(short).maximum
    assert step * 64 < design.cycles(long)["steps"].maximum <= step * 70
    for mode in design.modes:
        turn = design.engine.machine.turn
        assert design.interval(mode).maximum % turn == 0
        assert QUIET <= design.interval(mode).maximum - design.latency(mode).maximum < QUIET + turn
        assert design.cycles(mode).keys() <= design.terms.keys()


@pytest.mark.parametrize(
    ("width", "operation", "formulas", "most"),
    [
        (256, "point-multiply-p256-256-bits", "ladder", 250_000),
        (256, "point-multiply-p256-256-bits", "complete", 510_000),
        (256, "x-multiply-curve25519-255-bits", "ladder", 220_000),
        pytest.param(
            384, "point-multiply-p384-384-bits", "ladder", 810_000, marks=pytest.mark.long
        ),
    ],
)
def test_cycles_that_were_required(width: int, operation: str, formulas: str, most: int) -> None:
    design = processor(width=width, formulas=formulas)
    mode = next(mode for mode in design.modes if mode.name == operation)
    assert design.latency(mode).maximum <= most
    assert design.multiplier.forecast().dsp <= 9


# ---- what is refused ----------------------------------------------------------------------------


def test_points_that_are_none() -> None:
    design, curve = processor(), curves.find("toy64")
    asked = job(POINT_MULTIPLY, "toy64", scalar=5, x=curve.x, y=curve.y + 1)
    with pytest.raises(SpecError, match="is not on toy64"):
        design.check_operands(asked)
    design.check_operands(job(POINT_CHECK, "toy64", x=curve.x, y=curve.y + 1))


def test_points_of_other_groups() -> None:
    """Of BLS12-381: not all points are multiples of the base point."""
    curve = curves.find("bls12-381")
    on_curve = (points.with_x(curve, x) for x in range(1, 20))
    other = next(
        point for point in on_curve if point and points.multiply(curve, curve.order, point)
    )
    design = processor(width=381)
    with pytest.raises(SpecError, match="group of prime order"):
        design.check_operands(job(POINT_MULTIPLY, "bls12-381", design, scalar=5, **other._asdict()))
    inside = points.multiply(curve, curve.cofactor, Affine(*other))
    assert inside is not None
    design.check_operands(job(POINT_MULTIPLY, "bls12-381", design, scalar=5, **inside._asdict()))


@pytest.mark.parametrize(
    ("curve", "operation", "operands", "key"),
    [
        ("toy64", POINT_MULTIPLY, {"scalar": 2**64, "x": 4, "y": 1}, "scalar"),
        ("toy64", POINT_MULTIPLY, {"scalar": 1, "x": 2**64, "y": 1}, "x"),
        ("toy64", POINT_CHECK, {"x": 1, "y": -1}, "y"),
        ("toy64-montgomery", X_MULTIPLY, {"scalar": 2**64, "u": 1}, "scalar"),
        ("toy64", INVERT, {"value": 2**64}, "value"),
    ],
)
def test_operands_beyond_their_bounds(
    curve: str, operation: str, operands: dict[str, int], key: str
) -> None:
    asked = job(operation, curve, **operands)
    for refused in (processor().request, processor().compute):
        with pytest.raises(SpecError) as caught:
            refused(asked)
        assert caught.value.key == key


@pytest.mark.parametrize(
    ("modulus", "curve", "says"),
    [
        (2**64 - 1, None, "a prime from 5"),
        (3, None, "a prime from 5"),
        (2**89 - 1, None, "at most 64 bits"),
        (curves.find("p256").prime, "p256", "at most 64 bits"),
        (101, "toy64", "the prime of toy64"),
    ],
)
def test_moduli_and_curves_that_do_not_fit(modulus: int, curve: str | None, says: str) -> None:
    with pytest.raises(SpecError, match=says):
        processor().check_modulus(modulus, None, curve and curves.find(curve))


def test_an_order_that_is_too_long_for_registers() -> None:
    """Registers of 32 bits; an order of 33."""
    design, curve = processor("fips", 32), curves.find("toy32-long")
    with pytest.raises(SpecError, match="an order of at most 32 bits"):
        design.check_modulus(curve.prime, "prime", curve)


def test_operations_that_a_curve_lacks() -> None:
    with pytest.raises(SpecError, match="x-multiply, invert with toy64-montgomery"):
        job(POINT_MULTIPLY, "toy64-montgomery")
    with pytest.raises(SpecError, match="must be one of invert with a modulus without a curve"):
        processor().mode(POINT_CHECK, Load(101))
    curve = curves.find("toy64")
    with pytest.raises(SpecError, match="the curve decides it"):
        processor().mode(POINT_MULTIPLY, Load.of(curve), length=5)


def test_multipliers_that_it_takes() -> None:
    taken = {name for name, entry in multipliers.REGISTRY.items() if PrimeCurve.takes(entry)}
    assert taken >= {"fpmm", "fips", "montgomery-lookahead"}
    assert not taken & {"scs-mm-2", "scs-mm-new", "fcs-mmm42", "tree-dadda", "orup"}
    with pytest.raises(SpecError, match="multiplier"):
        processor("scs-mm-2", 16)
    with pytest.raises(SpecError, match=r"^multiplier = .*: must be one that .* 2\^65 N"):
        processor("orup", 64)
    for name in sorted(taken):
        design = processor(name, 64, forms="weierstrass", verification=False)
        asked = job(POINT_MULTIPLY, "toy64", design, scalar=12345, **base("toy64"))
        assert design.compute(asked) == oracle(asked), name
