"""Explorations without tools: order, budgets, what is kept and what is done again."""

import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from example_records import record, reply
from modmul.errors import NoRoom, SpecError, ToolFailed
from modmul.exploration.child import PointRequest, Reply
from modmul.exploration.explore import Outcome, explore
from modmul.exploration.record import Record
from modmul.exploration.search import Search
from modmul.exploration.space import Budget, Space, parse
from modmul.exploration.store import Store, read

module = sys.modules["modmul.exploration.explore"]
SPACE = "architecture = 'interleaved'\nseeds = 1\nproducts = 10\nwidth = { from = 8, to = 15 }\n"


@pytest.fixture
def space() -> Space:
    return parse(SPACE, "s")


class StandIn:
    """Stands for the processes: counts requests, answers as told."""

    def __init__(self, answer: Callable[[PointRequest], Reply] = reply):
        self.requests: list[PointRequest] = []
        self.answer = answer
        self.lock = threading.Lock()

    def __call__(self, request: PointRequest) -> Reply:
        with self.lock:
            self.requests.append(request)
        return self.answer(request)


@pytest.fixture
def measuring(monkeypatch: pytest.MonkeyPatch) -> StandIn:
    stand_in = StandIn()
    monkeypatch.setattr(module, "measure_in_child", stand_in)
    return stand_in


def test_every_point_is_measured_once(space: Space, tmp_path: Path, measuring: StandIn) -> None:
    seen: list[tuple[int, int]] = []

    def watch(outcome: Outcome) -> None:
        seen.append((outcome.done, outcome.running))

    outcome = explore(space, tmp_path, watch=watch)
    assert (outcome.points, outcome.done, outcome.cached, outcome.left) == (8, 8, 0, 0)
    assert sorted(record.width for record in read(tmp_path)) == list(range(8, 16))
    assert seen[-1] == (8, 0)
    assert outcome.ended == "every point has a record"
    assert outcome.tool_seconds == pytest.approx(8 * 1.9)
    again = explore(space, tmp_path)
    assert (again.done, again.cached) == (0, 8)
    assert len(measuring.requests) == 8
    assert again.front == outcome.front


def test_the_likely_front_comes_first(space: Space, tmp_path: Path, measuring: StandIn) -> None:
    explore(space, tmp_path, budget=Budget(points=3), jobs=1)
    # the narrowest is smallest and fastest in the forecast too
    assert [request.options["width"] for request in measuring.requests] == [8, 9, 10]


def test_a_budget_of_points_is_of_each_run(
    space: Space, tmp_path: Path, measuring: StandIn
) -> None:
    first = explore(space, tmp_path, budget=Budget(points=3))
    assert (first.done, first.left, first.ended) == (3, 5, "budget of 3 points used up")
    second = explore(space, tmp_path, budget=Budget(points=3))
    assert (second.cached, second.done, second.left) == (3, 3, 2)


