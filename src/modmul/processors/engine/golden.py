"""The golden machine: executes words one after the other, with numbers.

It knows nothing of the program that the words come from, and its timetable refuses every hazard.
What it computes with is exchangeable (values): `Numbers` are what the hardware has, bit for bit."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from modmul.arithmetic.words import to_words
from modmul.processors.engine.instructions import KEPT, STORE, Word, instruction_set
from modmul.processors.engine.machine import Machine
from modmul.processors.engine.timetable import ExecutedWord, timetable
from modmul.processors.engine.values import Arithmetic, Hazard

# What changes something beside a register.
_EFFECTS = frozenset(("BIT", "DIGIT", "MODULUS", "OUT", "TEST", "SCALAR", "WRAP"))
# What is computed from more than registers and the word: it selects, or gets a number.
_CHOICES = frozenset(("SCAN", "SEL", "IN"))


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
        """What can be observed from outside: which word was executed in which cycle."""
        return [(done.cycle, done.word) for done in self.done]


class Beat(NamedTuple):
    """One beat that a unit gives: its cycle, its register, its place in the number, its value."""

    cycle: int
    register: int
    place: int
    value: int


def writes(outcome: EngineOutcome, machine: Machine, bits: int) -> Iterator[Beat]:
    """Every beat that a unit gives for a register, word after word.  bits: of a beat."""
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
    """A run of words with an arithmetic.

    In which cycle each is executed, and which word before wrote what it reads, does not depend on
    numbers: this stands in a timetable."""

    def __init__(self, machine: Machine, arithmetic: Arithmetic):
        self.machine, self.arithmetic = machine, arithmetic
        self.op = instruction_set().op
        self.values: list[Any] = []  # what each word wrote
        self.bits: dict[int, Any] = {}
        self.digit: Any = None
        self.status: Any = 0
        self.tests = 0
        self.taken: list[Any] = []  # bits since the last SCALAR
        self.kept: list[Any] = []
        self.done: list[Done] = []
        self.results: list[Any] = []

    def run(
        self,
        words: Sequence[Word],
        streams: Streams | None = None,
        counters: Sequence[int] = (),
        pauses: Sequence[int] = (),
    ) -> EngineOutcome:
        """Execute words up to HALT.  streams: the numbers that come in.  counters: number of passes
        of the loops.  pauses: for each OUT, and each IN of a stream, the turns of the slots for
        which time stands still."""
        inputs = streams or Streams()
        self.streams = [iter(inputs[place]) for place in range(STORE)]
        self.constants = inputs[STORE]
        self.timetable = timetable(tuple(words), self.machine, tuple(counters))
        for step in self.timetable.steps:
            self.issue(step)
        if self.timetable.refused is not None:
            raise Hazard(self.timetable.refused)
        memory = {number: self.values[place] for number, place in self.timetable.last.items()}
        paused = sum(itertools.islice(pauses, self.timetable.exchanges))
        cycles = self.timetable.cycles + paused * self.machine.turn
        return EngineOutcome(self.results, self.status, cycles, memory, self.done)

    def issue(self, step: ExecutedWord) -> None:
        word, value, choice, stream = step.word, None, None, None
        op, instruction = word.op, self.op[word.op]
        operands = dict(
            zip(instruction.reads, map(self.values.__getitem__, step.sources), strict=True)
        )
        if op in _EFFECTS:
            self.effect(word, operands)
        if op in _CHOICES:
            choice, stream = self.choice(word), self.next(word) if op == "IN" else None
        if instruction.timing != "none":
            value = self.arithmetic.value(word, operands, choice, stream)
        self.values.append(value)
        self.done.append(Done(step.cycle, word, value))

    def effect(self, word: Word, operands: Mapping[str, Any]) -> None:
        """Change what a word changes besides registers."""
        arithmetic = self.arithmetic
        if word.op == "BIT":
            self.compare(word.b)
            self.bits[word.aux] = arithmetic.bit(word.aux, bool(word.a))
            self.taken.append(self.bits[word.aux])
        elif word.op == "DIGIT":
            self.digit = arithmetic.digit(word.aux, word.a)
        elif word.op == "MODULUS":
            arithmetic.load(word.a)
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
            self.taken = []
        else:  # WRAP
            self.bits[word.aux] = arithmetic.carry(word, operands)

    def compare(self, how: int) -> None:
        """Keep the bits that were taken, or compare them with those that were kept."""
        if how == KEPT:
            self.kept = [*self.taken]
        elif how and all(isinstance(bit, int) for bit in self.taken):
            both = ("".join(map(str, bits)).lstrip("0") for bits in (self.kept, self.taken))
            if len({*both}) > 1:
                raise Hazard("BIT: other bits were taken than the first time")

    def choice(self, word: Word) -> Any:
        """The bit or digit by which a word selects."""
        if word.op == "SCAN":
            return self.digit
        if word.op != "SEL":
            return None
        if word.a != word.b and word.aux not in self.bits:  # otherwise it is a copy
            raise Hazard(f"SEL by bit {word.aux}, which was never taken")
        return self.bits.get(word.aux)

    def next(self, word: Word) -> Any:
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
