"""Simulates the schedules of points, and computes times from declared cycles."""

from __future__ import annotations

from collections.abc import Sequence

from modmul.reporting.points import Point, spec_of
from modmul.toolchain.work import Work
from modmul.verification.observed import ProductSchedule, simulate


def schedules(chosen: Sequence[Point], work: Work) -> dict[int, ProductSchedule]:
    """The simulated schedules by the number of their point, without designs that this
    version cannot build.  A design takes some seconds to compile, once.  Raises CheckFailed if a
    product is wrong."""
    simulated = {}
    work.progress("simulate schedules", 0, len(chosen))
    for done, point in enumerate(chosen, 1):
        spec = spec_of(point.record)
        if spec is not None:
            simulated[point.number] = simulate(spec, work.cache)
        work.progress("simulate schedules", done, len(chosen))
    return simulated


def counted(point: Point, most: int) -> list[float] | None:
    """The times for 1, 2 ... `most` products at the clock of the point, in its unit, from
    the cycles that the multiplier declares.  None if there is no clock, or the design cannot be
    built."""
    time = point.record.time
    spec = spec_of(point.record)
    if time is None or spec is None:
        return None
    design, mode = spec.design, spec.headline
    return [design.cycles_for(k, mode) * time.period for k in range(1, most + 1)]
