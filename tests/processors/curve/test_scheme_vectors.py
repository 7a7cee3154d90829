"""Signatures and key agreement of standards by the golden machine, on processors of the curves'
widths.  `test_known_answers` has them on the simulated Verilog."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import pytest

from known_signatures import NAMES, KnownAnswer, known
from modmul import multipliers
from modmul.arithmetic import curves
from modmul.operation import Job
from modmul.processors.contract import Load
from modmul.processors.curve import PrimeCurve

pytestmark = pytest.mark.timeout(1800)
QUICK = "p256", "sm2", "ed25519"


@cache
def processor(width: int) -> PrimeCurve:
    return PrimeCurve(multiplier=multipliers.find("fpmm")(width=width))


def every() -> Iterator[object]:
    """By default of three curves the first of each operation and kind of answer."""
    seen = set()
    for name in NAMES:
        for place, case in enumerate(known(curves.find(name))):
            kind = name, case.operation, case.result.get("valid")
            quick = name in QUICK and kind not in seen
            seen.add(kind)
            yield pytest.param(
                name,
                case,
                marks=() if quick else pytest.mark.long,
                id=f"{name}-{place}-{case.operation}",
            )


@pytest.mark.parametrize(("name", "case"), [*every()])
def test_known_answers(name: str, case: KnownAnswer) -> None:
    curve = curves.find(name)
    core = processor(curve.bits)
    asked = Job(core.mode(case.operation, Load.of(curve)), curve.prime, case.operands)
    assert core.declined(asked) is None
    assert core.compute(asked) == case.result
