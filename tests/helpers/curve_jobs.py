"""Operations of processors for curves, for tests of their golden machine."""

from __future__ import annotations

from functools import cache
from typing import Any

from modmul import multipliers
from modmul.arithmetic import curves
from modmul.operation import Job
from modmul.processors.contract import Load
from modmul.processors.curve import PrimeCurve


@cache
def processor(width: int = 9, **options: Any) -> PrimeCurve:
    """On `fpmm`; 9 bits hold the order of the smallest curves, which may be above the prime."""
    return PrimeCurve(multiplier=multipliers.find("fpmm")(width=width), **options)


def fitting(name: str) -> PrimeCurve:
    """The processor with everything, as wide as a curve."""
    return processor(max(9, curves.find(name).bits))


def job(operation: str, name: str, design: PrimeCurve | None = None, **operands: int) -> Job:
    """An operation on a curve.  design: the processor, by default the one that fits the curve."""
    curve = curves.find(name)
    mode = (design or fitting(name)).mode(operation, Load.of(curve))
    return Job(mode, curve.prime, operands)
