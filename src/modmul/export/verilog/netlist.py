"""A module ready to be written: its operations, registers, memories and instances, and what drives
what."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from modmul.export.verilog import memories
from modmul.export.verilog.rtlil import Cell, Signal, Wire

REGISTER = "$dff"
NET = "$net"  # with a number behind it: the wire of an operation


def is_named(wire: str | None) -> bool:
    """Whether a wire has its name from the source."""
    return wire is not None and wire.startswith("\\")


@dataclass
class Net:
    """One operation.  `wire` is its name in signals that read it; width: bits of it.

    uses: the signals that read it."""

    cell: Cell
    wire: str
    width: int
    uses: list[Signal] = field(default_factory=list)

    @property
    def whole(self) -> bool:
        """Whether each of its readers reads all of its bits, in order."""
        read = (chunk for signal in self.uses for chunk in signal if chunk.wire == self.wire)
        return all(chunk.width == self.width for chunk in read)


@dataclass
class Netlist:
    """A module, sorted.

    wires: the named ones.  aliases: all names of each.  labels: the better one, where there is.
    assigned: what drives (slices of) named wires.  cells: registers, memories, instances.
    nets: operations by their wires.  parameters: with their values where none are given."""

    name: str
    attributes: dict[str, str]
    wires: dict[str, Wire]
    aliases: dict[str, list[str]]
    labels: dict[str, str]
    assigned: list[tuple[Signal, Signal]] = field(default_factory=list)
    cells: list[Cell] = field(default_factory=list)
    nets: dict[str, Net] = field(default_factory=dict)
    parameters: dict[str, int] = field(default_factory=dict)

    @property
    def ports(self) -> list[Wire]:
        """The ports in their order."""
        wires = [wire for wire in self.wires.values() if wire.direction]
        return sorted(wires, key=lambda wire: wire.position)

    @property
    def registers(self) -> list[Cell]:
        """The cells that are registers."""
        return [cell for cell in self.cells if cell.kind == REGISTER]

    @property
    def memories(self) -> list[Cell]:
        """The cells that are memories, without their ports that read."""
        return [cell for cell in self.cells if cell.kind == memories.KIND]

    @property
    def instances(self) -> list[Cell]:
        """The cells that are modules, or blocks of a chip."""
        return [cell for cell in self.cells if not cell.kind.startswith("$")]

    def add(self, cell: Cell, bits: int) -> Net:
        """A new operation of so many bits."""
        net = Net(cell, f"{NET}{len(self.nets)}", bits)
        self.nets[net.wire] = net
        return net

    def read(self) -> Iterator[Signal]:
        """All signals that something reads."""
        yield from (right for _, right in self.assigned)
        for cell in self.cells:
            yield from (cell.pins[pin] for pin in reads(cell))
        for net in self.nets.values():
            yield from net.cell.pins.values()

    def note_uses(self) -> None:
        """Tell every operation which signals read it."""
        for signal in self.read():
            for wire in dict.fromkeys(self.nets_in([signal])):
                self.nets[wire].uses.append(signal)

    def nets_in(self, signals: Iterable[Signal]) -> Iterator[str]:
        """The wires of the operations in some signals, each as often as it stands there."""
        return (str(c.wire) for signal in signals for c in signal if c.wire in self.nets)


def reads(cell: Cell) -> Iterator[str]:
    """The pins by which a cell of Yosys' own reads; all pins of an instance."""
    return (pin for pin in cell.pins if pin not in ("Y", "Q"))


def renamed(signal: Signal, names: Mapping[str, str]) -> Signal:
    """A signal with other names for its wires."""
    return tuple(
        chunk._replace(wire=names.get(chunk.wire, chunk.wire)) if chunk.wire else chunk
        for chunk in signal
    )
