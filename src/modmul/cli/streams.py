"""Standard output and standard error, which may be full, closed, or read by nobody.

If standard output cannot be written, the run ends with a message on standard error.  If standard
error cannot be written, the run goes on: no result depends on a warning."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterator
from typing import Any, TextIO, cast

_STANDARD = (0, 1, 2)


class Unwritten(Exception):
    """Standard output cannot be written.  closed: whether its reader has closed it."""

    def __init__(self, error: OSError):
        super().__init__(f"standard output: {error.strerror or error}")
        self.closed = isinstance(error, BrokenPipeError)


class _Stream:
    """A standard stream that calls `failed` if it cannot be written."""

    def __init__(self, stream: TextIO, failed: Callable[[OSError], None]):
        self._stream, self._failed = stream, failed

    def write(self, text: str) -> int:
        try:
            return self._stream.write(text)
        except OSError as error:
            self._failed(error)
            return len(text)

    def flush(self) -> None:
        try:
            self._stream.flush()
        except OSError as error:
            self._failed(error)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextlib.contextmanager
def guarded() -> Iterator[Callable[[], bool]]:
    """Guard both streams within the block; yield a function that says whether standard error lost
    text.  Writing to standard output, or flushing it, raises Unwritten if that fails."""
    output, errors = sys.stdout, sys.stderr
    lost: list[OSError] = []

    def unwritten(error: OSError) -> None:
        _abandon(output)
        raise Unwritten(error) from None

    def unsaid(error: OSError) -> None:
        _abandon(errors)
        lost.append(error)

    sys.stdout = cast(TextIO, _Stream(output, unwritten))
    sys.stderr = cast(TextIO, _Stream(errors, unsaid))
    try:
        yield lambda: bool(lost)
    finally:
        sys.stdout, sys.stderr = output, errors


def opened() -> bool:
    """Whether standard output is open; each standard stream that is closed becomes the null device.

    Otherwise the first file that is opened would get its number, and the text meant for people."""
    for number in _STANDARD:
        try:
            os.fstat(number)
        except OSError:
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)  # the lowest free number
    opened_before = sys.stdout is not None
    sys.stdout = sys.stdout or open(os.devnull, "w")
    sys.stderr = sys.stderr or open(os.devnull, "w")
    return opened_before


def _abandon(stream: TextIO) -> None:
    """Redirect a stream to the null device, also for text that is flushed at exit."""
    with contextlib.suppress(OSError, ValueError):  # a stream without a file, as of a test
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, stream.fileno())
        os.close(null)
