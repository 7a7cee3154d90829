"""Sorts assignments so that each comes after the wires that it reads."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from modmul.export.verilog.declarations import INDENT, attributes, bits_of
from modmul.export.verilog.expressions import Expression, Name, statement
from modmul.export.verilog.loops import ForLoop, loop
from modmul.export.verilog.netlist import Netlist
from modmul.export.verilog.operations import NetExpressions
from modmul.export.verilog.rtlil import Signal


@dataclass(frozen=True)
class Assignment:
    """The assignment of a wire or net `item`, or of slices of it; of no value where its declaration
    has to stand.  alone: this is the only one, of the whole item."""

    item: str
    target: Expression
    value: Expression | None
    alone: bool = True

    @property
    def loop(self) -> ForLoop | None:
        """The loop as which it is written."""
        if self.value is None or not isinstance(self.target, Name):
            return None
        return loop(self.target, self.value)


class Assignments:
    """The wires of a module that logic drives, each declared at its assignment.

    declared: the wires that are declared before."""

    def __init__(self, netlist: Netlist, operations: NetExpressions, declared: Collection[str]):
        self.netlist, self.operations, self.names = netlist, operations, operations.names
        self.declared = {wire.name for wire in netlist.ports}.union(declared)
        self.done: set[int | str] = set()
        self.by_wire: dict[str, list[int]] = {}
        for place, (left, _) in enumerate(self.netlist.assigned):
            for chunk in left:
                self.by_wire.setdefault(str(chunk.wire), []).append(place)
        self.to_write = set[str]()
        self.sorted: list[Assignment] = []

    def of(self, items: Sequence[str]) -> list[Assignment]:
        """The assignments of some wires and named operations, in this order as far as they
        do not read each other; those of ports are last."""
        self.to_write, self.sorted = set(items), []
        ports = {wire.name for wire in self.netlist.ports}
        for name in sorted(items, key=lambda item: (item in ports, item in self.netlist.nets)):
            self._item(name)
        return self.sorted

    def declaration(self, item: str) -> str:
        """The declaration of a wire or net, as it begins a line."""
        wire, net = self.netlist.wires.get(item), self.netlist.nets.get(item)
        marks = attributes(wire.attributes if wire else {})
        bits = net.width if net else self.operations.sizes[item]
        return f"{marks}wire{bits_of(bits)} {self.names[item]}"

    def lines(self, assignment: Assignment) -> list[str]:
        """The lines of an assignment that is no loop, or of a declaration."""
        declared, value = self.declaration(assignment.item), assignment.value
        if value is None:
            return [f"{INDENT}{declared};"]
        head = f"assign {assignment.target.text} = "
        if assignment.alone and assignment.item not in self.declared:
            head = f"{declared} = "
        return statement(head, value, ";", INDENT)

    def _item(self, name: str) -> None:
        if name in self.done or name not in self.to_write:
            return
        if name in self.netlist.nets:
            self.done.add(name)
            self._net(name)
        elif name in self.by_wire:
            self.done.add(name)
            self._wire(name)

    def _reads(self, signal: Signal) -> None:
        todo = [signal]
        for inner in todo:
            for chunk in inner:
                wire = str(chunk.wire)
                if wire in self.netlist.nets and wire not in self.names:
                    todo += self.netlist.nets[wire].cell.pins.values()
                else:
                    self._item(wire)

    def _net(self, wire: str) -> None:
        net = self.netlist.nets[wire]
        for signal in net.cell.pins.values():
            self._reads(signal)
        target = Name(net.width, self.names[wire], 0, net.width)
        self.sorted.append(Assignment(wire, target, self.operations.operation(net)))

    def _wire(self, name: str) -> None:
        places, size = self.by_wire[name], self.netlist.wires[name].width
        alone = len(places) == 1 and self._is_whole(places[0])
        if name not in self.declared and not alone:  # its slices may depend on each other
            self.sorted.append(Assignment(name, Name(size, self.names[name], 0, size), None))
        for place in places:
            self._reads(self.netlist.assigned[place][1])
        for place in places:
            if place in self.done:
                continue
            self.done.add(place)
            left, right = self.netlist.assigned[place]
            target, value = self.operations.of(left), self.operations.of(right)
            self.sorted.append(Assignment(name, target, value, alone))

    def _is_whole(self, place: int) -> bool:
        left, _ = self.netlist.assigned[place]
        return len(left) == 1 and left[0].width == self.netlist.wires[str(left[0].wire)].width
