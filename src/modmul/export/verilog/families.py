"""Modules of one class that differ in widths alone become one module with a parameter.

The parameter is a figure of the component.  Every number in the netlists has to follow from it by
one formula, and every module of a family, written by itself with these formulas, has to be the same
text; what does not fit stays a module of its own."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

from modmul.export.remarks import Remarks
from modmul.export.verilog.alike import common_name, content
from modmul.export.verilog.module import ModuleText
from modmul.export.verilog.netlist import Net, Netlist, is_named
from modmul.export.verilog.operations import COPIES
from modmul.export.verilog.rtlil import Cell, Chunk, Signal
from modmul.export.verilog.sizes import Size, fitted

_Number = Callable[[int], int]


@dataclass(frozen=True)
class _Family:
    """members: netlists with formulas; values: the parameter in each.  said: above the module."""

    parameter: str
    values: list[int]
    members: list[Netlist]
    said: Remarks


def join(
    netlists: Sequence[Netlist], said: dict[str, Remarks], public: Collection[str]
) -> tuple[list[Netlist], dict[str, tuple[str, dict[str, int]]]]:
    """The netlists with families in the place of their members; what replaces these: a module and
    the value of its parameter.  `said` gets what is said of the new modules.

    public: modules that are known outside, which stay."""
    groups: dict[tuple[object, ...], list[Netlist]] = {}
    for netlist in netlists:
        about = said[netlist.name]
        if about.kind and netlist.name not in public and _is_plain(netlist):
            shape = _copy(netlist, lambda number: 0)
            groups.setdefault((about.kind, about.common, *content(shape)), []).append(netlist)
    left, became = list(netlists), dict[str, tuple[str, dict[str, int]]]()
    for group in groups.values():
        family = _family(group, [said[one.name] for one in group]) if len(group) > 1 else None
        if family is None:
            continue
        names = [one.name for one in group]
        taken = {one.name for one in left}.difference(names)
        name, made = common_name(names, family.said.kind, taken), family.members[0]
        made.name, said[name] = name, family.said
        left = [made if one is group[0] else one for one in left if one not in group[1:]]
        for own, value in zip(names, family.values, strict=True):
            became[own] = name, {family.parameter: value}
    for netlist in left:
        for cell in netlist.instances:
            if cell.kind in became:
                cell.kind, values = became[cell.kind]
                cell.parameters = {name: str(value) for name, value in values.items()}
    return left, became


def _is_plain(netlist: Netlist) -> bool:
    """Whether it is logic alone."""
    return not netlist.cells


def _family(group: Sequence[Netlist], said: Sequence[Remarks]) -> _Family | None:
    """The family of modules of one shape, if they are one."""
    numbers = []
    for netlist in group:
        found = list[int]()
        _copy(netlist, _noting(found))
        numbers.append(found)
    columns = [list(column) for column in zip(*numbers, strict=True)]
    for name in said[0].values:
        values = [one.values.get(name) for one in said]
        if not all(isinstance(value, int) for value in values) or len(set(values)) != len(values):
            continue
        known = [int(str(value)) for value in values]
        formulas = [fitted(known, column) for column in columns]
        about = _formulas(name, known, said)
        if about is None or None in formulas:
            continue
        whole = [formula for formula in formulas if formula is not None]
        parameter = name.upper()
        members = [_copy(one, _taking(parameter, whole, value))
                   for one, value in zip(group, known, strict=True)]  # fmt: skip
        for one in members:
            one.parameters = {parameter: min(known)}
        if _same_text(members):
            return _Family(parameter, known, members, said[0].of_all(about))
    return None


def _formulas(name: str, values: list[int], said: Sequence[Remarks]) -> dict[str, str] | None:
    """The figures of components by the one that is the parameter; None if they do not follow from
    it, or if more is said of one than of another."""
    if len({one.notes for one in said}) > 1:
        return None
    found = {}
    for figure in said[0].values:
        given = [one.values.get(figure) for one in said]
        if len(set(map(str, given))) == 1:
            found[figure] = str(given[0])
            continue
        if not all(isinstance(one, int) for one in given):
            return None
        formula = fitted(values, [int(str(one)) for one in given])
        if formula is None:
            return None
        found[figure] = str(Size(name.upper(), *formula, values[0]))
    return found


def _same_text(members: Sequence[Netlist]) -> bool:
    """Whether all are one text."""
    texts = set()
    for one in members:
        try:
            texts.add(ModuleText(replace(one, name="family"), {}, Remarks(), None).text())
        except ValueError:  # such as a constant whose width is a formula
            return False
    return len(texts) == 1


def _noting(found: list[int]) -> _Number:
    def note(number: int) -> int:
        found.append(number)
        return number

    return note


def _taking(parameter: str, formulas: Sequence[tuple[int, int]], value: int) -> _Number:
    left = iter(formulas)

    def take(number: int) -> int:
        slope, offset = next(left)
        return Size(parameter, slope, offset, value) if slope else number

    return take


def _copy(netlist: Netlist, number: _Number) -> Netlist:
    """A netlist of operations with other numbers, always asked for in the same order."""
    wires = {name: replace(wire, width=number(wire.width)) for name, wire in netlist.wires.items()}
    names = (netlist.name, netlist.attributes, wires, netlist.aliases, netlist.labels)
    made = Netlist(*names)
    for left, right in netlist.assigned:
        made.assigned.append((_signal(left, number, made), _signal(right, number, made)))
    for wire, net in netlist.nets.items():
        pins = {pin: _signal(signal, number, made) for pin, signal in net.cell.pins.items()}
        given = {key: one for key, one in net.cell.parameters.items() if not key.endswith("WIDTH")}
        made.nets[wire] = Net(Cell(net.cell.kind, "", given, pins), wire, number(net.width))
    made.note_uses()
    return made


def _signal(signal: Signal, number: _Number, made: Netlist) -> Signal:
    """Copies of a bit are one operation, so that there can be as many as a number says."""
    done = list[Chunk]()
    for chunk, run in itertools.groupby(signal):
        count = len(list(run))
        if count == 1 or not is_named(chunk.wire):
            done += [_chunk(chunk, number)] * count
            continue
        net = Net(Cell(COPIES, "", {}, {"A": (chunk,)}), f"{COPIES}{len(made.nets)}", number(count))
        made.nets[net.wire] = net
        done.append(Chunk(net.wire, 0, net.width))
    return tuple(done)


def _chunk(chunk: Chunk, number: _Number) -> Chunk:
    """Zeros as many as the number says; other constants stay, and so must their width."""
    if chunk.wire is None and set(chunk.bits) != {"0"}:
        return chunk
    low, width = number(chunk.low), number(chunk.width)
    return Chunk(chunk.wire, low, width, "0" * width if chunk.wire is None else "")
