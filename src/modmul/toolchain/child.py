"""Runs tools as processes: each one ends, at the latest, with the program that started it.

This holds however the program ends; see `guardian`.  While the program runs, a tool that takes too
long or is no longer needed is ended, together with all processes that it started."""

from __future__ import annotations

import contextlib
import os
import subprocess
import tempfile
import threading
import time
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import psutil

from modmul.toolchain import disk_space, guardian
from modmul.toolchain.guardian import Stopped

_TICK = 0.2  # seconds between two checks whether to stop
_GLANCE = 0.001  # seconds between two checks whether a signal has had its effect
_PATIENCE = 5.0  # seconds until a process that no signal reaches is left to the guardian
# A process that has ended may stay in the process table until its parent asks for its exit code.
_ENDED = frozenset({psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD})

__all__ = ["Stopped", "TimedOut", "end", "run", "start"]


class TimedOut(Exception):
    """A tool took too long.  output: the text that it printed until then."""

    def __init__(self, output: str):
        super().__init__(output)
        self.output = output


def start(command: Sequence[str], **options: Any) -> subprocess.Popen[Any]:
    """Start a program that ends, at the latest, when this process ends.

    options: arguments of `subprocess.Popen`; by default standard input is empty.  Raises OSError if
    there is no such program, Stopped if this process is ending."""
    options = {"stdin": subprocess.DEVNULL} | options
    process = subprocess.Popen(command, process_group=guardian.group(), **options)
    if guardian.closed():  # meanwhile, and perhaps before the process was in its group
        end(process)
        raise Stopped
    return process


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
    this function ends, the program and all processes that it started have ended."""
    place = folder or cwd
    own = {"TMPDIR": tempfile.gettempdir() if place is None else str(place.resolve())}
    with start(
        command,
        cwd=cwd,
        env={**os.environ, **(env or {}), **own},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT if errors else subprocess.DEVNULL,
        encoding="utf-8",
        errors="replace",
    ) as process:
        try:
            output = _output(process, timeout, stop)
        except BaseException:
            end(process)
            raise
    if place is not None:
        disk_space.check(place, output, process.returncode)
    return process.returncode, output


def _output(
    process: subprocess.Popen[str], timeout: float | None, stop: threading.Event | None
) -> str:
    """Read everything that a process prints until it ends.  Raises TimedOut and Stopped."""
    last = None if timeout is None else time.monotonic() + timeout
    while True:
        left = None if last is None else max(0.0, last - time.monotonic())
        patience = left if stop is None else min(_TICK, _TICK if left is None else left)
        try:
            return process.communicate(timeout=patience)[0]
        except subprocess.TimeoutExpired as error:
            if stop is not None and stop.is_set():
                raise Stopped from None
            if last is not None and time.monotonic() >= last:
                output = error.output or b""  # bytes, though the pipe is read as text
                raise TimedOut(output.decode("utf-8", "replace")) from None


def end(process: subprocess.Popen[Any]) -> None:
    """End a program and all processes that it started: none of them runs when this returns.

    Every process that was suspended is killed, even if the program has ended meanwhile, or if this
    function is interrupted: a guardian that stays suspended would never see its pipe closed."""
    if process.poll() is None:
        family: list[psutil.Process] = []
        try:
            with contextlib.suppress(psutil.NoSuchProcess):
                _suspend(psutil.Process(process.pid), family)
        finally:
            for member in family:
                with contextlib.suppress(psutil.NoSuchProcess):
                    member.kill()
        _wait(family, _ENDED)
    process.wait()


def _suspend(parent: psutil.Process, family: list[psutil.Process]) -> None:
    """Suspend a process and all its descendants, so that none of them starts another, and append
    them to `family`.  Raises psutil.NoSuchProcess if the process has ended."""
    running = [parent]
    while running:
        family += running
        for member in running:
            with contextlib.suppress(psutil.NoSuchProcess):
                member.suspend()
        # A process may be in the middle of starting another until it has really stopped.
        _wait(running, {psutil.STATUS_STOPPED, *_ENDED})
        running = [child for child in parent.children(recursive=True) if child not in family]


def _wait(processes: Sequence[psutil.Process], states: Collection[str]) -> None:
    """Wait until each process has one of the states or has ended, but at most `_PATIENCE` seconds:
    a process that waits for a disk handles no signal until the disk answers."""
    last = time.monotonic() + _PATIENCE
    for process in processes:
        with contextlib.suppress(psutil.NoSuchProcess):
            while process.status() not in states and time.monotonic() < last:
                time.sleep(_GLANCE)
