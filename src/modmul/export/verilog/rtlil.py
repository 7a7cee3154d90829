"""Reads RTLIL, Yosys' text of a design at the level of words, into plain records.

It understands the output of `write_rtlil` without processes: wires, cells, connections.  A signal
is a tuple of chunks, the least significant first; a chunk is a slice of one wire or a constant."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

_TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|[^\s"]+')
_CONSTANT = re.compile(r"(\d+)'s?([01xz-]*)")
_SLICE = re.compile(r"\[(\d+)(?::(\d+))?\]")


class Chunk(NamedTuple):
    """`width` bits from bit `low` of a wire; if `wire` is None, the constant `bits`, the most
    significant first."""

    wire: str | None
    low: int
    width: int
    bits: str = ""

    def part(self, low: int, width: int) -> Chunk:
        """`width` bits of the chunk from its bit `low` up."""
        if self.wire is not None:
            return Chunk(self.wire, self.low + low, width)
        end = self.width - low
        return Chunk(None, 0, width, self.bits[end - width : end])


Signal = tuple[Chunk, ...]


@dataclass
class Wire:
    """A wire or port.  direction: input, output, or empty for an inner wire.  position: of a port
    in the list.  init: the value at power-up, the most significant bit first; empty if it has
    none."""

    name: str
    width: int
    direction: str = ""
    position: int = 0
    init: str = ""
    attributes: dict[str, str] = field(default_factory=dict)


@dataclass
class Cell:
    """A cell.  kind: that of Yosys' own cells ($add), or the name of a module.  Values of
    parameters are as written: constants, see `bits_in`, or texts in quotes.  note: a comment on an
    instance, if its module has no other."""

    kind: str
    name: str
    parameters: dict[str, str] = field(default_factory=dict)
    pins: dict[str, Signal] = field(default_factory=dict)
    attributes: dict[str, str] = field(default_factory=dict)
    note: str = ""

    def number(self, parameter: str) -> int:
        return int(self.bits(parameter) or "0", 2)

    def bits(self, parameter: str) -> str:
        """Most significant bit first."""
        return bits_in(self.parameters[parameter])


@dataclass
class RtlilModule:
    """A module.  connections: driven signals, each with its driver."""

    name: str
    attributes: dict[str, str]
    wires: dict[str, Wire] = field(default_factory=dict)
    cells: list[Cell] = field(default_factory=list)
    connections: list[tuple[Signal, Signal]] = field(default_factory=list)


def bits_in(constant: str) -> str:
    """The bits of a constant, the most significant first.  Yosys writes width'bits, width'x
    for x alone, and one decimal number for 32 bits below 2^31.  Raises ValueError for anything
    else."""
    if constant.isdecimal():
        return f"{int(constant):032b}"
    match = _CONSTANT.fullmatch(constant)
    if match is None:
        raise ValueError(f"constant in RTLIL that is not understood: {constant}")
    return match[2] * int(match[1]) if match[2] == "x" else match[2]


def width(signal: Signal) -> int:
    return sum(chunk.width for chunk in signal)


def part(signal: Signal, low: int, width: int) -> Signal:
    """`width` bits of a signal from its bit `low` up."""
    chunks, start = [], 0
    for chunk in signal:
        begin, end = max(low, start), min(low + width, start + chunk.width)
        if begin < end:
            chunks.append(chunk.part(begin - start, end - begin))
        start += chunk.width
    return tuple(chunks)


def joined(chunks: Iterator[Chunk] | Signal) -> Signal:
    """Join neighbouring slices of a wire in a signal to one chunk, and neighbouring constants,
    too."""
    done: list[Chunk] = []
    for chunk in chunks:
        if done and done[-1].wire == chunk.wire:
            last = done[-1]
            if chunk.wire is None:
                done[-1] = Chunk(None, 0, last.width + chunk.width, chunk.bits + last.bits)
                continue
            if last.low + last.width == chunk.low:
                done[-1] = Chunk(last.wire, last.low, last.width + chunk.width)
                continue
        done.append(chunk)
    return tuple(done)


def read(text: str) -> list[RtlilModule]:
    """Raises ValueError for text that is not understood, such as a process."""
    modules: list[RtlilModule] = []
    attributes: dict[str, str] = {}
    cell: Cell | None = None
    for line in text.splitlines():
        match _TOKEN.findall(line) if '"' in line else line.split():
            case ["connect", pin, *signal] if cell is not None:
                cell.pins[pin[1:]] = _signal(signal, modules[-1])
            case ["connect", *both]:
                left, right = _two(both)
                pair = (_signal(left, modules[-1]), _signal(right, modules[-1]))
                modules[-1].connections.append(pair)
            case ["parameter", name, value] | ["parameter", "signed", name, value] if cell:
                cell.parameters[name[1:]] = value
            case ["wire", *options, name]:
                modules[-1].wires[name] = _wire(name, options, attributes)
                attributes = {}
            case ["end"]:
                cell = None
            case ["cell", kind, name]:
                cell = Cell(kind.removeprefix("\\"), name, attributes=attributes)
                modules[-1].cells.append(cell)
                attributes = {}
            case ["attribute", name, *value]:
                attributes[name[1:]] = " ".join(value)
            case ["module", name]:
                modules.append(RtlilModule(name[1:], attributes))
                attributes = {}
            case [] | ["autoidx", _] | ["#", *_]:
                pass
            case _:
                raise ValueError(f"RTLIL that is not understood: {line.strip()}")
    return modules


def _wire(name: str, options: list[str], attributes: dict[str, str]) -> Wire:
    wire = Wire(name, 1, attributes=attributes)
    words = iter(options)
    for word in words:
        if word == "width":
            wire.width = int(next(words))
        elif word in ("input", "output"):
            wire.direction, wire.position = word, int(next(words))
        else:
            raise ValueError(f"wire {name}: {word} is not understood")
    wire.init = bits_in(attributes.pop("init", "0'"))
    return wire


def _two(words: list[str]) -> tuple[list[str], list[str]]:
    """Split the words of a connection into its two signals."""
    if words[0] == "{":
        end = words.index("}") + 1
    else:
        end = 2 if len(words) > 1 and words[1].startswith("[") else 1
    return words[:end], words[end:]


def _signal(words: list[str], module: RtlilModule) -> Signal:
    chunks: list[Chunk] = []
    for word in words:
        if word in module.wires:
            chunks.append(Chunk(word, 0, module.wires[word].width))
        elif word in "{}":
            continue
        elif match := _SLICE.fullmatch(word):
            last, high = chunks[-1], int(match[1])
            low = int(match[2] or high)
            chunks[-1] = Chunk(last.wire, low, high - low + 1)
        else:
            bits = bits_in(word)
            chunks.append(Chunk(None, 0, len(bits), bits))
    return joined(c for c in reversed(chunks) if c.width)
