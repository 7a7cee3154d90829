"""Merges modules of one class that differ only in widths into one module with a parameter.

The parameter is a figure of the component.  Every number in the netlists has to follow from it by
one formula, and every module of a family, written by itself with these formulas, has to be the same
text; modules that do not fit stay separate."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

from modmul.export.remarks import Remarks
from modmul.export.verilog.alike import common_name, content, of_one_class
from modmul.export.verilog.module import ModuleText
from modmul.export.verilog.netlist import Net, Netlist, is_named
from modmul.export.verilog.operations import COPIES
from modmul.export.verilog.rtlil import Cell, Chunk, Signal
from modmul.export.verilog.sizes import Formula, fitted

_Number = Callable[[int], int]


@dataclass(frozen=True)
class _Family:
    """A family of modules.  members: netlists with formulas.  values: the parameter of each.
    remarks: above the module."""

    parameter: str
    values: list[int]
    members: list[Netlist]
    remarks: Remarks


def join(
    netlists: Sequence[Netlist], remarks: dict[str, Remarks], public: Collection[str]
) -> tuple[list[Netlist], dict[str, tuple[str, dict[str, int]]]]:
    """Return the netlists with families in place of their members, and for each member the module
    and the value of its parameter.  `remarks` gets the remarks of the new modules.

    public: modules that are known outside and stay."""
    groups: dict[tuple[object, ...], list[Netlist]] = {}
    for netlist in of_one_class(netlists, remarks, public):
        about = remarks[netlist.name]
        if _is_plain(netlist):
            shape = _copy(netlist, lambda _number: 0)
            groups.setdefault((about.kind, about.common, *content(shape)), []).append(netlist)
    left, became = list(netlists), dict[str, tuple[str, dict[str, int]]]()
    for group in groups.values():
        of_group = [remarks[member.name] for member in group]
        family = _family(group, of_group) if len(group) > 1 else None
        if family is None:
            continue
        names = [netlist.name for netlist in group]
        used = {netlist.name for netlist in left}.difference(names)
        name, joined = common_name(names, family.remarks.kind, used), family.members[0]
        joined.name, remarks[name] = name, family.remarks
        left = [joined if old is group[0] else old for old in left if old not in group[1:]]
        for own, value in zip(names, family.values, strict=True):
            became[own] = name, {family.parameter: value}
    for netlist in left:
        for cell in netlist.instances:
            if cell.kind in became:
                cell.kind, values = became[cell.kind]
                cell.parameters = {name: str(value) for name, value in values.items()}
    return left, became


def _is_plain(netlist: Netlist) -> bool:
    """Whether a netlist has only logic."""
    return not netlist.cells


def _family(group: Sequence[Netlist], remarks: Sequence[Remarks]) -> _Family | None:
    """Return the family of modules of one shape; None if they are not one."""
    numbers = []
    for netlist in group:
        numbers_in = list[int]()
        _copy(netlist, _noting(numbers_in))
        numbers.append(numbers_in)
    columns = [list(column) for column in zip(*numbers, strict=True)]
    for name in remarks[0].values:
        values = [remark.values.get(name) for remark in remarks]
        if not all(isinstance(value, int) for value in values) or len(set(values)) != len(values):
            continue
        known = [int(str(value)) for value in values]
        formulas = [fitted(known, column) for column in columns]
        about = _formulas(name, known, remarks)
        if about is None or None in formulas:
            continue
        complete = [formula for formula in formulas if formula is not None]
        parameter = name.upper()
        members = [_copy(member, _taking(parameter, complete, value))
                   for member, value in zip(group, known, strict=True)]  # fmt: skip
        for member in members:
            member.parameters = {parameter: min(known)}
        if _same_text(members):
            return _Family(parameter, known, members, remarks[0].of_all(about))
    return None


def _formulas(name: str, values: list[int], remarks: Sequence[Remarks]) -> dict[str, str] | None:
    """Return the figures of components by formulas in the parameter; None if they do not follow
    from it, or if comments differ."""
    if len({remark.notes for remark in remarks}) > 1:
        return None
    formulas = {}
    for figure in remarks[0].values:
        figures = [remark.values.get(figure) for remark in remarks]
        if len(set(map(str, figures))) == 1:
            formulas[figure] = str(figures[0])
            continue
        if not all(isinstance(number, int) for number in figures):
            return None
        formula = fitted(values, [int(str(number)) for number in figures])
        if formula is None:
            return None
        formulas[figure] = str(Formula(name.upper(), *formula, values[0]))
    return formulas


def _same_text(members: Sequence[Netlist]) -> bool:
    """Whether all members give the same text."""
    texts = set()
    for member in members:
        try:
            texts.add(ModuleText(replace(member, name="family"), {}, Remarks(), None).text())
        except ValueError:  # such as a constant whose width is a formula
            return False
    return len(texts) == 1


def _noting(numbers: list[int]) -> _Number:
    def note(number: int) -> int:
        numbers.append(number)
        return number

    return note


def _taking(parameter: str, formulas: Sequence[tuple[int, int]], value: int) -> _Number:
    left = iter(formulas)

    def take(number: int) -> int:
        slope, offset = next(left)
        return Formula(parameter, slope, offset, value) if slope else number

    return take


def _copy(netlist: Netlist, number: _Number) -> Netlist:
    """Copy a netlist of operations; replace each number by the result of `number`, which is called
    in the same order each time."""
    wires = {name: replace(wire, width=number(wire.width)) for name, wire in netlist.wires.items()}
    names = (netlist.name, netlist.attributes, wires, netlist.aliases, netlist.labels)
    copy = Netlist(*names)
    for left, right in netlist.assigned:
        copy.assigned.append((_signal(left, number, copy), _signal(right, number, copy)))
    for wire, net in netlist.nets.items():
        pins = {pin: _signal(signal, number, copy) for pin, signal in net.cell.pins.items()}
        of_cell = net.cell.parameters.items()
        parameters = {key: value for key, value in of_cell if not key.endswith("WIDTH")}
        copy.nets[wire] = Net(Cell(net.cell.kind, "", parameters, pins), wire, number(net.width))
    copy.note_uses()
    return copy


def _signal(signal: Signal, number: _Number, copy: Netlist) -> Signal:
    """Copy a signal.  Copies of one bit become one operation, so that their number can be a
    formula."""
    done = list[Chunk]()
    for chunk, run in itertools.groupby(signal):
        count = len(list(run))
        if count == 1 or not is_named(chunk.wire):
            done += [_chunk(chunk, number)] * count
            continue
        net = Net(Cell(COPIES, "", {}, {"A": (chunk,)}), f"{COPIES}{len(copy.nets)}", number(count))
        copy.nets[net.wire] = net
        done.append(Chunk(net.wire, 0, net.width))
    return tuple(done)


def _chunk(chunk: Chunk, number: _Number) -> Chunk:
    """Copy a chunk.  A constant of zeros gets its number of bits from `number`; other constants
    keep theirs."""
    if chunk.wire is None and set(chunk.bits) != {"0"}:
        return chunk
    low, width = number(chunk.low), number(chunk.width)
    return Chunk(chunk.wire, low, width, "0" * width if chunk.wire is None else "")
