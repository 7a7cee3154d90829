"""The self-checking testbench of a design on a bus, in Verilog-2005."""

from __future__ import annotations

from collections.abc import Sequence

from modmul.design import Design
from modmul.export.hdl import header
from modmul.export.pins import USUAL, Pins
from modmul.export.ports import enable_of, is_low, reset_of
from modmul.export.testbench import templates
from modmul.system import buses
from modmul.system.registers import RegisterMap
from modmul.system.script import Access

_KINDS = {"write": 0, "read": 1, "poll": 2, "interrupt": 3}
_QUIET = 2000  # cycles that an access may take beyond the longest operation and transfer


def testbench(
    design: Design,
    register_map: RegisterMap,
    bus: str,
    accesses: Sequence[Access],
    *,
    what: str,
    dut: str,
    name: str,
    pins: Pins = USUAL,
) -> str:
    """The text of modules `<name>_tb`, and `<name>_check`, whose only port is the clock.
    what: products or operations.  dut: the module on the bus.  `<name>_sim.f` lists the files."""
    shell = buses.REGISTRY[bus]
    ports = shell.ports(register_map.address_bits, pins)
    reset, enable = reset_of(ports), enable_of(ports)
    moved = max(channel.beats * (channel.shifts + 4) for channel in register_map.channels)
    computed = max(design.latency(mode).maximum for mode in design.modes)
    return (
        templates("modmul.system")
        .get_template("bus_tb.v.j2")
        .render(
            header=header(design, "//"),
            name=name,
            dut=dut,
            bus=shell.name,
            data_bits=shell.data_bits,
            title=shell.title,
            what=what,
            files=f"{name}_sim.f",
            ports=ports,
            reset=reset.name,
            reset_low=is_low(reset),
            enable=None if enable is None else enable.name,
            address=register_map.address_bits,
            accesses=accesses,
            kinds=_KINDS,
            patience=_QUIET + 2 * computed + 4 * moved,
        )
    )
