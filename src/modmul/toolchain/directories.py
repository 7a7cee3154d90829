"""Checks whether a directory for results can be written."""

from __future__ import annotations

import os
from pathlib import Path

from modmul.errors import SpecError
from modmul.toolchain import scratch

_STANDARD_OUTPUT = Path("-")  # what many programs call it


def check_writable(directory: Path, key: str = "output") -> None:
    """Raise SpecError(key, ...) if the directory cannot be made, or no file can be written in it.

    Nothing is left behind.  It is called before any work, so that a long run does not fail at its
    last step."""
    reason = _obstacle(directory)
    if reason is not None:
        allowed = "a directory that can be written"
        message = f"{key} = {str(directory)!r}: must be {allowed} ({reason})"
        raise SpecError(key, str(directory), allowed, message)


def _obstacle(directory: Path) -> str | None:
    """Say why no file can be written in an existing or new directory; None if one can."""
    if directory == _STANDARD_OUTPUT:
        return "results are files and are not sent to standard output"
    try:
        existing = _nearest(directory)
        if not existing.is_dir():
            dangling = existing.is_symlink() and not existing.exists()
            why = "is a link that leads nowhere" if dangling else "is not a directory"
            return f"{existing} {why}"
        with scratch.folder(existing):
            return None
    except OSError as error:
        place = scratch.outside(Path(error.filename or directory))
        return f"{place} cannot be written: {error.strerror or error}"
    except ValueError:  # a null character, or what is no text
        return "no directory can have this name"


def _nearest(directory: Path) -> Path:
    """Return the directory, or its nearest parent path at which something exists."""
    for path in (directory, *directory.absolute().parents):
        try:
            os.lstat(path)
            return path
        except (FileNotFoundError, NotADirectoryError):
            continue
    raise FileNotFoundError(f"{directory}: not even a root directory is there")
