"""Writes one module: entity and architecture, whose sections are those of the Verilog."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

from modmul.export.remarks import Remarks
from modmul.export.verilog import memories
from modmul.export.verilog.assignments import Assignment, Assignments
from modmul.export.verilog.contents import ModuleContents, Part
from modmul.export.verilog.declarations import INDENT, Noted, comment, noted
from modmul.export.verilog.expressions import COLUMNS
from modmul.export.verilog.loops import ForLoop
from modmul.export.verilog.netlist import Netlist
from modmul.export.verilog.rtlil import Cell, Wire
from modmul.export.verilog.sections import Section
from modmul.export.verilog.sizes import Formula
from modmul.export.vhdl.clocked import process
from modmul.export.vhdl.expressions import Printer, bits_of, digits
from modmul.export.vhdl.instances import Entity, Instances, generic
from modmul.export.vhdl.names import Names
from modmul.export.vhdl.text import MARK, alternatives, kind, lines


class EntityText(ModuleContents):
    """The text of one module in the making.

    name: of the entity.  entities: those of the modules of the same text, by their names in
    Verilog.  meanings: of its ports, if they are known outside: then they are
    `std_logic_vector`."""

    def __init__(
        self,
        netlist: Netlist,
        name: str,
        package: str,
        remarks: Remarks,
        meanings: Mapping[str, str] | None,
    ):
        super().__init__(netlist, remarks, meanings)
        self.name, self.package, self.public = name, package, meanings is not None
        known, ports = self.naming.names, self.netlist.ports
        kept = [*netlist.parameters, *(known[port.name] for port in ports if self.public)]
        self.names = Names(kept, known.values())
        self.inner: dict[str, str] = {}
        vectors = set[str]()
        for port in ports:
            own = known[port.name]
            if port.direction == "input":
                vectors |= {own} if self.public else set()
            elif self._is_copied(port):
                self.inner[own] = self.names.free(f"{own}_value")
        self.printer = Printer(self.names.known, vectors, self.inner)

    @property
    def entity(self) -> Entity:
        ports = {
            port.name[1:]: (self.names[self.naming.names[port.name]], port)
            for port in self.netlist.ports
        }
        return Entity(self.name, self.public, ports, frozenset(self.netlist.parameters))

    def _is_copied(self, port: Wire) -> bool:
        """Whether an output is the copy of a signal, since VHDL-93 does not read outputs."""
        vector = self.public and port.width != 1
        return vector or port.name in self.registered or self._is_read(port.name)

    def _is_read(self, wire: str) -> bool:
        """Whether a wire is read; at pins of one instance it is driven, unless something else
        drives it."""
        instances = [
            cell
            for cell in self.netlist.instances
            if any(chunk.wire == wire for signal in cell.pins.values() for chunk in signal)
        ]
        pins = {id(signal) for cell in instances for signal in cell.pins.values()}
        others = (signal for signal in self.netlist.read() if id(signal) not in pins)
        driven = wire in self.assigned
        return len(instances) > 1 - driven or any(
            chunk.wire == wire for signal in others for chunk in signal
        )

    # ---- the whole -----------------------------------------------------------------------------

    def text(self, entities: Mapping[str, Entity], same: str = "") -> str:
        """Entity and architecture with the comments above them, on sections and on ports.

        entities: those that it may contain, by their names in Verilog.  same: see
        `Remarks.text`."""
        driven = self.assigned | self.registered | self.outer
        instances = Instances(self.operations, self.printer, self.names, entities, driven)
        every = [port.name for port in self.netlist.ports if port.direction == "output"]
        declared = chain(self.netlist.wires, self.netlist.nets)
        logic = Assignments(self.netlist, self.operations, [*declared])
        declarations, body = list[list[str]](), list[list[str]]()
        for part in self.parts():
            statements = [
                *self._logic(part, logic),
                *self._clocked(part),
                *(self._instance(cell, part.section, instances) for cell in part.instances),
            ]
            for blocks, own in ((declarations, self._declared(part)), (body, statements)):
                own = [block for block in own if block]
                if own and part.section.title:
                    own[0] = [f"{INDENT}{MARK} ---- {part.section.title}", *own[0]]
                blocks += own
        body.append([line for name in every for line in self._copied(name)])
        declarations = [*instances.components.values(), *declarations, instances.signals]
        marks = [
            f"{INDENT}attribute {name} of rtl : architecture is {value};"
            for name, value in _marks(self.netlist.attributes)
        ]
        marks += [line for cell in self.netlist.memories for line in self._marked(cell)]
        kinds = dict.fromkeys(line.split()[1] for line in marks)
        blocks = [*declarations, [f"{INDENT}attribute {name} : string;" for name in kinds] + marks]
        head = self._head(bool(instances.components))
        return (
            self.remarks.text(same).replace("//", MARK)
            + "\n".join([*head, f"architecture rtl of {self.name} is", ""])
            + "\n".join(["\n\n".join("\n".join(lines) for lines in blocks if lines), "begin", ""])
            + "\n\n".join("\n".join(lines) for lines in body if lines)
            + "\nend architecture;\n"
        )

    def _head(self, blocks: bool) -> list[str]:
        """The lines up to the architecture.  blocks: whether there are components, which are bound
        to the models of their name in the same library."""
        libraries = [
            "library ieee;",
            "use ieee.std_logic_1164.all;",
            "use ieee.numeric_std.all;",
            f"use work.{self.package}.all;",
            *(["use work.all;  -- for simulation: models of components"] if blocks else []),
            "",
        ]
        ports = self.netlist.ports
        names = {port.name: self.names[self.naming.names[port.name]] for port in ports}
        widest = max(map(len, names.values()))
        declared = [
            f"{names[port.name]:{widest}} : {'in ' if port.direction == 'input' else 'out'} "
            f"{kind(port.width, vector=self.public)}{';' * (port is not ports[-1])}"
            for port in ports
        ]
        column = max(map(len, declared))
        text = list[str]()
        for port, line in zip(ports, declared, strict=True):
            meaning = self.meaning(self.naming.names[port.name])
            whole = (
                f"{INDENT * 2}{line:{column}}  {MARK} {meaning}" if meaning else INDENT * 2 + line
            )
            if len(whole) > COLUMNS:
                text += [*(INDENT + above for above in comment(meaning, MARK)), INDENT * 2 + line]
            else:
                text.append(whole)
        generics = [generic(name, str(value)) for name, value in self.netlist.parameters.items()]
        return [
            *libraries,
            f"entity {self.name} is",
            *([f"{INDENT}generic (", *_each(generics), f"{INDENT});"] if generics else []),
            f"{INDENT}port (",
            *text,
            f"{INDENT});",
            "end entity;",
            "",
        ]

    # ---- declarations --------------------------------------------------------------------------

    def _declared(self, part: Part) -> list[list[str]]:
        section, memory = part.section, {cell.name for cell in part.memories}
        signals = [item for item in section.items if item not in memory | self.instances.keys()]
        return [
            noted([self._signal(item, section) for item in signals], MARK),
            *(noted([self._memory(cell, section)], MARK) for cell in part.memories),
        ]

    def _signal(self, item: str, section: Section) -> Noted:
        """A signal with its note; empty for a port that is none."""
        name = self.naming.names.get(item)
        if name is None or (item in self.outer and name not in self.inner):
            return [], ""
        wire, net = self.netlist.wires.get(item), self.netlist.nets.get(item)
        width = net.width if net else self.naming.sizes[item]
        init = ""
        if wire and wire.init and item in self.registered:
            value = f"'{digits(wire.init)}'" if width == 1 else bits_of(wire.init, width)
            init = f" := {value}"
        own = self.inner.get(name) or self.names[name]
        note = section.notes.get(item, "") if item not in self.outer else ""
        return [f"{INDENT}signal {own} : {kind(width)}{init};"], note

    def _memory(self, cell: Cell, section: Section) -> Noted:
        name, (bits, size) = self.names[self.naming.names[cell.name]], memories.shape(cell)
        words = memories.words(cell)
        array = self.names.free(f"{name}_words")
        vector = f"unsigned({bits - 1} downto 0)"
        last = self._last(cell, size)
        text = [f"{INDENT}type {array} is array (natural range 0 to {last}) of {vector};"]
        declared = f"{INDENT}signal {name} : {array}"
        if not words:
            text.append(f"{declared};")
        elif len(set(words)) == 1 and len(set(words[0])) == 1:
            text.append(f"{declared} := (others => (others => '{words[0][0]}'));")
        else:
            rows = [f"{place} => {_word(word)}" for place, word in enumerate(words)]
            rows += ["others => (others => '0')"] * (last != str(size - 1))
            text += [f"{declared} := (", *_each(rows, ","), f"{INDENT});"]
        return text, section.notes.get(cell.name, "")

    def _last(self, cell: Cell, size: int) -> str:
        """The last place of the array, which has one for each address."""
        widths = {
            sum(chunk.width for chunk in net.cell.pins["A"])
            for net in self.netlist.nets.values()
            if net.cell.parameters.get("MEMORY") == cell.name
        }
        widths |= {sum(chunk.width for chunk in port.address) for port in memories.writes(cell)}
        formulas = [width for width in widths if isinstance(width, Formula)]
        if formulas:
            width = str(formulas[0])
            return f"2**{width if width.isidentifier() else f'({width})'} - 1"
        return str(max(size, 2 ** max(widths, default=1)) - 1)

    def _marked(self, cell: Cell) -> Iterator[str]:
        name = self.names[self.naming.names[cell.name]]
        for mark, value in _marks(cell.attributes):
            yield f"{INDENT}attribute {mark} of {name} : signal is {value};"

    # ---- statements ----------------------------------------------------------------------------

    def _logic(self, part: Part, logic: Assignments) -> list[list[str]]:
        assigned = logic.of(part.section.items)
        loops: dict[int, list[ForLoop]] = {}
        for assignment in assigned:
            if loop := assignment.loop:
                loops.setdefault(loop.count, []).append(loop)
        plain = [line for each in assigned if not each.loop for line in self._assigned(each)]
        return [plain, *(self._loop(alike) for alike in loops.values())]

    def _assigned(self, assignment: Assignment) -> list[str]:
        if assignment.value is None:
            return []
        before = f"{self.printer.target(assignment.target)} <= "
        return alternatives(before, self.printer.alternatives(assignment.value), INDENT)

    def _loop(self, alike: Sequence[ForLoop]) -> list[str]:
        index, count = self.names.free("i"), alike[0].count
        text = [
            f"{INDENT}{self.names.free(f'for_{count}')} : for {index} in 0 to {count - 1} generate"
        ]
        for loop in alike:
            target, value = loop.turn(index)
            before = f"{self.printer.target(target)} <= "
            text += alternatives(before, self.printer.alternatives(value), INDENT * 2)
        return [*text, f"{INDENT}end generate;"]

    def _clocked(self, part: Part) -> Iterator[list[str]]:
        for clock, values in self.next_values(part.registers).items():
            yield process(self.printer.bit(clock).text, values, self.printer, INDENT)
        for cell in part.memories:
            written, values = self.writes(cell)
            if written:
                yield process(self.printer.bit(written).text, values, self.printer, INDENT)

    def _instance(self, cell: Cell, section: Section, instances: Instances) -> list[str]:
        text = instances.lines(cell, self.names[self.naming.names[cell.name]])
        return noted([(text, section.notes.get(cell.name, cell.note))], MARK)

    def _copied(self, name: str) -> list[str]:
        """The assignment of an output that is the copy of a signal."""
        own, width = self.naming.names[name], self.netlist.wires[name].width
        if own not in self.inner:
            return []
        value = self.inner[own]
        value = f"std_logic_vector({value})" if self.public and width != 1 else value
        return lines(f"{self.names[own]} <= {value};", INDENT)


def _each(items: Sequence[str], end: str = ";") -> list[str]:
    return [f"{INDENT * 2}{item}{end * (item is not items[-1])}" for item in items]


def _word(bits: str) -> str:
    """A word of a memory; bits without a value are 0, as synthesis would choose."""
    return bits_of(bits.replace("x", "0"), len(bits))


def _marks(attributes: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for name, value in attributes.items():
        yield name, value if value.startswith('"') else '"yes"'
