"""Measures how long tools run: the time while at least one runs, and the time of each tool.

Whole calls are timed (a synthesis, a compilation, a seed), not single answers of a simulator.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections import defaultdict
from collections.abc import Iterator


class Stopwatch:
    """Adds up the times of all calls of tools in this process, in all its threads."""

    def __init__(self) -> None:
        self.by_tool: dict[str, float] = defaultdict(float)
        self.running = 0
        self.any = 0.0  # seconds while at least one tool ran
        self._since = 0.0
        self._lock = threading.Lock()

    def start(self) -> float:
        with self._lock:
            now = time.monotonic()
            if not self.running:
                self._since = now
            self.running += 1
            return now

    def stop(self, tool: str, began: float) -> None:
        with self._lock:
            now = time.monotonic()
            self.running -= 1
            self.by_tool[tool] += now - began
            if not self.running:
                self.any += now - self._since


_WATCH = Stopwatch()


@contextlib.contextmanager
def running(tool: str) -> Iterator[None]:
    """Time the block as a call of this tool."""
    watch = _WATCH
    began = watch.start()
    try:
        yield
    finally:
        watch.stop(tool, began)


@contextlib.contextmanager
def measured() -> Iterator[Stopwatch]:
    """Yield a new stopwatch, which times this process until the block ends."""
    global _WATCH
    before, _WATCH = _WATCH, Stopwatch()
    try:
        yield _WATCH
    finally:
        _WATCH = before
