"""A design as Verilog-2005, in the order in which one reads it: ports, registers, logic, clocked
blocks, instances."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Collection, Iterator, Mapping, Sequence

from modmul.export.verilog import clocked, memories, rtlil
from modmul.export.verilog.aliases import label_ports
from modmul.export.verilog.expressions import COLUMNS, Constant, statement
from modmul.export.verilog.naming import Naming
from modmul.export.verilog.netlist import Netlist
from modmul.export.verilog.operations import Operations
from modmul.export.verilog.rtlil import Cell, Signal, Wire
from modmul.export.verilog.sorting import sorted_out

_INDENT = "  "
_CONSTANT = re.compile(r"(\d+)'([01xz]*)")


def verilog(
    design: str,
    order: Mapping[str, Sequence[str]],
    notes: Mapping[str, str],
    meanings: Mapping[str, Mapping[str, str]],
) -> str:
    """The text of a design given as RTLIL without processes.

    order: of the names in a module, as they stand in the source.  notes: what is said above a
    module.  meanings: of the ports of the modules that are known outside.  ValueError for what cannot be written."""
    ports: dict[str, dict[str, str]] = {}
    netlists = [
        sorted_out(module, order.get(module.name, ())) for module in rtlil.read(design)
    ]
    label_ports(netlists, meanings)
    made = [_Module(netlist, ports) for netlist in netlists]
    for one in made:
        ports[one.netlist.name] = {
            port.name[1:]: one.naming.found[port.name] for port in one.netlist.ports
        }
    names = [one.netlist.name for one in made]
    return "\n".join(
        one.text(notes.get(name, ""), meanings.get(name, {}))
        for name, one in zip(names, made, strict=True)
    )


def plain_names(
    design: str, order: Mapping[str, Sequence[str]], public: Collection[str]
) -> dict[str, dict[str, str]]:
    """What everything that keeps a name is called in the text, by module and name in RTLIL.

    public: the modules whose ports are known outside."""
    netlists = [sorted_out(module, order.get(module.name, ())) for module in rtlil.read(design)]
    label_ports(netlists, public)
    return {netlist.name: Naming(netlist, set()).found for netlist in netlists}


class _Module:
    """One module on its way to text."""

    def __init__(self, netlist: Netlist, ports: Mapping[str, Mapping[str, str]]):
        self.netlist, self.ports = netlist, ports
        self.naming = Naming(netlist, set())
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
            *(self._instance(cell) for cell in self.netlist.instances),
        ]
        filled = ["\n".join(lines) for lines in sections if lines]
        body = "\n\n".join(filled)
        return f"{note}{body}\nendmodule\n"

    def _head(self, meanings: Mapping[str, str]) -> list[str]:
        attributes = _attributes(self.netlist.attributes).rstrip()
        ports = self.netlist.ports
        declared = [self._port(port) + "," * (port is not ports[-1]) for port in ports]
        widest = max(map(len, declared))
        lines = []
        for port, text in zip(ports, declared, strict=True):
            meaning = meanings.get(self.naming.found[port.name])
            said = f"{text:{widest}}  // {meaning}" if meaning else text
            lines.append(f"{_INDENT}{said}")
        return [*filter(None, [attributes]), f"module {self.netlist.name} (", *lines, ");"]

    def _port(self, port: Wire) -> str:
        kind = "reg" if port.name in self.registered else "wire"
        init = f" = {_constant(port.init)}" if kind == "reg" and port.init else ""
        declared = f"{port.direction} {kind}{_range(port.width)} {self.naming.found[port.name]}"
        return f"{_attributes(port.attributes)}{declared}{init}"

    def _declared_registers(self) -> list[str]:
        lines = []
        for name, bits in self.naming.sizes.items():
            wire = self.netlist.wires.get(name)
            if name in self.registered and not (wire and wire.direction):
                init = f" = {_constant(wire.init)}" if wire and wire.init else ""
                declared = f"reg{_range(bits)} {self.naming.found[name]}{init};"
                lines.append(f"{_INDENT}{_attributes(wire.attributes if wire else {})}{declared}")
        return lines

    def _memory(self, cell: Cell) -> list[str]:
        name, bits, size = self.naming.found[cell.name], cell.number("WIDTH"), cell.number("SIZE")
        lines = [f"{_INDENT}{_attributes(cell.attributes)}".rstrip()] if cell.attributes else []
        lines.append(f"{_INDENT}reg{_range(bits)} {name} [0:{size - 1}];")
        words = memories.words(cell)
        if words and len(set(words)) == 1:
            index = f"{name}_word"
            lines += [
                f"{_INDENT}integer {index};",
                f"{_INDENT}initial",
                f"{_INDENT * 2}for ({index} = 0; {index} < {size}; {index} = {index} + 1)",
                f"{_INDENT * 3}{name}[{index}] = {_constant(words[0])};",
            ]
        elif words:
            given = [f"{_INDENT * 2}{name}[{place}] = {_constant(word)};"
                     for place, word in enumerate(words)]
            lines += [f"{_INDENT}initial begin", *given, f"{_INDENT}end"]
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
                    bits = _range(self.naming.sizes[name])
                    kept = _attributes(wire.attributes if wire else {})
                    lines.append(f"{_INDENT}{kept}wire{bits} {self.naming.found[name]};")
        return lines

    def _logic(self) -> list[str]:
        """Assignments, each after the wires that it reads."""
        made = _Ordered(self)
        return made.lines()

    def _clocked(self) -> Iterator[list[str]]:
        """A block for each clock, then one for what writes to each memory."""
        clocks: dict[str, list[Cell]] = {}
        for cell in self.netlist.registers:
            if not cell.number("CLK_POLARITY"):
                raise ValueError(f"register {cell.name}: a falling edge is not understood")
            clocks.setdefault(self.operations.of(cell.pins["CLK"]).text, []).append(cell)
        for clock, cells in clocks.items():
            values = (one for cell in cells for one in clocked.next_values(cell, self.operations))
            yield clocked.block(clock, values, _INDENT)
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
        return clocked.block(clock, statements, _INDENT)

    def _instance(self, cell: Cell) -> list[str]:
        """An instance; its pins in the order of its module, those of a chip's block sorted."""
        name, kind = self.naming.found[cell.name], cell.kind
        lines = [f"{_INDENT}{_attributes(cell.attributes)}".rstrip()] if cell.attributes else []
        if cell.parameters:
            given = [f".{key}({_parameter(value)})" for key, value in cell.parameters.items()]
            lines += [f"{_INDENT}{kind} #(", *_filled(given), f"{_INDENT}) {name} ("]
        else:
            lines.append(f"{_INDENT}{kind} {name} (")
        known = self.ports.get(kind)
        pins = sorted(cell.pins, key=_natural) if known is None else list(known)
        given = [
            f".{known[pin] if known else pin}({self._pin(cell.pins[pin])})"
            for pin in pins
            if pin in cell.pins
        ]
        lines += _filled(given) if known is None else _each(given)
        return [*lines, f"{_INDENT});"]

    def _pin(self, signal: Signal) -> str:
        if all(chunk.wire is None and set(chunk.bits) == {"z"} for chunk in signal):
            return ""
        return self.operations.of(signal).text


