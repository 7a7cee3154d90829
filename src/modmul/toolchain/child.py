"""Runs tools as processes, and measures how long they run: a tool and all that it starts end, at
the latest, with this program.

A tool is in a process group of its own.  The leader of the group is a shell that reads from a pipe
whose other end only this process has.  When this process is gone, even by SIGKILL, the system
closes the pipe, and the shell kills the group, with the passes of a compiler and whatever else the
tool has started.  A tool joins the group between `fork` and `exec` and holds a copy of the pipe
until `exec`, so there is no instant in which it could escape."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from modmul.errors import ToolFailed
from modmul.toolchain import scratch

_LEADER = ["/bin/sh", "-c", "trap '' HUP INT TERM; read -r nothing; kill -KILL 0"]
_TICK = 0.2  # seconds between two checks for signals, and whether to stop
_LOG_LINES = 30  # the most lines of a log that an error repeats
_RUNNING: set[Tool] = set()
_calls: list[Call] | None = None  # of the innermost block of `measured`
_stopping = False


class Stopped(Exception):
    """A tool was ended or not started, because another one failed or this program is ending."""


class TimedOut(Exception):
    """A tool took too long.  output: the text that it printed until then."""

    def __init__(self, output: str):
        super().__init__(output)
        self.output = output


class Tool(subprocess.Popen[Any]):
    """A running program.  As a context manager, it is killed when the block ends.

    options: of `subprocess.Popen`; by default standard input is empty.  Raises OSError if there is
    no such program, Stopped if this program is ending."""

    def __init__(self, command: Sequence[str], **options: Any):
        self._leader = subprocess.Popen(
            _LEADER,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            process_group=0,
        )
        try:
            options = {"stdin": subprocess.DEVNULL, "process_group": self._leader.pid} | options
            super().__init__(command, **options)
            _RUNNING.add(self)
            if _stopping:
                raise Stopped
        except BaseException:
            self.kill()
            raise

    def kill(self) -> None:
        """Kill the program and all that it started, and wait for its end."""
        self.signal_group()
        with self._leader:  # waits for its end, too, and closes the pipe
            _RUNNING.discard(self)
        if getattr(self, "pid", None):  # it was started
            self.wait()

    def signal_group(self) -> None:
        if self._leader.returncode is None:  # later, its number can be that of another group
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._leader.pid, signal.SIGKILL)

    def __exit__(self, *error: Any) -> None:
        self.kill()
        super().__exit__(*error)


def stop_all() -> None:
    """Kill every tool of this process, and let none start.  It takes no lock, so a signal handler
    may call it."""
    global _stopping
    _stopping = True
    for tool in list(_RUNNING):
        tool.signal_group()


def reopen() -> None:
    """Let tools start again."""
    global _stopping
    _stopping = False


def run(
    command: Sequence[str],
    *,
    cwd: Path | None = None,
    folder: Path | None = None,
    env: Mapping[str, str] | None = None,
    timeout: float | None = None,
    stop: threading.Event | None = None,
    errors: bool = True,
) -> tuple[int, str]:
    """Run a program to its end; return its exit code and the text that it printed.

    folder: where it writes, temporary files included (default: `cwd`; without both, temporary files
    go where those of Python do, which need not be the environment's TMPDIR).  timeout: seconds.
    stop: setting this event ends the program.  errors: return its standard error, too.  Raises
    TimedOut, Stopped, or NoRoom if the disk of `folder` is full.  However this function ends, the
    program and all that it started have been killed."""
    place = folder or cwd
    own = {"TMPDIR": tempfile.gettempdir() if place is None else str(place.resolve())}
    with Tool(
        command,
        cwd=cwd,
        env={**os.environ, **(env or {}), **own},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT if errors else subprocess.DEVNULL,
        encoding="utf-8",
        errors="replace",
    ) as tool:
        output = _output(tool, timeout, stop)
    if place is not None:
        scratch.check_room(place, output, tool.returncode)
    return tool.returncode, output


def _output(tool: Tool, timeout: float | None, stop: threading.Event | None) -> str:
    """Read everything that a tool prints until it ends.  Raises TimedOut and Stopped."""
    last = time.monotonic() + (float("inf") if timeout is None else timeout)
    while True:
        try:
            text: str = tool.communicate(timeout=max(0.0, min(_TICK, last - time.monotonic())))[0]
            return text
        except subprocess.TimeoutExpired as error:
            if stop is not None and stop.is_set():
                raise Stopped from None
            if time.monotonic() >= last:
                output = error.output or b""  # bytes, though the pipe is read as text
                raise TimedOut(output.decode("utf-8", "replace")) from None


def call(name: str, command: Sequence[str], *, first: bool = False, **options: Any) -> str:
    """Run a tool as `run` does, with its options; count its time; return what it printed.

    name: of the tool, for errors and times.  first: an error repeats the first lines of the log,
    where compilers say what is wrong, in the place of the last ones.  Raises ToolFailed if the tool
    takes too long or ends with another exit code than 0."""
    try:
        with timed(name):
            code, log = run(command, **options)
    except TimedOut as late:
        why, log = f"did not finish within {options['timeout']:g} s", late.output
    else:
        if code == 0:
            return log
        why = f"ended with {code}"
    lines = log.splitlines()
    shown = lines[:_LOG_LINES] if first else lines[-_LOG_LINES:]
    raise ToolFailed("\n".join([f"{name} {why}:", *shown]))


class Call(NamedTuple):
    """A call of a tool: a synthesis, a compilation, a question to a simulator.  began, ended:
    seconds."""

    tool: str
    began: float
    ended: float


@contextlib.contextmanager
def timed(tool: str) -> Iterator[None]:
    """Count the block as a call of this tool."""
    calls, began = _calls, time.monotonic()
    try:
        yield
    finally:
        if calls is not None:
            calls.append(Call(tool, began, time.monotonic()))


@contextlib.contextmanager
def measured() -> Iterator[list[Call]]:
    """Yield a list that gets the calls of tools in this process, in all its threads, until the
    block ends."""
    global _calls
    before, _calls = _calls, []
    try:
        yield _calls
    finally:
        _calls = before
