"""Digest of this program's own files: figures hold only for the sources that made them."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterable
from pathlib import Path

# Rooms that show figures, or say what has to be measured; no figure comes from them.
ABOVE = ("cli", "exploration", "papers", "reporting")


@functools.cache
def of_package(root: Path) -> str:
    """Of every file of the package at `root`, but for the rooms above the figures."""
    rooms = [path for path in root.iterdir() if path.is_dir() and path.name not in ABOVE]
    files = [*root.glob("*.py"), *(file for room in rooms for file in room.rglob("*"))]
    return of_files(root, (file for file in files if "__pycache__" not in file.parts))


def of_files(root: Path, files: Iterable[Path]) -> str:
    """Of these files below `root`: names and contents."""
    digest = hashlib.sha256()
    for file in sorted(files):
        if file.is_file():
            digest.update(f"{file.relative_to(root)} {file.stat().st_size} ".encode())
            digest.update(file.read_bytes())
    return digest.hexdigest()
