"""A program in time: when each section begins, and each of its words.

Sections follow each other; nothing waits for an earlier section to be over, only for its results
and for units that are free.  A loop's cycles depend on its count alone, so the cycles of the whole
are known for all counts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from modmul.processors.engine.machine import Machine, machines
from modmul.processors.engine.program import HostSection, Loop, Operation, Program, Straight
from modmul.processors.engine.schedule import LoopSchedule, Problem, one_by_one, units
from modmul.processors.engine.tables import ReservationTable

PASSES = 3  # first, middle and last pass of a loop, which show most overlaps; see `telling`


class Placed(NamedTuple):
    """A section with its times.  gap: cycles from the end of the section before to its beginning.
    start: of each operation, from the beginning of the section, or of a loop's pass.  unit: the
    multiplier of each operation.  length: cycles of the section, or of a loop's pass."""

    section: Straight | Loop | HostSection
    gap: int
    start: tuple[int, ...]
    unit: tuple[int, ...]
    length: int

    @property
    def stages(self) -> int:
        """How many passes of a loop overlap, 1 or 2; 1 for other sections."""
        return 1 + (max(self.start) >= self.length)

    def passes(self, counters: Sequence[int]) -> int:
        """How often its words are gone through: with two stages one pass more than its
        count."""
        if not isinstance(self.section, Loop):
            return 1
        return self.count(counters) + self.stages - 1

    def count(self, counters: Sequence[int]) -> int:
        """How often its operations are done."""
        if not isinstance(self.section, Loop):
            return 1
        if self.section.count is not None:
            return self.section.count
        assert self.section.counter is not None
        return counters[self.section.counter]


class Event(NamedTuple):
    """An operation that starts in a cycle, in a pass (`turn`) of a section."""

    cycle: int
    operation: Operation
    unit: int
    section: int
    turn: int


