"""Makes a design whose stored bits can be struck by faults, and lists these bits.

The emitted text is flattened.  All flip-flops then go into one module, and each memory gets a port
of sites.v; the design has a further input stream, `fault`, whose beat strikes in the cycle in which
it is transferred."""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from typing import Literal, NamedTuple

from modmul.errors import refusal
from modmul.export.ports import Port
from modmul.toolchain import scratch, yosys
from modmul.verification.streams import StreamDesign

STREAM = "fault"
FIELDS = {"site": 32, "span": 16, "kind": 2, "cycles": 32}
_ACTIVE = ("active", "site", "span", "kind")
_FLATTEN = """{models}
hierarchy -check -top {top}
proc
setattr -mod -unset keep_hierarchy
setattr -unset keep_hierarchy
flatten
opt_expr
opt_clean
dffunmap
opt_clean
write_rtlil flat.il"""
_WRITE = "read_rtlil struck.il\nopt -fine\nwrite_verilog -noattr struck.v"


class Bit(NamedTuple):
    """One stored bit.  word: its address in a memory, None for a flip-flop."""

    register: str
    bit: int
    word: int | None

    def __str__(self) -> str:
        word = "" if self.word is None else f"[{self.word}]"
        return f"{self.register}{word}[{self.bit}]"


@dataclass(frozen=True)
class Place:
    """A register or a memory.  base: the number of its first bit among those of the design.  width:
    bits of a word.  words: None for a register."""

    name: str
    base: int
    width: int
    words: int | None = None
    low: int = 0

    @property
    def size(self) -> int:
        return self.width * (self.words or 1)

    @property
    def storage(self) -> Literal["flip-flop", "memory"]:
        return "flip-flop" if self.words is None else "memory"


@dataclass(frozen=True)
class Sites:
    """All stored bits of a design."""

    places: Sequence[Place]

    @cached_property
    def _bases(self) -> list[int]:
        return [place.base for place in self.places]

    def of(self, storage: str) -> list[Place]:
        return [place for place in self.places if place.storage == storage]

    def place(self, site: int) -> Place:
        """The register or memory that has the bit of this number."""
        return self.places[bisect.bisect_right(self._bases, site) - 1]

    def bit(self, site: int) -> Bit:
        place = self.place(site)
        word, bit = divmod(site - place.base, place.width)
        if place.words is None:
            return Bit(place.name, place.low + bit, None)
        return Bit(place.name, bit, place.low + word)

    def site(self, bit: str) -> int:
        """The number of a bit as `str` writes it.  Raises SpecError if there is none."""
        for place in self.places:
            indices = r"\[(\d+)\]" * (1 if place.words is None else 2)
            if found := re.fullmatch(re.escape(place.name) + indices, bit):
                *words, index = map(int, found.groups())
                low = place.low if place.words is None else 0
                word = words[0] - place.low if words else 0
                site = place.base + word * place.width + index - low
                if 0 <= site - place.base < place.size and str(self.bit(site)) == bit:
                    return site
        raise refusal("bit", bit, "a register or memory of the emitted Verilog")


def struck(design: StreamDesign) -> tuple[StreamDesign, Sites]:
    """A design with the further input stream `fault`, and its stored bits.  Raises
    ToolFailed, ToolMissing."""
    hooks = (resources.files(__package__) / "sites.v").read_text(encoding="utf-8")
    with scratch.folder() as folder:
        texts = design.sources()
        for number, text in enumerate(texts):
            (folder / f"text{number}.v").write_text(text)
        models = "\n".join(f"read_verilog -sv text{number}.v" for number in range(len(texts)))
        yosys.run(_FLATTEN.format(models=models, top=design.module), folder)
        lines, places = _hooked((folder / "flat.il").read_text().splitlines())
        (folder / "struck.il").write_text("\n".join([*lines, ""]))
        yosys.run(_WRITE, folder)
        text = hooks + _flip_flops(places) + (folder / "struck.v").read_text()
    members = {"valid": 1, "ready": 1} | FIELDS
    fault = [
        Port(f"{STREAM}_{name}", width, "output" if name == "ready" else "input", "", STREAM, name)
        for name, width in members.items()
    ]
    return StreamDesign(text, design.module, (*design.ports, *fault)), Sites(places)


