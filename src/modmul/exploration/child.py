"""Measures points in a process of its own, which can be ended at any time.

The process reads one request on each line and answers with one record on each line; it stays for
the next point.  A tool that crashes it, or takes too long, costs that point only.  It ends with the
process that started it, as any tool does, and its own tools end with it.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
import threading
import time
import warnings
import weakref
from pathlib import Path
from typing import IO, Any

import msgspec

from modmul.errors import NoRoom
from modmul.exploration.record import Record
from modmul.toolchain import scratch
from modmul.toolchain.child import Tool

_START = "from modmul.exploration.child import main; main()"
_HERE = threading.local()
_ALL: weakref.WeakSet[Child] = weakref.WeakSet()


class PointRequest(msgspec.Struct, frozen=True):
    """A point to measure.

    options: of the spec, complete.  where: the texts of the conditions.  sources: the digest of the
    sources that decide the figures, computed by the process that asks; a process with other sources
    refuses.  limit: seconds, None for no limit."""

    options: dict[str, Any]
    seeds: int
    products: int
    where: tuple[str, ...]
    sources: str
    limit: float | None = None


class Reply(msgspec.Struct, frozen=True):
    """The reply of a process that measures.

    record: None if there is none; then `error` is the reason.  lost: the process died, perhaps for
    a reason that will not recur.  full: a disk that the tools need is full.  stale: the process has
    another version of this program than the one that asks.  warnings: of the process, each once."""

    record: Record | None = None
    error: str | None = None
    lost: bool = False
    full: bool = False
    stale: bool = False
    warnings: tuple[str, ...] = ()


# Created once, at import: see `record.DECODER`.
_REQUESTS, _REPLIES = msgspec.json.Decoder(PointRequest), msgspec.json.Decoder(Reply)


class Child:
    """A process that measures points, one request at a time."""

    def __init__(self) -> None:
        self._temporary = scratch.directory()  # its tools may be killed before they remove theirs
        self._process = Tool(
            [sys.executable, "-P", "-c", _START],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | {"TMPDIR": self._temporary.name},
        )
        _ALL.add(self)

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def ask(self, request: PointRequest) -> Reply:
        """Measure a point.  If the process fails or takes too long, the reply says so."""
        assert self._process.stdin is not None and self._process.stdout is not None
        timer = threading.Timer(request.limit, self.end) if request.limit else None
        if timer:
            timer.start()
        began = time.monotonic()
        try:
            self._process.stdin.write(msgspec.json.encode(request) + b"\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        except BrokenPipeError:
            line = b""
        finally:
            if timer:
                timer.cancel()
        if line.endswith(b"\n"):
            return _REPLIES.decode(line)
        code = self._process.wait()
        if request.limit and time.monotonic() - began >= request.limit:
            return Reply(error=f"took longer than {request.limit:g} s")
        return Reply(error=f"the process that measured it ended with {code}", lost=True)

    def close(self) -> None:
        """Close the pipes of a process that has ended."""
        for pipe in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(BrokenPipeError):
                if pipe is not None:
                    pipe.close()

    def end(self) -> None:
        """End the process and everything it started, and remove its temporary folders."""
        self._process.kill()
        self._temporary.cleanup()


def measure_in_child(request: PointRequest) -> Reply:
    """Measure a point in the process that belongs to this thread; see `measure`."""
    child = getattr(_HERE, "child", None)
    if child is None or not child.alive:
        child = _HERE.child = Child()
    return child.ask(request)


def end_all() -> None:
    """End every process that measures for this process."""
    for child in list(_ALL):
        child.end()
        child.close()


# ---- in the process ------------------------------------------------------------------------------


def serve(requests: IO[bytes], answers: IO[bytes]) -> None:
    """Measure points until there are no more requests."""
    messages: list[str] = []
    warnings.showwarning = lambda message, *_, **__: messages.append(str(message))
    for line in requests:
        reply = _reply(_REQUESTS.decode(line))
        reply = msgspec.structs.replace(reply, warnings=tuple(messages))
        answers.write(msgspec.json.encode(reply) + b"\n")
        answers.flush()
        messages.clear()


def _reply(request: PointRequest) -> Reply:
    from modmul.exploration import measure
    from modmul.exploration.conditions import Condition

    if request.sources != measure.POINT.sources:
        error = "this worker has another version of modmul than the process that asks"
        return Reply(error=error, stale=True)
    try:
        record = measure.measure(
            request.options,
            seeds=request.seeds,
            products=request.products,
            where=[Condition(text) for text in request.where],
        )
    except NoRoom as why:
        return Reply(error=str(why), full=True)
    except OSError as why:
        if why.errno not in scratch.FULL:
            raise
        place = scratch.outside(Path(why.filename or tempfile.gettempdir()))
        return Reply(error=f"{place}: {why.strerror}", full=True)
    return Reply(record)


def main() -> None:
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # the output of tools must not get into the answers
    serve(sys.stdin.buffer, answers)
