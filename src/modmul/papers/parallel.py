"""Run independent tasks in a thread pool."""

from __future__ import annotations

from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from modmul.toolchain.work import Work

T = TypeVar("T")
R = TypeVar("R")


def parallel_map(task: Callable[[T], R], items: Collection[T], what: str, work: Work) -> list[R]:
    """`task` of every item, some at a time, in threads: the results in the order of the items.

    what: the line of progress, which is told after each.  After an error, or an interrupt, nothing
    new is begun."""
    results: list[R] = []
    work.progress(what, 0, len(items))
    with ThreadPoolExecutor(work.jobs) as pool:
        try:
            for result in pool.map(task, items):
                results.append(result)
                work.progress(what, len(results), len(items))
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    return results
