"""Signals that end the program: its tools end at once, and finished work is kept.

Python delivers a signal to the main thread when that runs next; but it may be waiting for a tool.
So a separate thread receives signals, too, and ends the tools.

What is raised while an object is being deleted is dropped by Python, signals included, and
Amaranth deletes objects by the thousand.  So a signal that was dropped is sent again."""

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

_REQUESTS = (signal.SIGTERM, signal.SIGHUP)  # of a system, a scheduler, a terminal that is closed
_AGAIN = 0x80  # with the number of a signal: send it again; numbers are below
_MOMENT = 0.01  # seconds until then


class Ended(KeyboardInterrupt):
    """A signal: like Ctrl-C, it unwinds everything that is under way.  code: of the exit."""

    def __init__(self, number: int):
        self.number, self.code = number, 128 + number
        name = signal.Signals(number).name
        self.text = "interrupted" if number == signal.SIGINT else f"ended by {name}"
        super().__init__(self.text)


_came: Ended | None = None


def came() -> Ended | None:
    """The signal that ends this run, from when it came on: whatever fails then, fails by it."""
    return _came


@contextlib.contextmanager
def orderly() -> Iterator[None]:
    """SIGINT, SIGTERM and SIGHUP end the tools and raise Ended in the main thread, in the block.

    One that is ignored stays so (`nohup`).  Elsewhere than in the main thread nothing changes."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    global _came
    _came = None
    guardian.reopen()
    heeded = [
        number for number in (signal.SIGINT, *_REQUESTS)
        if signal.getsignal(number) is not signal.SIG_IGN
    ]  # fmt: skip
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
    """Have a signal sent again that was raised where Python drops what is raised."""
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
    warnings.simplefilter("ignore")  # half a design is no news: it was never to be used
    for request in _REQUESTS:  # a terminal that is closed often sends several
        signal.signal(request, signal.SIG_IGN)
    global _came
    _came = Ended(number)
    raise _came
