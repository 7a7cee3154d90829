"""Finds the schedule of a loop: among those that come with the package (schedules.json), for this
very machine or for another one if they are valid here; then in the cache; then by a search.

A schedule belongs to a loop's operations with their dependences and to the times of a machine, not
to names.  Each is checked against every rule when it is read."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, lru_cache
from importlib import resources
from typing import Any

import msgspec

from modmul.processors.engine import search as searching
from modmul.processors.engine.layout import alone
from modmul.processors.engine.machine import Machine
from modmul.processors.engine.program import Loop
from modmul.processors.engine.schedule import LoopSchedule, Problem, valid
from modmul.toolchain.cache import Cache
from modmul.toolchain.steps import Step, canonical

# Other modules decide only which schedules are valid, and each schedule is checked.
STEP = Step("engine-schedule", ("amaranth",), (__name__, searching.__name__, Problem.__module__))
ATTEMPTS = 60  # at each period, if nothing is stored
_ROUGH = 1  # the same for forecasts, for which a period some percent too long will do
_SMALL = 3  # a loop of so many operations or fewer is searched in no time, and not cached
_NEAR = 1.25  # an adopted schedule has at most so many times the least possible period
_QUICK = 8  # for a loop of so many operations or fewer the search finds the best at once


class Stored(msgspec.Struct, frozen=True, omit_defaults=True):
    """A schedule of schedules.json.

    program, multiplier: where it comes from, for people; only the digest counts.  method: climb or
    exact, with attempts (climb) or effort (exact) at each period.  begun: the first period tried.
    refuted: the exact search proved that no period below this has a schedule."""

    program: str
    multiplier: str
    digest: str
    period: int
    start: tuple[int, ...]
    method: str = "climb"
    attempts: int = 0
    effort: float = 0.0
    begun: int = 0
    refuted: int = 0

    @property
    def schedule(self) -> LoopSchedule:
        return LoopSchedule(self.period, self.start)


def digest(loop: Loop, machine: Machine) -> str:
    """The digest of everything that a schedule depends on."""
    problem = Problem(loop, machine)
    facts = dataclasses.asdict(machine)
    del facts["name"], facts["loading"], facts["binary"]
    if not facts["gathers"]:
        del facts["gathers"]
    writers = facts.pop("writers")
    if writers != "each":
        facts["one_writer"] = writers == "one"
    if not any(facts["waits"]):
        del facts["waits"]
    if not facts["shared"]:
        del facts["shared"]
    edges = [[source, sink, passes] for source, sink, _, passes in problem.edges]
    shape = [[operation.op for operation in problem.ops], edges, sorted(problem.chosen.items())]
    text = canonical([shape, facts])
    return hashlib.sha256(text.encode()).hexdigest()[:24]


@cache
def table() -> dict[str, Stored]:
    """The schedules that come with the package, by digest."""
    text = (resources.files(__package__) / "schedules.json").read_text(encoding="utf-8")
    return {entry.digest: entry for entry in msgspec.json.decode(text, type=list[Stored])}


def find(loop: Loop, machine: Machine) -> Stored | None:
    """The schedule that comes with the package, if there is one."""
    return table().get(digest(loop, machine))


_attempts: ContextVar[int | None] = ContextVar("attempts", default=None)


@contextmanager
def roughly() -> Iterator[None]:
    """Let `schedule` search less inside a `with` block, for forecasts of many machines."""
    token = _attempts.set(_ROUGH)
    try:
        yield
    finally:
        _attempts.reset(token)


def schedule(loop: Loop, machine: Machine) -> LoopSchedule:
    """The schedule of a loop on a machine: stored, from the cache, or searched now.  Raises
    SpecError if none is found."""
    return schedule_within(loop, machine, attempts())


def attempts() -> int:
    """How many attempts a search makes now at each period."""
    return _attempts.get() or ATTEMPTS


@lru_cache(maxsize=256)
def schedule_within(loop: Loop, machine: Machine, attempts: int) -> LoopSchedule:
    """The same as `schedule`, with a given number of attempts if it must be searched."""
    problem = Problem(loop, machine)
    entry = known(problem)
    if entry is not None:
        return _checked(problem, entry.schedule)
    if len(loop.ops) <= _SMALL:
        return searching.search(loop, machine, ATTEMPTS)
    if len(loop.ops) <= _QUICK:
        attempts = ATTEMPTS
    kept = Cache()
    key: dict[str, Any] = {"digest": digest(loop, machine), "attempts": attempts}
    cached = kept.get(STEP, key)
    if cached is not None:
        return _checked(problem, msgspec.convert(cached, LoopSchedule))
    searched = searching.search(loop, machine, attempts)
    kept.put(STEP, key, msgspec.to_builtins(searched))
    return searched


def missing(loop: Loop, machine: Machine) -> bool:
    """Whether a schedule takes long to search, and no stored one fits."""
    return len(loop.ops) > _QUICK and not alone(loop) and known(Problem(loop, machine)) is None


def known(problem: Problem) -> Stored | None:
    """What is stored for this machine, or for another one and fits, or None."""
    stored = find(problem.loop, problem.machine)
    if stored is None and len(problem.ops) > _QUICK:
        return _adopted(problem)
    return stored


def _adopted(problem: Problem) -> Stored | None:
    """The shortest stored schedule, of another machine or another loop, that breaks no rule
    here, such as one for a multiplier whose pipeline is a cycle longer.  None if its period is far
    above the lower bound."""
    several = sorted(
        (entry for entry in table().values() if len(entry.start) == len(problem.ops)),
        key=lambda entry: (entry.period, entry.digest),
    )
    most = _NEAR * problem.least.period
    near = (entry for entry in several if entry.period <= most)
    return next((entry for entry in near if valid(problem, entry.schedule) is None), None)


def _checked(problem: Problem, stored: LoopSchedule) -> LoopSchedule:
    why = valid(problem, stored)
    if why is not None:
        raise AssertionError(f"a stored schedule breaks a rule: {why}")
    return stored
