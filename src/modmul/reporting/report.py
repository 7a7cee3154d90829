"""Collects everything that a report shows, once: the page, the pictures and the summary read it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec

from modmul.errors import visible
from modmul.exploration.record import Record
from modmul.exploration.store import Coverage, RunSummary, coverage
from modmul.parameters import SCHEDULES
from modmul.reporting import points as report_points
from modmul.reporting import published
from modmul.reporting.points import Point, spec_of
from modmul.reporting.published import Published
from modmul.toolchain.cache import Cache
from modmul.toolchain.progress import Report as Progress
from modmul.toolchain.progress import silent
from modmul.toolchain.work import Work
from modmul.verification.observed import ProductSchedule, simulate


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """The content of a report about one exploration.

    points: all points, in order of their numbers.  front: the Pareto fronts of area and time per
    product of all groups.  coverage: how much of its space was measured.  counted: times for 1, 2
    ... products.  schedules: simulated.  Both are by the number of a point."""

    title: str
    points: list[Point]
    front: list[Point]
    published: list[Published]
    counted: dict[int, list[float]]
    schedules: dict[int, ProductSchedule]
    coverage: Coverage

    @property
    def counts(self) -> dict[str, int]:
        """The number of points of each status, and of those done with an estimated clock.  If the
        last run left a summary, this includes the points that were not started and the combinations
        that are impossible."""
        statuses, run = Counter(point.record.status for point in self.points), self.coverage.run
        counts = {status: statuses[status] for status in ("done", "outside", "failed")}
        counts["estimated"] = sum(point.drawn and point.estimated != "" for point in self.points)
        if run is not None:
            counts |= {"not_started": run.not_started, "impossible": run.dropped}
        return counts


def report(
    records: Sequence[Record],
    title: str,
    *,
    run: RunSummary | None = None,
    simulated: int = SCHEDULES,
    cache: Cache | None = None,
    progress: Progress = silent,
) -> Report:
    """Put a report together.  run: the summary that the last run left beside the records, None if
    it left none.  simulated: the most designs whose schedule is simulated.  Raises CheckFailed if a
    product of a simulated design is wrong, ToolMissing, ToolFailed."""
    work = Work(cache=cache or Cache(), progress=progress)
    points = report_points.points(records)
    front = report_points.front(points)
    counted = {point.number: _counted(point, published.COUNTS) for point in points if point.drawn}
    return Report(
        title=visible(title, kept=""),
        points=points,
        front=front,
        published=published.comparable(point for point in points if point.drawn),
        counted={number: times for number, times in counted.items() if times is not None},
        schedules=_schedules(_shown(points, front, simulated), work),
        coverage=coverage(records, run),
    )


def _shown(points: Sequence[Point], front: Sequence[Point], most: int) -> list[Point]:
    """Choose the points whose schedules are shown: the multipliers of the front, those of the
    largest groups first, one of each title; then one of every architecture that is not on a front.
    A processor executes one operation at a time, so it has no schedule to show."""
    front = [point for point in front if point.multiplies]
    sizes = Counter(point.group for point in points if point.drawn)
    ordered = sorted(front, key=lambda point: -sizes[point.group])
    ordered += [point for point in points if point.drawn and point.multiplies]
    chosen: dict[str, Point] = {}
    seen = {point.record.architecture for point in front}
    for place, point in enumerate(ordered):
        architecture = point.record.architecture
        if place < len(front):
            chosen.setdefault(point.record.title, point)
        elif architecture not in seen:
            seen.add(architecture)
            chosen[point.record.title] = point
    return list(chosen.values())[:most]


def _schedules(chosen: Sequence[Point], work: Work) -> dict[int, ProductSchedule]:
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


def _counted(point: Point, most: int) -> list[float] | None:
    """The times for 1, 2 ... `most` products at the clock of the point, in its unit, from
    the cycles that the multiplier declares.  None if there is no clock, or the design cannot be
    built."""
    time = point.record.time
    spec = spec_of(point.record)
    if time is None or spec is None:
        return None
    design, mode = spec.design, spec.headline
    return [design.cycles_for(k, mode) * time.period for k in range(1, most + 1)]
