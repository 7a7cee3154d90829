"""Expressions of Verilog as trees, and how they are written in lines of readable length.

Every expression has a width of its own: it gives the same bits wherever it stands.  Operands of an
operator are exactly as wide as its result (of a comparison: as each other), so no rule of Verilog
about widths of contexts is ever needed, and no linter has anything to say."""

from __future__ import annotations

from dataclasses import dataclass

COLUMNS = 100
_INDENT = "  "
# Binding strength, from the weakest.
_TERNARY, _OR, _XOR, _AND, _EQUAL, _LESS, _SHIFT, _ADD, _MULTIPLY, _UNARY, _ATOM = range(11)
_STRENGTH = {
    "|": _OR, "^": _XOR, "~^": _XOR, "&": _AND, "==": _EQUAL, "!=": _EQUAL, "<": _LESS,
    "<=": _LESS, ">": _LESS, ">=": _LESS, "<<": _SHIFT, ">>": _SHIFT, "+": _ADD, "-": _ADD,
    "*": _MULTIPLY,
}  # fmt: skip
_CHAINS = ("|", "^", "&")  # in any order the same: a chain needs no brackets


@dataclass(frozen=True)
class Expression:
    """width: bits.  Subclasses: `text`, all on one line, and `strength` of what holds it."""

    width: int

    @property
    def text(self) -> str:
        raise NotImplementedError

    @property
    def strength(self) -> int:
        return _ATOM

    def inside(self, strength: int) -> str:
        """Its text, in brackets if an operator of that strength would tear it apart."""
        return self.text if self.strength > strength else f"({self.text})"

    def pieces(self) -> list[str]:
        """The lines of its text where one is too long, each to be indented alike."""
        return [self.text]


@dataclass(frozen=True)
class Constant(Expression):
    """bits: the most significant first; 0, 1, x."""

    bits: str

    @property
    def text(self) -> str:
        if "x" in self.bits:
            return f"{self.width}'b{'x' if set(self.bits) == {'x'} else self.bits}"
        value = int(self.bits, 2)
        if value < 10:
            return f"{self.width}'d{value}" if self.width > 1 else f"1'b{value}"
        return f"{self.width}'h{value:x}"


@dataclass(frozen=True)
class Name(Expression):
    """A slice of something with a name.  size: its bits."""

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
class Element(Expression):
    """A word of a memory, or one bit of a name."""

    name: str
    index: Expression

    @property
    def text(self) -> str:
        return f"{self.name}[{self.index.text}]"


@dataclass(frozen=True)
class Unary(Expression):
    """operator: ~, -, or a reduction."""

    operator: str
    operand: Expression

    @property
    def text(self) -> str:
        inner = self.operand.inside(_UNARY)
        return f"{self.operator}{inner}"

    @property
    def strength(self) -> int:
        return _UNARY


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
        """Of a chain of the same operator: all of them."""
        if self.signed:
            return [f"$signed({self.left.text})", f"$signed({self.right.text})"]
        return [text for side in (self.left, self.right) for text in self._side(side)]

    def _side(self, side: Expression) -> list[str]:
        if isinstance(side, Binary) and side.operator == self.operator in _CHAINS:
            return side._operands()
        return [side.inside(_MULTIPLY)]

    def pieces(self) -> list[str]:
        first, *others = self._operands()
        return [first, *(f"{self.operator} {other}" for other in others)]


@dataclass(frozen=True)
class Choice(Expression):
    """`then` where the condition, one bit, is true, `otherwise` where it is not."""

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

    def pieces(self) -> list[str]:
        done, rest = [], self
        while isinstance(rest, Choice):
            before = ": " if done else ""
            condition, then = rest.condition.inside(_TERNARY), rest.then.inside(_TERNARY)
            done.append(f"{before}{condition} ? {then}")
            rest = rest.otherwise  # type: ignore[assignment]
        return [*done, f": {rest.text}"]


@dataclass(frozen=True)
class Concatenation(Expression):
    """parts: the most significant first."""

    parts: tuple[Expression, ...]

    @property
    def text(self) -> str:
        return "{" + ", ".join(part.text for part in self.parts) + "}"

    def pieces(self) -> list[str]:
        return ["{", *_filled([part.text for part in self.parts], _INDENT), "}"]


@dataclass(frozen=True)
class Repeated(Expression):
    """The same bits several times."""

    part: Expression

    @property
    def text(self) -> str:
        inner = self.part.text if isinstance(self.part, Concatenation) else f"{{{self.part.text}}}"
        return f"{{{self.width // self.part.width}{inner}}}"


def concatenation(parts: list[Expression]) -> Expression:
    """Parts, the most significant first, behind each other; equal neighbours as one repeated."""
    done: list[Expression] = []
    for part in parts:
        last = done[-1] if done else None
        unit = last.part if isinstance(last, Repeated) else last
        if last is not None and unit == part and not isinstance(part, Constant):
            done[-1] = Repeated(last.width + part.width, part)
        else:
            done.append(part)
    whole = sum(part.width for part in done)
    return done[0] if len(done) == 1 else Concatenation(whole, tuple(done))


def statement(before: str, value: Expression, after: str, indent: str) -> list[str]:
    """The lines of `before value after`, such as an assignment, indented."""
    line = f"{indent}{before}{value.text}{after}"
    if len(line) <= COLUMNS:
        return [line]
    first, *others = value.pieces()
    if not others:
        return [f"{indent}{before.rstrip()}", f"{indent}{_INDENT * 2}{first}{after}"]
    if first == "{":
        *middle, last = others
        return [f"{indent}{before}{{", *(indent + line for line in middle), f"{indent}{last}{after}"]
    others[-1] += after
    lines = [first, *others]
    return [f"{indent}{before.rstrip()}", *(f"{indent}{_INDENT * 2}{line}" for line in lines)]


def _filled(items: list[str], indent: str) -> list[str]:
    """Items with commas between them in lines that are not too long."""
    lines, line = [], indent
    for place, item in enumerate(items):
        text = item + ("," if place < len(items) - 1 else "")
        if line != indent and len(line) + len(text) > COLUMNS - 8:
            lines.append(line.rstrip())
            line = indent
        line += f"{text} "
    return [*lines, line.rstrip()]
