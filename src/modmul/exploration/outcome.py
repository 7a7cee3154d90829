"""Progress of an exploration while it runs, and the final summary."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from modmul.exploration.grid import Dropped


class FrontPoint(msgspec.Struct, frozen=True):
    """A member of the front of its group: chip family or cell library, width, field.

    figures: by the names of the objectives.  area_unit: of `area.value`, with what a DSP counts;
    unverified: its time is at a clock decided by a limit that was not checked in its source."""

    key: str
    title: str
    technology: str
    spec: dict[str, Any]
    figures: dict[str, float]
    area_unit: str = ""
    unverified: bool = False


class Outcome(msgspec.Struct, kw_only=True):
    """Progress of an exploration while it runs, and the final summary.

    points: possible ones, without those that turned out equal to another; impossible: combinations
    dropped before any tool ran, by reason.  cached: were in the directory before, and no condition
    of this space leaves them out; outside: left out, found now or before; done, failed: of this
    run; measured: have a record since it began.  running: now.  left: not begun,
    at the end also what was left under way.
    seconds: since the beginning; seconds_left: likely to the end, None where nothing tells.
    tool_seconds, point_seconds: of the points of this run, with overhead = what of the latter was
    not tools; ended: why it ended."""

    space: str
    directory: str
    summary: str = ""
    place: str = ""
    searched: bool = False
    points: int = 0
    equal: int = 0
    impossible: list[Dropped] = msgspec.field(default_factory=list)
    cached: int = 0
    done: int = 0
    outside: int = 0
    failed: int = 0
    measured: int = 0
    running: int = 0
    left: int = 0
    seconds: float = 0.0
    seconds_left: float | None = None
    tool_seconds: float = 0.0
    point_seconds: float = 0.0
    objectives: tuple[str, ...] = ()
    front: list[FrontPoint] = msgspec.field(default_factory=list)
    ended: str = ""


Watch = Callable[[Outcome], None]
