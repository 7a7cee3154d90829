"""Represents Verilog expressions as trees, and writes them in lines of readable length.

Every expression has a width of its own: it gives the same bits wherever it stands.  Operands of an
operator are exactly as wide as its result (in a comparison: as each other), so that no rule of
Verilog about widths of contexts applies, and no linter complains."""

from __future__ import annotations

import abc
from dataclasses import dataclass

from modmul.export.verilog.sizes import Formula

COLUMNS = 100
_DECIMAL = 4096  # the greatest number that is not written in hexadecimal
_INDENT = "  "
# The binding strengths of operators, the weakest first.
_TERNARY, _OR, _XOR, _AND, _EQUAL, _LESS, _SHIFT, _ADD, _MULTIPLY, _UNARY, _ATOM = range(11)
_STRENGTH = {
    "|": _OR,
    "^": _XOR,
    "~^": _XOR,
    "&": _AND,
    "==": _EQUAL,
    "!=": _EQUAL,
    "<": _LESS,
    "<=": _LESS,
    ">": _LESS,
    ">=": _LESS,
    "<<": _SHIFT,
    ">>": _SHIFT,
    "+": _ADD,
    "-": _ADD,
    "*": _MULTIPLY,
    "/": _MULTIPLY,
    "%": _MULTIPLY,
}
_SUMS = ("+", "-")
_CHAINS = ("|", "^", "&")  # associative operators: a chain needs no brackets


@dataclass(frozen=True)
class Expression(abc.ABC):
    """A Verilog expression.  width: its bits."""

    width: int

    @property
    @abc.abstractmethod
    def text(self) -> str:
        """The whole expression on one line."""

    @property
    def strength(self) -> int:
        """The binding strength of its outermost operator."""
        return _ATOM

    def inside(self, strength: int) -> str:
        """The text, in brackets if an operator of this strength around it would split it."""
        return self.text if self.strength > strength else f"({self.text})"

    def lines(self, before: str, after: str, indent: str) -> list[str]:
        """The text between two others, in as many lines as it needs."""
        line = f"{indent}{before}{self.text}{after}"
        return [line] if len(line) <= COLUMNS else self.broken(before, after, indent)

    def broken(self, before: str, after: str, indent: str) -> list[str]:
        """The expression in several lines, if it can be broken."""
        return [f"{indent}{before}{self.text}{after}"]


@dataclass(frozen=True)
class BitLiteral(Expression):
    """A constant.  bits: the most significant first; 0, 1, x."""

    bits: str

    @property
    def text(self) -> str:
        if isinstance(self.width, Formula):
            return self._zeros(str(self.width))
        if "x" in self.bits:
            return f"{self.width}'b{'x' if set(self.bits) == {'x'} else self.bits}"
        value = int(self.bits, 2)
        if value <= _DECIMAL:
            return f"{self.width}'d{value}" if self.width > 1 else f"1'b{value}"
        return f"{self.width}'h{value:x}"

    def _zeros(self, width: str) -> str:
        """Zeros, as many as a formula says.  Raises ValueError for other bits."""
        if "1" in self.bits or "x" in self.bits:
            raise ValueError(f"a constant of {width} bits is not understood")
        return f"{{{width}{{1'b0}}}}" if width.isidentifier() else f"{{({width}){{1'b0}}}}"


@dataclass(frozen=True)
class Name(Expression):
    """A slice of a named vector.  size: the bits of the vector."""

    name: str
    low: int
    size: int

    @property
    def text(self) -> str:
        if self.width == self.size:
            return self.name
        high = self.low + self.width - 1
        return f"{self.name}[{high}]" if self.width == 1 else f"{self.name}[{high}:{self.low}]"


@dataclass(frozen=True)
class MemoryWord(Expression):
    """A slice of a word of a memory.  size: the bits of the word."""

    name: str
    index: Expression
    low: int
    size: int

    @property
    def text(self) -> str:
        word = f"{self.name}[{self.index.text}]"
        if self.width == self.size:
            return word
        return f"{word}[{self.low + self.width - 1}:{self.low}]"


@dataclass(frozen=True)
class Unary(Expression):
    """An operator with one operand: ~, -, or a reduction."""

    operator: str
    operand: Expression

    @property
    def text(self) -> str:
        return f"{self.operator}{self.operand.inside(_UNARY)}"

    def broken(self, before: str, after: str, indent: str) -> list[str]:
        return self.operand.lines(f"{before}{self.operator}(", f"){after}", indent)

    @property
    def strength(self) -> int:
        """The binding strength; a reduction beside a binary operator gets brackets: `a & (|b)`."""
        return _MULTIPLY if self.operator in _CHAINS else _UNARY


