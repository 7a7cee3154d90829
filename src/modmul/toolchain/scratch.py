"""Temporary folders that are removed with their process, or later by another one if it crashed.

The process that made a folder holds a lock (flock) on it as long as it lives.  Whoever makes a
folder removes those beside it, of the same user, that nobody holds any more.  Locks belong to the
system, so no new process is mistaken for an old one with the same number, and no process in another
container for one that has ended.  On file systems without locks, no folder of another process is
ever removed."""

from __future__ import annotations

import contextlib
import fcntl
import functools
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

_PREFIX = "modmul-scratch-"  # all folders with this prefix follow these rules


class Scratch:
    """An empty folder that belongs to this process until `remove` or `release`."""

    def __init__(self, beside: Path | None = None):
        """beside: the directory in which to make the hidden folder; None: the system's directory
        for temporary files.  Raises OSError if it cannot be made."""
        hidden = "" if beside is None else "."
        directory = Path(tempfile.gettempdir()) if beside is None else beside
        _sweep_once(directory.absolute())
        lock = None
        while lock is None:  # almost always once, see `_take`
            self.path = Path(tempfile.mkdtemp(prefix=hidden + _PREFIX, dir=directory))
            lock = _take(self.path)
        self._handle = lock.handle

    def remove(self) -> None:
        """Remove the folder with everything in it."""
        shutil.rmtree(self.path, ignore_errors=True)
        self.release()

    def release(self) -> None:
        """Unlock the folder without removing it: it was renamed, so it is no longer temporary."""
        os.close(self._handle)


@contextlib.contextmanager
def folder(beside: Path | None = None) -> Iterator[Path]:
    """Yield a temporary folder that is removed when the block ends.  beside: see `Scratch`."""
    scratch = Scratch(beside)
    try:
        yield scratch.path
    finally:
        scratch.remove()


def outside(path: Path) -> Path:
    """Return the path itself, or the directory of the temporary folder that it is in."""
    lineage = (path, *path.parents)
    inside = [folder for folder in lineage if folder.name.removeprefix(".").startswith(_PREFIX)]
    return inside[-1].parent if inside else path


def sweep(directory: Path) -> None:
    """Remove the temporary folders of this user whose processes have ended, and nothing else."""
    with contextlib.suppress(OSError), os.scandir(directory) as entries:
        for entry in entries:
            if entry.name.removeprefix(".").startswith(_PREFIX):
                with contextlib.suppress(OSError):
                    _remove_abandoned(directory / entry.name)


@functools.cache
def _sweep_once(directory: Path) -> None:
    sweep(directory)


def _remove_abandoned(path: Path) -> None:
    lock = _take(path) if path.lstat().st_uid == os.geteuid() else None
    if lock is None:
        return
    try:
        if lock.locked:
            shutil.rmtree(path, ignore_errors=True)
    finally:
        os.close(lock.handle)


class _Taken(NamedTuple):
    """An open folder.  locked: False if the file system has no locks."""

    handle: int
    locked: bool


def _take(path: Path) -> _Taken | None:
    """Open a folder and lock it; None if another process holds it, or has removed it meanwhile.

    So if one process makes a folder, and another one takes it for abandoned before it is locked,
    only one of them goes on.  Raises OSError if this is no folder, or a symbolic link."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        locked = True
    except BlockingIOError:
        os.close(handle)
        return None
    except OSError:
        locked = False
    with contextlib.suppress(FileNotFoundError):
        if os.path.samestat(path.lstat(), os.fstat(handle)):
            return _Taken(handle, locked)
    os.close(handle)
    return None
