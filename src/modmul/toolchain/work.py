"""What every longer piece of work needs: number of processes, cache, progress report."""

from __future__ import annotations

from dataclasses import dataclass, field

from modmul.toolchain.cache import Cache
from modmul.toolchain.progress import Report, silent


@dataclass(frozen=True)
class Work:
    """How work is done.  The verbs take these three as arguments of their own.

    jobs: processes side by side.  cache: where results are looked up and kept.  progress: told of
    every step."""

    jobs: int = 2
    cache: Cache = field(default_factory=Cache)
    progress: Report = silent
