"""Operations of processors for curves, for tests of their golden machine."""

from __future__ import annotations

from functools import cache
from typing import Any

from modmul import multipliers
from modmul.arithmetic import curves
from modmul.design import Job
from modmul.processors.curve import Curve


@cache
def processor(width: int = 9, **options: Any) -> Curve:
    """On `fpmm`; 9 bits hold the order of the smallest curves, which may be above the prime."""
    return Curve(multiplier=multipliers.find("fpmm")(width=width), **options)


def fitting(name: str) -> Curve:
    """The processor with everything, as wide as a curve."""
    return processor(max(9, curves.find(name).bits))


def job(operation: str, name: str, one: Curve | None = None, **operands: int) -> Job:
    """An operation on a curve; one: the processor."""
    curve = curves.find(name)
    mode = (one or fitting(name)).mode_for(operation, curve.prime, curve=curve)
    return Job(mode, curve.prime, operands)
