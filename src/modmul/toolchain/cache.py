"""The cache: results of steps on disk, found again by what they were made from.

A *record* is one JSON object, a *folder* a directory of files, such as a compiled simulator.  Both
are addressed by step and key (`Step.address`), written under a temporary name and then renamed, so
that nobody reads half an entry.  A damaged record is reported by a CacheWarning and made again.  If
the cache cannot be written (full disk, read-only), the run says so once and goes on without it."""

from __future__ import annotations

import contextlib
import errno
import functools
import hashlib
import json
import os
import re
import shutil
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import platformdirs

from modmul.errors import NoRoom
from modmul.toolchain import scratch
from modmul.toolchain.steps import Step, canonical

_ENTRY = re.compile(r"[0-9a-f]{64}(\.json)?\Z")
_STEP = re.compile(r"[a-z0-9][a-z0-9-]*\Z")
_UNWRITABLE = (*scratch.FULL, errno.EROFS, errno.EACCES, errno.EPERM, errno.EIO)
_ABANDONED = 24 * 3600.0  # seconds after which a temporary folder belongs to no running process
_KEPT: list[tempfile.TemporaryDirectory[str]] = []  # removed when this process ends


class CacheWarning(UserWarning):
    """The cache is damaged or cannot be written; the run goes on without it."""


@dataclass(frozen=True)
class CacheEntry:
    """One record or folder in the cache.  size: bytes on disk."""

    step: str
    path: Path
    size: int


def default_root() -> Path:
    """Return $MODMUL_CACHE, else the user's cache directory on this platform."""
    named = os.environ.get("MODMUL_CACHE")
    return Path(named) if named else Path(platformdirs.user_cache_dir("modmul", appauthor=False))


class Cache:
    """The entries below `root` (default: `default_root()`).  Threads and processes may share a
    cache: the first to finish a folder keeps it, and the others discard theirs."""

    def __init__(self, root: Path | None = None):
        self.root = Path(root) if root is not None else default_root()

    def get(self, step: Step, key: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the record put for (step, key); None if there is none, or only a damaged one."""
        path = self._path(step, key, ".json")
        try:
            entry = json.loads(path.read_text(encoding="utf-8"))
            record, checksum = entry["record"], entry["checksum"]
            if isinstance(record, dict) and checksum == _checksum(record):
                return record
        except OSError:  # there is none, or none can be read
            return None
        except (ValueError, KeyError, TypeError, RecursionError):
            pass
        _warn(f"cache entry {path} is damaged: it will be made again")
        with contextlib.suppress(OSError):
            path.unlink()
        return None

    def put(self, step: Step, key: Mapping[str, Any], record: Mapping[str, Any]) -> None:
        """Keep a record of plain JSON values.  On a full or read-only disk this warns and raises no
        error."""
        path = self._path(step, key, ".json")
        entry = {"step": step.name, "checksum": _checksum(record), "record": record}
        entry |= step.whole(key)
        text = json.dumps(entry, indent=1, sort_keys=True, allow_nan=False)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with scratch.folder(path.parent) as work:
                (work / path.name).write_text(text, encoding="utf-8")
                os.replace(work / path.name, path)
        except OSError as error:
            self._unwritable(error.strerror or str(error))

    def folder(self, step: Step, key: Mapping[str, Any], make: Callable[[Path], None]) -> Path:
        """Return a directory filled by `make(empty directory)`, made once for (step, key).

        `make` works in a directory that is renamed afterwards, so nothing in it may hold its own
        absolute path.  If `make` raises, nothing is left behind.  If the cache cannot be written,
        the directory is a temporary one that is removed when the process ends."""
        path = self._path(step, key, "")
        if path.is_dir():
            return path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            work = scratch.directory(path.parent)
        except OSError as error:
            self._unwritable(error.strerror or str(error))
            return _temporary(make)
        made = Path(work.name, "made")  # with the permissions of the user's umask
        try:
            made.mkdir()
            make(made)
        except BaseException as error:
            work.cleanup()
            reason = _no_place(error, Path(work.name))
            if reason is None:
                raise
            self._unwritable(reason)
            return _temporary(make)
        try:
            os.rename(made, path)
        except OSError as error:
            if not path.is_dir():  # else another process was first
                self._unwritable(error.strerror or str(error))
                _KEPT.append(work)
                return made
        work.cleanup()
        return path

    def entries(self) -> list[CacheEntry]:
        """Return all entries, sorted by step and address."""
        paths = (path for step in self._steps() for path in sorted(step.iterdir()))
        return [
            CacheEntry(path.parent.name, path, _size(path))
            for path in paths
            if _ENTRY.match(path.name)
        ]

    def clear(self) -> int:
        """Remove every entry and what killed runs left a day ago; return the bytes of the entries.

        Touches nothing that does not look like an entry, whatever directory `root` is.  Raises
        OSError if something cannot be removed."""
        entries = self.entries()
        for entry in entries:
            with contextlib.suppress(FileNotFoundError):
                shutil.rmtree(entry.path) if entry.path.is_dir() else entry.path.unlink()
        for step in self._steps():
            scratch.sweep(step, _ABANDONED)
        return sum(entry.size for entry in entries)

    def _path(self, step: Step, key: Mapping[str, Any], suffix: str) -> Path:
        if not _STEP.match(step.name):
            raise ValueError(f"name of a step: {step.name!r}")
        return self.root / step.name / (step.address(key) + suffix)

    def _steps(self) -> Iterator[Path]:
        """Yield the directories of steps."""
        with contextlib.suppress(OSError):
            for step in sorted(self.root.iterdir()):
                if _STEP.match(step.name) and step.is_dir() and not step.is_symlink():
                    yield step

    def _unwritable(self, reason: str) -> None:
        _warn_once(f"cache {self.root} cannot be written ({reason}): going on without it")


@functools.cache
def _warn_once(message: str) -> None:
    _warn(message)


def _warn(message: str) -> None:
    warnings.warn(message, CacheWarning, stacklevel=4)


def _checksum(record: Mapping[str, Any]) -> str:
    return hashlib.sha256(canonical(record).encode()).hexdigest()


def _no_place(error: BaseException, folder: Path) -> str | None:
    """Return the reason if the error says that `folder` cannot be written; None for any other
    error."""
    if isinstance(error, NoRoom) and error.folder is not None:
        within = error.folder.absolute()
        return "no room is left" if folder.absolute() in (within, *within.parents) else None
    if isinstance(error, OSError) and error.errno in _UNWRITABLE:
        return error.strerror or str(error)
    return None


def _temporary(make: Callable[[Path], None]) -> Path:
    work = scratch.directory()
    try:
        make(Path(work.name))
    except BaseException:
        work.cleanup()
        raise
    _KEPT.append(work)
    return Path(work.name)


def _size(path: Path) -> int:
    size = 0
    for file in path.rglob("*") if path.is_dir() else [path]:
        with contextlib.suppress(FileNotFoundError):  # another process may have removed it
            size += 0 if file.is_dir() else file.lstat().st_size
    return size
