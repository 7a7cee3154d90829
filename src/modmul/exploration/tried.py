"""Counts how much of a space has been tried, keeps the front, and writes both to disk."""

from __future__ import annotations

from collections import Counter
from operator import attrgetter

import msgspec

from modmul.exploration.budget import Budget
from modmul.exploration.conditions import first_broken
from modmul.exploration.coverage import Ended, RunSummary, now
from modmul.exploration.grid import GridPoint
from modmul.exploration.names import figure
from modmul.exploration.order import fronts
from modmul.exploration.outcome import FrontPoint, Outcome
from modmul.exploration.point_source import PointSource
from modmul.exploration.record import Record
from modmul.exploration.space import Space
from modmul.exploration.store import Store
from modmul.implementation.result import EstimatedClock


class PointsTried:
    """The points tried so far.  outcome: the progress that is reported."""

    def __init__(self, space: Space, store: Store, source: PointSource, searched: bool):
        self.space, self.store, self.source = space, store, source
        self.began = now()
        self.statuses: Counter[str] = Counter()  # the number of points with each status
        self.best: list[Record] = []
        self.outcome = Outcome(
            space=space.name,
            summary=space.summary,
            directory=str(store.root),
            points=source.size,
            equal=source.equal,
            impossible=list(source.dropped),
            objectives=space.objectives,
            searched=searched,
        )

    def measured(self, record: Record) -> None:
        """Keep and count a record that was made in this run."""
        self.store.put(record)
        self.outcome.done += record.status == "done"
        self.outcome.outside += record.status == "outside"
        self.outcome.failed += record.status == "failed"
        self.outcome.measured += 1
        if record.seconds.tools:  # 0 if the process was ended from outside
            self.outcome.tool_seconds += record.seconds.tools
            self.outcome.point_seconds += record.seconds.total

    def cached(self, known: Record) -> Record:
        """Count a record that existed before; return it with its status under the conditions of
        this space."""
        broken = first_broken(self.space.where, known)
        if known.status == "done" and broken:
            known = msgspec.structs.replace(known, status="outside", reason=broken.broken)
        if known.status == "outside":
            self.outcome.outside += 1
        else:
            self.outcome.cached += 1
        return known

    def note(self, point: GridPoint, record: Record) -> None:
        """Tell the source about a record, and update the front."""
        self.source.tell(point, record)
        self.statuses[record.status] += 1
        if record.status != "done":
            return
        names = self.space.objectives

        def figures(record: Record) -> list[float | None]:
            return [figure(record, name) for name in names]

        # sorted, so that the order does not depend on which point finished first
        known = sorted([*self.best, record], key=attrgetter("technology", "width", "group", "key"))
        self.best = fronts(known, figures, attrgetter("group"))
        self.outcome.front = [
            FrontPoint(
                record.key,
                record.title,
                record.technology,
                record.spec,
                {name: value or 0.0 for name, value in zip(names, figures(record), strict=True)},
                record.area_unit,
                isinstance(record.clock, EstimatedClock),
                record.unverified,
            )
            for record in self.best
        ]

    def summarise(self, ended: Ended, reason: str) -> None:
        """Write a summary to the directory that says how much of the space has been tried."""
        counts, points = self.statuses, self.source.size
        self.store.summarise(
            RunSummary(
                space=self.space.name,
                searched=self.outcome.searched,
                points=points,
                done=counts["done"],
                outside=counts["outside"],
                failed=counts["failed"],
                not_started=max(0, points - counts.total()),
                impossible=list(self.source.dropped),
                equal=self.source.equal,
                ended=ended,
                reason=reason,
                began=self.began,
                written=now(),
            )
        )

    def update(self, budget: Budget, seconds: float, running: int) -> None:
        """Update the times of the outcome and its counts of what is left.  running: points under
        way."""
        outcome = self.outcome
        outcome.seconds, outcome.running = round(seconds, 1), running
        outcome.impossible, outcome.equal = list(self.source.dropped), self.source.equal
        outcome.points = self.source.size
        known = outcome.cached + outcome.done + outcome.outside + outcome.failed
        outcome.left = max(0, outcome.points - known - outcome.running)
        rate = outcome.measured / outcome.seconds if outcome.measured and outcome.seconds else None
        to_come = outcome.left + outcome.running
        if budget.points:
            to_come = min(to_come, budget.points - outcome.measured)
        outcome.seconds_left = to_come / rate if rate else None
        if budget.seconds is not None:
            rest = max(0.0, budget.seconds - outcome.seconds)
            outcome.seconds_left = min(rest, outcome.seconds_left or rest)
