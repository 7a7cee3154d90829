"""Whether a disk has room left: tools report a full disk in many ways."""

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
_NEEDED = 20_000_000  # bytes that a design may need, at least: a tool removes what it wrote in vain


def is_full(place: Path, needed: int) -> bool:
    """Whether the disk of a folder has fewer bytes left, or none for the name of a file."""
    status = os.statvfs(place)
    return shutil.disk_usage(place).free < needed or 0 == status.f_favail < status.f_files


def nothing_left(place: Path) -> bool:
    """Whether nothing more fits on the disk of a folder."""
    return is_full(place, _NOTHING)


def reports_full(output: str) -> bool:
    """Whether a tool's output says that a disk is full."""
    return _SAID.search(output) is not None


def no_room(place: Path) -> NoRoom:
    """The error that says so, and names a folder that stays when this process has ended."""
    return NoRoom(f"{scratch.outside(place)}: no room is left on its disk for a tool", place)


def check(place: Path, output: str, code: int) -> None:
    """NoRoom where a tool that wrote into a folder failed because its disk is full.

    output, code: what it printed, and ended with.  One that ended well is not believed where
    nothing is left: Yosys writes half a file then, and says nothing."""
    if nothing_left(place) if code == 0 else reports_full(output) or is_full(place, _NEEDED):
        raise no_room(place)