@dataclass(frozen=True)
class Binary(Expression):
    """An operator between two operands.  signed: both are read as signed numbers."""

    operator: str
    left: Expression
    right: Expression
    signed: bool = False

    @property
    def text(self) -> str:
        return f" {self.operator} ".join(self._operands())

    @property
    def strength(self) -> int:
        return _STRENGTH[self.operator]

    def _operands(self) -> list[str]:
        if self.signed:
            return [f"$signed({self.left.text})", f"$signed({self.right.text})"]
        if self.operator in _SUMS and isinstance(self.left, Binary) and self.left.operator in _SUMS:
            return [self.left.text, self.right.inside(_MULTIPLY)]  # from the left, as Verilog adds
        return [side.inside(_MULTIPLY) for side in self._sides()]

    def _sides(self) -> list[Expression]:
        """The operands of an operation, or of a whole chain of its operator."""
        sides = list[Expression]()
        for side in (self.left, self.right):
            chain = isinstance(side, Binary) and side.operator == self.operator in _CHAINS
            sides += side._sides() if chain else [side]  # type: ignore[attr-defined]
        return sides

    def broken(self, before: str, after: str, indent: str) -> list[str]:
        if self.signed:
            return super().broken(before, after, indent)
        lines, sides = [], self._sides()
        for place, side in enumerate(sides):
            opened, closed = ("", "") if side.strength > _MULTIPLY else ("(", ")")
            start = f"{self.operator} " if place else before
            end = after if place == len(sides) - 1 else ""
            inset = indent + _INDENT * bool(place)
            lines += side.lines(f"{start}{opened}", f"{closed}{end}", inset)
        return lines


@dataclass(frozen=True)
class Conditional(Expression):
    """`then` if the condition, one bit, is true, else `otherwise`."""

    condition: Expression
    then: Expression
    otherwise: Expression

    @property
    def text(self) -> str:
        return (
            f"{self.condition.inside(_TERNARY)} ? {self.then.inside(_TERNARY)}"
            f" : {self.otherwise.text}"
        )

    @property
    def strength(self) -> int:
        return _TERNARY

    def broken(self, before: str, after: str, indent: str) -> list[str]:
        lines, rest, start, inset = list[str](), self, before, indent
        while True:
            condition, then = rest.condition.inside(_TERNARY), rest.then.inside(_TERNARY)
            line = f"{inset}{start}{condition} ? {then}"
            if len(line) <= COLUMNS:
                lines.append(line)
            else:
                lines += rest.condition.lines(f"{start}(", ")", inset)
                lines += rest.then.lines("? (", ")", indent + _INDENT * 2)
            start, inset = ": ", indent + _INDENT
            if not isinstance(rest.otherwise, Conditional):
                return [*lines, *rest.otherwise.lines(start, after, inset)]
            rest = rest.otherwise


@dataclass(frozen=True)
class Concatenation(Expression):
    """A concatenation.  parts: the most significant first."""

    parts: tuple[Expression, ...]

    @property
    def text(self) -> str:
        return "{" + ", ".join(part.text for part in self.parts) + "}"

    def broken(self, before: str, after: str, indent: str) -> list[str]:
        deeper = indent + _INDENT
        ends = [","] * (len(self.parts) - 1) + [""]
        items = [part.lines("", end, deeper) for part, end in zip(self.parts, ends, strict=True)]
        return [f"{indent}{before}{{", *_filled(items, deeper), f"{indent}}}{after}"]


@dataclass(frozen=True)
class Repeated(Expression):
    """The same bits, repeated several times."""

    part: Expression

    @property
    def text(self) -> str:
        inner = self.part.text if isinstance(self.part, Concatenation) else f"{{{self.part.text}}}"
        return f"{{{self.width // self.part.width}{inner}}}"


def concatenation(parts: list[Expression]) -> Expression:
    """Parts, the most significant first, as one expression; equal neighbours become one
    repeated part."""
    done: list[Expression] = []
    for part in parts:
        last = done[-1] if done else None
        unit = last.part if isinstance(last, Repeated) else last
        if last is not None and unit == part and not isinstance(part, BitLiteral):
            done[-1] = Repeated(last.width + part.width, part)
        else:
            done.append(part)
    total = sum(part.width for part in done)
    return done[0] if len(done) == 1 else Concatenation(total, tuple(done))


def statement(before: str, value: Expression, after: str, indent: str) -> list[str]:
    """The lines of `before value after`, such as an assignment, indented."""
    line = f"{indent}{before}{value.text}{after}"
    if len(line) <= COLUMNS:
        return [line]
    if isinstance(value, Concatenation):
        return value.broken(before, after, indent)
    return [f"{indent}{before.rstrip()}", *value.lines("", after, indent + _INDENT * 2)]


def _filled(items: list[list[str]], indent: str) -> list[str]:
    """Items in lines, several items on a line as far as they fit."""
    lines = [indent]
    for item in items:
        first = item[0].strip()
        if lines[-1] == indent:
            lines[-1:] = item
        elif len(item) == 1 and len(lines[-1]) + len(first) < COLUMNS:
            lines[-1] += f" {first}"
        else:
            lines += item
    return lines
