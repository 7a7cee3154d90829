"""Writes one module: its ports, then, section by section, registers, memories, logic, clocked
blocks and instances."""

from __future__ import annotations

import re
import textwrap
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
from modmul.export.verilog.loops import ForLoop
from modmul.export.verilog.naming import Naming
from modmul.export.verilog.netlist import Netlist
from modmul.export.verilog.operations import NetExpressions
from modmul.export.verilog.rtlil import Cell, Signal, Wire
from modmul.export.verilog.sections import Section, sections

_BINARY = 12  # longer constants at the pins of blocks are not written in binary
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
        return [f"{begin}#(", *_filled(parameters), ") ("]

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
        lines = _instance(cell, self.operations, self.ports, self.copies[cell.kind] >= _MANY)
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


def _instance(
    cell: Cell,
    operations: NetExpressions,
    ports: Mapping[str, Mapping[str, str]],
    short: bool = False,
) -> list[str]:
    """The lines of an instance.  ports: for modules of the same text, their ports in order,
    each with its name in RTLIL.  The pins of other cells are sorted, several on a line, with open
    pins last.  short: several pins on a line in any case, as for one of many instances."""
    known = ports.get(cell.kind)
    lines = [f"{INDENT}{attributes(cell.attributes)}".rstrip()] if cell.attributes else []
    lines += _beginning(cell, operations.names[cell.name])
    if known is None:
        pins = sorted(cell.pins, key=lambda pin: (_is_open(cell.pins[pin]), _natural(pin)))
        lines += _filled([f".{pin}({_pin(cell.pins[pin], operations)})" for pin in pins])
        return [*lines, f"{INDENT});"]
    pins = [pin for pin in known if pin in cell.pins]
    if short:
        lines += _filled([f".{known[pin]}({_pin(cell.pins[pin], operations)})" for pin in pins])
        return [*lines, f"{INDENT});"]
    for pin in pins:
        signal, end = cell.pins[pin], ")," if pin != pins[-1] else ")"
        if _is_open(signal):
            lines.append(f"{INDENT * 2}.{known[pin]}({end}")
        else:
            lines += operations.of(signal).lines(f".{known[pin]}(", end, INDENT * 2)
    return [*lines, f"{INDENT});"]


def _beginning(cell: Cell, name: str) -> list[str]:
    """The text of an instance before its pins."""
    if not cell.parameters:
        return [f"{INDENT}{cell.kind} {name} ("]
    parameters = [f".{key}({parameter(value)})" for key, value in cell.parameters.items()]
    line = f"{INDENT}{cell.kind} #({', '.join(parameters)}) {name} ("
    if len(line) <= COLUMNS:
        return [line]
    return [f"{INDENT}{cell.kind} #(", *_filled(parameters), f"{INDENT}) {name} ("]


def _is_open(signal: Signal) -> bool:
    return all(chunk.wire is None and set(chunk.bits) == {"z"} for chunk in signal)


def _pin(signal: Signal, operations: NetExpressions) -> str:
    """The connection of one pin.  Open pins are named, too: some tools report a missing pin
    as a mistake."""
    if _is_open(signal):
        return ""
    (first, *more) = signal
    if not more and first.wire is None and 1 < first.width <= _BINARY:
        return f"{first.width}'b{first.bits}"  # fields of a mode, not a number
    return operations.of(signal).text


def _natural(name: str) -> tuple[object, ...]:
    """A sorting key that puts A10 after A9."""
    match = re.fullmatch(r"(.*?)(\d*)", name)
    return (match[1], int(match[2] or -1)) if match else (name, -1)


def _filled(items: Sequence[str]) -> list[str]:
    """Items with commas between them, several on a line."""
    text = ", ".join(item.replace(" ", "\0") for item in items)
    indent = INDENT * 2
    lines = textwrap.wrap(
        text,
        COLUMNS,
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [line.replace("\0", " ") for line in lines]
