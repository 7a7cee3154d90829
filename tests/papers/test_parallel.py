"""Pieces of work side by side: order, progress, and what an error does to the rest."""

import threading
import time

import pytest

from modmul.papers.needs import parallel_map
from modmul.toolchain.work import Work


def test_results_stand_in_the_order_of_the_items() -> None:
    told: list[tuple[str, int, int]] = []
    ready = threading.Barrier(3, timeout=10)  # passed only if all three are under way at once

    def square(number: int) -> int:
        ready.wait()
        time.sleep(0.02 * (3 - number))  # the last is done first
        return number * number

    work = Work(jobs=3, progress=lambda *at: told.append(at))
    squares = parallel_map(square, {1: "", 2: "", 3: ""}, "square", work)
    assert squares == [1, 4, 9]
    assert told == [("square", done, 3) for done in range(4)]
    assert parallel_map(square, [], "nothing", Work(jobs=3)) == []


@pytest.mark.parametrize("error", (ValueError, KeyboardInterrupt))
@pytest.mark.parametrize("where", ("an item", "the caller"))
def test_after_an_error_nothing_new_is_begun(error: type[BaseException], where: str) -> None:
    """All 500 items would take 10 s."""
    begun = list[int]()

    def count(number: int) -> int:
        begun.append(number)
        time.sleep(0.02)
        if (number, where) == (3, "an item"):
            raise error
        return number

    def report(what: str, done: int, total: int) -> None:
        if (done, where) == (3, "the caller"):  # as an interrupt would
            raise error

    with pytest.raises(error):
        parallel_map(count, range(500), "count", Work(jobs=1, progress=report))
    assert begun == list(range(len(begun))) and 3 <= len(begun) < 250
