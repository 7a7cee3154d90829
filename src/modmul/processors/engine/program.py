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
NEAR = 1  # in `width` of a MODULUS: it is at least half of the one before
BINARY = 2  # in `width` of a MODULUS: it is a polynomial
PLAIN = 1  # in `width` of a BIT: it is taken without an exclusive or
UNSET = 1  # in `width` of an OUT: no word before it sets bit 0 of the status
KEEP, SAME = 2, 4  # in `width` of a BIT: bits that were taken are kept in mind, or compared


class Operation(msgspec.Struct, frozen=True):
    """An instruction on names.

    reads: names, by the fields that `Instruction.reads` lists.  number: for RED and SUB the shift
    of N (None until bounds are known), for SEL, BIT, DIGIT, SCALAR and WRAP the scalar, for SCAN
    the digit, for MODULUS the modulus, for IN the stream, for TEST the bit of the status.
    width: for DIGIT the bits that it reads; -w, until the engine is known, for what is left when a
    register is divided into digits of w bits.  For BIT the sum of `PLAIN`, `KEEP` and `SAME`, for
    MODULUS that of `NEAR` and `BINARY`, for OUT `UNSET`, if they apply.  line: of the text, for
    messages."""

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
        """The field of the modulus that a MODULUS loads."""
        return "binary" if self.width & BINARY else "prime"

    @property
    def product(self) -> bool:
        """Whether a multiplier executes it."""
        return self.instruction.unit == "multiplier"

    def __str__(self) -> str:
        told = [*([f"{self.dst} <-"] if self.dst else []), self.op, *self.reads]
        return " ".join(told + ([] if self.number is None else [f"#{self.number}"]))


class Straight(msgspec.Struct, frozen=True):
    """Operations one after the other; BIT and DIGIT only at the beginning."""

    ops: tuple[Operation, ...]


class HostSection(msgspec.Struct, frozen=True):
    """Operations that are executed one by one, while nothing else is at work."""

    ops: tuple[Operation, ...]


class Carried(NamedTuple):
    """A value that a loop carries: its names before the loop, and at begin and end of a pass."""

    before: str
    begin: str
    end: str


WIDTH = 0  # the count of a loop with as many passes as the largest modulus has bits


class Loop(msgspec.Struct, frozen=True):
    """Operations that are repeated `count` times, or as often as counter number `counter` says."""

    ops: tuple[Operation, ...]
    carried: tuple[Carried, ...]
    count: int | None = None
    counter: int | None = None


Section = Straight | Loop | HostSection


Kind = Literal["constant", "input", "random", "scalar", "counter"]
Form = Literal["", "aligned", "whole", "recoded", "own"]


class Source(msgspec.Struct, frozen=True):
    """A number that comes from outside.

    kind: constant (in the Montgomery domain, loaded with the modulus), input (a plain number),
    random (the same, from a stream of its own), scalar (read bit by bit), counter (passes of a
    loop).  below: bound of a constant or input: N, 2N, W (2^bits of the largest modulus) or R (what
    a register holds).
    form: of a constant, `aligned` is a plain number shifted left until it fills a register, and
    `whole` a plain number.  Of a scalar, `recoded` is done by the aligned constant `by`, and `own`
    is a scalar that the engine makes from a register."""

    name: str
    kind: Kind
    secret: bool = False
    below: Below = "N"
    form: Form = ""
    by: str = ""


class Program(msgspec.Struct, frozen=True):
    """A program, as its text describes it.  about: the comment at its head.  prime, degree: the
    prime, or the degree of the polynomial, for which inversions have an addition chain, if any.
    outputs: the names after `output`, in order."""

    name: str
    about: str
    text: str
    prime: int | None
    degree: int | None
    sources: tuple[Source, ...]
    sections: tuple[Section, ...]
    outputs: tuple[str, ...]

    def of(self, kind: str) -> list[str]:
        """The names of one kind of source, in order (of their numbers, if they have any)."""
        return [source.name for source in self.sources if source.kind == kind]

    def source(self, name: str) -> Source:
        return next(source for source in self.sources if source.name == name)

    @property
    def loops(self) -> list[Loop]:
        return [section for section in self.sections if isinstance(section, Loop)]

    def operations(self) -> Iterator[Operation]:
        """All operations in the order of the text, each once."""
        for section in self.sections:
            yield from section.ops

    @property
    def fields(self) -> dict[int, Field]:
        """The field of each modulus that the program loads, by the number of the modulus."""
        loads = (operation for operation in self.operations() if operation.op == "MODULUS")
        fields: dict[int, Field] = {0: "prime"}
        return fields | {load.number or 0: load.field for load in loads}


def changed(section: Section, ops: tuple[Operation, ...]) -> Section:
    return msgspec.structs.replace(section, ops=ops)


def turned(loop: Loop, count: int) -> Iterator[tuple[int, Operation]]:
    """Yield (pass, operation) of a loop that is not scheduled, in order."""
    for turn in range(count):
        yield from ((turn, operation) for operation in loop.ops)
