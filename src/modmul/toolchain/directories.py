"""Directories that results go to."""

from __future__ import annotations

from pathlib import Path

from modmul.errors import SpecError
from modmul.toolchain import scratch


def check_writable(directory: Path) -> None:
    """SpecError if files cannot be put there, or it cannot be made; nothing is left behind.

    Called before any work, so that a long run does not end at the last step."""
    existing = next(path for path in (directory, *directory.absolute().parents) if path.exists())
    try:
        with scratch.folder(existing):
            return
    except NotADirectoryError:
        reason = f"{existing} is not a directory"
    except OSError as error:
        reason = f"{existing} cannot be written: {error.strerror or error}"
    allowed = "a directory that can be written"
    message = f"output = {str(directory)!r}: must be {allowed} ({reason})"
    raise SpecError("output", str(directory), allowed, message)
