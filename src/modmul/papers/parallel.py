"""Run independent tasks in a thread pool."""

from __future__ import annotations

from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from modmul.toolchain.progress import Report

T = TypeVar("T")
R = TypeVar("R")


def parallel_map(
    task: Callable[[T], R], items: Collection[T], *, jobs: int, progress: Report, what: str
) -> list[R]:
    """`task` of every item, `jobs` at a time, in threads: the results in the order of the items.

    progress: told after each, as `what`.  After an error, or an interrupt, nothing new is begun."""
    results: list[R] = []
    progress(what, 0, len(items))
    with ThreadPoolExecutor(jobs) as pool:
        try:
            for result in pool.map(task, items):
                results.append(result)
                progress(what, len(results), len(items))
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    return results
