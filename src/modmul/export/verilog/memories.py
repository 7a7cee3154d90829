"""Splits memories: each read port becomes an operation `$read`, with a register behind it if it has
a clock.  The rest is the array with its write ports."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from modmul.export.verilog.rtlil import Cell, Chunk, Signal, part, width

KIND = "$mem_v2"
READ = "$read"
# Features of memories that no design here uses and the writer does not support.
_ABSENT = ("RD_TRANSPARENCY_MASK", "RD_WIDE_CONTINUATION", "WR_WIDE_CONTINUATION", "OFFSET")


@dataclass(frozen=True)
class WritePort:
    """Bits of a word, from `low` up, that are written under one enable."""

    low: int
    enable: Signal
    address: Signal
    data: Signal
    clock: Signal


@dataclass
class SizedMemory(Cell):
    """A memory without read ports, whose sizes may depend on a parameter of its module.

    width, size: bits of a word, number of words.  ports: its writes.  zeroed: whether its words are
    0 at power-up; else they are undefined."""

    width: int = 0
    size: int = 0
    ports: list[WritePort] = field(default_factory=list)
    zeroed: bool = False

    @property
    def content(self) -> tuple[object, ...]:
        """Everything that defines it, except names."""
        return (self.width, self.size, self.zeroed, *self.ports, *self.attributes.items())


def sized(
    cell: Cell, number: Callable[[int], int], signal: Callable[[Signal], Signal]
) -> SizedMemory:
    """A memory with other numbers and signals: the results of both functions, which are
    called in the same order each time.  Raises ValueError for a memory with a content."""
    content = set(words(cell))
    bits = cell.number("WIDTH")
    if content - {"0" * bits}:
        raise ValueError(f"memory {cell.name}: its content depends on its sizes")
    ports = [
        WritePort(
            number(port.low),
            signal(port.enable),
            signal(port.address),
            signal(port.data),
            signal(port.clock),
        )
        for port in writes(cell)
    ]
    attributes = dict(cell.attributes)
    pins = {
        str(place): (*port.enable, *port.address, *port.data, *port.clock)
        for place, port in enumerate(ports)
    }
    return SizedMemory(
        KIND,
        cell.name,
        {},
        pins,
        attributes,
        "",
        number(bits),
        number(cell.number("SIZE")),
        ports,
        bool(content),
    )


def shape(cell: Cell) -> tuple[int, int]:
    """The bits of a word and the number of words."""
    if isinstance(cell, SizedMemory):
        return cell.width, cell.size
    return cell.number("WIDTH"), cell.number("SIZE")


def separated(cell: Cell) -> Iterator[Cell]:
    """The read ports of a memory and the memory without them; yield any other cell unchanged.

    Raises ValueError for a kind of memory that is not supported."""
    if cell.kind != KIND:
        yield cell
        return
    strange = [name for name in _ABSENT if cell.number(name)]
    if strange or not all(
        cell.parameters[f"RD_{reset}_VALUE"].endswith("x") for reset in ("ARST", "SRST")
    ):
        raise ValueError(f"memory {cell.name}: {', '.join(strange) or 'resets'} not understood")
    bits = cell.number("WIDTH")
    clocked = cell.bits("RD_CLK_ENABLE")
    for port in range(cell.number("RD_PORTS")):
        data = part(cell.pins["RD_DATA"], port * bits, bits)
        at = _address(cell, "RD_ADDR", port)
        at_edge = clocked[-1 - port] == "1"
        word = f"${cell.name}.word{port}" if at_edge else ""
        read = (Chunk(word, 0, bits),) if at_edge else data
        yield Cell(READ, f"{cell.name}.read{port}", {"MEMORY": cell.name}, {"A": at, "Y": read})
        if at_edge:
            yield from _register(cell, port, data, read)
    names = ("WR_CLK", "WR_EN", "WR_ADDR", "WR_DATA")
    pins = {name: cell.pins[name] for name in names} if cell.number("WR_PORTS") else {}
    yield Cell(KIND, cell.name, cell.parameters, pins, cell.attributes)


def _address(cell: Cell, pin: str, port: int) -> Signal:
    """The address of a port; 0 for a memory of one word, whose address has no bits."""
    bits = cell.number("ABITS")
    return part(cell.pins[pin], port * bits, bits) if bits else (Chunk(None, 0, 1, "0"),)


def _register(cell: Cell, port: int, data: Signal, word: Signal) -> Iterator[Cell]:
    """The register behind a port that reads at the clock edge, and the multiplexer for its
    enable."""
    enable = part(cell.pins["RD_EN"], port, 1)
    value = word
    if enable[0].bits != "1":
        value = (Chunk(f"${cell.name}.held{port}", 0, width(data)),)
        pins = {"A": data, "B": word, "S": enable, "Y": value}
        yield Cell("$mux", f"{cell.name}.hold{port}", {}, pins)
    clock = part(cell.pins["RD_CLK"], port, 1)
    parameters = {"CLK_POLARITY": "1"}
    yield Cell("$dff", f"{cell.name}.{port}", parameters, {"CLK": clock, "D": value, "Q": data})


def writes(cell: Cell) -> Iterator[WritePort]:
    """The writes to a memory, without bits that are never enabled; if two ports write the
    same word, the later port wins."""
    if isinstance(cell, SizedMemory):
        yield from cell.ports
        return
    bits = cell.number("WIDTH")
    for port in range(cell.number("WR_PORTS")):
        enables = part(cell.pins["WR_EN"], port * bits, bits)
        data = part(cell.pins["WR_DATA"], port * bits, bits)
        at = _address(cell, "WR_ADDR", port)
        clock = part(cell.pins["WR_CLK"], port, 1)
        low = 0
        single = (chunk.part(place, 1) for chunk in enables for place in range(chunk.width))
        for enable, same in itertools.groupby(single):
            count = sum(1 for _ in same)
            if enable.bits != "0":
                yield WritePort(low, (enable,), at, part(data, low, count), clock)
            low += count


def words(cell: Cell) -> list[str]:
    """The contents of the memory at power-up, a text of bits for each word; empty if
    undefined."""
    if isinstance(cell, SizedMemory):
        return ["0" * cell.width] * cell.zeroed
    bits, size = cell.number("WIDTH"), cell.number("SIZE")
    initial = cell.bits("INIT")
    if set(initial) <= {"x"}:
        return []
    initial = initial.rjust(bits * size, "x")
    return [
        initial[len(initial) - bits * (place + 1) : len(initial) - bits * place]
        for place in range(size)
    ]
