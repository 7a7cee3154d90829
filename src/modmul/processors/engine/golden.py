"""The golden machine: executes words cycle by cycle, and refuses every hazard.

It knows nothing of the program that the words come from.  What it computes with is exchangeable
(values): `Numbers` are what the hardware has, bit for bit."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from modmul.arithmetic.words import to_words
from modmul.processors.engine.instructions import (
    IMMEDIATE,
    STORE,
    Word,
    instruction_set,
)
from modmul.processors.engine.machine import Machine
from modmul.processors.engine.values import Arithmetic, Hazard

_SPANS = 4  # the least number of writes of a bank that are remembered


class Streams(NamedTuple):
    """The numbers that come in, in their order.  scalar: shifted left, so that the first bit is the
    highest of a register.  constants: by their places in the store."""

    operand: Sequence[Any] = ()
    scalar: Sequence[Any] = ()
    random: Sequence[Any] = ()
    constants: Sequence[Any] = ()


class Done(NamedTuple):
    """A word that was executed, its cycle, and the value that it wrote, or None."""

    cycle: int
    word: Word
    value: Any


class EngineOutcome(NamedTuple):
    """The outcome of a run.  results: the numbers of the stream result.  status: set by TEST.
    cycles: all, with pauses.  memory: the registers at the end.  done: every word but NOP, LOOP and
    END."""

    results: list[Any]
    status: Any
    cycles: int
    memory: dict[int, Any]
    done: list[Done]

    def trace(self) -> list[tuple[int, Word]]:
        """Return what can be observed from outside: which word was executed in which cycle."""
        return [(done.cycle, done.word) for done in self.done]


class Beat(NamedTuple):
    """One beat that a unit gives: its cycle, its register, its place in the number, its value."""

    cycle: int
    register: int
    place: int
    value: int


def writes(outcome: EngineOutcome, machine: Machine, bits: int) -> Iterator[Beat]:
    """Yield every beat that a unit gives for a register, word after word.  bits: of a beat."""
    current = machine
    for cycle, word, value in outcome.done:
        if word.op == "MODULUS":
            current = machine.under(word.field)
        if word.writes:
            first = cycle + current.gives(word.op, current.port(cycle))
            for place, part in enumerate(to_words(value, bits, machine.beats)):
                yield Beat(first + place, word.dst, place, part)


# ---- the machine ------------------------------------------------------------------------------


class Golden:
    """A run of words on a machine, with an arithmetic."""

    def __init__(self, machine: Machine, arithmetic: Arithmetic):
        self.machine, self.arithmetic, self.whole = machine, arithmetic, machine
        self.versions: dict[int, list[tuple[int, int, Any]]] = defaultdict(list)
        self.reads = [0] * machine.ports  # the cycle from which each read port is free
        self.adders = [0] * machine.ports
        self.banks: list[list[int]] = [[] for _ in range(machine.banks)]  # first cycles of writes
        self.slots: dict[tuple[int, int], int] = defaultdict(int)
        self.idle = 0
        self.bits: dict[int, Any] = {}
        self.digit: Any = None
        self.status: Any = 0
        self.tests = 0
        self.done: list[Done] = []
        self.results: list[Any] = []
        self.paused = 0

    def run(self, words: Sequence[Word], streams: Streams | None = None,
            counters: Sequence[int] = (), pauses: Sequence[int] = ()) -> EngineOutcome:  # fmt: skip
        """Execute words up to HALT.  streams: the numbers that come in.  counters: number of passes
        of the loops.  pauses: for each OUT, and each IN of a stream, the turns of the slots for
        which time stands still."""
        inputs = streams or Streams()
        self.streams = [iter(inputs[place]) for place in range(STORE)]
        self.constants = inputs[STORE]
        self.pauses = iter(pauses)
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
                return self.outcome(cycle + 1)
            elif word.op != "NOP" and not (first and word.stage) and not (
                last and two and not word.stage
            ):
                self.issue(word, cycle)
            cycle += word.wait + 1
            place += 1

    def outcome(self, cycles: int) -> EngineOutcome:
        memory = {number: versions[-1][2] for number, versions in self.versions.items()}
        cycles += self.paused * self.machine.turn
        return EngineOutcome(self.results, self.status, cycles, memory, self.done)

    @staticmethod
    def count(word: Word, counters: Sequence[int]) -> int:
        """Return the number of passes of a loop."""
        if word.aux == IMMEDIATE:
            count = word.a * instruction_set().registers + word.b
        else:
            count = counters[word.aux]
        if count < 1:
            raise Hazard("a loop that is to be done not even once")
        return count

    def issue(self, word: Word, cycle: int) -> None:
        """Execute one word."""
        instruction, value = word.instruction, None
        if instruction.alone:
            self.alone(word, cycle)
        if instruction.unit in ("multiplier", "adder") and word.op != "MODULUS":
            self.units(word, cycle)
        operands = {field: self.read(getattr(word, field), cycle) for field in instruction.reads}
        self.effect(word, operands)
        if word.writes:
            value = self.arithmetic.value(word, operands, self.choice(word),
                                          self.next(word) if word.op == "IN" else None)  # fmt: skip
            self.write(word, cycle, value)
        self.done.append(Done(cycle, word, value))
        if instruction.unit != "sequencer":
            self.idle = max(self.idle, cycle + self.machine.busy(word.op))

    def effect(self, word: Word, operands: Mapping[str, Any]) -> None:
        """Change what a word changes besides registers."""
        arithmetic = self.arithmetic
        if word.op == "BIT":
            self.bits[word.aux] = arithmetic.bit(word.aux, bool(word.a))
        elif word.op == "DIGIT":
            self.digit = arithmetic.digit(word.aux, word.a)
        elif word.op == "MODULUS":
            arithmetic.load(word.a)
            self.machine = self.whole.under(word.field)
        elif word.op == "OUT":
            value = operands["a"]
            if word.aux and word.aux != self.tests:
                self.status = 1
            self.results.append(arithmetic.checked(self.status, value) if word.aux else value)
        elif word.op == "TEST":
            self.status = arithmetic.tested(self.status, operands["a"], word.aux)
            self.tests += 1
        elif word.op == "SCALAR":
            arithmetic.scalar(word.aux, operands["a"])
        elif word.instruction.carry is not None:
            self.bits[word.aux] = arithmetic.carry(word, operands)

    def choice(self, word: Word) -> Any:
        """Return the bit or digit by which a word selects."""
        if word.op == "SEL" and self.needs(word) and word.aux not in self.bits:
            raise Hazard(f"SEL by bit {word.aux}, which was never taken")
        return self.digit if word.op == "SCAN" else self.bits.get(word.aux)

    @staticmethod
    def needs(word: Word) -> bool:
        """Whether a SEL selects: one of a register and itself is a copy."""
        return word.a != word.b

    def next(self, word: Word) -> Any:
        """Return the number that an IN gets."""
        place = word.aux
        if place == STORE:
            if word.a >= len(self.constants):
                raise Hazard(f"IN: there is no constant {word.a}")
            return self.constants[word.a]
        if place > STORE:
            raise Hazard(f"IN: there is no stream {place}")
        try:
            return next(self.streams[place])
        except StopIteration:
            name = Streams._fields[place]
            raise Hazard(f"{word.op}: the stream {name} is at its end") from None

    def alone(self, word: Word, cycle: int) -> None:
        """Check a word that is executed alone; only WIPE may follow WIPE without a gap."""
        end = cycle + self.machine.first("WIPE") if word.op == "WIPE" else cycle
        if end < self.idle:
            raise Hazard(f"{word.op} in cycle {cycle}, while a unit is at work")
        if word.writes and not self.machine.sums(word.dst):
            raise Hazard(f"{word.op} writes register {word.dst}, which is not of a bank of sums")
        if word.op == "OUT" or (word.op == "IN" and word.aux != STORE):
            self.paused += next(self.pauses, 0)

    def units(self, word: Word, cycle: int) -> None:
        """Reserve port, unit and slot for a word.  Raises Hazard if one is taken."""
        machine = self.machine
        port = machine.port(cycle)
        if port is None:
            raise Hazard(f"{word.op} in cycle {cycle}, which is not on the grid")
        if self.reads[port] > cycle:
            raise Hazard(f"{word.op} in cycle {cycle}: the read port is taken")
        self.reads[port] = cycle + machine.beats
        if word.instruction.unit == "multiplier":
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
        if word.writes:
            self.bank(word, cycle + machine.first(word.op, port), port)

    def bank(self, word: Word, first: int, port: int) -> None:
        """Reserve the write port of a bank, or of several banks."""
        bank = self.machine.bank(word.op, port)
        if word.dst // self.machine.bank_size != bank:
            raise Hazard(f"{word.op} writes register {word.dst}, which is not of bank {bank}")
        others = self.banks[self.machine.write_port(word.op, port)]
        place, beats = bisect_left(others, first), self.machine.beats
        if any(abs(other - first) < beats for other in others[max(0, place - 1) : place + 1]):
            raise Hazard(f"{word.op}: bank {bank} is written by another word from cycle {first} on")
        ports = self.machine.ports
        meets = self.banks[bank // ports * ports :][:ports] if self.machine.shared else self.banks
        if self.machine.gathers and any(first in writes for writes in meets):
            raise Hazard(f"{word.op}: another number is written in cycle {first}")
        others.insert(place, first)
        left = 2 * self.machine.slots * self.machine.multipliers + _SPANS
        if self.machine.writers == "one":  # sums, while a product is on its way
            left += self.machine.latency // beats
        del others[:-left]

    def read(self, register: int, cycle: int) -> Any:
        """Return the newest value of a register whose first beat was written before this cycle."""
        if self.machine.shared and any(cycle in writes for writes in self.banks):
            raise Hazard(f"a register is read in cycle {cycle}, in which another is written")
        latest = None
        for written, _, value in self.versions[register]:
            if written == cycle:
                raise Hazard(f"register {register} is read and written in cycle {cycle}")
            if written < cycle:
                latest = (value,)
        if latest is None:
            raise Hazard(f"register {register} is read in cycle {cycle} before it is written")
        return latest[0]

    def write(self, word: Word, cycle: int, value: Any) -> None:
        versions = self.versions[word.dst]
        first = self.machine.first(word.op, self.machine.port(cycle))
        insort(versions, (cycle + first, len(self.done), value))
        while len(versions) > 1 and versions[1][0] < cycle:
            del versions[0]
