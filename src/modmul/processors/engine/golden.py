"""The golden machine: executes words cycle by cycle, and refuses every hazard.

It knows nothing of the program that the words come from.  What it computes with is exchangeable:
`Numbers` are what the hardware has, bit for bit; `Symbols` are names of expressions, so that a run
says what was computed from what, for all numbers at once."""

from __future__ import annotations

import ast
from bisect import insort
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple, Protocol

from modmul.arithmetic.words import to_words
from modmul.errors import CheckFailed
from modmul.multipliers.setting import Setting
from modmul.processors.engine.instructions import (
    IMMEDIATE,
    Instruction,
    InstructionSet,
    Word,
    instruction_set,
)
from modmul.processors.engine.machine import Machine

_SPANS = 4  # writes of a bank, or versions of a register, that are remembered


class Hazard(CheckFailed):
    """Words that the hardware could not execute as they are meant."""


class Arithmetic(Protocol):
    """What a machine computes with."""

    def value(self, word: Word, operands: Mapping[str, Any], choice: Any, stream: Any) -> Any:
        """What a word writes.  operands: values read, by field; choice: bit or digit."""

    def bit(self, scalar: int) -> Any:
        """The next bit, exclusive-ored with the one before."""

    def digit(self, scalar: int, width: int) -> Any:
        """The next bits as a number."""

    def load(self, number: int) -> None:
        """Another modulus."""

    def tested(self, status: Any, value: Any) -> Any:
        """The status after a TEST of a value."""


class Done(NamedTuple):
    """A word that was executed: when, and what it wrote (None: nothing)."""

    cycle: int
    word: Word
    value: Any


class Outcome(NamedTuple):
    """What a run gave.

    results: the numbers of the stream result.  status: what TEST found.  cycles: all, with pauses.
    memory: the registers at the end.  done: every word but NOP, LOOP and END."""

    results: list[Any]
    status: Any
    cycles: int
    memory: dict[int, Any]
    done: list[Done]

    def trace(self) -> list[tuple[int, Word]]:
        """What can be seen from outside: when which word was executed."""
        return [(one.cycle, one.word) for one in self.done]


class Beat(NamedTuple):
    """One beat that is written: cycle, register, which beat of it, value."""

    cycle: int
    register: int
    place: int
    value: int


def writes(outcome: Outcome, machine: Machine, bits: int) -> Iterator[Beat]:
    """Every beat that is written, word after word.  bits: of a beat."""
    for cycle, word, value in outcome.done:
        if word.writes:
            first = cycle + machine.first(word.op)
            for place, part in enumerate(to_words(value, bits, machine.beats)):
                yield Beat(first + place, word.dst, place, part)


# ---- the machine ------------------------------------------------------------------------------


