"""The directory of an exploration: one JSON file for each point, written once and as a whole.

DIR/space.toml          the space that was explored last
DIR/points/KEY.json     the records
DIR/run.json            the summary of the last run: what it tried, and why it ended
DIR/lock                held while an exploration writes there
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import warnings
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

import msgspec

from modmul import inputs
from modmul.errors import SpecError
from modmul.exploration import plausible
from modmul.exploration.coverage import Coverage, RunSummary, coverage
from modmul.exploration.record import DECODER, SHAPE, Record
from modmul.toolchain import scratch
from modmul.toolchain.files import check_file, write
from modmul.toolchain.steps import canonical

POINTS, SPACE, RUN, LOCK = "points", "space.toml", "run.json", "lock"
_ALLOWED = "a directory that `modmul explore` has written"
_T = TypeVar("_T")
_RUN_DECODER = msgspec.json.Decoder(RunSummary)
_LARGEST = 16 << 20  # bytes of a file; records of 4096 bits have a few thousand
_OTHER = "another version of modmul, which kept them in another shape"
_ENCODER = msgspec.json.Encoder(order="deterministic")


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
        text = msgspec.json.format(_ENCODER.encode(record), indent=1)
        write(self.points / f"{record.key}.json", text + b"\n")

    def summarise(self, run: RunSummary) -> None:
        """Keep the summary of a run in place of that of the run before.  Raises OSError as `put`
        does."""
        text = msgspec.json.format(_ENCODER.encode(run), indent=1)
        write(self.root / RUN, text + b"\n")

    def summary(self) -> RunSummary | None:
        """Return the summary of the last run; None if there is none, or if it is damaged."""
        path = self.root / RUN
        try:
            return _decoded(path, _RUN_DECODER) if os.path.lexists(path) else None
        except _Damaged as error:
            warnings.warn(f"{path}: is damaged ({error}), and left out", stacklevel=2)
            return None

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
        path = self.points / f"{key}.json"
        try:
            return _read(path) if os.path.lexists(path) else None
        except _Damaged as error:
            warnings.warn(f"{path}: is damaged ({error}), and measured again", stacklevel=2)
            return None

    def records(self) -> list[Record]:
        """Return every record that can be read, oldest first.  Damaged records, and those in the
        format of another version, are left out with a warning."""
        readable, foreign = [], 0
        for path in sorted(self.points.glob("*.json")):
            try:
                readable.append(_read(path))
            except _Foreign:
                foreign += 1
            except _Damaged as error:
                warnings.warn(f"{path}: is damaged ({error}), and left out", stacklevel=2)
        if foreign:
            warnings.warn(
                f"{self.points}: {foreign} records are of {_OTHER}, and left out; `modmul explore` "
                "measures them again",
                stacklevel=2,
            )
        return sorted(readable, key=lambda record: (record.finished, record.key))


def records(directory: Path) -> list[Record]:
    """Return all records in a directory, oldest first.  Raises SpecError if it has no
    exploration."""
    store = Store(directory)
    if not os.path.isdir(store.points):  # also False for an impossible name
        message = f"{directory}: no exploration is there: must be {_ALLOWED}"
        raise SpecError("directory", str(directory), _ALLOWED, message)
    return store.records()


def newest(every: Iterable[Record]) -> list[Record]:
    """Return the newest record of every spec and options.  every: records, oldest first."""
    latest: dict[str, Record] = {}
    for record in every:
        latest[canonical([record.spec, record.seeds, record.products])] = record
    return list(latest.values())


def read(directory: Path) -> list[Record]:
    """Return the newest record of every spec and options in a directory.

    Raises SpecError if it has no exploration."""
    return newest(records(directory))


def covered(directory: Path, records: Sequence[Record]) -> Coverage:
    """Return how much of their space these records cover.  records: those of the directory, by
    `read`."""
    return coverage(records, Store(directory).summary())


def _decoded(path: Path, decoder: msgspec.json.Decoder[_T]) -> _T:
    """Decode a file.  Only regular files are opened, since others could block."""
    try:
        if not path.is_file():
            raise _Damaged("no file")
        if path.stat().st_size > _LARGEST:
            raise _Damaged(f"more than {_LARGEST >> 20} MiB")
        return decoder.decode(path.read_bytes())
    except OSError as error:
        raise _Damaged(error.strerror or "cannot be read") from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise _Damaged(str(error)) from None


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


def _of_another_shape(path: Path) -> bool:
    try:
        return _decoded(path, _SHAPE_DECODER).shape != SHAPE
    except _Damaged:
        return False


def _read(path: Path) -> Record:
    """Return the record in a file."""
    try:
        record = _decoded(path, DECODER)
    except _Damaged:
        if _of_another_shape(path):
            raise _Foreign(f"it is of {_OTHER}") from None
        raise
    reason = plausible.objection(record)
    if record.key != path.stem:
        reason = "its key is that of another file"
    if reason is not None:
        raise _Damaged(reason)
    return record
