"""The directory of an exploration: one JSON file a point, written once, never half.

    DIR/space.toml          the space that was explored last
    DIR/points/KEY.json     the records
    DIR/lock                held while an exploration writes there
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import shutil
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from modmul.errors import SpecError
from modmul.exploration import schema
from modmul.exploration.record import DECODER, Record
from modmul.toolchain.files import PREFIX, check_file, write
from modmul.toolchain.steps import canonical

_BEYOND = 1 << 63
POINTS, SPACE, LOCK = "points", "space.toml", "lock"
_ALLOWED = "a directory that `modmul explore` has written"
_ENCODER = msgspec.json.Encoder(order="deterministic")


class Store:
    """The records below `root`, for one exploration at a time."""

    def __init__(self, root: Path):
        self.root = root
        self.points = root / POINTS

    @contextlib.contextmanager
    def writing(self, space: str) -> Iterator[None]:
        """Hold the directory; `space`: text that is put beside the records.

        SpecError while another exploration holds it.  What an earlier one left half-written goes;
        a lock goes with the process that held it."""
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
            for left in [*self.root.glob(f"{PREFIX}*/"), *self.points.glob(f"{PREFIX}*/")]:
                shutil.rmtree(left)
            write(self.root / SPACE, space)
            yield

    def put(self, record: Record) -> None:
        """Keep a record.  OSError where that is impossible; then there is nothing of it."""
        text = msgspec.json.format(_ENCODER.encode(record), indent=1)
        write(self.points / f"{record.key}.json", text + b"\n")

    def get(self, key: str) -> Record | None:
        """The record of that address; None if there is none, or only a damaged one."""
        try:
            return _read(self.points / f"{key}.json")
        except (OSError, msgspec.DecodeError):
            return None

    def records(self) -> list[Record]:
        """Every record that can be read, of whatever version, oldest first."""
        found = []
        for path in sorted(self.points.glob("*.json")):
            try:
                found.append(_read(path))
            except (OSError, msgspec.DecodeError):
                warnings.warn(f"{path}: is damaged, and left out", stacklevel=2)
        return sorted(found, key=lambda record: (record.finished, record.key))


def read(directory: Path) -> list[Record]:
    """The newest record of every spec and options in a directory.

    SpecError where no exploration ever was."""
    store = Store(directory)
    if not os.path.isdir(store.points):  # False also for what no directory can be called
        message = f"{directory}: no exploration is there: must be {_ALLOWED}"
        raise SpecError("directory", str(directory), _ALLOWED, message)
    newest: dict[str, Record] = {}
    for record in store.records():
        newest[canonical([record.spec, record.seeds, record.products])] = record
    return list(newest.values())


def _read(path: Path) -> Record:
    """The record in a file.  OSError, or msgspec.DecodeError where there is none in it."""
    if not path.is_file():  # a FIFO would never be read to its end
        raise FileNotFoundError(errno.ENOENT, "no regular file", str(path))
    try:
        record = DECODER.decode(path.read_bytes())
    except RecursionError:
        raise msgspec.DecodeError("lists too deep inside each other") from None
    if not _fits(schema.plain(record)):
        raise msgspec.DecodeError("an integer of more than 64 bits")
    return record


def _fits(value: Any) -> bool:
    """Whether every integer in it fits a column of a table."""
    if isinstance(value, dict):
        return all(map(_fits, value.values()))
    if isinstance(value, (list, tuple)):
        return all(map(_fits, value))
    return not isinstance(value, int) or -_BEYOND <= value < _BEYOND