def telling(ops: Sequence[Operation], schedule: LoopSchedule, machine: Machine) -> int:
    """The number of passes of a loop that show every overlap: more than `PASSES` where
    results of the first pass come later than that, or after the end of the loop."""
    last = max(
        start + machine.busy(operation.op)
        for operation, start in zip(ops, schedule.start, strict=True)
    )
    return max(PASSES, 2 + -(-last // schedule.period))


def place(
    program: Program, machine: Machine, schedule_of: Callable[[Loop, Machine], LoopSchedule]
) -> tuple[tuple[Placed, ...], int]:
    """All sections with their times, and the cycles from the end of the last one until
    nothing is at work.  schedule_of: returns the schedule of a loop on a machine."""
    placer = _Placer(machine)
    each = tuple(machines(program.sections, machine))

    def scheduled(loop: Loop, current: Machine) -> LoopSchedule:
        at_once = alone(loop) or all(operation.op == "BIT" for operation in loop.ops)
        return one_by_one(loop, current) if at_once else schedule_of(loop, current)

    for section, current in zip(program.sections, each, strict=False):
        if isinstance(section, Loop):
            placer.want(section, scheduled(section, current))
    for section, current in zip(program.sections, each, strict=False):
        placer.machine = placer.table.machine = current
        if isinstance(section, Loop):
            placer.loop(section, scheduled(section, current))
        elif isinstance(section, HostSection):
            placer.host(section)
        else:
            placer.straight(section)
    return tuple(placer.placed), max(0, placer.idle - placer.now)


def alone(loop: Loop) -> bool:
    """Whether some words of a loop may only be executed while nothing else is at work."""
    return any(operation.instruction.alone for operation in loop.ops)


class _Placer:
    """Places sections one after the other.  now: the end of what is placed, where loops have as
    many passes as `telling` says.  ready: when each name can be read.  idle: when nothing is at
    work any more."""

    def __init__(self, machine: Machine):
        self.machine, self.table = machine, ReservationTable(machine)
        self.placed: list[Placed] = []
        self.now = self.idle = 0
        self.ready: dict[str, int] = {}
        self.wanted_port: dict[str, int] = {}

    def want(self, loop: Loop, schedule: LoopSchedule) -> None:
        """Note from which port a carried value must come into a loop: the one that makes it
        there."""
        starts = dict(zip((operation.dst for operation in loop.ops), schedule.start, strict=True))
        for carry in loop.carried:
            port = self.machine.port(starts[carry.end])
            assert port is not None
            self.wanted_port[carry.before] = port

    def aligned(self, cycle: int) -> int:
        return -(-cycle // self.machine.align) * self.machine.align

    def host(self, section: HostSection) -> None:
        """Place operations, each after the one before has ended, the adder's on its grid."""
        begin = time = self.aligned(max(self.now, self.idle))
        start = []
        for operation in section.ops:
            time = self.aligned(time)
            while operation.instruction.unit == "adder" and self.machine.port(time) != 0:
                time += 1
            start.append(time - begin)
            time += max(self.machine.busy(operation.op), self.machine.beats)
            self.ready |= {operation.dst: time} if operation.dst else {}
        self._add(section, begin, start, [0] * len(start), time - begin)
        self.idle = time

    def straight(self, section: Straight) -> None:
        """Place operations by list scheduling: first those with the longest way to the end."""
        begin = self.aligned(self.now)
        heads = [operation for operation in section.ops if operation.op in ("BIT", "DIGIT")]
        time = begin
        start = {}
        for head in heads:
            self.table.hold(time)
            start[id(head)] = (time, 0)
            time += 1
        free = time
        order = sorted(
            (op for op in section.ops if op not in heads),
            key=_heights(section, self.machine).__getitem__,
            reverse=True,
        )
        for operation in _after_what_they_read(order):
            time = max([free, *(self.ready[name] for name in operation.reads)])
            port = self.wanted_port.get(operation.dst or "")
            while (unit := self.table.unit(operation.op, time)) is None or (
                port is not None and port != self.machine.port(time)
            ):
                time = self.table.later(operation.op, time) if unit is None else time + 1
            self._take(operation, time, unit)
            start[id(operation)] = (time, unit)
        times = [start[id(operation)] for operation in section.ops]
        length = max(time for time, _ in times) + 1 - begin
        self._add(
            section, begin, [time - begin for time, _ in times], [unit for _, unit in times], length
        )

    def loop(self, section: Loop, schedule: LoopSchedule) -> None:
        """Place a loop where its first passes collide with nothing that is still at work."""
        problem = Problem(section, self.machine)
        begin = self.aligned(self.now + 1)  # its word LOOP comes in the cycle before
        if alone(section):
            begin = max(begin, self.aligned(self.idle))
        while (chosen := self._fits(problem, schedule, begin)) is None:
            begin += self.machine.align
        self.table.hold(begin - 1)
        shown = telling(section.ops, schedule, self.machine)
        count = min(shown, section.count or shown)
        placed = Placed(section, begin - self.now, schedule.start, chosen, schedule.period)
        for event in _turns(placed, begin, count, 0):
            self._take(event.operation, event.cycle, event.unit)
        for carry in section.carried:  # after the loop a name has its value from the last pass
            self.ready[carry.begin] = self.ready[carry.end]
        self._add(section, begin, schedule.start, chosen, schedule.period)
        self.now = begin + schedule.period * (count + placed.stages - 1)

    def _fits(self, problem: Problem, schedule: LoopSchedule, begin: int) -> tuple[int, ...] | None:
        """The multiplier of each operation if the loop can begin there, else None."""
        before = {carry.begin: carry.before for carry in problem.loop.carried}
        for operation, start in zip(problem.ops, schedule.start, strict=True):
            for name in operation.reads:
                outside = before.get(name, name)
                if outside in self.ready and begin + start < self.ready[outside]:
                    return None
        chosen = units(problem, schedule)
        assert chosen is not None, "a schedule that breaks a rule"
        for place in problem.body:
            for turn in range(2):
                at = begin + schedule.start[place] + turn * schedule.period
                if not self.table.free(problem.ops[place].op, at, chosen[place]):
                    return None
        return chosen

    def _take(self, operation: Operation, cycle: int, unit: int) -> None:
        machine = self.machine
        if operation.instruction.unit == "sequencer":
            self.table.hold(cycle)
        else:
            self.table.take(operation.op, cycle, unit)
            self.idle = max(self.idle, cycle + machine.busy(operation.op))
        if operation.dst:
            self.ready[operation.dst] = cycle + machine.ready(operation.op, machine.port(cycle))

    def _add(
        self,
        section: Straight | Loop | HostSection,
        begin: int,
        start: Sequence[int],
        unit: Sequence[int],
        length: int,
    ) -> None:
        self.placed.append(Placed(section, begin - self.now, tuple(start), tuple(unit), length))
        self.now = begin + length


def _heights(section: Straight, machine: Machine) -> dict[Operation, int]:
    """The cycles from each operation to the end of the section."""
    best: dict[Operation, int] = {}
    needed: dict[str, int] = {}
    for operation in reversed(section.ops):
        best[operation] = machine.ready(operation.op) + needed.get(operation.dst or "", 0)
        for name in operation.reads:
            needed[name] = max(needed.get(name, 0), best[operation])
    return best


def _after_what_they_read(order: Sequence[Operation]) -> Iterator[Operation]:
    """Operations in this order as far as possible, but none before what it reads."""
    defined = {operation.dst: operation for operation in order if operation.dst}
    done: set[int] = set()
    stack = list(reversed(order))
    while stack:
        operation = stack[-1]
        missing = [
            defined[name]
            for name in operation.reads
            if name in defined and id(defined[name]) not in done
        ]
        if missing:
            stack += missing
            continue
        stack.pop()
        if id(operation) not in done:
            done.add(id(operation))
            yield operation


# ---- as it happens ----------------------------------------------------------------------------


def events(placed: Sequence[Placed], counts: Sequence[int]) -> Iterator[Event]:
    """Every operation with its cycle, section by section.  counts: passes of each section."""
    now = 0
    for number, block in enumerate(placed):
        now += block.gap
        turns = counts[number]
        yield from _turns(block, now, turns, number)
        now += block.length * (turns + block.stages - 1 if isinstance(block.section, Loop) else 1)


def _turns(placed: Placed, begin: int, turns: int, number: int) -> Iterator[Event]:
    for turn in range(turns):
        for op, start, unit in zip(placed.section.ops, placed.start, placed.unit, strict=True):
            yield Event(begin + turn * placed.length + start, op, unit, number, turn)


def cycles(placed: Sequence[Placed], counters: Sequence[int]) -> int:
    """The cycles from the first word to the end of the last section."""
    return sum(block.gap + block.length * block.passes(counters) for block in placed)