class Golden:
    """One run of words."""

    def __init__(self, machine: Machine, arithmetic: Arithmetic):
        self.machine, self.arithmetic = machine, arithmetic
        self.versions: dict[int, list[tuple[int, int, Any]]] = defaultdict(list)
        self.reads = [0] * machine.ports  # cycles from which they are free
        self.adders = [0] * machine.ports
        self.banks: list[list[int]] = [[] for _ in range(machine.banks)]  # beginnings of writes
        self.slots: dict[tuple[int, int], int] = defaultdict(int)
        self.idle = 0
        self.bits: dict[int, Any] = {}
        self.digit: Any = None
        self.status: Any = 0
        self.done: list[Done] = []
        self.results: list[Any] = []
        self.paused = 0

    def run(self, words: Sequence[Word], stream: Sequence[Any] = (), counters: Sequence[int] = (),
            begin: int = 0, pauses: Sequence[int] = ()) -> Outcome:  # fmt: skip
        """From the word at `begin` to HALT.  stream: the numbers of the stream operand; counters:
        how often loops are done; pauses: turns for which time stands still in each IN and OUT."""
        self.stream, self.pauses = iter(stream), iter(pauses)
        cycle, place = 0, begin
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

    def outcome(self, cycles: int) -> Outcome:
        memory = {number: versions[-1][2] for number, versions in self.versions.items()}
        return Outcome(self.results, self.status, cycles + self.paused * self.machine.turn, memory,
                       self.done)  # fmt: skip

    @staticmethod
    def count(word: Word, counters: Sequence[int]) -> int:
        """How often a loop is done."""
        if word.aux == IMMEDIATE:
            count = word.a * instruction_set().registers + word.b
        else:
            count = counters[word.aux]
        if count < 1:
            raise Hazard("a loop that is to be done not even once")
        return count

    def issue(self, word: Word, cycle: int) -> None:
        """Execute one word."""
        one, value = word.instruction, None
        if one.unit == "host" or word.op == "MODULUS":
            self.alone(word, cycle)
        elif one.unit != "sequencer":
            self.units(word, cycle)
        operands = {field: self.read(getattr(word, field), cycle) for field in one.reads}
        if word.op == "BIT":
            self.bits[word.aux] = self.arithmetic.bit(word.aux)
        elif word.op == "DIGIT":
            self.digit = self.arithmetic.digit(word.aux, word.a)
        elif word.op == "MODULUS":
            self.arithmetic.load(word.a)
        elif word.op == "OUT":
            self.results.append(operands["a"])
        elif word.op == "TEST":
            self.status = self.arithmetic.tested(self.status, operands["a"])
        if word.writes:
            value = self.arithmetic.value(word, operands, self.choice(word), self.next(word))
            self.write(word, cycle, value)
        self.done.append(Done(cycle, word, value))
        if one.unit != "sequencer":
            self.idle = max(self.idle, cycle + self.machine.busy(word.op))

    def choice(self, word: Word) -> Any:
        """Bit or digit by which a word selects."""
        if word.op == "SEL" and self.needs(word) and word.aux not in self.bits:
            raise Hazard(f"SEL by bit {word.aux}, which was never taken")
        return self.digit if word.op == "SCAN" else self.bits.get(word.aux)

    @staticmethod
    def needs(word: Word) -> bool:
        """Whether it selects: a SEL of a register and itself is a copy."""
        return word.a != word.b

    def next(self, word: Word) -> Any:
        if word.op != "IN":
            return None
        try:
            return next(self.stream)
        except StopIteration:
            raise Hazard("IN: the stream operand is at its end") from None

    def alone(self, word: Word, cycle: int) -> None:
        """What must not meet anything else at work; WIPE follows WIPE without a gap."""
        end = cycle + self.machine.memory if word.op == "WIPE" else cycle
        if end < self.idle:
            raise Hazard(f"{word.op} in cycle {cycle}, while a unit is at work")
        if word.op in ("IN", "OUT"):
            self.paused += next(self.pauses, 0)

    def units(self, word: Word, cycle: int) -> None:
        """Port, unit and slot of a word; Hazard where one is taken."""
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
            self.bank(word, cycle + machine.first(word.op), machine.bank(word.op, port))

    def bank(self, word: Word, first: int, bank: int) -> None:
        """The bank's write port."""
        if word.dst // self.machine.bank_size != bank:
            raise Hazard(f"{word.op} writes register {word.dst}, which is not of bank {bank}")
        others = self.banks[bank]
        if any(abs(other - first) < self.machine.beats for other in others):
            raise Hazard(f"{word.op}: bank {bank} is written by another word from cycle {first} on")
        insort(others, first)
        del others[: -2 * self.machine.slots * self.machine.multipliers - _SPANS]

    def read(self, register: int, cycle: int) -> Any:
        """The newest version whose first beat was written before."""
        found = None
        for written, _, value in self.versions[register]:
            if written == cycle:
                raise Hazard(f"register {register} is read and written in cycle {cycle}")
            if written < cycle:
                found = (value,)
        if found is None:
            raise Hazard(f"register {register} is read in cycle {cycle} before it is written")
        return found[0]

    def write(self, word: Word, cycle: int, value: Any) -> None:
        versions = self.versions[word.dst]
        insort(versions, (cycle + self.machine.first(word.op), len(self.done), value))
        while len(versions) > 1 and versions[1][0] < cycle:
            del versions[0]


# ---- what it computes with --------------------------------------------------------------------

_NAMES = ("a", "b", "dst", "aux", "bit", "digit", "stream", "N", "product")


@cache
def _compiled(value: str) -> Callable[..., Any]:
    """The expression of an instruction in isa.toml as a function of `_NAMES`."""
    tree = ast.parse(value, mode="eval")
    unknown = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} - {*_NAMES}
    if unknown:
        raise ValueError(f"{value!r}: unknown: {', '.join(sorted(unknown))}")
    made: Callable[..., Any] = eval(f"lambda {', '.join(_NAMES)}: {value}", {"__builtins__": {}})
    return made


