"""The shortest schedule of a loop by a constraint solver: OR-Tools CP-SAT, which comes with the
extra `schedules` (`make schedules`).

For each period from the bound on, the question whether there is a schedule is answered by yes, by
no, or not within so much deterministic time, which is counted in steps of the solver: with one
worker and a seed the answers are the same on every machine.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from math import lcm
from typing import Any, Literal, NamedTuple

from modmul.errors import ToolMissing
from modmul.processors.engine.machine import Machine
from modmul.processors.engine.program import Loop
from modmul.processors.engine.schedule import LoopSchedule, Problem, valid

Answer = Literal["found", "none", "open"]


class Tried(NamedTuple):
    """One period, and whether it has a schedule."""

    period: int
    answer: Answer


class Exact(NamedTuple):
    """A schedule, and what is known of each period that was tried below it."""

    schedule: LoopSchedule
    tried: tuple[Tried, ...]

    @property
    def optimal(self) -> bool:
        """Whether every shorter period was refuted."""
        return all(trial.answer == "none" for trial in self.tried[:-1])


def solve(
    loop: Loop,
    machine: Machine,
    effort: float = 20.0,
    most: int | None = None,
    note: Callable[[Tried], None] | None = None,
    least: int = 0,
) -> Exact | None:
    """The shortest schedule found at periods from the bound (or `least`) up to `most`; None if
    there is none.

    effort: deterministic time for each period, very roughly seconds."""
    problem = Problem(loop, machine)
    period, tried = max(problem.least.period, least), []
    most = most or 2 * period
    step = machine.align if machine.align > 1 else max(1, period // 200)
    while period <= most:
        answer, schedule = attempt(problem, period, effort)
        tried.append(Tried(period, answer))
        if note:
            note(tried[-1])
        if schedule:
            return Exact(schedule, tuple(tried))
        period += step
    return None


def attempt(problem: Problem, period: int, effort: float) -> tuple[Answer, LoopSchedule | None]:
    """Whether there is a schedule with that period."""
    table = problem.table(period)
    if table is None:
        return "none", None
    cp = _solver()
    rules = _Model(problem, period, cp.CpModel())
    solver = cp.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = 1
    solver.parameters.max_deterministic_time = effort
    status = solver.solve(rules.model)
    if status in (cp.OPTIMAL, cp.FEASIBLE):
        schedule = LoopSchedule(period, tuple(int(solver.value(start)) for start in rules.start))
        why = valid(problem, schedule)
        if why:
            raise AssertionError(f"the solver's schedule breaks a rule: {why}")
        return "found", schedule
    return ("none" if status == cp.INFEASIBLE else "open"), None


def _solver() -> Any:
    try:
        from ortools.sat.python import cp_model  # an extra
    except ImportError:
        raise ToolMissing("the exact search needs OR-Tools: install modmul[schedules]") from None
    return cp_model


class _Model:
    """The rules of `Problem` and `Table` as constraints.

    place: start modulo the period; stage: 0 or 1; both by operation."""

    def __init__(self, problem: Problem, period: int, model: Any):
        self.problem, self.period, self.model = problem, period, model
        self.machine = problem.machine
        count = len(problem.ops)
        self.place: list[Any] = [None] * count
        self.start: list[Any] = [None] * count
        self.port: dict[int, Any] = {}
        self.choices: dict[int, list[Any]] = defaultdict(list)
        self.intervals: dict[tuple[object, ...], list[Any]] = defaultdict(list)
        for cycle, index in enumerate(problem.heads):
            self.place[index] = self.start[index] = model.new_constant(cycle)
        for index in problem.body:
            self._operation(index)
        for source, sink, cycles, passes in problem.edges:
            least = self._waiting(source) + cycles
            model.add(self.start[sink] + passes * period >= self.start[source] + least)
        for writer, reader, passes in problem.lasting:
            first = self._waiting(writer) + self.machine.first(problem.ops[writer].op)
            model.add(self.start[reader] + passes * period < self.start[writer] + first + period)
        for several in self.intervals.values():
            if len(several) > 1:
                model.add_no_overlap(several)

    def _operation(self, index: int) -> None:
        model, machine, period = self.model, self.machine, self.period
        op, name = self.problem.ops[index].op, str(index)
        place = self._placed(index)
        stage = model.new_bool_var("stage" + name)
        start = model.new_int_var(0, 2 * period - 1, "start" + name)
        model.add(start == place + period * stage)
        low, high = self.problem.window(index, period)
        model.add_linear_constraint(start, low, high)
        self.place[index], self.start[index] = place, start
        for port, chosen in enumerate(self._ports(index)):
            self._around(("read", port), place, machine.beats, period, chosen)
            self._around(("issue",), place, 1, period, chosen)
            if op not in ("MUL", "SQR"):
                self._around(("adder", port), place, machine.beats, period, chosen)
            self._written(index, op, place, port, chosen)
        if op in ("MUL", "SQR"):
            self._slots(index, op, place)

    def _waiting(self, index: int) -> Any:
        """Cycles for which a result waits beyond the fewest of its kind."""
        if self.machine.ports == 1 or not any(self.machine.waits):
            return 0
        op = self.problem.ops[index].op
        first, second = (self.machine.first(op, port) for port in range(2))
        return first - min(first, second) + (second - first) * self.port[index]

    def _placed(self, index: int) -> Any:
        """Start modulo the period, on the grid, not in a cycle of the sequencer."""
        machine, period = self.machine, self.period
        heads = max(1, len(self.problem.heads))
        free = [time for time in range(heads, period - 1) if machine.port(time) is not None]
        domain = _solver().Domain.from_values(free)
        place = self.model.new_int_var_from_domain(domain, f"place{index}")
        self.place[index] = place
        return place

    def _ports(self, index: int) -> Sequence[Any]:
        """By port, whether the operation is on it."""
        machine, model = self.machine, self.model
        if machine.ports == 1:
            return [model.new_constant(1)]
        phase = model.new_int_var(0, machine.align - 1, f"phase{index}")
        model.add_modulo_equality(phase, self.place[index] + machine.memory, machine.align)
        chosen = model.new_bool_var(f"port{index}")
        model.add(phase == chosen)
        self.port[index] = chosen
        return [chosen.negated(), chosen]

    def _around(
        self, key: tuple[object, ...], begin: Any, length: int, size: int, chosen: Any
    ) -> None:
        """An interval round a table of `size` cycles: there, and once more a table later."""
        for shift in (0, size):
            interval = self.model.new_optional_interval_var(
                begin + shift, length, begin + shift + length, chosen, f"{key}{begin}{shift}"
            )
            self.intervals[key].append(interval)

    def _written(self, index: int, op: str, place: Any, port: int, chosen: Any) -> None:
        machine, period = self.machine, self.period
        bank, first = machine.write_port(op, port), machine.first(op, port)
        others = {
            machine.first(self.problem.ops[place].op, port)
            for place in self.problem.body
            if machine.write_port(self.problem.ops[place].op, port) == bank
        }
        if len(others) == 1 and (machine.ports == 1 or machine.writers == "each"):
            return  # reads do not overlap, so these do not either
        written = self.model.new_int_var(0, period - 1, f"written{index}")
        self.model.add_modulo_equality(written, place + first, period)
        self._around(("bank", bank), written, machine.beats, period, chosen)

    def _slots(self, index: int, op: str, place: Any) -> None:
        """A product in its slot: in as many passes as it takes until slots come round again."""
        model, machine, period = self.model, self.machine, self.period
        size, length = lcm(period, machine.turn), machine.duration(op)
        slot = model.new_int_var(0, machine.slots - 1, f"slot{index}")
        turned = model.new_int_var(0, period + machine.turn, f"turned{index}")
        model.add_division_equality(turned, place + machine.memory, machine.align)
        model.add_modulo_equality(slot, turned, machine.slots)
        for number in range(machine.slots):
            for unit in range(machine.multipliers):
                self._slot(index, place, slot, number, unit, size, length)

    def _slot(
        self, index: int, place: Any, slot: Any, number: int, unit: int, size: int, length: int
    ) -> None:
        model, machine, period = self.model, self.machine, self.period
        in_slot = model.new_bool_var(f"in{index} {number} {unit}")
        model.add(slot == number).only_enforce_if(in_slot)
        if machine.ports == 2:
            model.add(self.port[index] == unit).only_enforce_if(in_slot)
        self.choices[index].append(in_slot)
        if len(self.choices[index]) == machine.slots * machine.multipliers:
            model.add_exactly_one(self.choices[index])
        for turn in range(size // period):
            key = "slot", unit, (number + turn * period // machine.align) % machine.slots
            self._around(key, place + turn * period, length, size, in_slot)
