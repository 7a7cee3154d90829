"""Schedules of points, simulated, and times that follow from declared cycles."""

from __future__ import annotations

from collections.abc import Sequence

from modmul.reporting.points import Point, spec_of
from modmul.toolchain.work import Work
from modmul.verification.observed import ProductSchedule, simulate


def schedules(chosen: Sequence[Point], work: Work) -> dict[int, ProductSchedule]:
    """The schedules of points, by their numbers; those that this version cannot build are missing.

    A design takes some seconds to compile, once.  CheckFailed if a product is wrong."""
    simulated = {}
    work.progress("simulate schedules", 0, len(chosen))
    for done, point in enumerate(chosen, 1):
        spec = spec_of(point.record)
        if spec is not None:
            simulated[point.number] = simulate(spec, work.cache)
        work.progress("simulate schedules", done, len(chosen))
    return simulated


def counted(point: Point, most: int) -> list[float] | None:
    """Time for 1, 2 ... `most` products, in the unit of the point, at its clock: the cycles that
    the multiplier declares.  None where there is no clock, or it cannot be built here."""
    time = point.record.time
    spec = spec_of(point.record)
    if time is None or spec is None:
        return None
    design, mode = spec.design, spec.headline
    return [design.cycles_for(k, mode) * time.period for k in range(1, most + 1)]
