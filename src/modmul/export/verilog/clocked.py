"""Writes registers: one block for each clock, in which all assignments under one condition stand
together.

The multiplexers before a register become `if`; a branch in which the register keeps its value is
not written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from modmul.export.verilog.expressions import Binary, Expression, statement
from modmul.export.verilog.netlist import Net
from modmul.export.verilog.operations import NetExpressions, inverse
from modmul.export.verilog.rtlil import Cell, Signal, part

_INDENT = "  "
_MANY = 3  # so many equal statements are not written twice


@dataclass
class Assign:
    """An assignment to one register (or slices of some)."""

    target: Expression
    value: Expression


@dataclass
class If:
    """The statements if a condition is true, and if it is not."""

    condition: Expression
    then: list[Statement] = field(default_factory=list)
    otherwise: list[Statement] = field(default_factory=list)


Statement = Assign | If


def block(clock: str, statements: Iterable[Statement], indent: str) -> list[str]:
    inner = [line for item in merged(statements) for line in _lines(item, indent + _INDENT)]
    return [f"{indent}always @(posedge {clock}) begin", *inner, f"{indent}end"]


def next_values(cell: Cell, operations: NetExpressions) -> Iterator[Statement]:
    """The assignments of a register at the clock edge; one by one for parts that are selected
    differently."""
    own, value = cell.pins["Q"], cell.pins["D"]
    if not any(_choice((chunk,), operations) for chunk in value):
        yield from _taken(own, value, operations)
        return
    low = 0
    for chunk in value:
        yield from _taken(part(own, low, chunk.width), (chunk,), operations)
        low += chunk.width


def _taken(
    own: Signal,
    value: Signal,
    operations: NetExpressions,
    known: Mapping[Signal, bool] = MappingProxyType({}),
) -> list[Statement]:
    """The assignments of a value.  known: the conditions around them."""
    if value == own:
        return []
    net = _choice(value, operations)
    if net is None:
        return [Assign(operations.of(own), operations.of(value))]
    chosen = net.cell.pins["S"]
    if chosen in known:
        return _taken(own, net.cell.pins["B" if known[chosen] else "A"], operations, known)
    then = _taken(own, net.cell.pins["B"], operations, {**known, chosen: True})
    otherwise = _taken(own, net.cell.pins["A"], operations, {**known, chosen: False})
    condition = operations.of(chosen)
    if then == otherwise:
        return then
    if not then:
        return [If(inverse(condition), otherwise)]
    return [If(condition, then, otherwise)]


def _choice(value: Signal, operations: NetExpressions) -> Net | None:
    """The multiplexer that drives a value, if it is written inside the expression."""
    net = operations.netlist.nets.get(str(value[0].wire)) if len(value) == 1 else None
    if net is None or net.wire in operations.names or net.cell.kind != "$mux":
        return None
    return net


def merged(statements: Iterable[Statement]) -> list[Statement]:
    """Join statements with the same condition, or its inverse, in the order of the first ones."""
    done: list[Statement] = []
    known: dict[str, If] = {}
    for item in statements:
        if isinstance(item, Assign):
            done.append(item)
            continue
        same = known.get(item.condition.text)
        contrary = known.get(inverse(item.condition).text)
        if same is not None:
            same.then += item.then
            same.otherwise += item.otherwise
        elif contrary is not None:
            contrary.then += item.otherwise
            contrary.otherwise += item.then
        else:
            copy = If(item.condition, list(item.then), list(item.otherwise))
            known[item.condition.text] = copy
            done.append(copy)
    for branch in known.values():
        branch.then, branch.otherwise = merged(branch.then), merged(branch.otherwise)
    parts = (_set_apart(item) if isinstance(item, If) else [item] for item in done)
    return [item for part in parts for item in part]


def _set_apart(outer: If) -> list[Statement]:
    """Move assignments that a second condition makes in the same way as the first into an `if` of
    their own: after `if (rst) ... else ...` there is `if (rst | drop) ... else ...`."""
    for inner in outer.otherwise:
        if not isinstance(inner, If) or len(inner.then) < _MANY:
            continue
        if all(assigned in outer.then for assigned in inner.then):
            both = If(Binary(1, "|", outer.condition, inner.condition), inner.then, inner.otherwise)
            then = [assigned for assigned in outer.then if assigned not in inner.then]
            otherwise = [assigned for assigned in outer.otherwise if assigned is not inner]
            rest = _set_apart(If(outer.condition, then, otherwise)) if then or otherwise else []
            return [*rest, both]
    return [outer]


def _lines(item: Statement, indent: str, before: str = "") -> list[str]:
    if isinstance(item, Assign):
        return statement(f"{item.target.text} <= ", item.value, ";", indent)
    if not item.then:
        item = If(inverse(item.condition), item.otherwise)
    deeper = indent + _INDENT
    lines = statement(f"{before}if (", item.condition, ") begin", indent)
    lines += [line for inner in item.then for line in _lines(inner, deeper)]
    match item.otherwise:
        case []:
            return [*lines, f"{indent}end"]
        case [If() as other]:
            return [*lines, *_lines(other, indent, "end else ")]
        case others:
            inner = [line for inner in others for line in _lines(inner, deeper)]
            return [*lines, f"{indent}end else begin", *inner, f"{indent}end"]
