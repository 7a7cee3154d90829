"""Writes one module: its ports, then, section by section, registers, memories, logic, clocked
blocks and instances."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from modmul.export.remarks import Remarks
from modmul.export.verilog import clocked, loops, memories
from modmul.export.verilog.assignments import Assignment, Assignments
from modmul.export.verilog.contents import ModuleContents, Part
from modmul.export.verilog.declarations import (
    INDENT,
    Noted,
    attributes,
    bits_of,
    comment,
    filled,
    noted,
    parameter,
)
from modmul.export.verilog.expressions import COLUMNS, BitLiteral
from modmul.export.verilog.loops import ForLoop
from modmul.export.verilog.netlist import Netlist
from modmul.export.verilog.operations import NetExpressions
from modmul.export.verilog.rtlil import Cell, Signal, Wire
from modmul.export.verilog.sections import Section

_BINARY = 12  # longer constants at the pins of blocks are not written in binary
_MANY = 8  # with so many instances of one module, each has several pins on a line


class ModuleText(ModuleContents):
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
        super().__init__(netlist, remarks, meanings)
        self.ports = ports
        self.copies = Counter(cell.kind for cell in netlist.instances)

    def text(self, same: str = "") -> str:
        """The module with the comments above it, on its sections and on its ports.  same:
        see `Remarks.text`."""
        parts = self.parts()
        ahead = [item for part in parts for item in part.section.ahead if item not in self.outer]
        logic = Assignments(self.netlist, self.operations, ahead)
        blocks = [self._head(), self._ahead([part.section for part in parts])]
        for part in parts:
            blocks += self._section(part, logic, ahead)
        body = "\n\n".join("\n".join(lines) for lines in blocks if lines)
        return f"{self.remarks.text(same)}{body}\nendmodule\n"

    def _section(self, part: Part, logic: Assignments, ahead: Sequence[str]) -> Iterator[list[str]]:
        section = part.section
        items = [item for item in section.items if item not in section.ahead]
        wires = [item for item in items if self.is_driven_by_instance(item)]
        assigned = logic.of(section.items)
        blocks = [
            noted([self._declared(item, section) for item in items if item in self.registered]),
            noted([self._declared(item, section) for item in items if item in self.memories]),
            noted([self._declared(item, section) for item in wires]),
            noted(list(_assigned(assigned, logic, ahead, section.notes))),
            *self._loops([loop for assignment in assigned if (loop := assignment.loop)]),
            *self._clocked(part.registers),
            *filter(None, map(self._writes, part.memories)),
            *(self._instance(cell, section) for cell in part.instances),
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
            meaning = self.meaning(self.naming.names[port.name])
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
        return [f"{begin}#(", *filled(parameters, INDENT * 2), ") ("]

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

    def _instance(self, cell: Cell, section: Section) -> list[str]:
        lines = _instance(cell, self.operations, self.ports, self.copies[cell.kind] >= _MANY)
        return noted([(lines, section.notes.get(cell.name, cell.note))])

    def _clocked(self, registers: list[Cell]) -> Iterator[list[str]]:
        for clock, values in self.next_values(registers).items():
            yield clocked.block(clock.text, values, INDENT)

    def _writes(self, cell: Cell) -> list[str]:
        clock, writes = self.writes(cell)
        return clocked.block(clock.text, writes, INDENT) if clock else []


def _assigned(
    assignments: Sequence[Assignment],
    logic: Assignments,
    ahead: Sequence[str],
    notes: Mapping[str, str],
) -> Iterator[Noted]:
    """Assignments that are no loops, and declarations.  A note stands at the first of an item,
    unless it was declared `ahead` with its note."""
    done = set(ahead)
    for assignment in assignments:
        item = assignment.item
        if assignment.loop:
            if not assignment.alone or item in logic.declared:
                continue
            assignment = replace(assignment, value=None)
        yield logic.lines(assignment), notes.get(item, "") if item not in done else ""
        done.add(item)


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
        pairs = [f".{pin}({_pin(cell.pins[pin], operations)})" for pin in pins]
        lines += filled(pairs, INDENT * 2)
        return [*lines, f"{INDENT});"]
    pins = [pin for pin in known if pin in cell.pins]
    if short:
        pairs = [f".{known[pin]}({_pin(cell.pins[pin], operations)})" for pin in pins]
        lines += filled(pairs, INDENT * 2)
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
    return [f"{INDENT}{cell.kind} #(", *filled(parameters, INDENT * 2), f"{INDENT}) {name} ("]


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
