"""Merges modules that are the same circuit into one module, which is then used several times."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence

from modmul.export.names import identifier
from modmul.export.remarks import Remarks, shared
from modmul.export.verilog import memories
from modmul.export.verilog.netlist import Netlist, is_named
from modmul.export.verilog.rtlil import Cell


def merge(
    netlists: Sequence[Netlist],
    remarks: dict[str, Remarks],
    public: Collection[str],
    key: Callable[[Netlist], Hashable],
    ports: Callable[[Netlist], Sequence[str]],
) -> tuple[list[Netlist], dict[str, str]]:
    """The netlists without those that repeat another one, and the new name of each merged
    one.

    remarks: of each module.  Those of merged modules are added: what their comments have in common.
    public: modules that are known outside and are not merged.  key: equal for equal modules, such
    as `content`.  ports: the pins of a module's instances, in the same order for equal modules."""
    left, became = list(netlists), dict[str, str]()
    while True:
        groups: dict[Hashable, list[Netlist]] = {}
        for netlist in left:
            if netlist.name not in public:
                groups.setdefault(key(netlist), []).append(netlist)
        alike = [group for group in groups.values() if len(group) > 1]
        if not alike:
            return left, became
        used = {netlist.name for netlist in left}
        for group in alike:
            used -= {netlist.name for netlist in group}
            about = shared([remarks[member.name] for member in group])
            name = common_name([member.name for member in group], about, used)
            used.add(name)
            step = {netlist.name: name for netlist in group}
            pins = {
                netlist.name: dict(zip(ports(netlist), ports(group[0]), strict=True))
                for netlist in group
            }
            became = {old: step.get(new, new) for old, new in became.items()} | step
            left = [netlist for netlist in left if netlist is group[0] or netlist.name not in step]
            remarks[name], group[0].name = about, name
            for outer in left:
                for cell in outer.instances:
                    if cell.kind in step:
                        own = pins[cell.kind]
                        cell.pins = {own[pin]: signal for pin, signal in cell.pins.items()}
                        cell.kind = name


def of_one_class(
    netlists: Sequence[Netlist], remarks: Mapping[str, Remarks], public: Collection[str]
) -> list[Netlist]:
    """The netlists of classes that several of them have; without those that are `public`."""
    inner = [netlist for netlist in netlists if netlist.name not in public]
    count = Counter(remarks[netlist.name].kind for netlist in inner)
    del count[""]
    return [netlist for netlist in inner if count[remarks[netlist.name].kind] > 1]


def common_name(names: Sequence[str], about: Remarks, used: Collection[str]) -> str:
    """A name for the module that several modules become.  about: the remarks on it.

    It is their common words, if those in which they differ stand in the same places; if not, or if
    it is taken, their common beginning and what they are called; else the first of their names."""
    words = [name.split("_") for name in names]
    same = [len(set(column)) == 1 for column in zip(*words, strict=False)]
    begin = words[0][: same.index(False) if False in same else len(same)]
    kind = about.kind.rpartition(".")[2]
    own = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", about.called or kind)
    own = [word.lower() for word in own]
    candidates = ["_".join([*begin[: len(begin) - (begin[-1:] == own[:1])], *own])]
    if len({len(word_list) for word_list in words}) == 1:
        candidates.insert(0, "_".join(itertools.compress(words[0], same)))
    free = (name for name in map(identifier, candidates) if name not in used)
    return next(free, names[0])


def content(netlist: Netlist) -> tuple[object, ...]:
    """Everything that defines a module, except its name and the names that Yosys made up."""
    return tuple(_content(netlist))


def _content(netlist: Netlist) -> Iterator[object]:
    yield tuple(sorted(netlist.attributes.items()))
    for wire in sorted(netlist.wires.values(), key=lambda wire: wire.name):
        yield wire.name, wire.width, wire.direction, wire.init  # the order of ports does not count
        yield tuple(sorted(wire.attributes.items()))
    yield tuple(netlist.assigned)
    for cell in netlist.cells:
        yield cell.name if is_named(cell.name) else ""
        yield _of_cell(cell)
    for net in netlist.nets.values():
        yield net.wire, net.width, _of_cell(net.cell)


def _of_cell(cell: Cell) -> tuple[object, ...]:
    if isinstance(cell, memories.SizedMemory):
        return (cell.kind, *cell.content)
    parameters, attributes = cell.parameters.items(), cell.attributes.items()
    return (cell.kind, *parameters, "pins", *cell.pins.items(), "attributes", *attributes)
