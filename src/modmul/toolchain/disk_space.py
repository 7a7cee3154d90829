"""Finds out whether a disk is full: tools report that in many ways."""

from __future__ import annotations

import errno
import os
import re
import shutil
from pathlib import Path

from modmul.errors import NoRoom
from modmul.toolchain import scratch

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_SAID = re.compile("|".join(re.escape(os.strerror(number)) for number in FULL), re.IGNORECASE)
_NOTHING = 1 << 16  # bytes: less than a block of any file system
# A tool that fails because the disk is full removes its half-written files, so a few bytes are free
# again.  Below this number of free bytes the full disk was the cause.
_NEEDED = 20_000_000


def is_full(place: Path, needed: int) -> bool:
    """Whether the disk of a folder has fewer than `needed` bytes, or no inode, left."""
    status = os.statvfs(place)
    return shutil.disk_usage(place).free < needed or 0 == status.f_favail < status.f_files


def nothing_left(place: Path) -> bool:
    """Whether the disk of a folder has no room for anything."""
    return is_full(place, _NOTHING)


def reports_full(output: str) -> bool:
    """Whether a tool's output says that a disk is full."""
    return _SAID.search(output) is not None


def no_room(place: Path) -> NoRoom:
    """Return the NoRoom error; its message names a folder that still exists when this process has
    ended."""
    return NoRoom(f"{scratch.outside(place)}: no room is left on its disk for a tool", place)


def check(place: Path, output: str, code: int) -> None:
    """Raise NoRoom if a tool that wrote into the folder failed because the disk is full.

    output: the text that it printed.  code: its exit code.  Even an exit code of 0 counts as a
    failure if nothing is left: Yosys writes half a file then, and reports no error."""
    if nothing_left(place) if code == 0 else reports_full(output) or is_full(place, _NEEDED):
        raise no_room(place)
