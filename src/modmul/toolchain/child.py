"""Runs tools as processes: a tool and all that it starts end, at the latest, with this program.

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
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from modmul.toolchain import disk_space

_LEADER = ["/bin/sh", "-c", "trap '' HUP INT TERM; read -r nothing; kill -KILL 0"]
_TICK = 0.2  # seconds between two checks for signals, and whether to stop
_RUNNING: set[Tool] = set()
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
    TimedOut, Stopped, or NoRoom if the disk of `folder` is full (see `disk_space.check`).  However
    this function ends, the program and all that it started have been killed."""
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
        disk_space.check(place, output, tool.returncode)
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
