"""Handles signals that end the program: its tools end at once, and finished work is kept.

Python delivers a signal to the main thread when that runs next; but it may be waiting for a tool.
So a separate thread receives signals, too, and ends the tools.

An exception that is raised while an object is being deleted is dropped by Python.  This holds for
those of signals, too, and Amaranth deletes objects by the thousand.  So a signal that was dropped
is sent again."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import warnings
from collections.abc import Collection, Iterator
from types import FrameType

from modmul.toolchain import guardian

_REQUESTS = (signal.SIGTERM, signal.SIGHUP)  # from the system, a scheduler or a closed terminal
_AGAIN = 0x80  # this bit, added to the number of a signal, means: send it again
_MOMENT = 0.01  # seconds before it is sent again


class Ended(KeyboardInterrupt):
    """A signal came.  Like Ctrl-C, this exception unwinds the whole run.  code: the exit code."""

    def __init__(self, number: int):
        self.number, self.code = number, 128 + number
        name = signal.Signals(number).name
        self.text = "interrupted" if number == signal.SIGINT else f"ended by {name}"
        super().__init__(self.text)


_came: Ended | None = None
_caught = False


def came() -> Ended | None:
    """Return the signal that ends this run, if one came: it is the cause of all later errors."""
    return _came


def caught() -> None:
    """Say that the run ends by itself now: further signals, and those that were sent again, have
    nothing to end any more, and would take its exit code and its message with them."""
    global _caught
    _caught = True


@contextlib.contextmanager
def orderly() -> Iterator[None]:
    """Within the block, SIGINT, SIGTERM and SIGHUP end the tools and raise Ended in the main
    thread.  A signal that is ignored stays ignored (`nohup`).  In other threads than the main
    thread this changes nothing."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    global _came, _caught
    _came, _caught = None, False
    guardian.reopen()
    heeded = [
        number
        for number in (signal.SIGINT, *_REQUESTS)
        if signal.getsignal(number) is not signal.SIG_IGN
    ]
    with _heard(heeded):
        before = {number: signal.signal(number, _end) for number in heeded}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


@contextlib.contextmanager
def _heard(numbers: Collection[int]) -> Iterator[None]:
    """End the tools when one of these signals comes, whatever the main thread does."""
    hear, tell = os.pipe()
    os.set_blocking(tell, False)
    over = threading.Event()

    def listen() -> None:
        while number := os.read(hear, 1):
            if number[0] in numbers:
                guardian.close()
            elif number[0] & _AGAIN and not over.wait(_MOMENT):
                os.kill(os.getpid(), number[0] ^ _AGAIN)

    listener = threading.Thread(target=listen, name="modmul-signals", daemon=True)
    listener.start()
    before = signal.set_wakeup_fd(tell)
    try:
        with _insisting(tell):
            yield
    finally:
        over.set()
        signal.set_wakeup_fd(before)
        os.close(tell)
        listener.join()
        os.close(hear)


@contextlib.contextmanager
def _insisting(tell: int) -> Iterator[None]:
    """Send a signal again if its exception was raised where Python drops exceptions."""
    before = sys.unraisablehook

    def dropped(lost: sys.UnraisableHookArgs) -> None:
        if not isinstance(lost.exc_value, Ended):
            before(lost)
            return
        number = lost.exc_value.number
        signal.signal(number, _end)
        os.write(tell, bytes([number | _AGAIN]))

    sys.unraisablehook = dropped
    try:
        yield
    finally:
        sys.unraisablehook = before


def _end(number: int, frame: FrameType | None) -> None:
    global _came
    if _came is not None and _caught:
        return
    warnings.simplefilter("ignore")  # Amaranth warns of designs that are never used; expected here
    for request in _REQUESTS:  # a terminal that is closed often sends several
        signal.signal(request, signal.SIG_IGN)
    _came = Ended(number)
    raise _came
