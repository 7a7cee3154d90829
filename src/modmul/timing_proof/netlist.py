"""A flat netlist as Yosys writes it in JSON: ports, cells, and names for what its bits are."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from modmul.toolchain import scratch, yosys

Bit = int | str  # the number of a net, or a constant: "0", "1", "x", "z"
NETLIST = "netlist.json"
# Words stay words: an adder, a multiplexer or a register is one cell.  Only constants are removed.
# Modules that are read with -lib, the hard blocks, stay cells.
SCRIPT = """
hierarchy -check -top {top}
setattr -mod -unset keep_hierarchy
setattr -unset keep_hierarchy
{opaque}
proc
flatten
opt_expr
opt_clean
memory_collect
opt_clean
setattr -unset src
write_json netlist.json
"""


@dataclass(frozen=True)
class NetlistCell:
    """A cell.  pins: the bits of each port, lowest first.  directions: "input" or "output" by port;
    a port that is missing there counts as both."""

    name: str
    type: str
    parameters: Mapping[str, str]
    directions: Mapping[str, str]
    pins: Mapping[str, Sequence[Bit]]

    def bits(self, direction: str) -> Iterator[Bit]:
        """The bits of all pins of this direction, "input" or "output"."""
        other = "output" if direction == "input" else "input"
        for port, bits in self.pins.items():
            if self.directions.get(port) != other:
                yield from bits

    def number(self, parameter: str, default: int = 0) -> int:
        """A parameter as an unsigned number, `default` if it is missing or has undefined
        bits."""
        text = self.parameters.get(parameter)
        if text is None:
            return default
        return int(text, 2) if set(text) <= {"0", "1"} else default


@dataclass(frozen=True)
class FlatNetlist:
    """A module without hierarchy.  ports: direction and bits by name.  names: a readable name for
    each bit that has one.  sha256: digest of the file that it was read from."""

    ports: Mapping[str, tuple[str, Sequence[Bit]]]
    cells: Sequence[NetlistCell]
    names: Mapping[Bit, str]
    sha256: str

    def named(self, name: str) -> Sequence[Bit]:
        """The bits of a port, or the one internal bit of this name.  Raises KeyError if none
        has it."""
        if name in self.ports:
            return self.ports[name][1]
        bits = [bit for bit, net in self.names.items() if net == name]
        if not bits:
            raise KeyError(name)
        return bits


def flat(
    verilog: str, top: str, blocks: Sequence[str] = (), opaque: Sequence[str] = ()
) -> FlatNetlist:
    """Module `top` of a Verilog text as a flat netlist, made by Yosys.

    blocks: Verilog of hard blocks, of which only the ports matter.  opaque: modules of the text
    that are not flattened, but stay cells.  Raises ToolFailed or ToolMissing."""
    return parse(flat_text(verilog, top, blocks, opaque), top)


def flat_text(
    verilog: str, top: str, blocks: Sequence[str] = (), opaque: Sequence[str] = ()
) -> str:
    """The same as the JSON text that Yosys writes."""
    with scratch.folder() as work:
        (work / "design.v").write_text(verilog)
        script = "read_verilog -sv design.v\n"
        for number, block in enumerate(blocks):
            (work / f"block_{number}.v").write_text(block)
            script += f"read_verilog -sv -lib block_{number}.v\n"
        hidden = "\n".join(f"blackbox {module}" for module in opaque)
        yosys.run(script + SCRIPT.format(top=top, opaque=hidden), work)
        return (work / NETLIST).read_text()


def parse(text: str, top: str) -> FlatNetlist:
    """Module `top`, which must be flat, of a JSON text that Yosys' `write_json` wrote."""
    module = json.loads(text)["modules"][top]
    cells = [
        NetlistCell(
            name,
            cell["type"],
            cell["parameters"],
            cell.get("port_directions", {}),
            cell["connections"],
        )
        for name, cell in module["cells"].items()
    ]
    ports = {name: (port["direction"], port["bits"]) for name, port in module["ports"].items()}
    inputs = [name for name, (direction, _) in ports.items() if direction == "input"]
    digest = hashlib.sha256(text.encode()).hexdigest()
    return FlatNetlist(ports, cells, _names(module["netnames"], inputs), digest)


def _names(nets: Mapping[str, Any], inputs: Collection[str]) -> dict[Bit, str]:
    """The plainest name of each bit: that of an input if it is one, else of the names in the
    text one from as far up in the hierarchy as possible."""

    def rank(name: str) -> tuple[bool, int, int, int, str]:
        hidden = nets[name].get("hide_name", 0)
        return name not in inputs, hidden, name.count("."), len(name), name

    names: dict[Bit, str] = {}
    for name in sorted(nets, key=rank):
        if nets[name].get("hide_name", 0):
            break
        bits = nets[name]["bits"]
        for place, bit in enumerate(bits):
            names.setdefault(bit, name if len(bits) == 1 else f"{name}[{place}]")
    return names
