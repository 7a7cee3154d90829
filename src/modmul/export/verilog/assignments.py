"""Assignments, each after the wires that it reads."""

from __future__ import annotations

from modmul.export.verilog.declarations import INDENT, attributes, bits_of
from modmul.export.verilog.expressions import statement
from modmul.export.verilog.netlist import Netlist
from modmul.export.verilog.operations import Operations
from modmul.export.verilog.rtlil import Signal


class Assignments:
    """The wires of a module that logic drives, each declared where it is assigned."""

    def __init__(self, netlist: Netlist, operations: Operations):
        self.netlist, self.operations, self.names = netlist, operations, operations.names
        self.done: set[int | str] = set()
        self.by_wire: dict[str, list[int]] = {}
        for place, (left, _) in enumerate(self.netlist.assigned):
            for chunk in left:
                self.by_wire.setdefault(str(chunk.wire), []).append(place)
        self.text: list[str] = []

    def lines(self) -> list[str]:
        """All of them; those of inner wires in the order of their names in the source."""
        names = sorted(self.netlist.nets, key=lambda wire: wire not in self.names)
        wires = [w.name for w in self.netlist.wires.values() if w.name in self.by_wire]
        inner = [name for name in wires if not self.netlist.wires[name].direction]
        outer = [name for name in wires if self.netlist.wires[name].direction]
        for name in inner:
            self._wire(name)
        for name in names:
            if name in self.names:
                self._net(name)
        for name in outer:
            self._wire(name)
        return self.text

    def _reads(self, signal: Signal) -> None:
        """Write what a signal reads before it."""
        todo = [signal]
        for inner in todo:
            for chunk in inner:
                wire = str(chunk.wire)
                if wire in self.netlist.nets:
                    if wire in self.names:
                        self._net(wire)
                    else:
                        todo += self.netlist.nets[wire].cell.pins.values()
                elif wire in self.by_wire:
                    self._wire(wire)

    def _net(self, wire: str) -> None:
        if wire in self.done:
            return
        self.done.add(wire)
        net = self.netlist.nets[wire]
        for signal in net.cell.pins.values():
            self._reads(signal)
        value = self.operations.operation(net)
        head = f"wire{bits_of(net.width)} {self.names[wire]} = "
        self.text += statement(head, value, ";", INDENT)

    def _wire(self, name: str) -> None:
        """All assignments to a named wire."""
        if name in self.done:
            return
        self.done.add(name)
        places, wire = self.by_wire[name], self.netlist.wires[name]
        whole = len(places) == 1 and self._is_whole(places[0])
        declared, kept = bool(wire.direction), attributes(wire.attributes)
        if not declared and not whole:  # its slices may depend on each other
            self.text.append(f"{INDENT}{kept}wire{bits_of(wire.width)} {self.names[name]};")
        for place in places:
            self._reads(self.netlist.assigned[place][1])
        for place in places:
            if place in self.done:
                continue
            self.done.add(place)
            left, right = self.netlist.assigned[place]
            head = f"assign {self.operations.of(left).text} = "
            if whole and not declared:
                head = f"{kept}wire{bits_of(wire.width)} {self.names[name]} = "
            self.text += statement(head, self.operations.of(right), ";", INDENT)

    def _is_whole(self, place: int) -> bool:
        left, _ = self.netlist.assigned[place]
        return len(left) == 1 and left[0].width == self.netlist.wires[str(left[0].wire)].width
