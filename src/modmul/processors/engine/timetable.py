"""Finds in which cycle each word of a program is executed, and which word before wrote what it
reads: both are the same for all numbers.  Every hazard is found here."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from modmul.processors.engine.instructions import IMMEDIATE, STORE, Word, instruction_set
from modmul.processors.engine.machine import Machine
from modmul.processors.engine.values import Hazard

_SPANS = 4  # writes of a bank that are remembered besides those that may be in flight
_KEPT = 16  # programs whose timetables are remembered, for runs with other numbers


class ExecutedWord(NamedTuple):
    """A word that is executed, and its cycle.

    sources: the places of the steps that wrote what it reads, in the order of its fields.
    written: the cycle of the first beat that it writes, if it writes a register."""

    cycle: int
    word: Word
    sources: tuple[int, ...]
    written: int


class Timetable(NamedTuple):
    """All words up to HALT, or up to a hazard, but NOP, LOOP and END.

    cycles: without pauses.  exchanges: how often the program may wait for a stream.  last: the
    place of the step that wrote a register last, by register.  refused: the hazard, or None."""

    steps: tuple[ExecutedWord, ...]
    cycles: int
    exchanges: int
    last: dict[int, int]
    refused: str | None = None


@lru_cache(maxsize=_KEPT)
def timetable(words: tuple[Word, ...], machine: Machine, counters: tuple[int, ...]) -> Timetable:
    """The timetable of a program.  counters: number of passes of the loops."""
    return _Units(machine).run(words, counters)


class _Units:
    """The units of a machine, and until when each is taken."""

    def __init__(self, machine: Machine):
        self.machine = self.whole = machine
        self.op = instruction_set().op
        # when it was written, and by which step
        self.versions: dict[int, list[tuple[int, int]]] = defaultdict(list)
        self.reads = [0] * machine.ports  # the cycle from which each read port is free
        self.adders = [0] * machine.ports
        self.banks: list[list[int]] = [[] for _ in range(machine.banks)]  # first cycles of writes
        self.slots: dict[tuple[int, int], int] = defaultdict(int)
        self.idle = self.exchanges = 0
        self.steps: list[ExecutedWord] = []

    def run(self, words: Sequence[Word], counters: Sequence[int]) -> Timetable:
        cycles, refused = 0, None
        try:
            cycles = self.cycles(words, counters)
        except Hazard as hazard:
            refused = str(hazard)
        last = {number: several[-1][1] for number, several in self.versions.items() if several}
        return Timetable(tuple(self.steps), cycles, self.exchanges, last, refused)

    def cycles(self, words: Sequence[Word], counters: Sequence[int]) -> int:
        """Go through the words up to HALT, and return the number of cycles."""
        cycle, place = 0, 0
        start = left = -1
        first = last = False
        while True:
            if not 0 <= place < len(words):
                raise Hazard("the program runs over its end")
            word = words[place]
            if word.op == "LOOP":
                if left >= 0:
                    raise Hazard("a loop inside a loop")
                start, left = place + 1, self.count(word, counters) + word.stage
                two, first, last = word.stage, True, False
            elif word.op == "END":
                left -= 1
                first, last = False, bool(two) and left == 1
                if left:
                    place = start - 1
                else:
                    left = -1
            elif word.op == "HALT":
                if cycle < self.idle:
                    raise Hazard(f"HALT in cycle {cycle}, while a unit is at work")
                return cycle + 1
            elif (
                word.op != "NOP"
                and not (first and word.stage)
                and not (last and two and not word.stage)
            ):
                self.issue(word, cycle)
            cycle += word.wait + 1
            place += 1

    @staticmethod
    def count(word: Word, counters: Sequence[int]) -> int:
        if word.aux == IMMEDIATE:
            count = word.a * instruction_set().registers + word.b
        else:
            count = counters[word.aux]
        if count < 1:
            raise Hazard("a loop that is to be done not even once")
        return count

    def issue(self, word: Word, cycle: int) -> None:
        instruction, written = self.op[word.op], 0
        if instruction.alone:
            self.alone(word, cycle)
        if instruction.unit in ("multiplier", "adder") and word.op != "MODULUS":
            self.units(word, cycle)
        sources = tuple([self.read(getattr(word, field), cycle) for field in instruction.reads])
        if word.op == "MODULUS":
            self.machine = self.whole.under(word.field)
        if instruction.timing != "none":
            written = cycle + self.machine.first(word.op, self.machine.port(cycle))
            self.write(word.dst, cycle, written)
        self.steps.append(ExecutedWord(cycle, word, sources, written))
        if instruction.unit != "sequencer":
            self.idle = max(self.idle, cycle + self.machine.busy(word.op))

    def alone(self, word: Word, cycle: int) -> None:
        """Check a word that may only be executed while nothing else is at work.  One WIPE may
        follow another without a gap."""
        end = cycle + self.machine.first("WIPE") if word.op == "WIPE" else cycle
        if end < self.idle:
            raise Hazard(f"{word.op} in cycle {cycle}, while a unit is at work")
        if word.writes and not self.machine.sums(word.dst):
            raise Hazard(f"{word.op} writes register {word.dst}, which is not of a bank of sums")
        if word.op == "OUT" or (word.op == "IN" and word.aux != STORE):
            self.exchanges += 1

    def units(self, word: Word, cycle: int) -> None:
        """Reserve port, unit and slot for a word.  Raises Hazard if one is taken."""
        machine = self.machine
        port = machine.port(cycle)
        if port is None:
            raise Hazard(f"{word.op} in cycle {cycle}, which is not on the grid")
        if self.reads[port] > cycle:
            raise Hazard(f"{word.op} in cycle {cycle}: the read port is taken")
        self.reads[port] = cycle + machine.beats
        if self.op[word.op].unit == "multiplier":
            key = word.aux, machine.slot(cycle)
            if not port <= word.aux < machine.multipliers or (word.aux - port) % machine.ports:
                raise Hazard(f"{word.op} in cycle {cycle}: multiplier {word.aux} is not there")
            if self.slots[key] > cycle:
                raise Hazard(f"{word.op} in cycle {cycle}: slot {key[1]} is taken")
            self.slots[key] = cycle + machine.duration(word.op)
        else:
            if self.adders[port] > cycle:
                raise Hazard(f"{word.op} in cycle {cycle}: the adder is taken")
            self.adders[port] = cycle + machine.beats
        if word.op != "TEST":
            self.bank(word, cycle + machine.first(word.op, port), port)

    def bank(self, word: Word, first: int, port: int) -> None:
        """Reserve the write port of a bank, or of several banks."""
        machine = self.machine
        bank = machine.bank(word.op, port)
        if word.dst // machine.bank_size != bank:
            raise Hazard(f"{word.op} writes register {word.dst}, which is not of bank {bank}")
        others = self.banks[machine.write_port(word.op, port)]
        place, beats = bisect_left(others, first), machine.beats
        if (place and first - others[place - 1] < beats) or (
            place < len(others) and others[place] - first < beats
        ):
            raise Hazard(f"{word.op}: bank {bank} is written by another word from cycle {first} on")
        ports = machine.ports
        meets = self.banks[bank // ports * ports :][:ports] if machine.shared else self.banks
        if machine.gathers and any(first in writes for writes in meets):
            raise Hazard(f"{word.op}: another number is written in cycle {first}")
        others.insert(place, first)
        left = 2 * machine.slots * machine.multipliers + _SPANS
        if machine.writers == "one":  # sums, while a product is on its way
            left += machine.latency // beats
        del others[:-left]

    def read(self, register: int, cycle: int) -> int:
        """The step that wrote the newest value of a register whose first beat was written
        before this cycle."""
        if self.machine.shared and any(cycle in writes for writes in self.banks):
            raise Hazard(f"a register is read in cycle {cycle}, in which another is written")
        latest = None
        for written, step in self.versions[register]:
            if written == cycle:
                raise Hazard(f"register {register} is read and written in cycle {cycle}")
            if written < cycle:
                latest = step
        if latest is None:
            raise Hazard(f"register {register} is read in cycle {cycle} before it is written")
        return latest

    def write(self, register: int, cycle: int, written: int) -> None:
        versions = self.versions[register]
        insort(versions, (written, len(self.steps)))
        while len(versions) > 1 and versions[1][0] < cycle:
            del versions[0]
