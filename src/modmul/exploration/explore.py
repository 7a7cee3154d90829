"""`explore`: measure the points of a space that are not yet in a directory."""

from __future__ import annotations

import contextlib
import math
import time
import warnings
from collections import Counter, deque
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from operator import attrgetter
from pathlib import Path
from typing import Any

import msgspec

from modmul.errors import NoRoom, SpecError, ToolFailed
from modmul.exploration import executors, grid
from modmul.exploration.child import PointRequest, Reply, measure_in_child
from modmul.exploration.conditions import first_broken
from modmul.exploration.estimates import fronts, sorted_by_estimate
from modmul.exploration.executors import WorkerPool
from modmul.exploration.grid import Dropped, GridPoint
from modmul.exploration.measure import POINT, begun, ended, key_of
from modmul.exploration.names import figure
from modmul.exploration.record import Record, Seconds
from modmul.exploration.search import GRID_LIMIT, Search
from modmul.exploration.space import Budget, Space
from modmul.exploration.store import Ended, RunSummary, Store, now
from modmul.implementation.result import EstimatedClock
from modmul.parameters import MOST_JOBS, check_number
from modmul.toolchain.files import check_writable

_DEATHS = 2  # how often the process of a point may die; the next death is the point's failure
_RUNS = "it runs still, or was killed"
_TICK = 0.5  # seconds between two checks of the time
JOBS = 2


class FrontPoint(msgspec.Struct, frozen=True):
    """A point on the front of its group: chip family or cell library, width, field.  figures: by
    the names of the objectives.  area_unit: of `area.value`, with the LUTs that a DSP block counts
    as.  estimated: nothing was routed.  unverified: its clock is decided by a limit that was not
    checked in its source."""

    key: str
    title: str
    technology: str
    spec: dict[str, Any]
    figures: dict[str, float]
    area_unit: str = ""
    estimated: bool = False
    unverified: bool = False


class Outcome(msgspec.Struct, kw_only=True):
    """The progress of an exploration while it runs, and its final summary.

    points: the possible points, without those that turned out equal to another.
    impossible: combinations dropped before any tool ran, by reason.
    cached: points that had a record before, and that no condition of this space leaves out.
    outside: points that a condition leaves out, found now or before.
    done, failed: points of this run.  measured: points that got a record in this run.
    running: points being measured.  left: points not started; at the end, interrupted ones, too.
    seconds: since the beginning.  seconds_left: the likely time to the end, None if unknown.
    tool_seconds, point_seconds: the time of tools, and the whole time, of this run's points.
    ended: why the run ended."""

    space: str
    directory: str
    summary: str = ""
    place: str = ""
    searched: bool = False
    points: int = 0
    equal: int = 0
    impossible: list[Dropped] = msgspec.field(default_factory=list)
    cached: int = 0
    done: int = 0
    outside: int = 0
    failed: int = 0
    measured: int = 0
    running: int = 0
    left: int = 0
    seconds: float = 0.0
    seconds_left: float | None = None
    tool_seconds: float = 0.0
    point_seconds: float = 0.0
    objectives: tuple[str, ...] = ()
    front: list[FrontPoint] = msgspec.field(default_factory=list)
    ended: str = ""


Watch = Callable[[Outcome], None]


class FullGrid:
    """All points of a space, sorted by the fronts of their estimates.

    size: the most points that it can give.  equal: the number of combinations that were the same
    design as another.  dropped: the impossible combinations."""

    def __init__(self, space: Space):
        full = grid.grid(space)
        self.dropped, self.equal, self.size = full.dropped, full.equal, len(full.points)
        self._next = iter(sorted_by_estimate(full.points, space.objectives))

    def next(self) -> GridPoint | None:
        return next(self._next, None)

    def tell(self, point: GridPoint, record: Record) -> None:
        """Do nothing: the order of the grid does not depend on results."""


