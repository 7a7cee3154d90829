"""Points measured in a process of their own, which can be ended at any instant.

The process reads one request a line and answers with one record a line; it stays for the next
point.  A tool that crashes it, or takes too long, costs that point only.  When the process that
started it is gone, it ends itself and whatever it started.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import warnings
import weakref
from pathlib import Path
from typing import IO, Any, NamedTuple

import msgspec
import psutil

from modmul.exploration.record import Record
from modmul.toolchain.cache import default_root
from modmul.toolchain.terminal import visible

_START = "from modmul.exploration.child import main; main()"
_ROOM = 20_000_000  # bytes that a point may need, at least
_WATCH = 1.0  # seconds between looks at the parent
_HERE = threading.local()
_ALL: weakref.WeakSet[Child] = weakref.WeakSet()


class Request(NamedTuple):
    """What to measure.  options: of the spec, complete.  where: texts of conditions.

    sources: digest of what has a say in the figures, where it is asked; another program's are not
    taken.
    limit: seconds, None: as long as it takes."""

    options: dict[str, Any]
    seeds: int
    products: int
    where: tuple[str, ...]
    sources: str
    limit: float | None = None


class Reply(NamedTuple):
    """record: None where there is none, and `error` says why.  lost: the process died of something
    that may not come again.  full: a disk that the tools need has no room."""

    record: bytes | None
    error: str | None
    lost: bool = False
    full: bool = False


class Child:
    """A process that measures.  One request at a time."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", _START],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True,
        )  # fmt: skip
        _ALL.add(self)

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def ask(self, request: Request) -> Reply:
        """Measure; an error of the process, or of its time, is a reply too."""
        assert self._process.stdin is not None and self._process.stdout is not None
        timer = threading.Timer(request.limit, self.end) if request.limit else None
        if timer:
            timer.start()
        began = time.monotonic()
        try:
            self._process.stdin.write(json.dumps(request._asdict()).encode() + b"\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        except BrokenPipeError:
            line = b""
        finally:
            if timer:
                timer.cancel()
        if line.endswith(b"\n"):
            answer = json.loads(line)
            record = answer.get("record")
            content = json.dumps(record).encode() if record else None
            return Reply(content, answer.get("error"), full=answer.get("full", False))
        code = self._process.wait()
        if request.limit and time.monotonic() - began >= request.limit:
            return Reply(None, f"took longer than {request.limit:g} s")
        return Reply(None, f"the process that measured it ended with {code}", lost=True)

    def close(self) -> None:
        """Close the pipes of a process that has ended."""
        for pipe in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(BrokenPipeError):
                if pipe is not None:
                    pipe.close()

    def end(self) -> None:
        """End the process and everything it started."""
        end_tree(self._process.pid)
        self._process.wait()


def measure_in_child(request: Request) -> Reply:
    """As `measure`, in this thread's own process."""
    child = getattr(_HERE, "child", None)
    if child is None or not child.alive:
        child = _HERE.child = Child()
    return child.ask(request)


def end_all() -> None:
    """End every process that measures for this one."""
    for child in list(_ALL):
        child.end()
        child.close()


def end_tree(pid: int) -> None:
    """Kill what a process started, and what that started."""
    with contextlib.suppress(psutil.NoSuchProcess):
        parent = psutil.Process(pid)
        parent.suspend()  # so that it starts nothing more
        for process in [*parent.children(recursive=True), parent]:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()


# ---- in the process ------------------------------------------------------------------------------


def serve(requests: IO[bytes], answers: IO[bytes]) -> None:
    """Measure until there are no more requests."""
    for line in requests:
        request = Request(**json.loads(line))
        answers.write(json.dumps(_answer(request)).encode() + b"\n")
        answers.flush()


def _answer(request: Request) -> dict[str, Any]:
    from modmul.exploration import measure
    from modmul.exploration.conditions import Condition

    if request.sources != measure.step_of(request.options).sources:
        return {"error": "this worker has another version of modmul than the process that asks"}
    record: Record = measure.measure(
        request.options, seeds=request.seeds, products=request.products,
        where=[Condition(text) for text in request.where],
    )  # fmt: skip
    if record.status == "failed" and (place := _full_disk()):
        return {"error": f"{place}: no room is left on its disk", "full": True}
    return {"record": msgspec.to_builtins(record)}


def _full_disk() -> Path | None:
    """Where the tools write and there is no room; what they say then has many forms."""
    for place in (default_root(), Path(tempfile.gettempdir())):
        there = next(path for path in (place, *place.absolute().parents) if path.exists())
        if shutil.disk_usage(there).free < _ROOM:
            return place
    return None


def _die_with(parent: int) -> None:
    """End everything when the process that started this one is gone."""
    while os.getppid() == parent:
        time.sleep(_WATCH)
    for process in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()
    os._exit(1)


def main() -> None:
    threading.Thread(target=_die_with, args=(os.getppid(),), daemon=True).start()
    warnings.showwarning = lambda message, *_, **__: print(
        f"modmul: warning: {visible(str(message))}", file=sys.stderr
    )
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a tool prints does not belong to the answers
    serve(sys.stdin.buffer, answers)
