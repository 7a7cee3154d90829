"""Registers: one block for each clock, in which what happens under one condition stands together.

The multiplexers before a register become `if`; where one takes back the register's own value,
nothing is written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from modmul.export.verilog.expressions import Binary, Expression, statement
from modmul.export.verilog.netlist import Net
from modmul.export.verilog.operations import Operations, inverse
from modmul.export.verilog.rtlil import Cell, Signal, part

_INDENT = "  "
_MANY = 3  # statements that need not stand twice


@dataclass
class Assign:
    """One register (or slices of some) gets a value."""

    target: str
    value: Expression


@dataclass
class If:
    """What happens where a condition is true, and where it is not."""

    condition: Expression
    then: list[Statement] = field(default_factory=list)
    otherwise: list[Statement] = field(default_factory=list)


Statement = Assign | If


def block(clock: str, statements: Iterable[Statement], indent: str) -> list[str]:
    """The lines of one block."""
    inner = [line for one in merged(statements) for line in _lines(one, indent + _INDENT)]
    return [f"{indent}always @(posedge {clock}) begin", *inner, f"{indent}end"]


def next_values(cell: Cell, operations: Operations) -> Iterator[Statement]:
    """What a register takes at the edge; parts of it that are chosen differently one by one."""
    own, value = cell.pins["Q"], cell.pins["D"]
    if not any(_choice((chunk,), operations) for chunk in value):
        yield from _taken(own, value, operations)
        return
    low = 0
    for chunk in value:
        yield from _taken(part(own, low, chunk.width), (chunk,), operations)
        low += chunk.width


def _taken(own: Signal, value: Signal, operations: Operations) -> list[Statement]:
    if value == own:
        return []
    net = _choice(value, operations)
    if net is None:
        return [Assign(operations.of(own).text, operations.of(value))]
    then = _taken(own, net.cell.pins["B"], operations)
    otherwise = _taken(own, net.cell.pins["A"], operations)
    condition = operations.of(net.cell.pins["S"])
    if then == otherwise:
        return then
    if not then:
        return [If(inverse(condition), otherwise)]
    return [If(condition, then, otherwise)]


def _choice(value: Signal, operations: Operations) -> Net | None:
    """The multiplexer that a value is, if it stands inside."""
    net = operations.netlist.nets.get(str(value[0].wire)) if len(value) == 1 else None
    if net is None or net.wire in operations.names or net.cell.kind != "$mux":
        return None
    return net


def merged(statements: Iterable[Statement]) -> list[Statement]:
    """Statements with the same condition, or its contrary, as one, in the order of the first."""
    done: list[Statement] = []
    known: dict[str, If] = {}
    for one in statements:
        if isinstance(one, Assign):
            done.append(one)
            continue
        same = known.get(one.condition.text)
        contrary = known.get(inverse(one.condition).text)
        if same is not None:
            same.then += one.then
            same.otherwise += one.otherwise
        elif contrary is not None:
            contrary.then += one.otherwise
            contrary.otherwise += one.then
        else:
            copy = If(one.condition, list(one.then), list(one.otherwise))
            known[one.condition.text] = copy
            done.append(copy)
    for one in known.values():
        one.then, one.otherwise = merged(one.then), merged(one.otherwise)
    return [made for one in done for made in (_set_apart(one) if isinstance(one, If) else [one])]


def _set_apart(one: If) -> list[Statement]:
    """What a second condition sets to the same values as the first stands alone, under both: after
    `if (rst) ... else ...` there is `if (rst | drop) ... else ...`."""
    for inner in one.otherwise:
        if not isinstance(inner, If) or len(inner.then) < _MANY:
            continue
        if all(given in one.then for given in inner.then):
            both = If(Binary(1, "|", one.condition, inner.condition), inner.then, inner.otherwise)
            then = [given for given in one.then if given not in inner.then]
            otherwise = [given for given in one.otherwise if given is not inner]
            rest = _set_apart(If(one.condition, then, otherwise)) if then or otherwise else []
            return [*rest, both]
    return [one]


def _lines(one: Statement, indent: str, before: str = "") -> list[str]:
    if isinstance(one, Assign):
        return statement(f"{one.target} <= ", one.value, ";", indent)
    if not one.then:
        one = If(inverse(one.condition), one.otherwise)
    deeper = indent + _INDENT
    lines = statement(f"{before}if (", one.condition, ") begin", indent)
    lines += [line for inner in one.then for line in _lines(inner, deeper)]
    match one.otherwise:
        case []:
            return [*lines, f"{indent}end"]
        case [If() as other]:
            return [*lines, *_lines(other, indent, "end else ")]
        case others:
            inner = [line for inner in others for line in _lines(inner, deeper)]
            return [*lines, f"{indent}end else begin", *inner, f"{indent}end"]
