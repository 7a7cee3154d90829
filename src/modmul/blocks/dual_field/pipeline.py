"""Where the registers of a pipeline go: a chain of steps is cut as evenly as possible."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Step(NamedTuple):
    """Logic that is not cut.  Delays in levels of gates or look-up tables.

    delay: behind another step.  begin: how much more it takes at the beginning of a stage (a carry
    chain then waits for all of its bits, and else only for those that come late)."""

    delay: float
    begin: float = 0.0


def cut(steps: Sequence[Step], stages: int, last: float = 0.0) -> list[int]:
    """The stage (from 0) of each step; the slowest stage is as fast as it can be.

    stages: 1 or more.  last: delay of what follows the steps in the last stage."""
    found = within(steps, stages, last, slowest(steps, stages, last))
    assert found is not None
    return found


def slowest(steps: Sequence[Step], stages: int, last: float = 0.0) -> float:
    """The delay of the slowest stage of `cut`."""
    low, high = 0.0, sum(sum(step) for step in steps) + last
    while high - low > 0.001:
        middle = (low + high) / 2
        low, high = (
            (middle, high) if within(steps, stages, last, middle) is None else (low, middle)
        )
    return high


def within(steps: Sequence[Step], stages: int, last: float, limit: float) -> list[int] | None:
    """The stage of each step, each stage filled up to `limit`; None if they are too few."""
    stage, used, found = 0, 0.0, list[int]()
    for step in steps:
        if used and used + step.delay > limit:
            stage, used = stage + 1, 0.0
        used += step.delay if used else step.delay + step.begin
        found.append(stage)
        if used > limit:
            return None
    if used + last > limit:
        stage += 1
    return found if stage < stages and last <= limit else None
