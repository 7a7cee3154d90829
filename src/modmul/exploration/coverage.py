"""Records how much of its space an exploration has tried (in `run.json`), and so what may be
claimed about its points."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from typing import Literal

import msgspec

from modmul.exploration.grid import Count, Dropped
from modmul.exploration.record import Record

# running: the run wrote no end, so it still runs or was killed.  searched: a search, which never
# tries every point, found nothing new.
Ended = Literal["running", "complete", "searched", "budget", "interrupted", "failed"]

_UNKNOWN = "unknown whether complete"
UNKNOWN = (
    f"{_UNKNOWN}: the directory has no counts of its run, as older versions of modmul leave it"
)


class RunSummary(msgspec.Struct, frozen=True, kw_only=True):
    """The last run over a directory: how many points of the space were tried, and why it ended.

    points: the possible points, without those equal to another (in a search an upper bound).
    done, outside (a condition does not hold), failed: points with a record.
    not_started: points without one, which were not begun or were interrupted.
    impossible: combinations that no tool saw, by reason (in a search, those that it met).
    equal: combinations that are the same design as another.
    ended, reason: why the run ended, for programs and for people.
    began, written: the times of its start and of this summary."""

    space: str
    searched: bool
    points: Count
    done: Count
    outside: Count
    failed: Count
    not_started: Count
    impossible: list[Dropped]
    equal: Count
    ended: Ended
    reason: str
    began: str
    written: str

    @property
    def tried(self) -> int:
        """The number of points that have a record."""
        return self.done + self.outside + self.failed

    @property
    def dropped(self) -> int:
        """The number of impossible combinations, for any reason."""
        return sum(group.count for group in self.impossible)


class Coverage(msgspec.Struct, frozen=True, kw_only=True):
    """How much of its space the records of a directory cover.

    complete: whether every possible point of the space has a record; None if unknown.  measured,
    outside, failed: the numbers of records in the directory, of any run.  run: None if no summary
    was left.  words: a sentence about the coverage.  front: the words for a Pareto front of these
    records."""

    complete: bool | None
    measured: int
    outside: int
    failed: int
    run: RunSummary | None
    words: str
    front: str


def now() -> str:
    """Return the present time in the form that a summary has."""
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")


def coverage(records: Iterable[Record], run: RunSummary | None) -> Coverage:
    """Return how much of the space of the last run these records cover."""
    statuses = [record.status for record in records]
    done, outside, failed = (statuses.count(status) for status in ("done", "outside", "failed"))
    complete, words, front = None, UNKNOWN, f"front of the {done} points measured; {_UNKNOWN}"
    if run is not None:
        missing = max(0, run.tried - len(statuses))
        counted = run.tried >= run.points and not run.not_started
        complete = run.ended == "complete" and counted and not missing
        words = _all(run) if complete else _part(run, missing)
        front = f"front of the {done} points measured"
        if not complete:
            front += f" so far; {_untried(run)}"
    return Coverage(
        complete=complete,
        measured=done,
        outside=outside,
        failed=failed,
        run=run,
        words=words,
        front=front,
    )


def _all(run: RunSummary) -> str:
    """Return the words for an exploration in which every point was tried."""
    if run.done == run.points:
        return f"every point of the space {run.space} was measured"
    left = [f"{run.outside} outside the conditions"] if run.outside else []
    left += [f"{run.failed} failed"] if run.failed else []
    return f"every point of the space {run.space} was tried: {', '.join(left)}"


def _part(run: RunSummary, missing: int) -> str:
    parts = [f"{_untried(run)} ({run.reason})"] if run.ended != "complete" or not missing else []
    parts += [f"records of {missing} points that the run counted are not there"] if missing else []
    return f"not complete: {'; '.join(parts)}"


def _untried(run: RunSummary) -> str:
    most = "up to " if run.searched else ""
    return f"{most}{run.not_started} of the space {run.space} were not tried"
