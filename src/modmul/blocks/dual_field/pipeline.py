"""Where the registers of a pipeline go: a chain of steps is cut as evenly as possible."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import NamedTuple


class LogicStep(NamedTuple):
    """Logic that is not cut by registers.  Delays are in levels of gates or look-up tables.

    delay: behind another step.  begin: the additional delay at the beginning of a stage (there, a
    carry chain waits for all of its bits; elsewhere only for those that come late)."""

    delay: float
    begin: float = 0.0


def cut(steps: Sequence[LogicStep], stages: int, last: float = 0.0) -> list[int]:
    """The stage (from 0) of each step, so that the slowest stage is as fast as possible.

    stages: 1 or more.  last: delay of what follows the steps in the last stage."""
    return list(_best(tuple(steps), stages, last)[1])


def slowest(steps: Sequence[LogicStep], stages: int, last: float = 0.0) -> float:
    """The delay of the slowest stage of `cut`."""
    return _best(tuple(steps), stages, last)[0]


@functools.cache
def _best(steps: tuple[LogicStep, ...], stages: int, last: float) -> tuple[float, tuple[int, ...]]:
    """Return (slowest stage, stage of each step); of equals, that with the longest first stage."""
    if stages == 1:
        return delay_of(steps) + last, (0,) * len(steps)
    best: tuple[float, tuple[int, ...]] | None = None
    for count in range(len(steps), -1, -1):
        rest, times = _best(steps[count:], stages - 1, last)
        longest = max(delay_of(steps[:count]), rest)
        if best is None or longest < best[0]:
            best = longest, (0,) * count + tuple(time + 1 for time in times)
    assert best is not None
    return best


def delay_of(steps: Sequence[LogicStep]) -> float:
    return sum(step.delay for step in steps) + (steps[0].begin if steps else 0.0)


def within(steps: Sequence[LogicStep], stages: int, last: float, limit: float) -> list[int] | None:
    """The stage of each step if each stage is filled up to `limit`, None if that takes too
    many stages.  As `cut`, but with as few registers as the limit allows."""
    stages_of, begin = list[int](), 0
    for number in range(len(steps)):
        if number > begin and delay_of(steps[begin : number + 1]) > limit:
            begin = number
            stages_of.append(stages_of[-1] + 1)
        else:
            stages_of.append(stages_of[-1] if stages_of else 0)
        if delay_of(steps[begin : number + 1]) > limit:
            return None
    stage = stages_of[-1] + (delay_of(steps[begin:]) + last > limit)
    return stages_of if stage < stages and last <= limit else None


def edges(count: int) -> str:
    """A number of clock edges as a text."""
    return f"{count} clock edge{'s' * (count > 1)}"


def ready(registers: int) -> str:
    """A sentence that says when a pipeline with so many registers gives its result."""
    if not registers:
        return "It is combinational."
    return f"A product enters in every cycle; it is ready {edges(registers)} later."
