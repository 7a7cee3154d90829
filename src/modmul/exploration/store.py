"""The directory of an exploration: its records, and how much of the space they cover.

DIR/space.toml          the space that was explored last
DIR/points/KEY.json     the records, each written once and as a whole
DIR/run.json            the summary of the last run: what it tried, and why it ended
DIR/lock                held while an exploration writes there
"""

from __future__ import annotations

import contextlib
import datetime
import fcntl
import os
import warnings
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec

from modmul import inputs
from modmul.arithmetic import moduli
from modmul.errors import SpecError
from modmul.exploration.grid import Count, Dropped
from modmul.exploration.names import find, spec_types
from modmul.exploration.record import DECODER, SHAPE, Record
from modmul.toolchain import scratch
from modmul.toolchain.files import check_file, write
from modmul.toolchain.steps import canonical

POINTS, SPACE, RUN, LOCK = "points", "space.toml", "run.json", "lock"
# running: the run wrote no end, so it still runs or was killed.  searched: a search, which never
# tries every point, found nothing new.
Ended = Literal["running", "complete", "searched", "budget", "interrupted", "failed"]
UNKNOWN = (
    "unknown whether complete: the directory has no counts of its run, as older versions of "
    "modmul leave it"
)
_ALLOWED = "a directory that `modmul explore` has written"
_OTHER = "another version of modmul, which kept them in another shape"
_LARGEST_FILE = 16 << 20  # bytes; records of 4096 bits have a few thousand
_ENCODER = msgspec.json.Encoder(order="deterministic")
_T = TypeVar("_T")


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
        return self.done + self.outside + self.failed

    @property
    def dropped(self) -> int:
        return sum(group.count for group in self.impossible)


_RUN_DECODER = msgspec.json.Decoder(RunSummary)


class Store:
    """The records below `root`, for one exploration at a time."""

    def __init__(self, root: Path):
        self.root = root
        self.points = root / POINTS

    @contextlib.contextmanager
    def writing(self, space: str) -> Iterator[None]:
        """Lock the directory and put the text `space` beside the records.

        Raises SpecError while another exploration holds the lock.  Half-written files of an earlier
        run are removed; a lock ends with the process that held it."""
        for name in (LOCK, SPACE):
            check_file(self.root / name)
        self.points.mkdir(parents=True, exist_ok=True)
        with (self.root / LOCK).open("a") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                allowed = "a directory that no other exploration writes to"
                message = f"output = {str(self.root)!r}: another exploration is writing there"
                raise SpecError("output", str(self.root), allowed, message) from None
            for folder in (self.root, self.points):
                scratch.sweep(folder)
            write(self.root / SPACE, space)
            yield

    def put(self, record: Record) -> None:
        """Keep a record.  Raises OSError if that is impossible; then no part of it is kept."""
        _write(self.points / f"{record.key}.json", record)

    def summarise(self, run: RunSummary) -> None:
        """Keep the summary of a run in place of that of the run before.  Raises OSError as `put`
        does."""
        _write(self.root / RUN, run)

    def summary(self) -> RunSummary | None:
        """Return the summary of the last run; None if there is none, or if it is damaged."""
        return _good(self.root / RUN, lambda path: _decoded(path, _RUN_DECODER), "left out")

    def about(self) -> str:
        """Return the summary in the text of the space that was explored last; "" if it has none."""
        try:
            summary = inputs.toml(inputs.read(self.root / SPACE)).get("summary", "")
        except ValueError:
            return ""
        return summary if isinstance(summary, str) else ""

    def get(self, key: str) -> Record | None:
        """Return the record of that address; None if there is none or, with a warning, a damaged
        one."""
        return _good(self.points / f"{key}.json", _read, "measured again")

    def records(self) -> list[Record]:
        """Return every record that can be read, oldest first.  Damaged records, and those in the
        format of another version, are left out with a warning.  Raises SpecError if the directory
        has no exploration."""
        if not os.path.isdir(self.points):  # also False for an impossible name
            message = f"{self.root}: no exploration is there: must be {_ALLOWED}"
            raise SpecError("directory", str(self.root), _ALLOWED, message)
        readable, foreign = [], 0
        for path in sorted(self.points.glob("*.json")):
            try:
                readable.append(_read(path))
            except _Foreign:
                foreign += 1
            except _Damaged as error:
                warnings.warn(f"{path}: is damaged ({error}), and left out", stacklevel=1)
        if foreign:
            warnings.warn(
                f"{self.points}: {foreign} records are of {_OTHER}, and left out; `modmul explore` "
                "measures them again",
                stacklevel=1,
            )
        return sorted(readable, key=lambda record: (record.finished, record.key))


