"""The processor for Kummer surfaces without hardware: golden model, streams, what is refused."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

import pytest

from known_answers import load
from modmul import multipliers
from modmul.arithmetic import curves, surfaces
from modmul.arithmetic.oracle import OracleQuery, right
from modmul.errors import SpecError
from modmul.export import points as drawing
from modmul.operation import Job
from modmul.processors.contract import Load
from modmul.processors.engine.curve_processor import INVERT
from modmul.processors.kummer import Kummer
from modmul.processors.kummer.operations import (
    POINT_MULTIPLY,
    POINT_PAIR,
    WRAPPED,
    WRAPPED_PAIR,
)
from modmul.spec import Spec

KNOWN, TOY = curves.find("gaudry-schost"), curves.find("toy16-kummer")
EXCEPTIONAL = {"exceptional": True}
ZERO_X = 74_045  # times the base point of TOY has x = 0


@cache
def processor(width: int = 127, **options: Any) -> Kummer:
    return Kummer(multiplier=multipliers.find("fpmm")(width=width), **options)


def job(design: Kummer, operation: str, surface: curves.Curve, **operands: int) -> Job:
    mode = design.mode(operation, Load.of(surface))
    asked = Job(mode, surface.prime, operands)
    design.check_operands(asked)
    return asked


def oracle(asked: Job) -> dict[str, int]:
    mode = asked.mode
    return right(OracleQuery(mode.operation, asked.operands, asked.modulus, curve=mode.curve))


def base(surface: curves.Curve, factor: int = 1, suffix: str = "") -> dict[str, int]:
    point = surfaces.base(surface)._asdict()
    return {
        f"{name}{suffix}": coordinate * factor % surface.prime for name, coordinate in point.items()
    }


def wrapped(surface: curves.Curve, suffix: str = "") -> dict[str, int]:
    coordinates = surfaces.wrapped(surface, surfaces.base(surface))
    assert coordinates is not None
    return {
        f"{name}{suffix}": coordinate
        for name, coordinate in zip(("xy", "xz", "xt"), coordinates, strict=True)
    }


@pytest.mark.parametrize("design", Kummer.examples(), ids=lambda design: design.title)
@pytest.mark.short(
    "kummer-two-2-ports-operands-fpmm_64_F4x4D_w17",
    "kummer-wrapped-two-2-ports-one-bank-fpmm_64_F8x2D",
    "kummer-wrapped-distributed-fips-16-w8-m1-l1-protected",
)
def test_edges_of_every_operation_on_every_surface(design: Kummer) -> None:
    """By the golden machine; the beats of its answer say the same."""
    rng, seen = random.Random(design.title), set()
    for place in drawing.edge_loads(design)[-4:]:  # the shortest surfaces, primes without one
        for operation in design.operations_on(place):
            mode = design.mode(operation, place)
            rules = {rule.name: rule for rule in design.operand_rules(mode, place.modulus)}
            edges = drawing.edges(operation, place, rules, rng)
            for operands in [*edges[:2], drawing.drawn(operation, place, rules, rng)]:
                asked = Job(mode, place.modulus, operands)
                design.check_operands(asked)
                computed, answer = design.compute(asked), design.answer(asked)
                assert computed == oracle(asked), (place, asked)
                assert design.reply(mode, answer) == computed
                assert len(answer) == design.reply_beats(mode, place.modulus)
            seen.add(operation)
    assert seen == set(design.programs.operations("kummer"))


@pytest.mark.parametrize(
    "test",
    [
        pytest.param(case, marks=pytest.mark.long if place else ())
        for place, case in enumerate(load("kummer")["tests"])
    ],
)
def test_vectors(test: dict[str, Any]) -> None:
    """Wrapped as they are, and with any common factor."""
    scalar, p = int(test["k"], 16), KNOWN.prime
    out = [int(coordinate, 16) for coordinate in test["out"]]
    asked = job(processor(), POINT_MULTIPLY, KNOWN, scalar=scalar, **base(KNOWN, scalar))
    computed = processor().compute(asked)
    assert computed["x"] == 1 and [pow(computed[name], -1, p) for name in "yzt"] == out
    design = processor(wrapped=True)
    told = job(design, WRAPPED, KNOWN, scalar=scalar, **wrapped(KNOWN))
    assert list(design.compute(told).values()) == out


def test_two_at_once() -> None:
    design, other = processor(64, batch=2), processor(64, batch=2, wrapped=True)
    toy, rng = curves.find("toy32-kummer"), random.Random(2)
    for k, m in ((0, 5), (rng.getrandbits(64), rng.getrandbits(64))):
        first, second = base(toy), base(toy, 9, "2")
        asked = job(design, POINT_PAIR, toy, scalar=k, **first, scalar2=m, **second)
        assert design.compute(asked) == oracle(asked)
        told = job(
            other, WRAPPED_PAIR, toy, scalar=k, **wrapped(toy), scalar2=m, **wrapped(toy, "2")
        )
        assert other.compute(told) == oracle(told)


def test_what_cannot_be_told() -> None:
    """x of the result is 0; of two both are lost."""
    design = processor(64, batch=2)
    asked = job(design, POINT_MULTIPLY, TOY, scalar=ZERO_X, **base(TOY))
    assert design.compute(asked) == oracle(asked) == EXCEPTIONAL
    for k, m in ((ZERO_X, 3), (3, ZERO_X)):
        pair = job(design, POINT_PAIR, TOY, scalar=k, **base(TOY), scalar2=m, **base(TOY, 3, "2"))
        assert design.compute(pair) == oracle(pair) == EXCEPTIONAL
    right_one = job(design, POINT_MULTIPLY, TOY, scalar=ZERO_X + 1, **base(TOY))
    assert design.compute(right_one)["x"] == 1


def test_what_can_be_seen_does_not_depend_on_numbers() -> None:
    """The same words at the same times; what is computed differs."""
    for design in (processor(64), processor(64, wrapped=True, randomise=False)):
        traces, results, rng = set(), set(), random.Random(1)
        operation = design.programs.operations("kummer")[0]
        for k in (0, 1, (1 << 32) - 1, *(rng.getrandbits(32) for _ in range(30))):
            point = wrapped(TOY) if design.wrapped else base(TOY, k % 60000 + 1)
            result = design.run(job(design, operation, TOY, scalar=k, **point))
            traces.add(tuple(result.outcome.trace()))
            results.add(result.results)
            assert {
                result.outcome.memory[number]
                for number in design.programs.image(design.program_of(operation, TOY)).used
            } == {0}
        assert len(traces) == 1
        assert len(results) > 25


def test_random_numbers_change_beats_and_no_results() -> None:
    plain, randomised = processor(64, randomise=False), processor(64)
    asked = [
        job(design, POINT_MULTIPLY, TOY, scalar=77, **base(TOY)) for design in (plain, randomised)
    ]
    assert plain.compute(asked[0]) == randomised.compute(asked[1])
    assert "random" not in plain.request(asked[0])
    assert len(randomised.request(asked[1])["random"]) == 2 * randomised.engine.machine.beats


def test_operations_depend_on_what_is_built() -> None:
    assert processor().operations_on(Load.of(KNOWN)) == (POINT_MULTIPLY, INVERT)
    assert processor().operations_on(Load(101)) == (INVERT,)
    assert processor(batch=2, wrapped=True).operations_on(Load.of(KNOWN)) == (
        WRAPPED,
        WRAPPED_PAIR,
        INVERT,
    )
    assert [mode.name for mode in processor().modes] == [
        "point-multiply-gaudry-schost-251-bits",
        "invert-prime",
    ]


def test_cycles_a_bit_of_the_scalar() -> None:
    """What gallin2019 tells of A2: 684, of A3: 414; our goals: 544, of two at once 488 each, with
    two multipliers 368."""
    design, two = processor(), processor(batch=2)
    steps = 2 * 126 + 2  # two halves of 251 bits, each with a pass more
    alone, pair = (
        each.cycles(each.mode(operation, Load.of(KNOWN)))
        for each, operation in ((design, POINT_MULTIPLY), (two, POINT_PAIR))
    )
    assert alone["steps"].maximum == 512 * (steps - 2)  # no pass more
    assert pair["steps"].maximum == 2 * 448 * steps
    for units, ports, each in ((2, 1, 404), (2, 2, 364)):
        more = processor(units=units, ports=ports)
        cycles = more.cycles(more.mode(POINT_MULTIPLY, Load.of(KNOWN)))
        assert cycles["steps"].maximum == each * (252 if ports == 2 else steps - 2)
    one_bank = processor(register_file="one-bank")
    cycles = one_bank.cycles(one_bank.mode(POINT_MULTIPLY, Load.of(KNOWN)))
    assert cycles["steps"].maximum == 540 * steps
    multiplier = multipliers.find("fpmm")(width=127, target="xc7")
    two_banks = Kummer(multiplier=multiplier, units=2, ports=2, register_file="two-banks")
    cycles = two_banks.cycles(two_banks.mode(POINT_MULTIPLY, Load.of(KNOWN)))
    assert cycles["steps"].maximum == 364 * steps
    less = processor(wrapped=True)
    cycles = less.cycles(less.mode(WRAPPED, Load.of(KNOWN)))
    assert 2 * cycles["inversion"].maximum == alone["inversion"].maximum
    assert cycles.keys() <= less.terms.keys()


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"curve": "p192"}, "must be of at most 127 bits"),
        ({"curve": "toy64"}, "must be a Kummer surface, such as gaudry-schost"),
        ({"curve": "gaudry-shost"}, "did you mean gaudry-schost"),
        ({"curve": "gaudry-schost", "modulus": "p192"}, "has its own"),
        ({"modulus": "x^3+x+1"}, "not polynomials over GF"),
        ({"architecture": "curve", "curve": "gaudry-schost"}, "of the form weierstrass or"),
        (
            {
                "ports": 2,
                "units": 2,
                "word": 17,
                "interconnect": "operand",
                "register_file": "one-bank",
            },
            "whole operands are in one memory anyway",
        ),
        ({"register_file": "two-banks"}, "products and sums have a bank each anyway"),
        ({"ports": 2}, "ports = 2: must be at most 1, as units is"),
        ({"ports": 2, "units": 2, "multiplier": "fips"}, "every second cycle or less often"),
    ],
)
def test_surfaces_that_cannot_be(options: dict[str, Any], says: str) -> None:
    with pytest.raises(SpecError, match=says):
        Spec.from_options({"architecture": "kummer", "multiplier": "fpmm", "width": 127, **options})


def test_the_usual_width_is_that_of_the_surface() -> None:
    options = {"architecture": "kummer", "multiplier": "fpmm"}
    assert Spec.from_options(options).design.width == 127
    assert Spec.from_options({**options, "curve": "toy64-kummer"}).design.width == 64
    assert Spec.from_options({**options, "width": 130}).design.width == 130


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"scalar": 1 << 251}, "scalar = 0x80+: must be a number below"),
        ({"y": 0}, "y = 0x0: must be a number from 1 and below"),
        ({"t": KNOWN.prime}, "t = 0x7f+: must be a number from 1 and below"),
        ({"z": 5}, "is not on gaudry-schost"),
    ],
)
def test_operands_that_cannot_be(change: dict[str, int], says: str) -> None:
    design = processor()
    operands = {"scalar": 5, **base(KNOWN)} | change
    mode = design.mode(POINT_MULTIPLY, Load.of(KNOWN))
    asked = Job(mode, KNOWN.prime, operands)
    with pytest.raises(SpecError, match=says):
        design.compute(asked)
        design.check_operands(asked)


@pytest.mark.parametrize(
    ("target", "shared"), [("xc4v", True), ("xc6s", True), ("xc5v", False), ("xc7", False)]
)
def test_programs_and_constants_share_a_block_where_its_ports_are_wide(
    target: str, shared: bool
) -> None:
    """Programs stand behind all that an address of a constant can reach."""
    multiplier = multipliers.find("fpmm")(width=127, target=target)
    build = Kummer(multiplier=multiplier, wrapped=True).programs.build
    assert build.paired == shared
    constants, words = build.shared_depths
    assert build.entries[0] == (128 if shared else 0) and constants <= 128 < words
