"""The published tables of papers beside what modmul computes and measures: one package for each
paper."""

from __future__ import annotations

import sys
from types import ModuleType

from modmul.errors import SpecError, quoted
from modmul.papers import pictures
from modmul.papers.agreement import Index, index
from modmul.papers.needs import Measuring
from modmul.papers.records import Paper, Table, TableCell
from modmul.papers.registry import KEYS, PAPERS
from modmul.parameters import MOST_JOBS, MOST_SEEDS, SEEDS, check_number
from modmul.toolchain.cache import Cache
from modmul.toolchain.progress import Report, silent


def papers(
    key: str,
    *,
    seeds: int = SEEDS,
    jobs: int = 2,
    cache: Cache | None = None,
    progress: Report = silent,
    widest: int | None = None,
) -> Paper:
    """The tables and figures of a paper: published, computed, measured.

    Measuring simulates, synthesises and routes every design: minutes the first time, hours where
    wide ones are routed with many seeds; then the cache has it, also what an interrupted run had
    done.  seeds, jobs: as for `implement`.  widest: bits up to which everything is measured, and
    nothing above, where all of it takes hours (alkhaleel2006).  SpecError for an unknown key, or
    for `widest` where a paper has none."""
    check_number("seeds", seeds, 0, MOST_SEEDS)
    check_number("jobs", jobs, 1, MOST_JOBS)
    if key not in PAPERS:
        allowed = ", ".join(KEYS)
        raise SpecError("papers", key, allowed, f"papers {quoted(key)}: must be one of {allowed}")
    if widest is not None and PAPERS[key].widest is None:
        message = f"widest = {quoted(widest)}: {key} is always measured whole"
        raise SpecError("widest", widest, "absent", message)
    return PAPERS[key].paper(Measuring(jobs, cache or Cache(), progress, seeds, widest))


class _Verb(ModuleType):
    """`modmul.papers(...)` is a verb like the others, though this package has its name."""

    __call__ = staticmethod(papers)


sys.modules[__name__].__class__ = _Verb

__all__ = ["KEYS", "Index", "Paper", "Table", "TableCell", "index", "papers", "pictures"]
