"""Puts the hard blocks of one kind into one module, with the pins and parameters that differ.

A hard block has up to 250 pins, most of which are constant or open in every instance.  The module
connects these once.  Pins with numbers, such as ADR0 to ADR13, become one port."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping, Sequence

from modmul.export.remarks import Remarks
from modmul.export.verilog.netlist import Netlist
from modmul.export.verilog.rtlil import Cell, Chunk, Signal, Wire, bits_in, joined, width
from modmul.targets import models

_MANY = 12  # so many pins that are the same constant or open everywhere are connected once
_OUTPUTS = re.compile(r"^  output(?: \[\d+:0\])?( \w+(?:,\s+(?!input|output)\w+)*)", re.MULTILINE)
_CLOCK = "clk"
_NAMES = {"DI": "din", "DO": "dout"}  # `do` is a keyword
_CONTENT = re.compile(r"INIT(VAL|P)?_")  # parameters that are 0 if they are missing


def share(netlists: Sequence[Netlist], remarks: dict[str, Remarks]) -> list[Netlist]:
    """The netlists, and a module for each kind of hard block that stands in several places.
    `remarks` gets the remarks on these modules."""
    known = {netlist.name for netlist in netlists}
    places: dict[tuple[object, ...], list[tuple[Netlist, Cell]]] = {}
    for netlist in netlists:
        for cell in netlist.instances:
            if cell.kind not in known and outputs(cell.kind):
                names = {name for name in cell.parameters if not _CONTENT.match(name)}
                key = (cell.kind, frozenset(names), frozenset(cell.pins), *cell.attributes.items())
                places.setdefault(key, []).append((netlist, cell))
    shared = list(netlists)
    for found in places.values():
        wrapper = _Wrapper(found) if len(found) > 1 else None
        if wrapper is None or wrapper.fixed < _MANY:
            continue
        words = [netlist.name.split("_") for netlist, _ in found]
        same = [len(set(column)) == 1 for column in zip(*words, strict=False)]
        begin = words[0][: same.index(False) if False in same else len(same)]
        name = base = "_".join([*begin, found[0][1].kind.lower()])
        while name in known:
            name += "_other"
        known.add(name)
        remarks[name] = Remarks(
            kind=base,
            above=(f"One {found[0][1].kind}, with the pins and parameters that differ.",),
            members=tuple(wrapper.ports),
        )
        shared.append(wrapper.netlist(name))
    return shared


class _Wrapper:
    """The module around the hard blocks of one kind.

    ports: its ports, each with pins of the block, the lowest bit first.  fixed: the number of pins
    that are no port."""

    def __init__(self, found: Sequence[tuple[Netlist, Cell]]):
        self.found, self.first = found, found[0][1]
        self.driven = outputs(self.first.kind)
        self.fixed = 0
        self.ports: dict[str, list[str]] = {}
        self.same: dict[str, str] = {}  # inputs that always have the signal of another one
        seen: dict[tuple[Signal, ...], str] = {}
        self.groups = list(self._grouped())
        for name, pins in self.groups:
            values = tuple(self._signal(cell, pins) for _, cell in found)
            port = _CLOCK if {*values} == {(Chunk(f"\\{_CLOCK}", 0, 1),)} else name
            fixed = [pin for pin in pins if self._is_fixed(pin)]
            self.fixed += len(fixed)
            if len(fixed) == len(pins):
                continue
            if pins[0] not in self.driven:
                self.same[name] = seen.setdefault(values, port)
                if self.same[name] in self.ports:
                    continue
            self.ports[port] = pins

    def netlist(self, name: str) -> Netlist:
        """The module, and use it in the places of the blocks."""
        parameters = self._parameters()
        wires, pins = dict[str, Wire](), dict[str, Signal]()
        for port, group in self.groups:
            wire = f"\\{self.same.get(port, port)}"
            if wire not in wires and wire[1:] in self.ports:
                direction = "output" if group[0] in self.driven else "input"
                bits = width(self._signal(self.first, group))
                wires[wire] = Wire(wire, bits, direction, len(wires))
            low = 0
            for pin in group:
                bits = width(self.first.pins[pin])
                fixed = wire not in wires
                pins[pin] = self.first.pins[pin] if fixed else (Chunk(wire, low, bits),)
                low += bits
        same = {key: value for key, value in self.first.parameters.items() if key not in parameters}
        inside = same | {key: f"${key}" for key in parameters}
        block = Cell(self.first.kind, "\\block", inside, pins, dict(self.first.attributes))
        for outer, cell in self.found:
            self._use(outer, cell, name, parameters)
        module = Netlist(name, {}, wires, {}, {}, [], [block])
        module.parameters = dict(parameters)
        return module

    def _use(self, outer: Netlist, cell: Cell, name: str, parameters: Mapping[str, str]) -> None:
        pins = {port: self._signal(cell, group) for port, group in self.ports.items()}
        for port, signal in pins.items():
            opened = [chunk.wire is None for chunk in signal]
            if self.ports[port][0] in self.driven and any(opened) and not all(opened):
                pins[port] = _taken_apart(outer, f"{cell.name}_{port}", signal)
        cell.kind, cell.pins, cell.attributes = name, pins, {}
        cell.parameters = {
            key: value
            for key, value in cell.parameters.items()
            if parameters.get(key, value) != value
        }

    def _grouped(self) -> Iterator[tuple[str, list[str]]]:
        """Ports, each with its pins: a vector, or single pins with numbers from 0 on."""
        series: dict[str, list[str]] = {}
        for pin, signal in self.first.pins.items():
            base = pin.rstrip("0123456789")
            single = width(signal) > 1 or not base or self._is_open(pin)
            series.setdefault(pin if single else base, []).append(pin)
        for base, group in series.items():
            group.sort(key=lambda pin: int(pin[len(base) :] or 0))
            if [pin[len(base) :] for pin in group] == [str(place) for place in range(len(group))]:
                yield _NAMES.get(base, base.lower()), group
            else:
                yield from ((_NAMES.get(pin, pin.lower()), [pin]) for pin in group)

    def _is_open(self, pin: str) -> bool:
        """Whether an input is open somewhere."""
        open_bits = (chunk.bits for _, cell in self.found for chunk in cell.pins[pin])
        return pin not in self.driven and any("z" in bits for bits in open_bits)

    def _parameters(self) -> dict[str, str]:
        """The parameters that differ, with their default values."""
        cells = [cell for _, cell in self.found]
        names = sorted({name for cell in cells for name in cell.parameters})
        values = {name: [cell.parameters.get(name) for cell in cells] for name in names}
        return {
            name: self._default(name, of_cells)
            for name, of_cells in values.items()
            if len(set(of_cells)) > 1
        }

    def _default(self, name: str, values: Sequence[str | None]) -> str:
        given = next(value for value in values if value is not None)
        bits = len(bits_in(given)) if _CONTENT.match(name) else 0
        return f"{bits}'{'0' * bits}" if bits else given

    def _signal(self, cell: Cell, pins: Sequence[str]) -> Signal:
        return joined(chunk for pin in pins for chunk in cell.pins[pin])

    def _is_fixed(self, pin: str) -> bool:
        """Whether a pin has the same constant in every place, or is open."""
        values = {cell.pins[pin] for _, cell in self.found}
        return len(values) == 1 and all(chunk.wire is None for chunk in self.first.pins[pin])


def _taken_apart(outer: Netlist, name: str, signal: Signal) -> Signal:
    """A new wire for an output of which some bits are open; the others are assigned."""
    bits, low = width(signal), 0
    outer.wires[name] = Wire(name, bits)
    for chunk in signal:
        if chunk.wire is not None:
            outer.assigned.append(((chunk,), (Chunk(name, low, chunk.width),)))
        low += chunk.width
    return (Chunk(name, 0, bits),)


@functools.cache
def outputs(kind: str) -> frozenset[str]:
    """The output pins of a hard block; empty if it is not known."""
    model = models.of_cell(kind)
    ports = model.text.partition(");")[0] if model else ""
    return frozenset(re.findall(r"\w+", " ".join(_OUTPUTS.findall(ports))))
