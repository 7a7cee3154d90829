"""What a scheme says of each of its operations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from modmul.arithmetic.curves import Curve, Form
from modmul.operation import OperandRule
from modmul.processors.packets import OperandBits

LARGE = 1 << 64  # order of a curve that is no toy
Operands = Mapping[str, int]
Results = dict[str, int]


class Sources(NamedTuple):
    """What the program texts of schemes are made from.  library: returns the text of a program of
    the library by its name.  wide: bits of a register.  width: the most bits of a modulus.
    blinding: bits of the random multiple of the order that is added to a secret scalar; 0: none.
    protected: whether faults are to be found."""

    library: Callable[[str], str]
    wide: int
    width: int
    blinding: int = 0
    protected: bool = False


Text = Callable[[Sources, str], str]  # returns the text of a variant of a program


def never(_: Curve, __: Operands) -> Results | None:
    """None: the result is always given."""
    return None


@dataclass(frozen=True, kw_only=True)
class SchemeTask:
    """An operation of a scheme, on curves of one form whose order is a prime.

    program: its name without a variant.  Tasks with the same program do the same under other names.
    variants: suffixes of the program's name, one for each kind of `a`, in the order of `programs`.
    text: returns the text of a variant.
    inputs: names of operands in the program, where they differ.
    scalar: the operand that is also read bit by bit, or "".
    rules: returns the rules of its operands.
    said: returns the results by name, from the numbers that came and the status.
    declined: returns the answer that replaces the result, or None.
    public: whether no operand is secret."""

    name: str
    scheme: str
    form: Form
    operands: tuple[str, ...]
    results: tuple[str, ...]
    program: str
    variants: tuple[str, ...] = ("",)
    text: Text
    inputs: Mapping[str, str]
    scalar: str = ""
    rules: Callable[[Curve], Iterable[OperandRule]]
    said: Callable[[Sequence[int], int], Results]
    declined: Callable[[Curve, Operands], Results | None] = never
    public: bool = False

    @property
    def programs(self) -> tuple[str, ...]:
        """The names of its programs, one for each variant."""
        return tuple(self.program + variant for variant in self.variants)

    @property
    def parts(self) -> dict[str, OperandBits]:
        """The operands, and the scalar, by their names in the program."""
        parts = {name: OperandBits(name) for name in self.operands}
        parts |= {self.inputs.get(name, name): OperandBits(name) for name in self.operands}
        return parts | ({"k": OperandBits(self.scalar)} if self.scalar else {})


def between(text: str, begin: str, end: str) -> str:
    """The part of a text from `begin` up to `end`, which is left out."""
    start = text.index(begin)
    return text[start : text.index(end, start)]
