"""Writes one module: its ports, then, section by section, registers, memories, logic, clocked
blocks and instances."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase

from modmul.export.remarks import Remarks
from modmul.export.verilog import clocked, loops, memories
from modmul.export.verilog.assignments import Assignments
from modmul.export.verilog.declarations import (
    INDENT,
    Noted,
    attributes,
    bits_of,
    comment,
    noted,
    parameter,
)
from modmul.export.verilog.expressions import COLUMNS, BitLiteral
from modmul.export.verilog.instances import filled, instance
from modmul.export.verilog.loops import ForLoop
from modmul.export.verilog.naming import Naming
from modmul.export.verilog.netlist import Netlist
from modmul.export.verilog.operations import NetExpressions
from modmul.export.verilog.rtlil import Cell, Wire
from modmul.export.verilog.sections import Section, sections

_MANY = 8  # with so many instances of one module, each has several pins on a line


class ModuleText:
    """The text of one module in the making.

    ports: of the modules of the same text, see `instance`.  meanings: of its own ports, if they are
    known outside."""

    def __init__(
        self,
        netlist: Netlist,
        ports: Mapping[str, Mapping[str, str]],
        remarks: Remarks,
        meanings: Mapping[str, str] | None,
    ):
        self.netlist, self.ports, self.remarks = netlist, ports, remarks
        self.meanings = meanings or {}
        self.naming = Naming(netlist)
        self.operations = NetExpressions(netlist, self.naming.names, self.naming.sizes)
        self.registered = {
            str(chunk.wire) for cell in netlist.registers for chunk in cell.pins["Q"]
        }
        self.memories = {cell.name: cell for cell in netlist.memories}
        self.instances = {cell.name: cell for cell in netlist.instances}
        self.copies = Counter(cell.kind for cell in netlist.instances)
        self.assigned = {str(chunk.wire) for left, _ in netlist.assigned for chunk in left}
        self.outer = {wire.name for wire in netlist.ports}
        read = {chunk.wire for signal in netlist.read() for chunk in signal}
        read |= {c.wire for cell in netlist.registers for c in cell.pins["CLK"]}
        self.unused = {
            self.naming.names[wire.name]
            for wire in netlist.ports
            if wire.direction == "input" and wire.name not in read
        }

    def text(self, same: str = "") -> str:
        """The module with the comments above it, on its sections and on its ports.  same:
        see `Remarks.text`."""
        parts = sections(self.netlist, self.naming.names, self.remarks.sections)
        place = {item: where for where, section in enumerate(parts) for item in section.items}
        ahead = [item for section in parts for item in section.ahead if item not in self.outer]
        logic = Assignments(self.netlist, self.operations, ahead)
        blocks = [self._head(), self._ahead(parts)]
        for where, section in enumerate(parts):
            registers = [
                cell
                for cell in self.netlist.registers
                if max(place[str(chunk.wire)] for chunk in cell.pins["Q"]) == where
            ]
            blocks += self._section(section, logic, registers)
        body = "\n\n".join("\n".join(lines) for lines in blocks if lines)
        return f"{self.remarks.text(same)}{body}\nendmodule\n"

    def _section(
        self, section: Section, logic: Assignments, registers: list[Cell]
    ) -> Iterator[list[str]]:
        items = [item for item in section.items if item not in section.ahead]
        memory = [self.memories[item] for item in section.items if item in self.memories]
        wires = [item for item in items if self._is_driven_by_instance(item)]
        blocks = [
            noted([self._declared(item, section) for item in items if item in self.registered]),
            noted([self._declared(item, section) for item in items if item in self.memories]),
            noted([self._declared(item, section) for item in wires]),
            noted(logic.of(section.items, section.notes)),
            *self._loops(logic.loops),
            *self._clocked(registers),
            *filter(None, map(self._writes, memory)),
            *(self._instance(item, section) for item in section.items if item in self.instances),
        ]
        blocks = [lines for lines in blocks if lines]
        if section.title and blocks:
            blocks[0] = [f"{INDENT}// ---- {section.title}", *blocks[0]]
        yield from blocks

    def _loops(self, every: Sequence[ForLoop]) -> Iterator[list[str]]:
        by_count: dict[int, list[ForLoop]] = {}
        for loop in every:
            by_count.setdefault(loop.count, []).append(loop)
        for count, alike in by_count.items():
            yield loops.block(alike, self.naming.free("i"), self.naming.free(f"for_{count}"))

    def _ahead(self, parts: list[Section]) -> list[str]:
        """The declarations of items that are read before their own section."""
        declared = [self._declared(item, section) for section in parts for item in section.ahead]
        if not any(lines for lines, _ in declared):
            return []
        return [f"{INDENT}// ---- read ahead of the section that drives them", *noted(declared)]

    def _head(self) -> list[str]:
        marks = attributes(self.netlist.attributes).rstrip()
        ports = self.netlist.ports
        declared = [self._port(port) + "," * (port is not ports[-1]) for port in ports]
        widest = max(map(len, declared))
        lines = []
        for port, text in zip(ports, declared, strict=True):
            meaning = self._meaning(self.naming.names[port.name])
            line = f"{INDENT}{text:{widest}}  // {meaning}" if meaning else INDENT + text
            lines += [line] if len(line) <= COLUMNS else [*comment(meaning), INDENT + text]
        return [*filter(None, [marks]), *self._beginning(), *lines, ");"]

    def _beginning(self) -> list[str]:
        """The lines up to the ports."""
        values = self.netlist.parameters.items()
        parameters = [f"parameter {key} = {parameter(str(value))}" for key, value in values]
        begin = f"module {self.netlist.name} "
        line = begin + f"#({', '.join(parameters)}) " * bool(parameters) + "("
        if len(line) <= COLUMNS or not parameters:
            return [line]
        return [f"{begin}#(", *filled(parameters), ") ("]

    def _meaning(self, port: str) -> str:
        """The comment on a port: by its name, by a pattern, or from outside."""
        notes = self.remarks.ports
        by_pattern = (note for name, note in notes.items() if fnmatchcase(port, name))
        note = notes.get(port) or next(by_pattern, "")
        if not note and self.meanings and port in self.unused:
            return "not used"
        return note or self.meanings.get(port, "")

    def _port(self, port: Wire) -> str:
        kind = "reg" if port.name in self.registered else "wire"
        init = f" = {BitLiteral(port.width, port.init).text}" if kind == "reg" and port.init else ""
        declared = f"{port.direction} {kind}{bits_of(port.width)} {self.naming.names[port.name]}"
        return f"{attributes(port.attributes)}{declared}{init}"

    def _declared(self, item: str, section: Section) -> Noted:
        """A register, memory or wire with its note; empty for a port or an instance."""
        if item in self.outer or item in self.instances:
            return [], ""
        note = section.notes.get(item, "")
        if item in self.memories:
            return self._memory(self.memories[item]), note
        wire, net = self.netlist.wires.get(item), self.netlist.nets.get(item)
        kind = "reg" if item in self.registered else "wire"
        initial = wire.init if wire and kind == "reg" else ""
        init = f" = {BitLiteral(wire.width, initial).text}" if wire and initial else ""
        marks = attributes(wire.attributes if wire else {})
        bits = bits_of(net.width if net else self.naming.sizes[item])
        return [f"{INDENT}{marks}{kind}{bits} {self.naming.names[item]}{init};"], note

    def _is_driven_by_instance(self, item: str) -> bool:
        others = (self.assigned, self.registered, self.memories, self.instances, self.outer)
        return item not in self.netlist.nets and not any(item in group for group in others)

    def _memory(self, cell: Cell) -> list[str]:
        name, (bits, size) = self.naming.names[cell.name], memories.shape(cell)
        lines = [f"{INDENT}{attributes(cell.attributes)}".rstrip()] if cell.attributes else []
        lines.append(f"{INDENT}reg{bits_of(bits)} {name} [0:{size - 1}];")
        words = memories.words(cell)
        if words and len(set(words)) == 1:
            index = self.naming.index[cell.name]
            lines += [
                f"{INDENT}integer {index};",
                f"{INDENT}initial",
                f"{INDENT * 2}for ({index} = 0; {index} < {size}; {index} = {index} + 1)",
                f"{INDENT * 3}{name}[{index}] = {BitLiteral(bits, words[0]).text};",
            ]
        elif words:
            assigned = [
                f"{INDENT * 2}{name}[{place}] = {BitLiteral(bits, word).text};"
                for place, word in enumerate(words)
            ]
            lines += [f"{INDENT}initial begin", *assigned, f"{INDENT}end"]
        return lines

    def _instance(self, item: str, section: Section) -> list[str]:
        cell = self.instances[item]
        lines = instance(cell, self.operations, self.ports, self.copies[cell.kind] >= _MANY)
        return noted([(lines, section.notes.get(item, cell.note))])

    def _clocked(self, registers: list[Cell]) -> Iterator[list[str]]:
        clocks: dict[str, list[Cell]] = {}
        for cell in registers:
            if not cell.number("CLK_POLARITY"):
                raise ValueError(f"register {cell.name}: a falling edge is not understood")
            clocks.setdefault(self.operations.of(cell.pins["CLK"]).text, []).append(cell)
        for clock, cells in clocks.items():
            values = (new for cell in cells for new in clocked.next_values(cell, self.operations))
            yield clocked.block(clock, values, INDENT)

    def _writes(self, cell: Cell) -> list[str]:
        writes, statements = list(memories.writes(cell)), list[clocked.Statement]()
        if not writes:
            return []
        for write in writes:
            word = f"{self.naming.names[cell.name]}[{self.operations.of(write.address).text}]"
            data = self.operations.of(write.data)
            if data.width < memories.shape(cell)[0]:
                word += f"[{write.low + data.width - 1}:{write.low}]"
            assign = clocked.Assign(word, data)
            enable = self.operations.of(write.enable)
            always = isinstance(enable, BitLiteral)
            statements.append(assign if always else clocked.If(enable, [assign]))
        clock = self.operations.of(writes[0].clock).text
        return clocked.block(clock, statements, INDENT)
