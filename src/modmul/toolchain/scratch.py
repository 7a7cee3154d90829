"""Temporary folders, all with one prefix, by which messages and later runs know them; and whether
their disk is full, which tools report in many ways."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from modmul.errors import NoRoom

_PREFIX = ".modmul-temporary-"  # older versions remove .modmul-scratch-*
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_SAID = re.compile("|".join(re.escape(os.strerror(number)) for number in FULL), re.IGNORECASE)
_NOTHING = 1 << 16  # bytes: less than a block of any file system
# A tool that fails because the disk is full removes its half-written files, so a few bytes are free
# again.  Below this number of free bytes the full disk was the cause.
_NEEDED = 20_000_000


def directory(beside: Path | None = None) -> tempfile.TemporaryDirectory[str]:
    """Make a hidden temporary folder, which is removed at the latest when this process ends.

    beside: the directory in which to make it; None: the system's for temporary files.  Raises
    OSError if it cannot be made."""
    return tempfile.TemporaryDirectory(prefix=_PREFIX, dir=beside, ignore_cleanup_errors=True)


@contextlib.contextmanager
def folder(beside: Path | None = None) -> Iterator[Path]:
    """Yield a temporary folder that is removed when the block ends.  beside: see `directory`."""
    with directory(beside) as name:
        yield Path(name)


def outside(path: Path) -> Path:
    """Return the path itself, or the directory of the temporary folder that it is in."""
    inside = [folder for folder in (path, *path.parents) if folder.name.startswith(_PREFIX)]
    return inside[-1].parent if inside else path


def sweep(place: Path, age: float = 0.0) -> None:
    """Remove the temporary folders that killed runs left in a directory, if nothing in them is
    younger than `age` seconds.  With age 0 no other process may be writing there."""
    for left in place.glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError):
            if time.time() - left.lstat().st_mtime >= age and not left.is_symlink():
                shutil.rmtree(left, ignore_errors=True)


def is_full(place: Path, needed: int = _NOTHING) -> bool:
    """Whether the disk of a folder has fewer than `needed` bytes, or no inode, left."""
    status = os.statvfs(place)
    return shutil.disk_usage(place).free < needed or 0 == status.f_favail < status.f_files


def reports_full(output: str) -> bool:
    """Whether a tool's output says that a disk is full."""
    return _SAID.search(output) is not None


def no_room(place: Path) -> NoRoom:
    """Return the NoRoom error; its message names a folder that still exists when this process has
    ended."""
    return NoRoom(f"{outside(place)}: no room is left on its disk for a tool", place)


def check_room(place: Path, output: str, code: int) -> None:
    """Raise NoRoom if a tool that wrote into the folder failed because the disk is full.

    output: the text that it printed.  code: its exit code.  Even an exit code of 0 counts as a
    failure if nothing is left: Yosys writes half a file then, and reports no error."""
    if is_full(place) if code == 0 else reports_full(output) or is_full(place, _NEEDED):
        raise no_room(place)
