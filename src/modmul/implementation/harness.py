"""Writes a harness that lets a core with more ports than pins be placed, routed and timed.

A serial shift register feeds every input, every output is registered and folded into a second shift
register, so all paths to and from the core are register to register and only three pins are used.
The core inside is a netlist that was mapped alone: nothing of it is merged with the harness, so the
routed core is the one whose cells were counted, and the harness never counts as area.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

CORE = "core"
TOP = "harness"


class HarnessPort(NamedTuple):
    """One port of the mapped core."""

    name: str
    width: int
    output: bool


def ports(module: Mapping[str, object]) -> list[HarnessPort]:
    """The ports of a module of a Yosys JSON netlist, in its order."""
    listed = []
    table = module["ports"]
    assert isinstance(table, dict)
    for name, port in table.items():
        listed.append(HarnessPort(name, len(port["bits"]), port["direction"] == "output"))
    return listed


def verilog(core: str, core_ports: list[HarnessPort], clock: str = "clk") -> str:
    """The harness around module `core`, and a black box of that name."""
    inputs = [p for p in core_ports if not p.output and p.name != clock]
    outputs = [p for p in core_ports if p.output]
    n_in = max(1, sum(p.width for p in inputs))
    n_out = max(1, sum(p.width for p in outputs))
    pins, wires = [f".{clock}(clk)"], []
    for group, bus in ((inputs, "feed"), (outputs, "drain")):
        low = 0
        for port in group:
            pins.append(f".{port.name}({bus}[{low + port.width - 1}:{low}])")
            low += port.width
    for port in core_ports:
        direction = "output" if port.output else "input"
        wires.append(f"{direction} [{port.width - 1}:0] {port.name}")
    return f"""(* blackbox *) module {core}({", ".join(wires)});
endmodule

module {TOP}(input clk, input serial_in, output serial_out);
  reg [{n_in - 1}:0] feed;
  wire [{n_out - 1}:0] drain;
  reg [{n_out - 1}:0] caught, folded;
  {core} {CORE}({", ".join(pins)});
  always @(posedge clk) begin
    feed <= {{feed, serial_in}};
    caught <= drain;
    folded <= {{folded, 1'b0}} ^ caught;
  end
  assign serial_out = folded[{n_out - 1}];
endmodule
"""