class _Ordered:
    """The assignments of a module in the order of their dependence."""

    def __init__(self, module: _Module):
        self.module, self.netlist = module, module.netlist
        self.names, self.sizes = module.naming.found, module.naming.sizes
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
        value = self.module.operations.operation(net)
        head = f"wire{_range(net.width)} {self.names[wire]} = "
        self.text += statement(head, value, ";", _INDENT)

    def _wire(self, name: str) -> None:
        """All assignments to a named wire."""
        if name in self.done:
            return
        self.done.add(name)
        places = self.by_wire[name]
        for place in places:
            self._reads(self.netlist.assigned[place][1])
        wire = self.netlist.wires[name]
        whole = len(places) == 1 and self._is_whole(places[0])
        declared, kept = bool(wire.direction), _attributes(wire.attributes)
        if not declared and not whole:
            self.text.append(f"{_INDENT}{kept}wire{_range(wire.width)} {self.names[name]};")
        for place in places:
            if place in self.done:
                continue
            self.done.add(place)
            left, right = self.netlist.assigned[place]
            head = f"assign {self.module.operations.of(left).text} = "
            if whole and not declared:
                head = f"{kept}wire{_range(wire.width)} {self.names[name]} = "
            self.text += statement(head, self.module.operations.of(right), ";", _INDENT)

    def _is_whole(self, place: int) -> bool:
        left, _ = self.netlist.assigned[place]
        return len(left) == 1 and left[0].width == self.netlist.wires[str(left[0].wire)].width


def _range(bits: int) -> str:
    return f" [{bits - 1}:0]" if bits > 1 else ""


def _constant(bits: str) -> str:
    return Constant(len(bits), bits).text


def _attributes(attributes: Mapping[str, str]) -> str:
    given = [f"{name} = {_parameter(value)}" for name, value in attributes.items()]
    return f"(* {', '.join(given)} *) " if given else ""


def _parameter(value: str) -> str:
    found = _CONSTANT.fullmatch(value)
    return _constant(found[2]) if found and found[2] else value


def _natural(name: str) -> tuple[object, ...]:
    """A10 after A9."""
    found = re.fullmatch(r"(.*?)(\d*)", name)
    return (found[1], int(found[2] or -1)) if found else (name, -1)


def _each(items: Sequence[str]) -> list[str]:
    """Items with commas between them, one on a line."""
    return [f"{_INDENT * 2}{item}{',' if item != items[-1] else ''}" for item in items]


def _filled(items: Sequence[str]) -> list[str]:
    """Items with commas between them, several on a line."""
    text = ", ".join(item.replace(" ", "\0") for item in items)
    indent = _INDENT * 2
    lines = textwrap.wrap(text, COLUMNS, initial_indent=indent, subsequent_indent=indent,
                          break_long_words=False, break_on_hyphens=False)  # fmt: skip
    return [line.replace("\0", " ") for line in lines]
