"""Assigns a register to each value.

A value has its register from the cycle in which its first beat is written to the one in which it is
read for the last time.  These times are taken from the program as it happens, with every loop done
once and three times, so that the first pass, the last one and one between are among them."""

from __future__ import annotations

import itertools
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import NamedTuple

from modmul.errors import SpecError
from modmul.processors.engine.layout import PASSES, Placed, events, telling
from modmul.processors.engine.machine import Machine, machines
from modmul.processors.engine.moves import shared
from modmul.processors.engine.program import Loop, Program
from modmul.processors.engine.schedule import LoopSchedule


class Life(NamedTuple):
    """The cycles in which a value needs its register: from its write to its last read."""

    begin: int
    end: int


Lives = dict[str, list[Life]]


def lives(program: Program, placed: Sequence[Placed], machine: Machine, most: int) -> Lives:
    """The values of each group of names that share a register, in the order of time, with
    loops of `most` passes, or of their own count if that is less.  Raises SpecError if a value is
    written before the last read of the one before."""
    group = shared(program)
    counts = [
        min(most, block.section.count or most) if isinstance(block.section, Loop) else 1
        for block in placed
    ]
    each = tuple(machines([block.section for block in placed], machine))
    value: dict[str, int] = {}  # the number of the present value of each name
    owner: list[str] = []
    spans: list[list[int]] = []
    last = (-1, -1)
    for event in events(placed, counts):
        loop, operation = placed[event.section].section, event.operation
        if (event.section, event.turn) != last and isinstance(loop, Loop):
            first = event.turn == 0
            value |= {
                carry.begin: value[carry.before if first else carry.end] for carry in loop.carried
            }
        last = (event.section, event.turn)
        for name in operation.reads:
            span = spans[value[name]]
            span[1] = max(span[1], event.cycle)
        if operation.dst:
            value[operation.dst] = len(spans)
            own = each[event.section]
            written = event.cycle + own.first(operation.op, own.port(event.cycle))
            spans.append([written, written])
            owner.append(group.get(operation.dst, operation.dst))
    lives_of: Lives = defaultdict(list)
    for name, (begin, end) in zip(owner, spans, strict=True):
        lives_of[name].append(Life(begin, end))
    for name, several in lives_of.items():
        several.sort()
        for earlier, later in itertools.pairwise(several):
            if later.begin <= earlier.end:
                raise SpecError(
                    "program",
                    name,
                    "a schedule in which it is",
                    f"{program.name}: {name} is not read before its next value comes",
                )
    return lives_of


def _counts(placed: Sequence[Placed], machine: Machine) -> Sequence[int]:
    """The passes of loops with which a program is taken so that no other shows more."""
    each = machines([block.section for block in placed], machine)
    loops = [
        (block.section.ops, LoopSchedule(block.length, block.start), current)
        for block, current in zip(placed, each, strict=False)
        if isinstance(block.section, Loop)
    ]
    most = max([PASSES, *(itertools.starmap(telling, loops))])
    return (PASSES, 1) if most == PASSES else range(most, 0, -1)


def allocate(
    program: Program, placed: Sequence[Placed], machine: Machine, protected: bool
) -> dict[str, int]:
    """The register of each name.  protected: the first register of each bank of sums stays
    free: that is where a fault writes while nothing is to be written.  Raises SpecError if there
    are not enough of them."""
    runs = [lives(program, placed, machine, count) for count in _counts(placed, machine)]
    banks = _banks(program, placed, machine)
    held: dict[int, list[list[Life]]] = {}
    register: dict[str, int] = {}

    def fits(name: str, number: int) -> bool:
        return number not in held or not any(
            _meet(run[name], mine) for mine, run in zip(held[number], runs, strict=True)
        )

    def used(bank: int) -> int:
        return sum(number // machine.bank_size == bank for number in held)

    order = sorted(runs[0], key=lambda name: (name not in banks, runs[0][name][0].begin))
    for name in order:
        bank = banks.get(name)
        free = range(machine.ports, machine.banks)
        choice = [bank] if bank is not None else sorted(free, key=used)
        numbers = [
            taken_bank * machine.bank_size + place
            for taken_bank in choice
            for place in range(protected and taken_bank >= machine.ports, machine.bank_size)
        ]
        if bank is None:  # a register in use before a new one
            numbers.sort(key=lambda number: number not in held)
        number = next((candidate for candidate in numbers if fits(name, candidate)), None)
        if number is None:
            raise SpecError(
                "program",
                program.name,
                f"at most {machine.bank_size} at a time",
                f"{program.name}: more values of one bank than it has registers",
            )
        register[name] = number
        mine = held.setdefault(number, [[] for _ in runs])
        for place, run in enumerate(runs):
            mine[place] = sorted(mine[place] + run[name])
    group = shared(program)
    names = {name for op in program.operations() for name in (op.dst, *op.reads) if name}
    return {name: register[group.get(name, name)] for name in sorted(names)}


def scalars(program: Program) -> dict[int, int]:
    """Return, for each scalar by its number in the text, its place in the scalar store.  Scalars
    share a place if all uses of one are before those of the other."""
    used: dict[int, list[Life]] = defaultdict(list)
    for place, section in enumerate(program.sections):
        for operation in section.ops:
            copies = operation.op == "SEL" and operation.reads[0] == operation.reads[1]
            if operation.instruction.of_scalar and not copies:
                spans = used[operation.number or 0]
                again = operation.op == "SCALAR" or not spans
                begin = place if again else spans.pop().begin
                spans.append(Life(begin, place))
    places: dict[int, int] = {}
    for number in sorted(used, key=lambda number: used[number][0].begin):
        taken = {places[other] for other in places if _meet(used[other], used[number])}
        places[number] = next(place for place in itertools.count() if place not in taken)
    return places


def _banks(program: Program, placed: Sequence[Placed], machine: Machine) -> Mapping[str, int]:
    """The bank of each group that a unit writes.  The other groups come from outside, and
    may be in any bank of sums."""
    group = shared(program)
    banks: dict[str, int] = {}
    for each in placed:
        now = 0
        for operation, start in zip(each.section.ops, each.start, strict=True):
            if operation.dst is None or operation.op == "IN":  # any bank of sums
                continue
            port = machine.port(now + start)
            assert port is not None
            bank, name = machine.bank(operation.op, port), group.get(operation.dst, operation.dst)
            if banks.setdefault(name, bank) != bank:
                raise AssertionError(f"{program.name}: {operation} is in another bank than {name}")
    return banks


def _meet(some: Sequence[Life], others: Sequence[Life]) -> bool:
    """Whether two groups have values at the same time.  The values of a group are in the order of
    time, each before the next."""
    for span in some:
        later = bisect_right(others, span.end, key=attrgetter("begin"))
        if later and others[later - 1].end >= span.begin:
            return True
    return False
