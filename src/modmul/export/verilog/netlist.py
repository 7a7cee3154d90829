"""A module ready to be written: its operations, registers, memories and instances, and their
drivers."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from modmul.export.verilog import memories
from modmul.export.verilog.rtlil import Cell, Chunk, Signal, Wire

REGISTER = "$dff"
NET = "$net"  # the prefix of the wires of operations; a number follows


def is_named(wire: str | None) -> bool:
    """Whether a wire has a name from the source."""
    return wire is not None and wire.startswith("\\")


@dataclass
class Net:
    """One operation.  wire: its name in signals that read it.  width: its bits.

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
    """The sorted contents of a module.

    wires: the named wires.  aliases: all names of each.  labels: a better name, for those that have
    one.  assigned: (slices of) named wires, each with its driver.  cells: registers, memories,
    instances.  nets: operations by their wires.  parameters: with their default values.  noted: the
    names, or patterns of names, that comments explain."""

    name: str
    attributes: dict[str, str]
    wires: dict[str, Wire]
    aliases: dict[str, list[str]]
    labels: dict[str, str]
    assigned: list[tuple[Signal, Signal]] = field(default_factory=list)
    cells: list[Cell] = field(default_factory=list)
    nets: dict[str, Net] = field(default_factory=dict)
    parameters: dict[str, int | str] = field(default_factory=dict)
    noted: Collection[str] = ()

    @property
    def ports(self) -> list[Wire]:
        wires = [wire for wire in self.wires.values() if wire.direction]
        return sorted(wires, key=lambda wire: wire.position)

    @property
    def registers(self) -> list[Cell]:
        return [cell for cell in self.cells if cell.kind == REGISTER]

    @property
    def memories(self) -> list[Cell]:
        """The cells that are memories, without their read ports."""
        return [cell for cell in self.cells if cell.kind == memories.KIND]

    @property
    def instances(self) -> list[Cell]:
        """The cells that are modules, or blocks of a chip."""
        return [cell for cell in self.cells if not cell.kind.startswith("$")]

    def add(self, cell: Cell, bits: int) -> Net:
        net = Net(cell, f"{NET}{len(self.nets)}", bits)
        self.nets[net.wire] = net
        return net

    def read(self) -> Iterator[Signal]:
        yield from (right for _, right in self.assigned)
        for cell in self.cells:
            yield from (cell.pins[pin] for pin in reads(cell))
        for net in self.nets.values():
            yield from net.cell.pins.values()

    def note_uses(self) -> None:
        """Record, for every operation, the signals that read it."""
        for signal in self.read():
            for wire in dict.fromkeys(self.nets_in([signal])):
                self.nets[wire].uses.append(signal)

    def nets_in(self, signals: Iterable[Signal]) -> Iterator[str]:
        """The wires of the operations in some signals, each as often as it occurs."""
        return (str(c.wire) for signal in signals for c in signal if c.wire in self.nets)


def reads(cell: Cell) -> Iterator[str]:
    """The pins by which a cell of Yosys reads; all pins of an instance."""
    return (pin for pin in cell.pins if pin not in ("Y", "Q"))


def renamed(signal: Signal, names: Mapping[str, str]) -> Signal:
    return tuple(
        Chunk(names[wire], chunk.low, chunk.width)
        if (wire := chunk.wire) is not None and wire in names
        else chunk
        for chunk in signal
    )