def explore(
    space: Space,
    directory: Path,
    *,
    budget: Budget | None = None,
    jobs: int = JOBS,
    scheduler: str | None = None,
    search: bool | None = None,
    retry: bool = False,
    watch: Watch = lambda _outcome: None,
) -> Outcome:
    """Measure the points that have no record yet, and put a record of each into `directory`.

    budget: of this run (default: the space's; if that has none, no limit).  jobs: processes on this
    machine.  scheduler: the address of a dask scheduler whose workers measure instead.  search:
    look for the front with Optuna instead of going through the grid (default: if the grid is too
    large).  retry: measure failed points again.  watch: called with the progress, at least every
    second.

    The directory also gets a summary of how much of the space was tried, and why the run ended
    (RunSummary).  If the run is interrupted, only the points under way are lost, and the next run
    continues.  The record of a point that cannot be measured has the reason.  Raises SpecError for
    a directory that is in use or cannot be written, or a scheduler that does not answer."""
    check_number("jobs", jobs, 1, MOST_JOBS)
    check_writable(directory)
    searched = space.size > GRID_LIMIT if search is None else search
    source: FullGrid | Search = Search(space) if searched else FullGrid(space)
    if not source.size:
        reasons = "; ".join(
            f"{group.count} of {group.architecture}: {group.reason}"
            for group in list(source.dropped)[:5]
        )
        message = f"{space.name}: none of {space.size} combinations is possible: {reasons}"
        allowed = "a space with at least one possible point"
        raise SpecError("space", space.name, allowed, message)
    store = Store(directory)
    pool = executors.local(jobs) if scheduler is None else executors.cluster(scheduler)
    with pool as workers, store.writing(space.text):
        run = _Run(space, store, source, budget or space.budget or Budget(), retry, watch)
        return run.to_the_end(workers)


class _Spending:
    """The time that is left of a budget, in a run that begins now."""

    def __init__(self, budget: Budget):
        self._limit, self._began = budget.seconds, time.monotonic()
        self._weight = self._spent = 0.0  # sums over the finished points

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._began

    @property
    def left(self) -> float:
        """Seconds; infinite for a budget without a time."""
        return math.inf if self._limit is None else self._limit - self.seconds

    def on(self, weight: float, seconds: float) -> None:
        """Count a finished point.  weight: how long it takes, relative to other points."""
        self._weight += weight
        self._spent += seconds

    def allows(self, weight: float) -> bool:
        """Whether a point of this weight will probably finish in time, judged by earlier ones."""
        pace = self._spent / self._weight if self._weight else 0.0
        return self.left > pace * weight


