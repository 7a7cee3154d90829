"""A program done as it is written, one operation after the other: what its words are compared with,
and the check that they say the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from modmul.errors import CheckFailed
from modmul.processors.engine.assembler import Image
from modmul.processors.engine.golden import Arithmetic, Golden, Symbols
from modmul.processors.engine.instructions import Word
from modmul.processors.engine.program import Loop, Operation, Program, Section


class Said(NamedTuple):
    """Numbers that leave, and the status."""

    results: list[Any]
    status: Any


def run(program: Program, arithmetic: Arithmetic, stream: Sequence[Any],
        counters: Sequence[int] = ()) -> Said:  # fmt: skip
    """The program as it is written; arguments as for `Golden.run`."""
    return _Run(arithmetic, stream, counters).whole(program)


class _Run:
    def __init__(self, arithmetic: Arithmetic, stream: Sequence[Any], counters: Sequence[int]):
        self.arithmetic, self.stream, self.counters = arithmetic, iter(stream), counters
        self.env: dict[str, Any] = {}
        self.bits: dict[int, Any] = {}
        self.digit: Any = None
        self.said = Said([], 0)

    def whole(self, program: Program) -> Said:
        for section in program.sections:
            for turn in range(self.times(section)):
                if isinstance(section, Loop):
                    self.env |= {
                        one.begin: self.env[one.end if turn else one.before]
                        for one in section.carried
                    }
                for one in section.ops:
                    self.step(one)
        return self.said

    def times(self, section: Section) -> int:
        if not isinstance(section, Loop):
            return 1
        return section.count or self.counters[section.counter or 0]

    def step(self, one: Operation) -> None:
        """One operation, by a word that has no registers."""
        arithmetic, fields = self.arithmetic, one.instruction.reads
        values = dict(zip(fields, (self.env[name] for name in one.reads), strict=False))
        if one.op == "BIT":
            self.bits[one.number or 0] = arithmetic.bit(one.number or 0)
        elif one.op == "DIGIT":
            self.digit = arithmetic.digit(one.number or 0, one.width)
        elif one.op == "MODULUS":
            arithmetic.load(one.number or 0)
        elif one.op == "OUT":
            self.said.results.append(values["a"])
        elif one.op == "TEST":
            status = arithmetic.tested(self.said.status, values["a"])
            self.said = self.said._replace(status=status)
        if one.dst is not None:
            self.env[one.dst] = self.value(one, values)

    def value(self, one: Operation, values: dict[str, Any]) -> Any:
        if one.op == "SEL" and one.reads[0] == one.reads[1]:
            return values["a"]
        number = one.number or 0
        word = Word(one.op, aux=number, b=number if one.op == "SCAN" else 1)
        choice = self.digit if one.op == "SCAN" else self.bits.get(number)
        stream = next(self.stream) if one.op == "IN" else None
        return self.arithmetic.value(word, values, choice, stream)


def compare(image: Image, counters: Sequence[int] = ()) -> None:
    """Whether the words compute what the text says, for all numbers: both are done with symbols.
    Hazard or CheckFailed where they do not.  counters: as for `Golden.run`."""
    table: dict[tuple[Any, ...], int] = {}
    stream = [-1 - place for place in range(len(image.program.of("constant") +
                                                image.program.of("input")))]  # fmt: skip
    wanted = run(image.program, Symbols(table), stream, counters)
    found = Golden(image.machine, Symbols(table)).run(image.words, stream, counters)
    if (found.results, found.status) != wanted:
        raise CheckFailed(f"{image.program.name}: the words do not compute what the text says")
    if found.cycles != image.cycles(counters):
        declared = image.cycles(counters)
        raise CheckFailed(f"{image.program.name}: {found.cycles} cycles, declared {declared}")
