"""Which measurements the tables of a paper need, and the engine that makes them.

A paper declares needs in the place of their results; `Measuring.fill` finds these in the cache,
measures what is missing and memoises it.  Keys are known before anything is elaborated: the steps
below memoise by the emitted text, and to emit a wide design takes seconds."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec

from modmul.arithmetic.words import ceil_div
from modmul.toolchain.cache import Cache
from modmul.toolchain.progress import silent
from modmul.toolchain.steps import Step, canonical
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
    and the name stands before each line of progress.  entry: of a result that is a list; None: all
    of it."""

    step: Step
    key: Mapping[str, Any]
    kind: Any
    make: Callable[[Measuring], Any]
    name: str = ""
    entry: int | None = None

    @property
    def address(self) -> tuple[Step, str]:
        """What the result is memoised under: the same for all entries of a list."""
        return self.step, canonical(self.key)

    def entries(self, keys: Iterable[K]) -> dict[K, Need[Any]]:
        """A need of each entry of a list, which is measured as one."""
        return {key: replace(self, entry=place) for place, key in enumerate(keys)}


class Needs(dict[K, T]):
    """Results that tables need, by key; none before `Measuring.fill` has put them in.

    what: the line of progress.  due: which of those that are missing this run is to measure."""

    def __init__(
        self, what: str, needs: Mapping[K, Need[T]], due: Callable[[K], bool] = lambda _: True
    ):
        super().__init__()
        self.what, self.needs, self.due = what, needs, due


@dataclass(frozen=True)
class Measuring(Work):
    """How a paper is measured.

    seeds: of place and route; 0: nothing is routed.  widest: bits up to which everything is
    measured, and nothing above; None: as the paper's module says."""

    seeds: int = 8
    widest: int | None = None

    def seeds_of(self, eight: int) -> int:
        """So many of every eight seeds, for designs that are wide or many."""
        return ceil_div(eight * self.seeds, 8)

    @property
    def read_only(self) -> bool:
        """Whether nothing that is missing may be measured."""
        return isinstance(self.cache, ReadOnlyCache)

    def memoised(self, need: Need[Any]) -> Any:
        """The whole result of a need, if the cache has it."""
        record = self.cache.get(need.step, need.key)
        return None if record is None else msgspec.convert(record["value"], need.kind)

    def fill(self, needs: Needs[K, T]) -> Needs[K, T]:
        """Put the results in: those of the cache, and those that are measured because they are due
        and the cache is not read-only.  The others are left out."""
        wholes = {need.address: need for need in needs.needs.values()}
        results = {address: self.memoised(need) for address, need in wholes.items()}
        due = dict.fromkeys(need.address for key, need in needs.needs.items() if needs.due(key))
        missing = [wholes[address] for address in due if results[address] is None]
        if missing and not self.read_only:
            alone = any(need.name for need in missing)
            work = replace(self, jobs=1, progress=silent) if alone else self
            measured = parallel_map(self._measured, missing, needs.what, work)
            results |= zip((need.address for need in missing), measured, strict=True)
        for key, need in needs.needs.items():
            whole = results[need.address]
            if whole is not None:
                needs[key] = whole if need.entry is None else whole[need.entry]
        return needs

    def _measured(self, need: Need[Any]) -> Any:
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