class _Run:
    """One run: the points that are being measured, and how much of the space has been tried."""

    def __init__(
        self,
        space: Space,
        store: Store,
        source: FullGrid | Search,
        budget: Budget,
        retry: bool,
        watch: Watch,
    ):
        self.space, self.store, self.source = space, store, source
        self.budget, self.retry, self.watch = budget, retry, watch
        self.spent, self.began = _Spending(budget), now()
        self.under_way: dict[Future[Reply], tuple[GridPoint, str, float]] = {}
        self.deaths: Counter[str] = Counter()  # how often the process of each point died
        self.unknown: deque[GridPoint] = deque()  # proposed points that are not begun
        self.said: set[str] = set()  # warnings that were repeated already
        self.statuses: Counter[str] = Counter()  # the number of points with each status
        self.best: list[Record] = []
        self.outcome = Outcome(
            space=space.name,
            summary=space.summary,
            directory=str(store.root),
            points=source.size,
            equal=source.equal,
            impossible=list(source.dropped),
            objectives=space.objectives,
            searched=isinstance(source, Search),
        )

    def to_the_end(self, workers: WorkerPool) -> Outcome:
        """Measure the points and, however this ends, write a summary of what was tried."""
        outcome = self.outcome
        outcome.place = workers.place
        try:
            if not outcome.searched:  # separates the points that have a record from the others
                while (point := self._next_proposed()) is not None:
                    self.unknown.append(point)
            self._summarise("running", _RUNS)
            self._measure(workers)
            self.under_way.clear()
            self._report()
        except BaseException as error:
            with contextlib.suppress(OSError):  # of a full disk, which the error is about
                if isinstance(error, KeyboardInterrupt):
                    self._summarise("interrupted", str(error) or "interrupted with Ctrl-C")
                else:
                    self._summarise("failed", f"ended by an error: {error}")
            raise
        kind: Ended = "budget"
        if not outcome.searched and outcome.left == 0:
            kind, outcome.ended = "complete", "every point has a record"
        elif not outcome.ended:
            kind, outcome.ended = "searched", "the search found nothing new"
        self._summarise(kind, outcome.ended)
        return outcome

    def _measure(self, workers: WorkerPool) -> None:
        """Start points while there are some and the budget lasts; handle finished ones."""
        more = True
        while more or self.under_way:
            while more and len(self.under_way) < workers.size():
                more = self._begin_next(workers)
            done, _ = wait(self.under_way, timeout=_TICK, return_when=FIRST_COMPLETED)
            for future in done:
                self._finish(future)
            more = more or bool(done)  # it tells how long others take, or comes again
            if self.spent.left <= 0:
                self.outcome.ended = f"budget of {self.budget} used up"
                for future in self.under_way:
                    future.cancel()
                break
            self._report()

    def _begin_next(self, workers: WorkerPool) -> bool:
        """Start the next point that has no record; return False if no more may be started."""
        begun = self.outcome.measured + len(self.under_way)
        if self.budget.points and begun >= self.budget.points:
            self.outcome.ended = f"budget of {self.budget} used up"
            return False
        point = self._next_in_time()
        if point is None:
            if self.unknown:
                left = Budget(seconds=round(self.spent.left))
                self.outcome.ended = (
                    f"no further point will probably finish in the {left} left of {self.budget}"
                )
            return False
        self.outcome.ended = ""
        request = PointRequest(
            point.options,
            self.space.seeds,
            self.space.products,
            tuple(condition.text for condition in self.space.where),
            POINT.sources,
            self.space.time_limit,
        )
        began = (point, self._key(point), time.monotonic())
        self.under_way[workers.executor.submit(measure_in_child, request)] = began
        return True

    def _next_in_time(self) -> GridPoint | None:
        """Return the next point that will probably finish in time; None if there is none at
        present."""
        for point in self.unknown:
            if self.spent.allows(_weight(point)):
                self.unknown.remove(point)
                return point
        proposed = self._next_proposed()
        if proposed is None or self.spent.allows(_weight(proposed)):
            return proposed
        self.unknown.append(proposed)
        return None

    def _next_proposed(self) -> GridPoint | None:
        """Return the next point without a record; tell the source about those that have one."""
        while (point := self.source.next()) is not None:
            known = self.store.get(self._key(point))
            if known is None or self._to_be_replaced(known):
                return point
            self._note(point, self._cached(known))
        return None

    def _key(self, point: GridPoint) -> str:
        return key_of(point.options, self.space.seeds, self.space.products)

    def _to_be_replaced(self, known: Record) -> bool:
        """Whether to measure again: a failure with `retry`, or a point that was left out for a
        condition that this space does not have."""
        if known.status == "outside":
            return known.reason not in {condition.broken for condition in self.space.where}
        return self.retry and known.status == "failed"

    def _cached(self, known: Record) -> Record:
        """Count a record that existed before; return it with its status under the conditions of
        this space."""
        broken = first_broken(self.space.where, known)
        if known.status == "done" and broken:
            known = msgspec.structs.replace(known, status="outside", reason=broken.broken)
        if known.status == "outside":
            self.outcome.outside += 1
        else:
            self.outcome.cached += 1
        return known

    def _finish(self, future: Future[Reply]) -> None:
        """Keep the record of a finished point, or put the point back if its process died."""
        point, key, since = self.under_way.pop(future)
        seconds = time.monotonic() - since
        try:
            reply = future.result()
        except CancelledError:
            return
        except Exception as error:  # from the executor: workers died again and again
            reply = Reply(error=f"{type(error).__name__}: {error}")
        for text in sorted(set(reply.warnings) - self.said):
            self.said.add(text)
            warnings.warn(text, stacklevel=2)
        if reply.full:
            raise NoRoom(f"{reply.error}; what is finished is kept, the same command goes on")
        if reply.lost and self.deaths[key] < _DEATHS:
            self.deaths[key] += 1
            self.unknown.appendleft(point)
            return
        if reply.stale:
            raise ToolFailed(f"{reply.error}")
        if (record := reply.record) is None:
            started = begun(point.spec, self.space.seeds, self.space.products)
            record = ended(started, "failed", reply.error, Seconds(round(seconds, 3), 0.0, {}))
        self.store.put(record)
        outcome = self.outcome
        outcome.done += record.status == "done"
        outcome.outside += record.status == "outside"
        outcome.failed += record.status == "failed"
        outcome.measured += 1
        if record.seconds.tools:  # 0 if the process was ended from outside
            outcome.tool_seconds += record.seconds.tools
            outcome.point_seconds += record.seconds.total
        self.spent.on(_weight(point), seconds)
        self._note(point, record)
        self._summarise("running", _RUNS)

    def _note(self, point: GridPoint, record: Record) -> None:
        """Tell the source about a record, and update the front."""
        self.source.tell(point, record)
        self.statuses[record.status] += 1
        if record.status != "done":
            return
        names = self.space.objectives

        def figures(record: Record) -> list[float | None]:
            return [figure(record, name) for name in names]

        # sorted, so that the order does not depend on which point finished first
        known = sorted([*self.best, record], key=attrgetter("technology", "width", "group", "key"))
        self.best = fronts(known, figures, attrgetter("group"))
        self.outcome.front = [
            FrontPoint(
                record.key,
                record.title,
                record.technology,
                record.spec,
                {name: value or 0.0 for name, value in zip(names, figures(record), strict=True)},
                record.area_unit,
                isinstance(record.clock, EstimatedClock),
                record.unverified,
            )
            for record in self.best
        ]

    def _summarise(self, ended: Ended, reason: str) -> None:
        """Write to the directory how much of the space has been tried."""
        counts, points = self.statuses, self.source.size
        self.store.summarise(
            RunSummary(
                space=self.space.name,
                searched=self.outcome.searched,
                points=points,
                done=counts["done"],
                outside=counts["outside"],
                failed=counts["failed"],
                not_started=max(0, points - counts.total()),
                impossible=list(self.source.dropped),
                equal=self.source.equal,
                ended=ended,
                reason=reason,
                began=self.began,
                written=now(),
            )
        )

    def _report(self) -> None:
        outcome, budget = self.outcome, self.budget
        outcome.seconds, outcome.running = round(self.spent.seconds, 1), len(self.under_way)
        outcome.impossible, outcome.equal = list(self.source.dropped), self.source.equal
        outcome.points = self.source.size
        known = outcome.cached + outcome.done + outcome.outside + outcome.failed
        outcome.left = max(0, outcome.points - known - outcome.running)
        to_come = outcome.left + outcome.running
        if budget.points:
            to_come = min(to_come, budget.points - outcome.measured)
        pace = outcome.seconds / outcome.measured if outcome.measured and outcome.seconds else None
        outcome.seconds_left = None if pace is None else to_come * pace
        if budget.seconds is not None:
            rest = max(0.0, budget.seconds - outcome.seconds)
            outcome.seconds_left = min(rest, outcome.seconds_left or rest)
        self.watch(outcome)


def _weight(point: GridPoint) -> float:
    """Return the relative time of a point: a constant for compilation, plus its LUTs."""
    return 1000.0 + grid.expected(point.spec).lut
