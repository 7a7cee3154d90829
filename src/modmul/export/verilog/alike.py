"""Makes one module of modules of one class that are the same circuit; it is then used several
times."""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Iterator, Sequence

from modmul.export.names import identifier
from modmul.export.remarks import Remarks
from modmul.export.verilog.netlist import Netlist, is_named
from modmul.export.verilog.rtlil import Cell


def merge(
    netlists: Sequence[Netlist], remarks: dict[str, Remarks], public: Collection[str]
) -> tuple[list[Netlist], dict[str, str]]:
    """The netlists without those that repeat another one, and what replaces what, by names.

    remarks: of each module; without a class, or with other comments, it stays itself.  Those of the
    new ones are added.  public: modules that are known outside, which stay, too."""
    left, became = list(netlists), dict[str, str]()
    while True:
        groups: dict[tuple[object, ...], list[Netlist]] = {}
        for netlist in left:
            about = remarks[netlist.name]
            if about.kind and netlist.name not in public:
                groups.setdefault((*about.identity, *content(netlist)), []).append(netlist)
        alike = [group for group in groups.values() if len(group) > 1]
        if not alike:
            return left, became
        used = {netlist.name for netlist in left}
        for group in alike:
            used -= {netlist.name for netlist in group}
            name = common_name([member.name for member in group], remarks[group[0].name].kind, used)
            used.add(name)
            step = {netlist.name: name for netlist in group}
            became = {old: step.get(new, new) for old, new in became.items()} | step
            left = [netlist for netlist in left if netlist is group[0] or netlist.name not in step]
            remarks[name], group[0].name = remarks[group[0].name], name
            for outer in left:
                for cell in outer.instances:
                    cell.kind = step.get(cell.kind, cell.kind)


def common_name(names: Sequence[str], kind: str, used: Collection[str]) -> str:
    """A name for what several modules of a class become.  kind: module and name of the class.

    Theirs without the words in which they differ, where these stand in the same places; if not, or
    if that is taken, what they begin with and the name of the class; else the first of theirs."""
    words = [name.split("_") for name in names]
    same = [len(set(column)) == 1 for column in zip(*words, strict=False)]
    begin = words[0][: same.index(False) if False in same else len(same)]
    own = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", kind.rpartition(".")[2])
    own = [word.lower() for word in own]
    candidates = ["_".join([*begin[: len(begin) - (begin[-1:] == own[:1])], *own])]
    if len({len(word_list) for word_list in words}) == 1:
        candidates.insert(0, "_".join(itertools.compress(words[0], same)))
    free = (name for name in map(identifier, candidates) if name not in used)
    return next(free, names[0])


def content(netlist: Netlist) -> Iterator[object]:
    """Everything that a module is, apart from its name and the names that Yosys made up."""
    yield tuple(sorted(netlist.attributes.items()))
    for wire in sorted(netlist.wires.values(), key=lambda wire: wire.name):
        yield wire.name, wire.width, wire.direction, wire.init  # ports: in whatever order
        yield tuple(sorted(wire.attributes.items()))
    yield tuple((name, *sorted(others)) for name, others in sorted(netlist.aliases.items()))
    yield tuple(sorted(netlist.labels.items()))
    yield tuple(netlist.assigned)
    for cell in netlist.cells:
        yield cell.name if is_named(cell.name) else ""
        yield _of_cell(cell)
    for net in netlist.nets.values():
        yield net.wire, net.width, _of_cell(net.cell)


def _of_cell(cell: Cell) -> tuple[object, ...]:
    parameters, attributes = cell.parameters.items(), cell.attributes.items()
    return (cell.kind, *parameters, "pins", *cell.pins.items(), "attributes", *attributes)
