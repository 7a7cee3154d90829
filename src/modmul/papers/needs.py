"""Which measurements the tables of a paper need, and the engine that makes them.

A paper declares needs; `Measuring.fill` finds their results in the cache, measures what is missing
and memoises it.  Keys are known before anything is elaborated: the steps below memoise by the
emitted text, and to emit a wide design takes seconds."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec

from modmul.toolchain.cache import Cache
from modmul.toolchain.progress import silent
from modmul.toolchain.steps import Step
from modmul.toolchain.work import Work

T = TypeVar("T")
K = TypeVar("K")
R = TypeVar("R")


class ReadOnlyCache(Cache):
    """The cache where nothing is to be measured: results in it are read, others are missing.  A
    step that would compile or store something all the same is a fault."""

    def put(self, step: Step, key: Mapping[str, Any], record: Mapping[str, Any]) -> None:
        raise AssertionError(f"{step.name} was made, where figures are only read")

    def folder(self, step: Step, key: Mapping[str, Any], make: Callable[[Path], None]) -> Path:
        raise AssertionError(f"{step.name} is to be made, where figures are only read")


@dataclass(frozen=True)
class Need(Generic[T]):
    """One result that has to be measured.

    step, key: where it is memoised; together they name everything that makes the result.
    kind: its type, of plain values.  make: measures it, in the module of the step.
    name: not empty where `make` takes all processors; such needs are measured one after the other,
    and the name stands before each line of progress."""

    step: Step
    key: Mapping[str, Any]
    kind: type[T]
    make: Callable[[Measuring], T]
    name: str = ""


@dataclass(frozen=True)
class Measuring(Work):
    """How a paper is measured.

    seeds: of place and route; 0: nothing is routed.  widest: bits up to which everything is
    measured, and nothing above; None: as the paper's module says."""

    seeds: int = 8
    widest: int | None = None

    @property
    def read_only(self) -> bool:
        """Whether nothing that is missing may be measured."""
        return isinstance(self.cache, ReadOnlyCache)

    def memoised(self, need: Need[T]) -> T | None:
        """The result of a need, if the cache has it."""
        record = self.cache.get(need.step, need.key)
        return None if record is None else msgspec.convert(record["value"], need.kind)

    def fill(
        self, what: str, needs: Mapping[K, Need[T]], due: Callable[[K], bool] = lambda _: True
    ) -> dict[K, T]:
        """The results of needs.  Those that are not in the cache are measured if they are due and
        the cache is not read-only; the others are left out.  what: the line of progress."""
        results = {key: self.memoised(need) for key, need in needs.items()}
        missing = [key for key, result in results.items() if result is None and due(key)]
        if missing and not self.read_only:
            alone = any(needs[key].name for key in missing)
            measured = parallel_map(
                lambda key: self._measured(needs[key]), missing, what,
                replace(self, jobs=1, progress=silent) if alone else self,
            )  # fmt: skip
            results |= dict(zip(missing, measured, strict=True))
        return {key: result for key, result in results.items() if result is not None}

    def each(self, what: str, needs: Iterable[tuple[Sequence[K], Need[list[R]]]]) -> dict[K, R]:
        """The results of needs that are lists, by a key for each entry of theirs."""
        given = list(needs)
        lists = self.fill(what, {place: need for place, (_, need) in enumerate(given)})
        return {
            key: result
            for place, results in lists.items()
            for key, result in zip(given[place][0], results, strict=True)
        }

    def one(self, what: str, need: Need[T]) -> T | None:
        """The result of one need; None if it is not memoised and must not be measured."""
        return self.fill(what, {what: need}).get(what)

    def _measured(self, need: Need[T]) -> T:
        def report(what: str, done: int, total: int) -> None:
            self.progress(f"{need.name}: {what}", done, total)

        run = replace(self, progress=report if need.name else silent)
        result = need.make(run if need.name else replace(run, jobs=1))
        self.cache.put(need.step, need.key, {"value": msgspec.to_builtins(result)})
        return result


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
