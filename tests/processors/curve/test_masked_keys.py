"""Private keys in the arithmetic modulo the order: a random number is multiplied into them, or
added, before anything else is done with them, and no result depends on it."""

from __future__ import annotations

import random
from functools import cache

import pytest

from modmul import multipliers
from modmul.arithmetic import curves
from modmul.arithmetic.curves import Curve
from modmul.export import signatures
from modmul.operation import Job
from modmul.processors.binary_curve import BinaryCurve
from modmul.processors.contract import Load
from modmul.processors.curve import PrimeCurve
from modmul.processors.engine.curve_processor import CurveProcessor
from modmul.processors.engine.golden import EngineOutcome, Golden
from modmul.processors.engine.operation import streams
from modmul.processors.engine.program import Operation
from modmul.processors.engine.values import Numbers

# Operation, a small curve, what keys are called in its program, and how they are masked.
MASKED = [
    ("ecdsa-sign", "toy16", ("d",), "MUL"),
    ("sm2-sign", "toy16", ("d",), "MUL"),
    ("sm2-exchange", "toy16", ("d", "e"), "ADD"),
    ("eddsa-sign", "toy16-twisted", ("d",), "ADD"),
    ("ecdsa-sign", "toy17-binary", ("d",), "MUL"),
]


@cache
def processor(curve: Curve, randomise: bool = True) -> CurveProcessor:
    if curve.form == "binary":
        multiplier = multipliers.find("fips")(width=curve.bits, word=8)
        return BinaryCurve(multiplier=multiplier, randomise=randomise)
    return PrimeCurve(
        multiplier=multipliers.find("fpmm")(width=16), forms=curve.form, randomise=randomise
    )


@cache
def job(operation: str, curve: Curve, randomise: bool = True) -> Job:
    """Operands that give numbers."""
    design, rng = processor(curve, randomise), random.Random(operation)
    mode = design.mode(operation, Load.of(curve))
    rules = {rule.name: rule for rule in design.operand_rules(mode, curve.prime)}
    while True:
        asked = Job(mode, curve.prime, signatures.drawn(operation, curve, rules, rng))
        if design.compute(asked).keys() & {"s", "x"}:
            return asked


def readers(operations: list[Operation], name: str) -> list[Operation]:
    return [operation for operation in operations if name in operation.reads]


@pytest.mark.parametrize(("operation", "name", "keys", "op"), MASKED)
def test_a_key_meets_the_mask_first(
    operation: str, name: str, keys: tuple[str, ...], op: str
) -> None:
    """And nothing else; the mask itself is multiplied by a constant alone."""
    curve = curves.find(name)
    program = processor(curve).image(job(operation, curve).mode).program
    every = list(program.operations())
    (drawn,) = readers(every, "mask")
    assert drawn.op == "MUL" and {read.partition(".")[0] for read in drawn.reads} == {"mask", "r2"}
    assert program.source("mask").kind == "random"
    for key in keys:
        assert program.source(key).secret
        (only,) = readers(every, key)
        assert only.op == op and set(only.reads) == {key, drawn.dst}


def by_mask(operation: str, curve: Curve, mask: int) -> EngineOutcome:
    design, asked = processor(curve), job(operation, curve)
    image = design.image(asked.mode)
    settings = design.programs.settings(design.moduli(asked.modulus, curve), [image.program.name])
    given = streams(image, settings, design.values(asked) | {"mask": mask}, design.lengths(asked))
    numbers = Numbers(image.machine, settings, design.engine.limits.register)
    counters = [curve.scalar_bits for _ in image.program.of("counter")]
    return Golden(image.machine, numbers).run(image.words, given, counters)


@pytest.mark.parametrize(("operation", "name", "op"), [(*case[:2], case[3]) for case in MASKED])
def test_no_result_depends_on_the_mask(operation: str, name: str, op: str) -> None:
    """0 takes the mask away where it is added; where it is multiplied nothing leaves."""
    curve = curves.find(name)
    design, asked = processor(curve), job(operation, curve)
    outcomes = [by_mask(operation, curve, mask) for mask in (1, 2, 0x321, curve.order - 1)]
    said = [design.said(asked.mode, each.results, int(each.status)) for each in outcomes]
    assert said == [design.compute(asked)] * len(outcomes)
    assert len(said[0]) == len(outcomes[0].results)
    written = {tuple(done.value for done in each.done) for each in outcomes}
    assert len(written) == len(outcomes)
    zero = by_mask(operation, curve, 0)
    if op == "MUL":
        assert design.said(asked.mode, zero.results, int(zero.status)) == {"exceptional": True}
        assert set(zero.results) == {0}
    else:
        assert zero.results == outcomes[0].results


@pytest.mark.parametrize(("operation", "name"), [case[:2] for case in MASKED])
def test_without_random_numbers(operation: str, name: str) -> None:
    """The same results, and no stream that nothing takes from."""
    curve = curves.find(name)
    design, plain = processor(curve), processor(curve, randomise=False)
    assert "random" not in {stream.name for stream in plain.streams}
    assert plain.compute(job(operation, curve, False)) == design.compute(job(operation, curve))
