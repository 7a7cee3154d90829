"""The arguments of every longer piece of work: number of processes, cache, progress report."""

from __future__ import annotations

from dataclasses import dataclass, field

from modmul.toolchain.cache import Cache
from modmul.toolchain.progress import Report, silent


@dataclass(frozen=True)
class Work:
    """How work is done.  The verbs take these three values as arguments of their own.

    jobs: the number of processes side by side.  cache: where results are looked up and kept.
    progress: a function that is called at every step."""

    jobs: int = 2
    cache: Cache = field(default_factory=Cache)
    progress: Report = silent
