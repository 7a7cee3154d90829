"""A program done as it is written, one operation after the other: what its words are compared with,
and the check that they say the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from engine_symbols import Symbols
from modmul.errors import CheckFailed
from modmul.processors.engine.assembler import Image
from modmul.processors.engine.golden import Golden, Streams
from modmul.processors.engine.instructions import STORE, Word
from modmul.processors.engine.program import Loop, Operation, Program, Section
from modmul.processors.engine.values import Arithmetic


class Said(NamedTuple):
    """Numbers that leave, and the status."""

    results: list[Any]
    status: Any


def run(
    program: Program,
    arithmetic: Arithmetic,
    streams: Streams,
    counters: Sequence[int] = (),
    rows: Mapping[str, int] | None = None,
) -> Said:
    """The program as it is written; arguments as for `Golden.run`, rows: see `Image`."""
    return _Run(arithmetic, streams, counters, rows or {}).run(program)


class _Run:
    def __init__(
        self,
        arithmetic: Arithmetic,
        streams: Streams,
        counters: Sequence[int],
        rows: Mapping[str, int],
    ):
        self.arithmetic, self.counters, self.rows = arithmetic, counters, rows
        self.streams, self.constants = [iter(streams[place]) for place in range(STORE)], streams[-1]
        self.env: dict[str, Any] = {}
        self.bits: dict[int, Any] = {}
        self.digit: Any = None
        self.said = Said([], 0)

    def run(self, program: Program) -> Said:
        for section in program.sections:
            for turn in range(self.times(section)):
                if isinstance(section, Loop):
                    self.env |= {
                        carry.begin: self.env[carry.end if turn else carry.before]
                        for carry in section.carried
                    }
                for operation in section.ops:
                    self.step(operation)
        return self.said

    def times(self, section: Section) -> int:
        if not isinstance(section, Loop):
            return 1
        return section.count or self.counters[section.counter or 0]

    def step(self, operation: Operation) -> None:
        """One operation, by a word that has no registers."""
        arithmetic, fields, number = (
            self.arithmetic,
            operation.instruction.reads,
            operation.number or 0,
        )
        values = dict(zip(fields, (self.env[name] for name in operation.reads), strict=False))
        if operation.op == "BIT":
            self.bits[number] = arithmetic.bit(number, bool(operation.width))
        elif operation.op == "DIGIT":
            self.digit = arithmetic.digit(number, operation.width)
        elif operation.op == "MODULUS":
            arithmetic.load(number)
        elif operation.op == "OUT":
            output = values["a"]
            checked = arithmetic.checked(self.said.status, output) if number else output
            self.said.results.append(checked)
        elif operation.op == "TEST":
            status = arithmetic.tested(self.said.status, values["a"], number)
            self.said = self.said._replace(status=status)
        elif operation.op == "SCALAR":
            arithmetic.scalar(number, values["a"])
        elif operation.op == "WRAP":
            self.bits[number] = arithmetic.carry(Word("WRAP"), values)
        if operation.dst is not None:
            self.env[operation.dst] = self.value(operation, values)

    def value(self, operation: Operation, values: dict[str, Any]) -> Any:
        if operation.op == "SEL" and operation.reads[0] == operation.reads[1]:
            return values["a"]
        number = operation.number or 0
        word = Word(operation.op, aux=number, b=number if operation.op == "SCAN" else 1)
        choice = self.digit if operation.op == "SCAN" else self.bits.get(number)
        stream = self.next(operation) if operation.op == "IN" else None
        return self.arithmetic.value(word, values, choice, stream)

    def next(self, operation: Operation) -> Any:
        """The number that an IN gets."""
        if operation.number == STORE:
            return self.constants[self.rows[str(operation.dst)]]
        return next(self.streams[operation.number or 0])


def compare(image: Image, counters: Sequence[int] = ()) -> None:
    """Whether the words compute what the text says, for all numbers: both are done with symbols.
    Hazard or CheckFailed where they do not.  counters: as for `Golden.run`."""
    table: dict[tuple[Any, ...], int] = {}
    most = len(image.program.sources) + max(image.rows.values(), default=0) + 1
    streams = Streams(
        *(
            [-1 - place - most * number for place in range(most)]
            for number in range(len(Streams._fields))
        )
    )
    wanted = run(image.program, Symbols(table), streams, counters, image.rows)
    outcome = Golden(image.machine, Symbols(table)).run(image.words, streams, counters)
    if (outcome.results, outcome.status) != wanted:
        raise CheckFailed(f"{image.program.name}: the words do not compute what the text says")
    if outcome.cycles != image.cycles(counters):
        declared = image.cycles(counters)
        raise CheckFailed(f"{image.program.name}: {outcome.cycles} cycles, declared {declared}")
