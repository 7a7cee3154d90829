"""Signals that end the program: its tools end at once, and finished work is kept.

Python delivers a signal to the main thread when that runs next; but it may be waiting for a tool.
So a separate thread receives signals, too, and ends the tools."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import warnings
from collections.abc import Collection, Iterator
from types import FrameType

from modmul.toolchain import guardian

_REQUESTS = (signal.SIGTERM, signal.SIGHUP)  # of a system, a scheduler, a terminal that is closed


class Ended(KeyboardInterrupt):
    """A signal: like Ctrl-C, it unwinds everything that is under way.  code: of the exit."""

    def __init__(self, number: int):
        self.code = 128 + number
        name = signal.Signals(number).name
        self.text = "interrupted" if number == signal.SIGINT else f"ended by {name}"
        super().__init__(self.text)


@contextlib.contextmanager
def orderly() -> Iterator[None]:
    """SIGINT, SIGTERM and SIGHUP end the tools and raise Ended in the main thread, in the block.

    One that is ignored stays so (`nohup`).  Elsewhere than in the main thread nothing changes."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
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

    def listen() -> None:
        while number := os.read(hear, 1):
            if number[0] in numbers:
                guardian.close()

    listener = threading.Thread(target=listen, name="modmul-signals", daemon=True)
    listener.start()
    before = signal.set_wakeup_fd(tell)
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)
        os.close(tell)
        listener.join()
        os.close(hear)


def _end(number: int, frame: FrameType | None) -> None:
    warnings.simplefilter("ignore")  # half a design is no news: it was never to be used
    for request in _REQUESTS:  # a terminal that is closed often sends several
        signal.signal(request, signal.SIG_IGN)
    raise Ended(number)
