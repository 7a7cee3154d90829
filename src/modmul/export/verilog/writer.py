"""A design as Verilog-2005, in the order in which one reads it: ports, registers, logic, clocked
blocks, instances."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from modmul.export.verilog import clocked, memories, rtlil
from modmul.export.verilog.aliases import label_ports
from modmul.export.verilog.assignments import Assignments
from modmul.export.verilog.declarations import INDENT, attributes, bits_of, constant
from modmul.export.verilog.expressions import Constant
from modmul.export.verilog.instances import instance
from modmul.export.verilog.naming import Naming
from modmul.export.verilog.netlist import Netlist
from modmul.export.verilog.operations import Operations
from modmul.export.verilog.rtlil import Cell, Wire
from modmul.export.verilog.sorting import sorted_out


def verilog(
    design: str,
    order: Mapping[str, Sequence[str]],
    notes: Mapping[str, str],
    meanings: Mapping[str, Mapping[str, str]],
) -> str:
    """The text of a design given as RTLIL without processes.

    order: of the names in a module, as they stand in the source.  notes: what is said above a
    module.  meanings: of the ports of the modules that are known outside.  ValueError for what
    cannot be written."""
    ports: dict[str, dict[str, str]] = {}
    made = [_Module(netlist, ports) for netlist in _netlists(design, order, meanings)]
    for one in made:
        ports[one.netlist.name] = {
            port.name[1:]: one.naming.found[port.name] for port in one.netlist.ports
        }
    return "\n".join(
        one.text(notes.get(one.netlist.name, ""), meanings.get(one.netlist.name, {}))
        for one in made
    )


def plain_names(
    design: str, order: Mapping[str, Sequence[str]], public: Collection[str]
) -> dict[str, dict[str, str]]:
    """What everything that keeps a name is called in the text, by module and name in RTLIL.

    public: the modules whose ports are known outside."""
    return {one.name: Naming(one).found for one in _netlists(design, order, public)}


def _netlists(
    design: str, order: Mapping[str, Sequence[str]], public: Collection[str]
) -> list[Netlist]:
    netlists = [sorted_out(module, order.get(module.name, ())) for module in rtlil.read(design)]
    label_ports(netlists, public)
    return netlists


class _Module:
    """One module on its way to text."""

    def __init__(self, netlist: Netlist, ports: Mapping[str, Mapping[str, str]]):
        self.netlist, self.ports = netlist, ports
        self.naming = Naming(netlist)
        self.operations = Operations(netlist, self.naming.found, self.naming.sizes)
        self.registered = {
            str(chunk.wire) for cell in netlist.registers for chunk in cell.pins["Q"]
        }

    def text(self, note: str, meanings: Mapping[str, str]) -> str:
        """The module, with what is said above it and of its ports."""
        sections = [
            self._head(meanings),
            self._declared_registers(),
            [line for memory in self.netlist.memories for line in self._memory(memory)],
            self._outputs_of_instances(),
            self._logic(),
            *self._clocked(),
            *(instance(cell, self.operations, self.ports) for cell in self.netlist.instances),
        ]
        filled = ["\n".join(lines) for lines in sections if lines]
        body = "\n\n".join(filled)
        return f"{note}{body}\nendmodule\n"

    def _head(self, meanings: Mapping[str, str]) -> list[str]:
        given = attributes(self.netlist.attributes).rstrip()
        ports = self.netlist.ports
        declared = [self._port(port) + "," * (port is not ports[-1]) for port in ports]
        widest = max(map(len, declared))
        lines = []
        for port, text in zip(ports, declared, strict=True):
            meaning = meanings.get(self.naming.found[port.name])
            said = f"{text:{widest}}  // {meaning}" if meaning else text
            lines.append(f"{INDENT}{said}")
        return [*filter(None, [given]), f"module {self.netlist.name} (", *lines, ");"]

    def _port(self, port: Wire) -> str:
        kind = "reg" if port.name in self.registered else "wire"
        init = f" = {constant(port.init)}" if kind == "reg" and port.init else ""
        declared = f"{port.direction} {kind}{bits_of(port.width)} {self.naming.found[port.name]}"
        return f"{attributes(port.attributes)}{declared}{init}"

    def _declared_registers(self) -> list[str]:
        lines = []
        for name, bits in self.naming.sizes.items():
            wire = self.netlist.wires.get(name)
            if name in self.registered and not (wire and wire.direction):
                init = f" = {constant(wire.init)}" if wire and wire.init else ""
                declared = f"reg{bits_of(bits)} {self.naming.found[name]}{init};"
                lines.append(f"{INDENT}{attributes(wire.attributes if wire else {})}{declared}")
        return lines

    def _memory(self, cell: Cell) -> list[str]:
        name, bits, size = self.naming.found[cell.name], cell.number("WIDTH"), cell.number("SIZE")
        lines = [f"{INDENT}{attributes(cell.attributes)}".rstrip()] if cell.attributes else []
        lines.append(f"{INDENT}reg{bits_of(bits)} {name} [0:{size - 1}];")
        words = memories.words(cell)
        if words and len(set(words)) == 1:
            index = self.naming.index[cell.name]
            lines += [
                f"{INDENT}integer {index};",
                f"{INDENT}initial",
                f"{INDENT * 2}for ({index} = 0; {index} < {size}; {index} = {index} + 1)",
                f"{INDENT * 3}{name}[{index}] = {constant(words[0])};",
            ]
        elif words:
            given = [f"{INDENT * 2}{name}[{place}] = {constant(word)};"
                     for place, word in enumerate(words)]
            lines += [f"{INDENT}initial begin", *given, f"{INDENT}end"]
        return lines

    def _outputs_of_instances(self) -> list[str]:
        """Wires that instances drive."""
        driven = {str(c.wire) for left, _ in self.netlist.assigned for c in left}
        lines, seen = [], set[str]()
        for cell in self.netlist.instances:
            for signal in cell.pins.values():
                for chunk in signal:
                    name = chunk.wire
                    if name is None or name in seen or name in driven | self.registered:
                        continue
                    wire = self.netlist.wires.get(name)
                    if name in self.netlist.nets or (wire and wire.direction):
                        continue
                    seen.add(name)
                    bits = bits_of(self.naming.sizes[name])
                    kept = attributes(wire.attributes if wire else {})
                    lines.append(f"{INDENT}{kept}wire{bits} {self.naming.found[name]};")
        return lines

    def _logic(self) -> list[str]:
        """Assignments, each after the wires that it reads."""
        return Assignments(self.netlist, self.operations).lines()

    def _clocked(self) -> Iterator[list[str]]:
        """A block for each clock, then one for what writes to each memory."""
        clocks: dict[str, list[Cell]] = {}
        for cell in self.netlist.registers:
            if not cell.number("CLK_POLARITY"):
                raise ValueError(f"register {cell.name}: a falling edge is not understood")
            clocks.setdefault(self.operations.of(cell.pins["CLK"]).text, []).append(cell)
        for clock, cells in clocks.items():
            values = (one for cell in cells for one in clocked.next_values(cell, self.operations))
            yield clocked.block(clock, values, INDENT)
        for cell in self.netlist.memories:
            writes = list(memories.writes(cell))
            if writes:
                yield self._writes(cell, writes)

    def _writes(self, cell: Cell, writes: list[memories.Write]) -> list[str]:
        statements = []
        for write in writes:
            word = f"{self.naming.found[cell.name]}[{self.operations.of(write.address).text}]"
            data = self.operations.of(write.data)
            if data.width < cell.number("WIDTH"):
                word += f"[{write.low + data.width - 1}:{write.low}]"
            assign = clocked.Assign(word, data)
            enable = self.operations.of(write.enable)
            always = isinstance(enable, Constant)
            statements.append(assign if always else clocked.If(enable, [assign]))
        clock = self.operations.of(writes[0].clock).text
        return clocked.block(clock, statements, INDENT)
