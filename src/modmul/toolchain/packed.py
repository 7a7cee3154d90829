"""Compresses large text files: netlists in JSON shrink to a tenth."""

from __future__ import annotations

import gzip
import hashlib
import shutil
from pathlib import Path

SUFFIX = ".gz"
_LEVEL = 3  # nearly as small as 9, in a fifth of the time


def pack(path: Path) -> Path:
    """Replace a file by its compressed form, which is the same bytes for the same content."""
    packed = path.with_name(path.name + SUFFIX)
    packed.write_bytes(gzip.compress(path.read_bytes(), _LEVEL, mtime=0))
    path.unlink()
    return packed


def read(path: Path) -> str:
    """Return the text of a file, packed or not."""
    content = path.read_bytes()
    return (gzip.decompress(content) if path.suffix == SUFFIX else content).decode()


def digest(path: Path) -> str:
    """Return the SHA-256 of the content of a file, packed or not."""
    return hashlib.sha256(read(path).encode()).hexdigest()


def unpack(path: Path, folder: Path) -> Path:
    """Copy a file, packed or not, to another folder in plain form; return the copy."""
    if path.suffix != SUFFIX:
        return Path(shutil.copy(path, folder))
    target = folder / path.name.removesuffix(SUFFIX)
    target.write_text(read(path))
    return target
