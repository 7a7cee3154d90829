"""The progress of an exploration while it runs, and its final summary."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from modmul.exploration.grid import Dropped


class FrontPoint(msgspec.Struct, frozen=True):
    """A point on the front of its group: chip family or cell library, width, field.  figures: by
    the names of the objectives.  area_unit: of `area.value`, with the LUTs that a DSP block counts
    as.  estimated: nothing was routed.  unverified: its clock is decided by a limit that was not
    checked in its source."""

    key: str
    title: str
    technology: str
    spec: dict[str, Any]
    figures: dict[str, float]
    area_unit: str = ""
    estimated: bool = False
    unverified: bool = False


class Outcome(msgspec.Struct, kw_only=True):
    """The progress of an exploration while it runs, and its final summary.

    points: the possible points, without those that turned out equal to another.
    impossible: combinations dropped before any tool ran, by reason.
    cached: points that had a record before, and that no condition of this space leaves out.
    outside: points that a condition leaves out, found now or before.
    done, failed: points of this run.  measured: points that got a record in this run.
    running: points being measured.  left: points not started; at the end, interrupted ones, too.
    seconds: since the beginning.  seconds_left: the likely time to the end, None if unknown.
    tool_seconds, point_seconds: the time of tools, and the whole time, of this run's points.
    ended: why the run ended."""

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
