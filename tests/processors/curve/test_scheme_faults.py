"""Faults during signatures and key agreement, on the golden machine: where a multiple of a point is
not on the curve any more, nothing of it leaves."""

from __future__ import annotations

import random
from collections import Counter
from functools import cache

import pytest

from faulty_engine import Faulty
from modmul import multipliers
from modmul.arithmetic import curves
from modmul.arithmetic.oracle import OracleQuery, right
from modmul.operation import Job
from modmul.processors.contract import Load
from modmul.processors.curve import PrimeCurve

CURVE = curves.find("toy32")
SECRETS = {"digest": 0x1234567, "private": 0xABCDEF1, "nonce": 0x7654321}
POINT = {"x": CURVE.x, "y": CURVE.y}
ASKED = {
    "ecdsa-sign": SECRETS,
    "sm2-sign": SECRETS,
    "ecdh": {"private": 0xABCDEF1, **POINT},
    "sm2-exchange": {
        "private": 77,
        "ephemeral": 99,
        "factor": 0x8123,
        **POINT,
        "factor2": 0x8321,
        "x2": CURVE.x,
        "y2": CURVE.prime - CURVE.y,
    },
}


@cache
def processor() -> PrimeCurve:
    return PrimeCurve(multiplier=multipliers.find("fpmm")(width=32), forms="weierstrass")


def job(operation: str) -> Job:
    mode = processor().mode(operation, Load.of(CURVE))
    return Job(mode, CURVE.prime, ASKED[operation])


def ladder(asked: Job) -> range:
    """The words of the loop that multiplies by what is secret: it takes the bits of k, each
    exclusive-ored with the one before."""
    done = [each.word for each in processor().run(asked).outcome.done]
    taken = [at for at, word in enumerate(done) if (word.op, word.a, word.aux) == ("BIT", 0, 0)]
    assert len(taken) >= CURVE.scalar_bits
    return range(taken[0] + 1, taken[-1])


def told(asked: Job, after: int, place: int, bit: int) -> str:
    """What came of one fault: no effect, found, or something else."""
    design, machine = processor(), Faulty(processor(), asked, after, place, bit)
    outcome = machine.outcome_of()
    if outcome is None:
        return "refused"
    said, mode = design.said(asked.mode, outcome.results, int(outcome.status)), asked.mode
    if said == right(OracleQuery(mode.operation, asked.operands, asked.modulus, curve=mode.curve)):
        return "no effect"
    assert machine.hit
    flag = "invalid" if mode.operation == "sm2-exchange" else "fault"
    silent = said == {flag: True} and set(outcome.results) == {0}
    return "found" if silent else "left"


@pytest.mark.parametrize(
    ("operation", "faults"),
    [
        ("ecdsa-sign", 3),
        ("ecdh", 2),
        *(pytest.param(operation, 60, marks=pytest.mark.long) for operation in ASKED),
    ],
)
@pytest.mark.timeout(3600)
def test_faults_in_registers_while_a_point_is_multiplied(operation: str, faults: int) -> None:
    """In each register, at several times of the loop."""
    asked, rng = job(operation), random.Random(operation)
    words, used = ladder(asked), processor().image(asked.mode).used
    covered = set(used)
    seen = Counter(
        told(asked, rng.choice(words), place, rng.randrange(32))
        for place in covered
        for _ in range(faults)
    )
    assert seen["left"] == 0
    assert seen["found"] > 0.15 * seen.total() and seen["refused"] < 0.1 * seen.total(), seen


def test_a_point_that_left_the_curve_is_told() -> None:
    """The base point, or b, is wrong from the beginning: all multiples are on another curve."""
    asked = job("ecdsa-sign")
    image, design = processor().image(asked.mode), processor()
    rows = {name.partition(".")[0]: row for name, row in image.rows.items()}
    for name in ("bx", "by", "b"):
        for bit in (0, 13, 31):
            machine = Faulty(design, asked, 0, -1 - rows[name], bit)
            values = list(machine.given.constants)
            values[rows[name]] = (values[rows[name]] ^ 1 << bit) % CURVE.prime
            machine.given = machine.given._replace(constants=values)
            outcome = machine.outcome_of()
            assert outcome is not None
            assert design.said(asked.mode, outcome.results, int(outcome.status)) == {"fault": True}
            assert outcome.results == [0, 0]
