"""One operation of a design: its public choices, its numbers with their ranges, its cycles."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from modmul.arithmetic.curves import Curve
from modmul.arithmetic.moduli import Field

Time = Literal["latency", "interval"]
Number = int | tuple[int, ...]  # one integer, or the carry-save vectors that add up to it


class Cycles(NamedTuple):
    """A number of clock cycles as minimum, mean and maximum, all equal where it is constant."""

    minimum: int
    mean: float
    maximum: int

    @classmethod
    def constant(cls, count: int) -> Cycles:
        return cls(count, count, count)


def constant_cycles(terms: Mapping[str, int]) -> dict[str, Cycles]:
    """The terms of `Design.cycles` for a design whose terms are all constant."""
    return {name: Cycles.constant(count) for name, count in terms.items()}


@dataclass(frozen=True)
class Mode:
    """The public choices of one operation.

    operation: its name.  words: the number of words in use, where it can be chosen.  length: the
    bits of the exponent or scalar, leading zeros included, where the operation has one.  curve: the
    curve, where the operation is on one."""

    operation: str = "multiply"
    field: Field = "prime"
    words: int | None = None
    length: int | None = None
    curve: Curve | None = None

    def square(self) -> Mode:
        return dataclasses.replace(self, operation="square")

    @property
    def name(self) -> str:
        words = f"-{self.words}" if self.words else ""
        bits = "" if self.length is None else f"-{self.length}-bits"
        return f"{self.operation}-{self.curve or self.field}{words}{bits}"


class OperandRule(NamedTuple):
    """The range of an operand of an operation: from `least` up to, but not including, `below`.

    below: None where the length decides.  sized: `Mode.length` is the operand's length in bits,
    which is public.  longest: the greatest such length."""

    name: str
    meaning: str
    below: int | None
    least: int = 0
    sized: bool = False
    longest: int | None = None


class Job(NamedTuple):
    """One operation with its numbers.  mode: the public choices.  modulus: 0 where there is none.
    operands: a number for each name; a carry-save multiplier also takes a pair (sum vector, carry
    vector)."""

    mode: Mode
    modulus: int
    operands: Mapping[str, Any]