class Scalars:
    """Scalars as the sequencer takes them: (number, bits), highest bit first, then zeros."""

    def __init__(self, scalars: Sequence[tuple[int, int]]):
        self.left = [f"{number:0{length}b}" if length else "" for number, length in scalars]
        for (number, length), bits in zip(scalars, self.left, strict=True):
            if number < 0 or len(bits) > length:
                raise ValueError(f"{number:#x} is no scalar of {length} bits")
        self.before = [0] * len(scalars)

    def bit(self, scalar: int) -> int:
        """See `Arithmetic`."""
        found = self.digit(scalar, 1)
        self.before[scalar], changed = found, found ^ self.before[scalar]
        return changed

    def digit(self, scalar: int, width: int) -> int:
        """See `Arithmetic`."""
        taken, self.left[scalar] = self.left[scalar][:width], self.left[scalar][width:]
        return int(taken.ljust(width, "0"), 2)


class Numbers(Scalars):
    """The numbers of the hardware.

    settings: the multiplier under each modulus, by the number of MODULUS.  Hazard for a value that
    its unit or register cannot hold: what the proof of bounds excludes."""

    def __init__(self, machine: Machine, settings: Sequence[Setting], register: int,
                 scalars: Sequence[tuple[int, int]], isa: InstructionSet | None = None):
        super().__init__(scalars)
        self.machine, self.settings, self.register = machine, settings, register
        self.setting = settings[0]
        self.isa = isa or instruction_set()
        self.load(0)

    def load(self, number: int) -> None:
        """See `Arithmetic`."""
        self.setting = self.settings[number]
        self.modulus, self.bound = self.setting.modulus, self.setting.operand_bound

    def value(self, word: Word, operands: Mapping[str, Any], choice: Any, stream: Any) -> Any:
        """See `Arithmetic`."""
        one: Instruction = self.isa.op[word.op]
        assert one.value is not None
        read = {name: operands.get(name, getattr(word, name)) for name in ("a", "b", "dst")}
        value = _compiled(one.value)(
            read["a"], read["b"], read["dst"], word.aux, choice, choice, stream, self.modulus,
            self.product,
        )  # fmt: skip
        if one.timing == "sum" and self.machine.reducing and value >= self.bound:
            value -= self.bound
        if not 0 <= value < self.register:
            raise Hazard(f"{word.op} gives a number of {int(value).bit_length()} bits")
        return int(value)

    def product(self, a: int, b: int) -> int:
        """a*b/R by the multiplier."""
        if not self.setting.takes(a, b) or not self.setting.bounds(a, b):
            raise Hazard("a product of operands beyond the multiplier's rule")
        return int(self.setting.compute(a, b))

    def tested(self, status: Any, value: Any) -> int:
        """See `Arithmetic`."""
        return int(bool(status) or value != 0)


class Symbols:
    """Expressions by number: equal numbers are equal expressions, operation by operation."""

    def __init__(self, table: dict[tuple[Any, ...], int]):
        self.table = table
        self.taken: dict[int, int] = defaultdict(int)
        self.modulus = 0

    def _number(self, *key: Any) -> int:
        return self.table.setdefault(key, len(self.table) + 1)

    def load(self, number: int) -> None:
        """See `Arithmetic`."""
        self.modulus = number

    def value(self, word: Word, operands: Mapping[str, Any], choice: Any, stream: Any) -> int:
        """See `Arithmetic`."""
        if word.op == "IN":
            return int(stream)
        shift = word.aux if word.op in ("SUB", "RED") else 0
        digit = word.b if word.op == "SCAN" else None
        values = list(operands.values())
        if word.op == "SEL" and word.a == word.b:
            return int(values[0])
        chosen = choice if word.op in ("SEL", "SCAN") else None
        op = "MUL" if word.op == "SQR" else word.op
        if word.op == "SQR":
            values *= 2
        return self._number(op, shift, digit, chosen, self.modulus, *values)

    def bit(self, scalar: int) -> int:
        """See `Arithmetic`."""
        return self.digit(scalar, 1)

    def digit(self, scalar: int, width: int) -> int:
        """See `Arithmetic`."""
        begin = self.taken[scalar]
        self.taken[scalar] += width
        return self._number("bits", scalar, begin, width)

    def tested(self, status: Any, value: Any) -> int:
        """See `Arithmetic`."""
        return self._number("TEST", status, value)
