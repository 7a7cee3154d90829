"""Bounds how much of a space is measured in one run: a number of points, or a time."""

from __future__ import annotations

import math
import re
import time
from typing import Any, NamedTuple

from modmul.errors import refusal

_UNITS = {"s": 1, "min": 60, "h": 3600}
_MOST = 10**9
_POINTS = re.compile(r"[0-9]{1,20}")
_TIME = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*(s|min|h)")
_ALLOWED = 'a number of points, or a time such as "45 min", "2 h", "30 s"; at most 10^9'


class Budget(NamedTuple):
    """A number of points to measure, or a time in seconds; the other one is None."""

    points: int | None = None
    seconds: float | None = None

    @classmethod
    def of(cls, value: Any, key: str = "budget") -> Budget:
        """Read a budget as users write it: 200, "200", "45 min", "2h".  Raises SpecError for
        anything else."""
        if isinstance(value, str):
            match = _TIME.fullmatch(value.strip())
            if match and 0 < float(match[1]) <= _MOST:
                return cls(seconds=float(match[1]) * _UNITS[match[2]])
            value = int(value) if _POINTS.fullmatch(value.strip()) else value
        if isinstance(value, int) and not isinstance(value, bool) and 0 < value <= _MOST:
            return cls(points=value)
        raise refusal(key, value, _ALLOWED)

    def __str__(self) -> str:
        if self.points:
            return f"{self.points} points"
        seconds = self.seconds or 0.0
        return f"{seconds:g} s" if seconds < 60 else f"{seconds / 60:g} min"


class Spending:
    """Tracks how much of a budget of time is left, in a run that begins now."""

    def __init__(self, budget: Budget):
        self._limit, self._began = budget.seconds, time.monotonic()
        self._weight = self._spent = 0.0  # sums over the finished points

    @property
    def seconds(self) -> float:
        """The seconds since the beginning."""
        return time.monotonic() - self._began

    @property
    def left(self) -> float:
        """The seconds that are left; infinite for a budget without a time."""
        return math.inf if self._limit is None else self._limit - self.seconds

    @property
    def up(self) -> bool:
        """Whether no time is left."""
        return self.left <= 0

    def on(self, weight: float, seconds: float) -> None:
        """Count a finished point.  weight: how long it takes, relative to other points."""
        self._weight += weight
        self._spent += seconds

    def allows(self, weight: float) -> bool:
        """Whether a point of this weight will probably finish in time, judged by earlier ones."""
        pace = self._spent / self._weight if self._weight else 0.0
        return self.left > pace * weight
