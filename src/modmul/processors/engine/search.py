"""A search for the shortest schedule of a loop: list scheduling with priorities that are improved
by a random climb.  It depends on its seed and its number of attempts, never on time."""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from modmul.errors import SpecError
from modmul.processors.engine.machine import Machine
from modmul.processors.engine.program import Loop
from modmul.processors.engine.schedule import LoopSchedule, Problem

ATTEMPTS, SEED = 240, 7


def search(
    loop: Loop, machine: Machine, attempts: int = ATTEMPTS, seed: int = SEED, least: int = 0
) -> LoopSchedule:
    """The shortest schedule found, with `attempts` attempts at each period from the lower
    bound (or `least`) on.  Raises SpecError if none is found."""
    problem, rng = Problem(loop, machine), random.Random(seed)
    period = -(-max(problem.least.period, least) // machine.align) * machine.align
    ready = sum(machine.ready(operation.op) for operation in loop.ops)
    longest = 4 * problem.least.period + 2 * ready
    step = machine.align if machine.align > 1 else max(1, period // 100)
    while period <= longest:
        if schedule := _climb(problem, period, attempts, rng):
            return schedule
        period += step
    raise SpecError(
        "program",
        loop.ops[0].line,
        "a loop that fits two stages",
        f"no schedule found up to {longest} cycles a pass",
    )


def _climb(problem: Problem, period: int, attempts: int, rng: random.Random) -> LoopSchedule | None:
    """Make a third of the attempts with random priorities around the heights, and the rest with
    random changes of the best two of these."""
    latency = problem.machine.latency
    pool: list[tuple[float, int, list[float]]] = []
    for number in range(max(1, attempts // 3)):
        keys = [height + rng.random() * latency * (number % 8) / 4 for height in problem.heights]
        cost, schedule = _attempt(problem, period, keys)
        if schedule:
            return schedule
        pool.append((cost, number, keys))
    for best, _, keys in sorted(pool)[:2]:
        for _ in range(attempts // 3 if best < math.inf else 0):
            new = list(keys)
            for place in rng.sample(problem.body, min(len(problem.body), rng.choice((1, 1, 2, 4)))):
                new[place] += rng.gauss(0, latency)
            cost, schedule = _attempt(problem, period, new)
            if schedule:
                return schedule
            if cost <= best:
                best, keys = cost, new
    return None


def _attempt(
    problem: Problem, period: int, keys: Sequence[float]
) -> tuple[float, LoopSchedule | None]:
    """The cycles by which carried values come too late, and the schedule if none does."""
    order = list(_order(problem, keys))
    ready: dict[str, int] = {}
    best = math.inf
    for _ in range(10):
        placed = _place(problem, period, order, ready)
        if placed is None:
            return best, None
        start, known = placed
        late = {begin: known[end] - period for begin, end in problem.end_of.items()}
        cost = sum(max(0, time - ready.get(begin, 0)) for begin, time in late.items())
        best = min(best, cost)
        if not cost:
            schedule = LoopSchedule(period, tuple(start))
            return (0, schedule) if problem.kept(schedule) else (best + 1, None)
        ready |= {begin: time for begin, time in late.items() if time > ready.get(begin, 0)}
    return best, None


def _order(problem: Problem, keys: Sequence[float]) -> Iterator[int]:
    """Operations after those they depend on, the greatest key first among the possible."""
    waiting: dict[int, int] = dict.fromkeys(problem.body, 0)
    users: dict[int, list[int]] = defaultdict(list)
    for source, sink, _, passes in problem.edges:
        if not passes:
            waiting[sink] += 1
            users[source].append(sink)
    possible = {place for place, count in waiting.items() if not count}
    while possible:
        place = max(possible, key=lambda candidate: (keys[candidate], -candidate))
        possible.remove(place)
        yield place
        for user in users[place]:
            waiting[user] -= 1
            if not waiting[user]:
                possible.add(user)


def _place(
    problem: Problem, period: int, order: Sequence[int], ready: Mapping[str, int]
) -> tuple[list[int], dict[str, int]] | None:
    """Start times, and when each name can be read; None if an operation finds no place."""
    machine, table = problem.machine, problem.table(period)
    if table is None:
        return None
    known, start = dict(ready), [0] * len(problem.ops)
    for cycle, place in enumerate(problem.heads):
        start[place] = cycle
    for place in order:
        operation = problem.ops[place]
        low, high = problem.window(place, period)
        time = max([low, *(known.get(name, 0) for name in operation.reads)])
        high = min(high, time + period + machine.turn)
        while time <= high:
            unit = table.unit(operation.op, time)
            if unit is not None:
                break
            time = table.later(operation.op, time)
        else:
            return None
        table.take(operation.op, time, unit)
        start[place] = time
        if operation.dst is not None:
            known[operation.dst] = time + machine.ready(operation.op, machine.port(time))
    return start, known