# ---- the flattened text --------------------------------------------------------------------------

_MEMORY = re.compile(r"  memory width (\d+) size (\d+)(?: offset (\d+))? (\\\S+)")
_SIGNAL = re.compile(r"\\?(\S+)(?: \[(\d+)(?::(\d+))?\])?")


def _hooked(lines: Sequence[str]) -> tuple[list[str], list[Place]]:
    """The lines of a flat module with a hook at each flip-flop and each memory."""
    out: list[str] = []
    places: list[Place] = []
    memories: list[Place] = []
    connections: list[str] = []
    writers: dict[str, int] = {}
    ports = max(int(m[1]) for line in lines if (m := re.search(r" (?:in|out)put (\d+) ", line)))
    base, position = 0, 0
    while position < len(lines):
        line = lines[position]
        position += 1
        if line.startswith("module "):
            out += [line, *_wires(ports)]
        elif found := _MEMORY.fullmatch(line):
            width, words = int(found[1]), int(found[2])
            place = Place(found[4][1:], base, width, words, int(found[3] or 0))
            base += place.size
            memories.append(place)
            out.append(line)
        elif line.startswith("  cell $dff "):
            cell = _cell(lines, position)
            position += len(cell) + 1
            place = _register(cell, base)
            base += place.size
            while out[-1].startswith("  attribute "):  # of the cell
                out.pop()
            connections += _flip_flop(cell, len(places))
            places.append(place)
        elif line.startswith("  cell $memwr_v2 "):
            name = next(part for part in _cell(lines, position) if "\\MEMID" in part)
            name = name.split('"')[1].replace("\\\\", "")
            writers[name] = writers.get(name, 0) + 1
            out.append(line)
        elif line == "end":
            out += _control()
            out += ["  cell \\fault_flip_flops $fault_flip_flops", "    connect \\clk \\clk"]
            out += [*_fields(_ACTIVE), *connections, "  end"]
            for place in memories:
                out += _word(place, writers.get(place.name, 0))
            out.append(line)
        else:
            out.append(line)
    return out, sorted([*places, *memories], key=lambda place: place.base)


def _cell(lines: Sequence[str], position: int) -> list[str]:
    """The lines within a cell, which begin at this position."""
    end = position
    while lines[end] != "  end":
        end += 1
    return list(lines[position:end])


def _connected(cell: Sequence[str], port: str) -> str:
    prefix = f"    connect \\{port} "
    return next(line.removeprefix(prefix) for line in cell if line.startswith(prefix))


def _register(cell: Sequence[str], base: int) -> Place:
    width = next(int(line.split()[-1]) for line in cell if "\\WIDTH" in line)
    signal = _connected(cell, "Q")
    found = _SIGNAL.fullmatch(signal)
    if found is None:
        return Place(signal.replace("\\", ""), base, width)
    return Place(found[1], base, width, low=int(found[3] or found[2] or 0))


def _fields(names: Sequence[str]) -> Iterator[str]:
    for name in names:
        yield f"    connect \\{name} $fault_{name}"


def _wires(ports: int) -> Iterator[str]:
    """The ports of the stream `fault`, and the wires that go to all places.  ports: the
    number of the others."""
    names = {"valid": 1, **FIELDS}
    for number, (name, width) in enumerate(names.items(), ports + 1):
        yield f"  wire width {width} input {number} \\{STREAM}_{name}"
    yield f"  wire output {ports + len(names) + 1} \\{STREAM}_ready"
    for name in _ACTIVE:
        yield f"  wire width {FIELDS.get(name, 1)} $fault_{name}"


