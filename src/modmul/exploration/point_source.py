"""Sources of the points to measure, and the full grid as such a source."""

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
    """Gives the points to measure, one after the other.

    size: the most points that it can give.  equal: the number of combinations that were the same
    design as another.  dropped: the impossible combinations so far."""

    size: int
    equal: int

    @property
    def dropped(self) -> Sequence[Dropped]: ...

    def next(self) -> GridPoint | None:
        """Return the next point; None if there is none at present."""

    def tell(self, point: GridPoint, record: Record) -> None:
        """Take the record of a point that `next` returned."""


class FullGrid:
    """All points of a space, sorted by the fronts of their forecasts."""

    def __init__(self, space: Space):
        full = grid.grid(space)
        self.dropped, self.equal = full.dropped, full.equal
        self.points = sorted_by_forecast(full.points, space.objectives)
        self.size = len(self.points)
        self._next = iter(self.points)

    def next(self) -> GridPoint | None:
        return next(self._next, None)

    def tell(self, point: GridPoint, record: Record) -> None:
        """Do nothing: the order of the grid does not depend on results."""


def nothing_possible(space: Space, source: PointSource) -> SpecError:
    """Return the error, with reasons, for a space without any possible point."""
    reasons = "; ".join(
        f"{group.count} of {group.architecture}: {group.reason}"
        for group in list(source.dropped)[:5]
    )
    allowed = "a space with at least one possible point"
    message = f"{space.name}: none of {space.size} combinations is possible: {reasons}"
    return SpecError("space", space.name, allowed, message)
