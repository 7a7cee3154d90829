"""Builds buffer trees for nets with large loads, over a whole netlist of library cells.

ABC sees only the logic between registers and adder cells; a select line of n bits drives all of
them.  So after mapping, each net that drives more than FANOUT pins, or more load than its driver
may, gets a balanced tree of the library's buffers.  The clock stays as it is: it is taken as ideal.
Not for libraries whose delays do not depend on loads: there a buffer could only cost.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from modmul.implementation.genlib import typical
from modmul.targets.libraries.library import Library, LibraryCell
from modmul.targets.libraries.roles import Roles

# The most pins that one output drives.  Of 6, 8, 10, 12, 16 and 24 this gave the smallest product
# of area and path (docs/decisions/0010-cells.md).
FANOUT = 12


class _Sink(NamedTuple):
    """A pin that a net drives.  bits: the list in the netlist that holds the pin's net.  load:
    capacitance."""

    bits: list[Any]
    load: float


def insert(module: dict[str, Any], library: Library, roles: Roles) -> int:
    """Add buffer trees to a flat module (Yosys JSON), in place; return the number of buffers."""
    buffer = best_buffer(roles)
    sinks, limits = _nets(module, library, roles)
    tree = _Tree(module, buffer)
    for net in sorted(sinks):
        tree.grow(net, sinks[net], limits.get(net))
    return tree.count


def best_buffer(roles: Roles) -> LibraryCell:
    """The buffer that drives FANOUT pins of full adders fastest; of equally fast ones the
    smallest."""
    slope, _ = typical(roles)
    adder = roles.full_adder.cell
    load = FANOUT * sum(max(adder.pins[pin].load) for pin in adder.inputs()) / len(adder.inputs())

    def cost(cell: LibraryCell) -> tuple[float, float, str]:
        tables = [t for arc in cell.outputs()[0].arcs for t in (arc.rise, arc.fall) if t]
        return max((t.at(slope, load) for t in tables), default=0.0), cell.area, cell.name

    return min(roles.buffers, key=cost)


def _nets(
    module: Mapping[str, Any], library: Library, roles: Roles
) -> tuple[dict[int, list[_Sink]], dict[int, float]]:
    """The pins that each net drives, without clock pins, and the max_capacitance of its
    driver."""
    sinks: dict[int, list[_Sink]] = defaultdict(list)
    limits: dict[int, float] = {}
    clock = (roles.flip_flop.cell.name, roles.flip_flop.pins["clock"])
    for cell in module["cells"].values():
        for name, bits in cell["connections"].items():
            if cell["type"] not in library.cells or (cell["type"], name) == clock or not bits:
                continue
            pin = library.cells[cell["type"]].pins[name]
            if not isinstance(bits[0], int):
                continue
            if pin.direction != "output":
                sinks[bits[0]].append(_Sink(bits, max(pin.load)))
            elif pin.limit:
                limits[bits[0]] = pin.limit
    return sinks, limits


class _Tree:
    """Adds buffers to a module, one tree for each net."""

    def __init__(self, module: dict[str, Any], buffer: LibraryCell):
        self.module, self.buffer, self.count = module, buffer, 0
        (self.output,) = buffer.outputs()
        (self.input,) = buffer.inputs()
        self.load = max(buffer.pins[self.input].load)
        used = [bit for net in module["netnames"].values() for bit in net["bits"]]
        self.next = 1 + max((bit for bit in used if isinstance(bit, int)), default=0)

    def grow(self, net: int, sinks: Sequence[_Sink], limit: float | None) -> None:
        """Add levels of buffers, from the leaves to the root, until the net drives few enough
        pins."""
        while len(sinks) > 1 and _heavy(sinks, limit):
            groups = self._groups(sinks)
            if len(groups) == len(sinks):
                return
            sinks = [self._buffer(net, group) for group in groups]

    def _groups(self, sinks: Sequence[_Sink]) -> list[Sequence[_Sink]]:
        """Split the pins into as few groups of equal size as buffers can drive."""
        total = sum(sink.load for sink in sinks)
        count = -(-len(sinks) // FANOUT)
        if self.output.limit:
            count = max(count, int(-(-total // self.output.limit)))
        bounds = [len(sinks) * k // count for k in range(count + 1)]
        return [sinks[low:high] for low, high in itertools.pairwise(bounds)]

    def _buffer(self, net: int, group: Sequence[_Sink]) -> _Sink:
        """Put a buffer between the net and a group of pins; return the buffer's input as a sink."""
        for sink in group:
            sink.bits[0] = self.next
        bits: list[Any] = [net]
        name = f"$buffer${self.count}"
        self.module["cells"][name] = {
            "hide_name": 1,
            "type": self.buffer.name,
            "parameters": {},
            "attributes": {},
            "port_directions": {self.input: "input", self.output.name: "output"},
            "connections": {self.input: bits, self.output.name: [self.next]},
        }
        self.module["netnames"][f"{name}$out"] = {
            "hide_name": 1,
            "bits": [self.next],
            "attributes": {},
        }
        self.next += 1
        self.count += 1
        return _Sink(bits, self.load)


def _heavy(sinks: Sequence[_Sink], limit: float | None) -> bool:
    load = sum(sink.load for sink in sinks)
    return len(sinks) > FANOUT or (limit is not None and load > limit)
