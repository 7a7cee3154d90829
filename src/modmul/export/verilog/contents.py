"""Divides what a module contains among its sections, for the text in any language."""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import NamedTuple

from modmul.export.remarks import Remarks
from modmul.export.verilog import memories
from modmul.export.verilog.clocked import Assign, If, Statement, next_values
from modmul.export.verilog.expressions import BitLiteral, Expression, MemoryWord
from modmul.export.verilog.naming import Naming
from modmul.export.verilog.netlist import Netlist
from modmul.export.verilog.operations import NetExpressions
from modmul.export.verilog.rtlil import Cell
from modmul.export.verilog.sections import Section, sections


class Part(NamedTuple):
    """A section with its registers, memories and instances."""

    section: Section
    registers: list[Cell]
    memories: list[Cell]
    instances: list[Cell]


class ModuleContents:
    """The contents of one module, with their names.

    meanings: of its ports, if they are known outside.  registered, assigned: the wires that
    registers and assignments drive.  outer: its ports.  unused: the names of inputs that it does
    not read."""

    def __init__(self, netlist: Netlist, remarks: Remarks, meanings: Mapping[str, str] | None):
        self.netlist, self.remarks, self.meanings = netlist, remarks, meanings or {}
        self.naming = Naming(netlist)
        self.operations = NetExpressions(netlist, self.naming.names, self.naming.sizes)
        self.registered = {
            str(chunk.wire) for cell in netlist.registers for chunk in cell.pins["Q"]
        }
        self.memories = {cell.name: cell for cell in netlist.memories}
        self.instances = {cell.name: cell for cell in netlist.instances}
        self.assigned = {str(chunk.wire) for left, _ in netlist.assigned for chunk in left}
        self.outer = {wire.name for wire in netlist.ports}
        self.read = {chunk.wire for signal in netlist.read() for chunk in signal}
        self.read |= {c.wire for cell in netlist.registers for c in cell.pins["CLK"]}
        self.unused = {
            self.naming.names[wire.name]
            for wire in netlist.ports
            if wire.direction == "input" and wire.name not in self.read
        }

    def parts(self) -> list[Part]:
        """The sections in order.  A register stands in the last one that has a part of it."""
        divided = sections(self.netlist, self.naming.names, self.remarks.sections)
        place = {item: where for where, section in enumerate(divided) for item in section.items}
        at = [
            max(place[str(chunk.wire)] for chunk in cell.pins["Q"])
            for cell in self.netlist.registers
        ]
        return [
            Part(
                section,
                [
                    cell
                    for cell, own in zip(self.netlist.registers, at, strict=True)
                    if own == where
                ],
                [self.memories[item] for item in section.items if item in self.memories],
                [self.instances[item] for item in section.items if item in self.instances],
            )
            for where, section in enumerate(divided)
        ]

    def meaning(self, port: str) -> str:
        """The comment on a port: by its name, by a pattern, or from outside."""
        notes = self.remarks.ports
        by_pattern = (note for name, note in notes.items() if fnmatchcase(port, name))
        note = notes.get(port) or next(by_pattern, "")
        if not note and self.meanings and port in self.unused:
            return "not used"
        return note or self.meanings.get(port, "")

    def is_driven_by_instance(self, item: str) -> bool:
        others = (self.assigned, self.registered, self.memories, self.instances, self.outer)
        return item not in self.netlist.nets and not any(item in group for group in others)

    def next_values(self, registers: list[Cell]) -> dict[Expression, list[Statement]]:
        """The assignments of registers, by their clock.  Raises ValueError for one with a falling
        edge."""
        clocks: dict[Expression, list[Statement]] = {}
        for cell in registers:
            if not cell.number("CLK_POLARITY"):
                raise ValueError(f"register {cell.name}: a falling edge is not understood")
            clock = self.operations.of(cell.pins["CLK"])
            clocks.setdefault(clock, []).extend(next_values(cell, self.operations))
        return clocks

    def writes(self, cell: Cell) -> tuple[Expression | None, list[Statement]]:
        """The clock of a memory, None if nothing writes it, and the assignments of its words."""
        writes, statements = list(memories.writes(cell)), list[Statement]()
        name, (bits, _) = self.naming.names[cell.name], memories.shape(cell)
        for write in writes:
            data, address = self.operations.of(write.data), self.operations.of(write.address)
            word = MemoryWord(data.width, name, address, write.low, bits)
            assign, enable = Assign(word, data), self.operations.of(write.enable)
            always = isinstance(enable, BitLiteral)
            statements.append(assign if always else If(enable, [assign]))
        return (self.operations.of(writes[0].clock) if writes else None), statements
