"""AXI4-Stream (ARM IHI 0051): the streams of a design by other names, each member of a beat in
whole bytes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from amaranth.hdl import Cat, ClockSignal, Const, Instance, Module, ResetSignal, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from modmul.design import Design, Stream
from modmul.export.pins import USUAL, Pins
from modmul.export.ports import CLOCK_ENABLE, Port, clock_and_reset, masked

TITLE = "AXI4-Stream"
RESET, ENABLE = "aresetn", "aclken"
_BYTE = 8


def prefix(stream: Stream) -> str:
    """The prefix of a stream's port names, such as s_axis_operand or m_axis_result."""
    return f"{'s' if stream.direction == 'input' else 'm'}_axis_{stream.name}"


def places(stream: Stream) -> dict[str, tuple[int, int]]:
    """The lowest bit in tdata, and the width, of each member of a beat."""
    placed, low = {}, 0
    for name, (bits, _) in stream.members.items():
        placed[name] = (low, bits)
        low += -(-bits // _BYTE) * _BYTE
    return placed


def data_bits(stream: Stream) -> int:
    """The width of tdata in bits."""
    return sum(-(-bits // _BYTE) * _BYTE for bits, _ in stream.members.values())


def ports(design: Design, pins: Pins = USUAL) -> tuple[Port, ...]:
    streamed = (port for stream in design.streams for port in _ports(stream))
    if pins.clock_enable:
        streamed = (masked(p) if p.name.endswith(("valid", "ready")) else p for p in streamed)
    return (*clock_and_reset(pins, RESET, ENABLE), *streamed)


def _ports(stream: Stream) -> Iterator[Port]:
    begin, data = prefix(stream), []
    forward, back = ("input", "output") if stream.direction == "input" else ("output", "input")
    for name, (low, bits) in places(stream).items():
        data.append(f"[{low + bits - 1}:{low}] {stream.members[name][1]}")
    regs: tuple[tuple[str, int, Any, str], ...] = (
        ("tvalid", 1, forward, "a transfer is offered"),
        ("tready", 1, back, "it is taken at the next rising edge"),
        ("tdata", data_bits(stream), forward, "; ".join(data)),
        ("tlast", 1, forward, f"the last one of its {stream.name}"),
    )
    for end, width, direction, meaning in regs:
        yield Port(f"{begin}_{end}", width, direction, meaning, None, f"{begin}_{end}")


class OnAxi4Stream(wiring.Component):
    """{title} with its streams as AXI4-Stream.

    The numbers of a beat stand side by side in tdata, from the lowest byte on, each in as many
    whole bytes as it needs. The transfer with tlast ends a packet, and the next transfer begins
    another."""

    def __init__(self, design: Design, module: str):
        """module: name of the module that has the design's own streams."""
        self._design, self._module, self.title = design, module, design.title
        super().__init__(
            {
                port.name: (In if port.direction == "input" else Out)(port.width)
                for port in ports(design)[2:]
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        core: dict[str, Any] = {"i_clk": ClockSignal(), "i_rst": ResetSignal()}
        for stream in self._design.streams:
            pins = {
                end: getattr(self, f"{prefix(stream)}_{end}")
                for end in ("tvalid", "tready", "tdata", "tlast")
            }
            taken = self._taken if stream.direction == "input" else self._given
            core |= taken(m, stream, pins)
        m.submodules.core = Instance(self._module, **core)
        return m

    def _taken(self, m: Module, stream: Stream, pins: Mapping[str, Signal]) -> dict[str, Any]:
        name = stream.name
        begins = Signal(init=1, name=f"{name}_begins")
        with m.If(pins["tvalid"] & pins["tready"]):
            m.d.sync += begins.eq(pins["tlast"])
        members = {
            f"i_{name}_{member}": pins["tdata"][low : low + bits]
            for member, (low, bits) in places(stream).items()
        }
        return members | {
            f"i_{name}_valid": pins["tvalid"],
            f"o_{name}_ready": pins["tready"],
            f"i_{name}_first": begins,
            f"i_{name}_last": pins["tlast"],
        }

    def _given(self, m: Module, stream: Stream, pins: Mapping[str, Signal]) -> dict[str, Any]:
        name, connections, parts, end = stream.name, dict[str, Any](), [], 0
        for member, (low, bits) in places(stream).items():
            connections[f"o_{name}_{member}"] = wire = Signal(bits, name=f"{name}_{member}")
            parts += [Const(0, low - end), wire]
            end = low + bits
        m.d.comb += pins["tdata"].eq(Cat(*parts))
        return connections | {
            f"o_{name}_valid": pins["tvalid"],
            f"i_{name}_ready": pins["tready"],
            f"o_{name}_last": pins["tlast"],
            f"o_{name}_first": Signal(name=f"{name}_first"),  # not used: tlast says as much
        }


def renamed(design: Design, module: str, name: str, inner: tuple[Port, ...]) -> str:
    """The Verilog of a module with the design's own streams (ports `inner`) around `module`,
    the one with AXI4-Stream, so that the testbench of the design drives the latter."""
    enabled = any(port.field == CLOCK_ENABLE for port in inner)
    lines = [f"module {name} ("]
    lines += [f"  {port.direction} wire [{port.width - 1}:0] {port.name}," for port in inner]
    lines[-1] = lines[-1].rstrip(",")
    lines += [");", "", *_wires(design, enabled), "", f"  {module} dut ("]
    pins = ["    .clk(clk)", f"    .{RESET}(!rst)"]
    pins += [f"    .{ENABLE}(clk_en)"] if enabled else []
    for stream in design.streams:
        ends = {"tvalid": "valid", "tready": "ready", "tlast": "last"}
        pins += [f"    .{prefix(stream)}_{end}({stream.name}_{own})" for end, own in ends.items()]
        pins.append(f"    .{prefix(stream)}_tdata({stream.name}_tdata)")
    return "\n".join([*lines, ",\n".join(pins), "  );", "endmodule", ""])


def _wires(design: Design, enabled: bool) -> Iterator[str]:
    """Tdata of each stream, and the assignments between tdata and the members of a beat.
    enabled: there is a clock enable."""
    for stream in design.streams:
        data, name = f"{stream.name}_tdata", stream.name
        yield f"  wire [{data_bits(stream) - 1}:0] {data};"
        for member, (low, bits) in places(stream).items():
            lane, wire = f"{data}[{low + bits - 1}:{low}]", f"{name}_{member}"
            if stream.direction == "input":
                yield f"  assign {lane} = {wire};"
                unused = -bits % _BYTE
                if unused:  # the module ignores these bits
                    place = f"[{low + bits + unused - 1}:{low + bits}]"
                    yield f"  assign {data}{place} = {{{unused}{{1'b1}}}};"
            else:
                yield f"  assign {wire} = {lane};"
        if stream.direction == "output":
            yield f"  reg {name}_begins = 1'b1;"
            yield f"  assign {name}_first = {name}_begins;"
            taken = f"{name}_valid && {name}_ready{' && clk_en' if enabled else ''}"
            yield f"  always @(posedge clk) if (rst) {name}_begins <= 1'b1;"
            yield f"    else if ({taken}) {name}_begins <= {name}_last;"