def test_a_budget_of_time_goes_to_the_points_that_fit(
    space: Space, tmp_path: Path, measuring: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A point takes a minute, one of 9 bits five, by a clock of the test."""
    now = 0.0

    def minute(request: PointRequest) -> Reply:
        nonlocal now
        now += 60
        return reply(request)

    clock = SimpleNamespace(monotonic=lambda: now)
    monkeypatch.setattr(module, "time", clock)
    monkeypatch.setattr(module, "_weight", lambda point: 5 if point.options["width"] == 9 else 1)
    measuring.answer = minute
    outcome = explore(space, tmp_path, budget=Budget.of("4.1 min"), jobs=1)
    assert [request.options["width"] for request in measuring.requests] == [8, 10, 11, 12]
    assert outcome.ended == "no further point will probably finish in the 6 s left of 4.1 min"


@pytest.mark.long
def test_when_the_time_is_up_what_is_under_way_is_left(
    space: Space, tmp_path: Path, measuring: StandIn
) -> None:
    release = threading.Event()

    def slow(request: PointRequest) -> Reply:
        if request.options["width"] == 9:
            release.wait(20)
        return reply(request)

    measuring.answer = slow
    threading.Timer(2.0, release.set).start()
    outcome = explore(space, tmp_path, budget=Budget(seconds=1.0), jobs=2)
    assert outcome.ended.startswith("budget of") or outcome.done == 7
    assert 9 not in {record.width for record in read(tmp_path)}
    rest = explore(space, tmp_path)
    assert rest.cached == outcome.done and rest.cached + rest.done == 8


def test_a_point_that_fails_is_a_row_with_its_reason(tmp_path: Path, measuring: StandIn) -> None:
    space = parse("where = ['dsp <= 3']\n" + SPACE, "s")

    def failing(request: PointRequest) -> Reply:
        if request.options["width"] == 10:
            return Reply(None, "took longer than 3 s")
        if request.options["width"] == 11:
            raise RuntimeError("worker died")
        if request.options["width"] == 12:
            return reply(request, status="outside", reason="not dsp <= 3")
        return reply(request)

    measuring.answer = failing
    outcome = explore(space, tmp_path)
    assert (outcome.done, outcome.outside, outcome.failed) == (5, 1, 2)
    reasons = {
        record.width: (record.status, record.reason) for record in read(tmp_path) if record.reason
    }
    assert reasons == {
        10: ("failed", "took longer than 3 s"),
        11: ("failed", "RuntimeError: worker died"),
        12: ("outside", "not dsp <= 3"),
    }
    again = explore(space, tmp_path)
    assert (again.cached, again.outside, again.measured) == (7, 1, 0)
    measuring.answer = reply
    again = explore(space, tmp_path, retry=True)
    assert (again.done, again.cached, again.outside) == (2, 5, 1)
    assert {record.status for record in read(tmp_path) if record.width != 12} == {"done"}


def test_an_interrupt_loses_only_what_is_under_way(
    space: Space, tmp_path: Path, measuring: StandIn
) -> None:
    def watch(outcome: Outcome) -> None:
        if outcome.done >= 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        explore(space, tmp_path, watch=watch)
    keys = {record.key for record in read(tmp_path)}
    assert len(keys) >= 3
    rest = explore(space, tmp_path)
    assert rest.cached == len(keys)
    assert rest.done == 8 - len(keys)


def test_a_full_disk_ends_the_run_and_loses_nothing(
    space: Space, tmp_path: Path, measuring: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    put = Store.put

    def full(self: Store, record: object) -> None:
        if len(list(self.points.glob("*.json"))) == 3:
            raise OSError(28, "No space left on device", str(self.root))
        put(self, record)  # type: ignore[arg-type]

    monkeypatch.setattr(Store, "put", full)
    with pytest.raises(OSError, match="No space left"):
        explore(space, tmp_path)
    monkeypatch.setattr(Store, "put", put)
    assert explore(space, tmp_path).cached == 3


def test_a_process_that_dies_is_started_again(
    space: Space, tmp_path: Path, measuring: StandIn
) -> None:
    deaths = {10: 2, 11: 3}

    def dying(request: PointRequest) -> Reply:
        width = request.options["width"]
        if deaths.get(width, 0):
            deaths[width] -= 1
            return Reply(None, "the process that measured it ended with -9", lost=True)
        return reply(request)

    measuring.answer = dying
    outcome = explore(space, tmp_path)
    assert (outcome.done, outcome.failed) == (7, 1)
    reasons = {
        record.width: record.reason for record in read(tmp_path) if record.status == "failed"
    }
    assert reasons == {11: "the process that measured it ended with -9"}


def test_a_disk_that_the_tools_fill_ends_the_run(
    space: Space, tmp_path: Path, measuring: StandIn
) -> None:
    measuring.answer = lambda request: Reply(None, "/x: no room is left", full=True)
    with pytest.raises(NoRoom, match="no room is left.*the same command goes on"):
        explore(space, tmp_path)
    assert read(tmp_path) == []


def test_workers_of_another_version_are_refused(
    space: Space, tmp_path: Path, measuring: StandIn
) -> None:
    error = "this worker has another version of modmul than the process that asks"
    measuring.answer = lambda request: Reply(None, error, stale=True)
    with pytest.raises(ToolFailed, match="another version"):
        explore(space, tmp_path)
    assert read(tmp_path) == []


def test_conditions_that_are_known_before_drop_points(tmp_path: Path, measuring: StandIn) -> None:
    space = parse("where = ['width > 12', 'lut < 1000']\n" + SPACE, "s")
    outcome = explore(space, tmp_path)
    assert (outcome.points, outcome.done) == (3, 3)
    assert [(dropped.key, dropped.reason, dropped.count) for dropped in outcome.impossible] == [
        ("where", "width > 12", 5)
    ]
    assert measuring.requests[0].where == ("width > 12", "lut < 1000")


def test_a_front_for_each_technology_and_width(tmp_path: Path, measuring: StandIn) -> None:
    text = "architecture = 'interleaved'\nwidth = [8, 9]\ntarget = ['ecp5', 'cells']\n"
    outcome = explore(parse(text, "s"), tmp_path)
    groups = [(record.technology, record.spec["width"]) for record in outcome.front]
    assert sorted(groups) == [("ecp5", 8), ("ecp5", 9), ("normalised", 8), ("normalised", 9)]


def test_nothing_possible(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="none of 1 combinations is possible: 1 of fpmm"):
        explore(parse("width = 8\nword = 64", "s"), tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_a_search_measures_new_points_and_goes_on_from_records(
    tmp_path: Path, measuring: StandIn
) -> None:
    text = (
        "architecture = ['interleaved', 'fpmm']\nwidth = { from = 8, to = 400 }\n"
        "objectives = ['area.value', 'time.per_product']\n"
        "[fpmm]\nword = { from = 2, to = 40 }\nslots = { from = 1, to = 30 }\n"
    )
    space = parse(text, "large")
    assert space.size > 400_000
    first = explore(space, tmp_path, budget=Budget(points=40))
    assert first.searched and first.done == 40
    assert len({request.options["width"] for request in measuring.requests}) > 5
    second = explore(space, tmp_path, budget=Budget(points=20))
    assert second.done == 20
    specs = [str(request.options) for request in measuring.requests]
    assert len(set(specs)) == len(specs)  # nothing twice
    # with width free, the search goes to the narrowest
    assert min(record.width for record in read(tmp_path)) <= 12


def test_a_point_left_for_a_condition_is_measured_without_it(
    tmp_path: Path, measuring: StandIn
) -> None:
    strict = parse("where = ['lut < 3']\n" + SPACE, "s")
    measuring.answer = lambda request: reply(request, status="outside", reason="not lut < 3")
    assert explore(strict, tmp_path).outside == 8
    assert explore(strict, tmp_path).outside == 8 == len(measuring.requests)
    measuring.answer = reply
    assert explore(parse(SPACE, "s"), tmp_path).done == 8
    assert len(measuring.requests) == 16


def lut(record: Record) -> int:
    assert record.chip is not None
    return record.chip.lut


def test_kept_records_are_held_against_the_conditions(tmp_path: Path, measuring: StandIn) -> None:
    free = parse(SPACE, "s")
    assert len(explore(free, tmp_path).front) == 8  # one for each width
    middle = sorted(lut(record) for record in read(tmp_path))[4]
    half = parse(f"where = ['lut < {middle}']\n" + SPACE, "s")
    outcome = explore(half, tmp_path, budget=Budget(points=1))
    assert (outcome.cached, outcome.outside, outcome.measured, outcome.left) == (4, 4, 0, 0)
    assert {record.key for record in outcome.front} == {
        record.key for record in read(tmp_path) if lut(record) < middle
    }
    none = explore(parse("where = ['lut < 3']\n" + SPACE, "s"), tmp_path)
    assert (none.cached, none.outside, none.front) == (0, 8, [])
    assert len(explore(free, tmp_path).front) == 8 == len(measuring.requests)


def test_a_search_ends_where_nothing_is_new(tmp_path: Path, measuring: StandIn) -> None:
    space = parse(SPACE, "s")
    outcome = explore(space, tmp_path, search=True)
    assert outcome.done == 8
    assert Search(space).size == 8


def test_a_point_told_twice_is_asked_once() -> None:
    space = parse("architecture = 'interleaved'\nwidth = [8, 9]\n", "s")
    search = Search(space)
    points = [search.next(), search.next()]
    assert None not in points
    assert search.next() is None
    for point in points:
        assert point is not None
        search.tell(point, record(point.options))
    assert search.next() is None


def test_jobs_must_be_one_at_least(space: Space, tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="jobs = 0"):
        explore(space, tmp_path, jobs=0)


def test_points_run_side_by_side(space: Space, tmp_path: Path, measuring: StandIn) -> None:
    now, most = 0, 0
    lock = threading.Lock()

    def count(request: PointRequest) -> Reply:
        nonlocal now, most
        with lock:
            now += 1
            most = max(most, now)
        time.sleep(0.05)
        with lock:
            now -= 1
        return reply(request)

    measuring.answer = count
    explore(space, tmp_path, jobs=3)
    assert most == 3
