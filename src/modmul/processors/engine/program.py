"""A program before it is scheduled: operations on names, each of which is given a value once.

    Straight    operations one after the other
    Loop        operations that are repeated; `carried` says which name at the end of a pass is
                which name at the beginning of the next one
    Host        what is done while nothing else is at work: numbers in and out, a new modulus

A name that a loop defines stands after it for its value in the last pass."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

import msgspec

from modmul.arithmetic.moduli import Field
from modmul.processors.engine.instructions import Instruction, instruction_set

Below = Literal["N", "2N", "W", "R"]
NEAR = 1  # of a MODULUS: it is at least half of the one before
BINARY = 2  # of a MODULUS: it is a polynomial


class Operation(msgspec.Struct, frozen=True):
    """One instruction on names.

    reads: names, by the fields that `Instruction.reads` lists.  number: the shift of N (RED, SUB;
    None until bounds are known), the scalar (SEL, BIT, DIGIT, SCALAR, WRAP), the digit
    (SCAN), the set of constants (MODULUS), the stream (IN), the bit of the status (TEST).
    width: bits that a DIGIT takes; negative until the engine is known: what is left of a register's
    bits when they are divided in so many.  Of a BIT 1 if it is taken as it is; of a MODULUS `NEAR`
    and `BINARY`, or their sum.  line: of the text, for messages."""

    op: str
    dst: str | None = None
    reads: tuple[str, ...] = ()
    number: int | None = None
    width: int = 0
    line: int = 0

    @property
    def instruction(self) -> Instruction:
        return instruction_set().op[self.op]

    @property
    def near(self) -> bool:
        """Whether the number that a MODULUS loads is at least half of the one before."""
        return bool(self.width & NEAR)

    @property
    def field(self) -> Field:
        """The field of what a MODULUS loads."""
        return "binary" if self.width & BINARY else "prime"

    @property
    def product(self) -> bool:
        """Whether a multiplier does it."""
        return self.instruction.unit == "multiplier"

    def __str__(self) -> str:
        told = [*([f"{self.dst} <-"] if self.dst else []), self.op, *self.reads]
        return " ".join(told + ([] if self.number is None else [f"#{self.number}"]))


class Straight(msgspec.Struct, frozen=True):
    """Operations one after the other; BIT and DIGIT only at the beginning."""

    ops: tuple[Operation, ...]


class HostSection(msgspec.Struct, frozen=True):
    """Operations that are done alone, while nothing is at work."""

    ops: tuple[Operation, ...]


class Carried(NamedTuple):
    """A value that goes round: `before` the loop, at the `begin` of a pass, at its `end`."""

    before: str
    begin: str
    end: str


WIDTH = 0  # as the count of a loop, until the engine is known: bits of the largest modulus


class Loop(msgspec.Struct, frozen=True):
    """Operations that are repeated: `count` times, or as often as counter `counter` says."""

    ops: tuple[Operation, ...]
    carried: tuple[Carried, ...]
    count: int | None = None
    counter: int | None = None


Section = Straight | Loop | HostSection


Kind = Literal["constant", "input", "random", "scalar", "counter"]
Form = Literal["", "aligned", "whole", "recoded", "own"]


class Source(msgspec.Struct, frozen=True):
    """A number that comes from outside.

    kind: constant (in the Montgomery domain, known with the modulus), input (as it is), random (the
    same, from a stream of its own), scalar (bit by bit), counter (how often a loop is done).
    below: of constants and inputs, what they are less than: N, 2N, W (2^bits of the largest
    modulus) or R (what a register holds).
    form: of a constant, `aligned`: a plain number, shifted left as far as a register goes, `whole`:
    one as registers hold it; of a scalar, `recoded` by the aligned constant `by`, or the engine's
    `own`, made of a register."""

    name: str
    kind: Kind
    secret: bool = False
    below: Below = "N"
    form: Form = ""
    by: str = ""


class Program(msgspec.Struct, frozen=True):
    """What the text of a program says.

    about: the comment at its head.  prime: the modulus that inversions are for, if there are any;
    degree: the same of those modulo a polynomial.
    outputs: the names given with `output`, in order."""

    name: str
    about: str
    text: str
    prime: int | None
    degree: int | None
    sources: tuple[Source, ...]
    sections: tuple[Section, ...]
    outputs: tuple[str, ...]

    def of(self, kind: str) -> list[str]:
        """The names of one kind of source, in order: scalars and counters by their number."""
        return [source.name for source in self.sources if source.kind == kind]

    def source(self, name: str) -> Source:
        """The source of that name."""
        return next(source for source in self.sources if source.name == name)

    @property
    def loops(self) -> list[Loop]:
        return [section for section in self.sections if isinstance(section, Loop)]

    def operations(self) -> Iterator[Operation]:
        """Yields all operations in the order of the text, each once."""
        for section in self.sections:
            yield from section.ops

    @property
    def fields(self) -> dict[int, Field]:
        """The field of each modulus that the program loads, by the number of the modulus."""
        loads = (operation for operation in self.operations() if operation.op == "MODULUS")
        fields: dict[int, Field] = {0: "prime"}
        return fields | {load.number or 0: load.field for load in loads}


def changed(section: Section, ops: tuple[Operation, ...]) -> Section:
    """The section with other operations."""
    return msgspec.structs.replace(section, ops=ops)


def turned(loop: Loop, count: int) -> Iterator[tuple[int, Operation]]:
    """(pass, operation) as a loop that is not scheduled does them."""
    for turn in range(count):
        yield from ((turn, operation) for operation in loop.ops)
