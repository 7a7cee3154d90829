"""A design on a bus, as Verilog: the module on the bus after the text of the design."""

from __future__ import annotations

from typing import Any, ClassVar

from amaranth.hdl import ClockSignal, Instance, Module, ResetSignal, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from modmul.design import Design
from modmul.export import hdl, names
from modmul.export.hdl import Hdl
from modmul.export.pins import USUAL, Pins
from modmul.export.ports import Port
from modmul.system import buses
from modmul.system.block import Registers
from modmul.system.buses.shell import Shell
from modmul.system.channels import Channel
from modmul.system.registers import RegisterMap


class OnBus(wiring.Component):
    """{title} on {bus}: `bus` passes accesses on to `registers`, which has the windows in which
    numbers are written and read, and `core` is the design itself, with streams that may pause.

    The register map of the datasheet has the addresses, and says what has to be written."""

    NOTES: ClassVar[dict[str, dict[str, str]]] = {
        "native port between the bus and the registers": {
            "en": "an access begins",
            "we": "it is a write",
            "addr": "its byte address",
            "wdata": "what is written",
            "wstrb": "which bytes of it count",
            "native_ack": "the access of the cycle before is answered",
            "native_rdata": "what was read",
            "native_error": "it was not possible",
        },
        "between the registers and the core": {
            "*_valid": "a beat is offered",
            "*_ready": "it can be taken",
            "*_first": "the first of its packet",
            "*_last": "the last of its packet",
            "*_beat*": "its bits, by windows",
            "core_reset": "rst, or the windows are being zeroed",
            "registers_core_reset": "the windows are being zeroed",
        },
    }

    def __init__(self, design: Design, register_map: RegisterMap, shell: type[Shell], module: str):
        """module: name of the module that has the design's own streams."""
        self._design, self._regs, self._shell, self._module = design, register_map, shell, module
        self.title, self.bus = design.title, shell.title
        pins = {
            pin.name: (In if pin.direction == "input" else Out)(pin.width)
            for pin in shell.pins(register_map.address_bits)
        }
        super().__init__({**pins, "irq": Out(1)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        shell = m.submodules.bus = self._shell(self._regs.address_bits)
        registers = m.submodules.registers = Registers(self._regs)
        m.d.comb += self.irq.eq(registers.irq)
        for pin in self._shell.pins(self._regs.address_bits):
            pair = (getattr(shell, pin.name), getattr(self, pin.name))
            m.d.comb += pair[0].eq(pair[1]) if pin.direction == "input" else pair[1].eq(pair[0])
        for name in ("en", "we", "addr", "wdata", "wstrb"):
            m.d.comb += getattr(registers, name).eq(getattr(shell, f"native_{name}"))
        for name in ("ack", "rdata", "error"):
            m.d.comb += getattr(shell, f"native_{name}").eq(getattr(registers, name))
        reset = Signal(name="core_reset")
        m.d.comb += reset.eq(ResetSignal() | registers.core_reset)
        core: dict[str, Any] = {"i_clk": ClockSignal(), "i_rst": reset}
        for channel in self._regs.channels:
            core |= _stream(m, channel, registers)
        m.submodules.core = Instance(self._module, **core)
        return m


def _stream(m: Module, channel: Channel, registers: Registers) -> dict[str, Any]:
    name, outwards = channel.name, "i" if channel.direction == "input" else "o"
    back = "o" if outwards == "i" else "i"
    ports: dict[str, Any] = {f"{back}_{name}_ready": getattr(registers, f"{name}_ready")}
    for end in ("valid", "first", "last"):
        wire = getattr(registers, f"{name}_{end}")
        if outwards == "o":  # a wire of its own, which has a name also where nothing reads it
            wire = Signal(name=f"{name}_{end}")
            m.d.comb += getattr(registers, f"{name}_{end}").eq(wire)
        ports[f"{outwards}_{name}_{end}"] = wire
    for lane in channel.lanes:
        beat, place = getattr(registers, channel.name_for(f"{name}_beat", lane.name)), 0
        for member, bits in lane.fields:
            if outwards == "i":
                ports[f"i_{name}_{member}"] = beat[place : place + bits]
            else:
                wire = Signal(bits, name=f"{name}_{member}")
                m.d.comb += beat[place : place + bits].eq(wire)
                ports[f"o_{name}_{member}"] = wire
            place += bits
    for place, flag in enumerate(channel.flags):
        ports[f"{outwards}_{name}_{flag}"] = getattr(registers, f"{name}_flag")[place]
    return ports


def on_bus(
    design: Design,
    written: Hdl,
    register_map: RegisterMap,
    bus: str,
    name: str | None = None,
    pins: Pins = USUAL,
) -> tuple[str, str]:
    """The name of the module on a bus, and its text, which follows that of the design.
    written: the text of the design.  name: of the module, if it is not made of the design's.
    pins: of the module on the bus.
    Raises ToolFailed or ToolMissing as `hdl.emit` does."""
    without = written.without_initial_values
    name = name or names.of_delivery(design.title, bus, register_map.banks, without, pins)
    return name, _on_bus(design, written.stream, register_map, bus, name, without, pins)


@hdl.kept
def _on_bus(
    design: Design,
    stream: str,
    register_map: RegisterMap,
    bus: str,
    name: str,
    without_initial_values: bool,
    pins: Pins,
) -> str:
    shell = buses.REGISTRY[bus]
    component = OnBus(design, register_map, shell, stream)
    made = (component, shell.ports(register_map.address_bits, pins), name)
    initial = design.chip.initial_values and not without_initial_values
    return hdl.declared(hdl.verilog_of([made], initial_values=initial))


def bus_ports(register_map: RegisterMap, bus: str, pins: Pins = USUAL) -> tuple[Port, ...]:
    return buses.REGISTRY[bus].ports(register_map.address_bits, pins)
