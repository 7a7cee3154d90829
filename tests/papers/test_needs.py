"""Results memoised by their options; what else is in a key: tests/toolchain/test_keys.py."""

from pathlib import Path

import pytest

from modmul.papers.needs import Measuring, Need, Needs, ReadOnlyCache
from modmul.toolchain.cache import Cache
from modmul.toolchain.steps import Step

STEP = Step("paper-test")


class Counter:
    """Needs whose result is how often one was measured."""

    def __init__(self) -> None:
        self.measurements = 0
        self.told: list[tuple[str, int, int]] = []

    def need(self, bits: int, name: str = "") -> Need[int]:
        def make(run: Measuring) -> int:
            self.measurements += 1
            run.progress("seeds", run.jobs, run.jobs)
            return self.measurements

        return Need(STEP, {"bits": bits}, int, make, name)

    def run(self, cache: Cache) -> Measuring:
        return Measuring(jobs=3, cache=cache, progress=lambda *at: self.told.append(at))


def filled(run: Measuring, counts: Counter, *widths: int) -> Needs[int, int]:
    return run.fill(Needs("count", {bits: counts.need(bits) for bits in widths}))


def test_a_result_is_memoised_until_its_key_changes(tmp_path: Path) -> None:
    counts = Counter()
    run = counts.run(Cache(tmp_path))
    assert run.memoised(counts.need(8)) is None
    assert [filled(run, counts, bits) for bits in (8, 8, 9, 8)] == [{8: 1}, {8: 1}, {9: 2}, {8: 1}]
    assert run.memoised(counts.need(9)) == 2


def test_what_is_not_due_comes_from_the_cache_or_is_missing(tmp_path: Path) -> None:
    counts = Counter()
    run = counts.run(Cache(tmp_path))
    filled(run, counts, 16)
    needs = {bits: counts.need(bits) for bits in (8, 16, 32)}
    narrow = Needs("count", needs, lambda bits: bits < 16)
    assert not narrow and run.fill(narrow) == {8: 2, 16: 1}
    assert list(run.fill(Needs("count", needs))) == [8, 16, 32]


def test_results_that_are_lists_have_a_key_for_each_entry(tmp_path: Path) -> None:
    """The list is measured as one."""

    def entries(keys: str, bits: int) -> dict[str, Need[int]]:
        def make(_: Measuring) -> list[int]:
            made.append(bits)
            return [bits, bits + 1]

        return Need[int](STEP, {"list": bits}, list[int], make).entries(keys)

    made: list[int] = []
    run = Counter().run(Cache(tmp_path))
    every = run.fill(Needs("count", entries("ab", 8) | entries("cd", 16)))
    assert every == {"a": 8, "b": 9, "c": 16, "d": 17} and sorted(made) == [8, 16]
    read = Counter().run(ReadOnlyCache(tmp_path))
    assert read.fill(Needs("count", entries("ab", 4) | entries("cd", 16))) == {"c": 16, "d": 17}


def test_nothing_is_measured_with_a_cache_that_is_only_read(tmp_path: Path) -> None:
    counts = Counter()
    filled(counts.run(Cache(tmp_path)), counts, 8)
    run = counts.run(ReadOnlyCache(tmp_path))
    assert filled(run, counts, 8, 9) == {8: 1}
    with pytest.raises(AssertionError, match="only read"):
        run.cache.put(STEP, {}, {})
    with pytest.raises(AssertionError, match="only read"):
        run.cache.folder(STEP, {}, lambda path: None)
    assert counts.measurements == 1


def test_progress_is_of_all_needs_or_of_a_named_one(tmp_path: Path) -> None:
    counts = Counter()
    filled(counts.run(Cache(tmp_path)), counts, 8, 9)
    assert counts.told == [("count", done, 2) for done in range(3)]
    counts.told.clear()
    named = Needs("route", {10: counts.need(10, "small")})
    counts.run(Cache(tmp_path)).fill(named)  # with all jobs
    assert counts.told == [("small: seeds", 3, 3)]
