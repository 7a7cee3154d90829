"""Whether a disk has room: what a tool says about a full one has many forms."""

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
_NEEDED = 20_000_000  # bytes that a design may need, at least: a tool removes what it wrote in vain


def is_full(place: Path) -> bool:
    """Whether the disk of a folder, or of where it would be made, has no room for a design."""
    there = next(path for path in (place, *place.absolute().parents) if path.exists())
    status = os.statvfs(there)
    return shutil.disk_usage(there).free < _NEEDED or 0 == status.f_favail < status.f_files


def said(output: str) -> bool:
    """Whether a tool's output says that a disk is full."""
    return _SAID.search(output) is not None


def no_room(place: Path) -> NoRoom:
    """The error that says so, and names a folder that stays when this process has ended."""
    return NoRoom(f"{scratch.outside(place)}: no room is left on its disk for a tool", place)


def check(place: Path, output: str) -> None:
    """NoRoom where a tool that wrote into a folder failed because its disk is full.

    output: what the tool printed."""
    if said(output) or is_full(place):
        raise no_room(place)
