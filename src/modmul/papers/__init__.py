"""Published tables beside what this tool computes and measures: one module a paper."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType

from modmul.errors import SpecError
from modmul.papers import amanor2005, dualfips, gallin2019, kuang2016, pictures
from modmul.papers.records import Cell, Paper, Table
from modmul.toolchain.cache import Cache
from modmul.toolchain.progress import Report, silent

PAPERS: dict[str, Callable[..., Paper]] = {
    one.KEY: one.paper for one in (gallin2019, kuang2016, amanor2005, dualfips)
}
KEYS = tuple(PAPERS)


def papers(
    key: str,
    *,
    seeds: int = 8,
    jobs: int = 2,
    cache: Cache | None = None,
    progress: Report = silent,
) -> Paper:
    """The tables and figures of a paper: published, computed, measured.

    Measuring simulates, synthesises and routes every design: minutes the first time, hours where
    wide ones are routed with many seeds; then the cache has it, also what an interrupted run had
    done.  seeds, jobs: as for `implement`.  SpecError for an unknown key."""
    if key not in PAPERS:
        allowed = ", ".join(KEYS)
        raise SpecError("papers", key, allowed, f"papers {key!r}: must be one of {allowed}")
    return PAPERS[key](seeds=seeds, jobs=jobs, cache=cache, progress=progress)


class _Verb(ModuleType):
    """`modmul.papers(...)` is a verb like the others, though this package has its name."""

    __call__ = staticmethod(papers)


sys.modules[__name__].__class__ = _Verb

__all__ = ["KEYS", "Cell", "Paper", "Table", "papers", "pictures"]
