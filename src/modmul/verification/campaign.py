"""Runs the batches of a plan on several simulators at once, and adds up the results."""

from __future__ import annotations

import contextlib
import queue
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, TypeVar

from modmul.multipliers.contract import Multiplier
from modmul.multipliers.setting import Setting
from modmul.operation import Mode
from modmul.verification import plan
from modmul.verification.judge import judge
from modmul.verification.plan import CoreTask
from modmul.verification.simulator import Simulator
from modmul.verification.trial import Answer, AnyRequest, OneTask, Profile, Running
from modmul.verification.verdict import Measure, Verdict

Item = TypeVar("Item")
Question = TypeVar("Question")
Reply = TypeVar("Reply")


@dataclass
class Count:
    """The totals of one way of driving."""

    interface: str
    drive: str
    products: int = 0
    wrong: int = 0
    dropped: int = 0


@dataclass
class CampaignTotals:
    """The totals of a campaign.  failed: the first batch with a mismatch, and its verdict."""

    products: int = 0
    golden: int = 0
    wrong: int = 0
    dropped: int = 0
    cycles: int = 0
    seconds: float = 0.0
    latency: dict[Mode, Measure] = field(default_factory=dict)
    interval: dict[Mode, Measure] = field(default_factory=dict)
    counts: dict[tuple[str, str], Count] = field(default_factory=dict)
    failed: tuple[Any, Verdict] | None = None

    def add(self, drive: Profile, verdict: Verdict) -> None:
        self.products += verdict.products
        self.golden += verdict.golden
        self.wrong += len(verdict.mismatches)
        self.dropped += verdict.dropped
        self.cycles += verdict.cycles
        _merge(self.latency, verdict.latency)
        _merge(self.interval, verdict.interval)
        key = (drive.interface, drive.name)
        count = self.counts.setdefault(key, Count(drive.interface, drive.name))
        count.products += verdict.products
        count.wrong += len(verdict.mismatches)
        count.dropped += verdict.dropped


def _merge(into: dict[Mode, Measure], other: dict[Mode, Measure]) -> None:
    for mode, measure in other.items():
        into.setdefault(mode, Measure()).merge(measure)


def run(
    simulator: Simulator,
    multiplier: Multiplier,
    own: Setting | None,
    tasks: Iterable[CoreTask],
    seed: int,
) -> CampaignTotals:
    """Run tasks of a multiplier's plan on one simulator; see `conduct`."""
    return conduct(
        tasks,
        lambda: simulator.start(seed=seed),
        lambda task: plan.request(multiplier, own, seed, task),
        lambda session, request: session.run(request),
        judge,
    )


def conduct(
    tasks: Iterable[OneTask],
    start: Callable[[], Running],
    request_of: Callable[[OneTask], AnyRequest],
    answered: Callable[[Running, AnyRequest], Answer],
    judged: Callable[[AnyRequest, Answer, int], Verdict],
    jobs: int = 1,
    checked: Callable[[int], None] = lambda _products: None,
) -> CampaignTotals:
    """Run the tasks, `jobs` simulators at a time, up to the first batch with a mismatch.

    start: starts a simulator.  request_of: returns the batch of a task.  answered: runs a batch on
    a simulator.  judged: returns the verdict; its last argument is the golden stride.  checked:
    called with the number of results that each batch checked.  The totals do not depend on `jobs`.
    Raises ToolFailed if a simulator crashes."""
    tally, began = CampaignTotals(), time.monotonic()
    # The threads only wait for simulators.  Batches are made and judged here, in the thread that a
    # signal ends: nothing ends the other ones, however long a golden model takes.
    with ThreadPoolExecutor(jobs) as pool, started(start, jobs) as idle:
        try:
            requests = ((task, request_of(task)) for task in tasks)
            for (task, request), future in in_order(
                pool, on_idle(idle, answered), requests, jobs + 2
            ):
                verdict = judged(request, future.result(), task.golden_stride)
                tally.add(task.drive, verdict)
                checked(verdict.products)
                if verdict.mismatches:
                    tally.failed = request, verdict
                    break
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
    tally.seconds = time.monotonic() - began
    return tally


@contextlib.contextmanager
def started(start: Callable[[], Running], count: int) -> Iterator[queue.SimpleQueue[Running]]:
    """A queue of `count` simulators, which are killed at the end."""
    idle: queue.SimpleQueue[Running] = queue.SimpleQueue()
    opened: list[Running] = []
    try:
        for _ in range(count):
            opened.append(start())
            idle.put(opened[-1])
        yield idle
    finally:
        for session in opened:
            session.kill()


def on_idle(
    idle: queue.SimpleQueue[Running], answered: Callable[[Running, Question], Reply]
) -> Callable[[Question], Reply]:
    """A function that answers a question on a simulator that is idle, or waits for one."""

    def answer(question: Question) -> Reply:
        session = idle.get()
        try:
            return answered(session, question)
        finally:
            idle.put(session)

    return answer


def in_order(
    pool: ThreadPoolExecutor,
    answer: Callable[[Question], Reply],
    requests: Iterable[tuple[Item, Question]],
    ahead: int,
) -> Iterator[tuple[tuple[Item, Question], Future[Reply]]]:
    """The batches in their order, and their answers, with only `ahead` batches under way."""
    under_way: deque[tuple[tuple[Item, Question], Future[Reply]]] = deque()
    for task, request in requests:
        under_way.append(((task, request), pool.submit(answer, request)))
        if len(under_way) > ahead:
            yield under_way.popleft()
    yield from under_way
