"""Merges modules of one class that differ only in sizes into one module with parameters.

The parameters are figures of the component.  Every number in the netlists has to follow from one of
them by one formula, and every module of a family, written by itself with these formulas, has to be
the same text; modules that do not fit stay separate."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from modmul.export.remarks import Remarks
from modmul.export.verilog import memories
from modmul.export.verilog.alike import common_name, content, of_one_class
from modmul.export.verilog.module import ModuleText
from modmul.export.verilog.netlist import Net, Netlist, is_named
from modmul.export.verilog.operations import COPIES
from modmul.export.verilog.rtlil import Cell, Chunk, Signal, Wire
from modmul.export.verilog.sizes import Formula, fitted

_Number = Callable[[int], int]


@dataclass(frozen=True)
class _Family:
    """A family of modules.  members: netlists with formulas.  values: the parameters of each.
    remarks: above the module."""

    values: list[dict[str, int]]
    members: list[Netlist]
    remarks: Remarks


# A number of all members as a formula: parameter, slope, offset; without parameter the number of
# each member stays.
_Fit = tuple[str, int, int]


def join(
    netlists: Sequence[Netlist], remarks: dict[str, Remarks], public: Collection[str]
) -> tuple[list[Netlist], dict[str, tuple[str, dict[str, int]]]]:
    """The netlists with families in place of their members, and for each member the module
    and the values of its parameters.  `remarks` gets the remarks of the new modules.

    public: modules that are known outside and stay."""
    groups: dict[tuple[object, ...], list[Netlist]] = {}
    for netlist in of_one_class(netlists, remarks, public):
        about = remarks[netlist.name]
        try:
            shape = _copy(netlist, lambda _number: 1)
        except ValueError:  # such as a memory with a content
            continue
        same = [(name, text) for name, text in about.values.items() if not _is_number(text)]
        groups.setdefault((about.kind, about.common, *same, content(shape)), []).append(netlist)
    left, became = list(netlists), dict[str, tuple[str, dict[str, int]]]()
    for group in groups.values():
        of_group = [remarks[member.name] for member in group]
        family = _family(group, of_group) if len(group) > 1 else None
        if family is None:
            continue
        names = [netlist.name for netlist in group]
        used = {netlist.name for netlist in left}.difference(names)
        name, joined = common_name(names, family.remarks, used), family.members[0]
        joined.name, remarks[name] = name, family.remarks
        left = [joined if old is group[0] else old for old in left if old not in group[1:]]
        for own, values in zip(names, family.values, strict=True):
            became[own] = name, values
    for netlist in left:
        for cell in netlist.instances:
            if cell.kind in became:
                cell.kind, values = became[cell.kind]
                cell.parameters = {name: str(value) for name, value in values.items()}
    return left, became


def _family(group: Sequence[Netlist], remarks: Sequence[Remarks]) -> _Family | None:
    """The family of modules of one shape; None if they are not one."""
    numbers = []
    for netlist in group:
        numbers_in = list[int]()
        _copy(netlist, _noting(numbers_in))
        numbers.append(numbers_in)
    figures = {name: [remark.values.get(name) for remark in remarks] for name in remarks[0].values}
    known = {
        name: [int(str(value)) for value in values]
        for name, values in figures.items()
        if all(map(_is_number, values))
    }
    fits = [_fit(known, list(column)) for column in zip(*numbers, strict=True)]
    used = [name for name in known if any(fit and fit[0] == name for fit in fits)]
    values = [{name.upper(): known[name][place] for name in used} for place in range(len(group))]
    about = _formulas({name: known[name] for name in used}, remarks)
    if about is None or None in fits or not used:
        return None
    complete = [fit for fit in fits if fit is not None]
    members = [
        _copy(member, _taking(complete, own)) for member, own in zip(group, values, strict=True)
    ]
    for member in members:
        member.parameters = {name.upper(): min(known[name]) for name in used}
    same = _same_text(members)
    return _Family(values, members, remarks[0].of_all(about)) if same else None


def _is_number(figure: object) -> bool:
    return isinstance(figure, int) and not isinstance(figure, bool)


def _fit(known: Mapping[str, list[int]], numbers: list[int]) -> _Fit | None:
    """A number of all members as a formula in one of the figures; None if there is none."""
    if len(set(numbers)) == 1:
        return ("", 0, 0)
    found = ((name, fitted(values, numbers)) for name, values in known.items())
    return next(((name, *formula) for name, formula in found if formula), None)


def _formulas(known: Mapping[str, list[int]], remarks: Sequence[Remarks]) -> dict[str, str] | None:
    """The figures of components by formulas in parameters; None if they do not follow from
    these, or if comments differ."""
    if len({remark.notes for remark in remarks}) > 1:
        return None
    formulas = {}
    for figure in remarks[0].values:
        figures = [remark.values.get(figure) for remark in remarks]
        if len(set(map(str, figures))) == 1:
            formulas[figure] = str(figures[0])
            continue
        if not all(map(_is_number, figures)):
            return None
        fit = _fit(known, [int(str(number)) for number in figures])
        if fit is None:
            return None
        name, slope, offset = fit
        formulas[figure] = str(Formula(name.upper(), slope, offset, known[name][0]))
    return formulas


def _same_text(members: Sequence[Netlist]) -> bool:
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


def _taking(fits: Sequence[_Fit], values: Mapping[str, int]) -> _Number:
    left = iter(fits)

    def take(number: int) -> int:
        name, slope, offset = next(left)
        parameter = name.upper()
        return Formula(parameter, slope, offset, values[parameter]) if name else number

    return take


def _copy(netlist: Netlist, number: _Number) -> Netlist:
    """Copy a netlist; replace each number by the result of `number`, which is called in the same
    order each time.  Raises ValueError for a memory with a content."""
    copied = {name: _wire(netlist.wires[name], number) for name in sorted(netlist.wires)}
    wires = {name: copied[name] for name in netlist.wires}
    names = (netlist.name, netlist.attributes, wires, netlist.aliases, netlist.labels)
    copy = Netlist(*names)

    def signal(signal: Signal) -> Signal:
        return _signal(signal, number, copy)

    for left, right in netlist.assigned:
        copy.assigned.append((signal(left), signal(right)))
    for cell in netlist.cells:
        if cell.kind == memories.KIND:
            copy.cells.append(memories.sized(cell, number, signal))
        else:
            copy.cells.append(_cell(cell, signal))
    for wire, net in netlist.nets.items():
        inner = replace(_cell(net.cell, signal), name="")
        copy.nets[wire] = Net(inner, wire, number(net.width))
    copy.note_uses()
    return copy


def _cell(cell: Cell, signal: Callable[[Signal], Signal]) -> Cell:
    """Copy a cell; the parameters of operations that say how wide they are would not be read."""
    pins = {pin: signal(bits) for pin, bits in cell.pins.items()}
    parameters = {
        key: value
        for key, value in cell.parameters.items()
        if not cell.kind.startswith("$") or not key.endswith("WIDTH")
    }
    return replace(cell, parameters=parameters, pins=pins)


def _wire(wire: Wire, number: _Number) -> Wire:
    """Copy a wire; as many zeros at power-up as it has bits."""
    width, zeros = number(wire.width), bool(wire.init) and "1" not in wire.init
    return replace(wire, width=width, init="0" * width if zeros else wire.init)


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
