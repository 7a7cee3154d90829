"""Reads files of operations, with one JSON object in each line.

Every line is checked before anything is simulated, and then read again from a copy: the file may
be a pipe, and may change meanwhile.  A line that is no operation is an error among the others."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any, NamedTuple

from modmul import inputs
from modmul.errors import SpecError
from modmul.toolchain import scratch
from modmul.verification.simulation.request import Subject, UserRequest

LONGEST_LINE = 1 << 20  # bytes
LONGEST_FILE = 1 << 30  # bytes
STANDARD = Path("-")
_ALLOWED = "JSON objects, one a line"
_MARK = b"\xef\xbb\xbf"


class Read(NamedTuple):
    """The operations of a file, all of them checked.  number: how many lines there are.  cycles:
    the most that they take, without loading the modulus.  again: yields them in order, and for a
    line that is no operation why it is none."""

    number: int
    cycles: int
    again: Callable[[], Iterator[UserRequest | SpecError]]


@contextlib.contextmanager
def checked(path: Path, subject: Subject) -> Iterator[Read]:
    """Read and check a file, "-" for standard input; yield its operations.  Empty lines at the end
    do not count.  Raises SpecError if it cannot be read, is empty or too long."""
    name = "standard input" if path == STANDARD else str(path)
    with scratch.folder() as folder:
        copy = folder / "lines"
        count = cycles = 0
        with copy.open("wb") as checked_lines, _opened(path, name) as source:
            for number, line in enumerate(_lines(source, name), 1):
                if line.strip():
                    request = _request(line, subject, name, number)
                    cycles += 0 if isinstance(request, SpecError) else request.declared[1]
                    checked_lines.write(b"\n" * (number - count - 1) + line)
                    count = number
        if count == 0:
            raise _refuse(name, "it is empty")

        def again() -> Iterator[UserRequest | SpecError]:
            with copy.open("rb") as lines:
                for number, line in enumerate(lines, 1):
                    yield _request(line, subject, name, number)

        yield Read(count, cycles, again)


@contextlib.contextmanager
def _opened(path: Path, name: str) -> Iterator[IO[bytes]]:
    if path == STANDARD:
        yield sys.stdin.buffer
        return
    try:
        file = path.open("rb")
    except OSError as error:
        raise _refuse(name, f"cannot be read: {error.strerror or error}") from None
    except ValueError:  # a null character in the name, or half of a surrogate pair
        raise _refuse(name, "no file can have this name") from None
    with file:
        yield file


def _lines(source: IO[bytes], name: str) -> Iterator[bytes]:
    """The lines of a file, each with a line end."""
    total = number = 0
    while True:
        try:
            line = source.readline(LONGEST_LINE + 1)
        except OSError as error:  # a directory, or a disk that fails
            raise _refuse(name, f"cannot be read: {error.strerror or error}") from None
        if not line:
            return
        number += 1
        total += len(line)
        if len(line) > LONGEST_LINE:
            raise _refuse(f"{name}, line {number}", f"longer than {LONGEST_LINE >> 20} MiB")
        if total > LONGEST_FILE:
            raise _refuse(name, f"it is longer than {LONGEST_FILE >> 30} GiB")
        yield line.removeprefix(_MARK if number == 1 else b"").removesuffix(b"\n") + b"\n"


def _request(line: bytes, subject: Subject, name: str, number: int) -> UserRequest | SpecError:
    """The operation of a line, or why it is none, with file and line number."""
    where = f"{name}, line {number}"
    try:
        members: Any = inputs.from_json(line.decode(), once=True)
    except UnicodeDecodeError as error:
        return _refuse(where, f"not UTF-8 text (byte {error.start})")
    except ValueError as error:
        return _refuse(where, f"not JSON: {error}" if line.strip() else "it is empty")
    if not isinstance(members, dict):
        return _refuse(where, "no JSON object")
    try:
        return subject.read(members)
    except SpecError as error:
        return SpecError(error.key, error.value, error.allowed, f"{where}: {error.message}")


def _refuse(where: str, why: str) -> SpecError:
    return SpecError("input", where, _ALLOWED, f"{where}: {why}; must be {_ALLOWED}")