def _control() -> Iterator[str]:
    """What holds a fault for its duration."""
    yield f"  connect \\{STREAM}_ready 1'1"
    yield "  cell \\fault_control $fault_control"
    for name in ("clk", "rst"):
        yield f"    connect \\{name} \\{name}"
    for name in ("valid", *FIELDS):
        yield f"    connect \\{name} \\{STREAM}_{name}"
    for name in _ACTIVE:
        yield f"    connect \\{name}{'' if name == 'active' else '_now'} $fault_{name}"
    yield "  end"


def _flip_flop(cell: Sequence[str], number: int) -> Iterator[str]:
    """The connections of a flip-flop to the module of all of them."""
    yield f"    connect \\d{number} {_connected(cell, 'D')}"
    yield f"    connect \\q{number} {_connected(cell, 'Q')}"


def _flip_flops(places: Sequence[Place]) -> str:
    """The module with all flip-flops, in Verilog."""
    registers = [place for place in places if place.words is None]
    inputs = {"clk": 1, "active": 1} | {name: FIELDS[name] for name in _ACTIVE if name in FIELDS}
    ports = [f"  input [{width - 1}:0] {name}" for name, width in inputs.items()]
    updates, strikes = list[str](), list[str]()
    for number, place in enumerate(registers):
        d, q, top = f"d{number}", f"q{number}", place.width - 1
        ports.append(f"  input [{top}:0] {d}, output reg [{top}:0] {q}")
        updates.append(f"    {q} <= {d};")
        strikes.append(f"      `STRIKE({q}, {d}, {place.width}, {place.base})")
    head = ["module fault_flip_flops (", ",\n".join(ports), ");", "  always @(posedge clk) begin"]
    body = [*updates, "    if (active) begin", *strikes, "    end", "  end", "endmodule", ""]
    return "\n".join([*head, *body])


def _word(place: Place, writers: int) -> Iterator[str]:
    """The port that strikes the words of a memory; it comes after all its other writers."""
    name, bits = f"$fault_{place.base}", max(1, (place.low + (place.words or 1) - 1).bit_length())
    for signal, width in {"address": bits, "enable": 1, "data": place.width}.items():
        yield f"  wire width {width} {name}_{signal}"
    yield f"  wire width {place.width} {name}_stored"
    yield f"  cell \\fault_word {name}"
    sizes = {"WIDTH": place.width, "SIZE": place.words, "OFFSET": place.low, "ABITS": bits}
    for parameter, value in {**sizes, "BASE": place.base}.items():
        yield f"    parameter \\{parameter} {value}"
    yield "    connect \\clk \\clk"
    for signal in ("stored", "address", "enable", "data"):
        yield f"    connect \\{signal} {name}_{signal}"
    yield from _fields(_ACTIVE)
    yield "  end"
    shared = [
        f'    parameter \\MEMID "\\\\{place.name}"',
        f"    parameter \\ABITS {bits}",
        f"    parameter \\WIDTH {place.width}",
        f"    connect \\ADDR {name}_address",
    ]
    yield f"  cell $memrd {name}_read"
    yield from shared
    for parameter in ("CLK_ENABLE", "CLK_POLARITY", "TRANSPARENT"):
        yield f"    parameter \\{parameter} 0"
    yield from ("    connect \\CLK 1'x", "    connect \\EN 1'x")
    yield from (f"    connect \\DATA {name}_stored", "  end")
    yield f"  cell $memwr_v2 {name}_write"
    yield from shared
    yield f"    parameter \\PORTID {writers}"
    yield f"    parameter \\PRIORITY_MASK {writers}'{'1' * writers}"
    yield from ("    parameter \\CLK_ENABLE 1'1", "    parameter \\CLK_POLARITY 1'1")
    enables = " ".join([f"{name}_enable"] * place.width)
    yield from (f"    connect \\EN {{ {enables} }}", f"    connect \\DATA {name}_data")
    yield from ("    connect \\CLK \\clk", "  end")
