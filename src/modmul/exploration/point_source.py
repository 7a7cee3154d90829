"""Points to be measured: where they come from, and the full grid as one such source."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from modmul.errors import SpecError
from modmul.exploration import grid
from modmul.exploration.forecasts import sorted_by_forecast
from modmul.exploration.grid import Dropped, GridPoint
from modmul.exploration.record import Record
from modmul.exploration.space import Space


class PointSource(Protocol):
    """Gives the points to be measured, one after the other.

    size: how many there are at most.  equal: combinations that were the same design as another.
    dropped: impossible combinations so far."""

    size: int
    equal: int

    @property
    def dropped(self) -> Sequence[Dropped]: ...

    def next(self) -> GridPoint | None:
        """The next point; None when there is none (any more)."""

    def tell(self, point: GridPoint, record: Record) -> None:
        """Takes the record of a point that was given: what came of it."""


class FullGrid:
    """All points of a space, sorted by fronts of the forecast."""

    def __init__(self, space: Space):
        full = grid.grid(space)
        self.dropped, self.equal = full.dropped, full.equal
        self.points = sorted_by_forecast(full.points, space.objectives)
        self.size = len(self.points)
        self._next = iter(self.points)

    def next(self) -> GridPoint | None:
        return next(self._next, None)

    def tell(self, point: GridPoint, record: Record) -> None:
        """Does nothing: the order of the grid does not depend on results."""


def nothing_possible(space: Space, source: PointSource) -> SpecError:
    """The error of a space without any possible point, with reasons."""
    reasons = "; ".join(f"{group.count} of {group.architecture}: {group.reason}"
                        for group in list(source.dropped)[:5])  # fmt: skip
    allowed = "a space with at least one possible point"
    message = f"{space.name}: none of {space.size} combinations is possible: {reasons}"
    return SpecError("space", space.name, allowed, message)
