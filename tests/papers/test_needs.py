"""Results memoised by their options; what else is in a key: tests/toolchain/test_keys.py."""

from pathlib import Path

import pytest

from modmul.papers.needs import Measuring, Need, ReadOnlyCache
from modmul.toolchain.cache import Cache
from modmul.toolchain.steps import Step

STEP = Step("paper-test", "modmul.papers.needs")


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


def test_a_result_is_memoised_until_its_key_changes(tmp_path: Path) -> None:
    counts = Counter()
    run = counts.run(Cache(tmp_path))
    assert run.memoised(counts.need(8)) is None
    assert [run.one("count", counts.need(bits)) for bits in (8, 8, 9, 8)] == [1, 1, 2, 1]
    assert run.memoised(counts.need(9)) == 2


def test_what_is_not_due_comes_from_the_cache_or_is_missing(tmp_path: Path) -> None:
    counts = Counter()
    run = counts.run(Cache(tmp_path))
    run.one("count", counts.need(16))
    needs = {bits: counts.need(bits) for bits in (8, 16, 32)}
    assert run.fill("count", needs, lambda bits: bits < 16) == {8: 2, 16: 1}
    assert list(run.fill("count", needs)) == [8, 16, 32]


def test_results_that_are_lists_have_a_key_for_each_entry(tmp_path: Path) -> None:
    def need(bits: int) -> Need[list[int]]:
        return Need(STEP, {"list": bits}, list[int], lambda _: [bits, bits + 1])

    run = Counter().run(Cache(tmp_path))
    every = run.each("count", [("ab", need(8)), ("cd", need(16))])
    assert every == {"a": 8, "b": 9, "c": 16, "d": 17}
    read = Counter().run(ReadOnlyCache(tmp_path))
    assert read.each("count", [("ab", need(4)), ("cd", need(16))]) == {"c": 16, "d": 17}


def test_nothing_is_measured_with_a_cache_that_is_only_read(tmp_path: Path) -> None:
    counts = Counter()
    counts.run(Cache(tmp_path)).one("count", counts.need(8))
    run = counts.run(ReadOnlyCache(tmp_path))
    assert run.fill("count", {bits: counts.need(bits) for bits in (8, 9)}) == {8: 1}
    with pytest.raises(AssertionError, match="only read"):
        run.cache.put(STEP, {}, {})
    with pytest.raises(AssertionError, match="only read"):
        run.cache.folder(STEP, {}, lambda path: None)
    assert counts.measurements == 1


def test_progress_is_of_all_needs_or_of_a_named_one(tmp_path: Path) -> None:
    counts = Counter()
    counts.run(Cache(tmp_path)).fill("count", {bits: counts.need(bits) for bits in (8, 9)})
    assert counts.told == [("count", done, 2) for done in range(3)]
    counts.told.clear()
    counts.run(Cache(tmp_path)).one("route", counts.need(10, "small"))  # with all jobs
    assert counts.told == [("small: seeds", 3, 3)]
