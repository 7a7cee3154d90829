"""Sorts assignments so that each comes after the wires that it reads."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from modmul.export.verilog.declarations import INDENT, Noted, attributes, bits_of
from modmul.export.verilog.expressions import Expression, Name, statement
from modmul.export.verilog.loops import ForLoop, loop
from modmul.export.verilog.netlist import Netlist
from modmul.export.verilog.operations import NetExpressions
from modmul.export.verilog.rtlil import Signal


class Assignments:
    """The wires of a module that logic drives, each declared at its assignment.

    declared: the wires that are declared before."""

    def __init__(self, netlist: Netlist, operations: NetExpressions, declared: Collection[str]):
        self.netlist, self.operations, self.names = netlist, operations, operations.names
        self.declared = {wire.name for wire in netlist.ports}.union(declared)
        self.noted = set(declared)
        self.done: set[int | str] = set()
        self.by_wire: dict[str, list[int]] = {}
        for place, (left, _) in enumerate(self.netlist.assigned):
            for chunk in left:
                self.by_wire.setdefault(str(chunk.wire), []).append(place)
        self.notes: Mapping[str, str] = {}
        self.to_write = set[str]()
        self.text: list[Noted] = []
        self.loops: list[ForLoop] = []

    def of(self, items: Sequence[str], notes: Mapping[str, str]) -> list[Noted]:
        """The assignments of some wires and named operations, in this order as far as they
        do not read each other; those of ports are last.

        notes: on the items.  The assignments that are written as loops are in `loops`
        afterwards."""
        self.notes, self.to_write, self.text, self.loops = notes, set(items), [], []
        ports = {wire.name for wire in self.netlist.ports}
        for name in sorted(items, key=lambda item: (item in ports, item in self.netlist.nets)):
            self._item(name)
        return self.text

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
        head = f"wire{bits_of(net.width)} {self.names[wire]} = "
        if wire in self.declared:
            head = f"assign {self.names[wire]} = "
        self._write(head, self.operations.operation(net), wire)

    def _wire(self, name: str) -> None:
        places, wire = self.by_wire[name], self.netlist.wires[name]
        at_once = len(places) == 1 and self._is_whole(places[0])
        declared = f"{attributes(wire.attributes)}wire{bits_of(wire.width)} {self.names[name]}"
        if name not in self.declared and not at_once:  # its slices may depend on each other
            self._say([f"{INDENT}{declared};"], name)
        for place in places:
            self._reads(self.netlist.assigned[place][1])
        for place in places:
            if place in self.done:
                continue
            self.done.add(place)
            left, right = self.netlist.assigned[place]
            target, value = self.operations.of(left), self.operations.of(right)
            turns = loop(target, value) if isinstance(target, Name) else None
            head = f"assign {target.text} = "
            if at_once and name not in self.declared:
                head = f"{declared} = "
                if turns:
                    self._say([f"{INDENT}{declared};"], name)
            if turns:
                self.loops.append(turns)
                continue
            self._write(head, value, name)

    def _write(self, head: str, value: Expression, item: str) -> None:
        self._say(statement(head, value, ";", INDENT), item)

    def _say(self, lines: list[str], item: str) -> None:
        """Add lines.  A note stands at the first assignment of an item, unless its declaration had
        it."""
        note = self.notes.get(item, "") if item not in self.noted else ""
        self.noted.add(item)
        self.text.append((lines, note))

    def _is_whole(self, place: int) -> bool:
        left, _ = self.netlist.assigned[place]
        return len(left) == 1 and left[0].width == self.netlist.wires[str(left[0].wire)].width
