"""Temporary folders, all with one prefix, by which messages and later runs know them."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

_PREFIX = ".modmul-temporary-"  # older versions remove .modmul-scratch-*


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
