"""Writes expressions in VHDL-93: a bit is `std_logic`, everything else `unsigned`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import NamedTuple

from modmul.export.verilog.expressions import (
    Binary,
    BitLiteral,
    Concatenation,
    Conditional,
    Expression,
    MemoryWord,
    Name,
    Repeated,
    Unary,
)
from modmul.export.verilog.sizes import Formula

_LOGIC = {"&": "and", "|": "or", "^": "xor", "~^": "xnor"}
_RELATIONS = {"==": "=", "!=": "/=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
_LONG = 8  # a constant of more bits that are all the same is written as copies
_HEXADECIMAL = 16  # a constant with so many bits is written in hexadecimal
_INTEGER = 1 << 31  # integers are below this


class Term(NamedTuple):
    """A text of VHDL.  operator: the outermost one, empty if the text needs no brackets."""

    text: str
    operator: str = ""

    def inside(self, operator: str = "") -> str:
        """The text as an operand, without brackets in a chain of its operator."""
        return self.text if self.operator in ("", operator) else f"({self.text})"


def bits_of(constant: str, width: int) -> str:
    """A constant, the most significant bit first, as a string of VHDL; of a width that is a formula
    all bits are the same."""
    if isinstance(width, Formula) or (len(constant) > _LONG and len(set(constant)) == 1):
        return f"(others => '{digits(constant)[0]}')"
    if width >= _HEXADECIMAL and width % 4 == 0 and set(constant) <= {"0", "1"}:
        return f'x"{int(constant, 2):0{width // 4}x}"'
    return f'"{digits(constant)}"'


def digits(constant: str) -> str:
    return constant.replace("x", "-").replace("z", "Z")


class Printer:
    """Writes the expressions of a module.

    names: in VHDL by those in Verilog.  vectors: the ports, by their names in Verilog, that are
    `std_logic_vector`.  inner: the signals that stand for outputs inside."""

    def __init__(
        self, names: Mapping[str, str], vectors: Collection[str], inner: Mapping[str, str]
    ):
        self.names, self.vectors, self.inner = names, vectors, inner

    # ---- names ---------------------------------------------------------------------------------

    def target(self, target: Expression) -> str:
        """What is assigned.  Raises ValueError for several signals at once."""
        if isinstance(target, MemoryWord):
            word = f"{self.names[target.name]}({self.index(target.index)})"
            return word if target.width == target.size != 1 else word + _slice(target)
        if not isinstance(target, Name):
            raise ValueError(f"{target.text}: an assignment to several signals is not understood")
        name = self.inner.get(target.name) or self.names[target.name]
        return name if target.width == target.size else name + _slice(target)

    def is_vector(self, value: Expression) -> bool:
        """Whether it is (a slice of) a `std_logic_vector`."""
        return isinstance(value, Name) and value.name in self.vectors and value.width != 1

    def index(self, value: Expression) -> str:
        """A number as a place in an array."""
        if isinstance(value, BitLiteral):
            return str(int(value.bits, 2))
        return f"to_index({self.of(value, typed=False).text})"

    # ---- values --------------------------------------------------------------------------------

    def of(self, value: Expression, *, typed: bool = True) -> Term:
        """A bit, or a number.  typed: whether the text around it says that a number is
        `unsigned`."""
        return self.bit(value) if value.width == 1 else self.number(value, typed)

    def bit(self, value: Expression) -> Term:
        match value:
            case BitLiteral():
                return Term(f"'{digits(value.bits)}'")
            case Name():
                return Term(self.target(value))
            case MemoryWord():
                return Term(f"{self.names[value.name]}({self.index(value.index)}){_slice(value)}")
            case Unary(operator="!" | "~", operand=operand) if operand.width == 1:
                return Term(f"not {self.bit(operand).inside()}")
            case Unary(operator="&" | "|" | "^", operand=operand) if operand.width != 1:
                name = _LOGIC[value.operator]
                return Term(f"{name}_reduce({self.number(operand, False).text})")
            case Unary(operand=operand) if operand.width == 1:
                return self.bit(operand)
            case Binary(operator=operator) if operator in _LOGIC:
                return self._chain(value, _LOGIC[operator], self.bit)
            case Binary(operator="+" | "-", left=left, right=right):
                return Term(f"{self.bit(left).inside()} xor {self.bit(right).inside()}", "xor")
            case Binary(operator="*", left=left, right=right):
                return Term(f"{self.bit(left).inside()} and {self.bit(right).inside()}", "and")
            case Binary(operator="<<" | ">>" | "/" | "%"):
                return Term(f"{self._binary(value).text}(0)")
            case Binary() | Unary():
                return Term(f"to_std_logic({self.condition(value).text})")
        return self._either(value)

    def number(self, value: Expression, typed: bool = True) -> Term:
        """The value as `unsigned`."""
        if value.width == 1:
            return Term(f"to_unsigned({self.bit(value).text}, 1)")
        match value:
            case BitLiteral():
                return self._literal(value, typed)
            case Name():
                text = self.target(value)
                return Term(f"unsigned({text})" if self.is_vector(value) else text)
            case MemoryWord():
                return Term(self.target(value))
            case Unary(operator="~", operand=operand):
                return Term(f"not {self.number(operand, False).inside()}")
            case Unary(operator="-", operand=operand):
                return Term(f"0 - {self.number(operand).inside()}", "-")
            case Repeated(part=part):
                count = _quotient(value.width, part.width)
                return Term(f"copies({self.of(part, typed=False).text}, {count})")
            case Concatenation():
                return self._concatenation(value, typed)
            case Binary():
                return self._binary(value)
        return self._either(value)

    def condition(self, value: Expression) -> Term:
        """A bit as a condition."""
        match value:
            case Unary(operator="!" | "~", operand=Name() | MemoryWord() as operand) if (
                operand.width == 1
            ):
                return Term(f"{self.bit(operand).text} = '0'", "=")
            case Unary(operator="!" | "~", operand=operand):
                return Term(f"not ({self.condition(operand).text})")
            case Unary(operator="|", operand=operand) if operand.width != 1:
                return Term(f"{self.number(operand).inside()} /= 0", "=")
            case Binary(operator="&" | "|" as operator):
                return self._chain(value, _LOGIC[operator], self.condition)
            case Binary(operator=operator) if operator in _RELATIONS:
                return Term(self._relation(value), "=")
        return Term(f"{self.bit(value).inside()} = '1'", "=")

    # ---- statements ----------------------------------------------------------------------------

    def alternatives(self, value: Expression) -> list[str]:
        """The right side of a concurrent assignment: a value, or `a when c else`, then others."""
        done = []
        while isinstance(value, Conditional):
            condition = self.condition(value.condition).text
            done.append(f"{self.of(value.then).text} when {condition} else")
            value = value.otherwise
        text = self.of(value).text
        if text.startswith("to_std_logic("):
            return [*done, f"'1' when {self.condition(value).text} else", "'0'"]
        return [*done, self.assigned(value)]

    def assigned(self, value: Expression) -> str:
        """A value whose type is that of the signal that it is assigned to."""
        if isinstance(value, BitLiteral) and value.width != 1:
            return bits_of(value.bits, value.width)
        return self.of(value).text

    # ---- operators -----------------------------------------------------------------------------

    def _chain(self, value: Binary, operator: str, operand: Callable[[Expression], Term]) -> Term:
        sides = [operand(value.left), operand(value.right)]
        same = operator if operator != "xnor" else ""
        texts = [
            side.text if side.operator == "=" and operand == self.condition else side.inside(same)
            for side in sides
        ]
        return Term(f" {operator} ".join(texts), operator)

    def _either(self, value: Expression) -> Term:
        if not isinstance(value, Conditional):
            raise ValueError(f"{value.text} is not understood")
        sides = [self.of(side, typed=False).text for side in (value.then, value.otherwise)]
        return Term(f"choose({self.condition(value.condition).text}, {', '.join(sides)})")

    def _literal(self, value: BitLiteral, typed: bool) -> Term:
        text = bits_of(value.bits, value.width)
        if text.startswith("("):
            return Term(f"copies('{digits(value.bits)[0]}', {value.width})")
        return Term(text if typed else f"unsigned'({text})")

    def _concatenation(self, value: Concatenation, typed: bool) -> Term:
        first, *others = value.parts
        if len(others) == 1 and _is_zero(first):
            if others[0].width == 1:
                return Term(f"to_unsigned({self.bit(others[0]).text}, {value.width})")
            return Term(f"resize({self.number(others[0], False).text}, {value.width})")
        parts = [self.of(part) for part in value.parts]
        text = " & ".join(part.inside() for part in parts)
        clear = any(
            part.width != 1 and not isinstance(part, BitLiteral | Conditional)
            for part in value.parts
        )
        return Term(text, "&") if typed or clear else Term(f"unsigned'({text})")

    def _binary(self, value: Binary) -> Term:
        left, right, operator, size = value.left, value.right, value.operator, value.width
        if operator in _LOGIC:
            return self._chain(value, _LOGIC[operator], self._operand)
        if operator in ("+", "-"):
            return self._sum(value)
        numbers = [self.number(side, False).inside() for side in (left, right)]
        match operator:
            case "*":
                product = f"{numbers[0]} * {numbers[1]}"
                if left.width + right.width == size:
                    return Term(product, "*")
                return Term(f"resize({product}, {size})")
            case "<<" | ">>":
                name = "shift_left" if operator == "<<" else "shift_right"
                return Term(f"{name}({self._wide(left, size)}, {self.index(right)})")
            case "/" | "%":
                name = "/" if operator == "/" else "mod"
                return Term(f"resize({numbers[0]} {name} {numbers[1]}, {size})")
        raise ValueError(f"{value.text} is not understood")

    def _operand(self, value: Expression) -> Term:
        """A number beside another one, or an integer."""
        return self.number(value, not isinstance(value, Concatenation))

    def _sum(self, value: Binary) -> Term:
        """A sum, in which one operand has all bits, and the other may have less."""
        left, right, size = value.left, _short(value.right), value.width
        whole = isinstance(left, Binary) and left.operator in ("+", "-") and left.width == size
        first = self.number(left).text if whole else self._wide(_short(left), size)
        return Term(f"{first} {value.operator} {self._addend(right)}", value.operator)

    def _addend(self, value: Expression) -> str:
        if isinstance(value, BitLiteral):
            return self._small(value)
        return self.number(value, False).inside()

    def _small(self, value: BitLiteral) -> str:
        """A constant as an integer, if it is one."""
        known = "x" not in value.bits and not isinstance(value.width, Formula)
        number = int(value.bits, 2) if known else _INTEGER
        return str(number) if number < _INTEGER else self.number(value).text

    def _wide(self, value: Expression, size: int) -> str:
        """The value with so many bits."""
        if value.width == size:
            return self.number(value, False).inside()
        if value.width == 1:
            return f"to_unsigned({self.bit(value).text}, {size})"
        return f"resize({self.number(value, False).text}, {size})"

    def _relation(self, value: Binary) -> str:
        left, right, operator = value.left, value.right, _RELATIONS[value.operator]
        if value.signed:
            sides = [f"signed({self.number(side, False).text})" for side in (left, right)]
            return f"{sides[0]} {operator} {sides[1]}"
        first = self.bit(left).inside() if left.width == 1 else self._operand(left).inside()
        if isinstance(right, BitLiteral) and right.width != 1:
            return f"{first} {operator} {self._small(right)}"
        return f"{first} {operator} {self.of(right).inside()}"


def _slice(value: Name | MemoryWord) -> str:
    high = value.low + value.width - 1
    return f"({value.low})" if value.width == 1 else f"({high} downto {value.low})"


def _quotient(size: int, part: int) -> int:
    return size if part == 1 else size // part


def _is_zero(value: Expression) -> bool:
    return isinstance(value, BitLiteral) and set(value.bits) == {"0"}


def _short(value: Expression) -> Expression:
    """The value without zeros above it."""
    if isinstance(value, Concatenation) and len(value.parts) == 2 and _is_zero(value.parts[0]):
        return value.parts[1]
    return value
