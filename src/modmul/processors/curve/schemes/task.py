"""What a scheme says of each of its operations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from modmul.arithmetic.curves import Curve, Form
from modmul.design import OperandRule
from modmul.processors.packets import OperandBits

LARGE = 1 << 64  # order of a curve that is no toy
Operands = Mapping[str, int]
Results = dict[str, int]


class Sources(NamedTuple):
    """What texts of schemes are made of.

    library: the text of a program of the library, by its name.  wide: bits of a register; width:
    of a modulus, at most.  blinding: bits of the random multiple of the order that is added to a
    secret scalar; 0: none."""

    library: Callable[[str], str]
    wide: int
    width: int
    blinding: int = 0


Text = Callable[[Sources, str], str]  # of a variant of a program


def never(_: Curve, __: Operands) -> Results | None:
    """Nothing is declined."""
    return None


@dataclass(frozen=True, kw_only=True)
class SchemeTask:
    """An operation of a scheme, on curves of one form whose order is a prime.

    program: without a variant; tasks with one program do the same, with other names.
    variants: of the program, one for each kind of `a`, in the order of `programs.kind`.
    text: of a variant, `sources` given.
    inputs: what the program calls an operand where that has another name.
    scalar: the operand whose bits are taken, "" if there is none.
    rules: of its operands.
    said: results by name, given the numbers that came and the status.
    declined: what is answered in place of the right result, if anything is.
    public: that none of its operands is secret."""

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
        """The names of its programs."""
        return tuple(self.program + variant for variant in self.variants)

    @property
    def parts(self) -> dict[str, OperandBits]:
        """The operands as its program calls them, and the scalar."""
        parts = {name: OperandBits(name) for name in self.operands}
        parts |= {self.inputs.get(name, name): OperandBits(name) for name in self.operands}
        return parts | ({"k": OperandBits(self.scalar)} if self.scalar else {})


def between(text: str, begin: str, end: str) -> str:
    """The part of a text that begins with the one and ends before the other."""
    start = text.index(begin)
    return text[start : text.index(end, start)]
