"""The cache: results of steps on disk, found again by what they were made from.

A *record* is one JSON object, a *folder* a directory of files, such as a compiled simulator.  Both
are addressed by step and key (`Step.address`), written under a temporary name and then renamed, so
that nobody reads half an entry.  Both carry checksums: a damaged entry is reported by a
CacheWarning, removed and made again.  If the cache cannot be written (full disk, read-only), the
run says so once and goes on without it."""

from __future__ import annotations

import atexit
import contextlib
import errno
import functools
import hashlib
import json
import os
import re
import shutil
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import platformdirs

from modmul.errors import NoRoom
from modmul.toolchain import disk_space, scratch
from modmul.toolchain.scratch import Scratch
from modmul.toolchain.steps import Step, canonical

MANIFEST = ".modmul-manifest.json"
_ENTRY = re.compile(r"[0-9a-f]{64}(\.json)?\Z")
_MADE = "made"  # the name of a new directory within a temporary folder
_STEP = re.compile(r"[a-z0-9][a-z0-9-]*\Z")
_UNWRITABLE = (*disk_space.FULL, errno.EROFS, errno.EACCES, errno.EPERM, errno.EIO)


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
    cache: the first to finish an entry keeps it, and the others discard theirs."""

    def __init__(self, root: Path | None = None):
        self.root = Path(root) if root is not None else default_root()

    def get(self, step: Step, key: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the record put for (step, key); None if there is none, or only a damaged one."""
        path = self._path(step, key, ".json")
        try:
            text = path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError) as error:
            self._discard(path, f"cannot be read ({error})")
            return None
        try:
            entry = json.loads(text)
            record, checksum = entry["record"], entry["checksum"]
            intact = isinstance(record, dict) and checksum == _checksum(record)
        except (ValueError, KeyError, TypeError, RecursionError):
            intact = False
        if not intact:
            self._discard(path, "is damaged")
            return None
        return dict(record)

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
        absolute path.  If `make` raises, nothing is left behind.  Files added to the directory
        later are not checked.  If the cache cannot be written, the directory is a temporary one
        that is removed when the process ends."""
        path = self._path(step, key, "")
        if path.is_dir():
            damage = _damage(path)
            if damage is None:
                return path
            self._discard(path, damage)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            work = Scratch(path.parent)
        except OSError as error:
            self._unwritable(error.strerror or str(error))
            return _temporary(make)
        try:
            directory = work.path / _MADE  # with the permissions of the user's umask
            directory.mkdir()
            make(directory)
        except BaseException as error:
            work.remove()
            reason = _no_place(error, work.path)
            if reason is None:
                raise
            self._unwritable(reason)
            return _temporary(make)
        return self._settled(work, path)

    def _settled(self, work: Scratch, path: Path) -> Path:
        """Rename a finished directory to `path`; if another process was first, use its directory.

        If the new one cannot be kept, or another user's damaged directory stands in the way, this
        process uses the new one under its temporary name."""
        try:
            _write_manifest(work.path / _MADE)
            os.rename(work.path / _MADE, path)
        except OSError as error:
            if _damage(path) is None:
                work.remove()
                return path
            if error.errno not in (errno.EEXIST, errno.ENOTEMPTY):
                self._unwritable(error.strerror or str(error))
            atexit.register(work.remove)
            return work.path / _MADE
        work.remove()
        return path

    def entries(self) -> list[CacheEntry]:
        """Return all entries, sorted by step and address."""
        listed = [CacheEntry(path.parent.name, path, _size(path)) for path in self._kept()]
        return sorted(listed, key=lambda entry: (entry.step, entry.path.name))

    def size(self) -> int:
        """Return the bytes that the entries take on disk."""
        return sum(entry.size for entry in self.entries())

    def clear(self) -> int:
        """Remove every entry and the remains of interrupted runs; return the bytes of the entries.

        Touches nothing that does not look like an entry, whatever directory `root` is.  Raises
        OSError if something cannot be removed."""
        freed = 0
        for path in self._kept():
            freed += _size(path)
            _remove(path)
        self.sweep()
        return freed

    def sweep(self) -> None:
        """Remove the temporary folders that interrupted runs left."""
        for step in self._steps():
            scratch.sweep(step)

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

    def _kept(self) -> list[Path]:
        paths = (path for step in self._steps() for path in sorted(step.iterdir()))
        return [path for path in paths if _ENTRY.match(path.name)]

    def _discard(self, path: Path, damage: str) -> None:
        _warn(f"cache entry {path} {damage}: removed, it will be made again")
        try:
            # renamed first, so that no other process meets it half removed
            with scratch.folder(path.parent) as trash:
                os.replace(path, trash / path.name)
        except OSError as error:
            self._unwritable(error.strerror or str(error))

    def _unwritable(self, reason: str) -> None:
        _warn_once(f"cache {self.root} cannot be written ({reason}): going on without it")


@functools.cache
def _warn_once(message: str) -> None:
    _warn(message)


def _warn(message: str) -> None:
    warnings.warn(message, CacheWarning, stacklevel=4)


def _checksum(record: Mapping[str, Any]) -> str:
    return hashlib.sha256(canonical(record).encode()).hexdigest()


def _sums(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of every file below `folder`, by relative path."""
    sums = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.name != MANIFEST:
            with path.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
            sums[path.relative_to(folder).as_posix()] = digest
    return sums


def _write_manifest(folder: Path) -> None:
    sums = _sums(folder)
    text = json.dumps({"checksum": _checksum(sums), "files": sums}, indent=1)
    (folder / MANIFEST).write_text(text, encoding="utf-8")


def _damage(folder: Path) -> str | None:
    """Say how a folder is damaged; None if every file is as it was made."""
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        files = manifest["files"]
        if manifest["checksum"] != _checksum(files):
            return "has a damaged manifest"
        sums = _sums(folder)
    except (OSError, ValueError, KeyError, TypeError) as error:
        return f"cannot be read ({error})"
    damaged = [name for name, digest in files.items() if sums.get(name) != digest]
    return f"is damaged in {', '.join(damaged[:3])}" if damaged else None


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
    work = Scratch()
    try:
        make(work.path)
    except BaseException:
        work.remove()
        raise
    atexit.register(work.remove)
    return work.path


def _size(path: Path) -> int:
    size = 0
    for file in path.rglob("*") if path.is_dir() else [path]:
        with contextlib.suppress(FileNotFoundError):  # another process may have removed it
            size += 0 if file.is_dir() else file.lstat().st_size
    return size


def _remove(path: Path) -> None:
    with contextlib.suppress(FileNotFoundError):
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()