def newest(every: Iterable[Record]) -> list[Record]:
    """Return the newest record of every spec and options.  every: records, oldest first."""
    latest: dict[str, Record] = {}
    for record in every:
        latest[canonical([record.spec, record.seeds, record.products])] = record
    return list(latest.values())


def read(directory: Path) -> list[Record]:
    """Return the newest record of every spec and options in a directory.

    Raises SpecError if it has no exploration."""
    return newest(Store(directory).records())


# ---- how much of the space was tried -------------------------------------------------------------


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
    """Return how much of the space of the last run these records, by `read`, cover."""
    statuses = [record.status for record in records]
    done, outside, failed = (statuses.count(status) for status in ("done", "outside", "failed"))
    front = f"front of the {done} points measured"
    if run is None:
        complete, words, front = None, UNKNOWN, f"{front}; unknown whether complete"
    else:
        missing = max(0, run.tried - len(statuses))
        counted = run.tried >= run.points and not run.not_started
        complete = run.ended == "complete" and counted and not missing
        words = _all(run) if complete else _part(run, missing)
        front += "" if complete else f" so far; {_untried(run)}"
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


# ---- files that anybody may have written ---------------------------------------------------------

_PYTHON = {"BIGINT": int, "BOOLEAN": bool, "VARCHAR": str}
_WHOLE = range(-(1 << 63), 1 << 63)  # the values of a BIGINT
_LARGEST = 1e15  # the largest figure; products of several such figures are still finite
_COUNTS = ("slots", "seeds", "products", "lut", "ff", "dsp", "ram_bits", "ram_blocks")
_POSITIVE = ("width", "time.period", "time.latency", "time.per_product", "time.eight")


class _Damaged(Exception):
    """A file is no record; the text is the reason in one line."""


class _Foreign(_Damaged):
    """A record of another version, in a format that this version does not read."""


class _Shape(msgspec.Struct):
    """The fields that are read from any record to find its format.  Shape 1 did not have the
    field."""

    key: str
    shape: int = 1


_SHAPE_DECODER = msgspec.json.Decoder(_Shape)


def _write(path: Path, content: Record | RunSummary) -> None:
    write(path, msgspec.json.format(_ENCODER.encode(content), indent=1) + b"\n")


def _decoded(path: Path, decoder: msgspec.json.Decoder[_T]) -> _T:
    """Only regular files are opened, since others could block."""
    try:
        if not path.is_file():
            raise _Damaged("no file")
        if path.stat().st_size > _LARGEST_FILE:
            raise _Damaged(f"more than {_LARGEST_FILE >> 20} MiB")
        return decoder.decode(path.read_bytes())
    except OSError as error:
        raise _Damaged(error.strerror or "cannot be read") from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise _Damaged(str(error)) from None


def _good(path: Path, read: Callable[[Path], _T], otherwise: str) -> _T | None:
    """Return what is read from a file; None if there is none or, with a warning, a damaged one."""
    try:
        return read(path) if os.path.lexists(path) else None
    except _Damaged as error:
        warnings.warn(f"{path}: is damaged ({error}), and {otherwise}", stacklevel=3)
        return None


def _read(path: Path) -> Record:
    if _decoded(path, _SHAPE_DECODER).shape != SHAPE:
        raise _Foreign(f"it is of {_OTHER}")
    record = _decoded(path, DECODER)
    reason = _objection(record)
    if record.key != path.stem:
        reason = "its key is that of another file"
    if reason is not None:
        raise _Damaged(reason)
    return record


def _objection(record: Record) -> str | None:
    """Say why this cannot be a record of any version of this program; None if it can.

    The values of a spec have the types of their keys, and its modulus is not in a file.  Counts and
    the area are not negative, times are above 0, and no figure is above 10^15."""
    for name, value in record.spec.items():
        kind = spec_types().get(name)
        right = (_PYTHON[kind],) if kind else tuple(_PYTHON.values())
        if value is not None and type(value) not in right:
            return f"spec.{name} is no {' or '.join(kind.__name__ for kind in right)}"
        if isinstance(value, int) and value not in _WHOLE:
            return f"spec.{name} has more than 64 bits"
    for key in ("modulus", "curve"):
        if moduli.in_a_file(str(record.spec.get(key))):
            return f"spec.{key} names a file"
    for name in (*_COUNTS, "area.value", *_POSITIVE):
        figure: Any = find(record, name)
        if figure is not None and not (
            0 <= figure <= _LARGEST and (figure or name not in _POSITIVE)
        ):
            return f"{name} = {figure:g}"
    return None
