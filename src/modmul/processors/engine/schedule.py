"""When the operations of a loop start: schedules, what they have to obey, and bounds that none can
beat.

Start times count from the beginning of a pass; those from `period` on are in stage 1, one pass
later.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property

import msgspec

from modmul.processors.engine.instructions import AHEAD
from modmul.processors.engine.machine import Machine
from modmul.processors.engine.program import Loop
from modmul.processors.engine.tables import ReservationTable

_BITS = ("BIT", "DIGIT")


class LoopSchedule(msgspec.Struct, frozen=True):
    """The cycles of a pass, and the start of each operation of the loop, in text order."""

    period: int
    start: tuple[int, ...]

    @property
    def stages(self) -> int:
        return 1 + max(self.start) // self.period


class Least(msgspec.Struct, frozen=True):
    """The lower bounds of a period: cycles for which a pass needs the multiplier's slots, the read
    port and the adder, and the chain of dependences from one pass to the next.  grid: a period is a
    multiple of this, because words are issued on a grid."""

    slots: int
    port: int
    adder: int
    chain: int
    grid: int

    @property
    def period(self) -> int:
        """The largest bound, rounded up to the grid."""
        least = max(self.slots, self.port, self.adder, self.chain)
        return -(-least // self.grid) * self.grid

    @property
    def binds(self) -> str:
        """The name of the largest bound."""
        named = {
            "multiplier slots": self.slots,
            "read port": self.port,
            "adder": self.adder,
            "dependence chain": self.chain,
        }
        return max(named, key=lambda name: named[name])


def one_by_one(loop: Loop, machine: Machine) -> LoopSchedule:
    """The schedule of a loop with words that are alone: each waits for the one before."""
    time, start = 0, []
    for operation in loop.ops:
        while operation.op not in _BITS and machine.port(time) != 0:
            time += 1
        start.append(time)
        time += 1 if operation.op in _BITS else max(machine.busy(operation.op), machine.beats)
    length = max(time + 1, AHEAD + 1)
    return LoopSchedule(-(-length // machine.align) * machine.align, tuple(start))


class Problem:
    """The dependences of a loop on a machine."""

    def __init__(self, loop: Loop, machine: Machine):
        self.loop, self.machine = loop, machine
        self.ops = loop.ops
        self.defined = {
            operation.dst: place for place, operation in enumerate(self.ops) if operation.dst
        }
        self.end_of = {carry.begin: carry.end for carry in loop.carried}
        self.heads = [place for place, operation in enumerate(self.ops) if operation.op in _BITS]
        self.body = [place for place, operation in enumerate(self.ops) if operation.op not in _BITS]
        # (from, to, cycles, passes): start[to] + passes * period >= start[from] + cycles
        self.edges: list[tuple[int, int, int, int]] = []
        for place, operation in enumerate(self.ops):
            for name in operation.reads:
                around = name in self.end_of
                source = self.defined.get(self.end_of.get(name, name))
                if source is not None:
                    ready = self._gridded(machine.ready(self.ops[source].op))
                    self.edges.append((source, place, ready, int(around)))
        self.chosen = {
            place: self._head(place) for place in self.body if self.ops[place].op in ("SEL", "SCAN")
        }
        self._empty: ReservationTable | None = None  # of the period asked for last

    def _gridded(self, cycles: int) -> int:
        """The least distance, of so many cycles or more, of two words of one port."""
        align = self.machine.align if self.machine.ports == 1 else 1
        return -(-cycles // align) * align

    def _head(self, place: int) -> int | None:
        """The place of the word that reads an operation's bit or digit, if it is in this
        loop."""
        operation = self.ops[place]
        for cycle, head in enumerate(self.heads):
            same = self.ops[head].number == operation.number if operation.op == "SEL" else True
            if same and self.ops[head].op == ("BIT" if operation.op == "SEL" else "DIGIT"):
                return cycle
        return None

    def window(self, place: int, period: int) -> tuple[int, int]:
        """The first and the last cycle in which an operation may start.  One that selects by
        a bit of this pass must start before the next pass reads a bit."""
        last = 2 * period - 1
        if place in self.chosen:
            head = self.chosen[place]
            return (0, last) if head is None else (head + 1, period - 1)
        return 0, last

    @cached_property
    def lasting(self) -> list[tuple[int, int, int]]:
        """Triples (writer, reader, passes): a register is read in the cycle start[reader] + passes
        * period, which must be before the writer's next result, one period after this one."""
        lasting = []
        for place, operation in enumerate(self.ops):
            for name in operation.reads:
                around = name in self.end_of
                source = self.defined.get(self.end_of.get(name, name))
                if source is not None:
                    lasting.append((self._first(source), place, int(around)))
        return lasting

    def _first(self, place: int) -> int:
        """The operation that starts a chain of SCANs, which all write into one register."""
        while self.ops[place].op == "SCAN" and self.ops[place].reads[1] in self.defined:
            place = self.defined[self.ops[place].reads[1]]
        return place

    def kept(self, schedule: LoopSchedule) -> bool:
        """Whether every value is still there when it is read for the last time."""
        period, start = schedule.period, schedule.start
        return all(
            start[reader] + passes * period
            < start[writer] + self.written(writer, start[writer]) + period
            for writer, reader, passes in self.lasting
        )

    def written(self, place: int, start: int) -> int:
        """The cycles until the result of an operation that starts then is written."""
        return self.machine.first(self.ops[place].op, self.machine.port(start))

    def table(self, period: int) -> ReservationTable | None:
        """A table with only the sequencer's words; None if it has no room for them."""
        if period < len(self.heads) + 2:
            return None
        if self._empty is None or self._empty.period != period:
            self._empty = ReservationTable(self.machine, period)
            for cycle in range(max(1, len(self.heads))):
                self._empty.hold(cycle)
            self._empty.hold(period - 1)
        return self._empty.again()

    @cached_property
    def chain(self) -> int:
        """The cycles of a pass that the longest dependence around the loop takes, rounded up: the
        least period for which no cycle of dependences has a positive length."""
        low, high = 1, 2 + sum(self.machine.ready(self.ops[place].op) for place in self.body)
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if self._possible(middle) else (middle + 1, high)
        return low

    def _possible(self, period: int) -> bool:
        start = [0] * len(self.ops)
        for _ in range(len(self.ops) + 1):
            changed = False
            for source, sink, cycles, passes in self.edges:
                least = start[source] + cycles - passes * period
                if start[sink] < least:
                    start[sink], changed = least, True
            if not changed:
                return True
        return False

    @cached_property
    def least(self) -> Least:
        machine = self.machine
        ops = [self.ops[place].op for place in self.body]
        products = [operation for operation in ops if operation in ("MUL", "SQR")]
        busy = sum(machine.duration(product) for product in products)
        lanes = machine.slots * machine.multipliers
        grid = machine.align
        sums = (len(ops) - len(products)) * max(machine.beats, machine.align)
        return Least(
            slots=-(-busy // lanes),
            port=-(-len(ops) * max(machine.beats, machine.align) // machine.ports),
            adder=-(-sums // machine.ports),
            chain=self.chain,
            grid=grid,
        )

    @cached_property
    def heights(self) -> list[int]:
        """The longest way from each operation to the end of the pass, and through the next one."""
        best = [0] * len(self.ops)
        users: dict[int, list[tuple[int, int, int]]] = defaultdict(list)
        for source, sink, cycles, passes in self.edges:
            users[source].append((sink, cycles, passes))
        for rounds in range(2):
            for place in reversed(range(len(self.ops))):
                lengths = [
                    best[sink] + cycles for sink, cycles, passes in users[place] if passes <= rounds
                ]
                best[place] = max(lengths, default=self.machine.ready(self.ops[place].op))
        return best


def units(problem: Problem, schedule: LoopSchedule) -> tuple[int, ...] | None:
    """The multiplier of each operation (for others the adder); None if there are not enough.

    If one port serves two multipliers, products that do not fit into one of them must be in
    different ones.  So the choice for one product decides that for all that are linked to it."""
    machine, start = problem.machine, schedule.start
    ports = [machine.port(cycle) or 0 for cycle in start]
    if machine.multipliers == machine.ports:
        return tuple(ports)
    table = ReservationTable(machine, schedule.period)
    left = [place for place in problem.body if problem.ops[place].product]
    known: dict[int, int] = {}
    while left:
        waiting = [left[0]]
        known[left[0]] = 0
        while waiting:
            place = waiting.pop()
            left.remove(place)
            for other in problem.body:
                if other == place or not problem.ops[other].product:
                    continue
                both = [(problem.ops[product].op, start[product]) for product in (place, other)]
                if table.apart(both[0], both[1]):
                    continue
                if known.get(other) == known[place]:
                    return None
                if other not in known:
                    known[other] = 1 - known[place]
                    waiting.append(other)
    return tuple(known.get(place, port) for place, port in enumerate(ports))


def valid(problem: Problem, schedule: LoopSchedule) -> str | None:
    """Which rule of the machine a schedule breaks; None if it keeps them all."""
    start, period = schedule.start, schedule.period
    table = problem.table(period)
    if table is None or period % problem.machine.align or len(start) != len(problem.ops):
        return "the period is too short, or not on the grid"
    for cycle, place in enumerate(problem.heads):
        if start[place] != cycle:
            return f"{problem.ops[place]} is not in cycle {cycle}"
    for source, sink, cycles, passes in problem.edges:
        least = max(cycles, problem.written(source, start[source]) + 1)
        if start[sink] + passes * period < start[source] + least:
            return f"{problem.ops[sink]} reads before {problem.ops[source]} has written"
    chosen = units(problem, schedule)
    if chosen is None:
        return "more products at a time than the multipliers have slots"
    for place in problem.body:
        low, high = problem.window(place, period)
        if not low <= start[place] <= high:
            return f"{problem.ops[place]} is not between the cycles {low} and {high}"
        if not table.free(problem.ops[place].op, start[place], chosen[place]):
            return f"{problem.ops[place]}: port, bank, slot or grid in cycle {start[place]}"
        table.take(problem.ops[place].op, start[place], chosen[place])
    if not problem.kept(schedule):
        return "a value is overwritten before it is read for the last time"
    return None
