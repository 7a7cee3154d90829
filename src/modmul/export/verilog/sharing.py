"""Merges equal operations, and removes operations that are not read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from graphlib import TopologicalSorter

from modmul.export.verilog import memories
from modmul.export.verilog.netlist import REGISTER, Netlist, reads, renamed
from modmul.export.verilog.rtlil import Cell, Chunk, Signal

_ANY_ORDER = ("$and", "$or", "$xor")


def share(netlist: Netlist) -> None:
    """Merge equal operations on equal operands; each then stands after the operations that it
    reads."""
    first: dict[object, str] = {}
    same: dict[str, str] = {}
    for wire in _ordered(netlist):
        net = netlist.nets[wire]
        for pin, signal in net.cell.pins.items():
            net.cell.pins[pin] = renamed(signal, same)
        key = (net.cell.kind, net.width, *net.cell.parameters.items(), *_operands(net.cell))
        same[wire] = first.setdefault(key, wire)
    netlist.nets = {wire: netlist.nets[wire] for wire in same if same[wire] == wire}
    netlist.assigned = [(left, renamed(right, same)) for left, right in netlist.assigned]
    for cell in netlist.cells:
        for pin in reads(cell):
            cell.pins[pin] = renamed(cell.pins[pin], same)


def _operands(cell: Cell) -> Iterator[object]:
    """The pins of a cell or, if their order does not matter, the sorted signals that they
    read."""
    if cell.kind in _ANY_ORDER:
        yield from sorted(cell.pins.values(), key=repr)
    else:
        yield from cell.pins.items()


def _ordered(netlist: Netlist) -> list[str]:
    """The nets, each after those that it reads."""
    before = {
        wire: sorted(set(netlist.nets_in(net.cell.pins.values())))
        for wire, net in netlist.nets.items()
    }
    return list(TopologicalSorter(before).static_order())


def keep_what_is_read(netlist: Netlist) -> None:
    """Remove named wires, registers, memories and nets from which no path leads to an output."""
    drivers = _drivers(netlist)
    wires = netlist.wires
    todo = [wire.name for wire in wires.values() if wire.direction or "keep" in wire.attributes]
    for cell in netlist.instances:
        todo += _wires(cell.pins.values())
    live: set[str] = set()
    while todo:
        wire = todo.pop()
        if wire not in live:
            live.add(wire)
            todo += _wires(drivers.get(wire, ()))
    netlist.nets = {wire: net for wire, net in netlist.nets.items() if wire in live}
    netlist.assigned = [pair for pair in netlist.assigned if live.intersection(_wires(pair[:1]))]
    netlist.cells = [
        cell
        for cell in netlist.cells
        if not cell.kind.startswith("$") or live.intersection(_driven(cell))
    ]
    netlist.wires = {name: wire for name, wire in wires.items() if name in live}


def _drivers(netlist: Netlist) -> dict[str, list[Signal]]:
    drivers: dict[str, list[Signal]] = {}
    for left, right in netlist.assigned:
        for wire in _wires([left]):
            drivers.setdefault(wire, []).append(right)
    for cell in netlist.cells:
        for wire in _driven(cell):
            drivers.setdefault(wire, []).extend(cell.pins[pin] for pin in reads(cell))
    for wire, net in netlist.nets.items():
        drivers[wire] = list(net.cell.pins.values())
        if net.cell.kind == memories.READ:
            drivers[wire].append((Chunk(net.cell.parameters["MEMORY"], 0, 1),))
    return drivers


def _wires(signals: Iterable[Signal]) -> list[str]:
    return [chunk.wire for signal in signals for chunk in signal if chunk.wire is not None]


def _driven(cell: Cell) -> list[str]:
    """The wires that a register or an instance drives (or may drive); for a memory its
    name."""
    if cell.kind == memories.KIND:
        return [cell.name]
    return _wires([cell.pins["Q"]] if cell.kind == REGISTER else cell.pins.values())
