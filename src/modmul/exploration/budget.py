"""How much of a space is measured in one run: a number of points, or a time."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from modmul.errors import SpecError

_UNITS = {"s": 1, "min": 60, "h": 3600}
_TIME = re.compile(r"(\d+(?:\.\d+)?)\s*(s|min|h)")
_ALLOWED = 'a number of points, or a time such as "45 min", "2 h", "30 s"'


class Budget(NamedTuple):
    """Points to be measured, or seconds; the other is None."""

    points: int | None = None
    seconds: float | None = None

    @classmethod
    def of(cls, value: Any, key: str = "budget") -> Budget:
        """From what a user writes: 200, "200", "45 min", "2h".  SpecError for anything else."""
        text = str(value).strip()
        match = _TIME.fullmatch(text)
        if match and isinstance(value, str) and float(match[1]) > 0:
            return cls(seconds=float(match[1]) * _UNITS[match[2]])
        if isinstance(value, (int, str)) and not isinstance(value, bool) and text.isdigit():
            if int(text) > 0:
                return cls(points=int(text))
        raise SpecError(key, value, _ALLOWED, f"{key} = {value!r}: must be {_ALLOWED}")

    def __str__(self) -> str:
        if self.points:
            return f"{self.points} points"
        seconds = self.seconds or 0.0
        return f"{seconds:g} s" if seconds < 60 else f"{seconds / 60:g} min"
