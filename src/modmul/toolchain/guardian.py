"""The process group of the tools, which ends with this process, however that ends.

Every tool is started in one process group.  Its leader, the guardian, is a shell that reads from a
pipe whose other end only this process has.  When this process is gone, even by SIGKILL, the system
closes the pipe, and the shell kills its group, itself included.

There is no gap: a tool joins the group between `fork` and `exec`, and holds a copy of the pipe
until `exec`, so the guardian kills only after all starting tools have joined.  Processes that a
tool starts are in its group, also those that it leaves behind."""

from __future__ import annotations

import atexit
import os
import subprocess
import threading
import time

_SHELL = "/bin/sh"
# Only the end of this process ends the shell; `kill 0` signals the shell's own group.
_WAIT = "trap '' HUP INT QUIT TERM; read -r nothing; kill -KILL 0"
_NAME = "modmul-guardian"  # its name in the list of processes
_GLANCE, _PATIENCE = 0.001, 1.0  # seconds between two looks at a guardian that ends, and for all
_LOCK = threading.Lock()
_guardian: subprocess.Popen[bytes] | None = None
_closed = False


class Stopped(Exception):
    """A tool was ended or not started, because another one failed or this program is ending."""


def group() -> int:
    """Return the process group for tools; start it if needed.  Raises Stopped if closed."""
    global _guardian
    with _LOCK:
        if _closed:
            raise Stopped
        if _guardian is not None and (_is_released(_guardian) or _ended(_guardian)):
            _release(_guardian)
            _wait(_guardian)
            _guardian = None
        if _guardian is None:
            _guardian = subprocess.Popen(
                [_SHELL, "-c", _WAIT, _NAME],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                bufsize=0,
                cwd="/",
                process_group=0,
            )
        return _guardian.pid


def close() -> None:
    """Kill every tool of this process, and let none start.  It takes no lock, so a signal handler
    may call it."""
    global _closed
    _closed = True
    if _guardian is not None:
        _release(_guardian)


def _release(watcher: subprocess.Popen[bytes]) -> None:
    """Close the pipe of a guardian; if it still runs, it kills its group."""
    assert watcher.stdin is not None
    watcher.stdin.close()


def _is_released(watcher: subprocess.Popen[bytes]) -> bool:
    """Return whether the pipe of a guardian was closed: it ends now, and a tool that joined its
    group after it had killed the others would have nothing that ends it."""
    assert watcher.stdin is not None
    return watcher.stdin.closed


def _wait(watcher: subprocess.Popen[bytes]) -> None:
    """Wait until a guardian that was released has ended, but at most `_PATIENCE` seconds."""
    last = time.monotonic() + _PATIENCE
    while not _ended(watcher) and time.monotonic() < last:
        time.sleep(_GLANCE)


def _ended(watcher: subprocess.Popen[bytes], options: int = os.WNOHANG) -> bool:
    """Return whether a guardian has ended.  options: 0 to wait for the end.

    `poll` and `wait` take a lock, which stays locked if the handler of a signal raises an exception
    just then; afterwards `poll` would say no for ever, and `wait` would never return."""
    if watcher.returncode is None:
        try:
            pid, status = os.waitpid(watcher.pid, options)
        except ChildProcessError:  # somebody else saw it end
            pid, status = watcher.pid, 0
        if pid:
            watcher.returncode = os.waitstatus_to_exitcode(status)
    return watcher.returncode is not None


def closed() -> bool:
    """Whether no tool may start any more."""
    return _closed


def reopen() -> None:
    """Let tools start again."""
    global _closed
    _closed = False


def _leave() -> None:
    close()
    if _guardian is not None:
        _ended(_guardian, 0)


def _forget() -> None:
    """Give up the parent's guardian in a fork of this process: the tools belong to the parent."""
    global _guardian, _LOCK
    _LOCK = threading.Lock()
    close()
    reopen()
    _guardian = None


atexit.register(_leave)
os.register_at_fork(after_in_child=_forget)
