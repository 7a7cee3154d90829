"""`explore`: measure the points of a space that are not yet in a directory."""

from __future__ import annotations

import contextlib
import time
import warnings
from collections import Counter, deque
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from pathlib import Path

from modmul.errors import NoRoom, ToolFailed
from modmul.exploration import executors, grid
from modmul.exploration.budget import Budget, Spending
from modmul.exploration.child import PointRequest, Reply, measure_in_child
from modmul.exploration.coverage import Ended
from modmul.exploration.executors import WorkerPool
from modmul.exploration.grid import GridPoint
from modmul.exploration.measure import POINT, begun, ended, key_of
from modmul.exploration.outcome import Outcome, Watch
from modmul.exploration.point_source import FullGrid, PointSource, nothing_possible
from modmul.exploration.record import DECODER, Record, Seconds
from modmul.exploration.search import GRID_LIMIT, Search
from modmul.exploration.space import Space
from modmul.exploration.store import Store
from modmul.exploration.tried import PointsTried
from modmul.parameters import MOST_JOBS, check_number
from modmul.toolchain.directories import check_writable

_DEATHS = 2  # how often the process of a point may die; the next death is the point's failure
_RUNS = "it runs still, or was killed"
_TICK = 0.5  # seconds between two checks of the time
JOBS = 2


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
    source: PointSource = Search(space) if searched else FullGrid(space)
    if not source.size:
        raise nothing_possible(space, source)
    store = Store(directory)
    pool = executors.local(jobs) if scheduler is None else executors.cluster(scheduler)
    with pool as workers, store.writing(space.text):
        tried = PointsTried(space, store, source, searched)
        run = _Run(tried, budget or space.budget or Budget(), retry, watch)
        return run.to_the_end(workers)


class _Run:
    """One run, with the points that are being measured."""

    def __init__(self, tried: PointsTried, budget: Budget, retry: bool, watch: Watch):
        self.tried, self.outcome = tried, tried.outcome
        self.space, self.store, self.source = tried.space, tried.store, tried.source
        self.budget, self.retry, self.watch = budget, retry, watch
        self.spent = Spending(budget)
        self.under_way: dict[Future[Reply], tuple[GridPoint, str, float]] = {}
        self.deaths: Counter[str] = Counter()  # how often the process of each point died
        self.unknown: deque[GridPoint] = deque()  # proposed points that are not begun
        self.said: set[str] = set()  # warnings that were repeated already

    def to_the_end(self, workers: WorkerPool) -> Outcome:
        """Measure the points and, however this ends, write a summary of what was tried."""
        self.outcome.place = workers.place
        try:
            self._sort_out()
            self.tried.summarise("running", _RUNS)
            self._measure(workers)
            self.under_way.clear()
            self._report()
        except BaseException as error:
            with contextlib.suppress(OSError):  # of a full disk, which the error is about
                if isinstance(error, KeyboardInterrupt):
                    self.tried.summarise("interrupted", str(error) or "interrupted with Ctrl-C")
                else:
                    self.tried.summarise("failed", f"ended by an error: {error}")
            raise
        self._end()
        return self.outcome

    def _sort_out(self) -> None:
        """Separate the points of a grid that have a record from those to be measured."""
        if not self.outcome.searched:
            while (point := self._next_proposed()) is not None:
                self.unknown.append(point)

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
            if self.spent.up:
                self.outcome.ended = f"budget of {self.budget} used up"
                for future in self.under_way:
                    future.cancel()
                break
            self._report()

    def _end(self) -> None:
        """Set the reason why the run ended; "every point has a record" only if the counts agree."""
        outcome = self.outcome
        kind: Ended = "budget"
        if not outcome.searched and outcome.left == 0:
            kind, outcome.ended = "complete", "every point has a record"
        elif not outcome.ended:
            kind, outcome.ended = "searched", "the search found nothing new"
        self.tried.summarise(kind, outcome.ended)

    def _begin_next(self, workers: WorkerPool) -> bool:
        """Start the next point that has no record; return False if no more may be started."""
        if self.budget.points and self._begun() >= self.budget.points:
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
        key, since = key_of(point.options, self.space.seeds, self.space.products), time.monotonic()
        future = workers.executor.submit(measure_in_child, request)
        self.under_way[future] = (point, key, since)
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
            known = self.store.get(key_of(point.options, self.space.seeds, self.space.products))
            if known is None or self._to_be_replaced(known):
                return point
            self.tried.note(point, self.tried.cached(known))
        return None

    def _to_be_replaced(self, known: Record) -> bool:
        """Whether to measure again: a failure with `retry`, or a point that was left out for a
        condition that this space does not have."""
        if known.status == "outside":
            return known.reason not in {condition.broken for condition in self.space.where}
        return self.retry and known.status == "failed"

    def _begun(self) -> int:
        return self.outcome.measured + len(self.under_way)

    def _finish(self, future: Future[Reply]) -> None:
        """Keep the record of a finished point, or put the point back if its process died."""
        point, key, since = self.under_way.pop(future)
        seconds = time.monotonic() - since
        try:
            reply = future.result()
        except CancelledError:
            return
        except Exception as error:  # from the executor: workers died again and again
            reply = Reply(None, f"{type(error).__name__}: {error}")
        for text in sorted(set(reply.warnings) - self.said):
            self.said.add(text)
            warnings.warn(text, stacklevel=2)
        if reply.full:
            raise NoRoom(f"{reply.error}; what is finished is kept, the same command goes on")
        if reply.lost and self.deaths[key] < _DEATHS:
            self.deaths[key] += 1
            self.unknown.appendleft(point)
            return
        if reply.record is not None:
            record = DECODER.decode(reply.record)
        elif reply.stale:
            raise ToolFailed(f"{reply.error}")
        else:
            record = ended(
                begun(point.spec, self.space.seeds, self.space.products),
                "failed",
                reply.error,
                Seconds(round(seconds, 3), 0.0, {}),
            )
        self.tried.measured(record)
        self.spent.on(_weight(point), seconds)
        self.tried.note(point, record)
        self.tried.summarise("running", _RUNS)

    def _report(self) -> None:
        self.tried.update(self.budget, self.spent.seconds, len(self.under_way))
        self.watch(self.outcome)


def _weight(point: GridPoint) -> float:
    """Return the relative time of a point: a constant for compilation, plus its LUTs."""
    return 1000.0 + grid.expected(point.spec).lut
